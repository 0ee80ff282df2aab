//! Programs that start the one that follows them, and the shells.

use crate::arguments::program_name;

pub const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"];

/// Where a shell gets its script from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptSource {
    /// It is a word of the line: `-c script`.
    Line,
    File,
    Input,
}

/// Where a shell gets its script from, and the words from there on: the script or the file if there is one, then what it is given.
pub fn script_source(words: &[String]) -> (ScriptSource, &[String]) {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        at += 1;
        match word.as_str() {
            "-" | "-s" => return (ScriptSource::Input, &words[at..]),
            "--rcfile" | "--init-file" => at += 1,
            option if option.starts_with("--") => {}
            option if option.starts_with(['-', '+']) && option.contains('c') => {
                return (ScriptSource::Line, words.get(at..).unwrap_or_default());
            }
            // `-eo pipefail`
            option if option.starts_with(['-', '+']) => at += usize::from(option.ends_with(['o', 'O'])),
            _ => return (ScriptSource::File, &words[at - 1..]),
        }
    }
    (ScriptSource::Input, &[])
}

/// Where a program runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Machine {
    #[default]
    Here,
    /// In a container or on another host: its paths are not ours.
    Elsewhere,
}

/// A program that starts the one that follows it.
pub struct Wrapper {
    pub name: &'static str,
    /// Its options with values, between blanks.
    pub valued: &'static str,
    /// Operands of its own before the program.
    pub operands: usize,
    /// Words that have to stand after its name: `poetry run`.
    pub after: &'static [&'static str],
    pub machine: Machine,
}

const fn wrapper(name: &'static str, valued: &'static str, operands: usize) -> Wrapper {
    Wrapper { name, valued, operands, after: &[], machine: Machine::Here }
}

const fn runner(
    name: &'static str,
    after: &'static [&'static str],
    valued: &'static str,
    operands: usize,
) -> Wrapper {
    Wrapper { name, valued, operands, after, machine: Machine::Here }
}

const fn elsewhere(
    name: &'static str,
    after: &'static [&'static str],
    valued: &'static str,
    operands: usize,
) -> Wrapper {
    Wrapper { name, valued, operands, after, machine: Machine::Elsewhere }
}

impl Wrapper {
    /// The wrapper that a command begins with.
    pub fn of(words: &[String]) -> Option<&'static Wrapper> {
        let program = program_name(words.first()?);
        WRAPPERS.iter().find(|wrapper| wrapper.name == program && wrapper.is_followed(&words[1..]))
    }

    fn is_followed(&self, words: &[String]) -> bool {
        // Options of the program itself may stand between: `docker compose -f x.yml exec`.
        let mut rest = words.iter();
        self.after.iter().all(|wanted| {
            let mut skips_value = false;
            rest.by_ref()
                .find(|word| {
                    let is_skipped = word.starts_with('-') || std::mem::take(&mut skips_value);
                    skips_value = has_word(self.valued, word);
                    !is_skipped
                })
                .is_some_and(|word| word == wanted)
        })
    }

    /// The program that it starts, with its words.
    pub fn inner<'a>(&self, words: &'a [String]) -> &'a [String] {
        let mut rest = words.get(1..).unwrap_or_default();
        for wanted in self.after {
            let at = rest.iter().position(|word| word == wanted).map_or(rest.len(), |at| at + 1);
            rest = &rest[at..];
        }
        let rest = after_options(rest, self.valued);
        after_options(rest.get(self.operands..).unwrap_or_default(), "")
    }
}

/// What follows the options of a wrapper. `valued` lists those with values, between blanks.
pub fn after_options<'a>(words: &'a [String], valued: &str) -> &'a [String] {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word == "--" {
            return &words[at + 1..];
        }
        if !word.starts_with('-') || word == "-" {
            break;
        }
        at += if has_word(valued, word) { 2 } else { 1 };
    }
    words.get(at..).unwrap_or_default()
}

fn has_word(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// Options of `xargs` and `parallel` with values.
pub const XARGS_VALUED: &str =
    "-I -n -P -L -d -a -E -s -j --max-args --max-procs --delimiter --arg-file --replace";

const CONTAINER: &str = "-u --user -e --env -w --workdir --env-file --index -v --volume --name --network -p --publish \
    --entrypoint --mount --platform -f --file --project-name --profile --memory -m --cpus -h \
    --hostname";

const WRAPPERS: &[Wrapper] = &[
    wrapper("sudo", "-u -g -h -p -C -T -U -D -R -r -t --user --group", 0),
    wrapper("doas", "-u -C", 0),
    wrapper("env", "-u --unset -C --chdir", 0),
    wrapper("time", "-f -o --format --output", 0),
    wrapper("nice", "-n --adjustment", 0),
    wrapper("ionice", "-c -n -p --class --classdata", 0),
    wrapper("chrt", "-p", 1),
    wrapper("taskset", "-p", 1),
    wrapper("nohup", "", 0),
    wrapper("setsid", "", 0),
    wrapper("stdbuf", "-i -o -e", 0),
    wrapper("timeout", "-k -s --kill-after --signal", 1),
    wrapper("gtimeout", "-k -s", 1),
    wrapper("builtin", "", 0),
    wrapper("busybox", "", 0),
    wrapper("toybox", "", 0),
    wrapper("exec", "-a", 0),
    wrapper("noglob", "", 0),
    wrapper("unbuffer", "", 0),
    wrapper("chronic", "", 0),
    wrapper("caffeinate", "-t -w", 0),
    wrapper("strace", "-o -e -p -s -E -u", 0),
    wrapper("ltrace", "-o -e -p -s", 0),
    wrapper("faketime", "-f", 1),
    wrapper("flock", "-w --timeout -E", 1),
    wrapper("npx", "-p --package", 0),
    wrapper("bunx", "", 0),
    wrapper("uvx", "--from --with -p --python", 0),
    wrapper("dotenv", "-f -e", 0),
    runner("npm", &["exec"], "-w --workspace -p --package --prefix", 0),
    runner("npm", &["x"], "-w --workspace -p --package --prefix", 0),
    runner("pnpm", &["exec"], "", 0),
    runner("pnpm", &["dlx"], "--package", 0),
    runner("yarn", &["exec"], "", 0),
    runner("yarn", &["dlx"], "-p --package", 0),
    runner("poetry", &["run"], "", 0),
    runner("pipenv", &["run"], "", 0),
    runner(
        "uv",
        &["run"],
        "--with -p --python --project --directory --package --group --extra --env-file",
        0,
    ),
    runner("bundle", &["exec"], "", 0),
    runner("direnv", &["exec"], "", 1),
    runner("doppler", &["run"], "-p --project -c --config", 0),
    runner("op", &["run"], "--env-file", 0),
    runner("aws-vault", &["exec"], "-d", 1),
    runner("mise", &["exec"], "", 0),
    runner("git", &["bisect", "run"], "", 0),
    elsewhere("docker", &["exec"], CONTAINER, 1),
    elsewhere("docker", &["run"], CONTAINER, 1),
    elsewhere("docker", &["compose", "exec"], CONTAINER, 1),
    elsewhere("docker", &["compose", "run"], CONTAINER, 1),
    elsewhere("docker-compose", &["exec"], CONTAINER, 1),
    elsewhere("docker-compose", &["run"], CONTAINER, 1),
    elsewhere("podman", &["exec"], CONTAINER, 1),
    elsewhere("podman", &["run"], CONTAINER, 1),
];
