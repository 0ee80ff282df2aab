//! `brief`: what to know of this store at the start.

use kenning::Result;

use super::Session;
use crate::args::BriefArgs;
use crate::output::{bold, exit, plain, println, width, wrap};

pub(super) fn brief(session: &Session, args: &BriefArgs) -> Result<u8> {
    let mut ken = session.open()?;
    let answer = if args.all { ken.brief_whole()? } else { ken.brief(args.tokens)? };
    session.notes(&mut ken);
    session.output.answer(&answer, || {
        for line in answer.text.lines() {
            match line.strip_prefix("- ") {
                Some(rest) => println!("- {}", wrap(&plain(rest), 2, width()).trim_start()),
                None if line.ends_with(':') => println!("\n{}", bold(&plain(line))),
                None => println!("{}", wrap(&plain(line), 0, width())),
            }
        }
    })?;
    Ok(exit::OK)
}
