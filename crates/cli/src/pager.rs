//! Long output on a terminal goes through a pager, as with git.
//!
//! What a verb prints is held back until it is done: a pager is started only if it does not fit on the screen, and an answer that fits
//! is printed as ever.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use console::{Term, measure_text_width};

/// What was printed since [`hold`], where something is held back.
static HELD: Mutex<Option<String>> = Mutex::new(None);

/// Holds output back until [`release`], if there is a terminal to page it on and a pager. An agent on a terminal could not close it.
pub(crate) fn hold() {
    let is_agent = kenning::environment::identity().is_ok_and(|identity| identity.host.is_some());
    if crate::output::on_terminal() && !is_agent && pager().is_some() {
        *held() = Some(String::new());
    }
}

/// Takes a line that is held back; none where output goes straight to the terminal.
pub(crate) fn take(line: &str) -> bool {
    match held().as_mut() {
        Some(text) => {
            use std::fmt::Write;
            writeln!(text, "{line}").is_ok()
        }
        None => false,
    }
}

/// Shows what was held back: through the pager where it is longer than the screen.
pub(crate) fn release() {
    let Some(text) = held().take() else { return };
    let text = match AutoStream::choice(&std::io::stdout()) {
        ColorChoice::Never => strip_str(&text).to_string(),
        ColorChoice::Auto | ColorChoice::AlwaysAnsi | ColorChoice::Always => text,
    };
    let (rows, columns) = Term::stdout().size();
    let is_paged =
        is_long(&text, rows.into(), columns.into()) && pager().is_some_and(|pager| page(&pager, &text));
    if !is_paged {
        text.lines().for_each(crate::output::put);
    }
}

fn held() -> std::sync::MutexGuard<'static, Option<String>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pager that somebody chose, or `less`. None where there is to be no pager.
fn pager() -> Option<String> {
    let chosen = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let pager = chosen("KEN_PAGER").or_else(|| chosen("PAGER")).unwrap_or_else(|| "less".to_owned());
    let is_dumb = chosen("TERM").is_none_or(|terminal| terminal == "dumb");
    Some(pager).filter(|pager| !is_dumb && pager.trim() != "cat")
}

/// Whether a text takes more rows than a screen has; one is left for the prompt.
fn is_long(text: &str, rows: usize, columns: usize) -> bool {
    let columns = columns.max(1);
    let taken: usize = text.lines().map(|line| measure_text_width(line).div_ceil(columns).max(1)).sum();
    taken >= rows
}

/// Hands a text to a pager and waits until it is closed. Says whether the pager could be started.
fn page(pager: &str, text: &str) -> bool {
    let mut words = pager.split_whitespace();
    let Some(program) = words.next() else { return false };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    // As git does: show colours, stay out of the way of what fits, leave the text on the screen.
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    // Ctrl-C is the pager's: it must not leave the terminal to a pager that nobody waits for.
    let _ = ctrlc::set_handler(|| {});
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // Whoever has seen enough closes it before the end.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wraps_takes_more_rows_and_colour_takes_none() {
        assert!(!is_long("one\ntwo\n", 3, 80));
        assert!(is_long("one\ntwo\nthree\n", 3, 80));
        assert!(is_long(&"x".repeat(161), 3, 80));
        assert!(!is_long(&format!("\u{1b}[31m{}\u{1b}[0m\n", "x".repeat(80)), 2, 80));
    }
}
