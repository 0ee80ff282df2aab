//! `doctor`, shown.

use kenning::State;
use kenning::table::Doctor;
use kenning::table::doctor::DoctorAnswer;

use super::Shown;
use crate::output::println;

impl Shown for Doctor {
    fn say(answer: &DoctorAnswer) {
        answer.mended.iter().for_each(|what| println!("fixed: {what}"));
        let wide = answer.checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
        for check in &answer.checks {
            let word = match check.state {
                State::Ok => "ok",
                State::Warn => "warn",
                State::Fail => "FAIL",
            };
            println!("{word:<5} {:<wide$} {}", check.name, check.found);
            if let Some(hint) = &check.hint {
                println!("{:>1$} {hint}", "", wide + 6);
            }
        }
    }
}
