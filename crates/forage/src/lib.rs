//! Reading of the web (FOR-1 to FOR-4), bounded and guarded: a query or an address goes in, claims with their source come out.
//!
//! Nothing here knows a store. What is asked, and what becomes of a claim, is decided by the caller; every text that comes out is a
//! stranger's.

pub mod address;
pub mod article;
pub mod charset;
pub mod claims;
pub mod cycle;
pub mod domains;
pub mod feed;
pub mod fetch;
pub mod guard;
pub mod html;
pub mod limits;
pub mod quality;
pub mod query;
pub mod robots;
pub mod search;
pub mod strategy;
mod style;
pub mod windows;

pub use address::Address;
pub use claims::{Claim, NamedVersion, is_order};
pub use cycle::{Cycle, Line, Reading, Tried, join_same};
pub use domains::Domains;
pub use fetch::{Fault, Fetcher};
pub use guard::AddressPolicy;
pub use query::{Trigger, query};
pub use search::{Key, Provider};
pub use strategy::Learned;
