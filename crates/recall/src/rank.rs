//! Words and meaning, weighed against each other for each question.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::keyword::{Keywords, LEADING, TERMS_MAX, Weighted, best_of, top};
pub use crate::limits::rank::{ANSWER_MIN, ANSWER_SHARE_MIN, ECHO_SHARE_MIN, SURFACE_MIN};
use crate::limits::rank::{
    BEHIND, CANDIDATES_MAX, CHANCE_SPREAD, CHANCE_TEXTS, COSINE_SPREAD_MIN, COVERAGE_MAX, COVERAGE_POWER,
    ECHO_COSINE_MIN, ECHO_COVER_MIN, ECHO_PLACES, ECHO_TERMS_MIN, FALL_POWER, FAR_COSINE, FEEDBACK_SHARE,
    LENDERS_MAX, MEANING_POWER, NEAR_COSINE_MIN, NEARNESS_POWER, ODDS_MIN, RESERVED_MAX, SHARPNESS_PLACE,
    SHARPNESS_POWER, SPOKEN_SHARE_MIN, SUBJECT_BONUS, SUBJECT_WORDS_MAX, SURE_BY_COVERAGE,
    SURE_BY_COVERAGE_ALONE, SURE_BY_NEARNESS, SURE_FROM, SURE_FROM_ALONE, WORDS_POWER,
};
use crate::question::Question;
use crate::shelf::TextIndex;
use crate::terms::{self, Term};

/// Which side answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    Lexical,
    Semantic,
    /// Meaning alone, without a look at any word: finds the texts that are most like another.
    Nearest,
    /// Both, weighed by the question.
    #[default]
    Hybrid,
}

/// A text that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextMatch {
    pub doc: u32,
    /// How well it answers, 0 to 1: about the share of such answers that are right ones.
    pub similarity: f64,
    /// What its words count, of the whole.
    pub words: f64,
    /// What its meaning counts.
    pub meaning: f64,
    /// What its neighbours in the same document count.
    pub neighbours: f64,
    /// What being about a subject of the question counts.
    pub subject: f64,
    /// How near its meaning is; not known for a text without a vector, or where no meanings were compared.
    pub cosine: Option<f64>,
    /// Whether meanings took part where it was found.
    pub by_meaning: bool,
    /// How much of the question its words cover: 1 where each of them occurs once in a text of ordinary length.
    pub cover: f64,
    /// Its sum as a share of the best one's.
    pub of_best: f64,
    /// How likely the best of those that it was ranked with is an answer.
    pub confidence: f64,
    /// The share of its sum that counts: less than 1 for a text that is held back (see [`Ranked::hold_back`]).
    pub counted: f64,
}

impl TextMatch {
    /// A text that answers because it is what was asked for, whatever its words.
    pub fn certain(doc: u32) -> TextMatch {
        TextMatch { similarity: 1.0, of_best: 1.0, confidence: 1.0, ..TextMatch::new(doc, (0.0, 0.0)) }
    }

    fn new(doc: u32, (words, meaning): (f64, f64)) -> TextMatch {
        TextMatch {
            doc,
            similarity: 0.0,
            words,
            meaning,
            neighbours: 0.0,
            subject: 0.0,
            cosine: None,
            by_meaning: false,
            cover: 0.0,
            of_best: 0.0,
            confidence: 0.0,
            counted: 1.0,
        }
    }

    /// The sum that texts are ordered by; what it is worth as an answer is its similarity.
    pub fn raw(&self) -> f64 {
        self.words + self.meaning + self.neighbours + self.subject
    }

    /// Whether it says what was asked, rather than an answer: its meaning is the question's, or it has all the words of a long one.
    fn repeats_question(&self, terms: usize) -> bool {
        self.cosine.is_some_and(|cosine| cosine >= ECHO_COSINE_MIN)
            || terms >= ECHO_TERMS_MIN && self.cover >= ECHO_COVER_MIN
    }

    /// What of the sum counts.
    fn counting(&self) -> f64 {
        self.counted * self.raw()
    }
}

/// Texts in order, with how the question was taken.
#[derive(Clone, Debug, Default)]
pub struct Ranked {
    /// The texts, best first.
    pub found: Vec<TextMatch>,
    /// How much words counted against meaning.
    pub words_weight: f64,
    /// How likely the best answer is one.
    pub confidence: f64,
    /// Words of the question that name what texts are about.
    pub subjects: Vec<String>,
    /// The text whose meaning was taken.
    pub meaning_text: String,
    /// Different terms of the question.
    pub terms: usize,
    /// Words took part.
    pub by_words: bool,
    /// Meaning took part.
    pub by_meaning: bool,
}

impl Ranked {
    /// Lets a text that repeats the question, and that nobody but its writer speaks for, count less than what answers it, too (decision 0039):
    /// it comes behind the first `ECHO_PLACES` proven texts that are near to it. Of texts that are not told of nothing changes.
    pub fn hold_back(&mut self, is_proven: &HashMap<u32, bool>) {
        let proven = self.found.iter().filter(|found| is_proven.get(&found.doc) == Some(&true));
        let mut proven: Vec<f64> = proven.map(TextMatch::raw).collect();
        proven.sort_by(|a, b| b.total_cmp(a));
        proven.truncate(ECHO_PLACES);
        let terms = self.terms;
        for found in self.found.iter_mut().filter(|found| is_proven.get(&found.doc) == Some(&false)) {
            let raw = found.raw();
            let last_near = proven.iter().rfind(|proven| **proven >= ECHO_SHARE_MIN * raw);
            if let Some(near) = last_near.filter(|_| found.repeats_question(terms)) {
                found.counted = BEHIND * (near / raw.max(f64::MIN_POSITIVE)).min(1.0);
            }
        }
        self.settle();
    }

    /// Puts the texts in order and says how well each answers.
    fn settle(&mut self) {
        self.found.sort_by(|a, b| b.counting().total_cmp(&a.counting()).then(a.doc.cmp(&b.doc)));
        let most = self.found.first().map_or(0.0, TextMatch::counting).max(1e-9);
        for found in &mut self.found {
            found.of_best = (found.counting() / most).clamp(0.0, 1.0);
            found.confidence = self.confidence;
            found.similarity = found.confidence * found.of_best.powf(FALL_POWER);
        }
    }
}

/// Takes the meaning of a text; none where that cannot be done.
pub type Embed<'a> = &'a mut dyn FnMut(&str) -> Option<Vec<f32>>;

/// How a model's cosines are to be read. Each model has its own idea of near and far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// How near two texts are that have nothing to do with each other; when it is not known, the middle of all texts is taken.
    pub far: Option<f64>,
    /// From here on two texts say the same, and are one entry.
    pub same_min: f64,
    /// From here on a new text strengthens the entry that is there.
    pub reinforce_min: f64,
    /// From here on somebody should judge whether they say the same.
    pub ask_min: f64,
}

impl Calibration {
    /// Of all-MiniLM-L6-v2: what all constants here were chosen with.
    pub const MINILM: Calibration =
        Calibration { far: Some(FAR_COSINE), same_min: 0.98, reinforce_min: 0.92, ask_min: 0.82 };
    /// Of a model that nobody has measured.
    pub const UNKNOWN: Calibration = Calibration { far: None, ..Calibration::MINILM };

    /// Cosines on the scale of the model that the constants were chosen with: far is far, and the same is the same.
    fn on_our_scale(&self, near: &mut [f32]) {
        if self.far == Some(FAR_COSINE) {
            return;
        }
        let far = self.far.unwrap_or_else(|| middle(near)).min(0.99);
        for cosine in near.iter_mut().filter(|cosine| !cosine.is_nan()) {
            *cosine = (FAR_COSINE + (f64::from(*cosine) - far) / (1.0 - far) * (1.0 - FAR_COSINE)) as f32;
        }
    }
}

fn middle(values: &[f32]) -> f64 {
    let mut known: Vec<f32> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    if known.is_empty() {
        return FAR_COSINE;
    }
    let at = known.len() / 2;
    f64::from(*known.select_nth_unstable_by(at, f32::total_cmp).1)
}

/// Which texts may answer.
#[derive(Clone, Copy, Debug)]
pub enum Among<'a> {
    /// All of them.
    All,
    Only(&'a HashSet<u32>),
    /// All but these.
    AllBut(&'a HashSet<u32>),
}

impl Among<'_> {
    fn holds(self, doc: u32) -> bool {
        match self {
            Among::All => true,
            Among::Only(docs) => docs.contains(&doc),
            Among::AllBut(docs) => docs.is_empty() || !docs.contains(&doc),
        }
    }
}

/// What is wanted of a shelf.
#[derive(Clone, Copy)]
pub struct Wish<'a> {
    pub question: &'a Question,
    /// Which side answers.
    pub mode: Mode,
    /// How many texts are wanted.
    pub wanted: usize,
    /// The texts that may answer.
    pub among: Among<'a>,
    /// Texts of which the best are found, however many others answer better.
    pub reserved: Option<&'a HashSet<u32>>,
    /// How the model's cosines are to be read.
    pub calibration: Calibration,
}

/// What a text gets of its neighbours at one and at two places' distance.
const NEIGHBOUR_SHARES: [f64; 2] = [0.35, 0.15];

/// Finds the texts that answer a question, best first. All constants were chosen together; see `docs/internals/recall.md`.
pub fn rank<S: TextIndex>(shelf: &S, wish: &Wish<'_>, embed: Option<Embed<'_>>) -> Result<Ranked, S::Error> {
    let mut keywords = Keywords::open(shelf)?;
    let question = wish.question;
    let living = keywords.living();
    let allowed =
        |doc: u32| wish.among.holds(doc) && living.get(doc as usize).is_some_and(|length| *length > 0);
    let mut ranked = Ranked::default();
    let ignores_words = wish.mode == Mode::Nearest;
    let subjects = if ignores_words { Vec::new() } else { subjects_in(question, &mut keywords)? };
    ranked.subjects = subjects.iter().map(|subject| as_written(&question.text, &subject.name)).collect();

    let ByWords { scores: words, plain, mass, sharpness, coverage, asked } =
        if ignores_words { ByWords::default() } else { by_words(&mut keywords, wish, &allowed)? };
    let allowed_of = |values: &[f32], least: f32| -> Vec<(u32, f32)> {
        let fit = (0..).zip(values.iter().copied()).filter(|(doc, _)| allowed(*doc));
        best_of(fit, least, CANDIDATES_MAX)
    };
    let best_by_words = allowed_of(&words, 0.0);
    ranked.by_words = words.iter().any(|score| *score > 0.0);
    let mut near = None;
    if let (true, Some(embed)) = (wish.mode != Mode::Lexical, embed) {
        ranked.meaning_text = without_names(&question.text, &subjects);
        if let Some(meaning) = embed(&ranked.meaning_text) {
            near = shelf.cosines(&meaning)?;
            if let Some(near) = &mut near {
                fill_in(shelf, near, &meaning, &best_by_words)?;
                wish.calibration.on_our_scale(near);
            }
        }
    }
    // Cosines may be negative; the best of them are still the best.
    let mut nearest = near.as_deref().map(|near| allowed_of(near, -1.0));
    let best = |list: &[(u32, f32)]| list.first().map_or(0.0, |(_, value)| f64::from(*value).max(0.0));
    // Where nothing comes near, the nearest is noise: words answer alone, if they can.
    if ranked.by_words && nearest.as_deref().is_some_and(|list| best(list) < NEAR_COSINE_MIN) {
        (near, nearest) = (None, None);
    }
    ranked.by_meaning = near.is_some();
    let best_word = best(&best_by_words);
    let best_near = nearest.as_deref().map(best);
    let odds = (sharpness + ODDS_MIN).powf(SHARPNESS_POWER)
        * (coverage.min(1.0) + ODDS_MIN).powf(COVERAGE_POWER)
        * (best_near.unwrap_or(0.0).max(0.0) + ODDS_MIN).powf(NEARNESS_POWER);
    ranked.words_weight = match (best_word > 0.0, best_near.is_some()) {
        (true, true) => odds / (1.0 + odds),
        (true, false) => 1.0,
        (false, _) => 0.0,
    };
    let weight = ranked.words_weight;
    let spread = (best_near.unwrap_or(0.0) - FAR_COSINE).max(COSINE_SPREAD_MIN);
    let base = |doc: u32| -> (f64, f64) {
        let word = words.get(doc as usize).map_or(0.0, |score| f64::from(*score));
        let word = if best_word > 0.0 { (word / best_word).min(1.0).powf(WORDS_POWER) } else { 0.0 };
        match near.as_ref().and_then(|near| near.get(doc as usize)) {
            None => (weight * word, 0.0),
            // What has no vector yet is judged by its words.
            Some(cosine) if cosine.is_nan() => (if ranked.by_words { word } else { 0.0 }, 0.0),
            Some(cosine) => {
                let near = ((f64::from(*cosine) - FAR_COSINE).max(0.0) / spread).min(1.0).powf(MEANING_POWER);
                (weight * word, (1.0 - weight) * near)
            }
        }
    };
    let reserved = |values: &[f32], least: f32| -> Vec<(u32, f32)> {
        let Some(reserved) = wish.reserved else { return Vec::new() };
        let docs = reserved.iter().copied().filter(|doc| allowed(*doc));
        let fit = docs.filter_map(|doc| Some((doc, *values.get(doc as usize)?)));
        best_of(fit, least, RESERVED_MAX)
    };
    let reserved_by_words = reserved(&words, 0.0);
    let reserved_near = near.as_deref().map_or_else(Vec::new, |near| reserved(near, -1.0));
    let reserved = reserved_by_words.iter().chain(&reserved_near);
    let chosen = best_by_words.iter().chain(nearest.iter().flatten()).chain(reserved);
    let mut found: BTreeMap<u32, TextMatch> =
        chosen.map(|(doc, _)| (*doc, TextMatch::new(*doc, base(*doc)))).collect();
    lend_to_neighbours(shelf, &mut found, &allowed, &base)?;
    for subject in &subjects {
        for doc in subject.holders.iter().copied().filter(|doc| allowed(*doc)) {
            if let Some(known) = found.get_mut(&doc) {
                known.subject = SUBJECT_BONUS;
            }
        }
    }
    let among = keywords.count();
    ranked.confidence =
        confidence(coverage, best_near.map(|near| near + luck(CHANCE_TEXTS) - luck(among as f64)));
    ranked.found = found.into_values().collect();
    for one in &mut ranked.found {
        one.by_meaning = ranked.by_meaning;
        one.cosine = near
            .as_ref()
            .and_then(|near| near.get(one.doc as usize))
            .filter(|near| !near.is_nan())
            .map(|near| f64::from(*near));
        let plain = plain.get(one.doc as usize).map_or(0.0, |score| f64::from(*score));
        one.cover = if mass > 0.0 { plain / mass } else { 0.0 };
    }
    ranked.terms = asked;
    ranked.settle();
    let mut at = 0;
    ranked.found.retain(|found| {
        at += 1;
        at <= wish.wanted || wish.reserved.is_some_and(|reserved| reserved.contains(&found.doc))
    });
    Ok(ranked)
}

/// The texts whose words are most like those of each question, best first. Meaning takes no part and nothing is added to the
/// questions: this is for asking many at once, and what is read for one serves the next.
pub fn worded_like<S: TextIndex>(
    shelf: &S,
    questions: &[Question],
    among: Among<'_>,
    wanted: usize,
) -> Result<Vec<Vec<u32>>, S::Error> {
    let mut keywords = Keywords::open(shelf)?;
    let mut all = Vec::with_capacity(questions.len());
    for question in questions {
        let scores = keywords.score(&question_terms(question))?.by_doc;
        let allowed = (0..).zip(scores).filter(|(doc, _)| among.holds(*doc));
        all.push(best_of(allowed, 0.0, wanted).into_iter().map(|(doc, _)| doc).collect());
    }
    Ok(all)
}

/// How near the nearest of so many texts is by chance alone, beyond what any one of them is.
fn luck(texts: f64) -> f64 {
    CHANCE_SPREAD * (2.0 * texts.max(2.0).ln()).sqrt()
}

/// How likely it is that the best answer is one.
fn confidence(coverage: f64, nearness: Option<f64>) -> f64 {
    let covered = coverage.min(COVERAGE_MAX);
    let sure = match nearness {
        Some(near) => SURE_BY_NEARNESS * near + SURE_BY_COVERAGE * covered + SURE_FROM,
        None => SURE_BY_COVERAGE_ALONE * covered + SURE_FROM_ALONE,
    };
    1.0 / (1.0 + (-sure).exp())
}

/// What the words of a question say.
#[derive(Default)]
struct ByWords {
    /// Scores of all texts with what the best matches add; none where meaning answers alone.
    scores: Vec<f32>,
    /// Scores of all texts by the question's own terms.
    plain: Vec<f32>,
    /// What a text gets by these that has each of them once.
    mass: f64,
    /// How far the best stands out.
    sharpness: f64,
    /// How much of the question the best covers.
    coverage: f64,
    /// Different terms of the question.
    asked: usize,
}

fn by_words<S: TextIndex>(
    keywords: &mut Keywords<'_, S>,
    wish: &Wish<'_>,
    allowed: &dyn Fn(u32) -> bool,
) -> Result<ByWords, S::Error> {
    let asked = question_terms(wish.question);
    if asked.is_empty() {
        return Ok(ByWords::default());
    }
    let mut plain = keywords.score(&asked)?;
    if !matches!(wish.among, Among::All) {
        plain
            .by_doc
            .iter_mut()
            .enumerate()
            .filter(|(doc, _)| !allowed(*doc as u32))
            .for_each(|(_, score)| *score = 0.0);
    }
    let leading = top(&plain.by_doc, LEADING.max(SHARPNESS_PLACE));
    let first = leading.first().map_or(0.0, |(_, score)| f64::from(*score));
    let later = leading.get(SHARPNESS_PLACE - 1).map_or(0.0, |(_, score)| f64::from(*score));
    let sharpness = if first > 0.0 { (first - later) / first } else { 0.0 };
    let mass = f64::from(plain.mass);
    let coverage = if mass > 0.0 { first / mass } else { 0.0 };
    let scores = if wish.mode == Mode::Semantic {
        Vec::new()
    } else {
        let more = keywords.with_feedback(&asked, &leading, FEEDBACK_SHARE)?;
        keywords.score(&more)?.by_doc
    };
    Ok(ByWords { scores, plain: plain.by_doc, mass, sharpness, coverage, asked: asked.len() })
}

/// In a long list only the nearest are compared: the best by words are compared as well.
fn fill_in<S: TextIndex>(
    shelf: &S,
    near: &mut [f32],
    meaning: &[f32],
    best_by_words: &[(u32, f32)],
) -> Result<(), S::Error> {
    let missing: Vec<u32> = best_by_words
        .iter()
        .map(|(doc, _)| *doc)
        .filter(|doc| near.get(*doc as usize).is_some_and(|near| near.is_nan()))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    for (doc, cosine) in missing.iter().zip(shelf.cosines_of(meaning, &missing)?) {
        if let Some(cosine) = cosine {
            near[*doc as usize] = cosine;
        }
    }
    Ok(())
}

/// A text gets a share of what stands beside it in the same document.
fn lend_to_neighbours<S: TextIndex>(
    shelf: &S,
    found: &mut BTreeMap<u32, TextMatch>,
    allowed: &dyn Fn(u32) -> bool,
    base: &dyn Fn(u32) -> (f64, f64),
) -> Result<(), S::Error> {
    if !shelf.has_places()? {
        return Ok(());
    }
    let mut lenders: Vec<(u32, f64)> = found.values().map(|one| (one.doc, one.words + one.meaning)).collect();
    lenders.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    lenders.truncate(LENDERS_MAX);
    for (lender, score) in lenders {
        for (doc, distance) in shelf.beside(lender)? {
            let Some(share) = NEIGHBOUR_SHARES.get(distance.saturating_sub(1) as usize) else { continue };
            if allowed(doc) {
                found.entry(doc).or_insert_with(|| TextMatch::new(doc, base(doc))).neighbours +=
                    share * score;
            }
        }
    }
    Ok(())
}

/// A subject that a question names.
struct Subject {
    name: String,
    /// The texts that are about it.
    holders: Vec<u32>,
    /// They are filed under it without naming it.
    unspoken: bool,
}

fn subjects_in<S: TextIndex>(
    question: &Question,
    keywords: &mut Keywords<'_, S>,
) -> Result<Vec<Subject>, S::Error> {
    let forms: Vec<&str> = question.words.iter().map(|word| word.form.as_str()).take(TERMS_MAX).collect();
    let mut subjects: Vec<Subject> = Vec::new();
    if keywords.frequency(Term::of_any_subject())? == 0 {
        return Ok(subjects);
    }
    for length in 1..=SUBJECT_WORDS_MAX {
        for window in forms.windows(length) {
            let name = window.join(" ");
            if subjects.iter().any(|subject| subject.name == name) {
                continue;
            }
            let holders = keywords.holders(Term::of_subject(&name))?;
            if !holders.is_empty() {
                let spoken = keywords.frequency(Term::of_spoken_subject(&name))? as f32;
                let unspoken = spoken < SPOKEN_SHARE_MIN * holders.len() as f32;
                subjects.push(Subject { name, holders, unspoken });
            }
        }
    }
    Ok(subjects)
}

/// A subject as the question wrote it.
fn as_written(text: &str, name: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_it = |some: &&[&str]| crate::shelf::subject_name(&some.join(" ")) == name;
    let found = words.windows(name.split(' ').count()).find(is_it);
    let plain = |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    found.map_or_else(|| name.to_owned(), |some| some.iter().map(plain).collect::<Vec<_>>().join(" "))
}

/// The terms of a question, each once.
fn question_terms(question: &Question) -> Weighted {
    let mut terms: Weighted = Vec::new();
    for word in &question.words {
        let term = Term::from_form(&word.form);
        if let Some((_, weight)) = terms.iter_mut().find(|(known, _)| *known == term) {
            *weight += 1.0;
        } else if terms.len() < TERMS_MAX {
            terms.push((term, 1.0));
        }
    }
    terms
}

/// The question with "I" for each name that texts are filed under: a name would drown what is asked about it, and who is filed
/// under a name speaks of himself.
fn without_names(text: &str, subjects: &[Subject]) -> String {
    let mut names: Vec<Vec<&str>> = subjects
        .iter()
        .filter(|subject| subject.unspoken)
        .map(|subject| subject.name.split(' ').collect())
        .collect();
    if names.is_empty() {
        return text.to_owned();
    }
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let words: Vec<&str> = text.split_whitespace().collect();
    let forms: Vec<Vec<String>> =
        words.iter().map(|word| terms::words(word).into_iter().map(|word| word.form).collect()).collect();
    let mut kept: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let here = |name: &&Vec<&str>| {
            name.iter()
                .enumerate()
                .all(|(offset, form)| forms.get(at + offset).is_some_and(|forms| forms.as_slice() == [*form]))
        };
        match names.iter().find(here) {
            Some(name) => {
                let last = words[at + name.len() - 1];
                let end = last.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
                kept.push(format!("I{}", &last[end..]));
                at += name.len();
            }
            None => {
                kept.push(words[at].to_owned());
                at += 1;
            }
        }
    }
    let rest = kept.join(" ");
    // A question that is nothing but a name is about that name.
    if terms::words(&rest).is_empty() { text.to_owned() } else { rest }
}
