//! Belief drawn with characters: how it moved, as a small chart, and how certain it is, as a bar (BEL-10).

/// What was believed of an entry at one time; the rates are from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Believed {
    /// The day, as it is to be shown below the chart.
    pub(crate) date: String,
    /// The lower end of the interval.
    pub(crate) low: f64,
    /// The mean.
    pub(crate) mean: f64,
    /// The upper end of the interval.
    pub(crate) high: f64,
}

/// What a chart is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strokes {
    /// Lines and shades.
    Blocks,
    /// ASCII alone.
    Plain,
}

impl Strokes {
    /// The mean in the upper, the middle and the lower third of a line.
    fn line(self) -> [char; 3] {
        match self {
            Strokes::Blocks => ['▔', '─', '▁'],
            Strokes::Plain => ['\'', '-', '_'],
        }
    }

    fn shade(self) -> char {
        match self {
            Strokes::Blocks => '░',
            Strokes::Plain => ':',
        }
    }

    /// The axis beside a percentage and beside none.
    fn axis(self) -> [char; 2] {
        match self {
            Strokes::Blocks => ['┤', '│'],
            Strokes::Plain => ['+', '|'],
        }
    }
}

/// Lines of the chart, without that of the dates: one for every eighth.
const LINES: usize = 9;
/// Columns of the percentages and the axis.
const MARGIN: usize = 7;
/// Columns that a chart has at least, however narrow the terminal.
const COLUMNS_MIN: usize = 12;

/// How a belief moved, from the first moment to the last: its mean as a line and its interval as a shade around it.
///
/// Each moment is as wide as every other; where there are more of them than columns, some are left out, but never the last.
pub(crate) fn belief(moments: &[Believed], width: usize, strokes: Strokes) -> String {
    let (Some(first), Some(last)) = (moments.first(), moments.last()) else {
        return String::new();
    };
    let columns = width.saturating_sub(MARGIN).max(COLUMNS_MIN);
    let shown: Vec<&Believed> =
        (0..columns).map(|column| &moments[moment_at(column, columns, moments.len())]).collect();
    let mut text = String::new();
    for line in 0..LINES {
        let percent = 100 - line * 100 / (LINES - 1);
        let [told, untold] = strokes.axis();
        match line % 2 {
            0 => text.push_str(&format!("{percent:>3} % {told}")),
            _ => text.push_str(&format!("      {untold}")),
        }
        let drawn: String = shown.iter().map(|moment| stroke(moment, line, strokes)).collect();
        text.push_str(drawn.trim_end());
        text.push('\n');
    }
    let mut dates = vec![' '; columns];
    put(&mut dates, 0, &first.date);
    if moments.len() > 1 {
        put(&mut dates, columns.saturating_sub(last.date.chars().count()), &last.date);
    }
    if moments.len() > 2 {
        let date = &shown[columns / 2].date;
        put(&mut dates, (columns / 2).saturating_sub(date.chars().count() / 2), date);
    }
    let dates: String = dates.into_iter().collect();
    text.push_str(&" ".repeat(MARGIN));
    text.push_str(dates.trim_end());
    text.push('\n');
    text
}

/// Which moment a column shows.
fn moment_at(column: usize, columns: usize, moments: usize) -> usize {
    if moments <= columns { column * moments / columns } else { column * (moments - 1) / (columns - 1) }
}

/// What one moment looks like in one line. A third of a line is the finest that is told apart.
fn stroke(moment: &Believed, line: usize, strokes: Strokes) -> char {
    // Thirds from the top, so that the middle third of a line is its percentage.
    let third = |rate: f64| ((1.0 - rate.clamp(0.0, 1.0)) * (LINES - 1) as f64 * 3.0).round() as usize + 1;
    let mean = third(moment.mean);
    if mean / 3 == line {
        return strokes.line()[mean % 3];
    }
    let (top, bottom) = (third(moment.high), third(moment.low));
    if (top..=bottom).contains(&(line * 3 + 1)) { strokes.shade() } else { ' ' }
}

/// Writes a date, unless it would touch another.
fn put(row: &mut [char], at: usize, date: &str) {
    let end = at + date.chars().count();
    let around = at.saturating_sub(1)..(end + 1).min(row.len());
    if end <= row.len() && row[around].iter().all(|place| *place == ' ') {
        for (place, letter) in row[at..].iter_mut().zip(date.chars()) {
            *place = letter;
        }
    }
}

/// Cells of the bar.
const CELLS: usize = 8;

/// A belief in a few characters: its mean in percent, and a bar that fills as it becomes certain.
pub(crate) fn bar(mean: f64, certainty: f64) -> String {
    let full = (certainty.clamp(0.0, 1.0) * CELLS as f64).round() as usize;
    format!("{:.0} % ▕{}{}▏", mean * 100.0, "█".repeat(full), "░".repeat(CELLS - full))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(moments: &[(&str, f64, f64, f64)], width: usize, strokes: Strokes, right: Expect) {
        let moments = moments.iter().map(|(date, low, mean, high)| Believed {
            date: (*date).to_owned(),
            low: *low,
            mean: *mean,
            high: *high,
        });
        right.assert_eq(&belief(&moments.collect::<Vec<_>>(), width, strokes));
    }

    #[test]
    fn what_nobody_used_is_a_flat_line() {
        check(
            &[("2026-03-01", 0.212, 0.5, 0.788)],
            40,
            Strokes::Blocks,
            expect![[r#"
            100 % ┤
                  │
             75 % ┤░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
                  │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
             50 % ┤─────────────────────────────────
                  │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
             25 % ┤░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
                  │
              0 % ┤
                   2026-03-01
        "#]],
        );
    }

    #[test]
    fn each_moment_is_a_step() {
        let moments = [
            ("2026-03-01", 0.212, 0.5, 0.788),
            ("2026-03-04", 0.286, 0.565, 0.823),
            ("2026-03-09", 0.37, 0.63, 0.86),
            ("2026-03-17", 0.31, 0.55, 0.79),
            ("2026-04-02", 0.45, 0.68, 0.87),
        ];
        check(
            &moments,
            60,
            Strokes::Blocks,
            expect![[r#"
            100 % ┤
                  │                      ░░░░░░░░░░           ░░░░░░░░░░
             75 % ┤░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
                  │░░░░░░░░░░░▁▁▁▁▁▁▁▁▁▁▁──────────░░░░░░░░░░░▔▔▔▔▔▔▔▔▔▔
             50 % ┤───────────░░░░░░░░░░░░░░░░░░░░░▔▔▔▔▔▔▔▔▔▔▔░░░░░░░░░░
                  │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
             25 % ┤░░░░░░░░░░░
                  │
              0 % ┤
                   2026-03-01           2026-03-09            2026-04-02
        "#]],
        );
        check(
            &moments,
            60,
            Strokes::Plain,
            expect![[r#"
            100 % +
                  |                      ::::::::::           ::::::::::
             75 % +:::::::::::::::::::::::::::::::::::::::::::::::::::::
                  |:::::::::::___________----------:::::::::::''''''''''
             50 % +-----------:::::::::::::::::::::'''''''''''::::::::::
                  |:::::::::::::::::::::::::::::::::::::::::::
             25 % +:::::::::::
                  |
              0 % +
                   2026-03-01           2026-03-09            2026-04-02
        "#]],
        );
    }

    #[test]
    fn a_thousand_moments_are_sampled() {
        let moments: Vec<Believed> = (0..1000_u32)
            .map(|at| {
                let mean = 0.5 + 0.45 * f64::from(at) / 999.0;
                let half = 0.3 / (1.0 + f64::from(at) / 100.0);
                Believed { date: format!("day {at}"), low: mean - half, mean, high: mean + half }
            })
            .collect();
        expect![[r#"
            100 % ┤                                                             ▁▁
                  │                                            ▁▁▁▁▁──────▔▔▔▔▔▔
             75 % ┤░░░                    ░░░▁▁▁▁▁▁──────▔▔▔▔▔▔
                  │░░░░░░░░░▁▁▁▁▁▁──────▔▔▔▔▔░░
             50 % ┤───▔▔▔▔▔▔░░░░░░░
                  │░░░░░░░
             25 % ┤░░
                  │
              0 % ┤
                   day 0                       day 499                     day 999
        "#]]
        .assert_eq(&belief(&moments, 70, Strokes::Blocks));
    }

    #[test]
    fn the_ends_of_the_scale_are_on_the_chart_and_no_width_is_too_small() {
        let moments =
            [("2026-01-01", 0.0, 0.0, 0.1), ("2026-01-02", 0.9, 1.0, 1.0), ("2026-01-03", 0.0, 0.5, 1.0)];
        check(
            &moments,
            0,
            Strokes::Plain,
            expect![[r#"
            100 % +    ----::::
                  |        ::::
             75 % +        ::::
                  |        ::::
             50 % +        ----
                  |        ::::
             25 % +        ::::
                  |        ::::
              0 % +----    ::::
                   2026-01-01
        "#]],
        );
        assert_eq!(belief(&[], 60, Strokes::Blocks), "");
        let odd = Believed { date: "é".to_owned(), low: f64::NAN, mean: f64::NAN, high: 7.0 };
        assert_eq!(belief(&[odd], 60, Strokes::Blocks).lines().count(), 10);
    }

    #[test]
    fn bel_10_a_bar_fills_as_a_belief_becomes_certain() {
        let bars = [(0.5, 0.2), (0.82, 0.5), (0.055, 0.99), (1.0, 1.0), (0.0, 0.0)];
        let bars = bars.map(|(mean, certainty)| bar(mean, certainty)).join("\n");
        expect![[r#"
            50 % ▕██░░░░░░▏
            82 % ▕████░░░░▏
            6 % ▕████████▏
            100 % ▕████████▏
            0 % ▕░░░░░░░░▏"#]]
        .assert_eq(&bars);
    }
}
