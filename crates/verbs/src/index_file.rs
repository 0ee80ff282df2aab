//! INDEX.md is written (COR-16).

use ken_engine::{Caller, Channel, IndexPageMoment, Ledger};

use crate::Site;

/// INDEX.md follows, where this is a moment at which it is written (COR-16).
///
/// Who reads over HTTP waits for nobody who writes, and reads no files here.
pub(crate) fn write_index_page(ledger: &mut Ledger, site: &Site, caller: &Caller, moment: IndexPageMoment) {
    let is_remote = moment == IndexPageMoment::Reading && caller.channel() == Channel::Http;
    if site.config.switch("index_page.write") && !site.options.read_only && !is_remote {
        let now = caller.now();
        if let Ok(git) = ledger.snapshot_mut().git_mut() {
            git.write_index_page(moment, now);
        }
    }
}
