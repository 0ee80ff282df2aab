//! `ken purge`.

use ken_core::{Code, Refusal};
use ken_engine::Result;
use serde::Serialize;

use crate::request::Request;
use crate::verb::{Call, ForAdmins, Group, Nature, Verb, sorted};
use crate::{Reach, SecretPurge};

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
