//! What a verb is. A verb is defined once, here in the library; every door reads the same definition.
//!
//! A definition has a name, what it does to the world, a typed request and a typed answer. The request is read from words by clap; another
//! door writes its JSON as those words, so types, defaults, and what excludes what are checked in one place.

use std::any::TypeId;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, StyledStr, TypedValueParser, ValueParserFactory};
use clap::{Arg, ArgAction, Args, Command, FromArgMatches};
use ken_core::words::nearest;
use ken_core::{Code, Refusal};
use ken_engine::{Caller, Error, Person, Result};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::{Kenning, Options, SetUp, Workspace};

/// A verb: one operation, the same through every door.
pub trait Verb: 'static {
    /// Its words, such as `task start`.
    const NAME: &'static str;
    /// What it does, in a line.
    const ABOUT: &'static str;
    /// Under which heading help lists it.
    const GROUP: Group;
    /// What it does to the world.
    const NATURE: Nature;
    /// Whether `ken` alone lists it: one of those that people use every day.
    const EVERYDAY: bool = false;
    /// Fields that only the command line offers: they lead out of the project, or start programs.
    const AT_TERMINAL: &'static [&'static str] = &[];
    /// What it takes.
    type Request: Args + Clone;
    /// What it answers.
    type Answer: Serialize;

    /// Does it.
    fn run(call: &mut Call, request: Self::Request) -> Result<Self::Answer>;

    /// Whether this very request only reads: then it can be repeated.
    fn only_reads(_: &Self::Request) -> bool {
        Self::NATURE.effect == Effect::Reads
    }

    /// The run that a request names, where it can.
    fn in_run(_: &Self::Request) -> Option<&InRun> {
        None
    }

    /// Whether an answer says that what was asked for was not done.
    fn rejects(_: &Self::Answer) -> bool {
        false
    }

    /// Whether an answer is a finding: the verb worked, and says that something is wrong.
    fn finds(_: &Self::Answer) -> bool {
        false
    }
}

/// What a verb does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// What it does to the store.
    pub effect: Effect,
    /// Who may do it.
    pub authority: Authority,
    /// Where it is offered.
    pub doors: Doors,
}

/// What a verb does to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing but recording what was shown.
    Reads,
    /// It adds to the store, or changes it.
    Writes,
    /// It takes something away, or changes what others see.
    Removes,
}

/// Who may use a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// Anybody who may use the store.
    Anybody,
    /// A person who confirms it (COR-7).
    Person,
}

/// Where a verb is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doors {
    /// Everywhere.
    Every,
    /// In a terminal only: a person types the answer there (GAT-2), or it is about this machine.
    Terminal,
}

impl Nature {
    /// It only reads.
    pub const READS: Nature =
        Nature { effect: Effect::Reads, authority: Authority::Anybody, doors: Doors::Every };
    /// It writes.
    pub const WRITES: Nature = Nature { effect: Effect::Writes, ..Nature::READS };
    /// It takes something away, or changes what others see.
    pub const REMOVES: Nature = Nature { effect: Effect::Removes, ..Nature::READS };

    /// The same, for a person who confirms it.
    pub const fn for_a_person(self) -> Nature {
        Nature { authority: Authority::Person, ..self }
    }

    /// The same, in a terminal only.
    pub const fn at_terminal(self) -> Nature {
        Nature { doors: Doors::Terminal, ..self }
    }
}

/// What a person wants to do: the headings of `ken help all`, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Begin.
    Begin,
    /// Write something down.
    WriteDown,
    /// Find what matters.
    Find,
    /// Read what is there.
    Read,
    /// Change entries.
    Change,
    /// Learn from what happened.
    Learn,
    /// Let entries reach further.
    Reach,
    /// Govern.
    Govern,
    /// See it your way.
    SeeItYourWay,
    /// Keep entries true.
    KeepTrue,
    /// Digest documents.
    Digest,
    /// Keep the store clean.
    KeepClean,
    /// Other systems.
    OtherSystems,
    /// Share.
    Share,
    /// Keep the store in order.
    KeepInOrder,
    /// Measure.
    Measure,
    /// For agents.
    ForAgents,
    /// For programs.
    ForPrograms,
}

impl Group {
    /// Every group, in the order of help.
    pub const ALL: [Group; 18] = [
        Group::Begin,
        Group::WriteDown,
        Group::Find,
        Group::Read,
        Group::Change,
        Group::Learn,
        Group::Reach,
        Group::Govern,
        Group::SeeItYourWay,
        Group::KeepTrue,
        Group::Digest,
        Group::KeepClean,
        Group::OtherSystems,
        Group::Share,
        Group::KeepInOrder,
        Group::Measure,
        Group::ForAgents,
        Group::ForPrograms,
    ];

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Group::Begin => "Begin",
            Group::WriteDown => "Write down",
            Group::Find => "Find",
            Group::Read => "Read",
            Group::Change => "Change",
            Group::Learn => "Learn",
            Group::Reach => "Reach",
            Group::Govern => "Govern",
            Group::SeeItYourWay => "See it your way",
            Group::KeepTrue => "Keep true",
            Group::Digest => "Digest",
            Group::KeepClean => "Keep clean",
            Group::OtherSystems => "Other systems",
            Group::Share => "Share",
            Group::KeepInOrder => "Keep in order",
            Group::Measure => "Measure",
            Group::ForAgents => "For agents",
            Group::ForPrograms => "For programs",
        }
    }
}

/// One call: who makes it, and the store it is made on, opened when it is first needed.
pub struct Call {
    options: Options,
    caller: Caller,
    open: Option<Kenning>,
}

impl Call {
    /// A call on the store that some options mean.
    pub fn new(options: Options, caller: Caller) -> Call {
        Call { options, caller, open: None }
    }

    /// A call on a store that is open.
    pub fn on(ken: Kenning) -> Call {
        Call { options: ken.options.clone(), caller: ken.caller.clone(), open: Some(ken) }
    }

    /// The store.
    pub fn ken(&mut self) -> Result<&mut Kenning> {
        if self.open.is_none() {
            self.open = Some(Workspace::open(self.options.clone())?.on_behalf_of(self.caller.clone())?);
        }
        Ok(self.open.as_mut().expect("it was opened above"))
    }

    /// The store opened again, for what changed the files under it. What it wanted to say is still said.
    pub(crate) fn reopen(&mut self) -> Result<&mut Kenning> {
        let notices = self.open.take().map(|mut ken| ken.take_notices()).unwrap_or_default();
        let ken = self.ken()?;
        notices.into_iter().for_each(|notice| ken.store().notice(notice));
        Ok(ken)
    }

    /// The same call, confirmed by a person.
    pub fn confirmed_by(self, person: Person) -> Call {
        let caller = self.caller.confirmed_by(person.clone());
        Call { caller, open: self.open.map(|ken| ken.confirmed_by(person)), ..self }
    }

    /// The store, for a call that begins a run: it belongs to that one, under the name that is given, and not to the run around it.
    pub fn begin_run(&mut self, run: Option<String>) -> Result<&mut Kenning> {
        let agent = self.caller.agent().map(str::to_owned);
        self.ken()?;
        self.caller = self.caller.clone().in_run(run, agent)?;
        let caller = self.caller.clone();
        let ken = self.ken()?;
        ken.caller = caller;
        Ok(ken)
    }

    /// The store, which is made first where there is none: verbs that ask no questions write on first use.
    pub fn ken_or_make(&mut self) -> Result<&mut Kenning> {
        if self.open.is_none() && Workspace::find(&self.options).is_none() {
            Workspace::init(&self.options, SetUp::default())?;
        }
        self.ken()
    }

    /// The store, where it was opened.
    pub fn opened(&mut self) -> Option<&mut Kenning> {
        self.open.as_mut()
    }

    /// The store, where it was opened.
    pub fn into_ken(self) -> Option<Kenning> {
        self.open
    }

    /// Which store is meant.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Who makes the call.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }
}

/// In which run something happens, and who of it acts.
#[derive(Clone, Debug, Default, Args)]
pub struct InRun {
    /// The run this belongs to (KEN_RUN)
    #[arg(long, value_name = "RUN", help_heading = "In a run")]
    pub run: Option<String>,
    /// The agent's name in that run (KEN_AGENT)
    #[arg(long, value_name = "NAME", help_heading = "In a run")]
    pub agent: Option<String>,
}

/// A text: in a file or on standard input for the command line, the text itself through any other door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A file of this machine; `-` is standard input. Only the command line makes it.
    File(PathBuf),
    /// The text itself.
    Text(String),
}

/// The most that is read of a text that somebody names: a device has no end.
const TEXT_BYTES_MAX: u64 = 64 << 20;

/// Reads all of it, or says that it is too much.
pub fn read_bounded(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(TEXT_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > TEXT_BYTES_MAX {
        let told = format!("it is longer than {} MiB", TEXT_BYTES_MAX >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, told));
    }
    Ok(bytes)
}

impl Content {
    /// Standard input.
    pub fn standard_input() -> Content {
        Content::File("-".into())
    }

    /// What it is called: the path as it was given; `-` for what has no name.
    pub fn name(&self) -> String {
        match self {
            Content::File(path) => path.display().to_string(),
            Content::Text(_) => "-".to_owned(),
        }
    }

    /// Its bytes. A path is relative to `from`.
    pub fn bytes(&self, from: &Path) -> io::Result<Vec<u8>> {
        match self {
            Content::File(path) if path.as_os_str() == "-" => read_bounded(io::stdin()),
            Content::File(path) => read_bounded(std::fs::File::open(from.join(path))?),
            Content::Text(text) => Ok(text.clone().into_bytes()),
        }
    }

    /// Its first bytes, at most so many; the rest is left.
    pub fn beginning(&self, from: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            Content::File(path) if path.as_os_str() == "-" => {
                io::stdin().take(bytes_max).read_to_end(&mut bytes)?
            }
            Content::File(path) => {
                std::fs::File::open(from.join(path))?.take(bytes_max).read_to_end(&mut bytes)?
            }
            Content::Text(text) => text.as_bytes().take(bytes_max).read_to_end(&mut bytes)?,
        };
        Ok(bytes)
    }

    /// Its text, for a field of a request.
    pub fn text(&self, field: &str, from: &Path) -> Result<String> {
        let read = self.bytes(from).and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
        read.map_err(|error| {
            let hint = "name a file with UTF-8 text, or - for standard input";
            Refusal::new(Code::Invalid, format!("{}: {error}", self.name())).hint(hint).field(field).into()
        })
    }
}

/// Stands before a text that another door hands over: no file is opened for a client.
const TEXT_MARK: &str = "\u{2}text:";

impl ValueParserFactory for Content {
    type Parser = ContentParser;
    fn value_parser() -> ContentParser {
        ContentParser
    }
}

/// Reads a [`Content`].
#[derive(Clone)]
pub struct ContentParser;

impl TypedValueParser for ContentParser {
    type Value = Content;
    fn parse_ref(
        &self,
        _: &Command,
        _: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> std::result::Result<Content, clap::Error> {
        let text = value.to_str().and_then(|text| text.strip_prefix(TEXT_MARK));
        Ok(text.map_or_else(|| Content::File(value.into()), |text| Content::Text(text.to_owned())))
    }
}

/// A word of a closed vocabulary. It is read by whoever uses it, so that a wrong one gets the same answer through every door; schemas,
/// help and completions know the words.
#[derive(Clone)]
pub struct Words(pub &'static [&'static str]);

impl TypedValueParser for Words {
    type Value = String;
    fn parse_ref(
        &self,
        _: &Command,
        _: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> std::result::Result<String, clap::Error> {
        Ok(value.to_string_lossy().into_owned())
    }
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}

/// Reads a word of a closed vocabulary, or says which words there are.
pub fn read_word<T>(
    field: &str,
    noun: &str,
    text: &str,
    words: &[&str],
    read: impl Fn(&str) -> Option<T>,
) -> Result<T> {
    let plain = text.trim().to_lowercase().replace('-', "_");
    read(&plain).ok_or_else(|| {
        let near = nearest(&plain, words.iter().copied())
            .map(|near| format!("did you mean `{near}`? "))
            .unwrap_or_default();
        Refusal::new(Code::Invalid, format!("{text:?} is no {noun}; {near}allowed: {}", words.join(", ")))
            .field(field)
            .into()
    })
}

/// Writes a part of an answer with the keys of its objects in alphabetical order, which programs that compare answers rely on.
pub fn sorted<T: Serialize, S: Serializer>(part: &T, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serde_json::to_value(part).map_err(serde::ser::Error::custom)?.serialize(serializer)
}

/// A number, with words for those who did not write the parser.
pub fn number(text: &str) -> std::result::Result<f64, String> {
    text.parse::<f64>().ok().filter(|n| n.is_finite()).ok_or_else(|| "a number is wanted".to_owned())
}

/// A whole number, with words for those who did not write the parser.
pub fn whole<T: std::str::FromStr>(text: &str) -> std::result::Result<T, String> {
    text.parse::<T>().map_err(|_| "a whole number is wanted".to_owned())
}

/// Makes a call, once the run that it belongs to is known.
pub type Open<'a> = dyn FnMut(Option<&InRun>) -> Result<Call> + 'a;

/// A verb in the table, for doors that know it by its name.
#[derive(Clone, Copy)]
pub struct Row {
    /// Its words, such as `task start`.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Under which heading help lists it.
    pub group: Group,
    /// What it does to the world.
    pub nature: Nature,
    /// Whether `ken` alone lists it.
    pub everyday: bool,
    /// Fields that only the command line offers.
    pub at_terminal: &'static [&'static str],
    arguments: fn(Command) -> Command,
    run: fn(&clap::ArgMatches, &mut Open<'_>) -> Result<Done>,
}

/// A word that several verbs begin with, and that does nothing by itself.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The word.
    pub name: &'static str,
    /// What its verbs do, in a line.
    pub about: &'static str,
    /// Whether `ken` alone lists it.
    pub everyday: bool,
}

impl Family {
    /// A family of verbs.
    pub const fn new(name: &'static str, about: &'static str) -> Family {
        Family { name, about, everyday: false }
    }

    /// The same, for every day.
    pub const fn everyday(self) -> Family {
        Family { everyday: true, ..self }
    }
}

/// What came of a call through the table.
pub struct Done {
    /// The answer as JSON.
    pub answer: Value,
    /// The verb worked, and says that something is wrong.
    pub finds: bool,
    /// What was asked for was not done, and the answer says why.
    pub rejects: bool,
    /// The call, with its store.
    pub call: Call,
}

/// The row of a verb.
pub const fn row<V: Verb>() -> Row {
    Row {
        name: V::NAME,
        about: V::ABOUT,
        group: V::GROUP,
        nature: V::NATURE,
        everyday: V::EVERYDAY,
        at_terminal: V::AT_TERMINAL,
        arguments: arguments::<V>,
        run: run::<V>,
    }
}

/// What a verb takes, as clap knows it. A request says of itself what it is; a verb says what it does.
fn arguments<V: Verb>(command: Command) -> Command {
    V::Request::augment_args(command).about(V::ABOUT).long_about(None::<&str>)
}

fn run<V: Verb>(matches: &clap::ArgMatches, open: &mut Open<'_>) -> Result<Done> {
    let request = V::Request::from_arg_matches(matches).map_err(|error| refused(&error))?;
    let mut call = open(V::in_run(&request))?;
    let answer = V::run(&mut call, request)?;
    let (finds, rejects) = (V::finds(&answer), V::rejects(&answer));
    let answer = serde_json::to_value(&answer).map_err(Error::failed("writing an answer"))?;
    Ok(Done { answer, finds, rejects, call })
}

impl Row {
    /// What the verb is called where one word is wanted: `task_start`.
    pub fn tool(&self) -> String {
        self.name.replace([' ', '-'], "_")
    }

    /// The verb as clap knows it.
    pub fn command(&self) -> Command {
        let last = self.name.rsplit(' ').next().unwrap_or(self.name);
        (self.arguments)(Command::new(last))
    }

    /// What it takes through a door other than the terminal.
    pub fn fields(&self) -> Vec<Field> {
        let command = self.command();
        let arguments = command.get_arguments().filter(|argument| !argument.is_global_set());
        let fields = arguments.filter(|argument| !matches!(argument.get_id().as_str(), "help" | "version"));
        fields.map(Field::of).filter(|field| !self.at_terminal.contains(&field.name.as_str())).collect()
    }

    /// What it takes, as JSON Schema.
    pub fn schema(&self) -> Value {
        let fields = self.fields();
        let properties: Map<String, Value> =
            fields.iter().map(|field| (field.name.clone(), field.schema())).collect();
        let required: Vec<&str> =
            fields.iter().filter(|field| field.required).map(|field| field.name.as_str()).collect();
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema
    }

    /// Does it with what a JSON object says. `open` makes the call once the run that it belongs to is known.
    pub fn call(&self, given: Map<String, Value>, open: &mut Open<'_>) -> Result<Done> {
        let words = self.words(given)?;
        let command = self.command().no_binary_name(true).disable_help_flag(true);
        let matches = command.try_get_matches_from(words).map_err(|error| refused(&error))?;
        (self.run)(&matches, open)
    }

    /// The words of the command line that say the same as a JSON object. A value stands behind `=`, and what has no flag behind `--`:
    /// nothing is taken for a flag that is none.
    fn words(&self, given: Map<String, Value>) -> Result<Vec<String>> {
        // Models write null for what they leave out.
        let mut given: Map<String, Value> = given.into_iter().filter(|(_, value)| !value.is_null()).collect();
        let fields = self.fields();
        let known: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        if let Some(unknown) = given.keys().find(|name| !known.contains(&name.as_str())) {
            let near = nearest(unknown, known.iter().copied());
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let message = format!("{} has no field `{unknown}`{near}", self.tool());
            return Err(Refusal::new(Code::Invalid, message)
                .hint(takes(&known))
                .field(unknown.clone())
                .into());
        }
        let (mut flags, mut places) = (Vec::new(), Vec::new());
        for field in &fields {
            let Some(value) = given.remove(&field.name) else {
                if field.required {
                    let message = format!("{} wants `{}`: {}", self.tool(), field.name, field.about);
                    return Err(Refusal::new(Code::Invalid, message).field(field.name.clone()).into());
                }
                continue;
            };
            let texts = field.texts(value)?;
            match &field.flag {
                Some(flag) if field.kind == FieldKind::Switch => {
                    flags.extend(texts.iter().filter(|text| *text == "true").map(|_| flag.clone()));
                }
                Some(flag) => flags.extend(texts.iter().map(|text| format!("{flag}={text}"))),
                None => places.extend(texts),
            }
        }
        if !places.is_empty() {
            flags.push("--".to_owned());
            flags.extend(places);
        }
        Ok(flags)
    }
}

/// Something that a verb takes.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name: that of the flag, with `_` for `-`.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// What it holds.
    pub kind: FieldKind,
    /// Whether there can be several.
    pub many: bool,
    /// Whether it must be there.
    pub required: bool,
    /// The words it may be, where they are known.
    pub words: Vec<String>,
    flag: Option<String>,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// It is there or not.
    Switch,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A text.
    Text,
    /// A text that the command line reads from a file.
    Content,
}

impl Field {
    fn of(given: &Arg) -> Field {
        let parsed = given.get_value_parser().type_id();
        let is = |wanted: TypeId| parsed == wanted;
        let kind = match given.get_action() {
            ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count => FieldKind::Switch,
            _ if is(TypeId::of::<Content>()) => FieldKind::Content,
            _ if is(TypeId::of::<f64>()) => FieldKind::Number,
            _ if is(TypeId::of::<usize>())
                || is(TypeId::of::<u64>())
                || is(TypeId::of::<u32>())
                || is(TypeId::of::<u16>()) =>
            {
                FieldKind::Integer
            }
            _ => FieldKind::Text,
        };
        let many = given.get_num_args().is_some_and(|range| range.max_values() > 1)
            || matches!(given.get_action(), ArgAction::Append);
        let name = given.get_long().map_or_else(|| given.get_id().to_string(), str::to_owned);
        let mut about = given.get_help().map(StyledStr::to_string).unwrap_or_default();
        if kind == FieldKind::Content {
            about.push_str("; the text itself, no file is read");
        }
        let words = match kind {
            FieldKind::Switch => Vec::new(),
            _ => given.get_possible_values().iter().map(|word| word.get_name().to_owned()).collect(),
        };
        Field {
            name: name.replace('-', "_"),
            about,
            kind,
            many,
            required: given.is_required_set(),
            words,
            flag: given.get_long().map(|long| format!("--{long}")),
        }
    }

    fn schema(&self) -> Value {
        let mut one = match self.kind {
            FieldKind::Switch => json!({"type": "boolean"}),
            FieldKind::Integer => json!({"type": "integer"}),
            FieldKind::Number => json!({"type": "number"}),
            FieldKind::Text | FieldKind::Content => json!({"type": "string"}),
        };
        if !self.words.is_empty() {
            one["enum"] = json!(self.words);
        }
        let mut schema = if self.many { json!({"type": "array", "items": one}) } else { one };
        if !self.about.is_empty() {
            schema["description"] = Value::from(self.about.clone());
        }
        schema
    }

    fn texts(&self, value: Value) -> Result<Vec<String>> {
        let wrong = |wanted: &str| -> Error {
            let message = format!("{}: {wanted} is wanted", self.name);
            Refusal::new(Code::Invalid, message).field(self.name.clone()).into()
        };
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let mut texts = match (self.kind, value) {
            (FieldKind::Switch, Value::Bool(set)) => vec![set.to_string()],
            (FieldKind::Switch, _) => return Err(wrong("true or false")),
            (_, Value::Array(list)) if self.many => list.into_iter().map(text).collect(),
            (FieldKind::Content, value) => vec![text(value)],
            (_, Value::Array(_)) => return Err(wrong("one text")),
            (_, value) => vec![text(value)],
        };
        if self.kind == FieldKind::Content {
            texts = texts.into_iter().map(|text| format!("{TEXT_MARK}{text}")).collect();
        }
        Ok(texts)
    }
}

/// What can be given, in a sentence.
pub fn takes<T: std::borrow::Borrow<str>>(known: &[T]) -> String {
    match known {
        [] => "it takes no arguments".to_owned(),
        known => format!("it takes {}", known.join(", ")),
    }
}

/// What clap says, for a door where nobody typed a flag.
fn refused(error: &clap::Error) -> Error {
    let said = error.render().to_string();
    let said = said.split("\n\nUsage:").next().unwrap_or_default().trim_start_matches("error: ");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ").replace(" <", " ");
    Refusal::new(Code::Invalid, said).into()
}
