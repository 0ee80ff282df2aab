//! The judge of this clone: which one a person allowed, what it may cost a day, and what it answered before.
//!
//! Nothing is sent unless a person chose a judge in this clone: the settings `judge.*` lie beside the journal and are never shared. Answers are
//! kept by the hash of what was asked, and a call is counted before it is made, so that a budget holds whoever is killed when.

use std::collections::BTreeMap;
use std::sync::Arc;

use ken_core::event::Judged;
use ken_core::{Code, Refusal};
use ken_engine::judge::{Completion, Prompt, Question, Ruling, Usage};
use ken_engine::{Caller, CloneState, Error, Judge, Record, RecordKind, Result, intake, judge};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::limits::judge::{CHARS_PER_TOKEN, UNUSABLE_IN_A_ROW_MAX, VERSION};
use crate::{Config, ModelsInUse, Site};

/// The first of the choices of `judge.kind`: nothing is sent.
pub(crate) const NO_JUDGE: &str = "none";

/// What a day may cost, and what tokens cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    calls: u64,
    tokens: u64,
    cents: u64,
    /// Cents for a million tokens that are read.
    price_read: u64,
    /// Cents for a million tokens that are written.
    price_written: u64,
}

impl Budget {
    fn of(config: &Config) -> Budget {
        let number = |key: &'static str| config.number(key) as u64;
        Budget {
            calls: number("judge.calls_max"),
            tokens: number("judge.tokens_max"),
            cents: number("judge.cents_max"),
            price_read: number("judge.price_read"),
            price_written: number("judge.price_written"),
        }
    }

    /// What some tokens cost, in millionths: a cent is 10,000 of them.
    fn micros(&self, usage: Usage) -> u64 {
        let cents_e6 = usage.read * self.price_read + usage.written * self.price_written;
        cents_e6.div_ceil(100)
    }
}

/// One line of what was spent: a call that was begun, or the difference to what it came to.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Spent {
    calls: i64,
    tokens: i64,
    micros: i64,
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// Nobody chose a judge, or it cannot be opened.
    NoJudge(String),
    /// The budget of the day, or of this request, is used up.
    Spent(String),
    /// The judge did not answer, or what it costs cannot be noted.
    Failed(String),
    /// It answered in another form than was asked for; the next answer may be right.
    Unusable(String),
}

impl Unanswered {
    pub(crate) fn text(&self) -> &str {
        match self {
            Unanswered::NoJudge(why)
            | Unanswered::Spent(why)
            | Unanswered::Failed(why)
            | Unanswered::Unusable(why) => why,
        }
    }

    fn failed(error: Error) -> Unanswered {
        Unanswered::Failed(intake::judge_words(&error.to_string()))
    }
}

type Answered<T> = std::result::Result<T, Unanswered>;

/// What was asked of a judge, by the kind of question.
pub(crate) type Used = BTreeMap<&'static str, Judged>;

/// A judge with its budget and what it answered before.
pub(crate) struct BudgetedJudge {
    judge: Arc<dyn Judge>,
    budget: Budget,
    state: Arc<dyn CloneState>,
    date: String,
    /// What was asked through this value; what is kept from before costs nothing.
    pub(crate) used: Used,
    /// Further calls that are allowed through it; none for as many as the day has.
    calls_left: Option<u32>,
}

/// The judge that a person allowed here, or why there is none.
pub(crate) fn judge_within_budget(
    site: &Site,
    models: &ModelsInUse,
    caller: &Caller,
) -> Answered<BudgetedJudge> {
    let kind = site.config.get("judge.kind").unwrap_or_default();
    if kind == NO_JUDGE || kind.is_empty() {
        return Err(Unanswered::NoJudge("no judge is configured (judge.kind)".to_owned()));
    }
    let judge = models.all.judge().map_err(Unanswered::NoJudge)?;
    let (budget, date) = (Budget::of(&site.config), caller.now().date());
    let state = site.state().clone();
    Ok(BudgetedJudge { judge, budget, state, date, used: Used::new(), calls_left: None })
}

impl BudgetedJudge {
    /// Allows so many calls and no more.
    pub(crate) fn at_most(mut self, calls: Option<u32>) -> BudgetedJudge {
        self.calls_left = calls;
        self
    }

    pub(crate) fn name(&self) -> &str {
        self.judge.name()
    }

    /// An answer: the one that is kept, or a new one as far as the budget goes.
    pub(crate) fn ask<Q: Question>(&mut self, question: &Q) -> Answered<Ruling<Q::Answer>> {
        let prompt = question.prompt();
        let asked = self.digest(Q::KIND, &prompt);
        let kept = RecordKind::JudgeAnswers.named(&asked);
        if let Some(answer) = self.state.value::<Value>(&kept)
            && let Ok(ruling) = judge::read(question, &answer)
        {
            return Ok(ruling);
        }
        let expected = Usage {
            read: (prompt.instructions.len() + prompt.matter.to_string().len()) as u64 / CHARS_PER_TOKEN,
            written: u64::from(prompt.tokens_max),
        };
        self.reserve(Q::KIND, expected)?;
        let answered = self.judge.complete(&prompt);
        // What could not be read, or was not counted, cost what was expected: nobody says otherwise.
        let counted = answered.as_ref().ok().map(|Completion { usage, .. }| *usage);
        let usage = counted.filter(|usage| usage.read + usage.written > 0).unwrap_or(expected);
        self.settle(Q::KIND, expected, usage).map_err(Unanswered::failed)?;
        let Completion { answer, .. } = answered.map_err(Unanswered::failed)?;
        // What it wrote is scanned before anybody keeps or shows it.
        let answer = answer.map(intake::redacted);
        let read = answer.and_then(|answer| judge::read(question, &answer).map(|ruling| (answer, ruling)));
        let marker = RecordKind::JudgeUnanswered.named(&asked);
        match read {
            Ok((answer, ruling)) => {
                // Where it cannot be kept, it is asked for again.
                drop(self.state.set_value(&kept, &answer));
                drop(self.state.remove(&marker));
                Ok(ruling)
            }
            Err(why) => {
                // Where it cannot be noted, it keeps its place among the others.
                drop(self.state.write(&marker, b""));
                Err(Unanswered::Unusable(intake::judge_words(&why)))
            }
        }
    }

    /// Names a question, whoever asks it of this judge.
    fn digest(&self, kind: &str, prompt: &Prompt) -> String {
        let asked = json!([VERSION, self.name(), kind, prompt.instructions, prompt.matter, prompt.schema]);
        blake3::hash(asked.to_string().as_bytes()).to_hex().to_string()
    }

    /// Whether there was no usable answer when this was last asked.
    fn left_unanswered<Q: Question>(&self, question: &Q) -> bool {
        let marker = RecordKind::JudgeUnanswered.named(&self.digest(Q::KIND, &question.prompt()));
        self.state.read(&marker).is_ok_and(|marked| marked.is_some())
    }

    /// Counts a call before it is made; refused where it would go beyond what a day, or this request, may cost.
    fn reserve(&mut self, kind: &'static str, expected: Usage) -> Answered<()> {
        let over = |what: String| Err(Unanswered::Spent(what));
        if self.calls_left == Some(0) {
            return over("the calls allowed by --budget are used up".to_owned());
        }
        let (spent, budget) = (self.spent(), self.budget);
        let micros = budget.micros(expected);
        if spent.calls as u64 >= budget.calls {
            return over(format!("{} calls today; judge.calls_max allows no more", spent.calls));
        }
        if spent.tokens as u64 + expected.read + expected.written > budget.tokens {
            let next = expected.read + expected.written;
            return over(format!(
                "{} tokens today, and the next question may take {next}; judge.tokens_max is {}",
                spent.tokens, budget.tokens
            ));
        }
        if spent.micros as u64 + micros > budget.cents * 10_000 {
            let cents = spent.micros as f64 / 1e4;
            let next = micros as f64 / 1e4;
            return over(format!(
                "{cents:.2} cents today, and the next question may cost {next:.2}; judge.cents_max is {}",
                budget.cents
            ));
        }
        self.calls_left = self.calls_left.map(|left| left - 1);
        let judge = self.judge.name().to_owned();
        self.used.entry(kind).or_insert_with(|| Judged { judge, ..Judged::default() }).calls += 1;
        let tokens = (expected.read + expected.written) as i64;
        self.note(Spent { calls: 1, tokens, micros: micros as i64 }).map_err(Unanswered::failed)
    }

    /// Puts what a call came to in place of what was expected of it.
    fn settle(&mut self, kind: &'static str, expected: Usage, usage: Usage) -> Result<()> {
        let used = self.used.entry(kind).or_default();
        used.tokens_read += usage.read;
        used.tokens_written += usage.written;
        used.cost_micros += self.budget.micros(usage);
        let tokens = |usage: Usage| (usage.read + usage.written) as i64;
        let micros = self.budget.micros(usage) as i64 - self.budget.micros(expected) as i64;
        self.note(Spent { calls: 0, tokens: tokens(usage) - tokens(expected), micros })
    }

    /// One list a day, a line for each call: several processes add to it, and nobody rewrites it.
    fn spent_today(&self) -> Record {
        RecordKind::JudgeSpent.named(&self.date)
    }

    /// What was spent today. A list that cannot be read counts as everything.
    fn spent(&self) -> Spent {
        let Ok(each) = self.state.items::<Spent>(&self.spent_today()) else {
            return Spent { calls: i64::MAX, ..Spent::default() };
        };
        let sum = each.into_iter().fold(Spent::default(), |sum, one| Spent {
            calls: sum.calls.saturating_add(one.calls),
            tokens: sum.tokens.saturating_add(one.tokens),
            micros: sum.micros.saturating_add(one.micros),
        });
        Spent { calls: sum.calls.max(0), tokens: sum.tokens.max(0), micros: sum.micros.max(0) }
    }

    /// A call whose cost cannot be noted is not made; a list that is full takes no more.
    fn note(&self, spent: Spent) -> Result<()> {
        self.state.add_item(&self.spent_today(), &spent)
    }
}

/// What was asked of a judge, and what it cost.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgeUse {
    /// The protocol, the model and the place.
    pub name: String,
    pub calls: u32,
    /// Tokens that it read and wrote.
    pub tokens: u64,
    /// In cents, by the prices that are set.
    pub cents: f64,
}

impl JudgeUse {
    /// What it came to, whatever was asked; none where nothing was.
    pub(crate) fn of(used: &Used) -> Option<JudgeUse> {
        let name = used.values().next()?.judge.clone();
        let sum = |part: fn(&Judged) -> u64| used.values().map(part).sum::<u64>();
        Some(JudgeUse {
            name,
            calls: used.values().map(|one| one.calls).sum(),
            tokens: sum(|one| one.tokens_read + one.tokens_written),
            cents: sum(|one| one.cost_micros) as f64 / 1e4,
        })
    }
}

/// The judge of one request. What ends its answers is said once, and rules alone go on.
pub(crate) struct JudgeSession {
    judge: Option<BudgetedJudge>,
    /// Why nothing more is asked.
    ended: Option<Unanswered>,
    /// The latest answer that could not be used.
    unusable: Option<String>,
    /// How many questions before the next one had no usable answer.
    unusable_in_a_row: u32,
    /// Whether there was a question at all.
    is_wanted: bool,
}

impl JudgeSession {
    pub(crate) fn new(judge: Answered<BudgetedJudge>) -> JudgeSession {
        let (judge, ended) = match judge {
            Ok(judge) => (Some(judge), None),
            Err(why) => (None, Some(why)),
        };
        JudgeSession { judge, ended, unusable: None, unusable_in_a_row: 0, is_wanted: false }
    }

    pub(crate) fn ask<Q: Question>(&mut self, question: &Q) -> Option<Ruling<Q::Answer>> {
        self.is_wanted = true;
        if self.ended.is_some() {
            return None;
        }
        match self.judge.as_mut()?.ask(question) {
            Ok(ruling) => {
                self.unusable_in_a_row = 0;
                return Some(ruling);
            }
            Err(Unanswered::Unusable(why)) => {
                self.unusable_in_a_row += 1;
                if self.unusable_in_a_row >= UNUSABLE_IN_A_ROW_MAX {
                    let why = format!("{UNUSABLE_IN_A_ROW_MAX} questions in a row had no usable answer");
                    self.ended = Some(Unanswered::Failed(why));
                }
                self.unusable = Some(why);
            }
            Err(why) => self.ended = Some(why),
        }
        None
    }

    /// Whether there was no usable answer when this was last asked.
    pub(crate) fn left_unanswered<Q: Question>(&self, question: &Q) -> bool {
        self.judge.as_ref().is_some_and(|judge| judge.left_unanswered(question))
    }

    /// What was asked, by the kind of question.
    pub(crate) fn used(&self) -> Used {
        self.judge.as_ref().map(|judge| judge.used.clone()).unwrap_or_default()
    }

    /// What somebody should know about who judged, and what became of the rest.
    pub(crate) fn notes(&self, rest: &str) -> impl Iterator<Item = String> {
        let unusable = self
            .unusable
            .as_ref()
            .map(|why| format!("no usable answer to a question, which is asked last next time: {why}"));
        let ended = self.ended.as_ref().filter(|_| self.is_wanted);
        unusable.into_iter().chain(ended.map(|why| format!("{}: {rest}", why.text())))
    }
}

/// No judge can be asked, for whoever named one.
pub(crate) fn no_judge(why: &str) -> Error {
    Refusal::new(Code::NotAllowed, format!("no judge can be asked: {why}"))
        .hint("a person chooses one with `ken config judge.kind openai|anthropic|ollama` and `ken config judge.model NAME`")
        .into()
}
