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
