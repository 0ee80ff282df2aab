//! `ken demo`: what Kenning does, run by the real commands on a scratch repository.
//!
//! Without a name the demo tells the story in about a minute of reading. A chapter shows one part of the product in depth, and `all`
//! plays every chapter in one repository. To show something new, write a function and add a [`Scene`] to a chapter.

mod agent;
mod code;
mod entries;
mod foreign;
mod learning;
mod norms;
mod recovery;
mod stage;
mod story;
mod teams;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use kenning::{Error, Result};

use self::stage::{ADA, Play, Stage, Stop};
use crate::output::{bold, exit, width, wrap};

/// A part of the demo that can be played on its own.
#[derive(Clone, Copy)]
struct Chapter {
    name: &'static str,
    /// The chapter works on the entries that [`entries`] makes.
    needs_entries: bool,
    scenes: &'static [Scene],
}

/// A few commands that show one thing. A scene continues where the one before it ended.
struct Scene {
    title: &'static str,
    text: &'static str,
    play: fn(&mut Stage) -> Play,
}

/// The name that stands for all chapters.
const ALL: &str = "all";

/// What `ken demo` plays if no chapter is named.
const STORY: Chapter = Chapter { name: "story", needs_entries: false, scenes: story::SCENES };

/// The chapters of `ken demo all`, in order.
const CHAPTERS: &[Chapter] = &[
    Chapter {
        name: "entries",
        needs_entries: false,
        scenes: &[
            Scene {
                title: "A store next to the code",
                text: "Ada has a small booking client in git. `ken init` adds one folder to it.",
                play: entries::begin,
            },
            Scene {
                title: "No claim without evidence",
                text: "A lesson names its source, the code it describes and a way to check it. Otherwise it is refused.",
                play: entries::evidence,
            },
            Scene {
                title: "Other types of entries",
                text: "A decision, a norm for commits and a named thing, each with its evidence.",
                play: entries::kinds,
            },
            Scene {
                title: "Reading entries",
                text: "A list to scan, and one entry in full.",
                play: entries::read,
            },
            Scene {
                title: "Why should I believe that?",
                text: "An entry explains itself: who added it, its evidence, the checks that did not run, and its history.",
                play: entries::why,
            },
        ],
    },
    Chapter {
        name: "search",
        needs_entries: true,
        scenes: &[
            Scene {
                title: "Search by meaning",
                text: "A question that shares one word with the lesson finds it, and `--explain` shows the score breakdown.",
                play: entries::find,
            },
            Scene {
                title: "A few entries for an agent",
                text: "What a researcher gets before work begins, within a token budget, and the report it owes afterwards.",
                play: entries::hand_over,
            },
        ],
    },
    Chapter {
        name: "guard",
        needs_entries: true,
        scenes: &[Scene {
            title: "Nothing harmful gets in",
            text: "A key in a note and an instruction to the reader are refused. A lesson that warns of such things is not.",
            play: entries::keep_clean,
        }],
    },
    Chapter {
        name: "validity",
        needs_entries: true,
        scenes: &[Scene {
            title: "Is it still true?",
            text: "Code that moves is found again. Code that is gone breaks its entries and those that depend on them, until it is back.",
            play: learning::still_true,
        }],
    },
    Chapter {
        name: "learning",
        needs_entries: true,
        scenes: &[
            Scene {
                title: "Did it help?",
                text: "A task reports what it used and how it went. Reading alone would have changed nothing.",
                play: learning::learn,
            },
            Scene {
                title: "Confirmed, or merely repeated?",
                text: "Two reviewers report the same lesson. One had been shown it, the other had not: only the second confirms it.",
                play: learning::review,
            },
        ],
    },
    Chapter {
        name: "agents",
        needs_entries: true,
        scenes: &[Scene {
            title: "In an agent's hands",
            text: "One command connects an agent host. The agent is shown what matters, and what it learns is kept.",
            play: agent::play,
        }],
    },
    Chapter {
        name: "norms",
        needs_entries: true,
        scenes: &[Scene {
            title: "What the team agreed on",
            text: "A rule is read from a document, a named person puts it in force, and a change that violates it is stopped.",
            play: norms::play,
        }],
    },
    Chapter {
        name: "import",
        needs_entries: true,
        scenes: &[Scene {
            title: "Files of other systems",
            text: "Two review tools keep files of their own. They are imported, and a change on either side reaches the other.",
            play: foreign::play,
        }],
    },
    Chapter {
        name: "teams",
        needs_entries: true,
        scenes: &[
            Scene {
                title: "Two people, two branches, one merge",
                text: "Ada and Ben each have a clone and a branch. Both add the same lesson, not quite alike, and both revise an older one.",
                play: teams::merge,
            },
            Scene {
                title: "What did the branches bring?",
                text: "What a reviewer asks of a pull request. `--format markdown` makes a comment of the answer.",
                play: teams::diff,
            },
        ],
    },
    Chapter {
        name: "recovery",
        needs_entries: true,
        scenes: &[
            Scene {
                title: "A crash in the middle",
                text: "2,400 entries are added, a thousand at a time, and the process is killed in the second thousand.",
                play: recovery::crash,
            },
            Scene {
                title: "git reset --hard",
                text: "Ada adds a lesson, does not commit it, and throws her working tree away.",
                play: recovery::reset,
            },
        ],
    },
];

/// The names that `ken demo` accepts.
pub(crate) fn chapter_names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
        [STORY.name].into_iter().chain(CHAPTERS.iter().map(|chapter| chapter.name)).chain([ALL]).collect()
    });
    &NAMES
}

/// Plays a chapter by its name, then removes the scratch repository. Says which step failed if one did.
pub(crate) fn run(name: &str, keep: bool) -> Result<u8> {
    let begun = Instant::now();
    let stopped = Arc::new(AtomicBool::new(false));
    let flag = stopped.clone();
    // Ctrl-C ends the scene that is playing, so that the folder can still be removed.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst));
    let folder = tempfile::Builder::new()
        .prefix("ken-demo-")
        .tempdir()
        .map_err(Error::failed("making a temporary folder for the demo"))?;
    // Everything is removed when `folder` goes out of scope, whatever happened.
    let folder = if keep { Folder::Kept(folder.keep()) } else { Folder::Removed(folder) };
    let outcome = Stage::set(folder.path(), stopped).and_then(|mut stage| play(&mut stage, name, begun));
    if let Folder::Kept(path) = &folder {
        anstream::println!("\nkept: {}", path.join(ADA).display());
    }
    match outcome {
        Ok(()) => Ok(exit::OK),
        Err(Stop::Interrupted) => Ok(exit::INTERRUPTED),
        // Whoever was watching has gone away.
        Err(Stop::Unheard) => Ok(exit::OK),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// The scratch folder, and whether it outlives the demo.
enum Folder {
    Removed(tempfile::TempDir),
    Kept(PathBuf),
}

impl Folder {
    fn path(&self) -> &Path {
        match self {
            Folder::Removed(folder) => folder.path(),
            Folder::Kept(path) => path,
        }
    }
}

fn play(stage: &mut Stage, name: &str, begun: Instant) -> Play {
    stage.code_base()?;
    let mut scenes: Vec<&Scene> = Vec::new();
    if name == ALL {
        scenes.extend(CHAPTERS.iter().flat_map(|chapter| chapter.scenes));
    } else {
        let all = [STORY].into_iter().chain(CHAPTERS.iter().copied());
        let chapter = all
            .into_iter()
            .find(|chapter| chapter.name == name)
            .expect("the command line knows its chapters");
        if chapter.needs_entries {
            for scene in [entries::begin, entries::evidence, entries::kinds, entries::why] {
                stage.prepare(scene)?;
            }
        }
        scenes.extend(chapter.scenes);
    }
    let opening = "Every command below runs for real, in a scratch repository that is removed at the end.";
    stage.say(&format!("{}\n", wrap(opening, 0, width())))?;
    for (at, scene) in scenes.into_iter().enumerate() {
        stage.scene = scene.title;
        stage.say(&bold(&format!("== {}. {}", at + 1, scene.title)))?;
        stage.say(&format!("{}\n", wrap(scene.text, 0, width())))?;
        (scene.play)(stage)?;
    }
    figures(stage, begun)?;
    more(stage, name)
}

/// What the scenes counted.
fn figures(stage: &mut Stage, begun: Instant) -> Play {
    let numbers = std::mem::take(&mut stage.numbers);
    if numbers.is_empty() {
        return Ok(());
    }
    stage.say(&bold("== In numbers"))?;
    for line in numbers {
        stage.say(&format!("  {line}"))?;
    }
    stage.say(&format!("  {:.1} seconds in all\n", begun.elapsed().as_secs_f64()))
}

/// Where to go from here.
fn more(stage: &Stage, name: &str) -> Play {
    if name == STORY.name {
        let names: Vec<&str> = CHAPTERS.iter().map(|chapter| chapter.name).chain([ALL]).collect();
        stage.say(&wrap(&format!("More: ken demo CHAPTER, one of {}.", names.join(", ")), 0, width()))?;
    }
    stage.say("In your own repository: ken init, then ken setup to connect an agent host; see docs/start.md.")
}
