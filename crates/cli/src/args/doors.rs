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
    /// Serve MCP over streamable HTTP at /mcp
    #[arg(long, required = true)]
    pub mcp: bool,
    /// Address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4100")]
    pub listen: SocketAddr,
    /// File whose first line is the bearer token (default: KEN_TOKEN)
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Additional Host header to accept
    #[arg(long, value_name = "NAME")]
    pub host_name: Vec<String>,
    /// Tools to offer: default (eight), full (every command) or connectors (search, fetch)
    #[arg(long, default_value = "default")]
    pub profile: String,
}
