//! An agent's conversation, as the hooks of its host tell it: what is put before the agent, what is taken down, and how it ended
//! (DOO-5).
//!
//! A conversation is a run of kind `session`. Nothing here starts a process, asks a server or reads code, but for the anchors of
//! what an agent marks; `door` sees to it that no
//! host ever waits for it, or fails with it.

mod breaker;
mod door;
mod glance;
pub(crate) mod norms;
mod notes;
mod reads;
mod secret;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use ken_core::limits::SURFACE_TOKENS;
use ken_core::run::{INJECTED, PULLED, RunKind, RunOutcome, STANDING, UPSTREAM, folded};
use ken_core::{EntryKey, Memory, Millis, Scope, Status};
use ken_engine::ops::run::{self, InjectionCap, SessionEnd};
use ken_engine::ops::search::{self, Means, SearchInput};
use ken_engine::ops::surface::{Policy, Role};
use ken_engine::validity::judge_stored;
use ken_engine::{Effort, IndexPageMoment, Ledger, Reader, RecordKind, Stored, deliver, view};
use ken_hosts::hook::{Call, Event, Host, Stop, last_words, shown_by};
use ken_hosts::transcript::Source;
use ken_recall::delivery::{Likeness, Thresholds};

pub use self::door::{HookOutcome, answer_hook};
use self::glance::Glance;
use self::notes::Notes;
use crate::conversation::{commands, plain, report, session_run, words};
use crate::harvest::{DraftOutcome, Extent};
use crate::limits::session::{
    ADDED_MAX, ANCHORS_MAX, ASKED_MAX, BRIEFED_MAX, CONSIDERED_MAX, LOOKED_AT_MAX, PROMPT_CHARS_MAX,
    PROMPT_WORDS_MIN, READ_AT_ONCE_MAX, READ_BYTES_MAX, RECORDED_AT_ONCE, RULES_MAX, SHOWN_MAX, TOUCHED_MAX,
};
use crate::recall::read_reach;
use crate::{AddInput, Caller, Channel, Identity, Origin, Reach, Result, Site};

/// What a hook answers.
#[derive(Clone, Debug, Default)]
pub struct HookAnswer {
    /// A text for the agent's context.
    pub context: Option<String>,
    /// Entries in it, by their ids.
    pub entries: Vec<String>,
    pub tokens: usize,
    /// What is about to be done is held back, and why.
    pub held_back: Option<(Stop, String)>,
    /// What was done and why, for whoever wants to know.
    pub did: Vec<String>,
}

/// Takes part in a conversation of some host: its run begins with whoever comes first.
pub fn join_session(ledger: &mut Ledger, site: &Site, caller: &Caller) -> Result<()> {
    let Some(run) = caller.run().map(str::to_owned) else { return Ok(()) };
    if ledger.may_write().is_ok() && ledger.run(&run)?.is_none() {
        crate::learn::task_start(ledger, site, caller, "", RunKind::Session, None, None)?;
    }
    Ok(())
}

/// Does what a host's hook is for. What cannot be recorded is not put before anybody.
pub fn hook(reach: &mut Reach, call: &Call) -> Result<HookAnswer> {
    reach.ledger.may_write()?;
    let mut session = Session::new(reach, call);
    let mut told = HookAnswer::default();
    match &call.event {
        Event::Started { anew, resumed } => session.started(*anew, *resumed, &mut told)?,
        Event::Asked { prompt } => session.asked(prompt, &mut told)?,
        Event::Touching { paths, shown, deeds } => {
            for deed in deeds {
                if let ken_hosts::hook::Deed::Run(command) = deed {
                    session.note_forgery(command);
                }
            }
            session.hold_back(deeds, &mut told)?;
            // What is not done touches nothing.
            if told.held_back.is_none() {
                session.touching(paths, shown, &mut told)?;
            }
        }
        Event::Ran { command, succeeded, output } => session.ran(command, *succeeded, output, &mut told)?,
        Event::Compacting => {
            session.cleared(&mut told)?;
            session.harvest(Extent::Settled, &mut told)?;
        }
        Event::Stopped { said } => {
            session.stopped(said.as_deref(), &mut told)?;
            session.harvest(Extent::Settled, &mut told)?;
        }
        Event::Ended => {
            session.harvest(Extent::Ended, &mut told)?;
            session.ended(&mut told)?;
        }
        Event::Other => told.did.push("no entry is about it".to_owned()),
    }
    Ok(told)
}

/// One conversation, and the store it is held beside.
struct Session<'a> {
    ken: &'a mut Reach,
    call: &'a Call,
    /// The run that everything is recorded in.
    run: String,
    /// The agent's name in it.
    agent: String,
    /// The run is the conversation's own, and not one that somebody else began and will end.
    is_own: bool,
    /// Held while nobody else may inject.
    alone: Option<Box<dyn Send>>,
}

impl<'a> Session<'a> {
    fn new(ken: &'a mut Reach, call: &'a Call) -> Session<'a> {
        let own = own_run(call, ken.caller.now());
        let agent = ken.caller.name().to_owned();
        let run = ken.caller.run().map_or_else(|| own.clone(), str::to_owned);
        let is_own = run == own;
        Session { ken, call, run, agent, is_own, alone: None }
    }

    /// Waits until nobody else injects; whoever waits too long for it is late, and says nothing.
    fn alone(&mut self) -> Result<()> {
        if self.alone.is_none() {
            self.alone = Some(self.ken.ledger.alone("injecting")?);
        }
        Ok(())
    }

    /// How much may be put before the agent. The conversation's own run counts as begun: whoever records something begins it.
    fn cap(&mut self) -> Result<InjectionCap> {
        if !self.is_own {
            return crate::recall::injecting(&self.ken.ledger, &self.ken.site.config, &self.ken.caller);
        }
        let before = run::injected_into(&*self.ken.ledger, &self.run, &self.agent)?;
        Ok(InjectionCap { before, most: self.ken.site.config.number("review.entries") })
    }

    /// What is in the agent's context: what was put there, and what it asked for.
    fn in_context(&self) -> Result<BTreeSet<EntryKey>> {
        let begun = self.ken.ledger.run(&self.run)?;
        let mut seen = self.ken.ledger.exposures(&self.run)?;
        seen.retain(|seen| {
            seen.how != UPSTREAM
                && folded(&seen.agent) == folded(&self.agent)
                && begun.as_ref().is_none_or(|run| run.is_in_context(seen))
        });
        let mut at_once: BTreeMap<_, usize> = BTreeMap::new();
        for seen in seen.iter().filter(|seen| seen.how == PULLED) {
            *at_once.entry(seen.clock).or_default() += 1;
        }
        let is_read = |clock| at_once.get(clock).is_none_or(|count| *count <= READ_AT_ONCE_MAX);
        Ok(seen
            .iter()
            .filter(|seen| seen.how == INJECTED || is_read(&seen.clock))
            .map(|seen| seen.entry)
            .collect())
    }

    /// Begins the run, unless it has begun: whoever looks around and is told nothing leaves no trace.
    fn begin(&mut self) -> Result<()> {
        if self.is_own && self.ken.ledger.run(&self.run)?.is_none() {
            let held = self.alone.is_some();
            self.alone()?;
            join_session(&mut self.ken.ledger, &self.ken.site, &self.ken.caller)?;
            if !held {
                self.alone = None;
            }
        }
        Ok(())
    }

    /// Records who was shown what.
    fn expose(&mut self, entries: Vec<EntryKey>, how: &str) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        self.begin()?;
        let writer = crate::writer::writer(&self.ken.site.config, &self.ken.caller);
        let reader = Reader { run: Some(&self.run), agent: Some(&self.agent) };
        let intents =
            entries.chunks(RECORDED_AT_ONCE).flat_map(|some| reader.shown(how, some.to_vec())).collect();
        self.ken.ledger.append(intents, &writer)?;
        Ok(())
    }

    /// The same of what was not put there by a hook; once is enough.
    fn expose_once(&mut self, entries: Vec<EntryKey>, how: &str) -> Result<usize> {
        let seen: BTreeSet<EntryKey> = self.seen()?;
        let entries: Vec<EntryKey> = entries.into_iter().filter(|key| !seen.contains(key)).collect();
        let count = entries.len();
        self.expose(entries, how)?;
        Ok(count)
    }

    /// What the agent was shown in this run, however.
    fn seen(&self) -> Result<BTreeSet<EntryKey>> {
        let seen = self.ken.ledger.exposures(&self.run)?;
        let mine = seen.into_iter().filter(|seen| folded(&seen.agent) == folded(&self.agent));
        Ok(mine.map(|seen| seen.entry).collect())
    }

    fn notes(&self) -> Notes {
        Notes::read(&**self.ken.site.state(), &self.run)
    }

    /// A conversation begins: what the host loads by itself is taken down, and the agent is briefed.
    fn started(&mut self, anew: bool, resumed: bool, told: &mut HookAnswer) -> Result<()> {
        // What cannot be swept now is swept by the next one.
        let (state, now) = (self.ken.site.state(), self.ken.caller.now());
        RecordKind::ALL.iter().for_each(|kind| drop(state.sweep(*kind, now)));
        crate::maintain::maintain_in_background(&self.ken.ledger, &self.ken.site, &self.ken.caller);
        crate::index_file::write_index_page(
            &mut self.ken.ledger,
            &self.ken.site,
            &self.ken.caller,
            IndexPageMoment::Reading,
        );
        if anew {
            self.cleared(told)?;
        }
        let loaded = self.loaded()?;
        let count = self.expose_once(loaded, UPSTREAM)?;
        if count > 0 {
            told.did.push(format!("entries in files that the host loads itself: {count}"));
        }
        if resumed && !self.seen()?.is_empty() {
            told.did.push("the session continues; it was already briefed".to_owned());
            return Ok(());
        }
        if !self.call.hears {
            told.did.push(format!("{} cannot pass text to the agent", self.call.name));
            return Ok(());
        }
        let mut pull = self.how_to_ask()?;
        let key = secret::line(&**self.ken.site.state(), &self.run).filter(|_| !pull.is_empty());
        if let Some(key) = key {
            pull = format!("{pull}\n{key}");
        }
        let tokens = SURFACE_TOKENS.saturating_sub(crate::recall::tokens_of(&self.ken.models, &pull));
        if pull.is_empty() {
            told.did.push("the store has no entries in use".to_owned());
            return Ok(());
        }
        let norms = self.standing_norms()?;
        self.expose(norms.keys, STANDING)?;
        let (text, briefed) = self.briefing(tokens, &norms.all)?;
        let parts: Vec<&str> = [&norms.text, &text, &pull]
            .into_iter()
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        self.say(parts.join("\n"), [norms.ids, briefed].concat(), told);
        Ok(())
    }

    /// What somebody who begins here should know beside the norms, and the entries it names: they are in the context from here on.
    fn briefing(&mut self, tokens: usize, norms: &[String]) -> Result<(String, Vec<String>)> {
        self.begin()?;
        let answer = crate::brief::brief_for_injection(
            &mut self.ken.ledger,
            &self.ken.site,
            &self.ken.models,
            &self.ken.caller,
            tokens,
            BRIEFED_MAX,
            norms,
        )?;
        Ok((answer.text, answer.ids))
    }

    /// One line that says how to ask for more; none where there is nothing to ask for.
    fn how_to_ask(&self) -> Result<String> {
        Ok(match crate::list::handed_out(&self.ken.ledger)? {
            0 => String::new(),
            _ => "Before you decide or debug, search: the `recall` tool, or `ken search 'words'`.".to_owned(),
        })
    }

    /// Entries whose ids stand in files that the host reads into every conversation (REV-1).
    fn loaded(&self) -> Result<Vec<EntryKey>> {
        let root = self.ken.site.layout.root.clone();
        let mut files: Vec<PathBuf> = Vec::new();
        for name in self.call.host.loads() {
            let path = root.join(name);
            if !path.is_dir() {
                files.push(path);
                continue;
            }
            let inside = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
            let mut rules: Vec<PathBuf> = inside
                .filter(|path| path.extension().is_some_and(|end| end == "mdc" || end == "md"))
                .collect();
            rules.sort();
            rules.truncate(RULES_MAX);
            files.extend(rules);
        }
        let texts: Vec<String> = files.iter().filter_map(|path| beginning(path)).collect();
        self.named(texts.iter().flat_map(|text| words::cited(text)))
    }

    /// The entries that some names mean, each once. What is handed to nobody was shown to nobody.
    fn named<'t>(&self, names: impl Iterator<Item = &'t str>) -> Result<Vec<EntryKey>> {
        let mut keys = BTreeSet::new();
        for name in names.take(SHOWN_MAX) {
            keys.extend(named_in(&*self.ken.ledger, name)?);
        }
        Ok(keys.into_iter().collect())
    }

    /// A person asks for something: the entries that answer it, where some do.
    ///
    /// What was asked is recorded nowhere, and that nothing was found is held against no entry: it was no question to us.
    fn asked(&mut self, prompt: &str, told: &mut HookAnswer) -> Result<()> {
        let prompt = prompt.trim();
        let why_not = if !self.call.hears {
            Some(format!("{} cannot pass text to the agent", self.call.name))
        } else if prompt.starts_with('/') {
            Some("it is a command of the host".to_owned())
        } else if prompt.split_whitespace().count() < PROMPT_WORDS_MIN {
            Some(format!("it has fewer than {PROMPT_WORDS_MIN} words"))
        } else if crate::recall::policy(&self.ken.site.config, Role::Researcher) == Policy::Off {
            Some("delivery is off (setting surface.researcher)".to_owned())
        } else {
            None
        };
        if let Some(why) = why_not {
            told.did.push(why);
            return Ok(());
        }
        let query: String = prompt.chars().take(PROMPT_CHARS_MAX).collect();
        let (mut hits, mut considered) = self.relevant(&query)?;
        let keys: Vec<EntryKey> = hits.iter().map(|stored| stored.entry.key).collect();
        if self.ken.ledger.snapshot_mut().look_again(&keys)? {
            (hits, considered) = self.relevant(&query)?;
        }
        told.did.extend(considered);
        told.did.push(format!("entries that match: {}", hits.len()));
        let known = self.in_context()?;
        hits.retain(|stored| !known.contains(&stored.entry.key));
        if hits.is_empty() {
            return Ok(());
        }
        self.alone()?;
        let (cap, known) = (self.cap()?, self.in_context()?);
        hits.retain(|stored| !cap.before.contains(&stored.entry.key) && !known.contains(&stored.entry.key));
        if hits.is_empty() {
            return Ok(());
        }
        let room = cap.room().min(ASKED_MAX);
        let more = hits.len().saturating_sub(room);
        hits.truncate(room);
        // A prompt is a person's, and may be long: the command that shows the rest does not repeat it.
        let rest = (more > 0).then(|| format!("{more} more: find them with `ken search`"));
        self.hand(None, hits, rest, told)
    }

    /// The entries that answer a question well enough to be put before somebody who did not ask us, the most similar first; and a line for
    /// each that was considered.
    fn relevant(&mut self, query: &str) -> Result<(Vec<Stored>, Vec<String>)> {
        let embedder = crate::embedding::embedder(&mut self.ken.ledger, &mut self.ken.models);
        let input = SearchInput {
            query: query.to_owned(),
            plain: true,
            limit: CONSIDERED_MAX,
            steady: true,
            thread: crate::thread::thread_or(&self.ken.ledger, &self.ken.caller, None)?,
            unasked_in: Some(self.own_runs()),
            ..SearchInput::default()
        };
        let ground = std::cell::RefCell::new(Glance::at(&self.ken.site.layout));
        let mut global = crate::recall::global_to_ask(&mut self.ken.ledger, &self.ken.site, &self.ken.caller);
        let tokens = self.ken.models.all.tokens();
        let means = Means {
            embedder: embedder.as_ref().map(|embedder| &**embedder).map_err(Clone::clone),
            tokens: &*tokens,
            now: self.ken.caller.now(),
            ground: Some(&ground),
        };
        let found = read_reach(&mut self.ken.ledger, global.as_mut(), |entries| {
            search::search(entries, &input, &means)
        })?;
        let likeness: Vec<Likeness> = found.hits.iter().map(|hit| (&hit.found).into()).collect();
        let chosen = Thresholds::PROMPT.choose(&likeness, embedder.is_ok() && !found.is_degraded());
        let considered = found.hits.iter().map(|hit| considered(&hit.stored, &(&hit.found).into())).collect();
        let mut hits: Vec<Stored> = chosen.into_iter().map(|at| found.hits[at].stored.clone()).collect();
        // BEL-9: of what answers, the pinned come first.
        hits.sort_by_key(|stored| stored.overlay.pinned.is_none());
        Ok((hits, considered))
    }

    /// Files are read or changed: the entries that speak of them. A file of the store itself shows what is in it.
    fn touching(&mut self, paths: &[PathBuf], shown: &[PathBuf], told: &mut HookAnswer) -> Result<()> {
        let mut about: Vec<String> = Vec::new();
        let mut pulled = Vec::new();
        for path in paths {
            let Some(path) = self.inside(path) else { continue };
            match self.of_the_store(&path) {
                Some(below) => pulled.extend(self.in_store_file(&below)?),
                None => about.push(path),
            }
        }
        pulled.extend(self.shown_of_the_store(shown)?);
        self.read(pulled, told)?;
        if about.is_empty() || !self.call.hears {
            return Ok(());
        }
        let known = self.in_context()?;
        let mut found: Vec<(String, Stored)> = Vec::new();
        for path in about {
            for key in self.ken.ledger.at_path(&path)?.into_iter().take(LOOKED_AT_MAX) {
                let is_known = known.contains(&key) || found.iter().any(|(_, other)| other.entry.key == key);
                if let Some(stored) =
                    self.ken.ledger.stored(key)?.filter(|stored| !is_known && is_relied_on(stored))
                    && self.is_seen_here(&stored)?
                    && self.may_show(&stored)
                {
                    found.push((path.clone(), stored));
                }
            }
        }
        if !found.is_empty() {
            self.alone()?;
            let (cap, known) = (self.cap()?, self.in_context()?);
            found.retain(|(_, stored)| {
                !cap.before.contains(&stored.entry.key) && !known.contains(&stored.entry.key)
            });
        }
        if found.is_empty() {
            told.did.push("no reliable entry is about it, or all were already shown".to_owned());
            return Ok(());
        }
        let room = self.cap()?.room().min(TOUCHED_MAX);
        found.sort_by_key(|(_, stored)| rank(stored));
        let more = found.len().saturating_sub(room);
        let path = found[0].0.clone();
        found.truncate(room);
        // The rest is offered (REV-5); once is enough.
        let mut notes = self.notes();
        let rest = (more > 0 && room > 0 && notes.offers(&path))
            .then(|| format!("{more} more about it: ken search '{}'", path.replace('\'', " ")));
        if rest.is_some() {
            notes.keep(&**self.ken.site.state(), &self.run);
        }
        let mut ground = Glance::at(&self.ken.site.layout);
        let mut entries: Vec<Stored> = found.into_iter().map(|(_, stored)| stored).collect();
        judge_stored(
            &*self.ken.ledger,
            &mut ground,
            &mut entries.iter_mut().collect::<Vec<_>>(),
            Effort::Quick,
        )?;
        self.hand(Some(&format!("About {}:", deliver::safe(&path))), entries, rest, told)
    }

    /// Takes down what the agent reads in the store's own files.
    fn read(&mut self, mut entries: Vec<EntryKey>, told: &mut HookAnswer) -> Result<()> {
        entries.sort();
        entries.dedup();
        entries.truncate(SHOWN_MAX);
        let count = self.expose_once(entries, PULLED)?;
        if count > 0 {
            told.did.push(format!("entries in files of the store that are read: {count}"));
        }
        Ok(())
    }

    /// The entries in files of the store whose contents are shown (REV-1).
    fn shown_of_the_store(&self, shown: &[PathBuf]) -> Result<Vec<EntryKey>> {
        let store = &self.ken.site.layout.store;
        let mut keys = Vec::new();
        for path in shown {
            // What git is asked for counts from the top of the repository, wherever it is asked.
            let from_top = path.to_str().and_then(|path| self.of_the_store(path));
            let below = from_top.or_else(|| self.of_the_store(&self.inside(path)?));
            for file in below.iter().flat_map(|below| reads::files(store, below)) {
                if keys.len() < SHOWN_MAX {
                    keys.extend(self.in_store_file(&file)?);
                }
            }
        }
        Ok(keys)
    }

    /// Whether an entry may be put before this agent unasked (COR-26). Drafts that nobody looked at wait, and what this conversation
    /// itself wrote is no news to it.
    fn may_show(&self, stored: &Stored) -> bool {
        !deliver::is_unreviewed_draft(stored)
            && !self.own_runs().iter().any(|run| deliver::is_stated_in(stored, run))
    }

    /// The runs that this conversation writes in: its own, and the one that somebody else began for it.
    fn own_runs(&self) -> Vec<String> {
        vec![own_run(self.call, self.ken.caller.now()), self.run.clone()]
    }

    /// An entry of a thread is for those who work in it (ENT-8).
    fn is_seen_here(&self, stored: &Stored) -> Result<bool> {
        let fields = &stored.entry.fields;
        Ok(fields.scope() != Scope::Thread
            || fields.thread == crate::thread::thread_or(&self.ken.ledger, &self.ken.caller, None)?)
    }

    /// A path as the repository knows it; none outside of it.
    fn inside(&self, path: &Path) -> Option<String> {
        let root = &self.ken.site.layout.root;
        let from = self.call.cwd.clone().unwrap_or_else(|| root.clone());
        let whole = plain(&from.join(path))?;
        let roots = [plain(root), root.canonicalize().ok()];
        let below = roots.iter().flatten().find_map(|root| whole.strip_prefix(root).ok().map(Path::to_owned));
        // The host may know the folder by another name.
        let below = below.or_else(|| {
            let parent = whole.parent()?.canonicalize().ok()?.join(whole.file_name()?);
            roots.iter().flatten().find_map(|root| parent.strip_prefix(root).ok().map(Path::to_owned))
        })?;
        let text = below.to_str()?.replace('\\', "/");
        (!text.is_empty() && ken_core::fields::relative_path(&text).is_ok()).then_some(text)
    }

    /// The path below the store's folder, if it leads there.
    fn of_the_store(&self, path: &str) -> Option<String> {
        let layout = &self.ken.site.layout;
        let store = layout.store.strip_prefix(&layout.root).ok()?.to_str()?.replace('\\', "/");
        match path.strip_prefix(&store)? {
            "" => Some(String::new()),
            below => below.strip_prefix('/').map(str::to_owned),
        }
    }

    /// The entries whose words stand in a file of the store (REV-1).
    fn in_store_file(&self, below: &str) -> Result<Vec<EntryKey>> {
        let Some(text) = beginning(&self.ken.site.layout.store.join(below)) else { return Ok(Vec::new()) };
        if !below.ends_with(".jsonl") {
            return self.named(words::cited(&text).chain(words::quoted(&text)));
        }
        let mut keys = BTreeSet::new();
        for key in text.lines().filter_map(words::stated) {
            if keys.len() < SHOWN_MAX && self.ken.ledger.stored(key)?.is_some() {
                keys.insert(key);
            }
        }
        Ok(keys.into_iter().collect())
    }

    /// A command ended: one that failed and passes later says that something was mended in between.
    /// Some hosts tell of commands only when they have ended, so what one showed of the store is taken down here as well.
    fn ran(
        &mut self,
        command: &str,
        succeeded: Option<bool>,
        output: &str,
        told: &mut HookAnswer,
    ) -> Result<()> {
        self.note_forgery(command);
        let shown = self.shown_of_the_store(&shown_by(command))?;
        self.read(shown, told)?;
        let known = commands::command(command);
        let Some((known, succeeded)) =
            known.and_then(|known| known.succeeded(succeeded, output).map(|succeeded| (known, succeeded)))
        else {
            told.did.push("its exit status says nothing about the work".to_owned());
            return Ok(());
        };
        let mut notes = self.notes();
        told.did.push(notes.ran(&known.name, succeeded).to_owned());
        if succeeded {
            norms::ran(&mut notes, command, &**self.ken.site.state(), &self.ken.site.layout, self.call);
        }
        notes.keep(&**self.ken.site.state(), &self.run);
        Ok(())
    }

    /// An agent that starts the hook itself may tell it anything: what this session's hooks hear is no longer the host's word (COR-19).
    fn note_forgery(&self, command: &str) {
        if secret::starts_hook(command) {
            let mut notes = self.notes();
            notes.is_forged = true;
            notes.keep(&**self.ken.site.state(), &self.run);
        }
    }

    /// The context begins anew: what is injected is counted from here on (REV-5). Who was told stays told.
    fn cleared(&mut self, told: &mut HookAnswer) -> Result<()> {
        if !self.in_context()?.is_empty() {
            // Only a run that began can be cleared; others may have injected into one that did not.
            self.begin()?;
        }
        let writer = crate::writer::writer(&self.ken.site.config, &self.ken.caller);
        if run::clear(&mut self.ken.ledger, &self.run, &self.agent, &writer)? {
            let mut notes = self.notes();
            notes.offers_anew();
            notes.keep(&**self.ken.site.state(), &self.run);
            told.did.push("the context was compacted; the injection budget starts over".to_owned());
        }
        Ok(())
    }

    /// The agent stopped: what it reports of entries is taken down, and what it marks as knowledge goes through the whole intake, as candidates.
    fn stopped(&mut self, said: Option<&str>, told: &mut HookAnswer) -> Result<()> {
        let text = match said {
            Some(said) => said.to_owned(),
            None => self
                .call
                .transcript
                .as_deref()
                .and_then(end)
                .and_then(|tail| last_words(&tail))
                .unwrap_or_default(),
        };
        let mut notes = self.notes();
        let mut global = None;
        for (name, stance) in report::report(&text).into_iter().take(SHOWN_MAX) {
            let global_name = name.strip_prefix("global:");
            let mut key = match global_name {
                Some(_) => None,
                None => named_in(&*self.ken.ledger, &name)?,
            };
            if key.is_none() {
                // Opened once, and only where something else than the project's entries is named.
                let global = global.get_or_insert_with(|| {
                    crate::learn::global_to_write(
                        &mut self.ken.ledger,
                        &self.ken.site.workspace,
                        &self.ken.caller,
                    )
                });
                key = match global {
                    Some(global) => named_in(&*global.ledger, global_name.unwrap_or(&name))?,
                    None => None,
                };
            }
            if let Some(key) = key
                && self.was_shown(key)?
            {
                notes.reports(key.to_string(), stance);
            }
        }
        global.flatten().into_iter().for_each(|global| self.ken.site.workspace.take_back(global));
        let marked = words::marked(&text).into_iter();
        let fresh: Vec<words::Marked> = marked.filter(|line| notes.hears(&line.statement)).collect();
        if fresh.is_empty() {
            told.did.push("no new line is marked as knowledge".to_owned());
        } else {
            self.begin()?;
        }
        if fresh.len() > ADDED_MAX {
            told.did.push(format!("{} lines are marked; the first {ADDED_MAX} count", fresh.len()));
        }
        for line in fresh.into_iter().take(ADDED_MAX) {
            // What is kept out is repeated nowhere: somebody may read the log.
            let candidate = self.candidate(line);
            let Reach { ledger, site, models, caller, .. } = &mut *self.ken;
            match crate::add::add(ledger, site, models, caller, candidate) {
                Ok(answer) => told.did.push(format!("{} {}", answer.outcome, answer.handle)),
                Err(crate::Error::Refused(refusal)) => {
                    told.did.push(format!("refused: {}", refusal.code.word()))
                }
                Err(error) => return Err(error),
            }
        }
        notes.keep(&**self.ken.site.state(), &self.run);
        Ok(())
    }

    /// Reads the transcript for what nobody marked (EXT-1). What the person has not spoken after yet may still be taken back, so it waits
    /// until they do, or until the session ends. A transcript that is too long for a hook is left to `ken harvest`.
    fn harvest(&mut self, extent: Extent, told: &mut HookAnswer) -> Result<()> {
        let Some(path) = self.call.transcript.clone().filter(|_| self.is_own) else { return Ok(()) };
        if !self.ken.site.config.switch("hooks.harvest") {
            return Ok(());
        }
        let run = self.run.clone();
        let source = Source::from_word(self.call.host.word());
        for line in crate::harvest::harvest_session(
            &mut self.ken.ledger,
            &self.ken.site,
            &mut self.ken.models,
            &self.ken.caller,
            &path,
            source,
            &run,
            extent,
        )? {
            // What is kept out is repeated nowhere: somebody may read the log.
            let handle = line.handle.unwrap_or_default();
            match line.outcome {
                DraftOutcome::Added => told.did.push(format!("draft {} {handle}", line.kind.word())),
                DraftOutcome::Refused | DraftOutcome::Rejected => {
                    told.did.push(format!("kept out a draft: {}", line.kind.word()));
                }
                DraftOutcome::Known => {}
            }
        }
        Ok(())
    }

    /// Whether the agent was shown an entry: here, or elsewhere today.
    fn was_shown(&self, key: EntryKey) -> Result<bool> {
        let actor = self.ken.caller.actor().to_owned();
        let names = [self.agent.as_str(), ken_core::run::agent_of(&actor)];
        run::is_primed(&*self.ken.ledger, Some(&self.run), &names, key, self.ken.caller.now())
    }

    /// The files that a statement names, as far as they are there.
    fn places(&self, statement: &str) -> Vec<String> {
        let root = &self.ken.site.layout.root;
        let mut places: Vec<String> = Vec::new();
        for path in words::paths(statement) {
            // Agents write paths from the top of the repository, or from where they work.
            let is_there = |path: &String| root.join(path).is_file() && self.of_the_store(path).is_none();
            let mut ways = [root.join(path), PathBuf::from(path)].into_iter();
            let found = ways.find_map(|path| self.inside(&path).filter(is_there));
            places.extend(found.filter(|path| !places.contains(path)));
        }
        places.truncate(ANCHORS_MAX);
        places
    }

    fn candidate(&self, line: words::Marked) -> AddInput {
        let mut content = serde_json::Map::new();
        let places = self.places(&line.statement);
        if !places.is_empty() {
            content.insert("anchors".to_owned(), serde_json::json!(places));
        }
        content.insert("statement".to_owned(), line.statement.into());
        if let Some(subtype) = line.subtype {
            content.insert("subtype".to_owned(), subtype.into());
        }
        if let Some(tag) = line.tag {
            content.insert("tags".to_owned(), serde_json::json!([tag]));
        }
        AddInput {
            kind: Some(line.kind.to_owned()),
            content,
            evidence: vec![format!("transcript:{}", self.run)],
            draft: true,
            extracted: true,
            ..AddInput::default()
        }
    }

    /// The conversation is over (COR-15). Nothing is claimed about how it went. Belief moves for what the agent reported, and for what it
    /// was shown and named where every command that failed was mended: being shown is not being used (BEL-3).
    fn ended(&mut self, told: &mut HookAnswer) -> Result<()> {
        let notes = self.notes();
        let open = self.ken.ledger.run(&self.run)?.filter(|run| {
            let is_over = |end: RunOutcome| end != RunOutcome::Abandoned;
            let over = run.finished.as_ref().is_some_and(|(end, _)| is_over(end.outcome));
            self.is_own && run.started.kind == RunKind::Session && !over
        });
        let Some(open) = open else {
            told.did.push("this session has no open run".to_owned());
            Notes::forget(&**self.ken.site.state(), &self.run);
            return crate::brief::prepare_brief(&self.ken.ledger, &self.ken.site, &self.ken.caller);
        };
        if notes.is_silent() && open.finished.as_ref().is_some_and(|(end, _)| end.ended) {
            told.did.push(format!("run {} has already ended, with nothing new to record", self.run));
            Notes::forget(&**self.ken.site.state(), &self.run);
            return crate::brief::prepare_brief(&self.ken.ledger, &self.ken.site, &self.ken.caller);
        }
        let credited = if notes.is_mended() { notes.named() } else { &[] };
        let end = SessionEnd {
            run: self.run.clone(),
            agent: self.agent.clone(),
            used: self.keys(notes.used(), true)?,
            wrong: self.keys(notes.wrong(), false)?,
            credited: self.keys(credited, true)?,
            witnessed: notes.is_mended()
                && !notes.is_forged
                && secret::is_known(&**self.ken.site.state(), &self.run, self.call.transcript.as_deref()),
        };
        told.did.push(format!(
            "run {} ended: used {}, wrong {}, named and fixed {}",
            self.run,
            end.used.len(),
            end.wrong.len(),
            end.credited.len()
        ));
        crate::learn::end_session(
            &mut self.ken.ledger,
            &self.ken.site,
            &mut self.ken.models,
            &self.ken.caller,
            end,
        )?;
        Notes::forget(&**self.ken.site.state(), &self.run);
        // Nobody waits now; who begins next does.
        crate::brief::prepare_brief(&self.ken.ledger, &self.ken.site, &self.ken.caller)
    }

    /// The entries of some keys that are still there. Nobody's own entry of today gains by being used.
    fn keys(&mut self, keys: &[String], gain: bool) -> Result<Vec<EntryKey>> {
        let (now, actor) = (self.ken.caller.now(), self.ken.caller.actor().to_owned());
        let mut found = Vec::new();
        let mut global = None;
        for key in keys {
            let mut stored = crate::ops::find_any(&*self.ken.ledger, key)?;
            if stored.is_none()
                && let Some(global) = global.get_or_insert_with(|| {
                    crate::learn::global_to_write(
                        &mut self.ken.ledger,
                        &self.ken.site.workspace,
                        &self.ken.caller,
                    )
                })
            {
                stored = crate::ops::find_any(&*global.ledger, key)?;
            }
            let Some(stored) = stored else { continue };
            let entry = &stored.entry;
            let is_own = entry.created_by == actor && entry.created.millis().date() == now.date();
            if !(gain && is_own) {
                found.push(entry.key);
            }
        }
        global.flatten().into_iter().for_each(|global| self.ken.site.workspace.take_back(global));
        Ok(found)
    }

    /// Puts entries before the agent: recorded first, then said.
    fn hand(
        &mut self,
        about: Option<&str>,
        mut entries: Vec<Stored>,
        rest: Option<String>,
        told: &mut HookAnswer,
    ) -> Result<()> {
        let text = loop {
            if entries.is_empty() {
                // A count of entries without one of them is no answer (COR-26).
                told.did.push("the injection budget of this context is used up".to_owned());
                return Ok(());
            }
            let text = self.block(about, &entries, rest.as_deref())?;
            if crate::recall::tokens_of(&self.ken.models, &text) <= SURFACE_TOKENS {
                break text;
            }
            entries.pop();
        };
        let keys: Vec<EntryKey> = entries.iter().map(|stored| stored.entry.key).collect();
        self.expose(keys.clone(), INJECTED)?;
        crate::recall::remember_globally(
            &mut self.ken.ledger,
            &self.ken.site,
            &self.ken.caller,
            INJECTED,
            &keys,
        )?;
        let ids = entries.iter().map(|stored| stored.id.clone()).collect();
        self.say(text, ids, told);
        Ok(())
    }

    fn block(&self, about: Option<&str>, entries: &[Stored], rest: Option<&str>) -> Result<String> {
        let mut lines = vec![deliver::HEADER.to_owned()];
        lines.extend(about.map(str::to_owned));
        let together: Vec<&Stored> = entries.iter().collect();
        let caveats = deliver::caveats(&*self.ken.ledger, &together, self.ken.caller.now())?;
        for (stored, caveats) in entries.iter().zip(&caveats) {
            lines.push(format!("- {}", deliver::headline(stored, 240)));
            lines.push(format!("  {}", deliver::standing(stored, self.ken.caller.now())));
            lines.extend(caveats.lines().into_iter().map(|line| format!("  {line}")));
        }
        lines.extend(rest.map(str::to_owned));
        Ok(deliver::block(&lines.join("\n")))
    }

    fn say(&self, text: String, entries: Vec<String>, told: &mut HookAnswer) {
        if text.is_empty() {
            return;
        }
        told.tokens = crate::recall::tokens_of(&self.ken.models, &text);
        told.did.push(format!("{} tokens, entries: {}", told.tokens, entries.join(" ")));
        told.entries = entries;
        told.context = Some(text);
    }
}

/// The entry of a store that has this very id or handle.
fn named_in(store: &dyn ken_engine::Projection, name: &str) -> Result<Option<EntryKey>> {
    let [key] = store.resolve(name)?[..] else { return Ok(None) };
    let is_it = |stored: &Stored| !stored.purge_asked && (stored.id == name || view::handle(stored) == name);
    Ok(store.stored(key)?.filter(is_it).map(|_| key))
}

/// What the conversation is called; for a host that does not say, a day is one.
fn session_name(call: &Call, now: Millis) -> String {
    match call.session.trim() {
        "" => now.date(),
        name => name.to_owned(),
    }
}

/// The run that the conversation of a hook's call is.
fn own_run(call: &Call, now: Millis) -> String {
    session_run(call.host.word(), &session_name(call, now))
}

/// Who makes the call of a hook: the agent of its host, in the run of the conversation unless another one was begun around it.
pub(crate) fn hook_caller(identity: &Identity, call: &Call) -> Result<Caller> {
    let now = identity.time();
    let actor = identity.actor.clone().filter(|actor| actor.starts_with("agent:"));
    let actor = actor.unwrap_or_else(|| format!("agent:{}", call.host.agent()));
    let origin = Origin { host: Some(call.host.word().to_owned()), ..Origin::default() };
    let run = identity.run.clone().unwrap_or_else(|| own_run(call, now));
    let caller = Caller::new(actor, now, Channel::Hook).from_origin(origin);
    Ok(caller.in_run(Some(run), identity.agent.clone())?)
}

/// An entry that may be put before somebody who merely opens a file: one that is handed out, lacks nothing, and is for everybody's
/// eyes.
fn is_relied_on(stored: &Stored) -> bool {
    stored.entry.status.is_retrieved()
        && (stored.entry.status != Status::Candidate || stored.entry.gaps().is_empty())
        && stored.entry.memory() != Memory::Episodic
        && !stored.purge_asked
        && !stored.overlay.hides()
}

/// Pinned ones first, then those that are relied on most.
fn rank(stored: &Stored) -> (bool, u8, i64, String) {
    let severity = stored.entry.fields.severity.unwrap_or(0.0);
    (
        stored.overlay.pinned.is_none(),
        match stored.entry.status {
            Status::Verified => 0,
            Status::Active => 1,
            _ => 2,
        },
        -(severity * 10.0) as i64,
        stored.id.clone(),
    )
}

/// An entry that was considered for a prompt, and how like it is.
fn considered(stored: &Stored, likeness: &Likeness) -> String {
    let cosine = likeness.cosine.map_or_else(|| "none".to_owned(), |cosine| format!("{cosine:.4}"));
    format!("considered {}: similarity {:.4}, cosine {cosine}", view::handle(stored), likeness.similarity)
}

/// The beginning of a text file.
fn beginning(path: &Path) -> Option<String> {
    let file = plain_file(path)?;
    let mut bytes = Vec::new();
    file.take(READ_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Opens a file. Whoever opens a pipe waits for somebody at its other end.
fn plain_file(path: &Path) -> Option<File> {
    std::fs::metadata(path).ok().filter(|looks| looks.is_file())?;
    File::open(path).ok()
}

/// The end of a text file.
fn end(path: &Path) -> Option<String> {
    let mut file = plain_file(path)?;
    let looks = file.metadata().ok()?;
    file.seek(SeekFrom::Start(looks.len().saturating_sub(READ_BYTES_MAX))).ok()?;
    let mut bytes = Vec::new();
    file.take(READ_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The host whose hooks run in this environment, for a call that does not tell.
fn host_around(identity: &Identity) -> Host {
    identity.host.as_deref().and_then(Host::from_word).unwrap_or(Host::ClaudeCode)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{commands, summary};

    #[test]
    fn a_conversation_has_one_name_that_a_ledger_can_hold() {
        let id = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
        assert_eq!(session_run("claude-code", id), format!("claude-code-{id}"));
        assert_eq!(session_run("claude-code", &id.to_uppercase()), session_run("claude-code", id));
        let long = "x".repeat(500);
        for odd in ["a b", "", "a\nb", "a=b", long.as_str(), "ü"] {
            let name = session_run("codex", odd);
            assert!(crate::check_name(&name).is_ok() && name.len() < 40, "{odd:?}: {name}");
            assert_eq!(name, session_run("codex", odd));
        }
        assert_ne!(session_run("codex", "a b"), session_run("codex", "a-b"));
        for token in [format!("ghp_{}", "aB3dE5fG7h".repeat(4)), format!("AKIA{}", "IOSFODNN7EXAMPLQ")] {
            let name = session_run("codex", &token);
            assert!(!name.contains(&token.to_lowercase()) && name.len() < 40, "{name}");
        }
    }

    #[test]
    fn texts_that_are_cut_anywhere_are_read() {
        let text = "## Lesson\n\nä `x` **é**\n- [x] **Gotcha**： 漢字 <!-- ü -->\n| a |\n|--|\n```\nx\n~~~\nused [L-1a2b3c]'s, [L-ü]; “wrong” `L-1a2b3c`?\n\
            set -o pipefail; a 'b\\' | tail -5 && c || echo \"é: $?\" \\\n=== 1 failed, ü in 0.1s ===\n";
        for (at, _) in text.char_indices() {
            for half in [&text[..at], &text[at..]] {
                words::marked(half);
                words::paths(half).count();
                report::report(half);
                commands::command(half).map(|command| command.succeeded(None, half));
                summary::succeeded(half);
            }
        }
    }

    #[test]
    fn a_path_is_made_plain_or_is_none() {
        for (path, wanted) in [
            ("/r/src/./a.rs", Some("/r/src/a.rs")),
            ("/r/x/../src/a.rs", Some("/r/src/a.rs")),
            ("/r/../../../etc/passwd", None),
            ("..", None),
        ] {
            assert_eq!(plain(Path::new(path)), wanted.map(PathBuf::from), "{path}");
        }
    }
}
