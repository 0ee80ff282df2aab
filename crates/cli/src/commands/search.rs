//! `search`, `surface`, `inject`, `menu`, `applied` and `embed`, shown.

use std::io::IsTerminal;
use std::sync::atomic::Ordering;

use kenning::core::weights::Signals;
use kenning::guard;
use kenning::ops::applied::AppliedAnswer;
use kenning::ops::search::{AnswerStatus, LeftOut, NoCosine, sum_line};
use kenning::ops::surface::NOTHING;
use kenning::search_request::SearchRequest;
use kenning::search_request::SurfaceRequest;
use kenning::table::applied::AppliedRequest;
use kenning::table::embed::EmbedAnswer;
use kenning::table::embed::EmbedRequest;
use kenning::table::search::SearchOrPack;
use kenning::table::{Applied, Embed, Inject, Menu, Search, Surface};
use kenning::verb::Verb;
use kenning::{EmbedReport, Result, SearchAnswer, SurfaceAnswer, Tier};

use super::{Session, Shown};
use crate::args::as_typed;
use crate::output::{bold, dim, exit, plain, print_text, print_wrapped, println};

impl Shown for Search {
    fn execute(session: &Session, mut request: SearchRequest) -> Result<u8> {
        request.query = vec![as_typed(&request.query)];
        let (explain, budget) = (request.explain, request.pack.unwrap_or_default());
        let mut call = session.call(Self::in_run(&request))?;
        let answer = Self::run_noting(session, &mut call, request)?;
        session.output.answer(&answer, || match &answer {
            SearchOrPack::Search(answer) => say(answer, explain),
            SearchOrPack::Pack(pack) => print_text(pack.text.trim_end()),
        })?;
        if !session.output.json {
            match &answer {
                SearchOrPack::Search(answer) => hints(session, answer),
                SearchOrPack::Pack(pack) => {
                    let (count, by) = (pack.tokens.count, &pack.tokens.by);
                    session
                        .output
                        .note(&format!("digest {}, {count} of {budget} tokens by {by}", pack.digest));
                }
            }
        }
        if let (SearchOrPack::Search(answer), Some(ken)) = (&answer, call.opened())
            && answer.backlog > 0
        {
            kenning::embedding::embed_in_background(&mut ken.ledger, &ken.site, &mut ken.models);
        }
        Ok(exit::OK)
    }
}

fn say(answer: &SearchAnswer, explain: bool) {
    if answer.results.is_empty() {
        println!("{NOTHING}");
    }
    for (at, result) in answer.results.iter().enumerate() {
        if at > 0 && answer.tier != Tier::Summary {
            println!();
        }
        let text = plain(&result.text);
        let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
        match head.split_once("] ") {
            Some((cite, claim)) => print_wrapped(&format!("{} {claim}", bold(&format!("{cite}]")))),
            None => print_wrapped(head),
        }
        rest.lines().for_each(print_wrapped);
        if explain {
            print_wrapped(&format!(
                "  {}",
                sum_line(&kenning::core::score::Score { total: result.score, parts: result.parts.clone() })
            ));
            for part in &result.parts {
                print_wrapped(&format!(
                    "    {:<12} {:.4} x {:.2} = {:.4}  {}",
                    part.signal.word(),
                    part.value,
                    part.weight,
                    part.part,
                    plain(&part.why)
                ));
            }
            if let Some(why) = &result.held_back {
                print_wrapped(&format!("    {}", plain(why)));
            }
            let parts = &result.relevance;
            let cosine = parts.cosine.map(|cosine| format!("cosine {cosine:.3}"));
            let missing = || parts.no_cosine.map(NoCosine::told).unwrap_or_default().to_owned();
            let cosine = cosine.unwrap_or_else(missing);
            print_wrapped(&format!(
                "    similarity {:.4} = {:.4} x {:.4}^4: probability that the best is right, times closeness to the best",
                result.similarity, parts.confidence, parts.of_best
            ));
            print_wrapped(&format!(
                "    keywords {:.3}, embedding {:.3} ({cosine}), neighbours {:.3}, subject {:.3}",
                parts.words, parts.meaning, parts.neighbours, parts.subject
            ));
        }
    }
    if explain {
        let taken = &answer.understood;
        let subjects = if taken.subjects.is_empty() {
            String::new()
        } else {
            format!(", about {}", taken.subjects.join(", "))
        };
        print_wrapped(&dim(&format!(
            "query: {:?}, weights: keywords {:.2}, embeddings {:.2}{subjects}",
            taken.text, taken.words_weight, taken.meaning_weight
        )));
        let (count, by) = (answer.tokens.count, &answer.tokens.by);
        print_wrapped(&dim(&format!("digest {}, {count} tokens by {by}", answer.digest)));
    }
    say_left_out(answer.left_out.as_deref());
}

/// Everything that was considered, and why it was left out (SUR-9).
fn say_left_out(left_out: Option<&[LeftOut]>) {
    let Some(left_out) = left_out else { return };
    println!("left out:");
    for one in left_out {
        print_wrapped(&format!("  {}: {}", plain(&one.id), plain(&one.why)));
    }
}

/// What a person should know beside the answer, on standard error.
fn hints(session: &Session, answer: &SearchAnswer) {
    for note in &answer.notes {
        session.output.note(note);
    }
    if let Some(why) = answer.fallback.as_ref().filter(|_| !answer.results.is_empty()) {
        session.output.note(&format!("fallback to keyword search: {why}"));
    }
    if answer.backlog > 0 && answer.status != AnswerStatus::Degraded {
        session.output.note(&format!(
            "{} entries have no embedding yet and are found by keyword only; run `ken rebuild --embeddings`",
            answer.backlog
        ));
    }
}

impl Shown for Surface {
    fn execute(session: &Session, request: SurfaceRequest) -> Result<u8> {
        hand_over::<Surface>(session, request)
    }
}

impl Shown for Inject {
    fn execute(session: &Session, request: SurfaceRequest) -> Result<u8> {
        hand_over::<Inject>(session, request)
    }
}

fn hand_over<V>(session: &Session, request: SurfaceRequest) -> Result<u8>
where
    V: Shown + Verb<Request = SurfaceRequest, Answer = SurfaceAnswer>,
{
    let mut call = session.call(V::in_run(&request))?;
    let answer = V::run_noting(session, &mut call, request)?;
    session.output.answer(&answer, || {
        print_text(&answer.text);
        say_left_out(answer.left_out.as_deref());
    })?;
    if let (Some(why), false) = (&answer.fallback, session.output.json) {
        session.output.note(&format!("fallback to keyword search: {why}"));
    }
    if answer.exceeded {
        let (count, budget) = (answer.tokens.count, answer.budget);
        session.output.note(&format!(
            "critical entries needed {count} tokens, over the budget of {budget}; this was recorded"
        ));
    }
    Ok(exit::OK)
}

impl Shown for Menu {
    fn say(menu: &kenning::Menu) {
        if menu.lines.is_empty() {
            println!("{NOTHING}");
        } else {
            print_text(&guard::fence::block("Kenning", &menu.lines.join("\n")));
        }
        if menu.more > 0 {
            print_wrapped(&format!("{} more; `ken show ID` shows one, `ken search` finds others", menu.more));
        }
    }
}

impl Shown for Applied {
    fn execute(session: &Session, request: AppliedRequest) -> Result<u8> {
        let mut call = session.call(None)?;
        let answer = Self::run_noting(session, &mut call, request)?;
        for one in &answer.left_out {
            session.output.note(&format!("{} is not in the report: {}", one.id, one.why));
        }
        session.output.answer(&answer, || Self::say(&answer))?;
        Ok(exit::OK)
    }

    fn say(answer: &AppliedAnswer) {
        println!("{}", plain(&answer.text));
    }
}

impl Shown for Embed {
    fn execute(session: &Session, request: EmbedRequest) -> Result<u8> {
        let mut call = session.call(None)?;
        if request.status {
            let answer = Self::run_noting(session, &mut call, request)?;
            session.output.answer(&answer, || Self::say(&answer))?;
            return Ok(exit::OK);
        }
        let ken = call.reach()?;
        session.notes(ken);
        let bar = progress(kenning::embedding::backlog(&mut ken.ledger, &mut ken.models)?, session);
        let stop = super::interrupt();
        let report = kenning::embedding::embed(
            &mut ken.ledger,
            &ken.site.config,
            &mut ken.models,
            &ken.caller,
            &mut |made| {
                bar.inc(made as u64);
                !stop.load(Ordering::Relaxed)
            },
        )?;
        bar.finish_and_clear();
        session.notes(ken);
        let is_stopped = report.backlog > 0 && stop.load(Ordering::Relaxed);
        let answer = EmbedAnswer::Made(report);
        session.output.answer(&answer, || Self::say(&answer))?;
        Ok(if is_stopped { exit::INTERRUPTED } else { exit::OK })
    }

    fn say(answer: &EmbedAnswer) {
        match answer {
            EmbedAnswer::Status(status) => match (&status.model, &status.fallback) {
                (Some(name), _) => println!("{} entries have no embedding by {name}", status.backlog),
                (None, why) => println!("no embeddings are computed: {}", why.as_deref().unwrap_or_default()),
            },
            EmbedAnswer::Made(report) => say_embedded(report),
        }
    }
}

fn say_embedded(report: &EmbedReport) {
    println!(
        "embeddings computed: {}, entries still without one: {} ({})",
        report.made, report.backlog, report.model
    );
    if report.damaged > 0 {
        println!("{} damaged embeddings were recomputed", report.damaged);
    }
    if report.proposed > 0 {
        println!("likely duplicates: {}; `ken show` names the other entry", report.proposed);
    }
}

/// A bar on a terminal, for anything that may take over a second.
pub(super) fn progress(total: usize, session: &Session) -> indicatif::ProgressBar {
    if session.output.quiet || !std::io::stderr().is_terminal() {
        return indicatif::ProgressBar::hidden();
    }
    indicatif::ProgressBar::new(total as u64)
}
