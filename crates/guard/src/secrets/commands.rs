//! Passwords given to commands on their line: `sshpass -p ...`, `mysql -p...`, `curl -u user:...`.

use ken_shell::quoting;

use super::blocks::Span;
use super::value::{self, Strength};
use crate::text::floor;

use crate::limits::secrets_commands::LINE_BYTES_MAX;

/// A command and its option that takes a password.
pub struct Command {
    pub word: &'static str,
    pub options: &'static [&'static str],
    /// How the password hangs on the option.
    pub hangs: Hangs,
}

/// How a value hangs on an option.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hangs {
    /// Only without a blank: `-psecret`.
    Joined,
    /// Behind a blank, an equals sign, or nothing.
    Either,
    /// Behind a blank or an equals sign.
    Apart,
    /// As `user:password`.
    Pair,
    /// As `user%password`.
    PercentPair,
    /// As `user,password`.
    CommaPair,
}

/// All of them.
pub const COMMANDS: &[Command] = &[
    command("sshpass", &["-p"], Hangs::Either),
    command("mysql", &["-p"], Hangs::Joined),
    command("mysqldump", &["-p"], Hangs::Joined),
    command("mysqladmin", &["-p"], Hangs::Joined),
    command("mariadb", &["-p"], Hangs::Joined),
    command("7z", &["-p"], Hangs::Joined),
    command("curl", &["-u", "--user", "--proxy-user", "-U"], Hangs::Pair),
    command("wget", &["--http-passwd"], Hangs::Apart),
    command("http", &["-a", "--auth"], Hangs::Pair),
    command("chisel", &["--auth"], Hangs::Pair),
    command("redis-cli", &["-a", "--pass"], Hangs::Apart),
    command("docker", &["-p"], Hangs::Apart),
    command("podman", &["-p"], Hangs::Apart),
    command("helm", &["-p"], Hangs::Apart),
    command("unzip", &["-P"], Hangs::Apart),
    command("zip", &["-P"], Hangs::Apart),
    command("ldapsearch", &["-w"], Hangs::Apart),
    command("ldapadd", &["-w"], Hangs::Apart),
    command("ldapmodify", &["-w"], Hangs::Apart),
    command("mongo", &["-p"], Hangs::Apart),
    command("mongosh", &["-p"], Hangs::Apart),
    command("mongodump", &["-p"], Hangs::Apart),
    command("cqlsh", &["-p"], Hangs::Apart),
    command("sqlcmd", &["-P"], Hangs::Either),
    command("bcp", &["-P"], Hangs::Either),
    command("mosquitto_pub", &["-P"], Hangs::Apart),
    command("mosquitto_sub", &["-P"], Hangs::Apart),
    command("ipmitool", &["-P"], Hangs::Apart),
    command("keytool", &["-storepass", "-keypass"], Hangs::Apart),
    command("jarsigner", &["-storepass", "-keypass"], Hangs::Apart),
    command("plink", &["-pw"], Hangs::Apart),
    command("pscp", &["-pw"], Hangs::Apart),
    command("az", &["-p"], Hangs::Apart),
    command("oc", &["-p"], Hangs::Apart),
    command("smbclient", &["-U"], Hangs::PercentPair),
    command("lftp", &["-u"], Hangs::CommaPair),
    command("xfreerdp", &["/p:"], Hangs::Joined),
    command("rdesktop", &["-p"], Hangs::Apart),
    command("openssl", &["pass:"], Hangs::Joined),
    command("psexec", &["-p"], Hangs::Apart),
    command("net use", &["/user:"], Hangs::Joined),
    command("expect", &["send"], Hangs::Apart),
    command("evil-winrm", &["-p"], Hangs::Apart),
    command("nmcli", &["wep-key"], Hangs::Apart),
    command("wpa_passphrase", &["psk"], Hangs::Apart),
];

const fn command(word: &'static str, options: &'static [&'static str], hangs: Hangs) -> Command {
    Command { word, options, hangs }
}

/// Whether a command stands at `start..end`, and not a part of some other word.
pub fn stands_at(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    !(start > 0 && is_part(&bytes[start - 1]))
        && bytes.get(end).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\\'))
}

/// The password given to a command that ends at `end`, before the next command at `until`.
pub fn password(command: &Command, text: &str, end: usize, until: usize) -> Option<Span> {
    let mut pending = false;
    let line_end = floor(text, command_end(text.as_bytes(), end, until.max(end)));
    for (from, to) in quoting::spans(&text[end..line_end], b"`") {
        let (word_start, word_end) = (end + from, end + to);
        if pending {
            return accepted(command, text, word_start, word_end);
        }
        let word = &text.as_bytes()[word_start..word_end];
        for option in command.options {
            if word == option.as_bytes() {
                pending = command.hangs != Hangs::Joined;
            } else if let Some(rest) = word.strip_prefix(option.as_bytes()) {
                let equals = usize::from(rest.first() == Some(&b'='));
                let hangs = match command.hangs {
                    Hangs::Joined | Hangs::Either => true,
                    Hangs::Apart => equals == 1,
                    Hangs::Pair | Hangs::PercentPair | Hangs::CommaPair => equals == 1 || option.len() == 2,
                };
                if hangs {
                    return accepted(command, text, word_start + option.len() + equals, word_end);
                }
            }
        }
    }
    None
}

/// The end of the command's line, no later than `until`; a backslash at the end of a line continues it.
fn command_end(bytes: &[u8], from: usize, until: usize) -> usize {
    let to = bytes.len().min(from + LINE_BYTES_MAX).min(until);
    let mut at = from;
    while at < to {
        match bytes[at] {
            b'\n' if bytes[at - 1] != b'\\' => return at,
            b'|' | b';' => return at,
            _ => at += 1,
        }
    }
    to
}

fn accepted(command: &Command, text: &str, start: usize, end: usize) -> Option<Span> {
    let (mut start, end) = unquoted(text, start, end);
    let word = text.get(start..end)?;
    let separator = match command.hangs {
        Hangs::Pair => Some(':'),
        Hangs::PercentPair => Some('%'),
        Hangs::CommaPair => Some(','),
        Hangs::Joined | Hangs::Either | Hangs::Apart => None,
    };
    if let Some(separator) = separator {
        if word.starts_with(['<', '[', '$', '{']) {
            return None;
        }
        let (user, password) = word.split_once(separator)?;
        if password.is_empty() {
            // A key in the place of the name.
            let strong =
                value::as_password(user) == Strength::Strong || value::as_key(user) == Strength::Strong;
            return strong.then_some((start, start + user.len()));
        }
        start += user.len() + 1;
    }
    let (start, end) = unquoted(text, start, end);
    let password = text.get(start..end)?;
    let drawn = value::as_password(password) >= Strength::Weak || value::as_key(password) >= Strength::Weak;
    (drawn && !password.contains(char::is_whitespace)).then_some((start, end))
}

fn unquoted(text: &str, mut start: usize, mut end: usize) -> Span {
    let bytes = text.as_bytes();
    while start < end && matches!(bytes[start], b'"' | b'\'') {
        start += 1;
    }
    while start < end && matches!(bytes[end - 1], b'"' | b'\'' | b',' | b';' | b')') {
        end -= 1;
    }
    (start, end)
}
