//! The verbs that keep a store in order and share it: commit, flush, recover, adopt, verify, rebuild, purge, schema.

use std::io::{IsTerminal, Read};
use std::path::Path;

use kenning::core::{Code, Refusal, Type, schema};
use kenning::ops::add::unknown_type;
use kenning::{Error, Finding, Kenning, Result};
use serde_json::{Map, Value, json};

use super::Session;
use crate::args::PurgeArgs;
use crate::output::{Output, count, exit, println};
use crate::terminal;

pub(super) fn commit(session: &Session, message: &str) -> Result<u8> {
    let mut ken = session.open()?;
    let said = ken.commit(message)?;
    session.notes(&mut ken);
    session.output.answer(&json!({"committed": said}), || match &said {
        Some(said) => println!("committed {said}"),
        None => println!("nothing to commit"),
    })?;
    Ok(exit::OK)
}

pub(super) fn flush(session: &Session, stage: bool) -> Result<u8> {
    let mut ken = session.open()?;
    let flushed = ken.flush()?;
    if stage {
        ken.stage()?;
    }
    session.notes(&mut ken);
    session.output.answer(&json!({"flushed": flushed, "staged": stage}), || {
        if !session.output.quiet {
            println!(
                "wrote out {} that waited in the journal{}",
                count(flushed, "event", "events"),
                if stage { " and staged the store" } else { "" }
            );
        }
    })?;
    Ok(exit::OK)
}

pub(super) fn recover(session: &Session, all: bool) -> Result<u8> {
    let mut ken = session.open()?;
    let recovered = ken.store().recover(all)?;
    session.notes(&mut ken);
    session.output.answer(&recovered, || {
        match recovered.put_back {
            0 => println!("nothing to put back"),
            _ => println!("put back {}", recovered.from.join(", ")),
        }
        for hash in &recovered.still_missing {
            println!(
                "  {hash} is missing, and nothing in this clone has it; fetch the branch it was written on"
            );
        }
    })?;
    Ok(if recovered.still_missing.is_empty() { exit::OK } else { exit::FOUND })
}

pub(super) fn adopt(session: &Session, file: &Path) -> Result<u8> {
    let mut ken = session.open()?;
    let adopted = ken.adopt(file)?;
    session.notes(&mut ken);
    session.output.answer(&adopted, || {
        if adopted.done.is_empty() && adopted.left.is_empty() {
            println!("nothing in {} was edited by hand", file.display());
        }
        adopted.done.iter().for_each(|line| println!("{line}"));
        adopted.left.iter().for_each(|line| println!("left as it is: {line}"));
    })?;
    Ok(if adopted.left.is_empty() { exit::OK } else { exit::FOUND })
}

pub(super) fn verify(session: &Session, fix: bool) -> Result<u8> {
    let mut ken = session.open()?;
    let report = ken.store().verify(fix)?;
    session.notes(&mut ken);
    session.output.answer(&report, || {
        report.fixed.iter().for_each(|line| println!("fixed   {line}"));
        say_findings("error", &report.errors);
        say_findings("notice", &report.notices);
        let verdict = if report.pass { "pass" } else { "FAIL" };
        println!(
            "{verdict}: {}, {}, {}, {}; {}, {}",
            count(report.files, "file", "files"),
            count(report.lines, "line", "lines"),
            count(report.events, "event", "events"),
            count(report.entries, "entry", "entries"),
            count(report.errors.len(), "error", "errors"),
            count(report.notices.len(), "notice", "notices")
        );
    })?;
    Ok(if report.pass { exit::OK } else { exit::FOUND })
}

fn say_findings(word: &str, findings: &[Finding]) {
    for finding in findings {
        println!("{word:<7} {}", finding.message);
        if let Some(hint) = &finding.hint {
            println!("        {hint}");
        }
    }
}

pub(super) fn rebuild(session: &Session) -> Result<u8> {
    let mut ken = session.open()?;
    let entries = ken.store().rebuild()?;
    session.notes(&mut ken);
    session.output.answer(&json!({"entries": entries}), || {
        println!("the index is made anew: {}", count(entries, "entry", "entries"))
    })?;
    Ok(exit::OK)
}

pub(super) fn purge(session: &Session, args: &PurgeArgs) -> Result<u8> {
    match &args.id {
        Some(id) => purge_entry(session, id, args),
        None => purge_secret(session, args),
    }
}

fn purge_entry(session: &Session, id: &str, args: &PurgeArgs) -> Result<u8> {
    let mut ken = session.open()?;
    if !args.yes {
        ken = confirmed(session, ken, &format!("every byte of {id}"), ("its id", id))?;
    }
    let (key, files) = ken.purge(id, &args.reason)?;
    session.notes(&mut ken);
    let history = history(&files);
    session.output.answer(&json!({"purged": key, "files": files, "history": history}), || {
        println!("purged {key}");
        files.iter().for_each(|file| println!("  {file}"));
        say_history(&history);
    })?;
    Ok(exit::OK)
}

/// Takes out whatever holds a secret. It is never an argument: those stay in the history of shells.
fn purge_secret(session: &Session, args: &PurgeArgs) -> Result<u8> {
    let mut ken = session.open()?;
    let on_terminal = std::io::stdin().is_terminal();
    let mut secret = String::new();
    if on_terminal {
        secret = rpassword::prompt_password("The secret that must go (not shown): ")
            .map_err(Error::failed("asking for the secret"))?;
    } else {
        std::io::stdin().read_to_string(&mut secret).map_err(Error::failed("reading standard input"))?;
    }
    // What stood on standard input is read by now, so it cannot be asked again later.
    ken = confirmed(session, ken, "everything that holds it", ("`purge`", "purge"))?;
    let purge = ken.purge_secret(&secret, &args.reason, args.many)?;
    session.notes(&mut ken);
    let history = history(&purge.files);
    let mut answer = json!(purge);
    answer["history"] = json!(history);
    session.output.answer(&answer, || {
        if purge.events + purge.quarantined + purge.overlays == 0 {
            println!("nothing in this store holds it");
        } else {
            println!(
                "purged {} that held it; {} gone, {} changed, {} from the quarantine",
                count(purge.events, "event", "events"),
                count(purge.gone.len(), "entry", "entries"),
                count(purge.changed.len(), "entry", "entries"),
                purge.quarantined
            );
            purge.files.iter().for_each(|file| println!("  {file}"));
        }
        if purge.overlays > 0 {
            println!("{} of this clone held it, too", count(purge.overlays, "overlay", "overlays"));
        }
        purge.left.iter().for_each(|place| println!("still there: {place}"));
        if purge.events > 0 {
            println!("Whatever it opens must be changed: a secret that was written down is known.");
            say_history(&history);
        }
    })?;
    Ok(if purge.left.is_empty() { exit::OK } else { exit::FOUND })
}

/// The verbs, once a person confirmed that bytes go for good.
fn confirmed(session: &Session, ken: Kenning, what: &str, (name, word): (&str, &str)) -> Result<Kenning> {
    if !terminal::is_there() {
        return Err(Refusal::new(
            Code::NotAllowed,
            "a purge takes bytes out for good, and nobody is here to confirm it",
        )
        .hint("run it in a terminal of your own")
        .into());
    }
    let question = format!(
        "Take {what} out of the ledger, the journal and the index, for good? Type {name} to confirm: "
    );
    let person = session.confirm(&ken, word, &question)?;
    Ok(ken.confirmed_by(person))
}

/// The git commands that find and rewrite what commits still hold.
fn history(files: &[String]) -> [String; 2] {
    // A touched file is named with what was done to it.
    let paths: Vec<String> =
        files.iter().map(|file| format!(".kenning/{}", file.split(": ").next().unwrap_or(file))).collect();
    [
        format!("git log --all --oneline -- {}", paths.join(" ")),
        "git filter-repo --replace-text FILE   # FILE holds the words that must go, one on each line"
            .to_owned(),
    ]
}

fn say_history(history: &[String; 2]) {
    println!("Commits made before still hold the bytes. To find and to rewrite them:");
    history.iter().for_each(|line| println!("  {line}"));
}

pub(super) fn schema(kind: Option<&str>, _output: Output) -> Result<u8> {
    let value = match kind {
        Some(word) => match Type::from_word(&word.to_lowercase().replace('-', "_")) {
            Some(kind) => schema::json_schema(kind),
            None => return Err(Refusal::new(Code::Invalid, unknown_type(word)).field("type").into()),
        },
        None => Value::Object(
            Type::ALL
                .iter()
                .map(|kind| (kind.word().to_owned(), schema::json_schema(*kind)))
                .collect::<Map<_, _>>(),
        ),
    };
    println!("{value:#}");
    Ok(exit::OK)
}
