//! `index.md`, as `kb-rebuild-index.sh` lays it out, with the block at the head of each file read by a parser and not by grep (trap 7).

use std::collections::BTreeMap;

use super::{Kind, is_index, is_markdown, located, moment};
use crate::front::Front;
use crate::{File, Source, StoreFacts, prose};

pub(super) fn derived(files: &[Source<'_>], known: &StoreFacts<'_>) -> Vec<File> {
    let mut roots: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for file in files {
        if let Some((root, kind)) = located(file.path).filter(|_| is_markdown(file.path)) {
            roots.entry(root).or_default().extend(Row::new(kind, file));
        } else if let Some(root) =
            file.path.strip_suffix("index.md").filter(|_| is_index(file.path) && is_made(file.text))
        {
            roots.entry(root).or_default();
        }
    }
    let paths = || files.iter().map(|file| file.path).chain(known.paths.iter().map(String::as_str));
    let one = |(root, rows): (&str, Vec<Row>)| {
        let path = format!("{root}index.md");
        let has_lessons = paths().any(|path| located(path) == Some((root, Kind::Lesson)));
        let text = index(rows, has_lessons, &moment(known.now));
        let before =
            files.iter().find(|file| file.path == path).filter(|file| undated(file.text) == undated(&text));
        File { path, text: before.map_or(text, |file| file.text.to_owned()) }
    };
    roots.into_iter().map(one).collect()
}

fn is_made(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').starts_with("# Knowledge Store Index")
}

/// An index without the time it was made at, which is no reason to write it anew.
fn undated(text: &str) -> String {
    let is_kept = |line: &&str| !line.starts_with("**Generated:**");
    text.lines().filter(is_kept).collect::<Vec<_>>().join("\n")
}

struct Row {
    kind: Kind,
    created: String,
    cells: Vec<String>,
}

impl Row {
    /// The line of a file; none where it is put away.
    fn new(kind: Kind, file: &Source<'_>) -> Option<Row> {
        let front = Front::parse(file.text)?;
        let word = |key: &str| front.word(key).unwrap_or_default();
        let said = word("status");
        let (status, lifecycle) = match said.as_str() {
            "archived" => return None,
            "" | "open" | "detected" => ("active", "detected"),
            "resolved" | "remediated" => ("active", "remediated"),
            other => (other, "detected"),
        };
        let created = front.word("created").unwrap_or_else(|| word("date"));
        let state = front.word("lifecycle_state").or_else(|| front.word("lifecycle"));
        let own: Vec<String> = match kind {
            Kind::Signal => vec![word("severity"), state.unwrap_or_else(|| lifecycle.to_owned())],
            Kind::Spike => vec![word("outcome")],
            Kind::Lesson => vec![word("category")],
            // Nobody lists them.
            Kind::Reflection => return None,
        };
        let id = front.word("id").unwrap_or_else(|| prose::stem(file.path).to_owned());
        let date = created.split('T').next().unwrap_or_default().to_owned();
        let mut cells = vec![id, word("project")];
        cells.extend(own);
        cells.extend([front.words("tags").join(","), date, status.to_owned()]);
        Some(Row { kind, created, cells })
    }

    fn line(&self) -> String {
        let cell = |text: &String| text.split(['\r', '\n']).collect::<Vec<_>>().join(" ").replace('|', "\\|");
        format!("| {} |\n", self.cells.iter().map(cell).collect::<Vec<_>>().join(" | "))
    }
}

fn index(mut rows: Vec<Row>, has_lessons: bool, now: &str) -> String {
    rows.retain(|row| has_lessons || row.kind != Kind::Lesson);
    // The newest first; of one time, by id.
    rows.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| a.cells.cmp(&b.cells)));
    let table = |kind: Kind, title: &str, columns: &[&str]| {
        let of: Vec<&Row> = rows.iter().filter(|row| row.kind == kind).collect();
        let rule: String =
            columns.iter().map(|column| format!("|{}", "-".repeat(column.len() + 2))).collect();
        let lines: String = of.iter().map(|row| row.line()).collect();
        format!("\n## {title} ({})\n\n| {} |\n{rule}|\n{lines}", of.len(), columns.join(" | "))
    };
    let mut text =
        format!("# Knowledge Store Index\n\n**Generated:** {now}\n**Total entries:** {}\n", rows.len());
    text += &table(
        Kind::Signal,
        "Signals",
        &["ID", "Project", "Severity", "Lifecycle", "Tags", "Date", "Status"],
    );
    text += &table(Kind::Spike, "Spikes", &["ID", "Project", "Outcome", "Tags", "Date", "Status"]);
    if has_lessons {
        text += &table(Kind::Lesson, "Lessons", &["ID", "Project", "Category", "Tags", "Date", "Status"]);
    }
    text.push('\n');
    text
}
