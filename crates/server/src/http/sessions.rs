//! Sessions of the browser: a one-time link begins one, and a code that is typed at the terminal makes it a person's.
//!
//! They live as long as the process. A cookie is looked up by its hash, so that the time of a lookup says nothing about it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use kenning::Person;
use kenning::Result;
use kenning::access::{code, random_hex};
use kenning::verb::Role;

use crate::limits::{LINK_TIME, LINKS_MAX, PERSON_TIME, SESSION_IDLE_TIME, VISITS_MAX};

/// The sessions of a server.
#[derive(Default)]
pub struct Sessions {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    sessions: HashMap<Key, Session>,
    links: HashMap<Key, Instant>,
    /// Somebody reads the terminal where the server runs.
    has_terminal: bool,
}

type Key = [u8; 32];

/// One browser.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    /// The name that is shown and credited.
    pub(crate) name: String,
    pub(crate) role: Role,
    /// The token that it was begun with, which may be revoked meanwhile; none for one that a link began.
    pub(crate) token: Option<String>,
    /// What every form carries.
    pub(crate) csrf: String,
    /// What is typed at the terminal to make it a person's.
    pub(crate) code: String,
    person: Option<(Person, Instant)>,
    seen: Instant,
}

impl Session {
    /// The person who confirmed it, for a while.
    pub(crate) fn person(&self) -> Option<&Person> {
        let fresh = self.person.as_ref().filter(|(_, since)| since.elapsed() < PERSON_TIME);
        fresh.map(|(person, _)| person)
    }
}

fn key(secret: &str) -> Key {
    *blake3::hash(secret.as_bytes()).as_bytes()
}

impl Sessions {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The secret of a link that begins one session, once and soon.
    pub fn link(&self) -> Result<String> {
        let secret = random_hex()?;
        let mut inner = self.inner();
        inner.links.retain(|_, made| made.elapsed() < LINK_TIME);
        if inner.links.len() >= LINKS_MAX {
            let oldest = inner.links.iter().min_by_key(|(_, made)| **made).map(|(key, _)| *key);
            oldest.map(|key| inner.links.remove(&key));
        }
        inner.links.insert(key(&secret), Instant::now());
        Ok(secret)
    }

    /// Uses a link up. Whether it was one of ours, and not yet used.
    pub(crate) fn follow(&self, secret: &str) -> bool {
        let made = self.inner().links.remove(&key(secret));
        made.is_some_and(|made| made.elapsed() < LINK_TIME)
    }

    /// Begins a session, and gives the value of its cookie.
    pub(crate) fn begin(&self, name: &str, role: Role, token: Option<String>) -> Result<String> {
        let cookie = random_hex()?;
        let session = Session {
            name: name.to_owned(),
            role,
            token,
            csrf: random_hex()?,
            code: code()?,
            person: None,
            seen: Instant::now(),
        };
        let mut inner = self.inner();
        inner.sessions.retain(|_, session| session.seen.elapsed() < SESSION_IDLE_TIME);
        if inner.sessions.len() >= VISITS_MAX {
            let oldest = inner.sessions.iter().min_by_key(|(_, session)| session.seen).map(|(key, _)| *key);
            oldest.map(|key| inner.sessions.remove(&key));
        }
        inner.sessions.insert(key(&cookie), session);
        Ok(cookie)
    }

    /// The session of a cookie.
    pub(crate) fn of(&self, cookie: &str) -> Option<Session> {
        let mut inner = self.inner();
        let session = inner.sessions.get_mut(&key(cookie))?;
        if session.seen.elapsed() >= SESSION_IDLE_TIME {
            inner.sessions.remove(&key(cookie));
            return None;
        }
        session.seen = Instant::now();
        Some(session.clone())
    }

    /// The session of a cookie, without taking this for a sign of life.
    pub(crate) fn peek(&self, cookie: &str) -> Option<Session> {
        let inner = self.inner();
        inner.sessions.get(&key(cookie)).filter(|session| session.seen.elapsed() < SESSION_IDLE_TIME).cloned()
    }

    /// Ends a session.
    pub(crate) fn end(&self, cookie: &str) {
        self.inner().sessions.remove(&key(cookie));
    }

    /// Says that somebody reads the terminal where the server runs, so that pages show a code to type there.
    pub fn read_terminal(&self) {
        self.inner().has_terminal = true;
    }

    /// Whether a code can be typed at a terminal.
    pub(crate) fn has_terminal(&self) -> bool {
        self.inner().has_terminal
    }

    /// Makes the session whose page shows this code a person's. The code is used up. Whether there was one.
    pub fn confirm(&self, typed: &str, person: &Person) -> bool {
        let typed: String = typed.trim().to_ascii_uppercase();
        let mut inner = self.inner();
        let Some(next) = code().ok() else { return false };
        let found = inner.sessions.values_mut().find(|session| {
            session.token.is_none() && blake3::hash(session.code.as_bytes()) == blake3::hash(typed.as_bytes())
        });
        let Some(session) = found else { return false };
        session.code = next;
        session.person = Some((person.clone(), Instant::now()));
        // Who sits at the terminal of the clone may do there whatever can be done.
        session.role = Role::Admin;
        true
    }

    /// Makes the session of a cookie a person's, whose invitation was just used up.
    pub(crate) fn confirm_invited(&self, cookie: &str, person: Person) {
        if let Some(session) = self.inner().sessions.get_mut(&key(cookie)) {
            session.person = Some((person, Instant::now()));
        }
    }

    /// A session that was a person's is a writer's again when its time is over.
    pub(crate) fn role(&self, session: &Session) -> Role {
        match (&session.token, session.person()) {
            (None, None) => Role::Writer,
            _ => session.role,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ada() -> Person {
        #[allow(clippy::disallowed_methods, reason = "a test plays the person")]
        Person::confirmed_at_terminal("human:Ada")
    }

    #[test]
    fn a_link_begins_one_session() {
        let sessions = Sessions::default();
        let link = sessions.link().unwrap();
        assert!(!sessions.follow("guess"));
        assert!(sessions.follow(&link));
        assert!(!sessions.follow(&link));
    }

    #[test]
    fn a_code_makes_its_own_session_a_persons_and_works_once() {
        let sessions = Sessions::default();
        let one = sessions.begin("browser", Role::Writer, None).unwrap();
        let other = sessions.begin("browser", Role::Writer, None).unwrap();
        let code = sessions.of(&one).unwrap().code;
        assert!(!sessions.confirm("AAAA-AAAA", &ada()));
        assert!(sessions.confirm(&format!(" {} \n", code.to_lowercase()), &ada()));
        assert!(!sessions.confirm(&code, &ada()));
        let session = sessions.of(&one).unwrap();
        assert_eq!(session.person(), Some(&ada()));
        assert_eq!(sessions.role(&session), Role::Admin);
        assert_eq!(sessions.of(&other).unwrap().person(), None);
        sessions.end(&one);
        assert!(sessions.of(&one).is_none());
    }

    #[test]
    fn a_token_never_makes_a_person() {
        let sessions = Sessions::default();
        let cookie = sessions.begin("grace", Role::Admin, Some("ken_...".to_owned())).unwrap();
        let code = sessions.of(&cookie).unwrap().code;
        assert!(!sessions.confirm(&code, &ada()));
    }
}
