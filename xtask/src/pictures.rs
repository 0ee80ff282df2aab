//! `cargo xtask pictures`: the pictures of docs/pictures, made from the real output of `ken`.
//!
//! Plays a story in a scratch repository, on a terminal of a fixed width and at a fixed time, and writes what the terminal shows as SVG. The
//! picture is dark, and light where the reader prefers that. With `--check` nothing is written, and a picture that is not what `ken` prints
//! is a failure.
//!
//! With `--browser` the screenshots of the browser's pages are made instead, by the Chromium of the distribution.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::context::{Context, Failure, Outcome, capture, failed, show};
use crate::harness::scratch::Scratch;

/// The width of the terminal.
const COLUMNS: usize = 92;
/// When the story is played.
const NOW: &str = "2026-11-16T09:00:00Z";
/// The width of a letter of the font, the height of a line, and the room around the text, in units of the picture.
const LETTER: f64 = 8.43;
const LINE: usize = 19;
const MARGIN: usize = 20;

/// A picture: a scratch repository with some files, what is run before, and what is run and shown.
struct Story {
    file: &'static str,
    title: &'static str,
    files: &'static [(&'static str, &'static str)],
    before: &'static [&'static str],
    shown: &'static [&'static str],
}

const STORIES: &[Story] = &[Story {
    file: "first-minute.svg",
    title: "A lesson is added and found by a question in other words; then the code changes, and check says that the lesson no longer \
            holds",
    files: &[
        (
            "src/client.py",
            "import random, time\n\ndef send(request, tries=3):\n    for attempt in range(tries):\n        try:\n            return \
             request()\n        except ConnectionError:\n            time.sleep(random.uniform(0, 2 ** attempt))\n    raise \
             ConnectionError('gave up')\n",
        ),
        ("config/app.toml", "[net]\nretries = 3\n"),
        ("docs/outage.md", "# Outage\n\nAll clients came back in the same second.\n"),
    ],
    before: &[
        "git init -q -b main",
        "git add -A",
        "git commit -q -m 'client: retry with jitter'",
        "ken init",
    ],
    shown: &[
        "ken add lesson 'Retry with full jitter, or all clients come back at once.' \\\n      --evidence docs/outage.md --anchor \
         'src/client.py#send' \\\n      --verify 'grep -n uniform src/client.py' --depends-on 'config/app.toml:net.retries = 3'",
        "ken search 'how should a client try again?'",
        "sed -i.old 's/random.uniform.*/1)/' src/client.py        # somebody simplifies the code",
        "sed -i.old 's/retries = 3/retries = 5/' config/app.toml  # and changes a setting",
        "ken check",
    ],
}];

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    let (mut check, mut browser) = (false, false);
    let mut ken: Option<PathBuf> = None;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match (word.as_str(), words.as_slice()) {
            ("--check", _) => check = true,
            ("--browser", _) => browser = true,
            ("--ken", [path, ..]) => {
                ken = Some(PathBuf::from(path));
                words.next();
            }
            (other, _) => {
                let message = format!(
                    "`pictures` takes `--check`, `--browser` and `--ken FILE`, but was given `{other}`"
                );
                return Err(Failure::Usage(message));
            }
        }
    }
    let ken = match ken {
        Some(path) => {
            path.canonicalize().map_err(|error| Failure::Failed(format!("{}: {error}", path.display())))?
        }
        None => built(context)?,
    };
    if browser {
        let mut command = crate::browser::script(context, &ken, "pictures.ts")?;
        return show(command.arg(context.root.join("docs/pictures")));
    }
    for story in STORIES {
        let path = context.root.join("docs/pictures").join(story.file);
        let picture = draw(story, &play(story, &ken)?);
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        match (kept == picture, check) {
            (true, _) => println!("{}: as it was", path.display()),
            (false, true) => {
                return failed(format!(
                    "docs/pictures/{} is not what `ken` prints; `cargo xtask pictures` makes it",
                    story.file
                ));
            }
            (false, false) => {
                std::fs::write(&path, picture)
                    .map_err(|error| Failure::Failed(format!("cannot write {}: {error}", path.display())))?;
                println!("{}: written", path.display());
            }
        }
    }
    Ok(())
}

/// Builds `ken` and says where it is.
fn built(context: &Context) -> Result<PathBuf, Failure> {
    show(&mut context.cargo(["build", "-p", "ken-cli"]))?;
    let folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| context.root.join("target"), PathBuf::from);
    Ok(folder.join("debug/ken"))
}

/// Plays a story and gives the lines of the screen.
fn play(story: &Story, ken: &Path) -> Result<Vec<Line>, Failure> {
    let scratch = Scratch::below(&std::env::temp_dir())?;
    let folder = scratch.folder.join("shop");
    for (name, text) in story.files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(&folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| Failure::Failed(format!("cannot write {}: {error}", path.display())))?;
    }
    for command in story.before {
        capture(shell(command, &scratch, &folder, ken).stdin(Stdio::null()))?;
    }
    let mut lines = Vec::new();
    for command in story.shown {
        lines.extend(format!("$ {command}").lines().map(|line| vec![(Style::Command, line.to_owned())]));
        let screen = on_terminal(command, &scratch, &folder, ken)?;
        lines.extend(screen.lines().map(spans));
    }
    Ok(lines)
}

/// A command of a story. It sees nothing of the caller's own settings or agent host: the picture is the same everywhere.
fn shell(command: &str, scratch: &Scratch, folder: &Path, ken: &Path) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let programs = ken.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).env_clear();
    shell.env("PATH", format!("{programs}:{path}")).env("HOME", &scratch.folder);
    shell
        .env("TERM", "xterm-256color")
        .env("KEN_NOW", NOW)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("KEN_BACKGROUND", "0");
    for who in ["AUTHOR", "COMMITTER"] {
        shell.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.org");
        shell.env(format!("GIT_{who}_DATE"), NOW);
    }
    shell
}

/// What a command prints on a terminal, which the program `script` of util-linux makes.
fn on_terminal(command: &str, scratch: &Scratch, folder: &Path, ken: &Path) -> Result<String, Failure> {
    let story = scratch.folder.join("command.sh");
    std::fs::write(&story, format!("stty cols {COLUMNS} rows 40\n{command}\n"))
        .map_err(|error| Failure::Failed(format!("cannot write {}: {error}", story.display())))?;
    let line = format!("script -qec 'sh {}' /dev/null", story.display());
    // A check that finds something ends with 1, and is shown as well.
    match shell(&line, scratch, folder, ken).stdin(Stdio::null()).output() {
        Ok(output) => {
            let screen = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
            Ok(screen.trim_end_matches(['\n', '\r']).to_owned())
        }
        Err(error) => failed(format!("cannot start `script`, which makes a terminal: {error}")),
    }
}

/// How a part of a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Blue,
    Command,
}

impl Style {
    const ALL: [Style; 8] = [
        Style::Plain,
        Style::Bold,
        Style::Dim,
        Style::Red,
        Style::Green,
        Style::Yellow,
        Style::Blue,
        Style::Command,
    ];

    fn class(self) -> &'static str {
        match self {
            Style::Plain => "plain",
            Style::Bold => "bold",
            Style::Dim => "dim",
            Style::Red => "red",
            Style::Green => "green",
            Style::Yellow => "yellow",
            Style::Blue => "blue",
            Style::Command => "command",
        }
    }

    /// The colour on a dark and on a light ground.
    fn colours(self) -> (&'static str, &'static str) {
        match self {
            Style::Plain => ("#d7dce2", "#24292f"),
            Style::Bold => ("#fff", "#000"),
            Style::Dim => ("#9aa4b0", "#6e7781"),
            Style::Red => ("#ff8a80", "#b3261e"),
            Style::Green | Style::Command => ("#8bd5a0", "#116329"),
            Style::Yellow => ("#f2cc60", "#7d5600"),
            Style::Blue => ("#8ab4f8", "#0b57d0"),
        }
    }

    /// The style that an escape sequence asks for: its last code that is known here.
    fn from_codes(codes: &str) -> Style {
        let mut known = codes.split(';').filter_map(|code| match code {
            "1" => Some(Style::Bold),
            "2" => Some(Style::Dim),
            "31" | "91" => Some(Style::Red),
            "32" | "92" => Some(Style::Green),
            "33" | "93" => Some(Style::Yellow),
            "34" | "94" | "36" | "96" => Some(Style::Blue),
            _ => None,
        });
        known.next_back().unwrap_or(Style::Plain)
    }
}

/// A line of the screen: its parts, each with its style.
type Line = Vec<(Style, String)>;

/// The parts of a line with the style that escape sequences give them.
fn spans(line: &str) -> Line {
    let mut parts = line.split("\u{1b}[");
    let mut spans = vec![(Style::Plain, parts.next().unwrap_or_default().to_owned())];
    for part in parts {
        let (codes, text) = part.split_once('m').unwrap_or(("", part));
        spans.push((Style::from_codes(codes), text.to_owned()));
    }
    spans.retain(|(_, text)| !text.is_empty());
    spans
}

/// A terminal window with these lines.
fn draw(story: &Story, lines: &[Line]) -> String {
    let width = (COLUMNS as f64 * LETTER).round() as usize + 2 * MARGIN;
    let height = lines.len() * LINE + 36;
    let mut rows = String::new();
    for (at, line) in lines.iter().enumerate() {
        let spans: String = line
            .iter()
            .map(|(style, text)| format!("<tspan class=\"{}\">{}</tspan>", style.class(), escaped(text)))
            .collect();
        let y = 34 + at * LINE;
        rows += &format!("<text x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\">{spans}</text>\n");
    }
    let rules = |colour: fn(Style) -> &'static str| -> String {
        Style::ALL.iter().map(|style| format!(".{}{{fill:{}}}", style.class(), colour(*style))).collect()
    };
    let (dark, light) = (rules(|style| style.colours().0), rules(|style| style.colours().1));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n\
         <style>text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}}\
         rect{{fill:#1d232b}}.bold{{font-weight:bold}}{dark}\n\
         @media (prefers-color-scheme: light){{rect{{fill:#f6f8fa}}{light}}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n{rows}</svg>\n",
        escaped(story.title),
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_become_styles() {
        let line = spans("\u{1b}[1mbroken\u{1b}[0m  \u{1b}[1;31mL-1\u{1b}[0m a < b");
        let told: Vec<String> =
            line.iter().map(|(style, text)| format!("{}:{text}", style.class())).collect();
        assert_eq!(told, ["bold:broken", "plain:  ", "red:L-1", "plain: a < b"]);
    }

    #[test]
    fn a_picture_holds_the_text_and_both_colours() {
        let picture = draw(&STORIES[0], &[vec![(Style::Dim, "a <b> & c".to_owned())]]);
        assert!(picture.contains("<tspan class=\"dim\">a &lt;b&gt; &amp; c</tspan>"), "{picture}");
        for (dark, light) in Style::ALL.map(Style::colours) {
            assert!(picture.contains(dark) && picture.contains(light), "{dark} {light}");
        }
    }
}
