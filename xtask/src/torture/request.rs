//! What `cargo xtask torture` is asked for.

use std::time::Duration;

use super::parts::{PARTS, Part};
use crate::context::Failure;
use crate::nearest;

/// Time of a programme, shared out over its parts.
const HOURS: f64 = 0.2;

pub(super) struct Request {
    pub(super) parts: Vec<&'static Part>,
    pub(super) time: Duration,
    /// The first seed of every part; without one each goes on where its last recorded run ended.
    pub(super) seed: Option<u64>,
    /// Count this run on the page.
    pub(super) write: bool,
}

impl Request {
    pub(super) fn parse(arguments: &[String]) -> Result<Request, Failure> {
        let mut request = Request {
            parts: Vec::new(),
            time: Duration::from_secs_f64(HOURS * 3600.0),
            seed: None,
            write: false,
        };
        let mut names = Vec::new();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if !argument.starts_with('-') {
                names.push(argument.as_str());
                continue;
            }
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name, value),
                None if argument == "--write" => ("--write", ""),
                None => (argument.as_str(), rest.next().map_or("", String::as_str)),
            };
            match (name, value.parse::<f64>(), value.parse::<u64>()) {
                ("--write", ..) if value.is_empty() => request.write = true,
                ("--hours", Ok(hours), _) if hours > 0.0 && hours < 1000.0 => {
                    request.time = Duration::from_secs_f64(hours * 3600.0);
                }
                ("--seed", _, Ok(seed)) => request.seed = Some(seed),
                ("--write" | "--hours" | "--seed", ..) => {
                    return Err(usage(&format!("`{name}` does not take `{value}`")));
                }
                _ => return Err(usage(&format!("`torture` does not know `{name}`"))),
            }
        }
        for name in &names {
            let meant = |part: &&Part| part.name == *name || part.group == Some(*name);
            if !PARTS.iter().any(|part| meant(&part)) {
                return Err(unknown_part(name));
            }
        }
        let wanted = |part: &&Part| {
            names.is_empty()
                || names.contains(&part.name)
                || part.group.is_some_and(|group| names.contains(&group))
        };
        request.parts = PARTS.iter().filter(wanted).collect();
        Ok(request)
    }
}

fn unknown_part(name: &str) -> Failure {
    let mut known: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
    known.extend(PARTS.iter().filter_map(|part| part.group));
    known.sort_unstable();
    known.dedup();
    let nearest =
        nearest::nearest(name, &known).map(|known| format!("; the nearest is `{known}`")).unwrap_or_default();
    usage(&format!("there is no part `{name}`{nearest}; the parts are {}", known.join(", ")))
}

fn usage(problem: &str) -> Failure {
    Failure::Usage(format!(
        "{problem}\nusage: cargo xtask torture [PART ...] [--hours H] [--seed N] [--write]"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Result<Request, Failure> {
        Request::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn parts_hours_and_seed_are_read() {
        let request = asked("kills seeds --hours 0.5 --seed=7 --write").unwrap();
        let names: Vec<&str> = request.parts.iter().map(|part| part.name).collect();
        assert_eq!(names, ["kills", "disks", "replicas"]);
        assert_eq!((request.time, request.seed, request.write), (Duration::from_secs(1800), Some(7), true));
        let request = asked("").unwrap();
        assert_eq!((request.parts.len(), request.seed, request.write), (PARTS.len(), None, false));
    }

    #[test]
    fn what_is_no_part_and_no_number_is_refused() {
        for line in ["kilsl", "--hours", "--hours 0", "--hours many", "--seed x", "--rounds 3", "--write=x"] {
            assert_eq!(asked(line).err().map(|failure| failure.exit_code()), Some(2), "{line}");
        }
        assert!(asked("kilsl").err().unwrap().to_string().contains("the nearest is `kills`"));
    }
}
