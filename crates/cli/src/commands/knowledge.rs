//! The alias group `knowledge`: Decapod's words and flags, JSON unless on a terminal, a store on first write.

use kenning::core::{Memory, Type, TypeName};
use kenning::verbs::{Archive, Promote, Show, Verify};
use kenning::{AddInput, Query, Result};

use super::{Session, Shown, add, digest, list, word};
use crate::args::{ArchiveArgs, KnowledgeVerb, PromoteRequest, ReduceArgs, ReweaveArgs, ShowArgs, VerifyArgs};

pub(super) fn knowledge(session: &Session, verb: KnowledgeVerb) -> Result<u8> {
    match verb {
        KnowledgeVerb::Add { memory, norm_type, evidence, content } => {
            let memory = read_memory(&memory)?;
            let kind = norm_type.as_deref().map(read_norm_type).transpose()?;
            let content = kenning::read_content(&content)?;
            let mut ken = session.open_or_make()?;
            let kind = kind.map(|kind| kind.word().to_owned()).filter(|_| !content.contains_key("type"));
            add::one(
                session,
                &mut ken,
                AddInput { kind, memory: Some(memory), content, evidence, ..AddInput::default() },
            )
        }
        KnowledgeVerb::List { memory, norm_type, limit } => {
            let mut query = Query { limit: limit.unwrap_or(0), ..Query::default() };
            query.memories.extend(memory.as_deref().map(read_memory).transpose()?);
            query.types.extend(norm_type.as_deref().map(read_norm_type).transpose()?.map(TypeName::Known));
            list::run(session, &query)
        }
        KnowledgeVerb::Show { id } => Show::execute(
            session,
            ShowArgs { ids: vec![id], held: false, as_of: None, in_run: Default::default() },
        ),
        KnowledgeVerb::Promote { from, to } => Promote::execute(
            session,
            PromoteRequest { from: Some(from), to: Some(to), ..PromoteRequest::default() },
        ),
        KnowledgeVerb::Verify => Verify::execute(session, VerifyArgs { fix: false }),
        KnowledgeVerb::Reduce { sources } => {
            drop(session.open_or_make()?);
            digest::reduce(session, &ReduceArgs { sources, named: Vec::new(), dry_run: false })
        }
        KnowledgeVerb::Reflect => digest::reflect(session, false),
        KnowledgeVerb::Reweave { entry, evidence } => digest::reweave(
            session,
            ReweaveArgs { entry, evidence, statement: None, reason: String::new(), unverified: false },
        ),
        KnowledgeVerb::Archive { older_than } => {
            let older_than = Some(older_than);
            Archive::execute(session, ArchiveArgs { id: None, older_than, reason: String::new() })
        }
    }
}

fn read_memory(text: &str) -> Result<Memory> {
    word("type", "memory", text, Memory::WORDS, Memory::from_word)
}

fn read_norm_type(text: &str) -> Result<Type> {
    word("norm-type", "kind of norm", text, &["commit", "pr", "expectation", "risk"], |word| match word {
        "commit" | "commit_norm" => Some(Type::CommitNorm),
        "pr" | "pr_expectation" => Some(Type::PrExpectation),
        "expectation" | "user_expectation" => Some(Type::UserExpectation),
        "risk" | "risk_tier" => Some(Type::RiskTier),
        _ => None,
    })
}
