//! A change as norms see it, and how it is read from what git prints.
//!
//! Two prints are read: `--raw --numstat -z`, which has every path as it is, and the patch, which has the lines. Neither is trusted
//! to be well formed: what cannot be read is left out, and nothing panics.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;

/// What is about to be merged or released.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Its commits, the oldest first. A change that is not committed yet has none.
    pub commits: Vec<Commit>,
    /// Its files, sorted by path.
    pub files: Vec<Changed>,
    /// Its name, made from what it does to files: see `Change::identify`.
    pub id: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// Its full hash.
    pub hash: String,
    /// The first paragraph of its message, on one line.
    pub subject: String,
    /// The rest of its message.
    pub body: String,
    /// `Name <mail>`.
    pub author: String,
    /// It has more than one parent.
    pub is_merge: bool,
}

impl Commit {
    /// The whole message.
    pub fn message(&self) -> String {
        match self.body.trim_end() {
            "" => self.subject.clone(),
            body => format!("{}\n\n{body}", self.subject),
        }
    }

    /// Whether a name, a mail address or both are those of its author.
    pub fn is_by(&self, who: &str) -> bool {
        let (name, mail) = self.name_and_mail();
        let who = who.to_lowercase();
        [name, mail, &self.author].iter().any(|known| !known.is_empty() && known.to_lowercase() == who)
    }

    /// The name and the mail address of its author.
    pub fn name_and_mail(&self) -> (&str, &str) {
        match self.author.rsplit_once('<') {
            Some((name, mail)) => (name.trim(), mail.trim().trim_end_matches('>')),
            None => (self.author.trim(), ""),
        }
    }
}

/// One file of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Where it is now; where it was, if it is gone.
    pub path: String,
    /// Where it was before, if it moved.
    pub was: Option<String>,
    /// What became of it.
    pub what: What,
    /// What is at the path.
    pub form: Form,
    /// Lines that are new, with their numbers. A binary file has none.
    pub added: Vec<(u32, String)>,
    /// How many lines are gone.
    pub removed: u32,
    /// It has no lines that could be read.
    pub binary: bool,
    /// It is one of the store's own files.
    pub is_stores: bool,
    /// What the change does to it, for the name of the change.
    pub print: Print,
}

impl Changed {
    /// A text file and what became of it.
    pub fn text(path: &str, what: What, added: &[(u32, &str)], removed: u32) -> Changed {
        Changed {
            path: path.to_owned(),
            was: None,
            what,
            form: Form::File,
            added: added.iter().map(|(line, text)| (*line, (*text).to_owned())).collect(),
            removed,
            binary: false,
            is_stores: false,
            print: Print::default(),
        }
    }

    /// Where it is and where it was.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        [Some(self.path.as_str()), self.was.as_deref()].into_iter().flatten()
    }

    /// Lines that come and go.
    pub fn lines(&self) -> u64 {
        self.added.len() as u64 + u64::from(self.removed)
    }
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// It is new.
    Added,
    /// It is different.
    Modified,
    /// It is gone.
    Deleted,
    /// It moved, and may be different.
    Renamed,
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Form {
    File,
    /// A symbolic link; its line is where it leads.
    Link,
    /// Another repository; its line is a commit of that.
    Submodule,
}

/// What a change does to one file, as the name of the change has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Print {
    /// The modes before and after.
    pub modes: [String; 2],
    /// The blobs before and after.
    pub blobs: [String; 2],
    /// A hash of the lines that come, go and stand around them.
    pub lines: Option<[u8; 32]>,
}

impl Change {
    /// A change, with its name.
    pub fn new(commits: Vec<Commit>, mut files: Vec<Changed>) -> Change {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let id = Change::identify(&files);
        Change { commits, files, id }
    }

    /// Who made its commits, merges aside; everybody once.
    pub fn authors(&self) -> Vec<&str> {
        let mut authors: Vec<&str> = Vec::new();
        for commit in self.commits.iter().filter(|commit| !commit.is_merge) {
            if !authors.contains(&commit.author.as_str()) {
                authors.push(&commit.author);
            }
        }
        authors
    }

    /// The name of a change: sixteen bytes of blake3, in hex, over its files in the order of their paths, without the store's own. Of
    /// each file count its paths, what became of it, its modes, and the lines that come and go with three lines around them; of a file
    /// without readable lines the blobs count. Line numbers, commits, messages and time do not: a rebase over changes elsewhere gives
    /// the same name, and so does a commit of an attestation.
    pub fn identify(files: &[Changed]) -> String {
        let mut sorted: Vec<&Changed> = files.iter().filter(|file| !file.is_stores).collect();
        sorted.sort_by(|a, b| a.path.cmp(&b.path));
        let mut hasher = blake3::Hasher::new();
        let mut say = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        say(b"kenning change 1");
        for file in sorted {
            say(file.path.as_bytes());
            say(file.was.as_deref().unwrap_or_default().as_bytes());
            say(match file.what {
                What::Added => b"A",
                What::Modified => b"M",
                What::Deleted => b"D",
                What::Renamed => b"R",
            });
            for mode in &file.print.modes {
                say(mode.as_bytes());
            }
            match &file.print.lines {
                Some(lines) => say(lines),
                None => file.print.blobs.iter().for_each(|blob| say(blob.as_bytes())),
            }
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }
}

/// Reads the files of a change from the two prints of git. `is_stores` says which paths are the store's own.
pub fn read(listing: &[u8], patch: &[u8], is_stores: &dyn Fn(&str) -> bool) -> Vec<Changed> {
    let mut files = list(listing, is_stores);
    let mut at: BTreeMap<Vec<u8>, (usize, blake3::Hasher)> = BTreeMap::new();
    for (index, (path, _)) in files.iter().enumerate() {
        at.insert(path.clone(), (index, blake3::Hasher::new()));
    }
    let mut new_line = 0;
    each_line(patch, |path, line| {
        let Some((index, hasher)) = at.get_mut(path) else { return };
        let file = &mut files[*index].1;
        match line {
            Line::Hunk { new_start } => {
                new_line = new_start;
                hasher.update(b"@\n");
            }
            Line::Text { mark, text } => {
                hasher.update(&[mark]).update(text).update(b"\n");
                match mark {
                    b'+' if !file.binary => {
                        file.added.push((new_line, String::from_utf8_lossy(text).into_owned()))
                    }
                    b'-' if !file.binary => file.removed = file.removed.saturating_add(1),
                    _ => {}
                }
                new_line = new_line.saturating_add(u32::from(matches!(mark, b'+' | b' ')));
            }
        }
        file.print.lines.get_or_insert_default();
    });
    for (index, hasher) in at.into_values() {
        if let Some(lines) = &mut files[index].1.print.lines {
            *lines = *hasher.finalize().as_bytes();
        }
    }
    files.into_iter().map(|(_, file)| file).collect()
}

/// A file that git does not know yet, as git would tell of it.
pub fn untracked(path: &str, form: Form, is_executable: bool, bytes: &[u8], is_stores: bool) -> Changed {
    let mode = match (form, is_executable) {
        (Form::Link, _) => "120000",
        (Form::Submodule, _) => "160000",
        (Form::File, true) => "100755",
        (Form::File, false) => "100644",
    };
    // As git tells: a zero byte near the beginning.
    let binary = bytes.iter().take(8_000).any(|byte| *byte == 0);
    let mut file = Changed {
        path: path.to_owned(),
        was: None,
        what: What::Added,
        form,
        added: Vec::new(),
        removed: 0,
        binary,
        is_stores,
        print: Print { modes: [NO_MODE.to_owned(), mode.to_owned()], ..Print::default() },
    };
    if binary || bytes.is_empty() {
        return file;
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"@\n");
    let ends = bytes.ends_with(b"\n");
    let body = if ends { &bytes[..bytes.len() - 1] } else { bytes };
    for (index, text) in body.split(|byte| *byte == b'\n').enumerate() {
        hasher.update(b"+").update(text).update(b"\n");
        file.added.push((index as u32 + 1, String::from_utf8_lossy(text).into_owned()));
    }
    if !ends {
        hasher.update(b"\\").update(NO_NEWLINE).update(b"\n");
    }
    file.print.lines = Some(*hasher.finalize().as_bytes());
    file
}

const NO_MODE: &str = "000000";
const NO_NEWLINE: &[u8] = b" No newline at end of file";

/// Files with the bytes of their paths, from `--raw --numstat -z`.
fn list(listing: &[u8], is_stores: &dyn Fn(&str) -> bool) -> Vec<(Vec<u8>, Changed)> {
    let mut files: BTreeMap<Vec<u8>, Changed> = BTreeMap::new();
    let mut items = listing.split(|byte| *byte == 0);
    while let Some(item) = items.next() {
        if let Some(raw) = item.strip_prefix(b":") {
            let raw = String::from_utf8_lossy(raw).into_owned();
            let words: Vec<&str> = raw.split(' ').collect();
            let &[mode_before, mode_after, blob_before, blob_after, letter] = words.as_slice() else {
                continue;
            };
            let Some(first) = items.next() else { break };
            let moved = letter.starts_with(['R', 'C']);
            let Some(path) = (if moved { items.next() } else { Some(first) }) else { break };
            let what = match letter.as_bytes().first() {
                Some(b'A' | b'C') => What::Added,
                Some(b'D') => What::Deleted,
                Some(b'R') => What::Renamed,
                _ => What::Modified,
            };
            let form = match if what == What::Deleted { mode_before } else { mode_after } {
                "120000" => Form::Link,
                "160000" => Form::Submodule,
                _ => Form::File,
            };
            let text = String::from_utf8_lossy(path).into_owned();
            let file = Changed {
                is_stores: is_stores(&text),
                path: text,
                was: (what == What::Renamed).then(|| String::from_utf8_lossy(first).into_owned()),
                what,
                form,
                added: Vec::new(),
                removed: 0,
                binary: false,
                print: Print {
                    modes: [mode_before.to_owned(), mode_after.to_owned()],
                    blobs: [blob_before.to_owned(), blob_after.to_owned()],
                    lines: None,
                },
            };
            files.insert(path.to_vec(), file);
            continue;
        }
        let mut parts = item.splitn(3, |byte| *byte == b'\t');
        let (Some(added), Some(_), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        // A file that moved has its two paths after an empty one.
        let path = match path {
            [] => {
                items.next();
                items.next().unwrap_or_default()
            }
            path => path,
        };
        if let Some(file) = files.get_mut(path) {
            file.binary = added == b"-";
        }
    }
    files.into_iter().collect()
}

/// A line of a patch that matters.
enum Line<'a> {
    Hunk { new_start: u32 },
    Text { mark: u8, text: &'a [u8] },
}

/// Goes through the hunks of a patch. The counts of a hunk's header say where it ends, so that no line can pose as a header.
fn each_line(patch: &[u8], mut see: impl FnMut(&[u8], Line<'_>)) {
    let mut path: Vec<u8> = Vec::new();
    let (mut old, mut new) = (0_u32, 0_u32);
    let mut in_hunk = false;
    for line in patch.split(|byte| *byte == b'\n') {
        if old > 0 || new > 0 {
            let (mark, text) = line.split_first().map_or((b' ', line), |(mark, text)| (*mark, text));
            match mark {
                b'+' => new = new.saturating_sub(1),
                b'-' => old = old.saturating_sub(1),
                b'\\' => {}
                _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
            }
            see(&path, Line::Text { mark, text });
        } else if in_hunk && line.starts_with(b"\\") {
            see(&path, Line::Text { mark: b'\\', text: &line[1..] });
        } else if let Some(header) = line.strip_prefix(b"@@ ") {
            let (before, after) = ranges(header);
            (old, new) = (before.len() as u32, after.len() as u32);
            in_hunk = true;
            see(&path, Line::Hunk { new_start: after.start });
        } else if let Some(named) = line.strip_prefix(b"--- ") {
            path = named_path(named).unwrap_or_default();
            in_hunk = false;
        } else if let Some(named) = line.strip_prefix(b"+++ ") {
            // A file that is gone is known by where it was.
            path = named_path(named).unwrap_or(path);
            in_hunk = false;
        } else {
            in_hunk = false;
        }
    }
}

/// The lines before and after, of `-10,7 +10,9 @@`.
fn ranges(header: &[u8]) -> (Range<u32>, Range<u32>) {
    let header = String::from_utf8_lossy(header);
    let mut words = header.split(' ');
    let mut range = |sign: char| {
        let word = words.next().and_then(|word| word.strip_prefix(sign)).unwrap_or_default();
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        let start: u32 = start.parse().unwrap_or(0);
        start..start.saturating_add(count.parse().unwrap_or(0))
    };
    (range('-'), range('+'))
}

/// The path in a header of a patch, without its prefix; none for what is not there. Git quotes what would break the line, and puts
/// a tab after a name with blanks.
fn named_path(named: &[u8]) -> Option<Vec<u8>> {
    let bare = match named.strip_prefix(b"\"") {
        Some(quoted) => unquoted(quoted),
        None => named.strip_suffix(b"\t").unwrap_or(named).to_vec(),
    };
    match bare.as_slice() {
        b"/dev/null" => None,
        [b'a' | b'b', b'/', path @ ..] => Some(path.to_vec()),
        path => Some(path.to_vec()),
    }
}

/// A name that git quoted as C does, up to its closing quote.
fn unquoted(quoted: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = quoted;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'"' => break,
            b'\\' => {
                let Some((&escaped, after)) = rest.split_first() else { break };
                rest = after;
                match escaped {
                    b'a' => bytes.push(7),
                    b'b' => bytes.push(8),
                    b't' => bytes.push(b'\t'),
                    b'n' => bytes.push(b'\n'),
                    b'v' => bytes.push(11),
                    b'f' => bytes.push(12),
                    b'r' => bytes.push(b'\r'),
                    b'0'..=b'3' => {
                        let digits = [escaped, *rest.first().unwrap_or(&b'0'), *rest.get(1).unwrap_or(&b'0')];
                        rest = rest.get(2..).unwrap_or_default();
                        let value = digits
                            .iter()
                            .fold(0_u32, |sum, digit| sum * 8 + u32::from(digit.saturating_sub(b'0') & 7));
                        bytes.push((value & 255) as u8);
                    }
                    other => bytes.push(other),
                }
            }
            other => bytes.push(other),
        }
    }
    bytes
}
