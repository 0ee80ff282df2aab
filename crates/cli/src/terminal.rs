//! The controlling terminal: questions to a person, and their answers (COR-7).
//!
//! The only place of the command line that makes a [`Person`].

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal};

use kenning::core::{Code, Refusal};
use kenning::{Error, Identity, Person, Place, Result};

/// What a person types to confirm anything.
pub(crate) const YES: &str = "yes";

/// Whether a person can be asked: questions are shown on standard error, so that must be a terminal; answers are read from the
/// controlling terminal, even where standard input is a pipe.
pub(crate) fn is_there() -> bool {
    std::io::stderr().is_terminal() && (std::io::stdin().is_terminal() || controlling().is_some())
}

fn controlling() -> Option<File> {
    let path = if cfg!(windows) { "CONIN$" } else { "/dev/tty" };
    File::open(path).ok()
}

/// While this lives, the terminal does not echo what is typed. Made before the question is shown, so that a key pressed at once is
/// not echoed either. Where the terminal cannot be changed, keys are echoed, and nothing else is different.
pub(crate) struct Unechoed {
    #[cfg(unix)]
    before: Option<(File, rustix::termios::Termios)>,
}

impl Unechoed {
    #[cfg(unix)]
    pub(crate) fn start() -> Unechoed {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let change = || {
            let terminal = controlling()?;
            let before = tcgetattr(&terminal).ok()?;
            let mut quiet = before.clone();
            quiet.local_modes -= LocalModes::ECHO;
            tcsetattr(&terminal, OptionalActions::Drain, &quiet).ok()?;
            Some((terminal, before))
        };
        Unechoed { before: change() }
    }

    #[cfg(not(unix))]
    pub(crate) fn start() -> Unechoed {
        Unechoed {}
    }
}

#[cfg(unix)]
impl Drop for Unechoed {
    fn drop(&mut self) {
        if let Some((terminal, before)) = &self.before {
            let _ = rustix::termios::tcsetattr(terminal, rustix::termios::OptionalActions::Drain, before);
        }
    }
}

/// Puts a question, and reads the line that answers it.
pub(crate) fn ask(question: &str) -> Result<String> {
    crate::output::tell_question(question);
    let mut line = String::new();
    let read = match std::io::stdin().is_terminal() {
        true => std::io::stdin().read_line(&mut line),
        false => match controlling() {
            Some(terminal) => BufReader::new(terminal).read_line(&mut line),
            None => Ok(0),
        },
    };
    read.map_err(Error::failed("reading the answer from the terminal"))?;
    Ok(line)
}

/// Has a person type a word to confirm something. This stops accidents, and whoever has no terminal; it does not stop malice.
pub(crate) fn confirm(identity: &Identity, place: &Place<'_>, word: &str, question: &str) -> Result<Person> {
    if !is_there() || identity.host.is_some() || !confirms(&ask(question)?, word) {
        return Err(not_confirmed("nothing was changed").into());
    }
    #[allow(clippy::disallowed_methods, reason = "the answer was typed on the terminal just now")]
    Ok(Person::confirmed_at_terminal(identity.person(place)))
}

/// The same for something that a person may as well leave: Enter or `no` declines it, and any other word is refused, with what stays as
/// it was.
pub(crate) fn offer(
    identity: &Identity,
    place: &Place<'_>,
    question: &str,
    unchanged: &str,
) -> Result<Option<Person>> {
    if !is_there() || identity.host.is_some() {
        return Ok(None);
    }
    let answer = ask(question)?;
    match answer.trim().to_lowercase().as_str() {
        "" | "n" | "no" => Ok(None),
        _ if !confirms(&answer, YES) => Err(not_confirmed(unchanged).into()),
        _ => {
            #[allow(clippy::disallowed_methods, reason = "the answer was typed on the terminal just now")]
            let person = Person::confirmed_at_terminal(identity.person(place));
            Ok(Some(person))
        }
    }
}

/// Whether the person at the terminal types `yes` to a question that nobody else is asked: what is agreed to needs no person's name.
pub(crate) fn agrees(question: &str) -> Result<bool> {
    Ok(confirms(&ask(question)?, YES))
}

pub(crate) fn not_confirmed(unchanged: &str) -> Refusal {
    Refusal::new(Code::NotAllowed, format!("not confirmed; {unchanged}"))
}

/// Reads lines that are typed on the terminal, for as long as it is there, and hands each with the person who typed it. Nobody is asked
/// where there is no terminal, or where an agent host started the process.
pub(crate) fn each_line(identity: &Identity, place: &Place<'_>, mut typed: impl FnMut(&str, &Person)) {
    if !is_there() || identity.host.is_some() {
        return;
    }
    #[allow(
        clippy::disallowed_methods,
        reason = "each line is typed on the terminal, and counts only if it is a code that is shown elsewhere"
    )]
    let person = Person::confirmed_at_terminal(identity.person(place));
    let Some(terminal) = controlling() else { return };
    for line in BufReader::new(terminal).lines().map_while(std::io::Result::ok) {
        typed(&line, &person);
    }
}

/// Whether an answer is the word that was asked for. A yes is typed in full, since the question says so; its case does not matter.
fn confirms(answer: &str, word: &str) -> bool {
    let answer = answer.trim();
    answer == word || (word == YES && answer.eq_ignore_ascii_case(YES))
}

/// Asks for what an operation says only a person may do; none where nobody can be asked.
pub(crate) fn confirm_refused(
    identity: &Identity,
    place: &Place<'_>,
    error: &Error,
) -> Result<Option<Person>> {
    let Error::Refused(refusal) = error else { return Ok(None) };
    let Some(what) = refusal.confirm.as_ref().filter(|_| is_there() && identity.host.is_none()) else {
        return Ok(None);
    };
    let what = crate::output::plain(what);
    let question = format!("{what} requires a person. Type `{YES}` to continue: ");
    confirm(identity, place, YES, &question).map(Some)
}
