//! The staging folders: a file for each candidate that waits, named after what it says, and a list of what was dropped.
//!
//! No read path looks here, and the ledger's reader takes no such file for its own. What arrives by git is scanned again before a word
//! of it is shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use ken_core::kinds::Polarity;
use ken_core::{Code, EntryKey, Memory, Refusal, Scope, Tier, Type};
use ken_digest::{Candidate, Place};
use ken_engine::{CloneState, RecordKind, Result};
use serde::{Deserialize, Serialize};

use super::{cleaned, entry_of, same_source, with_place};
use crate::{AddAnswer, AddInput, STORE_FOLDER};

/// The memories that candidates can belong to.
const MEMORIES: [Memory; 2] = [Memory::Semantic, Memory::Procedural];

/// The records of what waits and of what was dropped.
fn kinds(memory: Memory) -> (RecordKind, RecordKind) {
    match memory {
        Memory::Procedural => (RecordKind::StagedProcedural, RecordKind::DroppedProcedural),
        Memory::Semantic | Memory::Episodic => (RecordKind::StagedSemantic, RecordKind::DroppedSemantic),
    }
}

/// A file of staging: what one place says. Its name is made from all of it and it is never changed, so two branches cannot disagree
/// about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Filed {
    id: String,
    #[serde(flatten)]
    candidate: Candidate,
}

impl Filed {
    fn text(&self) -> String {
        ken_core::canonical::to_string(self) + "\n"
    }

    fn name(&self) -> String {
        let hash = blake3::hash(self.text().as_bytes()).to_hex();
        format!("{}.{}", self.id, &hash[..8])
    }
}

/// A candidate that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Staged {
    /// Its name: that of the entry it would be.
    pub id: String,
    /// What it says.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// Every place that says it.
    pub places: Vec<Place>,
}

impl Staged {
    /// The files that hold it, one for each place.
    fn files(&self) -> impl Iterator<Item = Filed> + '_ {
        let filed = |place: &Place| Filed {
            id: self.id.clone(),
            candidate: Candidate { place: place.clone(), ..self.candidate.clone() },
        };
        self.places.iter().map(filed)
    }

    /// The wish to add it.
    pub fn entry(&self) -> AddInput {
        entry_of(&self.candidate, &self.places)
    }

    fn line(&self) -> StagedLine {
        StagedLine {
            id: self.id.clone(),
            kind: self.candidate.kind,
            statement: self.candidate.statement.clone(),
            polarity: self.candidate.polarity,
            place: self.candidate.place.to_string(),
            evidence: self.places.iter().map(Place::evidence).collect(),
            cue: self.candidate.cue.clone(),
            confidence: self.candidate.confidence,
            enforcement: self.candidate.enforcement.clone(),
        }
    }
}

/// A candidate in a line.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StagedLine {
    pub id: String,
    /// What it would be.
    #[serde(rename = "type")]
    pub kind: Type,
    /// What it says.
    pub statement: String,
    /// Whether it asks or forbids.
    pub polarity: Polarity,
    /// Where it stands.
    pub place: String,
    /// What would be cited.
    pub evidence: Vec<String>,
    /// What made it a candidate.
    pub cue: String,
    /// How sure that is, in percent.
    pub confidence: u8,
    /// How it could be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enforcement: Option<serde_json::Value>,
}

/// What `staging list` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StagingAnswer {
    /// What waits, by place.
    pub staged: Vec<StagedLine>,
    /// What was dropped.
    pub dropped: Vec<DroppedLine>,
    /// Files that are not shown: the scan keeps them out, or they are not what their name says.
    pub withheld: Vec<String>,
}

/// Something that was dropped.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DroppedLine {
    pub id: String,
    /// What it said.
    pub statement: String,
    /// Why it went.
    pub reason: String,
    /// Who said so.
    pub by: String,
}

/// What became of a candidate that was accepted.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AcceptAnswer {
    /// Its name in staging.
    pub staged: String,
    /// What the intake said.
    #[serde(flatten)]
    pub added: AddAnswer,
}

/// What became of a candidate that was dropped.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DropAnswer {
    pub id: String,
    /// What it said.
    pub statement: String,
    /// Why it goes.
    pub reason: String,
}

/// A line of the list of what was dropped. Of two about one candidate the later counts, in whatever order git put them; who writes one
/// sees to it that it is later than what it answers. Of two that say they are of one second, from branches that did not know of each
/// other, the restoring one counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Drop {
    at: i64,
    by: String,
    candidate: Staged,
    #[serde(default)]
    reason: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    restored: bool,
}

/// The staging folders of a store, read.
pub(super) struct Staging {
    state: Arc<dyn CloneState>,
    pub waiting: BTreeMap<String, Staged>,
    dropped: BTreeMap<String, Drop>,
    /// Files that hold what waits, by its id.
    files: BTreeMap<String, Vec<(Memory, String)>>,
    /// What is to be written.
    new: Vec<Filed>,
    /// Sentences about files that are left alone.
    pub odd: Vec<String>,
}

impl Staging {
    /// Reads what is there. A file that cannot be read as a candidate is named and left alone.
    pub fn read(state: Arc<dyn CloneState>) -> Result<Staging> {
        let mut staging = Staging {
            state,
            waiting: BTreeMap::new(),
            dropped: BTreeMap::new(),
            files: BTreeMap::new(),
            new: Vec::new(),
            odd: Vec::new(),
        };
        for memory in MEMORIES {
            staging.read_folder(memory)?;
        }
        Ok(staging)
    }

    fn read_folder(&mut self, memory: Memory) -> Result<()> {
        let (staged, dropped) = kinds(memory);
        let mut names: Vec<String> = self.state.names(staged)?.into_iter().map(|one| one.name).collect();
        names.sort();
        for name in names {
            let shown = format!("{STORE_FOLDER}/{memory}/staging/{name}.json");
            let read = self
                .state
                .text(&staged.named(&name))
                .and_then(|text| serde_json::from_str::<Filed>(&text).ok())
                .filter(|filed| name == filed.name() && is_sound(&filed.id, &filed.candidate, memory));
            let Some(Filed { id, candidate }) = read else {
                self.odd.push(format!("{shown} was not written by `ken digest reduce` and is ignored"));
                continue;
            };
            // Whoever put the file there may not have scanned it.
            let (candidate, scan) = cleaned(candidate);
            if scan.tier.is_rejected() || id_of(&candidate) != id {
                self.odd.push(format!(
                    "{shown} is hidden: the scan reports {}",
                    scan.tier.max(Tier::Medium).word()
                ));
                continue;
            }
            self.files.entry(id.clone()).or_default().push((memory, name));
            let place = candidate.place.clone();
            let staged =
                self.waiting.entry(id.clone()).or_insert(Staged { id, candidate, places: Vec::new() });
            staged.places = with_place(&staged.places, &place);
        }
        // Marks of a conflict, and lines of others, say nothing of a candidate.
        for mut drop in self.state.items::<Drop>(&dropped.record())? {
            if !is_sound(&drop.candidate.id, &drop.candidate.candidate, memory) {
                continue;
            }
            let (candidate, scan) = cleaned(drop.candidate.candidate);
            if scan.tier.is_rejected() {
                continue;
            }
            drop.candidate.candidate = candidate;
            let id = drop.candidate.id.clone();
            let later = self
                .dropped
                .get(&id)
                .is_none_or(|known| (known.at, known.restored) <= (drop.at, drop.restored));
            if later {
                self.dropped.insert(id, drop);
            }
        }
        Ok(())
    }

    /// What there is.
    pub fn answer(&self) -> StagingAnswer {
        let mut staged: Vec<&Staged> = self.waiting.values().collect();
        staged.sort_by(|a, b| a.candidate.place.cmp(&b.candidate.place).then(a.id.cmp(&b.id)));
        let dropped = self.dropped.values().filter(|drop| !drop.restored);
        StagingAnswer {
            staged: staged.into_iter().map(Staged::line).collect(),
            dropped: dropped
                .map(|drop| DroppedLine {
                    id: drop.candidate.id.clone(),
                    statement: drop.candidate.candidate.statement.clone(),
                    reason: ken_engine::intake::redacted_text(&drop.reason),
                    by: ken_engine::intake::redacted_text(&drop.by),
                })
                .collect(),
            withheld: self.odd.clone(),
        }
    }

    /// Whether somebody dropped a candidate that says this.
    pub fn is_dropped(&self, candidate: &Candidate) -> bool {
        self.dropped.get(&id_of(candidate)).is_some_and(|drop| !drop.restored)
    }

    /// Takes a candidate in; none if it waits already. Another source that says it is kept in any case.
    pub fn take(&mut self, candidate: Candidate) -> Option<StagedLine> {
        let (id, place) = (id_of(&candidate), candidate.place.clone());
        let is_new = !self.waiting.contains_key(&id);
        let staged = self.waiting.entry(id.clone()).or_insert_with(|| Staged {
            id: id.clone(),
            candidate: candidate.clone(),
            places: Vec::new(),
        });
        // Where in a document it stands now is looked up when it is accepted.
        if !staged.places.iter().any(|known| same_source(known, &place)) {
            staged.places = with_place(&staged.places, &place);
            self.new.push(Filed { id, candidate });
        }
        is_new.then(|| staged.line())
    }

    /// Writes what is new, each file at once or not at all.
    pub fn write(&mut self) -> Result<()> {
        for filed in std::mem::take(&mut self.new) {
            let (memory, name) = (filed.candidate.kind.memory(), filed.name());
            self.state.write(&kinds(memory).0.named(&name), filed.text().as_bytes())?;
            self.files.entry(filed.id).or_default().push((memory, name));
        }
        Ok(())
    }

    /// The one candidate that a name means: its id or the beginning of it.
    pub fn find(&self, name: &str) -> Result<String> {
        one_of(name, self.waiting.keys()).map_err(|refusal| {
            refusal.hint("`ken digest list` lists candidates; `ken digest reduce PATH` adds more").into()
        })
    }

    /// Every candidate that some names mean. All that is wrong is told together.
    pub fn find_all(&self, names: &[String]) -> Result<Vec<String>> {
        let mut found = Vec::new();
        let mut wrong = Vec::new();
        for name in names {
            match one_of(name, self.waiting.keys()) {
                Ok(id) if found.contains(&id) => {}
                Ok(id) => found.push(id),
                Err(refusal) => wrong.push(refusal),
            }
        }
        match wrong.len() {
            0 => Ok(found),
            _ => {
                let message =
                    wrong.iter().map(|refusal| refusal.message.as_str()).collect::<Vec<_>>().join("; ");
                Err(Refusal::new(wrong[0].code, message)
                    .hint("nothing was changed; `ken digest list` lists candidates")
                    .into())
            }
        }
    }

    /// Takes a candidate's files away.
    pub fn remove(&mut self, id: &str) -> Result<()> {
        self.waiting.remove(id);
        for (memory, name) in self.files.remove(id).unwrap_or_default() {
            self.state.remove(&kinds(memory).0.named(&name))?;
        }
        Ok(())
    }

    /// Drops a candidate, for good.
    pub fn drop(&mut self, id: &str, reason: &str, by: &str, at: i64) -> Result<DropAnswer> {
        let staged = self.waiting[id].clone();
        let statement = staged.candidate.statement.clone();
        // Whoever drops it knows that it was restored: this is the later word, whatever the clock says.
        let at = self.dropped.get(id).map_or(at, |known| at.max(known.at.saturating_add(1)));
        self.note(Drop {
            at,
            by: by.to_owned(),
            candidate: staged,
            reason: reason.to_owned(),
            restored: false,
        })?;
        self.remove(id)?;
        Ok(DropAnswer { id: id.to_owned(), statement, reason: reason.to_owned() })
    }

    /// Brings back what was dropped.
    pub fn restore(&mut self, name: &str, by: &str, at: i64) -> Result<Staged> {
        let gone = self.dropped.iter().filter(|(_, drop)| !drop.restored).map(|(id, _)| id);
        let id = one_of(name, gone)
            .map_err(|refusal| refusal.hint("`ken digest list` lists dropped candidates"))?;
        let drop = self.dropped[&id].clone();
        let staged = drop.candidate.clone();
        self.note(Drop {
            at: at.max(drop.at),
            by: by.to_owned(),
            restored: true,
            reason: String::new(),
            ..drop
        })?;
        self.new.extend(staged.files());
        self.waiting.insert(id, staged.clone());
        self.write()?;
        Ok(staged)
    }

    /// Appends to the list of what was dropped.
    fn note(&mut self, drop: Drop) -> Result<()> {
        let memory = drop.candidate.candidate.kind.memory();
        let line = ken_core::canonical::to_string(&drop);
        self.state.append(&kinds(memory).1.record(), line.as_bytes())?;
        self.dropped.insert(drop.candidate.id.clone(), drop);
        Ok(())
    }
}

/// The name of a candidate: the key of the entry it would be.
fn id_of(candidate: &Candidate) -> String {
    EntryKey::derive(candidate.kind.word(), Scope::Project.word(), &candidate.statement).to_string()
}

/// Whether a candidate is what it is called, and belongs where it lies.
fn is_sound(id: &str, candidate: &Candidate, memory: Memory) -> bool {
    let inside = match &candidate.place {
        Place::Lines { path, .. } => ken_core::fields::relative_path(path).is_ok(),
        Place::Commit { hash } => {
            (4..=64).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        }
        Place::Pull { .. } => true,
    };
    inside && id == id_of(candidate) && candidate.kind.memory() == memory
}

/// The one id that a name begins.
fn one_of<'a>(name: &str, ids: impl Iterator<Item = &'a String>) -> std::result::Result<String, Refusal> {
    let name = name.trim().to_lowercase();
    let fits: Vec<&String> = ids.filter(|id| !name.is_empty() && id.starts_with(&name)).collect();
    match fits.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(Refusal::new(Code::NotFound, format!("unknown candidate {name:?}"))),
        many => {
            let some = many.iter().take(5).map(|id| id.as_str()).collect::<Vec<_>>().join(", ");
            Err(Refusal::new(Code::Ambiguous, format!("{name:?} matches {} candidates: {some}", many.len())))
        }
    }
}
