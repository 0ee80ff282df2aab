//! What `revise`, `tag`, `link` and `supersede` do.

use expect_test::expect;

use crate::story::check;

#[test]
fn a_revision_changes_fields_and_says_which() {
    check(
        r#"
        given ada adds lesson one "Retry with jitter."
        ada revises one title=Jitter tags=net domains=backend citing pr:2 because clearer
        ada revises one title=Jitter tags=net domains=backend citing pr:2
        ada untags one net
        ada revises one title=null
        ada revises one summary="In one line."
        ada revises one scope=global
        ada revises one id=other
        ada revises one citing doc:docs/missing.md
        show one
        "#,
        expect![[r#"
            ada revises one title=Jitter tags=net domains=backend citing pr:2 because clearer
                changed one, now candidate: set title; added domains backend; added tags net (clearer); cited pr:2 by human:ada, unverified
            ada revises one title=Jitter tags=net domains=backend citing pr:2
                unchanged one, now candidate: nothing to change; nothing was written
            ada untags one net
                changed one, now candidate: removed tags net
            ada revises one title=null
                changed one, now candidate: took away title
            ada revises one summary="In one line."
                changed one, now candidate: set summary
            ada revises one scope=global
                refused: scope: is fixed when an entry is added; supersede the entry instead
            ada revises one id=other
                refused: id: is fixed when an entry is added; supersede the entry instead
            ada revises one citing doc:docs/missing.md
                refused: evidence: "doc:docs/missing.md" is not in this repository; cite something that exists, or pass --unverified
            show one
                one lesson candidate; rests on pr:1? pr:2?; domains ["backend"]; statement "Retry with jitter."; summary "In one line."; title "In one line."
        "#]],
    );
}

// COR-28: harvest and the queue ask for the words of a draft, and a decision was refused them. ENT-6 begins when it is complete.
#[test]
fn a_draft_may_be_revised_whatever_its_type() {
    check(
        r#"
        given ada adds experience one "We use sqlite." subtype=decision bare draft
        given ada adds spike two "Batching halves the writes." bare draft
        given ada adds commit_norm three "Name the unit." bare draft
        ada revises one statement="We use SQLite."
        ada revises two hypothesis="Batches halve the writes."
        ada revises three rule="Name the unit of a number."
        ada revises three citing pr:1
        ada revises three rule="Name every unit."
        ada archives two
        ada revises two hypothesis="Batching helps."
        "#,
        expect![[r#"
            ada revises one statement="We use SQLite."
                changed one, now candidate: set statement
            ada revises two hypothesis="Batches halve the writes."
                changed two, now candidate: set hypothesis
            ada revises three rule="Name the unit of a number."
                changed three, now candidate: set rule
            ada revises three citing pr:1
                changed three, now candidate: cited pr:1 by human:ada, unverified
            ada revises three rule="Name every unit."
                refused: three is a commit_norm, which changes only by supersession
            ada archives two
                changed two, now archived: archived; `ken restore two` restores it
            ada revises two hypothesis="Batching helps."
                refused: two is a spike, which changes only by supersession
        "#]],
    );
}

#[test]
fn a_revision_that_is_refused_changes_nothing() {
    check(
        r#"
        given ada adds lesson one "Retry with jitter."
        ada revises one title=T citing doc:docs/missing.md
        ada replaces one "Newer." bare
        log one
        list all
        "#,
        expect![[r#"
            ada revises one title=T citing doc:docs/missing.md
                refused: evidence: "doc:docs/missing.md" is not in this repository; cite something that exists, or pass --unverified
            ada replaces one "Newer." bare
                refused: provenance required: a lesson needs evidence
            log one
                human:ada: added as a lesson, with 1 citation
                human:ada: cited pr:1 by human:ada, unverified
            list all
                [one]
        "#]],
    );
}

#[test]
fn tags_come_and_go() {
    check(
        r#"
        given ada adds lesson one "Retry with jitter."
        ada tags one Error-Handling "Retry Policy" net/http
        ada tags one net/http
        ada untags one error_handling
        ada untags one error_handling
        ada tags one a//b
        show one
        "#,
        expect![[r#"
            ada tags one Error-Handling "Retry Policy" net/http
                changed one, now candidate: added tags error_handling, net/http, retry_policy
            ada tags one net/http
                unchanged one, now candidate: nothing to change; nothing was written
            ada untags one error_handling
                changed one, now candidate: removed tags error_handling
            ada untags one error_handling
                unchanged one, now candidate: nothing to change; nothing was written
            ada tags one a//b
                refused: tags: "a//b" has an empty part; write words, with `/` between levels
            show one
                one lesson candidate; rests on pr:1?; statement "Retry with jitter."; tags ["net/http","retry_policy"]
        "#]],
    );
}

#[test]
fn entries_are_linked_and_unlinked() {
    check(
        r#"
        given ada adds lesson one "Retry with jitter."
        given ada adds lesson two "Close what you open."
        given ada adds lesson three "Name the unit."
        ada links one supports two
        ada links one supports two
        ada links one relates-to three
        ada links one likes two
        ada links one supports one
        ada links one supports nobody
        show one
        ada unlinks one supports two
        ada unlinks one supports two
        show one
        show two
        "#,
        expect![[r#"
            ada links one supports two
                changed one, now candidate: supports two
            ada links one supports two
                unchanged one, now candidate: nothing to change; nothing was written
            ada links one relates-to three
                changed one, now candidate: relates_to three
            ada links one likes two
                refused: unknown relation "likes"; allowed: relates_to, depends_on, supports, contradicts, supersedes, derived_from, example_of, part_of
            ada links one supports one
                refused: one cannot be linked to itself
            ada links one supports nobody
                refused: no entry matches "nobody"
            show one
                one lesson candidate; relates_to three; supports two; rests on pr:1?; statement "Retry with jitter."
            ada unlinks one supports two
                changed one, now candidate: no longer supports two
            ada unlinks one supports two
                unchanged one, now candidate: nothing to change; nothing was written
            show one
                one lesson candidate; relates_to three; rests on pr:1?; statement "Retry with jitter."
            show two
                two lesson candidate; rests on pr:1?; statement "Close what you open."
        "#]],
    );
}

// ENT-6: decisions, spikes and norms change by supersession only.
#[test]
fn norms_and_spikes_change_only_by_supersession() {
    check(
        r#"
        ada adds commit_norm norm.sign "Sign commits."
        ada revises norm.sign rule="Sign all commits."
        ada tags norm.sign security
        ada replaces norm.sign id=norm.sign.2 rule="Sign all commits." citing pr:2 because clearer
        show norm.sign
        show norm.sign.2
        ada adds spike wal "WAL is faster." outcome=confirmed
        ada revises wal outcome=rejected
        ada replaces wal id=wal.2 hypothesis="WAL is faster up to 1 GB." outcome=partial
        show wal
        show wal.2
        list
        "#,
        expect![[r#"
            ada adds commit_norm norm.sign "Sign commits."
                added norm.sign
            ada revises norm.sign rule="Sign all commits."
                refused: norm.sign is a commit_norm, which changes only by supersession
            ada tags norm.sign security
                changed norm.sign, now candidate: added tags security
            ada replaces norm.sign id=norm.sign.2 rule="Sign all commits." citing pr:2 because clearer
                changed norm.sign, now superseded: superseded by norm.sign.2
            show norm.sign
                norm.sign commit_norm superseded; because clearer; superseded by norm.sign.2; rests on pr:1?; statement "Sign commits."; tags ["security"]
            show norm.sign.2
                norm.sign.2 commit_norm candidate; supersedes norm.sign; rests on pr:2?; statement "Sign all commits."; tags ["security"]
            ada adds spike wal "WAL is faster." outcome=confirmed
                added wal
            ada revises wal outcome=rejected
                refused: wal is a spike, which changes only by supersession
            ada replaces wal id=wal.2 hypothesis="WAL is faster up to 1 GB." outcome=partial
                changed wal, now superseded: superseded by wal.2
            show wal
                wal spike superseded; superseded by wal.2; rests on pr:1?; outcome "confirmed"; statement "WAL is faster."
            show wal.2
                wal.2 spike candidate; supersedes wal; rests on pr:1?; outcome "partial"; statement "WAL is faster up to 1 GB."
            list
                [wal.2 norm.sign.2]
        "#]],
    );
}

#[test]
fn an_entry_is_superseded_by_one_that_is_there() {
    check(
        r#"
        given ada adds lesson one "Retry with jitter."
        given ada adds lesson two "Close what you open."
        ada supersedes one two because "two says it better"
        ada supersedes one two
        ada supersedes two one
        ada supersedes one one
        show one
        show two
        list
        ada restores one
        show one
        show two
        "#,
        expect![[r#"
            ada supersedes one two because "two says it better"
                changed one, now superseded: superseded by two
            ada supersedes one two
                unchanged one, now superseded: nothing to change; nothing was written
            ada supersedes two one
                refused: one is already superseded by two
            ada supersedes one one
                refused: one cannot supersede itself
            show one
                one lesson superseded; because two says it better; superseded by two; rests on pr:1?; statement "Retry with jitter."
            show two
                two lesson candidate; supersedes one; rests on pr:1?; statement "Close what you open."
            list
                [two]
            ada restores one
                changed one, now candidate: restored to candidate; two no longer supersedes it
            show one
                one lesson candidate; rests on pr:1?; statement "Retry with jitter."
            show two
                two lesson candidate; rests on pr:1?; statement "Close what you open."
        "#]],
    );
}
