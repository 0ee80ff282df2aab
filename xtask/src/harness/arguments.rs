//! The flags of a command, read by a list of those that it knows.

use super::{Effort, Suite, scratch};
use crate::context::Failure;
use crate::nearest::nearest;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Flag {
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
}

/// What stands after a flag. The word is what the usage calls it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Takes {
    Nothing,
    Value(&'static str),
    /// Everything up to the end, at least one.
    Rest(&'static str),
}

/// The flags that were given, in their order.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Flags(Vec<(&'static str, Option<String>)>);

impl Flags {
    /// Reads the arguments of a command, such as `bench ledger`.
    pub(crate) fn read(command: &str, known: &[Flag], arguments: &[String]) -> Result<Flags, Failure> {
        let usage = |problem: String| Failure::Usage(format!("{problem}\n{}", usage(command, known)));
        let mut flags = Vec::new();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let (name, joined) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            let Some(flag) = known.iter().find(|flag| flag.name == name) else {
                let names: Vec<&str> = known.iter().map(|flag| flag.name).collect();
                let near = nearest(name, &names).map(|near| format!("; the nearest is `{near}`"));
                return Err(usage(format!(
                    "`{command}` does not know `{argument}`{}",
                    near.unwrap_or_default()
                )));
            };
            match (flag.takes, joined) {
                (Takes::Nothing, None) => flags.push((flag.name, None)),
                (Takes::Nothing, Some(_)) => return Err(usage(format!("`{name}` takes no value"))),
                (Takes::Value(_), Some(value)) => flags.push((flag.name, Some(value))),
                (Takes::Value(_), None) => match rest.next() {
                    Some(value) => flags.push((flag.name, Some(value.clone()))),
                    None => return Err(usage(format!("`{name}` needs a value"))),
                },
                (Takes::Rest(_), joined) => {
                    let values: Vec<String> = joined.into_iter().chain(rest.by_ref().cloned()).collect();
                    if values.is_empty() {
                        return Err(usage(format!("`{name}` needs a value")));
                    }
                    flags.extend(values.into_iter().map(|value| (flag.name, Some(value))));
                }
            }
        }
        Ok(Flags(flags))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(given, _)| *given == name)
    }

    /// The last value of a flag.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(given, _)| *given == name).and_then(|(_, value)| value.as_deref())
    }

    pub(crate) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.given().filter(move |(given, _)| *given == name).filter_map(|(_, value)| value)
    }

    pub(crate) fn number<N: std::str::FromStr>(&self, name: &str, otherwise: N) -> Result<N, Failure> {
        match self.value(name) {
            None => Ok(otherwise),
            Some(text) => text
                .parse()
                .map_err(|_| Failure::Usage(format!("`{name}` needs a number, but was given `{text}`"))),
        }
    }

    pub(crate) fn given(&self) -> impl Iterator<Item = (&'static str, Option<&str>)> {
        self.0.iter().map(|(name, value)| (*name, value.as_deref()))
    }

    /// The sizes of store that were asked for, or those of the suite.
    pub(crate) fn sizes(&self, suite: &Suite, effort: Effort) -> Result<Vec<usize>, Failure> {
        let Some(text) = self.value("--sizes") else {
            return Ok(effort.pick(suite.sizes[0], suite.sizes[1]).to_vec());
        };
        let read: Result<Vec<usize>, _> = text.split(',').map(|word| word.trim().parse()).collect();
        match read {
            Ok(list) if list.iter().all(|size| *size >= scratch::ENTRIES_MIN) => Ok(list),
            Ok(_) | Err(_) => Err(Failure::Usage(format!(
                "`--sizes` takes numbers from {} on with commas between them, but was given `{text}`",
                scratch::ENTRIES_MIN
            ))),
        }
    }
}

fn usage(command: &str, known: &[Flag]) -> String {
    let mut text = format!("usage: cargo xtask {command}");
    for flag in known {
        match flag.takes {
            Takes::Nothing => text.push_str(&format!(" [{}]", flag.name)),
            Takes::Value(word) | Takes::Rest(word) => text.push_str(&format!(" [{} {word}]", flag.name)),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [Flag; 3] = [
        Flag { name: "--seed", takes: Takes::Value("N") },
        Flag { name: "--write", takes: Takes::Nothing },
        Flag { name: "--docs", takes: Takes::Rest("PATH...") },
    ];

    fn asked(line: &str) -> Result<Flags, Failure> {
        Flags::read("eval x", &KNOWN, &line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn values_are_read_in_both_forms() {
        let flags = asked("--seed=7 --write --seed 9 --docs a.md b.md").unwrap();
        assert_eq!(flags.number("--seed", 1_u64).unwrap(), 9);
        assert!(flags.has("--write"));
        assert_eq!(flags.values("--docs").collect::<Vec<_>>(), ["a.md", "b.md"]);
        assert_eq!(asked("").unwrap().number("--seed", 1_u64).unwrap(), 1);
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_the_usage() {
        for line in ["--seed", "--write=1", "--docs", "--sed 1"] {
            let failure = asked(line).unwrap_err();
            assert_eq!(failure.exit_code(), 2, "{line}");
            assert!(failure.to_string().contains("[--seed N] [--write] [--docs PATH...]"), "{failure}");
        }
        assert_eq!(asked("--seed x").unwrap().number("--seed", 1_u64).unwrap_err().exit_code(), 2);
    }
}
