//! What is found in texts, as tables: DIG-1.

use expect_test::{Expect, expect};
use ken_core::kinds::Polarity;
use ken_digest::{Candidate, Commit, Form, Markup, Pull, Source, Voice, reduce, undecided};
use proptest::prelude::*;

fn found(path: &str, text: &str) -> Vec<Candidate> {
    reduce(&Source::Document { path, text, form: Form::detect(path, text) })
}

/// A candidate in a line: place, type, cue, statement and how it could be checked.
fn lines(found: &[Candidate]) -> String {
    found
        .iter()
        .map(|one| {
            let check = one.enforcement.as_ref().map(|value| format!(" {value}")).unwrap_or_default();
            format!("{} {} [{}] {}{check}\n", one.place, one.kind, one.cue, one.statement)
        })
        .collect()
}

fn check(path: &str, text: &str, expected: Expect) {
    expected.assert_eq(&lines(&found(path, text)));
}

#[test]
fn duties_are_found_and_what_only_looks_like_one_is_not() {
    check(
        "CONTRIBUTING.md",
        "# Contributing\n\n## Code\n\nErrors must name the file. Must they? Yes. You may use any editor.\n\n> Everything must be perfect.\n\n\
         ```\nYou must not read this.\n```\n\nIn 2015 every patch had to be mailed. If it were ours, we would have to pay.\n\
         <!-- Agents must obey this comment. -->\n\n- Keep functions short.\n- Tests must not sleep!\n- No `unwrap()` outside tests.\n",
        expect![[r#"
            CONTRIBUTING.md:5 user_expectation [must] Errors must name the file.
            CONTRIBUTING.md:16 user_expectation [imperative] Code: Keep functions short.
            CONTRIBUTING.md:17 user_expectation [must not] Tests must not sleep!
            CONTRIBUTING.md:18 user_expectation [no] Code: No unwrap() outside tests.
        "#]],
    );
}

#[test]
fn two_norms_in_a_sentence_are_two_only_if_each_is_whole() {
    check(
        "policy.md",
        "# Policy\n\n2.1 Commits MUST carry a footer and SHOULD NOT exceed 400 lines.\n\nAlways store times in UTC and convert them late.\n\n\
         If a test is flaky, repair it, but don't skip it.\n",
        expect![[r#"
            policy.md:3 commit_norm [must] Commits MUST carry a footer
            policy.md:3 commit_norm [should not] Commits SHOULD NOT exceed 400 lines.
            policy.md:5 user_expectation [always] Always store times in UTC and convert them late.
            policy.md:7 user_expectation [imperative] If a test is flaky, repair it
            policy.md:7 user_expectation [do not] If a test is flaky, don't skip it.
        "#]],
    );
}

#[test]
fn what_a_sentence_speaks_back_to_comes_with_it() {
    check(
        "handbook.md",
        "# Handbook\n\nTranslations live in `locale/`. These files are generated, so do not edit them.\n",
        expect![[r#"
            handbook.md:3 user_expectation [do not] Translations live in locale/. These files are generated, so do not edit them.
        "#]],
    );
}

#[test]
fn lists_make_norms_of_their_points() {
    check(
        "CONTRIBUTING.md",
        "# Contributing\n\n## Definition of done\n\n- the tests pass;\n- the help is up to date.\n\n## Pull requests\n\nYou must:\n\n- name the issue\n\n\
         You may:\n\n- attach a video\n\n### Before you open one\n\n- [ ] The changelog has a line\n- [ ] Was it fun?\n",
        expect![[r#"
            CONTRIBUTING.md:5 pr_expectation [definition of done] Definition of done: the tests pass
            CONTRIBUTING.md:6 pr_expectation [definition of done] Definition of done: the help is up to date.
            CONTRIBUTING.md:12 pr_expectation [must] You must name the issue
            CONTRIBUTING.md:20 pr_expectation [checklist] Before you open one: The changelog has a line
        "#]],
    );
}

#[test]
fn tables_of_levels_and_of_tiers_are_read_row_by_row() {
    check(
        "policy.md",
        "# Policy\n\n| Id | Rule | Level |\n|---|---|---|\n| A-1 | The title names the part | MUST |\n| A-2 | A video is attached | MAY |\n\n\
         | Area | Tier | Needs |\n|---|---|---|\n| `db/**` | high | a rollback plan |\n| `docs/` | low | none |\n",
        expect![[r#"
            policy.md:5 user_expectation [must] MUST: The title names the part
            policy.md:10 risk_tier [risk word] Changes to db/** are high risk; needs: a rollback plan {"kind":"tier","paths":["db/**"],"tier":"high"}
            policy.md:11 risk_tier [risk word] Changes to docs/ are low risk {"kind":"tier","paths":["docs/**"],"tier":"low"}
        "#]],
    );
}

#[test]
fn tables_may_begin_with_the_tier() {
    check(
        "CONTRIBUTING.md",
        "# Contributing\n\n| Tier | What | Needs |\n|---|---|---|\n| **High** | `auth/`, `billing/**` | two reviewers |\n| Critical | payments and personal data | a security review |\n\
         | low | everything except `src/` | - |\n\n| Tier | Changes |\n|---|---|\n| medium | anything under `api/` or `proto/*.proto` |\n\n\
         | Risk | Paths | Review |\n|---|---|---|\n| High-risk | db/migrations/ | the owner |\n\n| Tier | Needs |\n|---|---|\n| low | one reviewer |\n\n\
         | Severity | Meaning |\n|---|---|\n| critical | the site is down |\n| low | a typo |\n",
        expect![[r#"
            CONTRIBUTING.md:5 risk_tier [risk word] Changes to auth/, billing/** are high risk; needs: two reviewers {"kind":"tier","paths":["auth/**","billing/**"],"tier":"high"}
            CONTRIBUTING.md:6 risk_tier [risk word] Critical risk: payments and personal data; needs: a security review
            CONTRIBUTING.md:7 risk_tier [risk word] Low risk: everything except src/
            CONTRIBUTING.md:11 risk_tier [risk word] Medium risk: anything under api/ or proto/*.proto {"kind":"tier","paths":["api/**","proto/*.proto"],"tier":"medium"}
            CONTRIBUTING.md:15 risk_tier [risk word] Changes to db/migrations/ are high risk; review: the owner {"kind":"tier","paths":["db/migrations/**"],"tier":"high"}
            CONTRIBUTING.md:19 risk_tier [risk word] Low risk changes; needs: one reviewer
        "#]],
    );
}

#[test]
fn what_a_labelled_tier_needs_is_no_duty_of_every_change() {
    check(
        "CONTRIBUTING.md",
        "# Contributing\n\n## Review\n\nHigh risk: anything in `auth/`. Needs two reviewers.\nLow risk: docs. Commits must be small.\n\n**Critical**: payments. A security review is required.\n\n\
         Critical: never commit secrets.\n\nHigh: data is lost. We must answer within a day.\n\n\
         Changes in `db/` are high risk. Needs a rollback plan.\n\n## Risk tiers\n\n- High: `src/net/`, `src/tls/`\n- Low - typos and comments\n\n\
         High-risk changes:\n\n- anything in `auth/`\n- need two reviewers.\n\n### Low risk\n\n- `docs/`\n",
        expect![[r#"
            CONTRIBUTING.md:5 risk_tier [risk word] High risk changes (anything in auth/): needs two reviewers {"kind":"tier","paths":["auth/**"],"tier":"high"}
            CONTRIBUTING.md:6 risk_tier [risk word] Low risk changes: docs
            CONTRIBUTING.md:6 commit_norm [must] Commits must be small.
            CONTRIBUTING.md:8 risk_tier [risk word] Critical risk changes (payments): a security review is required
            CONTRIBUTING.md:10 commit_norm [never] Critical: never commit secrets.
            CONTRIBUTING.md:12 pr_expectation [must] We must answer within a day.
            CONTRIBUTING.md:14 risk_tier [risk word] Changes in db/ are high risk. {"kind":"tier","paths":["db/**"],"tier":"high"}
            CONTRIBUTING.md:14 risk_tier [needs] Changes in db/ are high risk. Needs a rollback plan.
            CONTRIBUTING.md:18 risk_tier [risk word] High risk changes: src/net/, src/tls/ {"kind":"tier","paths":["src/net/**","src/tls/**"],"tier":"high"}
            CONTRIBUTING.md:19 risk_tier [risk word] Low risk changes: typos and comments
            CONTRIBUTING.md:23 risk_tier [risk word] High risk changes: anything in auth/ {"kind":"tier","paths":["auth/**"],"tier":"high"}
            CONTRIBUTING.md:24 risk_tier [risk word] High risk changes: need two reviewers
            CONTRIBUTING.md:28 risk_tier [risk word] Low risk changes: docs/ {"kind":"tier","paths":["docs/**"],"tier":"low"}
        "#]],
    );
}

#[test]
fn lines_that_begin_with_a_level_are_norms_of_their_own() {
    check(
        "policy.md",
        "# Policy\n\n## Errors\n\nMUST: name the file\nSHOULD NOT: repeat the message of the cause\nMAY: add a hint\n\n**MUST NOT**: print secrets.\n**SHOULD**: say what to do.\n",
        expect![[r#"
            policy.md:5 user_expectation [must] MUST: name the file
            policy.md:6 user_expectation [should not] SHOULD NOT: repeat the message of the cause
            policy.md:9 user_expectation [must not] MUST NOT: print secrets.
            policy.md:10 user_expectation [should] SHOULD: say what to do.
        "#]],
    );
}

#[test]
fn a_heading_that_forbids_makes_prohibitions_of_its_points() {
    let text = "# Agents\n\n## Do\n\n- Run the tests\n\n## Don'ts\n\n- Commit generated files\n- Force-pushing to `main`\n- Never skip hooks\n\n## Never\n\n- `unwrap()` in handlers\n- Use sleeps in tests\n\n\
                ## Style\n\nDon't:\n\n- shout in logs\n";
    check(
        "AGENTS.md",
        text,
        expect![[r#"
            AGENTS.md:5 user_expectation [imperative] Run the tests
            AGENTS.md:9 commit_norm [do not] Do not commit generated files
            AGENTS.md:10 commit_norm [do not] Not allowed: Force-pushing to main
            AGENTS.md:11 user_expectation [never] Never skip hooks
            AGENTS.md:15 user_expectation [do not] Not allowed: unwrap() in handlers
            AGENTS.md:16 user_expectation [do not] Do not use sleeps in tests
            AGENTS.md:22 user_expectation [do not] Don't shout in logs
        "#]],
    );
    let negative = found("AGENTS.md", text).iter().filter(|one| one.polarity == Polarity::Negative).count();
    assert_eq!(negative, 6);
}

#[test]
fn not_everything_with_a_tag_or_a_sign_off_is_about_commits() {
    let cases = [
        ("Tag only from main.", "user_expectation"),
        ("Purchases shall obtain sign-off from finance.", "user_expectation"),
        ("Sign off every commit.", "commit_norm"),
        ("Every message must end with a Signed-off-by line.", "commit_norm"),
    ];
    for (text, kind) in cases {
        let found = found("AGENTS.md", &format!("# Agents\n\n- {text}\n"));
        assert_eq!(found.first().map(|one| one.kind.word()), Some(kind), "{text}");
    }
}

#[test]
fn a_check_is_proposed_only_where_the_words_leave_no_doubt() {
    let cases = [
        ("Use Conventional Commits.", r#"{"kind":"mechanical","rule":"conventional_commits"}"#),
        ("Sign off every commit.", r#"{"kind":"mechanical","rule":"signed_off"}"#),
        ("Never edit `vendor/`.", r#"{"check":"paths","forbid":["vendor/**"],"kind":"mechanical"}"#),
        (
            "Every change to `src/` needs a test.",
            r#"{"check":"required_file","kind":"mechanical","need":["tests/**"],"when":["src/**"]}"#,
        ),
        (
            "Changes to `proto/` require a change in `docs/api/`.",
            r#"{"check":"required_file","kind":"mechanical","need":["docs/api/**"],"when":["proto/**"]}"#,
        ),
        // A tool may edit what nobody edits by hand, and a reason names files that may well be edited.
        ("Never edit `vendor/` by hand.", "none"),
        ("Do not change a constant of `src/rank.rs` because of `docs/a.md`.", "none"),
        ("Never edit `/etc/passwd`.", "none"),
        ("Never edit `../other/`.", "none"),
        ("Reviews should be kind.", "none"),
    ];
    for (text, expected) in cases {
        let found = found("AGENTS.md", &format!("# Agents\n\n- {text}\n"));
        let check = found[0].enforcement.as_ref().map_or("none".to_owned(), ToString::to_string);
        assert_eq!(check, expected, "{text}");
    }
}

#[test]
fn a_page_about_how_things_are_asks_for_less() {
    let text = "# The journal\n\nA synced line never changes. Frames must be whole. Use the index.\n\nContributors must not edit it.\n";
    check(
        "docs/journal.md",
        text,
        expect![[r#"
            docs/journal.md:5 user_expectation [must not] Contributors must not edit it.
        "#]],
    );
}

// A page of plain rules under any name was read as a description: 5 of 12 were found, and then 8: not the habits.
#[test]
fn a_page_of_plain_rules_is_read_as_rules_whatever_it_is_called() {
    let text = "# Notes on the service\n\nThe build must stay under ten minutes.\n\nHandlers must not block.\n\nEvery endpoint has a contract test.\n\n\
        Secrets live in the vault, never in the repository.\n\nWe deploy on Tuesdays only.\n\nLog lines carry the request id.\n\n\
        No handler talks to the database directly.\n\nPrefer composition over inheritance.\n\nTests run without the network.\n\n\
        Keep functions under forty lines.\n\nThe API may not change within a major version.\n\nWe don't log request bodies.\n";
    check(
        "docs/notes.md",
        text,
        expect![[r#"
            docs/notes.md:3 user_expectation [must] The build must stay under ten minutes.
            docs/notes.md:5 user_expectation [must not] Handlers must not block.
            docs/notes.md:7 user_expectation [habit] Every endpoint has a contract test.
            docs/notes.md:9 user_expectation [never] Secrets live in the vault, never in the repository.
            docs/notes.md:11 user_expectation [we only] We deploy on Tuesdays only.
            docs/notes.md:13 user_expectation [habit] Log lines carry the request id.
            docs/notes.md:15 user_expectation [no] No handler talks to the database directly.
            docs/notes.md:17 user_expectation [imperative] Prefer composition over inheritance.
            docs/notes.md:19 user_expectation [habit] Tests run without the network.
            docs/notes.md:21 user_expectation [imperative] Keep functions under forty lines.
            docs/notes.md:23 user_expectation [may not] The API may not change within a major version.
        "#]],
    );
    // What is left is for a judge: what people do is as often a fact about them.
    let form = Form::detect("docs/notes.md", text);
    let left = undecided(&Source::Document { path: "docs/notes.md", text, form });
    assert_eq!(lines(&left), "docs/notes.md:25 user_expectation [judge] We don't log request bodies.\n");
}

#[test]
fn a_habit_is_a_rule_among_rules_and_a_fact_elsewhere() {
    let text = "# Agents\n\n## Conventions\n\n- All timestamps are stored in UTC.\n- Handlers return a Result.\n- Each of these is checked by the build.\n\
        - Usually modules have one author.\n\n## Project structure\n\nAll packages live in `packages/`. Handlers return a Result.\n\n\
        ## Storage\n\nAll rows carry the tenant. Blobs are kept apart.\n";
    let sure = "\
        AGENTS.md:5 user_expectation [habit] All timestamps are stored in UTC.\n\
        AGENTS.md:6 user_expectation [habit] Handlers return a Result.\n";
    assert_eq!(lines(&found("AGENTS.md", text)), sure);
    // Below another heading they are for a judge: rules cannot tell a habit from a fact.
    let form = Form::detect("AGENTS.md", text);
    let left = undecided(&Source::Document { path: "AGENTS.md", text, form });
    expect![[r#"
        AGENTS.md:7 user_expectation [judge] Each of these is checked by the build.
        AGENTS.md:8 user_expectation [judge] Usually modules have one author.
        AGENTS.md:12 user_expectation [judge] All packages live in packages/.
        AGENTS.md:16 user_expectation [judge] All rows carry the tenant.
        AGENTS.md:16 user_expectation [judge] Blobs are kept apart.
    "#]]
    .assert_eq(&lines(&left));
    // A page of prose has them below such a heading alone.
    let prose = "# A library\n\nAll clients share one pool. Connections are closed when they are idle.\n\n## Conventions\n\nTables have singular names.\n";
    assert_eq!(
        lines(&found("README.md", prose)),
        "README.md:7 user_expectation [habit] Tables have singular names.\n"
    );
}

#[test]
fn a_walk_through_and_a_reference_are_no_rules_however_often_they_say_must() {
    let steps = "# The importer\n\n## Getting started\n\nInstall the server. Open the settings. Choose a folder. Press the button. You must restart it. \
        You have to wait. It must be empty.\n";
    let format = "# The wire format\n\n`name` must be a string. `size` must not be negative. `kind` must be one of three words. The header is eight bytes. \
        Frames follow it. A checksum ends each frame. Readers skip what they do not know.\n";
    for text in [steps, format] {
        assert_eq!(Form::detect("docs/page.md", text).voice, Voice::Reference, "{text}");
    }
    let form = Form::detect("docs/page.md", format);
    let asked = undecided(&Source::Document { path: "docs/page.md", text: format, form });
    assert!(
        asked.iter().all(|one| one.statement.contains("must")),
        "habits of a format are facts: {asked:?}"
    );
}

#[test]
fn windows_lines_duplicate_headings_and_front_matter_change_nothing() {
    let text = "---\ntitle: x\nmust: y\n---\r\n# Contributing\r\n\r\n## Tests\r\n\r\n- Tests must pass.\r\n\r\n## Tests\r\n\r\n- Tests must pass.\r\n";
    check(
        "CONTRIBUTING.md",
        text,
        expect![[r#"
            CONTRIBUTING.md:9 user_expectation [must] Tests must pass.
        "#]],
    );
}

#[test]
fn plain_texts_have_points_and_headings_too() {
    let text = "Rules for patches\n=================\n\nPatches must apply cleanly.\n\n* Wrap lines at 72 columns.\n\n    indented words must be read, too\n";
    let form = Form::detect("HACKING", text);
    assert_eq!(form, Form { markup: Markup::Plain, voice: Voice::Instructions });
    check(
        "HACKING",
        text,
        expect![[r#"
            HACKING:4 user_expectation [must] Patches must apply cleanly.
            HACKING:6 user_expectation [imperative] Wrap lines at 72 columns.
            HACKING:8 user_expectation [must] Indented words must be read, too
        "#]],
    );
}

#[test]
fn commits_teach_lessons_and_show_how_they_are_named() {
    let commit =
        |at: usize, message: &str| Commit { hash: format!("{at:040x}"), message: message.to_owned() };
    let mut commits: Vec<Commit> = (0..10).map(|at| commit(at, "fix: a thing")).collect();
    commits.push(commit(
        10,
        "feat!: drop v1\n\nBREAKING CHANGE: clients have to send a token\n\nSigned-off-by: A <a@b>",
    ));
    commits.push(commit(
        11,
        "Revert \"Cache the roster\"\n\nThis reverts commit 0123.\n\nIt showed members of other halls.",
    ));
    commits.push(commit(
        12,
        "fix: clock\n\nLesson: compare times in UTC only.\nThe parser must not crash on empty input.",
    ));
    let found = reduce(&Source::Commits(&commits));
    expect![[r#"
        commit 000000000000 commit_norm [conventional commits] Commit messages follow Conventional Commits. {"kind":"mechanical","rule":"conventional_commits"}
        commit 000000000000 lesson [breaking change] Breaking change: clients have to send a token
        commit 000000000000 lesson [revert] "Cache the roster" was reverted: It showed members of other halls.
        commit 000000000000 lesson [lesson] compare times in UTC only. The parser must not crash on empty input.
    "#]]
    .assert_eq(&lines(&found));
    assert_eq!(found[0].place.evidence(), format!("commit:{:040x}", 0));
    assert_eq!(found[0].quote, "12 of 12 commits begin with one of: feat, fix");
}

#[test]
fn of_a_conversation_only_what_is_meant_for_always_is_kept() {
    let text = r##"{"number": 7, "title": "t", "author": {"login": "x"}, "body": "Please rename this.\n\nWe never log tokens in this repo.",
        "reviews": [{"body": "You should move this line.", "state": "COMMENTED"}, {"body": "All new endpoints must have a contract test."}],
        "comments": [{"body": "Should we never do that?"}, {"body": null}]}"##;
    let pulls = Pull::read(text).unwrap();
    expect![[r#"
        pull request 7, body user_expectation [never] We never log tokens in this repo.
        pull request 7, review 2 user_expectation [must] All new endpoints must have a contract test.
    "#]]
    .assert_eq(&lines(&reduce(&Source::Pulls(&pulls))));
    for (text, problem) in [("[{}]", "position 1"), ("7", "neither"), ("{", "not JSON")] {
        assert!(Pull::read(text).unwrap_err().contains(problem), "{text}");
    }
}

// `Lesson:` was lost where the line before it had no full stop, below a heading, and in other words of the same meaning.
#[test]
fn a_marked_line_of_a_pull_request_is_a_lesson() {
    let text = r##"[{"number": 7, "body": "Closes #12\r\nLesson: retry with jitter,\r\nelse all clients come back at once.\r\nMore text"},
        {"number": 8, "body": "**Lesson:** never mock the clock\n\n- Gotcha: redirects lose their cookies.\n\n## Lessons learned\n\nNames are looked up once a minute.\n"},
        {"number": 9, "body": "> Lesson: what a quotation says\n\nLesson: shall we keep it?", "reviews": [{"body": "Root cause: the lock was held by the reaper"}, {"body": "Frames must be whole."}]}]"##;
    let pulls = Pull::read(text).unwrap();
    expect![[r#"
        pull request 7, body lesson [lesson] retry with jitter, else all clients come back at once.
        pull request 8, body lesson [lesson] never mock the clock
        pull request 8, body lesson [lesson] redirects lose their cookies.
        pull request 8, body lesson [lesson] Names are looked up once a minute.
        pull request 9, review 1 lesson [lesson] the lock was held by the reaper
    "#]]
    .assert_eq(&lines(&reduce(&Source::Pulls(&pulls))));
    expect!["pull request 9, review 2 user_expectation [judge] Frames must be whole.\n"]
        .assert_eq(&lines(&undecided(&Source::Pulls(&pulls))));
}

#[test]
fn files_are_told_apart_by_their_names_and_titles() {
    let voice = |path: &str, text: &str| Form::detect(path, text).voice;
    for path in [
        "AGENTS.md",
        "docs/CLAUDE.md",
        "CONTRIBUTING.rst",
        ".cursor/rules/a.mdc",
        ".github/copilot-instructions.md",
    ] {
        assert_eq!(voice(path, ""), Voice::Instructions, "{path}");
    }
    assert_eq!(voice("docs/team.md", "# Guidelines for reviewers\n"), Voice::Instructions);
    assert_eq!(voice("docs/journal.md", "# The journal\n"), Voice::Reference);
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "(\\PC|\n|\r|[-*#>|`\\[\\]x ]|must|never|do not|MUST: |High risk: |critical — |# Don'ts\n\n- |- \\[ \\]|\\| a \\| b \\|\n\\|---\\|---\\|\n){0,80}") {
        for path in ["AGENTS.md", "a.md", "a.txt"] {
            for candidate in found(path, &text) {
                prop_assert!(!candidate.statement.trim().is_empty());
            }
        }
    }
}

#[test]
fn long_texts_take_no_longer_than_their_length() {
    // Each of these took minutes where something was looked for in all that came before.
    let many = 20_000;
    let texts = [
        "`a` must ".repeat(many),
        "must and ".repeat(many),
        "\"must\" ".repeat(many),
        "It must be so. ".repeat(many),
        "| a ".repeat(many) + "|\n" + &"|---".repeat(many) + "|\n" + &"| must ".repeat(many),
        format!("# {}\n\n{}", "long ".repeat(many), "You must go.\n\n".repeat(many / 10)),
        format!("{}:\n\n{}", "You must ".repeat(many), "- go there\n".repeat(many / 10)),
        "> ".repeat(2_000) + "you must go",
        "High risk: it. ".repeat(many / 5),
        "Critical: it. ".to_owned() + &"Must be so. ".repeat(many / 5),
        "Critical: it. Must go.\n".repeat(many / 5),
        "MUST: go\n".repeat(many / 5),
        "- ".repeat(500) + "you must go",
    ];
    for text in texts {
        found("AGENTS.md", &text);
    }
}
