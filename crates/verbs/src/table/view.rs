//! `view pin`, `view mute`, `view hide`, `view note` and their opposites: what this clone lays over an entry (BEL-9).

use ken_core::OverlayChange;
use ken_engine::Result;
use ken_engine::ops::overlay::OverlayAnswer;

use crate::Reach;
use crate::request::Request;
use crate::requests::ReasonRequest;
use crate::verb::{Call, Group, Nature, Verb};

/// A verb that takes an entry and a reason, and lays something over the entry.
macro_rules! reasoned {
    ($($verb:ident, $name:literal, $former:literal, $nature:expr, $about:literal, $example:literal, $change:ident;)*) => {$(
        #[doc = $about]
        pub struct $verb;

        impl Verb for $verb {
            const NAME: &'static str = $name;
            const FORMER: &'static [&'static str] = &[$former];
            const ABOUT: &'static str = $about;
            const EXAMPLE: &'static str = $example;
            const GROUP: Group = Group::SeeItYourWay;
            const NATURE: Nature = $nature;
            type Request = ReasonRequest;
            type Answer = OverlayAnswer;

            fn run(call: &mut Call, request: ReasonRequest) -> Result<OverlayAnswer> {
                let Reach { ledger, site, caller, .. } = call.reach()?;
                crate::overlay::lay(ledger, site, caller, &request.id, OverlayChange::$change { reason: request.reason })
            }
        }
    )*};
}

reasoned! {
    Pin, "view pin", "pin", Nature::WRITES, "Rank an entry above the others, in this clone only", "ken view pin L-e71631", Pinned;
    Unpin, "view pin --undo", "unpin", Nature::WRITES, "Unpin an entry", "ken view pin --undo L-e71631", Unpinned;
    Mute, "view mute", "mute", Nature::REMOVES, "Hide an entry, in this clone only", "ken view mute L-e71631 --reason 'known by heart'", Muted;
    Unmute, "view mute --undo", "unmute", Nature::WRITES, "Show a muted entry again", "ken view mute --undo L-e71631", Unmuted;
    Invalidate, "view hide", "invalidate", Nature::REMOVES, "Mark an entry as wrong and hide it, in this clone only", "ken view hide L-e71631 --reason 'not true on Windows'", Invalidated;
    Reinstate, "view hide --undo", "reinstate", Nature::WRITES, "Show an entry again that was marked as wrong", "ken view hide --undo L-e71631", Reinstated;
}

/// Annotate an entry, in this clone only.
pub struct Annotate;

/// What `annotate` takes.
#[derive(Clone, Debug, Request)]
pub struct AnnotateRequest {
    /// Entry: an id, a handle or a unique prefix of either
    pub id: String,
    /// Text of the annotation
    #[field(unless("clear"), conflicts("clear"))]
    pub text: Vec<String>,
    /// Remove all annotations of the entry
    #[field(long)]
    pub clear: bool,
}

impl Verb for Annotate {
    const NAME: &'static str = "view note";
    const FORMER: &'static [&'static str] = &["annotate"];
    const ABOUT: &'static str = "Annotate an entry, in this clone only";
    const EXAMPLE: &'static str = "ken view note L-e71631 'Ask Ada before changing this.'";
    const GROUP: Group = Group::SeeItYourWay;
    const NATURE: Nature = Nature::WRITES;
    type Request = AnnotateRequest;
    type Answer = OverlayAnswer;

    fn run(call: &mut Call, request: AnnotateRequest) -> Result<OverlayAnswer> {
        let change = match request.clear {
            true => OverlayChange::Cleared,
            false => OverlayChange::Annotated { text: request.text.join(" ") },
        };
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::overlay::lay(ledger, site, caller, &request.id, change)
    }
}
