//! What answers over a network: servers that compute embeddings, language models that judge, and addresses that take notices.
//!
//! Everything blocks and has a bound: the time of a call, the texts of a batch, the bytes of an answer, the retries. Which server
//! may be asked, and with which key, is not decided here: `kenning` reads the settings and the environment. What is decided
//! here is what holds for every server: an address is parsed strictly, a key is never sent in the clear to another machine and
//! never printed, no redirect is followed, and every answer is checked before anybody keeps it.
//!
//! ```
//! use ken_providers::{Address, Protocol, Purpose, Server};
//!
//! let address = Address::parse(Protocol::Ollama, "http://localhost:11434/").unwrap();
//! assert!(address.is_loopback());
//! let server = Server::new(Purpose::Embed, Protocol::Ollama, address, "nomic-embed-text", None).unwrap();
//! assert!(server.name().starts_with("ollama-nomic-embed-text-localhost_11434-"));
//! ```

mod address;
mod answer;
mod client;
mod embedder;
mod fault;
mod judge;
pub mod limits;
mod server;
mod webhook;

pub use address::Address;
pub use embedder::HttpEmbedder;
pub use fault::Fault;
pub use judge::HttpJudge;
pub use server::{Key, Protocol, Purpose, Server};
pub use webhook::Webhook;
