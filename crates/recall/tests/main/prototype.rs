//! The same twelve texts and two questions as the prototype was given: the same order and the same numbers.
//!
//! `prototype.json` is what the prototype printed. Where terms that the best matches add are equally frequent, it took them by
//! the alphabet and we take them by their hash: the rows that this touches were printed with that order, and are marked.

use std::collections::HashMap;
use std::convert::Infallible;

use ken_recall::keyword::Keywords;
use ken_recall::shelf::Text;
use ken_recall::{
    Among, Calibration, MemoryShelf, Mode, Question, Ranked, Term, TextIndex, Wish, rank, terms,
};
use serde_json::Value;

/// The prototype counts in 64 bits, we count words in 32.
const NEAR: f64 = 2e-5;
/// What a byte a dimension costs where there are only four.
const NEAR_BY_BYTES: f64 = 0.03;

fn prototype() -> Value {
    serde_json::from_str(include_str!("prototype.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect()
}

/// The toy texts: as the prototype keeps them, with vectors at full length beside the bytes.
struct Toy {
    shelf: MemoryShelf,
    vectors: Vec<Vec<f32>>,
}

/// The text that the prototype looks words up in.
fn lexical_text(entry: &Value) -> String {
    let mut parts: Vec<String> = Vec::new();
    let text = |name: &str| entry[name].as_str().map(str::to_owned);
    parts.extend(text("subject"));
    parts.extend(text("title"));
    parts.extend(text("text"));
    let tags = entry["tags"].as_array().map(|tags| tags.iter().filter_map(Value::as_str).collect::<Vec<_>>());
    parts.extend(tags.map(|tags| tags.join(" ")));
    parts.extend(text("path"));
    parts.extend(text("date"));
    parts.join(" ")
}

fn toy() -> Toy {
    let data = prototype();
    let vectors: Vec<Vec<f32>> = data["toy_vectors"].as_array().unwrap().iter().map(numbers).collect();
    let mut shelf = MemoryShelf::default();
    for (entry, vector) in data["toy_entries"].as_array().unwrap().iter().zip(&vectors) {
        let title = entry["title"].as_str().map(|title| format!("{title}. ")).unwrap_or_default();
        let spoken = format!("{title}{}", entry["text"].as_str().unwrap());
        let place = entry["source"].as_str().zip(entry["position"].as_u64());
        shelf.push(Text {
            text: &lexical_text(entry),
            spoken: Some(&spoken),
            subject: entry["subject"].as_str(),
            place: place.map(|(source, position)| (source, position as u32)),
            vector: Some(vector),
        });
    }
    Toy { shelf, vectors }
}

impl TextIndex for Toy {
    type Error = Infallible;

    fn bound(&self) -> u32 {
        self.shelf.bound()
    }

    fn lengths(&self) -> Result<Vec<u16>, Infallible> {
        self.shelf.lengths()
    }

    fn lists(&self, term: Term) -> Result<Vec<Vec<u8>>, Infallible> {
        self.shelf.lists(term)
    }

    fn terms_of(&self, doc: u32) -> Result<HashMap<Term, u32>, Infallible> {
        self.shelf.terms_of(doc)
    }

    fn beside(&self, doc: u32) -> Result<Vec<(u32, u32)>, Infallible> {
        self.shelf.beside(doc)
    }

    fn has_places(&self) -> Result<bool, Infallible> {
        self.shelf.has_places()
    }

    fn cosines(&self, meaning: &[f32]) -> Result<Option<Vec<f32>>, Infallible> {
        let dot = |vector: &Vec<f32>| vector.iter().zip(meaning).map(|(a, b)| a * b).sum();
        Ok(Some(self.vectors.iter().map(dot).collect()))
    }

    fn cosines_of(&self, meaning: &[f32], docs: &[u32]) -> Result<Vec<Option<f32>>, Infallible> {
        let all = self.cosines(meaning)?.unwrap_or_default();
        Ok(docs.iter().map(|doc| all.get(*doc as usize).copied()).collect())
    }
}

fn ranked<S: TextIndex<Error = Infallible>>(
    shelf: &S,
    query: &str,
    mode: Mode,
    meaning: Option<&[f32]>,
) -> Ranked {
    let question = Question::plain(query);
    let wish = Wish {
        question: &question,
        mode,
        wanted: 20,
        among: Among::All,
        reserved: None,
        calibration: Calibration::MINILM,
    };
    let mut embed = |_: &str| meaning.map(<[f32]>::to_vec);
    let Ok(ranked) = rank(shelf, &wish, Some(&mut embed));
    ranked
}

fn close(what: &str, ours: f64, theirs: &Value, within: f64) {
    let theirs = theirs.as_f64().unwrap();
    assert!((ours - theirs).abs() <= within, "{what}: we say {ours:.6}, the prototype {theirs:.6}");
}

fn compare(ranked: &Ranked, expected: &Value, within: f64) {
    close("words' weight", ranked.words_weight, &expected["w"], within);
    // Ours also reckons with chance among so many texts, so confidences differ; what is behind the best is compared in shares.
    let surety = expected["confidence"].as_f64().unwrap();
    assert_eq!(ranked.meaning_text, expected["semantic_query"].as_str().unwrap());
    let top = expected["top"].as_array().unwrap();
    let theirs: Vec<u64> = top.iter().map(|one| one["index"].as_u64().unwrap()).collect();
    let ours: Vec<u64> = ranked.found.iter().take(top.len()).map(|one| u64::from(one.doc)).collect();
    assert_eq!(ours, theirs, "the order");
    for (found, expected) in ranked.found.iter().zip(top) {
        let id = expected["id"].as_str().unwrap();
        close(&format!("{id}, cosine"), found.cosine.unwrap(), &expected["cos"], within);
        close(&format!("{id}, words and meaning"), found.words + found.meaning, &expected["base"], within);
        close(&format!("{id}, subject"), found.subject * 2.0, &expected["subject"], 0.0);
        close(&format!("{id}, score"), found.raw(), &expected["score"], 2.0 * within);
        let share = expected["similarity"].as_f64().unwrap() / surety;
        close(
            &format!("{id}, similarity"),
            found.similarity / ranked.confidence,
            &share.into(),
            4.0 * within,
        );
    }
}

#[test]
fn a_question_about_a_conversation_is_ranked_as_by_the_prototype() {
    let (toy, data) = (toy(), prototype());
    let meaning = numbers(&data["toy_qvec"]);
    let query = data["toy"]["query"].as_str().unwrap();
    compare(&ranked(&toy, query, Mode::Hybrid, Some(&meaning)), &data["toy"], NEAR);
    compare(&ranked(&toy.shelf, query, Mode::Hybrid, Some(&meaning)), &data["toy"], NEAR_BY_BYTES);
}

#[test]
fn a_question_of_identifiers_is_ranked_as_by_the_prototype() {
    let (toy, data) = (toy(), prototype());
    let meaning = numbers(&data["toy_qvec2"]);
    let query = data["toy2"]["query"].as_str().unwrap();
    compare(&ranked(&toy, query, Mode::Hybrid, Some(&meaning)), &data["toy2"], NEAR);
    compare(&ranked(&toy.shelf, query, Mode::Hybrid, Some(&meaning)), &data["toy2"], NEAR_BY_BYTES);
}

#[test]
fn words_alone_rank_as_in_the_prototype() {
    let (toy, data) = (toy(), prototype());
    let ids: Vec<&str> =
        data["toy_entries"].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    let query = data["toy"]["query"].as_str().unwrap();
    for (mode, meaning) in [(Mode::Lexical, Some(numbers(&data["toy_qvec"]))), (Mode::Hybrid, None)] {
        let ranked = ranked(&toy, query, mode, meaning.as_deref());
        assert!(!ranked.by_meaning);
        let expected = data["toy_lexical"].as_object().unwrap();
        let mut theirs: Vec<(&String, f64)> =
            expected.iter().map(|(id, score)| (id, score.as_f64().unwrap())).collect();
        theirs.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (found, (id, score)) in ranked.found.iter().zip(theirs) {
            assert_eq!(ids[found.doc as usize], id);
            close(id, found.raw(), &Value::from(score), NEAR);
        }
    }
}

#[test]
fn terms_are_as_rare_as_the_prototype_says() {
    let (toy, data) = (toy(), prototype());
    let Ok(mut keywords) = Keywords::open(&toy);
    for case in ["toy", "toy2"] {
        for (form, expected) in data[case]["terms"].as_object().unwrap() {
            let term = Term::from_form(form);
            let Ok(frequency) = keywords.frequency(term);
            assert_eq!(u64::from(frequency), expected["df"].as_u64().unwrap(), "{form}");
            let Ok(rarity) = keywords.rarity(term);
            close(form, f64::from(rarity), &expected["idf"], 1e-5);
        }
    }
}

// Ours differ in order only: a name comes before its parts.
#[test]
fn texts_are_taken_apart_as_by_the_prototype() {
    for (text, expected) in prototype()["analysis"].as_object().unwrap() {
        let mut theirs: Vec<String> =
            expected.as_array().unwrap().iter().map(|form| form.as_str().unwrap().to_owned()).collect();
        let mut ours: Vec<String> = terms::words(text).into_iter().map(|word| word.form).collect();
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs, "{text:?}");
    }
}
