//! Where the database is, and how its password is found without standing on a command line.

use std::env;
use std::path::{Path, PathBuf};

use ken_core::{Code, Refusal};
use ken_engine::{Error, Result};
use postgres::Config;
use postgres::config::Host;

/// The address of a database: a URL, or `key=value` pairs. Shown without its password.
#[derive(Clone)]
pub struct Address(pub(crate) Config);

/// The variable that has the address, and the one that names a file with it.
const URL: &str = "KEN_POSTGRES_URL";
const URL_FILE: &str = "KEN_POSTGRES_URL_FILE";

impl Address {
    /// An address that somebody typed, or else the one of the environment. What is typed is seen by every user of the machine, so it may have no
    /// password; that is looked up in the file that libpq reads (`PGPASSFILE`).
    pub fn find(typed: Option<&str>) -> Result<Address> {
        let text = match typed.map(str::trim).filter(|text| !text.is_empty()) {
            Some(text) => {
                if parse("--postgres", text)?.get_password().is_some() {
                    let message = "a password on the command line can be read by every user of this machine";
                    return Err(Refusal::new(Code::NotAllowed, message)
                        .field("postgres")
                        .hint(format!("put the address into {URL} or a file ({URL_FILE}), or the password into PGPASSFILE"))
                        .into());
                }
                text.to_owned()
            }
            None => from_environment()?,
        };
        let mut config = parse(URL, &text)?;
        if config.get_password().is_none()
            && let Some(password) = password_of(&config)?
        {
            config.password(password);
        }
        Ok(Address(config))
    }

    /// An address as a text, for programs and tests.
    pub fn parse(text: &str) -> Result<Address> {
        parse("the address", text).map(Address)
    }
}

fn from_environment() -> Result<String> {
    let value = |name: &str| env::var(name).ok().filter(|text| !text.trim().is_empty());
    if let Some(url) = value(URL) {
        return Ok(url);
    }
    if let Some(file) = value(URL_FILE) {
        let doing = format!("reading the address in {file}");
        let text = std::fs::read_to_string(&file).map_err(Error::failed(doing))?;
        return Ok(text.trim().to_owned());
    }
    Err(Refusal::new(Code::Invalid, "no address of a database is given")
        .hint(format!(
            "set {URL}, such as postgres://ken@db.example/ken, or name a file with it in {URL_FILE}"
        ))
        .into())
}

fn parse(field: &str, text: &str) -> Result<Config> {
    // The parser's own words may quote the address.
    let refused = |_| {
        Refusal::new(Code::Invalid, format!("{field} is not the address of a PostgreSQL database"))
            .hint("write it as postgres://USER@HOST/DATABASE")
            .into()
    };
    text.trim().parse().map_err(refused)
}

/// The password for an address, from the file that libpq reads. Others must not be able to read it, either.
fn password_of(config: &Config) -> Result<Option<String>> {
    let named = env::var_os("PGPASSFILE").map(PathBuf::from);
    let file = named.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".pgpass")));
    let Some(file) = file.filter(|file| file.is_file()) else { return Ok(None) };
    refuse_readable(&file)?;
    let text = std::fs::read_to_string(&file)
        .map_err(Error::failed(format!("reading passwords in {}", file.display())))?;
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        // As libpq has it for sockets.
        _ => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let user = config.get_user().unwrap_or_default();
    let wanted = [host.as_str(), &port, config.get_dbname().unwrap_or(user), user];
    Ok(text.lines().find_map(|line| password_in(line, &wanted)))
}

/// The password of a line `host:port:database:user:password`, if it is for this address. `*` stands for anything, `\` quotes.
fn password_in(line: &str, wanted: &[&str; 4]) -> Option<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let is_end = letter == ':' && fields.len() <= wanted.len();
        match fields.last_mut() {
            Some(field) if letter == '\\' => field.extend(letters.next()),
            Some(field) if !is_end => field.push(letter),
            _ => fields.push(String::new()),
        }
    }
    let is_meant = fields.len() == wanted.len() + 1
        && fields.iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted);
    fields.pop().filter(|_| is_meant && !line.starts_with('#'))
}

#[cfg(unix)]
fn refuse_readable(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let looks = file.metadata().map_err(Error::failed(format!("reading {}", file.display())))?;
    if looks.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    let message = format!("other users can read the passwords in {}", file.display());
    Err(Refusal::new(Code::NotAllowed, message).hint("make it yours alone: chmod 600").into())
}

#[cfg(not(unix))]
fn refuse_readable(_: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_that_is_typed_is_refused_and_not_repeated() {
        for typed in ["postgres://ken:hunter2@db.example/ken", "host=db.example user=ken password=hunter2"] {
            let refused = Address::find(Some(typed)).err().unwrap().to_string();
            assert!(refused.contains("command line") && !refused.contains("hunter2"), "{refused}");
        }
        let refused = Address::find(Some("postgres://ken:hunter2@[db")).err().unwrap().to_string();
        assert!(!refused.contains("hunter2"), "{refused}");
    }

    #[test]
    fn a_line_of_the_password_file_is_for_the_address_that_it_names() {
        let wanted = ["db.example", "5432", "ken", "node"];
        for (line, password) in [
            ("db.example:5432:ken:node:secret", Some("secret")),
            ("*:*:*:node:with\\:colon:and more", Some("with:colon:and more")),
            ("db.example:5432:ken:other:secret", None),
            ("#b.example:5432:ken:node:secret", None),
            ("db.example:5432:ken", None),
        ] {
            assert_eq!(password_in(line, &wanted).as_deref(), password, "{line}");
        }
    }
}
