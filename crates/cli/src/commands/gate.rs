//! `gate`, `gate attest` and `override`, shown.

use kenning::core::answer::NormState;
use kenning::core::gate::Level;
use kenning::table::gate::GateRequest;
use kenning::table::gate_attest::AttestRequest;
use kenning::table::{Gate, GateAttest, Override};
use kenning::{Attestation, GateAnswer, NormView, OverrideAnswer, Result};
use serde_json::Value;

use super::check::say_sarif;
use super::sarif::{self, Rule};
use super::{Session, Shown, promote};
use crate::output::{bold, count, dim, exit, flat, println};
use crate::terminal;

impl Shown for Gate {
    fn execute(session: &Session, request: GateRequest) -> Result<u8> {
        let as_sarif = request.is_sarif()?;
        let mut call = session.call(None)?;
        let answer = Self::run_noting(session, &mut call, request)?;
        match as_sarif {
            true => say_sarif(&report(&answer)),
            false => session.output.answer(&answer, || Self::say(&answer))?,
        }
        Ok(Self::exit_code(&answer))
    }

    fn say(answer: &GateAnswer) {
        say(answer);
    }
}

impl Shown for Override {
    fn say(done: &OverrideAnswer) {
        println!("{} is overridden for the next action, until {}", bold(&done.handle), done.until);
        if done.counts_against {
            println!("  its belief was lowered because it was wrong");
        }
        println!("  recorded as {}", done.recorded);
    }
}

impl Shown for GateAttest {
    fn execute(session: &Session, request: AttestRequest) -> Result<u8> {
        let ken = session.open()?;
        let asked = kenning::gate::attestable(
            &ken.ledger,
            &ken.site.layout,
            &ken.caller,
            &request.norm,
            request.of(),
        )?;
        let what = format!("attest that change {} follows {}", asked.change, asked.norm);
        promote::needs_terminal(&ken, &what)?;
        if !session.output.json {
            println!("{}: {}", bold(&asked.norm), flat(&asked.rule));
            let (commits, files) =
                (count(asked.commits, "commit", "commits"), count(asked.files, "file", "files"));
            println!("  {commits}, {files}");
        }
        let person = session.confirm(&ken, terminal::YES, &format!("Type `yes` to {what}: "))?;
        // What is attested is the change that was shown, even where another came meanwhile.
        let mut ken = ken.confirmed_by(person);
        let done = kenning::gate::attest(
            &mut ken.ledger,
            &ken.site,
            &mut ken.models,
            &ken.caller,
            &request.norm,
            request.of(),
            &asked.change,
            &request.note,
        )?;
        session.notes(&mut ken);
        session.output.answer(&done, || Self::say(&done))?;
        Ok(exit::OK)
    }

    fn say(done: &Attestation) {
        println!("{} is attested for change {}", bold(&done.norm), done.change);
    }
}

/// What is printed of one gate; `--json` has all of it.
const FOUND_MAX: usize = 50;

fn say(answer: &GateAnswer) {
    let tier = answer.tier.as_ref().map(|tier| format!(", risk {tier}")).unwrap_or_default();
    println!("{}{tier}", bold(&format!("gates over {}", answer.judged)));
    for why in &answer.tier_why {
        println!("  {}", dim(&flat(why)));
    }
    for gate in &answer.gates {
        println!("  {:<4}  {}", gate.state.word(), gate.name);
        for found in gate.found.iter().take(FOUND_MAX) {
            let place = match (&found.file, found.line) {
                (Some(file), Some(line)) => format!(" [{file}:{line}]"),
                (Some(file), None) => format!(" [{file}]"),
                (None, _) => String::new(),
            };
            let loud = match found.level {
                Level::Blocks => "blocks",
                Level::Warns => "warns",
            };
            println!("        {loud}: {}{}", flat(&found.message), dim(&flat(&place)));
            println!("        {}", dim(&format!("-> {}", flat(&found.hint))));
        }
        if gate.found.len() > FOUND_MAX {
            println!(
                "        {}",
                dim(&format!("and {} more: --json lists all", gate.found.len() - FOUND_MAX))
            );
        }
    }
    for norm in &answer.norms {
        say_norm(norm);
    }
    for note in &answer.notes {
        println!("  {}", dim(&flat(note)));
    }
    let warned = match answer.warnings {
        0 => String::new(),
        n => format!(", {}", count(n, "warning", "warnings")),
    };
    match answer.passed {
        true => println!("passed{warned}"),
        false => println!(
            "{}{warned}",
            bold(&format!("blocked by {}", count(answer.blocking, "finding", "findings")))
        ),
    }
}

fn say_norm(norm: &NormView) {
    let solo = if norm.solo { ", approved solo" } else { "" };
    println!("  {:<4}  {} ({}{solo}): {}", norm.state.word(), norm.norm, norm.enforcement, flat(&norm.rule));
    if norm.state == NormState::Pass {
        return;
    }
    println!("        {}", flat(&norm.why));
    for place in &norm.places {
        let commit = place.commit.as_deref().map(|commit| commit.get(..10).unwrap_or(commit).to_owned());
        let file = place.path.as_ref().map(|path| match place.line {
            Some(line) => format!("{path}:{line}"),
            None => path.clone(),
        });
        let at = [commit, file].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let at = if at.is_empty() { "the change".to_owned() } else { at };
        println!("        {}: {}", bold(&flat(&at)), flat(&place.why));
    }
    for exception in &norm.exceptions {
        println!("        {}", dim(&format!("except: {}", flat(exception))));
    }
}

/// Every rule: a gate that blocks, a gate that warns, a norm.
const RULES: &[Rule] = &[
    ("gate-blocks", "A gate blocks this change.", "error"),
    ("gate-warns", "A gate asks for a review.", "warning"),
    ("norm-broken", "A norm in force is violated.", "error"),
    ("norm-unchecked", "A norm could not be checked.", "warning"),
];

fn report(answer: &GateAnswer) -> Value {
    let found = answer.gates.iter().flat_map(|gate| &gate.found).map(|found| {
        let rule = match found.level {
            Level::Blocks => "gate-blocks",
            Level::Warns => "gate-warns",
        };
        let line = found.line.and_then(|line| u32::try_from(line).ok()).unwrap_or(1);
        let path = found
            .file
            .as_ref()
            .map_or_else(|| ".kenning/VERSION".to_owned(), |file| format!(".kenning/{file}"));
        let text = format!("{}: {} ({})", found.gate, found.message, found.hint);
        let about = found.entry.clone().unwrap_or_else(|| found.message.clone());
        sarif::result(RULES, rule, &text, (&path, Some((line, line))), &format!("{}:{about}", found.gate))
    });
    let norms = answer.norms.iter().flat_map(|norm| {
        let rule = if norm.blocks { "norm-broken" } else { "norm-unchecked" };
        let shown = norm.blocks || norm.state.is_unkept();
        let one = move |path: &str, line: Option<u32>, why: &str| {
            let text = format!("{}: {} ({why})", norm.norm, norm.rule);
            sarif::result(
                RULES,
                rule,
                &text,
                (path, line.map(|line| (line, line))),
                &format!("{}:{path}:{why}", norm.norm),
            )
        };
        let mut results: Vec<Value> = norm
            .places
            .iter()
            .map(|place| {
                let commit = place.commit.as_deref().map(|commit| commit.get(..10).unwrap_or(commit));
                let why =
                    commit.map_or(place.why.clone(), |commit| format!("commit {commit}: {}", place.why));
                one(place.path.as_deref().unwrap_or(".kenning/VERSION"), place.line, &why)
            })
            .collect();
        if results.is_empty() {
            results.push(one(".kenning/VERSION", None, &norm.why));
        }
        results.retain(|_| shown);
        results
    });
    sarif::document(RULES, found.chain(norms).collect())
}
