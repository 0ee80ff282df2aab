//! How a token budget is filled (COR-6): one-liners first, as many as fit, best first; then the best grow while there is room. What
//! does not fit as a line is a title and an id.

/// The form in which something is only named: title and id.
pub const TITLE: usize = 0;
/// The form in which something takes one line. Every form after it says more.
pub const LINE: usize = 1;

/// Something that may be shown, best first among its like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// How many forms it has, the shortest first: title, line, and what it may grow to.
    pub forms: usize,
    /// It is shown as a line whether or not there is room for it.
    pub must_stay: bool,
}

/// Chooses a form for each item, so that the whole fits. `fits` is asked about a choice; none is what is left out.
pub fn fill(items: &[Item], fits: &mut dyn FnMut(&[Option<usize>]) -> bool) -> Vec<Option<usize>> {
    let mut chosen = vec![None; items.len()];
    for (at, item) in items.iter().enumerate() {
        if item.must_stay {
            chosen[at] = Some(LINE);
        }
    }
    for at in 0..items.len() {
        if chosen[at].is_none() {
            chosen[at] = [LINE, TITLE].into_iter().find(|form| {
                chosen[at] = Some(*form);
                fits(&chosen)
            });
        }
    }
    let order: Vec<usize> = (0..items.len()).collect();
    grow(items, &order, &mut chosen, fits);
    chosen
}

/// Lets what is shown as a line grow, in an order, each as far as there is room.
pub fn grow(
    items: &[Item],
    order: &[usize],
    chosen: &mut [Option<usize>],
    fits: &mut dyn FnMut(&[Option<usize>]) -> bool,
) {
    for at in order {
        let Some(LINE) = chosen[*at] else { continue };
        for form in LINE + 1..items[*at].forms {
            let before = chosen[*at].replace(form);
            if !fits(chosen) {
                chosen[*at] = before;
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills a budget with items whose forms take so many tokens; each as the number of its form, `-` where it is left out.
    fn filled(budget: usize, costs: &[&[usize]], must_stay: &[usize]) -> String {
        let items: Vec<Item> = costs
            .iter()
            .enumerate()
            .map(|(at, costs)| Item { forms: costs.len(), must_stay: must_stay.contains(&at) })
            .collect();
        let mut fits = |chosen: &[Option<usize>]| {
            let cost = chosen.iter().zip(costs).filter_map(|(form, costs)| Some(costs[(*form)?]));
            cost.sum::<usize>() <= budget
        };
        let chosen = fill(&items, &mut fits);
        chosen.iter().map(|form| form.map_or("-".to_owned(), |form| form.to_string())).collect()
    }

    #[test]
    fn lines_come_first_and_then_the_best_grow() {
        const ALIKE: &[usize] = &[2, 10, 30, 60];
        for (budget, expected) in [
            (1, "---"),
            (5, "00-"),
            (13, "10-"),
            (25, "110"),
            (30, "111"),
            (49, "111"),
            (50, "211"),
            (70, "221"),
            (80, "311"),
            (180, "333"),
        ] {
            assert_eq!(filled(budget, &[ALIKE; 3], &[]), expected, "{budget} tokens");
        }
    }

    #[test]
    fn what_must_stay_is_a_line_even_beyond_the_budget() {
        assert_eq!(filled(5, &[&[2, 10, 30], &[2, 10, 30]], &[1]), "-1");
    }

    #[test]
    fn a_long_one_does_not_keep_a_short_one_out() {
        assert_eq!(filled(20, &[&[30, 40], &[2, 10, 15]], &[]), "-2");
    }
}
