//! `forage recheck`: whether the pages of entries still say what the entries rest on.

use std::collections::BTreeMap;

use ken_core::entry::PAGE_SENTENCE;
use ken_core::forage::ForageMode;
use ken_core::{Code, Refusal};
use ken_engine::{Caller, Ledger, Overlaid, Query, Result};
use ken_forage::{Address, Line, Reading, Trigger};
use serde::Serialize;

use super::serve::{look, may_start};
use super::{ForagePolicy, Task, What, foraging};
use crate::Site;
use crate::limits::forage::RECHECKED_MAX;

/// What `forage recheck` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecheckAnswer {
    pub entries: Vec<RecheckLine>,
    /// Entries that were not looked at.
    pub left: usize,
    /// Why no more pages were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// An entry, and whether its page still says so.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecheckLine {
    pub handle: String,
    pub page: String,
    /// `says so`, `says so no longer`, or why the page could not be read.
    pub found: String,
    /// Whether the page still has the sentence; none where it could not be read.
    pub holds: Option<bool>,
}

/// An entry that came from a page.
struct Foraged {
    handle: String,
    page: String,
    /// The sentence that the entry rests on.
    sentence: String,
}

/// Reads the pages of entries again, each once.
pub(crate) fn recheck(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    names: &[String],
) -> Result<RecheckAnswer> {
    let policy = ForagePolicy::read(&site.config)?;
    policy.require_on()?;
    may_start(caller, &policy)?;
    let all = foraged(ledger, names)?;
    let total = all.len();
    let (mut entries, mut stopped) = (Vec::new(), None);
    let mut pages: BTreeMap<String, std::result::Result<Reading, String>> = BTreeMap::new();
    for Foraged { handle, page, sentence } in all.into_iter().take(RECHECKED_MAX) {
        if !pages.contains_key(&page) {
            if foraging(ledger)?.may_reserve(&caller.now().date(), policy.pages_max, 1) == 0 {
                stopped = Some(format!("the {} pages of today are used up", policy.pages_max));
                break;
            }
            pages.insert(page.clone(), read_again(ledger, site, caller, &policy, &page));
        }
        let (found, holds) = match &pages[&page] {
            Ok(reading) => match has(&reading.text, &sentence) {
                true => ("says so".to_owned(), Some(true)),
                false => ("says so no longer".to_owned(), Some(false)),
            },
            Err(why) => (why.clone(), None),
        };
        entries.push(RecheckLine { handle, page, found, holds });
    }
    Ok(RecheckAnswer { left: total - entries.len(), entries, stopped })
}

fn read_again(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    policy: &ForagePolicy,
    page: &str,
) -> std::result::Result<Reading, String> {
    let what = What::Page(Address::parse(page)?);
    let task = Task { mode: ForageMode::Operator, trigger: Trigger::Operator, what, answers: None };
    let (readings, log) = look(ledger, site, caller, policy, &task).map_err(|error| error.to_string())?;
    readings.into_iter().next().ok_or_else(|| why_not(&log))
}

fn foraged(ledger: &Ledger, names: &[String]) -> Result<Vec<Foraged>> {
    let stored = match names {
        [] => ledger.list(&Query { overlaid: Overlaid::Any, ..Query::default() })?.entries,
        names => {
            names.iter().map(|name| ken_engine::ops::find(&**ledger, name)).collect::<Result<Vec<_>>>()?
        }
    };
    let mut all = Vec::new();
    for one in stored {
        let source = one.entry.fields.source.as_ref();
        let Some(page) = source.and_then(|source| source.page.clone()) else {
            if names.is_empty() {
                continue;
            }
            let message = format!("{} did not come from a page", one.id);
            return Err(Refusal::new(Code::Invalid, message).field("id").into());
        };
        let sentence =
            source.and_then(|source| source.extra.get(PAGE_SENTENCE)).and_then(|said| said.as_str());
        let sentence = match sentence {
            Some(sentence) => sentence.to_owned(),
            None => one.entry.fields.statement().into_owned(),
        };
        all.push(Foraged { handle: ken_engine::view::handle(&one), page, sentence });
    }
    Ok(all)
}

/// Whether a text has a sentence, whatever its blanks and capitals.
fn has(text: &str, sentence: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    plain(text).contains(&plain(sentence))
}

fn why_not(log: &[Line]) -> String {
    log.last().map_or_else(|| "it could not be read".to_owned(), |line| line.detail.clone())
}
