//! The words of the doors that stay open: `mcp` and `serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct McpArgs {
    /// default (eight tools), full (every verb) or connectors (`search` and `fetch`)
    #[arg(long, default_value = "default")]
    pub profile: String,
    /// The agent host that starts it
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// Print the tools as JSON and end
    #[arg(long)]
    pub tools: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// The tools of `ken mcp`, over streamable HTTP at /mcp
    #[arg(long, required = true)]
    pub mcp: bool,
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4100")]
    pub listen: SocketAddr,
    /// A file whose first line every client must show as its bearer token; KEN_TOKEN otherwise
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// A name the server may be called by, beside the address itself
    #[arg(long, value_name = "NAME")]
    pub host_name: Vec<String>,
    /// default (eight tools), full (every verb) or connectors (`search` and `fetch`)
    #[arg(long, default_value = "default")]
    pub profile: String,
}
