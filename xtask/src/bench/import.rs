//! The suite `import`: a large folder of another system is brought in, kept in step and written out again (DOO-6).
//!
//! Files are made from the lessons of the other suites, so that the same texts can be added by `ken add` and their meanings be taken there as
//! well: what it takes to work off the queue of an import stands beside what the suite `recall` measures.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::context::{Failure, capture, failed};
use crate::harness::Suite;
use crate::harness::corpus::Lesson;
use crate::harness::figure::{Figure, grouped};
use crate::harness::measure::{self, Series, progress};
use crate::harness::report::Report;
use crate::harness::scratch;
use crate::harness::session::{Session, text};

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/import-quality.md"),
    sizes: [&[2_000], &[10_000]],
    ..Suite::bench("import", run)
};

/// Texts whose vectors are made, in a quick run and in a full one.
const EMBEDDED: [usize; 2] = [200, 2_000];
/// Where the files are in the repository.
const FOLDER: &str = "docs/knowledge";

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let mut figures = Vec::new();
    for size in &session.sizes {
        for form in Form::ALL {
            figures.extend(of_form(session, form, *size)?.into_iter().map(|figure| figure.at(*size)));
        }
    }
    figures.push(queue(session, session.effort.pick(EMBEDDED[0], EMBEDDED[1]))?);
    Ok(Report::new(figures).note(
        "files of 500 to 1,500 bytes that name places in the repository, one in seven with CRLF; no background work: vectors are queued",
    ))
}

/// In which clothes the lessons come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    FluxDrive,
    Gsd,
}

impl Form {
    const ALL: [Form; 2] = [Form::FluxDrive, Form::Gsd];

    fn word(self) -> &'static str {
        match self {
            Form::FluxDrive => "flux-drive",
            Form::Gsd => "gsd",
        }
    }

    /// A lesson as a file: its path and its text.
    fn file(self, number: u64) -> (String, String) {
        let lesson = Lesson::number(number);
        match self {
            Form::FluxDrive => flux_drive(number, &lesson),
            Form::Gsd => gsd(number, &lesson),
        }
    }
}

/// The name of a figure of a form.
fn name(form: Form, word: &str) -> String {
    format!("import.{}_{word}", form.word().replace('-', "_"))
}

/// A repository with a folder of files, committed, and no store.
fn repository(session: &Session<'_>, name: &str, form: Form, files: usize) -> Result<PathBuf, Failure> {
    let root = session.scratch.repository(name)?;
    let folder = root.join(FOLDER);
    let write = || {
        for number in 0..files as u64 {
            let (path, text) = form.file(number);
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            fs::write(path, text)?;
        }
        Ok(())
    };
    measure::work("write scratch files", write)?;
    session.commit(&root, "knowledge")?;
    Ok(root)
}

/// A store with nothing in it, in place of the one that is there.
///
/// The old one is put aside: a file system may take long to give so many deleted places to new files.
fn init_again(session: &Session<'_>, root: &Path, round: usize) -> Result<(), Failure> {
    let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for folder in [".kenning", ".git/kenning"] {
        let aside = format!("{name}-{round}-{}", folder.replace(['/', '.'], ""));
        // The first time there is none.
        let _ = fs::rename(root.join(folder), session.scratch.folder.join(aside));
    }
    capture(&mut session.ken(root, &["init"]))?;
    scratch::settle();
    Ok(())
}

fn of_form(session: &Session<'_>, form: Form, files: usize) -> Result<Vec<Figure>, Failure> {
    let word = form.word();
    progress(&format!("`ken import {word}` of {} files", grouped(files as u64)));
    let root = repository(session, &format!("{word}-{files}"), form, files)?;
    let (mut first, mut read) = (Series::default(), Series::default());
    for round in 0..session.effort.long_rounds() {
        init_again(session, &root, round)?;
        let (sample, answer) = session.json(&root, &["import", word, FOLDER])?;
        let came = answer["added"].as_u64().unwrap_or(0) + answer["held"].as_u64().unwrap_or(0);
        if came != files as u64 {
            return failed(format!("of {files} files `ken import {word}` says it added {came}: {answer}"));
        }
        first.push(sample);
        read.push(measure::work("read scratch files", || read_all(&root.join(FOLDER)))?.0);
    }
    let imported =
        Figure::rate(&name(form, "first"), files, &first).floor_rate("reading the files", files, read.wall());
    let mut figures = vec![imported, again(session, form, &root, files)?];
    figures.extend(in_step(session, form, &root, files)?);
    figures.push(export(session, form, &root, files)?);
    Ok(figures)
}

/// The same folder once more: nothing is added.
fn again(session: &Session<'_>, form: Form, root: &Path, files: usize) -> Result<Figure, Failure> {
    let word = form.word();
    let (mut second, mut read) = (Series::default(), Series::default());
    for _ in 0..session.effort.long_rounds() {
        let (sample, answer) = session.json(root, &["import", word, FOLDER])?;
        if answer["unchanged"].as_u64() != Some(files as u64) {
            return failed(format!(
                "`ken import {word}` of the same files is no import of nothing: {answer}"
            ));
        }
        second.push(sample);
        read.push(measure::work("read scratch files", || read_all(&root.join(FOLDER)))?.0);
    }
    Ok(Figure::time(&name(form, "again"), &second).floor_time("reading the files", &read))
}

/// The first sync, those that find nothing to do, and one after an edit by hand.
fn in_step(session: &Session<'_>, form: Form, root: &Path, files: usize) -> Result<Vec<Figure>, Failure> {
    let word = form.word();
    progress(&format!("`ken mirror sync` of {word}"));
    capture(&mut session.ken(root, &["config", "mirrors.all", &format!("{word}:{FOLDER}")]))?;
    scratch::settle();
    let sync = |wanted: usize| {
        let (sample, answer) = session.json(root, &["sync"])?;
        let done = answer["actions"].as_array().map_or(0, Vec::len);
        if done != wanted || answer["files"].as_u64().unwrap_or(0) < files as u64 {
            return failed(format!("`ken mirror sync` did {done} things instead of {wanted}: {answer}"));
        }
        Ok(sample)
    };
    let first = sync(0)?;
    // The second one may still tidy up.
    sync(0)?;
    let (mut idle, mut walked) = (Series::default(), Series::default());
    for _ in 0..session.effort.short_rounds() {
        idle.push(sync(0)?);
        walked.push(measure::work("walk the folder", || scratch::walk(&root.join(FOLDER)))?.0);
    }
    let mut edited = Series::default();
    for round in 0..session.effort.long_rounds() as u64 {
        let (path, text) = form.file(round);
        let text = text.replacen("We lost half", "Somebody lost half", 1).replacen("The ", "Each ", 1);
        measure::work("edit a scratch file", || fs::write(root.join(FOLDER).join(path), text))?;
        edited.push(sync(1)?);
    }
    let floor = "listing the folder";
    Ok(vec![
        Figure::time(&name(form, "first_sync"), &first.into()).floor_time(floor, &walked),
        Figure::time(&name(form, "idle_sync"), &idle).floor_time(floor, &walked),
        Figure::time(&name(form, "edited_sync"), &edited).floor_time(floor, &walked),
    ])
}

/// Written out, to the byte.
fn export(session: &Session<'_>, form: Form, root: &Path, files: usize) -> Result<Figure, Failure> {
    let word = form.word();
    progress(&format!("`ken export {word}`"));
    let target = session.scratch.folder.join(format!("{word}-{files}-out"));
    let (sample, _) = session.json(root, &["export", word, &text(&target)])?;
    for (path, text) in read_all(&root.join(FOLDER)).map_err(unreadable)? {
        if fs::read(target.join(&path)).map_err(unreadable)? != text {
            return failed(format!("`ken export {word}` wrote {} otherwise than it was", path.display()));
        }
    }
    let (seen, _) = scratch::walk(&root.join(FOLDER)).map_err(unreadable)?;
    let bare = session.scratch.folder.join(format!("{word}-{files}-bare"));
    let (written, ()) = measure::work("write the same files bare", || scratch::write_bare(&bare, &seen))?;
    let figure = Figure::rate(&name(form, "export"), files, &sample.into());
    Ok(figure.floor_rate("the same files bare", files, written.wall))
}

/// What an import left to be embedded, beside the same texts as the suite `recall` has them: by `ken add`.
fn queue(session: &Session<'_>, texts: usize) -> Result<Figure, Failure> {
    progress(&format!("`ken rebuild --embeddings` of {} texts, added and imported", grouped(texts as u64)));
    let added = session.scratch.repository("added")?;
    capture(&mut session.ken(&added, &["init"]))?;
    let source = session.write("added.jsonl", lines(texts))?;
    session.add_lines(&added, &source, texts)?;
    let imported = repository(session, "imported", Form::FluxDrive, texts)?;
    init_again(session, &imported, 0)?;
    capture(&mut session.ken(&imported, &["import", Form::FluxDrive.word(), FOLDER]))?;
    let embed = |root: &Path| {
        let (sample, answer) = session.json(root, &["embed"])?;
        match answer["made"].as_u64() {
            Some(made) if made == texts as u64 => Ok(sample),
            _ => failed(format!(
                "of {texts} entries `ken rebuild --embeddings` made {} vectors",
                answer["made"]
            )),
        }
    };
    let (before, after) = (embed(&added)?, embed(&imported)?);
    let figure = Figure::rate("import.embed", texts, &after.into()).at(texts);
    Ok(figure.floor_rate("after `ken add --file`", texts, before.wall))
}

fn unreadable(error: std::io::Error) -> Failure {
    Failure::Failed(format!("cannot read scratch files: {error}"))
}

/// The files below a folder, with their bytes.
fn read_all(folder: &Path) -> std::io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let files = scratch::walk(folder)?.0.into_iter();
    files.map(|seen| Ok((seen.path.clone(), fs::read(folder.join(seen.path))?))).collect()
}

/// The same texts for `ken add --file`, with the titles that their files give them.
fn lines(count: usize) -> String {
    let mut text = String::new();
    for number in 0..count as u64 {
        let lesson = Lesson::number(number);
        let title = stem(number, &lesson).replace('-', " ");
        let title = format!("{}{}", title[..1].to_uppercase(), &title[1..]);
        let line = json!({
            "type": "lesson",
            "title": title,
            "statement": lesson.statement,
            "provenance": [lesson.evidence],
            "anchors": [lesson.anchor],
            "verification": [lesson.verification],
        });
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}");
    }
    text
}

fn stem(number: u64, lesson: &Lesson) -> String {
    let words = lesson.title.to_lowercase();
    let words: Vec<&str> =
        words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    format!("{}-{number}", words[1..words.len().min(9)].join("-"))
}

fn day(number: u64) -> String {
    format!("2026-{:02}-{:02}", 1 + number % 9, 1 + number % 28)
}

/// Lines as an editor of another system ends them, in one file of seven.
fn ended(number: u64, text: String) -> String {
    if number % 7 == 3 { text.replace('\n', "\r\n") } else { text }
}

/// Further lessons, as explanations are long in some files and missing in others.
fn more(number: u64) -> String {
    let told = |at: u64| Lesson::number(number + 1_000_003 * at);
    let list = |at: u64| {
        let lesson = told(at);
        format!("- {}, see `{}`\n", lesson.title, lesson.anchor)
    };
    match number % 4 {
        0 => String::new(),
        1 => format!("{}\n\n", told(1).title),
        2 => format!("{}{}\n", list(1), list(2)),
        _ => format!("{}\n\n{}{}\n", told(1).statement, list(2), list(3)),
    }
}

fn flux_drive(number: u64, lesson: &Lesson) -> (String, String) {
    let provenance = if number.is_multiple_of(3) { "primed" } else { "independent" };
    let folder = if number % 20 == 19 { "archive/" } else { "" };
    let page = lesson.evidence.trim_start_matches("doc:");
    let text = format!(
        "---\nlastConfirmed: {}\nprovenance: {provenance}\n---\n{}\n\n{}Evidence: {}, `{page}`: found by two reviewers who did not know of each other.\nVerify: {}\n",
        day(number),
        lesson.statement,
        more(number),
        lesson.anchor,
        lesson.verification
    );
    (format!("{folder}{}.md", stem(number, lesson)), ended(number, text))
}

fn gsd(number: u64, lesson: &Lesson) -> (String, String) {
    let stem = format!("{}-{}", day(number), stem(number, lesson));
    let related = match number % 10 {
        9 => {
            let other = Lesson::number(number - 9);
            format!("related_signals: [sig-{}-{}]\n", day(number - 9), self::stem(number - 9, &other))
        }
        _ => String::new(),
    };
    let severity = ["critical", "notable", "trace"][number as usize % 3];
    let text = format!(
        "---\nid: sig-{stem}\ntype: signal\nproject: shop\ntags: [{}, {}]\ncreated: {}T10:30:00Z\nupdated: {}T10:30:00Z\ndurability: convention\nstatus: active\nseverity: {severity}\nsignal_type: struggle\npolarity: negative\n{related}confidence: medium\n---\n\n# {}\n\n## What Happened\n\n{}\n\n## Context\n\n{}Seen in `{}`; `{}` shows it.\n",
        lesson.tags[0],
        lesson.tags[1],
        day(number),
        day(number),
        lesson.title,
        lesson.statement,
        more(number),
        lesson.anchor,
        lesson.verification
    );
    (format!("signals/shop/{stem}.md"), ended(number, text))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn files_are_of_the_promised_size_and_all_different() {
        for form in Form::ALL {
            let files: Vec<(String, String)> = (0..2_000).map(|number| form.file(number)).collect();
            let paths: BTreeSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
            assert_eq!(paths.len(), files.len(), "{form:?}");
            for (path, text) in &files {
                assert!((450..=2_000).contains(&text.len()), "{path} has {} bytes", text.len());
            }
            let mean = files.iter().map(|(_, text)| text.len()).sum::<usize>() / files.len();
            assert!((700..=1_300).contains(&mean), "{form:?}: {mean} bytes");
            assert!(files.iter().any(|(_, text)| text.contains("\r\n")));
        }
        assert_eq!(lines(50).lines().count(), 50);
    }
}
