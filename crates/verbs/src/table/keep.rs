//! The verbs that keep a store in order and share it: commit, flush, recover, adopt, verify, rebuild, purge, schema.

use crate::request::Request;
use std::path::PathBuf;

use ken_core::{Code, Refusal, Type, schema};
use ken_engine::ops::add::unknown_type;
use ken_engine::{Recovered, Report, Result};
use serde::Serialize;
use serde_json::{Map, Value};

use super::NoFields;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb, sorted};
use crate::{Adopted, Reach, SecretPurge};

/// Commit the store, and nothing else.
pub struct Commit;

/// What `commit` takes.
#[derive(Clone, Debug, Request)]
pub struct CommitRequest {
    /// Commit message
    #[field(long, short, default = crate::templates::COMMIT_MESSAGE)]
    pub message: String,
}

/// What `commit` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommitAnswer {
    /// What git said; nothing when there was nothing to commit.
    pub committed: Option<String>,
}

impl Verb for Commit {
    const NAME: &'static str = "commit";
    const ABOUT: &'static str = "Commit the store, and nothing else";
    const EXAMPLE: &'static str = "ken commit -m 'knowledge: retry lessons'";
    const GROUP: Group = Group::Share;
    const NATURE: Nature = Nature::WRITES;
    const EVERYDAY: bool = true;
    type Request = CommitRequest;
    type Answer = CommitAnswer;

    fn run(call: &mut Call, request: CommitRequest) -> Result<CommitAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        Ok(CommitAnswer { committed: crate::commit::commit(ledger, site, models, caller, &request.message)? })
    }
}

/// Write pending events from the journal to the ledger files.
pub struct Flush;

/// What `flush` takes.
#[derive(Clone, Debug, Request)]
pub struct FlushRequest {
    /// Stage the store afterwards, as the pre-commit hook does
    #[field(long)]
    pub stage: bool,
}

/// What `flush` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlushAnswer {
    /// How many events were written out.
    pub flushed: usize,
    /// Whether the store was staged afterwards.
    pub staged: bool,
}

impl Verb for Flush {
    const NAME: &'static str = "commit --no-commit";
    const FORMER: &'static [&'static str] = &["flush"];
    const ABOUT: &'static str = "Write pending events from the journal to the ledger files";
    const EXAMPLE: &'static str = "ken commit --no-commit --stage";
    const GROUP: Group = Group::Share;
    const NATURE: Nature = Nature::WRITES;
    type Request = FlushRequest;
    type Answer = FlushAnswer;

    fn run(call: &mut Call, request: FlushRequest) -> Result<FlushAnswer> {
        let ken = call.reach()?;
        let flushed = if request.stage {
            crate::commit::flush_and_stage(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller)?
        } else {
            crate::commit::flush(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller)?
        };
        Ok(FlushAnswer { flushed, staged: request.stage })
    }
}

/// Restore events that the ledger files of this branch have lost.
pub struct Recover;

/// What `recover` takes.
#[derive(Clone, Debug, Request)]
pub struct RecoverRequest {
    /// Recover everything in this clone's journal, including other branches
    #[field(long)]
    pub all: bool,
}

impl Verb for Recover {
    const NAME: &'static str = "recover";
    const ABOUT: &'static str = "Restore events that the ledger files of this branch have lost";
    const EXAMPLE: &'static str = "ken recover --all";
    const GROUP: Group = Group::Share;
    const NATURE: Nature = Nature::WRITES;
    type Request = RecoverRequest;
    type Answer = Recovered;

    fn run(call: &mut Call, request: RecoverRequest) -> Result<Recovered> {
        call.reach()?.ledger.snapshot_mut().git_mut()?.recover(request.all)
    }

    fn finds(answer: &Recovered) -> bool {
        !answer.still_missing.is_empty()
    }
}

/// Convert a manual edit of a ledger file into events.
pub struct Adopt;

/// What `adopt` takes.
#[derive(Clone, Debug, Request)]
pub struct AdoptRequest {
    /// Ledger file that was edited
    pub file: PathBuf,
}

impl Verb for Adopt {
    const NAME: &'static str = "recover --adopt";
    const FORMER: &'static [&'static str] = &["adopt"];
    const ABOUT: &'static str = "Convert a manual edit of a ledger file into events";
    const EXAMPLE: &'static str =
        "ken recover --adopt .kenning/semantic/v1/entities/lesson.e71631b1b36420a1.jsonl";
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::Share;
    const NATURE: Nature = Nature::REMOVES;
    type Request = AdoptRequest;
    type Answer = Adopted;

    fn run(call: &mut Call, request: AdoptRequest) -> Result<Adopted> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::adopt::adopt(ledger, site, models, caller, &request.file)
    }

    fn finds(answer: &Adopted) -> bool {
        !answer.left.is_empty()
    }
}

/// Check the integrity of the ledger: lines, hashes, parents, links and ids.
pub struct Verify;

/// What `verify` takes.
#[derive(Clone, Debug, Request)]
pub struct VerifyRequest {
    /// Repair what can be repaired without losing data
    #[field(long)]
    pub fix: bool,
}

impl Verb for Verify {
    const NAME: &'static str = "verify";
    const ABOUT: &'static str = "Check the integrity of the ledger: lines, hashes, parents, links and ids";
    const EXAMPLE: &'static str = "ken verify --fix";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/verify")];
    const GROUP: Group = Group::KeepInOrder;
    const NATURE: Nature = Nature::WRITES;
    type Request = VerifyRequest;
    type Answer = Report;

    fn run(call: &mut Call, request: VerifyRequest) -> Result<Report> {
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::doctor::verify(ledger, site.state(), caller, request.fix)
    }

    /// Mending twice mends once.
    fn only_reads(_: &VerifyRequest) -> bool {
        true
    }

    fn finds(answer: &Report) -> bool {
        !answer.pass
    }
}

/// Rebuild the index from the ledger.
pub struct Rebuild;

/// What `rebuild` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RebuildAnswer {
    /// How many entries the index has now.
    pub entries: usize,
}

impl Verb for Rebuild {
    const NAME: &'static str = "rebuild";
    const ABOUT: &'static str = "Rebuild the index from the ledger";
    const EXAMPLE: &'static str = "ken rebuild";
    const GROUP: Group = Group::KeepInOrder;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = NoFields;
    type Answer = RebuildAnswer;

    fn run(call: &mut Call, _: NoFields) -> Result<RebuildAnswer> {
        let store = &mut call.reach()?.ledger;
        store.may_write()?;
        Ok(RebuildAnswer { entries: store.snapshot_mut().rebuild()? })
    }
}

/// Delete the content of an entry permanently.
pub struct Purge;

/// What `purge` takes.
#[derive(Clone, Debug, Request)]
pub struct PurgeRequest {
    /// Entry: an id, a handle or a unique prefix of either
    #[field(unless("secret"), conflicts("secret"))]
    pub id: Option<String>,
    /// Purge everything that contains a secret; prompts for it or reads it from stdin
    #[field(long)]
    pub secret: bool,
    /// Purge even if many entries contain it
    #[field(long, requires("secret"))]
    pub many: bool,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
    /// Skip the question about this entry; a person still confirms in a terminal
    #[field(long, short)]
    pub yes: bool,
}

/// What `purge` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum PurgeAnswer {
    /// The entry that was named.
    Entry {
        /// Ledger files that were touched, and how.
        files: Vec<String>,
        /// The git commands that find and rewrite what commits still hold.
        history: Vec<String>,
        /// The key of the entry.
        purged: String,
    },
    /// Whatever held a secret.
    #[serde(serialize_with = "sorted")]
    Secret(PurgedSecret),
}

/// What a purge by secret did.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PurgedSecret {
    /// What went, and what a person must see to.
    #[serde(flatten)]
    pub purge: SecretPurge,
    /// The git commands that find and rewrite what commits still hold; none where no commit has these files.
    pub history: Vec<String>,
}

impl Verb for Purge {
    const NAME: &'static str = "purge";
    const ABOUT: &'static str = "Delete the content of an entry permanently";
    const EXAMPLE: &'static str = "ken purge L-e71631 --reason 'contains a customer name'";
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::KeepClean;
    const NATURE: Nature = Nature::REMOVES.for_a_person();
    type Request = PurgeRequest;
    type Answer = PurgeAnswer;

    fn run(call: &mut Call, request: PurgeRequest) -> Result<PurgeAnswer> {
        let is_confirmed = request.yes || call.caller().person().is_some();
        let ken = call.reach()?;
        // A secret is typed into the terminal: what is said through another door is kept by others.
        let Some(id) = request.id.filter(|_| is_confirmed) else { return Err(nobody_confirms().into()) };
        let (purged, files) =
            crate::purge::purge(&mut ken.ledger, &ken.site, &ken.caller, &id, &request.reason)?;
        Ok(PurgeAnswer::Entry { history: history(ken, &files, Some(&purged)), files, purged })
    }

    fn finds(answer: &PurgeAnswer) -> bool {
        match answer {
            PurgeAnswer::Entry { .. } => false,
            PurgeAnswer::Secret(secret) => !secret.purge.left.is_empty(),
        }
    }
}

impl Purge {
    /// Takes out whatever holds a secret. It is no field of the request: those stay in the history of shells.
    pub fn secret(ken: &mut Reach, secret: &str, reason: &str, many: bool) -> Result<PurgeAnswer> {
        let purge = crate::scan::purge_secret(&mut ken.ledger, &ken.site, &ken.caller, secret, reason, many)?;
        Ok(PurgeAnswer::Secret(PurgedSecret { history: history(ken, &purge.files, None), purge }))
    }
}

/// What to say where no person can confirm a purge.
pub fn nobody_confirms() -> Refusal {
    Refusal::new(Code::NotAllowed, "a purge is irreversible and needs confirmation in a terminal")
        .hint("run it in your own terminal")
}

/// The git commands that find and rewrite what commits still hold; none where no commit has these files, or these lines of an entry in them.
fn history(ken: &Reach, files: &[String], key: Option<&str>) -> Vec<String> {
    // A touched file is named with what was done to it.
    let paths: Vec<String> =
        files.iter().map(|file| format!(".kenning/{}", file.split(": ").next().unwrap_or(file))).collect();
    let lines = key.map(|key| format!("-S{key}"));
    let asked = ["log", "--all", "--format=%h", "-1"].into_iter().chain(lines.as_deref()).chain(["--"]);
    let asked: Vec<&str> = asked.chain(paths.iter().map(String::as_str)).collect();
    let git = ken.site.layout.git.as_ref().filter(|_| !paths.is_empty());
    // Where git cannot say, somebody looks.
    if git.is_none_or(|git| git.bytes(&asked).is_ok_and(|found| found.is_empty())) {
        return Vec::new();
    }
    vec![
        format!("git log --all --oneline -- {}", paths.join(" ")),
        "git filter-repo --replace-text FILE   # FILE holds the words that must go, one on each line"
            .to_owned(),
    ]
}

/// Print the JSON Schema of an entry type.
pub struct Schema;

/// What `schema` takes.
#[derive(Clone, Debug, Request)]
pub struct SchemaRequest {
    /// Entry type (default: all)
    #[field(value_name = "TYPE", words = Type::WORDS)]
    pub kind: Option<String>,
}

impl Verb for Schema {
    const NAME: &'static str = "schema";
    const ABOUT: &'static str = "Print the JSON Schema of an entry type";
    const EXAMPLE: &'static str = "ken schema lesson";
    const GROUP: Group = Group::ForPrograms;
    const NATURE: Nature = Nature::READS.at_terminal();
    type Request = SchemaRequest;
    type Answer = Value;

    fn run(_: &mut Call, request: SchemaRequest) -> Result<Value> {
        request.schema()
    }
}

impl SchemaRequest {
    /// The schema that is asked for, or all of them by the names of their types. It needs no store.
    pub fn schema(&self) -> Result<Value> {
        match &self.kind {
            Some(word) => match Type::from_word(&word.to_lowercase().replace('-', "_")) {
                Some(kind) => Ok(schema::json_schema(kind)),
                None => Err(Refusal::new(Code::Invalid, unknown_type(word)).field("type").into()),
            },
            None => {
                let all = Type::ALL.iter().map(|kind| (kind.word().to_owned(), schema::json_schema(*kind)));
                Ok(Value::Object(all.collect::<Map<_, _>>()))
            }
        }
    }
}
