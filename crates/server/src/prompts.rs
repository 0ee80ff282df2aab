//! Prompts: the habits that people can start with a word.

use rmcp::model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};

struct Offered {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    argument: (&'static str, &'static str, bool),
    text: fn(&str) -> String,
}

const PROMPTS: &[Offered] = &[
    Offered {
        name: "recall-first",
        title: "Recall first",
        about: "Start a task with what is known about it",
        argument: ("task", "The task to do", true),
        text: |task| {
            format!(
                "Before you begin, call `brief` with the task below, then `recall` for each part you are unsure of. List the entries \
                 that matter by id, say of each whether it still holds, and plan with them.\n\nTask: {task}"
            )
        },
    },
    Offered {
        name: "review-session",
        title: "Review the session",
        about: "End a session by saving what was learned",
        argument: ("focus", "Topic to focus on", false),
        text: |focus| {
            let focus = if focus.is_empty() { String::new() } else { format!(" Focus on: {focus}.") };
            format!(
                "Go through this conversation.{focus} For each thing learned that the code does not say (a root cause, a decision and \
                 its reason, a pitfall, a dead end) call `recall` to see whether it is known, and `remember` if it is not, with evidence, \
                 an anchor and a verification step. Then call `finish` with the outcome and the ids you relied on."
            )
        },
    },
    Offered {
        name: "judge-queue",
        title: "Work through the queue",
        about: "Answer the items of the review queue",
        argument: ("limit", "Maximum number of items", false),
        text: |limit| {
            let limit = if limit.is_empty() { "10" } else { limit };
            format!(
                "Call `queue` with limit {limit}. For each item read the entries and the code they name, choose one of the answers it \
                 allows, and give a reason. Submit the answers with `queue`. Leave to a person what you cannot decide."
            )
        },
    },
];

/// What is offered.
pub(crate) fn listed() -> Vec<Prompt> {
    PROMPTS
        .iter()
        .map(|offered| {
            let (name, about, required) = offered.argument;
            let argument = PromptArgument::new(name).with_description(about).with_required(required);
            Prompt::new(offered.name, Some(offered.about), Some(vec![argument])).with_title(offered.title)
        })
        .collect()
}

/// One of them, filled in.
pub(crate) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, String> {
    let Some(offered) = PROMPTS.iter().find(|offered| offered.name == request.name) else {
        let names: Vec<&str> = PROMPTS.iter().map(|offered| offered.name).collect();
        return Err(format!("unknown prompt `{}`; available: {}", request.name, names.join(", ")));
    };
    let (name, about, required) = offered.argument;
    let given = request.arguments.as_ref().and_then(|given| given.get(name)?.as_str()).unwrap_or_default();
    if required && given.trim().is_empty() {
        return Err(format!("the prompt `{}` needs `{name}`: {about}", offered.name));
    }
    let message = PromptMessage::new_text(Role::User, (offered.text)(given.trim()));
    Ok(GetPromptResult::new(vec![message]).with_description(offered.about))
}
