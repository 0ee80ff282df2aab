//! Who may use a server of this clone: tokens, and invitations of approvers.
//!
//! One record of the clone, to which lines are only appended: so it is the list of what counts and the record of who gave it to whom.
//! A token is kept as its hash; it is 256 random bits, so nobody finds it by trying.

use std::collections::BTreeMap;
use std::sync::Arc;

use ken_core::{Code, Millis, Refusal};
use ken_engine::{CloneState, Error, RecordKind, Result};
use serde::{Deserialize, Serialize};

use crate::limits::access::{INVITE_MINUTES, TOKENS_MAX};
use crate::role::Role;

/// What a token begins with, so that people and scanners know it.
const PREFIX: &str = "ken_";
/// What codes are written in: nothing that is mistaken for something else.
const CODE_LETTERS: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/// The tokens and invitations of a clone.
#[derive(Clone)]
pub struct Access {
    state: Arc<dyn CloneState>,
}

/// A line of the file: something was given, or taken back.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccessEvent {
    pub at: i64,
    pub what: AccessAct,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Until when, in milliseconds; none where it does not end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    pub by: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AccessAct {
    /// A token was made.
    Added,
    /// A token was taken back.
    Revoked,
    /// An approver was given a code.
    Invited,
    /// A session was confirmed as a person's.
    Confirmed,
}

/// Who holds a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub name: String,
    pub role: Role,
}

/// A token as it is listed: never itself, nor its hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenView {
    pub added: String,
    pub added_by: String,
    /// When it ends; none where it does not.
    pub expires: Option<String>,
    pub name: String,
    pub role: String,
    /// `valid`, `expired` or `revoked`.
    pub state: &'static str,
}

/// A token that was just made. It is never shown again.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenAdded {
    pub expires: Option<String>,
    pub name: String,
    pub role: String,
    pub token: String,
}

/// Names of callers that have no token: sessions of the browser, and clients without a name.
pub const RESERVED: [&str; 4] = ["browser", "http", "maintain", "mcp"];

impl Access {
    pub fn of(state: Arc<dyn CloneState>) -> Access {
        Access { state }
    }

    /// Makes a token.
    pub fn add(
        &self,
        name: &str,
        role: Role,
        expires: Option<Millis>,
        by: &str,
        now: Millis,
    ) -> Result<TokenAdded> {
        if RESERVED.contains(&name) {
            return Err(Refusal::new(
                Code::Invalid,
                format!("{name} is what sessions without a token are called"),
            )
            .hint("choose another name")
            .field("name")
            .into());
        }
        let events = self.events()?;
        let tokens = tokens(&events);
        if tokens.iter().any(|token| token.name == name && is_valid(token, now)) {
            return Err(Refusal::new(Code::IdTaken, format!("there is already a token named {name}"))
                .hint(format!("choose another name, or run `ken token revoke {name}` first"))
                .field("name")
                .into());
        }
        if tokens.len() >= TOKENS_MAX {
            let message = format!("a clone can have {TOKENS_MAX} tokens, and this one has them");
            return Err(Refusal::new(Code::NotAllowed, message).into());
        }
        let token = format!("{PREFIX}{}", random_hex()?);
        self.append(&AccessEvent {
            at: now.0,
            what: AccessAct::Added,
            name: name.to_owned(),
            role: Some(role.word().to_owned()),
            expires: expires.map(|until| until.0),
            hash: Some(hashed(&token)),
            by: by.to_owned(),
        })?;
        Ok(TokenAdded {
            expires: expires.map(|until| until.to_string()),
            name: name.to_owned(),
            role: role.word().to_owned(),
            token,
        })
    }

    /// Takes a token back. From then on it opens nothing.
    pub fn revoke(&self, name: &str, by: &str, now: Millis) -> Result<TokenView> {
        let mut found = tokens(&self.events()?);
        found.retain(|token| token.name == name);
        let Some(mut token) = found.pop() else {
            return Err(Refusal::new(Code::NotFound, format!("there is no token named {name}"))
                .hint("`ken token list` lists them")
                .field("name")
                .into());
        };
        if !token.revoked {
            self.append(&AccessEvent {
                at: now.0,
                what: AccessAct::Revoked,
                name: name.to_owned(),
                role: None,
                expires: None,
                hash: None,
                by: by.to_owned(),
            })?;
            token.revoked = true;
        }
        Ok(view(&token, now))
    }

    /// Every token, in the order in which they were made.
    pub fn list(&self, now: Millis) -> Result<Vec<TokenView>> {
        Ok(tokens(&self.events()?).iter().map(|token| view(token, now)).collect())
    }

    /// Who holds a token; none where it opens nothing.
    pub fn holder(&self, token: &str, now: Millis) -> Result<Option<Holder>> {
        if !token.starts_with(PREFIX) {
            return Ok(None);
        }
        let hash = hashed(token);
        let held = tokens(&self.events()?).into_iter().find(|held| held.hash == hash && is_valid(held, now));
        Ok(held.and_then(|held| Some(Holder { role: Role::from_word(&held.role)?, name: held.name })))
    }

    /// A code with which the session of an approver becomes a person's, once.
    pub fn invite(&self, name: &str, by: &str, now: Millis) -> Result<(String, Millis)> {
        let code = code()?;
        let until = Millis(now.0 + INVITE_MINUTES * 60_000);
        self.append(&AccessEvent {
            at: now.0,
            what: AccessAct::Invited,
            name: name.to_owned(),
            role: None,
            expires: Some(until.0),
            hash: Some(hashed(&code)),
            by: by.to_owned(),
        })?;
        Ok((code, until))
    }

    /// Uses an invitation up; whether it was one for this approver.
    pub fn redeem(&self, name: &str, code: &str, now: Millis) -> Result<bool> {
        // Two at once with one code: one of them is too late.
        let _alone = self.state.lock(&RecordKind::Access.record())?;
        let hash = hashed(&code.trim().to_ascii_uppercase());
        let events = self.events()?;
        let is_used = events
            .iter()
            .any(|event| event.what == AccessAct::Confirmed && event.hash.as_deref() == Some(&hash));
        let is_invited = events.iter().any(|event| {
            event.what == AccessAct::Invited
                && event.name == name
                && event.hash.as_deref() == Some(&hash)
                && event.expires.is_some_and(|until| now.0 < until)
        });
        if is_used || !is_invited {
            return Ok(false);
        }
        self.confirmed(name, Some(hash), name, now)?;
        Ok(true)
    }

    /// Records that a session was confirmed as a person's.
    pub fn confirmed(&self, name: &str, hash: Option<String>, by: &str, now: Millis) -> Result<()> {
        self.append(&AccessEvent {
            at: now.0,
            what: AccessAct::Confirmed,
            name: name.to_owned(),
            role: None,
            expires: None,
            hash,
            by: by.to_owned(),
        })
    }

    /// Everything that was given and taken back, in its order. A line that cannot be read gives nobody anything.
    pub fn events(&self) -> Result<Vec<AccessEvent>> {
        self.state.items(&RecordKind::Access.record())
    }

    fn append(&self, event: &AccessEvent) -> Result<()> {
        self.state.add_item(&RecordKind::Access.record(), event)
    }
}

struct Token {
    name: String,
    role: String,
    hash: String,
    added: i64,
    added_by: String,
    expires: Option<i64>,
    revoked: bool,
}

/// The tokens that the lines give, the last of each name; earlier ones of a name were revoked or ended.
fn tokens(events: &[AccessEvent]) -> Vec<Token> {
    let mut tokens: BTreeMap<&str, (usize, Token)> = BTreeMap::new();
    for (place, event) in events.iter().enumerate() {
        match (event.what, &event.role, &event.hash) {
            (AccessAct::Added, Some(role), Some(hash)) => {
                let token = Token {
                    name: event.name.clone(),
                    role: role.clone(),
                    hash: hash.clone(),
                    added: event.at,
                    added_by: event.by.clone(),
                    expires: event.expires,
                    revoked: false,
                };
                tokens.insert(&event.name, (place, token));
            }
            (AccessAct::Revoked, _, _) => {
                if let Some((_, token)) = tokens.get_mut(event.name.as_str()) {
                    token.revoked = true;
                }
            }
            _ => {}
        }
    }
    let mut tokens: Vec<(usize, Token)> = tokens.into_values().collect();
    tokens.sort_by_key(|(place, _)| *place);
    tokens.into_iter().map(|(_, token)| token).collect()
}

fn is_valid(token: &Token, now: Millis) -> bool {
    !token.revoked && token.expires.is_none_or(|until| now.0 < until)
}

fn view(token: &Token, now: Millis) -> TokenView {
    TokenView {
        added: Millis(token.added).to_string(),
        added_by: token.added_by.clone(),
        expires: token.expires.map(|until| Millis(until).to_string()),
        name: token.name.clone(),
        role: token.role.clone(),
        state: match (token.revoked, is_valid(token, now)) {
            (true, _) => "revoked",
            (false, true) => "valid",
            (false, false) => "expired",
        },
    }
}

/// 256 bits of chance, in 64 characters.
pub fn random_hex() -> Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| Error::failed("making a random token")(error.to_string()))?;
    Ok(blake3::Hash::from_bytes(bytes).to_hex().to_string())
}

/// A code that a person can read and type: eight characters, 40 bits of chance, such as `K7QM-X2WD`.
pub fn code() -> Result<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| Error::failed("making a code")(error.to_string()))?;
    let letter = |byte: &u8| char::from(CODE_LETTERS[usize::from(*byte) % CODE_LETTERS.len()]);
    let letters: String = bytes.iter().map(letter).collect();
    Ok(format!("{}-{}", &letters[..4], &letters[4..]))
}

fn hashed(secret: &str) -> String {
    blake3::hash(secret.as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use ken_engine::MemoryState;

    use super::*;

    fn now() -> Millis {
        Millis(1_000_000)
    }

    #[test]
    fn a_token_opens_until_it_ends_or_is_taken_back_and_is_kept_as_a_hash() {
        let state = Arc::new(MemoryState::default());
        let access = Access::of(state.clone());
        let made = access.add("ci", Role::Reader, Some(Millis(2_000_000)), "human:Ada", now()).unwrap();
        let holder = |token: &str, now: i64| access.holder(token, Millis(now)).unwrap();
        assert_eq!(
            holder(&made.token, 1_500_000),
            Some(Holder { name: "ci".to_owned(), role: Role::Reader })
        );
        assert_eq!(holder(&made.token, 2_000_000), None);
        assert_eq!(holder("ken_", 1_500_000), None);
        assert_eq!(holder(&made.token[..made.token.len() - 1], 1_500_000), None);
        let kept = (&*state as &dyn CloneState).text(&RecordKind::Access.record()).unwrap();
        assert!(!kept.contains(&made.token));
        assert!(access.add("ci", Role::Admin, None, "human:Ada", now()).is_err());
        assert_eq!(access.revoke("ci", "human:Ada", now()).unwrap().state, "revoked");
        assert_eq!(holder(&made.token, 1_500_000), None);
        // A token of the same name is another token.
        let again = access.add("ci", Role::Writer, None, "human:Ada", now()).unwrap();
        assert_eq!(holder(&made.token, 1_500_000), None);
        assert_eq!(holder(&again.token, i64::MAX).unwrap().role, Role::Writer);
        assert_eq!(access.list(now()).unwrap().len(), 1);
    }

    #[test]
    fn an_invitation_is_for_one_approver_once_and_for_a_while() {
        let state = Arc::new(MemoryState::default());
        let access = Access::of(state.clone());
        let (code, until) = access.invite("grace", "human:Ada", now()).unwrap();
        assert!(!access.redeem("mallory", &code, now()).unwrap());
        assert!(!access.redeem("grace", "AAAA-AAAA", now()).unwrap());
        assert!(!access.redeem("grace", &code, until).unwrap());
        assert!(access.redeem("grace", &code.to_lowercase(), now()).unwrap());
        assert!(!access.redeem("grace", &code, now()).unwrap());
    }
}
