//! Ages are counted from the source (COR-1).

use crate::verbs::Verbs as _;
use ken_engine::Query;
use ken_engine::view::EntryLine;
use kenning::core::Millis;
use kenning::{Caller, Channel, Options, Reach};

fn open(folder: &std::path::Path, now: &str) -> Reach {
    let mut options = Options::at(folder);
    options.no_model = true;
    options.from = folder.to_owned();
    let now = Millis::parse(now).unwrap();
    kenning::open_for(options, Caller::new("human:Ada", now, Channel::Library)).unwrap()
}

// Regression: the tie to another record is written after the entries, and made an entry of 2024 one of today.
#[test]
fn an_imported_record_with_a_link_keeps_its_date() {
    let folder = tempfile::tempdir().unwrap();
    kenning::init(folder.path(), Default::default()).unwrap();
    let records = folder.path().join("docs/adr");
    std::fs::create_dir_all(&records).unwrap();
    let record = |number: u32, title: &str, decision: &str| {
        format!(
            "# {number}. {title}\n\nDate: 2024-02-0{number}\n\n## Status\n\nAccepted\n\n## Context\n\nWe had none.\n\n## Decision\n\n{decision}\n"
        )
    };
    std::fs::write(
        records.join("0001-use-sqlite.md"),
        record(1, "Use SQLite", "The index is a SQLite file."),
    )
    .unwrap();
    let second = "The journal is one file per clone, as in [ADR 1](0001-use-sqlite.md).";
    std::fs::write(records.join("0002-one-journal.md"), record(2, "One journal", second)).unwrap();
    let mut ken = open(folder.path(), "2026-11-16T03:04:05Z");
    let input =
        kenning::foreign::ImportInput { format: "adr".to_owned(), path: records, dry_run: false, name: None };
    let report = ken.import(&input, &mut |_| true).unwrap();
    assert_eq!((report.tied, report.files), (1, 2), "{report:?}");
    let told = |ken: &mut Reach| {
        let entries = ken.list(&Query::default()).unwrap().items;
        let day = |time: &str| time[..10].to_owned();
        let line =
            |one: &EntryLine| format!("{} {} {}", one.head.title, day(&one.created), day(&one.updated));
        let mut lines: Vec<String> = entries.iter().map(line).collect();
        lines.sort();
        lines
    };
    assert_eq!(told(&mut ken), ["One journal 2024-02-02 2024-02-02", "Use SQLite 2024-02-01 2024-02-01"]);
    let id = |ken: &mut Reach, title: &str| {
        let entries = ken.list(&Query::default()).unwrap().items;
        entries.into_iter().find(|one| one.head.title == title).unwrap().head.id
    };
    let (one, two) = (id(&mut ken, "Use SQLite"), id(&mut ken, "One journal"));
    // What a person says of it later is a change.
    let mut ken = open(folder.path(), "2026-11-18T03:04:05Z");
    ken.link(&one, "supports", &two, false).unwrap();
    assert_eq!(told(&mut ken), ["One journal 2024-02-02 2024-02-02", "Use SQLite 2024-02-01 2026-11-18"]);
}
