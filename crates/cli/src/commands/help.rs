//! Verbs that work without a store and in any environment: `help`, `completions`, `man`, `demo` and `parse-worker`.

use std::fmt::Write;
use std::path::Path;

use clap::CommandFactory;
use kenning::core::{Code, Refusal};
use kenning::verb::{Group, Row, Section};
use kenning::{Error, Result};

use super::local::{Completions, Demo, Help, Man, ParseWorker};
use super::{CommandLine, Shown};
use crate::args::{Cli, CompletionArgs, DemoArgs, HelpArgs, ManArgs};
use crate::output::{bold, count, exit, println, width};
use crate::suggestions;
use crate::{completion, demo, dispatch};

impl Shown for Help {
    fn start(_: &CommandLine, request: HelpArgs) -> Result<u8> {
        help(&request)
    }
}

impl Shown for Completions {
    fn start(_: &CommandLine, request: CompletionArgs) -> Result<u8> {
        println!("{}", completion::script(&request.shell)?);
        Ok(exit::OK)
    }
}

impl Shown for Man {
    fn start(line: &CommandLine, request: ManArgs) -> Result<u8> {
        let folder = &request.folder;
        let doing = format!("writing man pages to {}", folder.display());
        std::fs::create_dir_all(folder).map_err(Error::failed(doing.as_str()))?;
        clap_mangen::generate_to(crate::command(), folder).map_err(Error::failed(doing.as_str()))?;
        name_examples(folder).map_err(Error::failed(doing.as_str()))?;
        let written = std::fs::read_dir(folder).map_err(Error::failed(doing))?.flatten();
        let is_ours = |name: &str| name.starts_with("ken") && name.ends_with(".1");
        let pages = written.filter(|file| file.file_name().to_str().is_some_and(is_ours)).count();
        let answer = serde_json::json!({ "folder": folder.display().to_string(), "pages": pages });
        line.output.answer(&answer, || {
            println!("wrote {} to {}", count(pages, "man page", "man pages"), folder.display());
            println!("read one with: man {}", folder.join("ken.1").display());
        })?;
        Ok(exit::OK)
    }
}

/// Calls the section with the examples of a verb by its usual name.
fn name_examples(folder: &Path) -> std::io::Result<()> {
    for file in std::fs::read_dir(folder)? {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "1") {
            let page = std::fs::read_to_string(&path)?;
            std::fs::write(&path, page.replace(".SH EXTRA\n", ".SH EXAMPLES\n"))?;
        }
    }
    Ok(())
}

impl Shown for Demo {
    fn start(_: &CommandLine, request: DemoArgs) -> Result<u8> {
        demo::run(&request.chapter, request.keep)
    }
}

impl Shown for ParseWorker {
    fn start(_: &CommandLine, (): ()) -> Result<u8> {
        kenning::parse_worker().map(|()| exit::OK).map_err(Error::failed("reading code"))
    }
}

/// Verbs that `ken` or a shell starts by itself; nobody types them.
pub(crate) const UNLISTED: &[&str] = &["parse-worker"];

/// Columns of help at most: longer lines are hard to read.
const COLUMNS_MAX: usize = 100;

fn help(request: &HelpArgs) -> Result<u8> {
    let words: Vec<&str> = request.words.iter().map(String::as_str).collect();
    let section = |word: &str| Section::ALL.into_iter().find(|section| section.word() == word);
    match words.as_slice() {
        _ if request.all => every_section(&Section::ALL),
        [] => println!("{}", overview(&rows()).trim_end()),
        ["all"] => every_section(&Section::ALL),
        [word] if section(word).is_some() => every_section(section(word).as_slice()),
        words => of_verb(words)?,
    }
    Ok(exit::OK)
}

fn rows() -> Vec<Row> {
    dispatch::entries().into_iter().map(|entry| entry.row).collect()
}

/// The help of one verb, such as `task start`.
fn of_verb(words: &[&str]) -> Result<()> {
    let mut command = crate::command();
    for (at, word) in words.iter().enumerate() {
        command = match command.find_subcommand(word) {
            Some(sub) => sub.clone(),
            None => {
                let near = suggestions::proposed(word, (at > 0).then(|| words[0])).unwrap_or_default();
                let name = words[..=at].join(" ");
                return Err(Refusal::new(Code::Invalid, format!("unknown command {name:?}{near}"))
                    .hint("`ken help --all` lists every command")
                    .field("verb")
                    .into());
            }
        };
    }
    let mut command = command.name("ken").bin_name(format!("ken {}", words.join(" ")));
    println!("{}", command.render_long_help().ansi().to_string().trim_end());
    Ok(())
}

/// Every verb of some sections, by group.
fn every_section(sections: &[Section]) {
    let rows = rows();
    for section in sections {
        println!("{}", bold(&format!("{} (ken help {})", section.title(), section.word())));
        for group in section.groups() {
            println!("\n{}", group.title());
            print_lines(&verbs_of(&rows, group));
        }
        println!();
    }
    println!("`ken COMMAND --help` shows the options of a command.");
}

fn print_lines(verbs: &[(&str, &str)]) {
    println!("{}", listed(verbs, width().min(COLUMNS_MAX)).trim_end());
}

/// The verbs of a group by their first words, with what they do. A family of verbs is listed once.
fn verbs_of(rows: &[Row], group: Group) -> Vec<(&'static str, &'static str)> {
    let mut verbs: Vec<(&str, &str)> = Vec::new();
    for row in rows.iter().filter(|row| row.group == group && !UNLISTED.contains(&row.name)) {
        let (verb, about) = match row.name.split_once(' ') {
            None => (row.name, row.about),
            Some((parent, _)) if rows.iter().any(|row| row.name == parent) => continue,
            Some((parent, _)) => (parent, dispatch::family_of(parent).about),
        };
        if verbs.iter().all(|(known, _)| *known != verb) {
            verbs.push((verb, about));
        }
    }
    verbs
}

/// The verbs of every day, under their sections.
fn everyday_of(rows: &[Row], section: Section) -> Vec<(&'static str, &'static str)> {
    let daily = |group: Group| rows.iter().filter(move |row| row.everyday && row.group == group);
    section.groups().flat_map(daily).map(|row| (row.name, row.about)).collect()
}

/// The verbs of every day in one sentence, for `ken` alone.
pub(crate) fn everyday(width: usize) -> String {
    let rows = rows();
    let names: Vec<&str> = Section::ALL
        .into_iter()
        .flat_map(|section| everyday_of(&rows, section))
        .map(|(name, _)| name)
        .collect();
    let text = format!("Commands: {}. `ken help` explains them.", names.join(", "));
    wrapped(&text, 0, width.min(COLUMNS_MAX)).join("\n")
}

/// The help of `ken` itself: the verbs of every day in sections, and where the others are.
pub(crate) fn overview(rows: &[Row]) -> String {
    let columns = width().min(COLUMNS_MAX);
    let cli = Cli::command();
    let about = cli.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text = format!("{}\n\nUsage: ken [OPTIONS] [COMMAND]\n", wrapped(&about, 0, columns).join("\n"));
    for section in Section::ALL {
        let verbs = everyday_of(rows, section);
        if !verbs.is_empty() {
            let _ = write!(text, "\n{}\n{}", bold(section.title()), listed(&verbs, columns));
        }
    }
    let words: Vec<&str> = Section::ALL.iter().map(|section| section.word()).collect();
    let sections = format!("List the other commands for: {}", words.join(", "));
    let more = [
        ("help SECTION", sections.as_str()),
        ("help --all", "List every command"),
        ("COMMAND --help", "Show the options of a command"),
    ];
    let _ = write!(text, "\n{}\n{}", bold("More"), listed(&more, columns));
    let options = cli.help_template("{options}").term_width(columns).render_help().ansi().to_string();
    let _ = write!(text, "\n{}\n{}\n", bold("Options"), options.trim_end());
    text
}

/// Lines of a name and what it does; what is longer than a line goes on below, indented.
fn listed(lines: &[(&str, &str)], columns: usize) -> String {
    let wide = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(10);
    let mut text = String::new();
    for (name, about) in lines {
        let about = wrapped(about, wide + 4, columns);
        let _ = writeln!(text, "  {name:<wide$}  {}", about.join("\n").trim_start());
    }
    text
}

/// A text in lines of some columns, each indented. No word is broken.
pub(crate) fn wrapped(text: &str, indent: usize, columns: usize) -> Vec<String> {
    let pad = " ".repeat(indent);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{pad}{word}")),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_verbs_and_every_section_has_groups() {
        let rows = rows();
        for section in Section::ALL {
            assert!(section.groups().next().is_some(), "{section:?}");
            for group in section.groups() {
                assert!(!verbs_of(&rows, group).is_empty(), "{group:?}");
            }
        }
    }

    #[test]
    fn every_verb_is_in_one_section_of_help() {
        let rows = rows();
        let mut listed: Vec<&str> =
            Group::ALL.into_iter().flat_map(|group| verbs_of(&rows, group)).map(|(verb, _)| verb).collect();
        let count = listed.len();
        listed.sort_unstable();
        listed.dedup();
        assert_eq!(listed.len(), count, "a verb stands in two groups: {listed:?}");
        for row in rows.iter().filter(|row| !UNLISTED.contains(&row.name)) {
            let verb = row.name.split(' ').next().unwrap();
            assert!(listed.contains(&verb), "{verb} is in no group");
        }
    }

    #[test]
    fn the_first_page_has_about_a_dozen_verbs() {
        let rows = rows();
        let daily = rows.iter().filter(|row| row.everyday).count();
        assert!((10..=15).contains(&daily), "{daily}");
    }

    #[test]
    fn the_word_of_a_section_is_no_verb() {
        for section in Section::ALL {
            assert!(crate::command().find_subcommand(section.word()).is_none(), "{}", section.word());
        }
    }
}
