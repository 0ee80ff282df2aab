//! What is told to whoever added many entries about those near in meaning, as it is told to whoever adds one (COR-27).

use crate::ModelsInUse;
use ken_core::{EntryKey, decide};
use ken_engine::{Ledger, Result};

use crate::limits::recall::EMBEDDED_AT_WRITE_MAX;

/// What there is to say of new entries.
#[derive(Debug, Default)]
pub(crate) struct PairRemarks {
    /// Sentences, each with the entry that it is about.
    pub remarks: Vec<(EntryKey, String)>,
    /// What to say where nobody looked yet.
    pub later: Option<String>,
}

/// Which new entries may contradict or repeat others: what was noted when their vectors were made, after they were written. Of more than
/// are looked at then, their number is enough.
pub(crate) fn compared(
    ledger: &mut Ledger,
    models: &mut ModelsInUse,
    new: &[EntryKey],
    count: usize,
) -> Result<PairRemarks> {
    let mut compared = PairRemarks::default();
    if count > EMBEDDED_AT_WRITE_MAX {
        if crate::embedding::embedder(ledger, models).is_ok() {
            compared.later = Some(format!(
                "{count} new entries are compared with the others when their embeddings are computed; `ken queue` then lists pairs that may contradict or repeat each other"
            ));
        }
        return Ok(compared);
    }
    for key in new {
        let Some(stored) = ledger.stored(*key)? else { continue };
        let mut others = Vec::new();
        for other in stored.entry.similar_to.keys() {
            others.extend(ledger.stored(*other)?.map(|other| other.entry));
        }
        let remarks = decide::remarks_on_noted(&stored.entry, &others);
        compared.remarks.extend(remarks.into_iter().map(|remark| (*key, remark)));
    }
    Ok(compared)
}
