//! INDEX.md: one sorted line per entry, for people and agents that read files. Generated, never read back as truth.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use ken_core::words::one_line;
use ken_core::{EntryKey, Memory, Scope};
use ken_engine::Stored;

use crate::catalogue::Catalogue;
use crate::disk::Disk;

const HEADER: &str = "# Knowledge index\n";

/// With more changes than this the page is made anew.
const SPLICES_MAX: usize = 1_000;

/// Brings the page in step with the index. `changed` are the entries that changed since the page was last written by this clone.
pub fn update(disk: &dyn Disk, store: &Path, index: &Catalogue, changed: &[EntryKey]) -> io::Result<()> {
    let path = store.join("INDEX.md");
    let current = disk
        .looks(&path)
        .map(|looks| format!("{} {} {}", looks.size, looks.mtime, looks.inode))
        .unwrap_or_default();
    let in_step = !current.is_empty() && index.meta("index_page").ok().flatten() == Some(current);
    if in_step && changed.is_empty() {
        return Ok(());
    }
    let text = if in_step && changed.len() <= SPLICES_MAX {
        let old = String::from_utf8(disk.read(&path, 0)?).map_err(io::Error::other)?;
        let new = splice(&old, index, changed)?;
        if new == old {
            return Ok(());
        }
        new
    } else {
        whole(index)?
    };
    disk.replace(&path, text.as_bytes())?;
    let looks = disk.looks(&path)?;
    index
        .set_meta("index_page", &format!("{} {} {}", looks.size, looks.mtime, looks.inode))
        .map_err(io::Error::other)
}

/// The whole page from the index.
pub fn whole(index: &Catalogue) -> io::Result<String> {
    let entries = index.entries_here().map_err(io::Error::other)?;
    let mut lines: Vec<String> = entries.iter().filter_map(line).collect();
    lines.sort_unstable();
    let mut text =
        String::with_capacity(lines.iter().map(|line| line.len() + 1).sum::<usize>() + HEADER.len() + 1);
    text.push_str(HEADER);
    for line in lines {
        text.push('\n');
        text.push_str(&line);
    }
    text.push('\n');
    Ok(text)
}

/// The page with some lines exchanged.
fn splice(old: &str, index: &Catalogue, changed: &[EntryKey]) -> io::Result<String> {
    let body = old.strip_prefix(HEADER).unwrap_or(old);
    let mut lines: Vec<std::borrow::Cow<'_, str>> =
        body.lines().filter(|line| !line.is_empty()).map(Into::into).collect();
    // An entry's line ends with its key, so it is found whatever else changed.
    let changed: BTreeMap<String, EntryKey> = changed.iter().map(|key| (key.to_string(), *key)).collect();
    let key_of = |line: &str| line.rsplit_once(" <!--")?.1.strip_suffix("-->").map(str::to_owned);
    lines.retain(|line| !key_of(line).is_some_and(|key| changed.contains_key(&key)));
    for key in changed.values() {
        let stored = index.stored_here(*key).map_err(io::Error::other)?;
        lines.extend(stored.as_ref().and_then(line).map(Into::into));
    }
    // The old ones are in order already, which a stable sort makes use of.
    lines.sort();
    let mut text = String::with_capacity(old.len() + 512);
    text.push_str(HEADER);
    for line in &lines {
        text.push('\n');
        text.push_str(line);
    }
    text.push('\n');
    Ok(text)
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
    let file = ken_core::place::entry_file(&entry.kind, &entry.id(), entry.origin, entry.created.millis());
    let title = entry.fields.title();
    // Agents read this page: what imitates a conversation is made harmless, and nothing is hidden in it.
    let said = ken_guard::fence::fenced(entry.fields.summary.as_deref().unwrap_or(&title), usize::MAX).text;
    let one_line = one_line(&said, 120);
    Some(format!("- `{name}` {}{tags} {file}: {one_line} <!--{}-->", entry.kind, entry.key))
}
