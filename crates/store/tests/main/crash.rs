//! STO-5: power loss and death at every moment of a set of short stories. Nothing acknowledged is lost, nothing is half there.

use crate::world::{survives, survives_with};

// STO-5
#[test]
fn one_addition_survives() {
    survives(|world| {
        world.add("Retry with backoff.");
    });
}
