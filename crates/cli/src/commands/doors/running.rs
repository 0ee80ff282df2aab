//! The server that runs for a store: a note in the clone's folder says where, so that `ken open` finds it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ken_server::Serving;
use serde_json::{Value, json};

use super::Session;
use crate::limits::{ANSWER_BYTES_MAX, PATIENCE};

/// What the names of the files in the clone's folder begin and end with; between them is the port.
const FILE: (&str, &str) = ("serve-", ".json");

/// The note of a running server; it goes with the server.
pub(super) struct Note {
    path: PathBuf,
    text: String,
}

impl Note {
    /// Leaves a note that its owner alone can read. A server without one runs as well.
    pub(super) fn leave(home: &Path, serving: &Serving) -> Option<Note> {
        std::fs::create_dir_all(home).ok()?;
        let path = home.join(format!("{}{}{}", FILE.0, serving.address.port(), FILE.1));
        let text = json!({"address": serving.address.to_string(), "key": serving.key.reveal()}).to_string();
        let _ = std::fs::remove_file(&path);
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path).and_then(|mut file| file.write_all(text.as_bytes())).ok()?;
        Some(Note { path, text })
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        // Another server may have left its own meanwhile.
        if std::fs::read_to_string(&self.path).is_ok_and(|text| text == self.text) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A link to a page of a server that runs for a clone, the latest that answers; none where none does.
pub(super) fn link(home: &Path, page: &str) -> Option<String> {
    let is_note = |name: &str| name.starts_with(FILE.0) && name.ends_with(FILE.1);
    let files = std::fs::read_dir(home).ok()?.flatten();
    let mut notes: Vec<_> = files
        .filter(|file| file.file_name().to_str().is_some_and(is_note))
        .map(|file| (file.metadata().and_then(|looks| looks.modified()).ok(), file.path()))
        .collect();
    notes.sort();
    notes.iter().rev().find_map(|(_, path)| link_of(path, page))
}

/// A link of the server that left a note.
fn link_of(note: &Path, page: &str) -> Option<String> {
    let note: Value = serde_json::from_str(&std::fs::read_to_string(note).ok()?).ok()?;
    let mut address: SocketAddr = note["address"].as_str()?.parse().ok()?;
    if address.ip().is_unspecified() {
        address.set_ip(std::net::IpAddr::from([127, 0, 0, 1]));
    }
    let key = note["key"].as_str()?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let request = format!(
        "POST /login/link HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.take(ANSWER_BYTES_MAX).read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    head.starts_with("HTTP/1.1 200").then_some(())?;
    let answer: Value = serde_json::from_str(body).ok()?;
    let path = answer["path"].as_str()?;
    let next = if page == "/" { String::new() } else { format!("&next={}", encoded(page)) };
    Some(format!("http://{address}{path}{next}"))
}

/// A path as one value of a query.
fn encoded(page: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.');
    page.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Opens a link in the browser of this machine; where there is none, the link that was printed is enough.
pub(super) fn show(session: &Session, link: &str) {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else {
        Command::new("xdg-open")
    };
    let started = command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if started.is_err() {
        session.output.note("no browser could be started; open the link yourself");
    }
}
