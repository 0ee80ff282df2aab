//! Files that are sent to the parser before somebody waits for them.

use std::collections::VecDeque;

/// Files that will be read soon, in their order: a parser that is a process of its own works on the next ones meanwhile.
#[derive(Default)]
pub(super) struct Prefetch {
    pub(super) expected: VecDeque<String>,
    /// Those that the parser was sent, with their contents.
    pub(super) sent: VecDeque<(String, Vec<u8>)>,
    pub(super) sent_bytes: usize,
}

impl Prefetch {
    /// The content of a file that was sent. Files before it that nobody read are given up.
    pub(super) fn take(&mut self, path: &str) -> Option<Vec<u8>> {
        let Some(at) = self.sent.iter().position(|(sent, _)| sent == path) else {
            // It was to come later, so none of those that were sent is wanted.
            if let Some(at) = self.expected.iter().position(|expected| expected == path) {
                self.expected.drain(..=at);
                self.sent.clear();
                self.sent_bytes = 0;
            }
            return None;
        };
        let (_, content) = self.sent.drain(..=at).next_back()?;
        self.sent_bytes = self.sent.iter().map(|(_, content)| content.len()).sum();
        Some(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefetch(sent: &[&str], expected: &[&str]) -> Prefetch {
        Prefetch {
            expected: expected.iter().map(|path| (*path).to_owned()).collect(),
            sent: sent.iter().map(|path| ((*path).to_owned(), path.as_bytes().to_vec())).collect(),
            sent_bytes: sent.iter().map(|path| path.len()).sum(),
        }
    }

    #[test]
    fn what_comes_before_a_file_is_given_up_with_it() {
        let mut files = prefetch(&["a", "bb", "ccc"], &["d"]);
        assert_eq!(files.take("bb"), Some(b"bb".to_vec()));
        assert_eq!((files.sent.len(), files.sent_bytes), (1, 3));
        assert_eq!(files.take("a"), None);
        assert_eq!(files.take("ccc"), Some(b"ccc".to_vec()));
        assert_eq!(files.sent_bytes, 0);
    }

    #[test]
    fn files_that_nobody_reads_do_not_stop_it() {
        let mut files = prefetch(&["ignored", "refused"], &["c", "d", "e"]);
        assert_eq!(files.take("elsewhere"), None);
        assert_eq!(files.sent.len(), 2, "a file that was not expected says nothing about the others");
        assert_eq!(files.take("d"), None);
        assert_eq!((files.sent.len(), files.sent_bytes), (0, 0));
        assert_eq!(files.expected, ["e"]);
    }
}
