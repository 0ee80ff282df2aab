//! What a merge or a release brings, read from real repositories (GAT-3).

use crate::verbs::Verbs as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use kenning::core::Type;
use kenning::core::decide::Outcome;
use kenning::core::norm::change::{Change, Changed, Form, What};
use kenning::core::norm::{Occasion, Tier};
use kenning::norms::{Norm, Tree, Verdict, judge};
use kenning::{AddInput, Options, Reach};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A repository with a store, and a clock that only its commits move.
struct Project {
    folder: TempDir,
    seconds: u32,
}

impl Project {
    fn new() -> Project {
        let project = Project { folder: tempfile::tempdir().unwrap(), seconds: 0 };
        git(project.path(), &["init", "-q", "-b", "main"]);
        kenning::init_with(&Options::at(project.path()), kenning::SetUp::default()).unwrap();
        project
    }

    /// The same, with a first commit.
    fn begun(files: &[(&str, &str)]) -> Project {
        let mut project = Project::new();
        for (path, text) in files {
            project.write(path, text);
        }
        project.commit("chore: begin");
        git(project.path(), &["tag", "base"]);
        project
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let at = self.path().join(path);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(at, text).unwrap();
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.path().join(path)).unwrap();
    }

    fn git(&self, args: &[&str]) {
        git(self.path(), args);
    }

    fn commit(&mut self, message: &str) {
        self.seconds += 60;
        self.git(&["add", "-A"]);
        let date = format!("{} +0000", 1_700_000_000 + self.seconds);
        git_at(self.path(), &["commit", "-q", "--allow-empty", "-m", message], &date);
    }

    fn ken(&self) -> Reach {
        self.ken_allowing(None)
    }

    fn ken_allowing(&self, commands: Option<&str>) -> Reach {
        let options = Options {
            no_model: true,
            allowed_commands: commands.map(str::to_owned),
            ..Options::at(self.path())
        };
        kenning::open_for(options, kenning::caller("human:ada")).unwrap()
    }

    fn change(&self, base: &str, head: &str) -> Change {
        self.ken().change_between(base, head).unwrap()
    }

    /// Why there is no such change.
    fn refusal(&self, base: &str, head: &str) -> String {
        self.ken().change_between(base, head).unwrap_err().to_string()
    }
}

fn git(folder: &Path, args: &[&str]) {
    git_at(folder, args, "1700000000 +0000");
}

fn git_at(folder: &Path, args: &[&str], date: &str) {
    let mut command = Command::new("git");
    for setting in [
        "commit.gpgsign=false",
        "core.fsmonitor=false",
        "tag.gpgsign=false",
        "protocol.file.allow=always",
        "core.autocrlf=false",
    ] {
        command.args(["-c", setting]);
    }
    command.args(args).current_dir(folder);
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
        command.env_remove(name);
    }
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.org");
        command.env(format!("GIT_{who}_DATE"), date);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn find<'a>(change: &'a Change, path: &str) -> &'a Changed {
    let paths: Vec<&str> = change.files.iter().map(|file| file.path.as_str()).collect();
    change.files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no {path} in {paths:?}"))
}

fn paths(change: &Change) -> Vec<&str> {
    change.files.iter().filter(|file| !file.is_stores).map(|file| file.path.as_str()).collect()
}

fn subjects(change: &Change) -> Vec<&str> {
    change.commits.iter().map(|commit| commit.subject.as_str()).collect()
}

fn added(file: &Changed) -> Vec<(u32, &str)> {
    file.added.iter().map(|(line, text)| (*line, text.as_str())).collect()
}

#[test]
fn files_are_told_with_what_became_of_them() {
    let mut project = Project::begun(&[
        ("edit.txt", "one\ntwo\nthree\n"),
        ("gone.txt", "x\ny\n"),
        ("move.txt", "a\nb\nc\nd\ne\nf\n"),
        ("run.sh", "true\n"),
        ("crlf.txt", "a\r\nb\r\n"),
        ("cut.txt", "x\ny"),
        ("turn", "text\n"),
    ]);
    project.write("edit.txt", "one\n2\n2b\nthree\n");
    project.remove("gone.txt");
    project.git(&["mv", "move.txt", "moved to.txt"]);
    project.write("moved to.txt", "a\nb\nc\nd\ne\nf\ng\n");
    project.write("crlf.txt", "a\r\nb\r\nc\r\n");
    project.write("cut.txt", "x\ny\nz");
    project.write("empty.txt", "");
    project.write("logo.png", b"\x89PNG\0\0\0");
    project.write("latin.txt", b"caf\xe9\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        fs::set_permissions(project.path().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        project.remove("turn");
        symlink("edit.txt", project.path().join("turn")).unwrap();
    }
    project.commit("feat: everything at once\n\nWith a body\nof two lines.");
    let change = project.change("base", "HEAD");

    assert_eq!(added(find(&change, "edit.txt")), [(2, "2"), (3, "2b")]);
    assert_eq!(find(&change, "edit.txt").removed, 1);
    assert_eq!((find(&change, "gone.txt").what, find(&change, "gone.txt").removed), (What::Deleted, 2));
    let moved = find(&change, "moved to.txt");
    assert_eq!((moved.was.as_deref(), moved.what), (Some("move.txt"), What::Renamed));
    assert_eq!(added(moved), [(7, "g")]);
    assert_eq!(added(find(&change, "crlf.txt")), [(3, "c\r")]);
    assert_eq!(added(find(&change, "cut.txt")), [(2, "y"), (3, "z")]);
    assert_eq!((find(&change, "empty.txt").what, find(&change, "empty.txt").added.len()), (What::Added, 0));
    assert!(find(&change, "logo.png").binary && find(&change, "logo.png").added.is_empty());
    assert_eq!(added(find(&change, "latin.txt")), [(1, "caf\u{fffd}")]);
    #[cfg(unix)]
    {
        assert_eq!(find(&change, "run.sh").what, What::Modified);
        assert_eq!(find(&change, "run.sh").lines(), 0);
        assert_eq!(find(&change, "turn").form, Form::Link);
    }
    assert_eq!(subjects(&change), ["feat: everything at once"]);
    assert_eq!(change.commits[0].body.trim(), "With a body\nof two lines.");
    assert_eq!(change.commits[0].author, "Ada <ada@example.org>");
    assert!(!change.commits[0].is_merge);
}

#[cfg(unix)]
#[test]
fn odd_paths_are_told_as_they_are() {
    let names = [
        "a b",
        "quote\"d",
        "back\\slash",
        "new\nline",
        "tab\tbed",
        "ünï/日本",
        "-dash",
        ":(top)x",
        "end ",
        "diff --git a/x b/y",
    ];
    let mut project = Project::begun(&[]);
    for name in names {
        project.write(name, format!("{name:?}\nsecond\n"));
    }
    project.commit("feat: odd names");
    let change = project.change("base", "HEAD");
    for name in names {
        let file = find(&change, name);
        assert_eq!(added(file), [(1, format!("{name:?}").as_str()), (2, "second")], "{name:?}");
    }
    assert_eq!(paths(&change).len(), names.len());
    // Before they are added they read the same, and the change has the same name.
    project.git(&["reset", "-q", "base"]);
    let working = project.change("base", "");
    assert_eq!(paths(&working), paths(&change));
    assert_eq!(working.id, change.id);
    assert!(working.commits.is_empty());
}

#[test]
fn lines_that_look_like_a_patch_are_lines() {
    let mut project = Project::begun(&[("a", "x\n")]);
    let text = "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\ndiff --git a/c b/c\n\\ No newline\n";
    project.write("a", text);
    project.write("b", "b\n");
    project.commit("feat: a patch of a patch");
    let change = project.change("base", "HEAD");
    let lines: Vec<&str> = added(find(&change, "a")).into_iter().map(|(_, text)| text).collect();
    assert_eq!(lines.join("\n") + "\n", text);
    assert_eq!(added(find(&change, "b")), [(1, "b")]);
}

#[test]
fn a_change_cannot_call_its_own_text_binary() {
    let mut project = Project::begun(&[("a.rs", "x\n")]);
    project.write(".gitattributes", "*.rs -diff binary\n");
    project.write("a.rs", "x\nsecret\n");
    project.commit("feat: nothing to see");
    assert_eq!(added(find(&project.change("base", "HEAD"), "a.rs")), [(2, "secret")]);
}

#[test]
fn settings_of_the_repository_change_nothing_and_start_nothing() {
    let mut project = Project::begun(&[("a", "x\n"), ("sub/b", "y\n"), ("move.txt", "a\nb\nc\n")]);
    project.write("a", "x\ny\n");
    project.write("sub/b", "z\n");
    project.git(&["mv", "move.txt", "moved.txt"]);
    project.commit("feat: two files");
    let plain = project.change("base", "HEAD");
    let trap = project.path().join("trap");
    let run = format!("touch '{}'; false", trap.display());
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.renames", "false"),
        ("diff.relative", "true"),
        ("diff.context", "9"),
        ("diff.algorithm", "patience"),
        ("color.ui", "always"),
        ("core.quotePath", "true"),
        ("diff.external", &run),
        ("core.fsmonitor", &run),
        ("core.pager", &run),
        ("log.showSignature", "true"),
        ("format.pretty", "oneline"),
    ] {
        project.git(&["config", key, value]);
    }
    assert_eq!(project.change("base", "HEAD"), plain);
    project.git(&["reset", "-q", "base"]);
    assert_eq!(find(&project.change("base", ""), "a").added, find(&plain, "a").added);
    assert!(!trap.exists());
}

#[test]
fn a_change_begins_where_the_branches_parted() {
    let mut project = Project::begun(&[("a", "x\n")]);
    project.git(&["checkout", "-q", "-b", "feature"]);
    project.write("b", "y\n");
    project.commit("feat: b");
    project.git(&["checkout", "-q", "main"]);
    project.write("c", "z\n");
    project.commit("feat: c");
    let change = project.change("main", "feature");
    assert_eq!((paths(&change), subjects(&change)), (vec!["b"], vec!["feat: b"]));
    // A merge of the other branch is a commit of the change, and what it brought from there is not.
    project.git(&["checkout", "-q", "feature"]);
    git(project.path(), &["merge", "-q", "--no-edit", "main"]);
    let merged = project.change("main", "feature");
    assert_eq!(paths(&merged), ["b"]);
    let merges: Vec<bool> = merged.commits.iter().map(|commit| commit.is_merge).collect();
    assert_eq!((merges, merged.id == change.id), (vec![false, true], true));
}

#[test]
fn the_name_survives_a_rebase_and_the_store_but_no_edit() {
    let body: String = (1..40).map(|line| format!("line {line}\n")).collect();
    let mut project = Project::begun(&[("a", &body)]);
    project.git(&["checkout", "-q", "-b", "feature"]);
    project.write("a", body.replace("line 30\n", "line 30\nnew\n"));
    project.write("logo.png", b"\0\x01");
    project.commit("feat: new");
    let name = project.change("main", "feature").id;
    // What is above moves, and nothing around the change does.
    project.git(&["checkout", "-q", "main"]);
    project.write("a", format!("zero\n{body}"));
    project.commit("fix: zero");
    project.git(&["checkout", "-q", "feature"]);
    git(project.path(), &["rebase", "-q", "main"]);
    assert_eq!(project.change("main", "feature").id, name);
    git(project.path(), &["commit", "-q", "--amend", "-m", "feat: said in other words"]);
    assert_eq!(project.change("main", "feature").id, name);
    project.write(".kenning/episodic/v1/attested.jsonl", "{}\n");
    project.commit("chore: attested");
    let attested = project.change("main", "feature");
    assert_eq!(attested.id, name);
    assert!(find(&attested, ".kenning/episodic/v1/attested.jsonl").is_stores);
    project.write("logo.png", b"\0\x02");
    assert_ne!(project.change("main", "").id, name);
    project.write("logo.png", b"\0\x01");
    assert_eq!(project.change("main", "").id, name);
    let text = fs::read_to_string(project.path().join("a")).unwrap();
    project.write("a", text.replace("new\n", "newer\n"));
    assert_ne!(project.change("main", "").id, name);
}

#[test]
fn the_working_tree_is_told_with_what_is_not_added() {
    let mut project =
        Project::begun(&[("a", "x\n"), ("b", "x\n"), ("keep", "x\n"), (".gitignore", "*.log\n")]);
    project.write("c", "committed\n");
    project.commit("feat: c");
    project.write("a", "x\ny\n");
    project.write("staged", "s\n");
    project.git(&["add", "staged"]);
    project.write("new file", "n");
    project.write("noise.log", "z\n");
    project.remove("b");
    project.git(&["rm", "-q", "--cached", "keep"]);
    let change = project.change("base", "");
    assert_eq!(paths(&change), ["a", "b", "c", "keep", "new file", "staged"]);
    assert_eq!(subjects(&change), ["feat: c"]);
    assert_eq!(added(find(&change, "new file")), [(1, "n")]);
    assert_eq!(find(&change, "b").what, What::Deleted);
    assert_eq!(find(&change, "keep").what, What::Modified);
}

#[test]
fn submodules_are_commits_of_others() {
    let other = tempfile::tempdir().unwrap();
    git(other.path(), &["init", "-q", "-b", "main"]);
    git(other.path(), &["commit", "-q", "--allow-empty", "-m", "one"]);
    let mut project = Project::begun(&[("a", "x\n")]);
    project.git(&["submodule", "--quiet", "add", other.path().to_str().unwrap(), "lib/other"]);
    project.git(&["config", "diff.submodule", "log"]);
    project.commit("feat: a submodule");
    let change = project.change("base", "HEAD");
    assert_eq!(
        (find(&change, "lib/other").form, find(&change, "lib/other").what),
        (Form::Submodule, What::Added)
    );
    let found = judged(&project.ken(), json!({"check": "content", "forbid": "Subproject"}), "base", "HEAD");
    assert!(matches!(found, Verdict::Passed { .. }), "{found:?}");
    project.write("lib/other/new", "untracked there\n");
    assert_eq!(project.change("HEAD", "").files.len(), 0);
}

#[test]
fn nothing_is_a_change_too() {
    let project = Project::begun(&[("a", "x\n")]);
    let change = project.change("HEAD", "HEAD");
    assert_eq!((change.commits.len(), change.files.len(), change.id.len()), (0, 0, 32));
    assert_eq!(project.change("HEAD", "").id, change.id);
}

#[test]
fn what_is_not_there_is_refused_with_a_way_on() {
    let unborn = Project::new();
    assert_eq!(unborn.refusal("HEAD", ""), "HEAD is not a commit: this repository has no commits yet");
    let project = Project::begun(&[("a", "x\n")]);
    assert_eq!(project.refusal("nowhere", "HEAD"), "unknown commit, branch or tag \"nowhere\"");
    assert!(project.refusal("--output=x", "HEAD").contains("unknown commit"));
    assert!(!project.path().join("x").exists());
}

#[test]
fn histories_that_never_met_differ_in_everything() {
    let mut project = Project::begun(&[("a", "x\n")]);
    project.git(&["checkout", "-q", "--orphan", "other"]);
    project.git(&["rm", "-q", "-r", "--cached", "."]);
    project.remove("a");
    project.write("b", "y\n");
    project.commit("feat: another beginning");
    let change = project.change("main", "other");
    assert_eq!(paths(&change), ["a", "b"]);
    assert_eq!(find(&change, "a").what, What::Deleted);
}

#[test]
fn a_shallow_clone_says_what_it_lacks() {
    let mut project = Project::begun(&[("a", "x\n")]);
    project.write("a", "y\n");
    project.commit("feat: y");
    project.write("a", "z\n");
    project.commit("feat: z");
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file://{}", project.path().display());
    git(folder.path(), &["clone", "-q", "--depth=2", &url, "clone"]);
    let options = || Options { no_model: true, ..Options::at(folder.path().join("clone")) };
    kenning::init_with(&options(), kenning::SetUp::default()).unwrap();
    let ken = kenning::open_for(options(), kenning::caller("human:ada")).unwrap();
    assert_eq!(subjects(&ken.change_between("HEAD~1", "HEAD").unwrap()), ["feat: z"]);
    let lost = ken.change_between("base", "HEAD").unwrap_err().to_string();
    assert_eq!(lost, "base is not in this shallow clone");
    let cut = ken.change_of_release("HEAD").unwrap_err().to_string();
    assert!(cut.starts_with("this clone is shallow; it lacks commits before "), "{cut}");
    // A base that was fetched alone has no history in common.
    git(&folder.path().join("clone"), &["fetch", "-q", "--depth=1", "origin", "tag", "base"]);
    let apart = ken.change_between("base", "HEAD").unwrap_err().to_string();
    assert!(apart.starts_with("this clone is shallow; it lacks commits between "), "{apart}");
}

#[test]
fn a_release_is_everything_since_the_tag_before_it() {
    let mut project = Project::begun(&[("a", "x\n")]);
    project.git(&["tag", "-d", "base"]);
    let (base, first) = project.ken().change_of_release("HEAD").unwrap();
    assert_eq!(
        (base.as_str(), subjects(&first), find(&first, "a").what),
        ("", vec!["chore: begin"], What::Added)
    );
    project.git(&["tag", "v1"]);
    project.write("b", "y\n");
    project.commit("feat: b");
    project.write("c", "z\n");
    project.commit("feat: c");
    project.git(&["tag", "-a", "-m", "two", "v2"]);
    let (base, second) = project.ken().change_of_release("v2").unwrap();
    assert_eq!(
        (base.as_str(), subjects(&second), paths(&second)),
        ("v1", vec!["feat: b", "feat: c"], vec!["b", "c"])
    );
    assert_eq!(project.ken().change_of_release("HEAD").unwrap().0, "v1", "what is tagged is released itself");
    // A tag on a branch that was merged counts as well.
    project.git(&["checkout", "-q", "-b", "line", "v1"]);
    project.seconds += 600;
    project.write("d", "d\n");
    project.commit("fix: d");
    project.git(&["tag", "v1.1"]);
    project.git(&["checkout", "-q", "main"]);
    git(project.path(), &["merge", "-q", "--no-edit", "line"]);
    let (base, third) = project.ken().change_of_release("HEAD").unwrap();
    assert_eq!(base, "v1.1");
    assert_eq!(paths(&third), ["b", "c"]);
}

fn judged(ken: &Reach, enforcement: Value, base: &str, head: &str) -> Verdict {
    let norm = Norm::read("norm.x", Type::PrExpectation, Some(&enforcement)).unwrap();
    let change = ken.change_between(base, head).unwrap();
    let mut tree = ken.tree_after(head).unwrap();
    judge(&norm, &change, &mut tree, Occasion::Merge, Tier::Low).verdict
}

#[test]
fn gat_3_the_tree_after_a_change_is_read() {
    let mut project = Project::begun(&[("a.rs", "x\n"), ("LICENSE", "free\n")]);
    project.write("a.rs", "// Licence: MIT\nx\n");
    project.write("b/c.rs", "y\n");
    project.commit("feat: two");
    project.write("LICENSE.old", "free\n");
    project.remove("LICENSE");
    let ken = project.ken();
    let licence = json!({"check": "content", "files": ["**/*.rs"], "require": "^// Licence"});
    let Verdict::Failed { places, .. } = judged(&ken, licence, "base", "HEAD") else {
        panic!("b/c.rs has none")
    };
    assert_eq!(serde_json::to_value(&places[0]).unwrap()["path"], "b/c.rs");
    let there = json!({"check": "required_file", "need": ["LICENSE"], "exists": true});
    assert!(!judged(&ken, there.clone(), "base", "HEAD").blocks(), "the commit has it");
    assert!(judged(&ken, there, "base", "").blocks(), "the working tree has not");
    let any = json!({"check": "required_file", "need": ["LICENSE*"], "exists": true});
    assert!(!judged(&ken, any, "base", "").blocks());
}

#[cfg(unix)]
#[test]
fn gat_3_programs_run_only_where_they_are_allowed_and_see_the_change() {
    let mut project = Project::begun(&[("a", "x\n")]);
    project.write("a", "y\n");
    project.commit("feat: y");
    let check = |run: &str| json!({"check": "command", "run": run});
    let found = judged(&project.ken(), check("grep-for y a"), "base", "HEAD");
    assert!(matches!(&found, Verdict::CannotTell { why } if why.contains("check.allow")), "{found:?}");
    let ken = project.ken_allowing(Some("diff a a;diff a LICENSE"));
    assert!(matches!(judged(&ken, check("diff a a"), "base", "HEAD"), Verdict::Passed { .. }));
    assert!(matches!(judged(&ken, check("diff a LICENSE"), "base", "HEAD"), Verdict::Failed { .. }));
    assert!(matches!(judged(&ken, check("diff a b"), "base", "HEAD"), Verdict::CannotTell { .. }));
    let past = judged(&ken, check("diff a a"), "base", "base");
    assert!(matches!(&past, Verdict::CannotTell { why } if why.contains("check it out first")), "{past:?}");
    project.write("a", "dirty\n");
    let dirty = judged(&ken, check("diff a a"), "base", "HEAD");
    assert!(matches!(&dirty, Verdict::CannotTell { why } if why.contains("a differs from")), "{dirty:?}");
    assert!(matches!(judged(&ken, check("diff a a"), "base", ""), Verdict::Passed { .. }));
}

#[test]
fn every_template_can_be_added() {
    let project = Project::begun(&[("a", "x\n")]);
    let mut ken = project.ken();
    for template in kenning::templates::templates() {
        let mut content = template.content();
        content.insert("id".to_owned(), json!(template.id));
        let input = AddInput {
            kind: Some(template.kind.word().to_owned()),
            content,
            evidence: vec!["pr:1".to_owned()],
            ..AddInput::default()
        };
        let answer = ken.add(input).unwrap_or_else(|error| panic!("{}: {error}", template.id));
        assert_eq!(
            (answer.outcome, answer.id.as_str()),
            (Outcome::Added, template.id),
            "{:?}",
            answer.reasons
        );
    }
}

#[test]
fn a_change_of_a_hundred_thousand_lines_is_read() {
    let mut project = Project::begun(&[("a", "x\n")]);
    let text: String = (0..100_000).map(|line| format!("line {line}\n")).collect();
    project.write("a", text);
    project.commit("feat: much");
    let ken = project.ken();
    let change = ken.change_between("base", "HEAD").unwrap();
    assert_eq!(find(&change, "a").added.len(), 100_000);
    assert_eq!(ken.tree_after("HEAD").unwrap().text("a").unwrap().unwrap().lines().count(), 100_000);
}
