//! `ken edit`.

use ken_core::decide::Change;
use ken_core::signal::{STATE, SignalState};
use ken_core::{Code, Refusal};
use ken_engine::Result;
use ken_engine::ops::change::ChangeAnswer;
use serde_json::{Map, Value};

use crate::Reach;
use crate::entry_content::{ContentRequest, read_stated};
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

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
