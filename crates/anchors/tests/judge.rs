//! Stories of VAL-3: code is anchored, something happens to it, and a verdict is given.

use std::collections::BTreeMap;
use std::rc::Rc;

use ken_anchors::{Code, Files, InProcess, capture, judge};
use ken_core::PlaceVerdict;
use ken_core::anchor::{Captured, Spot};

/// A small repository in memory.
#[derive(Clone, Default)]
struct Tree(BTreeMap<String, String>);

impl Tree {
    /// Files from a text: `@@ path` begins each.
    fn of(text: &str) -> Tree {
        let mut tree = Tree::default();
        for file in text.split("@@ ").skip(1) {
            let (path, content) = file.split_once('\n').expect("a path stands on a line of its own");
            tree.0.insert(path.trim().to_owned(), content.to_owned());
        }
        tree
    }

    fn read(&self, path: &str) -> Option<Rc<Code>> {
        let text = self.0.get(path)?;
        Some(Rc::new(Code::read(path, text.as_bytes(), &mut InProcess::default()).expect("it is a text")))
    }
}

impl Files for Tree {
    fn code(&mut self, path: &str) -> Result<Option<Rc<Code>>, String> {
        Ok(self.read(path))
    }

    fn holding(&mut self, needles: &[String]) -> Vec<String> {
        let holds = |text: &String| needles.iter().any(|needle| text.contains(needle));
        self.0.iter().filter(|(_, text)| holds(text)).map(|(path, _)| path.clone()).collect()
    }
}

fn captured(at: &str, tree: &Tree) -> Result<Captured, String> {
    let spot = Spot::parse(at);
    let path = spot.path.clone().unwrap_or_else(|| tree.0.keys().next().expect("there is a file").clone());
    capture(&spot, &path, &tree.read(&path).expect("the anchored file is there"))
}

fn judged(at: &str, before: &str, after: &str) -> PlaceVerdict {
    let captured = captured(at, &Tree::of(before)).expect("the anchor is there");
    judge(&Spot::parse(at), &captured, &mut Tree::of(after))
}

/// The verdict, and where it is now.
fn check(story: &str, at: &str, before: &str, after: &str, expected: &str) {
    let judged = judged(at, before, after);
    let now = judged.now.as_deref().map(|now| format!(" {now}")).unwrap_or_default();
    assert_eq!(format!("{}{now}", judged.verdict), expected, "{story}: {}", judged.why);
}

const NET: &str = "@@ src/net.rs
use std::time::Duration;

/// Tries again.
pub fn retry(times: u32, wait: Duration) -> Option<u32> {
    for attempt in 0..times {
        std::thread::sleep(wait * attempt);
        if attempt % 7 == 3 {
            return Some(attempt);
        }
    }
    None
}

fn other() -> u32 {
    42
}
";

fn net(change: impl Fn(&str) -> String) -> String {
    change(NET)
}

#[test]
fn a_function_by_its_name() {
    let at = "src/net.rs#retry";
    let swap = |from: &str, to: &str| net(|text| text.replace(from, to));
    check("nothing happened", at, NET, NET, "fresh");
    check("a comment", at, NET, &swap("    None", "    // Nothing.\n    None"), "fresh");
    check(
        "lines broken elsewhere",
        at,
        NET,
        &swap("(times: u32, wait: Duration)", "(\n    times: u32,\n    wait: Duration,\n)"),
        "fresh",
    );
    check("code before it", at, NET, &swap("/// Tries", "fn first() {}\n\n/// Tries"), "fresh");
    check("its body", at, NET, &swap("== 3", "== 4"), "drifted");
    check("its signature", at, NET, &swap("times: u32", "times: u64"), "drifted");
    check("its name", at, NET, &swap("retry", "again"), "moved src/net.rs#again");
    check(
        "its file's name",
        at,
        NET,
        &swap("src/net.rs", "src/client/net.rs"),
        "moved src/client/net.rs#retry",
    );
    check(
        "its body and its file's name",
        at,
        NET,
        &swap("src/net.rs", "src/web.rs").replace("== 3", "== 4"),
        "drifted src/web.rs#retry",
    );
    check("it is gone", at, NET, "@@ src/net.rs\nfn other() -> u32 {\n    42\n}\n", "broken");
    check("its file is gone", at, NET, "@@ src/rest.rs\nfn other() {}\n", "broken");
    let moved = format!("@@ src/net.rs\nfn other() {{}}\n{}", swap("src/net.rs", "src/web.rs"));
    check("it went elsewhere", at, NET, &moved, "moved src/web.rs#retry");
    check("half typed", at, NET, &swap("if attempt % 7 == 3 {", "if attempt % 7 == {{"), "unverifiable");
    check("half typed, beside it", at, NET, &swap("    42\n}\n", "    42 +\n"), "fresh");
}

#[test]
fn a_symbol_alone_remembers_its_file() {
    let other = net(|text| text.replace("src/net.rs", "src/web.rs"));
    check("nothing", "#retry", NET, NET, "fresh");
    check("another file", "#retry", NET, &other, "moved src/web.rs#retry");
}

#[test]
fn a_type_and_its_members() {
    let before = "@@ a.rs
pub struct Client {
    name: String,
    retries: u32,
}

impl Client {
    pub fn new(name: String) -> Client {
        Client { name, retries: 3 }
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}
";
    let swap = |from: &str, to: &str| before.replace(from, to);
    let at = "a.rs#Client";
    check(
        "a member more",
        at,
        before,
        &swap(
            "    pub fn name",
            "    pub fn times(&self) -> u32 {\n        self.retries\n    }\n\n    pub fn name",
        ),
        "drifted",
    );
    check("a field more", at, before, &swap("    retries", "    debt: u8,\n    retries"), "drifted");
    check(
        "members change places",
        at,
        before,
        &swap("    name: String,\n    retries: u32,", "    retries: u32,\n    name: String,"),
        "fresh",
    );
    check("a member changed", at, before, &swap("&self.name\n", "self.name.trim()\n"), "drifted");
    check("a field is gone", at, before, &swap("    retries: u32,\n", ""), "drifted");
    check("another name", at, before, &swap("Client", "Caller"), "moved a.rs#Caller");
    check("a member by its end", "a.rs#new", before, &swap("&self.name\n", "self.name.trim()\n"), "fresh");
    check("a field", "a.rs#Client.retries", before, &swap("retries: u32", "retries: u64"), "drifted");
}

#[test]
fn lines_of_code() {
    let at = "src/net.rs:7-9";
    let swap = |from: &str, to: &str| net(|text| text.replace(from, to));
    check("nothing", at, NET, NET, "fresh");
    check("code after it", at, NET, &swap("42", "43"), "fresh");
    check(
        "code before it",
        at,
        NET,
        &swap("/// Tries", "fn first() {}\n\n/// Tries"),
        "moved src/net.rs:9-11",
    );
    check("the symbol's name", at, NET, &swap("fn retry", "fn again"), "fresh");
    check(
        "a comment within",
        at,
        NET,
        &swap("            return", "            // Why.\n            return"),
        "moved src/net.rs:7-10",
    );
    check("a change within", at, NET, &swap("% 7", "% 8"), "drifted");
    check(
        "a line more within",
        at,
        NET,
        &swap("            return", "            log();\n            return"),
        "drifted",
    );
    check("another file", at, NET, &swap("src/net.rs", "src/web.rs"), "moved src/web.rs:7-9");
    check("gone", at, NET, "@@ src/net.rs\nfn other() {}\n", "broken");
    check("one small line stays", "src/net.rs:11", NET, &swap("% 7", "% 8"), "fresh");
    check("more on its line", "src/net.rs:15", NET, &swap("    42\n", "    42 + 1\n"), "drifted");
    check("more before it", "src/net.rs:4", NET, &swap("pub fn retry", "pub const fn retry"), "drifted");
    check("more before all of it", "src/net.rs:14", NET, &swap("fn other", "pub fn other"), "drifted");
    check("one small line goes", "src/net.rs:11", NET, &swap("    None\n", "    Some(times)\n"), "drifted");
    check(
        "one small line is elsewhere too",
        "src/net.rs:11",
        NET,
        "@@ src/net.rs\nfn other() -> Option<u32> {\n    None\n}\n",
        "broken",
    );
    check(
        "a comment, known by its words",
        "src/net.rs:3",
        NET,
        &swap("use std::time::Duration;\n", "use std::time::Duration;\nuse std::fmt;\n"),
        "moved src/net.rs:4",
    );
    check("another comment", "src/net.rs:3", NET, &swap("Tries again", "Gives up"), "drifted");
}

#[test]
fn python_blocks_are_known_by_their_depth() {
    let before = "@@ a.py\nimport os\n\ndef load(path, strict):\n    if strict:\n        check(path)\n        os.stat(path)\n    return open(path).read()\n";
    let swap = |from: &str, to: &str| before.replace(from, to);
    check("four spaces are two", "a.py#load", before, &swap("    ", "  "), "fresh");
    check("a docstring", "a.py#load", before, &swap("    if", "    \"\"\"Loads.\"\"\"\n    if"), "fresh");
    check("out of the if", "a.py#load", before, &swap("        os.stat", "    os.stat"), "drifted");
    check(
        "a line at the end of its block",
        "a.py:6",
        before,
        &swap("os.stat(path)\n", "os.stat(path)\n        log(path)\n"),
        "fresh",
    );
}

#[test]
fn a_whole_file() {
    let swap = |from: &str, to: &str| net(|text| text.replace(from, to));
    let at = "src/net.rs";
    check("a function more", at, NET, &swap("/// Tries", "fn first() {}\n\n/// Tries"), "fresh");
    check("an import more", at, NET, &swap("use std::time", "use std::fmt;\nuse std::time"), "fresh");
    check("an import less", at, NET, &swap("use std::time::Duration;\n", ""), "drifted");
    check("a body", at, NET, &swap("% 7", "% 8"), "drifted");
    check("its name", at, NET, &swap("src/net.rs", "src/web.rs"), "moved src/web.rs");
    check(
        "its name and a part",
        at,
        NET,
        &swap("src/net.rs", "src/web.rs").replace("42", "43"),
        "drifted src/web.rs",
    );
    check("gone", at, NET, "@@ src/rest.rs\nfn other() {}\n", "broken");
}

#[test]
fn texts_without_a_grammar() {
    let before = "@@ docs/net.md\n# Net\n\nCalls are made\nin order.\n\n## Retry policy\n\nThree times, and then never again until somebody asks for it by name.\n";
    let swap = |from: &str, to: &str| before.replace(from, to);
    check("reflowed", "docs/net.md", before, &swap("made\nin", "made in"), "fresh");
    check("more", "docs/net.md", before, &swap("# Net\n", "# Net\n\nNew.\n"), "fresh");
    check("other words", "docs/net.md", before, &swap("in order", "at random"), "drifted");
    check("a section", "docs/net.md#retry-policy", before, &swap("in order", "at random"), "fresh");
    check("a section by its words", "docs/net.md#Retry policy", before, &swap("Three", "Four"), "drifted");
    check(
        "another heading",
        "docs/net.md#retry-policy",
        before,
        &swap("Retry policy", "Once more"),
        "moved docs/net.md#once-more",
    );
    check(
        "another file",
        "docs/net.md#retry-policy",
        before,
        &swap("docs/net.md", "docs/web.md"),
        "moved docs/web.md#retry-policy",
    );
    check("lines", "docs/net.md:3-4", before, &swap("# Net\n", "# Net\n\n"), "moved docs/net.md:4-5");
    let toml = "@@ a.toml\n[net]\nretries = 3\nwait=5\n";
    check("spaces", "a.toml#net.wait", toml, &toml.replace("wait=5", "wait = 5"), "fresh");
    check("a value", "a.toml#net.retries", toml, &toml.replace('3', "4"), "drifted");
    check("its neighbour", "a.toml#net.retries", toml, &toml.replace('5', "4"), "fresh");
    check("a key less", "a.toml#retries", toml, "@@ a.toml\n[net]\nwait=5\n", "broken");
}

#[test]
fn a_twin_that_was_always_there_proves_nothing() {
    let before = "@@ a.rs
struct A; struct B;
impl A {
    fn shown(&self, out: &mut String) { out.push_str(self.word()); out.push(' '); }
}
impl B {
    fn shown(&self, out: &mut String) { out.push_str(self.word()); out.push(' '); }
}
";
    let gone = before.replacen(
        "    fn shown(&self, out: &mut String) { out.push_str(self.word()); out.push(' '); }\n",
        "",
        1,
    );
    check("one of two", "a.rs#A.shown", before, &gone, "broken");
    check("one of two, by its line", "a.rs:3", before, &gone, "broken");
}

fn ambiguous(at: &str, text: &str) -> String {
    let (spot, tree) = (Spot::parse(at), Tree::of(text));
    let path = spot.path.clone().expect("the anchor has a path");
    let code = tree.read(&path).expect("the anchored file is there");
    ken_anchors::capture::ambiguity(&spot, &path, &code).unwrap_or_default()
}

const PACKET: &str = "@@ a.go
package a

type Packet struct {
\tData []byte
\tSize int
}

type Reply struct {
\tbody []byte
}

func (r *Reply) Data() []byte {
\tif r.body == nil {
\t\treturn []byte{}
\t}
\treturn r.body
}
";

/// `Data` was taken half from a field and half from a method; a third one made it "gone".
#[test]
fn a_name_that_several_types_have_is_taken_for_one_of_them() {
    let swap = |from: &str, to: &str| PACKET.replace(from, to);
    let at = "a.go#Data";
    assert_eq!(captured(at, &Tree::of(PACKET)).unwrap().symbol.as_deref(), Some("Reply.Data"));
    assert_eq!(ambiguous(at, PACKET), "was resolved to `Reply.Data`; other matches: a.go#Packet.Data");
    assert_eq!(ambiguous("a.go#Packet.Data", PACKET), "");
    let third = swap("type Reply", "type Frame struct {\n\tData string\n}\n\ntype Reply");
    check("one more of that name", at, PACKET, &third, "fresh");
    check("the other one changes", at, PACKET, &swap("Data []byte", "Data string"), "fresh");
    check(
        "the one that is meant changes",
        at,
        PACKET,
        &swap("return r.body", "return r.body[1:]"),
        "drifted",
    );
    check(
        "the other one, by its whole name",
        "a.go#Packet.Data",
        PACKET,
        &swap("Data []byte", "Data string"),
        "drifted",
    );
    let gone = PACKET.split("func").next().expect("there is a beginning").to_owned();
    check("the one that is meant is gone", at, PACKET, &gone, "broken");
}

/// What earlier versions wrote down for such a name: both together, under the short name.
#[test]
fn a_short_name_that_was_taken_for_several_still_resolves() {
    let third = PACKET.replace("type Reply", "type Frame struct {\n\tData string\n}\n\ntype Reply");
    let changed = PACKET.replace("return r.body", "return r.body[1:]");
    let none = "@@ a.go\npackage a\n\ntype Packet struct {\n\tSize int\n}\n";
    let old = Captured {
        by: captured("a.go#Data", &Tree::of(PACKET)).unwrap().by,
        blob: "0".repeat(40),
        lines: Some((4, 4)),
        symbol: Some("Data".to_owned()),
        print: "1d4c36aa0fada865".to_owned(),
        tokens: 41,
        parts: "0022fa22005eef81".to_owned(),
        needles: vec!["Data".to_owned()],
        ..Captured::default()
    };
    for (story, after, expected) in [
        ("nothing", PACKET, "fresh"),
        ("one more of that name", third.as_str(), "fresh"),
        ("one of them changed", changed.as_str(), "drifted"),
        ("all are gone", none, "broken"),
    ] {
        let judged = judge(&Spot::parse("a.go#Data"), &old, &mut Tree::of(after));
        assert_eq!(judged.verdict.to_string(), expected, "{story}: {}", judged.why);
    }
}

#[test]
fn overloads_are_taken_together_and_one_more_is_no_change_of_them() {
    let java = "@@ Mail.java
class Mail {
    void send(String to) {
        queue.add(to, 1);
    }

    void send(String to, int times) {
        for (int i = 0; i < times; i++) queue.add(to, i);
    }

    void close() {
        queue.stop();
    }
}
";
    let swap = |from: &str, to: &str| java.replace(from, to);
    let at = "Mail.java#send";
    assert_eq!(
        ambiguous(at, java),
        "was resolved to all 2 definitions of `Mail.send`; one of them alone: Mail.java:2-4, Mail.java:6-8"
    );
    assert_eq!(ambiguous("Mail.java#close", java), "");
    assert_eq!(ambiguous("Mail.java#Mail", java), "");
    let third =
        swap("    void close", "    void send(Letter all) {\n        all.send();\n    }\n\n    void close");
    check("one more overload", at, java, &third, "fresh");
    check("an overload changes", at, java, &swap("queue.add(to, 1)", "queue.add(to, 2)"), "drifted");
    let less = swap("    void send(String to) {\n        queue.add(to, 1);\n    }\n\n", "");
    check("an overload is gone", at, java, &less, "drifted");
    // The first overload that comes beside a method that was alone.
    let second = swap(
        "    void close() {",
        "    void close(int code) {\n        exit(code);\n    }\n\n    void close() {",
    );
    check("a first overload", "Mail.java#close", java, &second, "fresh");
    let other = second.replace("queue.stop()", "queue.halt()");
    check("beside a changed one", "Mail.java#close", java, &other, "drifted");
}

#[test]
fn typescript_names_are_resolved_by_the_same_rule() {
    let ts = "@@ store.ts
interface Options {
  load: boolean;
}

export class Store {
  load(id: string): Item;
  load(id: string, fresh: boolean): Item;
  load(id: string, fresh = false): Item {
    return fresh ? this.fetch(id) : this.cache.get(id);
  }
}

export class Page {
  load() {
    return this.store.load('home');
  }
}
";
    let at = "store.ts#load";
    assert_eq!(captured(at, &Tree::of(ts)).unwrap().symbol.as_deref(), Some("Store.load"));
    assert_eq!(
        ambiguous(at, ts),
        "was resolved to `Store.load`; other matches: store.ts#Options.load, store.ts#Page.load"
    );
    let more = ts.replace("export class Page", "export class Menu {\n  load() {}\n}\n\nexport class Page");
    check("one more of that name", at, ts, &more, "fresh");
    let changed = ts.replace("this.cache.get(id)", "this.cache.need(id)");
    check("the one that is meant changes", at, ts, &changed, "drifted");
    check("another one does not", "store.ts#Page.load", ts, &changed, "fresh");
}

#[test]
fn what_is_not_there_is_said() {
    let tree = Tree::of(NET);
    let error = |at: &str| captured(at, &tree).expect_err("it is not there");
    assert_eq!(error("src/net.rs:900"), "line 900 is past the end of src/net.rs (16 lines)");
    assert_eq!(error("src/net.rs#retries"), "no symbol `retries` in src/net.rs; near: retry");
    assert_eq!(error("src/net.rs:2"), "src/net.rs has nothing but blank lines there (2-2)");
    let read =
        |path: &str, bytes: &[u8]| Code::read(path, bytes, &mut InProcess::default()).expect_err("no text");
    assert_eq!(read("a.png", b"\x89PNG\0"), "a.png is a binary file");
    assert_eq!(read("a.txt", b"\xff\xfe"), "a.txt is not UTF-8");
}

#[test]
fn prints_of_another_taker_are_not_compared() {
    let mut captured = captured("src/net.rs:7-9", &Tree::of(NET)).expect("there");
    captured.by = "rust.0".to_owned();
    let spot = Spot::parse("src/net.rs:7-9");
    let moved = net(|text| text.replace("/// Tries", "\n/// Tries"));
    let judged = judge(&spot, &captured, &mut Tree::of(&moved));
    assert_eq!((judged.verdict.word(), judged.now.as_deref()), ("moved", Some("src/net.rs:8-10")));
    captured.text = None;
    let judged = judge(&spot, &captured, &mut Tree::of(&moved));
    assert_eq!(judged.verdict.word(), "unverifiable");
    assert_eq!(judged.why, "src/net.rs was remembered by `rust.0` and is now read by `rust.1`");
}

#[test]
fn no_secret_is_kept_as_a_needle() {
    let tree = Tree::of(
        "@@ a.py\ndef connect(host):\n    key = \"correcthorsebattery\"\n    token = AKIAIOSFODNN7EXAMPLE\n    return establish_session(host, key, token)\n",
    );
    let captured = captured("a.py:2-4", &tree).expect("there");
    assert_eq!(captured.needles, ["connect", "establish_session", "return"]);
}

/// COR-22: functions in `cfg_io! { ... }` blocks were called broken on an untouched repository, because the grammar does not look into macros.
#[test]
fn a_function_inside_of_a_macro_is_tracked_by_its_text() {
    const BEFORE: &str = "@@ src/io.rs
cfg_io! {
    /// Splits.
    pub fn split(stream: Stream) -> (Reader, Writer) {
        let shared = Arc::new(Mutex::new(stream));
        (Reader::new(shared.clone()), Writer::new(shared, 4096))
    }

    fn rest() -> u32 { 42 }
}
";
    let at = "src/io.rs#split";
    let swap = |from: &str, to: &str| BEFORE.replace(from, to);
    check("nothing happened", at, BEFORE, BEFORE, "fresh");
    check("something beside it", at, BEFORE, &swap("42", "43"), "fresh");
    check("a comment", at, BEFORE, &swap("/// Splits.", "// Both halves.\n    /// Splits."), "fresh");
    check("another indentation", at, BEFORE, &swap("        let", "      let"), "fresh");
    check("its body", at, BEFORE, &swap("4096", "8192"), "drifted");
    check("its name", at, BEFORE, &swap("split", "halve"), "moved src/io.rs#halve");
    check("its file's name", at, BEFORE, &swap("src/io.rs", "src/net.rs"), "moved src/net.rs#split");
    check("another macro", at, BEFORE, &swap("cfg_io!", "cfg_net!"), "fresh");
    check("no macro any more", at, BEFORE, &swap("cfg_io! {", "mod io {"), "fresh");
    check("it is gone", at, BEFORE, "@@ src/io.rs\ncfg_io! {\n    fn rest() -> u32 { 42 }\n}\n", "broken");
}

/// Code that a macro begins to wrap is still there, and prints of a grammar and of a text are not comparable.
#[test]
fn a_function_that_a_macro_begins_to_wrap_is_not_broken() {
    let wrapped = NET.replace("pub fn retry", "cfg_net! {\npub fn retry").replace("fn other", "}\nfn other");
    check("it is long", "src/net.rs#retry", NET, &wrapped, "unverifiable");
    let other =
        NET.replace("fn other() -> u32 {\n    42\n}", "cfg_net! {\n  fn other() -> u32 {\n    42\n  }\n}");
    check("an excerpt was kept", "src/net.rs#other", NET, &other, "fresh");
}

#[test]
fn what_sql_creates_is_tracked_by_its_text() {
    const BEFORE: &str = "@@ db/schema.sql
CREATE TABLE orders (
    id int PRIMARY KEY,
    placed_at timestamp NOT NULL DEFAULT now()
);

CREATE VIEW open_orders AS SELECT id, placed_at FROM orders WHERE closed_at IS NULL;
";
    let at = "db/schema.sql#orders";
    let swap = |from: &str, to: &str| BEFORE.replace(from, to);
    check("something beside it", at, BEFORE, &swap("closed_at IS NULL", "open"), "fresh");
    check("a column", at, BEFORE, &swap("int PRIMARY", "bigint PRIMARY"), "drifted");
    check("its file's name", at, BEFORE, &swap("schema.sql", "tables.sql"), "moved db/tables.sql#orders");
    let gone = format!("@@ db/schema.sql\n{}", &BEFORE[BEFORE.find("CREATE VIEW").unwrap()..]);
    check("it is gone", at, BEFORE, &gone, "broken");
}
