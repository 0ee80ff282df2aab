//! Which dependencies a command or a change of a manifest adds.

use std::collections::BTreeSet;

use serde_json::Value;

use super::path::file_name;
use ken_shell::Arguments;

/// Tools that come with the interpreter; bringing them up to date adds nothing.
const OF_PYTHON: &[&str] = &["pip", "setuptools", "wheel"];

/// The dependencies that a command adds.
pub(super) fn added_by_command(arguments: &Arguments) -> Vec<String> {
    if arguments.has(&["--help", "-h", "--dry-run"]) {
        return Vec::new();
    }
    let operands: Vec<&str> = arguments.operands.iter().map(|operand| operand.text.as_str()).collect();
    let after =
        |words: &[&'static str]| operands.starts_with(words).then(|| operands[words.len()..].to_vec());
    let one_of = |words: &[&'static str]| {
        operands.split_first().filter(|(first, _)| words.contains(first)).map(|(_, rest)| rest.to_vec())
    };
    let is_global = arguments.has(&["-g", "--global"]) || arguments.value(&["--location"]) == Some("global");
    let names = match arguments.program.as_str() {
        "cargo" => {
            let named = after(&["add"]);
            let from = arguments.values(&["--path", "--git"]);
            match named {
                Some(named) if named.is_empty() => Some(from.collect()),
                other => other,
            }
        }
        "npm" if !is_global => match operands.as_slice() {
            ["pkg", "set", settings @ ..] => Some(
                settings
                    .iter()
                    .filter_map(|setting| setting.split_once('='))
                    .filter_map(|(key, _)| key.split_once('.'))
                    .filter(|(section, _)| section.to_lowercase().ends_with("dependencies"))
                    .map(|(_, name)| name)
                    .collect(),
            ),
            _ => one_of(&["install", "i", "add", "in"]),
        },
        "pnpm" | "bun" if !is_global => one_of(&["add", "install", "i", "a"]),
        "yarn" => match operands.as_slice() {
            ["add", names @ ..] | ["workspace", _, "add", names @ ..] => Some(names.to_vec()),
            _ => None,
        },
        "deno" | "bundle" | "poetry" => after(&["add"]),
        "pip" => after(&["install"]).map(|named| {
            let editable = arguments.values(&["-e", "--editable"]);
            named.into_iter().chain(editable).filter(|name| !OF_PYTHON.contains(name)).collect()
        }),
        "uv" => after(&["add"]).or_else(|| after(&["pip", "install"])),
        "pipenv" => after(&["install"]),
        "conda" | "mamba" => after(&["install"]),
        "composer" => after(&["require"]),
        "go" => match operands.as_slice() {
            ["get", names @ ..] => Some(
                names
                    .iter()
                    .copied()
                    .filter(|name| !name.ends_with("...") && !name.ends_with("@none"))
                    .collect(),
            ),
            ["mod", "edit", ..] => Some(arguments.values(&["-require"]).collect()),
            _ => None,
        },
        "dotnet" => {
            let at = operands.iter().position(|word| *word == "package");
            at.filter(|_| operands.first() == Some(&"add")).map(|at| operands[at + 1..].to_vec())
        }
        "flutter" | "dart" => after(&["pub", "add"]),
        "swift" => after(&["package", "add-dependency"]),
        _ => None,
    };
    // A wheel in a folder is no dependency; `user/name` is one for npm, and for pip only in an address.
    let is_python = matches!(arguments.program.as_str(), "pip" | "uv" | "pipenv");
    let is_file =
        |name: &str| is_python && name.contains('/') && !name.contains(':') || name.ends_with(".whl");
    let names = names.unwrap_or_default().into_iter().filter(|name| !is_file(name));
    // A folder or an archive that is here already is no dependency on anybody.
    names.filter(|name| !name.starts_with(['.', '/', '~', '-'])).map(bare_name).collect()
}

/// The dependencies that a file has after a change and had not before. Both texts may be parts of the file, but the same part.
pub(super) fn added_by_change(path: &str, before: Option<&str>, after: &str) -> Vec<String> {
    let Some(manifest) = Manifest::from_path(path) else { return Vec::new() };
    let before = before.unwrap_or_default();
    let (old, new) = match manifest {
        Manifest::Json => match (json_names(before), json_names(after)) {
            (Some(old), Some(new)) => (old, new),
            (None, Some(new)) if before.trim().is_empty() => (BTreeSet::new(), new),
            _ => (json_pairs(before), json_pairs(after)),
        },
        Manifest::Cargo => (cargo_names(before), cargo_names(after)),
        Manifest::Requirements => (requirement_lines(before), requirement_lines(after)),
        Manifest::PyProject => (pyproject_names(before), pyproject_names(after)),
        Manifest::GoModule => (go_names(before), go_names(after)),
        Manifest::Gemfile => (quoted_after(before, &["gem"]), quoted_after(after, &["gem"])),
        Manifest::Gradle => (gradle_names(before), gradle_names(after)),
        Manifest::Xml => (xml_names(before), xml_names(after)),
    };
    new.difference(&old).cloned().collect()
}

/// The dependencies that a script of `sed` adds to a file: what it appends, and what it puts in the place of something else.
pub(super) fn added_by_sed(path: &str, script: &str) -> Vec<String> {
    let script = script.trim();
    let substitution = script.find("s/").or_else(|| script.find("s|")).or_else(|| script.find("s#"));
    if let Some(at) = substitution.filter(|at| *at == 0 || script[..*at].ends_with(['/', ' ', ';', '}', '{']))
    {
        let rest = &script[at + 1..];
        let mut chars = rest.chars();
        let Some(delimiter) = chars.next() else { return Vec::new() };
        let parts: Vec<&str> = chars.as_str().split(delimiter).collect();
        if let [before, after, ..] = parts.as_slice() {
            let before = before.trim_start_matches('^').replace("\\n", "\n");
            let after = after.replace("\\n", "\n").replace('&', &before);
            return added_by_change(path, Some(&before), &after);
        }
    }
    for mark in ["/a ", "/i ", "/a\\", "/i\\", "$a ", "$ a ", "$a\\", "a\\", "i\\"] {
        if let Some((_, text)) = script.split_once(mark) {
            let text = text.trim_start_matches(['\\', '\n', ' ']).replace("\\n", "\n");
            return added_by_change(path, None, &text);
        }
    }
    Vec::new()
}

#[derive(Clone, Copy)]
enum Manifest {
    Cargo,
    Json,
    Requirements,
    PyProject,
    GoModule,
    Gemfile,
    Gradle,
    Xml,
}

impl Manifest {
    fn from_path(path: &str) -> Option<Manifest> {
        let name = file_name(path);
        let in_folder = path.contains("requirements/") && name.ends_with(".txt");
        match name {
            "Cargo.toml" => Some(Manifest::Cargo),
            "package.json" | "composer.json" | "deno.json" => Some(Manifest::Json),
            "pyproject.toml" | "Pipfile" => Some(Manifest::PyProject),
            "go.mod" => Some(Manifest::GoModule),
            "Gemfile" => Some(Manifest::Gemfile),
            "build.gradle" | "build.gradle.kts" => Some(Manifest::Gradle),
            "pom.xml" => Some(Manifest::Xml),
            _ if name.ends_with(".csproj") => Some(Manifest::Xml),
            _ if in_folder || (name.starts_with("requirements") && name.ends_with(".txt")) => {
                Some(Manifest::Requirements)
            }
            _ => None,
        }
    }
}

/// A name without its version: `serde@1`, `@scope/name@2`, `httpx>=0.27`, `name[extra]`.
fn bare_name(name: &str) -> String {
    let end = name
        .char_indices()
        .find(|(at, char)| {
            (*char == '@' && *at > 0) || matches!(char, '<' | '>' | '=' | '!' | '~' | '[' | ';' | ' ')
        })
        .map_or(name.len(), |(at, _)| at);
    name[..end].to_owned()
}

/// Keys of `[package]`, which look like dependencies where the header is not seen.
const PACKAGE_KEYS: &[&str] = &[
    "name",
    "version",
    "edition",
    "rust-version",
    "authors",
    "description",
    "license",
    "license-file",
    "readme",
    "repository",
    "homepage",
    "documentation",
    "keywords",
    "categories",
    "publish",
    "resolver",
    "build",
    "links",
    "include",
    "exclude",
    "default-run",
    "path",
    "members",
    "features",
    "package",
    "branch",
    "tag",
    "rev",
    "git",
    "registry",
    "optional",
    "requires-python",
    "python",
];

fn cargo_names(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut section: Option<bool> = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
            let header = header.trim_matches(['[', ']', ' ']);
            let parts: Vec<&str> = header.split('.').collect();
            let is_list = |part: &&str| part.ends_with("dependencies");
            match parts.iter().rposition(is_list) {
                Some(at) if at + 1 == parts.len() => section = Some(true),
                Some(at) => {
                    names.insert(parts[at + 1..].join(".").trim_matches('"').to_owned());
                    section = Some(false);
                }
                None => section = Some(false),
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim().trim_matches('"'), value.trim());
        let name = key.split('.').next().unwrap_or(key);
        let is_named = section.unwrap_or_else(|| {
            let looks_so = is_version(value.trim_matches(['"', '\''])) && value.starts_with(['"', '\''])
                || (value.starts_with('{')
                    && ["version", "workspace", "path", "git"].iter().any(|member| value.contains(member)))
                || key.ends_with(".workspace");
            looks_so && !PACKAGE_KEYS.contains(&name) && !name.contains("version")
        });
        if is_named && !name.is_empty() && !name.contains(char::is_whitespace) {
            names.insert(name.to_owned());
        }
    }
    names
}

fn is_version(value: &str) -> bool {
    let value = value.trim();
    value.starts_with(|char: char| char.is_ascii_digit() || "^~<>=*".contains(char))
        || ["workspace:", "npm:", "git+", "git:", "file:", "link:", "github:", "latest", "catalog:"]
            .iter()
            .any(|prefix| value.starts_with(prefix))
}

const JSON_SECTIONS: &[&str] = &[
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
    "bundledDependencies",
    "require",
    "require-dev",
    "imports",
];

fn json_names(text: &str) -> Option<BTreeSet<String>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let sections = value.as_object()?.iter().filter(|(name, _)| JSON_SECTIONS.contains(&name.as_str()));
    Some(
        sections
            .filter_map(|(_, section)| section.as_object())
            .flat_map(|section| section.keys().cloned())
            .filter(|name| name != "php")
            .collect(),
    )
}

/// `"name": "^1.2"` anywhere in a part of a file.
fn json_pairs(text: &str) -> BTreeSet<String> {
    const OTHER: &[&str] =
        &["version", "node", "npm", "yarn", "pnpm", "bun", "vscode", "php", "port", "target"];
    let mut names = BTreeSet::new();
    let parts: Vec<&str> = text.split('"').collect();
    // Between quotes are the odd parts: a key, then a colon, then its value.
    for at in (1..parts.len()).step_by(2) {
        let (Some(between), Some(value)) = (parts.get(at + 1), parts.get(at + 2)) else { break };
        if between.trim() == ":" && is_version(value) && !OTHER.contains(&parts[at]) {
            names.insert(parts[at].to_owned());
        }
    }
    names
}

fn requirement_lines(text: &str) -> BTreeSet<String> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with(['#', '-']))
        .map(|line| bare_name(line).to_lowercase())
        .filter(|name| !name.is_empty())
        .collect()
}

fn pyproject_names(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut table: Option<bool> = None;
    let mut list: Option<bool> = None;
    let mut groups = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        if list.is_none()
            && let Some(header) = line.strip_prefix('[').and_then(|line| line.split(']').next())
        {
            let header = header.trim_matches('[');
            groups = matches!(header, "project.optional-dependencies" | "dependency-groups");
            table = Some(header.ends_with(".dependencies") || header.ends_with("packages"));
            continue;
        }
        let mut quoted = line;
        if let Some((key, value)) = line.split_once('=').filter(|(key, _)| !key.contains(['"', '\''])) {
            let (key, value) = (key.trim(), value.trim());
            if value.starts_with('[') {
                list = Some(groups || matches!(key, "dependencies" | "requires" | "dev-dependencies"));
                quoted = value;
            } else {
                let is_named = table == Some(true)
                    || (table.is_none() && is_version(value.trim_matches('"')) && value.starts_with('"'));
                let is_other = table.is_none() && key.contains("version");
                if is_named && !is_other && !PACKAGE_KEYS.contains(&key) {
                    names.insert(key.to_lowercase());
                }
                continue;
            }
        }
        let is_open = list.unwrap_or(true);
        if is_open && (list.is_some() || quoted.starts_with(['"', '\''])) {
            for (at, part) in quoted.split(['"', '\'']).enumerate() {
                // Without the name of the list, only what has a version is a requirement.
                let is_requirement = list.is_some() || part.contains(['<', '>', '=', '~']);
                if at % 2 == 1 && is_requirement {
                    names.insert(bare_name(part).to_lowercase());
                }
            }
        }
        if quoted.trim_end_matches(',').ends_with(']') {
            list = None;
        }
    }
    names.remove("python");
    names
}

fn go_names(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        let line = line.strip_prefix("require ").unwrap_or(line);
        if line.contains("// indirect") || line.contains("=>") {
            continue;
        }
        let mut words = line.split_whitespace();
        if let (Some(name), Some(version)) = (words.next(), words.next())
            && name.contains('.')
            && version.starts_with('v')
        {
            names.insert(name.to_owned());
        }
    }
    names
}

/// The quoted word after one of these names: `gem "rails"`.
fn quoted_after(text: &str, words: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '/'])) {
        let Some(rest) = words.iter().find_map(|word| line.strip_prefix(word)) else { continue };
        if let Some(name) = rest.trim_start_matches([' ', '(']).split(['"', '\'']).nth(1) {
            names.insert(name.to_owned());
        }
    }
    names
}

fn gradle_names(text: &str) -> BTreeSet<String> {
    const CONFIGURATIONS: &[&str] = &[
        "implementation",
        "api",
        "testImplementation",
        "compileOnly",
        "runtimeOnly",
        "kapt",
        "annotationProcessor",
        "androidTestImplementation",
        "debugImplementation",
    ];
    let names = quoted_after(text, CONFIGURATIONS).into_iter();
    names.map(|name| name.rsplitn(2, ':').last().unwrap_or(&name).to_owned()).collect()
}

fn xml_names(text: &str) -> BTreeSet<String> {
    let between = |mark: &str, end: char| {
        text.split(mark)
            .skip(1)
            .filter_map(move |rest| rest.split(end).next())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut names: BTreeSet<String> = between("<artifactId>", '<').into_iter().collect();
    names.extend(between("PackageReference Include=\"", '"'));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_not_there_is_new() {
        for (path, before, after, expected) in [
            ("Cargo.toml", "serde = \"1\"", "serde = \"2\"", ""),
            (
                "Cargo.toml",
                "[dependencies]\n",
                "[dependencies]\nregex = \"1\"\nserde.workspace = true\n",
                "regex serde",
            ),
            ("Cargo.toml", "", "[dependencies.tokio]\nversion = \"1\"\n", "tokio"),
            ("Cargo.toml", "version = \"0.1.0\"", "version = \"0.2.0\"\nedition = \"2024\"", ""),
            ("Cargo.toml", "[features]\n", "[features]\nfast = [\"std\"]\n", ""),
            ("package.json", "{}", "{\"dependencies\":{\"a\":\"1\"},\"scripts\":{\"b\":\"1\"}}", "a"),
            ("package.json", "\"a\": \"^1\"", "\"a\": \"^2\",\n\"b\": \"~1\"", "b"),
            ("requirements-dev.txt", "a==1\n", "a==2\n# c\nb>=1 # why\n", "b"),
            ("pyproject.toml", "dependencies = [\n]", "dependencies = [\n  \"Orjson>=3\",\n]", "orjson"),
            ("go.mod", "go 1.21", "go 1.22\nrequire github.com/a/b v1.0.0", "github.com/a/b"),
            ("Gemfile", "", "gem \"rails\"", "rails"),
            ("build.gradle.kts", "", "    implementation(\"a.b:c:1.0\")", "a.b:c"),
            ("pom.xml", "", "<dependency><artifactId>x</artifactId></dependency>", "x"),
            ("README.md", "", "serde = \"1\"", ""),
        ] {
            assert_eq!(added_by_change(path, Some(before), after).join(" "), expected, "{path}: {after}");
        }
    }

    #[test]
    fn a_script_of_sed_is_read_as_a_change() {
        let added = |script: &str| added_by_sed("Cargo.toml", script).join(" ");
        assert_eq!(added("/^\\[dependencies\\]/a itertools = \"0.13\""), "itertools");
        assert_eq!(added("s/serde = \"1\"/serde = \"1\"\\nregex = \"1\"/"), "regex");
        assert_eq!(added("s/^version = \"0.1.0\"/version = \"0.2.0\"/"), "");
    }
}
