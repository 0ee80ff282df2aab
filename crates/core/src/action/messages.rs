//! The messages of the commits that a command line makes, as far as the line and the files of the repository show them.

use std::collections::BTreeMap;

use ken_shell::{Arguments, Machine};

use super::invocation::{Invocation, Mode, invocations};
use super::{Place, UNKNOWN, is_unknown, path, writes};

/// The message of a commit that a line makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitMessage {
    /// What is known of it, from its beginning.
    pub text: String,
    pub extent: MessageExtent,
}

/// How much of a message is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageExtent {
    Whole,
    /// The subject, and maybe some of the body.
    Beginning,
    /// Nothing: nobody can read it before the commit is made.
    Unknown,
}

/// The messages of the commits that a line makes in the repository. One that comes from an editor, a variable from elsewhere, a program or a
/// file that cannot be read is unknown. One that is made from another commit's (`-C`, `--fixup`) is left out.
///
/// `read` gives the text of a file by its path: from the top of the repository, or whole where the file lies outside of it; none where it
/// cannot be read.
pub fn commit_messages(
    line: &str,
    place: &Place<'_>,
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<CommitMessage> {
    let root = path::normal(place.root);
    let mut written: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut messages = Vec::new();
    for invocation in invocations(line, place).started {
        let arguments = Arguments::read(&invocation.words);
        let is_here =
            invocation.machine == Machine::Here && path::relative(&root, &invocation.folder).is_some();
        if is_here {
            let file = |name: &str| {
                let file = path::join(&invocation.folder, name);
                match written.get(&file) {
                    Some(text) => text.clone(),
                    None if is_unknown(&file) => None,
                    None => read(&path::relative(&root, &file).unwrap_or(file)),
                }
            };
            messages.extend(message(&invocation, &arguments, &file));
        }
        // What the line itself writes counts, whatever lies there now.
        for output in writes::outputs(&invocation, &arguments) {
            let text = output.text.filter(|_| output.mode == Mode::Replace);
            written.insert(path::join(&invocation.folder, &output.path), text);
        }
    }
    messages
}

/// Whether a line makes a commit in the repository.
pub fn makes_commit(line: &str, place: &Place<'_>) -> bool {
    let root = path::normal(place.root);
    invocations(line, place).started.iter().any(|invocation| {
        let arguments = Arguments::read(&invocation.words);
        invocation.machine == Machine::Here
            && path::relative(&root, &invocation.folder).is_some()
            && arguments.program == "git"
            && arguments.subcommand() == "commit"
            && !arguments.has(&["--dry-run", "--help", "-h"])
    })
}

/// Whether a line starts every command of another one. Its words begin with theirs; a word such as `<crate>` stands for any.
pub fn starts(line: &str, place: &Place<'_>, wanted: &str) -> bool {
    let started = invocations(line, place).started;
    let wanted = ken_shell::commands(wanted);
    let is_wanted = |wanted: &[String], words: &[String]| {
        let same = |(at, (one, other)): (usize, (&String, &String))| {
            one == other
                || (one.starts_with('<') && one.ends_with('>'))
                || (at == 0 && one == ken_shell::program_name(other))
        };
        wanted.len() <= words.len() && wanted.iter().zip(words).enumerate().all(same)
    };
    !wanted.is_empty()
        && wanted.iter().all(|one| started.iter().any(|invocation| is_wanted(&one.words, &invocation.words)))
}

/// Options of `git commit` with which it makes no commit, or one whose message is made from another commit's.
const WITHOUT_OWN_MESSAGE: &[&str] =
    &["--dry-run", "--help", "-h", "--fixup", "--squash", "-C", "-c", "--reuse-message", "--reedit-message"];

/// Names of what a program is fed.
const STANDARD_INPUT: &[&str] = &["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

fn message(
    invocation: &Invocation,
    arguments: &Arguments,
    file: &dyn Fn(&str) -> Option<String>,
) -> Option<CommitMessage> {
    if arguments.program != "git" || arguments.subcommand() != "commit" {
        return None;
    }
    // Before the subcommand, `-C` and `-c` are options of git itself.
    let own = invocation.words.iter().position(|word| word == "commit")?;
    let own: Vec<&str> =
        std::iter::once("git").chain(invocation.words[own..].iter().map(String::as_str)).collect();
    let own = Arguments::read(&own);
    if own.has(WITHOUT_OWN_MESSAGE) {
        return None;
    }
    let given: Vec<&str> = own.values(&["-m", "--message"]).collect();
    let text = match (given.is_empty(), own.value(&["-F", "--file"])) {
        (false, _) => Some(given.join("\n\n")),
        (true, Some(name)) if STANDARD_INPUT.contains(&name) => {
            invocation.input.clone().or_else(|| file(invocation.input_file.as_deref()?))
        }
        (true, Some(name)) => file(name),
        // The message stays as it is.
        (true, None) if own.has(&["--no-edit"]) => return None,
        (true, None) => None,
    };
    Some(
        text.and_then(|text| known(&text))
            .unwrap_or(CommitMessage { text: String::new(), extent: MessageExtent::Unknown }),
    )
}

/// What is known of a message, if its subject is.
fn known(text: &str) -> Option<CommitMessage> {
    let text = text.trim();
    let Some((known, _)) = text.split_once(UNKNOWN) else {
        return Some(CommitMessage { text: text.to_owned(), extent: MessageExtent::Whole });
    };
    // The subject is the first paragraph, and ends where the next begins.
    let (known, _) = known.rsplit_once("\n\n")?;
    Some(CommitMessage { text: known.trim().to_owned(), extent: MessageExtent::Beginning })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Branch;

    /// The messages of a line in a repository with two files; what is only known in part ends with an ellipsis.
    fn messages(line: &str) -> Vec<String> {
        let place = Place { root: "/repo", folder: "", branch: Branch::Unknown };
        let read = |file: &str| match file {
            "notes.txt" | "docs/notes.txt" => Some(format!("did things in {file}\n")),
            "empty.txt" => Some("\n".to_owned()),
            "/tmp/notes.txt" | "/notes.txt" => Some(format!("did things in {file}")),
            _ => None,
        };
        let shown = |message: CommitMessage| match message.extent {
            MessageExtent::Whole => message.text,
            MessageExtent::Beginning => message.text + " ...",
            MessageExtent::Unknown => "?".to_owned(),
        };
        commit_messages(line, &place, &read).into_iter().map(shown).collect()
    }

    #[test]
    fn a_line_that_commits_here_is_known() {
        let place = Place { root: "/repo", folder: "", branch: Branch::Unknown };
        for (line, is_commit) in [
            ("git commit -m x", true),
            ("cd src && git -c user.name=a commit --amend --no-edit", true),
            ("git commit --dry-run", false),
            ("git status", false),
            ("echo git commit", false),
            ("cd /elsewhere && git commit -m x", false),
        ] {
            assert_eq!(makes_commit(line, &place), is_commit, "{line}");
        }
    }

    #[test]
    fn a_line_that_starts_a_command_is_known() {
        let place = Place { root: "/repo", folder: "", branch: Branch::Unknown };
        for (line, wanted, starts_it) in [
            ("cargo fmt --all", "cargo fmt", true),
            ("cd crates && CI=1 timeout 60 cargo fmt", "cargo fmt", true),
            ("./node_modules/.bin/eslint src", "eslint", true),
            ("cargo test -p core", "cargo test -p <crate>", true),
            ("cargo fmt && cargo test", "cargo fmt && cargo test", true),
            ("cargo test", "cargo fmt && cargo test", false),
            ("cargo", "cargo fmt", false),
            ("echo cargo fmt", "cargo fmt", false),
            ("cargo fmt", "", false),
        ] {
            assert_eq!(starts(line, &place, wanted), starts_it, "{line} / {wanted}");
        }
    }

    #[test]
    fn the_message_of_a_commit_is_read_in_every_spelling() {
        for (line, message) in [
            ("git commit -m 'did things'", "did things"),
            ("git commit -m'did things'", "did things"),
            ("git add -A && git commit -am \"did things\"", "did things"),
            ("git commit -qam'did things'", "did things"),
            ("git commit --message='did things' --amend", "did things"),
            ("git commit --amend -m 'did things'", "did things"),
            ("git -C /repo -c user.name=x commit -m 'did things'", "did things"),
            ("git -C docs commit -m 'did things'", "did things"),
            ("git commit -m did -m things", "did\n\nthings"),
            ("git commit -m -C", "-C"),
            ("git commit -m \"$(cat <<'EOF'\ndid things\n\nAll of it.\nEOF\n)\"", "did things\n\nAll of it."),
            ("git commit -F - <<'EOF'\ndid things\nEOF", "did things"),
            ("git commit --file=- <<< 'did things'", "did things"),
            ("echo did things | git commit -F -", "did things"),
            ("M='did things'; git commit -m \"$M\"", "did things"),
            ("git commit -m ''", ""),
            ("git commit --allow-empty-message -m \"\"", ""),
            ("git commit -F notes.txt", "did things in notes.txt"),
            ("git commit -Fnotes.txt", "did things in notes.txt"),
            ("git commit -a --file=/repo/notes.txt", "did things in notes.txt"),
            ("cd docs && git commit --file notes.txt", "did things in docs/notes.txt"),
            ("git -C docs commit -F notes.txt", "did things in docs/notes.txt"),
            ("git commit -F empty.txt", ""),
            ("echo 'did more' > notes.txt && git commit -F notes.txt", "did more"),
            ("cat > /tmp/m <<'EOF'\ndid more\nEOF\ngit commit -F /tmp/m", "did more"),
            ("echo did more | tee new.txt && git commit -F new.txt", "did more"),
            ("git commit -m 'did things' -m \"$(date)\"", "did things ..."),
            ("git commit -F /tmp/notes.txt", "did things in /tmp/notes.txt"),
            ("git commit -F ../notes.txt", "did things in /notes.txt"),
            ("git commit -F - < notes.txt", "did things in notes.txt"),
            ("cd docs && git commit -F - < notes.txt", "did things in docs/notes.txt"),
            ("git commit -F /dev/stdin </tmp/notes.txt", "did things in /tmp/notes.txt"),
            ("cat notes.txt | git commit -F -", "did things in notes.txt"),
            ("cat < notes.txt | tee log.txt | git commit -F -", "did things in notes.txt"),
            ("echo did more > notes.txt; cat notes.txt | git commit -F -", "did more"),
        ] {
            assert_eq!(messages(line), [message], "{line}");
        }
    }

    #[test]
    fn what_nobody_can_read_is_unknown() {
        for line in [
            "git commit",
            "git commit --amend",
            "git commit -F gone.txt",
            "git commit -F /etc/notes.txt",
            "git commit -F \"$NOTES\"",
            "git commit -F -",
            "git commit -F - < gone.txt",
            "cat notes.txt empty.txt | git commit -F -",
            "cat notes.txt | tr a b | git commit -F -",
            "./notes.sh | git commit -F -",
            "./notes.sh > notes.txt; git commit -F notes.txt",
            "sed -i s/a/b/ notes.txt && git commit -F notes.txt",
            "echo more >> notes.txt && git commit -F notes.txt",
            "git commit -m \"$(date)\"",
            "git commit -m \"did $(date)\"",
        ] {
            assert_eq!(messages(line), ["?"], "{line}");
        }
    }

    #[test]
    fn what_commits_nothing_or_repeats_a_message_is_left_out() {
        for line in [
            "git commit --amend --no-edit",
            "git commit --fixup HEAD",
            "git commit --fixup=amend:HEAD -m 'did things'",
            "git commit --squash HEAD -m 'did things'",
            "git commit -C HEAD~1",
            "git commit -c HEAD~1",
            "git commit --dry-run -m 'did things'",
            "cd /elsewhere && git commit -m 'did things'",
            "echo git commit -m 'did things'",
            "git tag -m 'did things' v1",
        ] {
            assert_eq!(messages(line), Vec::<String>::new(), "{line}");
        }
    }
}
