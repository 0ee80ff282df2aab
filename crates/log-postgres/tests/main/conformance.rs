//! What every log and every place for small state promises, over PostgreSQL: handles of one node, and nodes apart.

use ken_testkit::conformance::{Log, few_histories, live, steps};
use proptest::prelude::*;

use crate::world::Place;

mod on_one_node {
    use crate::or_skip;
    ken_testkit::log_stories!(or_skip!(super::one_node()));
}

mod on_nodes_apart {
    use crate::or_skip;
    ken_testkit::log_stories!(or_skip!(super::nodes_apart()));
}

mod in_records {
    use crate::or_skip;
    ken_testkit::state_stories!(or_skip!(super::nodes_apart_state()));
}

fn one_node() -> Option<Log> {
    Some(Place { is_apart: false, ..Place::shared()? }.log())
}

fn nodes_apart() -> Option<Log> {
    Some(Place::shared()?.log())
}

fn nodes_apart_state() -> Option<std::sync::Arc<dyn ken_engine::CloneState>> {
    Some(Place::shared()?.node().state())
}

proptest! {
    #![proptest_config(few_histories(300))]

    #[test]
    fn the_same_history_gives_the_same_rows_on_every_log(steps in steps()) {
        let Some(place) = Place::shared() else { return Ok(()) };
        let postgres = place.log();
        let memory = Log::of(postgres.replica());
        live(&postgres, &steps);
        live(&memory, &steps);
        prop_assert_eq!(postgres.hashes(), memory.hashes());
        prop_assert_eq!(postgres.rows(), memory.rows());
        // And on another node, which has seen nothing of it.
        prop_assert_eq!(postgres.another().rows(), memory.rows());
    }
}
