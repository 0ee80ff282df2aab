//! What a person sees: commands and their answers, written down so that they can be read and compared.

use std::collections::BTreeMap;
use std::path::Path;

use crate::world::{Answer, World};

/// Runs each line of a script in a shell and writes down what came back: standard output as it is, standard error behind `! `,
/// and an exit code that is not 0. Lines that begin with a space are run without being written down.
pub fn play(world: &World, script: &str) -> String {
    let mut text = String::new();
    for line in script.lines().filter(|line| !line.trim().is_empty()) {
        let answer = shell(world, line.trim());
        if line.starts_with(' ') {
            assert_eq!(answer.code, 0, "{line}\n{}{}", answer.out, answer.err);
            continue;
        }
        text += &format!("$ {line}\n{}", told(world, &answer));
    }
    text
}

/// An answer as a person sees it.
pub fn told(world: &World, answer: &Answer) -> String {
    let mut text = answer.out.clone();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.extend(answer.err.lines().map(|line| format!("! {line}\n")));
    if answer.code != 0 {
        text += &format!("[exit {}]\n", answer.code);
    }
    steady(world, &text)
}

/// A line of a shell, with `ken` in its path. What is for a person is confirmed.
pub fn shell(world: &World, line: &str) -> Answer {
    let answer = world.answered(shell_command(world, line), None);
    // An approval asks for its own word.
    match answer.err.contains("a person must confirm in a terminal") {
        #[cfg(unix)]
        true => crate::pty::confirmed(world, &shell_command(world, line), None),
        _ => answer,
    }
}

/// The same where nobody is there who could confirm anything.
pub fn shell_alone(world: &World, line: &str) -> Answer {
    shell_command(world, line).output().unwrap().into()
}

fn shell_command(world: &World, line: &str) -> std::process::Command {
    let mut command = world.command("sh");
    command.args(["-c", line]).env("PATH", path_with_ken()).env("COLUMNS", "100");
    command
}

/// Where programs are looked for: `ken` first of all.
pub fn path_with_ken() -> String {
    let folder = World::binary().parent().unwrap();
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default())
}

/// A text with everything that chance or the machine chose replaced by a word.
pub fn steady(world: &World, text: &str) -> String {
    let home = world.path().parent().unwrap().display().to_string();
    let text = text.replace(&home, "/scratch");
    let lines = text.lines().map(|line| {
        let line = match line.strip_prefix("committed ").and_then(|rest| rest.split_once(' ')) {
            Some((_, rest)) => format!("committed COMMIT {rest}"),
            None => line.to_owned(),
        };
        match line.strip_prefix("  ").and_then(|rest| rest.split_once(" 20")) {
            // The codes around a coloured one stay.
            Some((shown, rest)) => {
                let hash = shown.trim_start_matches("\u{1b}[2m").trim_end_matches("\u{1b}[0m");
                match hash.len() == 10 && is_hex(hash) {
                    true => format!("  {} 20{rest}", shown.replace(hash, "EVENT")),
                    false => without_hashes(&line),
                }
            }
            None => without_hashes(&line),
        }
    });
    lines.map(|line| line + "\n").collect()
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Event hashes have 40 digits and replicas 12; keys have 16 and are the same all files.
fn without_hashes(line: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for letter in line.chars().chain(['\n']) {
        if letter.is_alphanumeric() {
            word.push(letter);
            continue;
        }
        let cited = out.ends_with("commit:");
        out += match word.len() {
            40 if is_hex(&word) && !cited => "HASH",
            12 if is_hex(&word) && !cited => "REPLICA",
            _ => &word,
        };
        word.clear();
        out.push(letter);
    }
    out.pop();
    out
}

/// Every file of the store and of this clone's journal, with its bytes.
pub fn files(world: &World) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for folder in [".kenning", ".git/kenning/journal"] {
        gather(&world.path(), &world.path().join(folder), &mut found);
    }
    found
}

fn gather(root: &Path, at: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    if at.is_file() {
        let name = at.strip_prefix(root).unwrap().display().to_string();
        found.insert(name, std::fs::read(at).unwrap());
    }
    let Ok(folder) = std::fs::read_dir(at) else { return };
    for entry in folder {
        gather(root, &entry.unwrap().path(), found);
    }
}

/// Like [`play`], for commands that must be refused and must leave all content of the store as it was.
pub fn refusals(world: &World, script: &str) -> String {
    let before = files(world);
    let mut text = String::new();
    for line in script.lines().filter(|line| !line.trim().is_empty()) {
        let answer = shell_alone(world, line.trim());
        assert!(!answer.err.contains("panicked"), "{line}\n{}", answer.err);
        assert_ne!(answer.code, 0, "{line} was not refused\n{}{}", answer.out, answer.err);
        assert!(files(world) == before, "{line} changed the store\n{}", answer.err);
        text += &format!("$ {line}\n{}", told(world, &answer));
    }
    text
}

/// Says that a test cannot run here, and why. `cargo xtask test` counts these.
pub fn skip(why: &str) {
    eprintln!("skipped: {why}");
    if let Some(log) = std::env::var_os("KEN_SKIP_LOG") {
        use std::io::Write;
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
        writeln!(file, "{why}").unwrap();
    }
}

/// Runs a line on a terminal of some width, with something typed into it. Nothing where there is no `script` to make one.
pub fn on_terminal(world: &World, columns: usize, line: &str, typed: &str) -> Option<String> {
    let probe = world.command("script").arg("--version").output();
    if !probe.is_ok_and(|output| {
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("util-linux")
    }) {
        skip("terminal tests: no `script` of util-linux here");
        return None;
    }
    world.write("terminal.sh", &format!("stty cols {columns} rows 40\n{line}\n"));
    world.write("typed.txt", typed);
    let answer = shell(world, "TERM=xterm-256color script -qec 'sh terminal.sh' /dev/null < typed.txt");
    Some(steady(world, &answer.out.replace('\r', "")))
}
