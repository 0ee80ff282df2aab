//! `queue`: what waits, listed, asked one by one with single keys, or as lines in an editor.

use std::io::IsTerminal;

use console::{Key, Term};
use kenning::core::words::nearest;
use kenning::core::{Code, Fault, Refusal};
use kenning::ops::queue::{Item, Ruled, Rulings, Verdict, Worksheet};
use kenning::table::edit::EditRequest;
use kenning::table::queue::QueueAnswer;
use kenning::table::queue::QueueRequest;
use kenning::table::show::ShowRequest;
use kenning::table::{Edit, Queue, Show};
use kenning::verb::Verb;
use kenning::{Error, Reach, Result};

use super::{Session, Shown};
use crate::editor;
use crate::output::{
    bold, count, cut, dim, eprintln, exit, plain, print_command, print_wrapped, println, width, wrap,
};
use crate::terminal::{self, Unechoed};

/// The reason that is recorded where a person gave none.
const REASON: &str = "answered in the queue";
/// The action of a line that nobody decided.
const SKIP: &str = "skip";

impl Shown for Queue {
    fn execute(session: &Session, request: QueueRequest) -> Result<u8> {
        let is_plain = request.item.is_none() && !request.list && !session.output.json;
        match (request.edit, &request.file) {
            (true, _) | (_, Some(_)) => edit(session, &request),
            (false, None) if is_plain && can_ask(session) => ask(session, &request),
            (false, None) => list(session, request),
        }
    }

    fn say(answer: &QueueAnswer) {
        match answer {
            QueueAnswer::Waiting(sheet) => say_waiting(sheet),
            QueueAnswer::Judged(ruled) => ruled.results.iter().for_each(|one| println!("{}", one.done)),
        }
    }

    fn exit_code(answer: &QueueAnswer) -> u8 {
        if Self::rejects(answer) { exit::USAGE } else { exit::OK }
    }
}

/// Whether a person can be asked item by item: an agent's host gets the list.
fn can_ask(session: &Session) -> bool {
    let on_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    on_terminal && terminal::is_there() && session.identity.host.is_none()
}

fn list(session: &Session, request: QueueRequest) -> Result<u8> {
    let mut call = session.call(None)?;
    let answer = Queue::run_noting(session, &mut call, request)?;
    session.output.answer(&answer, || Queue::say(&answer))?;
    if let QueueAnswer::Waiting(sheet) = &answer
        && !session.output.json
        && let Some(cursor) = &sheet.cursor
    {
        session.output.note(&format!("{} wait in all; more: --cursor '{cursor}'", sheet.total));
    }
    if matches!(answer, QueueAnswer::Waiting(_)) && !session.output.json {
        say_proposals(call.reach()?)?;
    }
    Ok(Queue::exit_code(&answer))
}

fn say_waiting(sheet: &Worksheet) {
    for item in &sheet.items {
        print_wrapped(&format!("{}  {}", bold(&item.item), item.question));
        for entry in &item.entries {
            print_wrapped(&format!("  {} {}", entry.id, plain(&entry.statement)));
        }
        for fix in &item.fixes {
            print_command(&format!("  {}: ", fix.does), &fix.command);
        }
        let answers = item.answers.join("|");
        print_command("  ", &format!("ken queue --item '{}' --answer {answers} --reason TEXT", item.item));
    }
    say_kept_out(sheet);
}

fn say_kept_out(sheet: &Worksheet) {
    if !sheet.for_a_person.is_empty() {
        print_wrapped(&format!(
            "{} decision by a person: `ken show ID --quarantined`, then `ken quarantine release ID --reason TEXT`",
            count(sheet.for_a_person.len(), "quarantined entry needs a", "quarantined entries need a"),
        ));
        for one in &sheet.kept_out {
            let says = one.statement.as_deref().map(|text| format!("\n    {}", cut(text, 200)));
            println!(
                "{}{}",
                wrap(
                    &plain(&format!("  {}, stated by {}: {}", one.head.handle, one.by, one.why)),
                    4,
                    width()
                ),
                says.unwrap_or_default()
            );
        }
    }
    if sheet.total == 0 {
        println!("nothing waits for a judgement");
    }
}

/// What an answer does, for somebody who chooses one.
fn meaning(answer: &str) -> &'static str {
    match answer {
        "same" => "they say the same: keep the older one",
        "different" => "they differ: do not ask again",
        "still_true" => "still true: anchor it to the code as it is now",
        "no_longer_true" => "no longer true: retract it",
        "confirm" => "it holds: confirm it",
        "retract" => "retract the entry, as the deletion of its file says",
        "restore" => "keep the entry and bring its file back",
        "apply" => "apply the edit of its file",
        _ => "",
    }
}

/// The key of an answer.
fn key(answer: &str) -> char {
    match answer {
        "still_true" => 'y',
        "no_longer_true" => 'n',
        "restore" => 'b',
        other => other.chars().next().unwrap_or('?'),
    }
}

/// What a person wants with an item.
enum Choice {
    Answer(&'static str),
    Edit,
    Show,
    Skip,
    Stop,
}

/// Asks about one item after the other; each answer is acted on at once.
fn ask(session: &Session, request: &QueueRequest) -> Result<u8> {
    let mut ken = session.open()?;
    let sheet = kenning::queue::queue_page(
        &mut ken.ledger,
        &ken.site,
        &mut ken.models,
        &ken.caller,
        request.limit,
        request.cursor.as_deref(),
    )?;
    session.notes(&mut ken);
    let mut code = exit::OK;
    let mut judged = 0;
    'items: for (at, item) in sheet.items.iter().enumerate() {
        show_item(at + 1, sheet.total, item);
        loop {
            match choose(item)? {
                Choice::Stop => break 'items,
                Choice::Skip => break,
                Choice::Show => show(session, item)?,
                Choice::Edit => {
                    // Editing mends an entry; whether it was enough is asked the next time.
                    let Some(entry) = item.entries.first() else { break };
                    let request = EditRequest::of(entry.id.clone());
                    if let Err(error) = Edit::execute(session, request) {
                        session.output.error(&error);
                    }
                    break;
                }
                Choice::Answer(answer) => {
                    let ruled = judge(session, &mut ken, item, answer)?;
                    println!("  {}", plain(&ruled.done));
                    match ruled.accepted {
                        true => judged += 1,
                        false => code = exit::USAGE,
                    }
                    break;
                }
            }
        }
    }
    if !sheet.items.is_empty() {
        println!("\n{} of {} judged", judged, sheet.total);
    }
    say_kept_out(&sheet);
    say_proposals(&mut ken)?;
    Ok(code)
}

/// Proposals are answered elsewhere; whoever asks what waits is told of them.
fn say_proposals(ken: &mut Reach) -> Result<()> {
    let waiting = kenning::promote::promotions(&ken.ledger, false)?.len();
    if waiting > 0 {
        let wait = if waiting == 1 { "waits" } else { "wait" };
        println!("{} {wait} for an approver: `ken promote list`", count(waiting, "proposal", "proposals"));
    }
    Ok(())
}

fn judge(session: &Session, ken: &mut Reach, item: &Item, answer: &str) -> Result<Ruled> {
    let reason = terminal::ask(&format!("  Why? (Enter: {REASON}) "))?;
    let reason = match reason.trim() {
        "" => REASON.to_owned(),
        said => said.to_owned(),
    };
    let verdict = Verdict { item: item.item.clone(), answer: answer.to_owned(), reason };
    let ruled = judge_or_ask(session, ken, &verdict)?;
    session.notes(ken);
    Ok(ruled)
}

/// Acts on one answer. What only a person may do is put to the person at the terminal, and then done in their name.
fn judge_or_ask(session: &Session, ken: &mut Reach, verdict: &Verdict) -> Result<Ruled> {
    let error =
        match kenning::queue::judge_one(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, verdict) {
            Ok(ruled) => return Ok(ruled),
            Err(error) => error,
        };
    match session.confirm_refused(ken, &error) {
        Ok(Some(person)) => {
            let session = Session { person: Some(person), ..session.clone() };
            let mut confirmed = session.open_quietly()?;
            let ruled = kenning::queue::judge_one(
                &mut confirmed.ledger,
                &confirmed.site,
                &mut confirmed.models,
                &confirmed.caller,
                verdict,
            )?;
            session.notes(&mut confirmed);
            Ok(ruled)
        }
        Ok(None) => Err(error),
        Err(Error::Refused(refusal)) => {
            Ok(Ruled { item: verdict.item.clone(), accepted: false, done: refusal.message })
        }
        Err(error) => Err(error),
    }
}

fn show_item(number: usize, of: usize, item: &Item) {
    println!("\n{} {}", dim(&format!("{number}/{of}")), bold(&item.item));
    for entry in &item.entries {
        println!("{}", wrap(&format!("{} {}", entry.id, entry.statement), 2, width()));
    }
    println!("{}", wrap(&item.question, 2, width()));
}

/// Shows the entries of an item, whole.
fn show(session: &Session, item: &Item) -> Result<()> {
    let ids = item.entries.iter().map(|entry| entry.id.clone()).collect();
    let request = ShowRequest { ids, ..ShowRequest::default() };
    Show::execute(session, request).map(drop)
}

/// Reads keys until one of them means something. Where no more can be read, that is the end.
fn choose(item: &Item) -> Result<Choice> {
    let mut keys: Vec<String> =
        item.answers.iter().map(|answer| format!("[{}] {answer}", key(answer))).collect();
    keys.extend(["[e] edit", "[v] view", "[Enter] skip", "[q] stop"].map(str::to_owned));
    let _unechoed = Unechoed::start();
    eprintln!(
        "{}",
        wrap(&keys.join("  ").replace("] ", "]\u{a0}"), 2, width())
            .replace('\u{a0}', " ")
            .replace(" [", "  [")
    );
    loop {
        let pressed = match Term::stderr().read_key() {
            Ok(Key::Char(letter)) => letter.to_ascii_lowercase(),
            Ok(Key::Enter) => return Ok(Choice::Skip),
            Ok(Key::Escape | Key::CtrlC) | Err(_) => return Ok(Choice::Stop),
            Ok(_) => {
                say_keys("that key", item);
                continue;
            }
        };
        if let Some(answer) = item.answers.iter().find(|answer| key(answer) == pressed) {
            return Ok(Choice::Answer(answer));
        }
        match pressed {
            'e' => return Ok(Choice::Edit),
            'v' => return Ok(Choice::Show),
            ' ' => return Ok(Choice::Skip),
            'q' | '\u{4}' => return Ok(Choice::Stop),
            other => say_keys(&format!("{other:?}"), item),
        }
    }
}

/// Says which keys mean something, after one that does not.
fn say_keys(pressed: &str, item: &Item) {
    let mut keys: Vec<String> = item.answers.iter().map(|answer| key(answer).to_string()).collect();
    keys.extend(["e", "v", "Enter", "q"].map(str::to_owned));
    eprintln!("  {pressed} has no meaning here; press one of {}", keys.join(", "));
}

/// The whole queue as lines in an editor, or as lines of a file that somebody edited before.
fn edit(session: &Session, request: &QueueRequest) -> Result<u8> {
    let mut ken = session.open()?;
    let sheet = kenning::queue::queue(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, usize::MAX)?;
    let mut act = |text: &str| -> Result<u8> {
        let verdicts = read_lines(&sheet.items, text)?;
        if verdicts.is_empty() {
            println!("nothing was decided, and nothing was changed");
            return Ok(exit::OK);
        }
        let results: Vec<Ruled> =
            verdicts.iter().map(|verdict| judge_or_ask(session, &mut ken, verdict)).collect::<Result<_>>()?;
        let Worksheet { items, total, cursor, .. } =
            kenning::queue::queue(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, request.limit)?;
        let answer = QueueAnswer::Judged(Rulings { results, items, total, cursor });
        session.notes(&mut ken);
        session.output.answer(&answer, || {
            Queue::say(&answer);
            println!("{} in the queue", count(total, "item is left", "items are left"));
        })?;
        Ok(Queue::exit_code(&answer))
    };
    if let Some(file) = &request.file {
        let doing = format!("reading {}", file.display());
        return act(&editor::read_text(file).map_err(Error::failed(doing))?);
    }
    if sheet.items.is_empty() {
        say_kept_out(&sheet);
        return Ok(exit::OK);
    }
    let instead = "`ken queue --list` lists what waits, with a command for each answer";
    let edited = editor::edit(&write_lines(&sheet.items), ".txt", instead)?;
    act(&edited.text).map_err(|error| edited.keep(error, "ken queue"))
}

/// The queue as lines: an action, the item, and what it is about as a comment. Below, what each action does.
fn write_lines(items: &[Item]) -> String {
    let wide = items.iter().map(|item| item.item.chars().count()).max().unwrap_or(0).min(60);
    let mut text = String::new();
    for item in items {
        let title = item.entries.first().map(|entry| cut(&entry.title, 60)).unwrap_or_default();
        text.push_str(&format!("{SKIP} {:<wide$} # {title} -> {}\n", item.item, item.answers.join(", ")));
    }
    text.push_str(
        "\n# Replace the first word of a line by one of the actions at its end, save and close.\n\
         # Words after the item are the reason: no_longer_true holds lesson.one the retry was removed\n\
         # A line that is deleted or begins with # is skipped. Nothing runs if a line cannot be read.\n#\n",
    );
    let mut answers: Vec<&str> = items.iter().flat_map(|item| item.answers.iter().copied()).collect();
    answers.sort_unstable();
    answers.dedup();
    text.push_str(&format!("# {SKIP:<16} leave it in the queue\n"));
    answers.iter().for_each(|answer| text.push_str(&format!("# {answer:<16} {}\n", meaning(answer))));
    text.push_str("#\n");
    for item in items {
        text.push_str(&format!("# {}: {}\n", item.item, cut(&item.question, usize::MAX)));
        for entry in &item.entries {
            text.push_str(&format!("#   {} {}\n", entry.id, cut(&entry.statement, 200)));
        }
    }
    text
}

/// The judgements that edited lines say. All of them are read before any of them counts.
fn read_lines(items: &[Item], text: &str) -> Result<Vec<Verdict>> {
    let mut faults = Vec::new();
    let mut verdicts: Vec<Verdict> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        // A comment at the end of a line stands behind ` # `: a reason may name #12.
        let said = line.split(" # ").next().unwrap_or_default().trim();
        if said.is_empty() || said.starts_with('#') {
            continue;
        }
        match read_line(items, said) {
            Ok(None) => {}
            Ok(Some(verdict)) if verdicts.iter().any(|known| known.item == verdict.item) => {
                faults.push(at_line(at, format!("{} is decided twice", verdict.item)));
            }
            Ok(Some(verdict)) => verdicts.push(verdict),
            Err(problem) => faults.push(at_line(at, problem)),
        }
    }
    if faults.is_empty() {
        return Ok(verdicts);
    }
    let problems: Vec<&str> = faults.iter().map(|fault| fault.problem.as_str()).collect();
    let mut refusal = Refusal::new(Code::Invalid, format!("nothing was changed; {}", problems.join("; ")));
    refusal.faults = faults;
    Err(refusal.into())
}

fn at_line(at: usize, problem: String) -> Fault {
    Fault { field: "line".to_owned(), problem: format!("line {}: {problem}", at + 1) }
}

fn read_line(items: &[Item], said: &str) -> std::result::Result<Option<Verdict>, String> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let action = words[0].to_lowercase().replace('-', "_");
    let is_named = |item: &&Item| {
        let name: Vec<&str> = item.item.split_whitespace().collect();
        words.len() > name.len() && words[1..=name.len()] == name[..]
    };
    let Some(item) = items.iter().find(is_named) else {
        return match action.as_str() {
            SKIP => Ok(None),
            _ => Err(format!(
                "{:?} is no item of the queue; leave the items as they are",
                words[1..].join(" ")
            )),
        };
    };
    if action == SKIP {
        return Ok(None);
    }
    let Some(answer) = item.answers.iter().find(|answer| **answer == action) else {
        let near = nearest(&action, item.answers.iter().copied());
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let answers = item.answers.join(", ");
        return Err(format!("`{action}` is no action for {}{near} (allowed: {SKIP}, {answers})", item.item));
    };
    let reason = words[1 + item.item.split_whitespace().count()..].join(" ");
    let reason = if reason.is_empty() { REASON.to_owned() } else { reason };
    Ok(Some(Verdict { item: item.item.clone(), answer: (*answer).to_owned(), reason }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items() -> Vec<Item> {
        let item = |item: &str, answers: Vec<&'static str>| Item {
            item: item.to_owned(),
            question: "is it so?".to_owned(),
            answers,
            fixes: Vec::new(),
            entries: Vec::new(),
        };
        vec![
            item("holds one", vec!["still_true", "no_longer_true"]),
            item("same two three", vec!["same", "different"]),
        ]
    }

    fn read(text: &str) -> std::result::Result<Vec<(String, String, String)>, String> {
        let told = |verdict: Verdict| (verdict.item, verdict.answer, verdict.reason);
        read_lines(&items(), text)
            .map(|verdicts| verdicts.into_iter().map(told).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_lines_as_they_are_decide_nothing() {
        assert_eq!(read(&write_lines(&items())).unwrap(), []);
        assert_eq!(read("").unwrap(), []);
    }

    #[test]
    fn an_action_an_item_and_a_reason() {
        let text =
            "no-longer-true holds one see #12 # a title\n\nsame same two three\n# still_true holds one\n";
        let judged =
            |item: &str, answer: &str, reason: &str| (item.to_owned(), answer.to_owned(), reason.to_owned());
        assert_eq!(
            read(text).unwrap(),
            [judged("holds one", "no_longer_true", "see #12"), judged("same two three", "same", REASON)]
        );
    }

    #[test]
    fn every_line_is_read_before_anything_is_done() {
        let error =
            read("same holds one\nstill_true holds nobody\nstill_true holds one\nno_longer_true holds one\n");
        let error = error.unwrap_err();
        for part in [
            "line 1: `same` is no action for holds one",
            "line 2: \"holds nobody\" is no item of the queue",
            "line 4: holds one is decided twice",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }

    #[test]
    fn the_answers_of_an_item_have_keys_of_their_own() {
        for item in items() {
            let mut keys: Vec<char> = item.answers.iter().map(|answer| key(answer)).collect();
            keys.extend(['e', 'v', ' ', 'q']);
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), item.answers.len() + 4, "{}", item.item);
        }
    }
}
