//! The door that hosts' hooks come in by. Nothing that happens behind it makes a host fail or wait: whatever goes wrong is one line in
//! a log, and nothing is said (DOO-5).

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use ken_core::Millis;
use ken_core::words::one_line;
use ken_engine::{CloneState, RecordKind};
use ken_hosts::hook::{self, Call, Event, Host, Moment, Stop};
use ken_worktree::Layout;
use serde_json::Value;

use super::breaker::{Attempt, Breaker, Failed};
use super::{HookAnswer, hook_caller, host_around, norms};
use crate::deliveries::{self, Delivered, Delivery};
use crate::limits::session_door::{
    INPUT_BYTES_MAX, LOG_CHARS_MAX, PROJECTS_MAX, READING, STACK_BYTES, WRITING_DOWN,
};
use crate::{Adapters, Config, Identity, Options, Reach};

/// What became of marked lines that were not simply added; nobody is told but the log.
const KEPT_OUT: &[&str] = &["held ", "quarantined ", "rejected ", "refused"];

/// What came of a call.
#[derive(Clone, Debug, Default)]
pub struct HookOutcome {
    /// What the host is to be answered; nothing where there is nothing to say.
    pub said: Option<String>,
    /// What was done and why, for whoever wants to know.
    pub did: Vec<String>,
}

/// How long an event may take: who waits for an answer waits least.
fn limit_of(moment: Moment) -> Duration {
    Duration::from_millis(match moment {
        Moment::Prompt | Moment::Touch | Moment::Act => 150,
        Moment::SessionStart | Moment::Ran | Moment::Compact => 1_000,
        Moment::Stop | Moment::End => 2_000,
    })
}

/// Answers a host's hook, in time or not at all.
pub fn answer_hook(
    adapters: &'static dyn Adapters,
    options: Options,
    identity: Identity,
    event: &str,
    host: Option<&str>,
    input: impl Read + Send + 'static,
) -> HookOutcome {
    let nothing = |why: String| HookOutcome { said: None, did: vec![why] };
    if options.hooks_off {
        return nothing("hooks are off (KEN_HOOKS)".to_owned());
    }
    if options.read_only {
        return nothing("KEN_READONLY is set: exposures cannot be recorded, so nothing is shown".to_owned());
    }
    let Some(moment) = Moment::from_word(event) else {
        let known: Vec<&str> = Moment::ALL.into_iter().map(Moment::word).collect();
        return nothing(format!("unknown event {event:?}; allowed: {}", known.join(", ")));
    };
    let host = match host.map(|word| (word, Host::from_word(word))) {
        None => None,
        Some((_, Some(host))) => Some(host),
        Some((word, None)) => {
            let known: Vec<&str> = Host::ALL.into_iter().map(Host::word).collect();
            return nothing(format!("unknown host {word:?}; allowed: {}", known.join(", ")));
        }
    };
    let begun = Instant::now();
    let now = identity.time();
    let mut desk = HookSupervisor {
        moment,
        begun,
        now,
        options: options.clone(),
        adapters,
        state: None,
        host,
        read: None,
        attempt: None,
    };
    let (said, heard) = mpsc::channel();
    let asked = options.hook_limit;
    let work = Work { adapters, moment, host, options, identity, limit: asked };
    let started = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || work.run(input, &said));
    if let Err(error) = started {
        return desk.wrong(Delivered::Error, &format!("no thread could be started: {error}"));
    }
    // Where this machine was late before, finding the store may take longer as well.
    let guessed = desk.options.find().filter(|_| asked.is_none()).map(|layout| adapters.state(&layout));
    let adapted = |state| Breaker::open(&state).limit(&breaker_name(host, moment), limit_of(moment));
    let mut limit = asked.or(guessed.map(adapted)).unwrap_or(limit_of(moment));
    loop {
        match heard.recv_timeout(limit.saturating_sub(begun.elapsed())) {
            Ok(WorkMessage::Found { state, host, limit: found }) => {
                desk.state = Some(state);
                desk.host = Some(host);
                limit = found;
            }
            Ok(WorkMessage::Read(call, layouts)) => desk.read = Some((call, layouts)),
            Ok(WorkMessage::Trying(attempt)) => desk.attempt = Some(attempt),
            Ok(WorkMessage::Nothing(why)) => return nothing(why),
            Ok(WorkMessage::Skipped(why)) => return desk.skipped(why),
            Ok(WorkMessage::Wrong(why)) => return desk.wrong(Delivered::Error, &why),
            Ok(WorkMessage::Done(call, answer)) => return desk.done(&call, *answer),
            Err(RecvTimeoutError::Timeout) => {
                // A norm is held against what the host said, however little time the store was given.
                while desk.read.is_none() {
                    match heard.recv_timeout(READING) {
                        Ok(WorkMessage::Read(call, layouts)) => desk.read = Some((call, layouts)),
                        Ok(WorkMessage::Found { state, host, .. }) => {
                            (desk.state, desk.host) = (Some(state), Some(host));
                        }
                        Ok(WorkMessage::Trying(attempt)) => desk.attempt = Some(attempt),
                        Ok(_) | Err(_) => break,
                    }
                }
                return desk.wrong(Delivered::Late, &format!("it took more than {} ms", limit.as_millis()));
            }
            Err(RecvTimeoutError::Disconnected) => return desk.wrong(Delivered::Error, "it panicked"),
        }
    }
}

/// What is heard from the one who does the work.
enum WorkMessage {
    /// The small state of the clone, who calls, and how long it may take.
    Found { state: Arc<dyn CloneState>, host: Host, limit: Duration },
    /// What the host said, and whose norms count: enough to hold back what they forbid, whatever becomes of the stores.
    Read(Box<Call>, Vec<Layout>),
    /// The call is one that can be answered: what goes wrong from here on is our own failure.
    Trying(Attempt),
    /// There is nothing to do.
    Nothing(String),
    /// It went wrong too often.
    Skipped(String),
    /// It went wrong.
    Wrong(String),
    /// It is done.
    Done(Box<Call>, Box<HookAnswer>),
}

/// The one who does the work, while another looks at the clock.
struct Work {
    adapters: &'static dyn Adapters,
    moment: Moment,
    host: Option<Host>,
    options: Options,
    identity: Identity,
    limit: Option<Duration>,
}

impl Work {
    fn run(self, input: impl Read, said: &Sender<WorkMessage>) {
        let last = self.work(input, said).unwrap_or_else(WorkMessage::Wrong);
        // Whoever no longer listens has answered.
        drop(said.send(last));
    }

    fn work(mut self, input: impl Read, said: &Sender<WorkMessage>) -> Result<WorkMessage, String> {
        let mut bytes = Vec::new();
        let read = input.take(INPUT_BYTES_MAX + 1).read_to_end(&mut bytes);
        read.map_err(|error| format!("standard input could not be read: {error}"))?;
        if bytes.len() as u64 > INPUT_BYTES_MAX {
            return Err(format!("the host's input is longer than {} MiB", INPUT_BYTES_MAX >> 20));
        }
        // Some editors begin a text with a mark of its encoding.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let json = serde_json::from_slice::<Value>(bytes).ok().filter(Value::is_object);
        let json = json.ok_or("the host's input is not a JSON object")?;
        let host = self.host.or_else(|| Host::guess(&json)).unwrap_or_else(|| host_around(&self.identity));
        let call = hook::read(host, self.moment, &json);
        if let Some(cwd) = call.cwd.as_ref().filter(|cwd| cwd.is_dir()) {
            self.options.from.clone_from(cwd);
        }
        self.options.offline = true;
        let mut places = self.places(&call);
        if places.is_empty() {
            return Ok(WorkMessage::Nothing("there is no store here".to_owned()));
        }
        let layouts = places.iter().map(|(_, layout)| layout.clone()).collect();
        let (options, layout) = places.remove(0);
        let state = self.adapters.state(&layout);
        let found = |limit| WorkMessage::Found { state: state.clone(), host, limit };
        let event = breaker_name(Some(host), self.moment);
        let mut breaker = Breaker::open(&state);
        let limit = self.limit.unwrap_or_else(|| breaker.limit(&event, limit_of(self.moment)));
        drop(said.send(found(limit)));
        drop(said.send(WorkMessage::Read(Box::new(call.clone()), layouts)));
        let attempt = match breaker.tries(&event, self.identity.time()) {
            Ok(attempt) => attempt,
            Err(until) => {
                let why = format!("it failed too often and is disabled until {until}");
                return Ok(WorkMessage::Skipped(why));
            }
        };
        drop(said.send(WorkMessage::Trying(attempt)));
        let elsewhere = self.elsewhere(&places, &call);
        if let Some(denied) = elsewhere.clone().filter(denies) {
            return Ok(WorkMessage::Done(Box::new(call), Box::new(denied)));
        }
        let own = layout.git.as_ref().map(|_| layout.clone_home());
        let config = Config::read(&layout.store, own.as_deref()).map_err(|error| error.to_string())?;
        if config.switch("hooks.off") {
            return Ok(WorkMessage::Nothing("hooks are off (setting hooks.off)".to_owned()));
        }
        let set = u64::try_from(config.number("hooks.timeout_ms")).ok().filter(|millis| *millis > 0);
        if let Some(limit) = set.map(Duration::from_millis).filter(|_| self.limit.is_none()) {
            drop(said.send(found(limit)));
        }
        let caller = hook_caller(&self.identity, &call).map_err(|error| error.to_string())?;
        let mut ken = Reach::open(self.adapters, options, caller).map_err(|error| error.to_string())?;
        let answer = match elsewhere {
            None => crate::session::hook(&mut ken, &call).map_err(|error| error.to_string())?,
            // A person is asked: only a norm that denies says more.
            Some(asked) => {
                let answer =
                    crate::session::hook(&mut ken, &deeds_of(&call)).map_err(|error| error.to_string())?;
                if denies(&answer) { answer } else { asked }
            }
        };
        // The answer goes out first; closing the store can wait.
        drop(said.send(WorkMessage::Done(Box::new(call), Box::new(answer))));
        Ok(WorkMessage::Nothing(String::new()))
    }

    /// The stores whose norms count, and how each is opened: that of the folder the agent works in, and those of the projects that the
    /// host was opened for. The conversation is held beside the first.
    fn places(&self, call: &Call) -> Vec<(Options, Layout)> {
        let is_named = self.options.store.is_some() || self.options.global;
        let projects = call.projects.iter().chain(&self.options.projects).filter(|_| !is_named);
        let projects = projects.filter(|folder| folder.is_absolute() && folder.is_dir()).take(PROJECTS_MAX);
        let mut roots: Vec<PathBuf> = Vec::new();
        let mut places = Vec::new();
        for from in std::iter::once(&self.options.from).chain(projects) {
            let options = Options { from: from.clone(), ..self.options.clone() };
            // Not even a count is written through a link. Where git keeps this clone's part, the norms noted there go on.
            let is_ours = |layout: &Layout| layout.git.is_some() || layout.refuse_links().is_ok();
            let Some(layout) = options.find().filter(is_ours) else { continue };
            let root = layout.root.canonicalize().unwrap_or_else(|_| layout.root.clone());
            if !roots.contains(&root) {
                roots.push(root);
                places.push((options, layout));
            }
        }
        places
    }

    /// What the strictest norm of other projects says of what is about to be done, where one holds it back. A store that fails is gone
    /// by its note.
    fn elsewhere(&self, places: &[(Options, Layout)], call: &Call) -> Option<HookAnswer> {
        if !matches!(&call.event, Event::Touching { deeds, .. } if !deeds.is_empty()) {
            return None;
        }
        let call = deeds_of(call);
        let mut strictest = None;
        for (options, layout) in places {
            let answer = self.deeds_at(options, layout, &call).unwrap_or_else(|why| HookAnswer {
                held_back: norms::noted(&*self.adapters.state(layout), layout, &call, self.identity.time()),
                did: vec![why],
                ..HookAnswer::default()
            });
            if denies(&answer) {
                return Some(answer);
            }
            strictest = strictest.or(Some(answer).filter(|answer| answer.held_back.is_some()));
        }
        strictest
    }

    fn deeds_at(&self, options: &Options, layout: &Layout, call: &Call) -> Result<HookAnswer, String> {
        let own = layout.git.as_ref().map(|_| layout.clone_home());
        let config = Config::read(&layout.store, own.as_deref()).map_err(|error| error.to_string())?;
        if config.switch("hooks.off") {
            return Ok(HookAnswer::default());
        }
        let caller = hook_caller(&self.identity, call).map_err(|error| error.to_string())?;
        let opened = Reach::open(self.adapters, options.clone(), caller);
        let answer = opened
            .and_then(|mut ken| crate::session::hook(&mut ken, call))
            .map_err(|error| error.to_string())?;
        // What is counted is counted beside the other store, which does not know these entries.
        Ok(HookAnswer { entries: Vec::new(), ..answer })
    }
}

/// The call, as far as it is about what will be done.
fn deeds_of(call: &Call) -> Call {
    let event = match &call.event {
        Event::Touching { deeds, .. } => {
            Event::Touching { paths: Vec::new(), shown: Vec::new(), deeds: deeds.clone() }
        }
        other => other.clone(),
    };
    Call { event, ..call.clone() }
}

fn denies(answer: &HookAnswer) -> bool {
    matches!(answer.held_back, Some((Stop::Deny, _)))
}

/// What is left alone when it goes wrong: one event of one host.
fn breaker_name(host: Option<Host>, moment: Moment) -> String {
    format!("{} {}", host.map_or("unknown", Host::word), moment.word())
}

/// The one who looks at the clock, and writes down how it went.
#[derive(Clone)]
struct HookSupervisor {
    moment: Moment,
    begun: Instant,
    now: Millis,
    options: Options,
    adapters: &'static dyn Adapters,
    state: Option<Arc<dyn CloneState>>,
    host: Option<Host>,
    /// What the host said, and whose norms count, once it was read.
    read: Option<(Box<Call>, Vec<Layout>)>,
    /// What the host said could be understood, and something was tried.
    attempt: Option<Attempt>,
}

impl HookSupervisor {
    fn done(&self, call: &Call, answer: HookAnswer) -> HookOutcome {
        let said = match &answer.held_back {
            Some((stop, text)) => hook::hold_back(call, *stop, text),
            None => answer.context.as_deref().and_then(|text| hook::reply(call, text)),
        };
        let how = match (&said, self.moment) {
            (Some(_), _) => Delivered::Hit,
            (None, Moment::SessionStart | Moment::Prompt | Moment::Touch | Moment::Act) => Delivered::Empty,
            (None, Moment::Ran | Moment::Compact | Moment::Stop | Moment::End) => Delivered::Done,
        };
        let HookAnswer { did, tokens, entries, .. } = answer;
        let kept_out = |line: &&String| KEPT_OUT.iter().any(|word| line.starts_with(word));
        let logged: Vec<String> = did.iter().filter(kept_out).cloned().collect();
        let took = self.begun.elapsed();
        self.write_down(move |desk| {
            if let Some(state) = &desk.state {
                let event = breaker_name(desk.host, desk.moment);
                Breaker::open(state).went_well(&event, took, limit_of(desk.moment));
            }
            desk.count(how, tokens, entries);
            logged.iter().for_each(|line| desk.log(line));
        });
        HookOutcome { said, did }
    }

    fn skipped(&self, why: String) -> HookOutcome {
        self.write_down(|desk| desk.count(Delivered::Skipped, 0, Vec::new()));
        HookOutcome { said: self.by_note(), did: vec![why] }
    }

    fn wrong(&self, how: Delivered, why: &str) -> HookOutcome {
        let line = why.to_owned();
        self.write_down(move |mut desk| {
            // Nothing was heard of the place yet: the folder it was started in is the best guess.
            let found = || desk.options.find().map(|layout| desk.adapters.state(&layout));
            desk.state = desk.state.take().or_else(found);
            // What a host says, and that it never comes to an end with it, is no failure of ours.
            if let (Some(state), Some(attempt)) = (&desk.state, desk.attempt) {
                let failed = if how == Delivered::Late { Failed::Late } else { Failed::Wrong };
                let event = breaker_name(desk.host, desk.moment);
                Breaker::open(state).went_wrong(&event, attempt, failed, desk.now);
            }
            desk.count(how, 0, Vec::new());
            desk.log(&line);
        });
        HookOutcome { said: self.by_note(), did: vec![why.to_owned()] }
    }

    /// What a norm holds back without the store being asked. What no norm speaks of goes on.
    fn by_note(&self) -> Option<String> {
        let (call, layouts) = self.read.as_ref()?;
        let held = layouts.iter().filter_map(|layout| {
            let state = self.adapters.state(layout);
            norms::noted(&*state, layout, call, self.now)
        });
        let (stop, text) = held.max_by_key(|(stop, _)| *stop == Stop::Deny)?;
        hook::hold_back(call, stop, &text)
    }

    /// Writes down how it went, beside the one who answers: a disk that hangs holds up no host.
    fn write_down(&self, write: impl FnOnce(HookSupervisor) + Send + 'static) {
        let desk = self.clone();
        let (done, written) = mpsc::channel();
        let begun = std::thread::Builder::new().spawn(move || {
            write(desk);
            // Who waits no longer need not know.
            done.send(()).ok();
        });
        if begun.is_ok() {
            written.recv_timeout(WRITING_DOWN).ok();
        }
    }

    fn count(&self, how: Delivered, tokens: usize, entries: Vec<String>) {
        let Some(state) = &self.state else { return };
        let number = |count: u128| u64::try_from(count).unwrap_or(u64::MAX);
        let delivery = Delivery {
            at: self.now.0,
            door: "hook".to_owned(),
            host: self.host.map(Host::word).unwrap_or_default().to_owned(),
            what: self.moment.word().to_owned(),
            how,
            tokens: number(tokens as u128),
            entries,
            millis: number(self.begun.elapsed().as_millis()),
        };
        deliveries::count(&**state, &delivery);
    }

    fn log(&self, what: &str) {
        let Some(state) = &self.state else { return };
        let host = self.host.map_or("unknown host", Host::word);
        let what = one_line(&ken_guard::redact(what), LOG_CHARS_MAX);
        let line = format!("{} {host} {}: {what}", self.now, self.moment.word());
        drop(state.append(&RecordKind::HookLog.record(), line.as_bytes()));
    }
}
