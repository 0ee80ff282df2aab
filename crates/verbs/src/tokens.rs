//! What tokens are made of.

use ken_core::{Code, Millis, Refusal};
use ken_engine::Result;

use crate::access::Access;
use crate::verb::Call;

pub(crate) fn access(call: &mut Call) -> Result<Access> {
    // There is no store to serve without one.
    Ok(Access::of(call.reach()?.site.state().clone()))
}

/// A name that is written into every event its holder makes.
pub(crate) fn checked(name: &str) -> Result<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 40 || !name.chars().all(is_plain) || ken_guard::contains_secret(name) {
        return Err(Refusal::new(Code::Invalid, "the name is not allowed")
            .hint("use 1 to 40 letters, digits, `-`, `_` or `.`")
            .field("name")
            .into());
    }
    Ok(name)
}

/// A time from now on: `90d`, a date, or never.
pub(crate) fn until(text: &str, now: Millis) -> Result<Option<Millis>> {
    let refused = |problem: &str| -> ken_engine::Error {
        Refusal::new(Code::Invalid, format!("--expires: {problem}"))
            .hint("write an age such as 90d, 12h or 2w, a date such as 2027-01-31, or never")
            .field("expires")
            .into()
    };
    let text = text.trim();
    if text == "never" {
        return Ok(None);
    }
    let unit = match text.chars().last() {
        Some('h') => Some(3_600_000),
        Some('d') => Some(86_400_000),
        Some('w') => Some(7 * 86_400_000),
        _ => None,
    };
    let until = match unit
        .zip(text.get(..text.len().saturating_sub(1)).and_then(|count| count.parse::<u16>().ok()))
    {
        Some((unit, count)) => Millis(now.0 + i64::from(count) * unit),
        None => Millis::parse(text).map_err(|problem| refused(&problem.to_string()))?,
    };
    if until <= now {
        return Err(refused("that time is over"));
    }
    Ok(Some(until))
}
