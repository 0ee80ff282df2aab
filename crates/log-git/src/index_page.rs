//! INDEX.md: a line for each of the entries that changed last, for people and agents that read files. Generated, never read back as
//! truth (COR-16).
//!
//! In new stores git ignores it: it is this clone's own, and made when somebody reads. In older ones it is tracked, and only a commit
//! writes it, so that it is in no change that is not about it.

use std::io;
use std::path::Path;

use ken_core::words::one_line;
use ken_core::{Memory, Millis, Scope};
use ken_engine::{BRANCH, Entries, Error, IndexPageMoment, Overlaid, Query, Result, Stored, Threads};
use ken_index::{Projected, index_error};

use crate::base::GitBase;
use crate::catalogue::Catalogue;
use crate::disk::Disk;
use crate::limits::INDEX_LINES_MAX;

pub(crate) const NAME: &str = "INDEX.md";
/// Where the index keeps how the page looked when it was written, and of which entries.
const META: &str = "index_page";

/// Brings INDEX.md in step, if this is a moment at which it is written (COR-16).
pub(crate) fn update(
    projection: &mut Projected<GitBase>,
    moment: IndexPageMoment,
    now: Millis,
) -> Result<()> {
    let log = projection.log.clone();
    let (disk, store) = (&*log.home.disk, &log.home.layout.store);
    let is_own = is_ignored(disk, store);
    if !is_own && moment == IndexPageMoment::Reading {
        return Ok(());
    }
    let date = now.date();
    // A page that is tracked does not change because a day began.
    let as_of = if is_own { format!("{date} {}", projection.overlays.mark()) } else { String::new() };
    if is_in_step(disk, store, projection.catalogue(), &as_of).map_err(Error::failed("writing INDEX.md"))? {
        return Ok(());
    }
    // Whoever only reads waits for nobody who writes; the next one makes it.
    if moment == IndexPageMoment::Reading && !projection.work().index.is_free().map_err(index_error)? {
        return Ok(());
    }
    let query = Query {
        memories: vec![Memory::Semantic, Memory::Procedural],
        threads: Threads::SeenFrom(None),
        subset: Some(BRANCH),
        overlaid: if is_own { Overlaid::Visible } else { Overlaid::Any },
        limit: INDEX_LINES_MAX,
        ..Query::default()
    };
    let mut page = projection.list(&query)?;
    for stored in &mut page.entries {
        if let Some(checkout) = &mut stored.checkout {
            checkout.file = projection.catalogue().files().file_of(stored.entry.key).map_err(index_error)?;
        }
    }
    let page_text = text(&page.entries, page.total, &date);
    write(disk, store, projection.catalogue(), &page_text, &as_of).map_err(Error::failed("writing INDEX.md"))
}

/// Whether git ignores the page of a store.
pub(crate) fn is_ignored(disk: &dyn Disk, store: &Path) -> bool {
    let ignored = disk.read(&store.join(".gitignore"), 0).unwrap_or_default();
    String::from_utf8_lossy(&ignored).lines().any(|line| line.trim() == NAME)
}

/// How the page must look to be left as it is.
fn state(disk: &dyn Disk, path: &Path, index: &Catalogue, as_of: &str) -> io::Result<Option<String>> {
    let Ok(looks) = disk.looks(path) else { return Ok(None) };
    let digest = index.digest().map_err(io::Error::other)?;
    let (otherwise, here) = index.standing_otherwise().map_err(io::Error::other)?;
    let of = format!("{digest:x} {otherwise} {here}");
    Ok(Some(format!("{} {} {} {of} {as_of}", looks.size, looks.mtime, looks.inode)))
}

/// Whether the page has what the index has. `as_of` is the date it must say, where that matters.
pub(crate) fn is_in_step(disk: &dyn Disk, store: &Path, index: &Catalogue, as_of: &str) -> io::Result<bool> {
    let state = state(disk, &store.join(NAME), index, as_of)?;
    Ok(state.is_some() && index.meta(META).map_err(io::Error::other)? == state)
}

/// Writes the page, and remembers of what.
pub(crate) fn write(
    disk: &dyn Disk,
    store: &Path,
    index: &Catalogue,
    text: &str,
    as_of: &str,
) -> io::Result<()> {
    let path = store.join(NAME);
    disk.replace(&path, text.as_bytes())?;
    let state = state(disk, &path, index, as_of)?.unwrap_or_default();
    index.set_meta(META, &state).map_err(io::Error::other)
}

/// The page of some entries out of all there are.
pub(crate) fn text(entries: &[Stored], total: usize, date: &str) -> String {
    let mut lines: Vec<String> = entries.iter().filter_map(line).collect();
    lines.sort_unstable();
    let mut text = format!("# Knowledge index\n\nAs of {date}. ");
    text += &match total.saturating_sub(entries.len()) {
        0 => "`ken search` finds entries, `ken show ID` prints one.\n".to_owned(),
        more => format!("The latest {}; `ken list` has {more} more, `ken search` finds them.\n", lines.len()),
    };
    for line in lines {
        text.push('\n');
        text.push_str(&line);
    }
    text.push('\n');
    text
}

/// The line of an entry; none for what is not handed to agents.
fn line(stored: &Stored) -> Option<String> {
    let entry = &stored.entry;
    if !stored.is_on_branch()
        || stored.purge_asked
        || !entry.status.is_retrieved()
        || entry.memory() == Memory::Episodic
        || entry.fields.scope() == Scope::Thread
    {
        return None;
    }
    let name = entry.handle.as_deref().unwrap_or(&stored.id);
    let tags: Vec<&str> =
        entry.fields.tags.iter().chain(&entry.fields.domains).map(|tag| tag.as_str()).collect();
    let tags = if tags.is_empty() { String::new() } else { format!(" ({})", tags.join(", ")) };
    let file = stored.file()?;
    let title = entry.fields.title();
    // Agents read this page: what imitates a conversation is made harmless, and nothing is hidden in it.
    let said = ken_guard::fence::fenced(entry.fields.summary.as_deref().unwrap_or(&title), usize::MAX).text;
    let one_line = one_line(&said, 120);
    Some(format!("- `{name}` {}{tags} {file}: {one_line} <!--{}-->", entry.kind, entry.key))
}
