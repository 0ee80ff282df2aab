//! Commands with which ordinary tools send a file, a variable or what a command prints to another machine.
//!
//! A command is read the way a shell would read it, and judged by three questions: can the tool send something, is what it is given
//! something that others must not have, and does it go to a machine of somebody else. Nobody has to know the name of the attacker's host.

use std::sync::OnceLock;

use ken_language::WordList;
use ken_shell::quoting;

use crate::limits::outgoing::{ARGUMENTS_BYTES_MAX, BEFORE_BYTES_MAX, COMMANDS_MAX};
use crate::secrets::literals::Literals;
use crate::text::{Text, floor};

static TOOLS: WordList = WordList::new(include_str!("../words/outgoing/tools.txt"));
static KNOWN_HOSTS: WordList = WordList::new(include_str!("../words/outgoing/known_hosts.txt"));
static OWN_ENDINGS: WordList = WordList::new(include_str!("../words/outgoing/own_endings.txt"));
static OWN_BUCKETS: WordList = WordList::new(include_str!("../words/outgoing/own_buckets.txt"));
static ORDINARY_NAMES: WordList = WordList::new(include_str!("../words/outgoing/ordinary_names.txt"));
static ORDINARY_FOLDERS: WordList = WordList::new(include_str!("../words/outgoing/ordinary_folders.txt"));
static ORDINARY_ENDINGS: WordList = WordList::new(include_str!("../words/outgoing/ordinary_endings.txt"));
static ORDINARY_COMMANDS: WordList = WordList::new(include_str!("../words/outgoing/ordinary_commands.txt"));
static PRIVATE_ENDINGS: WordList = WordList::new(include_str!("../words/outgoing/private_endings.txt"));
static PRIVATE_SOURCES: WordList = WordList::new(include_str!("../words/outgoing/private_sources.txt"));
static KEY_PARAMETERS: WordList = WordList::new(include_str!("../words/outgoing/key_parameters.txt"));

/// How a tool is given what it sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    /// Options with data, headers, forms and uploads; an address.
    Http,
    /// Its input; a host.
    Socket,
    /// Its input; a host; tunnels.
    Shell,
    /// Files, then `host:path`.
    Copy,
    Git,
    /// A name that is looked up, which may be made of data.
    Lookup,
    /// A cloud's command line: a file and a bucket.
    Bucket,
    Mail,
    /// Options of PowerShell.
    Request,
    /// A file for a channel.
    Chat,
    /// A function in code, with its arguments in brackets.
    Call,
    /// A path of the shell that is a connection.
    Device,
}

impl Tool {
    fn from_word(word: &str) -> Option<Tool> {
        Some(match word {
            "http" => Tool::Http,
            "socket" => Tool::Socket,
            "shell" => Tool::Shell,
            "copy" => Tool::Copy,
            "git" => Tool::Git,
            "lookup" => Tool::Lookup,
            "bucket" => Tool::Bucket,
            "mail" => Tool::Mail,
            "request" => Tool::Request,
            "chat" => Tool::Chat,
            "call" => Tool::Call,
            "device" => Tool::Device,
            _ => return None,
        })
    }
}

struct Tools {
    literals: Literals,
    tools: Vec<(&'static str, Tool)>,
}

fn tools() -> &'static Tools {
    static READY: OnceLock<Tools> = OnceLock::new();
    READY.get_or_init(|| {
        let tools: Vec<(&'static str, Tool)> =
            TOOLS.pairs().filter_map(|(word, kind)| Some((word, Tool::from_word(kind)?))).collect();
        debug_assert_eq!(tools.len(), TOOLS.items().len(), "every tool has a kind");
        Tools { literals: Literals::new(tools.iter().map(|(word, _)| *word)), tools }
    })
}

/// Every command that sends something out; spans are bytes of `Text::plain`.
pub(crate) fn find(text: &Text<'_>) -> Vec<(usize, usize)> {
    let plain: &str = &text.plain;
    let known = tools();
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut looked = 0;
    known.literals.each(&plain.as_bytes().to_ascii_lowercase(), |index, start, end| {
        let (name, tool) = known.tools[index];
        if looked >= COMMANDS_MAX || !stands_alone(plain.as_bytes(), tool, start, end) {
            return;
        }
        if found.last().is_some_and(|last| start < last.1) {
            return;
        }
        looked += 1;
        let command = Command::read(plain, start, end);
        if command.sends(name, tool) {
            found.push((start, command.end));
        }
    });
    found
}

/// Whether a tool's name is a command here, and no part of another word.
fn stands_alone(bytes: &[u8], tool: Tool, start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).map_or(b'\n', |at| bytes[at]);
    let behind = bytes.get(end).copied().unwrap_or(b'\n');
    let in_word = before.is_ascii_alphanumeric() || matches!(before, b'_' | b'-' | b'@' | b':');
    match tool {
        Tool::Device => true,
        Tool::Call => behind == b'(' && !before.is_ascii_alphanumeric() && before != b'_',
        _ => {
            let is_path = before == b'/' && bytes[..start].ends_with(b"bin/");
            !in_word && before != b'.' && (before != b'/' || is_path) && matches!(behind, b' ' | b'\t')
        }
    }
}

/// A command and what stands around it.
struct Command<'a> {
    /// From the beginning of the line, or of the command before it, to the tool.
    before: &'a str,
    /// Behind the tool to the end of the command.
    arguments: &'a str,
    /// Behind the command to the end of the line.
    after: &'a str,
    end: usize,
}

impl<'a> Command<'a> {
    fn read(plain: &'a str, start: usize, tool_end: usize) -> Command<'a> {
        let bytes = plain.as_bytes();
        let least = start.saturating_sub(BEFORE_BYTES_MAX);
        let from =
            bytes[least..start].iter().rposition(|byte| *byte == b'\n').map_or(least, |at| least + at + 1);
        let from = floor(plain, from);
        let before = &plain[from..start];
        let most = floor(plain, (tool_end + ARGUMENTS_BYTES_MAX).min(plain.len()));
        let mut line_end = tool_end;
        while line_end < most && (bytes[line_end] != b'\n' || bytes[line_end - 1] == b'\\') {
            line_end += 1;
        }
        // A command in a sentence stands between backticks.
        let in_code = before.bytes().filter(|byte| *byte == b'`').count() % 2 == 1;
        let end = tool_end + quoting::command_length(&plain[tool_end..line_end], in_code);
        Command { before, arguments: &plain[tool_end..end], after: &plain[end..line_end], end }
    }

    fn words(&self) -> Vec<&'a str> {
        quoting::words(self.arguments)
    }

    fn sends(&self, name: &str, tool: Tool) -> bool {
        match tool {
            Tool::Http => self.sends_by_http(name),
            Tool::Socket => {
                (name != "openssl" || self.arguments.contains("s_client")) && self.sends_by_socket()
            }
            Tool::Shell => self.sends_by_shell(),
            Tool::Copy => self.sends_copy(name),
            Tool::Git => self.sends_by_git(),
            Tool::Lookup => self.sends_by_lookup(),
            Tool::Bucket => self.sends_to_bucket(name),
            Tool::Mail => self.sends_by_mail(),
            Tool::Request => self.sends_by_request(),
            Tool::Chat => {
                let words = self.words();
                (name != "gh" || words.starts_with(&["gist", "create"]))
                    && words.iter().any(|word| word.contains('.') && is_private_file(unquoted(word)))
            }
            Tool::Call => self.sends_by_call(name),
            Tool::Device => self.sends_by_device(),
        }
    }

    /// What is piped or redirected into it is private.
    fn has_private_input(&self) -> bool {
        let redirected = redirected(self.arguments).is_some_and(is_private_file);
        redirected || self.piped().is_some_and(is_private_output)
    }

    /// The commands whose output it reads.
    fn piped(&self) -> Option<&'a str> {
        let before = self.before.trim_end();
        let before = before.strip_suffix("xargs").unwrap_or(before).trim_end();
        let source = before.strip_suffix('|')?;
        if source.trim_end().ends_with([')', '}']) {
            return Some(source);
        }
        let from = source.rfind([';', '`']).map_or(0, |at| at + 1);
        let from = source.rfind("&&").map_or(from, |at| from.max(at + 2));
        Some(&source[from..])
    }

    fn sends_by_http(&self, name: &str) -> bool {
        let words = self.words();
        let (mut carried, mut carried_openly) = (false, false);
        let mut address: Option<&str> = None;
        let mut bare: Option<&str> = None;
        let mut at = 0;
        while at < words.len() {
            let word = words[at];
            at += 1;
            let Some((option, value)) = http_option(word, name) else {
                let word = unquoted(word);
                if word.contains("://") {
                    address = address.or(Some(word));
                } else if is_host_like(word) {
                    bare = bare.or(Some(word));
                } else if matches!(name, "http" | "https" | "xh") && word.contains('@') {
                    carried |= word.split_once('@').is_some_and(|(_, file)| is_private_file(file));
                }
                continue;
            };
            let value = match value {
                Some(value) => unquoted(value),
                None if option == HttpOption::Flag => continue,
                None => {
                    let value = words.get(at).copied().unwrap_or("");
                    at += 1;
                    unquoted(value)
                }
            };
            carried |= match option {
                HttpOption::Upload => match value {
                    "-" | "." => self.piped().is_some_and(is_private_output),
                    file => is_private_file(file),
                },
                HttpOption::Data => match value.strip_prefix('@') {
                    Some("-" | "/dev/stdin") => self.has_private_input(),
                    Some(file) => {
                        carried_openly |= !is_filled_in(file);
                        is_private_file(file)
                    }
                    None => {
                        carried_openly |= variable(value).is_some_and(is_secret_name);
                        // `--data-urlencode name@file`.
                        let file = value.split_once('@').map_or("", |(_, file)| file);
                        is_private_text(value) || (file.starts_with(['/', '~', '.']) && is_private_file(file))
                    }
                },
                HttpOption::Form => match value.split_once("=@").or_else(|| value.split_once("=<")) {
                    Some((_, "-")) => self.has_private_input(),
                    Some((_, file)) => {
                        carried_openly |= !is_filled_in(file);
                        is_private_file(file)
                    }
                    None => is_private_text(value),
                },
                HttpOption::Header => is_private_header(value),
                HttpOption::Address => {
                    address = Some(value);
                    false
                }
                HttpOption::Flag | HttpOption::Other => false,
            };
        }
        let Some(address) = address.or(bare) else { return false };
        // Over a line that anybody can read, to a machine without a name: no file is made for that.
        let openly = address.starts_with("http://") || is_number(host_of(address));
        let carried = carried
            || (openly && carried_openly)
            || is_private_address(address)
            || (matches!(name, "http" | "https" | "xh") && self.has_private_input());
        carried && is_foreign(address)
    }

    fn sends_by_socket(&self) -> bool {
        let words = self.words();
        let listens = words.iter().any(|word| {
            *word == "--listen" || (word.starts_with('-') && !word.starts_with("--") && word.contains('l'))
        });
        let put =
            |word: &&str| matches!(unquoted(word).split_whitespace().next(), Some("put" | "mput" | "-p"));
        let puts = words.iter().any(put) || self.after.contains("put ");
        let foreign = words.iter().any(|word| {
            word.split([':', ',']).any(|part| is_host_like(unquoted(part)) && is_foreign(unquoted(part)))
        });
        foreign && (puts || (!listens && self.has_private_input()))
    }

    fn sends_by_device(&self) -> bool {
        let host = self.arguments.split(['/', ' ', '"', '\'']).next().unwrap_or("");
        let Some(source) = self.before.trim_end().strip_suffix('>') else { return false };
        is_foreign(host) && is_private_output(source)
    }

    fn sends_by_shell(&self) -> bool {
        let words = self.words();
        let mut plain = words.iter().enumerate().filter(|(at, word)| {
            let takes = at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|before| {
                matches!(*before, "-p" | "-i" | "-o" | "-l" | "-J" | "-F" | "-L" | "-D" | "-R" | "-b" | "-E")
            });
            !word.starts_with('-') && !takes
        });
        let Some((_, host)) = plain.next() else { return false };
        let host = unquoted(host);
        let tunnels = words.iter().any(|word| word.starts_with("-R"));
        is_foreign(host) && (tunnels || self.has_private_input())
    }

    fn sends_copy(&self, name: &str) -> bool {
        let words = self.words();
        let plain: Vec<&str> = words
            .iter()
            .enumerate()
            .filter(|(at, word)| {
                let takes = at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|before| {
                    matches!(
                        *before,
                        "-P" | "-i" | "-o" | "-e" | "-F" | "-J" | "--exclude" | "--include" | "--rsh"
                    )
                });
                !word.starts_with('-') && !takes && !matches!(**word, "copy" | "sync" | "move" | "copyto")
            })
            .map(|(_, word)| unquoted(word))
            .collect();
        let Some((target, sources)) = plain.split_last() else { return false };
        let is_away = match target.split_once(':') {
            Some((remote, path)) if name == "rclone" => {
                !remote.is_empty() && !remote.contains('/') && !is_filled_in(remote) && !is_filled_in(path)
            }
            Some((host, path)) if !host.contains('/') => {
                is_foreign(host) && (path.is_empty() || !is_filled_in(path))
            }
            Some(_) => target.contains("://") && is_foreign(target),
            None => false,
        };
        is_away && sources.iter().any(|file| !file.contains(':') && is_private_file(file))
    }

    fn sends_by_git(&self) -> bool {
        let words = self.words();
        let plain: Vec<&str> =
            words.iter().filter(|word| !word.starts_with('-')).map(|word| unquoted(word)).collect();
        let is_address = |word: &&&str| word.contains("://") || (word.contains('@') && word.contains(':'));
        let foreign = |word: &&str| is_foreign(word) && !is_known(host_of(word));
        let from = plain.iter().position(|word| matches!(*word, "push" | "remote" | "config")).unwrap_or(0);
        match &plain[from..] {
            ["config", key, address, ..] => key.ends_with("pushurl") && foreign(address),
            ["push", rest @ ..] => rest.iter().find(is_address).is_some_and(foreign),
            ["remote", "add", name, rest @ ..] => {
                let pushed = format!("git push {name}");
                rest.first().is_some_and(foreign)
                    && (self.after.contains(&pushed) || self.after.contains("--mirror"))
            }
            ["remote", "set-url", rest @ ..] => {
                words.contains(&"--push") && rest.iter().find(is_address).is_some_and(foreign)
            }
            _ => false,
        }
    }

    fn sends_by_lookup(&self) -> bool {
        let encoded = ["base64", "xxd", "hexdump", "od -", "fold", "base32"];
        let in_loop = self.before.contains("for ") || self.before.contains("while ");
        let drawn = |part: &str| encoded.iter().any(|word| part.contains(word));
        self.words().iter().any(|word| {
            let word = unquoted(word);
            let Some((_, behind)) = substitution(word) else {
                // A variable, then a domain.
                let Some(name) = variable(word) else { return false };
                let behind = word.split_once(name).map_or("", |(_, behind)| behind).trim_start_matches('}');
                return behind.starts_with('.')
                    && behind.matches('.').count() > 1
                    && (is_secret_name(name) || (in_loop && drawn(self.before)));
            };
            behind.starts_with('.') && behind.contains(|c: char| c.is_ascii_alphabetic())
        })
    }

    fn sends_to_bucket(&self, name: &str) -> bool {
        let words = self.words();
        let plain: Vec<&str> =
            words.iter().filter(|word| !word.starts_with('-')).map(|word| unquoted(word)).collect();
        let option = |names: &[&str]| {
            let at = words.iter().position(|word| names.contains(word))?;
            words.get(at + 1).map(|value| unquoted(value))
        };
        let copied = |rest: &[&str]| {
            let [source, target, ..] = rest else { return false };
            let bucket = target.split_once("://").map_or(*target, |(_, bucket)| bucket);
            !source.contains("://")
                && (target.contains("://") || name == "mc")
                && is_private_file(source)
                && !is_own_bucket(bucket)
        };
        match (name, plain.as_slice()) {
            ("aws", ["s3", "cp" | "mv" | "sync", rest @ ..]) => copied(rest),
            ("aws", ["s3api", "put-object", ..]) => {
                option(&["--body"]).is_some_and(is_private_file)
                    && !option(&["--bucket"]).is_some_and(is_own_bucket)
            }
            ("aws", [_, "invoke" | "publish" | "send-message" | "put-record" | "send-email", ..]) => {
                words.iter().any(|word| is_private_text(unquoted(word)))
            }
            ("gsutil", ["cp" | "mv" | "rsync", rest @ ..])
            | ("gcloud", ["storage", "cp" | "mv" | "rsync", rest @ ..])
            | ("s3cmd", ["put" | "sync", rest @ ..])
            | ("mc", ["cp" | "mirror", rest @ ..])
            | ("azcopy", ["copy" | "cp" | "sync", rest @ ..]) => copied(rest),
            ("az", ["storage", "blob" | "file" | "fs" | "share", "upload" | "upload-batch", ..]) => {
                option(&["-f", "--file", "--source", "-s"]).is_some_and(is_private_file)
            }
            _ => false,
        }
    }

    fn sends_by_mail(&self) -> bool {
        let words = self.words();
        let addressed = words.iter().any(|word| {
            let word = unquoted(word);
            word.split_once('@')
                .is_some_and(|(left, right)| !left.is_empty() && right.contains('.') && !is_filled_in(word))
        });
        let attached = words.windows(2).any(|pair| {
            matches!(pair[0], "-a" | "-A" | "--attach" | "-Attachments" | "-attachments" | "--attachment")
                && is_private_file(unquoted(pair[1]).trim_start_matches('@'))
        });
        addressed && (attached || self.has_private_input())
    }

    fn sends_by_request(&self) -> bool {
        let words = self.words();
        let foreign = words.iter().any(|word| word.contains("://") && is_foreign(unquoted(word)));
        let option = |name: &str| {
            let at = words.iter().position(|word| word.eq_ignore_ascii_case(name))?;
            words.get(at + 1).map(|value| unquoted(value))
        };
        let read = ["get-content", "readallbytes", "readalltext", "get-childitem", "$env:"];
        let body = option("-body").map(str::to_ascii_lowercase).unwrap_or_default();
        foreign
            && (option("-infile").is_some_and(is_private_file) || read.iter().any(|word| body.contains(word)))
    }

    fn sends_by_call(&self, name: &str) -> bool {
        let arguments = self.arguments;
        let reads = ["open(", "readFile", "read_text(", "read_bytes(", "readAllBytes", "file_get_contents("];
        let environment =
            ["os.environ)", "os.environ,", "os.environ}", "process.env)", "process.env,", "process.env}"];
        let has = |parts: &[&str]| parts.iter().any(|part| arguments.contains(part));
        match name {
            "gethostbyname" => {
                arguments.contains('+') && has(&["b32encode", "b64encode", "hex(", ".encode("])
            }
            _ => {
                let Some(at) = arguments.find("://") else { return false };
                let host = &arguments[at.saturating_sub(5)..];
                let opened = reads.iter().filter_map(|read| arguments.split_once(read)).any(|(_, rest)| {
                    let file = rest.trim_start_matches(['(', '\'', '"', 'S', 'y', 'n', 'c', ' ']);
                    let file = file.split(['\'', '"', ',', ')']).next().unwrap_or("");
                    is_private_file(file)
                });
                is_foreign(host) && (opened || has(&environment))
            }
        }
    }
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`', ',', '(', ')'])
}

/// The file behind `<` that a command reads.
fn redirected(arguments: &str) -> Option<&str> {
    let words = quoting::words(arguments);
    let at = words
        .iter()
        .position(|word| word.starts_with('<') && !word.starts_with("<<") && !word.ends_with('>'))?;
    let file = match words[at].trim_start_matches('<') {
        "" => words.get(at + 1).copied()?,
        file => file,
    };
    Some(unquoted(file))
}

/// What an option of a tool for the web is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HttpOption {
    Data,
    Form,
    Upload,
    Header,
    Address,
    /// Takes a value that says nothing here.
    Other,
    Flag,
}

/// An option and the value that hangs on it. None, if the word is no option.
fn http_option<'w>(word: &'w str, tool: &str) -> Option<(HttpOption, Option<&'w str>)> {
    use HttpOption::{Address, Data, Flag, Form, Header, Other, Upload};
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let option = match name {
            "data" | "data-binary" | "data-raw" | "data-ascii" | "data-urlencode" | "json" | "post-data"
            | "body-data" => Data,
            "form" | "form-string" => Form,
            "upload-file" | "post-file" | "body-file" => Upload,
            "header" | "user-agent" | "cookie" | "referer" => Header,
            "url" => Address,
            "output" | "request" | "user" | "proxy" | "max-time" | "connect-timeout" | "write-out"
            | "cacert" | "cert" | "key" | "retry" | "config" | "resolve" | "interface" | "method"
            | "output-document" | "directory-prefix" | "timeout" | "tries" => Other,
            _ => Flag,
        };
        return Some((option, value));
    }
    let short = word.strip_prefix('-').filter(|short| !short.is_empty())?;
    if matches!(tool, "wget" | "http" | "https" | "xh") {
        let takes = matches!(short, "O" | "o" | "P" | "U" | "t" | "T" | "a" | "A");
        return Some((if takes { Other } else { Flag }, None));
    }
    for (at, letter) in short.char_indices() {
        let option = match letter {
            'd' => Data,
            'F' => Form,
            'T' => Upload,
            'H' | 'A' | 'b' | 'e' => Header,
            'o' | 'u' | 'x' | 'X' | 'w' | 'm' | 'c' | 'K' | 'E' | 'D' | 'r' | 'C' | 'Y' | 'y' | 'z' | 't'
            | 'Q' | 'P' => Other,
            _ => continue,
        };
        let value = &short[at + 1..];
        return Some((option, (!value.is_empty()).then_some(value)));
    }
    Some((Flag, None))
}

/// Whether a word could be a host or an address without its scheme.
fn is_host_like(word: &str) -> bool {
    let host = host_of(word);
    host.contains('.')
        && !host.starts_with(['.', '-'])
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        && host.rsplit('.').next().is_some_and(|top| top.len() >= 2 || is_number(host))
}

fn is_number(host: &str) -> bool {
    host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// The host of an address, of `user@host:path`, or of `host:port`.
fn host_of(address: &str) -> &str {
    let behind = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = behind.split(['/', '?', '#', '"', '\'', ')', ' ']).next().unwrap_or("");
    let host = authority.rsplit('@').next().unwrap_or("");
    host.split(':').next().unwrap_or("")
}

/// Whether an address is on a machine that may belong to anybody.
fn is_foreign(address: &str) -> bool {
    let host = host_of(address);
    let lower = host.to_ascii_lowercase();
    if !host.contains('.') || is_filled_in(host) || OWN_ENDINGS.iter().any(|ending| lower.ends_with(ending)) {
        return false;
    }
    let mut parts = host.split('.').map(|part| part.parse::<u16>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(0 | 10 | 127), Some(_)) | (Some(192), Some(168)) | (Some(169), Some(254)) => false,
        (Some(172), Some(second)) => !(16..32).contains(&second),
        _ => !is_known(&lower),
    }
}

fn is_known(host: &str) -> bool {
    let lower = host.to_ascii_lowercase();
    lower != "gist.github.com"
        && KNOWN_HOSTS
            .iter()
            .any(|known| lower.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// A template of documentation, or a variable that says nothing.
fn is_filled_in(value: &str) -> bool {
    value.is_empty()
        || value.contains(['{', '<', '$', '[', '%'])
        || value.contains("path/to")
        || value.contains("...")
        || value.to_ascii_lowercase().contains("your")
        || value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Whether a file is none that is made to be sent.
fn is_private_file(file: &str) -> bool {
    let file = file.trim_matches(['"', '\'']).split(';').next().unwrap_or("");
    let (home, inner) = match file.strip_prefix("~/").or_else(|| file.strip_prefix("$HOME/")) {
        Some(inner) => (true, inner),
        None => (false, file.trim_start_matches("./")),
    };
    if matches!(file, "." | "*" | "~" | "$HOME" | "./" | "~/" | "/") {
        return true;
    }
    if is_filled_in(inner) || file == "-" || file == "/dev/null" || file == "/dev/stdin" {
        return false;
    }
    if home {
        return true;
    }
    let mut folders = inner.split('/').rev();
    let name = folders.next().unwrap_or("");
    let is_published = folders.any(|folder| ORDINARY_FOLDERS.contains(folder));
    if is_published
        || (name.is_empty() && ORDINARY_FOLDERS.contains(inner.trim_end_matches('/')))
        || ORDINARY_FOLDERS.contains(inner)
    {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    let mut endings = lower.split('.').skip(1);
    if endings.any(|ending| PRIVATE_ENDINGS.contains(ending)) {
        return true;
    }
    let ending = lower.rsplit('.').next().unwrap_or("");
    let stem: String = lower.chars().take_while(char::is_ascii_alphabetic).collect();
    let first = lower.split(['-', '_', '.']).next().unwrap_or("");
    !(ORDINARY_ENDINGS.contains(ending)
        || ORDINARY_NAMES.contains(&stem) && (stem == first || lower.starts_with(&format!("{stem}-"))))
}

/// The command in `$(...)` or between backticks, and what stands behind it.
fn substitution(value: &str) -> Option<(&str, &str)> {
    if let Some(at) = value.find("$(") {
        let rest = &value[at + 2..];
        let mut depth = 1;
        let close = rest.bytes().position(|byte| {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let close = close.unwrap_or(rest.len());
        return Some((&rest[..close], rest.get(close + 1..).unwrap_or("")));
    }
    let at = value.find('`')?;
    let rest = &value[at + 1..];
    let close = rest.find('`')?;
    Some((&rest[..close], &rest[close + 1..]))
}

/// The name of the first variable in a value.
fn variable(value: &str) -> Option<&str> {
    let at = value.find('$')?;
    let rest = value[at + 1..].trim_start_matches('{');
    let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    (length > 0).then(|| &rest[..length])
}

fn is_secret_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["token", "secret", "key", "pass", "cred", "auth"].iter().any(|part| lower.contains(part))
}

/// Whether some text that is sent holds what a private command prints.
fn is_private_text(value: &str) -> bool {
    if let Some((command, _)) = substitution(value) {
        return is_private_output(command);
    }
    // A service asks for a key by a name that says so; under another name it is carried away.
    match (value.split_once('='), variable(value)) {
        (Some((name, rest)), Some(variable)) => {
            rest.contains('$') && is_secret_name(variable) && !is_key_parameter(name)
        }
        (None, Some(variable)) => is_secret_name(variable) && !value.contains(':'),
        _ => false,
    }
}

fn is_key_parameter(name: &str) -> bool {
    let lower = name.trim_start_matches(['?', '&']).to_ascii_lowercase();
    KEY_PARAMETERS.contains(&lower) || is_secret_name(&lower)
}

fn is_private_header(header: &str) -> bool {
    let Some((name, value)) = header.split_once(':') else {
        return substitution(header).is_some_and(|(command, _)| is_private_output(command));
    };
    if is_key_parameter(name.trim()) {
        return false;
    }
    match substitution(value) {
        Some((command, _)) => is_private_output(command),
        None => variable(value).is_some_and(is_secret_name),
    }
}

/// Whether an address carries data: the output of a command, or a secret under a name that asks for none.
fn is_private_address(address: &str) -> bool {
    let plain = address.starts_with("http://");
    if let Some((command, _)) = substitution(address) {
        let first = command.split_whitespace().next().unwrap_or("");
        return is_private_output(command) && first != "uname"
            || (address.contains("=$(") && matches!(first, "uname"));
    }
    let Some((_, query)) = address.split_once('?') else { return false };
    query.split('&').any(|pair| match pair.split_once('=') {
        Some((name, value)) => {
            value.starts_with('$')
                && variable(value).is_some_and(is_secret_name)
                && (plain || !is_key_parameter(name))
        }
        None => false,
    })
}

/// Whether commands print what a machine or its user has.
fn is_private_output(commands: &str) -> bool {
    let mut parts = commands.split(['|', ';', '(', '&', '{']).map(str::trim).filter(|part| !part.is_empty());
    parts.any(|part| {
        let mut words =
            part.split_whitespace().filter(|word| !word.contains('=') && *word != "sudo" && *word != "do");
        let Some(first) = words.next() else { return false };
        let first = first.rsplit('/').next().unwrap_or(first);
        match first {
            "echo" | "printf" => variable(part).is_some_and(is_secret_name),
            "cat" | "head" | "tail" | "base64" | "gzip" | "xxd" | "grep" | "strings" | "zcat" => {
                let mut files = words.filter(|word| !word.starts_with('-') && !is_digits(word)).peekable();
                let reads_input = files.peek().is_none();
                !reads_input
                    && files
                        .any(|file| file != "<" && is_private_file(file.trim_matches(['"', '\'', ')', '<'])))
            }
            "git" => words.next().is_some_and(|word| {
                matches!(word, "bundle" | "archive" | "diff" | "log" | "show" | "config" | "stash")
            }),
            "openssl" => words.next().is_some_and(|word| word != "rand"),
            "docker" | "kubectl" => words.next().is_some_and(|word| {
                matches!(word, "export" | "save" | "cp" | "get" | "logs" | "exec" | "config")
            }),
            first => PRIVATE_SOURCES.contains(first) && !ORDINARY_COMMANDS.contains(first),
        }
    })
}

fn is_digits(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A bucket that is named for what a project publishes, or is filled in.
fn is_own_bucket(bucket: &str) -> bool {
    let lower = bucket.to_ascii_lowercase();
    let name = lower.split('/').next().unwrap_or("");
    is_filled_in(bucket)
        || name.split(['-', '_', '.']).any(|part| OWN_BUCKETS.iter().any(|own| part.starts_with(own)))
}
