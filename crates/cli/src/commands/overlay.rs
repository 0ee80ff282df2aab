//! `pin`, `mute`, `invalidate`, `annotate` and their opposites, shown.

use kenning::OverlayAnswer;
use kenning::table::{Annotate, Invalidate, Mute, Pin, Reinstate, Unmute, Unpin};

use super::Shown;
use crate::output::{bold, println};

macro_rules! shown {
    ($($verb:ident),*) => {$(
        impl Shown for $verb {
            fn say(answer: &OverlayAnswer) {
                println!("{} {}: {}", answer.outcome, bold(&answer.handle), answer.reasons.join("; "));
            }
        }
    )*};
}

shown! { Pin, Unpin, Mute, Unmute, Invalidate, Reinstate, Annotate }
