//! What `add` does: a new entry, more evidence for an existing one, or nothing.

use expect_test::expect;

use crate::story::check;

// ENT-1: one entry of every type, each with what its type needs.
#[test]
fn every_type_can_be_added() {
    check(
        r#"
        ada adds entity gateway Gateway description="The front door."
        ada adds relationship from=Gateway relation=calls to=Billing
        ada adds skill bisect "Bisect before you guess." subtype=technique
        ada adds experience sqlite "We chose SQLite." subtype=decision
        ada adds lesson jitter "Retry with jitter."
        ada adds spike wal "WAL is faster." outcome=confirmed decision="Use it."
        ada adds pattern locks "Locks held across awaits." reviewer=rita
        ada adds incident queue "The queue filled up."
        ada adds false_positive unwrap "The unwrap in main is safe."
        ada adds commit_norm norm.commit "Use conventional commits."
        ada adds pr_expectation norm.pr "A pull request has tests."
        ada adds user_expectation norm.user "Done means deployed."
        ada adds risk_tier norm.risk "Migrations are high risk."
        ada adds friction hung "cargo test hung" subtype=tool_error
        ada adds signal mondays "Builds are slow on Mondays."
        ada adds run review "Review of pull request 7."
        ada adds observation helped "The lesson on jitter helped."
        list memory:semantic sort:id
        list memory:procedural sort:id
        list memory:episodic sort:id
        "#,
        expect![[r#"
            ada adds entity gateway Gateway description="The front door."
                added gateway
            ada adds relationship from=Gateway relation=calls to=Billing
                added relationship.262cd2837c0831a0
            ada adds skill bisect "Bisect before you guess." subtype=technique
                added bisect
            ada adds experience sqlite "We chose SQLite." subtype=decision
                added sqlite
            ada adds lesson jitter "Retry with jitter."
                added jitter
            ada adds spike wal "WAL is faster." outcome=confirmed decision="Use it."
                added wal
            ada adds pattern locks "Locks held across awaits." reviewer=rita
                added locks
            ada adds incident queue "The queue filled up."
                added queue
            ada adds false_positive unwrap "The unwrap in main is safe."
                added unwrap
            ada adds commit_norm norm.commit "Use conventional commits."
                added norm.commit
            ada adds pr_expectation norm.pr "A pull request has tests."
                added norm.pr
            ada adds user_expectation norm.user "Done means deployed."
                added norm.user
            ada adds risk_tier norm.risk "Migrations are high risk."
                added norm.risk
            ada adds friction hung "cargo test hung" subtype=tool_error
                added hung
            ada adds signal mondays "Builds are slow on Mondays."
                added mondays
            ada adds run review "Review of pull request 7."
                added review
            ada adds observation helped "The lesson on jitter helped."
                added helped
            list memory:semantic sort:id
                [bisect gateway jitter locks queue relationship.262cd2837c0831a0 sqlite unwrap wal]
            list memory:procedural sort:id
                [norm.commit norm.pr norm.risk norm.user]
            list memory:episodic sort:id
                [helped hung mondays review]
        "#]],
    );
}

#[test]
fn saying_it_again_adds_evidence_or_nothing() {
    check(
        r#"
        ada adds lesson "Retry with jitter." citing pr:1
        bea adds lesson "retry  with jitter" citing pr:2
        bea adds lesson "retry with jitter" citing pr:2
        ada adds-all "Line one." "Line two."
        ada adds-all "Line one." "Member two." "member two"
        list
        log lesson.7b9baa8856474b00
        "#,
        expect![[r#"
            ada adds lesson "Retry with jitter." citing pr:1
                added lesson.7b9baa8856474b00
            bea adds lesson "retry  with jitter" citing pr:2
                reinforced lesson.7b9baa8856474b00: lesson.7b9baa8856474b00 already says this; 1 citation added to it
            bea adds lesson "retry with jitter" citing pr:2
                reinforced lesson.7b9baa8856474b00: lesson.7b9baa8856474b00 already says this, with the same evidence; nothing was written
            ada adds-all "Line one." "Line two."
                added lesson.a44563c96c33630b
                added lesson.54183ceb4f19b875
            ada adds-all "Line one." "Member two." "member two"
                reinforced lesson.a44563c96c33630b: lesson.a44563c96c33630b already says this, with the same evidence; nothing was written
                added lesson.8ebe4c38df39a6f4
                reinforced lesson.8ebe4c38df39a6f4: lesson.8ebe4c38df39a6f4 already says this, with the same evidence; nothing was written
            list
                [lesson.8ebe4c38df39a6f4 lesson.54183ceb4f19b875 lesson.a44563c96c33630b lesson.7b9baa8856474b00]
            log lesson.7b9baa8856474b00
                human:ada: added as a lesson, with 1 citation
                human:ada: cited pr:1 by human:ada, unverified
                human:bea: cited pr:2 by human:bea, unverified
        "#]],
    );
}

#[test]
fn statements_that_differ_only_in_form_are_one_entry() {
    check(
        "
        ada adds lesson \"Order a caf\u{e9}.\"
        ada adds lesson \"Order a cafe\u{301}\" citing pr:1 citing pr:2
        ada adds lesson \"ORDER  a CAF\u{c9}!\"
        list
        ",
        expect![[r#"
            ada adds lesson "Order a café."
                added lesson.ec9a60d36def6ea4
            ada adds lesson "Order a café" citing pr:1 citing pr:2
                reinforced lesson.ec9a60d36def6ea4: lesson.ec9a60d36def6ea4 already says this; 1 citation added to it
            ada adds lesson "ORDER  a CAFÉ!"
                reinforced lesson.ec9a60d36def6ea4: lesson.ec9a60d36def6ea4 already says this, with the same evidence; nothing was written
            list
                [lesson.ec9a60d36def6ea4]
        "#]],
    );
}

#[test]
fn ids_that_differ_only_in_case_are_two_entries() {
    check(
        r#"
        ada adds lesson Case "Upper."
        ada adds lesson case "Lower."
        ada adds lesson con "A device."
        ada adds lesson NUL.txt "Another."
        show Case
        show case
        list sort:id
        "#,
        expect![[r#"
            ada adds lesson Case "Upper."
                added Case
            ada adds lesson case "Lower."
                added case
            ada adds lesson con "A device."
                added con
            ada adds lesson NUL.txt "Another."
                added NUL.txt
            show Case
                Case lesson candidate; rests on pr:1?; statement "Upper."
            show case
                case lesson candidate; rests on pr:1?; statement "Lower."
            list sort:id
                [Case NUL.txt case con]
        "#]],
    );
}

#[test]
fn an_id_belongs_to_one_entry() {
    check(
        r#"
        ada adds lesson one "Retry with jitter."
        ada adds lesson one "Close what you open."
        ada adds lesson one "Retry with jitter." citing pr:2
        ada adds lesson two "Retry with jitter."
        list
        "#,
        expect![[r#"
            ada adds lesson one "Retry with jitter."
                added one
            ada adds lesson one "Close what you open."
                refused: the id one belongs to another entry: "Retry with jitter."
            ada adds lesson one "Retry with jitter." citing pr:2
                reinforced one: one already says this; 1 citation added to it
            ada adds lesson two "Retry with jitter."
                reinforced one: one already says this, with the same evidence; nothing was written; it keeps its own id one
            list
                [one]
        "#]],
    );
}

// ENT-4, ENT-5: a native entry rests on evidence, a place and a way to check it; a draft may lack them.
#[test]
fn what_an_entry_needs() {
    check(
        r#"
        ada adds lesson "Retry with jitter." bare
        ada adds lesson "Retry with jitter." bare citing pr:1
        ada adds commit_norm "Sign your commits." bare
        ada adds lesson "Not finished." bare draft
        ada adds lesson "Not finished." bare draft
        list
        show lesson
        "#,
        expect![[r#"
            ada adds lesson "Retry with jitter." bare
                refused: provenance required: a lesson needs evidence; it also needs an anchor in the code (--anchor) and a verification step (--verify)
            ada adds lesson "Retry with jitter." bare citing pr:1
                refused: 2 problems
                  - anchors: at least one anchor in the code, --anchor PATH[:A-B|#SYMBOL]
                  - verification: one to three verification steps, --verify TEXT
            ada adds commit_norm "Sign your commits." bare
                refused: provenance required: a commit_norm needs evidence
            ada adds lesson "Not finished." bare draft
                held lesson.3d12ba20d9f3e648: missing: provenance; without it the entry cannot be verified; missing: anchor; without it the entry cannot be verified; missing: verification; without it the entry cannot be verified
            ada adds lesson "Not finished." bare draft
                reinforced lesson.3d12ba20d9f3e648: lesson.3d12ba20d9f3e648 already says this; nothing was written
            list
                [lesson.3d12ba20d9f3e648]
            show lesson
                lesson.3d12ba20d9f3e648 lesson candidate; rests on ; statement "Not finished."; 3 gaps
        "#]],
    );
}

// COR-12: agents cite commits and files that they made up.
#[test]
fn invented_evidence_is_refused_and_only_a_person_may_insist() {
    check(
        r#"
        agent:bot adds lesson one "Retry with jitter." citing commit:deadbeef citing doc:docs/nope.md
        agent:bot adds lesson one "Retry with jitter." citing commit:deadbeef unverified
        ada adds lesson one "Retry with jitter." citing commit:deadbeef
        ada adds lesson one "Retry with jitter." citing commit:deadbeef unverified
        agent:bot revises one citing commit:badc0de
        the clone is shallow
        agent:bot adds lesson two "Close sockets." citing commit:deadbeef
        show two
        "#,
        expect![[r#"
            agent:bot adds lesson one "Retry with jitter." citing commit:deadbeef citing doc:docs/nope.md
                refused: 2 problems
                  - evidence: commit "deadbeef" is not in this repository; cite something that exists
                  - evidence: doc "docs/nope.md" is not in this repository; cite something that exists
            agent:bot adds lesson one "Retry with jitter." citing commit:deadbeef unverified
                refused: evidence: commit "deadbeef" is not in this repository; cite something that exists
            ada adds lesson one "Retry with jitter." citing commit:deadbeef
                refused: evidence: commit "deadbeef" is not in this repository; cite something that exists, or pass --unverified
            ada adds lesson one "Retry with jitter." citing commit:deadbeef unverified
                added one
            agent:bot revises one citing commit:badc0de
                refused: evidence: "commit:badc0de" is not in this repository; cite something that exists
            the clone is shallow
            agent:bot adds lesson two "Close sockets." citing commit:deadbeef
                added two
            show two
                two lesson candidate; rests on commit:deadbeef?; statement "Close sockets."
        "#]],
    );
}

#[test]
fn evidence_that_cannot_be_checked_is_marked() {
    check(
        r#"
        ada adds lesson file "A missing file." citing doc:docs/missing.md
        ada adds lesson file "A missing file." citing doc:docs/missing.md unverified
        ada adds lesson page "A page." citing https://example.org/x
        the clone is shallow
        ada adds lesson there "A commit of elsewhere." citing commit:1234567
        ada adds lesson talk "A transcript." citing sha256:00ff
        ada adds lesson here "A commit of here." citing abcdef0123
        ada adds lesson doc "A file of here." citing doc:docs/a.md
        show file
        show page
        show there
        show talk
        show here
        show doc
        "#,
        expect![[r#"
            ada adds lesson file "A missing file." citing doc:docs/missing.md
                refused: evidence: doc "docs/missing.md" is not in this repository; cite something that exists, or pass --unverified
            ada adds lesson file "A missing file." citing doc:docs/missing.md unverified
                added file
            ada adds lesson page "A page." citing https://example.org/x
                added page
            the clone is shallow
            ada adds lesson there "A commit of elsewhere." citing commit:1234567
                added there
            ada adds lesson talk "A transcript." citing sha256:00ff
                added talk
            ada adds lesson here "A commit of here." citing abcdef0123
                added here
            ada adds lesson doc "A file of here." citing doc:docs/a.md
                added doc
            show file
                file lesson candidate; rests on doc:docs/missing.md?; statement "A missing file."
            show page
                page lesson candidate; rests on doc:https://example.org/x?; statement "A page."
            show there
                there lesson candidate; rests on commit:1234567?; statement "A commit of elsewhere."
            show talk
                talk lesson candidate; rests on transcript:sha256:00ff?; statement "A transcript."
            show here
                here lesson candidate; rests on commit:abcdef0123; statement "A commit of here."
            show doc
                doc lesson candidate; rests on doc:docs/a.md; statement "A file of here."
        "#]],
    );
}

#[test]
fn a_batch_is_written_whole_or_not_at_all() {
    check(
        r#"
        ada adds-all "One." "Two."
        ada adds-all "Three." "   "
        list
        "#,
        expect![[r#"
            ada adds-all "One." "Two."
                added lesson.ccd25060f1eb2d85
                added lesson.92207908df655c8b
            ada adds-all "Three." "   "
                refused: statement: is missing or empty; a lesson needs `statement`
            list
                [lesson.92207908df655c8b lesson.ccd25060f1eb2d85]
        "#]],
    );
}

#[test]
fn notes_and_frictions_are_records() {
    check(
        r#"
        ada notes "The build is slow" tags=build/speed
        ada notes "The build is slow"
        ada records-friction tool_error command="cargo test"
        ada records-friction validation_fail
        on 2026-01-03
        ada records-friction validation_fail
        list memory:episodic
        "#,
        expect![[r#"
            ada notes "The build is slow" tags=build/speed
                added signal.4125c5f9a235b275
            ada notes "The build is slow"
                reinforced signal.4125c5f9a235b275: signal.4125c5f9a235b275 already says this; nothing was written; no second signal was added; describe what was different to add another
            ada records-friction tool_error command="cargo test"
                added friction.758db2d8ae670d50
            ada records-friction validation_fail
                added friction.1a5334af3c7cc9d9
            on 2026-01-03
            ada records-friction validation_fail
                added friction.e5994f179a6b16e6
            list memory:episodic
                [friction.e5994f179a6b16e6 friction.1a5334af3c7cc9d9 friction.758db2d8ae670d50 signal.4125c5f9a235b275]
        "#]],
    );
}
