//! `search`, `surface`, `inject`, `menu`, `applied` and `embed`: finding, and handing over.

use std::io::{IsTerminal, Read};

use kenning::core::weights::Signals;
use kenning::core::{Code, Memory, Refusal, Type, TypeName};
use kenning::guard;
use kenning::ops::search::{AnswerStatus, LeftOut, sum_line};
use kenning::ops::surface::{Deviation, NOTHING, Role};
use kenning::{Mode, Query, Result, SearchAnswer, SearchInput, SurfaceAnswer, SurfaceInput, Tier};
use serde_json::json;

use super::{Session, word};
use crate::args::{AppliedArgs, EmbedArgs, MenuArgs, SearchArgs, SurfaceArgs, as_typed};
use crate::output::{bold, dim, exit, on_terminal, plain, println, width, wrap};

pub(super) fn search(session: &Session, args: &SearchArgs) -> Result<u8> {
    let mut input = SearchInput {
        query: as_typed(&args.query),
        steady: args.no_explore,
        thread: args.thread.clone(),
        debug: args.debug,
        among: Query {
            all: args.all,
            this_branch: args.this_branch,
            tags: args.tag.clone(),
            ..Query::default()
        },
        ..SearchInput::default()
    };
    (input.mode, input.by_relevance) = word(
        "mode",
        "mode",
        &args.mode,
        &["lexical", "semantic", "hybrid", "composite"],
        |word| match word {
            "lexical" => Some((Mode::Lexical, true)),
            "semantic" => Some((Mode::Semantic, true)),
            "hybrid" => Some((Mode::Hybrid, true)),
            "composite" => Some((Mode::Hybrid, false)),
            _ => None,
        },
    )?;
    input.tier = tier(&args.tier)?;
    for text in &args.memory {
        input.among.memories.push(word("memory", "memory", text, Memory::WORDS, Memory::from_word)?);
    }
    for text in &args.kind {
        let kind = word("type", "type of entry", text, Type::WORDS, Type::from_word)?;
        input.among.types.push(TypeName::Known(kind));
    }
    let mut ken = session.open()?;
    if let Some(budget) = args.pack {
        let pack = ken.pack(&input.query, budget, input.thread)?;
        session.notes(&mut ken);
        session.output.answer(&pack, || println!("{}", plain(pack.text.trim_end())))?;
        if !session.output.json {
            let (count, by) = (pack.tokens.count, &pack.tokens.by);
            session.output.note(&format!("digest {}, {count} of {budget} tokens by {by}", pack.digest));
        }
        return Ok(exit::OK);
    }
    input.limit = args.limit.unwrap_or_else(|| ken.config().number("search.limit"));
    let answer = match &args.as_of {
        Some(when) => ken.search_as_of(when, &input)?,
        None => ken.search(&input)?,
    };
    session.notes(&mut ken);
    session.output.answer(&answer, || say(&answer, args.explain))?;
    if !session.output.json {
        hints(session, &answer);
    }
    if answer.backlog > 0 {
        super::embed_in_background(session, &mut ken);
    }
    Ok(exit::OK)
}

fn tier(text: &str) -> Result<Option<Tier>> {
    word("tier", "tier", text, &["auto", "summary", "standard", "full"], |word| match word {
        "auto" => Some(None),
        "summary" => Some(Some(Tier::Summary)),
        "standard" => Some(Some(Tier::Standard)),
        "full" => Some(Some(Tier::Full)),
        _ => None,
    })
}

fn say(answer: &SearchAnswer, explain: bool) {
    if answer.results.is_empty() {
        println!("{NOTHING}");
    }
    for (at, result) in answer.results.iter().enumerate() {
        if at > 0 && answer.tier != Tier::Summary {
            println!();
        }
        if on_terminal() {
            let (head, rest) = result.text.split_once('\n').unwrap_or((&result.text, ""));
            let (cite, claim) = head.split_once("] ").unwrap_or(("", head));
            println!("{} {}", bold(&format!("{cite}]")), wrap(claim, 0, width().saturating_sub(12)));
            if !rest.is_empty() {
                println!("{}", plain(rest));
            }
        } else {
            println!("{}", plain(&result.text));
        }
        if explain {
            println!(
                "  {}",
                sum_line(&kenning::core::score::Score { total: result.score, parts: result.parts.clone() })
            );
            for part in &result.parts {
                println!(
                    "    {:<12} {:.4} x {:.2} = {:.4}  {}",
                    part.signal.word(),
                    part.value,
                    part.weight,
                    part.part,
                    plain(&part.why)
                );
            }
            let parts = &result.relevance;
            let cosine = parts.cosine.map_or("no vector".to_owned(), |cosine| format!("cosine {cosine:.3}"));
            println!(
                "    similarity {:.4} = {:.4} x {:.4}^4: how likely the best is right, and how near it comes to the best",
                result.similarity, parts.confidence, parts.of_best
            );
            println!(
                "    by words {:.3}, meaning {:.3} ({cosine}), neighbours {:.3}, subject {:.3}",
                parts.words, parts.meaning, parts.neighbours, parts.subject
            );
        }
    }
    if explain {
        let taken = &answer.understood;
        let subjects = if taken.subjects.is_empty() {
            String::new()
        } else {
            format!(", about {}", taken.subjects.join(", "))
        };
        println!(
            "{}",
            dim(&format!(
                "asked: {:?}, words count {:.2} and meaning {:.2}{subjects}",
                taken.text, taken.words_weight, taken.meaning_weight
            ))
        );
        println!(
            "{}",
            dim(&format!("digest {}, {} tokens by {}", answer.digest, answer.tokens.count, answer.tokens.by))
        );
    }
    say_left_out(answer.left_out.as_deref());
}

/// Everything that was considered, and why it was left out (SUR-9).
fn say_left_out(left_out: Option<&[LeftOut]>) {
    let Some(left_out) = left_out else { return };
    println!("left out:");
    for one in left_out {
        println!("  {}: {}", plain(&one.id), plain(&one.why));
    }
}

/// What a person should know beside the answer, on standard error.
fn hints(session: &Session, answer: &SearchAnswer) {
    for note in &answer.notes {
        session.output.note(note);
    }
    if let Some(why) = answer.fallback.as_ref().filter(|_| !answer.results.is_empty()) {
        session.output.note(&format!("fallback, words alone answered: {why}"));
    }
    if answer.backlog > 0 && answer.status != AnswerStatus::Degraded {
        session.output.note(&format!(
            "{} entries wait for a vector and are found by their words only; `ken embed` makes them",
            answer.backlog
        ));
    }
}

fn input(args: &SurfaceArgs, ken: &kenning::Kenning) -> Result<SurfaceInput> {
    let names: Vec<&str> = Role::ALL.iter().map(|role| role.word()).collect();
    let role = word("role", "role", &args.role, &names, |word| {
        Role::ALL.into_iter().find(|role| role.word() == word)
    })?;
    let kinds: Vec<&str> = Deviation::ALL.iter().map(|kind| kind.word()).collect();
    let deviation = match &args.deviation {
        None => None,
        Some(text) => Some(word("deviation", "kind of deviation", text, &kinds, |word| {
            Deviation::ALL.into_iter().find(|kind| kind.word() == word)
        })?),
    };
    let task = args.task.join(" ");
    if task.trim().is_empty() {
        return Err(Refusal::new(Code::Invalid, "the task is empty; say what is about to be done")
            .field("task")
            .into());
    }
    Ok(SurfaceInput {
        role,
        task,
        deviation,
        budget: args.budget,
        full: args.full,
        upstream: args.upstream.as_deref().map(read_upstream).transpose()?,
        episodic: args.episodic,
        thread: args.thread.clone(),
        debug: args.debug,
        policy: ken.policy(role),
        injecting: None,
    })
}

fn read_upstream(name: &str) -> Result<String> {
    const UPSTREAM_BYTES_MAX: u64 = 4 * 1024 * 1024;
    let mut bytes = Vec::new();
    let read = if name == "-" {
        std::io::stdin().take(UPSTREAM_BYTES_MAX).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(name).and_then(|file| file.take(UPSTREAM_BYTES_MAX).read_to_end(&mut bytes))
    };
    match read {
        Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let message = format!("there is no file {name:?} to read what came from upstream");
            Err(Refusal::new(Code::NotFound, message).field("upstream").into())
        }
        Err(error) => Err(kenning::Error::failed(format!("reading {name}"))(error)),
    }
}

pub(super) fn surface(session: &Session, args: &SurfaceArgs, injected: bool) -> Result<u8> {
    let mut ken = session.open()?;
    let input = input(args, &ken)?;
    let answer = if injected { ken.inject(input)? } else { ken.surface(&input)? };
    session.notes(&mut ken);
    session.output.answer(&answer, || say_surfaced(&answer))?;
    if let (Some(why), false) = (&answer.fallback, session.output.json) {
        session.output.note(&format!("fallback, words alone answered: {why}"));
    }
    if answer.exceeded {
        let (count, budget) = (answer.tokens.count, answer.budget);
        session
            .output
            .note(&format!("critical entries took {count} tokens, {budget} were allowed; that is recorded"));
    }
    Ok(exit::OK)
}

fn say_surfaced(answer: &SurfaceAnswer) {
    println!("{}", plain(&answer.text));
    say_left_out(answer.left_out.as_deref());
}

pub(super) fn menu(session: &Session, args: &MenuArgs) -> Result<u8> {
    let mut ken = session.open()?;
    let menu = ken.menu(&args.task.join(" "), args.budget)?;
    session.notes(&mut ken);
    session.output.answer(&menu, || {
        if menu.lines.is_empty() {
            println!("{NOTHING}");
        } else {
            println!("{}", plain(&guard::fence::block("Kenning", &menu.lines.join("\n"))));
        }
        if menu.more > 0 {
            println!("{} more; `ken show ID` opens one, `ken search` finds", menu.more);
        }
    })?;
    Ok(exit::OK)
}

pub(super) fn applied(session: &Session, args: &AppliedArgs) -> Result<u8> {
    let mut dismissed = Vec::new();
    for text in &args.dismissed {
        let Some((id, why)) = text.split_once('=').filter(|(_, why)| !why.trim().is_empty()) else {
            let message = format!("{text:?} says not why it was dismissed; ID=REASON is wanted");
            return Err(Refusal::new(Code::Invalid, message).field("dismissed").into());
        };
        dismissed.push((id.trim().to_owned(), why.trim().to_owned()));
    }
    let mut ken = session.open()?;
    let answer = ken.applied(&args.used, &dismissed)?;
    session.notes(&mut ken);
    for one in &answer.left_out {
        session.output.note(&format!("{} is left out of the report: {}", one.id, one.why));
    }
    session.output.answer(&answer, || println!("{}", plain(&answer.text)))?;
    Ok(exit::OK)
}

pub(super) fn embed(session: &Session, args: &EmbedArgs) -> Result<u8> {
    let mut ken = session.open()?;
    if args.status {
        let model = ken.embedder().map(|embedder| embedder.card().name.clone());
        let backlog = ken.backlog()?;
        let (name, why) = (model.as_ref().ok(), model.as_ref().err());
        session.output.answer(
            &json!({"model": name, "fallback": why, "backlog": backlog}),
            || match &model {
                Ok(name) => println!("{backlog} entries wait for a vector of {name}"),
                Err(why) => println!("no vectors are made: {why}"),
            },
        )?;
        return Ok(exit::OK);
    }
    let waiting = ken.backlog()?;
    let bar = progress(waiting, session);
    let stop = super::interrupt();
    let report = ken.embed(&mut |made| {
        bar.inc(made as u64);
        !stop.load(std::sync::atomic::Ordering::Relaxed)
    })?;
    bar.finish_and_clear();
    session.notes(&mut ken);
    session.output.answer(&report, || {
        println!("vectors made: {}, entries that wait: {} ({})", report.made, report.backlog, report.model);
        if report.damaged > 0 {
            println!("{} damaged vectors were made anew", report.damaged);
        }
        if report.proposed > 0 {
            println!("pairs that seem to say the same: {}; `ken show` names the other one", report.proposed);
        }
    })?;
    Ok(if report.backlog > 0 && stop.load(std::sync::atomic::Ordering::Relaxed) {
        exit::INTERRUPTED
    } else {
        exit::OK
    })
}

/// A bar on a terminal, for anything that may take over a second.
pub(super) fn progress(total: usize, session: &Session) -> indicatif::ProgressBar {
    if session.output.quiet || !std::io::stderr().is_terminal() {
        return indicatif::ProgressBar::hidden();
    }
    indicatif::ProgressBar::new(total as u64)
}
