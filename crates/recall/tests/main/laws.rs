//! What holds for every question and every shelf.

use std::collections::HashSet;

use ken_recall::shelf::Text;
use ken_recall::{Among, Calibration, MemoryShelf, Mode, Question, Ranked, Wish, rank};

/// Random numbers that a seed fixes.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

const WORDS: &[&str] = &[
    "retry", "network", "jitter", "pool", "socket", "commit", "rebase", "token", "auth", "cache", "Ann",
    "Bob",
];

fn some_words(dice: &mut Dice, most: usize) -> String {
    (0..1 + dice.below(most)).map(|_| WORDS[dice.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
}

fn meaning(text: &str) -> Vec<f32> {
    let mut vector = vec![0.01; 8];
    text.bytes().enumerate().for_each(|(at, byte)| vector[at % 8] += f32::from(byte % 32) - 15.0);
    vector
}

fn shelf(dice: &mut Dice, texts: usize) -> MemoryShelf {
    let mut shelf = MemoryShelf::default();
    for at in 0..texts {
        let text = some_words(dice, 20);
        let vector = meaning(&text);
        shelf.push(Text {
            text: &text,
            subject: [None, Some("Ann"), Some("Bob")][dice.below(3)],
            place: (dice.below(2) == 0).then_some(("talk", at as u32)),
            vector: (dice.below(4) > 0).then_some(vector.as_slice()),
            ..Text::default()
        });
    }
    shelf
}

fn ranked(shelf: &MemoryShelf, query: &str, mode: Mode, allowed: Option<&HashSet<u32>>) -> Ranked {
    let question = Question::plain(query);
    let among = allowed.map_or(Among::All, Among::Only);
    let wish = Wish {
        question: &question,
        mode,
        wanted: 10,
        among,
        reserved: None,
        calibration: Calibration::MINILM,
    };
    let mut embed = |text: &str| Some(meaning(text));
    let Ok(ranked) = rank(shelf, &wish, Some(&mut embed));
    ranked
}

#[test]
fn likelihoods_fall_are_shares_and_only_who_may_answers() {
    for seed in 0..60 {
        let mut dice = Dice(seed);
        let size = dice.below(60);
        let shelf = shelf(&mut dice, size);
        let query = some_words(&mut dice, 6);
        let allowed: HashSet<u32> = (0..60).filter(|_| dice.below(2) == 0).collect();
        for mode in [Mode::Lexical, Mode::Semantic, Mode::Nearest, Mode::Hybrid] {
            for allowed in [None, Some(&allowed)] {
                let ranked = ranked(&shelf, &query, mode, allowed);
                let likely: Vec<f64> = ranked.found.iter().map(|found| found.similarity).collect();
                assert!(likely.is_sorted_by(|a, b| a >= b), "seed {seed}: {likely:?}");
                assert!(likely.iter().all(|one| (0.0..=1.0).contains(one)), "seed {seed}: {likely:?}");
                assert!((0.0..=1.0).contains(&ranked.words_weight), "seed {seed}");
                assert!(ranked.found.len() <= 10);
                let may = |doc: &u32| allowed.is_none_or(|allowed| allowed.contains(doc));
                assert!(ranked.found.iter().all(|found| may(&found.doc)), "seed {seed}");
                let each: HashSet<u32> = ranked.found.iter().map(|found| found.doc).collect();
                assert_eq!(each.len(), ranked.found.len(), "seed {seed}: nobody answers twice");
            }
        }
    }
}

// Who may not answer must not decide how well the others do.
#[test]
fn the_best_of_those_that_may_answer_is_as_sure_as_the_question_allows() {
    for seed in 0..60 {
        let mut dice = Dice(1_000 + seed);
        let shelf = shelf(&mut dice, 40);
        let query = some_words(&mut dice, 6);
        let allowed: HashSet<u32> = (0..40).filter(|_| dice.below(2) == 0).collect();
        let ranked = ranked(&shelf, &query, Mode::Hybrid, Some(&allowed));
        if let Some(best) = ranked.found.first() {
            assert!((best.similarity - ranked.confidence).abs() < 1e-9, "seed {seed}");
        }
    }
}

// Two clones number the same texts differently, and must answer alike.
#[test]
fn the_order_in_which_texts_came_does_not_matter() {
    let names =
        ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "joint", "knoll"];
    let told = |names: &[&str]| {
        let mut shelf = MemoryShelf::default();
        for name in names {
            shelf.push(Text {
                text: &format!("Drain the {name} queue before the deploy."),
                ..Text::default()
            });
        }
        let found = ranked(&shelf, "drain the amber queue", Mode::Lexical, None).found;
        let mut told: Vec<String> = found
            .iter()
            .filter(|one| one.similarity > found[9].similarity)
            .map(|one| format!("{} {:.4}", names[one.doc as usize], one.similarity))
            .collect();
        told.sort();
        told
    };
    let mut other = names;
    for _ in 0..names.len() {
        other.rotate_left(1);
        assert_eq!(told(&names), told(&other));
    }
    assert!(!told(&names).is_empty());
}

#[test]
fn a_question_without_any_known_word_or_text_is_answered_by_nothing() {
    let empty = MemoryShelf::default();
    for query in ["", "retry", "to be or not to be", "\u{0}", "接続"] {
        assert!(ranked(&empty, query, Mode::Hybrid, None).found.is_empty());
        let mut one = MemoryShelf::default();
        one.push(Text { text: "entirely other", ..Text::default() });
        assert!(ranked(&one, query, Mode::Lexical, None).found.is_empty());
    }
}

/// A shelf of lessons about a queue, the last of which repeat the question; with each one's number and whether others vouch for its writer.
fn repeated(honest: usize, hostile: usize) -> (MemoryShelf, std::collections::HashMap<u32, bool>) {
    let mut shelf = MemoryShelf::default();
    let mut is_proven = std::collections::HashMap::new();
    for at in 0..honest {
        let fault = "payment queue drops the last message of a slow worker";
        let text = format!("The {fault}. Drain it before a deploy, since the {fault}, in case {at} of many.");
        shelf.push(Text { text: &text, ..Text::default() });
        is_proven.insert(at as u32, true);
    }
    for at in 0..hostile {
        let text = format!("{REPEATED} {REPEATED} {REPEATED} Off, {at}.");
        shelf.push(Text { text: &text, ..Text::default() });
        is_proven.insert((honest + at) as u32, false);
    }
    for at in 0..200 {
        shelf.push(Text {
            text: &format!("Something else about topic {at} of the release."),
            ..Text::default()
        });
    }
    (shelf, is_proven)
}

const REPEATED: &str = "Why does the payment queue drop the last message of a slow worker?";

fn asked(shelf: &MemoryShelf, query: &str, wanted: usize, reserved: Option<&HashSet<u32>>) -> Ranked {
    let question = Question::plain(query);
    let wish = Wish {
        question: &question,
        mode: Mode::Lexical,
        wanted,
        among: Among::All,
        reserved,
        calibration: Calibration::MINILM,
    };
    let Ok(ranked) = rank(shelf, &wish, None);
    ranked
}

// Decision 0039: whoever repeats a question word by word is the most relevant there is.
#[test]
fn what_repeats_the_question_comes_behind_five_that_others_vouch_for() {
    let (shelf, is_proven) = repeated(7, 9);
    let mut ranked = asked(&shelf, REPEATED, 20, None);
    let first_five = |ranked: &Ranked| ranked.found[..5].iter().filter(|found| is_proven[&found.doc]).count();
    assert_eq!(first_five(&ranked), 0);
    ranked.hold_back(&is_proven);
    assert_eq!(first_five(&ranked), 5);
    assert!((ranked.found[0].similarity - ranked.confidence).abs() < 1e-9, "the best is as sure as before");
    let told = ranked.found.iter().filter_map(|found| Some((found, is_proven.get(&found.doc)?)));
    assert!(told.into_iter().all(|(found, is_proven)| (found.counted < 1.0) != *is_proven));
}

#[test]
fn a_writer_nobody_knows_is_not_held_back_for_an_answer_in_other_words() {
    let (shelf, mut is_proven) = repeated(7, 1);
    let query = "slow worker loses messages of the payment queue";
    is_proven.insert(0, false);
    let before = asked(&shelf, query, 20, None);
    let mut after = before.clone();
    after.hold_back(&is_proven);
    let places = |ranked: &Ranked| ranked.found.iter().map(|found| found.doc).collect::<Vec<_>>();
    assert_eq!(places(&before), places(&after));
}

#[test]
fn where_nothing_else_answers_who_repeats_the_question_comes_first() {
    let mut shelf = MemoryShelf::default();
    let (far, near) = (0, 1);
    shelf.push(Text { text: "The last release was slow.", ..Text::default() });
    shelf.push(Text { text: REPEATED, ..Text::default() });
    let mut ranked = asked(&shelf, REPEATED, 20, None);
    ranked.hold_back(&[(far, true), (near, false)].into());
    assert_eq!(ranked.found[0].doc, near);
    assert_eq!(ranked.found[0].counted, 1.0);
}

// A flood behind one question: none of those that others vouch for would be looked at.
#[test]
fn reserved_texts_are_found_however_many_answer_better() {
    let (shelf, is_proven) = repeated(7, 500);
    let proven: HashSet<u32> = is_proven.iter().filter(|(_, proven)| **proven).map(|(doc, _)| *doc).collect();
    let found = |reserved| {
        let ranked = asked(&shelf, REPEATED, 10, reserved);
        ranked.found.iter().filter(|found| proven.contains(&found.doc)).count()
    };
    assert_eq!((found(None), found(Some(&proven))), (0, 7));
}
