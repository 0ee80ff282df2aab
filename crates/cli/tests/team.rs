//! A team for stories: Ada and Bo may approve, Cy may not, and agents write too.

use std::path::{Path, PathBuf};

use kenning::core::EventHash;
use kenning::core::canonical::value_to_string;
use serde_json::{Value, json};

use super::pty::ken_on_terminal;
use super::world::{Answer, World};

/// An agent that writes.
pub const AGENT: &str = "agent:coder";

/// A repository with a store, committed, in which Ada and Bo may approve. Ada sits there unless somebody else is named.
pub struct Team {
    pub world: World,
}

impl Team {
    pub fn new() -> Team {
        let team = Team::without_approvers();
        team.settle("approvers.Ada", "yes");
        team.settle("approvers.Bo", "yes");
        team.commit("chore: who may approve");
        team
    }

    pub fn without_approvers() -> Team {
        let mut world = World::repository();
        world.env.push(("KEN_NO_MODEL".to_owned(), "1".to_owned()));
        world.write("docs/guide.md", "How we work.\n");
        world.ken("init").ok();
        let team = Team { world };
        team.commit("chore: a store");
        team
    }

    /// Changes a setting, as Ada does.
    pub fn settle(&self, key: &str, value: &str) {
        self.ken(&["config", key, value]).ok();
    }

    /// Commits everything.
    pub fn commit(&self, message: &str) -> String {
        self.world.git("add -A");
        let made = self
            .world
            .command("git")
            .args(["commit", "-q", "--allow-empty", "-m", message])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        self.world.git("rev-parse HEAD")
    }

    /// `ken` by Ada, without a terminal.
    pub fn ken(&self, args: &[&str]) -> Answer {
        self.world.ken_args(args)
    }

    /// `ken` by somebody, without a terminal: a name is a person's, `agent:NAME` an agent's.
    pub fn ken_by(&self, who: &str, args: &[&str]) -> Answer {
        self.ken_in(&self.world.path(), who, args)
    }

    /// The same in another folder.
    pub fn ken_in(&self, folder: &Path, who: &str, args: &[&str]) -> Answer {
        self.ken_in_at(folder, who, "2026-01-02T03:04:05Z", args)
    }

    /// The same at another time.
    pub fn ken_in_at(&self, folder: &Path, who: &str, now: &str, args: &[&str]) -> Answer {
        let mut command = self.world.command(&World::binary().display().to_string());
        let (name, value) = actor(who);
        command.current_dir(folder).env(name, value).env("KEN_NOW", now).args(args);
        self.world.answered(command, None)
    }

    /// `ken` by somebody at a terminal.
    pub fn terminal(&self, who: &str, args: &[&str], talk: &[(&str, &str)]) -> Answer {
        ken_on_terminal(&self.world, &[actor(who)], args, talk)
    }

    /// A lesson that has everything a lesson needs; gives its id.
    pub fn lesson(&self, statement: &str) -> String {
        let args = [
            "add",
            "lesson",
            statement,
            "--evidence",
            "pr:1",
            "--anchor",
            "src/net.rs",
            "--verify",
            "look",
            "--json",
        ];
        self.ken(&args).ok().json()["id"].as_str().unwrap().to_owned()
    }

    /// A note; gives its id.
    pub fn note(&self, text: &str) -> String {
        self.ken(&["note", text, "--json"]).ok().json()["id"].as_str().unwrap().to_owned()
    }

    /// A norm that an agent stated, and nobody has accepted.
    pub fn candidate(&self, id: &str, rule: &str, more: &[&str]) -> String {
        let args =
            [&["add", "commit_norm", rule, "--id", id, "--evidence", "doc:docs/guide.md"], more].concat();
        self.ken_by(AGENT, &args).ok();
        id.to_owned()
    }

    /// A norm that Ada states and accepts at her terminal.
    pub fn norm(&self, id: &str, rule: &str, more: &[&str]) -> String {
        self.norm_of("commit_norm", id, rule, more)
    }

    /// The same, of any type.
    pub fn norm_of(&self, kind: &str, id: &str, rule: &str, more: &[&str]) -> String {
        let args = [&["add", kind, rule, "--id", id, "--evidence", "doc:docs/guide.md"], more].concat();
        let answer = self.terminal("Ada", &args, &[("Type `yes`", "yes\n")]);
        assert!(answer.ok().out.contains("is in force"), "{id}");
        id.to_owned()
    }

    /// A norm that a machine checks, in force.
    pub fn checked(&self, id: &str, rule: &str, enforcement: &str) -> String {
        self.norm(id, rule, &["--enforcement", enforcement])
    }

    /// Asks, as an agent, that something becomes a norm; gives the name of the proposal.
    pub fn proposal(&self, source: &str, more: &[&str]) -> String {
        self.proposal_by(AGENT, source, more)
    }

    pub fn proposal_by(&self, who: &str, source: &str, more: &[&str]) -> String {
        let given = |flag: &str| more.contains(&flag);
        let mut args = vec!["promote", "propose", source, "--reason", "it keeps coming up", "--json"];
        if !given("--to") {
            args.extend(["--to", "procedural"]);
        }
        if !given("--evidence") {
            args.extend(["--evidence", "doc:docs/guide.md"]);
        }
        args.extend(more);
        self.ken_by(who, &args).ok().json()["id"].as_str().unwrap().to_owned()
    }

    /// Somebody approves at their terminal.
    pub fn approve(&self, who: &str, proposal: &str) -> Answer {
        self.terminal(who, &["promote", "approve", proposal], &[("Type `yes`", "yes\n")])
    }

    /// `ken gate` with JSON, and whatever is judged.
    pub fn gate(&self, args: &[&str]) -> Answer {
        self.ken(&[&["gate", "--json"], args].concat())
    }

    /// `ken` by Ada at another time.
    pub fn ken_at(&self, now: &str, args: &[&str]) -> Answer {
        let mut command = self.world.command(&World::binary().display().to_string());
        command.env("KEN_NOW", now).args(args);
        self.world.answered(command, None)
    }

    /// The ledger file of an entry, from the repository's root.
    pub fn ledger(&self, id: &str) -> String {
        let shown = self.ken(&["show", id, "--json"]).ok().json();
        let path = shown["file"].as_str().unwrap_or_else(|| panic!("{shown}")).to_owned();
        match path.starts_with(".kenning/") {
            true => path,
            false => format!(".kenning/{path}"),
        }
    }

    /// The first file whose path contains a text, from the repository's root.
    pub fn file_like(&self, part: &str) -> String {
        let root = self.world.path();
        let mut folders: Vec<PathBuf> = vec![root.join(".kenning")];
        while let Some(folder) = folders.pop() {
            for item in std::fs::read_dir(folder).unwrap().flatten() {
                let path = item.path();
                let name = path.strip_prefix(&root).unwrap().display().to_string();
                match path.is_dir() {
                    true => folders.push(path),
                    false if name.contains(part) => return name,
                    false => {}
                }
            }
        }
        panic!("no file like {part}");
    }

    /// Changes a file of the repository by hand.
    pub fn edit(&self, path: &str, change: impl Fn(&str) -> String) {
        let before = self.world.read(path);
        let after = change(&before);
        assert_ne!(before, after, "{path}");
        self.world.write(path, &after);
    }

    /// Puts a line with a right hash at the end of a ledger file.
    pub fn forge(&self, path: &str, line: &str) {
        let before = std::fs::read_to_string(self.world.path().join(path)).unwrap_or_default();
        self.world.write(path, &format!("{before}{line}\n"));
    }

    /// The key of an entry, as events name it.
    pub fn key(&self, id: &str) -> String {
        let text = self.world.read(&self.ledger(id));
        let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        first["entry"].as_str().unwrap().to_owned()
    }

    /// Somebody else's clone of what is committed, with a journal of its own.
    pub fn clone_by(&self, who: &str) -> PathBuf {
        let folder = self.world.path().parent().unwrap().join(who);
        self.world.git(&format!("clone -q . ../{who}"));
        self.git_in(&folder, &format!("config user.name {who}"));
        self.git_in(&folder, "config user.email them@example.org");
        folder
    }

    /// `git` in another folder; insists that it works.
    pub fn git_in(&self, folder: &Path, words: &str) {
        let done = self.world.command("git").current_dir(folder).args(words.split(' ')).output().unwrap();
        assert!(done.status.success(), "git {words}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

/// How a command learns who acts.
fn actor(who: &str) -> (&'static str, &str) {
    match who.starts_with("agent:") {
        true => ("KEN_ACTOR", who),
        false => ("GIT_AUTHOR_NAME", who),
    }
}

/// A line of an event by somebody in a clone that nobody knows, with a right hash.
pub fn forged(by: &str, seq: u64, kind: &str, entry: Option<&str>, data: &Value) -> String {
    let mut line = json!({
        "actor": by, "clock": format!("2026-01-02T03:05:{:02}.000Z-0000", seq % 60),
        "replica": "0a0a0a0a0a0a", "seq": seq, "type": kind, "v": 1, "data": data,
    });
    if let Some(entry) = entry {
        line["entry"] = json!(entry);
    }
    sealed(line)
}

/// The line of an event whose hash is right, whatever it claims.
pub fn sealed(mut envelope: Value) -> String {
    let hash = EventHash::from_parts(&[value_to_string(&envelope).as_bytes()]);
    envelope["hash"] = json!(hash.to_string());
    value_to_string(&envelope)
}

/// What an `entry.added` line says of a norm or a lesson, with one citation.
pub fn statement(kind: &str, fields: Value) -> Value {
    let evidence =
        json!([{"evidence_type": "pr", "evidence_ref": "#1", "cited_by": "human:Mallory", "cited_at": 1}]);
    json!({"type": kind, "fields": fields, "evidence": evidence})
}
