//! `import`, `export` and `sync`: files of other systems.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::atomic::Ordering;

use kenning::Result;
use kenning::core::answer::SyncChange;
use kenning::foreign::{ChangedSource, ExportReport, FileNote, ImportReport, SyncReport};
use kenning::requests::MirrorChanged;
use kenning::table::export::ExportRequest;
use kenning::table::import::ImportRequest;
use kenning::table::mirror_status::MirrorsAnswer;
use kenning::table::sync::SyncRequest;
use kenning::table::{Export, Import, MirrorAdd, MirrorRemove, MirrorStatus, Sync};
use kenning::verb::{Call, Verb};

use super::{Session, Shown, render};
use crate::limits::ITEMS_SHOWN_MAX;
use crate::output::{bold, count, dim, exit, flat, println, say_more};
use crate::terminal;

/// Lines of a list before the rest is a number.
const SHOWN_MAX: usize = 10;

impl Shown for Import {
    fn execute(session: &Session, request: ImportRequest) -> Result<u8> {
        let mut call = session.call(None)?;
        let stopped = super::interrupt();
        let input = request.input(&call);
        let bar = super::search::progress(0, session);
        let report = call.reach().and_then(|ken| {
            kenning::foreign::import::import(
                &mut ken.ledger,
                &ken.site,
                &mut ken.models,
                &ken.caller,
                &input,
                &mut |progress| {
                    bar.set_length(progress.of as u64);
                    bar.set_position(progress.files as u64);
                    !stopped.load(Ordering::SeqCst)
                },
            )
        });
        bar.finish_and_clear();
        session.notes_of(&mut call);
        let report = report?;
        session.output.answer(&report, || say_import(&report, &input.format))?;
        if !input.dry_run {
            let reach = call.reach()?;
            kenning::embedding::embed_in_background(&mut reach.ledger, &reach.site, &mut reach.models);
        }
        Ok(Self::exit_code(&report))
    }

    fn exit_code(report: &ImportReport) -> u8 {
        match (report.complete, Self::finds(report)) {
            (false, _) => exit::INTERRUPTED,
            (true, false) => exit::OK,
            (true, true) => exit::FOUND,
        }
    }
}

fn say_import(report: &ImportReport, format: &str) {
    let formats: Vec<String> = report
        .formats
        .iter()
        .map(|(word, files)| format!("{word} ({})", count(*files, "file", "files")))
        .collect();
    println!("{} {}", bold("read"), formats.join(", "));
    let would = if report.dry_run { "would be " } else { "" };
    let new = report.added + report.held;
    println!("  {} {would}added", count(new, "entry", "entries"));
    for item in report.items.iter().take(ITEMS_SHOWN_MAX) {
        println!("    {}  {}  {}", bold(&flat(&item.id)), flat(&item.title), dim(&flat(&item.path)));
    }
    if report.items.len() > ITEMS_SHOWN_MAX {
        println!("    and {} more; --json lists all", report.items.len() - ITEMS_SHOWN_MAX);
    }
    let gaps = [
        (report.without_evidence, "evidence"),
        (report.without_place, "an anchor"),
        (report.without_step, "a verification step"),
    ];
    let gaps: Vec<String> = gaps
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{} {what}", count(number, "lacks", "lack")))
        .collect();
    if !gaps.is_empty() {
        println!("    {}; they are marked as incomplete", gaps.join(", "));
    }
    let others = [
        (report.restored, "restored, whose import was undone"),
        (report.reinforced, "already covered by entries"),
        (report.rejected, "quarantined by the scan or by admission"),
        (report.refused, "could not be converted to entries; their text is kept"),
        (report.tied, "linked to each other"),
    ];
    for (number, what) in others.into_iter().filter(|(number, _)| *number > 0) {
        println!("  {number} {what}");
    }
    let files = [
        (report.unchanged, "unchanged since the last import"),
        (report.changed, "changed since the last import"),
    ];
    for (number, what) in files.into_iter().filter(|(number, _)| *number > 0) {
        println!("  {} {what}", count(number, "file is", "files are"));
    }
    let told = [
        (report.others, "file contains no entry and is kept", "files contain no entry and are kept"),
        (
            report.places_left_out,
            "path they mention is not in this repository",
            "paths they mention are not in this repository",
        ),
        (
            report.out_of_scope,
            "path or name outside the repository was removed from the entries, not from the files",
            "paths or names outside the repository were removed from the entries, not from the files",
        ),
    ];
    for (number, one, many) in told.into_iter().filter(|(number, ..)| *number > 0) {
        println!("  {}", count(number, one, many));
    }
    say_list("quarantined", &report.kept_out);
    say_list("redacted before the text was stored", &report.redacted);
    say_list("not read", &report.left_out);
    say_list("could not be read", &report.unreadable);
    say_list("waiting", &report.waiting);
    say_list("noted", &report.notes);
    say_changed_sources(&report.changed_sources);
    let mut next = Vec::new();
    if !report.complete {
        next.push("interrupted; run the same command again to continue".to_owned());
    } else if report.dry_run {
        next.push("dry run: nothing was written; omit --dry-run to import".to_owned());
    }
    if report.rejected > 0 {
        next.push(
            "`ken quarantine list` lists the quarantined entries; a person may `ken quarantine release` them"
                .to_owned(),
        );
    }
    if report.complete && !report.dry_run && report.held > 0 {
        next.push(
            "`ken queue` lists incomplete entries; `ken edit ID --anchor ... --verify ...` completes one"
                .to_owned(),
        );
    }
    if report.complete && !report.dry_run && !report.root.starts_with("outside:") && format != "auto" {
        let path = match (&report.file, report.root.as_str()) {
            (Some(file), "") => file.clone(),
            (Some(file), root) => format!("{root}/{file}"),
            (None, "") => ".".to_owned(),
            (None, root) => root.to_owned(),
        };
        next.push(format!(
            "keep the files in sync from now on: ken config mirrors.NAME {}:{}",
            format,
            flat(&path)
        ));
    }
    next.iter().for_each(|line| println!("{}", dim(line)));
}

/// Imported files that no longer say what was imported from them.
pub(super) fn say_changed_sources(sources: &[ChangedSource]) {
    for source in sources.iter().take(SHOWN_MAX) {
        println!("{} {}", bold(&flat(&source.path)), in_words(source));
        for entry in source.gone.iter().take(SHOWN_MAX) {
            println!("  {}  {}", bold(&flat(&entry.handle)), flat(&entry.title));
        }
        if source.gone.len() > SHOWN_MAX {
            println!("  and {} more; --json lists all", source.gone.len() - SHOWN_MAX);
        }
    }
    if sources.len() > SHOWN_MAX {
        println!("and {} more files; --json lists all", sources.len() - SHOWN_MAX);
    }
    if sources.iter().any(|source| !source.gone.is_empty()) {
        println!(
            "{}",
            dim("entries whose words are gone stay in use; `ken retract ID --reason '...'` retires one")
        );
    }
    if let Some(edited) = sources.iter().find(|source| source.changed + source.new > 0) {
        let (format, path) = (&edited.format, flat(&edited.import_path));
        println!("{}", dim(&format!("`ken import {format} {path}` takes up the edits")));
    }
}

/// `no longer contains 2 imported entries; 1 changed, 3 new`.
pub(super) fn in_words(source: &ChangedSource) -> String {
    let mut parts = Vec::new();
    if !source.gone.is_empty() {
        let entries = count(source.gone.len(), "imported entry", "imported entries");
        parts.push(match source.is_missing {
            true => format!("does not exist any more, and {entries} came from it"),
            false => format!("no longer contains {entries}"),
        });
    }
    if source.changed + source.new > 0 {
        parts.push(format!("was edited since its import: {} changed, {} new", source.changed, source.new));
    } else if source.is_edited && source.gone.is_empty() {
        parts.push("was edited since its import".to_owned());
    }
    parts.join("; it ")
}

/// A list of notes, those that say the same together.
fn say_list(what: &str, list: &[FileNote]) {
    if list.is_empty() {
        return;
    }
    println!("{what}:");
    let mut by_note: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for note in list {
        by_note.entry(&note.note).or_default().push(&note.path);
    }
    for (note, paths) in by_note.iter().take(SHOWN_MAX) {
        match paths.as_slice() {
            [path] => println!("  {}: {}", flat(path), flat(note)),
            [first, ..] => println!("  {} and {} more: {}", flat(first), paths.len() - 1, flat(note)),
            [] => {}
        }
    }
    if by_note.len() > SHOWN_MAX {
        println!("  and {} more; --json lists all", by_note.len() - SHOWN_MAX);
    }
}

impl Shown for Export {
    fn execute(session: &Session, request: ExportRequest) -> Result<u8> {
        let path = request.path.display().to_string();
        render::<Self>(session, request, |report| say_export(report, &path))
    }
}

fn say_export(report: &ExportReport, path: &str) {
    let would = if report.dry_run { "would be " } else { "" };
    if let Some(lines) = report.lines {
        println!("{} {would}written to the store in {}", count(lines, "line", "lines"), bold(&flat(path)));
        return;
    }
    println!(
        "{} {would}written to {}{}",
        count(report.written.len(), "file", "files"),
        bold(&flat(path)),
        if report.unchanged > 0 {
            format!(", {} already up to date", report.unchanged)
        } else {
            String::new()
        }
    );
    for file in report.written.iter().filter(|_| report.dry_run).take(ITEMS_SHOWN_MAX) {
        println!("    {}", flat(file));
    }
    if report.dry_run && report.written.len() > ITEMS_SHOWN_MAX {
        println!("    and {} more; --json lists all", report.written.len() - ITEMS_SHOWN_MAX);
    }
    if report.as_brought_in > 0 {
        println!("  {} byte-identical to the imported files", count(report.as_brought_in, "file", "files"));
    }
    if report.new_entries > 0 {
        println!(
            "  {} written in this format for the first time",
            count(report.new_entries, "entry", "entries")
        );
    }
    if report.elsewhere > 0 {
        println!(
            "  {} from other formats skipped; --all includes them",
            count(report.elsewhere, "entry", "entries")
        );
    }
    say_list("not exported completely", &report.redacted);
    say_list("left out", &report.left_out);
    for line in report.unsaid.iter().take(SHOWN_MAX) {
        println!("  {}", flat(line));
    }
}

impl Shown for MirrorAdd {
    fn say(answer: &MirrorChanged) {
        println!("{} is a mirror now; `ken mirror sync` brings it in step", bold(&answer.name));
    }
}

impl Shown for MirrorRemove {
    fn say(answer: &MirrorChanged) {
        println!("{} is no mirror any more; its files and its entries stay", bold(&answer.name));
    }
}

impl Shown for MirrorStatus {
    fn say(answer: &MirrorsAnswer) {
        for mirror in &answer.items {
            let when = if mirror.auto { "follows each change" } else { "follows `ken mirror sync`" };
            println!("{} {} {}  {}", bold(&mirror.name), mirror.format, mirror.path, dim(when));
        }
        say_more(answer);
        if answer.items.is_empty() {
            println!("{}", dim("there are no mirrors; `ken mirror add NAME FORMAT:PATH` makes one"));
        }
    }
}

impl Shown for Sync {
    fn execute(session: &Session, request: SyncRequest) -> Result<u8> {
        let mut call = session.call(None)?;
        let report = in_step(session, &mut call, request.clone());
        session.notes_of(&mut call);
        let report = report?;
        session.output.answer(&report, || say_sync(&report))?;
        if !request.check {
            let reach = call.reach()?;
            kenning::embedding::embed_in_background(&mut reach.ledger, &reach.site, &mut reach.models);
        }
        Ok(Self::exit_code(&report))
    }
}

/// Brings both sides in step. More than a few files asks first (DOO-6); where nobody can be asked, the answer says what to say.
fn in_step(session: &Session, call: &mut Call, request: SyncRequest) -> Result<SyncReport> {
    let mut report = Sync::run(call, request.clone())?;
    if report.needs_yes && !request.check && agrees(session, "delete so many files?")? {
        let second = Sync::run(call, SyncRequest { yes: true, ..request })?;
        report.actions.extend(second.actions);
        (report.waiting, report.conflicts) = (second.waiting, second.conflicts);
    }
    Ok(report)
}

/// Asks a person at a terminal; nobody else agrees to anything.
fn agrees(session: &Session, question: &str) -> Result<bool> {
    if session.output.json || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(false);
    }
    terminal::agrees(&format!("{question} Type `{}` to confirm: ", terminal::YES))
}

fn say_sync(report: &SyncReport) {
    for action in &report.actions {
        let detail = if action.detail.is_empty() {
            String::new()
        } else {
            format!("  {}", dim(&flat(&action.detail)))
        };
        let what = if report.check { to_do(action.what) } else { action.what.word() };
        let mirror = if report.mirrors.len() > 1 { format!("{}: ", action.mirror) } else { String::new() };
        println!("{what:>9}  {}{}{detail}", dim(&mirror), bold(&flat(&action.path)));
    }
    for conflict in &report.conflicts {
        println!("{} {}, {} of {}:", bold("conflict"), flat(&conflict.path), conflict.field, conflict.id);
        println!("     file  {}", flat(&conflict.file));
        println!("   ledger  {}", flat(&conflict.ledger));
    }
    if !report.conflicts.is_empty() {
        println!(
            "{}",
            dim("these files were not changed; choose a side: ken mirror sync --take file, or --take ledger")
        );
    }
    say_list("waiting", &report.waiting);
    say_list("noted", &report.notes);
    let files = count(report.files, "file", "files");
    let mirrors: Vec<&str> = report.mirrors.iter().map(|mirror| mirror.name.as_str()).collect();
    match (report.is_in_step(), report.actions.len()) {
        (true, 0) => println!("in sync: {files} of {}", mirrors.join(", ")),
        (true, _) => println!("now in sync: {files} of {}", mirrors.join(", ")),
        (false, _) if report.check => println!("out of sync; run `ken mirror sync`"),
        (false, _) => println!("not in sync yet"),
    }
}

/// What is not done yet.
fn to_do(what: SyncChange) -> &'static str {
    match what {
        SyncChange::Added => "new file",
        SyncChange::Written => "to write",
        SyncChange::Removed => "to remove",
        SyncChange::Retracted => "to retract",
        SyncChange::Restored => "to restore",
        SyncChange::Made => "to make",
        SyncChange::Edited | SyncChange::Moved => what.word(),
    }
}
