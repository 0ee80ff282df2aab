//! Example norms, offered one by one: `init --with-norms`.

use kenning::core::{Code, Refusal, norm, promotion};
use kenning::templates::{Template, templates};
use kenning::{AddInput, Reach, Result};

use super::Session;
use crate::output::{bold, count, dim, plain, println, wrap};
use crate::terminal;

/// Refuses where no person sits who could accept anything: nothing is made then.
pub(super) fn check(session: &Session) -> Result<()> {
    const OTHERWISE: &str = "without --with-norms the store is created at once";
    if let Some(agent) = agent(session) {
        let message = format!("accepting example norms requires a person, and you are {agent}");
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint(format!("ask a person to run `ken init --with-norms` in their own terminal; {OTHERWISE}"))
            .into());
    }
    if terminal::is_there() {
        return Ok(());
    }
    Err(Refusal::new(
        Code::NotAllowed,
        "example norms are accepted one by one in a terminal, and this is not one",
    )
    .hint(format!("run `ken init --with-norms` in a terminal; {OTHERWISE}"))
    .into())
}

/// The agent that acts, or whose host runs this process, whoever it says to act for.
fn agent(session: &Session) -> Option<String> {
    let host = session.identity.host.as_ref().map(|host| format!("agent:{host}"));
    host.or_else(|| session.identity.actor.clone().filter(|actor| !actor.starts_with("human:")))
}

/// Offers every example; what is accepted is in force if the person may say so, and a candidate otherwise.
pub(super) fn offer(session: &Session) -> Result<()> {
    let mut ken = become_approver(session, session.open()?)?;
    let may = kenning::promote::approver(&ken.site.config, &ken.caller, "accepting a norm").is_ok();
    let mut offered: Vec<&Template> = Vec::new();
    println!();
    for template in templates() {
        match kenning::templates::norm_like(&ken.ledger, template)? {
            Some((id, status)) => println!("{} already exists: {} ({status})", template.title, plain(&id)),
            None => offered.push(template),
        }
    }
    println!(
        "{} {}. {}",
        count(offered.len(), "example norm", "example norms"),
        if offered.len() == 1 { "follows" } else { "follow" },
        match may {
            true => "Norms you accept are in force at once.",
            false => "You are not an approver: norms you accept stay candidates until an approver agrees.",
        }
    );
    let mut accepted = Vec::new();
    for (at, template) in offered.iter().enumerate() {
        show(at + 1, offered.len(), template);
        match choose(terminal::ask)? {
            Choice::Accept => match take(session, &mut ken, template, may) {
                Ok(id) => accepted.push(id),
                // What cannot be taken (it contradicts another) is told, and the next one follows.
                Err(error) => println!("  {error}"),
            },
            Choice::LeaveOut => {}
            Choice::Stop => break,
        }
    }
    println!("\n{} accepted", count(accepted.len(), "norm", "norms"));
    if !accepted.is_empty() {
        say_next(session, &accepted, may);
    }
    Ok(())
}

/// What to do with what was accepted. Every line can be pasted as it is.
fn say_next(session: &Session, accepted: &[String], may: bool) {
    if !may {
        println!("To put a candidate in force, propose it to an approver:");
        accepted
            .iter()
            .for_each(|id| println!("  ken promote {id} --to procedural --reason 'we agreed on it'"));
        println!("  ken promote list");
        println!("Then:");
    }
    // A private store is not committed, nor is one beside every repository.
    const ASK: &[&str] = &["check-ignore", "--quiet", "--", ".kenning/VERSION"];
    let git = session.options.find().and_then(|layout| layout.git);
    if git.is_some_and(|git| git.text(ASK).is_err()) {
        println!("  ken commit");
    }
    println!("  ken gate");
}

/// What a person wants with an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Accept,
    LeaveOut,
    Stop,
}

/// Asks until one of the three is said. Input that ends says to stop.
fn choose(mut ask: impl FnMut(&str) -> Result<String>) -> Result<Choice> {
    let mut question = "[y] accept  [n] skip  [q] quit: ".to_owned();
    loop {
        let line = ask(&question)?;
        let said = line.trim();
        match said.to_lowercase().as_str() {
            "y" | "yes" => return Ok(Choice::Accept),
            "n" | "no" => return Ok(Choice::LeaveOut),
            "q" | "quit" => return Ok(Choice::Stop),
            _ if line.is_empty() => return Ok(Choice::Stop),
            "" => "Type y, n or q: ".clone_into(&mut question),
            _ => question = format!("Unknown answer {:?}. Type y, n or q: ", plain(said)),
        }
    }
}

/// Where nobody may approve yet, whoever makes the store can say that they do.
fn become_approver(session: &Session, ken: Reach) -> Result<Reach> {
    let actor = ken.caller.actor().to_owned();
    let name = promotion::name_of(&actor).to_owned();
    if !kenning::promote::who_approves(&ken.site.config).approvers.is_empty() || !actor.starts_with("human:")
    {
        return Ok(ken);
    }
    let question =
        format!("There are no approvers yet. Type `yes` to become one as {name}, or press Enter: ");
    let unchanged = format!("{name} is not an approver, and no norm was added");
    let Some(person) = session.offer(&ken, &question, &unchanged)? else { return Ok(ken) };
    let mut ken = ken.confirmed_by(person);
    kenning::config::set_setting(
        &ken.ledger,
        &mut ken.site.config,
        &ken.caller,
        &format!("approvers.{name}"),
        "yes",
    )?;
    println!("approvers.{name} = yes");
    Ok(ken)
}

fn show(at: usize, of: usize, template: &Template) {
    let width = crate::output::width();
    println!("\n{} {}", dim(&format!("{at}/{of}")), bold(template.title));
    println!("{}", wrap(template.rule, 4, width));
    let told = norm::told(template.kind, Some(&template.enforcement()));
    println!("{}", wrap(&told, 4, width));
    for exception in template.exceptions {
        println!("{}", wrap(&format!("except: {exception}"), 4, width));
    }
}

fn take(session: &Session, ken: &mut Reach, template: &Template, may: bool) -> Result<String> {
    let mut content = template.content();
    content.insert("id".into(), template.id.into());
    let (kind, evidence) = (Some(template.kind.word().to_owned()), vec![template.evidence()]);
    let answer = kenning::add::add(
        &mut ken.ledger,
        &ken.site,
        &mut ken.models,
        &ken.caller,
        AddInput { kind, content, evidence, ..AddInput::default() },
    )?;
    if may {
        kenning::promote::accept_stated(
            &mut ken.ledger,
            &ken.site,
            &mut ken.models,
            &ken.caller,
            &answer.id,
        )?;
    }
    session.notes(ken);
    println!("  {} {}", answer.id, if may { "is in force" } else { "is a candidate" });
    Ok(answer.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_three_answers_are_answers() {
        let table: &[(&[&str], Choice, usize)] = &[
            (&["y\n"], Choice::Accept, 1),
            (&["YES\r\n"], Choice::Accept, 1),
            (&["no\n"], Choice::LeaveOut, 1),
            (&["q\n"], Choice::Stop, 1),
            (&["\n", "x\n", "yn\n", "n\n"], Choice::LeaveOut, 4),
            (&[""], Choice::Stop, 1),
            (&["hm\n", ""], Choice::Stop, 2),
        ];
        for (lines, expected, asked) in table {
            let mut left = lines.iter();
            let mut questions = Vec::new();
            let found = choose(|question| {
                questions.push(question.to_owned());
                Ok((*left.next().expect("no more is asked")).to_owned())
            });
            assert_eq!(found.ok(), Some(*expected), "{lines:?}");
            assert_eq!(questions.len(), *asked, "{questions:?}");
        }
    }
}
