//! Which entries may answer a question: what it says beside its words, and what is never handed out.

use ken_core::kinds::SUBTYPES;
use ken_core::{Entry, Fields, Memory, Scope, Status, Type, TypeName};
use ken_recall::Question;
use ken_recall::question::{Condition, Field};

use crate::deliver;
use crate::ports::{Asked, Stored};
use crate::query::Query;

/// What the question itself says about the entries that may answer.
pub(crate) fn narrowed(among: &Query, question: &Question) -> Query {
    let mut among = among.clone();
    let names_records =
        among.subtypes.iter().any(|subtype| Type::Friction.subtypes().contains(&subtype.as_str()));
    if among.memories.is_empty() && among.types.is_empty() && !names_records && !among.all {
        // SUR-4: episodic records are raw; they are handed out only to who asks for them.
        among.memories = vec![Memory::Semantic, Memory::Procedural];
    }
    for condition in question.conditions.iter().filter(|condition| !condition.negated) {
        let value = condition.value.as_str();
        match condition.field {
            Field::Tag => among.tags.push(value.to_owned()),
            Field::Domain => among.domain = Some(value.to_owned()),
            Field::Type => {
                let kind = Type::from_word(&value.to_lowercase().replace('-', "_"));
                if kind.is_some_and(|kind| kind.memory() == Memory::Episodic) {
                    among.memories.clear();
                }
                among.types.extend(kind.map(TypeName::Known));
            }
            Field::Subtype => {
                let subtype = value.to_lowercase().replace('-', "_");
                if Type::Friction.subtypes().contains(&subtype.as_str()) {
                    among.memories.clear();
                }
                among.subtypes.push(subtype);
            }
            Field::Status => among.statuses.extend(Status::from_word(&value.to_lowercase())),
            Field::Scope => among.scope = Scope::from_word(&value.to_lowercase()),
            Field::Reviewer => among.reviewer = Some(value.to_owned()),
            Field::By | Field::Path | Field::Subject => {}
        }
    }
    among
}

/// Whether an entry that was found may answer; if not, why not.
pub fn may_answer(asked: &Asked<'_>, stored: &Stored) -> std::result::Result<(), String> {
    let (entry, among) = (&stored.entry, asked.among);
    if stored.purge_asked {
        return Err("a peer asked for its purge".to_owned());
    }
    if !among.overlaid.admits(&stored.overlay) {
        let told = stored.overlay.told().into_iter().next();
        return Err(told.unwrap_or_else(|| "is not pinned in this clone".to_owned()));
    }
    let status_fits = match (among.statuses.is_empty(), among.all) {
        (false, _) => among.statuses.contains(&entry.status),
        (true, all) => all || entry.status.is_retrieved(),
    };
    if !status_fits {
        return Err(format!("is {}", entry.status));
    }
    if !among.memories.is_empty() && !among.memories.contains(&entry.memory()) {
        return Err(format!("is {}", entry.memory().word()));
    }
    if among.subset.is_some() && !stored.is_on_branch() {
        return Err("is not on this branch".to_owned());
    }
    let thread = entry.fields.thread.as_deref();
    if entry.fields.scope() == Scope::Thread && !among.all && thread != asked.thread {
        return Err(format!("belongs to thread {}", thread.unwrap_or("?")));
    }
    if let Some(runs) = asked.unasked_in {
        if deliver::is_unreviewed_draft(stored) {
            return Err("is a draft that nobody reviewed".to_owned());
        }
        if runs.iter().any(|run| deliver::is_stated_in(stored, run)) {
            return Err("was stated in this session".to_owned());
        }
    }
    admits(asked.question, entry)
}

/// Whether an entry meets what a question says beside its words; if not, why not.
pub fn admits(question: &Question, entry: &Entry) -> std::result::Result<(), String> {
    let text = if question.phrases.is_empty() && question.excluded.is_empty() {
        String::new()
    } else {
        crate::text::phrases_of(entry)
    };
    if let Some(phrase) = question.phrases.iter().find(|phrase| !text.contains(phrase.as_str())) {
        return Err(format!("does not contain {phrase:?}"));
    }
    if let Some(word) = question.excluded.iter().find(|word| holds_word(&text, word)) {
        return Err(format!("contains {word:?}, which the query excludes"));
    }
    for condition in &question.conditions {
        // An entry has one type, one sub-type, one status and one scope: several of them are a choice.
        let is_choice =
            matches!(condition.field, Field::Type | Field::Subtype | Field::Status | Field::Scope);
        let alike = |other: &&Condition| other.field == condition.field && !other.negated;
        let holds = if is_choice && !condition.negated {
            question.conditions.iter().filter(alike).any(|other| meets(other, entry))
        } else {
            meets(condition, entry)
        };
        if holds == condition.negated {
            let not = if condition.negated { "is excluded by -" } else { "does not meet " };
            return Err(format!("{not}{}:{}", condition.field.word(), condition.value));
        }
    }
    Ok(())
}

fn holds_word(text: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(word).any(|(at, _)| {
        !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next())
    })
}

fn meets(condition: &Condition, entry: &Entry) -> bool {
    let fields: &Fields = &entry.fields;
    let value = condition.value.to_lowercase();
    let nests = |label: &str| {
        let wanted = ken_core::words::normalise_tag(&value).unwrap_or_else(|_| value.clone());
        label == wanted || label.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('/'))
    };
    let same = |text: &str| text.to_lowercase() == value;
    match condition.field {
        Field::Tag => fields.tags.iter().any(|tag| nests(tag.as_str())),
        Field::Domain => fields.domains.iter().any(|tag| nests(tag.as_str())),
        Field::Type => same(entry.kind.word()) || entry.kind.word() == value.replace('-', "_"),
        Field::Subtype => fields.subtype.as_deref() == Some(&*value.replace('-', "_")),
        Field::Path => {
            let wanted = value.trim_start_matches("./");
            fields.anchors.iter().any(|anchor| anchor.at.to_lowercase().starts_with(wanted))
        }
        Field::Status => same(entry.status.word()),
        Field::Scope => same(fields.scope().word()),
        Field::Reviewer => fields.reviewer.as_deref().is_some_and(same),
        Field::By => entry.created_by.to_lowercase().contains(&value),
        Field::Subject => {
            fields.subject.as_deref().is_some_and(|subject| subject.to_lowercase().contains(&value))
        }
    }
}

/// Whether a value can be meant as a condition: what is no type, status or scope is text.
pub(crate) fn can_be(field: Field, value: &str) -> bool {
    let value = value.to_lowercase().replace('-', "_");
    match field {
        Field::Type => Type::from_word(&value).is_some(),
        Field::Subtype => SUBTYPES.contains(&value.as_str()),
        Field::Status => Status::from_word(&value).is_some(),
        Field::Scope => Scope::from_word(&value).is_some(),
        Field::Tag | Field::Domain => ken_core::words::normalise_tag(&value).is_ok(),
        Field::Path | Field::Reviewer | Field::By | Field::Subject => true,
    }
}
