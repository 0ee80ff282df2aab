//! The alias group `knowledge`: Decapod's words and flags, JSON unless on a terminal, a store on first write.

use kenning::core::{Memory, Type, TypeName};
use kenning::table::archive::ArchiveRequest;
use kenning::table::promote::PromoteRequest;
use kenning::table::reduce::ReduceRequest;
use kenning::table::reflect::ReflectRequest;
use kenning::table::reweave::ReweaveRequest;
use kenning::table::show::ShowRequest;
use kenning::table::verify::VerifyRequest;
use kenning::table::{Archive, Promote, Reduce, Reflect, Reweave, Show, Verify};
use kenning::verb::{Call, Group, Nature, Verb, read_word};
use kenning::{AddAnswer, AddInput, OnAbsent, Query, ReduceAnswer, ReflectAnswer, Result, ReweaveAnswer};

use super::local::{KnowledgeArchive, KnowledgeList, KnowledgePromote, KnowledgeShow, KnowledgeVerify};
use super::{Session, Shown, add, list};
use crate::args::{
    KnowledgeAddArgs, KnowledgeArchiveArgs, KnowledgeListArgs, KnowledgePromoteArgs, KnowledgeReduceArgs,
    KnowledgeReweaveArgs, KnowledgeShowArgs,
};

/// Add an entry.
pub(crate) struct KnowledgeAdd;

impl Verb for KnowledgeAdd {
    const NAME: &'static str = "knowledge add";
    const ABOUT: &'static str = "Add an entry";
    const EXAMPLE: &'static str =
        "ken knowledge add --type semantic --content '{\"statement\":\"Retry with jitter.\"}'";
    const GROUP: Group = Group::ForPrograms;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = KnowledgeAddArgs;
    type Answer = AddAnswer;

    fn run(call: &mut Call, request: KnowledgeAddArgs) -> Result<AddAnswer> {
        let memory = read_memory(&request.memory)?;
        let kind = request.norm_type.as_deref().map(read_norm_type).transpose()?;
        let content = kenning::read_content(&request.content)?;
        let kind = kind.map(|kind| kind.word().to_owned()).filter(|_| !content.contains_key("type"));
        let evidence = request.evidence;
        // A document of Decapod's that brings its citations along is an import: they were looked up where it was written.
        let on_absent = if evidence.is_empty() { OnAbsent::Gap } else { OnAbsent::Refuse };
        let input =
            AddInput { kind, memory: Some(memory), content, evidence, on_absent, ..AddInput::default() };
        let reach = call.reach_or_make()?;
        kenning::add::add(&mut reach.ledger, &reach.site, &mut reach.models, &reach.caller, input)
    }

    fn rejects(answer: &AddAnswer) -> bool {
        answer.is_rejected()
    }
}

impl Shown for KnowledgeAdd {
    fn say(answer: &AddAnswer) {
        add::say_one(answer);
    }
}

impl Shown for KnowledgeList {
    fn execute(session: &Session, request: KnowledgeListArgs) -> Result<u8> {
        let KnowledgeListArgs { memory, norm_type, limit } = request;
        let mut query = Query { limit: limit.unwrap_or(0), ..Query::default() };
        query.memories.extend(memory.as_deref().map(read_memory).transpose()?);
        query.types.extend(norm_type.as_deref().map(read_norm_type).transpose()?.map(TypeName::Known));
        list::run(session, &query)
    }
}

impl Shown for KnowledgeShow {
    fn execute(session: &Session, request: KnowledgeShowArgs) -> Result<u8> {
        let request = ShowRequest { ids: vec![request.id], ..ShowRequest::default() };
        Show::execute(session, request)
    }
}

impl Shown for KnowledgePromote {
    fn execute(session: &Session, request: KnowledgePromoteArgs) -> Result<u8> {
        let (from, to) = (Some(request.from), Some(request.to));
        Promote::execute(session, PromoteRequest { from, to, ..PromoteRequest::default() })
    }
}

impl Shown for KnowledgeVerify {
    fn execute(session: &Session, (): ()) -> Result<u8> {
        Verify::execute(session, VerifyRequest { fix: false })
    }
}

/// Extract candidates from documents, commits and pull requests.
pub(crate) struct KnowledgeReduce;

impl Verb for KnowledgeReduce {
    const NAME: &'static str = "knowledge reduce";
    const ABOUT: &'static str = "Extract candidates from documents, commits and pull requests";
    const EXAMPLE: &'static str = "ken knowledge reduce --sources docs/adr";
    const GROUP: Group = Group::ForPrograms;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = KnowledgeReduceArgs;
    type Answer = ReduceAnswer;

    fn run(call: &mut Call, request: KnowledgeReduceArgs) -> Result<ReduceAnswer> {
        call.reach_or_make()?;
        Reduce::run(call, ReduceRequest { sources: request.sources, ..ReduceRequest::default() })
    }
}

impl Shown for KnowledgeReduce {
    fn say(answer: &ReduceAnswer) {
        Reduce::say(answer);
    }
}

/// Compare what waits with the entries.
pub(crate) struct KnowledgeReflect;

impl Verb for KnowledgeReflect {
    const NAME: &'static str = "knowledge reflect";
    const ABOUT: &'static str = "Compare staged candidates with the entries";
    const EXAMPLE: &'static str = "ken knowledge reflect";
    const GROUP: Group = Group::ForPrograms;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = ();
    type Answer = ReflectAnswer;

    fn run(call: &mut Call, (): ()) -> Result<ReflectAnswer> {
        Reflect::run(call, ReflectRequest::default())
    }
}

impl Shown for KnowledgeReflect {
    fn say(answer: &ReflectAnswer) {
        Reflect::say(answer);
    }
}

/// Tie new evidence to an entry.
pub(crate) struct KnowledgeReweave;

impl Verb for KnowledgeReweave {
    const NAME: &'static str = "knowledge reweave";
    const ABOUT: &'static str = "Add new evidence to an entry";
    const EXAMPLE: &'static str = "ken knowledge reweave --entry L-e71631 --evidence pr:#12";
    const GROUP: Group = Group::ForPrograms;
    const NATURE: Nature = Nature::WRITES.at_terminal();
    type Request = KnowledgeReweaveArgs;
    type Answer = ReweaveAnswer;

    fn run(call: &mut Call, request: KnowledgeReweaveArgs) -> Result<ReweaveAnswer> {
        let KnowledgeReweaveArgs { entry, evidence } = request;
        let reason = String::new();
        Reweave::run(call, ReweaveRequest { entry, evidence, statement: None, reason, unverified: false })
    }
}

impl Shown for KnowledgeReweave {
    fn say(answer: &ReweaveAnswer) {
        Reweave::say(answer);
    }
}

impl Shown for KnowledgeArchive {
    fn execute(session: &Session, request: KnowledgeArchiveArgs) -> Result<u8> {
        let older_than = Some(request.older_than);
        Archive::execute(
            session,
            ArchiveRequest { id: None, older_than, dry_run: false, reason: String::new() },
        )
    }
}

fn read_memory(text: &str) -> Result<Memory> {
    read_word("type", "memory", text, Memory::WORDS, Memory::from_word)
}

fn read_norm_type(text: &str) -> Result<Type> {
    read_word(
        "norm-type",
        "kind of norm",
        text,
        &["commit", "pr", "expectation", "risk"],
        |word| match word {
            "commit" | "commit_norm" => Some(Type::CommitNorm),
            "pr" | "pr_expectation" => Some(Type::PrExpectation),
            "expectation" | "user_expectation" => Some(Type::UserExpectation),
            "risk" | "risk_tier" => Some(Type::RiskTier),
            _ => None,
        },
    )
}
