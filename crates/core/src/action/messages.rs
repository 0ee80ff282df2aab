//! The messages of the commits that a command line makes, as far as the line shows them.

use super::arguments::{Arguments, is_unknown};
use super::invocation::{Invocation, Machine, invocations};
use super::{Place, path};

/// The messages of the commits that a line makes in the repository. One that the line does not show (it is in a file, in an editor or in
/// a variable from elsewhere) is left out, and so is that of a `fixup!`.
pub fn commit_messages(line: &str, place: &Place<'_>) -> Vec<String> {
    let root = path::normal(place.root);
    let is_here = |invocation: &&Invocation| {
        invocation.machine == Machine::Here && path::relative(&root, &invocation.folder).is_some()
    };
    let walked = invocations(line, place);
    walked.started.iter().filter(is_here).filter_map(message).collect()
}

/// Options of `git commit` with which it makes no commit, or one whose message is of another commit.
const WITHOUT_OWN_MESSAGE: &[&str] =
    &["--dry-run", "--help", "-h", "--fixup", "--squash", "-C", "-c", "--reuse-message", "--reedit-message"];

fn message(invocation: &Invocation) -> Option<String> {
    let arguments = Arguments::parse(invocation);
    let is_commit = arguments.program == "git" && arguments.subcommand() == "commit";
    // Before the subcommand, `-C` and `-c` are options of git itself.
    let mut own = invocation.words.iter().skip_while(|word| *word != "commit");
    let is_of_another = |word: &String| {
        WITHOUT_OWN_MESSAGE.iter().any(|name| {
            let rest = word.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })
    };
    if !is_commit || own.any(is_of_another) {
        return None;
    }
    let given: Vec<&str> = arguments.values(&["-m", "--message"]).collect();
    let message = match (given.is_empty(), arguments.value(&["-F", "--file"])) {
        (false, _) => given.join("\n\n"),
        (true, Some("-")) => invocation.input.clone()?,
        (true, _) => return None,
    };
    (!is_unknown(&message) && !message.trim().is_empty()).then(|| message.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Branch;

    fn messages(line: &str) -> Vec<String> {
        commit_messages(line, &Place { root: "/repo", folder: "", branch: Branch::Unknown })
    }

    #[test]
    fn the_message_of_a_commit_is_read_in_every_spelling() {
        for (line, message) in [
            ("git commit -m 'did things'", "did things"),
            ("git add -A && git commit -am \"did things\"", "did things"),
            ("git commit --message='did things' --amend", "did things"),
            ("git -C /repo -c user.name=x commit -m 'did things'", "did things"),
            ("git commit -m did -m things", "did\n\nthings"),
            ("git commit -m \"$(cat <<'EOF'\ndid things\n\nAll of it.\nEOF\n)\"", "did things\n\nAll of it."),
            ("git commit -F - <<'EOF'\ndid things\nEOF", "did things"),
            ("M='did things'; git commit -m \"$M\"", "did things"),
        ] {
            assert_eq!(messages(line), [message], "{line}");
        }
    }

    #[test]
    fn what_a_line_does_not_show_or_does_not_commit_is_left_out() {
        for line in [
            "git commit",
            "git commit --amend --no-edit",
            "git commit -F notes.txt",
            "git commit -m \"$(date)\"",
            "git commit --fixup HEAD",
            "git commit -C HEAD~1",
            "git commit --dry-run -m 'did things'",
            "cd /elsewhere && git commit -m 'did things'",
            "echo git commit -m 'did things'",
            "git tag -m 'did things' v1",
        ] {
            assert_eq!(messages(line), Vec::<String>::new(), "{line}");
        }
    }
}
