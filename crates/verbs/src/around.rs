//! What stands around an entry: the code at its anchors, who was shown it, and what was used with it.

use std::collections::{BTreeMap, BTreeSet};

use ken_core::{Anchor, EntryKey, Millis};
use ken_engine::ops::read::ListAnswer;
use ken_engine::view::{AnchorCode, EntryView, Excerpt, ExposureView, LinkView, UsedWith, handle};
use ken_engine::{Caller, CodeTree, Ledger, Stored, ops, together};
use ken_worktree::CodeGround;
use serde::Serialize;

use crate::limits::around::{CODE_LINES_MAX, DAY_MILLIS, DAYS_MAX, USED_WITH_MAX};
use crate::{Layout, Result, Site};

/// What happened on a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActiveDay {
    /// The day, in UTC.
    pub date: String,
    /// Entries that were stated.
    pub added: usize,
    /// Entries of earlier days that changed last on this one.
    pub changed: usize,
    /// Runs that started.
    pub runs: usize,
}

/// Adds the code at its anchors to an entry, as it was captured and as it is now.
pub fn add_code(ledger: &Ledger, site: &Site, view: &mut EntryView) -> Result<()> {
    let Ok(stored) = ops::find(&**ledger, &view.id) else {
        // An entry of the global store: it belongs to no single repository.
        return Ok(());
    };
    let mut ground = crate::ground::bare_ground(ledger, site);
    let anchors = &stored.entry.fields.anchors;
    view.code = anchors.iter().map(|anchor| code_at(&site.layout, &mut ground, anchor, view)).collect();
    Ok(())
}

/// Adds to an entry who was shown it, and which entries successful runs used together with it.
pub fn add_exposures(ledger: &Ledger, caller: &Caller, view: &mut EntryView) -> Result<()> {
    let Ok(stored) = ops::find(&**ledger, &view.id) else { return Ok(()) };
    let (key, now) = (stored.entry.key, caller.now());
    let shown = ledger.shown(key, Millis(0))?;
    view.exposures = shown
        .into_iter()
        .map(|(run, seen)| ExposureView {
            run,
            agent: if seen.agent.is_empty() { seen.actor } else { seen.agent },
            how: seen.how,
            at: seen.clock.shown(now).to_string(),
        })
        .collect();
    let mut used = together::Used::new();
    for each in ledger.uses(key)? {
        let Some(run) = ledger.run(&each.run)? else { continue };
        let keys = run.finished.and_then(|(finished, _)| finished.used).unwrap_or_default();
        used.insert(each.run, (each.clock, keys.into_iter().collect::<BTreeSet<EntryKey>>()));
    }
    view.used_with = used_with(ledger, caller, &used, &[key])?.remove(&key).unwrap_or_default();
    Ok(())
}

/// Adds their links, and which of them successful runs used together, to the entries of a list.
pub fn add_links(ledger: &Ledger, caller: &Caller, answer: &mut ListAnswer) -> Result<()> {
    let mut stored: Vec<Option<Stored>> = Vec::new();
    let mut used = together::Used::new();
    for line in &answer.items {
        let found = ops::find(&**ledger, &line.head.id).ok();
        if let Some(one) = &found {
            for each in ledger.uses(one.entry.key)? {
                let run = used.entry(each.run).or_insert((each.clock, BTreeSet::new()));
                run.0 = run.0.max(each.clock);
                run.1.insert(one.entry.key);
            }
        }
        stored.push(found);
    }
    let keys: Vec<EntryKey> = stored.iter().flatten().map(|one| one.entry.key).collect();
    let mut used_with = used_with(ledger, caller, &used, &keys)?;
    for (line, found) in answer.items.iter_mut().zip(&stored) {
        let Some(one) = found else { continue };
        for link in &one.entry.links {
            let other = ledger.stored(link.to)?;
            let to = other.as_ref().map_or_else(|| link.to.to_string(), |other| other.id.clone());
            let title = other.map(|other| ken_engine::view::title(&other.entry));
            line.links.push(LinkView { relation: link.relation, to, title });
        }
        line.used_with = used_with.remove(&one.entry.key).unwrap_or_default();
    }
    Ok(())
}

/// What happened on each of the last days, oldest first, today being the last.
pub fn daily(ledger: &Ledger, caller: &Caller, days: usize) -> Result<Vec<ActiveDay>> {
    let days = days.clamp(1, DAYS_MAX) as i64;
    let today = caller.now().0.div_euclid(DAY_MILLIS);
    let first = today - days + 1;
    let mut all: Vec<ActiveDay> = (first..=today)
        .map(|day| ActiveDay { date: Millis(day * DAY_MILLIS).date(), added: 0, changed: 0, runs: 0 })
        .collect();
    // What a clock ahead of ours says is of today.
    let place = |at: Millis| usize::try_from(at.0.div_euclid(DAY_MILLIS).min(today) - first).ok();
    for (stated, changed) in ledger.changes(Millis(first * DAY_MILLIS))? {
        let (stated, changed) = (place(stated.millis()), place(changed.millis()));
        if let Some(day) = stated {
            all[day].added += 1;
        }
        if let Some(day) = changed.filter(|day| stated != Some(*day)) {
            all[day].changed += 1;
        }
    }
    for run in ledger.runs()? {
        if let Some(day) = place(run.at.millis()) {
            all[day].runs += 1;
        }
    }
    Ok(all)
}

fn code_at(layout: &Layout, ground: &mut CodeGround, anchor: &Anchor, view: &EntryView) -> AnchorCode {
    let judged = view.validity.anchors.iter().find(|judged| judged.at == anchor.at);
    let at = judged.and_then(|judged| judged.found.now.clone()).unwrap_or_else(|| anchor.at.clone());
    let mut place = Anchor { at, captured: None, ..anchor.clone() };
    let (now, why) = match ground.capture(&mut place) {
        Ok(_) => (current(ground, &place), None),
        Err(why) => (None, Some(why.reason().to_owned())),
    };
    AnchorCode { at: anchor.at.clone(), captured: captured(layout, anchor), now, why }
}

/// The lines that were seen when the anchor was captured, from git; the excerpt that was kept where git does not have the file.
fn captured(layout: &Layout, anchor: &Anchor) -> Option<Excerpt> {
    let captured = anchor.captured.as_ref()?;
    let path = captured.path.clone().unwrap_or_else(|| anchor.path().to_owned());
    let first = captured.lines.map_or(1, |(first, _)| first);
    // The name comes from a ledger line, which a stranger may have written.
    let is_name =
        matches!(captured.blob.len(), 40 | 64) && captured.blob.bytes().all(|byte| byte.is_ascii_hexdigit());
    let git = layout.git.as_ref().filter(|_| is_name);
    let bytes = git.and_then(|git| git.bytes(&["cat-file", "blob", &captured.blob]).ok());
    match (bytes, &captured.text) {
        (Some(bytes), _) => Some(excerpt(path, &String::from_utf8_lossy(&bytes), captured.lines)),
        (None, Some(text)) => Some(Excerpt { path, line: first, text: text.clone(), cut: false }),
        (None, None) => None,
    }
}

/// For each of some entries, the others that count most beside it.
fn used_with(
    store: &Ledger,
    caller: &Caller,
    used: &together::Used,
    keys: &[EntryKey],
) -> Result<BTreeMap<EntryKey, Vec<UsedWith>>> {
    let wanted: BTreeSet<EntryKey> = keys.iter().copied().collect();
    let mut found: BTreeMap<EntryKey, Vec<(f64, EntryKey)>> = BTreeMap::new();
    for ((a, b), weight) in together::ties(&**store, used, caller.now())? {
        for (one, other) in [(a, b), (b, a)] {
            if wanted.contains(&one) && weight > 0.0 {
                found.entry(one).or_default().push((weight, other));
            }
        }
    }
    let mut named = BTreeMap::new();
    for (key, mut others) in found {
        others.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut list = Vec::new();
        for (weight, other) in others.into_iter().take(USED_WITH_MAX) {
            let Some(other) = store.stored(other)?.filter(|other| !other.overlay.hides()) else {
                continue;
            };
            let title = Some(ken_engine::view::title(&other.entry));
            list.push(UsedWith { handle: handle(&other), id: other.id, title, weight });
        }
        named.insert(key, list);
    }
    Ok(named)
}

/// The lines of a place that was just captured.
fn current(ground: &mut CodeGround, place: &Anchor) -> Option<Excerpt> {
    let captured = place.captured.as_ref()?;
    let path = captured.path.clone().unwrap_or_else(|| place.path().to_owned());
    let bytes = ground.tree().read(&path).ok()??;
    Some(excerpt(path, &String::from_utf8_lossy(&bytes), captured.lines))
}

/// Some lines of a text, or its beginning, without secrets.
fn excerpt(path: String, text: &str, lines: Option<(u32, u32)>) -> Excerpt {
    // The whole text is redacted, since a line of a key says nothing alone.
    let text = ken_guard::redact(text);
    let (first, last) = lines.unwrap_or((1, u32::MAX));
    let wanted = last.saturating_sub(first).saturating_add(1) as usize;
    let mut rest = text.lines().skip(first.saturating_sub(1) as usize).take(wanted);
    let shown: Vec<&str> = rest.by_ref().take(CODE_LINES_MAX).collect();
    Excerpt { path, line: first, text: shown.join("\n"), cut: rest.next().is_some() }
}
