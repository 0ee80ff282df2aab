//! What was brought in and not edited comes out to the byte, odd files included (DOO-6).

use std::path::PathBuf;

use super::{Desk, KNOWLEDGE, SIGNAL, SOLUTION, SPIKE, Tree, assert_same, finding, says, tree};

/// Brings a folder in, writes it out beside it, and compares.
fn round_trip(desk: &Desk, format: &str, folder: &str) {
    desk.ken(&["import", format, folder]);
    export_is_same(desk, format, folder);
}

fn export_is_same(desk: &Desk, format: &str, folder: &str) {
    let out = format!("../out-{format}");
    let answer = desk.ken(&["export", format, &out, "--root", folder, "--json"]).ok().json();
    let came = desk.tree(folder);
    assert_same(&came, &tree(&desk.folder.join(&out)), format);
    assert_eq!(answer["as_brought_in"], came.len(), "{answer}");
    assert_eq!(answer["redacted"], serde_json::json!([]));
}

fn put(desk: &Desk, folder: &str, files: &Tree) {
    files.iter().for_each(|(path, bytes)| desk.write(&format!("{folder}/{path}"), bytes));
}

fn files(all: &[(&str, &[u8])]) -> Tree {
    all.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect()
}

/// A folder of flux-drive with everything odd that its files have been seen with.
fn findings() -> Tree {
    let plain = finding("The retry loop waits with jitter.");
    let crlf = finding("Windows writes its lines like this.").replace('\n', "\r\n");
    let mixed = plain.replacen('\n', "\r\n", 2).replace("retry loop", "mixed loop");
    let bom = format!("\u{feff}{}", finding("A mark stands before the first word."));
    let open = finding("Nothing ends the last line.");
    let latin = b"---\nlastConfirmed: 2025-12-01\nprovenance: primed\n---\nD\xe9j\xe0 vu.\n".to_vec();
    files(&[
        ("README.md", b"# Knowledge\n\nEntries with `lastConfirmed` and `provenance`.\n"),
        (".gitkeep", b""),
        ("archive/.gitkeep", b""),
        ("plain.md", plain.as_bytes()),
        ("crlf.md", crlf.as_bytes()),
        ("mixed-ends.md", mixed.as_bytes()),
        ("bom.md", bom.as_bytes()),
        ("open-end.md", open.trim_end().as_bytes()),
        ("empty.md", b""),
        ("blank.md", b"\n\n  \n"),
        ("no-block.md", b"The claim stands alone.\n\nEvidence: src/net.rs:1\n"),
        ("open-block.md", b"---\nlastConfirmed: 2025-12-01\nThis block never ends.\n"),
        (
            "unknown-keys.md",
            b"---\nlastConfirmed: \"2025-12-01\"\nprovenance: independent\nteam: {name: net, size: 3}\nbare:\nlabels:\n  - one\n  - two # kept\nlinks: [a, b]\n---\nQuoted days and keys of somebody else.\n\nVerify: look\n",
        ),
        (
            "odd-provenance.md",
            b"---\nprovenance: rediscovered (twice)\nlastConfirmed: 2025-12-01 # by hand\n---\nThe word is none that is known.\n",
        ),
        ("no-day.md", b"---\nlastConfirmed: last spring\nprovenance: primed\n---\nNo calendar has that day.\n"),
        ("archive/old.md", finding("What was true once.").as_bytes()),
        ("latin-1.md", &latin),
        ("picture.png", &[0x89, b'P', b'N', b'G', 0, 255, 254, 0]),
        ("tabs.md", b"---\nlastConfirmed:\t2025-12-01\nprovenance:   primed   \n---\n\n\n\tSet in with a tab.  \n"),
        ("nul.md", b"---\nlastConfirmed: 2025-12-01\nprovenance: primed\n---\nA zero \0 stands here.\n"),
    ])
}

fn reviewers() -> Tree {
    let crlf = KNOWLEDGE.replace('\n', "\r\n").replace("retry waits", "retry pauses");
    files(&[
        ("security/KNOWLEDGE.md", KNOWLEDGE.as_bytes()),
        ("performance/KNOWLEDGE.md", crlf.as_bytes()),
        (
            "reliability/KNOWLEDGE.md",
            "\u{feff}# KNOWLEDGE.md -- Reliability Reviewer\n\n## Patterns Found\n\n-   [2026-01-02]  Blanks   inside and out are as they are (Source: x)   \n  - [2026-01-02] Set in, with no source\n- [not a day] Brackets of another kind\n- No date at all\n\n## Somebody Else's Section\n\n- [2026-01-03] It is kept (Source: y)\n\n## Codebase Context\n- [2026-01-04] Tight under its header (Source: a (b), Dev: c, Dev: d)\n- [2026-01-04] Tight under its header (Source: a (b), Dev: c, Dev: d)\n- [2026-01-05] The last line has no end".as_bytes(),
        ),
        (
            "security/KNOWLEDGE-ARCHIVE.md",
            b"# KNOWLEDGE-ARCHIVE.md\n\n- [2025-01-01] An old thing about the cache (Source: pr-1)\n",
        ),
        (
            "global/reviewers/security/KNOWLEDGE.md",
            b"# KNOWLEDGE.md -- Security Reviewer\n\n## Patterns Found\n\n- [2026-01-01] Everywhere secrets belong into the vault (Source: many)\n",
        ),
        ("security/PROMPT.md", b"You are a reviewer.\n"),
        ("empty/KNOWLEDGE.md", b""),
        ("latin/KNOWLEDGE.md", b"# KNOWLEDGE.md -- Latin\n\n## Patterns Found\n\n- [2026-01-01] caf\xe9\n"),
    ])
}

fn solutions() -> Tree {
    let crlf = SOLUTION.replace('\n', "\r\n").replace("Session lost", "Session found");
    files(&[
        ("runtime-errors/session.md", SOLUTION.as_bytes()),
        ("runtime-errors/crlf.md", crlf.as_bytes()),
        (
            "configuration/comma-tags.md",
            b"---\ntitle: 'Commas, quoted'\ncomponent: x\ntags: a, b c, D\ncategory: none-such\ndate: \"2026-01-01\"\nseverity: sky-high\nstatus: wontfix\nroot_cause: >-\n  Folded over\n  two lines\nextra:\n  deep: [1, {two: 2}]\n---\nNo headers at all.",
        ),
        ("configuration/README.md", b"# Solutions\n"),
        ("configuration/empty.md", b""),
        ("configuration/notes.txt", b"just notes\n"),
        ("configuration/binary.md", &[0, 159, 146, 150]),
    ])
}

fn knowledge() -> Tree {
    let crlf = SIGNAL.replace('\n', "\r\n").replace("plan-without-research", "on-windows");
    files(&[
        ("signals/demo/2026-01-01-plan-without-research.md", SIGNAL.as_bytes()),
        ("signals/demo/2026-01-01-on-windows.md", crlf.as_bytes()),
        (
            "signals/sig-2026-01-02-wrong-type.md",
            b"---\nid: sig-2026-01-02-wrong-type\ntype: good-pattern\ndate: '2026-01-02'\nlifecycle: detected\ntags:\n  - one\n  - two\nevidence:\n  supporting:\n    - \"seen twice\"\n---\n# It has a title\n\nAnd a text.\n",
        ),
        ("signals/demo/no-front.md", b"Only words.\n"),
        ("signals/demo/empty.md", b""),
        ("signals/demo/.gitkeep", b""),
        ("spikes/demo/which-queue.md", SPIKE.as_bytes()),
        (
            "reflections/demo/reflect-2026-01-02.md",
            b"---\nid: reflect-2026-01-02\ntype: reflection\nproject: demo\ncreated: 2026-01-02T00:00:00Z\nmode: full\n---\n\n# Reflection\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        ),
        (
            "lessons/tooling/old-lesson.md",
            b"---\nid: les-2026-01-01-old-lesson\ntype: lesson\nproject: _global\ncategory: tooling\ntags: []\ncreated: 2026-01-01\nstatus: archived\ndurability: workaround\n---\n\n## Lesson\n\nRun it twice.\n",
        ),
        (
            "index.md",
            b"# Knowledge Store Index\n\n**Generated:** 2026-01-01T00:00:00Z\n**Total entries:** 99\n\n## Signals (0)\n",
        ),
        ("kb.db", &[b'S', b'Q', b'L', 0, 255]),
    ])
}

fn all() -> [(&'static str, &'static str, Tree); 4] {
    [
        ("flux-drive", "config/flux-drive/knowledge", findings()),
        ("wfc", "wfc/reviewers", reviewers()),
        ("wfc-solutions", "docs/solutions", solutions()),
        ("gsd", ".planning/knowledge", knowledge()),
    ]
}

#[test]
fn a_folder_comes_out_as_it_came_in() {
    for (format, folder, files) in all() {
        let desk = Desk::new();
        put(&desk, folder, &files);
        round_trip(&desk, format, folder);
        assert_same(&files, &desk.tree(folder), "nothing in the folder itself is touched");
    }
}

// One store holds all of them, and keeps them apart.
#[test]
fn four_systems_in_one_store_come_out_each_as_it_came() {
    let desk = Desk::new();
    for (format, folder, files) in all() {
        put(&desk, folder, &files);
        desk.ken(&["import", format, folder]);
    }
    for (format, folder, _) in all() {
        export_is_same(&desk, format, folder);
    }
    let before = desk.events();
    for (format, folder, files) in all() {
        let again = desk.ken(&["import", format, folder, "--json"]).json();
        assert_eq!(again["unchanged"], files.len(), "{again}");
    }
    assert_eq!(desk.events(), before, "importing twice adds nothing");
}

// What another clone has only from git is all of it.
#[test]
fn what_one_clone_brought_in_another_gives_back() {
    let desk = Desk::new();
    // The files themselves are not in git: only the store travels.
    desk.write(".gitignore", "/foreign/\n");
    for (format, folder, files) in all() {
        put(&desk, &format!("foreign/{folder}"), &files);
        desk.ken(&["import", format, &format!("foreign/{folder}")]);
    }
    desk.commit("imported");
    let bob = desk.cloned("bob");
    for (format, folder, files) in all() {
        let root = format!("foreign/{folder}");
        bob.ken(&["export", format, &format!("../bob-{format}"), "--root", &root]).ok();
        assert_same(&files, &tree(&bob.folder.join(format!("../bob-{format}"))), format);
    }
}

// Long files go over several lines of the ledger, and come back in one piece.
#[test]
fn a_long_file_comes_out_as_it_came_in() {
    let desk = Desk::new();
    let mut long = KNOWLEDGE.to_owned();
    for line in 0..4_000 {
        long.push_str(&format!(
            "- [2026-01-01] Fact number {line} is about module {} alone (Source: pr-{line})\n",
            line * 7
        ));
    }
    desk.write("r/security/KNOWLEDGE.md", &long);
    desk.write("r/notes.md", "é".repeat(700_000));
    desk.write("r/zeros.md", "\0".repeat(400_000));
    round_trip(&desk, "wfc", "r");
    // An entry may be longer than a line as well.
    desk.write(
        "k/long.md",
        finding(&format!("A long story.\n\n{}", "It goes on \"and on\". ".repeat(60_000))),
    );
    round_trip(&desk, "flux-drive", "k");
    assert_eq!(desk.ken(&["verify", "--json"]).ok().json()["errors"], serde_json::json!([]));
    desk.commit("imported");
    let bob = desk.cloned("bob");
    bob.ken(&["export", "flux-drive", "../bob-out"]).ok();
    assert_same(&desk.tree("k"), &tree(&bob.folder.join("../bob-out")), "in another clone");
}

// An export does not write over what says something else.
#[test]
fn an_export_is_careful_where_it_writes() {
    let desk = Desk::new();
    desk.write("k/one.md", finding("One thing is so."));
    desk.ken(&["import", "flux-drive", "k"]).ok();
    desk.write("out/one.md", "mine");
    says(
        &desk.ken(&["export", "flux-drive", "out"]).fails_with(4),
        &["have different content", "one.md", "--overwrite"],
    );
    assert_eq!(desk.read("out/one.md"), "mine");
    desk.ken(&["export", "flux-drive", "out", "--overwrite", "--dry-run"]).ok();
    assert_eq!(desk.read("out/one.md"), "mine");
    desk.ken(&["export", "flux-drive", "out", "--overwrite"]).ok();
    assert_eq!(desk.read("out/one.md"), desk.read("k/one.md"));
    let again = desk.ken(&["export", "flux-drive", "out", "--json"]).ok().json();
    assert_eq!(again["unchanged"], 1);
    for inside in [".kenning", ".kenning/v1", ".git", ".git/hooks"] {
        desk.ken(&["export", "flux-drive", inside]).fails_with(4);
    }
    says(&desk.ken(&["export", "gsd", "out", "--root", "nowhere"]).fails_with(3), &["nowhere"]);
    says(
        &desk.ken(&["export", "flux", "out"]).fails_with(2),
        &["did you mean flux-drive", "formats: flux-drive"],
    );
}

// The real corpora, as far as they are here.
#[test]
fn the_real_corpora_come_out_as_they_came_in() {
    let Some(corpora) = std::env::var_os("KEN_CORPORA").map(|path| PathBuf::from(path).join("corpora"))
    else {
        eprintln!("SKIPPED: KEN_CORPORA is not set, so no real corpus was read");
        return;
    };
    let desk = Desk::new();
    let real = [
        ("flux-drive", "flux-drive/knowledge"),
        ("wfc", "wfc/reviewers"),
        ("wfc-solutions", "wfc/docs/solutions"),
        ("gsd", "gsd/knowledge"),
    ];
    for (format, folder) in real {
        let files = tree(&corpora.join(folder));
        if files.is_empty() {
            eprintln!("SKIPPED: {folder} of the corpora is not here");
            continue;
        }
        put(&desk, folder, &files);
        let report = desk.ken(&["import", format, folder, "--json"]).json();
        assert_eq!(report["complete"], true, "{report}");
        assert!(report["added"].as_u64().unwrap() + report["held"].as_u64().unwrap() > 0, "{report}");
    }
    for (format, folder) in real.into_iter().filter(|(_, folder)| desk.exists(folder)) {
        export_is_same(&desk, format, folder);
    }
}
