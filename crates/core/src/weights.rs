//! Weights of signals: all of them are there, none is negative, and they sum to one. Settings that everybody shares.

use std::marker::PhantomData;

use serde_json::{Map, Value};

use crate::limits::WEIGHTS_SUM_TOLERANCE;
use crate::words::nearest;

/// A closed list of signals that are weighed against each other.
pub trait Signals: Copy + PartialEq + 'static {
    /// All of them with their usual weights, in the order in which they are shown.
    const ALL: &'static [(Self, f64)];
    fn word(self) -> &'static str;
}

/// How much each signal counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights<S>(Vec<f64>, PhantomData<S>);

impl<S: Signals> Default for Weights<S> {
    fn default() -> Self {
        Weights(S::ALL.iter().map(|(_, weight)| *weight).collect(), PhantomData)
    }
}

impl<S: Signals> Weights<S> {
    /// One signal and nothing else.
    pub fn only(signal: S) -> Self {
        Weights(S::ALL.iter().map(|(other, _)| f64::from(u8::from(*other == signal))).collect(), PhantomData)
    }

    /// The weight of a signal.
    pub fn weight(&self, signal: S) -> f64 {
        S::ALL.iter().zip(&self.0).find(|((other, _), _)| *other == signal).map_or(0.0, |(_, weight)| *weight)
    }

    /// Reads weights from an object that names every signal.
    pub fn read(value: &Value) -> Result<Self, String> {
        let words: Vec<&str> = S::ALL.iter().map(|(signal, _)| signal.word()).collect();
        let names = words.join(", ");
        let Value::Object(map) = value else {
            return Err(format!("weights are an object with {names}"));
        };
        if let Some(odd) = map.keys().find(|name| !words.contains(&name.as_str())) {
            let near = nearest(odd, words.iter().copied());
            let near = near.map_or_else(|| ".".to_owned(), |near| format!("; did you mean {near}?"));
            return Err(format!("unknown signal {odd:?}{near} Signals: {names}"));
        }
        let mut weights = Vec::with_capacity(words.len());
        for word in words {
            let Some(given) = map.get(word) else {
                return Err(format!("{word} is missing; give all of them, 0 disables one"));
            };
            let Some(weight) = given.as_f64().filter(|weight| (0.0..=1.0).contains(weight)) else {
                return Err(format!("{word} is {given}; expected a number from 0 to 1"));
            };
            weights.push(weight);
        }
        let sum: f64 = weights.iter().sum();
        if (sum - 1.0).abs() > WEIGHTS_SUM_TOLERANCE {
            return Err(format!("the weights sum to {sum:.4}; they must sum to 1"));
        }
        Ok(Weights(weights, PhantomData))
    }

    /// The weights as they are written.
    pub fn written(&self) -> Map<String, Value> {
        let words = S::ALL.iter().map(|(signal, _)| signal.word().to_owned());
        words.zip(self.0.iter().map(|weight| Value::from(*weight))).collect()
    }

    /// Each signal's name with its weight, in the order in which they are shown.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        S::ALL.iter().zip(&self.0).map(|((signal, _), weight)| (signal.word(), *weight))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{admission, score};

    fn read_or_refused<S: Signals + std::fmt::Debug>(one: &str, typed: &str) {
        let default = Value::Object(Weights::<S>::default().written());
        assert_eq!(Weights::<S>::read(&default), Ok(Weights::default()));
        let refused = |change: &dyn Fn(&mut Map<String, Value>)| {
            let mut map = Weights::<S>::default().written();
            change(&mut map);
            Weights::<S>::read(&Value::Object(map)).unwrap_err()
        };
        assert!(refused(&|map| drop(map.remove(one))).contains(&format!("{one} is missing")));
        assert!(refused(&|map| drop(map.insert(one.into(), 0.2.into()))).contains("sum to 1.1000"));
        assert!(refused(&|map| drop(map.insert(one.into(), (-1).into()))).contains("0 to 1"));
        assert!(refused(&|map| drop(map.insert(typed.into(), 0.into()))).contains("did you mean"));
        assert!(Weights::<S>::read(&Value::Null).is_err());
    }

    #[test]
    fn weights_are_read_or_refused() {
        read_or_refused::<score::Signal>("status", "freshnes");
        read_or_refused::<admission::Signal>("recency", "scaner");
    }
}
