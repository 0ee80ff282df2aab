//! The doors that stay open: MCP over standard input and output, and over HTTP.
