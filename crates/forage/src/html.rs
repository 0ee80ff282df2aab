//! HTML as blocks of visible text: headings, paragraphs, points, code and rows, without what a reader does not see.
//!
//! The text of a page is read as tokens, once, and no tree is made of it: time and memory follow its length, however its elements nest.
//! Text in elements that a browser does not show is kept apart, since an order that only programs read says what the page is.

use std::collections::HashSet;

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};
use ken_language::WordList;

use crate::limits::{BLOCKS_MAX, DEPTH_MAX, HIDDEN_CHARS_MAX, STYLE_RULES_MAX};
use crate::style::{hides, hiding_selectors};

static HIDDEN_CLASSES: WordList = WordList::new(include_str!("../words/hidden_classes.txt"));
static BOILERPLATE: WordList = WordList::new(include_str!("../words/boilerplate.txt"));
static SCRIPT_MARKERS: WordList = WordList::new(include_str!("../words/script_markers.txt"));

/// What a block is on its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Heading,
    Paragraph,
    Item,
    Quote,
    Code,
    /// Of a table.
    Row,
}

/// Where on the page it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Within `<main>` or `<article>`.
    Main,
    Open,
    /// Within navigation, a footer or the like.
    Around,
}

/// A piece of visible text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub kind: Kind,
    pub region: Region,
    /// On one line, except code. Inline code stands in backticks.
    pub text: String,
    /// How many of its letters are links.
    pub link_chars: usize,
}

/// What a page shows, and what it hides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    pub title: String,
    pub blocks: Vec<Block>,
    /// Text that a reader does not see, as much of it as is kept, and how many elements and letters that was.
    pub hidden: String,
    pub hidden_elements: usize,
    /// Letters without width, and those that turn the direction of writing; they are taken out.
    pub invisible_chars: usize,
    /// How often it asks for JavaScript.
    pub script_markers: usize,
    /// Letters that are shown.
    pub text_chars: usize,
    /// More elements stood inside each other, or more blocks on the page, than are read.
    pub is_cut: bool,
}

/// An element that is open.
struct Open {
    name: Vec<u8>,
    is_hidden: bool,
    /// Its text is neither shown nor hidden: scripts, forms, pictures.
    is_skipped: bool,
    region: Region,
    kind: Option<Kind>,
    is_link: bool,
    is_code: bool,
}

const VOID: [&[u8]; 13] = [
    b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"source",
    b"track", b"wbr",
];
/// Elements whose content is no text of the page. `title` is read apart.
const SKIPPED: [&[u8]; 16] = [
    b"audio",
    b"button",
    b"canvas",
    b"datalist",
    b"iframe",
    b"math",
    b"noscript",
    b"object",
    b"script",
    b"select",
    b"style",
    b"svg",
    b"template",
    b"textarea",
    b"title",
    b"video",
];
const AROUND: [&[u8]; 5] = [b"aside", b"footer", b"form", b"menu", b"nav"];
const AROUND_ROLES: [&[u8]; 8] = [
    b"alertdialog",
    b"banner",
    b"complementary",
    b"contentinfo",
    b"dialog",
    b"menu",
    b"navigation",
    b"search",
];
/// Elements that stand on lines of their own. An open paragraph ends where one begins.
const BLOCKS: [&[u8]; 43] = [
    b"address",
    b"article",
    b"aside",
    b"blockquote",
    b"body",
    b"caption",
    b"dd",
    b"details",
    b"dialog",
    b"div",
    b"dl",
    b"dt",
    b"fieldset",
    b"figcaption",
    b"figure",
    b"footer",
    b"form",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"h6",
    b"header",
    b"hgroup",
    b"hr",
    b"html",
    b"li",
    b"main",
    b"menu",
    b"nav",
    b"ol",
    b"p",
    b"pre",
    b"section",
    b"summary",
    b"table",
    b"tbody",
    b"tfoot",
    b"thead",
    b"title",
    b"tr",
    b"ul",
];

/// Reads a page.
pub fn read(html: &str) -> Page {
    let styles = hiding_selectors(&style_sheets(html), STYLE_RULES_MAX);
    let mut reader = Reader { styles, ..Reader::default() };
    for token in tokens(html) {
        match token {
            Token::StartTag(tag) => reader.start(&tag),
            Token::EndTag(tag) => reader.end(&tag.name),
            Token::String(text) => reader.text(&String::from_utf8_lossy(&text.value)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    reader.flush();
    reader.page.title = one_line(&reader.page.title);
    reader.page
}

fn tokens(html: &str) -> impl Iterator<Item = Token> {
    let mut emitter = DefaultEmitter::default();
    // As browsers do: in scripts, styles and titles no tags are read.
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(html, emitter).map(|token| match token {
        Ok(token) => token,
        Err(never) => match never {},
    })
}

/// The style sheets within a page, one after the other.
fn style_sheets(html: &str) -> String {
    let (mut all, mut is_style) = (String::new(), false);
    for token in tokens(html) {
        match token {
            Token::StartTag(tag) => is_style = &tag.name[..] == b"style",
            Token::EndTag(_) => is_style = false,
            Token::String(text) if is_style => all.push_str(&String::from_utf8_lossy(&text.value)),
            _ => {}
        }
    }
    all
}

#[derive(Default)]
struct Reader {
    page: Page,
    /// Classes (`.x`) and ids (`#x`) that the page's own style sheets hide.
    styles: HashSet<String>,
    open: Vec<Open>,
    /// The block that is being read.
    text: String,
    link_chars: usize,
    kind: Option<Kind>,
    region: Option<Region>,
}

impl Reader {
    fn start(&mut self, tag: &StartTag<()>) {
        let name: &[u8] = &tag.name;
        if name == b"br" || name == b"hr" || name == b"wbr" {
            match (name, self.within(|open| open.kind == Some(Kind::Code))) {
                (b"br", true) => self.text.push('\n'),
                (b"wbr", _) => {}
                _ => self.text.push(' '),
            }
            return;
        }
        if VOID.contains(&name) {
            return;
        }
        let is_block = BLOCKS.contains(&name);
        if is_block {
            self.flush();
            self.close_implied(name);
        } else if matches!(name, b"td" | b"th") {
            self.close_up_to(&[b"td", b"th"], &[b"table", b"tr"]);
            if !self.text.trim().is_empty() {
                self.text.push_str(" | ");
            }
        }
        if self.open.len() >= DEPTH_MAX {
            self.page.is_cut = true;
            return;
        }
        let opened = self.opened(tag);
        if opened.is_hidden && !self.open.last().is_some_and(|open| open.is_hidden) {
            self.page.hidden_elements += 1;
        }
        if opened.is_code && !self.is_silent() && !is_in_code(&self.open) {
            self.text.push('`');
        }
        self.open.push(opened);
    }

    fn opened(&self, tag: &StartTag<()>) -> Open {
        let name: &[u8] = &tag.name;
        let attribute = |wanted: &[u8]| {
            tag.attributes.get(wanted).map(|value| String::from_utf8_lossy(&value.value).to_ascii_lowercase())
        };
        let (class, id, role) = (attribute(b"class"), attribute(b"id"), attribute(b"role"));
        let classes = || class.iter().flat_map(|class| class.split_ascii_whitespace());
        let around = self.open.last();
        let is_hidden = around.is_some_and(|open| open.is_hidden)
            || attribute(b"hidden").is_some_and(|value| value != "until-found")
            || attribute(b"aria-hidden").is_some_and(|value| value == "true")
            || attribute(b"style").is_some_and(|style| hides(&style))
            || (name == b"dialog" && attribute(b"open").is_none())
            || classes()
                .any(|class| HIDDEN_CLASSES.contains(class) || self.styles.contains(&format!(".{class}")))
            || id.as_ref().is_some_and(|id| self.styles.contains(&format!("#{id}")));
        let is_boilerplate = |name: &str| {
            BOILERPLATE.contains(name) || name.split(['-', '_']).any(|part| BOILERPLATE.contains(part))
        };
        let is_around = AROUND.contains(&name)
            || role.as_ref().is_some_and(|role| AROUND_ROLES.contains(&role.as_bytes()))
            // A page's body and its main part are what they are, whatever they are called.
            || (!matches!(name, b"html" | b"body" | b"main" | b"article")
                && (classes().any(is_boilerplate) || id.as_deref().is_some_and(is_boilerplate)));
        let is_main = matches!(name, b"main" | b"article") || role.as_deref() == Some("main");
        let is_masthead = name == b"header" && around.is_none_or(|open| open.region == Region::Open);
        let region = match around.map_or(Region::Open, |open| open.region) {
            Region::Around => Region::Around,
            _ if is_around || is_masthead => Region::Around,
            _ if is_main => Region::Main,
            as_around => as_around,
        };
        let kind = match name {
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => Some(Kind::Heading),
            b"li" | b"dd" | b"dt" => Some(Kind::Item),
            b"blockquote" => Some(Kind::Quote),
            b"pre" => Some(Kind::Code),
            b"tr" => Some(Kind::Row),
            _ => around.and_then(|open| open.kind).filter(|kind| *kind != Kind::Heading),
        };
        let is_pre = kind == Some(Kind::Code);
        Open {
            name: name.to_vec(),
            is_hidden,
            is_skipped: around.is_some_and(|open| open.is_skipped) || SKIPPED.contains(&name),
            region,
            kind,
            is_link: name == b"a" || around.is_some_and(|open| open.is_link),
            is_code: !is_pre && matches!(name, b"code" | b"kbd" | b"samp" | b"tt" | b"var"),
        }
    }

    fn end(&mut self, name: &[u8]) {
        let Some(at) = self.open.iter().rposition(|open| open.name == name) else { return };
        // What belongs to a cell is not ended by an element around the table that was never closed.
        while self.open.len() > at {
            self.pop();
        }
        if BLOCKS.contains(&name) {
            self.flush();
        }
    }

    fn pop(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if open.is_code && !open.is_hidden && !open.is_skipped && !is_in_code(&self.open) {
            self.text.push('`');
        }
        if BLOCKS.contains(&&open.name[..]) {
            self.flush();
        }
    }

    /// Ends elements whose end may be left out where this one begins.
    fn close_implied(&mut self, name: &[u8]) {
        match name {
            b"li" => self.close_up_to(&[b"li"], &[b"ul", b"ol", b"menu"]),
            b"dt" | b"dd" => self.close_up_to(&[b"dt", b"dd"], &[b"dl"]),
            b"tr" => self.close_up_to(&[b"tr"], &[b"table"]),
            _ => {}
        }
        self.close_up_to(
            &[b"p"],
            &[b"td", b"th", b"li", b"blockquote", b"div", b"section", b"article", b"body"],
        );
    }

    /// Ends the innermost of some elements, unless one of others lies between.
    fn close_up_to(&mut self, wanted: &[&[u8]], barriers: &[&[u8]]) {
        let found = self
            .open
            .iter()
            .rposition(|open| wanted.contains(&&open.name[..]) || barriers.contains(&&open.name[..]));
        let Some(at) = found.filter(|at| wanted.contains(&&self.open[*at].name[..])) else { return };
        while self.open.len() > at {
            self.pop();
        }
    }

    fn text(&mut self, text: &str) {
        let Some(open) = self.open.last() else { return self.shown(text) };
        if open.is_skipped {
            if self.within(|open| open.name == b"title") && self.page.title.len() < 500 {
                self.page.title.push_str(text);
            }
            return;
        }
        if open.is_hidden {
            let room = HIDDEN_CHARS_MAX.saturating_sub(self.page.hidden.len());
            self.page.hidden.extend(text.chars().take(room));
            self.page.hidden.push(' ');
            return;
        }
        let (is_link, kind, region) = (open.is_link, open.kind, open.region);
        if self.text.trim().is_empty() {
            (self.kind, self.region) = (kind, Some(region));
        }
        if is_link {
            self.link_chars += text.chars().filter(|c| !c.is_whitespace()).count();
        }
        self.shown(text);
    }

    fn shown(&mut self, text: &str) {
        let before = self.text.len();
        self.text.extend(text.chars().filter(|c| !is_invisible(*c)));
        let kept = self.text[before..].chars().count();
        self.page.invisible_chars += text.chars().count() - kept;
    }

    fn within(&self, is: impl Fn(&Open) -> bool) -> bool {
        self.open.iter().any(is)
    }

    fn is_silent(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_hidden || open.is_skipped)
    }

    /// Ends the block that is being read.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        let link_chars = std::mem::take(&mut self.link_chars);
        let kind = self.kind.take().unwrap_or(Kind::Paragraph);
        let region = self.region.take().unwrap_or(Region::Open);
        let text = match kind {
            Kind::Code => text.trim_matches('\n').trim_end().to_owned(),
            _ => one_line(&text).trim_end_matches(" |").to_owned(),
        };
        if !text.chars().any(char::is_alphanumeric) {
            return;
        }
        if self.page.blocks.len() >= BLOCKS_MAX {
            self.page.is_cut = true;
            return;
        }
        self.page.text_chars += text.chars().count();
        let lower = text.to_lowercase();
        self.page.script_markers += SCRIPT_MARKERS.iter().filter(|marker| lower.contains(**marker)).count();
        self.page.blocks.push(Block { kind, region, text, link_chars });
    }
}

fn is_in_code(open: &[Open]) -> bool {
    open.iter().any(|open| open.is_code || open.kind == Some(Kind::Code))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Letters without width, marks of direction, and tags: a reader sees none of them.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
        || (c.is_control() && !c.is_whitespace())
}

/// Plain text or Markdown as blocks.
pub fn read_plain(text: &str) -> Page {
    let mut page = Page::default();
    let mut block = Vec::new();
    let (mut is_code, mut kind) = (false, Kind::Paragraph);
    let visible: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    page.invisible_chars = text.chars().count() - visible.chars().count();
    let mut flush = |lines: &mut Vec<&str>, kind: Kind| {
        let lines = std::mem::take(lines);
        let text = if kind == Kind::Code { lines.join("\n") } else { one_line(&lines.join(" ")) };
        if text.chars().any(char::is_alphanumeric) && page.blocks.len() < BLOCKS_MAX {
            page.text_chars += text.chars().count();
            page.blocks.push(Block { kind, region: Region::Open, text, link_chars: 0 });
        }
    };
    for line in visible.lines() {
        let start = line.trim_start();
        if start.starts_with("```") || start.starts_with("~~~") {
            flush(&mut block, kind);
            is_code = !is_code;
            kind = if is_code { Kind::Code } else { Kind::Paragraph };
            continue;
        }
        if is_code {
            block.push(line);
            continue;
        }
        let bullet = start.strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with(' '));
        let heading = start.strip_prefix('#').map(|rest| rest.trim_start_matches('#'));
        match (start.is_empty(), bullet, heading.filter(|rest| rest.starts_with(' '))) {
            (true, _, _) => {
                flush(&mut block, kind);
                kind = Kind::Paragraph;
            }
            (_, Some(rest), _) => {
                flush(&mut block, kind);
                (kind, block) = (Kind::Item, vec![rest]);
            }
            (_, _, Some(rest)) => {
                flush(&mut block, kind);
                flush(&mut vec![rest], Kind::Heading);
                kind = Kind::Paragraph;
            }
            _ => block.push(line),
        }
    }
    flush(&mut block, kind);
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(html: &str) -> Vec<String> {
        let page = read(html);
        page.blocks
            .iter()
            .map(|block| format!("{:?} {:?}: {}", block.kind, block.region, block.text))
            .collect()
    }

    #[test]
    fn blocks_as_a_reader_sees_them() {
        let html = "<title>A &amp; B</title><body><header>Site</header><main><h1>Retry<br>now</h1>\
            <p>Call <code>a.<b>close</b>()</code> first.<p>Then <a href=x>wait</a>.<ul><li>one<li>two<p>more</ul>\
            <pre><code>let a = 1;\n  b();</code></pre><table><tr><th>Name<th>Value<tr><td>t<td>5</table></main><footer>c</footer>";
        assert_eq!(read(html).title, "A & B");
        assert_eq!(
            told(html),
            [
                "Paragraph Around: Site",
                "Heading Main: Retry now",
                "Paragraph Main: Call `a.close()` first.",
                "Paragraph Main: Then wait.",
                "Item Main: one",
                "Item Main: two",
                "Item Main: more",
                "Code Main: let a = 1;\n  b();",
                "Row Main: Name | Value",
                "Row Main: t | 5",
                "Paragraph Around: c",
            ]
        );
    }

    #[test]
    fn what_is_not_seen_is_kept_apart() {
        for hidden in [
            "<div hidden>ORDER</div>",
            "<div hidden=''><p>x</p><b>ORDER</div>",
            "<p style='DISPLAY : none !important'>ORDER</p>",
            "<p style=\"position:absolute;left:-9999px\">ORDER</p>",
            "<span style='font-size:0'>ORDER</span>",
            "<span style='color:#fff;background:#ffffff'>ORDER</span>",
            "<span style='opacity:0.0'>ORDER</span>",
            "<span style='height:0;overflow:hidden'>ORDER</span>",
            "<span style='text-indent:-99em'>ORDER</span>",
            "<span style='clip-path: inset(50%)'>ORDER</span>",
            "<span style='transform:scale(0)'>ORDER</span>",
            "<span style='color:transparent'>ORDER</span>",
            "<span class='a sr-only'>ORDER</span>",
            "<span aria-hidden=true>ORDER</span>",
            "<dialog>ORDER</dialog>",
            "<style>p .x, .y { color: red } @media print { .z{display:none} } i.w{visibility:hidden}</style><i class=z>ORDER</i>",
            "<style>#k{display:none}</style><i id=k>ORDER</i>",
            "<script>ORDER</script>",
            "<noscript>ORDER</noscript>",
            "<template><p>ORDER</template>",
            "<!-- ORDER -->",
            "<img alt='ORDER'>",
            "<input value='ORDER'>",
            "<a title='ORDER' href='ORDER'></a>",
            "<textarea>ORDER</textarea>",
            "<svg><text>ORDER</text></svg>",
        ] {
            let page = read(&format!("<p>before</p>{hidden}<p>after</p>"));
            let seen: Vec<&str> = page.blocks.iter().map(|block| block.text.as_str()).collect();
            assert_eq!(seen, ["before", "after"], "{hidden}");
        }
        let page = read("<p hidden>do this</p><div style='display:none'>and <p>that</div>");
        assert_eq!((page.hidden_elements, page.hidden.trim()), (2, "do this and  that"));
        let page = read("<p>re\u{200b}try\u{202e} it\u{e0041}</p>");
        assert_eq!((page.blocks[0].text.as_str(), page.invisible_chars), ("retry it", 3));
    }

    #[test]
    fn a_page_that_nests_without_end_is_read_in_time() {
        for html in [
            "<div>".repeat(100_000),
            "<b><p>".repeat(80_000),
            "<a x=1><b><i><p>".repeat(30_000),
            "<table><tr><td>".repeat(30_000),
            format!("{}{}", "<div>".repeat(50_000), "</p></div>".repeat(40_000)),
            "<style>.a{display:none}</style>".repeat(15_000),
            "<p>a</p>".repeat(60_000),
            format!("<p {}>x", "a=1 ".repeat(100_000)),
        ] {
            let page = read(&html);
            assert!(page.blocks.len() <= BLOCKS_MAX);
        }
    }

    #[test]
    fn markdown_is_read_as_blocks() {
        let page = read_plain("# Title\n\nOne line\nand another.\n\n- a\n- b\n\n```\nlet x;\n```\n");
        let told: Vec<String> =
            page.blocks.iter().map(|block| format!("{:?}: {}", block.kind, block.text)).collect();
        assert_eq!(
            told,
            ["Heading: Title", "Paragraph: One line and another.", "Item: a", "Item: b", "Code: let x;"]
        );
    }
}
