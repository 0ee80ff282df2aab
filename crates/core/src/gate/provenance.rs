//! `knowledge.provenance`: every entry rests on something, and what it rests on is there.

use super::{GateFacts, Level, Sight};
use crate::kinds::Memory;

pub(super) fn look(known: &GateFacts<'_>) -> Vec<Sight> {
    let mut seen = Vec::new();
    for entry in known.judged().filter(|entry| entry.memory() != Memory::Episodic) {
        let id = entry.id();
        let cited = entry.evidence().count();
        if cited == 0 {
            let message = format!("provenance required: {id} cites nothing");
            let hint = format!("ken edit {id} --evidence KIND:REF");
            seen.push(Sight::new(entry, Level::for_memory(entry.memory()), message, hint));
            continue;
        }
        let gone: Vec<String> = entry
            .evidence()
            .filter(|citation| (known.is_missing)(citation))
            .map(|citation| format!("{}:{}", citation.evidence_type, citation.evidence_ref))
            .collect();
        if !gone.is_empty() {
            // What it rested on may have been moved; that is no reason to stop a change that did not move it.
            let all = gone.len() == cited;
            let message = match all {
                true => format!("none of the evidence of {id} was found: {}", gone.join(", ")),
                false => format!("{id} cites evidence that no longer exists: {}", gone.join(", ")),
            };
            let hint = format!("ken edit {id} --evidence KIND:REF, with its new location");
            seen.push(Sight::new(entry, Level::Warns, message, hint));
        }
    }
    seen
}
