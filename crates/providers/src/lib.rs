//! What answers over a network: servers that compute embeddings, in the manner of OpenAI and of Ollama, and addresses that take notices.
//!
//! Everything blocks and has a bound: the time of a call, the texts of a batch, the bytes of an answer, the retries. Which server
//! may be asked, and with which key, is not decided here: `kenning` reads the settings and the environment. What is decided
//! here is what holds for every server: an address is parsed strictly, a key is never sent in the clear to another machine and
//! never printed, no redirect is followed, and every answer is checked before anybody keeps it.
//!
//! ```
//! use ken_providers::{Address, Protocol, Server};
//!
//! let address = Address::parse(Protocol::Ollama, "http://localhost:11434/").unwrap();
//! assert!(address.is_loopback());
//! let server = Server::new(Protocol::Ollama, address, "nomic-embed-text", None).unwrap();
//! assert!(server.name().starts_with("ollama-nomic-embed-text-localhost_11434-"));
//! ```

mod address;
mod answer;
mod embedder;
mod fault;
pub mod limits;
mod server;
mod webhook;

pub use address::Address;
pub use embedder::HttpEmbedder;
pub use fault::Fault;
pub use server::{Key, Protocol, Server};
pub use webhook::Webhook;
