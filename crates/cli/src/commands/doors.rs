//! `mcp`, `serve` and `open`: the doors that stay open.

mod running;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ken_server::{Listen, Profile, Serving, Settings};
use kenning::core::{Code, Refusal};
use kenning::{CloneState, Error, Options, Place, Result, Secret};
use serde_json::json;

use kenning::verb::read_word;

use super::local::{Mcp, Open, Serve};
use super::{Session, Shown, database};
use crate::args::{McpArgs, OpenArgs, ServeArgs};
use crate::output::{exit, println};
use crate::terminal;

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

impl Shown for Open {
    fn execute(session: &Session, request: OpenArgs) -> Result<u8> {
        open(session, &request)
    }
}

fn mcp(session: &Session, args: &McpArgs) -> Result<u8> {
    let mut settings = settings(session, &args.profile, args.host.clone())?;
    if args.tools {
        println!("{:#}", json!({ "tools": ken_server::listing(&settings) }));
        return Ok(exit::OK);
    }
    settings.workspace = database::of_environment(&settings.options)?;
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
        only_mcp: args.mcp,
        notify: notify(session, args)?,
    };
    let mut settings = settings(session, &args.profile, None)?;
    if let Some((workspace, shared)) = database::served(session, &settings.options, args)? {
        settings.workspace = Some(workspace);
        settings.shared = Some(shared);
    }
    let is_in_database = settings.workspace.is_some();
    let home = session.options.find().filter(|_| !is_in_database).map(|layout| layout.clone_home());
    if !args.mcp && !is_in_database && home.is_none() {
        let message = "there is no knowledge store in this folder or any parent";
        return Err(Refusal::new(Code::NoStore, message).hint("`ken init` creates one").into());
    }
    let state = match &settings.workspace {
        Some(workspace) => Some(workspace.state()),
        None => kenning::state(&session.options),
    };
    let mut note = None;
    let served = ken_server::serve(settings, listen, |serving| {
        if args.mcp {
            println!("http://{}/mcp", serving.address);
            session.output.note("stop it with Ctrl-C");
            return;
        }
        note = home.as_deref().and_then(|home| running::Note::leave(home, &serving));
        introduce(session, args, &serving);
        confirm_sessions(session, &serving, state.clone());
    });
    drop(note);
    served.map(|()| exit::OK)
}

/// Where notices go about what waits for a person. The first one in a row that does not arrive is said here.
fn notify(session: &Session, args: &ServeArgs) -> Result<Option<ken_server::Notify>> {
    let url = args
        .webhook
        .clone()
        .or_else(|| std::env::var("KEN_WEBHOOK").ok())
        .filter(|url| !url.trim().is_empty());
    let Some(url) = url.filter(|_| !args.mcp) else { return Ok(None) };
    let (post, output) = (kenning::webhook(&url)?, session.output);
    let failed = AtomicBool::new(false);
    Ok(Some(Box::new(move |notice| match post(notice) {
        Ok(()) => {
            failed.store(false, Ordering::Relaxed);
            true
        }
        Err(why) => {
            if !failed.swap(true, Ordering::Relaxed) {
                output.note(&format!("the webhook was not told what waits: {why}; it is tried again"));
            }
            false
        }
    })))
}

/// Says where the server can be reached.
fn introduce(session: &Session, args: &ServeArgs, serving: &Serving) {
    let address = serving.address;
    match serving.link() {
        Ok(Some(link)) => {
            println!("{link}");
            if args.open {
                running::show(session, &link);
            }
            session
                .output
                .note("the link opens a browser of this machine once; `ken open` makes another one");
        }
        Ok(None) => {
            println!("http://{address}/");
            session.output.note("sign in there with a token; `ken token add NAME --role writer` makes one");
        }
        Err(error) => session.output.note(&format!("no link could be made: {error}")),
    }
    session.output.note(&format!(
        "API: http://{address}/api/v1/openapi.json, MCP: http://{address}/mcp, both with a token (`ken token add NAME --role writer`); stop it with Ctrl-C"
    ));
    if !address.ip().is_loopback() {
        session.output.note("it can be reached from other machines; put a proxy with TLS in front of it");
    }
}

/// Reads the codes of pages that are typed here. A session whose code is typed is the person's who typed it.
fn confirm_sessions(session: &Session, serving: &Serving, state: Option<Arc<dyn CloneState>>) {
    let (identity, options, output) = (session.identity.clone(), session.options.clone(), session.output);
    let sessions = serving.sessions.clone();
    if !terminal::is_there() || identity.host.is_some() {
        return;
    }
    sessions.read_terminal();
    std::thread::spawn(move || {
        let layout = options.find();
        let place =
            Place { git: layout.as_ref().and_then(|layout| layout.git.as_ref()), from: &options.from };
        terminal::each_line(&identity, &place, |line, person| {
            let typed = line.trim();
            if typed.is_empty() {
                return;
            }
            if sessions.confirm(typed, person) {
                if let Some(access) = state.clone().map(kenning::access::Access::of) {
                    let _ = access.confirmed("browser", None, person.name(), identity.time());
                }
                output.note(&format!("that browser session is now {}'s, for an hour", person.name()));
            } else {
                output.note("no page shows that code; the page /session does");
            }
        });
    });
}

fn open(session: &Session, args: &OpenArgs) -> Result<u8> {
    if !args.page.starts_with('/') || args.page.starts_with("//") {
        let message = format!("{:?} is not a page", args.page);
        return Err(Refusal::new(Code::Invalid, message)
            .hint("write a path such as /queue")
            .field("page")
            .into());
    }
    let home = session.options.find().map(|layout| layout.clone_home());
    let Some(home) = home else {
        let message = "there is no knowledge store in this folder or any parent";
        return Err(Refusal::new(Code::NoStore, message).hint("`ken init` creates one").into());
    };
    let Some(link) = running::link(&home, &args.page) else {
        if args.print {
            let message = "no server runs for this store";
            return Err(Refusal::new(Code::NotFound, message).hint("`ken serve` starts one").into());
        }
        session.output.note("no server runs for this store, so this command runs one");
        let listen = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
        let args = ServeArgs {
            mcp: false,
            open: true,
            listen,
            token_file: None,
            host_name: Vec::new(),
            profile: "default".to_owned(),
            webhook: None,
            #[cfg(feature = "postgres")]
            database: Default::default(),
        };
        return serve(session, &args);
    };
    println!("{link}");
    if !args.print {
        running::show(session, &link);
    }
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
        workspace: None,
        shared: None,
        identity: session.identity.clone(),
        profile,
        host: host.or_else(|| session_id.as_ref().map(|_| "claude-code".to_owned())),
        session: session_id,
    })
}
