use super::*;

fn faults(text: &str) -> Vec<String> {
    read(text).unwrap_err().faults.iter().map(|fault| format!("{}: {}", fault.field, fault.problem)).collect()
}

fn fault(text: &str) -> String {
    let faults = faults(text);
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults[0].clone()
}

#[test]
fn every_form_is_told_by_its_content() {
    // REV-6.
    for (text, format, title, severity, place) in [
        (r#"[{"title":"T","severity":7.5,"file":"src/a.rs","line":47}]"#, "json", "T", 7.5, "src/a.rs:47"),
        (r#"{"title":"T","severity":"high","place":"src/a.rs#run"}"#, "json", "T", 8.0, "src/a.rs#run"),
        (
            r#"{"agents_launched":["x"],"findings":[{"id":"SA-1","severity":"P1","agent":"x","section":"S","title":"T","model_family":"f","convergence":2}],"verdict":"needs-changes"}"#,
            "flux-drive",
            "T",
            8.0,
            "",
        ),
        (
            r#"[{"description":"T","severity":9.1,"confidence":8.5,"dismissed":true,"file":"a/b.py","line_start":3,"line_end":9,"category":"c"}]"#,
            "wfc",
            "T",
            9.1,
            "a/b.py:3-9",
        ),
        (r#"{"security":[{"text":"T","severity":2}],"correctness":[]}"#, "wfc", "T", 2.0, ""),
        (
            "{\"severity\":\"blocking\",\"agent\":\"x\",\"category\":\"c\",\"summary\":\"T\",\"file_refs\":[\"a.rs:4\",\"b.rs\"],\"timestamp\":\"t\"}\r\n\r\n{\"severity\":\"notable\",\"agent\":\"y\",\"summary\":\"U\"}\n",
            "peer-findings",
            "T",
            9.5,
            "a.rs:4",
        ),
        (
            "Prose first.\r\n\r\n### Findings Index\r\n\r\n-  P1 |  SA-001 | \"src/a.rs:47\" |  T \r\n- P3 | SA-002 | \"Plan\" | Other | with a bar\r\n\r\nVerdict: needs-changes\r\n\r\n- more prose",
            "findings-index",
            "T",
            8.0,
            "src/a.rs:47",
        ),
    ] {
        let report = read(text).unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
        let first = &report.findings[0];
        assert_eq!(
            (report.format, first.title.as_str(), first.severity),
            (format, title, severity),
            "{text}"
        );
        assert_eq!(first.place().unwrap_or_default(), place, "{text}");
    }
}

#[test]
fn what_was_said_is_kept() {
    let report = read(
        r#"{"findings":[{"title":"T","text":"Long.","severity":"Critical","agents":["b","a","b"],"verify":"look","evidence":["src/x.rs:3","it printed 4"],"durable":false,"primed":true,"mood":1}]}"#,
    )
    .unwrap();
    let agents: Vec<&str> = report.findings.iter().filter_map(|one| one.agent.as_deref()).collect();
    let first = &report.findings[0];
    assert_eq!(agents, ["a", "b"], "what several found is theirs each");
    assert_eq!((first.severity, first.severity_word.as_deref()), (9.5, Some("Critical")));
    assert_eq!((first.places.join(" "), first.evidence.len()), ("src/x.rs:3".to_owned(), 2));
    assert!(first.primed && first.durable == Some(false) && first.verification == ["look"]);
    assert!(report.notes[0].contains("`mood`"), "{:?}", report.notes);
    let index = read("### Findings Index\nVerdict: safe").unwrap();
    assert_eq!((index.findings.len(), index.verdict.as_deref()), (0, Some("safe")));
    assert_eq!(read("[]").unwrap().findings.len(), 0);
}

#[test]
fn each_word_of_a_scale_has_its_number() {
    for (word, number) in [
        ("P0", 9.5),
        ("p3", 2.0),
        ("notable", 7.0),
        ("minor", 4.0),
        ("trace", 1.0),
        ("background", 2.0),
        ("medium", 5.0),
        ("10", 10.0),
    ] {
        let report = read(&format!(r#"[{{"title":"T","severity":"{word}"}}]"#)).unwrap();
        assert_eq!(report.findings[0].severity, number, "{word}");
    }
}

#[test]
fn bad_reports_are_refused_with_the_place_of_the_fault() {
    let severity = |value: &str| format!(r#"[{{"id":"SA-7","title":"T","severity":{value}}}]"#);
    let mut wrong = Vec::new();
    for (text, told) in [
        (severity("11"), "finding 1 (SA-7): `severity` is 11; allowed are a number from 0 to 10, P0 to P3"),
        (severity("-0.5"), "`severity` is -0.5"),
        (severity("\"P4\""), "`severity` is \"P4\""),
        (severity("\"NaN\""), "`severity` is NaN"),
        (severity("NaN"), "report, line 1, column 38: is no JSON"),
        (severity("5,"), "report, line 1, column 40: is no JSON"),
        (
            "[\n{\"title\":\"T\",\n\"severity\":5},\n]".to_owned(),
            "report, line 4, column 1: is no JSON: trailing comma",
        ),
        (
            "\u{feff}[]".to_owned(),
            "report, line 1, column 1: starts with a byte order mark; write UTF-8 without one",
        ),
        ("  ".to_owned(), "report: is empty; a reviewer that found nothing reports `[]`"),
        (
            "just prose".to_owned(),
            "report: is in an unknown format; a report is a JSON list of findings, an object with `findings`, an object on each line, or a text with the heading `### Findings Index` and lines such as `- P1 | SA-001 | \"Section\" | Title`",
        ),
        (
            r#"[{"title":"T","severity":5,"confidence":80}]"#.to_owned(),
            "`confidence` is 80; allowed are a number from 0 to 10",
        ),
        (r#"[{"severity":5}]"#.to_owned(), "finding 1: is empty: it needs a `title` or a `text`"),
        (r#"[{"title":"T"}]"#.to_owned(), "`severity` is missing"),
        (r#"[{"title":"T","Severity":5,"severity":5}]"#.to_owned(), "`Severity` is written `severity`"),
        (r#"[{"title":"T","severity":5,"file":"/etc/passwd"}]"#.to_owned(), "/etc/passwd"),
        (r#"[{"title":"T","severity":5,"place":"../x.rs"}]"#.to_owned(), "../x.rs"),
        (
            r#"[{"title":"T","severity":5,"file":"a.rs","line_start":9,"line_end":3}]"#.to_owned(),
            "finding 1 (T): \"a.rs:9-3\" has an invalid line range; write path:47 or path:47-52",
        ),
        (r#"[{"title":"T","severity":5,"dismissed":"yes"}]"#.to_owned(), "write true or false"),
        ("[7]".to_owned(), "finding 1: is the number 7, not an object"),
        (r#"{"a":1}"#.to_owned(), "without `findings`"),
        (
            format!(r#"[{{"title":"{}","severity":5}}]"#, "x".repeat(301)),
            "has 301 characters; at most 300 are allowed",
        ),
        (
            "{\"summary\":\"a\",\"severity\":\"notable\"}\n{\"summary\":\"b\",}\n".to_owned(),
            "report, line 2, column 16: is no JSON: trailing comma",
        ),
        (
            "### Findings Index\n- P1 | SA-001 | Title\n".to_owned(),
            "line 2 (P1 | SA-001 | Title): has 3 of the 4 parts",
        ),
        (
            "### Findings Index\n- P7 | SA-001 | \"S\" | Title\n".to_owned(),
            "the severity is \"P7\"; allowed are",
        ),
        ("### Findings Index\n- P1: no bars\n".to_owned(), "has 1 of the 4 parts"),
        (
            "### Findings Index\n- P1 | | \"S\" | Title\n".to_owned(),
            "line 2 (P1 | | \"S\" | Title): \"\" is not an id; write `- P1 | SA-001 | \"Section\" | Title`",
        ),
        (
            "### Findings Index\n\n- P1 SEC-006 no pipes at all\nVerdict: risky".to_owned(),
            "line 3 (P1 SEC-006 no pipes at all): has 1 of the 4 parts of a finding; write `- P1 | SA-001 | ",
        ),
        ("### Findings Index\n- Pfoo bar\n".to_owned(), "line 2 (Pfoo bar): has 1 of the 4 parts"),
        ("### Findings Index\n* a point\n".to_owned(), "line 2 (a point): has 1 of the 4 parts"),
        ("### Findings Index\n  - below\n".to_owned(), "line 2 (below): has 1 of the 4 parts"),
        ("### Findings Index\n-P1 no blank\n".to_owned(), "line 2 (P1 no blank): has 1 of the 4 parts"),
        (
            "{\"summary\":\"a\",\"severity\":1}\n\n{\"summary\":\"b\",\"severity\":1}\nnot json\n".to_owned(),
            "report, line 4, column 2: is no JSON",
        ),
        (
            "{\"summary\":\"a\",\"severity\":1}\n7\n".to_owned(),
            "report, line 2: is the number 7, not a finding",
        ),
        (
            "{\"findings\":[]}\nthat is all\n".to_owned(),
            "report, line 2, column 1: is no JSON: trailing characters",
        ),
        (r#"{"project":7,"findings":[]}"#.to_owned(), "report: `project` is the number 7, not a text"),
    ] {
        let fault = fault(&text);
        if !fault.contains(told) {
            wrong.push(format!("{text:?}: {told:?} is not in {fault:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn all_faults_are_told_together_and_nothing_is_taken() {
    let many: Vec<String> = (0..25).map(|at| format!(r#"{{"title":"T{at}","severity":99}}"#)).collect();
    let refusal = read(&format!("[{}]", many.join(","))).unwrap_err();
    assert_eq!(refusal.faults.len(), FAULTS_TOLD_MAX);
    assert!(refusal.message.starts_with("25 problems") && refusal.message.ends_with("and 5 more"));
    assert!(refusal.message.contains("finding 1 (T0)"), "{}", refusal.message);
}

#[test]
fn prose_around_an_index_is_no_finding_and_is_told_where_it_looks_like_one() {
    let text = "Intro\n- a point\n## Findings Index\n- None\nVerdict: safe\n## Details\n- P1 | SA-001 | \"S\" | Again\n";
    let report = read(text).unwrap();
    assert_eq!(report.findings.len(), 0);
    assert!(report.notes[0].contains("outside"), "{:?}", report.notes);
}

#[test]
fn a_name_that_comes_twice_is_a_fault_at_every_level() {
    for (text, told) in [
        (
            r#"[{"title":"T","severity":"P0","severity":"P3"}]"#,
            "report, line 1, column 40: `severity` occurs twice",
        ),
        ("{\"findings\":[],\n\"findings\":[]}", "report, line 2, column 10: `findings` occurs twice"),
        (r#"{"a":[{"title":"T","severity":1}],"a":[]}"#, "`a` occurs twice"),
        (r#"[{"title":"T","severity":1,"mood":[{"x":{"y":1,"y":1}}]}]"#, "`y` occurs twice"),
        (
            "{\"summary\":\"a\",\"severity\":1}\n{\"summary\":\"b\",\"summary\":\"c\",\"severity\":1}\n",
            "report, line 2, column 24: `summary` occurs twice",
        ),
        (
            "{\"summary\":\"a\",\"summary\":\"b\",\"severity\":1}\n{\"summary\":\"c\",\"severity\":1}\n",
            "report, line 1, column 24: `summary` occurs twice",
        ),
    ] {
        let fault = fault(text);
        assert!(fault.ends_with(told), "{text:?}: {fault}");
    }
}

#[test]
fn a_report_of_a_project_says_so_of_each_finding_that_does_not_say_itself() {
    let report = read(
        r#"{"project":" web ","agent":"x","findings":[
            {"title":"A","severity":1},
            {"title":"B","severity":1,"project":"api","agent":"y"},
            {"title":"C","severity":1,"project":null,"agents":["p","q"]}]}"#,
    )
    .unwrap();
    let told: Vec<String> = report
        .findings
        .iter()
        .map(|one| {
            let words = [Some(one.title.as_str()), one.agent.as_deref(), one.project.as_deref()];
            words.map(Option::unwrap_or_default).join(" ")
        })
        .collect();
    assert_eq!(told, ["A x web", "B y api", "C p web", "C q web"]);
}

#[test]
fn in_an_index_prose_without_a_bullet_stays_prose() {
    let report = read(
        "### Findings Index\nP1 means urgent here.\n*Stress* and **bold** too.\n\n- P1 | SA-001 | \"S\" | T\n\n---\n* * *\n-\n\n- **Verdict**: risky\n- a point\n",
    )
    .unwrap();
    assert_eq!((report.findings.len(), report.verdict.as_deref()), (1, Some("risky")));
    for nothing in ["- None", "* none.", "- (No findings)"] {
        assert_eq!(read(&format!("### Findings Index\n{nothing}\nVerdict: safe")).unwrap().findings, []);
    }
}

#[test]
fn the_verdict_error_says_that_the_reviewer_failed() {
    for text in ["### Findings Index\nVerdict: error", r#"{"findings":[],"verdict":"Error"}"#] {
        let report = read(text).unwrap();
        assert_eq!(report.verdict.as_deref(), Some("error"));
        assert!(report.notes.iter().any(|note| note.contains("the reviewer itself failed")), "{text}");
    }
    let mended = read("### Findings Index\nVerdict: error\n### Findings Index\nVerdict: safe").unwrap();
    assert!(!mended.notes.iter().any(|note| note.contains("failed")), "{:?}", mended.notes);
}

#[test]
fn the_reference_names_every_field_and_every_word() {
    let formats = include_str!("../../../../../docs/reference/formats.md").replace("\r\n", "\n");
    let (_, section) = formats.split_once("\n## Findings\n").unwrap();
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    for name in READ.iter().chain(PASSED_OVER).chain(VERDICTS) {
        assert!(section.contains(&format!("`{name}`")), "{name} is not told");
    }
    for (heading, words) in [
        ("| severity | number |", scale::SEVERITY_WORDS),
        ("| confidence | number |", scale::CONFIDENCE_WORDS),
    ] {
        let (_, table) = section.split_once(heading).unwrap();
        let rows: Vec<String> =
            table.lines().skip(1).take_while(|row| row.starts_with('|')).map(str::to_lowercase).collect();
        for (word, number) in words {
            let row = rows.iter().find(|row| row.contains(&format!("`{word}`")));
            assert!(row.is_some_and(|row| row.ends_with(&format!("| {number} |"))), "{word}: {row:?}");
        }
    }
    // The examples are reports themselves.
    let blocks: Vec<&str> = section.split("```").skip(1).step_by(2).collect();
    for block in &blocks {
        let (_, example) = block.split_once('\n').unwrap();
        let report = read(example).unwrap_or_else(|refusal| panic!("{example}: {refusal}"));
        assert_eq!((report.findings.is_empty(), report.notes.as_slice()), (false, &[][..]), "{example}");
    }
    assert_eq!(blocks.len(), 5);
}
