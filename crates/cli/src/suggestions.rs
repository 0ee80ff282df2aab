//! What somebody meant who typed a verb that does not exist.
//!
//! People bring words from other tools. The spelling that is nearest is a bad guess there: `delete` is near `reset`, which wipes
//! belief. So known words are looked up first.

use kenning::core::words::nearest;

/// Words that people type, with the command that does what they want.
const KNOWN: &[(&str, &[&str])] = &[
    ("add", &["create", "new", "save", "store", "remember", "learn", "put", "insert", "write"]),
    ("archive", &["hide", "close", "shelve"]),
    ("brief", &["overview", "summary", "briefing", "start", "context"]),
    ("check", &["validate", "stale", "lint", "ci", "test"]),
    ("commit", &["push"]),
    ("config", &["settings", "set", "configure", "option", "options"]),
    ("promote approve", &["approve"]),
    ("confirm", &["accept", "ack", "agree"]),
    ("diff", &["changes", "compare"]),
    ("digest", &["staging", "stage"]),
    ("doctor", &["diagnose", "fix", "repair"]),
    ("edit", &["modify", "update", "change", "amend", "rename"]),
    ("export", &["dump", "backup"]),
    ("feedback", &["upvote", "downvote", "vote", "rate", "helpful", "unhelpful"]),
    ("help", &["commands", "usage"]),
    ("import", &["ingest"]),
    ("init", &["initialize", "initialise", "bootstrap"]),
    ("maintain", &["consolidate", "dedup", "maintenance", "gc"]),
    ("list", &["ls", "dir", "all", "entries"]),
    ("log", &["history", "timeline"]),
    ("open", &["browser", "web", "ui"]),
    ("gate approver", &["approver", "invite"]),
    ("gate override", &["allow", "bypass", "force"]),
    ("queue", &["todo", "inbox", "pending", "triage"]),
    ("rebuild", &["reindex", "index"]),
    ("restore", &["unarchive", "undelete", "unretract"]),
    ("retract", &["rm", "remove", "delete", "del", "forget", "drop", "erase"]),
    ("scan", &["secrets", "audit"]),
    ("search", &["find", "recall", "query", "grep", "ask", "lookup", "retrieve"]),
    ("serve", &["server", "api", "http"]),
    ("setup", &["install", "connect", "hooks", "agent"]),
    ("show", &["get", "cat", "read", "print", "entry"]),
    ("stats", &["metrics", "figures"]),
    ("status", &["st", "state", "info", "dashboard"]),
    ("supersede", &["replace", "deprecate"]),
    ("mirror sync", &["pull", "fetch"]),
    ("tag", &["label", "untag"]),
    ("undo", &["revert", "rollback"]),
    ("verify", &["fsck", "integrity"]),
    ("why", &["explain", "trust", "blame"]),
    ("--version", &["version", "ver"]),
];

/// The command that does what a word asks for: a known one, else the verb that is spelled most like it.
pub(crate) fn meant<'a>(word: &str, verbs: impl Iterator<Item = &'a str>) -> Option<String> {
    let word = word.to_lowercase();
    let known = KNOWN.iter().find(|(_, words)| words.contains(&word.as_str()));
    known
        .map(|(command, _)| format!("ken {command}"))
        .or_else(|| misspelt(&word, verbs).map(|verb| format!("ken {verb}")))
}

/// The verb that a word is a misspelling of: about a third of its letters may be wrong.
fn misspelt<'a>(word: &str, verbs: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let edits_max = word.chars().count().div_ceil(3);
    let is_near =
        |verb: &&str| verb.starts_with(word) || strsim::damerau_levenshtein(word, verb) <= edits_max;
    nearest(word, verbs.filter(is_near))
}

/// The same as the end of a message: `; did you mean ...?`. Below a family of verbs, only its own verbs are meant.
pub(crate) fn proposed(word: &str, family: Option<&str>) -> Option<String> {
    let command = crate::command();
    let below =
        family.and_then(|family| command.find_subcommand(family)).filter(|family| family.has_subcommands());
    let names = |command: &clap::Command| -> Vec<String> {
        let listed = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        listed.map(|verb| verb.get_name().to_owned()).collect()
    };
    let proposal = match below {
        Some(family) => misspelt(&word.to_lowercase(), names(family).iter().map(String::as_str))
            .map(|verb| format!("ken {} {verb}", family.get_name())),
        None => meant(word, names(&command).iter().map(String::as_str)),
    };
    proposal.map(|proposal| format!("; did you mean `{proposal}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_proposal_exists_and_no_known_word_is_a_verb() {
        let command = crate::command();
        for (proposal, words) in KNOWN {
            let verb = proposal.split(' ').next().unwrap_or_default();
            assert!(verb.starts_with("--") || command.find_subcommand(verb).is_some(), "{proposal}");
            for word in *words {
                assert!(command.find_subcommand(word).is_none(), "`{word}` is a verb of its own");
            }
        }
    }

    #[test]
    fn what_people_type_leads_to_the_verb_that_does_it() {
        let verbs = ["search", "list", "retract", "reset", "show", "supersede"];
        for (typed, proposal) in [
            ("find", "ken search"),
            ("recall", "ken search"),
            ("ls", "ken list"),
            ("rm", "ken retract"),
            ("delete", "ken retract"),
            ("remove", "ken retract"),
            ("version", "ken --version"),
            ("Delete", "ken retract"),
            ("serach", "ken search"),
            ("superseed", "ken supersede"),
        ] {
            assert_eq!(meant(typed, verbs.into_iter()).as_deref(), Some(proposal), "{typed}");
        }
        assert_eq!(meant("frobnicate", ["friction", "list"].into_iter()), None);
    }
}
