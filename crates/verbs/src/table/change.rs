//! The verbs that change an entry.

use crate::request::Request;
use crate::Reach;
use ken_core::decide::Change;
use ken_core::signal::{STATE, SignalState};
use ken_core::{Code, Refusal, Relation};
use ken_engine::Result;
use ken_engine::ops::change::{ChangeAnswer, Swept};
use ken_engine::ops::merge::{MergeAnswer, UnmergeAnswer};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::entry_content::read_stated;
use crate::entry_content::ContentRequest;
use super::ReasonRequest;
use crate::verb::{Call, Group, HttpPath, Nature, Verb, sorted};

/// Change fields of an entry: those that are given, or in an editor.
pub struct Edit;

/// What `edit` takes.
#[derive(Clone, Debug, Request)]
pub struct EditRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub entry: String,
    /// What the entry says.
    #[field(flatten)]
    pub content: ContentRequest,
    /// Tag to remove
    #[field(long, value_name = "T")]
    pub untag: Vec<String>,
    /// Field to clear
    #[field(long, value_name = "FIELD")]
    pub clear: Vec<String>,
    /// State of a signal, such as triaged, blocked or remediated
    #[field(long, value_name = "STATE", words = SignalState::WORDS)]
    pub state: Option<String>,
    /// Reason, recorded in the ledger
    #[field(long)]
    pub reason: Option<String>,
    /// Read the edited form from a file instead of opening the editor
    #[field(long, value_name = "FILE", heading = "Editor")]
    pub file: Option<std::path::PathBuf>,
    /// Print the form instead of opening the editor
    #[field(long, conflicts("file"), heading = "Editor")]
    pub print: bool,
}

impl EditRequest {
    /// The entry in an editor, where one is there.
    pub fn of(entry: String) -> EditRequest {
        EditRequest {
            entry,
            content: ContentRequest::default(),
            untag: Vec::new(),
            clear: Vec::new(),
            state: None,
            reason: None,
            file: None,
            print: false,
        }
    }

    /// Whether no field is given: then the entry is edited as a form.
    pub fn is_form(&self) -> bool {
        let is_bare =
            self.untag.is_empty() && self.clear.is_empty() && self.state.is_none() && self.reason.is_none();
        self.file.is_some() || self.print || (is_bare && self.content.says_nothing())
    }
}

impl Verb for Edit {
    const NAME: &'static str = "edit";
    const FORMER: &'static [&'static str] = &["revise"];
    const ABOUT: &'static str = "Change fields of an entry, or edit it in your editor";
    const EXAMPLE: &'static str = "ken edit L-e71631 --detail 'Cap the delay at 20 s.'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("PATCH", "/entries/{id}")];
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::WRITES;
    const EVERYDAY: bool = true;
    const AT_TERMINAL: &'static [&'static str] = &["file", "print"];
    type Request = EditRequest;
    type Answer = ChangeAnswer;

    /// Changes the fields that are given. The editor is started by the terminal, which then does this with what was written.
    fn run(call: &mut Call, request: EditRequest) -> Result<ChangeAnswer> {
        let EditRequest { entry, mut content, untag, clear, state, reason, file: _, print: _ } = request;
        if content.id.is_some() {
            return Err(Refusal::new(Code::NotAllowed, "an id is fixed when an entry is added")
                .hint("supersede the entry to give it another id")
                .field("id")
                .into());
        }
        let from = call.options().from.clone();
        let stored_paths = content.read_paths_from(&from, &call.reach()?.site.layout.root);
        let (tags, domains) = (std::mem::take(&mut content.tag), std::mem::take(&mut content.domain));
        let (mut evidence, unverified) = (std::mem::take(&mut content.evidence), content.unverified);
        let mut set = match content.content.take() {
            Some(text) => read_stated(&text)?,
            None => Map::new(),
        };
        // Citations are added to those that are there, however they are given.
        match set.remove("provenance") {
            Some(Value::String(one)) => evidence.push(one),
            Some(Value::Array(list)) if list.iter().all(Value::is_string) => {
                evidence.extend(list.iter().filter_map(|one| one.as_str().map(str::to_owned)));
            }
            Some(other) => drop(set.insert("provenance".to_owned(), other)),
            None => {}
        }
        set.extend(content.into_fields()?);
        set.extend(clear.into_iter().map(|name| (name, Value::Null)));
        set.extend(state.map(|state| (STATE.to_owned(), Value::from(state))));
        let change = Change {
            set,
            tags_add: tags,
            tags_remove: untag,
            domains_add: domains,
            reason,
            ..Change::default()
        };
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        let mut answer =
            crate::edit::revise(ledger, site, models, caller, &entry, change, &evidence, unverified)?;
        answer.reasons.extend(stored_paths);
        Ok(answer)
    }
}

/// Replace an entry with another.
pub struct Supersede;

/// What `supersede` takes.
#[derive(Clone, Debug, Request)]
pub struct SupersedeRequest {
    /// Entry to replace
    pub old: String,
    /// Existing entry that replaces it; without one, describe the new entry with flags
    pub new: Option<String>,
    /// What the entry says.
    #[field(flatten)]
    pub content: ContentRequest,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
}

impl Verb for Supersede {
    const NAME: &'static str = "supersede";
    const ABOUT: &'static str = "Replace an entry with another";
    const EXAMPLE: &'static str = "ken supersede L-e71631 L-5ce285";
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::REMOVES;
    type Request = SupersedeRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: SupersedeRequest) -> Result<ChangeAnswer> {
        let SupersedeRequest { old, new, mut content, reason } = request;
        if let Some(new) = new {
            let Reach { ledger, site, models, caller, .. } = call.reach()?;
            return crate::supersede::supersede(ledger, site, models, caller, &old, &new, &reason);
        }
        let from = call.options().from.clone();
        let stored_paths = content.read_paths_from(&from, &call.reach()?.site.layout.root);
        let input = content.into_input(None)?;
        if input.content.is_empty() {
            return Err(Refusal::new(Code::Invalid, format!("there is no replacement for {old}"))
                .hint("name an existing entry, or describe a new one: --statement '...' --evidence ...")
                .into());
        }
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        let mut answer =
            crate::supersede::supersede_by_new(ledger, site, models, caller, &old, input, &reason)?;
        answer.reasons.extend(stored_paths);
        Ok(answer)
    }
}

/// Merge two entries that say the same.
pub struct Merge;

/// What `merge` takes.
#[derive(Clone, Debug, Request)]
pub struct MergeRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// The entry that says the same
    pub other: String,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
}

impl Verb for Merge {
    const NAME: &'static str = "merge";
    const ABOUT: &'static str = "Merge two entries that say the same; the more trusted one stands for both";
    const EXAMPLE: &'static str = "ken merge L-e71631 L-5ce285 --reason 'the same advice'";
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::REMOVES;
    type Request = MergeRequest;
    type Answer = MergeAnswer;

    fn run(call: &mut Call, request: MergeRequest) -> Result<MergeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::merge::merge(ledger, site, models, caller, &request.id, &request.other, &request.reason)
    }
}

/// Undo a merge: both entries stand as before.
pub struct Unmerge;

impl Verb for Unmerge {
    const NAME: &'static str = "merge --undo";
    const FORMER: &'static [&'static str] = &["unmerge"];
    const ABOUT: &'static str = "Undo a merge: both entries stand as before, and are not proposed again";
    const EXAMPLE: &'static str = "ken merge --undo L-5ce285";
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReasonRequest;
    type Answer = UnmergeAnswer;

    fn run(call: &mut Call, request: ReasonRequest) -> Result<UnmergeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::merge::unmerge(ledger, site, models, caller, &request.id, &request.reason)
    }
}

/// Retract an entry that is wrong; a tombstone remains.
pub struct Retract;

impl Verb for Retract {
    const NAME: &'static str = "retract";
    const ABOUT: &'static str = "Retract an entry that is wrong; a tombstone remains";
    const EXAMPLE: &'static str = "ken retract L-e71631 --reason 'it was the proxy'";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("DELETE", "/entries/{id}")];
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::REMOVES;
    type Request = ReasonRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: ReasonRequest) -> Result<ChangeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::retract::retract(ledger, site, models, caller, &request.id, &request.reason)
    }
}

/// Archive an entry.
pub struct Archive;

/// What `archive` takes.
#[derive(Clone, Debug, Request)]
pub struct ArchiveRequest {
    /// Entry: an id, a handle or a unique prefix of either
    #[field(unless("older_than"))]
    pub id: Option<String>,
    /// Archive all non-procedural entries unchanged for this many days
    #[field(long, value_name = "DAYS", conflicts("id"))]
    pub older_than: Option<String>,
    /// Dry run: list what --older-than would archive
    #[field(long, requires("older_than"), conflicts("id"))]
    pub dry_run: bool,
    /// Reason, recorded in the ledger
    #[field(long, default = "")]
    pub reason: String,
}

/// What `archive` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ArchiveAnswer {
    /// The entry that was named.
    One(ChangeAnswer),
    /// Whatever had not changed for some days.
    Older(Swept),
}

impl Verb for Archive {
    const NAME: &'static str = "archive";
    const ABOUT: &'static str = "Archive an entry";
    const EXAMPLE: &'static str = "ken archive L-e71631 --reason 'the client is gone'";
    const PATHS: &'static [HttpPath] =
        &[HttpPath::new("POST", "/entries/{id}/archive"), HttpPath::new("POST", "/archive")];
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::REMOVES;
    type Request = ArchiveRequest;
    type Answer = ArchiveAnswer;

    fn run(call: &mut Call, request: ArchiveRequest) -> Result<ArchiveAnswer> {
        match (&request.id, &request.older_than) {
            (_, Some(days)) => {
                let days: u32 = days.trim_end_matches('d').parse().map_err(|_| {
                    Refusal::new(Code::Invalid, format!("{days:?} is not a number of days; write 90"))
                        .field("older-than")
                })?;
                let Reach { ledger, site, models, caller, .. } = call.reach()?;
                Ok(ArchiveAnswer::Older(crate::archive::archive_older_than(
                    ledger,
                    site,
                    models,
                    caller,
                    days,
                    request.dry_run,
                )?))
            }
            (Some(id), None) => Ok(ArchiveAnswer::One({
                let Reach { ledger, site, models, caller, .. } = call.reach()?;
                crate::archive::archive(ledger, site, models, caller, id, &request.reason)
            }?)),
            (None, None) => Err(Refusal::new(Code::Invalid, "name an entry, or pass --older-than DAYS")
                .field("id")
                .into()),
        }
    }
}

/// Restore an archived or retracted entry.
pub struct Restore;

impl Verb for Restore {
    const NAME: &'static str = "restore";
    const ABOUT: &'static str = "Restore an archived or retracted entry";
    const EXAMPLE: &'static str = "ken restore L-e71631";
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::WRITES;
    type Request = ReasonRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: ReasonRequest) -> Result<ChangeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::retract::restore(ledger, site, models, caller, &request.id, &request.reason)
    }
}

/// Release an entry from quarantine; requires a person.
pub struct Release;

/// What `release` takes.
#[derive(Clone, Debug, Request)]
pub struct ReleaseRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// Why it is harmless, recorded in the ledger
    #[field(long)]
    pub reason: String,
}

impl Verb for Release {
    const NAME: &'static str = "quarantine release";
    const FORMER: &'static [&'static str] = &["release"];
    const ABOUT: &'static str = "Release an entry from quarantine; requires a person";
    const EXAMPLE: &'static str = "ken quarantine release L-e71631 --reason 'a key of the test fixtures'";
    const GROUP: Group = Group::KeepClean;
    const NATURE: Nature = Nature::WRITES.for_a_person();
    type Request = ReleaseRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: ReleaseRequest) -> Result<ChangeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::quarantine::release(ledger, site, models, caller, &request.id, &request.reason)
    }
}

/// Link one entry to another.
pub struct Link;

/// What `link` takes.
#[derive(Clone, Debug, Request)]
pub struct LinkRequest {
    /// Source entry
    pub from: String,
    /// Relation, such as relates_to, depends_on, supports, contradicts or part_of
    #[field(words = Relation::WORDS)]
    pub relation: String,
    /// Target entry
    pub to: String,
    /// Remove the link
    #[field(long)]
    pub remove: bool,
}

impl Verb for Link {
    const NAME: &'static str = "link";
    const ABOUT: &'static str = "Link one entry to another";
    const EXAMPLE: &'static str = "ken link L-e71631 supports L-5ce285";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/links")];
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::WRITES;
    type Request = LinkRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: LinkRequest) -> Result<ChangeAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::link::link(
            ledger,
            site,
            models,
            caller,
            &request.from,
            &request.relation,
            &request.to,
            request.remove,
        )
    }
}

/// Add or remove tags of an entry.
pub struct Tag;

/// What `tag` takes.
#[derive(Clone, Debug, Request)]
pub struct TagRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// Tags to add
    pub tags: Vec<String>,
    /// Tags to remove
    #[field(long, value_name = "T")]
    pub remove: Vec<String>,
}

impl Verb for Tag {
    const NAME: &'static str = "tag";
    const ABOUT: &'static str = "Add or remove tags of an entry";
    const EXAMPLE: &'static str = "ken tag L-e71631 http/retry";
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::WRITES;
    type Request = TagRequest;
    type Answer = ChangeAnswer;

    fn run(call: &mut Call, request: TagRequest) -> Result<ChangeAnswer> {
        if request.tags.is_empty() && request.remove.is_empty() {
            return Err(Refusal::new(Code::Invalid, "no tag was given")
                .hint(format!("ken tag {} TAG..., or --remove TAG", request.id))
                .field("tags")
                .into());
        }
        let change = Change { tags_add: request.tags, tags_remove: request.remove, ..Change::default() };
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        crate::edit::revise(ledger, site, models, caller, &request.id, change, &[], false)
    }
}

/// Undo your last change.
pub struct Undo;

/// What `undo` takes.
#[derive(Clone, Debug, Request)]
pub struct UndoRequest {
    /// Undo the last change of another actor, such as agent:maintain (a person only)
    #[field(long, value_name = "ACTOR")]
    pub by: Option<String>,
}

/// What `undo` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndoAnswer {
    /// What became of each entry that the last change was about.
    #[serde(serialize_with = "sorted")]
    pub undone: Vec<ChangeAnswer>,
}

impl Verb for Undo {
    const NAME: &'static str = "undo";
    const ABOUT: &'static str = "Undo your last change";
    const EXAMPLE: &'static str = "ken undo";
    const GROUP: Group = Group::Change;
    const NATURE: Nature = Nature::REMOVES;
    const EVERYDAY: bool = true;
    type Request = UndoRequest;
    type Answer = UndoAnswer;

    fn run(call: &mut Call, request: UndoRequest) -> Result<UndoAnswer> {
        let Reach { ledger, site, models, caller, .. } = call.reach()?;
        Ok(UndoAnswer { undone: crate::undo::undo(ledger, site, models, caller, request.by.as_deref())? })
    }
}
