//! From the files to the ledger: moves, deletions, edits and new files.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ken_core::answer::SyncChange;
use ken_core::{EntryKey, Kept, Status};
use ken_engine::ops::documents;
use ken_engine::{Caller, Error, Ledger, Result};
use ken_formats::Format;
use serde_json::Value;

use super::super::edit::{self, Edit, Taking};
use super::super::{FileNote, Taken, Tie, cited, import, is_unmerged};
use super::{
    AUTHORS_ASKED_MAX, Conflict, Held, HeldChange, HeldFile, Side, Take, UNMERGED, counted, keys_of, shown,
    told,
};
use crate::{Config, Layout, ModelsInUse, Site};

/// How a change of a file is applied that an agent, a hook or a script may not apply.
const PERSON_DECIDES: &str = "a person applies it with `ken mirror sync` in a terminal";

/// From the files to the ledger.
pub(super) fn carry_in(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    side: &mut Side<'_>,
) -> Result<()> {
    let mut new: Vec<String> =
        side.disk.keys().filter(|path| !side.kept.contains_key(*path)).cloned().collect();
    let mut edited: Vec<String> = side
        .disk
        .iter()
        .filter(|(path, (_, hash))| side.kept.get(*path).is_some_and(|kept| kept != hash))
        .map(|(path, _)| path.clone())
        .collect();
    let mut gone: Vec<String> =
        side.kept.keys().filter(|path| !side.disk.contains_key(*path)).cloned().collect();
    if let Some(only) = &side.input.only {
        [&mut new, &mut edited, &mut gone].into_iter().for_each(|paths| paths.retain(|path| path == only));
    }
    confirm_edited_norms(ledger, site, caller, side, &edited)?;
    carry_moves(ledger, site, models, caller, side, &mut new, &mut gone)?;
    carry_gone(ledger, site, models, caller, side, gone)?;
    let mut ties: Vec<(&'static dyn Format, Tie)> = Vec::new();
    let ask = edited.len() <= AUTHORS_ASKED_MAX;
    for path in edited {
        ties.extend(
            carry_edit(ledger, site, models, caller, side, &path, ask)?
                .into_iter()
                .map(|tie| (side.format, tie)),
        );
    }
    ties.extend(
        carry_new(ledger, site, models, caller, side, new)?.into_iter().map(|tie| (side.format, tie)),
    );
    if !side.is_only_looking() && !ties.is_empty() {
        crate::foreign::import::tie(ledger, &site.config, caller, &side.folder.root, ties, HashMap::new())?;
    }
    Ok(())
}

/// Has an approver confirm edits that move approved norms, before anything of the mirror is carried in.
fn confirm_edited_norms(
    ledger: &Ledger,
    site: &Site,
    caller: &Caller,
    side: &Side<'_>,
    edited: &[String],
) -> Result<()> {
    if side.is_only_looking() || !crate::writer::is_approver_to_ask(&site.config, caller) {
        return Ok(());
    }
    let (mut files, mut norms) = (Vec::new(), Vec::new());
    for path in edited {
        // What cannot be read is said when its turn comes.
        let Ok(bytes) = crate::foreign::import::read_foreign(&side.folder, path) else { continue };
        if is_unmerged(&bytes) {
            continue;
        }
        let edit = crate::foreign::edit::plan_edit(
            ledger,
            site,
            side.format,
            Taken::new(side.format, side.name(path), &bytes),
        )?;
        let moved = crate::foreign::edit::norms_to_confirm(ledger, &site.config, caller, &edit)?;
        if !moved.is_empty() {
            files.push(cited(&side.name(path)));
            norms.extend(moved);
        }
    }
    crate::foreign::edit::confirm_edits(caller, files, norms)
}

/// A file that is gone and one that came with the same bytes are one file.
fn carry_moves(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    side: &mut Side<'_>,
    new: &mut Vec<String>,
    gone: &mut Vec<String>,
) -> Result<()> {
    let mut moves = Vec::new();
    gone.retain(|from| {
        let to = new.iter().position(|to| side.disk[to].1 == side.kept[from]);
        to.inspect(|at| moves.push((from.clone(), new.remove(*at)))).is_none()
    });
    for (from, to) in moves {
        if let Some(why) = move_waits(ledger, caller, side, &from, &to)? {
            side.held.insert(from.clone());
            side.wait(&to, format!("was moved from {from}, but {why}; {PERSON_DECIDES} or move it back"));
            continue;
        }
        side.act(&to, SyncChange::Moved, format!("from {from}"));
        if side.is_only_looking() {
            continue;
        }
        if let Some(before) = ledger.document(&side.name(&from))? {
            // The place may say something, as an archive does.
            let bytes = crate::foreign::import::read_foreign(&side.folder, &to)
                .map_err(Error::failed(format!("reading {to}")))?;
            let writer = crate::writer::writer(&site.config, caller);
            let kept = Kept { document: side.name(&to), ..before };
            documents::keep(ledger, vec![kept], &writer)?;
            documents::leave(ledger, vec![side.name(&from)], &format!("moved to {to}"), &writer)?;
            follow_move(ledger, site, models, caller, side, &from, &to, &bytes)?;
        }
        let hash = side.kept.remove(&from).unwrap_or_default();
        side.kept.insert(to, hash);
    }
    Ok(())
}

/// Where a file lies may say how its entry stands.
fn follow_move(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    side: &Side<'_>,
    from: &str,
    to: &str,
    bytes: &[u8],
) -> Result<()> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(()) };
    let (before, after) = (side.format.read(from, text), side.format.read(to, text));
    let Some(kept) = ledger.document(&side.name(to))? else { return Ok(()) };
    let keys: Vec<EntryKey> = kept.entries().map(|(key, _)| key).collect();
    for ((was, is), key) in before.items().zip(after.items()).zip(keys) {
        use ken_formats::Standing;
        let (name, reason) = (key.to_string(), format!("moved to {to}"));
        match (&was.standing, &is.standing) {
            (Standing::Current, Standing::Archived(_)) => {
                drop(crate::archive::archive(ledger, site, models, caller, &name, &reason)?)
            }
            (Standing::Archived(_), Standing::Current) => {
                drop(crate::retract::restore(ledger, site, models, caller, &name, &reason)?)
            }
            _ => {}
        }
    }
    Ok(())
}

/// DOO-6: a file that is gone is a retraction, if history deletes it.
fn carry_gone(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    side: &mut Side<'_>,
    gone: Vec<String>,
) -> Result<()> {
    let gone = leave_ended(ledger, &site.config, caller, side, gone)?;
    if gone.is_empty() {
        return Ok(());
    }
    let (in_head, deleted) = history_of(&site.layout, &side.folder.root)?;
    let folder = side.folder.clone();
    let full = |path: &str| folder.in_repository(path);
    let (by_history, others): (Vec<String>, Vec<String>) =
        gone.into_iter().partition(|path| deleted.contains(&full(path)) && !in_head.contains(&full(path)));
    let by_history = leave_settled(ledger, &site.config, caller, side, by_history)?;
    let by_history = hold_for_a_person(ledger, caller, side, by_history)?;
    for path in others {
        if side.input.restore {
            side.act(&path, SyncChange::Restored, "");
            if !side.is_only_looking() {
                restore_file(ledger, side, &path)?;
            }
            continue;
        }
        let why = if in_head.contains(&full(&path)) {
            "was deleted but the deletion is not committed; commit it to retract its entries, or restore the file: ken mirror sync --restore"
        } else {
            "is missing, and no commit deleted it; restore it with `ken mirror sync --restore`, or retract its entries"
        };
        side.wait(&path, why);
    }
    if !side.may_go(by_history.len()) {
        let count = by_history.len();
        for path in by_history {
            side.wait_for_yes(
                &path,
                format!(
                    "was deleted with {} others; confirm so many retractions with ken mirror sync --yes",
                    count - 1
                ),
            );
        }
        return Ok(());
    }
    for path in by_history {
        let Some(kept) = ledger.document(&side.name(&path))? else { continue };
        if !crate::foreign::edit::pending(ledger, &kept)?.is_empty() && side.input.take.is_none() {
            side.held.insert(path.clone());
            for (key, fields) in crate::foreign::edit::pending(ledger, &kept)? {
                let fields: Vec<String> = fields.into_iter().collect();
                let (id, said) =
                    (crate::foreign::sync::id_of(ledger, key)?, format!("changed: {}", fields.join(", ")));
                side.report.conflicts.push(Conflict {
                    mirror: side.mirror.name.clone(),
                    path: path.clone(),
                    id,
                    field: "status".to_owned(),
                    file: "deleted".to_owned(),
                    ledger: said,
                });
            }
            continue;
        }
        if side.input.take == Some(Take::Ledger) && !crate::foreign::edit::pending(ledger, &kept)?.is_empty()
        {
            side.act(&path, SyncChange::Restored, "the ledger wins");
            if !side.is_only_looking() {
                restore_file(ledger, side, &path)?;
            }
            continue;
        }
        let keys: Vec<EntryKey> = kept.entries().map(|(key, _)| key).collect();
        side.act(&path, SyncChange::Retracted, format!("{} in it", counted(keys.len(), "entry", "entries")));
        if side.is_only_looking() {
            continue;
        }
        let author = crate::foreign::sync::credited(&site.layout, caller, &full(&path), true);
        let name = side.name(&path);
        let author = caller.crediting(author);
        let retracted: Result<Vec<_>> = keys
            .into_iter()
            .map(|key| crate::foreign::edit::retract_homeless(ledger, site, models, &author, key, &path))
            .collect();
        let writer = crate::writer::writer(&site.config, &author);
        let left = |_| documents::leave(ledger, vec![name], "deleted", &writer).map(drop);
        match retracted.and_then(left) {
            Ok(()) => drop(side.kept.remove(&path)),
            // One entry that this caller may not retract does not stop the other files.
            Err(Error::Refused(refusal)) => {
                side.report.actions.pop();
                side.wait(
                    &path,
                    format!(
                        "was deleted, but {}; bring the file back with ken mirror sync --restore",
                        refusal.message
                    ),
                );
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Deleted files whose entries only a person may retract: a person's sync retracts them, any other leaves the file absent and the
/// entries as they are, and `restore` declines the deletion (COR-21). The answer are the files whose deletion is carried in now.
fn hold_for_a_person(
    ledger: &Ledger,
    caller: &Caller,
    side: &mut Side<'_>,
    deleted: Vec<String>,
) -> Result<Vec<String>> {
    let mut others = Vec::new();
    for path in deleted {
        let Some(kept) = ledger.document(&side.name(&path))? else { continue };
        let keys: Vec<EntryKey> = kept.entries().map(|(key, _)| key).collect();
        let Some(why) = crate::foreign::edit::removal_needs_a_person(ledger, &keys)? else {
            others.push(path);
            continue;
        };
        match (side.input.restore, caller.is_unattended()) {
            (true, _) => {
                side.act(&path, SyncChange::Restored, why);
                if !side.is_only_looking() {
                    restore_file(ledger, side, &path)?;
                }
            }
            (false, true) => {
                side.report.for_a_person.push(HeldFile {
                    mirror: side.mirror.name.clone(),
                    path: path.clone(),
                    keys,
                    why: why.clone(),
                    change: HeldChange::Deleted,
                });
                side.wait(
                    &path,
                    format!("was deleted, but {why}; {PERSON_DECIDES}, or bring the file back: ken mirror sync --restore"),
                );
            }
            (false, false) => others.push(path),
        }
    }
    Ok(others)
}

/// Files that this side would have removed, had they still been there: somebody retracted their entries, or a sync died after it had
/// removed them. The answer are the others.
fn leave_ended(
    ledger: &mut Ledger,
    config: &Config,
    caller: &Caller,
    side: &mut Side<'_>,
    gone: Vec<String>,
) -> Result<Vec<String>> {
    let mut others = Vec::new();
    let mut ended = Vec::new();
    for path in gone {
        let Some(kept) = ledger.document(&side.name(&path))? else { continue };
        let pending = crate::foreign::edit::pending(ledger, &kept)?;
        let text = kept.text().filter(|_| !pending.is_empty());
        let rendered = match text {
            Some(text) => {
                crate::foreign::outgoing::render(
                    ledger,
                    caller,
                    side.format,
                    &kept,
                    &side.format.read(&path, &text),
                    &pending,
                )?
                .text
            }
            None => Some(String::new()),
        };
        if rendered.is_some() { others.push(path) } else { ended.push(path) }
    }
    if !ended.is_empty() && !side.is_only_looking() {
        let names = ended.iter().map(|path| side.name(path)).collect();
        let writer = crate::writer::writer(config, caller);
        documents::leave(ledger, names, "its entry is no longer in use", &writer)?;
        side.acted = true;
    }
    ended.iter().for_each(|path| drop(side.kept.remove(path)));
    Ok(others)
}

fn carry_edit(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    side: &mut Side<'_>,
    path: &str,
    ask: bool,
) -> Result<Vec<Tie>> {
    let bytes = match crate::foreign::import::read_foreign(&side.folder, path) {
        Ok(bytes) => bytes,
        Err(why) => {
            side.wait(path, why);
            return Ok(Vec::new());
        }
    };
    if is_unmerged(&bytes) {
        side.wait(path, UNMERGED);
        return Ok(Vec::new());
    }
    let taken = Taken::new(side.format, side.name(path), &bytes);
    side.report.notes.extend(taken.notes());
    let mut edit = crate::foreign::edit::plan_edit(ledger, site, side.format, taken)?;
    let before = ledger.document(&side.name(path))?;
    let mut pending = before
        .as_ref()
        .map(|kept| crate::foreign::edit::pending(ledger, kept))
        .transpose()?
        .unwrap_or_default();
    // A sync that was interrupted wrote the file, and did not live to say so.
    if let Some(kept) = &before
        && !pending.is_empty()
        && is_as_rendered(ledger, caller, side.format, kept, &pending, &bytes)?
    {
        if !side.is_only_looking() {
            let held = Held {
                document: side.format.read(path, &String::from_utf8_lossy(&bytes)),
                keys: keys_of(kept),
            };
            crate::foreign::sync::carry_out::keep_file(ledger, &site.config, caller, side, path, held)?;
        }
        side.kept.insert(path.to_owned(), Kept::hash_of(&bytes));
        return Ok(Vec::new());
    }
    let conflicts = conflicts(ledger, side, path, &edit, &pending)?;
    if !conflicts.is_empty() {
        match side.input.take {
            None => {
                side.held.insert(path.to_owned());
                side.report.conflicts.extend(conflicts.into_iter().map(|(_, conflict)| conflict));
                return Ok(Vec::new());
            }
            Some(Take::File) => {
                for (key, conflict) in conflicts {
                    let mine = pending.entry(key).or_default();
                    mine.remove(&conflict.field);
                    if mine.remove("status")
                        && !crate::foreign::sync::carry_out::is_retrieved(ledger, key)?
                        && !side.input.check
                    {
                        crate::retract::restore(
                            ledger,
                            site,
                            models,
                            caller,
                            &key.to_string(),
                            "its file wins",
                        )?;
                    }
                }
            }
            Some(Take::Ledger) => {
                for (key, conflict) in conflicts {
                    edit.leave_out(key, &conflict.field);
                }
            }
        }
    }
    if let Some(why) = crate::foreign::edit::edit_waits(ledger, caller, &edit)? {
        side.report.for_a_person.push(HeldFile {
            mirror: side.mirror.name.clone(),
            path: path.to_owned(),
            keys: before.iter().flat_map(Kept::entries).map(|(key, _)| key).collect(),
            why: why.clone(),
            change: HeldChange::Edited,
        });
        side.wait(path, format!("was edited, but {why}; {PERSON_DECIDES}, or undo the edit"));
        return Ok(Vec::new());
    }
    if !edit.gone.is_empty() && !side.may_go(edit.gone.len()) {
        let count = edit.gone.len();
        side.wait_for_yes(
            path,
            format!(
                "{count} entries were removed from it; confirm so many retractions with ken mirror sync --yes"
            ),
        );
        return Ok(Vec::new());
    }
    let detail = told(&edit, ledger)?;
    side.act(path, SyncChange::Edited, detail);
    if side.is_only_looking() {
        return Ok(Vec::new());
    }
    let full = side.folder.in_repository(path);
    let author = crate::foreign::sync::credited(&site.layout, caller, &full, ask);
    let taking = Taking { author: Some(author), pending, retract: true, ..Taking::default() };
    let ties = std::mem::take(&mut edit.ties);
    match crate::foreign::edit::apply_edit(ledger, site, models, caller, edit, &taking) {
        Ok(applied) => {
            if let Some(action) = side.report.actions.last_mut()
                && !applied.done.is_empty()
            {
                action.detail = applied.done.join("; ");
            }
            side.kept.insert(path.to_owned(), Kept::hash_of(&bytes));
            Ok(ties)
        }
        Err(Error::Refused(refusal)) => {
            side.report.actions.pop();
            let (by, here) = (taking.author.unwrap_or_default(), caller.actor().to_owned());
            let run_by = if by == here { String::new() } else { format!(" (this sync is run by {here})") };
            side.wait(path, format!("the edit was not applied: {}{run_by}", refusal.message));
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}

/// Whether a file is what this side would write.
fn is_as_rendered(
    ledger: &Ledger,
    caller: &Caller,
    format: &dyn Format,
    kept: &Kept,
    pending: &BTreeMap<EntryKey, BTreeSet<String>>,
    bytes: &[u8],
) -> Result<bool> {
    let Some(text) = kept.text().filter(|_| kept.is_whole()) else { return Ok(false) };
    let document = format.read(&kept.document.path, &text);
    let rendered = crate::foreign::outgoing::render(ledger, caller, format, kept, &document, pending)?;
    Ok(rendered.text.is_some_and(|text| text.as_bytes() == bytes))
}

fn carry_new(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    side: &mut Side<'_>,
    new: Vec<String>,
) -> Result<Vec<Tie>> {
    /// Files that are taken in with one write.
    const BATCH_FILES_MAX: usize = 500;
    let mut ties = Vec::new();
    let ask = new.len() <= AUTHORS_ASKED_MAX;
    let mut batch: Vec<Taken> = Vec::new();
    let mut by: Option<String> = None;
    for path in new {
        let bytes = match crate::foreign::import::read_foreign(&side.folder, &path) {
            Ok(bytes) => bytes,
            Err(why) => {
                side.report.notes.push(FileNote::new(&path, why));
                continue;
            }
        };
        if is_unmerged(&bytes) {
            side.wait(&path, UNMERGED);
            continue;
        }
        let taken = Taken::new(side.format, side.name(&path), &bytes);
        side.report.notes.extend(taken.notes());
        ties.extend(taken.ties());
        side.act(&path, SyncChange::Added, counted(taken.items(), "entry", "entries"));
        if side.is_only_looking() {
            continue;
        }
        let author =
            crate::foreign::sync::author(&site.layout, caller, &side.folder.in_repository(&path), ask);
        if by.as_ref() != Some(&author) || batch.len() >= BATCH_FILES_MAX {
            take_new(ledger, site, models, caller, side, std::mem::take(&mut batch), by.replace(author))?;
        }
        batch.push(taken);
    }
    take_new(ledger, site, models, caller, side, batch, by)?;
    Ok(ties)
}

/// Takes in files that one person wrote, with one write.
fn take_new(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    side: &mut Side<'_>,
    batch: Vec<Taken>,
    author: Option<String>,
) -> Result<()> {
    if batch.is_empty() {
        return Ok(());
    }
    let author = author.map(|author| caller.crediting(author));
    let writer = crate::writer::writer(&site.config, author.as_ref().unwrap_or(caller));
    let (around, rules) =
        (crate::repository::repository(site), crate::intake_rules::rules(ledger, site, models, caller)?);
    for taken in &batch {
        side.kept.insert(taken.name.path.clone(), taken.hash.clone());
    }
    let arriving = batch.into_iter().map(|taken| taken.arriving(&around, &mut 0)).collect();
    let arrived = documents::take_in(ledger, &around, arriving, &rules.for_many(), &writer)?;
    for file in arrived {
        let told: Vec<String> = file.items.iter().map(edit::told_of).collect();
        let mut actions = side.report.actions.iter_mut().rev();
        if let Some(action) = actions.find(|action| action.path == file.document.path)
            && !told.is_empty()
        {
            action.detail = told.join("; ");
        }
    }
    Ok(())
}

/// Why a move waits for a person: its new place archives an entry that only a person may hide.
fn move_waits(
    store: &Ledger,
    caller: &Caller,
    side: &Side<'_>,
    from: &str,
    to: &str,
) -> Result<Option<String>> {
    if !caller.is_unattended() {
        return Ok(None);
    }
    let Some(kept) = store.document(&side.name(from))? else { return Ok(None) };
    let text = kept.text().unwrap_or_default();
    let (before, after) = (side.format.read(from, &text), side.format.read(to, &text));
    let keys: Vec<EntryKey> = kept.entries().map(|(key, _)| key).collect();
    for ((was, is), key) in before.items().zip(after.items()).zip(keys) {
        use ken_formats::Standing;
        if matches!((&was.standing, &is.standing), (Standing::Current, Standing::Archived(_)))
            && let Some(why) = crate::writer::needs_a_person(store, key)?
        {
            return Ok(Some(why));
        }
    }
    Ok(None)
}

/// Files that history deletes and whose entries somebody retracted since: both sides say the same, whatever this format writes of a
/// retracted entry. The answer are the others.
fn leave_settled(
    store: &mut Ledger,
    config: &Config,
    caller: &Caller,
    side: &mut Side<'_>,
    deleted: Vec<String>,
) -> Result<Vec<String>> {
    let mut others = Vec::new();
    for path in deleted {
        let name = side.name(&path);
        let Some(kept) = store.document(&name)? else { continue };
        let mut statuses = Vec::new();
        for (key, _) in kept.entries() {
            statuses.extend(store.stored(key)?.map(|stored| stored.entry.status));
        }
        if statuses.is_empty() || statuses.iter().any(|status| *status != Status::Retracted) {
            others.push(path);
            continue;
        }
        if !side.is_only_looking() {
            let writer = crate::writer::writer(config, caller);
            documents::leave(store, vec![name], "deleted", &writer)?;
            side.acted = true;
        }
        side.kept.remove(&path);
    }
    Ok(others)
}

fn restore_file(store: &Ledger, side: &mut Side<'_>, path: &str) -> Result<()> {
    let Some(kept) = store.document(&side.name(path))? else { return Ok(()) };
    // A ledger may come from a stranger: what it would write is looked at as if it came in.
    let is_fit = documents::presentable(&kept).is_ok()
        && (!side.folder.root.is_empty()
            || import::is_claimed(side.format, path, kept.text().unwrap_or_default().as_bytes()));
    match kept.text().filter(|_| kept.is_whole() && is_fit) {
        Some(text) => {
            side.write(path, text.as_bytes())?;
            side.kept.insert(path.to_owned(), Kept::hash_of(text.as_bytes()));
        }
        None => side.wait(path, "cannot be restored: a part of it was never stored, or may not be shown"),
    }
    Ok(())
}

/// What HEAD holds below a folder, and what history deleted there; both empty outside git.
fn history_of(layout: &Layout, root: &str) -> Result<(BTreeSet<String>, BTreeSet<String>)> {
    // Before the first commit there is no history.
    let Some(git) = layout.git.as_ref() else { return Ok(Default::default()) };
    if git.commit("HEAD").map_err(Error::failed("asking git for the current commit"))?.is_none() {
        return Ok(Default::default());
    }
    let spec = if root.is_empty() { "." } else { root };
    let lines = |args: &[&str]| -> Result<BTreeSet<String>> {
        let text = git.bytes(args).map_err(Error::failed("asking git which files were deleted"))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let paths = text.split('\0').map(|path| path.trim_start_matches('\n'));
        Ok(paths.filter(|path| !path.is_empty()).map(str::to_owned).collect())
    };
    let head = lines(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD", "--", spec])?;
    let deleted = lines(&[
        "log",
        "-z",
        "--diff-filter=D",
        "--no-renames",
        "--name-only",
        "--format=",
        "HEAD",
        "--",
        spec,
    ])?;
    Ok((head, deleted))
}

/// What both sides changed since they were in step.
fn conflicts(
    store: &Ledger,
    side: &Side<'_>,
    path: &str,
    edit: &Edit,
    pending: &BTreeMap<EntryKey, BTreeSet<String>>,
) -> Result<Vec<(EntryKey, Conflict)>> {
    let mut conflicts = Vec::new();
    for (key, fields) in edit.changes() {
        let Some(ours) = pending.get(&key) else { continue };
        let Some(stored) = store.stored(key)? else { continue };
        let said = serde_json::to_value(&stored.entry.fields).unwrap_or_default();
        let is_gone = ours.contains("status") && !stored.entry.status.is_retrieved();
        for field in &fields {
            let (file, ledger) = match edit.value(key, field) {
                Some(file) => (file, said.get(field).cloned().unwrap_or(Value::Null)),
                None => (Value::Null, Value::Null),
            };
            if ours.contains(field) && file != ledger {
                conflicts.push((key, side.conflict(path, &stored.id, field, shown(&file), shown(&ledger))));
            } else if is_gone {
                let status = stored.entry.status.word().to_owned();
                conflicts.push((key, side.conflict(path, &stored.id, field, shown(&file), status)));
            }
        }
    }
    for key in &edit.gone {
        if let (Some(ours), Some(stored)) = (pending.get(key), store.stored(*key)?)
            && stored.entry.status.is_retrieved()
        {
            let ours: Vec<&str> = ours.iter().map(String::as_str).collect();
            let changed = format!("changed: {}", ours.join(", "));
            conflicts
                .push((*key, side.conflict(path, &stored.id, "status", "taken out".to_owned(), changed)));
        }
    }
    Ok(conflicts)
}
