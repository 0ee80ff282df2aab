//! How much a page shows, with the unit and the reason.

/// The width of a bar of belief, in units of its picture.
pub(crate) const METER_WIDTH: f64 = 96.0;

/// So many entries are listed where a page has several lists.
pub(crate) const ROWS_MAX: usize = 50;

/// Longer texts are not compared word by word.
pub(crate) const WORDS_MAX: usize = 600;

/// So many norms are listed.
pub(crate) const NORMS_MAX: usize = 500;

/// So many runs are listed.
pub(crate) const OUTCOMES_SHOWN: usize = 100;

/// So many events are shown unless all of them are asked for.
pub(crate) const EVENTS_SHOWN: usize = 30;

/// So many of the latest changes of belief are drawn.
pub(crate) const BELIEF_POINTS_MAX: usize = 100;

/// So many citations are listed.
pub(crate) const CITATIONS_MAX: usize = 50;

/// So many entries that contradict one are shown beside it.
pub(crate) const CONTRADICTIONS_MAX: usize = 3;

/// So many of those who were shown it are listed.
pub(crate) const EXPOSURES_SHOWN: usize = 40;

/// So many answers to a question are shown.
pub(crate) const RESULTS_MAX: usize = 20;

/// So many entries are on a page of the list.
pub(crate) const PAGE_LEN: usize = 50;

/// So many entries with a verdict are shown.
pub(crate) const CHECKED_MAX: usize = 200;

/// Among so many recent entries an age is looked for.
pub(crate) const RECENT_MAX: usize = 5_000;

/// So many items are looked at, at once.
pub(crate) const ITEMS_MAX: usize = 200;

/// So many runs are listed.
pub(crate) const RUNS_SHOWN: usize = 200;

/// So many entries are drawn; the list names as many.
pub(crate) const ENTRIES_MAX: usize = 400;

/// So many days of activity are shown.
pub(crate) const DAYS: usize = 56;

/// Days of a bar of the activity.
pub(crate) const DAYS_PER_BAR: usize = 7;

/// So many rows of a list are asked for at once: no verb gives more.
pub(crate) const ASKED_MAX: usize = 1_000;

/// So many runs make the chart of outcomes: months of a busy team.
pub(crate) const CHARTED_MAX: usize = 10_000;
