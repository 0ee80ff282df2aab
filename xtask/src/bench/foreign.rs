//! The suite `import`: a large folder of another system is brought in, kept in step and written out again (DOO-6).
//!
//! Files are made from the lessons of the other suites, so that the same texts can be added by `ken add` and their meanings be taken there as
//! well: what it takes to work off the queue of an import stands beside what the suite `recall` measures.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::corpus::Lesson;
use super::measure::{self, Sample, Series, progress};
use super::report::{Row, Table, duration, grouped, per_second};
use super::scratch::{self, Scratch};
use super::{Effort, Request, machine};
use crate::context::{Context, Failure, capture, failed};
use crate::dist;

/// Files a second, with scan, identity and the index of words.
const IMPORT_PER_SECOND_MIN: f64 = 3_000.0;
/// A sync that finds nothing to do.
const IDLE_SYNC_MAX: Duration = Duration::from_millis(200);
/// The queue of an import is worked off at this share of the rate of entries that were added.
const EMBED_SHARE_MIN: f64 = 0.8;
/// The size that has targets.
const TOLD: usize = 10_000;
/// Texts whose meanings are taken in a quick run.
const EMBEDDED_QUICK: usize = 500;
/// Where the files are in the repository.
const FOLDER: &str = "docs/knowledge";

/// The table, and the folder that the caller lets go of when the table is safe.
pub(super) fn run(context: &Context, request: &Request) -> Result<(Table, Scratch), Failure> {
    let ken = match &request.ken {
        Some(path) => match path.canonicalize() {
            Ok(path) => path,
            Err(error) => return failed(format!("cannot find {}: {error}", path.display())),
        },
        None => {
            println!("building ken as `cargo xtask dist` does");
            dist::build(context)?.path
        }
    };
    let scratch = Scratch::below(&dist::target_folder(context)?)?;
    let mut lines = machine::describe(context, &scratch.folder)?;
    lines.push(
        "files of 500 to 1,500 bytes that name places in the repository, one in seven with CRLF; no background work: vectors are queued"
            .to_owned(),
    );
    let bench = Bench { scratch, ken, effort: request.effort };
    let mut rows = Vec::new();
    for size in &request.sizes {
        for form in Form::ALL {
            rows.extend(bench.form(form, *size)?);
        }
        let texts = match request.effort {
            Effort::Quick => EMBEDDED_QUICK.min(*size),
            Effort::Whole => *size,
        };
        rows.extend(bench.queue(texts)?);
    }
    lines.extend(machine::load().map(|load| format!("load average of the last minute at the end: {load}")));
    let sizes: Vec<String> = request.sizes.iter().map(usize::to_string).collect();
    let quick = if request.effort == Effort::Quick { " --quick" } else { "" };
    let command = format!("cargo xtask bench import{quick} --sizes {} --write", sizes.join(","));
    Ok((Table { command, machine: lines, rows }, bench.scratch))
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

struct Bench {
    scratch: Scratch,
    ken: PathBuf,
    effort: Effort,
}

impl Bench {
    fn ken(&self, root: &Path, arguments: &[&str]) -> Command {
        let mut command = self.scratch.program(&self.ken, root);
        command.args(arguments);
        command
    }

    /// Runs `ken` with its answer in JSON.
    fn asked(&self, root: &Path, arguments: &[&str]) -> Result<(Sample, Value), Failure> {
        let (sample, output) = measure::command(self.ken(root, &["--json"]).args(arguments))?;
        match serde_json::from_slice(&output.stdout) {
            Ok(answer) => Ok((sample, answer)),
            Err(error) => failed(format!("`ken {}` did not answer in JSON: {error}", arguments.join(" "))),
        }
    }

    /// A repository with a folder of files, committed, and no store.
    fn repository(&self, name: &str, form: Form, files: usize) -> Result<PathBuf, Failure> {
        let root = self.scratch.repository(name)?;
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
        capture(&mut self.scratch.git(&root, &["add", "-A"]))?;
        capture(&mut self.scratch.git(&root, &["commit", "-q", "-m", "knowledge"]))?;
        Ok(root)
    }

    /// A store with nothing in it, in place of the one that is there.
    ///
    /// The old one is put aside: a file system may take long to give so many deleted places to new files.
    fn anew(&self, root: &Path, round: usize) -> Result<(), Failure> {
        let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for folder in [".kenning", ".git/kenning"] {
            let aside = format!("{name}-{round}-{}", folder.replace(['/', '.'], ""));
            // The first time there is none.
            let _ = fs::rename(root.join(folder), self.scratch.folder.join(aside));
        }
        capture(&mut self.ken(root, &["init"]))?;
        scratch::settle();
        Ok(())
    }

    fn form(&self, form: Form, files: usize) -> Result<Vec<Row>, Failure> {
        let word = form.word();
        progress(&format!("`ken import {word}` of {} files", grouped(files as u64)));
        let root = self.repository(&format!("{word}-{files}"), form, files)?;
        let mut first = Series::default();
        for round in 0..self.effort.long_rounds() {
            self.anew(&root, round)?;
            let (sample, answer) = self.asked(&root, &["import", word, FOLDER])?;
            let came = answer["added"].as_u64().unwrap_or(0) + answer["held"].as_u64().unwrap_or(0);
            if came != files as u64 {
                return failed(format!(
                    "of {files} files `ken import {word}` says it added {came}: {answer}"
                ));
            }
            first.push(sample);
        }
        let (read, _) = measure::work("read scratch files", || read_all(&root.join(FOLDER)))?;
        let rate = files as f64 / first.wall().as_secs_f64();
        let row = Row::new(
            &format!("`ken import {word}`, scanned, told apart, in the index of words"),
            Some(files),
        )
        .time(&first)
        .measured(per_second(files, first.wall()))
        .best(per_second(files, first.best()))
        .floor("reading the files", read.wall, first.wall());
        let mut rows = vec![if files == TOLD {
            row.target(
                &format!("≥ {}/s", grouped(IMPORT_PER_SECOND_MIN as u64)),
                rate >= IMPORT_PER_SECOND_MIN,
            )
        } else {
            row
        }];
        rows.push(self.again(form, &root, files)?);
        rows.extend(self.in_step(form, &root, files)?);
        rows.push(self.out(form, &root, files)?);
        Ok(rows)
    }

    /// The same folder once more: nothing is added.
    fn again(&self, form: Form, root: &Path, files: usize) -> Result<Row, Failure> {
        let word = form.word();
        let mut second = Series::default();
        for _ in 0..self.effort.long_rounds() {
            let (sample, answer) = self.asked(root, &["import", word, FOLDER])?;
            if answer["unchanged"].as_u64() != Some(files as u64) {
                return failed(format!(
                    "`ken import {word}` of the same files is no import of nothing: {answer}"
                ));
            }
            second.push(sample);
        }
        Ok(Row::new(&format!("`ken import {word}` again, nothing added"), Some(files)).time(&second))
    }

    /// The first sync, those that find nothing to do, and one after an edit by hand.
    fn in_step(&self, form: Form, root: &Path, files: usize) -> Result<Vec<Row>, Failure> {
        let word = form.word();
        progress(&format!("`ken sync` of {word}"));
        capture(&mut self.ken(root, &["config", "mirrors.all", &format!("{word}:{FOLDER}")]))?;
        scratch::settle();
        let sync = |wanted: usize| {
            let (sample, answer) = self.asked(root, &["sync"])?;
            let done = answer["actions"].as_array().map_or(0, Vec::len);
            if done != wanted || answer["files"].as_u64().unwrap_or(0) < files as u64 {
                return failed(format!("`ken sync` did {done} things instead of {wanted}: {answer}"));
            }
            Ok(sample)
        };
        let mut first = Series::default();
        first.push(sync(0)?);
        let walked = measure::work("walk the folder", || scratch::walk(&root.join(FOLDER)))?.0;
        let mut idle = Series::default();
        for round in 0..=self.effort.short_rounds() {
            let sample = sync(0)?;
            if round > 0 {
                idle.push(sample);
            }
        }
        let mut edited = Series::default();
        for round in 0..self.effort.long_rounds() as u64 {
            let (path, text) = form.file(round);
            let text = text.replacen("We lost half", "Somebody lost half", 1).replacen("The ", "Each ", 1);
            measure::work("edit a scratch file", || fs::write(root.join(FOLDER).join(path), text))?;
            edited.push(sync(1)?);
        }
        let row = |what: &str| Row::new(&format!("`ken sync` of {word}, {what}"), Some(files));
        let quiet = row("nothing changed").time(&idle).floor("listing the folder", walked.wall, idle.wall());
        let quiet = match files {
            TOLD => quiet.target(&format!("≤ {}", duration(IDLE_SYNC_MAX)), idle.wall() <= IDLE_SYNC_MAX),
            _ => quiet,
        };
        Ok(vec![row("the first").time(&first).best(""), quiet, row("one file edited").time(&edited)])
    }

    /// Written out, to the byte.
    fn out(&self, form: Form, root: &Path, files: usize) -> Result<Row, Failure> {
        let word = form.word();
        progress(&format!("`ken export {word}`"));
        let target = self.scratch.folder.join(format!("{word}-{files}-out"));
        let target_text = target.to_string_lossy().into_owned();
        let (sample, _) = self.asked(root, &["export", word, &target_text])?;
        for (path, text) in read_all(&root.join(FOLDER)).map_err(unreadable)? {
            if fs::read(target.join(&path)).map_err(unreadable)? != text {
                return failed(format!("`ken export {word}` wrote {} otherwise than it was", path.display()));
            }
        }
        let mut once = Series::default();
        once.push(sample);
        let row = Row::new(&format!("`ken export {word}`, to the byte"), Some(files));
        Ok(row.time(&once).measured(per_second(files, sample.wall)).best(""))
    }

    /// What an import left to be embedded, beside the same texts as the suite `recall` has them: by `ken add`.
    fn queue(&self, texts: usize) -> Result<Vec<Row>, Failure> {
        progress(&format!("`ken embed` of {} texts, added and imported", grouped(texts as u64)));
        let added = self.scratch.repository("added")?;
        capture(&mut self.ken(&added, &["init"]))?;
        let source = self.scratch.folder.join("added.jsonl");
        measure::work("write a scratch file", || fs::write(&source, lines(texts)))?;
        capture(&mut self.ken(&added, &["add", "--file", &source.to_string_lossy()]))?;
        let imported = self.repository("imported", Form::FluxDrive, texts)?;
        self.anew(&imported, 0)?;
        capture(&mut self.ken(&imported, &["import", Form::FluxDrive.word(), FOLDER]))?;
        let embed = |root: &Path| {
            let (sample, answer) = self.asked(root, &["embed"])?;
            match answer["made"].as_u64() {
                Some(made) if made == texts as u64 => Ok(sample),
                _ => failed(format!("of {texts} entries `ken embed` made {} vectors", answer["made"])),
            }
        };
        let (before, after) = (embed(&added)?, embed(&imported)?);
        let share = before.wall.as_secs_f64() / after.wall.as_secs_f64();
        let row = |what: &str, sample: Sample| {
            let mut once = Series::default();
            once.push(sample);
            Row::new(what, Some(texts)).time(&once).measured(per_second(texts, sample.wall)).best("")
        };
        Ok(vec![
            row("`ken embed` after `ken add --file`, as the suite `recall` measures it", before),
            row("`ken embed` after `ken import flux-drive` of the same texts", after)
                .best(format!("{:.0} % of that", share * 100.0))
                .target("≥ 80 %", share >= EMBED_SHARE_MIN),
        ])
    }
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
