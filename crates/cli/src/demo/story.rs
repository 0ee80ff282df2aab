//! The short story: one lesson, from the outage that taught it to the agent that needs it.

use serde_json::json;

use super::code::CLIENT_BEFORE;
use super::stage::{ADA, Play, Stage};
use super::{Scene, agent, entries};

pub(super) const SCENES: &[Scene] = &[
    Scene {
        title: "Keep what was learned",
        text: "After an outage Ada records a lesson, with its evidence, the code it describes and a way to check it.",
        play: keep,
    },
    Scene {
        title: "Find it in other words",
        text: "Months later Ben asks. His question shares hardly a word with the lesson.",
        play: find,
    },
    Scene {
        title: "Tell the agent in time",
        text: "A coding agent is about to edit that file. A hook shows it what is known there; nobody had to ask.",
        play: tell,
    },
    Scene {
        title: "Notice what stopped being true",
        text: "Somebody removes the retries. The lesson is marked before it can mislead anybody.",
        play: check,
    },
    Scene {
        title: "Learn from the outcome",
        text: "The change is reverted. The next task uses the lesson and succeeds, so it is believed more.",
        play: learn,
    },
];

fn keep(stage: &mut Stage) -> Play {
    stage.ken(&["init"])?;
    entries::add_lesson(stage)?;
    stage.ken(&["commit", "-m", "knowledge: what the outage taught us"])
}

fn find(stage: &mut Stage) -> Play {
    stage.ken(&["search", "how long should a client wait before it tries again?"])
}

fn tell(stage: &mut Stage) -> Play {
    let file = stage.folder.join(ADA).join("src/client.py").display().to_string();
    agent::hook(
        stage,
        "touch",
        json!({"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": file}}),
    )
}

fn check(stage: &mut Stage) -> Play {
    stage.write(&format!("{ADA}/src/client.py"), CLIENT_BEFORE)?;
    stage.ken(&["check", "--diff", "HEAD"])
}

fn learn(stage: &mut Stage) -> Play {
    stage.git(&["checkout", "--quiet", "src/client.py"])?;
    let retry = stage.retry.clone();
    stage.ask_ken(&["task", "start", "--goal", "survive a slow upstream", "--run", "upstream"])?;
    stage.ken(&["task", "finish", "--run", "upstream", "--outcome", "success", "--used", &retry])
}
