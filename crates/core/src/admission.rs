//! IN-5: how much an entry has going for it when it comes in. Seven signals, each explained, and what follows from their sum.

use serde::{Deserialize, Serialize};

use crate::belief::Beta;
use crate::fields::{Fields, Source};
use crate::judged::Tier;
use crate::kinds::Type;
use crate::limits::{
    ADMISSION_DEMOTE_MIN, ADMISSION_FOREIGN_MIN, ADMISSION_REJECT_MIN, CREDIBILITY_UNKNOWN, FORAGED_ALPHA,
    FORAGED_BETA, FRESHNESS_HALF_LIFE_DAYS, PRIOR_ALPHA, PRIOR_BETA,
};
use crate::weights::{self, Signals};

/// A thing that speaks for an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// What the scanner said.
    Scanner,
    /// How far it is believed.
    Confidence,
    /// Whether it says where it comes from.
    Provenance,
    /// Whether it comes from here.
    Federation,
    /// How much it was seen.
    ObservationMass,
    /// What kind of thing it is.
    ContentType,
    /// How old it is.
    Recency,
}

impl Signals for Signal {
    /// IN-5.
    const ALL: &'static [(Signal, f64)] = &[
        (Signal::Scanner, 0.25),
        (Signal::Confidence, 0.20),
        (Signal::Provenance, 0.15),
        (Signal::Federation, 0.10),
        (Signal::ObservationMass, 0.10),
        (Signal::ContentType, 0.10),
        (Signal::Recency, 0.10),
    ];

    fn word(self) -> &'static str {
        match self {
            Signal::Scanner => "scanner",
            Signal::Confidence => "confidence",
            Signal::Provenance => "provenance",
            Signal::Federation => "federation",
            Signal::ObservationMass => "observation_mass",
            Signal::ContentType => "content_type",
            Signal::Recency => "recency",
        }
    }
}

/// How much each signal of an admission counts.
pub type Weights = weights::Weights<Signal>;

/// What is known of an entry that wants to come in.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// What the scanner said, what it was derived from included.
    pub tier: Tier,
    /// The weight of what spoke for it, prior included.
    pub alpha: f64,
    /// The weight of what spoke against it.
    pub beta: f64,
    /// It cites something.
    pub has_source: bool,
    /// It claims something.
    pub has_statement: bool,
    /// It has a title of its own.
    pub has_title: bool,
    /// Where it comes from.
    pub from: Origin,
    pub kind: Type,
    /// The finer kind within the type.
    pub subtype: Option<String>,
    /// How many days ago it was learned.
    pub age_days: f64,
}

impl Arrival {
    /// An entry that comes from somewhere, and that nobody has used here yet.
    pub fn new(kind: Type, fields: &Fields, has_source: bool, tier: Tier, from: Origin) -> Arrival {
        let prior = from.prior();
        Arrival {
            tier,
            alpha: prior.alpha,
            beta: prior.beta,
            has_source,
            has_statement: !fields.statement().trim().is_empty(),
            has_title: fields.title.is_some() || fields.name.is_some(),
            from,
            kind,
            subtype: fields.subtype.clone(),
            age_days: 0.0,
        }
    }
}

/// Where a text comes from (COR-5).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Origin {
    #[default]
    Local,
    /// From a file of another system that somebody here brought in: as good as what is stated here.
    Import,
    /// From a peer who is trusted so far, from 0 to 1.
    Peer(f64),
    /// From a peer nobody knows.
    UnknownPeer,
    /// From a page of the web whose site is so credible, from 0 to 1.
    Page(f64),
}

impl Origin {
    /// Where a text comes from that was brought in some way: what it says of itself counts where that is less.
    pub fn of_source(brought: Origin, source: Option<&Source>) -> Origin {
        let Some(source) = source else { return brought };
        match (brought, &source.page, &source.peer) {
            (Origin::Peer(_) | Origin::UnknownPeer | Origin::Page(_), _, _) => brought,
            (Origin::Local | Origin::Import, Some(_), _) => {
                Origin::Page(source.credibility.unwrap_or(CREDIBILITY_UNKNOWN).clamp(0.0, 1.0))
            }
            (Origin::Local | Origin::Import, None, Some(_)) => Origin::UnknownPeer,
            (Origin::Local | Origin::Import, None, None) => brought,
        }
    }

    /// BEL-1: the belief that a text from there begins with.
    pub fn prior(self) -> Beta {
        match self {
            Origin::Page(_) => Beta { alpha: FORAGED_ALPHA, beta: FORAGED_BETA },
            Origin::Local | Origin::Import | Origin::Peer(_) | Origin::UnknownPeer => {
                Beta { alpha: PRIOR_ALPHA, beta: PRIOR_BETA }
            }
        }
    }

    /// IN-5: whether it comes from another instance.
    fn is_federated(self) -> bool {
        match self {
            Origin::Peer(_) | Origin::UnknownPeer => true,
            Origin::Local | Origin::Import | Origin::Page(_) => false,
        }
    }
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Admitted {
    /// As it was proposed.
    AsProposed,
    /// As a candidate, whatever was proposed.
    Demoted,
    /// Not at all.
    Rejected,
}

/// The judgement, with everything it rests on. Kept with the entry, in thousandths, so that every clone reads the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Admission {
    /// What became of it.
    pub outcome: Admitted,
    /// The sum, in thousandths.
    pub score: u32,
    /// Each signal's value, in thousandths, in the order of the signals.
    pub signals: Vec<u32>,
    /// Why it was demoted or rejected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
}

impl Admission {
    /// Each signal's name with its value, from 0 to 1.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        let values = self.signals.iter().map(|value| f64::from(*value) / 1000.0);
        Signal::ALL.iter().map(|(signal, _)| signal.word()).zip(values)
    }
}

/// Judges an arrival.
pub fn judge(arrival: &Arrival, weights: &Weights) -> Admission {
    let values = [
        scanner(arrival.tier),
        arrival.alpha / (arrival.alpha + arrival.beta),
        provenance(arrival),
        federation(arrival.from),
        1.0 - (-0.05 * (arrival.alpha + arrival.beta)).exp(),
        content_type(arrival.kind, arrival.subtype.as_deref()),
        (-arrival.age_days / FRESHNESS_HALF_LIFE_DAYS).exp2().min(1.0),
    ];
    let score: f64 =
        Signal::ALL.iter().zip(values).map(|((signal, _), value)| weights.weight(*signal) * value).sum();
    let foreign = arrival.from.is_federated();
    let mut flags = Vec::new();
    let mut outcome = Admitted::AsProposed;
    if foreign && score < ADMISSION_FOREIGN_MIN {
        flags
            .push(format!("it comes from elsewhere and scores {score:.3}, below {ADMISSION_FOREIGN_MIN:.2}"));
        outcome = Admitted::Demoted;
    } else if score < ADMISSION_DEMOTE_MIN {
        flags.push(format!("it scores {score:.3}, below {ADMISSION_DEMOTE_MIN:.2}"));
        outcome = Admitted::Demoted;
    }
    if score < ADMISSION_REJECT_MIN {
        flags = vec![format!("it scores {score:.3}, below {ADMISSION_REJECT_MIN:.2}")];
        outcome = Admitted::Rejected;
    }
    if arrival.tier.is_rejected() {
        flags.push(format!("the scan found risk {}", arrival.tier.word()));
        outcome = Admitted::Rejected;
    }
    let thousandths = |value: f64| (value.clamp(0.0, 1.0) * 1000.0).round() as u32;
    Admission { outcome, score: thousandths(score), signals: values.map(thousandths).to_vec(), flags }
}

fn scanner(tier: Tier) -> f64 {
    match tier {
        Tier::Safe => 1.0,
        Tier::Low => 0.7,
        Tier::Medium => 0.4,
        Tier::High => 0.1,
        Tier::Critical => 0.0,
    }
}

fn provenance(arrival: &Arrival) -> f64 {
    let part = |there: bool, share: f64| if there { share } else { 0.0 };
    let own = part(arrival.has_source, 0.4) + part(arrival.has_statement, 0.3) + part(arrival.has_title, 0.3);
    match arrival.from {
        Origin::Page(credibility) => 0.6 * own + 0.4 * credibility,
        Origin::Local | Origin::Import | Origin::Peer(_) | Origin::UnknownPeer => own,
    }
}

fn federation(from: Origin) -> f64 {
    match from {
        Origin::Local | Origin::Import | Origin::Page(_) => 1.0,
        Origin::Peer(trust) => 0.8 * trust,
        Origin::UnknownPeer => 0.3,
    }
}

fn content_type(kind: Type, subtype: Option<&str>) -> f64 {
    match (kind, subtype) {
        (_, Some("convention")) => 0.8,
        (_, Some("technique")) => 0.75,
        (_, Some("anti_pattern")) => 0.65,
        (_, Some("pattern")) => 0.7,
        (_, Some("decision")) => 0.6,
        (_, Some("bug")) => 0.55,
        (_, Some("learning")) => 0.5,
        (Type::Skill | Type::Pattern, _) => 0.7,
        (Type::Experience, _) => 0.6,
        _ => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival() -> Arrival {
        Arrival {
            tier: Tier::Safe,
            alpha: 5.0,
            beta: 5.0,
            has_source: true,
            has_statement: true,
            has_title: true,
            from: Origin::Local,
            kind: Type::Lesson,
            subtype: None,
            age_days: 0.0,
        }
    }

    // IN-5, by hand: .25*1 + .20*.5 + .15*1 + .10*1 + .10*(1 - e^-.5) + .10*.5 + .10*1 = .789.
    #[test]
    fn the_seven_signals_add_up() {
        let made = judge(&arrival(), &Weights::default());
        assert_eq!((made.outcome, made.score), (Admitted::AsProposed, 789));
        assert_eq!(made.signals, vec![1000, 500, 1000, 1000, 393, 500, 1000]);
        let table = [
            (Arrival { tier: Tier::Low, ..arrival() }, 714),
            (Arrival { tier: Tier::Medium, ..arrival() }, 639),
            (Arrival { has_title: false, ..arrival() }, 744),
            (Arrival { from: Origin::Import, ..arrival() }, 789),
            (Arrival { from: Origin::Page(0.5), ..arrival() }, 759),
            (Arrival { from: Origin::Peer(0.5), ..arrival() }, 729),
            (Arrival { from: Origin::UnknownPeer, ..arrival() }, 719),
            (Arrival { age_days: 90.0, ..arrival() }, 739),
            (Arrival { kind: Type::Skill, subtype: Some("technique".into()), ..arrival() }, 814),
        ];
        for (arrival, score) in table {
            assert_eq!(judge(&arrival, &Weights::default()).score, score, "{arrival:?}");
        }
    }

    // COR-5: .25*1 + .20*.375 + .15*(.6 + .4*.2) + .10*1 + .10*(1 - e^-.4) + .10*.5 + .10*1 = .71 for a page of little credit.
    #[test]
    fn a_page_begins_with_less_and_a_stranger_counts_less() {
        let fields = Fields { title: Some("t".into()), statement: Some("s".into()), ..Fields::default() };
        let judged = |source: Source| {
            let from = Origin::of_source(Origin::Import, Some(&source));
            judge(&Arrival::new(Type::Lesson, &fields, true, Tier::Safe, from), &Weights::default())
        };
        let page = |credibility| Source {
            page: Some("https://example.org/a".into()),
            credibility,
            ..Source::default()
        };
        assert_eq!(judged(page(Some(0.2))).signals, vec![1000, 375, 680, 1000, 330, 500, 1000]);
        assert_eq!(judged(page(Some(0.2))).score, 710);
        assert_eq!(judged(page(None)).signals[2], 800, "half credible where nobody says");
        assert_eq!(judged(page(Some(7.0))).signals[2], 1000, "nobody is more than credible");
        let peer = Source { peer: Some("elsewhere".into()), ..Source::default() };
        assert_eq!(judged(peer).signals[3], 300);
        assert_eq!(judged(Source::default()).signals[3], 1000);
    }

    #[test]
    fn what_scores_too_low_is_demoted_or_kept_out() {
        let poor = Arrival {
            tier: Tier::Medium,
            alpha: 1.0,
            beta: 9.0,
            has_source: false,
            has_title: false,
            from: Origin::UnknownPeer,
            age_days: 900.0,
            ..arrival()
        };
        // .1 + .02 + .045 + .03 + .0393 + .05 + .0001 = .284
        let made = judge(&poor, &Weights::default());
        assert_eq!((made.outcome, made.score), (Admitted::Demoted, 284));
        let poorer = Arrival { has_statement: false, ..poor };
        assert_eq!(judge(&poorer, &Weights::default()).outcome, Admitted::Rejected);
        let foreign = Arrival {
            tier: Tier::Medium,
            alpha: 2.0,
            beta: 8.0,
            from: Origin::UnknownPeer,
            has_source: false,
            age_days: 300.0,
            ..arrival()
        };
        // .1 + .04 + .09 + .03 + .0393 + .05 + .0099 = .359: below .40, from elsewhere.
        assert_eq!(judge(&foreign, &Weights::default()).outcome, Admitted::Demoted);
        assert_eq!(
            judge(&Arrival { from: Origin::Local, ..foreign }, &Weights::default()).outcome,
            Admitted::AsProposed
        );
    }

    #[test]
    fn a_bad_scan_keeps_out_whatever_else_speaks_for_it() {
        for tier in [Tier::High, Tier::Critical] {
            let made = judge(&Arrival { tier, ..arrival() }, &Weights::default());
            assert_eq!(made.outcome, Admitted::Rejected, "{tier:?}");
        }
    }
}
