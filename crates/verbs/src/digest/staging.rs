//! The staging folders: a file for each candidate that waits, named after what it says, and a list of what was dropped.
//!
//! No read path looks here, and the ledger's reader takes no such file for its own. What arrives by git is scanned again before a word
//! of it is shown.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use ken_core::kinds::Polarity;
use ken_core::{Code, EntryKey, Memory, Refusal, Scope, Tier, Type};
use ken_digest::{Candidate, Place};
use ken_engine::{Error, Result};
use serde::{Deserialize, Serialize};

use super::{cleaned, entry_of, same_source, with_place};
use crate::limits::digest_staging::{DROPPED_BYTES_MAX, FILE_BYTES_MAX, FILES_MAX, LEFT_AFTER};
use crate::{AddAnswer, AddInput, STORE_FOLDER};

/// Hidden, so that no reader of ledgers takes it for one; its ending has git merge it line by line.
const DROPPED: &str = ".dropped.jsonl";
/// The memories that candidates can belong to.
const MEMORIES: [Memory; 2] = [Memory::Semantic, Memory::Procedural];

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
        format!("{}.{}.json", self.id, &hash[..8])
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
    store: PathBuf,
    pub waiting: BTreeMap<String, Staged>,
    dropped: BTreeMap<String, Drop>,
    /// Files that hold what waits, by its id.
    files: BTreeMap<String, Vec<PathBuf>>,
    /// What is to be written.
    new: Vec<Filed>,
    /// Sentences about files that are left alone.
    pub odd: Vec<String>,
}

impl Staging {
    /// Reads what is there. A file that cannot be read as a candidate is named and left alone.
    pub fn read(store: &Path) -> Result<Staging> {
        let mut staging = Staging {
            store: store.to_owned(),
            waiting: BTreeMap::new(),
            dropped: BTreeMap::new(),
            files: BTreeMap::new(),
            new: Vec::new(),
            odd: Vec::new(),
        };
        for memory in MEMORIES {
            staging.read_folder(memory).map_err(Error::failed("reading the staging folder"))?;
        }
        Ok(staging)
    }

    fn read_folder(&mut self, memory: Memory) -> io::Result<()> {
        let folder = folder(&self.store, memory);
        if !is_plain_folder(&self.store, &folder) {
            return Ok(());
        }
        let mut names: Vec<String> = fs::read_dir(&folder)?
            .take(FILES_MAX)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".json") && !name.starts_with('.'))
            .collect();
        names.sort();
        for name in names {
            let shown = format!("{STORE_FOLDER}/{memory}/staging/{name}");
            let read = plain_text(&folder.join(&name), FILE_BYTES_MAX)
                .ok()
                .flatten()
                .and_then(|text| serde_json::from_str::<Filed>(&text).ok())
                .filter(|filed| name == filed.name() && is_sound(&filed.id, &filed.candidate, memory));
            let Some(Filed { id, candidate }) = read else {
                self.odd.push(format!("{shown} was not written by `ken reduce` and is ignored"));
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
            self.files.entry(id.clone()).or_default().push(folder.join(&name));
            let place = candidate.place.clone();
            let staged =
                self.waiting.entry(id.clone()).or_insert(Staged { id, candidate, places: Vec::new() });
            staged.places = with_place(&staged.places, &place);
        }
        for line in plain_text(&folder.join(DROPPED), DROPPED_BYTES_MAX)?.unwrap_or_default().lines() {
            // Marks of a conflict, and lines of others, say nothing of a candidate.
            let Ok(mut drop) = serde_json::from_str::<Drop>(line) else { continue };
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
            let folder = self.made(filed.candidate.kind.memory())?;
            let name = filed.name();
            replace(&folder, &name, &filed.text()).map_err(Error::failed(format!("staging {}", filed.id)))?;
            self.files.entry(filed.id).or_default().push(folder.join(name));
        }
        Ok(())
    }

    /// The one candidate that a name means: its id or the beginning of it.
    pub fn find(&self, name: &str) -> Result<String> {
        one_of(name, self.waiting.keys()).map_err(|refusal| {
            refusal.hint("`ken staging list` lists candidates; `ken reduce PATH` adds more").into()
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
                    .hint("nothing was changed; `ken staging list` lists candidates")
                    .into())
            }
        }
    }

    /// Takes a candidate's files away.
    pub fn remove(&mut self, id: &str) -> Result<()> {
        self.waiting.remove(id);
        for path in self.files.remove(id).unwrap_or_default() {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::failed(format!("taking {id} out of staging"))(error));
                }
                Ok(()) | Err(_) => {}
            }
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
            .map_err(|refusal| refusal.hint("`ken staging list` lists dropped candidates"))?;
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
        let folder = self.made(drop.candidate.candidate.kind.memory())?;
        let path = folder.join(DROPPED);
        let doing = "noting what was dropped";
        if fs::symlink_metadata(&path).is_ok_and(|looks| !looks.is_file()) {
            return Err(Error::failed(doing)(format!("{DROPPED} is not a regular file")));
        }
        // Whatever cut the last line short must not spoil this one.
        let text = plain_text(&path, DROPPED_BYTES_MAX).map_err(Error::failed(doing))?.unwrap_or_default();
        let begin = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let line = ken_core::canonical::to_string(&drop);
        let written = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(format!("{begin}{line}\n").as_bytes()));
        written.map_err(Error::failed(doing))?;
        self.dropped.insert(drop.candidate.id.clone(), drop);
        Ok(())
    }

    /// The staging folder of a memory, made if need be. A link in its place is not followed: it could lead anywhere.
    fn made(&self, memory: Memory) -> Result<PathBuf> {
        let folder = folder(&self.store, memory);
        fs::create_dir_all(&folder).map_err(Error::failed("making the staging folder"))?;
        match is_plain_folder(&self.store, &folder) {
            true => Ok(folder),
            false => Err(Error::failed("writing to the staging folder")(format!(
                "{STORE_FOLDER}/{memory}/staging is not a plain folder of the store"
            ))),
        }
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

fn folder(store: &Path, memory: Memory) -> PathBuf {
    store.join(memory.word()).join("staging")
}

/// Whether a folder and those above it are folders of the store itself.
fn is_plain_folder(store: &Path, folder: &Path) -> bool {
    let above = folder.ancestors().take_while(|above| *above != store);
    above.into_iter().all(|above| fs::symlink_metadata(above).is_ok_and(|looks| looks.is_dir()))
}

/// The text of a plain file; none where it is something else, too long, or no text.
fn plain_text(path: &Path, bytes_max: u64) -> io::Result<Option<String>> {
    let looks = match fs::symlink_metadata(path) {
        Ok(looks) => looks,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !looks.is_file() || looks.len() > bytes_max {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes).ok())
}

/// Writes a file beside its place and moves it there.
fn replace(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let beside = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&beside).or_else(|error| {
        // A killed process left it; nobody else has this number.
        fs::remove_file(&beside).map_err(|_| error)?;
        fs::OpenOptions::new().write(true).create_new(true).open(&beside)
    })?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, folder.join(name))
}

/// Removes files that a killed process left half-written, beside their places. What a running one is about to move stays.
pub(super) fn remove_leftovers(store: &Path) {
    for folder in MEMORIES.map(|memory| folder(store, memory)) {
        if !is_plain_folder(store, &folder) {
            continue;
        }
        let entries = fs::read_dir(&folder).into_iter().flatten().take(FILES_MAX).flatten();
        for entry in entries {
            let name = entry.file_name();
            let Some(process) = name.to_str().and_then(written_by) else { continue };
            if entry.file_type().is_ok_and(|kind| kind.is_file()) && is_left(process, &entry.path()) {
                // Whoever was quicker has done it, and one that cannot be removed harms nobody.
                drop(fs::remove_file(entry.path()));
            }
        }
    }
}

/// The number of the process that writes a file of such a name beside its place.
fn written_by(name: &str) -> Option<u32> {
    let (written, process) = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
    written.ends_with(".json").then(|| process.parse().ok())?
}

/// Whether the process that wrote a file is gone: it is not among those that run here or, where nobody lists them, the file is old.
fn is_left(process: u32, path: &Path) -> bool {
    let running = Path::new("/proc");
    if running.join("self").exists() {
        return process != std::process::id() && !is_running(&running.join(process.to_string()));
    }
    let modified = fs::symlink_metadata(path).and_then(|looks| looks.modified());
    modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age >= LEFT_AFTER))
}

/// Whether a process that is listed does anything yet. One that was killed stays listed until somebody asks how it ended.
fn is_running(listed: &Path) -> bool {
    let Ok(told) = fs::read_to_string(listed.join("stat")) else { return listed.exists() };
    // Its state is the word after its name, which is in parentheses and may hold anything.
    let state = told.rsplit_once(") ").and_then(|(_, after)| after.chars().next());
    !matches!(state, Some('Z' | 'X'))
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
