//! Friction: what gets in the way of agents, and what signals add up to.

use askama::Template;
use serde_json::json;

use super::{Page, render};
use crate::answers::{Friction, Signals};
use crate::ask::ask;
use crate::layout::Layout;
use crate::limits::ASKED_MAX;
use crate::visit::Visit;

const PERIODS: &[(&str, &str)] = &[("7d", "week"), ("30d", "30 days"), ("13w", "quarter"), ("all", "always")];

#[derive(Template)]
#[template(path = "friction.html")]
struct FrictionPage<'a> {
    layout: Layout<'a>,
    periods: &'static [(&'static str, &'static str)],
    period: String,
    friction: Friction,
    signals: Signals,
}

pub(crate) fn page(visit: &Visit<'_>) -> Page {
    let layout = Layout::new(visit, "/friction", "Friction").with_charts();
    let period = visit.asked("period").unwrap_or("30d").to_owned();
    let friction: Friction = ask(visit, "friction report", json!({"since": period}))?;
    let signals: Signals = ask(visit, "signals", json!({"limit": ASKED_MAX}))?;
    render(&FrictionPage { layout, periods: PERIODS, period, friction, signals })
}
