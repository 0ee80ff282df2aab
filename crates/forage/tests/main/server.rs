//! A small server for tests: it answers each connection with whatever bytes a function gives, and keeps what it was asked.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use ken_forage::{Address, AddressPolicy};

/// What a server does with a request: bytes, or anything at all with the connection.
pub enum Reply {
    Bytes(Vec<u8>),
    Does(Box<dyn FnOnce(&mut TcpStream) + Send>),
}

pub struct Server {
    pub at: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    is_over: Arc<AtomicBool>,
}

impl Server {
    /// A server on an address of this machine; the path of each request goes in.
    pub fn start_at(host: &str, answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Server {
        let socket = TcpListener::bind((host, 0)).unwrap();
        let (at, heads, is_over) =
            (socket.local_addr().unwrap(), Arc::default(), Arc::<AtomicBool>::default());
        let (kept, over): (Arc<Mutex<Vec<String>>>, _) = (Arc::clone(&heads), Arc::clone(&is_over));
        let answer = Arc::new(answer);
        std::thread::spawn(move || {
            for stream in socket.incoming() {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream.unwrap(), &kept, &*answer));
            }
        });
        Server { at, heads, is_over }
    }

    pub fn start(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Server {
        Server::start_at("127.0.0.1", answer)
    }

    /// The address of a page of it.
    pub fn page(&self, path: &str) -> Address {
        Address::parse(&format!("http://{}{path}", self.at)).unwrap()
    }

    /// A policy that allows this server and nothing else that is private.
    pub fn policy(&self) -> AddressPolicy {
        AddressPolicy { allowed: [self.at].into(), only: None }
    }

    /// The paths that were asked for.
    pub fn requests(&self) -> Vec<String> {
        let heads = self.heads.lock().unwrap();
        heads.iter().map(|head| head.split(' ').nth(1).unwrap_or_default().to_owned()).collect()
    }

    /// What was sent, in small letters.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().iter().map(|head| head.to_lowercase()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(self.at));
    }
}

fn serve(mut stream: TcpStream, kept: &Mutex<Vec<String>>, answer: &dyn Fn(&str) -> Reply) {
    let mut head = String::new();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while reader.read_line(&mut head).is_ok_and(|read| read > 0) && !head.ends_with("\r\n\r\n") {}
    let Some(path) = head.split(' ').nth(1).map(str::to_owned) else { return };
    kept.lock().unwrap().push(head);
    match answer(&path) {
        Reply::Bytes(bytes) => drop(stream.write_all(&bytes)),
        Reply::Does(does) => does(&mut stream),
    }
}

/// An answer with a status, a type and a body.
pub fn answer(status: &str, headers: &str, body: &[u8]) -> Reply {
    let mut bytes = format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n").into_bytes();
    bytes.extend_from_slice(body);
    Reply::Bytes(bytes)
}

pub fn html(body: &str) -> Reply {
    answer("200 OK", "Content-Type: text/html; charset=utf-8\r\n", body.as_bytes())
}

pub fn not_found() -> Reply {
    answer("404 Not Found", "Content-Length: 0\r\n", b"")
}

pub fn redirect(to: &str) -> Reply {
    answer("302 Found", &format!("Location: {to}\r\nContent-Length: 0\r\n"), b"")
}
