//! Words as a shell expands them: variables, substitutions, braces and fields.

use super::*;

/// Unquoted braces and commas until they are expanded: characters that nobody types.
const OPEN: char = '\u{e000}';
const COMMA: char = '\u{e001}';
const CLOSE: char = '\u{e002}';

impl Walker {
    pub(super) fn expand_quoted(&mut self, word: &Word) -> String {
        let mut text = String::new();
        for piece in &word.pieces {
            match piece {
                Piece::Text { text: part, .. } => text.push_str(part),
                Piece::Variable { name, fallback, .. } => {
                    text.push_str(&self.variable(name, fallback.as_ref()).join(" "));
                }
                Piece::Output { steps, .. } => {
                    let (printed, _) = self.substituted(steps);
                    text.push_str(&printed);
                }
                Piece::Process(_) | Piece::Unknown => text.push(UNKNOWN),
            }
            truncate(&mut text);
        }
        text
    }

    pub(super) fn expand(&mut self, word: &Word) -> Expanded {
        let begin = self.found.len();
        let mut fields: Vec<String> = Vec::new();
        let mut current = String::new();
        let mut is_open = false;
        let mut paths = Vec::new();
        for piece in &word.pieces {
            match piece {
                Piece::Text { text, quoted: true } => {
                    current.push_str(text);
                    is_open = true;
                }
                Piece::Text { text, quoted: false } => {
                    current.extend(text.chars().map(|char| match char {
                        '{' => OPEN,
                        ',' => COMMA,
                        '}' => CLOSE,
                        other => other,
                    }));
                    is_open = true;
                }
                Piece::Variable { name, fallback, quoted } => {
                    let values = self.variable(name, fallback.as_ref());
                    let is_list = values.len() > 1 || name == "@";
                    match (quoted, is_list) {
                        (true, false) => {
                            current.push_str(&values.join(" "));
                            is_open = true;
                        }
                        (true, true) => push_fields(&values, &mut fields, &mut current, &mut is_open),
                        (false, _) => {
                            let split: Vec<String> = values
                                .iter()
                                .flat_map(|value| value.split_whitespace())
                                .map(str::to_owned)
                                .collect();
                            push_fields(&split, &mut fields, &mut current, &mut is_open);
                        }
                    }
                }
                Piece::Output { steps, quoted } => {
                    let (printed, listed) = self.substituted(steps);
                    if *quoted {
                        current.push_str(&printed);
                        is_open = true;
                    } else {
                        let split: Vec<String> = match listed.is_empty() {
                            true => printed.split_whitespace().map(str::to_owned).collect(),
                            false => listed,
                        };
                        push_fields(&split, &mut fields, &mut current, &mut is_open);
                    }
                }
                Piece::Process(steps) => {
                    let (printed, listed) = self.substituted(steps);
                    paths.extend(listed);
                    match self.found.len().checked_sub(1) {
                        // A file that holds what the commands print, for whoever reads it: `bash <(echo ...)`.
                        Some(writer) if !is_unknown(&printed) => {
                            let file = format!("/dev/fd/{writer}");
                            current.push_str(&file);
                            self.files.insert(file, (Some(printed), writer));
                        }
                        Some(_) | None => current.push(UNKNOWN),
                    }
                    is_open = true;
                }
                Piece::Unknown => {
                    current.push(UNKNOWN);
                    is_open = true;
                }
            }
            truncate(&mut current);
        }
        if is_open {
            fields.push(current);
        }
        let fields: Vec<String> =
            fields.into_iter().flat_map(|field| braces(&field)).take(WORDS_MAX).collect();
        self.expanded_chars += fields.iter().map(String::len).sum::<usize>();
        Expanded { fields, from: (begin..self.found.len()).collect(), paths }
    }

    /// What a substitution prints, without the last line ends, and the files that it lists.
    pub(super) fn substituted(&mut self, steps: &[Step]) -> (String, Vec<String>) {
        let saved = (self.folder.clone(), self.variables.clone());
        let printed = self.depth_checked(|walker| walker.steps(steps, &Input::default()));
        (self.folder, self.variables) = saved;
        match printed.text {
            Some(text) => (text.trim_end_matches('\n').to_owned(), Vec::new()),
            None => (UNKNOWN.to_string(), printed.paths),
        }
    }

    pub(super) fn variable(&mut self, name: &str, fallback: Option<&Word>) -> Vec<String> {
        if self.expanded_chars >= EXPANDED_CHARS_MAX {
            return vec![UNKNOWN.to_string()];
        }
        if let Some(values) = self.variables.get(name) {
            return values.clone();
        }
        match (name, fallback) {
            ("PWD", _) => vec![self.folder.clone()],
            ("HOME", _) => vec!["~".to_owned()],
            (_, Some(fallback)) => vec![self.expand_quoted(fallback)],
            ("@" | "*", None) => Vec::new(),
            (_, None) => vec![UNKNOWN.to_string()],
        }
    }
}

pub(super) fn truncate(text: &mut String) {
    if text.len() > WORD_CHARS_MAX {
        let end = (0..=WORD_CHARS_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
}

/// Adds the fields of an expansion: the first continues the word, the last is continued by it.
pub(super) fn push_fields(
    values: &[String],
    fields: &mut Vec<String>,
    current: &mut String,
    is_open: &mut bool,
) {
    for (at, value) in values.iter().take(WORDS_MAX).enumerate() {
        if at > 0 {
            fields.push(std::mem::take(current));
        }
        current.push_str(value);
        *is_open = true;
    }
}

/// Expands the braces of a field.
pub(super) fn braces(field: &str) -> Vec<String> {
    let mut open = vec![field.to_owned()];
    let mut done = Vec::new();
    while let Some(field) = open.pop() {
        let group = field.rfind(OPEN).and_then(|from| {
            let to = from + field[from..].find(CLOSE)?;
            field[from..to].contains(COMMA).then_some((from, to))
        });
        match group {
            Some((from, to)) if open.len() + done.len() < VALUES_MAX && field.len() <= BRACED_CHARS_MAX => {
                let inner = &field[from + OPEN.len_utf8()..to];
                for part in inner.split(COMMA).rev() {
                    open.push(format!("{}{part}{}", &field[..from], &field[to + CLOSE.len_utf8()..]));
                }
            }
            Some(_) | None => done.push(field),
        }
    }
    let plain = |field: String| {
        field
            .chars()
            .map(|char| match char {
                OPEN => '{',
                COMMA => ',',
                CLOSE => '}',
                other => other,
            })
            .collect()
    };
    done.into_iter().map(plain).collect()
}
