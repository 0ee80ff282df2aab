//! `cargo xtask deny`: which dependencies may be here, as `deny.toml` says.
//!
//! `cargo-deny` runs too when it is installed. Our own check always runs, so that a machine without it still
//! refuses a licence, a banned crate or a foreign source. It reads the part of `deny.toml` that we use and
//! fails on a rule it does not understand, so that no rule is silently without effect.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toml_edit::{DocumentMut, Item, TableLike};

use crate::context::{Context, Failure, Outcome, capture, failed, no_arguments, show};
use crate::licence::Licence;

/// The oldest cargo-deny that reads our `deny.toml`.
const CARGO_DENY_MIN: (u32, u32) = (0, 16);

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    no_arguments("deny", arguments)?;
    check(context)
}

/// Both checks; the first to fail ends it.
pub(crate) fn check(context: &Context) -> Outcome {
    let text = std::fs::read_to_string(context.root.join("deny.toml"))
        .map_err(|error| Failure::Failed(format!("cannot read deny.toml: {error}")))?;
    let rules = Rules::parse(&text).map_err(|why| Failure::Failed(format!("deny.toml: {why}")))?;
    let graph = graph(context, &rules)?;
    let report = rules.judge(&graph);
    for warning in &report.warnings {
        println!("deny: warning: {warning}");
    }
    for fault in &report.faults {
        eprintln!("deny: {fault}");
    }
    if !report.faults.is_empty() {
        return failed(format!("{} of deny.toml's rules are broken (listed above)", report.faults.len()));
    }
    println!("deny: {} packages checked", graph.packages.len());
    cargo_deny(context)
}

/// Runs cargo-deny if a recent enough one is installed, and says so if not.
fn cargo_deny(context: &Context) -> Outcome {
    let Ok(text) = capture(&mut context.program("cargo-deny", ["--version"])) else {
        println!("deny: cargo-deny is not installed; our own check is the one that ran");
        return Ok(());
    };
    if major_minor(&text).is_none_or(|version| version < CARGO_DENY_MIN) {
        let (major, minor) = CARGO_DENY_MIN;
        println!("deny: {} is older than {major}.{minor}; our own check is the one that ran", text.trim());
        return Ok(());
    }
    show(&mut context.cargo(["deny", "check", "bans", "licenses", "sources"]))
}

/// `cargo-deny 0.18.2` gives `(0, 18)`.
fn major_minor(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split_whitespace().nth(1)?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// All packages cargo would use, on every platform.
fn graph(context: &Context, rules: &Rules) -> Result<Graph, Failure> {
    let mut arguments = vec!["metadata", "--format-version", "1", "--locked"];
    if rules.all_features {
        arguments.push("--all-features");
    }
    let everywhere = capture(&mut context.cargo(arguments.clone()));
    let text = match everywhere {
        Ok(text) => text,
        Err(failure) => {
            // Without a network the crates of other platforms cannot be looked at, but ours can.
            let version = capture(&mut context.program("rustc", ["-vV"]))?;
            let Some(host) = version.lines().find_map(|line| line.strip_prefix("host: ")) else {
                return Err(failure);
            };
            arguments.extend(["--offline", "--filter-platform", host.trim()]);
            let Ok(text) = capture(&mut context.cargo(arguments)) else { return Err(failure) };
            println!("deny: the whole graph is out of reach; checking the packages of this platform only");
            text
        }
    };
    let metadata: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::Failed(format!("cannot read the output of `cargo metadata`: {error}")))?;
    Graph::parse(&metadata)
        .ok_or_else(|| Failure::Failed("the output of `cargo metadata` lacks an expected field".to_owned()))
}

/// What we need of cargo's metadata.
struct Graph {
    packages: Vec<Package>,
    /// The sources from which dependencies without a named registry come: the default registry, whatever
    /// its address is on this machine.
    default_sources: BTreeSet<String>,
    /// By crate, the crates that depend on it directly.
    users: BTreeMap<String, BTreeSet<String>>,
}

struct Package {
    name: String,
    version: String,
    licence: Option<String>,
    /// Where it comes from; `None` is a path in this repository.
    source: Option<String>,
    /// Only a local package: its dependencies on any version (`*`), and whether that is by path.
    wildcards: Vec<(String, ByPath)>,
}

#[derive(PartialEq)]
enum ByPath {
    Yes,
    No,
}

impl Graph {
    fn parse(metadata: &Value) -> Option<Graph> {
        let mut graph =
            Graph { packages: Vec::new(), default_sources: BTreeSet::new(), users: BTreeMap::new() };
        let mut names = BTreeMap::new();
        for package in metadata["packages"].as_array()? {
            let source = package["source"].as_str().map(str::to_owned);
            let mut wildcards = Vec::new();
            for dependency in package["dependencies"].as_array()? {
                if let Some(from) = dependency["source"].as_str()
                    && is_registry(from)
                    && dependency["registry"].is_null()
                {
                    graph.default_sources.insert(from.to_owned());
                }
                if source.is_none() && dependency["req"].as_str() == Some("*") {
                    let by_path = if dependency["path"].is_string() { ByPath::Yes } else { ByPath::No };
                    wildcards.push((dependency["name"].as_str()?.to_owned(), by_path));
                }
            }
            names.insert(package["id"].as_str()?, package["name"].as_str()?);
            graph.packages.push(Package {
                name: package["name"].as_str()?.to_owned(),
                version: package["version"].as_str()?.to_owned(),
                licence: package["license"].as_str().map(str::to_owned),
                source,
                wildcards,
            });
        }
        for node in metadata["resolve"]["nodes"].as_array()? {
            let user = names.get(node["id"].as_str()?)?;
            for dependency in node["dependencies"].as_array()? {
                let used = names.get(dependency.as_str()?)?;
                graph.users.entry((*used).to_owned()).or_default().insert((*user).to_owned());
            }
        }
        Some(graph)
    }
}

fn is_registry(source: &str) -> bool {
    source.starts_with("registry+") || source.starts_with("sparse+")
}

/// What to do when a rule is broken.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    Allow,
    Warn,
    Deny,
}

/// The part of `deny.toml` that our own check reads.
#[derive(Debug)]
struct Rules {
    all_features: bool,
    licences: BTreeSet<String>,
    /// Further licences, for one crate each.
    exceptions: BTreeMap<String, BTreeSet<String>>,
    /// What to read instead of a missing licence field, by crate.
    clarified: BTreeMap<String, String>,
    /// Banned crates, each with the crates that may depend on it all the same.
    banned: BTreeMap<String, BTreeSet<String>>,
    multiple_versions: Level,
    wildcards: Level,
    allow_wildcard_paths: bool,
    unknown_registry: Level,
    unknown_git: Level,
}

#[derive(Default)]
struct Report {
    faults: Vec<String>,
    warnings: Vec<String>,
}

impl Report {
    fn note(&mut self, level: Level, message: String) {
        match level {
            Level::Allow => {}
            Level::Warn => self.warnings.push(message),
            Level::Deny => self.faults.push(message),
        }
    }
}

impl Rules {
    fn parse(text: &str) -> Result<Rules, String> {
        let document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
        let root = document.as_table();
        known_keys(root, "the top level", &["graph", "output", "advisories", "bans", "licenses", "sources"])?;
        let graph = section(root, "graph", &["all-features"])?;
        let bans = section(
            root,
            "bans",
            &["multiple-versions", "wildcards", "allow-wildcard-paths", "highlight", "deny"],
        )?;
        let licences = section(
            root,
            "licenses",
            &["allow", "exceptions", "clarify", "confidence-threshold", "private"],
        )?;
        let sources = section(root, "sources", &["unknown-registry", "unknown-git"])?;

        let mut exceptions = BTreeMap::new();
        for table in tables(licences, "exceptions")? {
            known_keys(table, "licenses.exceptions", &["crate", "allow"])?;
            exceptions.insert(crate_name(table.get("crate"))?, names(table.get("allow"), "allow")?);
        }
        let mut clarified = BTreeMap::new();
        for table in tables(licences, "clarify")? {
            known_keys(table, "licenses.clarify", &["crate", "expression", "license-files"])?;
            let expression = table.get("expression").and_then(Item::as_str);
            let expression = expression.ok_or("licenses.clarify needs an `expression`")?;
            clarified.insert(crate_name(table.get("crate"))?, expression.to_owned());
        }
        let mut banned = BTreeMap::new();
        for table in tables(bans, "deny")? {
            known_keys(table, "bans.deny", &["crate", "reason", "use-instead", "wrappers"])?;
            let wrappers = match table.get("wrappers") {
                None => BTreeSet::new(),
                wrappers => names(wrappers, "wrappers")?,
            };
            banned.insert(crate_name(table.get("crate"))?, wrappers);
        }
        Ok(Rules {
            all_features: flag(graph, "all-features")?,
            licences: names(licences.and_then(|table| table.get("allow")), "licenses.allow")?,
            exceptions,
            clarified,
            banned,
            multiple_versions: level(bans, "multiple-versions", Level::Warn)?,
            wildcards: level(bans, "wildcards", Level::Allow)?,
            allow_wildcard_paths: flag(bans, "allow-wildcard-paths")?,
            unknown_registry: level(sources, "unknown-registry", Level::Warn)?,
            unknown_git: level(sources, "unknown-git", Level::Warn)?,
        })
    }

    fn judge(&self, graph: &Graph) -> Report {
        let mut report = Report::default();
        let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for package in &graph.packages {
            versions.entry(&package.name).or_default().insert(&package.version);
            self.judge_licence(package, &mut report);
            self.judge_source(package, graph, &mut report);
            self.judge_ban(package, graph, &mut report);
            for (dependency, by_path) in &package.wildcards {
                if !(self.allow_wildcard_paths && *by_path == ByPath::Yes) {
                    let message = format!("{} accepts any version of {dependency}; name one", package.name);
                    report.note(self.wildcards, message);
                }
            }
        }
        for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
            let list: Vec<&str> = versions.iter().copied().collect();
            report
                .note(self.multiple_versions, format!("{name} is here more than once: {}", list.join(", ")));
        }
        report
    }

    fn judge_ban(&self, package: &Package, graph: &Graph, report: &mut Report) {
        let Package { name, version, .. } = package;
        let Some(wrappers) = self.banned.get(name) else { return };
        let nobody = BTreeSet::new();
        let users = graph.users.get(name).unwrap_or(&nobody);
        let others: Vec<&str> = users.difference(wrappers).map(String::as_str).collect();
        if wrappers.is_empty() || !others.is_empty() {
            report.faults.push(format!("{name} {version} is banned, but used by {}", others.join(", ")));
        }
    }

    fn judge_licence(&self, package: &Package, report: &mut Report) {
        let Package { name, version, .. } = package;
        let stated = self.clarified.get(name).or(package.licence.as_ref());
        let Some(stated) = stated else {
            report
                .faults
                .push(format!("{name} {version} states no licence; look, then use licenses.clarify"));
            return;
        };
        let excepted = self.exceptions.get(name);
        let allowed = |licence: &str| {
            self.licences.contains(licence) || excepted.is_some_and(|more| more.contains(licence))
        };
        match Licence::parse(stated) {
            Ok(licence) if licence.is_allowed(&allowed) => {}
            Ok(_) => {
                report.faults.push(format!("{name} {version} is licensed `{stated}`, which is not allowed"))
            }
            Err(why) => report.faults.push(format!("{name} {version} is licensed `{stated}`: {why}")),
        }
    }

    /// The address is left out of the message on purpose: `Cargo.lock` has it, and a log may be public.
    fn judge_source(&self, package: &Package, graph: &Graph, report: &mut Report) {
        let Package { name, version, .. } = package;
        match &package.source {
            None => {}
            Some(source) if graph.default_sources.contains(source) => {}
            Some(source) if is_registry(source) => report.note(
                self.unknown_registry,
                format!("{name} {version} comes from a registry that is not the default one"),
            ),
            Some(_) => {
                report.note(self.unknown_git, format!("{name} {version} comes from outside the registry"));
            }
        }
    }
}

type Section<'a> = Option<&'a dyn TableLike>;

/// A section of the file, none of whose keys may be unknown to us.
fn section<'a>(root: &'a dyn TableLike, name: &str, known: &[&str]) -> Result<Section<'a>, String> {
    let Some(item) = root.get(name) else { return Ok(None) };
    let table = item.as_table_like().ok_or_else(|| format!("`{name}` is not a section"))?;
    known_keys(table, name, known)?;
    Ok(Some(table))
}

fn known_keys(table: &dyn TableLike, place: &str, known: &[&str]) -> Result<(), String> {
    match table.iter().find(|(key, _)| !known.contains(key)) {
        None => Ok(()),
        Some((key, _)) => {
            Err(format!("our own check does not understand `{key}` in {place}; teach it first"))
        }
    }
}

fn level(section: Section<'_>, key: &str, default: Level) -> Result<Level, String> {
    match section.and_then(|table| table.get(key)).map(Item::as_str) {
        None => Ok(default),
        Some(Some("allow")) => Ok(Level::Allow),
        Some(Some("warn")) => Ok(Level::Warn),
        Some(Some("deny")) => Ok(Level::Deny),
        Some(_) => Err(format!("`{key}` is one of \"allow\", \"warn\" and \"deny\"")),
    }
}

fn flag(section: Section<'_>, key: &str) -> Result<bool, String> {
    match section.and_then(|table| table.get(key)) {
        None => Ok(false),
        Some(item) => item.as_bool().ok_or_else(|| format!("`{key}` is true or false")),
    }
}

fn names(item: Option<&Item>, key: &str) -> Result<BTreeSet<String>, String> {
    let wanted = || format!("`{key}` is a list of strings");
    let array = item.and_then(Item::as_array).ok_or_else(wanted)?;
    array.iter().map(|value| value.as_str().map(str::to_owned).ok_or_else(wanted)).collect()
}

/// The tables of a list, written as `[[section.key]]` or as an array of inline tables.
fn tables<'a>(section: Section<'a>, key: &str) -> Result<Vec<&'a dyn TableLike>, String> {
    let Some(item) = section.and_then(|table| table.get(key)) else { return Ok(Vec::new()) };
    if let Some(array) = item.as_array_of_tables() {
        return Ok(array.iter().map(|table| table as &dyn TableLike).collect());
    }
    let array = item.as_array().ok_or_else(|| format!("`{key}` is a list"))?;
    array
        .iter()
        .map(|value| {
            let table = value.as_inline_table().map(|table| table as &dyn TableLike);
            table.ok_or_else(|| format!("each of `{key}` is written {{ crate = \"name\" }}"))
        })
        .collect()
}

fn crate_name(item: Option<&Item>) -> Result<String, String> {
    match item.and_then(Item::as_str) {
        None => Err("a rule lacks its `crate`".to_owned()),
        Some(name) if name.contains(['@', ':', '=', ' ']) => {
            Err(format!("our own check bans and excepts whole crates, not versions: `{name}`"))
        }
        Some(name) => Ok(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = r#"
        [bans]
        multiple-versions = "warn"
        wildcards = "deny"
        allow-wildcard-paths = true
        deny = [{ crate = "openssl", use-instead = "rustls" }, { crate = "slow", wrappers = ["wrapper"] }]
        [licenses]
        allow = ["MIT", "Apache-2.0"]
        [[licenses.exceptions]]
        crate = "odd"
        allow = ["Zlib"]
        [sources]
        unknown-registry = "deny"
        unknown-git = "deny"
    "#;

    /// Judges packages written as `name version licence source`, with `path` for a local one, all used by `ours`.
    fn judged(packages: &[(&str, &str, &str, &str)]) -> Report {
        judged_with_user("ours", packages)
    }

    fn judged_with_user(user: &str, packages: &[(&str, &str, &str, &str)]) -> Report {
        let ids: Vec<String> =
            packages.iter().map(|(name, version, ..)| format!("{name}@{version}")).collect();
        let packages: Vec<Value> = packages
            .iter()
            .map(|(name, version, licence, source)| {
                let source = if *source == "path" { Value::Null } else { (*source).into() };
                serde_json::json!({
                    "id": format!("{name}@{version}"), "name": name, "version": version, "license": licence,
                    "source": source, "dependencies": []
                })
            })
            .chain([serde_json::json!({
                "id": "user", "name": user, "version": "0.1.0", "license": "MIT", "source": null,
                "dependencies": [
                    { "name": "a", "req": "^1", "source": "registry+default", "registry": null },
                    { "name": "b", "req": "^1", "source": "registry+private", "registry": "registry+private" },
                    { "name": "c", "req": "*", "source": null, "registry": null, "path": "crates/c" }
                ]
            })])
            .collect();
        let nodes = serde_json::json!([{ "id": "user", "dependencies": ids }]);
        let metadata = serde_json::json!({ "packages": packages, "resolve": { "nodes": nodes } });
        let graph = Graph::parse(&metadata).unwrap();
        Rules::parse(RULES).unwrap().judge(&graph)
    }

    #[test]
    fn an_ordinary_graph_passes() {
        let report =
            judged(&[("a", "1.0.0", "MIT OR GPL-3.0", "registry+default"), ("c", "0.1.0", "MIT", "path")]);
        assert_eq!(report.faults, Vec::<String>::new());
        assert_eq!(report.warnings, Vec::<String>::new());
    }

    #[test]
    fn each_rule_refuses_what_it_is_for() {
        for (package, expected) in [
            (("openssl", "1.0.0", "MIT", "registry+default"), "openssl 1.0.0 is banned, but used by ours"),
            (
                ("a", "1.0.0", "GPL-3.0", "registry+default"),
                "a 1.0.0 is licensed `GPL-3.0`, which is not allowed",
            ),
            (("a", "1.0.0", "Zlib", "registry+default"), "a 1.0.0 is licensed `Zlib`, which is not allowed"),
            (
                ("b", "1.0.0", "MIT", "registry+private"),
                "b 1.0.0 comes from a registry that is not the default one",
            ),
            (("g", "1.0.0", "MIT", "git+there"), "g 1.0.0 comes from outside the registry"),
        ] {
            assert_eq!(judged(&[package]).faults, [expected]);
        }
        assert!(judged(&[("odd", "1.0.0", "Zlib", "registry+default")]).faults.is_empty());
    }

    #[test]
    fn a_banned_crate_may_be_used_by_its_wrapper_alone() {
        let slow = [("slow", "1.0.0", "MIT", "registry+default")];
        assert!(judged_with_user("wrapper", &slow).faults.is_empty());
        assert_eq!(judged_with_user("ours", &slow).faults, ["slow 1.0.0 is banned, but used by ours"]);
    }

    #[test]
    fn two_versions_of_a_crate_are_a_warning() {
        let report =
            judged(&[("a", "1.0.0", "MIT", "registry+default"), ("a", "2.0.0", "MIT", "registry+default")]);
        assert_eq!(report.warnings, ["a is here more than once: 1.0.0, 2.0.0"]);
        assert!(report.faults.is_empty());
    }

    #[test]
    fn a_rule_without_effect_is_an_error() {
        for text in [
            "[bans]\nskip = []",
            "[licenses]\nallow = [\"MIT\"]\n[bans]\ndeny = [{ crate = \"a@1\" }]",
            "[licenses]\nallow = [\"MIT\"]\n[sources]\nunknown-git = \"never\"",
            "[licenses]\nallow = \"MIT\"",
        ] {
            assert!(Rules::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_rules_of_this_repository_can_be_read() {
        let rules = Rules::parse(include_str!("../../deny.toml")).unwrap();
        assert!(rules.banned.contains_key("openssl"));
        assert!(rules.licences.contains("MIT"));
        assert_eq!(rules.unknown_git, Level::Deny);
    }

    #[test]
    fn the_version_of_cargo_deny_is_read() {
        assert_eq!(major_minor("cargo-deny 0.18.2\n"), Some((0, 18)));
        assert_eq!(major_minor("cargo-deny"), None);
    }
}
