//! The text below the block of a flux-drive file: a description, `Evidence:` and `Verify:`, each found and replaced on its own.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::front::{self, Front};
use crate::prose;

/// The parts of a file, by where they are in it.
#[derive(Clone, Debug)]
pub(super) struct Body<'a> {
    file: &'a str,
    /// Everything before the first label, without blanks around it.
    description: Range<usize>,
    /// The claim within it; empty where it begins with something that is none.
    paragraph: Range<usize>,
    /// What follows the claim.
    rest: Range<usize>,
    sections: Vec<Section>,
}

/// A labelled paragraph.
#[derive(Clone, Debug)]
struct Section {
    label: Label,
    /// From its label to the next.
    whole: Range<usize>,
    /// What it says, without blanks around it.
    text: Range<usize>,
}

/// What a paragraph is labelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Evidence,
    Verify,
}

impl Label {
    fn word(self) -> &'static str {
        match self {
            Label::Evidence => "Evidence:",
            Label::Verify => "Verify:",
        }
    }
}

impl<'a> Body<'a> {
    /// Takes a file apart.
    pub(super) fn parse(file: &'a str) -> Body<'a> {
        let bom = if file.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let from = Front::parse(file).map_or(bom, |front| front.body);
        let mut sections: Vec<Section> = Vec::new();
        for (at, line, is_code) in lines(file, from) {
            let Some((label, size)) = label_of(line).filter(|_| !is_code) else { continue };
            if sections.iter().any(|known| known.label == label) {
                continue;
            }
            if let Some(before) = sections.last_mut() {
                before.whole.end = at;
            }
            sections.push(Section { label, whole: at..file.len(), text: at + size..file.len() });
        }
        for section in &mut sections {
            section.text = trimmed(file, section.text.start..section.whole.end);
        }
        let end = sections.first().map_or(file.len(), |section| section.whole.start);
        let description = trimmed(file, from..end);
        let (paragraph, rest) = parted(file, description.clone());
        Body { file, description, paragraph, rest, sections }
    }

    /// Whether it says nothing at all.
    pub(super) fn is_blank(&self) -> bool {
        self.description.is_empty() && self.sections.iter().all(|section| section.text.is_empty())
    }

    /// The description, whole.
    pub(super) fn description(&self) -> String {
        revealed(&self.file[self.description.clone()])
    }

    /// The claim on one line, and what is longer than it.
    pub(super) fn said(&self) -> (String, String) {
        if self.paragraph.is_empty() && !self.description.is_empty() {
            let whole = self.description();
            return (prose::claim(&whole).0, whole);
        }
        let claim = one_line(&self.file[self.paragraph.clone()]);
        let claim = match claim.strip_prefix('\\') {
            Some(rest) if is_special(rest) => rest.to_owned(),
            _ => claim,
        };
        (claim, revealed(&self.file[self.rest.clone()]))
    }

    /// What a labelled paragraph says; none where there is none or it is empty.
    pub(super) fn text(&self, label: Label) -> Option<String> {
        let section = self.sections.iter().find(|section| section.label == label)?;
        Some(revealed(&self.file[section.text.clone()])).filter(|text| !text.is_empty())
    }
}

/// A file with another claim, or another text after it; none leaves it as it is.
pub(super) fn described(file: &str, statement: Option<&str>, detail: Option<&str>) -> String {
    let body = Body::parse(file);
    let end = front::line_end(file);
    let detail = detail.map(|detail| hidden(without_blank_lines(detail), end));
    let is_odd = body.paragraph.is_empty() && !body.description.is_empty();
    if is_odd {
        let (claim, whole) = body.said();
        let detail = detail.unwrap_or_else(|| hidden(&whole, end));
        let statement = statement.map_or(claim.clone(), one_line);
        let is_same =
            statement == claim && Body::parse(&detail).said() == (statement.clone(), revealed(&detail));
        let new = if is_same {
            detail
        } else if detail.is_empty() {
            claimed(&statement)
        } else {
            format!("{}{end}{end}{detail}", claimed(&statement))
        };
        return spliced(file, body.description, &new);
    }
    let old = &file[body.paragraph.clone()];
    let new = statement.map_or_else(|| old.to_owned(), claimed);
    if body.description.is_empty() {
        let detail = detail.filter(|detail| !detail.is_empty());
        let mut text = format!("{new}{end}");
        if let Some(detail) = detail {
            text = format!("{new}{end}{end}{detail}{end}");
        }
        let at = body.description.start;
        let open = if at > 0 && !file[..at].ends_with(['\n', '\u{feff}']) { end } else { "" };
        return spliced(file, at..at, &format!("{open}{text}"));
    }
    let tail = match detail {
        None => file[body.paragraph.end..body.description.end].to_owned(),
        Some(detail) if detail.is_empty() => String::new(),
        Some(detail) => {
            let between = &file[body.paragraph.end..body.rest.start];
            let is_parted = between.matches('\n').count() > 1;
            format!("{}{detail}", if is_parted { between.to_owned() } else { end.repeat(2) })
        }
    };
    spliced(file, body.description, &format!("{new}{tail}"))
}

/// A file whose labelled paragraph says this; nothing takes the paragraph out.
pub(super) fn with(file: &str, label: Label, text: &str) -> String {
    let body = Body::parse(file);
    let end = front::line_end(file);
    let text = hidden(text.trim(), end);
    let own = body.sections.iter().find(|section| section.label == label);
    match own {
        Some(own) if text.is_empty() => spliced(file, own.whole.clone(), ""),
        Some(own) if own.text.is_empty() => spliced(file, own.text.clone(), &format!(" {text}")),
        Some(own) => spliced(file, own.text.clone(), &text),
        None if text.is_empty() => file.to_owned(),
        None => {
            let line = format!("{} {text}{end}", label.word());
            let before = body
                .sections
                .iter()
                .find(|section| label == Label::Evidence && section.label == Label::Verify);
            if let Some(verify) = before {
                return spliced(file, verify.whole.start..verify.whole.start, &line);
            }
            let open = if file.is_empty() || file.ends_with('\n') { "" } else { end };
            // Labels stand on lines of their own, or with one blank line before the first.
            let is_apart = body.sections.is_empty() && !body.description.is_empty();
            let apart =
                if is_apart && !file.ends_with("\n\n") && !file.ends_with("\n\r\n") { end } else { "" };
            format!("{file}{open}{apart}{line}")
        }
    }
}

static MARK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|\s)(?:\(([1-9])\)|([1-9])[.)])\s").expect("the pattern is right"));

/// The steps of a text that numbers them, or has a line with a dash for each; any other text is one step.
pub(super) fn steps(text: &str) -> Vec<String> {
    let text = text.trim();
    let mut cuts: Vec<Range<usize>> = Vec::new();
    let mut is_round = None;
    for found in MARK.captures_iter(text) {
        let round = found.get(1);
        let number = round.or(found.get(2)).and_then(|digit| digit.as_str().parse().ok()).unwrap_or(0_usize);
        let whole = found.get(0).map_or(0..0, |whole| whole.range());
        if number != cuts.len() + 1 || is_round.is_some_and(|is_round| is_round != round.is_some()) {
            continue;
        }
        if cuts.is_empty() && whole.start != 0 {
            break;
        }
        is_round = Some(round.is_some());
        cuts.push(whole);
    }
    let pieces: Vec<&str> = if cuts.len() > 1 {
        let ends = cuts.iter().skip(1).map(|cut| cut.start).chain([text.len()]);
        cuts.iter().zip(ends).map(|(cut, end)| &text[cut.end..end]).collect()
    } else if text.lines().count() > 1 && text.lines().all(|line| line.trim_start().starts_with("- ")) {
        text.lines().map(|line| line.trim_start().trim_start_matches("- ")).collect()
    } else {
        vec![text]
    };
    pieces.into_iter().map(|piece| piece.trim().to_owned()).filter(|piece| !piece.is_empty()).collect()
}

/// Steps as one text.
pub(super) fn in_steps(steps: &[String]) -> String {
    match steps {
        [one] => one.clone(),
        steps => {
            let numbered = steps.iter().enumerate().map(|(at, step)| format!("({}) {}", at + 1, step.trim()));
            numbered.collect::<Vec<_>>().join(" ")
        }
    }
}

/// Lines with where they begin, and whether they are code. A fence that nobody closes is none.
fn lines(text: &str, from: usize) -> impl Iterator<Item = (usize, &str, bool)> {
    let mut at = from;
    let all: Vec<(usize, &str)> = text[from..]
        .split_inclusive('\n')
        .map(|line| {
            let start = at;
            at += line.len();
            (start, line)
        })
        .collect();
    let mut code = vec![false; all.len()];
    let mut open: Option<(usize, &str)> = None;
    for (number, (_, line)) in all.iter().enumerate() {
        let fence = ["```", "~~~"].into_iter().find(|fence| line.trim_start().starts_with(fence));
        match (open, fence) {
            (None, Some(fence)) => open = Some((number, fence)),
            (Some((start, opened)), Some(fence)) if opened == fence => {
                code[start..=number].fill(true);
                open = None;
            }
            (Some(_), Some(_)) | (_, None) => {}
        }
    }
    all.into_iter().zip(code).map(|((at, line), is_code)| (at, line, is_code))
}

/// The label at the start of a line, and how long it is.
fn label_of(line: &str) -> Option<(Label, usize)> {
    for label in [Label::Evidence, Label::Verify] {
        if line.starts_with(label.word()) {
            return Some((label, label.word().len()));
        }
        let bold = format!("**{}**", label.word());
        if line.starts_with(&bold) {
            return Some((label, bold.len()));
        }
    }
    None
}

/// A description's first paragraph, and what follows it.
fn parted(file: &str, description: Range<usize>) -> (Range<usize>, Range<usize>) {
    let start = description.start;
    let text = &file[description.clone()];
    if is_odd(text) {
        return (start..start, start..start);
    }
    let mut end = start;
    let mut next = description.end;
    for (at, line, _) in lines(text, 0) {
        if at > 0 && (line.trim().is_empty() || is_odd(line)) {
            next = start + at;
            break;
        }
        end = start + at + line.trim_end().len();
    }
    let rest = &file[next..description.end];
    let blank = rest.len() - without_blank_lines(rest).len();
    (start..end, next + blank..description.end)
}

/// Whether a line begins something that is no running text.
fn is_odd(line: &str) -> bool {
    ["#", "```", "~~~", "---", "<!--", "- ", "* ", "+ ", "> ", "| "].iter().any(|mark| line.starts_with(mark))
}

/// Whether a line would be taken for something else.
fn is_special(line: &str) -> bool {
    let bare = line.trim_start_matches('\\');
    is_odd(bare) || label_of(bare).is_some()
}

fn claimed(statement: &str) -> String {
    let line = one_line(statement);
    if is_special(&line) { format!("\\{line}") } else { line }
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A text whose lines are taken for no labels, with the line breaks of the file.
fn hidden(text: &str, end: &str) -> String {
    let text = text.trim_end().replace("\r\n", "\n");
    let each = lines(&text, 0).map(|(_, line, is_code)| {
        let is_label = !is_code && label_of(line.trim_start_matches('\\')).is_some();
        if is_label { format!("\\{line}") } else { line.to_owned() }
    });
    each.collect::<String>().replace('\n', end)
}

fn revealed(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let each = lines(&text, 0).map(|(_, line, is_code)| match line.strip_prefix('\\') {
        Some(rest) if !is_code && label_of(rest.trim_start_matches('\\')).is_some() => rest,
        _ => line,
    });
    each.collect()
}

fn without_blank_lines(text: &str) -> &str {
    let mut rest = text;
    while let Some((line, more)) = rest.split_once('\n') {
        if !line.trim().is_empty() {
            break;
        }
        rest = more;
    }
    rest
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = &text[range.clone()];
    let start = range.start + inner.len() - inner.trim_start().len();
    let end = range.end - (inner.len() - inner.trim_end().len());
    if start < end { start..end } else { range.start..range.start }
}

fn spliced(text: &str, range: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}
