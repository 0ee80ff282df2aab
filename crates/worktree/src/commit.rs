//! The tree of a commit, read from git's objects without checking it out.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::rc::Rc;

use crate::git::Git;
use crate::history::History;
use crate::limits::{FILE_BYTES_MAX, LISTED_FILES_MAX};
use crate::tree::{Look, Tree, is_gits_own, is_inside, is_stores, megabytes};

/// The tree of a commit. Nothing is fetched: what a partial clone lacks cannot be judged.
pub struct CommitTree {
    git: Git,
    commit: String,
    entries: Option<Result<BTreeMap<String, Object>, String>>,
    reader: Option<Reader>,
    listing: Option<Rc<[String]>>,
    history: Option<History>,
}

/// One line of `git ls-tree`.
struct Object {
    kind: Kind,
    id: String,
    /// None where this clone lacks the object.
    size: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    SymbolicLink,
    Submodule,
}

impl CommitTree {
    /// The tree of a commit, branch or tag. It is looked at when somebody asks.
    pub fn new(git: &Git, commit: &str) -> CommitTree {
        CommitTree {
            git: git.clone(),
            commit: commit.to_owned(),
            entries: None,
            reader: None,
            listing: None,
            history: None,
        }
    }

    fn entries(&mut self) -> Result<&BTreeMap<String, Object>, String> {
        let (git, commit) = (&self.git, &self.commit);
        let entries = self.entries.get_or_insert_with(|| entries(git, commit));
        entries.as_ref().map_err(Clone::clone)
    }
}

fn entries(git: &Git, commit: &str) -> Result<BTreeMap<String, Object>, String> {
    let failed = |why: String| format!("the tree of {commit} cannot be read: {why}");
    let Some(full) = git.commit(commit).map_err(|error| failed(error.to_string()))? else {
        return Err(failed("the commit does not exist in this clone".to_owned()));
    };
    let mut command = git.command(&["ls-tree", "-r", "-z", "--long", "--full-tree", &full]);
    let output = command.env("GIT_NO_LAZY_FETCH", "1").stdin(Stdio::null()).output();
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(said.lines().next().unwrap_or("git failed").to_owned()));
    }
    let mut entries = BTreeMap::new();
    for item in output.stdout.split(|byte| *byte == 0) {
        let text = String::from_utf8_lossy(item);
        let Some((meta, path)) = text.split_once('\t') else { continue };
        let mut words = meta.split_ascii_whitespace();
        let (Some(mode), Some(_), Some(id), size) = (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        let kind = match mode {
            "120000" => Kind::SymbolicLink,
            "160000" => Kind::Submodule,
            _ => Kind::File,
        };
        let size = size.and_then(|size| size.parse().ok());
        entries.insert(path.to_owned(), Object { kind, id: id.to_owned(), size });
    }
    Ok(entries)
}

impl Tree for CommitTree {
    fn look(&mut self, path: &str) -> Look {
        if !is_inside(path) {
            return Look::Absent;
        }
        if is_gits_own(path) {
            return Look::there(format!("{path} is inside the .git folder"));
        }
        let entries = match self.entries() {
            Ok(entries) => entries,
            Err(why) => return Look::elsewhere(why),
        };
        if let Some(object) = entries.get(path) {
            return match (object.kind, object.size) {
                (Kind::SymbolicLink, _) => {
                    Look::there(format!("{path} is a symbolic link, which is not followed in a commit"))
                }
                (Kind::Submodule, _) => Look::Folder,
                (Kind::File, None) => Look::there(format!("{path} is not in this clone")),
                (Kind::File, Some(size)) if size > FILE_BYTES_MAX => too_large(path, size),
                (Kind::File, Some(size)) => Look::File { blob: object.id.clone(), size },
            };
        }
        let below = format!("{path}/");
        if entries.range(below.clone()..).next().is_some_and(|(found, _)| found.starts_with(&below)) {
            return Look::Folder;
        }
        let above = path.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| &path[..at]);
        for folder in above {
            match entries.get(folder).map(|object| object.kind) {
                Some(Kind::Submodule) => {
                    return Look::elsewhere(format!(
                        "{path} is in a submodule, which a commit does not contain"
                    ));
                }
                Some(Kind::SymbolicLink) => {
                    return Look::elsewhere(format!(
                        "{folder} is a symbolic link, which is not followed in a commit"
                    ));
                }
                Some(Kind::File) | None => {}
            }
        }
        Look::Absent
    }

    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, String> {
        let id = match self.look(path) {
            Look::File { blob, .. } => blob,
            Look::Absent | Look::Folder => return Ok(None),
            Look::Unknown(why) => return Err(why.to_string()),
        };
        let reader = match &mut self.reader {
            Some(reader) => reader,
            none => none
                .insert(Reader::start(&self.git).map_err(|error| format!("{path} cannot be read: {error}"))?),
        };
        match reader.read(&id) {
            Ok(Some(bytes)) => Ok(Some(bytes)),
            Ok(None) => Err(format!("{path} is not in this clone")),
            Err(error) => {
                self.reader = None;
                Err(format!("{path} cannot be read: {error}"))
            }
        }
    }

    fn list(&mut self) -> Result<Rc<[String]>, String> {
        if let Some(listing) = &self.listing {
            return Ok(Rc::clone(listing));
        }
        let entries = self.entries()?;
        let files = entries.iter().filter(|(path, object)| object.kind == Kind::File && !is_stores(path));
        let listing: Rc<[String]> = files.map(|(path, _)| path.clone()).collect();
        if listing.len() > LISTED_FILES_MAX {
            return Err(too_many());
        }
        self.listing = Some(Rc::clone(&listing));
        Ok(listing)
    }

    fn since(&mut self, path: &str) -> Option<i64> {
        let (git, commit) = (&self.git, &self.commit);
        self.history.get_or_insert_with(|| History::new(git, commit)).since(path)
    }
}

pub(crate) fn too_large(path: &str, size: u64) -> Look {
    let max = FILE_BYTES_MAX / (1024 * 1024);
    Look::there(format!("{path} has {}; files over {max} MiB are not read", megabytes(size)))
}

pub(crate) fn too_many() -> String {
    format!("there are more than {LISTED_FILES_MAX} files; they are not listed")
}

/// A `git cat-file` that answers until it is dropped.
struct Reader {
    child: Child,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Reader {
    fn start(git: &Git) -> std::io::Result<Reader> {
        let mut command = git.command(&["cat-file", "--batch"]);
        command.env("GIT_NO_LAZY_FETCH", "1");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let missing = || std::io::Error::other("git has no standard input or output");
        let asked = child.stdin.take().ok_or_else(missing)?;
        let answers = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        Ok(Reader { child, asked, answers })
    }

    /// The bytes of a blob; none where this clone lacks it.
    fn read(&mut self, id: &str) -> std::io::Result<Option<Vec<u8>>> {
        writeln!(self.asked, "{id}")?;
        self.asked.flush()?;
        let mut header = String::new();
        self.answers.read_line(&mut header)?;
        let words: Vec<&str> = header.split_ascii_whitespace().collect();
        let size = match words[..] {
            [_, "missing"] => return Ok(None),
            [_, "blob", size] => size.parse::<u64>().map_err(std::io::Error::other)?,
            _ => return Err(std::io::Error::other(format!("git answered {:?}", header.trim()))),
        };
        let mut bytes = vec![0; usize::try_from(size).map_err(std::io::Error::other)? + 1];
        self.answers.read_exact(&mut bytes)?;
        bytes.pop();
        Ok(Some(bytes))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
