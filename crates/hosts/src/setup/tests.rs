//! Laws of setting up: what is installed is current, twice is once, and taking it away leaves every byte as it was.

use proptest::prelude::*;

use super::*;

/// A document written in some style, from dice.
#[derive(Clone, Debug)]
struct Written(String);

fn documents() -> impl Strategy<Value = Written> {
    (proptest::collection::vec(any::<u8>(), 0..160), 0..4_usize, any::<bool>(), any::<bool>()).prop_map(
        |(dice, style, crlf, strict)| {
            let mut writer = Writer { dice: dice.into_iter().cycle().take(4000).collect(), style, strict };
            let mut text = writer.gap(0);
            text.push_str(&writer.object(0, &["mcpServers", "hooks", "a", "servers"]));
            text.push_str(&writer.gap(0));
            Written(if crlf { text.replace('\n', "\r\n") } else { text })
        },
    )
}

struct Writer {
    dice: Vec<u8>,
    style: usize,
    strict: bool,
}

impl Writer {
    fn roll(&mut self, sides: u8) -> u8 {
        self.dice.pop().unwrap_or(0) % sides
    }

    fn gap(&mut self, depth: usize) -> String {
        let comment = if self.strict { 0 } else { self.roll(8) };
        let line = format!("\n{}", ["  ", "\t", "    ", ""][self.style].repeat(depth));
        match (comment, self.style, self.roll(6)) {
            (1, _, _) => format!(" // a \"comment\", with {{\n{line}"),
            (2, _, _) => format!("/* one\n more */{line}"),
            (3, _, _) => "/**/".to_owned(),
            (_, 3, _) => String::new(),
            (_, _, 0) => " ".to_owned(),
            (_, _, 1) => String::new(),
            (_, _, _) => line,
        }
    }

    fn object(&mut self, depth: usize, names: &[&str]) -> String {
        let mut text = "{".to_owned();
        let mut first = true;
        for name in names {
            if self.roll(2) == 0 {
                continue;
            }
            if !first {
                text.push(',');
            }
            first = false;
            let gap = self.gap(depth + 1);
            let value = match *name {
                "mcpServers" | "servers" => self.object(depth + 1, &["other", "more", "z"]),
                "hooks" => self.object(depth + 1, &["SessionStart", "Stop", "Mine", "PreToolUse"]),
                "SessionStart" | "Stop" | "Mine" | "PreToolUse" => self.list(depth + 1),
                _ => ["1", "\"x, y }\"", "null", "{}", "[ ]"][usize::from(self.roll(5))].to_owned(),
            };
            text.push_str(&format!("{gap}\"{name}\":{}{value}", if self.style == 3 { "" } else { " " }));
        }
        if !first && !self.strict && self.roll(4) == 0 {
            let gap = self.gap(depth + 1);
            text.push_str(&format!("{gap},"));
        }
        text.push_str(&self.gap(depth));
        text.push('}');
        text
    }

    fn list(&mut self, depth: usize) -> String {
        let mut text = "[".to_owned();
        for index in 0..self.roll(3) {
            let gap = self.gap(depth + 1);
            text.push_str(if index == 0 { "" } else { "," });
            text.push_str(&format!("{gap}{{\"hooks\": [{{\"command\": \"theirs\"}}]}}"));
        }
        text.push_str(&self.gap(depth));
        text.push(']');
        text
    }
}

fn places() -> Places {
    Places::new("/project".into(), "/home".into(), "ken".into(), "/opt/ken".into(), |_| None)
}

/// Installs every part of a host that lies in one file, and removes them.
fn there_and_back(host: &str, parts: &[Part], text: Option<&str>) -> Result<(), TestCaseError> {
    let (host, places) = (Host::named(host).unwrap(), places());
    let mut with = text.map(str::to_owned);
    for part in parts {
        let new = host.install(*part, Scope::Project, with.as_deref(), &places);
        with = Some(new.map_err(|fault| TestCaseError::fail(format!("{fault:?} in {text:?}")))?);
    }
    let with = with.unwrap_or_default();
    for part in parts {
        let state = host.state_of(*part, Scope::Project, &with, &places);
        prop_assert_eq!(state, Ok(State::Current), "{:?} became {}", text, &with);
        let again = host.install(*part, Scope::Project, Some(&with), &places);
        prop_assert_eq!(again.as_ref(), Ok(&with), "{:?} became {}", text, &with);
    }
    let mut rest = Some(with.clone());
    for part in parts.iter().rev() {
        rest = match rest {
            Some(rest) => host.remove(*part, &rest).unwrap(),
            None => None,
        };
    }
    prop_assert_eq!(rest.as_deref(), text, "{:?} became {}", text, &with);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn documents_come_back_to_the_byte(document in documents(), which in 0..5_usize) {
        let text = document.0;
        let versioned = text.replacen("\"a\": 1", "\"version\": 1", 1);
        match which {
            0 => there_and_back("gemini", &[Part::Server, Part::Hooks], Some(&text))?,
            1 => there_and_back("claude-code", &[Part::Hooks], Some(&text))?,
            2 => there_and_back("vscode", &[Part::Server], Some(&text))?,
            3 if versioned != text || !text.contains("\"hooks\"") => {
                there_and_back("cursor", &[Part::Hooks], Some(&versioned))?;
            }
            _ => there_and_back("claude-code", &[Part::Server], Some(&text))?,
        }
    }

    #[test]
    fn texts_come_back_to_the_byte(lines in proptest::collection::vec("[a-z ]{0,3}", 0..8), end in "(\n|\r\n)") {
        there_and_back("codex", &[Part::Instructions], Some(&lines.join(&end)))?;
        let comments: Vec<String> = lines.iter().map(|line| line.replacen(|c| c != ' ', "#", 1)).collect();
        let comments: Vec<&str> = comments.iter().map(|line| if line.contains('#') { line.as_str() } else { "" }).collect();
        there_and_back("codex", &[Part::Server], Some(&comments.join(&end)))?;
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\{\\}\\[\\],:\"/*\\\\ \n\rae1=#\u{feff}]{0,40}") {
        for (host, part) in [("gemini", Part::Server), ("gemini", Part::Hooks), ("cursor", Part::Hooks), ("codex", Part::Server)] {
            let host = Host::named(host).unwrap();
            if let Ok(with) = host.install(part, Scope::Project, Some(&text), &places()) {
                let rest = host.remove(part, &with).unwrap();
                prop_assert_eq!(rest, Some(text.clone()), "{}", with);
            }
        }
    }
}

#[test]
fn no_file_comes_back_to_no_file() {
    for host in HOSTS {
        for part in Part::ALL {
            if host.spot(part, Scope::Project).is_some() {
                there_and_back(host.name, &[part], None).unwrap();
            }
        }
    }
    there_and_back("gemini", &[Part::Server, Part::Hooks], None).unwrap();
}
