//! The verbs that keep a store in order and share it, shown: commit, flush, recover, adopt, verify, rebuild, purge, schema.

use std::io::IsTerminal;

use kenning::table::adopt::AdoptRequest;
use kenning::table::commit::CommitAnswer;
use kenning::table::flush::FlushAnswer;
use kenning::table::flush::FlushRequest;
use kenning::table::purge::PurgeAnswer;
use kenning::table::purge::PurgeRequest;
use kenning::table::purge::nobody_confirms;
use kenning::table::rebuild::RebuildAnswer;
use kenning::table::schema::SchemaRequest;
use kenning::table::{Adopt, Commit, Flush, Purge, Rebuild, Recover, Schema, Verify};
use kenning::verb::{Call, Verb};
use kenning::{Error, Finding, Recovered, Report, Result, SecretPurge};

use super::{CommandLine, Session, Shown};
use crate::output::{count, exit, println};
use crate::terminal;

impl Shown for Commit {
    fn say(answer: &CommitAnswer) {
        match &answer.committed {
            Some(said) => println!("committed {said}"),
            None => println!("nothing to commit"),
        }
    }
}

impl Shown for Flush {
    fn execute(session: &Session, request: FlushRequest) -> Result<u8> {
        let mut call = session.call(None)?;
        let answer = Self::run_noting(session, &mut call, request)?;
        session.output.answer(&answer, || {
            if !session.output.quiet {
                Self::say(&answer);
            }
        })?;
        Ok(exit::OK)
    }

    fn say(answer: &FlushAnswer) {
        println!(
            "wrote {} from the journal to the ledger files{}",
            count(answer.flushed, "event", "events"),
            if answer.staged { " and staged the store" } else { "" }
        );
    }
}

impl Shown for Recover {
    fn say(recovered: &Recovered) {
        match recovered.put_back {
            0 => println!("nothing to recover"),
            _ => println!("put back {}", recovered.from.join(", ")),
        }
        for hash in &recovered.still_missing {
            println!("  {hash} is missing from this clone; fetch the branch it was written on");
        }
    }
}

impl Shown for Adopt {
    fn execute(session: &Session, request: AdoptRequest) -> Result<u8> {
        let file = request.file.clone();
        let mut call = session.call(None)?;
        let adopted = Self::run_noting(session, &mut call, request)?;
        session.output.answer(&adopted, || {
            if adopted.done.is_empty() && adopted.left.is_empty() {
                println!("nothing in {} was edited by hand", file.display());
            }
            adopted.done.iter().for_each(|line| println!("{line}"));
            adopted.left.iter().for_each(|line| println!("not changed: {line}"));
        })?;
        Ok(Self::exit_code(&adopted))
    }
}

impl Shown for Verify {
    fn say(report: &Report) {
        report.fixed.iter().for_each(|line| println!("fixed   {line}"));
        say_findings("error", &report.errors);
        say_findings("notice", &report.notices);
        let verdict = if report.pass { "pass" } else { "FAIL" };
        let in_use = match report.in_use == report.entries {
            true => String::new(),
            false => format!(" ({} in use)", count(report.in_use, "entry", "entries")),
        };
        println!(
            "{verdict}: {}, {}, {}, {}{in_use}; {}, {}",
            count(report.files, "file", "files"),
            count(report.lines, "line", "lines"),
            count(report.events, "event", "events"),
            match in_use.is_empty() {
                true => count(report.entries, "entry", "entries"),
                // Of every status; `list` and `status` tell notes apart.
                false => count(report.entries, "entry or note", "entries and notes"),
            },
            count(report.errors.len(), "error", "errors"),
            count(report.notices.len(), "notice", "notices")
        );
    }
}

fn say_findings(word: &str, findings: &[Finding]) {
    for finding in findings {
        println!("{word:<7} {}", finding.message);
        if let Some(hint) = &finding.hint {
            println!("        {hint}");
        }
    }
}

impl Shown for Rebuild {
    fn say(answer: &RebuildAnswer) {
        println!("rebuilt the index: {}", count(answer.entries, "entry", "entries"));
    }
}

impl Shown for Purge {
    fn execute(session: &Session, request: PurgeRequest) -> Result<u8> {
        let mut call = session.call(None)?;
        call.reach()?;
        session.notes_of(&mut call);
        let answer = match &request.id {
            Some(id) => {
                if !request.yes {
                    call = confirmed(session, call, &format!("all content of {id}"))?;
                }
                Purge::run(&mut call, request)?
            }
            None => {
                let secret = read_secret()?;
                // What stood on standard input is read by now, so it cannot be asked again later.
                call = confirmed(session, call, "everything that contains it")?;
                Purge::secret(call.reach()?, &secret, &request.reason, request.many)?
            }
        };
        session.notes_of(&mut call);
        session.output.answer(&answer, || Self::say(&answer))?;
        Ok(Self::exit_code(&answer))
    }

    fn say(answer: &PurgeAnswer) {
        match answer {
            PurgeAnswer::Entry { files, history, purged } => {
                println!("purged {purged}");
                files.iter().for_each(|file| println!("  {file}"));
                say_history(history);
            }
            PurgeAnswer::Secret(secret) => say_purged(&secret.purge, &secret.history),
        }
    }
}

/// Asks for a secret. It is never an argument: those stay in the history of shells.
fn read_secret() -> Result<String> {
    if std::io::stdin().is_terminal() {
        return rpassword::prompt_password("Secret to purge (not shown): ")
            .map_err(Error::failed("asking for the secret"));
    }
    kenning::verb::read_secret(std::io::stdin())
}

fn say_purged(purge: &SecretPurge, history: &[String]) {
    let kept = purge.overlays + purge.temporaries + purge.judgements + purge.replays + purge.records;
    if purge.events + purge.quarantined + kept == 0 {
        println!("nothing in this store contains it");
    } else {
        println!(
            "purged {} that contained it: {} deleted, {} changed, {} from the quarantine",
            count(purge.events, "event", "events"),
            count(purge.gone.len(), "entry", "entries"),
            count(purge.changed.len(), "entry", "entries"),
            purge.quarantined
        );
        purge.files.iter().for_each(|file| println!("  {file}"));
    }
    if purge.overlays > 0 {
        println!("{} of this clone also contained it", count(purge.overlays, "overlay", "overlays"));
    }
    let kept = [
        (purge.temporaries, "temporary file", "temporary files"),
        (purge.judgements, "kept answer of a judge", "kept answers of a judge"),
        (purge.replays, "kept answer of `ken serve`", "kept answers of `ken serve`"),
    ];
    for (number, one, many) in kept.into_iter().filter(|(number, ..)| *number > 0) {
        println!("removed {}", count(number, one, many));
    }
    if purge.records > 0 {
        println!(
            "cleaned {} of this clone",
            count(purge.records, "other small record", "other small records")
        );
    }
    purge.left.iter().for_each(|place| println!("still present: {place}"));
    if purge.events > 0 {
        println!("Rotate the secret: treat it as compromised.");
        say_history(history);
    }
}

/// The same call, once a person confirmed that bytes go for good.
fn confirmed(session: &Session, mut call: Call, what: &str) -> Result<Call> {
    if !terminal::is_there() {
        return Err(nobody_confirms().into());
    }
    let question = format!(
        "Permanently delete {what} from the ledger, the journal and the index? Type `{}` to confirm: ",
        terminal::YES
    );
    let person = session.confirm(call.reach()?, terminal::YES, &question)?;
    Ok(call.confirmed_by(person))
}

fn say_history(history: &[String]) {
    if history.is_empty() {
        return;
    }
    println!("Earlier commits still contain it. To find and rewrite them:");
    history.iter().for_each(|line| println!("  {line}"));
}

impl Shown for Schema {
    // It needs neither a store nor anything of the environment.
    fn start(_: &CommandLine, request: SchemaRequest) -> Result<u8> {
        println!("{:#}", request.schema()?);
        Ok(exit::OK)
    }
}
