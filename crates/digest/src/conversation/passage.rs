//! Messages cut into passages.

use std::sync::LazyLock;

use ken_language::{Style, flat, in_backticks, sentence_ends};
use regex::Regex;

use super::{Around, Message, Speaker};
use crate::limits::conversation::{
    PASSAGE_CHARS_MAX, PASSAGE_SENTENCES_MAX, PASSAGE_WORDS_MIN, PERSON_CHARS_MAX, SENTENCE_WORDS_MIN,
    WITH_BEFORE_CHARS_MAX, WITH_NEXT_CHARS_MAX,
};

/// One to three sentences that somebody said and that stand alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    pub speaker: Speaker,
    /// The words as they were said, on one line.
    pub text: String,
    pub around: Around,
    /// The heading above it, empty where there is none.
    pub heading: String,
    /// It is a point of a list.
    pub is_item: bool,
    /// It is of the first paragraph.
    pub is_first: bool,
    pub sentences: usize,
    /// The paragraph is one of many.
    pub is_long_message: bool,
}

impl Passage {
    /// A name for its words, by which it is judged without them: 16 digits of a hash (FNV-1a).
    pub fn key(&self) -> String {
        let words = self.text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in words.flat_map(|word| word.to_lowercase().into_bytes().into_iter().chain([b' '])) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        format!("{hash:016x}")
    }

    /// Its words as a statement: without emphasis, targets of links and words that only lead in.
    pub fn statement(&self) -> String {
        static LINK: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"\[([^\]]+)\]\([^)\s]*\)").expect("a constant"));
        static LEADS_IN: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new("(?i)^(?:(?:also|and|but|so|plus|ok|okay|yes|yeah|no|nope|nah|right|alright|good|great|hm+|wait|actually|well|hey|btw|please note|note(?: that)?|side note|one side note|one (?:more )?thing(?: to (?:note|flag|be aware of))?|for (?:the record|future reference)|to answer your question directly|good catch|you(?:'|’)re right|confirmed|agreed|understood|got it|yep|fair|correct|sorry|stop|ah)\\b\\s*[,.:;!–—-]+\\s*)+")
            .expect("a constant")
        });
        let text = LINK.replace_all(&self.text, "$1");
        let text = without_emphasis(&text);
        let text = LEADS_IN.replace(text.trim_start_matches(['—', '–', '-', ' ', ':', ';', ',']), "");
        let mut signs = text.trim().chars();
        match signs.next() {
            // A name in code is left as it is written.
            Some(first) if first.is_lowercase() && !is_name(&text) => {
                first.to_uppercase().chain(signs).collect()
            }
            Some(_) => text.trim().to_owned(),
            None => String::new(),
        }
    }
}

/// Whether a text begins with something that is written as a name and not as a word.
fn is_name(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let bare = first.trim_end_matches([',', '.', ':', ';', '\'']);
    bare.contains(['_', '/', '.', '-']) || bare.chars().skip(1).any(char::is_uppercase)
}

/// A text without `**` and `__` outside of code.
fn without_emphasis(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, part) in text.split('`').enumerate() {
        if at > 0 {
            out.push('`');
        }
        match at % 2 {
            0 => out.push_str(&part.replace("**", "").replace("__", "")),
            _ => out.push_str(part),
        }
    }
    out
}

/// A paragraph, or a point of a list, on one line.
struct Paragraph {
    text: String,
    heading: String,
    is_item: bool,
}

/// The passages of a message. What is shown and not said (code, quotations, tables) is in none, and a person's message that is too long was pasted.
pub fn passages(message: &Message<'_>) -> Vec<Passage> {
    let is_person = message.speaker == Speaker::Person;
    if is_person && message.text.chars().count() > PERSON_CHARS_MAX {
        return Vec::new();
    }
    let paragraphs = paragraphs(message.text, is_person);
    let style = if is_person { Style::Plain } else { Style::Document };
    let cut: Vec<Vec<&str>> = paragraphs.iter().map(|paragraph| sentences(&paragraph.text, style)).collect();
    let mut found = Vec::new();
    for (at, sentences) in cut.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| cut[at].last().copied());
        for (first, last) in spans(sentences, is_person) {
            let mut text = sentences[first..=last].join(" ");
            // What points back is taken together with what it points to.
            let lead = first.checked_sub(1).map(|at| sentences[at]).or(before);
            if points_back(sentences[first])
                && let Some(lead) = lead.filter(|lead| !is_idle(lead))
                && lead.chars().count() + text.chars().count() <= WITH_BEFORE_CHARS_MAX
            {
                text = format!("{lead} {text}");
            }
            let fits = text.chars().count() <= PASSAGE_CHARS_MAX;
            let least = if is_person { SENTENCE_WORDS_MIN } else { PASSAGE_WORDS_MIN };
            if fits && text.split_whitespace().count() >= least {
                found.push(Passage {
                    speaker: message.speaker,
                    text,
                    around: message.around,
                    heading: paragraphs[at].heading.clone(),
                    is_item: paragraphs[at].is_item,
                    is_first: at == 0,
                    sentences: last - first + 1,
                    is_long_message: cut.iter().map(Vec::len).sum::<usize>() > PASSAGE_SENTENCES_MAX * 3,
                });
            }
        }
    }
    found
}

/// The first and last sentence of each passage of a paragraph.
fn spans(sentences: &[&str], is_person: bool) -> Vec<(usize, usize)> {
    let length = |first: usize, last: usize| -> usize {
        sentences[first..=last].iter().map(|one| one.chars().count()).sum()
    };
    let mut found = Vec::new();
    let mut start = 0;
    while start < sentences.len() {
        if is_idle(sentences[start]) {
            start += 1;
            continue;
        }
        let end = (start..sentences.len()).take_while(|at| !is_idle(sentences[*at])).last().unwrap_or(start);
        let is_whole = end - start < PASSAGE_SENTENCES_MAX && length(start, end) <= WITH_NEXT_CHARS_MAX;
        if is_person {
            found.extend((start..=end).map(|at| (at, at)));
        } else if is_whole {
            found.push((start, end));
        } else {
            for at in start..=end {
                let (mut first, mut last) = (at, at);
                while first > start
                    && points_back(sentences[first])
                    && last - first + 1 < PASSAGE_SENTENCES_MAX
                    && length(first - 1, last) <= WITH_BEFORE_CHARS_MAX
                {
                    first -= 1;
                }
                let goes_on = last < end
                    && points_back(sentences[last + 1])
                    && last - first + 1 < PASSAGE_SENTENCES_MAX
                    && length(first, last + 1) <= WITH_NEXT_CHARS_MAX;
                last += usize::from(goes_on);
                if !found.contains(&(first, last)) {
                    found.push((first, last));
                }
            }
        }
        start = end + 1;
    }
    found
}

/// Whether a sentence teaches nothing by its form: a question, something short, the line above a list, or what its author did or does next.
fn is_idle(sentence: &str) -> bool {
    static PLAN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("(?i)^\\W*(?:let me\\b|let's|i'll\\b|i will\\b|now\\b|next\\b|first,|then\\b|i'm \\w+ing\\b|i'm (?:now|about)|i am going|i need to|time to|going to|should i|shall i|want me|would you|do you|if you(?:'d)? (?:want|like|prefer)|say the word|let us|happy to|here's|here is|here are|checking|looking|running|reading|writing|adding|updating|fixing|creating|starting|proceeding|waiting|all (?:tests|green|checks|done)|done\\b|tests? pass|good\\b|great\\b|perfect\\b|excellent\\b|sure\\b|ok(?:ay)?\\b|thanks|got it|understood|both (?:pass|green)|clean\\b|committed|pushed|your call|two things|what i)")
        .expect("a constant")
    });
    static REPORT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("(?i)^\\W*(?:i(?:'ve| have)?(?: also| then| now)? (?:added|updated|fixed|changed|removed|moved|made|wired|reworked|created|switched|adjusted|verified|checked|committed|saved|implemented|ran|replaced|renamed)|added|updated|fixed|changed|removed|moved|created|implemented|switched|adjusted|replaced|renamed|wired|verified|regenerated|documented|all \\d+|\\d+ (?:tests|files)|nothing (?:else|committed|pushed)|the change is|try (?:again|rerunning|running)|rebuild/)\\b")
        .expect("a constant")
    });
    static REASONED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:because|since|root cause|must|never|not|always|instead|should)\b|n't\b")
            .expect("a constant")
    });
    let bare = sentence.trim_end_matches(['*', '_', ')', '"', '\'', ' ']);
    sentence.split_whitespace().count() < SENTENCE_WORDS_MIN
        || bare.ends_with('?')
        || bare.ends_with(':')
        || (PLAN.is_match(sentence) || REPORT.is_match(sentence)) && !REASONED.is_match(sentence)
}

/// Whether a sentence begins with a word that is only understood with the one before.
fn points_back(sentence: &str) -> bool {
    static BACK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("(?i)^\\W*(?:this|that|it|its|they|these|those|so|which|but|and|also|otherwise|without (?:it|this|that)|because of (?:this|that)|therefore|hence|thus|instead|same|both|there|then|however|in (?:that|this) case|as a result|meanwhile|he|she|them|plus|only|even|here|worse|yet)\\b")
        .expect("a constant")
    });
    BACK.is_match(sentence)
}

fn sentences(text: &str, style: Style) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for end in sentence_ends(text, style, &in_backticks(text)).into_iter().chain([text.len()]) {
        // `**Root cause.** ...`: the emphasis that a sentence ends with belongs to it.
        let end = end + text[end..].len() - text[end..].trim_start_matches('*').len();
        if end <= start {
            continue;
        }
        let one = text[start..end].trim();
        start = end;
        if one.chars().any(char::is_alphabetic) {
            found.push(one);
        }
    }
    found
}

/// The paragraphs of a message. A line of a person is a paragraph of its own.
fn paragraphs(text: &str, is_person: bool) -> Vec<Paragraph> {
    static ITEM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:[-*+•]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s*)?(.*)$").expect("a constant")
    });
    let mut found: Vec<Paragraph> = Vec::new();
    let (mut heading, mut is_fenced, mut goes_on) = (String::new(), false, false);
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_fenced = !is_fenced;
            goes_on = false;
            continue;
        }
        let is_shown = line.starts_with(['|', '>']) || line.starts_with('<') && line.ends_with('>');
        if is_fenced || line.is_empty() || is_shown || line.chars().all(|c| "-*_=".contains(c)) {
            goes_on = false;
            continue;
        }
        if let Some(head) = line.strip_prefix('#') {
            heading = head.trim_start_matches('#').trim().to_owned();
            goes_on = false;
            continue;
        }
        let item = ITEM.captures(line).and_then(|parts| parts.get(1)).map(|rest| rest.as_str());
        match found.last_mut() {
            Some(last) if goes_on && item.is_none() => {
                last.text.push(' ');
                last.text.push_str(line);
            }
            _ => found.push(Paragraph {
                text: item.unwrap_or(line).to_owned(),
                heading: heading.clone(),
                is_item: item.is_some(),
            }),
        }
        goes_on = !is_person;
    }
    for paragraph in &mut found {
        paragraph.text = flat(&paragraph.text);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(speaker: Speaker, text: &str) -> Vec<String> {
        let message = Message { speaker, text, around: Around::default() };
        passages(&message).iter().map(Passage::statement).collect()
    }

    #[test]
    fn a_passage_is_what_stands_alone() {
        let text = "Found it. **Root cause:** the pool never gives connections back, so it runs dry. Let me fix that.\n\n```\nnot said because shown\n```\n\
                    - The gate reads [limits](src/limits.rs) before the store is open.\nThis is why the first run fails.\n\nDone. Should I go on with the second one?";
        assert_eq!(
            cut(Speaker::Agent, text),
            [
                "Root cause: the pool never gives connections back, so it runs dry.",
                "The gate reads limits before the store is open. This is why the first run fails.",
            ]
        );
    }

    #[test]
    fn what_points_back_takes_the_sentence_before_with_it() {
        let text = "The cache is filled at startup by the loader of the tenant.\n\nThat makes a second process read a stale value.";
        assert_eq!(
            cut(Speaker::Agent, text)[1],
            "The cache is filled at startup by the loader of the tenant. That makes a second process read a stale value."
        );
    }

    #[test]
    fn each_sentence_of_a_person_counts_for_itself() {
        let text = "no, we keep fixtures in tests/data. add one for the second case please\nwhy is it red?";
        assert_eq!(
            cut(Speaker::Person, text),
            ["We keep fixtures in tests/data.", "Add one for the second case please"]
        );
        assert_eq!(
            cut(Speaker::Person, &"pasted words of a long document. ".repeat(200)),
            Vec::<String>::new()
        );
    }
}
