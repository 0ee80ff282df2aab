//! The three test listings of the Decapod specification, section 5, word for word with `ken` as the program.
//!
//! They run in a fresh repository without `ken init`: these doors make the store on first write.

use serde_json::Value;

use crate::world::World;

/// What the listings call the output of a program.
struct Output {
    status: Status,
    stdout: String,
    stderr: String,
}

struct Status(i32);

impl Status {
    fn success(&self) -> bool {
        self.0 == 0
    }
}

fn run_ken(dir: &World, args: &[&str]) -> Output {
    let answer = dir.ken_args(args);
    Output { status: Status(answer.code), stdout: answer.out, stderr: answer.err }
}

#[test]
fn test_semantic_schema_stability() {
    let dir = World::repository();
    // Add entry, read back, verify unchanged
    let entry = serde_json::json!({
        "id": "entity.test.001",
        "type": "entity",
        "schema_version": "1.0.0",
        "name": "TestEntity",
        "description": "A test entity",
        "provenance": [{
            "evidence_type": "commit",
            "evidence_ref": "abc123",
            "cited_by": "agent-test",
            "cited_at": 1700000000
        }]
    });
    let output = run_ken(&dir, &["knowledge", "add", "--type", "semantic", "--content", &entry.to_string()]);
    assert!(output.status.success());

    // Read back and verify canonical form
    let read = run_ken(&dir, &["knowledge", "show", "entity.test.001"]);
    let parsed: Value = serde_json::from_str(&read.stdout).unwrap();
    assert_eq!(parsed["id"], "entity.test.001");

    // Beyond the listing: every field comes back as it was given.
    for (name, value) in entry.as_object().unwrap() {
        if name != "provenance" {
            assert_eq!(&parsed[name], value, "{name}");
        }
    }
    for (name, value) in entry["provenance"][0].as_object().unwrap() {
        assert_eq!(&parsed["provenance"][0][name], value, "{name}");
    }
}

#[test]
fn test_provenance_required_for_procedural() {
    let dir = World::repository();
    // Try to add procedural norm without evidence
    let entry = serde_json::json!({
        "id": "norm.commit.001",
        "type": "commit_norm",
        "rule": "Use conventional commits",
        // Missing provenance!
    });
    let output = run_ken(
        &dir,
        &[
            "knowledge",
            "add",
            "--type",
            "procedural",
            "--norm-type",
            "commit",
            "--content",
            &entry.to_string(),
        ],
    );
    assert!(!output.status.success());
    assert!(output.stderr.contains("provenance required"));

    // Beyond the listing: with evidence that exists the same entry passes.
    let head = dir.git("rev-parse HEAD");
    let output = run_ken(
        &dir,
        &[
            "knowledge",
            "add",
            "--type",
            "procedural",
            "--norm-type",
            "commit",
            "--evidence",
            head.trim(),
            "--content",
            &entry.to_string(),
        ],
    );
    assert!(output.status.success(), "{}", output.stderr);
}

#[test]
fn test_friction_cannot_directly_enter_procedural() {
    let dir = World::repository();
    // Record friction
    let recorded = run_ken(
        &dir,
        &["friction", "record", "--type", "validation_fail", "--context", r#"{"test":"fail"}"#],
    );
    // Beyond the listing: it was recorded, store or no store.
    assert!(recorded.status.success(), "{}", recorded.stderr);
    assert!(dir.read(".kenning/episodic/v1/friction_ledger.jsonl").contains(r#""context":{"test":"fail"}"#));

    // Try to promote friction to procedural norm directly - should fail
    let output =
        run_ken(&dir, &["knowledge", "promote", "--from", "episodic/friction", "--to", "procedural"]);
    assert!(!output.status.success());
    assert!(output.stderr.contains("directional flow violation"));
}
