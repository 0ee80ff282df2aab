//! Programs that start others, and what they start: aliases and functions, wrappers, shells, `xargs`, `find`, `git` and interpreters.

use ken_shell::{ScriptSource, XARGS_VALUED, script_source};

use super::*;

impl Walker {
    pub(super) fn aliased(&mut self, alias: &str, mut call: Call) -> Printed {
        let script = ken_shell::read(alias);
        let outer = std::mem::replace(&mut self.heredocs, Rc::new(script.heredocs));
        let mut words = Vec::new();
        for Step { node, .. } in &script.steps {
            match node {
                Node::Simple(simple) if script.steps.len() == 1 => {
                    for word in &simple.words {
                        words.extend(self.expand(word).fields);
                    }
                    for assignment in &simple.assignments {
                        let values: Vec<String> =
                            assignment.values.iter().flat_map(|value| self.expand(value).fields).collect();
                        call.environment.push((assignment.name.clone(), values.join(" ")));
                    }
                }
                other => drop(self.node(other, &call.input)),
            }
        }
        self.heredocs = outer;
        let own = call.words.remove(0);
        words.append(&mut call.words);
        call.words = words;
        // `alias ls='ls -l'` means the program in the second place.
        let alias = self.aliases.remove(&own);
        let printed = self.depth_checked(|walker| walker.call(call));
        if let Some(alias) = alias {
            self.aliases.insert(own, alias);
        }
        printed
    }

    pub(super) fn function(&mut self, body: &Rc<Vec<Step>>, heredocs: Rc<Vec<Word>>, call: Call) -> Printed {
        if self.depth >= DEPTH_MAX {
            self.cut_short = true;
            return Printed::default();
        }
        let outer = std::mem::replace(&mut self.heredocs, heredocs);
        let saved = self.variables.clone();
        let arguments: Vec<String> = call.words[1..].to_vec();
        for (at, argument) in arguments.iter().enumerate() {
            self.variables.insert((at + 1).to_string(), vec![argument.clone()]);
        }
        for all in ["@", "*"] {
            self.variables.insert(all.to_owned(), arguments.clone());
        }
        self.depth += 1;
        let printed = self.steps(body, &call.input);
        self.depth -= 1;
        self.variables = saved;
        self.heredocs = outer;
        if !call.outputs.is_empty() {
            self.finish(Call { words: Vec::new(), ..call }, &printed);
        }
        printed
    }

    /// `env` and `sudo`: variables may stand before the program.
    pub(super) fn with_environment(&mut self, mut call: Call) -> Printed {
        let Some(wrapper) = Wrapper::of(&call.words) else { return Printed::default() };
        let folder = Arguments::read_value(&call.words, &["-C", "--chdir", "-D"]);
        let split = Arguments::read_value(&call.words, &["-S", "--split-string"]);
        let mut rest: Vec<String> = after_options(&call.words[1..], wrapper.valued).to_vec();
        if let Some(text) = split.filter(|_| wrapper.name == "env") {
            return self.run_text(call, &text);
        }
        while let Some((name, value)) = rest.first().and_then(|word| word.split_once('=')) {
            call.environment.push((name.to_owned(), value.to_owned()));
            rest.remove(0);
        }
        if rest.is_empty() {
            return self.output_of(call, None, Vec::new());
        }
        call.words = rest;
        let saved = self.folder.clone();
        if let Some(folder) = folder {
            self.change_folder(&folder);
        }
        let printed = self.depth_checked(|walker| walker.call(call));
        self.folder = saved;
        printed
    }

    pub(super) fn wrapped(&mut self, wrapper: &Wrapper, mut call: Call) -> Printed {
        let rest = wrapper.inner(&call.words);
        // `npx -c 'text'`, `flock file -c 'text'`.
        if let Some(text) = rest.is_empty().then(|| Arguments::read_value(&call.words, &["-c"])).flatten() {
            return self.run_text(call, &text);
        }
        if rest.is_empty() {
            return self.output_of(call, None, Vec::new());
        }
        if wrapper.after.is_empty() {
            call.words = rest.to_vec();
            return self.on(wrapper.machine, |walker| walker.call(call));
        }
        let inner = Call { words: rest.to_vec(), outputs: Vec::new(), ..call.clone() };
        self.finish(call, &Printed::default());
        self.on(wrapper.machine, |walker| walker.call(inner))
    }

    pub(super) fn on(&mut self, machine: Machine, walk: impl FnOnce(&mut Walker) -> Printed) -> Printed {
        let before = self.machine;
        if machine == Machine::Elsewhere {
            self.machine = machine;
        }
        let printed = self.depth_checked(walk);
        self.machine = before;
        printed
    }

    /// `command git push` runs it; `command -v git` does not.
    pub(super) fn command(&mut self, mut call: Call) -> Printed {
        if call.words.get(1).is_some_and(|word| word == "-v" || word == "-V") {
            return self.output_of(call, None, Vec::new());
        }
        let rest = after_options(&call.words[1..], "").to_vec();
        if rest.is_empty() {
            return Printed::default();
        }
        call.words = rest;
        self.call(call)
    }

    /// Runs a text as a script: `eval`, `su -c`, `trap`.
    pub(super) fn run_text(&mut self, call: Call, text: &str) -> Printed {
        let input = call.input.clone();
        let from = call.substituted.clone();
        let at = self.finish(call, &Printed::default());
        self.found[at].fed_by = from;
        self.script(&ken_shell::read(text), &input)
    }

    pub(super) fn shell(&mut self, call: Call) -> Printed {
        let (source, rest) = script_source(&call.words);
        let first = rest.first().cloned();
        // Behind a script stands a name for it.
        let skipped = match source {
            ScriptSource::Line => 2,
            ScriptSource::File => 1,
            ScriptSource::Input => 0,
        };
        let arguments: Vec<String> = rest.iter().skip(skipped).cloned().collect();
        let (text, fed, input) = match source {
            ScriptSource::Line => (first, call.substituted.clone(), call.input.clone()),
            ScriptSource::File => match first.and_then(|file| self.file(&file)) {
                Some((text, writer)) => (text, vec![writer], call.input.clone()),
                None => (None, call.substituted.clone(), call.input.clone()),
            },
            ScriptSource::Input => (call.input.text.clone(), call.input.from.clone(), Input::default()),
        };
        let at = self.finish(call, &Printed::default());
        self.found[at].fed_by = fed;
        let Some(text) = text else { return Printed::default() };
        let saved = (self.folder.clone(), self.variables.clone());
        for (at, argument) in arguments.iter().enumerate() {
            self.variables.insert((at + 1).to_string(), vec![argument.clone()]);
        }
        for all in ["@", "*"] {
            self.variables.insert(all.to_owned(), arguments.clone());
        }
        let printed = self.script(&ken_shell::read(&text), &input);
        (self.folder, self.variables) = saved;
        printed
    }

    /// A file that the line has written before.
    pub(super) fn file(&self, path: &str) -> Option<(Option<String>, usize)> {
        self.files.get(&path::join(&self.folder, path)).cloned()
    }

    pub(super) fn remote_shell(&mut self, call: Call) -> Printed {
        let valued = "-i -p -l -o -F -J -L -R -D -b -c -E -m -S -W";
        let rest = after_options(&call.words[1..], valued);
        let text = match rest.get(1..) {
            Some(words) if !words.is_empty() => Some(words.join(" ")),
            Some(_) | None => call.input.text.clone(),
        };
        let input = call.input.clone();
        self.finish(call, &Printed::default());
        match text {
            Some(text) => {
                self.on(Machine::Elsewhere, |walker| walker.script(&ken_shell::read(&text), &input))
            }
            None => Printed::default(),
        }
    }

    pub(super) fn xargs(&mut self, call: Call) -> Printed {
        let replaced = Arguments::read_value(&call.words, &["-I", "--replace"]);
        let rest = after_options(&call.words[1..], XARGS_VALUED);
        let (rest, given) = match rest.iter().position(|word| word == ":::") {
            Some(at) => (&rest[..at], rest[at + 1..].to_vec()),
            None => (rest, Vec::new()),
        };
        let mut items = given;
        match &call.input.text {
            Some(text) => items.extend(text.split_whitespace().map(str::to_owned)),
            None => items.extend(call.input.paths.iter().cloned()),
        }
        items.truncate(VALUES_MAX);
        let words = rest.to_vec();
        let inner = Call {
            outputs: Vec::new(),
            input: Input { from: call.input.from.clone(), ..Input::default() },
            ..call.clone()
        };
        self.finish(call, &Printed::default());
        if words.is_empty() {
            let text = items.join(" ") + "\n";
            return Printed { text: Some(text), ..Printed::default() };
        }
        let mark = replaced.or_else(|| words.iter().any(|word| word.contains("{}")).then(|| "{}".to_owned()));
        match mark {
            Some(mark) if !mark.is_empty() => {
                if items.is_empty() {
                    items.push(UNKNOWN.to_string());
                }
                for item in items {
                    let words = words.iter().map(|word| word.replace(&mark, &item)).collect();
                    self.depth_checked(|walker| walker.call(Call { words, ..inner.clone() }));
                }
            }
            Some(_) | None => {
                let words = words.into_iter().chain(items).collect();
                self.depth_checked(|walker| walker.call(Call { words, ..inner }));
            }
        }
        Printed::default()
    }

    pub(super) fn find(&mut self, call: Call) -> Printed {
        let words = call.words.clone();
        let roots: Vec<&String> =
            words[1..].iter().take_while(|word| !word.starts_with(['-', '(', '!'])).collect();
        let mut names: Vec<&str> = Vec::new();
        let mut is_negated = false;
        for pair in words.windows(2) {
            match pair[0].as_str() {
                "!" | "-not" => is_negated = true,
                "-name" | "-iname" if !is_negated => names.push(&pair[1]),
                "-name" | "-iname" | "-path" | "-wholename" => is_negated = false,
                _ => {}
            }
        }
        let is_path = |at: usize| {
            matches!(words[at].as_str(), "-path" | "-wholename")
                && !matches!(words[at - 1].as_str(), "!" | "-not")
                && words.get(at + 2).is_none_or(|next| next != "-prune")
        };
        let named: Vec<String> =
            (1..words.len()).filter(|at| is_path(*at)).filter_map(|at| words.get(at + 1).cloned()).collect();
        let unknown = UNKNOWN.to_string();
        if names.is_empty() {
            names.push(&unknown);
        }
        let here = ".".to_owned();
        let roots = if roots.is_empty() { vec![&here] } else { roots };
        let mut paths = Vec::new();
        for root in roots {
            for name in &names {
                paths.push(format!("{}/{name}", root.trim_end_matches('/')));
            }
        }
        paths.extend(named);
        paths.truncate(VALUES_MAX);
        let inner = Call { outputs: Vec::new(), ..call.clone() };
        self.finish(call, &Printed::default());
        if words.iter().any(|word| word == "-delete") {
            let words = std::iter::once("rm".to_owned()).chain(paths.iter().cloned()).collect();
            self.finish(Call { words, ..inner.clone() }, &Printed::default());
        }
        let mut at = 0;
        while at < words.len() {
            if matches!(words[at].as_str(), "-exec" | "-execdir" | "-ok" | "-okdir") {
                let end = words[at + 1..]
                    .iter()
                    .position(|word| word == ";" || word == "+")
                    .map_or(words.len(), |length| at + 1 + length);
                let mut started = Vec::new();
                for word in &words[at + 1..end] {
                    match word.as_str() {
                        "{}" => started.extend(paths.iter().cloned()),
                        other => started.push(other.replace("{}", &paths[0])),
                    }
                }
                self.depth_checked(|walker| walker.call(Call { words: started, ..inner.clone() }));
                at = end;
            }
            at += 1;
        }
        Printed { paths, ..Printed::default() }
    }

    pub(super) fn git(&mut self, mut call: Call) -> Printed {
        let arguments = Arguments::read(&call.words);
        for setting in arguments.values(&["-c"]) {
            if let Some((key, value)) = setting.split_once('=')
                && let Some(alias) = key.strip_prefix("alias.")
            {
                self.git_aliases.insert(alias.to_owned(), value.to_owned());
            }
        }
        let rest: Vec<String> = arguments.rest().map(str::to_owned).collect();
        let subcommand = arguments.subcommand().to_owned();
        let folders: Vec<String> = match subcommand.as_str() {
            // `-C` after these is another option.
            "commit" | "switch" | "apply" => Vec::from_iter(leading_folder(&call.words)),
            _ => arguments.values(&["-C"]).map(str::to_owned).collect(),
        };
        let saved = (self.folder.clone(), self.branch.clone());
        for folder in &folders {
            self.change_folder(folder);
        }
        if let Some(alias) = self.git_aliases.get(&subcommand).cloned() {
            let at = call.words.iter().position(|word| *word == subcommand).unwrap_or(call.words.len() - 1);
            let given = call.words.split_off(at + 1);
            let printed = match alias.strip_prefix('!') {
                Some(text) => {
                    let text = format!("{text} {}", given.join(" "));
                    self.run_text(call, &text)
                }
                None => {
                    let mut words: Vec<String> = vec!["git".to_owned()];
                    for step in ken_shell::read(&alias).steps {
                        if let Node::Simple(simple) = step.node {
                            words.extend(simple.words.iter().flat_map(|word| self.expand(word).fields));
                        }
                    }
                    words.extend(given);
                    self.git_aliases.remove(&subcommand);
                    let printed = self.depth_checked(|walker| walker.call(Call { words, ..call }));
                    self.git_aliases.insert(subcommand, alias);
                    printed
                }
            };
            (self.folder, self.branch) = saved;
            return printed;
        }
        let (mut text, mut paths, mut run) = (None, Vec::new(), None);
        let mut checked_out = None;
        match subcommand.as_str() {
            "config" => {
                if let [key, value] = rest.as_slice()
                    && let Some(alias) = key.strip_prefix("alias.")
                {
                    self.git_aliases.insert(alias.to_owned(), value.clone());
                }
            }
            "branch" if arguments.has(&["--show-current"]) => text = Some(self.branch_text()),
            "rev-parse" if arguments.has(&["--show-toplevel"]) => text = Some(self.root.clone() + "\n"),
            "rev-parse" if arguments.has(&["--abbrev-ref"]) && rest == ["HEAD"] => {
                text = Some(self.branch_text());
            }
            "symbolic-ref" if rest == ["HEAD"] => text = Some(self.branch_text()),
            // A refspec in a setting is pushed as if it were on the line.
            "push" if rest.len() < 2 => {
                let settings = arguments.values(&["-c"]);
                let refspecs: Vec<(String, String)> = settings
                    .filter_map(|setting| {
                        let (key, refspec) = setting.split_once('=')?;
                        let remote = key.strip_prefix("remote.")?.strip_suffix(".push")?;
                        Some((remote.to_owned(), refspec.to_owned()))
                    })
                    .filter(|(remote, _)| rest.first().is_none_or(|named| named == remote))
                    .collect();
                if let Some((remote, _)) = refspecs.first().filter(|_| rest.is_empty()) {
                    call.words.push(remote.clone());
                }
                call.words.extend(refspecs.into_iter().map(|(_, refspec)| refspec));
            }
            "ls-files" => paths = rest.iter().map(|folder| under(folder)).collect(),
            "grep" => paths = rest.iter().skip(1).map(|folder| under(folder)).collect(),
            "checkout" | "switch" => {
                const NEW: &[&str] = &["-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"];
                let is_path = call.words.iter().any(|word| word == "--");
                let created = if subcommand == "switch" && folders.is_empty() || subcommand == "checkout" {
                    arguments.options.iter().rev().find(|option| {
                        NEW.contains(&option.name.as_str())
                            && !(subcommand == "checkout" && option.name.to_lowercase() == "-c")
                    })
                } else {
                    None
                };
                checked_out = match (created.and_then(|option| option.value.clone()), rest.as_slice()) {
                    (Some(created), _) => Some(Branch::Known(created)),
                    (None, [one]) if !is_path && one != "." => Some(match one.as_str() {
                        "-" => Branch::Unknown,
                        unknown if unknown.contains(UNKNOWN) => Branch::Unknown,
                        known => Branch::Known(known.to_owned()),
                    }),
                    (None, _) => None,
                };
            }
            "submodule" if rest.first().is_some_and(|word| word == "foreach") => {
                run = Some(rest[1..].join(" "));
            }
            "rebase" => run = arguments.value(&["--exec", "-x"]).map(str::to_owned),
            "filter-branch" => run = arguments.value(&["--tree-filter"]).map(str::to_owned),
            _ => {}
        }
        let printed = Printed { text, paths, file: None };
        let input = call.input.clone();
        self.finish(call, &printed);
        if let Some(text) = run {
            self.script(&ken_shell::read(&text), &input);
        }
        (self.folder, self.branch) = saved;
        if let Some(branch) = checked_out.filter(|_| folders.is_empty()) {
            self.branch = branch;
        }
        printed
    }

    pub(super) fn branch_text(&self) -> String {
        match &self.branch {
            Branch::Known(branch) => format!("{branch}\n"),
            Branch::Unknown | Branch::Elsewhere => format!("{UNKNOWN}\n"),
        }
    }

    /// Python, Node and others that get their program on the line.
    pub(super) fn interpreter(&mut self, mut call: Call) -> Printed {
        let program = program_name(&call.words[0]).to_owned();
        // `python -m pip` is `pip`.
        if let Some(module) = Arguments::read_value(&call.words, &["-m"])
            && program.starts_with("python")
        {
            let at = call.words.iter().position(|word| *word == module);
            if let Some(at) = at {
                call.words.drain(..at);
                return self.depth_checked(|walker| walker.call(call));
            }
        }
        let text = match code::inline(&program, &call.words[1..]) {
            code::Source::Text(text) => Some(text),
            code::Source::Input => call.input.text.clone(),
            code::Source::File => None,
        };
        let fed = match code::inline(&program, &call.words[1..]) {
            code::Source::Input => call.input.from.clone(),
            code::Source::Text(_) => call.substituted.clone(),
            code::Source::File => Vec::new(),
        };
        let at = self.finish(call, &Printed::default());
        self.found[at].fed_by = fed;
        let effects: Vec<Effect> = text.iter().flat_map(|text| code::effects(&program, text)).collect();
        let texts = effects.iter().filter_map(|effect| match effect {
            Effect::Text(text) => Some(text.as_str()),
            Effect::Shell(_) | Effect::Words(_) | Effect::File { .. } => None,
        });
        let written = texts.collect::<Vec<_>>().join("\n");
        for effect in effects {
            match effect {
                Effect::Shell(line) => drop(self.script(&ken_shell::read(&line), &Input::default())),
                Effect::Words(words) => {
                    self.depth_checked(|walker| walker.call(Call { words, ..Call::default() }));
                }
                Effect::File { path, mode } => {
                    // What is replaced may be most of the file again, so only what is added says something.
                    let text = (mode == Mode::Append).then(|| written.clone());
                    self.found[at].outputs.push(Output { path, text, mode });
                }
                Effect::Text(_) => {}
            }
        }
        Printed::default()
    }
}

/// The folder of `git -C`, before its subcommand.
fn leading_folder(words: &[String]) -> Option<String> {
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "-C" => return words.next().cloned(),
            "-c" | "--git-dir" | "--work-tree" => drop(words.next()),
            option if option.starts_with('-') => {}
            _ => return None,
        }
    }
    None
}
