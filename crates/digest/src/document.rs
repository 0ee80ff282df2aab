//! Markdown as passages: the words of each paragraph, item and row, with the line of every word and the headings above.

use pulldown_cmark::{BlockQuoteKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::limits::{CELLS_MAX, HEADING_BYTES_MAX};

/// Words that belong together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passage {
    /// The words, without markup and on one line.
    pub text: String,
    /// From which byte of the text on which line of the source counts.
    pub(crate) lines: Vec<(usize, u32)>,
    /// The parts of the text that are code, in bytes.
    pub code: Vec<(usize, usize)>,
    /// What it is.
    pub shape: Shape,
    /// The headings above, outermost first.
    pub headings: Vec<String>,
    /// The paragraph that introduces the list this is an item of.
    pub lead: Option<String>,
}

/// What a passage is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    #[default]
    Paragraph,
    /// One point of a list.
    Item,
    /// A point with a box to tick.
    Box,
    /// A row of a table: the titles of its columns and its cells.
    Row(Vec<(String, String)>),
}

impl Passage {
    /// The first and last line of some bytes of the text.
    pub fn lines(&self, from: usize, to: usize) -> (u32, u32) {
        let at = |byte: usize| {
            let found = self.lines.partition_point(|(start, _)| *start <= byte);
            self.lines.get(found.saturating_sub(1)).map_or(1, |(_, line)| *line)
        };
        (at(from), at(to.saturating_sub(1).max(from)))
    }

    /// Whether some byte is inside code.
    pub fn is_code(&self, byte: usize) -> bool {
        // They stand in order: one look finds the one that could hold it.
        let next = self.code.partition_point(|(from, _)| *from <= byte);
        next.checked_sub(1).is_some_and(|at| byte < self.code[at].1)
    }

    /// Adds words that stand on a line.
    pub fn push(&mut self, words: &str, line: u32) {
        if words.is_empty() {
            return;
        }
        if self.lines.last().is_none_or(|(_, last)| *last != line) {
            self.lines.push((self.text.len(), line));
        }
        // A control character has no place in a statement.
        self.text.extend(words.chars().map(|c| if c.is_control() { ' ' } else { c }));
    }

    /// The parts of some bytes that are code.
    pub fn code_in(&self, from: usize, to: usize) -> &[(usize, usize)] {
        let first = self.code.partition_point(|(start, _)| *start < from);
        let last = self.code.partition_point(|(_, end)| *end <= to);
        self.code.get(first..last).unwrap_or_default()
    }

    fn push_code(&mut self, words: &str, line: u32) {
        let from = self.text.len();
        self.push(words, line);
        self.code.push((from, self.text.len()));
    }
}

/// The passages of a Markdown text. Code, quotes of others, raw HTML and front matter are left out.
pub(crate) fn passages(text: &str) -> Vec<Passage> {
    let starts = line_starts(text);
    let line_of =
        |byte: usize| u32::try_from(starts.partition_point(|start| *start <= byte)).unwrap_or(u32::MAX);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader = Reader::default();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.hear(event, line_of(range.start));
    }
    // An item is finished after what is below it.
    reader.done.sort_by_key(|passage| passage.lines.first().map_or(0, |(_, line)| *line));
    reader.done
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0)
        .chain(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1))
        .collect()
}

#[derive(Default)]
struct Reader {
    done: Vec<Passage>,
    /// Passages that are being read, the innermost last.
    open: Vec<Passage>,
    headings: Vec<(HeadingLevel, String)>,
    heading: Option<(HeadingLevel, String)>,
    /// What introduces each open list.
    leads: Vec<Option<String>>,
    /// The paragraph before, if nothing came between.
    before: Option<String>,
    /// How deep we are in something that is not read.
    closed: usize,
    /// Of each open quote, whether it is left out.
    quotes: Vec<bool>,
    titles: Vec<String>,
    cells: Vec<(String, String)>,
    row: Option<Passage>,
    in_head: bool,
}

impl Reader {
    fn hear(&mut self, event: Event<'_>, line: u32) {
        match event {
            Event::Start(tag) => self.start(tag, line),
            Event::End(tag) => self.end(tag),
            Event::Text(words) => self.words(&words, line, false),
            Event::Code(words) => self.words(&words, line, true),
            Event::SoftBreak | Event::HardBreak => self.words(&CowStr::Borrowed(" "), line, false),
            Event::TaskListMarker(_) => {
                if let Some(open) = self.open.last_mut() {
                    open.shape = Shape::Box;
                }
            }
            // Markup inside a paragraph says nothing; what it encloses comes as words.
            Event::InlineHtml(_) | Event::Html(_) | Event::FootnoteReference(_) | Event::Rule => {}
            Event::InlineMath(words) | Event::DisplayMath(words) => self.words(&words, line, true),
        }
    }

    fn words(&mut self, words: &str, line: u32, code: bool) {
        if self.closed > 0 {
            return;
        }
        if let Some((_, heading)) = &mut self.heading {
            if heading.len() + words.len() <= HEADING_BYTES_MAX {
                heading.push_str(words);
            }
        } else if let Some(row) = &mut self.row {
            if code { row.push_code(words, line) } else { row.push(words, line) }
        } else if let Some(open) = self.open.last_mut() {
            if code { open.push_code(words, line) } else { open.push(words, line) }
        }
    }

    fn begin(&mut self, shape: Shape) {
        let headings = self.headings.iter().map(|(_, heading)| heading.clone()).collect();
        let lead = self.leads.last().cloned().flatten();
        self.open.push(Passage { shape, headings, lead, ..Passage::default() });
    }

    fn finish(&mut self) -> Option<String> {
        let passage = self.open.pop()?;
        let text = passage.text.clone();
        if !passage.text.trim().is_empty() {
            self.done.push(passage);
        }
        Some(text)
    }

    fn start(&mut self, tag: Tag<'_>, line: u32) {
        // Anything but a paragraph stands between a list and what introduced it.
        if matches!(tag, Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::BlockQuote(_) | Tag::Table(_)) {
            self.before = None;
        }
        match tag {
            Tag::CodeBlock(_)
            | Tag::HtmlBlock
            | Tag::MetadataBlock(_)
            | Tag::Image { .. }
            | Tag::Strikethrough => self.closed += 1,
            Tag::BlockQuote(kind) => {
                // An alert is the author's own voice; any other quote is somebody else's.
                let alert = matches!(
                    kind,
                    Some(
                        BlockQuoteKind::Note
                            | BlockQuoteKind::Tip
                            | BlockQuoteKind::Important
                            | BlockQuoteKind::Warning
                            | BlockQuoteKind::Caution
                    )
                );
                self.quotes.push(!alert);
                self.closed += usize::from(!alert);
            }
            Tag::Heading { level, .. } => self.heading = Some((level, String::new())),
            Tag::Paragraph => {
                // Inside an item the words are the item's.
                let in_item = self.open.last().is_some_and(|open| open.shape != Shape::Paragraph);
                if !in_item {
                    self.begin(Shape::Paragraph);
                } else if let Some(open) = self.open.last_mut().filter(|open| !open.text.is_empty()) {
                    open.push(" ", line);
                }
            }
            Tag::List(_) => {
                // A list below an item is introduced by that item.
                let lead = match self.open.last() {
                    Some(item) if item.text.trim_end().ends_with(':') => Some(item.text.trim().to_owned()),
                    Some(_) => self.leads.last().cloned().flatten(),
                    None => self.before.take().filter(|before| before.trim_end().ends_with(':')),
                };
                self.leads.push(lead.filter(|lead| lead.len() <= HEADING_BYTES_MAX));
            }
            Tag::Item => self.begin(Shape::Item),
            Tag::TableHead => (self.in_head, self.titles) = (true, Vec::new()),
            Tag::TableRow => self.cells.clear(),
            Tag::TableCell => {
                self.row.get_or_insert_with(|| Passage {
                    headings: self.headings.iter().map(|(_, heading)| heading.clone()).collect(),
                    ..Passage::default()
                });
            }
            Tag::Table(_)
            | Tag::Emphasis
            | Tag::Strong
            | Tag::Link { .. }
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock
            | TagEnd::HtmlBlock
            | TagEnd::MetadataBlock(_)
            | TagEnd::Image
            | TagEnd::Strikethrough => {
                self.closed = self.closed.saturating_sub(1);
            }
            TagEnd::BlockQuote(_) => {
                if self.quotes.pop() == Some(true) {
                    self.closed = self.closed.saturating_sub(1);
                }
            }
            TagEnd::Heading(_) => {
                if let Some((level, words)) = self.heading.take().filter(|_| self.closed == 0) {
                    self.headings.retain(|(above, _)| *above < level);
                    self.headings.push((level, words.trim().to_owned()));
                    self.before = None;
                }
            }
            TagEnd::Paragraph => {
                if self.open.last().is_some_and(|open| open.shape == Shape::Paragraph) {
                    self.before = self.finish();
                }
            }
            TagEnd::Item => drop(self.finish()),
            TagEnd::List(_) => {
                self.leads.pop();
                self.before = None;
            }
            TagEnd::TableHead => self.in_head = false,
            TagEnd::TableCell => {
                // Cells are put one after the other; the row keeps where each of them stood.
                let Some(row) = &mut self.row else { return };
                if self.cells.len() >= CELLS_MAX {
                    return;
                }
                let from = self.cells.iter().map(|(_, cell)| cell.len() + 1).sum::<usize>();
                let cell = row.text.get(from..).unwrap_or_default().to_owned();
                if self.in_head {
                    self.titles.push(cell.trim().to_owned());
                    self.row = None;
                    return;
                }
                let line = row.lines.last().map_or(1, |(_, line)| *line);
                row.push("\u{1f}", line);
                let title = self.titles.get(self.cells.len()).cloned().unwrap_or_default();
                self.cells.push((title, cell));
            }
            TagEnd::TableRow => {
                let cells = std::mem::take(&mut self.cells);
                if let Some(mut row) = self.row.take().filter(|_| self.closed == 0) {
                    row.shape = Shape::Row(
                        cells.into_iter().map(|(title, cell)| (title, cell.trim().to_owned())).collect(),
                    );
                    self.done.push(row);
                }
            }
            TagEnd::Table
            | TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Link
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript => {}
        }
    }
}
