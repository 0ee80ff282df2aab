//! `pin`, `mute`, `invalidate`, `annotate` and their opposites: what this clone lays over an entry (BEL-9).

use ken_core::OverlayChange;
use ken_engine::Result;
use ken_engine::ops::overlay::OverlayAnswer;

use super::ReasonRequest;
use crate::verb::{Call, Group, Nature, Verb};

/// A verb that takes an entry and a reason, and lays something over the entry.
macro_rules! reasoned {
    ($($verb:ident, $name:literal, $nature:expr, $about:literal, $change:ident;)*) => {$(
        #[doc = $about]
        pub struct $verb;

        impl Verb for $verb {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = $about;
            const GROUP: Group = Group::SeeItYourWay;
            const NATURE: Nature = $nature;
            type Request = ReasonRequest;
            type Answer = OverlayAnswer;

            fn run(call: &mut Call, request: ReasonRequest) -> Result<OverlayAnswer> {
                call.ken()?.lay(&request.id, OverlayChange::$change { reason: request.reason })
            }
        }
    )*};
}

reasoned! {
    Pin, "pin", Nature::WRITES, "Lift an entry above the others, in this clone", Pinned;
    Unpin, "unpin", Nature::WRITES, "No longer lift it", Unpinned;
    Mute, "mute", Nature::REMOVES, "Show an entry nowhere in this clone", Muted;
    Unmute, "unmute", Nature::WRITES, "Show it again", Unmuted;
    Invalidate, "invalidate", Nature::REMOVES, "Hold an entry to be wrong, in this clone, and show it nowhere", Invalidated;
    Reinstate, "reinstate", Nature::WRITES, "No longer hold it to be wrong", Reinstated;
}

/// Put a note beside an entry, in this clone.
pub struct Annotate;

/// What `annotate` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct AnnotateRequest {
    /// An id, a handle, or the beginning of one
    pub id: String,
    /// What to remember beside it
    #[arg(required_unless_present = "clear", conflicts_with = "clear")]
    pub text: Vec<String>,
    /// Take all its notes away
    #[arg(long)]
    pub clear: bool,
}

impl Verb for Annotate {
    const NAME: &'static str = "annotate";
    const ABOUT: &'static str = "Put a note beside an entry, in this clone";
    const GROUP: Group = Group::SeeItYourWay;
    const NATURE: Nature = Nature::WRITES;
    type Request = AnnotateRequest;
    type Answer = OverlayAnswer;

    fn run(call: &mut Call, request: AnnotateRequest) -> Result<OverlayAnswer> {
        let change = match request.clear {
            true => OverlayChange::Cleared,
            false => OverlayChange::Annotated { text: request.text.join(" ") },
        };
        call.ken()?.lay(&request.id, change)
    }
}
