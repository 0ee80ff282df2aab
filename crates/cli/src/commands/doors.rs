//! `mcp` and `serve`: the doors that stay open.

use ken_server::{Listen, Profile, Settings};
use kenning::core::{Code, Refusal};
use kenning::{Error, Options, Result, Secret};
use serde_json::json;

use kenning::verb::read_word;

use super::local::{Mcp, Serve};
use super::{Session, Shown};
use crate::args::{McpArgs, ServeArgs};
use crate::output::{exit, println};

impl Shown for Mcp {
    fn execute(session: &Session, request: McpArgs) -> Result<u8> {
        mcp(session, &request)
    }
}

impl Shown for Serve {
    fn execute(session: &Session, request: ServeArgs) -> Result<u8> {
        serve(session, &request)
    }
}

fn mcp(session: &Session, args: &McpArgs) -> Result<u8> {
    let settings = settings(session, &args.profile, args.host.clone())?;
    if args.tools {
        println!("{:#}", json!({ "tools": ken_server::listing(&settings) }));
        return Ok(exit::OK);
    }
    ken_server::stdio(settings)?;
    Ok(exit::OK)
}

fn serve(session: &Session, args: &ServeArgs) -> Result<u8> {
    let token = match &args.token_file {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(Error::failed(format!("reading the token in {}", file.display())))?;
            Some(Secret::new(text.lines().next().unwrap_or_default().trim()))
        }
        None => std::env::var("KEN_TOKEN").ok().map(Secret::new),
    };
    let listen = Listen {
        address: args.listen,
        token: token.filter(|token| !token.reveal().is_empty()),
        hosts: args.host_name.clone(),
    };
    let settings = settings(session, &args.profile, None)?;
    ken_server::serve(settings, listen, |address| {
        println!("http://{address}/mcp");
        session.output.note("stop it with Ctrl-C");
    })?;
    Ok(exit::OK)
}

fn settings(session: &Session, profile: &str, host: Option<String>) -> Result<Settings> {
    let words: Vec<&str> = Profile::WORDS.iter().map(|(word, _)| *word).collect();
    let profile = read_word("profile", "profile", profile, &words, |word| {
        Profile::WORDS.iter().find(|(known, _)| *known == word).map(|(_, profile)| *profile)
    })?;
    if let Some(host) = &host {
        kenning::check_name(host)
            .map_err(|problem| Refusal::new(Code::Invalid, format!("host {problem}")).field("host"))?;
    }
    let session_id = std::env::var("CLAUDE_CODE_SESSION_ID").ok().filter(|id| !id.trim().is_empty());
    Ok(Settings {
        // Whoever calls through this door has no business in other folders of this machine.
        options: Options { inside: true, ..session.options.clone() },
        identity: session.identity.clone(),
        profile,
        host: host.or_else(|| session_id.as_ref().map(|_| "claude-code".to_owned())),
        session: session_id,
    })
}
