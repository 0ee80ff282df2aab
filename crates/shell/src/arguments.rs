//! The arguments of a program, taken apart into options and operands, with what is known about common programs.

use std::sync::LazyLock;

use crate::limits::ABBREVIATION_CHARS_MIN;

/// A program with its arguments taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// The name without its folder: `git` for `/usr/bin/git`.
    pub program: String,
    /// Subcommands and operands, in order.
    pub operands: Vec<Operand>,
    pub options: Vec<Opt>,
}

/// A word that is no option.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    pub text: String,
    pub standing: Standing,
}

/// How sure it is that a word is an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Sure,
    /// It follows an option that nobody knows, so it may be the value of that.
    AfterOption,
    /// Every value at once: all branches of `git push --all`.
    Every,
}

/// An option, `-f` or `--force`, with its value where it has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Opt {
    pub name: String,
    pub value: Option<String>,
}

/// Options with values, of a program or of one of its subcommands.
struct Valued {
    program: &'static str,
    /// Empty: in every place.
    subcommand: &'static str,
    options: Vec<&'static str>,
}

fn valued() -> &'static [Valued] {
    static TABLE: LazyLock<Vec<Valued>> = LazyLock::new(|| {
        let rows = include_str!("../words/valued_options.txt").lines().filter_map(|row| row.split_once(':'));
        let read = |(name, options): (&'static str, &'static str)| {
            let (program, subcommand) = name.split_once(' ').unwrap_or((name, ""));
            Valued { program, subcommand, options: options.split_whitespace().collect() }
        };
        rows.map(read).collect()
    });
    &TABLE
}

/// Programs whose options have one dash and many letters.
const ONE_DASH: &[&str] =
    &["terraform", "tofu", "go", "find", "gcc", "clang", "java", "openssl", "sqlite3", "dd"];

/// Names of one option, and stronger options that do the same and more.
struct Family {
    program: &'static str,
    /// Empty: of every subcommand.
    subcommand: &'static str,
    names: &'static [&'static str],
    also: &'static [&'static str],
}

const fn family(
    program: &'static str,
    subcommand: &'static str,
    names: &'static [&'static str],
    also: &'static [&'static str],
) -> Family {
    Family { program, subcommand, names, also }
}

/// A `+` in front of a refspec, as an option of its own.
pub const FORCED_REFSPEC: &str = "+REFSPEC";
/// A refspec without a source deletes its destination.
pub const DELETED_REFSPEC: &str = ":REFSPEC";

/// The first that speaks of a program and has the name counts.
const FAMILIES: &[Family] = &[
    family(
        "git",
        "push",
        &["--force", "-f"],
        &["--force-with-lease", "--force-if-includes", "--mirror", FORCED_REFSPEC],
    ),
    family("git", "push", &["--delete", "-d"], &[DELETED_REFSPEC]),
    family("git", "push", &["--dry-run", "-n"], &[]),
    family("git", "push", &["--set-upstream", "-u"], &[]),
    family("git", "push", &["--all", "--branches"], &["--mirror"]),
    family("git", "push", &["--no-verify"], &[]),
    family("git", "commit", &["--no-verify", "-n"], &[]),
    family("git", "commit", &["--all", "-a"], &[]),
    family("git", "commit", &["--message", "-m"], &[]),
    family("git", "commit", &["--no-gpg-sign"], &[]),
    family("git", "clean", &["--force", "-f"], &[]),
    family("git", "clean", &["--dry-run", "-n"], &[]),
    family("git", "branch", &["--delete", "-d"], &["-D"]),
    family("git", "branch", &["--force", "-f"], &["-D", "-M"]),
    family("git", "branch", &["--move", "-m"], &["-M"]),
    family("git", "tag", &["--delete", "-d"], &[]),
    family("git", "tag", &["--force", "-f"], &[]),
    family("git", "checkout", &["--force", "-f"], &[]),
    family("git", "switch", &["--force", "-f", "--discard-changes"], &[]),
    family("git", "rm", &["--force", "-f"], &[]),
    family("git", "add", &["--force", "-f"], &[]),
    family("git", "add", &["--all", "-A", "--no-ignore-removal"], &[]),
    family("git", "rebase", &["--interactive", "-i"], &[]),
    family("git", "merge", &["--no-verify"], &[]),
    family("git", "", &["-c"], &["--config-env"]),
    family("git", "", &["-n"], &[]),
    family("rm", "", &["--recursive", "-r", "-R"], &[]),
    family("rm", "", &["--force", "-f"], &[]),
    family("cp", "", &["--recursive", "-r", "-R"], &["-a", "--archive"]),
    family("chmod", "", &["--recursive", "-R"], &[]),
    family("chown", "", &["--recursive", "-R"], &[]),
    family("cargo", "publish", &["--dry-run", "-n"], &[]),
    family("cargo", "", &["--release", "-r"], &[]),
    family("npm", "", &["--global", "-g"], &["--location=global"]),
    family("npm", "", &["--save-dev", "-D"], &[]),
    family("npm", "", &["--force", "-f"], &[]),
    family("pnpm", "", &["--global", "-g"], &[]),
    family("kubectl", "", &["--namespace", "-n"], &[]),
    family("kubectl", "", &["--all-namespaces", "-A"], &[]),
    family("kubectl", "", &["--filename", "-f"], &[]),
    family("helm", "", &["--namespace", "-n"], &[]),
    family("helm", "", &["--context", "--kube-context"], &[]),
    family("docker", "compose", &["--volumes", "-v"], &[]),
    family("docker-compose", "", &["--volumes", "-v"], &[]),
    family("docker", "", &["--force", "-f"], &[]),
    family("docker", "", &["--all", "-a"], &[]),
    family("terraform", "", &["-auto-approve", "--auto-approve"], &[]),
    family("gh", "", &["--repo", "-R"], &[]),
    // What most programs mean by these.
    family("", "", &["--force", "-f"], &[]),
    family("", "", &["--recursive", "-r", "-R"], &[]),
    family("", "", &["--all", "-a"], &[]),
    family("", "", &["--yes", "-y"], &[]),
    family("", "", &["--verbose", "-v"], &[]),
    family("", "", &["--quiet", "-q"], &[]),
    family("", "", &["--output", "-o"], &[]),
];

impl Arguments {
    /// Takes a program and its words apart.
    pub fn read(words: &[impl AsRef<str>]) -> Arguments {
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let Some((program, rest)) = words.split_first() else { return Arguments::default() };
        let mut found = Arguments { program: program_name(program).to_owned(), ..Arguments::default() };
        if is_pip(&found.program) {
            found.program = "pip".to_owned();
        }
        let one_dash = ONE_DASH.contains(&found.program.as_str());
        let is_known = valued().iter().any(|valued| valued.program == found.program);
        let mut rest = rest.iter().peekable();
        let mut only_operands = false;
        let mut after_option = false;
        while let Some(word) = rest.next() {
            let is_option = word.len() > 1 && word.starts_with('-') && !only_operands;
            if !is_option {
                let standing = if after_option { Standing::AfterOption } else { Standing::Sure };
                after_option = false;
                // `cargo +nightly` chooses a toolchain.
                let is_toolchain =
                    found.program == "cargo" && found.operands.is_empty() && word.starts_with('+');
                if !is_toolchain {
                    found.operands.push(Operand { text: (*word).to_owned(), standing });
                }
                continue;
            }
            if *word == "--" {
                only_operands = true;
                continue;
            }
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if word.starts_with("--") || one_dash => {
                    (name.to_owned(), Some(value.to_owned()))
                }
                Some(_) | None => ((*word).to_owned(), None),
            };
            if word.starts_with("--") || one_dash {
                let takes = value.is_none() && found.takes_value(&name);
                let value = if takes { rest.next().map(|value| (*value).to_owned()) } else { value };
                after_option = value.is_none() && !is_known;
                found.options.push(Opt { name, value });
                continue;
            }
            // `-fu` is `-f -u`; `-mtext` is `-m text`; and `-KILL` is itself.
            let letters: Vec<char> = word.chars().skip(1).collect();
            if letters.len() > 1 {
                found.options.push(Opt { name: (*word).to_owned(), value: None });
            }
            for (at, letter) in letters.iter().enumerate() {
                let name = format!("-{letter}");
                if found.takes_value(&name) {
                    let joined: String = letters[at + 1..].iter().collect();
                    let value = match joined.as_str() {
                        "" => rest.next().map(|value| (*value).to_owned()),
                        text => Some(text.strip_prefix('=').unwrap_or(text).to_owned()),
                    };
                    found.options.push(Opt { name, value });
                    break;
                }
                found.options.push(Opt { name, value: None });
            }
            after_option = !is_known;
        }
        found.complete();
        found
    }

    /// The first operand, which most programs take for a subcommand.
    pub fn subcommand(&self) -> &str {
        self.operands.first().map_or("", |operand| operand.text.as_str())
    }

    /// The operands after the subcommand.
    pub fn rest(&self) -> impl Iterator<Item = &str> {
        self.operands.iter().skip(1).map(|operand| operand.text.as_str())
    }

    /// Whether one of these options is given, by just these names.
    pub fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|option| names.contains(&option.name.as_str()))
    }

    /// The value of the first of these options.
    pub fn value(&self, names: &[&str]) -> Option<&str> {
        let mut named = self.options.iter().filter(|option| names.contains(&option.name.as_str()));
        named.find_map(|option| option.value.as_deref())
    }

    /// The values of these options.
    pub fn values<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let named = self.options.iter().filter(|option| names.contains(&option.name.as_str()));
        named.filter_map(|option| option.value.as_deref())
    }

    /// The options that a joined one such as `-rf` is made of, where this program joins them.
    pub fn letters(&self, option: &str) -> Option<Vec<String>> {
        let letters = option.strip_prefix('-').filter(|letters| letters.chars().count() > 1)?;
        let is_joined =
            !ONE_DASH.contains(&self.program.as_str()) && letters.chars().all(|c| c.is_ascii_alphanumeric());
        is_joined.then(|| letters.chars().map(|letter| format!("-{letter}")).collect())
    }

    /// Every name that an option of a pattern is met by, the strongest too.
    pub fn names_of(&self, option: &str) -> Vec<&'static str> {
        let fits = |family: &&Family| {
            (family.program.is_empty() || family.program == self.program)
                && (family.subcommand.is_empty() || family.subcommand == self.subcommand())
        };
        let known = FAMILIES
            .iter()
            .filter(|family| family.program == self.program)
            .find(|family| fits(family) && (family.names.contains(&option) || family.also.contains(&option)));
        let general = || {
            let general = FAMILIES.iter().filter(|family| family.program.is_empty());
            // `git -f` means something else in each subcommand, so what is not listed is not guessed.
            general.filter(|_| self.program != "git").find(|family| family.names.contains(&option))
        };
        match known.or_else(general) {
            Some(family) if family.names.contains(&option) => {
                family.names.iter().chain(family.also).copied().collect()
            }
            Some(_) | None => Vec::new(),
        }
    }

    /// The value of an option as it is written, whatever the program: `-c text`, `--command=text`.
    pub fn read_value(words: &[String], names: &[&str]) -> Option<String> {
        let mut words = words.iter().skip(1);
        while let Some(word) = words.next() {
            if names.contains(&word.as_str()) {
                return words.next().cloned();
            }
            if let Some((name, value)) = word.split_once('=')
                && word.starts_with("--")
                && names.contains(&name)
            {
                return Some(value.to_owned());
            }
        }
        None
    }

    fn takes_value(&self, option: &str) -> bool {
        let here = self.subcommand();
        // Once a subcommand has a list of its own, `-c` and `-C` of git itself are something else.
        let own = valued().iter().any(|valued| {
            valued.program == self.program && !valued.subcommand.is_empty() && valued.subcommand == here
        });
        valued().iter().any(|valued| {
            valued.program == self.program
                && (valued.subcommand == here && !here.is_empty()
                    || valued.subcommand.is_empty() && !(own && self.program == "git"))
                && valued.options.contains(&option)
        })
    }

    /// Options that are made of others, and abbreviations.
    fn complete(&mut self) {
        // What follows the host is run there, and looked at there.
        if self.program == "ssh" {
            self.operands.truncate(1);
        }
        if self.program == "git"
            && let Some(first) = self.operands.first_mut()
            && first.text == "send-pack"
        {
            first.text = "push".to_owned();
        }
        if self.program == "git" && self.subcommand() == "branch" {
            let is_forced_delete = self.has(&["-d", "--delete"]) && self.has(&["-f", "--force"]);
            if is_forced_delete {
                self.options.push(Opt { name: "-D".to_owned(), value: None });
            }
        }
        let known: Vec<&str> =
            FAMILIES.iter().flat_map(|family| family.names.iter().chain(family.also)).copied().collect();
        for option in &mut self.options {
            let is_short = option.name.len() < ABBREVIATION_CHARS_MIN;
            if is_short || !option.name.starts_with("--") || known.contains(&option.name.as_str()) {
                continue;
            }
            let of_program = FAMILIES.iter().filter(|family| family.program == self.program);
            let meant = of_program
                .flat_map(|family| family.names.iter())
                .filter(|name| name.starts_with("--") && name.starts_with(option.name.as_str()));
            let mut meant: Vec<&&str> = meant.collect();
            meant.dedup();
            if let [meant, rest @ ..] = meant.as_slice()
                && rest.iter().all(|other| other == meant)
            {
                option.name = (**meant).to_owned();
            }
        }
    }
}

/// A program without its folder.
pub fn program_name(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// `pip`, `pip3`, `pip3.12`.
fn is_pip(program: &str) -> bool {
    program
        .strip_prefix("pip")
        .is_some_and(|rest| rest.chars().all(|char| char.is_ascii_digit() || char == '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Arguments {
        Arguments::read(&line.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn options_and_operands_are_told_apart() {
        for (line, operands, options) in [
            ("git push -fu origin main", "push origin main", "-fu -f -u"),
            ("git -C dir -c a=b push origin", "push origin", "-C=dir -c=a=b"),
            ("git commit -nm text file", "commit file", "-nm -n -m=text"),
            ("git commit -mtext", "commit", "-mtext -m=text"),
            ("git commit --no-verif", "commit", "--no-verify"),
            ("git log -n 5", "log", "-n=5"),
            ("kubectl -n prod delete ns x", "delete ns x", "-n=prod"),
            ("terraform -chdir=infra apply -auto-approve", "apply", "-chdir=infra -auto-approve"),
            ("cargo +nightly add x", "add x", ""),
            ("rm -rf -- -x", "-x", "-rf -r -f"),
            ("unknown --name value sub", "value? sub", "--name"),
            ("/usr/bin/pip3.12 install x", "install x", ""),
        ] {
            let read = read(line);
            let shown: Vec<String> = read
                .operands
                .iter()
                .map(|operand| match operand.standing {
                    Standing::AfterOption => format!("{}?", operand.text),
                    Standing::Sure | Standing::Every => operand.text.clone(),
                })
                .collect();
            assert_eq!(shown.join(" "), operands, "{line}");
            let shown: Vec<String> = read
                .options
                .iter()
                .map(|option| match &option.value {
                    Some(value) => format!("{}={value}", option.name),
                    None => option.name.clone(),
                })
                .collect();
            assert_eq!(shown.join(" "), options, "{line}");
        }
    }
}
