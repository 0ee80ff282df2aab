//! What a verb is. A verb is defined once, here in the library; every door reads the same definition.
//!
//! A definition has a name, what it does to the world, a typed request and a typed answer. Every door reads the request from a JSON object
//! ([`crate::request`]).

use ken_engine::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use crate::call::{Call, InRun, Open};
pub use crate::content::{
    Content, is_too_long, read_bounded, read_line_bounded, read_secret, read_word, sorted,
};
pub use crate::request::{Field, FieldKind, Request};
use crate::request::{checked, typed};
pub use crate::role::Role;

/// A verb: one operation, the same through every door.
pub trait Verb: 'static {
    /// Its words, such as `task start`. A word that begins with `--` is a flag: `why --belief` is `why`, asked for something else.
    const NAME: &'static str;
    /// Words that it had before. They still run (COR-32).
    const FORMER: &'static [&'static str] = &[];
    /// What it does, in a line.
    const ABOUT: &'static str;
    /// A command that uses it: the end of its help.
    const EXAMPLE: &'static str;
    /// Its paths below `/api/v1`, where its words do not make one.
    const PATHS: &'static [HttpPath] = &[];
    /// Whether it takes an admin over HTTP.
    const FOR_ADMINS: ForAdmins = ForAdmins::Never;
    /// Whether the ids that it takes are those of runs, proposals or the like, and no entries.
    const OWN_IDS: bool = false;
    /// The group of verbs that help lists it with.
    const GROUP: Group;
    /// What it does to the world.
    const NATURE: Nature;
    /// Whether `ken help` lists it first: one of the dozen that people use every day.
    const EVERYDAY: bool = false;
    /// Fields that only the command line offers: they lead out of the project, or start programs.
    const AT_TERMINAL: &'static [&'static str] = &[];
    /// What it takes.
    type Request: Request + Send + Sync;
    /// What it answers.
    type Answer: Serialize;

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

/// Which requests of a verb take an admin over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForAdmins {
    Never,
    /// Those that write: they read or write files of the machine, or settle what others may do.
    ToWrite,
    /// All of them: they tell who is let in.
    Always,
}

/// A path of a verb over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpPath {
    pub method: &'static str,
    /// Its segments behind `/api/v1`; `{id}` is a parameter.
    pub path: &'static str,
    /// Fields that the path settles.
    pub fixed: &'static [(&'static str, &'static str)],
}

impl HttpPath {
    pub const fn new(method: &'static str, path: &'static str) -> HttpPath {
        HttpPath { method, path, fixed: &[] }
    }

    pub const fn with(
        method: &'static str,
        path: &'static str,
        fixed: &'static [(&'static str, &'static str)],
    ) -> HttpPath {
        HttpPath { method, path, fixed }
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
    Every,
    /// Where a person can be asked in person (GAT-2): a terminal, and a session of the browser that a person confirmed.
    Person,
    /// In a terminal only: it is about this machine, or about the command line itself.
    Terminal,
}

impl Nature {
    /// It only reads.
    pub const READS: Nature =
        Nature { effect: Effect::Reads, authority: Authority::Anybody, doors: Doors::Every };
    pub const WRITES: Nature = Nature { effect: Effect::Writes, ..Nature::READS };
    /// It takes something away, or changes what others see.
    pub const REMOVES: Nature = Nature { effect: Effect::Removes, ..Nature::READS };

    /// The same, for a person who confirms it.
    pub const fn for_a_person(self) -> Nature {
        Nature { authority: Authority::Person, ..self }
    }

    /// The same, only where a person can be asked in person.
    pub const fn in_person(self) -> Nature {
        Nature { doors: Doors::Person, ..self }
    }

    /// The same, in a terminal only.
    pub const fn at_terminal(self) -> Nature {
        Nature { doors: Doors::Terminal, ..self }
    }
}

/// What a person wants to do: the sections of `ken help`, in their order. Each has the verbs of one or more groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Make a store and connect agents.
    Start,
    /// Add and change entries.
    Record,
    /// Search and read.
    Find,
    /// Keep entries true.
    Trust,
    /// Share entries with a team, other projects and other systems.
    Share,
    /// What agents and their hosts use.
    Agents,
    /// Maintain the store, measure, script.
    Admin,
}

impl Section {
    /// Every section, in the order of help.
    pub const ALL: [Section; 7] = [
        Section::Start,
        Section::Record,
        Section::Find,
        Section::Trust,
        Section::Share,
        Section::Agents,
        Section::Admin,
    ];

    /// The word that `ken help` takes for it. No verb has that name.
    pub fn word(self) -> &'static str {
        match self {
            Section::Start => "start",
            Section::Record => "record",
            Section::Find => "find",
            Section::Trust => "trust",
            Section::Share => "share",
            Section::Agents => "agents",
            Section::Admin => "admin",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Section::Start => "Start",
            Section::Record => "Keep knowledge",
            Section::Find => "Find it",
            Section::Trust => "Keep it true",
            Section::Share => "Share it",
            Section::Agents => "Work with agents",
            Section::Admin => "Look after the store",
        }
    }

    /// Its groups, in the order of help.
    pub fn groups(self) -> impl Iterator<Item = Group> {
        Group::ALL.into_iter().filter(move |group| group.section() == self)
    }
}

/// Verbs of a kind: the headings within a section of help, and of the reference page, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Make a store, see where one stands, connect agents.
    Begin,
    WriteDown,
    Change,
    /// Read documents and commits into entries.
    Digest,
    Find,
    /// Read what is there.
    Read,
    /// Pin, mute and annotate entries in this clone alone.
    SeeItYourWay,
    /// Compare entries with the code.
    KeepTrue,
    /// Learn from tasks, reviews and feedback.
    Learn,
    /// Find and take out secrets and injected orders.
    KeepClean,
    /// Commit entries and bring them to others.
    Share,
    /// Let entries reach further.
    Reach,
    /// Gates that block a merge or a release.
    Govern,
    /// Files of other systems.
    OtherSystems,
    ForAgents,
    /// Maintain the index, settings and files of the store.
    KeepInOrder,
    Measure,
    /// For scripts and shells.
    ForPrograms,
}

impl Group {
    /// Every group, in the order of help: section by section.
    pub const ALL: [Group; 18] = [
        Group::Begin,
        Group::WriteDown,
        Group::Change,
        Group::Digest,
        Group::Find,
        Group::Read,
        Group::SeeItYourWay,
        Group::KeepTrue,
        Group::Learn,
        Group::KeepClean,
        Group::Share,
        Group::Reach,
        Group::Govern,
        Group::OtherSystems,
        Group::ForAgents,
        Group::KeepInOrder,
        Group::Measure,
        Group::ForPrograms,
    ];

    /// The section it stands in.
    pub fn section(self) -> Section {
        match self {
            Group::Begin => Section::Start,
            Group::WriteDown | Group::Change | Group::Digest => Section::Record,
            Group::Find | Group::Read | Group::SeeItYourWay => Section::Find,
            Group::KeepTrue | Group::Learn | Group::KeepClean => Section::Trust,
            Group::Share | Group::Reach | Group::Govern | Group::OtherSystems => Section::Share,
            Group::ForAgents => Section::Agents,
            Group::KeepInOrder | Group::Measure | Group::ForPrograms => Section::Admin,
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Group::Begin => "Begin",
            Group::WriteDown => "Add entries",
            Group::Change => "Change entries",
            Group::Digest => "Learn from documents",
            Group::Find => "Search",
            Group::Read => "Read entries",
            Group::SeeItYourWay => "Your own view",
            Group::KeepTrue => "Compare with the code",
            Group::Learn => "Learn from work",
            Group::KeepClean => "Secrets and injected orders",
            Group::Share => "Commit and recover",
            Group::Reach => "Promote",
            Group::Govern => "Gates",
            Group::OtherSystems => "Other systems",
            Group::ForAgents => "Serve agents",
            Group::KeepInOrder => "Maintenance",
            Group::Measure => "Measure",
            Group::ForPrograms => "Scripts and shells",
        }
    }
}

/// A verb in the table, for doors that know it by its name.
#[derive(Clone, Copy)]
pub struct Row {
    /// Its words, such as `task start` or `why --belief`.
    pub name: &'static str,
    /// Words that it had before.
    pub former: &'static [&'static str],
    /// What it does, in a line.
    pub about: &'static str,
    /// The group of verbs that help lists it with.
    pub group: Group,
    /// What it does to the world.
    pub nature: Nature,
    /// Whether `ken help` lists it first.
    pub everyday: bool,
    /// Fields that only the command line offers.
    pub at_terminal: &'static [&'static str],
    /// A command that uses it.
    pub example: &'static str,
    /// Its paths over HTTP, where its words do not make one.
    pub paths: &'static [HttpPath],
    /// Which requests take an admin over HTTP.
    pub for_admins: ForAdmins,
    /// Whether the ids that it takes are no entries.
    pub own_ids: bool,
    /// What stands at the end of its help.
    pub after_help: &'static str,
    /// Names of fields of which exactly one must be given.
    pub one_of: &'static [&'static str],
    fields: fn(&mut Vec<Field>),
    read: ReadRequest,
}

/// A request that was read and found well-formed, and is not yet carried out.
pub trait Prepared: Send + Sync {
    /// Whether this very request only reads.
    fn only_reads(&self) -> bool;

    /// Carries it out. `open` makes the call once the run that it belongs to is known.
    fn run(&self, open: &mut Open<'_>) -> Result<Done>;
}

struct RequestOf<V: Verb>(V::Request);

impl<V: Verb> Prepared for RequestOf<V> {
    fn only_reads(&self) -> bool {
        V::only_reads(&self.0)
    }

    fn run(&self, open: &mut Open<'_>) -> Result<Done> {
        let mut call = open(V::in_run(&self.0))?;
        let answer = V::run(&mut call, self.0.clone())?;
        let (finds, rejects) = (V::finds(&answer), V::rejects(&answer));
        let answer = serde_json::to_value(&answer).map_err(Error::failed("writing an answer"))?;
        Ok(Done { answer, finds, rejects, call })
    }
}

/// Reads the values of a request.
type ReadRequest = fn(Map<String, Value>) -> Result<Box<dyn Prepared>>;

/// A word that several verbs begin with, and that does nothing by itself.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub name: &'static str,
    /// What its verbs do, in a line.
    pub about: &'static str,
}

impl Family {
    /// A family of verbs.
    pub const fn new(name: &'static str, about: &'static str) -> Family {
        Family { name, about }
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
        former: V::FORMER,
        about: V::ABOUT,
        group: V::GROUP,
        nature: V::NATURE,
        everyday: V::EVERYDAY,
        at_terminal: V::AT_TERMINAL,
        example: V::EXAMPLE,
        paths: V::PATHS,
        for_admins: V::FOR_ADMINS,
        own_ids: V::OWN_IDS,
        after_help: V::Request::AFTER_HELP,
        one_of: V::Request::ONE_OF,
        fields: V::Request::fields,
        read: |given| Ok(Box::new(RequestOf::<V>(typed(given)?))),
    }
}

impl Row {
    /// What the verb is called where one word is wanted: `task_start`, `why_belief`.
    pub fn tool(&self) -> String {
        tool(self.name)
    }

    /// What the words of the command line call it, one below the other: `why --belief` is one, since a flag is none of its own.
    pub fn path(&self) -> Vec<&'static str> {
        match self.mode() {
            None => self.name.split(' ').collect(),
            Some((base, _)) => match base.rsplit_once(' ') {
                None => vec![self.name],
                Some((family, _)) => vec![family, &self.name[family.len() + 1..]],
            },
        }
    }

    /// The verb and the flag that make it, where a flag does.
    pub fn mode(&self) -> Option<(&'static str, &'static str)> {
        self.name.rsplit_once(" --")
    }

    /// What it takes.
    pub fn all_fields(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        (self.fields)(&mut fields);
        fields
    }

    /// What it takes through a door other than the terminal.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = self.all_fields();
        fields.retain(|field| !self.at_terminal.contains(&field.name));
        fields
    }

    /// What it takes, as JSON Schema.
    pub fn schema(&self) -> Value {
        let fields = self.fields();
        let properties: Map<String, Value> =
            fields.iter().map(|field| (field.name.to_owned(), field.schema())).collect();
        let required: Vec<&str> =
            fields.iter().filter(|field| field.required).map(|field| field.name).collect();
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema
    }

    /// Reads the request that a JSON object says.
    pub fn read(&self, given: Map<String, Value>) -> Result<Box<dyn Prepared>> {
        (self.read)(checked(&self.tool(), &self.fields(), self.one_of, given)?)
    }
}

impl Row {
    /// The role that a request of this verb needs at least: one that only reads, or one that does what the verb can do.
    pub fn role(&self, only_reads: bool) -> Role {
        let reads = only_reads || self.nature.effect == Effect::Reads;
        let decides = self.nature.authority == Authority::Person || self.nature.doors == Doors::Person;
        match self.for_admins {
            ForAdmins::Always => Role::Admin,
            _ if reads => Role::Reader,
            ForAdmins::ToWrite => Role::Admin,
            ForAdmins::Never if decides => Role::Approver,
            ForAdmins::Never => Role::Writer,
        }
    }
}

/// The words of a verb as one.
pub(crate) fn tool(words: &str) -> String {
    words.replace(" --", " ").replace([' ', '-'], "_")
}
