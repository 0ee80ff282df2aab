//! Which files a program changes, by what is known of common programs.

use ken_shell::{Arguments, Machine};

use super::UNKNOWN;
use super::invocation::{Invocation, Mode, Output};
use super::path::file_name;

/// The files that an invocation changes, as they are written on the line.
pub(super) fn outputs(invocation: &Invocation, arguments: &Arguments) -> Vec<Output> {
    if invocation.machine == Machine::Elsewhere {
        return Vec::new();
    }
    let mut found = invocation.outputs.clone();
    found.extend(by_program(invocation, arguments));
    found.retain(|output| !output.path.is_empty() && !output.path.starts_with("/dev/"));
    found
}

fn replaced(path: &str) -> Output {
    Output { path: path.to_owned(), text: None, mode: Mode::Replace }
}

fn removed(path: &str) -> Output {
    Output { mode: Mode::Remove, ..replaced(path) }
}

fn by_program(invocation: &Invocation, arguments: &Arguments) -> Vec<Output> {
    let operands: Vec<&str> = arguments.operands.iter().map(|operand| operand.text.as_str()).collect();
    let all = |operands: &[&str]| operands.iter().copied().map(replaced).collect();
    match arguments.program.as_str() {
        "tee" => {
            let mode = if arguments.has(&["-a", "--append"]) { Mode::Append } else { Mode::Replace };
            let text = &invocation.input;
            operands
                .iter()
                .map(|path| Output { path: (*path).to_owned(), text: text.clone(), mode })
                .collect()
        }
        "sed" | "gsed" if arguments.has(&["-i", "--in-place"]) => {
            // `sed -i ''` of BSD has an empty suffix.
            let files: Vec<&str> = operands.into_iter().filter(|operand| !operand.is_empty()).collect();
            let has_script = arguments.has(&["-e", "-f", "--expression", "--file"]);
            all(&files[usize::from(!has_script).min(files.len())..])
        }
        "perl" | "ruby" if is_in_place(invocation) => all(&operands),
        "awk" | "gawk" if arguments.value(&["-i", "--include"]) == Some("inplace") => {
            all(operands.get(1..).unwrap_or_default())
        }
        "yq" if arguments.has(&["-i", "--inplace"]) => all(operands.get(1..).unwrap_or_default()),
        "cp" | "install" | "ln" => copied(arguments, &operands),
        "mv" => {
            let sources = if arguments.has(&["-t", "--target-directory"]) {
                operands.len()
            } else {
                operands.len().saturating_sub(1)
            };
            let mut found: Vec<Output> = operands[..sources].iter().copied().map(removed).collect();
            found.extend(copied(arguments, &operands));
            found
        }
        "rsync" => match operands.as_slice() {
            [.., _, target] if !target.contains(':') => {
                vec![replaced(&format!("{}/{UNKNOWN}", target.trim_end_matches('/')))]
            }
            _ => Vec::new(),
        },
        "rm" | "unlink" | "shred" | "rmdir" | "trash" => operands.into_iter().map(removed).collect(),
        "truncate" | "touch" | "sponge" | "ed" | "ex" | "dos2unix" | "unix2dos" => all(&operands),
        "dd" => operands.iter().filter_map(|operand| operand.strip_prefix("of=")).map(replaced).collect(),
        "curl" => arguments.values(&["-o", "--output"]).map(replaced).collect(),
        "wget" => {
            arguments.values(&["-O", "--output-document"]).filter(|path| *path != "-").map(replaced).collect()
        }
        "vim" | "nvim" | "vi" if arguments.values(&["-c"]).any(|command| command.contains(['w', 'x'])) => {
            all(&operands)
        }
        "ssh-keygen" => {
            arguments.values(&["-f"]).filter(|_| !arguments.has(&["-l", "-y", "-lf"])).map(replaced).collect()
        }
        "openssl" => arguments.values(&["-out", "-keyout"]).map(replaced).collect(),
        "prettier" if arguments.has(&["--write", "-w"]) => all(&operands),
        "eslint" | "stylelint" if arguments.has(&["--fix"]) => all(&operands),
        "gofmt" | "goimports" | "gofumpt" | "shfmt" if arguments.has(&["-w"]) => all(&operands),
        "clang-format" | "autopep8" if arguments.has(&["-i", "--in-place"]) => all(&operands),
        "black" | "isort" | "rustfmt" if !arguments.has(&["--check", "--diff"]) => all(&operands),
        "tar" | "bsdtar" => {
            let extracts = arguments.has(&["-x", "--extract"])
                || operands.first().is_some_and(|word| !word.contains(['/', '.']) && word.contains('x'));
            arguments
                .values(&["-C", "--directory"])
                .filter(|_| extracts)
                .map(|folder| replaced(&format!("{}/{UNKNOWN}", folder.trim_end_matches('/'))))
                .collect()
        }
        "unzip" => arguments
            .values(&["-d"])
            .map(|folder| replaced(&format!("{}/{UNKNOWN}", folder.trim_end_matches('/'))))
            .collect(),
        "patch" => match (&invocation.input, operands.first()) {
            (_, Some(file)) => vec![replaced(file)],
            (Some(diff), None) => patched(diff),
            // Nobody knows what is in it, but it changes something here.
            (None, None) => vec![replaced(&format!("./{UNKNOWN}"))],
        },
        "apply_patch" => {
            let text = operands.first().copied().or(invocation.input.as_deref());
            text.map(patched).unwrap_or_default()
        }
        "git" => by_git(invocation, arguments),
        _ => Vec::new(),
    }
}

/// The links that an invocation makes, each with what it leads to, as paths from the folder of the invocation.
pub(super) fn links(invocation: &Invocation, arguments: &Arguments) -> Vec<(String, String)> {
    if invocation.machine == Machine::Elsewhere || arguments.program != "ln" {
        return Vec::new();
    }
    let operands: Vec<&str> = arguments.operands.iter().map(|operand| operand.text.as_str()).collect();
    let made = match operands.as_slice() {
        [one] => vec![replaced(file_name(one))],
        _ => copied(arguments, &operands),
    };
    let is_symbolic = arguments.has(&["-s", "--symbolic"]) && !arguments.has(&["-r", "--relative"]);
    let pair = |(output, source): (Output, &&str)| {
        // What a symbolic link says is read from the folder it is in.
        let target = match output.path.rsplit_once('/') {
            Some((folder, _)) if is_symbolic && !source.starts_with('/') => format!("{folder}/{source}"),
            _ => (*source).to_owned(),
        };
        (output.path, target)
    };
    made.into_iter().zip(&operands).map(pair).collect()
}

/// `perl -pi -e`: the letter `i` stands for itself only before the program text.
fn is_in_place(invocation: &Invocation) -> bool {
    let mut words = invocation.words.iter().skip(1);
    while let Some(word) = words.next() {
        let Some(letters) = word.strip_prefix('-') else { return false };
        if letters.starts_with('-') {
            continue;
        }
        if letters.starts_with(['M', 'I']) {
            continue;
        }
        if letters.contains('i') {
            return true;
        }
        if letters.ends_with(['e', 'E']) {
            words.next();
        }
    }
    false
}

/// Where copies go.
fn copied(arguments: &Arguments, operands: &[&str]) -> Vec<Output> {
    let (sources, target) = match (arguments.value(&["-t", "--target-directory"]), operands) {
        (Some(target), sources) => (sources, format!("{}/", target.trim_end_matches('/'))),
        (None, [sources @ .., target]) if !sources.is_empty() => (sources, (*target).to_owned()),
        (None, _) => return Vec::new(),
    };
    let is_folder = target.ends_with('/') || matches!(target.as_str(), "." | "..") || target.ends_with("/.");
    if !is_folder {
        return vec![replaced(&target)];
    }
    let within = |source: &&str| replaced(&format!("{}/{}", target.trim_end_matches('/'), file_name(source)));
    sources.iter().map(within).collect()
}

fn by_git(invocation: &Invocation, arguments: &Arguments) -> Vec<Output> {
    let rest: Vec<&str> = arguments.rest().collect();
    let after_dashes = || {
        let at = invocation.words.iter().position(|word| word == "--");
        at.map(|at| invocation.words[at + 1..].iter().map(String::as_str).collect::<Vec<_>>())
    };
    match arguments.subcommand() {
        "checkout" if !arguments.has(&["-b", "-B", "--orphan"]) => {
            let paths = after_dashes().unwrap_or_else(|| match rest.as_slice() {
                [one] => vec![*one],
                // A commit, and paths of it.
                [_, paths @ ..] if !arguments.has(&["--ours", "--theirs", "--merge"]) => paths.to_vec(),
                all => all.to_vec(),
            });
            paths.into_iter().map(replaced).collect()
        }
        "restore" if !arguments.has(&["--staged", "-S"]) || arguments.has(&["--worktree", "-W"]) => {
            rest.into_iter().map(replaced).collect()
        }
        "rm" if !arguments.has(&["--cached"]) => rest.into_iter().map(removed).collect(),
        "mv" => match rest.as_slice() {
            [sources @ .., target] => {
                let mut found: Vec<Output> = sources.iter().copied().map(removed).collect();
                found.push(replaced(target));
                found
            }
            [] => Vec::new(),
        },
        "apply" if !arguments.has(&["--check", "--stat", "--numstat"]) => match &invocation.input {
            Some(diff) => patched(diff),
            None => vec![replaced(&format!("./{UNKNOWN}"))],
        },
        _ => Vec::new(),
    }
}

/// The files of a diff, or of a patch as `apply_patch` takes it.
fn patched(diff: &str) -> Vec<Output> {
    let mut found = Vec::new();
    for line in diff.lines() {
        let own = ["*** Update File: ", "*** Add File: ", "*** Move to: "];
        if let Some(path) = own.iter().find_map(|mark| line.strip_prefix(mark)) {
            found.push(replaced(path.trim()));
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            found.push(removed(path.trim()));
        } else if let Some(path) = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- ")) {
            let path = path.split('\t').next().unwrap_or(path).trim();
            let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
            if path != "/dev/null" {
                found.push(replaced(path));
            }
        }
    }
    found
}
