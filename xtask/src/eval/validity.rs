//! The suite `validity`: whether what became of anchored code is said rightly, over changes whose outcome is known.
//!
//! The truth comes from the mutation: every line of the changed files remembers where it came from. Like `guard` it fails when a
//! target is missed: a store that serves stale facts looks exactly like one that does not.

mod corpus;
mod dice;
mod mutate;
mod replay;
mod scan;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::rc::Rc;

use ken_anchors::{Code, Files, InProcess, Language};
use ken_core::PlaceVerdict;
use ken_core::anchor::{Captured, Spot, Verdict};
use serde_json::json;

use self::corpus::{Function, Source, TextIndex};
use self::dice::Dice;
use self::mutate::{Mutation, Truth, World};
use crate::context::{Failure, failed};
use crate::harness::Suite;
use crate::harness::arguments::{Flag, Takes};
use crate::harness::figure::Figure;
use crate::harness::report::Report;
use crate::harness::session::Session;
use crate::page;

pub(crate) const SUITE: Suite = Suite {
    page: Some("docs/internals/validity-quality.md"),
    flags: &[
        Flag { name: "--seed", takes: Takes::Value("N") },
        Flag { name: "--transitions", takes: Takes::Value("N") },
        Flag { name: "--code", takes: Takes::Value("DIR") },
        Flag { name: "--repo", takes: Takes::Value("PATH") },
        Flag { name: "--commits", takes: Takes::Value("N") },
        Flag { name: "--json", takes: Takes::Nothing },
        Flag { name: "--misses", takes: Takes::Nothing },
    ],
    ..Suite::evaluation("validity", run)
};

/// Changes in a quick run and in a full one.
const TRANSITIONS: [usize; 2] = [3_000, 6_000];
/// Fewer say too little.
const TRANSITIONS_MIN: usize = 3_000;

fn run(session: &Session<'_>) -> Result<Report, Failure> {
    let flags = &session.flags;
    let (seed, json) = (flags.number("--seed", 5)?, flags.has("--json"));
    if let Some(repo) = flags.value("--repo") {
        replay::run(repo.as_ref(), flags.number("--commits", 200)?, seed, json)?;
        return Ok(Report::default());
    }
    let transitions = flags.number("--transitions", session.effort.pick(TRANSITIONS[0], TRANSITIONS[1]))?;
    let code: Vec<PathBuf> = flags.values("--code").map(PathBuf::from).collect();
    let mut dice = Dice::new(seed);
    let (shelves, said) = corpus::find(session.context, &code, &mut dice);
    let mut tally = Tally::default();
    for shelf in &shelves {
        let share = transitions / shelves.len().max(1) + 1;
        measure(shelf, share, &mut dice, &mut tally, flags.has("--misses"));
    }
    if json {
        println!("{}", tally.json(&said));
    }
    if tally.transitions < TRANSITIONS_MIN {
        return failed(format!("{} transitions were made; {TRANSITIONS_MIN} are needed", tally.transitions));
    }
    Ok(report(&shelves, said, &tally))
}

/// The ways an anchor can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Line,
    Lines,
    Symbol,
    SymbolAlone,
    Holder,
    File,
    /// A function of the same file that nothing is done to.
    Bystander,
}

impl Form {
    fn word(self) -> &'static str {
        match self {
            Form::Line => "`path:47`",
            Form::Lines => "`path:47-52`",
            Form::Symbol => "`path#symbol`",
            Form::SymbolAlone => "`#symbol`",
            Form::Holder => "`path#Type` around it",
            Form::File => "`path`",
            Form::Bystander => "`path#symbol`, a bystander",
        }
    }
}

/// An anchor on the file before the change.
struct Anchor {
    form: Form,
    spot: Spot,
    lines: (u32, u32),
    captured: Captured,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// Nothing happened to it that matters.
    same: usize,
    /// It was rewritten or is gone.
    changed: usize,
    stale_served: usize,
    false_stale: usize,
    wrong_place: usize,
    unverifiable: usize,
    naive_stale: usize,
    naive_false: usize,
}

impl Count {
    fn stale_share(self) -> f64 {
        share(self.stale_served, self.changed)
    }

    fn false_share(self) -> f64 {
        share(self.false_stale, self.same)
    }

    fn add(&mut self, other: Count) {
        self.same += other.same;
        self.changed += other.changed;
        self.stale_served += other.stale_served;
        self.false_stale += other.false_stale;
        self.wrong_place += other.wrong_place;
        self.unverifiable += other.unverifiable;
        self.naive_stale += other.naive_stale;
        self.naive_false += other.naive_false;
    }
}

fn share(part: usize, of: usize) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

#[derive(Default)]
struct Tally {
    transitions: usize,
    /// Changes after which the file no longer parsed: the mutation was at fault.
    dropped: usize,
    by_mutation: BTreeMap<(usize, String), Count>,
    by_form: BTreeMap<Form, Count>,
    by_language: BTreeMap<String, Count>,
}

impl Tally {
    fn total(&self) -> Count {
        let mut total = Count::default();
        self.by_form.values().for_each(|count| total.add(*count));
        total
    }

    fn json(&self, said: &[String]) -> serde_json::Value {
        let one = |name: &str, count: &Count| {
            json!({
                "name": name, "same": count.same, "changed": count.changed, "stale_served": count.stale_served,
                "false_stale": count.false_stale, "wrong_place": count.wrong_place,
                "unverifiable": count.unverifiable, "naive_stale_served": count.naive_stale,
                "naive_false_stale": count.naive_false,
            })
        };
        json!({
            "transitions": self.transitions, "dropped": self.dropped, "skipped": said,
            "total": one("total", &self.total()),
            "mutations": self.by_mutation.iter().map(|((_, name), count)| one(name, count)).collect::<Vec<_>>(),
            "forms": self.by_form.iter().map(|(form, count)| one(form.word(), count)).collect::<Vec<_>>(),
            "languages": self.by_language.iter().map(|(name, count)| one(name, count)).collect::<Vec<_>>(),
        })
    }
}

/// Makes that many transitions with the code of one language.
fn measure(shelf: &TextIndex, transitions: usize, dice: &mut Dice, tally: &mut Tally, misses: bool) {
    let library = Library::new(&shelf.sources);
    let (mut made, mut tried) = (0, 0);
    while made < transitions && tried < transitions * 20 {
        tried += 1;
        let at = dice.below(shelf.sources.len());
        let source = &shelf.sources[at];
        let other = &shelf.sources[(at + 1 + dice.below(shelf.sources.len() - 1)) % shelf.sources.len()];
        let Some(function) = dice.pick(&source.functions) else { continue };
        let mut mutations = vec![Mutation::ALL[dice.below(Mutation::ALL.len())]];
        if dice.one_in(3) {
            mutations.push(Mutation::ALL[dice.below(Mutation::ALL.len())]);
            if mutations[0] == mutations[1] || mutations.contains(&Mutation::DeleteFile) {
                continue;
            }
        }
        let mut world = World::new(source, other, function);
        if mutations.iter().any(|mutation| world.apply(*mutation, dice).is_none()) {
            continue;
        }
        let Some(mut files) = Changed::new(&library, source, other, &world, tally) else { continue };
        made += 1;
        tally.transitions += 1;
        for anchor in anchors(&library, source, function, dice) {
            let truth = truth(&world, &anchor);
            let judged = ken_anchors::judge(&anchor.spot, &anchor.captured, &mut files);
            let naive = match files.own(&source.path) {
                None => Verdict::Broken,
                Some(blob) if blob == anchor.captured.blob => Verdict::Fresh,
                Some(_) => Verdict::Drifted,
            };
            let count = score(&world, &anchor, &truth, &judged, naive);
            if misses && (count.stale_served + count.false_stale + count.wrong_place) > 0 {
                let kind = match count {
                    Count { stale_served: 1, .. } => "stale-served",
                    Count { false_stale: 1, .. } => "false-stale",
                    _ => "wrong place",
                };
                let done: Vec<&str> = mutations.iter().map(|mutation| mutation.word()).collect();
                println!(
                    "{kind}: {} [{}] {:?}; said {} {}: {}",
                    anchor.spot.text(),
                    done.join(" + "),
                    truth,
                    judged.verdict,
                    judged.now.unwrap_or_default(),
                    judged.why
                );
            }
            let key = match mutations.as_slice() {
                [one] => (*one as usize, one.word().to_owned()),
                _ if mutations.iter().all(|mutation| *mutation < Mutation::Rewrite) => {
                    (100, "two that change nothing".to_owned())
                }
                _ => (101, "two, one of which changes something".to_owned()),
            };
            tally.by_mutation.entry(key).or_default().add(count);
            tally.by_form.entry(anchor.form).or_default().add(count);
            let language = shelf.language.map_or("markdown", Language::word).to_owned();
            tally.by_language.entry(language).or_default().add(count);
        }
    }
}

/// Anchors of every form around a function.
fn anchors(library: &Library, source: &Source, function: &Function, dice: &mut Dice) -> Vec<Anchor> {
    let Some(code) = library.code(&source.path) else { return Vec::new() };
    let mut wanted: Vec<(Form, String, (u32, u32))> = Vec::new();
    let path = &source.path;
    wanted.push((Form::Symbol, format!("{path}#{}", function.name), function.lines));
    wanted.push((Form::SymbolAlone, format!("#{}", function.name), function.lines));
    let count = source.text.lines().count() as u32;
    wanted.push((Form::File, path.clone(), (1, count)));
    if let Some((name, lines)) = &function.around {
        wanted.push((Form::Holder, format!("{path}#{name}"), *lines));
    }
    let scanned = scan::lines(source.language, &source.text);
    let lines: Vec<&str> = source.text.split('\n').collect();
    let starts: Vec<u32> = (function.lines.0..=function.lines.1)
        .filter(|line| {
            let at = *line as usize - 1;
            let told = lines[at].chars().any(char::is_alphanumeric);
            scanned[at].code && told && !scanned[at].frozen
        })
        .collect();
    let ends = |line: &u32| starts.contains(line) && !scanned[*line as usize - 1].goes_on;
    let ended: Vec<u32> = starts.iter().copied().filter(|line| ends(line)).collect();
    if let Some(line) = dice.pick(&ended) {
        wanted.push((Form::Line, format!("{path}:{line}"), (*line, *line)));
    }
    if let Some(first) = dice.pick(&starts) {
        let lasts: Vec<u32> = (first + 1..first + 8).filter(|line| ends(line)).collect();
        if let Some(last) = dice.pick(&lasts) {
            wanted.push((Form::Lines, format!("{path}:{first}-{last}"), (*first, *last)));
        }
    }
    let others: Vec<&Function> =
        source.functions.iter().filter(|other| other.lines != function.lines).collect();
    if let Some(other) = dice.pick(&others) {
        wanted.push((Form::Bystander, format!("{path}#{}", other.name), other.lines));
    }
    let anchors = wanted.into_iter().filter_map(|(form, at, lines)| {
        let spot = Spot::parse(&at);
        let captured = ken_anchors::capture(&spot, path, &code).ok()?;
        Some(Anchor { form, spot, lines, captured })
    });
    anchors.collect()
}

fn truth(world: &World<'_>, anchor: &Anchor) -> Truth {
    match anchor.form {
        Form::Symbol | Form::SymbolAlone => world.lines(anchor.lines, true),
        Form::Line | Form::Lines | Form::Bystander => world.lines(anchor.lines, false),
        Form::Holder | Form::File => world.holder(anchor.lines),
    }
}

fn score(world: &World<'_>, anchor: &Anchor, truth: &Truth, judged: &PlaceVerdict, naive: Verdict) -> Count {
    let mut count = Count::default();
    let one = usize::from;
    match truth {
        Truth::Open => return count,
        Truth::Same { path, lines } => {
            count.same = 1;
            count.false_stale = one(matches!(judged.verdict, Verdict::Drifted | Verdict::Broken));
            count.naive_false = one(!naive.holds());
            if judged.verdict.holds() {
                count.wrong_place = one(!is_there(world, anchor, judged, path, *lines));
            }
        }
        Truth::Changed | Truth::Gone => {
            count.changed = 1;
            count.stale_served = one(judged.verdict.holds());
            count.naive_stale = one(naive.holds());
        }
    }
    count.unverifiable = one(judged.verdict == Verdict::Unverifiable);
    count
}

/// Whether the place that was named is where the mutation put it.
fn is_there(
    world: &World<'_>,
    anchor: &Anchor,
    judged: &PlaceVerdict,
    path: &str,
    lines: (u32, u32),
) -> bool {
    let now = judged.now.as_deref().map_or_else(|| anchor.spot.clone(), Spot::parse);
    if now.path.as_deref().or(anchor.captured.path.as_deref()) != Some(path) {
        return false;
    }
    match anchor.form {
        Form::File => true,
        Form::Line | Form::Lines => {
            // The formatter itself does not say where lines went; and brackets that say nothing may be on a line of their own.
            let (first, last) = now.lines.unwrap_or_default();
            world.width.is_some() || (first.abs_diff(lines.0) <= 1 && last.abs_diff(lines.1) <= 1)
        }
        Form::Symbol | Form::SymbolAlone => {
            let own = |name: &str| slug(name.rsplit('.').next().unwrap_or(name));
            now.symbol.is_some_and(|symbol| own(&symbol) == own(&world.name))
        }
        Form::Holder | Form::Bystander => now.symbol == anchor.spot.symbol,
    }
}

fn slug(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

/// The files of one language, read once.
struct Library {
    texts: Vec<(String, String)>,
    places: HashMap<String, usize>,
    read: RefCell<HashMap<String, Option<Rc<Code>>>>,
}

impl Library {
    fn new(sources: &[Source]) -> Library {
        Library {
            texts: sources.iter().map(|source| (source.path.clone(), source.text.clone())).collect(),
            places: sources.iter().enumerate().map(|(at, source)| (source.path.clone(), at)).collect(),
            read: RefCell::default(),
        }
    }

    fn code(&self, path: &str) -> Option<Rc<Code>> {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let text = &self.texts[*self.places.get(path)?].1;
        let code = Code::read(path, text.as_bytes(), &mut InProcess::default()).ok().map(Rc::new);
        self.read.borrow_mut().insert(path.to_owned(), code.clone());
        code
    }
}

/// The files after a change.
struct Changed<'l> {
    library: &'l Library,
    /// What replaces files of the library; none for those that are gone.
    over: HashMap<String, Option<Rc<Code>>>,
}

impl<'l> Changed<'l> {
    /// None if a mutation did nothing, or broke something.
    fn new(
        library: &'l Library,
        source: &Source,
        other: &Source,
        world: &World<'_>,
        tally: &mut Tally,
    ) -> Option<Changed<'l>> {
        let mut over: HashMap<String, Option<Rc<Code>>> = HashMap::new();
        over.insert(source.path.clone(), None);
        let same =
            world.home.as_ref().is_some_and(|home| home.path == source.path && home.text() == source.text);
        if same && world.width.is_none() {
            return None;
        }
        let docs = [world.home.as_ref(), Some(&world.target).filter(|target| target.text() != other.text)];
        for doc in docs.into_iter().flatten() {
            let mut text = doc.text();
            if let Some(width) = world.width {
                let Some(formatted) = rustfmt(&text, width) else {
                    tally.dropped += 1;
                    return None;
                };
                text = formatted;
            }
            let code = Code::read(&doc.path, text.as_bytes(), &mut InProcess::default()).ok()?;
            if code.outline.as_ref().is_some_and(|outline| outline.fault.is_some()) {
                tally.dropped += 1;
                return None;
            }
            over.insert(doc.path.clone(), Some(Rc::new(code)));
        }
        Some(Changed { library, over })
    }

    fn own(&self, path: &str) -> Option<String> {
        self.over.get(path).and_then(|code| code.as_ref()).map(|code| code.blob.clone())
    }
}

impl Files for Changed<'_> {
    fn code(&mut self, path: &str) -> Result<Option<Rc<Code>>, String> {
        Ok(match self.over.get(path) {
            Some(over) => over.clone(),
            None => self.library.code(path),
        })
    }

    fn holding(&mut self, needles: &[String]) -> Vec<String> {
        let held = |text: &str| needles.iter().filter(|needle| text.contains(needle.as_str())).count();
        let over =
            self.over.iter().filter_map(|(path, code)| Some((held(&code.as_ref()?.text), path.clone())));
        let rest = self.library.texts.iter().filter(|(path, _)| !self.over.contains_key(path));
        let mut found: Vec<(usize, String)> = over
            .chain(rest.map(|(path, text)| (held(text), path.clone())))
            .filter(|(held, _)| *held > 0)
            .collect();
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        found.into_iter().map(|(_, path)| path).collect()
    }
}

/// The text as rustfmt would have it; none where there is no rustfmt, or it will not have it.
fn rustfmt(text: &str, width: usize) -> Option<String> {
    let mut command = Command::new("rustfmt");
    command.args(["--edition", "2024", "--emit", "stdout", "--config"]);
    command.arg(format!("max_width={width},use_small_heuristics=Default"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok()).flatten()
}

fn report(shelves: &[TextIndex], said: Vec<String>, tally: &Tally) -> Report {
    let total = tally.total();
    let floor = "by the blob alone";
    let mut report = Report::new(vec![
        Figure::new("validity.stale_served", total.stale_share())
            .floor(floor, share(total.naive_stale, total.changed)),
        Figure::new("validity.false_stale", total.false_share())
            .floor(floor, share(total.naive_false, total.same)),
        Figure::new("validity.wrong_place", share(total.wrong_place, total.same)),
    ]);
    report.figures = report.figures.into_iter().map(|figure| figure.at(tally.transitions)).collect();
    for shelf in shelves {
        let functions: usize = shelf.sources.iter().map(|source| source.functions.len()).sum();
        report.notes.push(format!(
            "{}: {} files, {functions} functions ({} copies left out, {} more files not needed)",
            shelf.language.map_or("markdown (sections for functions)", Language::word),
            shelf.sources.len(),
            shelf.copies,
            shelf.more
        ));
    }
    report.notes.push(format!(
        "{} anchors judged, {:.2} % unverifiable; {} changes were dropped, since the changed file no longer parsed",
        total.same + total.changed,
        share(total.unverifiable, total.same + total.changed),
        tally.dropped
    ));
    report.notes.extend(said);
    let head = |first| {
        [
            first,
            "Same",
            "Changed",
            "Stale-served",
            "False-stale",
            "Wrong place",
            "Unverifiable",
            "Blob: stale-served",
            "Blob: false-stale",
        ]
    };
    let row = |name: &str, count: &Count| {
        let of = |part: usize, all: usize| match all {
            0 => String::new(),
            _ => format!("{part} ({:.1} %)", share(part, all)),
        };
        [
            name.to_owned(),
            count.same.to_string(),
            count.changed.to_string(),
            of(count.stale_served, count.changed),
            of(count.false_stale, count.same),
            of(count.wrong_place, count.same),
            of(count.unverifiable, count.same + count.changed),
            of(count.naive_stale, count.changed),
            of(count.naive_false, count.same),
        ]
    };
    let tables: [(&str, Vec<[String; 9]>); 3] = [
        ("Mutation", tally.by_mutation.iter().map(|((_, name), count)| row(name, count)).collect()),
        ("Anchor", tally.by_form.iter().map(|(form, count)| row(form.word(), count)).collect()),
        ("Language", tally.by_language.iter().map(|(name, count)| row(name, count)).collect()),
    ];
    for (first, rows) in tables {
        report.tables.push_str(&format!("\n{}", page::table(head(first), &rows)));
    }
    report
}
