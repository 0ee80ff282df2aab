//! `list`: entries by what they are.

use ken_core::kinds::SUBTYPES;
use ken_core::{Code, Memory, Millis, Refusal, Scope, Status, Tag, Type, TypeName};
use ken_engine::ops::read::ListAnswer;
use ken_engine::view::EntryLine;
use ken_engine::{BRANCH, Caller, Ledger, Overlaid, Query, Result, Sort, Threads};

use crate::request::Request;
use crate::requests::{read_cursor, read_subtypes};
use crate::verb::{Call, Group, HttpPath, InRun, Nature, Verb, read_word};
use crate::{Config, Site};

/// List entries.
pub struct List;

/// What `list` takes.
#[derive(Clone, Debug, Request)]
pub struct ListRequest {
    /// Memory: semantic, procedural or episodic
    #[field(long, words = Memory::WORDS)]
    pub memory: Vec<String>,
    /// Only entries of this type: lesson, entity, commit_norm ...
    #[field(long = "type", value_name = "TYPE", words = Type::WORDS)]
    pub kind: Vec<String>,
    /// Only entries of this sub-type: decision, convention, bug, technique ...
    #[field(long, words = SUBTYPES)]
    pub subtype: Vec<String>,
    /// Status, such as archived; by default candidate, active and verified
    #[field(long, words = Status::WORDS)]
    pub status: Vec<String>,
    /// Entries of every status
    #[field(long, short)]
    pub all: bool,
    /// Only entries in this domain or a domain nested in it
    #[field(long)]
    pub domain: Option<String>,
    /// Only entries with this tag or a tag nested in it
    #[field(long)]
    pub tag: Vec<String>,
    /// Scope: thread, project or global
    #[field(long, words = Scope::WORDS)]
    pub scope: Option<String>,
    /// Only entries of this reviewer
    #[field(long)]
    pub reviewer: Option<String>,
    /// Only entries that contain these words
    #[field(long)]
    pub text: Option<String>,
    /// Changed since a time, or within 7d, 12h, 2w
    #[field(long, value_name = "TIME|AGE")]
    pub since: Option<String>,
    /// Only entries you added
    #[field(long)]
    pub mine: bool,
    /// Only entries pinned in this clone
    #[field(long, conflicts("muted", "as_of"))]
    pub pinned: bool,
    /// Only entries muted or invalidated in this clone
    #[field(long, conflicts("as_of"))]
    pub muted: bool,
    /// Only entries in the ledger files of this branch
    #[field(long)]
    pub this_branch: bool,
    /// Sort by: updated, created or id
    #[field(long, default = "updated", words = Sort::WORDS)]
    pub sort: String,
    /// Entries per page; 0 lists all
    #[field(long, short = 'n', value_name = "N", signed)]
    pub limit: Option<usize>,
    /// Cursor of the previous page
    #[field(long, alias = "after", value_name = "CURSOR", hyphens)]
    pub cursor: Option<String>,
    /// Show the state at a time or in a commit
    #[field(long, value_name = "TIME|COMMIT")]
    pub as_of: Option<String>,
    /// Add links, and which entries were used together
    #[field(long, conflicts("as_of"))]
    pub links: bool,
    /// In which run it happens.
    #[field(flatten)]
    pub in_run: InRun,
    /// Include the private entries of this thread
    #[field(long)]
    pub thread: Option<String>,
}

impl Verb for List {
    const NAME: &'static str = "list";
    const ABOUT: &'static str = "List entries";
    const EXAMPLE: &'static str = "ken list --tag http --since 7d";
    const PATHS: &'static [HttpPath] =
        &[HttpPath::new("GET", "/entries"), HttpPath::with("GET", "/norms", &[("memory", "procedural")])];
    const GROUP: Group = Group::Read;
    const NATURE: Nature = Nature::READS;
    const EVERYDAY: bool = true;
    type Request = ListRequest;
    type Answer = ListAnswer;

    fn run(call: &mut Call, request: ListRequest) -> Result<ListAnswer> {
        let mut query = query(&request, call.caller().now())?;
        let ken = call.reach()?;
        if request.mine {
            query.actor = Some(ken.caller.actor().to_owned());
        }
        if request.limit.is_none() {
            query.limit = ken.site.config.number("list.limit");
        }
        let mut answer =
            list_or_hint(&mut ken.ledger, &ken.site, &ken.caller, &query, request.as_of.as_deref())?;
        if request.links {
            crate::around::add_links(&ken.ledger, &ken.caller, &mut answer)?;
        }
        Ok(answer)
    }

    fn in_run(request: &ListRequest) -> Option<&InRun> {
        Some(&request.in_run)
    }
}

impl List {
    /// Whether a request is for everything at once, so that its entries need not be held together.
    pub fn is_for_all(request: &ListRequest) -> bool {
        request.limit == Some(0) && request.cursor.is_none() && request.as_of.is_none() && !request.links
    }

    /// The entries of such a request, one after the other, and how many there were.
    pub fn each(
        call: &mut Call,
        request: &ListRequest,
        each: &mut dyn FnMut(EntryLine) -> Result<()>,
    ) -> Result<usize> {
        let mut query = query(request, call.caller().now())?;
        let ken = call.reach()?;
        if request.mine {
            query.actor = Some(ken.caller.actor().to_owned());
        }
        let total = crate::list::each_listed(&mut ken.ledger, &ken.site, &ken.caller, &query, each)?;
        if total == 0 {
            hint_at_reviewer(&mut ken.ledger, &ken.site.config, &query)?;
        }
        Ok(total)
    }
}

/// Lists what a query asks for, now or in the past; says so where nothing is there because nobody has that name.
pub fn list_or_hint(
    ledger: &mut Ledger,
    site: &Site,
    caller: &Caller,
    query: &Query,
    as_of: Option<&str>,
) -> Result<ListAnswer> {
    let answer = match as_of {
        Some(when) => crate::check::list_as_of(ledger, &site.layout, caller, when, query)?,
        None => crate::list::list(ledger, site, caller, query)?,
    };
    if answer.total == 0 {
        hint_at_reviewer(ledger, &site.config, query)?;
    }
    Ok(answer)
}

/// Says of a list without entries that nobody has the name of its reviewer.
fn hint_at_reviewer(ledger: &mut Ledger, config: &Config, query: &Query) -> Result<()> {
    if let Some(reviewer) = &query.reviewer
        && let Some(unknown) = crate::drift::unknown_reviewer(ledger, config, reviewer)?
    {
        let there = unknown.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        ledger.notice(format!("{}{there}", unknown.message));
    }
    Ok(())
}

fn query(request: &ListRequest, now: Millis) -> Result<Query> {
    let mut query = Query {
        all: request.all,
        domain: request.domain.clone(),
        tags: request.tag.clone(),
        reviewer: request.reviewer.clone(),
        text: request.text.clone(),
        subset: request.this_branch.then_some(BRANCH),
        pinned_first: true,
        overlaid: match (request.pinned, request.muted) {
            (true, _) => Overlaid::Pinned,
            (false, true) => Overlaid::Hidden,
            (false, false) => Overlaid::Visible,
        },
        after: read_cursor(request.cursor.as_deref())?,
        threads: request.thread.clone().map_or(Threads::Any, |thread| Threads::SeenFrom(Some(thread))),
        limit: request.limit.unwrap_or_default(),
        ..Query::default()
    };
    for text in &request.memory {
        query.memories.push(read_word("memory", "memory", text, Memory::WORDS, Memory::from_word)?);
    }
    for text in &request.kind {
        // A type of a newer version can be listed by its name; a slip of the pen gets the nearest known word.
        query.types.push(TypeName::Known(read_word(
            "type",
            "type of entry",
            text,
            Type::WORDS,
            Type::from_word,
        )?));
    }
    query.subtypes = read_subtypes(&request.subtype, &request.kind)?;
    for text in &request.status {
        query.statuses.push(read_word("status", "status", text, Status::LABELS, Status::from_word)?);
    }
    if let Some(text) = &request.scope {
        query.scope = Some(read_word("scope", "scope", text, Scope::WORDS, Scope::from_word)?);
    }
    query.sort = read_word("sort", "order", &request.sort, Sort::WORDS, Sort::from_word)?;
    if let Some(text) = &request.since {
        query.since = Some(since(text, now)?);
    }
    let labels =
        request.tag.iter().map(|tag| ("tag", tag)).chain(request.domain.iter().map(|d| ("domain", d)));
    for (name, label) in labels {
        Tag::parse(label)
            .map_err(|problem| Refusal::new(Code::Invalid, format!("--{name}: {problem}")).field(name))?;
    }
    for (name, text) in [("text", &request.text), ("reviewer", &request.reviewer)] {
        if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err(Refusal::new(Code::Invalid, format!("--{name} is empty; give a value or omit it"))
                .field(name)
                .into());
        }
    }
    Ok(query)
}

/// A time, or how long ago: `7d`, `12h`, `2w`.
fn since(text: &str, now: Millis) -> Result<Millis> {
    let text = text.trim();
    let unit = match text.chars().last() {
        Some('h') => Some(3_600_000),
        Some('d') => Some(86_400_000),
        Some('w') => Some(7 * 86_400_000),
        _ => None,
    };
    if let Some(unit) = unit
        && let Ok(count) = text[..text.len() - 1].parse::<u32>()
    {
        return Ok(Millis((now.0 - i64::from(count) * unit).max(0)));
    }
    Millis::parse(text).map_err(|problem| {
        Refusal::new(Code::Invalid, format!("--since: {problem}, or an age like 7d")).field("since").into()
    })
}
