//! `brief`, shown.

use kenning::BriefAnswer;
use kenning::table::Brief;

use super::Shown;
use crate::output::{bold, plain, println, width, wrap};

impl Shown for Brief {
    fn say(answer: &BriefAnswer) {
        for line in answer.text.lines() {
            match line.strip_prefix("- ") {
                Some(rest) => println!("- {}", wrap(&plain(rest), 2, width()).trim_start()),
                None if line.ends_with(':') => println!("\n{}", bold(&plain(line))),
                None => println!("{}", wrap(&plain(line), 0, width())),
            }
        }
    }
}
