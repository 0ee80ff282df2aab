//! How long an open store takes to say how it stands.

use std::time::Instant;

use serde_json::json;

use crate::Outcome;
use crate::warm::open;

/// Reports and reviews, timed in turn.
pub fn ask(root: &str, rounds: usize) -> Outcome {
    let mut ken = open(root)?;
    let (mut report, mut review, mut signals, mut friction) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let micros = |begun: Instant| begun.elapsed().as_secs_f64() * 1e6;
    for round in 0..=rounds {
        let begun = Instant::now();
        kenning::health::health_report(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller)?;
        let reported = micros(begun);
        let begun = Instant::now();
        kenning::health::health_review(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller)?;
        let reviewed = micros(begun);
        let begun = Instant::now();
        kenning::health::signals(&ken.ledger, &ken.caller)?;
        let put_together = micros(begun);
        let begun = Instant::now();
        kenning::health::friction_report(&ken.ledger, &ken.caller, "30d")?;
        // The first round warms what stays open.
        if round > 0 {
            report.push(reported);
            review.push(reviewed);
            signals.push(put_together);
            friction.push(micros(begun));
        }
    }
    Ok(json!({"report": report, "review": review, "signals": signals, "friction": friction}))
}
