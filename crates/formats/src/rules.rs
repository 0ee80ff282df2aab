//! The claims of an instruction file: which of its lines say something, each with the heading, lead or table header that introduces it (COR-25).

use crate::limits::rules::{
    BOLD_LEVEL, LEAD_CHARS_MAX, LEAD_WORDS_MIN, LISTED_CHARS_MAX, NAMING_WORDS_MIN, SENTENCES_MAX,
    SHORT_POINT_WORDS_MAX, SHORT_STEP_WORDS_MAX,
};
use std::ops::Range;

use ken_language::{Style, WordList, in_backticks, sentence_ends};

use crate::content::mark_len;
use crate::layout::{Block, Lines, bare};

/// A run of bytes. Joined, the pieces are the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub place: Range<usize>,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A heading, with its level.
    Heading(usize),
    Claim(Box<Claim>),
    Text,
}

/// Something that a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub shape: Shape,
    /// The headings above, outermost first.
    pub headings: Vec<String>,
    /// The sentences and labels that introduce it, outermost first.
    pub leads: Vec<String>,
    /// What is put before its words, so that they stand alone; often empty.
    pub front: String,
}

/// How the words of a claim stand in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A point with all that is below it, or sentences.
    Words,
    /// A lead with a list of short points, a row of a table or a line of code: what it says.
    Composed(String),
}

/// The section in which Kenning itself puts entries: its points stand alone.
pub(crate) const OWN_SECTION: &str = "Knowledge";

static SPEAKS_BACK: WordList = WordList::new(include_str!("../words/speaks_back.txt"));
static HELPING_VERBS: WordList = WordList::new(include_str!("../words/helping_verbs.txt"));
static GENERAL_HEADINGS: WordList = WordList::new(include_str!("../words/general_headings.txt"));
static BOILERPLATE: WordList = WordList::new(include_str!("../words/boilerplate.txt"));
static ASIDE_HEADINGS: WordList = WordList::new(include_str!("../words/aside_headings.txt"));

/// Takes a file apart, from the byte on where its front matter ends. `is_titled` says that its title names a subject: that of a file for
/// the whole repository names the file.
pub(crate) fn pieces(text: &str, start: usize, is_titled: bool) -> Vec<Piece> {
    let lines = Lines::new(text, start);
    let mut reader = Reader { text, lines: &lines, pieces: Vec::new(), headings: Vec::new(), is_titled };
    if start > 0 {
        reader.pieces.push(Piece { place: 0..start, kind: Kind::Text });
    }
    reader.walk(0, lines.len(), &[]);
    reader.pieces
}

/// Whether words are a fragment by the letter of COR-25: they end with a colon, or are three words or fewer with neither a verb nor code.
pub(crate) fn is_fragment(words: &str) -> bool {
    let words = words.trim().trim_end_matches(['*', '_', '`', ' ']);
    let few = words.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    words.ends_with(':') || few.count() <= 3 && !words.contains('`') && !has_verb(words)
}

fn has_verb(words: &str) -> bool {
    words.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').any(|word| {
        let word = word.to_lowercase();
        let stems = ["", "s", "es", "ed", "d", "ing"].iter().filter_map(|ending| word.strip_suffix(ending));
        HELPING_VERBS.contains(&word) || stems.into_iter().any(ken_digest::is_verb)
    })
}

struct Reader<'a> {
    text: &'a str,
    lines: &'a Lines<'a>,
    pieces: Vec<Piece>,
    headings: Vec<(usize, String)>,
    is_titled: bool,
}

impl Reader<'_> {
    /// Reads some lines that stand below some leads.
    fn walk(&mut self, from: usize, to: usize, leads: &[String]) {
        let mut number = from;
        let mut lead: Option<String> = None;
        while number < to {
            let words = self.lines.words(number);
            if words.is_empty() {
                self.text(number, 1);
                number += 1;
                continue;
            }
            let (block, count) = self.lines.block(number);
            let count = count.min(to - number);
            let below: Vec<String> = leads.iter().cloned().chain(lead.take()).collect();
            match block {
                Block::Heading(level) => {
                    self.head(level, heading_words(words));
                    self.push(number, count, Kind::Heading(level));
                }
                Block::Text => self.text(number, count),
                Block::Fence => self.fence(number, count, &below),
                Block::Table => self.table(number, count, &below),
                Block::Point => {
                    let run = self.run(number, to);
                    let end = run.last().map_or(number + count, |(at, count)| at + count);
                    self.list(&run, &below);
                    number = end;
                    continue;
                }
                Block::Paragraph => {
                    // What introduced something else does not introduce this.
                    (number, lead) = self.paragraph(number, count, to, leads);
                    continue;
                }
            }
            number += count;
        }
    }

    fn head(&mut self, level: usize, words: String) {
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, words));
    }

    /// The points that follow one another, each with its number of lines.
    fn run(&self, number: usize, to: usize) -> Vec<(usize, usize)> {
        let mut run = Vec::new();
        let mut next = number;
        while next < to {
            if self.lines.words(next).is_empty() {
                next += 1;
                continue;
            }
            let (block, count) = self.lines.block(next);
            if block != Block::Point {
                break;
            }
            let count = count.min(to - next);
            run.push((next, count));
            next += count;
        }
        run
    }

    fn list(&mut self, run: &[(usize, usize)], leads: &[String]) {
        let mut last = None;
        for (number, count) in run.iter().copied() {
            if let Some(last) = last {
                self.text(last, number - last);
            }
            self.point(number, count, leads);
            last = Some(number + count);
        }
    }

    fn point(&mut self, number: usize, count: usize, leads: &[String]) {
        let own = self.own_lines(number, count);
        let words = self.point_words(number, own);
        if self.is_own_section() {
            return self.claim(number, count, &[], &words);
        }
        let first_below = (number + own..number + count).find(|at| !self.lines.words(*at).is_empty());
        let is_lead = words.ends_with(':') || words.trim_end_matches(['*', '_']).ends_with(':');
        if is_link(&words) || is_boilerplate(&words) && first_below.is_none() {
            return self.text(number, count);
        }
        let Some(below) = first_below else {
            if is_lead {
                return self.text(number, count);
            }
            if speaks_back(&words) && self.extend_last(number, count) {
                return;
            }
            return self.claim(number, count, leads, &words);
        };
        let (block, _) = self.lines.block(below);
        let is_label = bold_label(&words).is_some()
            || !words.contains('`') && words.split_whitespace().count() <= 4 && !has_verb(&words);
        let opens = match block {
            Block::Point | Block::Table => is_lead || is_label,
            Block::Fence => (is_lead || is_label) && self.has_commands(below),
            Block::Heading(_) | Block::Text | Block::Paragraph => false,
        };
        let lead = lead_words(&words);
        if !opens {
            return match is_lead && is_example(&lead) {
                true => self.text(number, count),
                false => self.claim(number, count, leads, if is_lead { &lead } else { &words }),
            };
        }
        if block == Block::Point {
            let run = self.run(below, number + count);
            let is_all = run.last().is_some_and(|(at, lines)| at + lines >= number + count);
            if is_lead
                && is_all
                && let Some(said) = self.listed(&lead, &run)
            {
                return self.composed(number, count, leads, said);
            }
        }
        self.text(number, own);
        let leads: Vec<String> = leads.iter().cloned().chain([lead]).collect();
        self.walk(number + own, number + count, &leads);
    }

    /// How many lines a point's own words take, before what is below it.
    fn own_lines(&self, number: usize, count: usize) -> usize {
        let below = (number + 1..number + count).find(|at| {
            let words = self.lines.words(*at);
            words.is_empty() || !matches!(self.lines.block(*at).0, Block::Paragraph)
        });
        below.map_or(count, |at| at - number)
    }

    fn point_words(&self, number: usize, own: usize) -> String {
        let words = self.lines.joined(number, own);
        let words = &words[mark_len(&words)..];
        let tick = ["[ ] ", "[x] ", "[X] "].into_iter().find(|tick| words.starts_with(tick));
        words[tick.map_or(0, str::len)..].to_owned()
    }

    /// What a lead says with a list of short points; none where the points say something of their own.
    fn listed(&self, lead: &str, run: &[(usize, usize)]) -> Option<String> {
        let mut points = Vec::new();
        let mut is_ordered = true;
        for (number, count) in run.iter().copied() {
            if self.own_lines(number, count) < count {
                return None;
            }
            is_ordered &= self.lines.words(number).starts_with(|c: char| c.is_ascii_digit());
            let words = self.point_words(number, count);
            if is_link(&words) || words.ends_with(':') {
                return None;
            }
            points.push(words.trim_end_matches(['.', ';', ',']).to_owned());
        }
        let words: usize = points.iter().map(|point| point.split_whitespace().count()).sum();
        let max = if is_ordered { SHORT_STEP_WORDS_MAX } else { SHORT_POINT_WORDS_MAX };
        let said = format!("{lead}: {}", points.join("; "));
        let is_short =
            points.len() > 1 && words <= points.len() * max && said.chars().count() <= LISTED_CHARS_MAX;
        (is_short && !is_example(lead)).then_some(said)
    }

    /// A paragraph, sentence by sentence where each says something else. The answers are the line after it and its last sentence where that leads
    /// to what follows.
    fn paragraph(
        &mut self,
        number: usize,
        count: usize,
        to: usize,
        leads: &[String],
    ) -> (usize, Option<String>) {
        let whole = self.lines.joined(number, count);
        if let Some(label) = bold_label(&whole) {
            self.head(BOLD_LEVEL, label);
            self.text(number, count);
            return (number + count, None);
        }
        if whole.starts_with('>') {
            match is_boilerplate(whole.trim_start_matches(['>', ' '])) {
                true => self.text(number, count),
                false => self.claim(number, count, leads, whole.trim_start_matches(['>', ' '])),
            }
            return (number + count, None);
        }
        let mut parts = self.sentences(number, count);
        let end = self.lines.end(number + count - 1);
        let mut lead = None;
        let mut next = number + count;
        let last = parts.last().cloned().unwrap_or(end..end);
        let last_words = one_line(&self.text[last.clone()]);
        if last_words.trim_end_matches(['*', '_']).ends_with(':') {
            parts.pop();
            let mut words = without_connective(&lead_words(&last_words));
            if let Some(before) = parts.last().filter(|_| speaks_back(&words)) {
                words = format!("{} {words}", one_line(&self.text[before.clone()]));
            }
            self.claims(parts, leads);
            let after = (next..to).find(|at| !self.lines.words(*at).is_empty());
            let block = after.map(|at| (at, self.lines.block(at)));
            match block {
                Some((at, (Block::Point, _))) => {
                    let run = self.run(at, to);
                    match self.listed(&words, &run) {
                        Some(said) => {
                            next = run.last().map_or(next, |(at, count)| at + count);
                            let place = last.start..self.lines.end(next - 1);
                            self.composed_at(place, leads, said);
                        }
                        None => {
                            self.pieces.push(Piece { place: last, kind: Kind::Text });
                            lead = Some(words);
                        }
                    }
                }
                Some((at, (Block::Fence, lines))) if !self.has_commands(at) && !is_example(&words) => {
                    next = (at + lines).min(to);
                    let place = last.start..self.lines.end(next - 1);
                    self.claim_at(place, leads, &words);
                }
                Some((_, (Block::Fence | Block::Table, _))) => {
                    self.pieces.push(Piece { place: last, kind: Kind::Text });
                    lead = Some(words);
                }
                Some(_) | None => self.pieces.push(Piece { place: last, kind: Kind::Text }),
            }
        } else {
            self.claims(parts, leads);
        }
        (next, lead.filter(|lead| lead.chars().count() <= LEAD_CHARS_MAX))
    }

    /// Claims of running text; what only greets or leads elsewhere is text.
    fn claims(&mut self, parts: Vec<Range<usize>>, leads: &[String]) {
        let mut leads = leads.to_vec();
        for (at, place) in parts.into_iter().enumerate() {
            let words = one_line(&self.text[place.clone()]);
            if at == 1
                && let Some(label) = self.last_label()
            {
                leads.push(label);
            }
            let leads = &leads;
            match is_boilerplate(&words)
                || is_link(&words)
                || words.trim_end_matches(['*', '_']).ends_with(':')
            {
                true => self.pieces.push(Piece { place, kind: Kind::Text }),
                false => self.claim_at(place, leads, &words),
            }
        }
    }

    /// The bold words that the claim before begins with: its paragraph is about them.
    fn last_label(&self) -> Option<String> {
        let words = self.text[self.pieces.last()?.place.clone()].trim_start();
        let (label, _) = words.strip_prefix("**")?.split_once("**")?;
        let label = label.trim_end_matches([':', '.']);
        (label.split_whitespace().count() <= 6).then(|| one_line(label))
    }

    /// The bytes of a paragraph, in parts that each say something of their own.
    fn sentences(&self, number: usize, count: usize) -> Vec<Range<usize>> {
        let places: Vec<Range<usize>> = (number..number + count).map(|at| self.lines.place(at)).collect();
        let is_label = |place: &Range<usize>| has_label(bare(&self.text[place.clone()]));
        let stops = |place: &Range<usize>| bare(&self.text[place.clone()]).ends_with(['.', '!', '?', ':']);
        let by_line = count > 1 && (places.iter().all(is_label) || places.iter().all(stops));
        let mut parts: Vec<Range<usize>> = Vec::new();
        if by_line {
            for place in places {
                match parts.last_mut() {
                    Some(last) if speaks_back(bare(&self.text[place.clone()])) => last.end = place.end,
                    Some(_) | None => parts.push(place),
                }
            }
            return parts;
        }
        let start = places.first().map_or(0, |place| place.start);
        let end = self.lines.end(number + count - 1);
        let text = &self.text[start..end];
        // A sentence and the blanks after it.
        let mut sentences = Vec::new();
        let mut from = 0;
        let flat = text.replace(['\n', '\r'], " ");
        for end in sentence_ends(&flat, Style::Document, &in_backticks(&flat)) {
            // `R4.` numbers the rule that follows.
            let word = flat[from..end].trim_end_matches('.').rsplit(' ').next().unwrap_or_default();
            let is_number = word.len() <= 4
                && word.ends_with(|c: char| c.is_ascii_digit())
                && word.starts_with(|c: char| c.is_ascii_uppercase());
            if is_number {
                continue;
            }
            let blanks = flat[end..].len() - flat[end..].trim_start().len();
            sentences.push(from..end + blanks);
            from = end + blanks;
        }
        if from < flat.len() {
            match sentences.last_mut() {
                Some(last) if flat[from..].trim().is_empty() => last.end = flat.len(),
                Some(_) | None => sentences.push(from..flat.len()),
            }
        }
        let mut held = 0;
        for sentence in sentences {
            let place = start + sentence.start..start + sentence.end;
            let words = flat[sentence].trim();
            let before = parts.last().map(|last| one_line(&self.text[last.clone()]));
            let joins = before.is_some_and(|before| {
                let leads_on = words.trim_end_matches(['*', '_']).ends_with(':');
                !leads_on && (!stands_alone(words) || held < SENTENCES_MAX && is_contrast(&before, words))
            });
            match parts.last_mut() {
                Some(last) if joins => {
                    last.end = place.end;
                    held += 1;
                }
                Some(_) | None => {
                    parts.push(place);
                    held = 1;
                }
            }
        }
        parts
    }

    fn table(&mut self, number: usize, count: usize, leads: &[String]) {
        let titles = cells(self.lines.words(number));
        self.text(number, 2.min(count));
        for row in number + 2..number + count {
            let cells = cells(self.lines.words(row));
            let filled = cells.iter().filter(|cell| cell.chars().any(char::is_alphanumeric)).count();
            let said: Vec<String> = cells
                .iter()
                .enumerate()
                .filter(|(_, cell)| cell.chars().any(char::is_alphanumeric))
                .map(|(at, cell)| {
                    match titles.get(at).map(|title| title.trim_matches('*')).unwrap_or_default() {
                        "" | "#" => cell.clone(),
                        title => format!("{title}: {cell}"),
                    }
                })
                .collect();
            match filled > 1 {
                true => self.composed(row, 1, leads, said.join("; ")),
                false => self.text(row, 1),
            }
        }
    }

    /// Whether a block of code holds commands, or paths with comments.
    fn has_commands(&self, number: usize) -> bool {
        let (_, count) = self.lines.block(number);
        !self.commands(number, count).is_empty()
    }

    /// A block of code: its commands and paths are claims, with the comments beside and above them.
    fn fence(&mut self, number: usize, count: usize, leads: &[String]) {
        if let Some(said) = self.comments(number, count) {
            return self.composed(number, count, leads, said);
        }
        let mut at = number;
        for line in self.commands(number, count) {
            self.text(at, line.number - at);
            let leads: Vec<String> = leads.iter().cloned().chain(line.above).collect();
            self.composed(line.number, line.count, &leads, line.said);
            at = line.number + line.count;
        }
        self.text(at, number + count - at);
    }

    /// What a block says that holds nothing but comments.
    fn comments(&self, number: usize, count: usize) -> Option<String> {
        let inside = (number + 1..(number + count).saturating_sub(1)).map(|at| self.lines.words(at));
        let lines: Vec<&str> = inside.filter(|words| !words.is_empty()).collect();
        let comments: Option<Vec<&str>> = lines.iter().map(|words| words.strip_prefix('#')).collect();
        let comments = comments.filter(|comments| comments.len() > 1)?;
        let said =
            comments.iter().map(|comment| comment.trim_matches(['#', ' '])).collect::<Vec<_>>().join("; ");
        (said.chars().count() <= LISTED_CHARS_MAX).then_some(said)
    }

    fn commands(&self, number: usize, count: usize) -> Vec<CodeLine> {
        let info = self.lines.words(number).trim_start_matches(['`', '~']).trim().to_lowercase();
        let language = info.split([' ', '{', ',']).next().unwrap_or_default();
        let inside: Vec<&str> =
            (number + 1..(number + count).saturating_sub(1)).map(|at| self.lines.line(at)).collect();
        match language {
            "bash" | "sh" | "shell" | "zsh" | "console" | "shell-session" | "shellsession" | "fish"
            | "powershell" | "pwsh" => commands(&inside, number + 1),
            "" | "text" | "txt" | "plaintext" | "tree" => {
                let is_run = |line: &&&str| {
                    let first =
                        line.trim_start_matches(['$', ' ']).split_whitespace().next().unwrap_or_default();
                    ken_digest::is_program(first)
                };
                let is_said = |line: &&&str| !line.trim().is_empty() && !line.trim().starts_with('#');
                let all = inside.iter().filter(is_said).count();
                match inside.iter().filter(is_said).filter(is_run).count() * 2 >= all && all > 0 {
                    true => commands(&inside, number + 1),
                    false => paths(&inside, number + 1),
                }
            }
            _ => Vec::new(),
        }
    }

    fn text(&mut self, number: usize, count: usize) {
        if count > 0 {
            self.push(number, count, Kind::Text);
        }
    }

    fn push(&mut self, number: usize, count: usize, kind: Kind) {
        let place = self.lines.place(number).start..self.lines.end(number + count - 1);
        self.pieces.push(Piece { place, kind });
    }

    fn claim(&mut self, number: usize, count: usize, leads: &[String], words: &str) {
        self.claim_at(self.lines.place(number).start..self.lines.end(number + count - 1), leads, words);
    }

    fn claim_at(&mut self, place: Range<usize>, leads: &[String], words: &str) {
        self.say(place, leads, words, Shape::Words);
    }

    fn composed(&mut self, number: usize, count: usize, leads: &[String], said: String) {
        self.composed_at(self.lines.place(number).start..self.lines.end(number + count - 1), leads, said);
    }

    fn composed_at(&mut self, place: Range<usize>, leads: &[String], said: String) {
        self.say(place, leads, &said.clone(), Shape::Composed(said));
    }

    fn say(&mut self, place: Range<usize>, leads: &[String], words: &str, shape: Shape) {
        let headings: Vec<String> = self.headings.iter().map(|(_, words)| words.clone()).collect();
        let is_own = self.is_own_section();
        // A section of pointers says nothing itself.
        let is_aside = headings.iter().any(|heading| ASIDE_HEADINGS.contains(&heading.to_lowercase()));
        let is_composed = matches!(shape, Shape::Composed(_));
        let front = if is_own { String::new() } else { self.front(&headings, leads, words, is_composed) };
        let whole = if front.is_empty() { words.to_owned() } else { format!("{front}: {words}") };
        let kind = match (is_fragment(&whole) || is_aside) && !is_own {
            true => Kind::Text,
            false => Kind::Claim(Box::new(Claim { shape, headings, leads: leads.to_vec(), front })),
        };
        self.pieces.push(Piece { place, kind });
    }

    /// What is put before words so that they stand alone: the lead, else the nearest heading that names a subject. What the words say
    /// themselves is not said twice.
    fn front(&self, headings: &[String], leads: &[String], words: &str, is_composed: bool) -> String {
        let leads: Vec<&String> = leads.iter().filter(|lead| !is_example(lead)).collect();
        let is_enough = |lead: &str| lead.split_whitespace().count() >= LEAD_WORDS_MIN && !speaks_back(lead);
        if let Some(lead) = leads.last().filter(|lead| is_enough(lead)) {
            return (*lead).clone();
        }
        let lead = leads.iter().map(|lead| lead.as_str()).collect::<Vec<_>>().join(": ");
        if leads.len() > 1 && is_enough(&lead) {
            return lead;
        }
        let count = words.split_whitespace().count();
        let is_sentence = !is_composed && count > LEAD_WORDS_MIN && stands_alone(words);
        // What names a file or code, in a whole sentence, says what it is about.
        if is_sentence
            && lead.is_empty()
            && count >= NAMING_WORDS_MIN
            && words.contains(['`', '/'])
            && !headings.iter().any(|heading| forbids(&heading.to_lowercase()))
        {
            return String::new();
        }
        let is_said = |heading: &String| {
            let (heading, words) = (heading.to_lowercase(), words.to_lowercase());
            words.starts_with(&heading) || is_sentence && !forbids(&heading) && shares_word(&heading, &words)
        };
        let mut chosen: Vec<&String> = Vec::new();
        let titles = self.headings.iter().take_while(|(level, _)| *level == 1).count();
        // The title of a file names the file.
        let is_told = is_sentence || !is_composed && has_verb(words) && words.ends_with('.');
        let is_whole = self.is_titled && headings.len() == titles && !is_told;
        let below: &[String] = if is_whole { headings } else { headings.get(titles..).unwrap_or_default() };
        for heading in below.iter().rev() {
            if is_said(heading) {
                break;
            }
            let is_general = is_general(heading);
            if !is_general {
                chosen.insert(0, heading);
            }
            let has_subject = chosen.iter().any(|heading| heading.split_whitespace().count() > 1);
            if !chosen.is_empty() && (is_sentence || has_subject) || chosen.len() == 2 {
                break;
            }
        }
        if chosen.is_empty() && !is_sentence && lead.is_empty() {
            chosen.extend(below.last().filter(|heading| !is_said(heading)));
        }
        let mut front = chosen.iter().map(|heading| heading.as_str()).collect::<Vec<_>>();
        let title = headings.first().filter(|_| self.is_titled && !is_told).map(|title| subject_of(title));
        if let Some(title) = title.as_deref().filter(|title| is_title(title, &front, words)) {
            front.insert(0, title);
        }
        front.extend(Some(lead.as_str()).filter(|lead| !lead.is_empty()));
        front.join(": ")
    }

    fn is_own_section(&self) -> bool {
        self.headings.last().is_some_and(|(level, heading)| *level == 2 && heading == OWN_SECTION)
    }

    /// Puts lines to the claim before them, with the blank lines between.
    fn extend_last(&mut self, number: usize, count: usize) -> bool {
        let claim = self.pieces.iter().rposition(|piece| {
            !(piece.kind == Kind::Text && self.text[piece.place.clone()].trim().is_empty())
        });
        let Some(at) = claim else { return false };
        let is_point = mark_len(bare(&self.text[self.pieces[at].place.clone()])) > 0;
        let is_words = matches!(&self.pieces[at].kind, Kind::Claim(claim) if claim.shape == Shape::Words);
        if !is_point || !is_words {
            return false;
        }
        self.pieces.truncate(at + 1);
        self.pieces[at].place.end = self.lines.end(number + count - 1);
        true
    }
}

/// The words of a title that name what its file is about: `AGENTS.md - web server` is `web server`.
fn subject_of(title: &str) -> String {
    let words = title.split_whitespace().filter(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        !bare.is_empty() && !GENERAL_HEADINGS.contains(&bare)
    });
    words.collect::<Vec<_>>().join(" ").trim_matches([':', '`', '(', ')', '*']).to_owned()
}

/// Whether a title is short, and neither the words nor what is before them say it.
fn is_title(title: &str, front: &[&str], words: &str) -> bool {
    let lower = title.to_lowercase();
    let is_said = |text: &str| text.to_lowercase().contains(&lower);
    (1..=5).contains(&title.split_whitespace().count())
        && !is_said(words)
        && !front.iter().any(|text| is_said(text))
}

/// Whether a heading forbids what is below it.
fn forbids(heading: &str) -> bool {
    let first =
        heading.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').find(|word| !word.is_empty());
    matches!(
        first,
        Some(
            "never"
                | "avoid"
                | "don't"
                | "don’t"
                | "don'ts"
                | "not"
                | "no"
                | "skip"
                | "forbidden"
                | "prohibited"
        )
    ) || heading.starts_with("do not")
        || heading.starts_with("what not")
        || heading.starts_with("anti-pattern")
        || heading.starts_with("common mistakes")
}

fn is_general(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    !forbids(&lower)
        && lower
            .split(|c: char| c.is_whitespace() || matches!(c, '&' | '/' | ',' | '(' | ')' | '-' | '–' | '—'))
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
            .filter(|word| !word.is_empty())
            .all(|word| GENERAL_HEADINGS.contains(word) || word.chars().all(|c| c.is_ascii_digit()))
}

/// Whether two texts in small letters have a word in common, but for its ending.
fn shares_word(one: &str, other: &str) -> bool {
    let stems = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.len() > 3 && !GENERAL_HEADINGS.contains(word))
            .map(|word| word.chars().take(5).collect())
            .collect()
    };
    let said = stems(other);
    stems(one).iter().any(|stem| said.contains(stem))
}

/// The beginning of a text in small letters, without marks.
fn plain_beginning(words: &str) -> String {
    words.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '`').to_lowercase()
}

fn begins_with(list: &WordList, lower: &str) -> bool {
    list.items().iter().any(|item| {
        lower.strip_prefix(item).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    })
}

/// Whether words speak of what comes before them.
fn speaks_back(words: &str) -> bool {
    let lower = plain_beginning(words);
    // `This repository` and `This project` speak of no words.
    let is_here = [
        "this repo",
        "this project",
        "this is a ",
        "this is an ",
        "this is the ",
        "this package",
        "this codebase",
        "this monorepo",
        "this crate",
        "this library",
        "note: ",
        "note that ",
        "it is ",
        "there is",
        "there are",
    ];
    begins_with(&SPEAKS_BACK, &lower) && !is_here.iter().any(|here| lower.starts_with(here))
}

/// Whether a sentence can be understood without the one before it.
fn stands_alone(words: &str) -> bool {
    const PRONOUNS: &[&str] = &["it", "them", "this", "these", "those", "they", "that", "its", "their"];
    let first: Vec<String> = words
        .split_whitespace()
        .take(5)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    let is_definite = first.first().is_some_and(|word| word == "the") && !words.contains('`');
    // `Uses X` says nothing of who does.
    let is_without_subject =
        first.first().and_then(|word| word.strip_suffix('s')).is_some_and(ken_digest::is_verb);
    words.split_whitespace().count() >= 4
        && has_verb(words)
        && !is_without_subject
        && !words.starts_with(|c: char| c.is_lowercase() || c == '(')
        && !speaks_back(words)
        && !is_definite
        && !first.iter().any(|word| PRONOUNS.contains(&word.as_str()))
}

/// Whether one of two sentences says what is done, and the other what is not.
fn is_contrast(before: &str, after: &str) -> bool {
    let denies = |words: &str| {
        let lower = plain_beginning(words);
        ["do not ", "don't ", "don’t ", "never ", "avoid ", "not "].iter().any(|mark| lower.starts_with(mark))
    };
    denies(before) != denies(after)
}

fn is_boilerplate(words: &str) -> bool {
    let lower = plain_beginning(words);
    let count = lower.split_whitespace().count();
    begins_with(&BOILERPLATE, &lower) && count <= 40 || (lower.starts_with("see ") && count <= 12)
}

/// Whether words are nothing but a link, or a picture.
fn is_link(words: &str) -> bool {
    let words = words.trim().trim_start_matches(['*', '_']);
    if words.starts_with("![") || words.starts_with("[![") {
        return true;
    }
    let Some(rest) = words.strip_prefix('[').and_then(|rest| rest.split_once("](")) else { return false };
    let after = rest.1.split_once(')').map_or("", |(_, after)| after);
    !after.chars().any(char::is_alphanumeric)
}

/// Whether a lead only announces an example.
fn is_example(lead: &str) -> bool {
    let lower = plain_beginning(lead);
    let few = lower.split_whitespace().count() <= 3;
    lower.is_empty()
        || few
            && (lower.starts_with("in particular")
                || lower.starts_with("specifically")
                || lower.contains("example")
                || lower.starts_with("e.g")
                || lower.starts_with("for instance"))
}

/// A paragraph of nothing but bold words heads what follows.
fn bold_label(words: &str) -> Option<String> {
    let inner = ["**", "__"].into_iter().find_map(|mark| {
        let inner = words.strip_prefix(mark)?;
        let inner = inner.strip_suffix(mark).or_else(|| inner.strip_suffix(':')?.strip_suffix(mark))?;
        (!inner.contains(mark)).then_some(inner)
    })?;
    let is_sentence = inner.ends_with(['.', '!']) || inner.split_whitespace().count() > 8;
    (!is_sentence).then(|| inner.trim().trim_end_matches(':').to_owned())
}

/// Whether a line begins with a label: `Errors: use anyhow`.
fn has_label(words: &str) -> bool {
    let Some((label, rest)) = words.split_once(": ") else { return false };
    let count = label.split_whitespace().count();
    (1..=3).contains(&count) && label.starts_with(char::is_uppercase) && !rest.trim().is_empty()
}

/// A lead without the word that ties it to the sentence before.
fn without_connective(words: &str) -> String {
    const CONNECTIVES: &[&str] = &[
        "Additionally",
        "Also",
        "Finally",
        "Furthermore",
        "In addition",
        "Likewise",
        "Moreover",
        "Similarly",
        "Then",
    ];
    let rest = CONNECTIVES.iter().find_map(|word| words.strip_prefix(word)?.strip_prefix([',', ' ']));
    let Some(rest) = rest.map(str::trim_start) else { return words.to_owned() };
    let mut chars = rest.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A lead without its colon and the marks around it.
fn lead_words(words: &str) -> String {
    let words = words.trim().trim_end_matches(['*', '_', ':', ' ']).trim_start_matches(['*', '_', ' ']);
    let words = words.trim();
    match words.matches("**").count() % 2 {
        0 => words.to_owned(),
        _ => words.replace("**", ""),
    }
}

fn heading_words(line: &str) -> String {
    let words = line.trim_matches(['#', ' ', '*', '\t', ':']).trim();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The cells of a row.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut before = ' ';
    for c in inner.chars() {
        match c {
            '|' if before != '\\' => cells.push(String::new()),
            '|' => {
                let last = cells.last_mut().expect("there is always one");
                last.pop();
                last.push('|');
            }
            c => cells.last_mut().expect("there is always one").push(c),
        }
        before = c;
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

/// A claim of a block of code.
struct CodeLine {
    number: usize,
    count: usize,
    said: String,
    /// The comment above it.
    above: Option<String>,
}

/// The commands of a shell block. A script says nothing line by line.
fn commands(lines: &[&str], first: usize) -> Vec<CodeLine> {
    const SCRIPT: &[&str] = &[
        "for", "if", "while", "do", "done", "then", "fi", "else", "case", "esac", "function", "}", "{",
        "EOF", ")",
    ];
    let is_script = lines.iter().any(|line| {
        let word = line.trim().split([' ', ';']).next().unwrap_or_default();
        SCRIPT.contains(&word) || line.contains("<<")
    });
    if is_script {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut above: Option<String> = None;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].trim();
        if let Some(comment) = line.strip_prefix('#') {
            let comment = lead_words(comment.trim_start_matches('#'));
            let goes_on = at > 0 && lines[at - 1].trim().starts_with('#');
            above = match above.take().filter(|_| goes_on) {
                Some(before) => Some(format!("{before} {comment}")),
                None => Some(comment),
            };
            above = above.filter(|comment| comment.chars().any(char::is_alphanumeric));
            at += 1;
            continue;
        }
        if line.is_empty() {
            at += 1;
            continue;
        }
        let mut count = 1;
        let mut command = line.trim_start_matches("$ ").to_owned();
        while command.ends_with('\\') && at + count < lines.len() {
            command.pop();
            command = format!("{} {}", command.trim_end(), lines[at + count].trim());
            count += 1;
        }
        let (command, comment) = with_comment(&command);
        // What a program wrote has no program in front.
        let is_command = command
            .starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '~' | '$' | '@'));
        if is_command && command.chars().any(char::is_alphabetic) {
            found.push(CodeLine {
                number: first + at,
                count,
                said: with_note(&command, comment.as_deref()),
                above: above.clone(),
            });
        }
        at += count;
    }
    found
}

/// The paths of a drawn tree that have a comment.
fn paths(lines: &[&str], first: usize) -> Vec<CodeLine> {
    let mut above: Vec<(usize, String)> = Vec::new();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let depth = line
            .chars()
            .take_while(|c| {
                !(c.is_alphanumeric() || matches!(c, '.' | '_' | '@' | '<' | '*' | '[' | '#' | '('))
            })
            .count();
        let rest: String = line.chars().skip(depth).collect();
        let (name, comment) = with_comment(rest.trim());
        if name.is_empty() || name.contains(char::is_whitespace) || rest.trim_start().starts_with('#') {
            continue;
        }
        above.retain(|(outer, _)| *outer < depth);
        let parent = above.last().map(|(_, path)| path.clone()).unwrap_or_default();
        let path = match parent.is_empty() || name.starts_with(&parent) {
            true => name.clone(),
            false => format!("{}/{name}", parent.trim_end_matches('/')),
        };
        above.push((depth, path.clone()));
        if let Some(comment) = comment {
            found.push(CodeLine {
                number: first + at,
                count: 1,
                said: format!("`{path}`: {comment}"),
                above: None,
            });
        }
    }
    found
}

/// A line of code and the comment after it.
fn with_comment(line: &str) -> (String, Option<String>) {
    for mark in [" #", " //", " ← ", " <- ", " — ", " – ", " -- "] {
        // Two hyphens between blanks separate the arguments of a program.
        if mark == " -- " && line.starts_with(|c: char| c.is_ascii_lowercase()) {
            continue;
        }
        if let Some((code, comment)) = line.split_once(mark)
            && (comment.starts_with([' ', '#']) || mark.ends_with(' '))
            && code.matches(['"', '\'']).count() % 2 == 0
        {
            let comment = comment.trim_matches(['#', ' ', '/']);
            return (code.trim().to_owned(), Some(comment.to_owned()).filter(|comment| !comment.is_empty()));
        }
    }
    (line.trim().to_owned(), None)
}

fn with_note(command: &str, note: Option<&str>) -> String {
    let code = if command.contains('`') { command.to_owned() } else { format!("`{command}`") };
    match note {
        Some(note) => format!("{code} ({note})"),
        None => code,
    }
}
