//! Changes to code whose outcome is known because they were made here: every line remembers where it came from.

use ken_anchors::Language;

use super::corpus::{Function, Source};
use super::dice::Dice;
use super::scan::{self, Byte};

/// What is done to a function or its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mutation {
    RenameFile,
    RenameSymbol,
    Reformat,
    /// By the formatter itself, to another width.
    Rustfmt,
    MoveWithin,
    MoveBetween,
    Comments,
    Unrelated,
    Rewrite,
    Signature,
    Delete,
    DeleteFile,
}

impl Mutation {
    pub(super) const ALL: [Mutation; 12] = [
        Mutation::RenameFile,
        Mutation::RenameSymbol,
        Mutation::Reformat,
        Mutation::Rustfmt,
        Mutation::MoveWithin,
        Mutation::MoveBetween,
        Mutation::Comments,
        Mutation::Unrelated,
        Mutation::Rewrite,
        Mutation::Signature,
        Mutation::Delete,
        Mutation::DeleteFile,
    ];

    pub(super) fn word(self) -> &'static str {
        match self {
            Mutation::RenameFile => "file renamed",
            Mutation::RenameSymbol => "symbol renamed",
            Mutation::Reformat => "reformatted",
            Mutation::Rustfmt => "rustfmt, other width",
            Mutation::MoveWithin => "moved within its file",
            Mutation::MoveBetween => "moved to another file",
            Mutation::Comments => "comments added",
            Mutation::Unrelated => "function added before",
            Mutation::Rewrite => "body rewritten",
            Mutation::Signature => "signature changed",
            Mutation::Delete => "deleted",
            Mutation::DeleteFile => "file deleted",
        }
    }
}

/// What happened to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    None,
    /// Only the name of the function was exchanged in it.
    Renamed,
    Edited,
}

#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) text: String,
    /// File and line it came from; none if it was put in.
    from: Option<(usize, u32)>,
    change: Change,
    /// It has code on it.
    code: bool,
    /// It was put into a function.
    within: bool,
}

/// A file while it is changed.
#[derive(Clone, Debug)]
pub(super) struct Doc {
    pub(super) path: String,
    pub(super) lines: Vec<Line>,
}

impl Doc {
    fn new(source: &Source, number: usize) -> Doc {
        let scanned = scan::lines(source.language, &source.text);
        let lines = source.text.split('\n').zip(&scanned).zip(1..).map(|((text, scanned), line)| Line {
            text: text.to_owned(),
            from: Some((number, line)),
            change: Change::None,
            code: scanned.code && !text.trim().is_empty(),
            within: false,
        });
        Doc { path: source.path.clone(), lines: lines.collect() }
    }

    pub(super) fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        lines.join("\n")
    }
}

/// Two files and a function, while they are changed.
pub(super) struct World<'a> {
    language: Option<Language>,
    function: &'a Function,
    others: &'a [Function],
    /// The file of the function, unless it was deleted, and one to which it may be moved.
    pub(super) home: Option<Doc>,
    pub(super) target: Doc,
    /// The function's name now.
    pub(super) name: String,
    /// The width to which the file is formatted in the end.
    pub(super) width: Option<usize>,
    code: Vec<bool>,
}

/// What became of lines, by construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Same {
        path: String,
        lines: (u32, u32),
    },
    Changed,
    Gone,
    /// Both answers are right.
    Open,
}

impl<'a> World<'a> {
    pub(super) fn new(source: &'a Source, target: &Source, function: &'a Function) -> World<'a> {
        let home = Doc::new(source, 0);
        let code = home.lines.iter().map(|line| line.code).collect();
        World {
            language: source.language,
            function,
            others: &source.functions,
            home: Some(home),
            target: Doc::new(target, 1),
            name: function.name.clone(),
            width: None,
            code,
        }
    }

    /// Changes the files. None if this cannot be done to this function.
    pub(super) fn apply(&mut self, mutation: Mutation, dice: &mut Dice) -> Option<()> {
        match mutation {
            Mutation::RenameFile => self.rename_file(dice),
            Mutation::RenameSymbol => self.rename_symbol(dice),
            Mutation::Reformat => self.reformat(dice),
            Mutation::Rustfmt => {
                let widths = [60, 80, 140];
                self.width = dice.pick(&widths).copied().filter(|_| self.language == Some(Language::Rust));
                self.width.map(|_| ())
            }
            Mutation::MoveWithin => self.move_within(dice),
            Mutation::MoveBetween => self.move_between(dice),
            Mutation::Comments => self.comments(dice),
            Mutation::Unrelated => self.unrelated(dice),
            Mutation::Rewrite => self.rewrite(dice),
            Mutation::Signature => self.signature(),
            Mutation::Delete => self.delete(),
            Mutation::DeleteFile => self.home.take().map(|_| ()),
        }
    }

    /// What became of the code of some lines of the function's file.
    pub(super) fn lines(&self, lines: (u32, u32), own: bool) -> Truth {
        let wanted: Vec<u32> = (lines.0..=lines.1).filter(|line| self.code[*line as usize - 1]).collect();
        let mut found: Vec<(&Doc, usize, u32)> = Vec::new();
        for doc in self.docs() {
            for (at, line) in doc.lines.iter().enumerate() {
                if let Some((0, number)) = line.from
                    && wanted.contains(&number)
                {
                    found.push((doc, at, number));
                }
            }
        }
        let Some((doc, first, _)) = found.first().copied() else { return Truth::Gone };
        let (_, last, _) = found.last().copied().unwrap_or((doc, first, 0));
        let mut numbers: Vec<u32> = found.iter().map(|(_, _, number)| *number).collect();
        numbers.dedup();
        let apart = found.iter().any(|(other, _, _)| other.path != doc.path);
        if numbers != wanted || apart {
            return Truth::Changed;
        }
        let mut open = false;
        for line in &doc.lines[first..=last] {
            let ours = line.from.is_some_and(|(file, number)| file == 0 && wanted.contains(&number));
            match line.change {
                Change::Edited => return Truth::Changed,
                Change::Renamed => open |= ours && !own,
                Change::None => {}
            }
            if line.code && !ours {
                return Truth::Changed;
            }
        }
        if open {
            return Truth::Open;
        }
        Truth::Same { path: doc.path.clone(), lines: (first as u32 + 1, last as u32 + 1) }
    }

    /// What became of all that is in a file or a type: what is added between is no change.
    pub(super) fn holder(&self, lines: (u32, u32)) -> Truth {
        let Some(home) = &self.home else { return Truth::Gone };
        let mut left: Vec<bool> = vec![false; self.code.len()];
        let mut open = false;
        let spans = |number: u32| lines.0 <= number && number <= lines.1;
        let ours: Vec<usize> = (0..home.lines.len())
            .filter(|at| home.lines[*at].from.is_some_and(|(file, number)| file == 0 && spans(number)))
            .collect();
        let (Some(first), Some(last)) = (ours.first(), ours.last()) else { return Truth::Gone };
        for line in &home.lines[*first..=*last] {
            match line.change {
                Change::Edited => return Truth::Changed,
                Change::Renamed => open = true,
                Change::None => {}
            }
            if line.code && line.within {
                return Truth::Changed;
            }
            if let Some((0, number)) = line.from {
                left[number as usize - 1] = true;
            }
        }
        let whole =
            (lines.0..=lines.1).all(|number| !self.code[number as usize - 1] || left[number as usize - 1]);
        match (whole, open) {
            (false, _) => Truth::Changed,
            (true, true) => Truth::Open,
            (true, false) => {
                Truth::Same { path: home.path.clone(), lines: (*first as u32 + 1, *last as u32 + 1) }
            }
        }
    }

    fn docs(&self) -> impl Iterator<Item = &Doc> {
        self.home.iter().chain([&self.target])
    }

    fn doc_mut(&mut self, at_home: bool) -> Option<&mut Doc> {
        if at_home { self.home.as_mut() } else { Some(&mut self.target) }
    }

    /// Where the function is now, with the comments before it.
    fn block(&self) -> Option<(bool, usize, usize)> {
        let home = self.home.as_ref().and_then(|home| block_in(home, self.function, self.language));
        let target = || block_in(&self.target, self.function, self.language);
        home.map(|(from, to)| (true, from, to)).or_else(|| target().map(|(from, to)| (false, from, to)))
    }

    fn scanned(&self, at_home: bool) -> Vec<scan::Line> {
        let text =
            if at_home { self.home.as_ref().map(Doc::text).unwrap_or_default() } else { self.target.text() };
        scan::lines(self.language, &text)
    }

    fn rename_file(&mut self, dice: &mut Dice) -> Option<()> {
        let home = self.home.as_mut()?;
        let (folder, name) = home.path.rsplit_once('/').unwrap_or(("", &home.path));
        let (stem, ending) = name
            .rsplit_once('.')
            .map_or((name, String::new()), |(stem, ending)| (stem, format!(".{ending}")));
        home.path = match dice.below(3) {
            0 => format!("{folder}/moved/{name}"),
            1 => format!("{folder}/{stem}_renamed{ending}"),
            _ => format!("elsewhere/{stem}_two{ending}"),
        };
        home.path = home.path.trim_start_matches('/').to_owned();
        Some(())
    }

    fn rename_symbol(&mut self, dice: &mut Dice) -> Option<()> {
        let (at_home, from, to) = self.block()?;
        let language = self.language;
        let old = self.name.rsplit('.').next()?.to_owned();
        let new = match language {
            None => format!("{old} once more"),
            Some(_) => [format!("{old}_now"), format!("renamed{}", dice.below(1000)), format!("{old}2")]
                [dice.below(3)]
            .clone(),
        };
        let scanned = self.scanned(at_home);
        let doc = self.doc_mut(at_home)?;
        if language.is_none() {
            let heading = doc.lines[from..=to].iter_mut().find(|line| line.text.starts_with('#'))?;
            heading.text = heading.text.replace(&old, &new);
            heading.change = Change::Renamed;
        } else {
            for (line, scanned) in doc.lines.iter_mut().zip(&scanned) {
                let places: Vec<usize> =
                    words_in(&line.text, &old).filter(|at| scanned.bytes[*at] == Byte::Code).collect();
                for at in places.iter().rev() {
                    line.text.replace_range(*at..*at + old.len(), &new);
                    if line.change == Change::None {
                        line.change = Change::Renamed;
                    }
                }
            }
        }
        self.name = match self.name.rsplit_once('.') {
            Some((around, _)) if language.is_some() => format!("{around}.{new}"),
            _ => new,
        };
        Some(())
    }

    fn reformat(&mut self, dice: &mut Dice) -> Option<()> {
        let (at_home, from, to) = self.block()?;
        let scanned = self.scanned(at_home);
        let language = self.language;
        let base = {
            let doc = self.doc_mut(at_home)?;
            let first = doc.lines[from..=to].iter().find(|line| line.code)?;
            indent(&first.text)
        };
        let doc = self.doc_mut(at_home)?;
        // Documents inside of a script keep their lines as they are.
        let heredoc = matches!(language, Some(Language::Shell | Language::Ruby)) && doc.text().contains("<<");
        let style = dice.below(3);
        let mut lines: Vec<Line> = Vec::new();
        for (at, line) in doc.lines.iter().enumerate() {
            let known = &scanned[at];
            if at < from || at > to || known.frozen || heredoc || line.text.trim().is_empty() {
                lines.push(line.clone());
                continue;
            }
            let mut line = line.clone();
            let mut bytes = known.bytes.clone();
            if !known.goes_on && language.is_some() && dice.one_in(3) {
                spread(&mut line.text, &mut bytes, dice);
            }
            let own = indent(&line.text);
            let wanted = match (language, style) {
                (None, _) => own,
                (Some(_), 0) => base + own.saturating_sub(base) * 2,
                (Some(Language::Python), _) => own,
                (Some(_), 1) => base + own.saturating_sub(base) / 2,
                (Some(_), _) => own,
            };
            let width = line.text.len() - line.text.trim_start().len();
            let blanks = " ".repeat(wanted);
            bytes.splice(..width, std::iter::repeat_n(Byte::Code, wanted));
            line.text.replace_range(..width, &blanks);
            if at > from && language.is_some() && dice.one_in(6) {
                lines.push(put_in(String::new(), false, true));
            }
            let pieces = match language {
                None => broken_prose(&line.text, dice),
                Some(_) if known.goes_on || !line.code => vec![line.text.clone()],
                Some(language) => broken(language, &line.text, &bytes, wanted, dice),
            };
            for text in pieces {
                lines.push(Line { text, ..line.clone() });
            }
        }
        doc.lines = lines;
        Some(())
    }

    fn heading_level(&self, section: &Function) -> usize {
        let line = self
            .home
            .iter()
            .flat_map(|home| &home.lines)
            .find(|line| line.from == Some((0, section.lines.0)));
        line.map_or(0, |line| line.text.len() - line.text.trim_start_matches('#').len())
    }

    fn move_within(&mut self, dice: &mut Dice) -> Option<()> {
        let (at_home, from, to) = self.block().filter(|(at_home, _, _)| *at_home)?;
        let language = self.language;
        let siblings: Vec<&Function> = self
            .others
            .iter()
            .filter(|other| {
                let same = match (&other.around, &self.function.around) {
                    (Some(a), Some(b)) => a == b,
                    (None, None) => {
                        other.name.contains('.') == self.function.name.contains('.')
                            && !other.name.contains('.')
                    }
                    _ => false,
                };
                let level = |function: &Function| match self.language {
                    Some(_) => 0,
                    None => self.heading_level(function),
                };
                same && other.lines != self.function.lines && level(other) == level(self.function)
            })
            .collect();
        let sibling = *dice.pick(&siblings)?;
        let doc = self.doc_mut(at_home)?;
        let (next, _) = block_in(doc, sibling, language)?;
        if next == to + 1 || (to + 1..next).all(|at| doc.lines[at].text.trim().is_empty()) && next > to {
            return None;
        }
        let mut block: Vec<Line> = doc.lines.drain(from..=to).collect();
        block.push(put_in(String::new(), false, false));
        let (next, _) = block_in(doc, sibling, language)?;
        doc.lines.splice(next..next, block);
        Some(())
    }

    fn move_between(&mut self, dice: &mut Dice) -> Option<()> {
        let (_, from, to) = self.block().filter(|(at_home, _, _)| *at_home)?;
        let last = self.function.name.rsplit('.').next()?.to_owned();
        let name = self.name.rsplit('.').next()?.to_owned();
        if self.function.name.contains('.') && self.language.is_some() {
            return None;
        }
        let text = self.target.text();
        if [&last, &name].iter().any(|name| words_in(&text, name).next().is_some()) {
            return None;
        }
        let block: Vec<Line> = self.home.as_mut()?.lines.drain(from..=to).collect();
        if self.language.is_none() || dice.one_in(2) {
            self.target.lines.push(put_in(String::new(), false, false));
            self.target.lines.extend(block);
            self.target.lines.push(put_in(String::new(), false, false));
        } else {
            let scanned = self.scanned(false);
            // Before the first line that begins at the margin, with nothing open, after a blank one.
            let lines = &self.target.lines;
            let free = |at: &usize| {
                let at = *at;
                at > 0
                    && lines[at - 1].text.trim().is_empty()
                    && lines[at].code
                    && indent(&lines[at].text) == 0
                    && !lines[at].text.starts_with([')', ']', '}'])
                    && scanned[at].depth == 0
                    && !scanned[at].frozen
            };
            let places: Vec<usize> = (lines.len() / 2..lines.len()).filter(free).collect();
            let at = dice.pick(&places).copied()?;
            self.target.lines.splice(at..at, block.into_iter().chain([put_in(String::new(), false, false)]));
        }
        Some(())
    }

    fn comments(&mut self, dice: &mut Dice) -> Option<()> {
        self.language?;
        let mark = scan::comment(self.language);
        let (at_home, from, to) = self.block()?;
        let scanned = self.scanned(at_home);
        let heredoc = matches!(self.language, Some(Language::Shell | Language::Ruby));
        let doc = self.doc_mut(at_home)?;
        if heredoc && doc.text().contains("<<") {
            return None;
        }
        let mut lines: Vec<Line> = Vec::new();
        for (at, line) in doc.lines.iter().enumerate() {
            let inside = from <= at && at <= to && line.code;
            if inside && !scanned[at].frozen && dice.one_in(4) {
                let blanks = " ".repeat(indent(&line.text));
                let words = [
                    "why this is so",
                    "see the notes",
                    "TODO when asked: (look at `this`)",
                    "it's a \"quote\"",
                ];
                let words = words[dice.below(words.len())];
                lines.push(put_in(format!("{blanks}{mark} {words}"), false, true));
            }
            let mut line = line.clone();
            if inside && !scanned[at].goes_on && !line.text.trim_end().ends_with('\\') && dice.one_in(8) {
                line.text.push_str(&format!("  {mark} said so"));
            }
            lines.push(line);
        }
        doc.lines = lines;
        Some(())
    }

    fn unrelated(&mut self, dice: &mut Dice) -> Option<()> {
        let (at_home, from, _) = self.block()?;
        let number = dice.below(100_000);
        let nested = self.function.name.contains('.');
        let method = self.function.around.is_some();
        let language = self.language;
        if nested && !method {
            return None;
        }
        let doc = self.doc_mut(at_home)?;
        let first = doc.lines[from..].iter().find(|line| line.code)?;
        let blanks = " ".repeat(indent(&first.text));
        let text = match language {
            None => {
                format!("## Something else {number}\n\nWords about {number} that were not here before.\n")
            }
            Some(Language::Rust) if method => {
                format!("fn other{number}(&self) -> u32 {{\n    {number} + 1\n}}\n")
            }
            Some(Language::Rust) => {
                format!("fn other{number}(first: u32) -> u32 {{\n    first + {number}\n}}\n")
            }
            Some(Language::Python) if method => {
                format!("def other{number}(self):\n    return {number} + 1\n")
            }
            Some(Language::Python) => format!("def other{number}(first):\n    return first + {number}\n"),
            Some(Language::TypeScript | Language::JavaScript) if method => {
                format!("other{number}(first) {{\n  return first + {number};\n}}\n")
            }
            Some(Language::TypeScript | Language::JavaScript) => {
                format!("function other{number}(first) {{\n  return first + {number};\n}}\n")
            }
            Some(Language::Go) => {
                format!("func other{number}(first int) int {{\n\treturn first + {number}\n}}\n")
            }
            Some(Language::Java | Language::C | Language::Cpp) => {
                format!("static int other{number}(int first) {{\n    return first + {number};\n}}\n")
            }
            Some(Language::Ruby) => format!("def other{number}(first)\n  first + {number}\nend\n"),
            Some(Language::Shell) => format!("other{number}() {{\n    echo \"$1 {number}\"\n}}\n"),
        };
        let lines = text.split('\n').map(|line| match line.is_empty() {
            true => put_in(String::new(), false, false),
            false => put_in(format!("{blanks}{line}"), true, false),
        });
        doc.lines.splice(from..from, lines);
        Some(())
    }

    fn rewrite(&mut self, dice: &mut Dice) -> Option<()> {
        let mut ways = [0, 1, 2, 3, 4, 5, 6];
        dice.shuffle(&mut ways);
        ways.into_iter().find_map(|way| match way {
            0 => self.other_number(dice),
            1 => self.other_word(dice),
            2 => self.statement_less(dice),
            3 => self.statement_more(dice),
            4 => self.other_body(),
            5 => self.other_end(dice),
            _ => self.other_sense(dice),
        })
    }

    /// Lines of the body that can be worked on: the whole ones after the head.
    fn body(&self) -> Option<(bool, Vec<usize>, Vec<scan::Line>)> {
        let (at_home, from, to) = self.block()?;
        let scanned = self.scanned(at_home);
        let doc = if at_home { self.home.as_ref()? } else { &self.target };
        let first = (from..=to).find(|at| doc.lines[*at].code)?;
        let head = match self.language {
            None => first,
            Some(Language::Python) => (first..=to).find(|at| {
                let open = scanned.get(at + 1).map_or(0, |next| next.depth) > scanned[first].depth;
                let text = doc.lines[*at].text.trim_start();
                !open
                    && !text.starts_with('@')
                    && code_end(&doc.lines[*at].text, &scanned[*at]).ends_with(':')
            })?,
            Some(Language::Ruby) => first,
            Some(_) => {
                let opens = |at: &usize| code_end(&doc.lines[*at].text, &scanned[*at]).ends_with('{');
                (first..=to).find(opens)?
            }
        };
        let last = match self.language {
            None | Some(Language::Python) => to,
            Some(_) => to.checked_sub(1)?,
        };
        Some((at_home, (head + 1..=last).filter(|at| doc.lines[*at].code).collect(), scanned))
    }

    fn other_number(&mut self, dice: &mut Dice) -> Option<()> {
        let (at_home, body, scanned) = self.body()?;
        let doc = self.doc_mut(at_home)?;
        let mut places = Vec::new();
        for at in body {
            let text = doc.lines[at].text.as_bytes();
            for (column, byte) in text.iter().enumerate() {
                let alone = |neighbour: Option<&u8>| {
                    neighbour.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"_.$'".contains(byte))
                };
                let before = column.checked_sub(1).and_then(|before| text.get(before));
                if byte.is_ascii_digit()
                    && scanned[at].bytes.get(column) == Some(&Byte::Code)
                    && alone(before)
                    && alone(text.get(column + 1))
                {
                    places.push((at, column));
                }
            }
        }
        let (at, column) = *dice.pick(&places)?;
        doc.lines[at].text.insert(column + 1, '7');
        doc.lines[at].change = Change::Edited;
        Some(())
    }

    fn other_word(&mut self, dice: &mut Dice) -> Option<()> {
        let (at_home, body, scanned) = self.body()?;
        let own = self.name.rsplit('.').next()?.to_owned();
        let language = self.language;
        let doc = self.doc_mut(at_home)?;
        let mut places = Vec::new();
        for at in body {
            for (column, word) in all_words(&doc.lines[at].text) {
                let after = doc.lines[at].text[column + word.len()..].chars().next();
                let counts = language.is_none() || matches!(after, Some('(' | '.' | '['));
                let code = scanned[at].bytes.get(column) == Some(&Byte::Code);
                let plain = word.len() >= 4 && word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
                let keyword = [
                    "return", "while", "match", "switch", "self", "super", "this", "await", "elif",
                    "function", "sizeof", "catch", "else", "yield", "case", "then", "typeof", "lambda",
                    "print", "assert",
                ];
                if counts && code && plain && word != own && !keyword.contains(&word) {
                    places.push((at, column + word.len()));
                }
            }
        }
        let (at, end) = *dice.pick(&places)?;
        doc.lines[at].text.insert_str(end, "_other");
        doc.lines[at].change = Change::Edited;
        Some(())
    }

    /// Lines that are one whole statement.
    fn statements(&self, body: &[usize], scanned: &[scan::Line], doc: &Doc) -> Vec<usize> {
        let whole = |at: &&usize| {
            let at = **at;
            let text = code_end(&doc.lines[at].text, &scanned[at]);
            let level = scanned.get(at + 1).is_some_and(|next| next.depth == scanned[at].depth);
            let ends = match self.language {
                None => true,
                Some(Language::Python | Language::Ruby | Language::Shell) => {
                    !text.ends_with([':', ',', '\\', '|', '&', '(', '{', ';'])
                        && !text.trim_start().starts_with(['@', ')', ']', '}'])
                        && (self.language != Some(Language::Python) || scanned[at].depth == 0)
                }
                Some(_) => text.ends_with(';') && !text.trim_start().starts_with('}'),
            };
            let simple = match self.language {
                Some(Language::Shell) => text.trim_start().split(' ').next().is_some_and(|word| {
                    ![
                        "if", "then", "fi", "do", "done", "else", "elif", "case", "esac", "for", "while",
                        "until", "}",
                    ]
                    .contains(&word)
                        && !text.ends_with(')')
                }),
                _ => true,
            };
            level && ends && simple && !scanned[at].frozen && !scanned[at].goes_on
        };
        let mut found: Vec<usize> = body.iter().filter(whole).copied().collect();
        // The line before has to end as well.
        if !matches!(self.language, None | Some(Language::Python | Language::Ruby | Language::Shell)) {
            found.retain(|at| {
                let before = (0..*at).rev().find(|before| doc.lines[*before].code);
                before.is_some_and(|before| {
                    code_end(&doc.lines[before].text, &scanned[before]).ends_with([';', '{', '}'])
                })
            });
        }
        found
    }

    fn statement_less(&mut self, dice: &mut Dice) -> Option<()> {
        let (at_home, body, scanned) = self.body()?;
        if body.len() < 3 {
            return None;
        }
        let doc = if at_home { self.home.as_ref()? } else { &self.target };
        let statements = self.statements(&body, &scanned, doc);
        let at = *dice.pick(&statements)?;
        self.doc_mut(at_home)?.lines.remove(at);
        Some(())
    }

    fn statement_more(&mut self, dice: &mut Dice) -> Option<()> {
        let (at_home, body, scanned) = self.body()?;
        let doc = if at_home { self.home.as_ref()? } else { &self.target };
        let statements = self.statements(&body, &scanned, doc);
        let at = *dice.pick(&statements)?;
        let number = dice.below(100_000);
        let text = match self.language {
            None => format!("And {number} more words about it."),
            Some(Language::Rust) => format!("let _more = {number};"),
            Some(Language::Python | Language::Ruby) => format!("more = {number}"),
            Some(Language::Shell) => format!("more={number}"),
            Some(Language::Go) => format!("_ = {number}"),
            Some(_) => format!("more({number});"),
        };
        let blanks = " ".repeat(indent(&doc.lines[at].text));
        // Before it: a statement after a `return` would be fine as well, but a label has to stay where it is.
        self.doc_mut(at_home)?.lines.insert(at, put_in(format!("{blanks}{text}"), true, true));
        Some(())
    }

    /// A statement that goes on where it ended.
    fn other_end(&mut self, dice: &mut Dice) -> Option<()> {
        let (at_home, body, scanned) = self.body()?;
        let language = self.language;
        let doc = if at_home { self.home.as_ref()? } else { &self.target };
        let mut statements = self.statements(&body, &scanned, doc);
        statements.retain(|at| {
            let text = code_end(&doc.lines[*at].text, &scanned[*at]);
            match language {
                None => text.ends_with(char::is_alphanumeric),
                Some(Language::Shell) => true,
                Some(_) => text.trim_end_matches(';').ends_with(')'),
            }
        });
        let at = *dice.pick(&statements)?;
        let end = code_end(&doc.lines[at].text, &scanned[at]).trim_end_matches(';').len();
        let more = match language {
            None => " and so on",
            Some(Language::Shell) => " --more",
            Some(_) if dice.one_in(2) => ".other()",
            Some(_) => " + other",
        };
        let line = &mut self.doc_mut(at_home)?.lines[at];
        line.text.insert_str(end, more);
        line.change = Change::Edited;
        Some(())
    }

    fn other_body(&mut self) -> Option<()> {
        let (at_home, body, _) = self.body()?;
        let language = self.language;
        let doc = self.doc_mut(at_home)?;
        let (first, last) = (*body.first()?, *body.last()?);
        let blanks = " ".repeat(indent(&doc.lines[first].text));
        let text = match language {
            None => "Everything is different now, and nobody remembers\nwhat was said here before.",
            Some(Language::Rust) => "let outcome = compute_differently();\nlog_it(&outcome);\noutcome.into()",
            Some(Language::Python | Language::Ruby) => {
                "outcome = compute_differently()\nlog_it(outcome)\nreturn outcome"
            }
            Some(Language::Shell) => "outcome=$(compute_differently)\nlog_it \"$outcome\"",
            Some(Language::Go) => "outcome := computeDifferently()\nlogIt(outcome)\nreturn outcome",
            Some(_) => "int_t outcome = compute_differently();\nlog_it(outcome);\nreturn outcome;",
        };
        let text = match language {
            Some(Language::JavaScript | Language::TypeScript) => text.replace("int_t ", "let "),
            _ => text.to_owned(),
        };
        let lines = text.split('\n').map(|line| put_in(format!("{blanks}{line}"), true, true));
        doc.lines.splice(first..=last, lines.collect::<Vec<_>>());
        Some(())
    }

    fn other_sense(&mut self, dice: &mut Dice) -> Option<()> {
        self.language?;
        let (at_home, body, scanned) = self.body()?;
        let doc = self.doc_mut(at_home)?;
        let mut places = Vec::new();
        for at in body {
            for (from, to) in [
                (" == ", " != "),
                (" != ", " == "),
                (" < ", " > "),
                (" + ", " - "),
                ("&&", "||"),
                (" and ", " or "),
                (" is not ", " is "),
            ] {
                for (column, _) in doc.lines[at].text.match_indices(from) {
                    if scanned[at].bytes[column..column + from.len()].iter().all(|byte| *byte == Byte::Code) {
                        places.push((at, column, from.len(), to));
                    }
                }
            }
        }
        let (at, column, length, to) = *dice.pick(&places)?;
        doc.lines[at].text.replace_range(column..column + length, to);
        doc.lines[at].change = Change::Edited;
        Some(())
    }

    fn signature(&mut self) -> Option<()> {
        let (at_home, from, to) = self.block()?;
        let scanned = self.scanned(at_home);
        let name = self.name.rsplit('.').next()?.to_owned();
        let language = self.language?;
        let extra = match language {
            Language::Rust => "extra: u32",
            Language::Go => "extra int",
            Language::C | Language::Cpp | Language::Java => "int extra",
            Language::Python | Language::Ruby | Language::TypeScript | Language::JavaScript => "extra",
            Language::Shell => return None,
        };
        let doc = self.doc_mut(at_home)?;
        let at = (from..=to).find(|at| {
            let line = &doc.lines[*at];
            line.code && words_in(&line.text, &name).any(|column| scanned[*at].bytes[column] == Byte::Code)
        })?;
        let text = &doc.lines[at].text;
        let column = words_in(text, &name).next()?;
        let open = column + text[column..].find('(')? + 1;
        let rest = text[open..].to_owned();
        let own =
            ["&mut self", "&self", "mut self", "self", "cls"].into_iter().find(|own| rest.starts_with(own));
        let (at_column, put) = match own {
            Some(own) => (open + own.len(), format!(", {extra}")),
            None if rest.starts_with("void)") => {
                doc.lines[at].text.replace_range(open..open + 4, extra);
                doc.lines[at].change = Change::Edited;
                return Some(());
            }
            None if rest.trim_start().starts_with(')') => (open, extra.to_owned()),
            None => (open, format!("{extra}, ")),
        };
        doc.lines[at].text.insert_str(at_column, &put);
        doc.lines[at].change = Change::Edited;
        Some(())
    }

    fn delete(&mut self) -> Option<()> {
        let (at_home, from, to) = self.block()?;
        if let Some((_, lines)) = &self.function.around {
            let inside =
                self.others.iter().filter(|other| lines.0 <= other.lines.0 && other.lines.1 <= lines.1);
            if inside.count() < 2 {
                return None;
            }
        }
        self.doc_mut(at_home)?.lines.drain(from..=to);
        Some(())
    }
}

fn put_in(text: String, code: bool, within: bool) -> Line {
    Line { text, from: None, change: Change::None, code, within }
}

/// The lines of a function in a file, with the comments that stand right before it.
fn block_in(doc: &Doc, function: &Function, language: Option<Language>) -> Option<(usize, usize)> {
    let ours = |line: &Line| {
        line.from.is_some_and(|(file, number)| {
            file == 0 && function.lines.0 <= number && number <= function.lines.1
        })
    };
    let mut from = doc.lines.iter().position(ours)?;
    let to = doc.lines.iter().rposition(ours)?;
    let mark = scan::comment(language);
    let comment = |line: &Line| {
        let text = line.text.trim_start();
        !mark.is_empty() && text.starts_with(mark) && !text.starts_with("#!")
    };
    while from > 0 && comment(&doc.lines[from - 1]) && !doc.lines[from - 1].code {
        from -= 1;
    }
    Some((from, to))
}

fn indent(text: &str) -> usize {
    let lead = &text[..text.len() - text.trim_start().len()];
    lead.chars().map(|c| if c == '\t' { 8 } else { 1 }).sum()
}

/// A line without the comment at its end.
fn code_end<'l>(text: &'l str, scanned: &scan::Line) -> &'l str {
    let end = scanned.bytes.iter().position(|byte| *byte == Byte::Comment).unwrap_or(text.len());
    text.get(..end.min(text.len())).unwrap_or(text).trim_end()
}

/// Twice the space, where there is some between two tokens.
fn spread(text: &mut String, bytes: &mut Vec<Byte>, dice: &mut Dice) {
    let lead = text.len() - text.trim_start().len();
    let places: Vec<usize> = text
        .bytes()
        .enumerate()
        .filter(|(at, byte)| {
            *at > lead && *byte == b' ' && bytes[*at] == Byte::Code && bytes[at - 1] == Byte::Code
        })
        .map(|(at, _)| at)
        .collect();
    for at in places.into_iter().rev() {
        if dice.one_in(2) {
            text.insert(at, ' ');
            bytes.insert(at, Byte::Code);
        }
    }
}

/// A line of prose in two, where the second would not look like something else.
fn broken_prose(text: &str, dice: &mut Dice) -> Vec<String> {
    let plain =
        text.starts_with(|c: char| c.is_alphabetic()) && !text.contains(['|', '`']) && !text.contains("  ");
    let places: Vec<usize> = text
        .match_indices(' ')
        .map(|(at, _)| at)
        .filter(|at| text[at + 1..].starts_with(|c: char| c.is_alphabetic()))
        .collect();
    match dice.pick(&places) {
        Some(at) if plain => vec![text[..*at].to_owned(), text[at + 1..].to_owned()],
        _ => vec![text.to_owned()],
    }
}

/// A line in several: arguments below each other, or the brace on a line of its own.
fn broken(language: Language, text: &str, bytes: &[Byte], indent: usize, dice: &mut Dice) -> Vec<String> {
    let whole = vec![text.to_owned()];
    let blanks = " ".repeat(indent);
    let begins = |words: &[&str]| words.iter().any(|word| text.trim_start().starts_with(word));
    let brace = match language {
        Language::Rust => begins(&["fn ", "pub fn ", "if ", "for ", "impl", "} else"]),
        Language::C | Language::Cpp | Language::Java => {
            begins(&["if ", "for ", "while ", "} else", "static ", "int ", "void "])
        }
        Language::JavaScript | Language::TypeScript => {
            begins(&["if ", "for ", "while ", "function ", "} else"])
        }
        Language::Python | Language::Go | Language::Ruby | Language::Shell => false,
    };
    if brace && text.ends_with(" {") && bytes.last() == Some(&Byte::Code) && dice.one_in(2) {
        return vec![text[..text.len() - 2].to_owned(), format!("{blanks}{{")];
    }
    if matches!(language, Language::Shell | Language::Ruby) || !dice.one_in(2) {
        return whole;
    }
    let code = |at: usize| bytes.get(at) == Some(&Byte::Code);
    let raw = text.as_bytes();
    let Some(open) = (0..raw.len()).find(|at| {
        raw[*at] == b'('
            && code(*at)
            && *at > 0
            && (raw[at - 1].is_ascii_alphanumeric() || raw[at - 1] == b'_')
    }) else {
        return whole;
    };
    let (mut depth, mut commas, mut close) = (0, Vec::new(), None);
    for at in (open..raw.len()).filter(|at| code(*at)) {
        match raw[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    close = Some(at);
                    break;
                }
            }
            b',' if depth == 1 => commas.push(at),
            b';' => return whole,
            _ => {}
        }
    }
    let Some(close) = close.filter(|_| !commas.is_empty()) else { return whole };
    let inner = &text[open + 1..close];
    // A closure or a generator has commas of its own.
    let odd = inner.contains(['|', '\'', '<', '*'])
        || inner.contains(" for ")
        || inner.contains("lambda")
        || inner.contains("..");
    if odd || inner.trim().ends_with(',') {
        return whole;
    }
    let mut pieces = vec![text[..=open].to_owned()];
    let mut from = open + 1;
    for comma in commas {
        pieces.push(format!("{blanks}    {}", text[from..=comma].trim_start()));
        from = comma + 1;
    }
    let trailing =
        matches!(language, Language::Rust | Language::Python | Language::JavaScript | Language::TypeScript)
            && dice.one_in(2);
    pieces.push(format!("{blanks}    {}{}", text[from..close].trim(), if trailing { "," } else { "" }));
    pieces.push(format!("{blanks}{}", &text[close..]));
    pieces
}

/// Where a word stands by itself.
pub(super) fn words_in<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .filter(move |(at, _)| {
            !text[..*at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
        })
        .map(|(at, _)| at)
}

fn all_words(text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_word = c.is_alphanumeric() || c == '_';
        match (from, is_word) {
            (None, true) => from = Some(at),
            (Some(start), false) => {
                words.push((start, &text[start..at]));
                from = None;
            }
            _ => {}
        }
    }
    words
}
