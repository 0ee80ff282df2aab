//! `harvest`: transcripts of agent hosts become drafts (EXT-1): candidates with evidence, for the agent or a person to word.
//!
//! A transcript is read once; what is in the store, or was handled before, is not added again. Whoever is interrupted continues: each draft is
//! added on its own, and the note about a transcript is written when all of its drafts are.

mod concluded;
mod corrected;
mod extract;
mod judged;
mod mended;
mod progress;
mod read;
mod reverted;
mod said;
mod sheet;
mod signature;

use std::path::{Path, PathBuf};

use ken_core::decide::Outcome;
use ken_core::{Code, EntryKey, Refusal, Scope};
use ken_engine::{Caller, Ledger, Presence, Repository, Result};
use ken_hosts::transcript::{Act, Source, Transcript, Turn};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

pub use extract::drafts;

use self::progress::Progress;
use self::read::Read;
use crate::conversation::{plain, session_run, words};
use crate::judge::{JudgeSession, JudgeUse, no_judge};
use crate::limits::harvest::{
    COMMITS_MAX, DRAFTS_MAX, FILES_MAX, HOOK_BYTES_MAX, HOOK_DRAFTS_MAX, PLACES_MAX,
};
use crate::limits::session::ANCHORS_MAX;
use crate::{AddInput, Error, Layout, ModelsInUse, OnAbsent, Site};

/// What a transcript taught, before anybody worded it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub kind: DraftKind,
    /// The claim, in words of the transcript.
    pub statement: String,
    /// Further words of the transcript.
    pub detail: Option<String>,
    /// The line that named the error.
    pub signature: Option<String>,
    /// The command that failed and passes.
    pub command: Option<String>,
    /// Files that it is about, as the transcript names them.
    pub places: Vec<String>,
    /// The first and last line it rests on.
    pub lines: (u32, u32),
    /// Whether it speaks for something or against it, where a judge says so.
    polarity: Option<String>,
    /// Its author marked it as knowledge; it is stated the way hooks state it.
    marked: Option<Mark>,
}

/// The type of a marked line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    kind: &'static str,
    subtype: Option<&'static str>,
    tag: Option<&'static str>,
}

impl Draft {
    /// Takes the names of folders on one machine out of its words: paths are told from the folder of the session.
    fn leave_out_machine(&mut self, folder: Option<&str>) {
        let texts =
            [Some(&mut self.statement), self.detail.as_mut(), self.signature.as_mut(), self.command.as_mut()];
        for text in texts.into_iter().flatten() {
            *text = without_machine(text, folder);
        }
        self.places.retain(|path| ken_core::fields::relative_path(path).is_ok());
    }
}

/// A text in which paths of the session's folder are told from there, and of other paths of a machine only the name of the file is left.
fn without_machine(text: &str, folder: Option<&str>) -> String {
    let text = match folder.map(|folder| folder.trim_end_matches('/')).filter(|folder| folder.len() > 1) {
        Some(folder) => text.replace(&format!("{folder}/"), "").replace(folder, "."),
        None => text.to_owned(),
    };
    const HOMES: &[&str] =
        &["/home/", "/Users/", "/root/", "/tmp/", "/private/", "/var/folders/", "C:\\Users\\"];
    let mut found = String::new();
    let is_end = |c: char| c.is_whitespace() || "\"'`()[]<>,;=".contains(c);
    for piece in text.split_inclusive(is_end) {
        let bare = piece.trim_end_matches(is_end);
        match HOMES.iter().any(|home| bare.starts_with(home)) {
            true => {
                found.push_str(bare.rsplit(['/', '\\']).next().unwrap_or_default());
                found.push_str(&piece[bare.len()..]);
            }
            false => found.push_str(piece),
        }
    }
    found
}

/// What a draft is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DraftKind {
    /// Why something failed, and where.
    Cause,
    /// What has to be there before something works.
    Setup,
    /// An approach that was taken out again, and why.
    DeadEnd,
    /// How the person says that things are done here.
    Convention,
    /// What was chosen for all that follows.
    Decision,
    /// What its author marked as a lesson, or how something works.
    Lesson,
}

impl DraftKind {
    pub fn word(self) -> &'static str {
        match self {
            DraftKind::Cause => "cause",
            DraftKind::Setup => "setup",
            DraftKind::DeadEnd => "dead_end",
            DraftKind::Convention => "convention",
            DraftKind::Decision => "decision",
            DraftKind::Lesson => "lesson",
        }
    }

    /// The type, subtype and tag of the entry it becomes: those of marked lines where there is a mark for it.
    fn entry(self) -> Mark {
        let (kind, subtype, tag) = match self {
            DraftKind::Cause => ("experience", Some("bug"), Some("root_cause")),
            DraftKind::Setup => ("lesson", None, Some("setup")),
            DraftKind::DeadEnd => ("experience", Some("learning"), Some("dead_end")),
            DraftKind::Convention => ("experience", Some("convention"), None),
            DraftKind::Decision => ("experience", Some("decision"), None),
            DraftKind::Lesson => ("lesson", None, None),
        };
        Mark { kind, subtype, tag }
    }
}

/// What is to be harvested, and how.
#[derive(Clone, Debug, Default)]
pub struct HarvestInput {
    /// Files, and folders of files.
    pub paths: Vec<PathBuf>,
    /// The host that wrote them, where that is known.
    pub host: Option<Source>,
    /// Also transcripts of other projects, of those in folders.
    pub all: bool,
    pub dry_run: bool,
    /// Also ask the judge what the transcripts teach.
    pub judge: bool,
    /// List a part of one transcript as a worksheet, from some line on; nothing is written.
    pub worksheet: Option<u32>,
    /// The claims of a worksheet that was filled in, as JSON.
    pub claims: Option<String>,
}

/// What `harvest` answers.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HarvestAnswer {
    /// Nothing was written.
    pub dry_run: bool,
    /// The transcripts that were looked at.
    pub transcripts: Vec<TranscriptLine>,
    /// What became of each draft.
    pub drafts: Vec<DraftLine>,
    /// A part of the transcript to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worksheet: Option<HarvestSheet>,
    /// What was asked of a judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeUse>,
    /// What somebody should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A part of a transcript, for whoever calls to say what it teaches.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HarvestSheet {
    /// The name of the file.
    pub file: String,
    pub question: String,
    pub spans: Vec<SheetSpan>,
    /// The line from which the next worksheet goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// A turn of a transcript.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SheetSpan {
    /// The first line of the transcript it is in.
    pub line: u32,
    /// The person, the agent, a command or an edit.
    pub who: String,
    pub text: String,
}

/// One transcript.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TranscriptLine {
    /// The name of the file.
    pub file: String,
    /// The host that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// What it is cited as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    pub state: TranscriptState,
    /// Turns that were read.
    pub turns: usize,
    /// Lines that could not be read and were skipped.
    #[serde(skip_serializing_if = "is_zero")]
    pub unreadable: usize,
    /// It is longer than what is read; the rest was left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// What became of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TranscriptState {
    /// It was read.
    Read,
    /// It was read before, and nothing was added to it since.
    Unchanged,
    /// It is of a session in another folder than this repository.
    OtherProject,
    /// No host that is known writes such files.
    NoTranscript,
}

/// What became of a draft.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DraftLine {
    /// The name of the transcript's file.
    pub file: String,
    pub kind: DraftKind,
    /// The first and last line of the transcript that it rests on.
    pub lines: (u32, u32),
    pub outcome: DraftOutcome,
    /// The claim; empty where the scan keeps it out.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub statement: String,
    /// Further words of the transcript.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The line that named the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Files that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// What is cited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// The entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Why it was not simply added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

/// What became of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DraftOutcome {
    /// It is a new candidate, or would be.
    Added,
    /// An entry says it, or it was handled before.
    Known,
    /// It is noise, or may not be said here.
    Refused,
    /// The scan keeps it out; its words are told nowhere.
    Rejected,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// How much of a transcript counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Everything.
    Whole,
    /// What hooks do not hear themselves, and what the person has spoken after: the next turn may take back the rest.
    Settled,
    /// What hooks do not hear themselves, to the end: the session is over.
    Ended,
}

/// A transcript that drafts come from.
#[derive(Clone, Copy)]
struct Told<'a> {
    /// The name of its file.
    file: &'a str,
    transcript: &'a Transcript,
    /// What it is cited as.
    run: &'a str,
    extent: Extent,
    /// Nothing is written.
    dry_run: bool,
}

/// Reads transcripts into drafts. Each is added through the whole intake, as a candidate that lacks what a person or an agent must say.
pub fn harvest(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: &HarvestInput,
) -> Result<HarvestAnswer> {
    if let Some(from) = input.worksheet {
        return harvest_sheet(site, input, from);
    }
    if !input.dry_run {
        ledger.may_write()?;
    }
    if let Some(claims) = &input.claims {
        return harvest_claims(ledger, site, models, caller, input, &sheet::read(claims)?);
    }
    let mut answer = HarvestAnswer { dry_run: input.dry_run, ..HarvestAnswer::default() };
    let mut session =
        match input.judge {
            true => Some(JudgeSession::new(Ok(crate::judge::judge_within_budget(site, models, caller)
                .map_err(|why| no_judge(why.text()))?))),
            false => None,
        };
    for file in transcript_files(site, &input.paths)? {
        harvest_file(ledger, site, models, caller, &file, input, &mut session, &mut answer)?;
    }
    if let Some(session) = &session {
        answer.judge = JudgeUse::of(&session.used());
        answer.notes.extend(session.notes("rules alone read the rest"));
    }
    Ok(answer)
}

/// A part of a transcript as a worksheet for whoever calls.
fn harvest_sheet(site: &Site, input: &HarvestInput, from: u32) -> Result<HarvestAnswer> {
    let (path, Read { transcript, .. }) = only_transcript(site, input)?;
    let sheet = sheet::worksheet(&file_name(&path), &transcript.turns, from);
    Ok(HarvestAnswer { dry_run: true, worksheet: Some(sheet), ..HarvestAnswer::default() })
}

/// Adds the claims of a worksheet as drafts. Each needs a span of the transcript that supports it, like those of a judge.
fn harvest_claims(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    input: &HarvestInput,
    claims: &[serde_json::Value],
) -> Result<HarvestAnswer> {
    let (path, Read { transcript, .. }) = only_transcript(site, input)?;
    let (file, run) = (file_name(&path), run_of(&transcript, &path));
    let spans: Vec<_> = judged::pieces(&transcript.turns, usize::MAX).into_iter().flatten().collect();
    let mut answer = HarvestAnswer { dry_run: input.dry_run, ..HarvestAnswer::default() };
    let mut found = Vec::new();
    for claim in claims.iter().take(DRAFTS_MAX) {
        match sheet::draft(&file, claim, &transcript.turns, &spans) {
            Ok(draft) => found.push(draft),
            Err(line) => answer.drafts.push(*line),
        }
    }
    if claims.len() > DRAFTS_MAX {
        answer.notes.push(format!("{} claims; the first {DRAFTS_MAX} are read", claims.len()));
    }
    let mut progress = Progress::open(site.state(), &path);
    let told = Told {
        file: &file,
        transcript: &transcript,
        run: &run,
        extent: Extent::Whole,
        dry_run: input.dry_run,
    };
    answer.drafts.extend(add_drafts(ledger, site, models, caller, &told, found, &mut progress)?);
    Ok(answer)
}

/// The one transcript that a worksheet is about.
fn only_transcript(site: &Site, input: &HarvestInput) -> Result<(PathBuf, Read)> {
    let refused = |why: String| -> Error {
        Refusal::new(Code::Invalid, why).hint("name one transcript").field("paths").into()
    };
    let files = transcript_files(site, &input.paths)?;
    let [(path, _)] = files.as_slice() else {
        return Err(refused(format!("a worksheet is about one transcript, not {}", files.len())));
    };
    match read::read(path, input.host)? {
        Some(read) => Ok((path.clone(), read)),
        None => Err(refused(format!("{} is not a transcript of a known host", file_name(path)))),
    }
}

/// The files that were named, and those of the folders that were named.
fn transcript_files(site: &Site, paths: &[PathBuf]) -> Result<Vec<(PathBuf, Named)>> {
    let mut files = Vec::new();
    for path in paths {
        crate::foreign::stay_inside(site, path)?;
        let looks = std::fs::metadata(path).map_err(|_| {
            Refusal::new(Code::NotFound, format!("{} is neither a file nor a folder", path.display()))
                .hint("hosts keep transcripts in ~/.claude/projects, ~/.codex/sessions and ~/.gemini/tmp; `opencode export` prints one")
                .field("paths")
        })?;
        match looks.is_dir() {
            true => files.extend(read::files_below(path).into_iter().map(|path| (path, Named::ByFolder))),
            false => files.push((path.clone(), Named::Itself)),
        }
    }
    if files.is_empty() {
        let why = "nothing to read: name transcripts, or folders of them";
        return Err(Refusal::new(Code::Invalid, why).field("paths").into());
    }
    files.truncate(FILES_MAX);
    Ok(files)
}

fn harvest_file(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    (path, named): &(PathBuf, Named),
    input: &HarvestInput,
    session: &mut Option<JudgeSession>,
    answer: &mut HarvestAnswer,
) -> Result<()> {
    let mut line = TranscriptLine {
        file: file_name(path),
        host: None,
        run: None,
        state: TranscriptState::NoTranscript,
        turns: 0,
        unreadable: 0,
        cut: false,
    };
    let mut progress = Progress::open(site.state(), path);
    let Some(Read { transcript, print }) = read::read(path, input.host)? else {
        // A folder holds other files as well; who names one wants to know.
        if *named == Named::Itself {
            answer.transcripts.push(line);
        }
        return Ok(());
    };
    let run = run_of(&transcript, path);
    line.host = Some(transcript.source.word().to_owned());
    line.run = Some(run.clone());
    (line.turns, line.unreadable, line.cut) =
        (transcript.turns.len(), transcript.unreadable, transcript.is_cut);
    line.state = if *named == Named::ByFolder && !input.all && !is_of_this_project(&site.layout, &transcript)
    {
        TranscriptState::OtherProject
    } else if !input.dry_run && session.is_none() && progress.is_done(&print) {
        TranscriptState::Unchanged
    } else {
        TranscriptState::Read
    };
    let state = line.state;
    let file = line.file.clone();
    answer.transcripts.push(line);
    if state != TranscriptState::Read {
        return Ok(());
    }
    let mut found = drafts(&transcript.turns);
    if let Some(session) = session {
        found.extend(judged::drafts(&transcript.turns, session));
    }
    let told = Told {
        file: &file,
        transcript: &transcript,
        run: &run,
        extent: Extent::Whole,
        dry_run: input.dry_run,
    };
    answer.drafts.extend(add_drafts(ledger, site, models, caller, &told, found, &mut progress)?);
    if !input.dry_run {
        progress.done(&print);
    }
    Ok(())
}

/// Harvests the transcript of a session that a hook tells of, if it is there and not too long. Marked lines are heard by the hooks themselves.
pub(crate) fn harvest_session(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    path: &Path,
    source: Option<Source>,
    run: &str,
    extent: Extent,
) -> Result<Vec<DraftLine>> {
    let is_short =
        std::fs::metadata(path).is_ok_and(|looks| looks.is_file() && looks.len() <= HOOK_BYTES_MAX);
    let Some(source) = source.filter(|_| is_short) else { return Ok(Vec::new()) };
    let Some(Read { transcript, .. }) = read::read(path, Some(source))? else { return Ok(Vec::new()) };
    let mut progress = Progress::open(site.state(), path);
    let file = file_name(path);
    let told = Told { file: &file, transcript: &transcript, run, extent, dry_run: false };
    add_drafts(ledger, site, models, caller, &told, drafts(&transcript.turns), &mut progress)
}

/// Adds the drafts of a transcript that are not known.
fn add_drafts(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    told: &Told<'_>,
    drafts: Vec<Draft>,
    progress: &mut Progress,
) -> Result<Vec<DraftLine>> {
    let Told { transcript, extent, .. } = *told;
    let until = match extent {
        Extent::Whole | Extent::Ended => u32::MAX,
        Extent::Settled => last_question(&transcript.turns),
    };
    let mut lines = Vec::new();
    let mut added = 0;
    for mut draft in drafts {
        let is_heard = extent != Extent::Whole && draft.marked.is_some();
        if draft.lines.1 >= until || is_heard {
            continue;
        }
        draft.leave_out_machine(transcript.folder.as_deref());
        if draft.places.is_empty() {
            // Many words only look like paths: `e.g`, `Base.Init`.
            let named = words::paths(&draft.statement).map(str::to_owned);
            draft.places = named
                .filter_map(|path| in_repository(&site.layout, transcript, &path))
                .take(PLACES_MAX)
                .collect();
        }
        let line = harvest_draft(ledger, site, models, caller, told, draft, progress)?;
        added += usize::from(line.outcome != DraftOutcome::Known);
        lines.push(line);
        // Somebody waits for a hook; the rest is found by the next one.
        if extent != Extent::Whole && added >= HOOK_DRAFTS_MAX {
            break;
        }
    }
    Ok(lines)
}

fn harvest_draft(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
    told: &Told<'_>,
    draft: Draft,
    progress: &mut Progress,
) -> Result<DraftLine> {
    let Told { file, transcript, run, dry_run, .. } = *told;
    let (kind, lines) = (draft.kind, draft.lines);
    let mark = draft.marked.unwrap_or_else(|| kind.entry());
    let key = EntryKey::derive(mark.kind, Scope::Project.word(), &draft.statement);
    let is_known = progress.has(&draft.statement) || ledger.stored(key)?.is_some();
    let input = draft_entry(site, transcript, run, &draft);
    let mut line = DraftLine {
        file: file.to_owned(),
        kind,
        lines,
        outcome: DraftOutcome::Known,
        statement: draft.statement.clone(),
        detail: input.content.get("detail").and_then(|text| text.as_str()).unwrap_or_default().to_owned(),
        error: draft.signature.clone(),
        places: draft.places.clone(),
        evidence: input.evidence.clone(),
        handle: None,
        reasons: Vec::new(),
    };
    if is_known {
        return Ok(line);
    }
    let author = format!("agent:{}", transcript.source.agent());
    let added = match dry_run {
        true => crate::add::would_add(ledger, site, models, caller, input),
        false => {
            let author = caller.crediting(author);
            crate::add::add(ledger, site, models, &author, input)
        }
    };
    match added {
        Ok(added) if added.is_rejected() => {
            line = line.kept_out(DraftOutcome::Rejected);
            line.reasons = added.reasons;
        }
        Ok(added) => {
            let is_new = matches!(added.outcome, Outcome::Added | Outcome::Held);
            line.outcome = if is_new { DraftOutcome::Added } else { DraftOutcome::Known };
            line.handle = (!dry_run).then_some(added.handle);
            line.reasons = added.reasons;
        }
        // What is refused is repeated nowhere: it may hold what made it refused.
        Err(Error::Refused(refusal)) => {
            line = line.kept_out(DraftOutcome::Refused);
            line.reasons = vec![format!("{}: {}", refusal.code.word(), refusal.message)];
        }
        Err(error) => return Err(error),
    }
    if !dry_run {
        progress.handled(&draft.statement);
    }
    Ok(line)
}

/// A draft as the wish to add it.
fn draft_entry(site: &Site, transcript: &Transcript, run: &str, draft: &Draft) -> AddInput {
    let mark = draft.marked.unwrap_or_else(|| draft.kind.entry());
    let mut content = Map::new();
    content.insert("statement".to_owned(), draft.statement.clone().into());
    if let Some(subtype) = mark.subtype {
        content.insert("subtype".to_owned(), subtype.into());
    }
    if let Some(tag) = mark.tag {
        content.insert("tags".to_owned(), json!([tag]));
    }
    if let Some(polarity) = &draft.polarity {
        content.insert("polarity".to_owned(), polarity.clone().into());
    }
    let anchors = draft_anchors(&site.layout, transcript, draft);
    if !anchors.is_empty() {
        content.insert("anchors".to_owned(), json!(anchors));
    }
    let mut evidence = Vec::new();
    if draft.marked.is_some() {
        evidence.push(format!("transcript:{run}"));
    } else {
        let (first, last) = draft.lines;
        evidence.push(format!("transcript:{run}#L{first}-L{last}"));
        if let Some(detail) = detail_of(draft) {
            content.insert("detail".to_owned(), detail.into());
        }
    }
    evidence.extend(commits_after(site, transcript, draft));
    AddInput {
        kind: Some(mark.kind.to_owned()),
        content,
        evidence,
        draft: true,
        extracted: true,
        on_absent: OnAbsent::Gap,
        ..AddInput::default()
    }
}

/// The files that a draft names or is about, as far as they are in this repository.
fn draft_anchors(layout: &Layout, transcript: &Transcript, draft: &Draft) -> Vec<String> {
    let said = words::paths(&draft.statement).map(str::to_owned);
    let mut found: Vec<String> = Vec::new();
    for path in draft.places.iter().cloned().chain(said).take(PLACES_MAX) {
        if let Some(path) = in_repository(layout, transcript, &path).filter(|path| !found.contains(path)) {
            found.push(path);
        }
    }
    found.truncate(ANCHORS_MAX);
    found
}

/// A path of a transcript as this repository knows it; none where no such file is here.
fn in_repository(layout: &Layout, transcript: &Transcript, path: &str) -> Option<String> {
    let root = &layout.root;
    let folder = transcript.folder.as_deref().map(Path::new);
    let below = folder.and_then(|folder| plain(&folder.join(path))).and_then(|whole| {
        let roots = [plain(root), root.canonicalize().ok()];
        roots.iter().flatten().find_map(|root| whole.strip_prefix(root).ok().map(Path::to_owned))
    });
    let ways = [below, Some(PathBuf::from(path))];
    ways.into_iter().flatten().find_map(|path| {
        let text = path.to_str()?.replace('\\', "/");
        let is_ours = text.starts_with(crate::STORE_FOLDER) || text.starts_with(".git/");
        let is_there =
            ken_core::fields::relative_path(&text).is_ok() && !is_ours && root.join(&text).is_file();
        is_there.then_some(text)
    })
}

/// The commits that were made after what a draft rests on, as far as this repository has them.
fn commits_after(site: &Site, transcript: &Transcript, draft: &Draft) -> Vec<String> {
    let made = transcript.turns.iter().filter(|turn| turn.lines.0 > draft.lines.1);
    let names: Vec<String> = made.filter_map(commit_of).take(COMMITS_MAX).collect();
    if draft.places.is_empty() || names.is_empty() {
        return Vec::new();
    }
    let here = crate::repository::repository(site).commits(&names);
    let is_here = |presence: &Presence| matches!(presence, Presence::Present);
    names
        .into_iter()
        .zip(here)
        .filter(|(_, here)| is_here(here))
        .map(|(name, _)| format!("commit:{name}"))
        .collect()
}

/// Whether a session was held in this repository. One that does not say where may be.
fn is_of_this_project(layout: &Layout, transcript: &Transcript) -> bool {
    let Some(folder) = &transcript.folder else { return true };
    let root = &layout.root;
    let root = root.canonicalize().unwrap_or_else(|_| root.clone());
    let folder = Path::new(folder);
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).starts_with(&root)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// How a file came to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Itself,
    ByFolder,
}

impl DraftLine {
    /// Without its words.
    fn kept_out(self, outcome: DraftOutcome) -> DraftLine {
        DraftLine {
            outcome,
            statement: String::new(),
            detail: String::new(),
            error: None,
            places: Vec::new(),
            evidence: Vec::new(),
            ..self
        }
    }
}

/// The name under which the session of a transcript is cited: that of the run which hooks make of it.
fn run_of(transcript: &Transcript, path: &Path) -> String {
    let session = match transcript.session.trim() {
        "" => path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        session => session.to_owned(),
    };
    session_run(transcript.source.word(), &session)
}

/// The line of the person's last turn: what ends before it is settled.
fn last_question(turns: &[Turn]) -> u32 {
    let asked = turns.iter().rev().find(|turn| matches!(turn.act, Act::Asked(_)));
    asked.map_or(0, |turn| turn.lines.0)
}

/// The commit that a turn made: `[main 8c1f20e] subject`.
fn commit_of(turn: &Turn) -> Option<String> {
    let Act::Ran { command, succeeded, output } = &turn.act else { return None };
    if !command.contains("git commit") || *succeeded == Some(false) {
        return None;
    }
    output.lines().find_map(|line| {
        let (inside, _) = line.trim().strip_prefix('[')?.split_once(']')?;
        let hash = inside.split_whitespace().last()?;
        let is_hash = (7..=40).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| hash.to_owned())
    })
}

/// The file that a turn changes.
fn path_of(turn: &Turn) -> Option<&str> {
    match &turn.act {
        Act::Edited { path, .. } | Act::Wrote { path, .. } => Some(path),
        _ => None,
    }
}

/// What else is known of a draft: further words, the command and its error.
fn detail_of(draft: &Draft) -> Option<String> {
    let mut parts: Vec<String> = draft.detail.iter().cloned().collect();
    match (&draft.command, &draft.signature) {
        (Some(command), Some(error)) => parts.push(format!("`{command}` failed: {error}")),
        (Some(command), None) => parts.push(format!("`{command}` failed before and passes since.")),
        (None, Some(error)) => parts.push(format!("Failure: {error}")),
        (None, None) => {}
    }
    if !draft.places.is_empty() {
        parts.push(format!("Changed: {}", draft.places.join(", ")));
    }
    (!parts.is_empty()).then(|| parts.join("\n"))
}
