//! Example norms, offered one by one: `init --with-norms`.

use kenning::core::{Code, Refusal, promotion};
use kenning::templates::{Template, templates};
use kenning::{AddInput, Channel, Kenning, Result};

use super::{Session, promote};
use crate::output::{bold, count, dim, println, wrap};

/// Refuses where nobody sits who could accept anything: nothing is made then.
pub(super) fn check() -> Result<()> {
    if promote::at_terminal() {
        return Ok(());
    }
    Err(Refusal::new(
        Code::NotAllowed,
        "example norms are offered to a person, one by one, and there is no terminal here",
    )
    .hint("run `ken init --with-norms` in a terminal; without --with-norms the store is made at once")
    .into())
}

/// Offers every example; what is accepted is in force if the person may say so, and a candidate otherwise.
pub(super) fn offer(session: &Session) -> Result<()> {
    let mut ken = session.open()?;
    become_approver(&mut ken)?;
    let may = ken.approver("accepting a norm").is_ok();
    let all = templates();
    println!(
        "\n{} follow. {}",
        count(all.len(), "example norm", "example norms"),
        match may {
            true => "What you accept is in force at once.",
            false => "You are no approver here: what you accept is a candidate until one agrees.",
        }
    );
    let mut accepted = 0;
    for (at, template) in all.iter().enumerate() {
        show(at + 1, all.len(), template);
        match promote::answer("[y] accept  [n] leave out  [q] stop: ")?.trim().to_lowercase().as_str() {
            "y" | "yes" => {
                match take(session, &mut ken, template, may) {
                    Ok(()) => accepted += 1,
                    // What cannot be taken (it is there already, it contradicts another) is told, and the next one follows.
                    Err(error) => println!("  {error}"),
                }
            }
            "q" | "quit" => break,
            _ => {}
        }
    }
    println!("\n{} accepted", count(accepted, "norm", "norms"));
    if accepted > 0 {
        println!("  ken commit\n  ken gate --diff HEAD~1..HEAD");
    }
    Ok(())
}

/// Where nobody may approve yet, whoever makes the store can say that they do.
fn become_approver(ken: &mut Kenning) -> Result<()> {
    let actor = ken.actor();
    let name = promotion::name_of(&actor).to_owned();
    if !ken.who_approves().approvers.is_empty() || !actor.starts_with("human:") {
        return Ok(());
    }
    let question = format!(
        "Nobody may approve norms here yet. Type `yes` to become an approver as {name}, or press Enter: "
    );
    if promote::answer(&question)?.trim() == "yes" {
        ken.set_setting(&format!("approvers.{name}"), "yes")?;
        println!("approvers.{name} = yes");
    }
    Ok(())
}

fn show(at: usize, of: usize, template: &Template) {
    println!("\n{} {}", dim(&format!("{at}/{of}")), bold(template.title));
    println!("{}", wrap(template.rule, 4, crate::output::width()));
    println!("    {}", dim(&format!("checked by {}", template.enforcement())));
    for exception in template.exceptions {
        println!("    {}", dim(&format!("except: {exception}")));
    }
}

fn take(session: &Session, ken: &mut Kenning, template: &Template, may: bool) -> Result<()> {
    let mut content = template.content();
    content.insert("id".into(), template.id.into());
    let (kind, evidence) = (Some(template.kind.word().to_owned()), vec![template.evidence()]);
    let answer = ken.add(AddInput { kind, content, evidence, ..AddInput::default() })?;
    if may {
        ken.accept_stated(&answer.id, Channel::Terminal)?;
    }
    session.notes(ken);
    println!("  {} {}", answer.id, if may { "is in force" } else { "is a candidate" });
    Ok(())
}
