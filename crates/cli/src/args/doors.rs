//! The words of the doors that stay open: `mcp` and `serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct McpArgs {
    /// Tools to offer: default (eight), full (every command) or connectors (search, fetch)
    #[arg(long, default_value = "default")]
    pub profile: String,
    /// Agent host that starts the server
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// Print the tool list as JSON and exit
    #[arg(long)]
    pub tools: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// Serve MCP alone, at /mcp, without the API and the browser
    #[arg(long)]
    pub mcp: bool,
    /// Open the browser
    #[arg(long, conflicts_with = "mcp")]
    pub open: bool,
    /// Address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4100")]
    pub listen: SocketAddr,
    /// File whose first line is one more bearer token (default: KEN_TOKEN)
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Additional Host header to accept
    #[arg(long, value_name = "NAME")]
    pub host_name: Vec<String>,
    /// Tools to offer: default (eight), full (every command) or connectors (search, fetch)
    #[arg(long, default_value = "default")]
    pub profile: String,
    /// Address to tell when something waits for a person (default: KEN_WEBHOOK)
    #[arg(long, value_name = "URL", conflicts_with = "mcp")]
    pub webhook: Option<String>,
    #[cfg(feature = "postgres")]
    #[command(flatten)]
    pub database: ServeDatabaseArgs,
}

/// What `serve` takes where it can serve a workspace in PostgreSQL.
#[cfg(feature = "postgres")]
#[derive(Clone, Debug, Default, Args)]
pub struct ServeDatabaseArgs {
    /// Serve a workspace in PostgreSQL; no password here (default: KEN_POSTGRES_URL)
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "")]
    pub postgres: Option<String>,
    /// Workspace of the database (default: KEN_WORKSPACE, or main)
    #[arg(long, value_name = "NAME", requires = "postgres")]
    pub workspace: Option<String>,
}

#[cfg(feature = "postgres")]
#[derive(Clone, Debug, Args)]
pub struct AdminMigrateArgs {
    /// Print what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Address of the database, without a password (default: KEN_POSTGRES_URL)
    #[arg(long, value_name = "ADDRESS")]
    pub postgres: Option<String>,
}

#[cfg(feature = "postgres")]
#[derive(Clone, Debug, Args)]
pub struct AdminAuditArgs {
    /// Workspace whose audit log is printed
    pub workspace: String,
    /// Only records from this time on, RFC 3339 or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only records behind this number, the last one of the page before
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub cursor: i64,
    /// Records, at most
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=100_000))]
    pub limit: i64,
    /// Address of the database, without a password (default: KEN_POSTGRES_URL)
    #[arg(long, value_name = "ADDRESS")]
    pub postgres: Option<String>,
}

#[cfg(feature = "postgres")]
#[derive(Clone, Debug, Args)]
pub struct AdminWorkspaceArgs {
    #[command(subcommand)]
    pub action: WorkspaceAction,
}

#[cfg(feature = "postgres")]
#[derive(Clone, Debug, clap::Subcommand)]
pub enum WorkspaceAction {
    /// Create a workspace
    Create {
        /// Its name: small letters, digits, `-`, `_` and `.`
        name: String,
        /// Take over the entries of the store in this directory
        #[arg(long, value_name = "DIR")]
        from: Option<PathBuf>,
        /// Address of the database, without a password (default: KEN_POSTGRES_URL)
        #[arg(long, value_name = "ADDRESS")]
        postgres: Option<String>,
    },
    /// List the workspaces of the database
    List {
        /// Address of the database, without a password (default: KEN_POSTGRES_URL)
        #[arg(long, value_name = "ADDRESS")]
        postgres: Option<String>,
    },
}

#[derive(Clone, Debug, Args)]
pub struct OpenArgs {
    /// Page to open, such as /queue or /entries/L-1a2b3c
    #[arg(default_value = "/")]
    pub page: String,
    /// Print the link, and open nothing
    #[arg(long)]
    pub print: bool,
}
