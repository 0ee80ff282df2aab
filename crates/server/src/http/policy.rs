//! Who may do what: what each path of a server asks of whoever comes, and which verbs their role reaches. The API, MCP and the pages have
//! this one policy; the roles are those of the table.

use axum::http::{Method, StatusCode};
use kenning::core::{Code, Refusal};
use kenning::verb::{Doors, Role, Row};

use super::gate::Principal;
use super::{MCP_PATH, health, pages};
use crate::rest::{self, Problem};

/// What a path asks of whoever comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entrance {
    /// Nothing: the sign-in page, the files of pages, and what describes the API.
    Open,
    /// The key of `ken open`, which is no token.
    Key,
    /// A token. A browser sends its cookie with any request, so a session is not enough.
    Token,
    /// A token, or a session of the browser.
    TokenOrSession,
    /// A session of the browser. Whoever has none gets the sign-in page.
    Session,
}

impl Entrance {
    /// What a path asks for.
    pub(crate) fn of(method: &Method, path: &str) -> Entrance {
        let reads = matches!(*method, Method::GET | Method::HEAD);
        match path {
            MCP_PATH => Entrance::Token,
            pages::LINK_PATH => Entrance::Key,
            pages::LOGIN_PATH => Entrance::Open,
            health::LIVE | health::READY => Entrance::Open,
            health::METRICS => Entrance::Token,
            _ if path.starts_with(pages::ASSETS) => Entrance::Open,
            _ => match rest::below(path) {
                Some(rest::DOCUMENT) if reads => Entrance::Open,
                Some(_) => Entrance::TokenOrSession,
                None => Entrance::Session,
            },
        }
    }

    /// Whether somebody may come in; none is a stranger.
    pub(crate) fn admits(self, principal: Option<&Principal>) -> bool {
        let (with_token, with_session) = match principal {
            None => (false, false),
            Some(principal) => (principal.session.is_none(), principal.session.is_some()),
        };
        match self {
            Entrance::Open | Entrance::Key => true,
            Entrance::Token => with_token,
            Entrance::TokenOrSession => with_token || with_session,
            Entrance::Session => with_session,
        }
    }

    /// What a program is told that may not come in.
    pub(crate) fn closed(self) -> Problem {
        let token = "send Authorization: Bearer TOKEN (`ken token add NAME --role writer` makes one)";
        let (message, hint) = match self {
            Entrance::Open | Entrance::Key | Entrance::Token => ("a token is required", token.to_owned()),
            Entrance::TokenOrSession | Entrance::Session => (
                "a token or a session is required",
                format!("{token}, or open the link that `ken open` prints"),
            ),
        };
        Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message).hint(hint)
    }
}

/// What somebody asks for.
#[derive(Clone, Debug)]
pub(crate) struct Asked<'a> {
    /// The verb or tool, as whoever asks knows it.
    pub(crate) name: &'a str,
    /// What it does, in a line.
    pub(crate) about: &'static str,
    /// The role that it needs.
    pub(crate) role: Role,
    /// Only a person does it.
    pub(crate) in_person: bool,
}

impl<'a> Asked<'a> {
    /// A request of a verb, which only reads or does what the verb can do.
    pub(crate) fn of(name: &'a str, row: &Row, only_reads: bool) -> Asked<'a> {
        let in_person = row.nature.doors == Doors::Person;
        Asked { name, about: row.about, role: row.role(only_reads), in_person }
    }
}

/// Whether somebody may have what they ask for, by their role and by what only a person decides.
pub(crate) fn may(principal: &Principal, asked: &Asked<'_>) -> Result<(), Problem> {
    if principal.role < asked.role {
        let message = format!(
            "`{}` needs the role {}, and {} is a {}",
            asked.name,
            asked.role.word(),
            principal.name,
            principal.role.word()
        );
        // A session that a link began can be confirmed as a person's, who may do all of it.
        let by_link = principal.session.is_some() && principal.token.is_none();
        let code = if by_link { "needs_person" } else { "forbidden" };
        let problem = Problem::new(StatusCode::FORBIDDEN, code, message);
        return Err(match by_link {
            true => problem.hint(confirm_hint(principal)).confirm(asked.about),
            false => problem.hint(format!("use a token of the role {}", asked.role.word())),
        });
    }
    if asked.in_person && principal.person.is_none() {
        let message = format!("`{}` is for a person", asked.name);
        return Err(Problem::new(StatusCode::FORBIDDEN, "needs_person", message)
            .hint(confirm_hint(principal))
            .confirm(asked.about));
    }
    Ok(())
}

/// What to do where only a person may.
pub(crate) fn confirm_hint(principal: &Principal) -> String {
    match (&principal.session, &principal.token) {
        (Some(_), None) => "open /session and type the code it shows at the terminal where `ken serve` runs".to_owned(),
        (Some(_), Some(_)) => "open /session and enter the code of `ken gate approver NAME`".to_owned(),
        (None, _) => "a token makes no person: do it in the browser, in a session that a person confirmed, or in a terminal".to_owned(),
    }
}

/// A problem as a refusal of the domain, for doors that answer with those.
pub(crate) fn as_refusal(problem: &Problem) -> Refusal {
    let refusal = Refusal::new(Code::NotAllowed, problem.message.clone());
    match &problem.hint {
        Some(hint) => refusal.hint(hint.clone()),
        None => refusal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn principal(with_session: bool) -> Principal {
        let sessions = super::super::Sessions::default();
        let cookie = sessions.begin("browser", Role::Writer, None).unwrap();
        let session = sessions.of(&cookie).map(|session| (session, cookie)).filter(|_| with_session);
        Principal {
            name: "tester".to_owned(),
            role: Role::Writer,
            token: None,
            person: None,
            session,
            peer: None,
        }
    }

    // `/mcp` asked for nothing on the loopback, so any user of the machine could write.
    #[test]
    fn no_path_that_reaches_the_store_is_open_to_a_stranger() {
        let (by_token, by_session) = (principal(false), principal(true));
        for (method, path, stranger, token, session) in [
            (Method::POST, "/mcp", false, true, false),
            (Method::GET, "/mcp", false, true, false),
            (Method::GET, "/api/v1/entries", false, true, true),
            (Method::POST, "/api/v1/openapi.json", false, true, true),
            (Method::GET, "/api/v1/openapi.json", true, true, true),
            (Method::GET, "/api/v1", false, true, true),
            (Method::GET, "/api/v1x", false, false, true),
            (Method::GET, "/", false, false, true),
            (Method::POST, "/queue", false, false, true),
            (Method::POST, "/mcp/", false, false, true),
            (Method::GET, "/metrics", false, true, false),
            (Method::GET, "/healthz", true, true, true),
            (Method::GET, "/readyz", true, true, true),
            (Method::GET, "/login", true, true, true),
            (Method::POST, "/login", true, true, true),
            (Method::POST, "/login/link", true, true, true),
            (Method::GET, "/assets/style.css", true, true, true),
            (Method::GET, "/assetsx", false, false, true),
        ] {
            let entrance = Entrance::of(&method, path);
            let admitted = [None, Some(&by_token), Some(&by_session)].map(|one| entrance.admits(one));
            assert_eq!(admitted, [stranger, token, session], "{method} {path}: {entrance:?}");
        }
    }
}
