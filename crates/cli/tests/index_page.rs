//! INDEX.md (COR-16): small, this clone's own in new stores, and left alone by writes.

use serde_json::json;

use crate::rest::client::Api;
use crate::world::World;

const PAGE: &str = ".kenning/INDEX.md";

fn is_there(world: &World) -> bool {
    world.path().join(PAGE).exists()
}

#[test]
fn cor_16_the_page_is_made_when_somebody_reads_and_git_ignores_it() {
    let world = World::with_store();
    let id = world.lesson("Close sockets before exit.");
    assert!(!is_there(&world), "a write leaves it alone");
    world.ken("list").ok();
    let page = world.read(PAGE);
    assert!(page.contains("As of 2026-01-02.") && page.contains("Close sockets"), "{page}");
    world.ken("commit -m knowledge").ok();
    assert!(!world.git("ls-files").contains("INDEX.md"));
    assert_eq!(world.git("status --porcelain"), "");
    // The same the next time, and anew the next day or after a change.
    let written = || std::fs::metadata(world.path().join(PAGE)).unwrap().modified().unwrap();
    let before = written();
    world.ken("list").ok();
    assert_eq!(written(), before);
    world.ken_args(&["retract", &id, "--reason", "wrong"]).ok();
    world.ken("brief").ok();
    assert!(!world.read(PAGE).contains("Close sockets"));
    // Who purges leaves nothing on it.
    let secret = world.lesson("The word is xyzzy.");
    world.ken("list").ok();
    assert!(world.read(PAGE).contains("xyzzy"));
    crate::pty::ken_on_terminal(
        &world,
        &[],
        &["purge", &secret, "--reason", "secret"],
        &[("Type `yes`", "yes\n")],
    );
    assert!(!is_there(&world) || !world.read(PAGE).contains("xyzzy"));
    // A session that begins writes it as well.
    std::fs::remove_file(world.path().join(PAGE)).unwrap();
    let said = json!({"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup", "cwd": world.path()});
    world.ken_stdin(&["hook", "session-start", "--host", "claude-code"], &said.to_string()).ok();
    assert!(is_there(&world));
}

// Whoever reads over HTTP is not held up by a page that nobody there reads.
#[test]
fn cor_16_a_reader_over_http_writes_no_page() {
    let world = World::with_store();
    world.lesson("Close sockets before exit.");
    let api = Api::start(&world, "reader");
    assert_eq!(api.ask("GET", "/entries", None).status, 200);
    assert!(!is_there(&world));
    world.ken("list").ok();
    assert!(is_there(&world));
}

#[test]
fn cor_16_the_page_is_bounded() {
    let world = World::with_store();
    let lines: String = (0..310)
        .map(|at| {
            let entry = json!({
                "type": "lesson", "statement": format!("Shard {at} of the archive is kept in room {}.", at * 7),
                "provenance": ["pr:1"], "anchors": ["src/net.rs"], "verification": ["look"],
            });
            format!("{entry}\n")
        })
        .collect();
    world.ken_stdin(&["add", "--file", "-"], &lines).ok();
    world.ken("list").ok();
    let page = world.read(PAGE);
    assert!(page.contains("The latest 300; `ken list` has 10 more"), "{}", &page[..200]);
    assert_eq!(page.lines().filter(|line| line.starts_with("- ")).count(), 300);
}

#[test]
fn cor_16_in_an_older_store_only_a_commit_writes_it_until_it_is_migrated() {
    let world = World::with_store();
    world.write(".kenning/.gitignore", ".local/\n.index/\n.health/\n.review/\n.*.tmp\n");
    world.write(".kenning/.gitattributes", "*.jsonl -text merge=union\nINDEX.md merge=union\n");
    world.write(PAGE, "# Knowledge index\n\n");
    world.git("add -A");
    world.git("commit -q -m older");
    world.lesson("Close sockets before exit.");
    world.ken("list").ok();
    assert_eq!(world.read(PAGE), "# Knowledge index\n\n", "who reads leaves alone what is shared");
    world.ken("commit -m knowledge").ok();
    assert!(world.git("show HEAD:.kenning/INDEX.md").contains("Close sockets"));
    let migrated = world.ken("maintain migrate").ok();
    assert!(migrated.out.contains("git no longer tracks .kenning/INDEX.md"), "{}", migrated.out);
    world.ken("list").ok();
    world.git("commit -q -m migrated");
    assert_eq!(world.git("show HEAD:.kenning/.gitattributes"), "*.jsonl -text merge=union");
    assert!(world.git("show HEAD:.kenning/.gitignore").ends_with("INDEX.md"));
    assert!(!world.git("ls-tree -r --name-only HEAD").contains("INDEX.md"));
    assert_eq!(world.git("status --porcelain"), "");
    assert!(world.ken("maintain migrate").ok().out.contains("nothing to migrate"));
}
