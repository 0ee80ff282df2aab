//! Which item of an edited file is which item of the file before.

use std::collections::HashMap;

/// What an item of the new file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// The item with this number in the old file, as it was.
    Same(usize),
    /// That item, with other words.
    Edited(usize),
    /// One that was not there.
    New,
}

/// Two texts that have this much in common are one that was edited.
const LIKE_MIN: f64 = 0.6;
/// Pairs that are compared: more were not edited, but written anew.
const PAIRS_MAX: usize = 10_000;

/// Finds the items of an old file again in a new one, each given by its name and its text: by its text, else by its name, else by what it has
/// in common. The second answer are those that are gone.
pub fn align(old: &[(&str, &str)], new: &[(&str, &str)]) -> (Vec<Met>, Vec<usize>) {
    let mut met = vec![Met::New; new.len()];
    let mut taken = vec![false; old.len()];
    let mut by_text: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, (_, text)) in old.iter().enumerate().rev() {
        by_text.entry(text).or_default().push(at);
    }
    for (at, (_, text)) in new.iter().enumerate() {
        if let Some(before) = by_text.get_mut(text).and_then(Vec::pop) {
            (met[at], taken[before]) = (Met::Same(before), true);
        }
    }
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for (at, (name, _)) in old.iter().enumerate().filter(|(at, _)| !taken[*at]) {
        by_name.entry(name).or_insert(at);
    }
    for (at, (name, _)) in new.iter().enumerate() {
        if met[at] == Met::New
            && let Some(before) = by_name.remove(name)
        {
            (met[at], taken[before]) = (Met::Edited(before), true);
        }
    }
    let left: Vec<usize> = (0..old.len()).filter(|at| !taken[*at]).collect();
    let come: Vec<usize> = (0..new.len()).filter(|at| met[*at] == Met::New).collect();
    match (left.as_slice(), come.as_slice()) {
        // A file that is one entry stays that entry, whatever it says.
        ([before], [at]) if old.len() == 1 && new.len() == 1 => {
            (met[*at], taken[*before]) = (Met::Edited(*before), true);
        }
        _ if left.len() * come.len() <= PAIRS_MAX => {
            let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
            for before in &left {
                for at in &come {
                    let like = strsim::sorensen_dice(old[*before].1, new[*at].1);
                    if like >= LIKE_MIN {
                        pairs.push((like, *before, *at));
                    }
                }
            }
            pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
            for (_, before, at) in pairs {
                if !taken[before] && met[at] == Met::New {
                    (met[at], taken[before]) = (Met::Edited(before), true);
                }
            }
        }
        _ => {}
    }
    let gone = (0..old.len()).filter(|at| !taken[*at]).collect();
    (met, gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_found_again() {
        let old = [("a", "one two three four"), ("b", "five"), ("c", "six seven"), ("d", "gone for good")];
        let new = [("c", "six seven"), ("x", "one two three four five"), ("b", "FIVE"), ("y", "brand new")];
        let (met, gone) = align(&old, &new);
        assert_eq!(met, [Met::Same(2), Met::Edited(0), Met::Edited(1), Met::New]);
        assert_eq!(gone, [3]);
    }

    // The same line twice is two items, and one of them may go.
    #[test]
    fn twins_are_two() {
        let (met, gone) = align(&[("a", "x"), ("a-2", "x")], &[("a", "x")]);
        assert_eq!((met, gone), (vec![Met::Same(0)], vec![1]));
    }

    #[test]
    fn a_file_of_one_entry_stays_that_entry() {
        assert_eq!(align(&[("a", "x")], &[("b", "entirely different")]).0, [Met::Edited(0)]);
    }
}
