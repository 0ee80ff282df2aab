//! How good a ranking is, and how sure one can be that it is better than another.

/// Which of the first `k` answers are relevant, as a share of all that are.
pub fn recall(ranked: &[String], relevant: &[String], k: usize) -> f64 {
    if relevant.is_empty() {
        return 0.0;
    }
    let found = relevant.iter().filter(|id| ranked.iter().take(k).any(|ranked| ranked == *id)).count();
    found as f64 / relevant.len() as f64
}

/// One over the place of the first relevant answer.
pub fn reciprocal_rank(ranked: &[String], relevant: &[String]) -> f64 {
    ranked.iter().position(|id| relevant.contains(id)).map_or(0.0, |at| 1.0 / (at + 1) as f64)
}

/// Normalised discounted cumulative gain of the first `k` answers.
pub fn ndcg(ranked: &[String], relevant: &[String], k: usize) -> f64 {
    let discount = |at: usize| 1.0 / ((at + 2) as f64).log2();
    let gained: f64 = ranked
        .iter()
        .take(k)
        .enumerate()
        .filter(|(_, id)| relevant.contains(id))
        .map(|(at, _)| discount(at))
        .sum();
    let ideal: f64 = (0..relevant.len().min(k)).map(discount).sum();
    if ideal == 0.0 { 0.0 } else { gained / ideal }
}

/// The lower end of the 95 % interval of the mean of paired differences, by resampling them.
pub fn bootstrap_lower(differences: &[f64], resamples: usize, mut seed: u64) -> f64 {
    if differences.is_empty() {
        return 0.0;
    }
    let mut means: Vec<f64> = (0..resamples)
        .map(|_| {
            let sum: f64 = (0..differences.len())
                .map(|_| {
                    seed =
                        seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    differences[((seed >> 33) as usize) % differences.len()]
                })
                .sum();
            sum / differences.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    means[means.len() / 40]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn measures_by_hand() {
        let ranked = ids("a b c d e");
        assert_eq!(recall(&ranked, &ids("b x"), 5), 0.5);
        assert_eq!(recall(&ranked, &ids("e"), 4), 0.0);
        assert_eq!(reciprocal_rank(&ranked, &ids("c d")), 1.0 / 3.0);
        assert_eq!(ndcg(&ranked, &ids("a"), 10), 1.0);
        assert!((ndcg(&ranked, &ids("b"), 10) - 1.0 / 3f64.log2()).abs() < 1e-12);
        assert_eq!(ndcg(&ranked, &[], 10), 0.0);
    }

    #[test]
    fn a_steady_gain_has_a_positive_lower_bound() {
        assert_eq!(bootstrap_lower(&[0.1; 50], 1000, 7), bootstrap_lower(&[0.1; 50], 1000, 7));
        assert!((bootstrap_lower(&[0.1; 50], 1000, 7) - 0.1).abs() < 1e-9);
        let mixed: Vec<f64> = (0..100).map(|at| if at % 2 == 0 { 1.0 } else { -1.0 }).collect();
        assert!(bootstrap_lower(&mixed, 1000, 7) < -0.1);
    }
}
