//! The workflow and the hook of docs/guide/memory-ci.md, taken from the page and run.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::world::{Answer, World};

const PAGE: &str = include_str!("../../../docs/guide/memory-ci.md");

/// The fenced block of a language that has some words in it.
fn block(language: &str, words: &str) -> String {
    let fence = format!("\n```{language}\n");
    let mut blocks = PAGE.split(&fence).skip(1).map(|rest| {
        let (block, _) = rest.split_once("\n```\n").expect("a fence is closed");
        format!("{block}\n")
    });
    blocks.find(|block| block.contains(words)).unwrap_or_else(|| panic!("no {language} block has {words:?}"))
}

/// A repository with two entries about `retry`, pushed to a bare one beside it. Gives the handle of the first.
fn team() -> (World, String) {
    let mut world = World::with_store();
    let mut folders = vec![World::binary().parent().unwrap().to_owned()];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let path = std::env::join_paths(folders).unwrap().into_string().unwrap();
    world.env.push(("PATH".to_owned(), path));
    world.write("docs/clients.md", "# Clients\n");
    let add = |text: &str, rest: &[&str]| -> String {
        let mut args = vec!["add", "lesson", text, "--evidence", "pr:1", "--verify", "look", "--json"];
        args.extend(rest);
        world.ken_args(&args).ok().json()["handle"].as_str().unwrap().to_owned()
    };
    let first = add("Retry with jitter.", &["--id", "one", "--anchor", "src/net.rs#retry"]);
    add(
        "Clients come back one by one.",
        &["--id", "two", "--anchor", "docs/clients.md", "--depends-on", "one"],
    );
    commit(&world, "knowledge");
    world.git("init -q --bare -b main ../remote.git");
    world.git("remote add origin ../remote.git");
    (world, first)
}

fn commit(world: &World, message: &str) -> String {
    world.git("add -A");
    world.git(&format!("commit -q -m {message}"));
    world.git("rev-parse HEAD")
}

fn push(world: &World, words: &str) -> Answer {
    world.command("git").arg("push").arg("origin").args(words.split(' ')).output().unwrap().into()
}

fn has(world: &World, branch: &str) -> bool {
    !world.git(&format!("ls-remote origin refs/heads/{branch}")).is_empty()
}

fn install_hook(world: &World) {
    world.write(".git/hooks/pre-push", &block("sh", "Refuses to push"));
    make_executable(&world.path().join(".git/hooks/pre-push"));
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_: &Path) {}

#[test]
fn the_hook_refuses_a_push_that_breaks_an_entry_and_names_it() {
    let (world, handle) = team();
    install_hook(&world);
    // A first push, to a remote that has nothing.
    push(&world, "main").ok();

    world.write("src/net.rs", "// Never without jitter.\nfn retry() {\n    jitter();\n}\n");
    commit(&world, "harmless");
    let answer = push(&world, "main").ok();
    assert!(!answer.err.contains("ken:"), "{}", answer.err);

    world.write("src/net.rs", "fn give_up() {}\n");
    commit(&world, "breaking");
    let before = world.git("ls-remote origin refs/heads/main");
    let answer = push(&world, "main").fails_with(1);
    assert!(answer.err.contains("ken: refs/heads/main breaks what is known"), "{}", answer.err);
    assert!(answer.err.contains(&format!("orphans      {handle}")), "{}", answer.err);
    assert!(answer.err.contains("one broken: "), "{}", answer.err);
    assert_eq!(world.git("ls-remote origin refs/heads/main"), before);

    // The same under a new name is refused, too, whoever is named beside it.
    push(&world, "main:refs/heads/topic HEAD~1:refs/heads/fine").fails_with(1);
    assert!(!has(&world, "topic") && !has(&world, "fine"));
    push(&world, "HEAD~1:refs/heads/fine").ok();
    push(&world, "--delete fine").ok();
    assert!(!has(&world, "fine"));

    // Who says that it is no longer true may push, and so may who insists.
    push(&world, "--no-verify main:refs/heads/insisting").ok();
    world.ken("retract one").ok();
    world.ken("retract two").ok();
    commit(&world, "knowledge");
    push(&world, "main").ok();
}

#[test]
fn the_hook_stays_out_of_the_way_where_there_is_no_store() {
    let mut world = World::repository();
    let path = format!("{}:{}", World::binary().parent().unwrap().display(), std::env::var("PATH").unwrap());
    world.env.push(("PATH".to_owned(), path));
    world.git("init -q --bare -b main ../remote.git");
    world.git("remote add origin ../remote.git");
    install_hook(&world);
    push(&world, "main").ok();
    world.write("src/net.rs", "");
    commit(&world, "empty");
    let answer = push(&world, "main").ok();
    assert!(!answer.err.contains("ken"), "{}", answer.err);
}

/// What of a workflow is needed to run it: the variables of its job, and its steps.
struct Workflow {
    variables: Vec<(String, String)>,
    steps: Vec<Vec<(String, String)>>,
}

/// Reads the part of YAML that the page uses: one key on each line, steps as a list, no texts of several lines.
fn workflow(text: &str) -> Workflow {
    let mut workflow = Workflow { variables: Vec::new(), steps: Vec::new() };
    let mut section = "";
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let depth = line.len() - line.trim_start().len();
        let (begins, rest) = match line.trim_start().strip_prefix("- ") {
            Some(rest) => (true, rest),
            None => (false, line.trim_start()),
        };
        let (key, value) = rest.split_once(':').unwrap_or_else(|| panic!("{line:?} is no key and value"));
        let value = value.trim();
        assert!(!matches!(value, "|" | ">"), "texts of several lines are not read here: {line}");
        if depth == 4 && !begins {
            section = key;
        }
        match (section, depth) {
            ("env", 6) => workflow.variables.push((key.to_owned(), value.to_owned())),
            ("steps", 6) if begins => workflow.steps.push(vec![(key.to_owned(), value.to_owned())]),
            ("steps", 8..) => {
                let step = workflow.steps.last_mut().expect("a step has begun");
                step.push((key.to_owned(), value.to_owned()));
            }
            _ => {}
        }
    }
    workflow
}

impl Workflow {
    /// The commands of its steps, in order.
    fn commands(&self) -> Vec<&str> {
        self.all("run")
    }

    fn all(&self, name: &str) -> Vec<&str> {
        let fields = self.steps.iter().flatten();
        fields.filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
    }
}

/// What a service would put in for its expressions.
fn filled(text: &str, base: &str, head: &str) -> String {
    let mut text = text.to_owned();
    for (expression, value) in
        [("github.event.pull_request.base.sha", base), ("github.event.pull_request.head.sha", head)]
    {
        text = text.replace(&format!("${{{{ {expression} }}}}"), value);
    }
    assert!(!text.contains("${{"), "an expression is not filled in: {text}");
    text
}

/// Runs the steps of the workflow that call `ken` on a pull request from `topic` into `main`, in a clone as a runner has it.
fn run_workflow(world: &World, name: &str) -> (Vec<Answer>, Value) {
    let workflow = workflow(&block("yaml", "upload-sarif"));
    let (base, head) = (world.git("rev-parse main"), world.git("rev-parse topic"));
    world.git("push -q --force --no-verify origin main topic");
    let clone: PathBuf = world.path().join("..").join(name);
    world.git(&format!("clone -q ../remote.git ../{name}"));
    let in_clone = |program: &str| {
        let mut command = world.command(program);
        command.current_dir(&clone);
        command
    };
    // A service checks out what the merge would be.
    let merge = "git config user.name Ada && git config user.email ada@example.org && git checkout -q --detach origin/main \
                 && git merge -q --no-ff -m merge origin/topic";
    assert!(in_clone("sh").args(["-c", merge]).status().unwrap().success());
    let mut answers = Vec::new();
    for command in workflow.commands().into_iter().filter(|command| command.starts_with("ken ")) {
        let mut shell = in_clone("bash");
        shell.args(["-e", "-c", &filled(command, &base, &head)]);
        for (name, value) in &workflow.variables {
            shell.env(name, filled(value, &base, &head));
        }
        answers.push(Answer::from(shell.output().unwrap()));
    }
    let [file] = workflow.all("sarif_file")[..] else { panic!("one file is uploaded") };
    let sarif = std::fs::read_to_string(clone.join(file)).unwrap();
    let status: Answer = in_clone("git").args(["status", "--short"]).output().unwrap().into();
    assert_eq!(status.out.trim(), format!("?? {file}"), "a check leaves nothing else behind");
    (answers, serde_json::from_str(&sarif).unwrap())
}

/// Each result in short: its rule, its loudness and its file.
fn results(sarif: &Value) -> Vec<String> {
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let word = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned();
    let told = results.iter().map(|result| {
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        format!("{} {} {}", word(&result["ruleId"]), word(&result["level"]), word(place))
    });
    told.collect()
}

#[test]
fn the_workflow_fails_by_policy_and_writes_sarif() {
    let (world, handle) = team();
    world.git("checkout -q -b topic");
    let table: &[(&str, &str, i32, &[&str])] = &[
        ("harmless", "// Never without jitter.\nfn retry() {\n    jitter();\n}\n", 0, &[]),
        (
            "drifting",
            "fn retry() {\n    jitter(2);\n}\n",
            0,
            &["entry-drifted warning src/net.rs", "entry-unverifiable note docs/clients.md"],
        ),
        (
            "breaking",
            "fn give_up() {}\n",
            1,
            &["entry-broken error src/net.rs", "entry-orphaned error src/net.rs"],
        ),
    ];
    for (name, text, code, expected) in table {
        world.write("src/net.rs", text);
        commit(&world, name);
        let (answers, sarif) = run_workflow(&world, name);
        let [report, verdict] = answers.try_into().unwrap_or_else(|_| panic!("two steps call ken"));
        report.ok();
        let verdict = verdict.fails_with(*code);
        assert_eq!(verdict.out.contains(&handle), *code != 0 || !expected.is_empty(), "{}", verdict.out);
        assert_eq!(results(&sarif), *expected, "{name}");
    }
}

#[test]
fn the_workflow_fetches_what_it_compares_and_builds_what_is_there() {
    let workflow = workflow(&block("yaml", "upload-sarif"));
    assert_eq!(workflow.all("fetch-depth"), ["0"]);
    let others: Vec<&str> =
        workflow.commands().into_iter().filter(|command| !command.starts_with("ken ")).collect();
    let [build] = others[..] else { panic!("one step builds: {others:?}") };
    let folder = build.rsplit(' ').next().unwrap();
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder).join("Cargo.toml");
    assert!(manifest.is_file(), "{build}: there is no {folder}");
}
