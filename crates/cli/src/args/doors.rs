//! The words of the doors that stay open: `mcp` and `serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use kenning::request::Request;

#[derive(Clone, Debug, Request)]
pub struct McpArgs {
    /// Tools to offer: default (eight), full (every command) or connectors (search, fetch)
    #[field(long, default = "default")]
    pub profile: String,
    /// Agent host that starts the server
    #[field(long, value_name = "NAME")]
    pub host: Option<String>,
    /// Print the tool list as JSON and exit
    #[field(long)]
    pub tools: bool,
}

#[derive(Clone, Debug, Request)]
pub struct ServeArgs {
    /// Serve MCP alone, at /mcp, without the API and the browser
    #[field(long)]
    pub mcp: bool,
    /// Open the browser
    #[field(long, conflicts("mcp"))]
    pub open: bool,
    /// Address to listen on; port 0 picks a free port
    #[field(long, value_name = "ADDRESS:PORT", default = "127.0.0.1:4100", check = is_socket_address)]
    pub listen: SocketAddr,
    /// File whose first line is one more bearer token (default: KEN_TOKEN)
    #[field(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Additional Host header to accept
    #[field(long, value_name = "NAME")]
    pub host_name: Vec<String>,
    /// Tools to offer: default (eight), full (every command) or connectors (search, fetch)
    #[field(long, default = "default")]
    pub profile: String,
    /// Address to tell when something waits for a person (default: KEN_WEBHOOK)
    #[field(long, value_name = "URL", conflicts("mcp"))]
    pub webhook: Option<String>,
    #[cfg(feature = "postgres")]
    #[field(flatten)]
    pub database: ServeDatabaseArgs,
}

/// What `serve` takes where it can serve a workspace in PostgreSQL.
#[cfg(feature = "postgres")]
#[derive(Clone, Debug, Default, Request)]
pub struct ServeDatabaseArgs {
    /// Serve a workspace in PostgreSQL; no password here (default: KEN_POSTGRES_URL)
    #[field(long, value_name = "ADDRESS", bare)]
    pub postgres: Option<String>,
    /// Workspace of the database (default: KEN_WORKSPACE, or main)
    #[field(long, value_name = "NAME", requires("postgres"))]
    pub workspace: Option<String>,
}

#[cfg(feature = "postgres")]
#[derive(Clone, Debug, Request)]
pub struct AdminMigrateArgs {
    /// Print what would be done, and do nothing
    #[field(long)]
    pub dry_run: bool,
    /// Address of the database, without a password (default: KEN_POSTGRES_URL)
    #[field(long, value_name = "ADDRESS")]
    pub postgres: Option<String>,
}

#[cfg(feature = "postgres")]
#[derive(Clone, Debug, Request)]
pub struct AdminAuditArgs {
    /// Workspace whose audit log is printed
    pub workspace: String,
    /// Only records from this time on, RFC 3339 or a date
    #[field(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only records behind this number, the last one of the page before
    #[field(long, value_name = "NUMBER", default = 0, max = i64::MAX)]
    pub cursor: u64,
    /// Records, at most
    #[field(long, value_name = "COUNT", default = 100, min = 1, max = 100_000)]
    pub limit: u64,
    /// Address of the database, without a password (default: KEN_POSTGRES_URL)
    #[field(long, value_name = "ADDRESS")]
    pub postgres: Option<String>,
}

#[cfg(feature = "postgres")]
#[derive(Clone, Debug, Request)]
pub struct AdminWorkspaceArgs {
    /// What to do: create or list
    #[field(words = &["create", "list"], only_words)]
    pub action: String,
    /// Its name: small letters, digits, `-`, `_` and `.`
    pub name: Option<String>,
    /// Take over the entries of the store in this directory
    #[field(long, value_name = "DIR", requires("name"))]
    pub from: Option<PathBuf>,
    /// Address of the database, without a password (default: KEN_POSTGRES_URL)
    #[field(long, value_name = "ADDRESS")]
    pub postgres: Option<String>,
}

#[derive(Clone, Debug, Request)]
pub struct OpenArgs {
    /// Page to open, such as /queue or /entries/L-1a2b3c
    #[field(default = "/")]
    pub page: String,
    /// Print the link, and open nothing
    #[field(long)]
    pub print: bool,
}

fn is_socket_address(text: &str) -> Result<(), String> {
    text.parse::<SocketAddr>().map(drop).map_err(|error| error.to_string())
}
