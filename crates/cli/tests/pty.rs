//! `ken` on a real pseudo terminal: what a person sees there, and what they type.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::world::{Answer, World};

/// The key that ends input.
pub const CTRL_D: &str = "\u{4}";

/// No command takes so long; one that does waits for an answer that nobody will type.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs `ken` on a terminal. Each part of the talk is a piece of a question and what is typed once it is there; the whole screen,
/// what was typed included, is the answer's `out`.
pub fn ken_on_terminal(world: &World, env: &[(&str, &str)], args: &[&str], talk: &[(&str, &str)]) -> Answer {
    ken_on_terminal_in(world, &world.path(), env, args, talk)
}

/// The same in another folder.
pub fn ken_on_terminal_in(
    world: &World,
    folder: &Path,
    env: &[(&str, &str)],
    args: &[&str],
    talk: &[(&str, &str)],
) -> Answer {
    let mut command = world.command(&World::binary().display().to_string());
    command.current_dir(folder).args(args).envs(env.iter().copied());
    talk_to(command, &format!("ken {args:?}"), talk, &[])
}

/// A line of a shell, on its own controlling terminal: what a program asks there, a person can answer.
#[allow(dead_code)] // Only transcripts do this; the other test binary starts `ken` itself.
pub fn line_on_terminal(
    world: &World,
    columns: usize,
    line: &str,
    talk: &[(String, String)],
    if_asked: &[(&str, &str)],
) -> Answer {
    let mut command = world.command("setsid");
    command.args(["--ctty", "--wait", "sh", "-c"]);
    command.arg(format!("stty cols {columns} rows 40\n{line}"));
    command.env("PATH", crate::transcript::path_with_ken()).env("TERM", "xterm-256color");
    let talk: Vec<(&str, &str)> =
        talk.iter().map(|(asked, typed)| (asked.as_str(), typed.as_str())).collect();
    talk_to(command, line, &talk, if_asked)
}

/// What a person answers to a question that only confirms.
const CONFIRMS: &[(&str, &str)] = &[
    ("Type `yes` to continue: ", "yes\n"),
    ("Type `yes` to confirm: ", "yes\n"),
    ("Type `yes` to approve ", "yes\n"),
    // An approver who states a norm at a terminal is asked whether it counts at once; these stories leave it a candidate.
    ("or press Enter to keep it a candidate: ", "\n"),
];

/// Runs a command again on a controlling terminal of its own, where a person confirms what it asks: its standard output, its input and
/// its environment are as before.
pub fn confirmed(world: &World, command: &Command, input: Option<&str>) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let (out, given) = (folder.path().join("out"), folder.path().join("in"));
    if let Some(input) = input {
        std::fs::write(&given, input).unwrap();
    }
    let mut again = world.command("setsid");
    again.args(["--ctty", "--wait", "sh", "-c"]);
    again.arg(if input.is_some() { "exec \"$@\" >\"$OUT\" <\"$IN\"" } else { "exec \"$@\" >\"$OUT\"" });
    again.arg("sh").arg(command.get_program()).args(command.get_args());
    again.current_dir(command.get_current_dir().unwrap_or(&world.path()));
    again.env("OUT", &out).env("IN", &given);
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => again.env(name, value),
            None => again.env_remove(name),
        };
    }
    let screen = talk_to(again, "a command that a person confirms", &[], CONFIRMS);
    // What the person was asked and typed is none of the command's notes.
    let notes = screen.out.lines().filter(|line| !line.contains("Type `")).collect::<Vec<_>>();
    let err = notes.iter().map(|line| format!("{line}\n")).collect();
    Answer { code: screen.code, out: std::fs::read_to_string(&out).unwrap_or_default(), err }
}

/// Starts a command on a terminal, and types: what the talk says, in order, and answers to questions that may come in between.
fn talk_to(mut command: Command, name: &str, talk: &[(&str, &str)], if_asked: &[(&str, &str)]) -> Answer {
    let (keyboard, theirs) = terminal();
    let ours = |fd: &OwnedFd| fd.try_clone().unwrap();
    command.stdin(ours(&theirs)).stdout(ours(&theirs)).stderr(theirs);
    let mut child = command.spawn().unwrap();
    // The command holds the child's side open; the screen ends when nobody does.
    drop(command);
    let mut screen = File::from(keyboard.try_clone().unwrap());
    let mut keyboard = File::from(keyboard);
    let (tell, told) = channel();
    let reader = std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        // Reading a terminal that nobody holds any more is an error, and the end.
        while let Ok(count @ 1..) = screen.read(&mut bytes) {
            if tell.send(bytes[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut shown = Vec::new();
    let mut talk = talk.iter();
    let mut next = talk.next();
    let mut read_to = 0;
    loop {
        let text = String::from_utf8_lossy(&shown).into_owned();
        if let Some((question, typed)) = next
            && let Some(at) = text.get(read_to..).and_then(|rest| rest.find(question))
        {
            read_to += at + question.len();
            keyboard.write_all(typed.as_bytes()).unwrap();
            next = talk.next();
            continue;
        }
        let rest = text.get(read_to..).unwrap_or_default();
        let asked = if_asked
            .iter()
            .find_map(|(question, typed)| Some((rest.find(question)? + question.len(), typed)));
        if let Some((end, typed)) = asked {
            read_to += end;
            keyboard.write_all(typed.as_bytes()).unwrap();
            continue;
        }
        match told.recv_timeout(PATIENCE) {
            Ok(bytes) => shown.extend(bytes),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                child.kill().unwrap();
                panic!("{name} still waits for somebody to type:\n{text}");
            }
        }
    }
    reader.join().unwrap();
    let status = child.wait().unwrap();
    let out = String::from_utf8_lossy(&shown).replace('\r', "");
    // What is refused need not be asked about.
    if let (Some((question, _)), true) = (next, status.success()) {
        panic!("{name} never asked {question:?}:\n{out}");
    }
    Answer { code: status.code().unwrap_or(-1), out, err: String::new() }
}

/// Both sides of a new terminal: the keyboard and screen, and what the program gets.
fn terminal() -> (OwnedFd, OwnedFd) {
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&keyboard).unwrap();
    unlockpt(&keyboard).unwrap();
    let name = ptsname(&keyboard, Vec::new()).unwrap();
    let theirs =
        rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    // A child that inherited the keyboard would keep the screen open for ever.
    rustix::io::fcntl_setfd(&keyboard, rustix::io::FdFlags::CLOEXEC).unwrap();
    (keyboard, theirs)
}
