//! `reduce`, `staging`, `reflect`, `reweave` and `harvest`.

use kenning::core::answer::{DuplicateKind, ReweaveOutcome};
use kenning::table::staging_accept::StagingAcceptAnswer;
use kenning::table::staging_drop::StagingDropAnswer;
use kenning::table::staging_list::StagingPage;
use kenning::table::{
    Harvest, Reduce, Reflect, Reweave, StagingAccept, StagingDrop, StagingList, StagingRestore, StagingShow,
};
use kenning::{
    DraftLine, DraftOutcome, HarvestAnswer, HarvestSheet, JudgeUse, ReduceAnswer, ReflectAnswer,
    ReweaveAnswer, Staged, StagedLine, TranscriptState,
};

use super::Shown;
use crate::output::{bold, count, dim, plain, println, say_more, width, wrap};

impl Shown for Reduce {
    fn say(answer: &ReduceAnswer) {
        say_reduced(answer);
    }
}

impl Shown for StagingList {
    fn say(answer: &StagingPage) {
        say_staging(answer);
    }
}

impl Shown for StagingShow {
    fn say(staged: &Staged) {
        say_staged(staged);
    }
}

impl Shown for StagingAccept {
    fn say(answer: &StagingAcceptAnswer) {
        for one in &answer.accepted {
            let why = one.added.reasons.join("; ");
            let colon = if why.is_empty() { "" } else { ": " };
            println!("{} {}{colon}{why}", one.added.outcome, bold(&one.added.id));
        }
    }
}

impl Shown for StagingDrop {
    fn say(answer: &StagingDropAnswer) {
        for one in &answer.dropped {
            println!("dropped {}: {}", bold(&one.id), plain(&one.statement));
        }
        println!("`ken digest restore ID` restores one");
    }
}

impl Shown for StagingRestore {
    fn say(staged: &Staged) {
        println!("{} waits again: {}", bold(&staged.id), plain(&staged.candidate.statement));
    }
}

impl Shown for Reflect {
    fn say(answer: &ReflectAnswer) {
        say_reflected(answer);
    }
}

impl Shown for Reweave {
    fn say(answer: &ReweaveAnswer) {
        let entry = answer
            .replaced_handle
            .as_ref()
            .filter(|_| answer.did == ReweaveOutcome::Superseded)
            .unwrap_or(&answer.handle);
        let reasons = plain(&answer.reasons.join("; "));
        println!("{} {}: {}", answer.did, bold(entry), wrap(&reasons, 2, width()).trim_start());
    }
}

impl Shown for Harvest {
    fn say(answer: &HarvestAnswer) {
        say_harvested(answer);
    }
}

/// A worksheet, for the agent or the person who fills it in.
fn say_sheet(sheet: &HarvestSheet) {
    println!("{}", wrap(&sheet.question, 0, width()));
    for span in &sheet.spans {
        println!("{}  {}", bold(&format!("{} {}", span.line, span.who)), plain(&span.text));
    }
    let file = plain(&sheet.file);
    println!("Fill it in with `ken harvest {file} --claims CLAIMS.json`.");
    if let Some(next) = sheet.next {
        println!("The transcript goes on: `ken harvest {file} --worksheet --from {next}`.");
    }
}

fn say_harvested(answer: &HarvestAnswer) {
    if let Some(sheet) = &answer.worksheet {
        return say_sheet(sheet);
    }
    let mut others = 0;
    for one in &answer.transcripts {
        let name = bold(&plain(&one.file));
        match one.state {
            TranscriptState::Read => {
                let host = one.host.as_deref().unwrap_or_default();
                println!("{name}  {}", dim(&format!("{host}, {}", count(one.turns, "turn", "turns"))));
            }
            TranscriptState::Unchanged => println!("{name}  {}", dim("unchanged since the last harvest")),
            TranscriptState::NoTranscript => {
                println!("{name}  not a transcript of a known host; --host says which one wrote it");
            }
            TranscriptState::OtherProject => others += 1,
        }
        if one.unreadable > 0 {
            println!("  {} skipped: not JSON", count(one.unreadable, "line", "lines"));
        }
        if one.cut {
            println!("  longer than what is read; the rest was left out");
        }
        answer.drafts.iter().filter(|draft| draft.file == one.file).for_each(say_draft);
    }
    if others > 0 {
        println!(
            "{} of other projects skipped (--all reads them)",
            count(others, "transcript", "transcripts")
        );
    }
    if let Some(judge) = &answer.judge {
        say_judge(judge);
    }
    answer.notes.iter().for_each(|note| println!("{note}"));
    let of = |outcome: DraftOutcome| answer.drafts.iter().filter(|draft| draft.outcome == outcome).count();
    let parts = [
        (of(DraftOutcome::Known), "known"),
        (of(DraftOutcome::Refused), "refused"),
        (of(DraftOutcome::Rejected), "rejected by the scan"),
    ];
    let rest: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if !rest.is_empty() {
        println!("left out: {}", rest.join(", "));
    }
    match (of(DraftOutcome::Added), answer.dry_run) {
        (0, _) => println!("no new drafts"),
        (n, true) => println!("{} would be added; nothing was written", count(n, "draft", "drafts")),
        (n, false) => println!(
            "{} added as candidates: `ken edit ID --statement ...` words one, `ken retract ID` takes it back",
            count(n, "draft", "drafts")
        ),
    }
}

fn say_judge(judge: &JudgeUse) {
    let calls = count(judge.calls as usize, "question", "questions");
    println!("{calls} to {}: {} tokens, {:.2} cents", judge.name, judge.tokens, judge.cents);
}

fn say_draft(draft: &DraftLine) {
    let (first, last) = draft.lines;
    let handle = draft.handle.as_deref().unwrap_or("draft");
    let outcome = match draft.outcome {
        DraftOutcome::Added => "",
        DraftOutcome::Known => ", known",
        DraftOutcome::Refused => ", refused",
        DraftOutcome::Rejected => ", rejected",
    };
    println!("{}  {}", bold(handle), dim(&format!("{}, lines {first}-{last}{outcome}", draft.kind.word())));
    if !draft.statement.is_empty() {
        println!("  {}", wrap(&plain(&draft.statement), 2, width()).trim_start());
    }
    if let Some(error) = &draft.error {
        println!("  {}", dim(&format!("error: {}", plain(error))));
    }
    if !draft.places.is_empty() {
        println!("  {}", dim(&format!("files: {}", plain(&draft.places.join(", ")))));
    }
}

fn say_reduced(answer: &ReduceAnswer) {
    for source in &answer.sources {
        println!("{}  {}", bold(&plain(&source.source)), count(source.candidates, "candidate", "candidates"));
        if source.cut_off > 0 {
            println!(
                "  {} more {} skipped: only the first {} of one source are read; name smaller parts of it",
                source.cut_off,
                if source.cut_off == 1 { "was" } else { "were" },
                source.candidates
            );
        }
    }
    answer.staged.iter().for_each(say_line);
    let known = answer.known;
    let parts = [
        (known.staged, "already staged"),
        (known.entries, "already covered by entries"),
        (known.dropped, "dropped before"),
    ];
    let known: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if !known.is_empty() {
        println!("left out: {}", known.join(", "));
    }
    for one in &answer.kept_out {
        println!(
            "rejected: {}, the scan reports {} ({})",
            plain(&one.place),
            one.tier.word(),
            one.rules.join(", ")
        );
    }
    for one in &answer.left_out {
        println!("left out: {}: {}", plain(&one.place), plain(&one.why));
    }
    if let Some(judge) = &answer.judge {
        say_judge(judge);
    }
    answer.notes.iter().for_each(|note| println!("{note}"));
    if answer.undecided > 0 {
        println!(
            "{} may be rules; no judge was asked about them (setting judge.kind)",
            count(answer.undecided, "more sentence", "more sentences")
        );
    }
    match (answer.staged.len(), answer.dry_run) {
        (0, _) => println!("nothing new to stage"),
        (n, true) => println!("{} would be staged; nothing was written", count(n, "candidate", "candidates")),
        (n, false) => println!(
            "{} staged: `ken digest accept ID` adds one as an entry, `ken digest drop ID --reason ...` drops it",
            count(n, "candidate", "candidates")
        ),
    }
}

fn say_line(line: &StagedLine) {
    let about = format!("{} {} {}, {} %", line.kind, plain(&line.place), line.cue, line.confidence);
    println!("{}  {}", bold(&line.id), dim(&about));
    println!("  {}", wrap(&plain(&line.statement), 2, width()).trim_start());
}

fn say_staging(answer: &StagingPage) {
    answer.staged.items.iter().for_each(say_line);
    if answer.staged.items.is_empty() {
        println!("no candidates are staged; `ken digest reduce PATH` reads a document");
    }
    say_more(&answer.staged);
    for one in &answer.dropped {
        println!(
            "{}",
            dim(&format!(
                "dropped {}: {} ({}, {})",
                one.id,
                plain(&one.statement),
                plain(&one.reason),
                plain(&one.by)
            ))
        );
    }
}

fn say_staged(staged: &Staged) {
    let candidate = &staged.candidate;
    println!("{}  {}", bold(&staged.id), candidate.kind);
    println!("  {}", wrap(&plain(&candidate.statement), 2, width()).trim_start());
    for place in &staged.places {
        println!("  at {} ({})", plain(&place.to_string()), plain(&place.evidence()));
    }
    println!("  quote: {}", plain(&candidate.quote));
    println!("  cue: {}, {} % sure, {}", candidate.cue, candidate.confidence, candidate.polarity);
    if !candidate.tags.is_empty() {
        println!("  tags: {}", candidate.tags.join(", "));
    }
    match &candidate.enforcement {
        Some(enforcement) => println!("  enforcement: {enforcement}"),
        None => println!("  enforcement: none; it would be advisory"),
    }
}

fn say_reflected(answer: &ReflectAnswer) {
    println!(
        "{} and {}, compared by {}",
        count(answer.staged, "candidate", "candidates"),
        count(answer.entries, "entry", "entries"),
        if answer.compared_by == "meaning" { "embeddings" } else { "keywords" }
    );
    for how in [DuplicateKind::Same, DuplicateKind::Near] {
        let alike = answer.duplicates.iter().filter(|one| one.how == how);
        let pairs: Vec<(&[String; 2], &str)> =
            alike.map(|one| (&one.pair, one.statements[1].as_str())).collect();
        say_groups(how.word(), &pairs);
    }
    for one in &answer.contradictions {
        println!("{} {} {}: {}", bold("contradiction"), one.pair[0], one.pair[1], plain(&one.why));
    }
    let mut kinds: Vec<&str> = Vec::new();
    for one in &answer.related {
        let kind = kind_of(&one.why);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    for kind in kinds {
        let alike = answer.related.iter().filter(|one| kind_of(&one.why) == kind);
        let pairs: Vec<(&[String; 2], &str)> = alike.map(|one| (&one.pair, one.why.as_str())).collect();
        say_groups("related", &pairs);
    }
    for one in &answer.gaps {
        println!("{} {}: {}", bold("gap"), one.id, plain(&one.missing.join(", ")));
    }
    if let Some(linked) = &answer.linked {
        println!("{} made", count(linked.len(), "tie", "ties"));
    }
}

/// Tells pairs, those that hang together in one line: eight that say the same are one thing to look at, and not 28.
fn say_groups(what: &str, pairs: &[(&[String; 2], &str)]) {
    for group in groups(pairs) {
        let such_as = if group.differ { "such as: " } else { "" };
        let more = if group.pairs > 1 { format!(" ({} pairs)", group.pairs) } else { String::new() };
        println!("{} {}: {such_as}{}{more}", bold(what), group.ids.join(" "), plain(group.told));
    }
}

/// What ties of one kind have in common: who speaks of one file is no group with who speaks of another.
fn kind_of(why: &str) -> &str {
    match why.split_once(" % ") {
        Some((_, shared)) => shared,
        None => why.split_once(", but ").map_or(why, |(near, _)| near),
    }
}

/// Entries and candidates that hang together by pairs.
struct Group<'a> {
    ids: Vec<&'a str>,
    /// What the first pair says.
    told: &'a str,
    /// Not every pair says that.
    differ: bool,
    pairs: usize,
}

fn groups<'a>(pairs: &[(&'a [String; 2], &'a str)]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (pair, told) in pairs {
        let mut found = Group { ids: Vec::new(), told, differ: false, pairs: 1 };
        let (tied, apart): (Vec<Group>, Vec<Group>) =
            groups.into_iter().partition(|group| pair.iter().any(|id| group.ids.contains(&id.as_str())));
        for group in tied {
            found.differ |= group.differ || group.told != found.told;
            found.told = if found.ids.is_empty() { group.told } else { found.told };
            found.ids.extend(group.ids);
            found.pairs += group.pairs;
        }
        for id in pair.iter().map(String::as_str) {
            if !found.ids.contains(&id) {
                found.ids.push(id);
            }
        }
        groups = apart;
        groups.push(found);
    }
    groups
}
