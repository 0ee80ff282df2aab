//! A store on a simulated disk, everything that was said to it, and the examination of what is left after it stopped at any moment.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ken_core::decide::Authority;
use ken_core::event::Line;
use ken_core::{EntryKey, EventHash, Intent, Millis, Type};
use ken_engine::Access;
use ken_engine::Writer;
use ken_log_git::disk::Disk;
use ken_log_git::git::Git;
use ken_log_git::lines::read_lines;
use ken_log_git::{Layout, OpenOptions, STORE_VERSION};
use ken_testkit::{Dice, Fault, Image, Moment, SimDisk};

use crate::git_store::Store;
use crate::says::{START, Says};

/// Power losses that are tried after each operation: nothing unsynced survives, all of it does, and throws of dice. More of them with
/// `KEN_CRASH_SEEDS=50`, and every one with a long examination.
const SEEDS: u64 = 3;

/// One end of so many is examined at length.
const LONG_EVERY: usize = 8;

/// Ends that are examined of the story of one seed.
const ENDS_PER_SEED: usize = 12;

/// What is said after everything stopped.
const LATER: &str = "Said afterwards.";

/// One write: its events count together or not at all.
#[derive(Clone)]
struct Batch {
    actor: String,
    events: usize,
    keys: Vec<EntryKey>,
    /// The moments at which it began and at which its call returned.
    began: usize,
    returned: Option<usize>,
    /// The events, once they are acknowledged.
    acknowledged: Option<Vec<EventHash>>,
    /// The batch that purges it.
    purged_by: Option<usize>,
}

/// How much of a batch must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Must {
    All,
    AllOrNone,
    None,
}

/// The events that are shown, by the batch they belong to.
type Shown = BTreeMap<String, BTreeSet<EventHash>>;

pub struct World {
    pub disk: SimDisk,
    layout: Layout,
    segment_bytes_max: u64,
    store: Option<Store>,
    batches: Vec<Batch>,
    /// Ledger lines were taken away on purpose: they need not come back by themselves.
    lines_taken: bool,
    /// The moments at which the power failed in the story.
    losses: Vec<usize>,
}

impl World {
    fn new(git: bool, segment_bytes_max: u64) -> World {
        let root = PathBuf::from("/repo");
        let disk = SimDisk::default();
        let store = root.join(".kenning");
        let git = git.then(|| {
            disk.append(&root.join(".git/HEAD"), b"ref: refs/heads/main\n").unwrap();
            Git { work_tree: root.clone(), git_dir: root.join(".git"), common_dir: root.join(".git") }
        });
        disk.append(&root.join("README.md"), b"A project.\n").unwrap();
        disk.sync_everything();
        // The store was made a moment ago: its folder is not durable yet.
        disk.append(&store.join("VERSION"), STORE_VERSION.as_bytes()).unwrap();
        disk.sync(&store.join("VERSION")).unwrap();
        disk.sync_folder(&store).unwrap();
        disk.record();
        World {
            disk,
            layout: Layout { root, store, git },
            segment_bytes_max,
            store: None,
            batches: Vec::new(),
            lines_taken: false,
            losses: Vec::new(),
        }
    }

    fn open_on(&self, disk: &SimDisk) -> Store {
        let options = OpenOptions {
            access: Access::Write,
            disk: Arc::new(disk.clone()),
            index_in_memory: true,
            segment_bytes_max: self.segment_bytes_max,
        };
        let store = Store::open(self.layout.clone(), options).expect("the store opens by itself");
        assert_eq!(store.access(), Access::Write, "the store can be written");
        store
    }

    /// The store, opened by the first who asks.
    pub fn store(&mut self) -> &mut Store {
        if self.store.is_none() {
            self.store = Some(self.open_on(&self.disk.clone()));
        }
        self.store.as_mut().expect("opened above")
    }

    /// The next thing is said by another command.
    pub fn reopen(&mut self) -> &mut Store {
        self.store = None;
        self.store()
    }

    /// Another process beside this one; `exchange` brings it in, and gives the one it replaces.
    pub fn another(&self) -> Store {
        self.open_on(&self.disk)
    }

    pub fn exchange(&mut self, store: Store) -> Store {
        std::mem::replace(self.store(), store)
    }

    /// The power fails here and now, and the next command finds what is left.
    pub fn lose_power(&mut self, seed: u64) {
        self.store = None;
        self.losses.push(self.disk.moments_count().saturating_sub(1));
        self.disk.crash(seed);
    }

    pub fn path(&self, below_store: &str) -> PathBuf {
        self.layout.store.join(below_store)
    }

    /// Takes a file away behind the store's back.
    pub fn remove(&mut self, path: &Path) {
        self.disk.remove(path).expect("the file is there");
        self.lines_taken = true;
    }

    /// Changes the first occurrence of some bytes in a file, durably.
    pub fn spoil(&mut self, path: &Path, bytes: &[u8]) {
        let mut content = self.disk.read(path, 0).expect("the file is there");
        let at =
            content.windows(bytes.len()).position(|window| window == bytes).expect("the bytes are there");
        content[at + 1] ^= 1;
        self.disk.replace_synced(path, &content).expect("the disk is sound");
        // Nobody knows any more where the damaged frame was written.
        self.lines_taken = true;
    }

    /// The ledger file that states an entry.
    pub fn file_of(&mut self, key: EntryKey) -> PathBuf {
        let file = self
            .store()
            .stored(key)
            .unwrap()
            .and_then(|stored| stored.checkout?.file)
            .expect("it has a file");
        self.path(&file)
    }

    /// Says something as one write, and whether it was acknowledged.
    pub fn say(&mut self, intents: impl FnOnce(&Says<'_>) -> Vec<Intent>) -> bool {
        let number = self.batches.len();
        let now = Millis(START.0 + 1_000 * number as i64);
        let actor = format!("batch-{number}");
        let began = self.disk.moments_count().saturating_sub(1);
        let Ok(replica) = self.store().replica() else { return false };
        let intents = intents(&Says::new(self.store(), replica, &actor, now));
        let mut batch = Batch {
            actor: actor.clone(),
            events: intents.len(),
            keys: intents.iter().filter_map(|intent| intent.entry).collect(),
            began,
            returned: None,
            acknowledged: None,
            purged_by: None,
        };
        let answer = self
            .store()
            .append(intents, &Writer { actor, now, authority: Authority::attended("human:Ada", false) });
        batch.returned = Some(self.disk.moments_count().saturating_sub(1));
        batch.acknowledged = answer.ok().map(|events| events.iter().map(|event| event.hash).collect());
        let acknowledged = batch.acknowledged.is_some();
        self.batches.push(batch);
        acknowledged
    }

    pub fn add(&mut self, statement: &str) -> EntryKey {
        self.add_kind(Type::Lesson, statement, "abcd")
    }

    pub fn add_kind(&mut self, kind: Type, statement: &str, evidence: &str) -> EntryKey {
        let mut added = None;
        self.say(|says| {
            let (key, intents) = says.add(kind, statement, evidence);
            added = Some(key);
            intents
        });
        added.expect("a replica was chosen")
    }

    /// Replaces lines of the ledger files by stubs.
    pub fn stub_out(&mut self, purged: &[EventHash]) {
        for (path, bytes) in
            self.disk.image().files().into_iter().filter(|(path, _)| path.ends_with(".jsonl"))
        {
            let text = String::from_utf8(bytes).expect("ledgers are text");
            let lines = text.lines().map(|line| match ken_core::event::read_line(line) {
                Ok(Line::Event(event)) if purged.contains(&event.hash) => event.stub().line() + "\n",
                _ => format!("{line}\n"),
            });
            let new: String = lines.collect();
            if new != text {
                self.disk.replace_synced(Path::new(&path), new.as_bytes()).expect("the disk is sound");
            }
        }
    }

    /// The batch that was said last purges those of an entry.
    pub fn mark_purged(&mut self, key: EntryKey) -> Vec<EventHash> {
        let last = self.batches.len() - 1;
        let mut hashes = Vec::new();
        for batch in &mut self.batches[..last] {
            if batch.keys.contains(&key) {
                batch.purged_by = Some(last);
                hashes.extend(batch.acknowledged.clone().unwrap_or_default());
            }
        }
        hashes
    }

    /// What a batch must show when everything stopped at a moment.
    fn must(&self, batch: &Batch, moment: usize, power_lost: bool) -> Must {
        let power_lost = power_lost || self.losses.iter().any(|loss| (batch.began..=moment).contains(loss));
        let plain = match (&batch.acknowledged, batch.returned) {
            _ if moment < batch.began => Must::None,
            (Some(_), Some(returned)) if moment >= returned => Must::All,
            // What was refused is gone; a power loss can bring it back, as a whole.
            (None, Some(returned)) if moment >= returned && !power_lost => Must::None,
            _ => Must::AllOrNone,
        };
        match batch.purged_by.map(|purge| self.must(&self.batches[purge], moment, power_lost)) {
            Some(Must::All) => Must::None,
            Some(Must::AllOrNone) => Must::AllOrNone,
            Some(Must::None) | None => plain,
        }
    }

    /// The events of every entry that was ever spoken of.
    fn histories(&self, store: &Store) -> Shown {
        let mut shown = Shown::new();
        let mut numbers = BTreeMap::new();
        let later = EntryKey::derive("lesson", "project", LATER);
        let keys: BTreeSet<EntryKey> =
            self.batches.iter().flat_map(|batch| batch.keys.iter().copied()).chain([later]).collect();
        for key in keys {
            let history = store.history(key).expect("the index answers");
            let stated = history.iter().any(|placed| placed.event.type_name == "entry.added");
            let stored = store.stored(key).expect("the index answers");
            assert_eq!(
                stored.map(|stored| stored.entry.events as usize),
                stated.then_some(history.len()),
                "an entry is made of its whole history"
            );
            for placed in history {
                let event = placed.event;
                let other = numbers.insert((event.replica, event.seq), event.hash);
                assert!(other.is_none_or(|other| other == event.hash), "a running number was used twice");
                shown.entry(event.actor).or_default().insert(event.hash);
            }
        }
        shown
    }

    /// The events that a healed store shows, after checking everything that must hold of it at any time.
    fn visible(&self, store: &mut Store, disk: &SimDisk) -> Shown {
        let shown = self.histories(store);
        assert_eq!(
            store.snapshot().problems().expect("the index answers"),
            Vec::new(),
            "ledger files are healed"
        );
        let lost = store.lost_here().expect("the index answers");
        if !lost.is_empty() && self.lines_taken {
            store.put_back(&lost).expect("what is absent can be put back");
        }
        let lost = store.lost_here().expect("the index answers");
        assert_eq!(lost, Vec::new(), "ledger files hold every event; notices: {:?}", store.take_notices());
        self.check_ledger_files(&disk.image());
        shown
    }

    fn check_ledger_files(&self, image: &Image) {
        for (path, bytes) in image.files().into_iter().filter(|(path, _)| path.ends_with(".jsonl")) {
            let looks = SimDisk::from_image(image.clone()).looks(Path::new(&path)).unwrap();
            let file = read_lines(&path, looks, &bytes);
            assert_eq!(file.problems, Vec::new(), "{path} is sound");
            let mut hashes = BTreeSet::new();
            for (line, _, _) in &file.lines {
                if let Line::Event(event) = line {
                    assert!(hashes.insert(event.hash), "{path} holds {} once", event.hash);
                }
            }
        }
    }

    fn check_batches(&self, seen: &Shown, musts: &[Must]) {
        let none = BTreeSet::new();
        for (batch, must) in self.batches.iter().zip(musts) {
            let shown = seen.get(&batch.actor).unwrap_or(&none);
            let right = match must {
                Must::All => shown.len() == batch.events,
                Must::AllOrNone => shown.is_empty() || shown.len() == batch.events,
                Must::None => shown.is_empty(),
            };
            assert!(
                right,
                "{} shows {} of {} events, must show {must:?}",
                batch.actor,
                shown.len(),
                batch.events
            );
            if *must == Must::All {
                let acknowledged: BTreeSet<EventHash> =
                    batch.acknowledged.iter().flatten().copied().collect();
                assert_eq!(shown, &acknowledged, "{}", batch.actor);
            }
        }
    }

    /// Opens what is left on a disk; with a seed, power is lost right after that, and with another after going on working with it.
    fn examine(&self, image: Image, musts: &[Must], next_loss: Option<u64>, later_loss: Option<u64>) {
        let disk = SimDisk::from_image(image);
        let mut store = self.open_on(&disk);
        let first = self.visible(&mut store, &disk);
        self.check_batches(&first, musts);
        // What has once been shown stays, whatever happens now.
        if let Some(seed) = next_loss {
            let disk = SimDisk::from_image(disk.image().after_power_loss(seed));
            let next = self.visible(&mut self.open_on(&disk), &disk);
            assert_eq!(next, first, "a power loss takes nothing that was shown");
        }
        let Some(seed) = later_loss else { return };
        let now = Millis(START.0 + 3_600_000);
        let replica = store.replica().expect("a replica");
        let (_, intents) = Says::new(&store, replica, "later", now).add(Type::Lesson, LATER, "beef");
        let writer =
            Writer { actor: "later".to_owned(), now, authority: Authority::attended("human:Ada", false) };
        let later = store.append(intents, &writer).expect("the store can be written");
        let second = self.visible(&mut store, &disk);
        assert_eq!(second["later"].len(), later.len());
        let dump = store.dump().unwrap();
        drop(store);
        let mut store = self.open_on(&disk);
        assert_eq!(store.dump().unwrap(), dump, "a second look sees the same");
        drop(store);
        disk.crash(seed);
        store = self.open_on(&disk);
        let third = self.visible(&mut store, &disk);
        assert_eq!(third, second, "a later power loss takes nothing that was shown");
        for (actor, events) in &first {
            assert_eq!(second.get(actor), Some(events), "{actor} stays as it was shown");
        }
    }
}

/// Lives through a story without trouble.
pub fn lives(story: impl Fn(&mut World)) {
    story(&mut World::new(false, ken_log_git::journal::SEGMENT_BYTES_MAX));
}

/// Writes on a disk that fails once, and checks that the answer was true, then and in the next command.
pub fn goes_on_after(fault: Fault, intents: impl FnOnce(&Says<'_>) -> Vec<Intent>) {
    let mut world = World::new(false, ken_log_git::journal::SEGMENT_BYTES_MAX);
    world.add("Retry with backoff.");
    world.disk.inject(fault);
    world.say(intents);
    let now = world.disk.moments_count();
    let musts: Vec<Must> = world.batches.iter().map(|batch| world.must(batch, now, false)).collect();
    assert_ne!(musts[1], Must::AllOrNone, "the answer was clear");
    // Also while the disk is still full, everything can be read.
    world.store = None;
    let mut store = world.open_on(&world.disk.clone());
    let shown = world.histories(&store);
    world.check_batches(&shown, &musts);
    world.disk.mend();
    drop(std::mem::replace(&mut store, world.open_on(&world.disk.clone())));
    drop(store);
    let run = AssertUnwindSafe(|| world.examine(world.disk.image(), &musts, Some(3), Some(5)));
    if let Err(panic) = catch_unwind(run) {
        eprintln!("{fault:?}, acknowledged: {}", world.batches[1].acknowledged.is_some());
        resume_unwind(panic);
    }
}

/// Lives through a story, then through every way in which it could have stopped in the middle.
pub fn survives(story: impl Fn(&mut World)) {
    survives_with(false, ken_log_git::journal::SEGMENT_BYTES_MAX, story);
}

pub fn survives_with(git: bool, segment_bytes_max: u64, story: impl Fn(&mut World)) {
    let mut world = World::new(git, segment_bytes_max);
    story(&mut world);
    world.store = None;
    let moments = world.disk.take_moments();
    let asked: Option<u64> = std::env::var("KEN_CRASH_SEEDS").ok().and_then(|text| text.parse().ok());
    let (mut tried, mut seen) = (0, HashSet::new());
    for (number, moment) in moments.iter().enumerate() {
        let seeds = (0..asked.unwrap_or(SEEDS)).filter(|_| !moment.within);
        let losses = seeds.map(|seed| if seed < 2 { seed } else { seed + 1_000 * number as u64 }).map(Some);
        for loss in std::iter::once(None).chain(losses) {
            let Some(end) = End::at(&world, &moments, number, loss) else { continue };
            // Many moments end alike.
            if !seen.insert((end.image.content_hash(), end.musts.clone())) {
                continue;
            }
            tried += 1;
            let long = asked.is_some() || tried % LONG_EVERY == 0;
            let later = long.then(|| loss.unwrap_or(number as u64) + 1);
            let next = (loss.is_none() || long).then_some(if number % 2 == 0 { 0 } else { number as u64 });
            end.examine(&world, &moments, next, later);
        }
    }
    println!("{} moments, {tried} ends", moments.len());
}

/// Lives through a story, then through some of the ways in which it could have stopped, chosen by dice; answers how many.
pub fn survives_some(
    git: bool,
    segment_bytes_max: u64,
    dice: &mut Dice,
    story: impl Fn(&mut World, &mut Dice),
) -> u64 {
    let mut world = World::new(git, segment_bytes_max);
    story(&mut world, dice);
    world.store = None;
    let moments = world.disk.take_moments();
    let mut tried = 0;
    for _ in 0..ENDS_PER_SEED {
        let number = dice.below(moments.len());
        let loss = (!moments[number].within && dice.flip()).then(|| dice.roll());
        let Some(end) = End::at(&world, &moments, number, loss) else { continue };
        let next = (dice.below(4) == 0).then(|| dice.roll());
        let later = (dice.below(8) == 0).then(|| dice.roll());
        end.examine(&world, &moments, next, later);
        tried += 1;
    }
    tried
}

/// One way in which a story could have stopped.
struct End {
    /// The moment after which everything stopped.
    number: usize,
    /// What decided which bytes survived, where the power failed.
    loss: Option<u64>,
    image: Image,
    musts: Vec<Must>,
}

impl End {
    /// None in the middle of a temporary file: nobody reads one, whole or half.
    fn at(world: &World, moments: &[Moment], number: usize, loss: Option<u64>) -> Option<End> {
        let moment = &moments[number];
        if moment.within && moment.what.ends_with(".tmp") {
            return None;
        }
        // In the middle of a write nothing has returned since the moment before.
        let at = if moment.within { number - 1 } else { number };
        let image = loss.map_or_else(|| moment.image.clone(), |seed| moment.image.after_power_loss(seed));
        let musts = world.batches.iter().map(|batch| world.must(batch, at, loss.is_some())).collect();
        Some(End { number, loss, image, musts })
    }

    fn examine(&self, world: &World, moments: &[Moment], next: Option<u64>, later: Option<u64>) {
        let run = AssertUnwindSafe(|| world.examine(self.image.clone(), &self.musts, next, later));
        if let Err(panic) = catch_unwind(run) {
            for (before, other) in moments.iter().enumerate().take(self.number + 1) {
                eprintln!("  {before} {}", other.what);
            }
            eprintln!(
                "stopped after operation {} of {}, power loss: {:?}, then: {next:?}, later: {later:?}",
                self.number,
                moments.len(),
                self.loss
            );
            resume_unwind(panic);
        }
    }
}
