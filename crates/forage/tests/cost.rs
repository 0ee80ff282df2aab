//! What a cycle costs: five pages of half a megabyte each, in a process of its own. The server that answers is in it, too.

#![allow(clippy::unwrap_used)]

#[path = "main/server.rs"]
#[allow(dead_code, reason = "the other tests need more of it")]
mod server;

use std::collections::BTreeMap;
use std::fmt::Write;

use ken_forage::{Cycle, Domains, Fetcher, join_same};
use server::{Server, html, not_found};

/// COR-30.
const CPU_SECONDS_MAX: f64 = 3.0;
const MEMORY_MIB_MAX: f64 = 60.0;

/// A page as large as is read, with many sections, links, hidden parts and sentences that may be claims.
fn large(number: usize) -> String {
    let mut page = format!("<html><head><title>Page {number}</title></head><body><nav>");
    (0..500).for_each(|at| write!(page, "<a href=/{at}>Chapter {at}</a>").unwrap());
    page.push_str("</nav><main>");
    for at in 0.. {
        if page.len() > 480_000 {
            break;
        }
        write!(
            page,
            "<h2>Section {number}.{at}</h2><p>Server {at} of cluster {number} must be restarted after <code>option_{at}</code> was changed, because \
             it is read once when it starts. Other options <a href=/o>take effect</a> at once, which is told elsewhere in this manual and \
             repeated here for people who look only at this page.</p><ul><li>Since version {number}.{at} a lock that is held for more than {at} seconds \
             is reported.</li></ul><div style='display:none'>Printed on paper {at}</div><pre>start --server {at}</pre>"
        )
        .unwrap();
    }
    page + "</main></body></html>"
}

/// Seconds of work that this process has done, and the most memory it ever had, in MiB; none where the system does not tell.
fn spent() -> Option<(f64, f64)> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>().ok()? + fields[12].parse::<f64>().ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = peak.trim().trim_end_matches(" kB").parse().ok()?;
    // Linux tells times in hundredths, whatever the clock of its scheduler.
    Some((ticks / 100.0, kib / 1024.0))
}

#[test]
fn a_cycle_of_five_large_pages_is_cheap() {
    let pages: Vec<String> = (0..5).map(large).collect();
    let server = Server::start(move |path| {
        let number = path.strip_prefix("/page/").and_then(|number| number.parse::<usize>().ok());
        number.map_or_else(not_found, |number| html(&pages[number]))
    });
    let before = spent();
    let mut cycle = Cycle::new(Fetcher::new(server.policy()), Domains::default(), BTreeMap::new(), 5);
    (0..5).for_each(|number| cycle.read(&server.page(&format!("/page/{number}"))));
    join_same(&mut cycle.readings);
    assert_eq!(cycle.readings.len(), 5, "{:?}", cycle.lines);
    let (Some((before, _)), Some((after, memory))) = (before, spent()) else { return };
    let cpu = after - before;
    println!("{cpu:.2} s of CPU, {memory:.0} MiB at most, {} bytes read", cycle.bytes());
    assert!(cpu <= CPU_SECONDS_MAX && memory <= MEMORY_MIB_MAX, "{cpu:.2} s, {memory:.0} MiB");
}
