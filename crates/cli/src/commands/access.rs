//! `token`, `approver` and `events`, shown.

use kenning::access::{TokenAdded, TokenView};
use kenning::table::approver_invite::ApproverInvited;
use kenning::table::events::EventsAnswer;
use kenning::table::token_list::TokenListAnswer;
use kenning::table::{ApproverInvite, Events, TokenAdd, TokenList, TokenRevoke};

use super::Shown;
use crate::output::{bold, dim, flat, println, say_more, table};

impl Shown for TokenAdd {
    fn say(added: &TokenAdded) {
        println!("{}", added.token);
        let until = added
            .expires
            .as_deref()
            .map_or("and does not expire".to_owned(), |until| format!("until {until}"));
        println!(
            "{}",
            dim(&format!("{} is a {} {until}; the token is not shown again", added.name, added.role))
        );
    }
}

impl Shown for TokenList {
    fn say(answer: &TokenListAnswer) {
        if answer.items.is_empty() {
            println!("there are no tokens; `ken token add NAME` makes one");
            return;
        }
        let rows = answer.items.iter().map(|token| {
            let until = token.expires.clone().unwrap_or_else(|| "never".to_owned());
            (
                vec![flat(&token.name), token.role.clone(), token.state.to_owned(), until],
                flat(&token.added_by),
            )
        });
        table(&["token", "role", "state", "expires", "made by"], rows.collect(), 0);
        say_more(answer);
    }
}

impl Shown for TokenRevoke {
    fn say(token: &TokenView) {
        println!("{} {}", bold(&flat(&token.name)), token.state);
    }
}

impl Shown for ApproverInvite {
    fn say(invited: &ApproverInvited) {
        println!("{}", invited.code);
        let told =
            format!("{} enters it at /session in the browser, until {}", invited.name, invited.expires);
        println!("{}", dim(&told));
    }
}

impl Shown for Events {
    fn say(answer: &EventsAnswer) {
        for event in &answer.items {
            let entry = event.entry.as_deref().unwrap_or("-");
            println!("{}  {}  {}  {}", event.at, flat(&event.kind), entry, dim(&flat(&event.actor)));
            if let Some(summary) = &event.summary {
                println!("  {}", flat(summary));
            }
        }
        let more = if answer.cursor.is_some() { "; there are more" } else { "" };
        println!("{}", dim(&format!("cursor {}{more}", answer.position)));
    }
}
