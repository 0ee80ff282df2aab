//! `pin`, `mute`, `invalidate`, `annotate` and their opposites: what this clone lays over an entry.

use kenning::Result;
use kenning::core::OverlayChange;

use super::Session;
use crate::args::{AnnotateArgs, ReasonArgs};
use crate::output::{bold, exit, println};

/// A verb that takes an entry and a reason.
pub(super) fn reasoned(
    session: &Session,
    args: ReasonArgs,
    change: impl FnOnce(String) -> OverlayChange,
) -> Result<u8> {
    lay(session, &args.id, change(args.reason))
}

pub(super) fn annotate(session: &Session, args: &AnnotateArgs) -> Result<u8> {
    let change = match args.clear {
        true => OverlayChange::Cleared,
        false => OverlayChange::Annotated { text: args.text.join(" ") },
    };
    lay(session, &args.id, change)
}

fn lay(session: &Session, id: &str, change: OverlayChange) -> Result<u8> {
    let mut ken = session.open()?;
    let answer = ken.lay(id, change)?;
    session.notes(&mut ken);
    session.output.answer(&answer, || {
        println!("{} {}: {}", answer.outcome, bold(&answer.handle), answer.reasons.join("; "));
    })?;
    Ok(exit::OK)
}
