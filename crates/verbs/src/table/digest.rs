//! `reduce`, `staging`, `reflect` and `reweave`: documents become candidates, and candidates become entries (DIG-1). `harvest`: transcripts of
//! agent hosts become drafts (EXT-1); through a door that others come through, its paths stay in the repository.

use std::path::PathBuf;
use std::sync::LazyLock;

use crate::request::Request;
use ken_engine::{Listing, Result};
use ken_hosts::transcript::Source;
use serde::Serialize;

use crate::page::PageRequest;
use crate::verb::{Call, Content, ForAdmins, Group, HttpPath, Nature, Verb, sorted};
use crate::{
    AcceptAnswer, DropAnswer, DroppedLine, HarvestAnswer, HarvestInput, Reach, ReduceAnswer, ReflectAnswer,
    ReweaveAnswer, ReweaveInput, Staged, StagedLine, StagingAnswer, TranscriptState,
};

/// Extract candidates from documents, commits and pull requests into staging.
pub struct Reduce;

/// What `reduce` takes.
#[derive(Clone, Debug, Default, Request)]
pub struct ReduceRequest {
    /// Sources: files, folders, globs, git:RANGE or exported pull requests (.json)
    #[field(long, value_name = "SOURCE", several)]
    pub sources: Vec<String>,
    /// Sources, as for --sources
    #[field(value_name = "SOURCE")]
    pub named: Vec<String>,
    /// Dry run: list what would be staged
    #[field(long)]
    pub dry_run: bool,
}

impl Verb for Reduce {
    const NAME: &'static str = "digest reduce";
    const FORMER: &'static [&'static str] = &["reduce"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Extract candidates from documents, commits and pull requests into staging";
    const EXAMPLE: &'static str = "ken digest reduce 'docs/**/*.md' --dry-run";
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReduceRequest;
    type Answer = ReduceAnswer;

    fn run(call: &mut Call, request: ReduceRequest) -> Result<ReduceAnswer> {
        let sources: Vec<String> = request.sources.into_iter().chain(request.named).collect();
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::digest::reduce(ledger, site, models, caller, &sources, request.dry_run)
    }
}

/// The words of the hosts whose transcripts can be read.
static HOSTS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| Source::ALL.iter().map(|source| source.word()).collect());

/// Extract drafts from transcripts of agent hosts.
pub struct Harvest;

/// What `harvest` takes.
#[derive(Clone, Debug, Default, Request)]
pub struct HarvestRequest {
    /// Transcripts of Claude Code, Codex, Gemini CLI or OpenCode, or folders of them
    #[field(value_name = "FILE|FOLDER", required)]
    pub paths: Vec<PathBuf>,
    /// Host that wrote them (default: detected)
    #[field(long, value_name = "HOST", words = &HOSTS)]
    pub host: Option<String>,
    /// Include transcripts of other projects found in a folder
    #[field(long)]
    pub all: bool,
    /// Dry run: list the drafts, write nothing
    #[field(long)]
    pub dry_run: bool,
    /// Also ask the judge (judge.kind) what they teach; its claims must be supported by them
    #[field(long, conflicts("dry_run"))]
    pub judge: bool,
    /// List a part of one transcript as a worksheet: what does it teach? Writes nothing
    #[field(long, conflicts("judge", "claims", "all"))]
    pub worksheet: bool,
    /// First line of the transcript to list
    #[field(long, value_name = "LINE", requires("worksheet"))]
    pub from: Option<u32>,
    /// Claims of a filled-in worksheet (JSON); the line that each cites must support it
    #[field(long, value_name = "FILE", conflicts("judge", "all"))]
    pub claims: Option<Content>,
}

impl Verb for Harvest {
    const NAME: &'static str = "harvest";
    const ABOUT: &'static str = "Extract drafts from transcripts of agent hosts";
    const EXAMPLE: &'static str = "ken harvest ~/.claude/projects/-home-me-shop --dry-run";
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = HarvestRequest;
    type Answer = HarvestAnswer;

    fn run(call: &mut Call, request: HarvestRequest) -> Result<HarvestAnswer> {
        let HarvestRequest { paths, host, all, dry_run, judge, worksheet, from, claims } = request;
        let folder = call.options().from.clone();
        let paths = paths.into_iter().map(|path| folder.join(path)).collect();
        let host = host.as_deref().and_then(Source::from_word);
        let worksheet = worksheet.then(|| from.unwrap_or_default());
        let claims = claims.map(|claims| claims.text("claims", &folder)).transpose()?;
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::harvest::harvest(
            ledger,
            site,
            models,
            caller,
            &HarvestInput { paths, host, all, dry_run, judge, worksheet, claims },
        )
    }

    fn only_reads(request: &HarvestRequest) -> bool {
        request.worksheet
    }

    fn finds(answer: &HarvestAnswer) -> bool {
        answer.transcripts.iter().any(|one| one.state == TranscriptState::NoTranscript)
    }
}

/// List staged and dropped candidates.
pub struct StagingList;

impl Verb for StagingList {
    const NAME: &'static str = "digest list";
    const FORMER: &'static [&'static str] = &["staging list"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "List staged and dropped candidates";
    const EXAMPLE: &'static str = "ken digest list";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/staging")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::READS;
    type Request = StagingListRequest;
    type Answer = StagingPage;

    fn run(call: &mut Call, request: StagingListRequest) -> Result<StagingPage> {
        let Reach { ledger, site, .. } = call.reach()?;
        let StagingAnswer { staged, dropped, withheld } = crate::digest::staging(ledger, site.state())?;
        let staged = request.page.of(staged, |line| line.id.clone())?;
        Ok(StagingPage { staged, dropped, withheld })
    }
}

/// What `digest list` takes.
#[derive(Clone, Debug, Request)]
pub struct StagingListRequest {
    /// Which of them.
    #[field(flatten)]
    pub page: PageRequest,
}

/// What `digest list` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StagingPage {
    /// What waits, by place.
    #[serde(flatten)]
    pub staged: Listing<StagedLine>,
    /// What was dropped.
    pub dropped: Vec<DroppedLine>,
    /// Files that are not shown: the scan keeps them out, or they are not what their name says.
    pub withheld: Vec<String>,
}

/// One candidate.
#[derive(Clone, Debug, Request)]
pub struct CandidateRequest {
    /// Candidate: an id or a unique prefix
    pub id: String,
}

/// Show a candidate.
pub struct StagingShow;

impl Verb for StagingShow {
    const NAME: &'static str = "digest show";
    const FORMER: &'static [&'static str] = &["staging show"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Show a candidate";
    const EXAMPLE: &'static str = "ken digest show 9b0e";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/staging/{id}")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::READS;
    type Request = CandidateRequest;
    type Answer = Staged;

    fn run(call: &mut Call, request: CandidateRequest) -> Result<Staged> {
        crate::digest::staged(call.reach()?.site.state(), &request.id)
    }
}

/// Add candidates as entries, with all checks of `add`.
pub struct StagingAccept;

/// What `staging accept` takes.
#[derive(Clone, Debug, Request)]
pub struct StagingAcceptRequest {
    /// Candidates: ids or unique prefixes
    #[field(required)]
    pub ids: Vec<String>,
}

/// What `staging accept` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StagingAcceptAnswer {
    /// What became of each candidate.
    #[serde(serialize_with = "sorted")]
    pub accepted: Vec<AcceptAnswer>,
}

impl Verb for StagingAccept {
    const NAME: &'static str = "digest accept";
    const FORMER: &'static [&'static str] = &["staging accept"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Add candidates as entries, with all checks of `add`";
    const EXAMPLE: &'static str = "ken digest accept 9b0e";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/staging/accept")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = StagingAcceptRequest;
    type Answer = StagingAcceptAnswer;

    fn run(call: &mut Call, request: StagingAcceptRequest) -> Result<StagingAcceptAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        Ok(StagingAcceptAnswer {
            accepted: crate::digest::accept_staged(ledger, site, models, caller, &request.ids)?,
        })
    }

    fn rejects(answer: &StagingAcceptAnswer) -> bool {
        answer.accepted.iter().any(|one| one.added.is_rejected())
    }
}

/// Drop candidates so that `reduce` does not stage them again.
pub struct StagingDrop;

/// What `staging drop` takes.
#[derive(Clone, Debug, Request)]
pub struct StagingDropRequest {
    /// Candidates: ids or unique prefixes
    #[field(required)]
    pub ids: Vec<String>,
    /// Reason, recorded in the ledger
    #[field(long)]
    pub reason: String,
}

/// What `staging drop` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StagingDropAnswer {
    /// The candidates that were taken out.
    #[serde(serialize_with = "sorted")]
    pub dropped: Vec<DropAnswer>,
}

impl Verb for StagingDrop {
    const NAME: &'static str = "digest drop";
    const FORMER: &'static [&'static str] = &["staging drop"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Drop candidates so that `reduce` does not stage them again";
    const EXAMPLE: &'static str = "ken digest drop 9b0e --reason 'not a rule'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/staging/drop")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = StagingDropRequest;
    type Answer = StagingDropAnswer;

    fn run(call: &mut Call, request: StagingDropRequest) -> Result<StagingDropAnswer> {
        let Reach { ledger, site, caller, .. } = call.reach()?;
        Ok(StagingDropAnswer {
            dropped: crate::digest::drop_staged(ledger, site.state(), caller, &request.ids, &request.reason)?,
        })
    }
}

/// Restore a dropped candidate.
pub struct StagingRestore;

impl Verb for StagingRestore {
    const NAME: &'static str = "digest restore";
    const FORMER: &'static [&'static str] = &["staging restore"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Restore a dropped candidate";
    const EXAMPLE: &'static str = "ken digest restore 9b0e";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/staging/restore")];
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = CandidateRequest;
    type Answer = Staged;

    fn run(call: &mut Call, request: CandidateRequest) -> Result<Staged> {
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::digest::restore_staged(ledger, site.state(), caller, &request.id)
    }
}

/// Compare staged candidates with the entries: duplicates, relations, contradictions.
pub struct Reflect;

/// What `reflect` takes.
#[derive(Clone, Debug, Default, Request)]
pub struct ReflectRequest {
    /// Link related entries (relates_to)
    #[field(long)]
    pub link: bool,
}

impl Verb for Reflect {
    const NAME: &'static str = "digest reflect";
    const FORMER: &'static [&'static str] = &["reflect"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str =
        "Compare staged candidates with the entries: duplicates, relations, contradictions";
    const EXAMPLE: &'static str = "ken digest reflect --link";
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReflectRequest;
    type Answer = ReflectAnswer;

    fn run(call: &mut Call, request: ReflectRequest) -> Result<ReflectAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::digest::reflect::reflect(ledger, site, models, caller, request.link)
    }

    fn only_reads(request: &ReflectRequest) -> bool {
        !request.link
    }
}

/// Add new evidence to an entry, and reword or replace it.
pub struct Reweave;

/// What `reweave` takes.
#[derive(Clone, Debug, Request)]
pub struct ReweaveRequest {
    /// Entry: an id, a handle or a unique prefix of either
    #[field(long, value_name = "ID")]
    pub entry: String,
    /// Evidence: commit:HASH, pr:#N, doc:PATH, test:PATH or transcript:REF
    #[field(long, value_name = "REF", required)]
    pub evidence: Vec<String>,
    /// New statement
    #[field(long, value_name = "TEXT")]
    pub statement: Option<String>,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
    /// Accept evidence that cannot be found in this repository
    #[field(long)]
    pub unverified: bool,
}

impl Verb for Reweave {
    const NAME: &'static str = "digest reweave";
    const FORMER: &'static [&'static str] = &["reweave"];
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Add new evidence to an entry, and reword or replace it";
    const EXAMPLE: &'static str = "ken digest reweave --entry L-e71631 --evidence pr:#12";
    const GROUP: Group = Group::Digest;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReweaveRequest;
    type Answer = ReweaveAnswer;

    fn run(call: &mut Call, request: ReweaveRequest) -> Result<ReweaveAnswer> {
        let ReweaveRequest { entry, evidence, statement, reason, unverified } = request;
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::digest::reweave::reweave(
            ledger,
            site,
            models,
            caller,
            ReweaveInput { entry, evidence, statement, reason, unverified },
        )
    }
}
