//! Made-up secrets pushed through every door there is, and a search of everything for what came of them (IN-1, IN-2, STO-13).

use std::path::Path;

use serde_json::{Value, json};

use super::world::{Answer, World};

/// A secret that nobody ever had.
struct Secret {
    name: &'static str,
    /// How people write it down.
    said: String,
    /// The part that may be nowhere.
    core: String,
    /// It gives itself away without any words around it.
    bare: Option<String>,
}

/// Splits a text by characters that nobody sees.
fn split(text: &str) -> String {
    let (head, tail) = text.split_at(text.len() / 2);
    format!("{head}\u{200b}{tail}")
}

fn secrets() -> Vec<Secret> {
    let secret = |name, said: String, core: &str, bare: Option<String>| Secret {
        name,
        said,
        core: core.to_owned(),
        bare,
    };
    let pat = concat!("gh", "p_", "Zqumpm08hsE8JNpjJOQGa2rb19FlY01xVVzU");
    let hidden = concat!("gh", "p_", "mG1ylvuhfJXqIEnomef2mSJ5CMTIeg1mOcg4");
    let aws = concat!("AK", "IA", "NVFG5FGR4HWDZPO6");
    let aws_secret = concat!("ZrXbeg+fT3pG/h8msMlc", "/T1ah9sdbEl7oX8nrEHA");
    let slack = concat!("xo", "xb-", "233311497789-5287595584182-cbVjafQ4gGnRfXBkg8QysD4F");
    let stripe = concat!("sk", "_live_", "IS0Xzm41PB2qs353f2Huu6mXrxWU");
    let jwt = concat!(
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
        ".eyJzdWIiOiI0NzExIiwibmFtZSI6Ik90dG8gQmVpc3BpZWwiLCJpYXQiOjE3NjcyMjU2MDB9",
        ".REVXXPHzGIz3qyV4J1TQt7frRgjix7YSdn60LNJMRLd"
    );
    let pem = concat!(
        "-----BEGIN RSA ",
        "PRIVATE KEY-----\n",
        "cpqIuRhWlMkU6ag5t/Zj3aoeWqeHGwlifXjw9APP8Dy+3XzZmBNQR2yTBGTCuSsH\n",
        "5LM/Em9iJLwbL132Zn4T8+WvXX2HdNK44cjXQVIoSTsp5svg/LRTlGrwQ2d8m3Dz\n",
        "-----END RSA ",
        "PRIVATE KEY-----"
    );
    vec![
        secret("pat", format!("The bot pushes with {pat} since May."), &pat[4..], Some(pat.into())),
        secret(
            "aws",
            format!("aws_access_key_id = {aws}\naws_secret_access_key = {aws_secret}"),
            &aws_secret[21..],
            None,
        ),
        secret("aws id", format!("The deploy user is {aws}, see the wiki."), aws, Some(aws.into())),
        secret("slack", format!("Post with {slack} to the channel."), &slack[32..], Some(slack.into())),
        secret("stripe", format!("Payments use {stripe} in production."), &stripe[8..], Some(stripe.into())),
        secret("jwt", format!("Authorization: Bearer {jwt}"), &jwt[112..], Some(jwt.into())),
        secret("pem", format!("The key is\n{pem}"), "iJLwbL132Zn4T8", None),
        secret(
            "prose",
            "The password of the database user app is Kr8tzmangoTiller4, do not lose it.".to_owned(),
            "Kr8tzmangoTiller4",
            None,
        ),
        secret(
            "url",
            concat!("Connect to postgres://app:", "Zq8xK2mWp4Lv", "@db.example.com:5432/shop for tests.")
                .to_owned(),
            "Zq8xK2mWp4Lv",
            None,
        ),
        secret(
            "hidden",
            format!("Clone it with {} as before.", split(hidden)),
            &hidden[4..],
            Some(split(hidden)),
        ),
    ]
}

/// A password that only the name it stands under gives away.
const NAMED: &str = concat!("wV7", "kohlrabiQ", "92x");

/// A world whose every answer is looked through.
struct Doors {
    world: World,
    cores: Vec<(&'static str, String)>,
}

impl Doors {
    fn new() -> Doors {
        let mut world = World::with_store();
        // What editors leave behind is looked through, too.
        let scratch = world.path().join("../scratch");
        std::fs::create_dir_all(&scratch).unwrap();
        world.env.push(("TMPDIR".into(), scratch.display().to_string()));
        let mut cores: Vec<_> =
            secrets().into_iter().map(|secret| (secret.name, secret.core.to_lowercase())).collect();
        cores.push(("named", NAMED.to_lowercase()));
        Doors { world, cores }
    }

    /// Insists that a text holds no secret: as it is, as JSON or a quotation writes it, without what nobody sees.
    fn clean(&self, place: &str, text: &[u8]) {
        let text = String::from_utf8_lossy(text).to_lowercase();
        let text = text.replace("\\u200b", "").replace("\\u{200b}", "").replace(['\u{200b}', '\u{0}'], "");
        for (name, core) in &self.cores {
            if let Some(at) = text.find(core.as_str()) {
                let from = (0..=at.saturating_sub(80)).rev().find(|at| text.is_char_boundary(*at)).unwrap();
                panic!("the secret {name:?} is in {place}: ...{}", &text[from..at + core.len()]);
            }
        }
    }

    fn heard(&self, door: &[&str], answer: Answer) -> Answer {
        let door = format!("the answer of {}", door.join(" ").chars().take(60).collect::<String>());
        self.clean(&door, answer.out.as_bytes());
        self.clean(&door, answer.err.as_bytes());
        assert!(!answer.err.contains("panicked"), "{door}: {}", answer.err);
        answer
    }

    /// Goes through a door, for people and for programs, and may be refused.
    fn knock(&self, args: &[&str]) -> Answer {
        self.heard(args, self.world.ken_args(args));
        let mut args = args.to_vec();
        args.push("--json");
        self.heard(&args, self.world.ken_args(&args))
    }

    fn knock_stdin(&self, args: &[&str], input: &str) -> Answer {
        self.heard(args, self.world.ken_stdin(args, input))
    }

    /// Goes through a door with a variable set.
    fn knock_with(&self, name: &str, value: &str, args: &[&str]) -> Answer {
        let mut command = self.world.command(&World::binary().display().to_string());
        self.heard(args, command.args(args).env(name, value).output().unwrap().into())
    }

    /// Looks through every file, and through what git holds packed. `except` are files the test wrote itself.
    fn search_all(&self, except: &[&str]) {
        self.search_files(except);
        let mut git = self.world.command("git");
        let objects = git.args(["cat-file", "--batch-all-objects", "--batch"]).output().unwrap();
        self.clean("git's objects", &objects.stdout);
    }

    fn search_files(&self, except: &[&str]) {
        let mut folders = vec![self.world.path().parent().unwrap().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if !except.iter().any(|name| path.ends_with(Path::new(name))) {
                    let place = path.display().to_string();
                    self.clean(&place, place.as_bytes());
                    self.clean(&place, &std::fs::read(&path).unwrap());
                }
            }
        }
    }
}

/// A lesson that is fine but for what is said in addition.
fn lesson(more: Value) -> String {
    let mut whole = json!({
        "type": "lesson", "statement": "Retry with jitter.", "anchors": ["src/net.rs"],
        "verification": ["read it"], "provenance": ["pr:1"],
    });
    for (name, value) in more.as_object().unwrap() {
        whole[name] = value.clone();
    }
    whole.to_string()
}

// Every secret in every field, in one file: what is kept out is counted, and none of it is anywhere.
#[test]
fn no_field_of_a_bulk_add_lets_a_secret_in() {
    let doors = Doors::new();
    let mut lines = Vec::new();
    for secret in secrets() {
        let said = secret.said.as_str();
        for field in
            ["statement", "title", "detail", "summary", "subject", "thread", "reviewer", "role", "merge_key"]
        {
            lines.push(lesson(json!({ "statement": format!("{} {field}.", secret.name), field: said })));
        }
        for field in ["tags", "domains", "anchors", "verification", "depends_on", "provenance"] {
            let word = secret.bare.as_deref().unwrap_or(said);
            let word = if field == "provenance" { format!("doc:docs/{word}") } else { word.to_owned() };
            lines.push(lesson(json!({ "statement": format!("{} in {field}.", secret.name), field: [word] })));
        }
        let word = secret.bare.as_deref().unwrap_or(said);
        lines.push(lesson(json!({ "statement": format!("{} as an id.", secret.name), "id": word })));
        lines.push(lesson(json!({ "statement": format!("{} as a type.", secret.name), "type": word })));
        lines.push(lesson(json!({ "statement": format!("{} as a field.", secret.name), word: "x" })));
        for attributes in [
            json!({ "note": said }),
            json!({ word: said }),
            json!({ word: 1 }),
            json!({"a": [{ word: word }]}),
        ] {
            lines.push(
                json!({"type": "entity", "name": format!("E{}", lines.len()), "description": "A thing.", "attributes": attributes, "provenance": ["pr:1"]})
                    .to_string(),
            );
        }
        lines.push(format!("{{\"statement\": \"{}\" oops", word.replace('\n', " ")));
        lines.push(format!("[\"{}\"]", word.replace('\n', " ")));
    }
    lines.push(
        json!({"type": "entity", "name": "Shop", "description": "A shop.", "attributes": {"db_password": NAMED}, "provenance": ["pr:1"]})
            .to_string(),
    );
    doors.world.write("many.jsonl", &(lines.join("\n") + "\n"));
    let answer = doors.knock(&["add", "--file", "many.jsonl", "--keep-going"]);
    let report = answer.fails_with(1).json();
    assert!(report["rejected"].as_u64().unwrap() > 100, "{report}");
    doors.search_all(&["many.jsonl"]);
    // The same as one list, all or nothing, line by line, and once more.
    let whole: Vec<&String> = lines.iter().filter(|line| line.ends_with('}')).collect();
    let joined: Vec<&str> = whole.iter().map(|line| line.as_str()).collect();
    doors.world.write("list.json", &format!("[{}]", joined.join(",\n")));
    doors.knock(&["add", "--file", "list.json"]);
    doors.knock(&["add", "--file", "many.jsonl", "--atomic"]);
    doors.knock(&["add", "--file", "many.jsonl", "--resume"]);
    doors.knock_stdin(&["add", "-", "--keep-going", "--json"], &lines.join("\n"));
    for args in [
        "list --all",
        "list --status rejected",
        "log --limit 500",
        "verify",
        "scan --store",
        "diff HEAD",
        "doctor",
        "rebuild",
    ] {
        doors.knock(&args.split(' ').collect::<Vec<_>>());
    }
    doors.search_all(&["many.jsonl", "list.json"]);
    doors.knock(&["commit", "-m", "knowledge"]).ok();
    doors.search_all(&["many.jsonl", "list.json"]);
}

// One door after the other, each with another secret.
#[test]
fn no_verb_lets_a_secret_in() {
    let doors = Doors::new();
    let world = &doors.world;
    let secrets = secrets();
    let mut next = secrets.iter().cycle();
    let mut said = || next.next().unwrap().said.clone();
    let bare: Vec<&str> = secrets.iter().filter_map(|secret| secret.bare.as_deref()).collect();
    let whole = ["--evidence", "pr:1", "--anchor", "src/net.rs", "--verify", "read it"];
    let with = |args: &[&str], more: &[&str]| -> Answer { doors.knock(&[args, more].concat()) };

    // `add`, flag by flag.
    with(&["add", "lesson", &said()], &whole).fails_with(4);
    with(&["add", &said()], &whole).fails_with(4);
    for flag in
        ["--title", "--detail", "--summary", "--subject", "--reviewer", "--role", "--thread", "--merge-key"]
    {
        with(&["add", "lesson", "Retry with jitter.", flag, &said()], &whole);
    }
    for flag in [
        "--tag",
        "--domain",
        "--anchor",
        "--verify",
        "--evidence",
        "--depends-on",
        "--id",
        "--scope",
        "--polarity",
        "--durability",
        "--on-conflict",
        "--subtype",
        "--severity",
        "--decay-class",
    ] {
        for word in bare.iter().copied() {
            with(&["add", "lesson", "Retry with jitter.", flag, word], &whole);
        }
        with(&["add", "lesson", "Retry with jitter.", flag, &said()], &whole);
    }
    let entity = ["add", "entity", "--name", "Shop", "--description", "Sells.", "--evidence", "pr:1"];
    with(&entity, &["--attribute", &format!("db_password={NAMED}")]).fails_with(4);
    with(&entity, &["--attribute", &format!("note={}", said())]).fails_with(4);
    with(&entity, &["--attribute", &format!("{}=1", bare[0])]).fails_with(4);
    with(&entity, &["--attribute", &said()]);
    with(
        &["add", "relationship", "--from", "a", "--relation", "uses", "--to", bare[0]],
        &["--evidence", "pr:1"],
    );
    with(
        &["add", "commit_norm", "--rule", &said(), "--example", &said(), "--enforcement", &said()],
        &["--evidence", "pr:1"],
    );
    with(&["add", "spike", "--hypothesis", &said(), "--decision", &said(), "--outcome", "partial"], &whole);
    with(&["add", "--content", &lesson(json!({"detail": said()}))], &[]).fails_with(4);
    with(&["add", "--content", &format!("{{\"statement\": {}", bare[1])], &[]).fails_with(2);
    with(&["add", "lesson", &said(), "--explain"], &whole).fails_with(4);
    with(&["add", "lesson", &said(), "--draft"], &[]).fails_with(4);
    with(&["add", "lesson", &said(), "--extracted"], &[]);
    with(&["add", "lesson", &said(), "--scope", "global"], &whole);
    world.write("one.json", &lesson(json!({"summary": said()})));
    with(&["add", "--file", "one.json"], &[]).fails_with(4);
    doors.search_all(&["one.json"]);

    // Records.
    for secret in &secrets {
        with(&["note", &secret.said], &[]).fails_with(4);
    }
    doors.knock_stdin(&["note", "-"], &said());
    with(&["note", "Something odd.", "--tag", bare[2]], &[]);
    for context in [json!({"output": said()}), json!({bare[0]: "x"}), json!({"env": {"DB_PASSWORD": NAMED}})]
    {
        with(&["friction", "record", "--type", "tool_error", "--context", &context.to_string()], &[])
            .fails_with(4);
    }
    with(&["friction", "record", "--type", bare[0], "--context", bare[1]], &[]);

    // Changes of what is there.
    let handle = world.lesson("Retry network calls with jitter.");
    let other = world.lesson("Name branches after the issue.");
    for flag in [
        "--statement",
        "--title",
        "--detail",
        "--verify",
        "--evidence",
        "--tag",
        "--untag",
        "--reason",
        "--clear",
        "--anchor",
    ] {
        with(&["edit", &handle, flag, &said()], &[]);
        with(&["edit", &handle, flag, bare[0]], &[]);
    }
    with(&["edit", &handle, "--content", &json!({ bare[3]: said() }).to_string()], &[]);
    with(&["tag", &handle, bare[0], bare[5]], &[]).fails_with(4);
    with(&["tag", &handle, "--remove", bare[0]], &[]);
    with(&["supersede", &handle, "--statement", &said()], &whole).fails_with(4);
    with(&["supersede", &handle, bare[0]], &[]).fails_with(3);
    let third = world.lesson("Say why in the body of a commit.");
    for verb in ["retract", "restore", "archive"] {
        with(&[verb, &third, "--reason", &said()], &[]);
        with(&[verb, &third, "--reason", bare[1]], &[]);
    }
    with(&["restore", &third], &[]);
    with(&["supersede", &third, &other, "--reason", &said()], &[]);
    with(&["link", &handle, bare[0], &other], &[]).fails_with(2);
    with(&["link", bare[0], "supports", bare[1]], &[]).fails_with(3);
    with(&["undo"], &[]);
    #[cfg(unix)]
    for secret in &secrets {
        use std::os::unix::fs::PermissionsExt;
        let editor = world.path().join("../editor");
        let said = &secret.said;
        // As words of the entry, and as the name of a field.
        for (field, code) in [(String::new(), 4), (format!("{said}: x\n"), 2)] {
            let places = "anchors:\n  - src/net.rs\nverification:\n  - look";
            let form = format!("---\n{field}{places}\n---\n# statement\n{said}");
            world.write("../editor", &format!("#!/bin/sh\ncat > \"$1\" <<'EOF'\n{form}\nEOF\n"));
            std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
            doors.knock_with("EDITOR", &editor.display().to_string(), &["edit", &handle]).fails_with(code);
        }
    }
    doors.search_all(&["one.json", "editor"]);

    // The alias group and settings.
    let content = lesson(json!({"statement": said()}));
    with(&["knowledge", "add", "--type", "semantic", "--evidence", bare[0], "--content", &content], &[]);
    with(&["knowledge", "add", "--type", bare[0], "--content", &content], &[]).fails_with(2);
    with(&["knowledge", "show", bare[0]], &[]).fails_with(3);
    for (key, value) in [
        ("embedder.url", said()),
        ("guard.hosts", said()),
        ("guard.customers", bare[0].into()),
        ("list.limit", bare[1].into()),
        (bare[0], "1".into()),
        ("scoring", bare[0].into()),
        ("admission", said()),
    ] {
        with(&["config", key, &value], &[]);
    }
    for secret in &secrets {
        with(&["config", "guard.organisations", &secret.said], &[]);
    }
    with(&["config"], &[]).ok();

    // Questions, and what is remembered of them.
    for secret in &secrets {
        with(&["search", &secret.said], &[]);
        let word = secret.bare.as_deref().unwrap_or(&secret.said);
        with(&["surface", "--role", "researcher", word], &[]);
    }
    with(&["surface", "--inject", "--role", "debugger", &said(), "--thread", bare[0]], &[]);
    with(&["surface", "--menu", &said()], &[]);
    with(&["search", &said(), "--pack", "800"], &[]);
    with(&["search", "jitter", &format!("tag:{}", bare[0]), "--debug", "--explain"], &[]);
    with(&["search", "jitter", "--mode", bare[0]], &[]).fails_with(2);
    with(&["list", "--tag", bare[0], "--text", bare[1]], &[]);
    with(&["list", "--cursor", bare[0]], &[]);
    with(&["list", "--since", bare[0]], &[]).fails_with(2);
    with(&["surface", "--applied", &handle, "--dismissed", &format!("{other}={}", said())], &[]);
    with(&["surface", "--applied", bare[0]], &[]).fails_with(3);
    world.write("upstream.txt", &format!("[{other}] {}\n", said()));
    with(&["surface", "--role", "planner", "jitter", "--upstream", "upstream.txt"], &[]);
    for variable in ["KEN_RUN", "KEN_ACTOR", "KEN_NOW", "KEN_STORE", "GIT_AUTHOR_NAME"] {
        for word in [bare[0], bare[5], &said(), &said()] {
            let word = word.replace('\n', " ");
            for args in [
                &["search", "jitter"][..],
                &["show", &handle],
                &["status", "--stores"],
                &["status", "--stores", "--json"],
                &["surface", "--inject", "--role", "researcher", "jitter"],
                &["note", "All is well here today."],
            ] {
                doors.knock_with(variable, &word, args);
            }
        }
    }
    with(&["commit", "--no-commit"], &[]).ok();
    with(&["commit", "-m", &said()], &[]);
    world.lesson("Pin the versions of tools.");
    with(&["commit", "-m", bare[0]], &[]);
    doors.search_all(&["one.json", "editor", "upstream.txt"]);

    // Words that are no words here, and ids that are no ids.
    for word in bare.iter().copied() {
        for args in [
            &[word][..],
            &["show", word],
            &["why", word],
            &["log", word],
            &["purge", word, "--yes"],
            &["quarantine", "release", word, "--reason", word],
            &["schema", word],
            &["help", word],
            &["recover", "--adopt", word],
            &["show", &handle, "--as-of", word],
            &["diff", word],
            &["list", "--status", word],
            &["list", "--limit", word],
            &["scan", word],
            &["scan", "--jsonl", word],
            &["scan", "--fail-on", word],
            &["archive", "--older-than", word],
            &["completions", word],
            &["--store", word, "list"],
            &["verify", word],
            &["surface", "--role", word, "x"],
        ] {
            let answer = doors.knock(args);
            assert_ne!(answer.code, 0, "{args:?}: {}", answer.out);
        }
        doors.knock(&["list", &format!("--{word}")]).fails_with(2);
        doors.knock_with("KEN_READONLY", "1", &["note", word]).fails_with(5);
        doors.knock_with("KEN_READONLY", "1", &["search", word]);
    }
    for secret in &secrets {
        doors.knock_with("KEN_READONLY", "1", &["add", "lesson", &secret.said, "--json"]);
        for args in [
            &["scan"][..],
            &["scan", "--json"],
            &["scan", "--explain", "--scope", "global"],
            &["scan", "--explain", "--json"],
        ] {
            doors.knock_stdin(args, &secret.said).fails_with(1);
        }
        let line = json!({"id": secret.name, "text": secret.said}).to_string();
        doors.knock_stdin(&["scan", "--jsonl", "-", "--json"], &line).ok();
        doors.knock_stdin(&["scan", "--jsonl", "-"], &line).ok();
    }

    // What was kept out, what is let in, and what goes for good.
    let rejected = world.ken("list --status rejected --limit 0 --json").ok().json();
    let ids: Vec<&str> =
        rejected["items"].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    assert!(ids.len() > 10, "{ids:?}");
    for id in &ids {
        for verb in ["show", "why", "log"] {
            doors.heard(&[verb, id], world.ken_args(&[verb, id, "--json"])).ok();
        }
    }
    doors.knock(&["quarantine", "release", ids[0], "--reason", &said()]).ok();
    doors.knock(&["quarantine", "release", ids[1], "--reason", bare[0]]).ok();
    doors.knock(&["purge", ids[0], "--reason", &said(), "--yes"]);
    doors.knock(&["show", ids[1]]).ok();
    doors.knock(&["verify"]).ok();
    doors.knock(&["scan", "--store"]);
    doors.knock(&["log", "--limit", "1000"]).ok();
    doors.knock(&["diff", "HEAD", "--format", "markdown"]).ok();
    doors.knock_stdin(&["purge", "--secret", "--yes", "--reason", bare[0]], bare[0]).ok();
    doors.search_all(&["one.json", "editor", "upstream.txt"]);
}

// A hand edit with a secret is adopted as far as it can be, and `purge --secret` says what is left of it (STO-4, STO-13).
#[test]
fn a_hand_edit_with_a_secret_is_not_adopted_as_it_is() {
    let doors = Doors::new();
    let world = &doors.world;
    let file = "kept.jsonl";
    world.lesson("Retry network calls with jitter.");
    let folder = world.path().join(".kenning/semantic/v1/entities");
    let name =
        std::fs::read_dir(&folder).unwrap().flatten().next().unwrap().file_name().into_string().unwrap();
    let path = format!(".kenning/semantic/v1/entities/{name}");
    let secrets = secrets();
    for secret in secrets.iter().filter(|secret| ["pat", "pem", "prose", "hidden"].contains(&secret.name)) {
        let line = world.read(&path).lines().next().unwrap().to_owned();
        let quoted = json!(secret.said).to_string();
        let edited = line.replace("\"Retry network calls with jitter.\"", &quoted);
        assert_ne!(line, edited);
        world.write(&path, &format!("{edited}\n"));
        for args in [
            &["list"][..],
            &["search", "jitter"],
            &["verify"],
            &["log"],
            &["doctor"],
            &["recover", "--adopt", &path],
            &["verify"],
            &["recover", "--adopt", &path],
        ] {
            doors.knock(args);
        }
        // Only the file that a hand wrote holds it, and only it is named.
        doors.search_all(&[&name]);
        let bare = secret.bare.as_deref().unwrap_or(&secret.core);
        if secret.bare.is_some() {
            let answer =
                doors.knock_stdin(&["purge", "--secret", "--yes", "--json"], bare).fails_with(1).json();
            assert!(answer["left"].to_string().contains(&name), "{answer}");
        }
        world.write(&path, &format!("{line}\n"));
        world.ken("verify").ok();
    }
    // An entry that was written into the file by hand is taken out of it and kept out.
    let before = world.read(&path);
    world.write(&path, &format!("{before}{}\n", lesson(json!({"statement": secrets[0].said}))));
    doors.knock(&["recover", "--adopt", &path]).ok();
    doors.search_all(&[file]);
    world.ken("verify").ok();
}

/// A line that another clone could have written, with a hash that is right.
fn forged(seq: u64, kind: &str, entry: &str, data: &Value) -> String {
    forged_by("human:Mallory", seq, kind, entry, data)
}

fn forged_by(actor: &str, seq: u64, kind: &str, entry: &str, data: &Value) -> String {
    use kenning::core::canonical::value_to_string;
    let mut line = json!({
        "actor": actor, "clock": format!("2026-01-01T00:00:{:02}.000Z-0000", seq % 60), "entry": entry,
        "replica": "00112233aabb", "seq": seq, "type": kind, "v": 1, "data": data,
    });
    let hash = kenning::core::EventHash::from_parts(&[value_to_string(&line).as_bytes()]);
    line["hash"] = json!(hash.to_string());
    value_to_string(&line)
}

/// What a forged statement of a lesson says.
fn statement(fields: Value) -> Value {
    let evidence =
        json!([{"evidence_type": "pr", "evidence_ref": "#1", "cited_by": "human:Mallory", "cited_at": 1}]);
    let mut whole = json!({"statement": "Keep functions short.", "anchors": [{"at": "src/net.rs"}], "verification": ["look"]});
    for (name, value) in fields.as_object().unwrap() {
        whole[name] = value.clone();
    }
    json!({"type": "lesson", "fields": whole, "evidence": evidence})
}

// IN-1: lines that arrive by git are scanned before they are shown, and the index never holds their secrets.
#[test]
fn secrets_that_come_by_git_are_never_shown() {
    let doors = Doors::new();
    let world = &doors.world;
    let secrets = secrets();
    let mut names: Vec<String> = Vec::new();
    let mut keys: Vec<String> = Vec::new();
    let mut seq = 0;
    let mut keep = |key: String, lines: Vec<String>| {
        let name = format!("lesson.{key}.jsonl");
        world.write(&format!(".kenning/semantic/v1/entities/{name}"), &(lines.join("\n") + "\n"));
        names.push(name);
        keys.push(key);
    };
    // An entry, and what is said of it.
    let mut arrive = |by: &str, data: &Value, more: &[(&str, Value)]| {
        let key = ken_testkit::key_of(data);
        let said = [("entry.added", data)].into_iter().chain(more.iter().map(|(kind, data)| (*kind, data)));
        let mut lines = Vec::new();
        for (kind, data) in said {
            seq += 1;
            lines.push(forged_by(by, seq, kind, &key, data));
        }
        keep(key, lines);
    };
    const BY: &str = "human:Mallory";
    for (at, secret) in secrets.iter().enumerate() {
        let word = secret.bare.clone().unwrap_or_else(|| secret.said.clone());
        let fields = [
            json!({"statement": secret.said}),
            json!({"detail": secret.said}),
            json!({"attributes": {&word: {"a": [&word]}}}),
            json!({"tags": [&word]}),
            json!({ word.as_str(): "x" }),
            json!({"thread": &word, "scope": "thread"}),
            json!({"merge_key": &word}),
        ];
        // Every secret in the claim, and another one in each other field.
        let mut other = fields[1 + at % 6].clone();
        other["statement"] = json!(format!("Keep function {at} short."));
        for fields in [fields[0].clone(), other] {
            arrive(BY, &statement(fields), &[]);
        }
    }
    let (said, bare) = (secrets[0].said.as_str(), secrets[0].bare.as_deref().unwrap());
    arrive(BY, &statement(json!({"attributes": {"db_password": NAMED}})), &[]);
    for (at, (kind, data)) in [
        ("entry.revised", json!({"set": {"detail": said}})),
        ("entry.revised", json!({"set": {bare: said}, "reason": said})),
        (
            "entry.cited",
            json!({"citation": {"evidence_type": "doc", "evidence_ref": bare, "cited_by": bare, "cited_at": 1}}),
        ),
        ("entry.reinforced", json!({"statement": said, "similarity": 950})),
        ("entry.archived", json!({"reason": said})),
        ("entry.released", json!({"reason": said})),
        ("entry.purged", json!({"hashes": [], "reason": said})),
        ("run.exposed", json!({"run": bare, "how": bare})),
        ("run.missed", json!({"run": bare, "query": said, "similarity": 100})),
        ("entry.blessed", json!({"why": said})),
        (bare, json!({"why": said})),
    ]
    .into_iter()
    .enumerate()
    {
        arrive(BY, &statement(json!({"statement": format!("Keep method {at} short.")})), &[(kind, data)]);
    }
    for data in [
        json!({"type": bare, "fields": {"statement": "x"}}),
        json!({"type": "lesson", "id": bare, "fields": {"statement": "x"}}),
        json!({"type": "lesson", "handle": bare, "fields": {"statement": "y"}}),
        json!({"type": "lesson", "fields": {"statement": "z"}, "not_run": [said], "admission": {"outcome": "as_proposed", "score": 500, "signals": [0, 500, 700, 1000, 393, 500, 1000], "flags": [said]}}),
        json!({"type": "lesson", "fields": {"statement": "w"}, "scan": {"scanner": 99, "tier": "safe", "findings": [{"axis": said, "rule": bare, "severity": "low", "field": said, "start": 0, "end": 1}]}}),
    ] {
        arrive(BY, &data, &[]);
    }
    arrive(bare, &statement(json!({"statement": "By whom?"})), &[]);
    let data = json!({"name": bare, "value": said});
    keep("abc0000000000001".to_owned(), vec![forged(900, "setting.changed", "abc0000000000000", &data)]);
    keep(
        "abc0000000000002".to_owned(),
        vec![
            format!("{{\"entry\": \"abc0000000000002\", \"hash\": \"{bare}\", \"statement\": \"{bare}\"}}"),
            bare.to_owned(),
        ],
    );
    world.git("add -A");
    world.git("commit -q -m theirs");
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let search = || {
        // Git holds what was committed, so only the files of the work tree and of the clone's own folder are looked through.
        doors.search_files(&files);
    };
    for args in [
        "list --all --limit 0",
        "list --status rejected",
        "log --limit 500",
        "search push",
        "search jitter --all",
        "menu",
        "surface --role researcher bot",
        "search bot --pack 900",
        "verify",
        "scan --store",
        "doctor",
        "list --all --as-of HEAD",
        "list --all --as-of 2027-01-01",
        "log --as-of HEAD --limit 500",
        "diff HEAD~1",
        "diff HEAD~1..HEAD",
        "rebuild",
        "embed",
        "recover",
    ] {
        doors.knock(&args.split(' ').collect::<Vec<_>>());
    }
    let all = world.ken("list --all --limit 0 --json").ok().json();
    assert!(all["total"].as_u64().unwrap() > 30, "{all}");
    doors.knock(&["note", "All is well here today."]).ok();
    search();
    for key in &keys {
        doors.heard(&["why"], world.ken_args(&["why", key, "--json"]));
        doors.heard(
            &["quarantine", "release"],
            world.ken_args(&["quarantine", "release", key, "--reason", "harmless", "--json"]),
        );
        doors.heard(&["why"], world.ken_args(&["why", key]));
    }
    let shown: Vec<&str> =
        ["show"].into_iter().chain(keys.iter().map(String::as_str).take(keys.len() - 2)).collect();
    doors.knock(&shown).ok();
    doors.knock(&[&shown[..], &["--as-of", "HEAD"]].concat()).ok();
    doors.knock(&["list", "--all", "--limit", "0"]).ok();
    doors.knock(&["search", "functions", "--limit", "100", "--tier", "full"]);
    search();
    // What is there is taken out by naming it; nothing of it is left in tree, journal, index or quarantine.
    for secret in &secrets {
        let word = secret.bare.as_deref().unwrap_or(&secret.core);
        doors.knock_stdin(&["purge", "--secret", "--many", "--yes", "--reason", "leaked"], word);
    }
    doors.knock_stdin(&["purge", "--secret", "--many", "--yes"], NAMED);
    doors.search_files(&files[files.len() - 1..]);
}

/// A value that an argument of this name may have, so that a call gets as far as it can.
fn plausible(name: &str, id: &str) -> String {
    match name {
        "id" | "ids" | "entry" | "entries" | "used" | "wrong" | "from" | "to" | "by" | "with" | "other" => id,
        "type" | "kind" | "types" => "lesson",
        "path" | "file" | "files" | "folder" | "paths" => "src/net.rs",
        "anchor" | "anchors" | "at" => "src/net.rs",
        "evidence" | "provenance" => "pr:1",
        "run" => "open-run",
        "agent" | "agents" => "alpha",
        "outcome" => "succeeded",
        "format" => "okf",
        "status" => "candidate",
        "context" => "{}",
        "name" | "key" => "search.global",
        _ => "Retry with jitter.",
    }
    .to_owned()
}

/// Every place of a schema that takes a text, as a call with everything it needs and a text of one's own there.
fn plantings(schema: &Value, id: &str, text: &str) -> Vec<Value> {
    let empty = serde_json::Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_text =
        |schema: &Value| schema["type"] == "string" || schema["type"].is_array() || schema["type"].is_null();
    let filled = |name: &str, schema: &Value| match schema["type"].as_str() {
        Some("array") => json!([plausible(name, id)]),
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("object") => json!({}),
        _ => schema["enum"].get(0).cloned().unwrap_or_else(|| json!(plausible(name, id))),
    };
    let mut calls = Vec::new();
    for (name, one) in properties {
        let planted = match one["type"].as_str() {
            Some("array") if one["items"]["type"] == "object" => {
                plantings(&one["items"], id, text).into_iter().map(|item| json!([item])).collect()
            }
            Some("array") => vec![json!([text])],
            Some("object") => vec![json!({text: 1}), json!({"note": text})],
            _ if is_text(one) => vec![json!(text)],
            _ => continue,
        };
        for value in planted {
            let mut call = json!({});
            for other in &required {
                call[*other] = filled(other, &properties[*other]);
            }
            call[name.as_str()] = value;
            calls.push(call);
        }
    }
    calls
}

// Every text that any tool takes, as its schema has it: what a verb takes, its tool takes by the same name.
#[test]
fn no_argument_of_any_tool_lets_a_secret_in() {
    let doors = Doors::new();
    let world = &doors.world;
    let id = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    world.ken("task start --goal retries --run open-run").ok();
    let texts: Vec<String> = secrets()
        .into_iter()
        .flat_map(|secret| {
            let bare = secret.bare.unwrap_or_else(|| secret.said.clone());
            [format!("run-{bare}"), secret.said]
        })
        .collect();
    let mut texts = texts.iter().cycle();
    let mut client =
        crate::mcp::client::Client::start(world, &["--profile", "full"], crate::mcp::client::USUAL);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone();
    let mut calls = 0;
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        let places = plantings(&tool["inputSchema"], &id, "x").len();
        for place in 0..places {
            let call = plantings(&tool["inputSchema"], &id, texts.next().unwrap()).remove(place);
            client.request("tools/call", json!({"name": name, "arguments": call}));
            calls += 1;
        }
    }
    assert!(tools.len() > 60 && calls > 250, "{} tools, {calls} calls", tools.len());
    assert_eq!(client.end(), Some(0));
    doors.search_all(&[]);
    // What waits in the journal is written out, and committed.
    world.ken("commit --no-commit").ok();
    doors.knock(&["commit", "-m", "knowledge"]);
    doors.search_all(&[]);
}

// The same for verbs of the terminal, and for what is said of every call: flags, variables, and the name of the client.
#[test]
fn no_flag_of_the_terminal_and_no_variable_lets_a_secret_in() {
    use kenning::verb::{Doors as Offered, FieldKind};
    let doors = Doors::new();
    let world = &doors.world;
    let id = world.lesson("Retry network calls with jitter, or all clients come back at once.");
    let all = secrets();
    let bare: Vec<String> =
        all.iter().filter_map(|secret| secret.bare.as_ref()).map(|bare| format!("run-{bare}")).collect();
    let mut next = bare.iter().cycle();
    let mut runs = 0;
    for row in kenning::table::TABLE.iter().filter(|row| row.nature.doors != Offered::Every) {
        let arguments: Vec<_> =
            row.all_fields().into_iter().filter(|field| field.kind != FieldKind::Switch).collect();
        for planted in &arguments {
            let secret = next.next().unwrap();
            let mut words: Vec<String> = row.name.split(' ').map(str::to_owned).collect();
            for argument in &arguments {
                let is_planted = argument.name == planted.name;
                if !is_planted && !argument.required {
                    continue;
                }
                let value = if is_planted { secret.clone() } else { plausible(argument.name, &id) };
                words.push(match argument.flag {
                    Some(long) => format!("--{long}={value}"),
                    None => value,
                });
            }
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            doors.heard(&words, world.ken_stdin(&words, ""));
            runs += 1;
        }
    }
    assert!(runs > 10, "{runs} calls");
    for (variable, verbs) in [
        ("KEN_ACTOR", ["list", "note A-thing-happened-again-today."]),
        ("KEN_RUN", ["search jitter", "note A-thing-happened-again-today."]),
        ("KEN_AGENT", ["search jitter", "note A-thing-happened-again-today."]),
        ("CLAUDE_CODE_SESSION_ID", ["search jitter", "note A-thing-happened-again-today."]),
    ] {
        for (verb, secret) in verbs.iter().zip(&bare) {
            doors.knock_with(variable, secret, &verb.split(' ').collect::<Vec<_>>());
            doors.knock_with(variable, &format!("agent:{secret}"), &verb.split(' ').collect::<Vec<_>>());
        }
    }
    for flag in ["--run", "--agent", "--as"] {
        doors.knock(&["search", "jitter", flag, &bare[0]]);
    }
    world.git(&format!("config user.name {}", bare[0]));
    doors.knock(&["note", "Git says who I am."]);
    world.git("config user.name Ada");
    doors.knock(&["commit", "--no-commit"]);
    doors.search_files(&[]);
}
