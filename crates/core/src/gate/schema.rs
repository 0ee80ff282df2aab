//! `knowledge.schema`: entries are of the shape that their type has, and lines say what their hash says.

use super::{GateFacts, Level, LineFault, Sight};
use crate::schema;

pub(super) fn look(known: &GateFacts<'_>) -> Vec<Sight> {
    let mut seen = Vec::new();
    for line in known.lines {
        let level = if line.is_binding() { Level::Blocks } else { Level::Warns };
        let hint = match line.line {
            _ if line.fault == LineFault::Forged => {
                "`git log -p` shows who added the line. If it is yours, take the change back and make it again with `ken` on top of \
                 the base; otherwise delete the line"
                    .to_owned()
            }
            _ if line.fault == LineFault::Doubtful => {
                "ask who is named; `git log -p` shows who added the line".to_owned()
            }
            0 => "restore it with `ken recover`, or from the other branch with git".to_owned(),
            _ => "ledger files must not be edited by hand: restore the line with git and change entries with `ken`, \
                  or convert the edit with `ken recover --adopt FILE`"
                .to_owned(),
        };
        let at = Some((line.file.clone(), line.line));
        seen.push(Sight { level, entry: None, at, message: line.problem.clone(), hint });
    }
    for entry in known.judged() {
        let Some(kind) = entry.kind.known() else { continue };
        let mut faults = schema::check(kind, &entry.fields);
        faults.extend((known.faults)(entry));
        let faults = faults.iter().map(|fault| format!("{}: {}", fault.field, fault.problem));
        let faults: Vec<String> = faults.collect();
        if !faults.is_empty() {
            let message = format!("{} does not match its schema: {}", entry.id(), faults.join("; "));
            let hint = format!("see `ken schema {kind}`, then supersede or revise {}", entry.id());
            seen.push(Sight::new(entry, Level::for_memory(entry.memory()), message, hint));
        }
    }
    seen
}
