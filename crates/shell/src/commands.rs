//! The commands of a line one after the other, for readers that expand nothing.

use crate::arguments::program_name;
use crate::limits::SCRIPTS_DEPTH_MAX;
use crate::parser;
use crate::script::{Node, Piece, Redirect, Script, Simple, Step, Word};
use crate::wrappers::{SHELLS, ScriptSource, Wrapper, XARGS_VALUED, after_options, script_source};

/// A command that a line runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The program and its words, without quotes and wrappers.
    pub words: Vec<String>,
    /// What else is written in it: values of variables, files of redirections, words of wrappers.
    pub beside: Vec<String>,
    /// Bodies of heredocs that it reads.
    pub input: Vec<String>,
    /// The folder that it runs in, from where the line begins. Empty where the line does not change it.
    pub folder: String,
}

impl Command {
    /// The program without its folder. Empty where only variables or files are named.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", |word| program_name(word))
    }
}

/// What a line runs, in its order: also in substitutions, functions and loops, and what a shell is handed. `for` is listed with its values.
pub fn commands(line: &str) -> Vec<Command> {
    let mut lister = Lister::default();
    lister.script(line);
    lister.found
}

/// The script that `bash -lc '...'` runs, and the words that are given to it. Without quotes all that follows is the script, because lists of
/// words are joined that way, too.
pub fn handed_to_a_shell(words: &[Word]) -> Option<(String, &[Word])> {
    let texts: Vec<String> = words.iter().map(Word::text).collect();
    SHELLS.contains(&program_name(texts.first()?)).then_some(())?;
    let (ScriptSource::Line, rest) = script_source(&texts) else { return None };
    let (script, given) = words[texts.len() - rest.len()..].split_first()?;
    let within = |quote: char| script.raw.strip_prefix(quote)?.strip_suffix(quote);
    Some(match (within('\''), within('"')) {
        (Some(inner), _) => (inner.to_owned(), given),
        (None, Some(inner)) => {
            let unescaped = |text: String, sign: &str| text.replace(&format!("\\{sign}"), sign);
            (["\"", "$", "`", "\\"].into_iter().fold(inner.to_owned(), unescaped), given)
        }
        (None, None) if script.is_quoted() => (script.text(), given),
        (None, None) => {
            let joined = |line: String, word: &Word| format!("{line} {}", word.raw);
            (given.iter().fold(script.raw.clone(), joined), &[])
        }
    })
}

#[derive(Default)]
struct Lister {
    heredocs: Vec<Word>,
    folder: String,
    depth: usize,
    found: Vec<Command>,
}

impl Lister {
    fn script(&mut self, line: &str) {
        if self.depth >= SCRIPTS_DEPTH_MAX {
            return;
        }
        let Script { steps, heredocs, .. } = parser::read(line);
        let outer = std::mem::replace(&mut self.heredocs, heredocs);
        self.depth += 1;
        self.steps(&steps);
        self.depth -= 1;
        self.heredocs = outer;
    }

    fn steps(&mut self, steps: &[Step]) {
        steps.iter().for_each(|step| self.node(&step.node));
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Simple(simple) => self.simple(simple),
            Node::Pipeline(stages) => stages.iter().for_each(|stage| self.aside(|lister| lister.node(stage))),
            Node::Negated(node) => self.node(node),
            Node::Test(words) => self.listed("[[", words),
            Node::Group { steps, redirects } | Node::Branches { steps, redirects } => {
                self.steps(steps);
                self.redirected(redirects);
            }
            Node::Subshell { steps, redirects } => {
                self.aside(|lister| lister.steps(steps));
                self.redirected(redirects);
            }
            Node::Loop { values, steps, redirects, .. } => {
                self.listed("for", values);
                self.steps(steps);
                self.redirected(redirects);
            }
            Node::Function { body, .. } => self.steps(body),
        }
    }

    /// What changes no folder outside of it.
    fn aside(&mut self, list: impl FnOnce(&mut Lister)) {
        let folder = self.folder.clone();
        list(self);
        self.folder = folder;
    }

    fn listed(&mut self, name: &str, words: &[Word]) {
        let mut command = self.command();
        command.words.push(name.to_owned());
        command.words.extend(self.texts(words));
        self.found.push(command);
    }

    fn redirected(&mut self, redirects: &[Redirect]) {
        let mut command = self.command();
        self.redirects(redirects, &mut command);
        self.found
            .extend(Some(command).filter(|command| !command.beside.is_empty() || !command.input.is_empty()));
    }

    fn command(&self) -> Command {
        Command { folder: self.folder.clone(), ..Command::default() }
    }

    fn simple(&mut self, simple: &Simple) {
        let mut command = self.command();
        for assignment in &simple.assignments {
            command.beside.extend(self.texts(&assignment.values));
        }
        command.words = self.texts(&simple.words);
        self.redirects(&simple.redirects, &mut command);
        command.take_off_wrappers();
        if let Some((script, _)) =
            handed_to_a_shell(&simple.words[simple.words.len() - command.words.len()..])
        {
            return self.aside(|lister| lister.script(&script));
        }
        match command.program() {
            "cd" | "pushd" => {
                // Where `cd -` and `cd "$a"` lead is not known.
                let target = command.words.iter().skip(1).find(|word| *word == "-" || !word.starts_with('-'));
                match target.map_or("~", String::as_str) {
                    "" | "-" => {}
                    target => self.folder = joined(&self.folder, target),
                }
            }
            "eval" => self.script(&command.words[1..].join(" ")),
            program => {
                let scripts = if SHELLS.contains(&program) { command.input.clone() } else { Vec::new() };
                self.found.push(command);
                scripts.iter().for_each(|script| self.aside(|lister| lister.script(script)));
            }
        }
    }

    fn redirects(&mut self, redirects: &[Redirect], command: &mut Command) {
        for redirect in redirects {
            match redirect {
                Redirect::Write(word) | Redirect::Append(word) | Redirect::Read(word) => {
                    command.beside.push(self.text(word));
                }
                Redirect::HereString(word) => command.input.push(self.text(word)),
                Redirect::HereDocument(number) => {
                    if let Some(body) = self.heredocs.get(*number).cloned() {
                        command.input.push(self.text(&body));
                    }
                }
                Redirect::Duplicate => {}
            }
        }
    }

    fn texts(&mut self, words: &[Word]) -> Vec<String> {
        words.iter().map(|word| self.text(word)).collect()
    }

    /// The text of a word, after the commands in its substitutions are listed.
    fn text(&mut self, word: &Word) -> String {
        for piece in &word.pieces {
            match piece {
                Piece::Output { steps, .. } | Piece::Process(steps) => {
                    self.aside(|lister| lister.steps(steps))
                }
                Piece::Variable { fallback: Some(fallback), .. } => drop(self.text(fallback)),
                Piece::Variable { fallback: None, .. } | Piece::Text { .. } | Piece::Unknown => {}
            }
        }
        word.text()
    }
}

impl Command {
    /// Takes off what it is run by: `sudo`, `env A=1`, `timeout 5`, `xargs`.
    fn take_off_wrappers(&mut self) {
        loop {
            let words = &self.words;
            let inner = match (self.program(), Wrapper::of(words)) {
                ("xargs" | "parallel", _) => after_options(&words[1..], XARGS_VALUED),
                ("command", _) if !words.iter().any(|word| word == "-v" || word == "-V") => {
                    after_options(&words[1..], "")
                }
                ("env" | "sudo" | "doas", Some(wrapper)) => {
                    let inner = wrapper.inner(words);
                    &inner[inner.iter().take_while(|word| word.contains('=')).count()..]
                }
                (_, Some(wrapper)) => wrapper.inner(words),
                (_, None) => return,
            };
            if inner.is_empty() {
                return;
            }
            let wrapping = words.len() - inner.len();
            self.beside.extend(self.words.drain(..wrapping));
        }
    }
}

/// A list of words as a line that a shell reads as these words.
pub fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted = |word: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@+,%".contains(c);
        match !word.is_empty() && word.chars().all(is_plain) {
            true => word.to_owned(),
            false => format!("'{}'", word.replace('\'', "'\\''")),
        }
    };
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// A path in a folder.
fn joined(folder: &str, path: &str) -> String {
    if folder.is_empty() || path.starts_with(['/', '~']) {
        return path.to_owned();
    }
    format!("{}/{path}", folder.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_shells_and_groups_are_opened() {
        for (line, wanted) in [
            ("a b && c | d; e & f || ! g", "a b ; c ; d ; e ; f ; g"),
            ("A=1 sudo -u x env B=2 timeout -k 5 9 a b", "a b"),
            ("find x | xargs -n1 cat -n", "find x ; cat -n"),
            ("command cat a; command -v a", "cat a ; command -v a"),
            ("bash -lc 'cd x && a \"b c\"'; d", "x: a b c ; d"),
            ("bash -lc cd x && a", "a"),
            ("bash -lc cat x", "cat x"),
            ("docker compose -f x.yml exec -T web a b", "a b"),
            ("bash -eo pipefail -c 'a'; sh b.sh -c d", "a ; sh b.sh -c d"),
            ("eval \"a b\"; sh <<E\nc\nE", "a b ; sh ; c"),
            ("a \"$(cd x; b)\" <(c) > d", "x: b ; c ; a  "),
            ("for i in a b; do c $i; done < d", "for a b ; c  ; "),
            ("(cd x; cd y && a); cd z | b; if c; then d; fi", "x/y: a ; b ; c ; d"),
            ("[[ -f a && -d $(b) ]] && c", "b ; [[ -f a -d  ; c"),
            ("f() { a; }; A=b; cat <<'E'\nc\nE", "a ;  ; cat"),
            ("cd; a; cd /x; b; cd -; cd $(c); d", "~: a ; /x: b ; /x: c ; /x: d"),
            ("sudo; xargs; env", "sudo ; xargs ; env"),
        ] {
            let shown = |command: &Command| match command.folder.as_str() {
                "" => command.words.join(" "),
                folder => format!("{folder}: {}", command.words.join(" ")),
            };
            let found: Vec<String> = commands(line).iter().map(shown).collect();
            assert_eq!(found.join(" ; "), wanted, "{line}");
        }
    }

    #[test]
    fn what_is_named_beside_the_words_is_kept() {
        let all = commands("A=1 sudo env B=2 a > b <<< c <<E\nd $(e)\nE");
        assert_eq!(all[1].words, ["a"]);
        assert_eq!(all[1].beside, ["1", "b", "sudo", "env", "B=2"]);
        assert_eq!(all[1].input, ["c", "d \n"]);
        assert_eq!(all[0].words, ["e"]);
    }

    #[test]
    fn quoted_words_are_read_again_as_they_were() {
        let words = ["bash", "-lc", "a 'b c'; d", "", "e/f=g"];
        let line = quoted(words);
        assert_eq!(line, "bash -lc 'a '\\''b c'\\''; d' '' e/f=g");
        let Node::Simple(simple) = &parser::read(&line).steps[0].node else { panic!("{line}") };
        assert_eq!(simple.words.iter().map(Word::text).collect::<Vec<_>>(), words);
    }
}
