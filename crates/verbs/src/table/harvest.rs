//! `ken harvest`.

use std::path::PathBuf;
use std::sync::LazyLock;

use ken_engine::Result;
use ken_hosts::transcript::Source;

use crate::request::Request;
use crate::verb::{Call, Content, ForAdmins, Group, Nature, Verb};
use crate::{HarvestAnswer, HarvestInput, Reach, TranscriptState};

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
