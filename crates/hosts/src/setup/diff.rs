//! What a change does to a file, as a unified diff.

/// Lines shown around a change.
const CONTEXT_LINES: usize = 3;
/// Above this many comparisons what differs is shown as taken away and put there.
const COMPARISONS_MAX: usize = 4_000_000;

enum Line<'a> {
    Same(&'a str),
    Gone(&'a str),
    New(&'a str),
}

/// The difference between two texts; none is an absent file.
pub(super) fn unified(name: &str, before: Option<&str>, after: Option<&str>) -> String {
    let head = |side: &str, text: Option<&str>| match text {
        Some(_) => format!("{side}/{name}"),
        None => "/dev/null".to_owned(),
    };
    let mut out = format!("--- {}\n+++ {}\n", head("a", before), head("b", after));
    let old: Vec<&str> = before.unwrap_or_default().split_inclusive('\n').collect();
    let new: Vec<&str> = after.unwrap_or_default().split_inclusive('\n').collect();
    let lines = compare(&old, &new);
    let changed: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !matches!(line, Line::Same(_)))
        .map(|(at, _)| at)
        .collect();
    let mut rest = changed.as_slice();
    while let Some(first) = rest.first() {
        let near = rest.windows(2).take_while(|pair| pair[1] - pair[0] <= 2 * CONTEXT_LINES).count() + 1;
        let start = first.saturating_sub(CONTEXT_LINES);
        let end = (rest[near - 1] + CONTEXT_LINES + 1).min(lines.len());
        rest = &rest[near..];
        let count = |lines: &[Line], mine: fn(&Line) -> bool| lines.iter().filter(|line| mine(line)).count();
        let in_old: fn(&Line) -> bool = |line| !matches!(line, Line::New(_));
        let in_new: fn(&Line) -> bool = |line| !matches!(line, Line::Gone(_));
        let side = |mine| {
            let (before, here) = (count(&lines[..start], mine), count(&lines[start..end], mine));
            format!("{},{here}", if here == 0 { before } else { before + 1 })
        };
        out.push_str(&format!("@@ -{} +{} @@\n", side(in_old), side(in_new)));
        for line in &lines[start..end] {
            let (sign, text) = match line {
                Line::Same(text) => (' ', text),
                Line::Gone(text) => ('-', text),
                Line::New(text) => ('+', text),
            };
            let end = if text.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
            out.push_str(&format!("{sign}{text}{end}"));
        }
    }
    out
}

fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_middle, new_middle) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let mut lines: Vec<Line> = old[..head].iter().map(|line| Line::Same(line)).collect();
    if old_middle.len().saturating_mul(new_middle.len()) > COMPARISONS_MAX {
        lines.extend(old_middle.iter().map(|line| Line::Gone(line)));
        lines.extend(new_middle.iter().map(|line| Line::New(line)));
    } else {
        lines.extend(middle(old_middle, new_middle));
    }
    lines.extend(old[old.len() - tail..].iter().map(|line| Line::Same(line)));
    lines
}

/// By the longest common sequence of lines.
fn middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let width = new.len() + 1;
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i * width + j] = match old[i] == new[j] {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push(Line::Same(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < old.len()
            && (j == new.len() || longest[(i + 1) * width + j] >= longest[i * width + j + 1])
        {
            lines.push(Line::Gone(old[i]));
            i += 1;
        } else {
            lines.push(Line::New(new[j]));
            j += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_diff_shows_what_changes_and_three_lines_around() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl";
        let new = "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n";
        expect![[r"
            --- a/x
            +++ b/x
            @@ -1,5 +1,5 @@
             a
            -b
            +B
             c
             d
             e
            @@ -9,4 +9,5 @@
             i
             j
             k
            -l
            \ No newline at end of file
            +l
            +m
        "]]
        .assert_eq(&unified("x", Some(old), Some(new)));
        expect![[r"
            --- /dev/null
            +++ b/x
            @@ -0,0 +1,1 @@
            +a
        "]]
        .assert_eq(&unified("x", None, Some("a\n")));
    }
}
