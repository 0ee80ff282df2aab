//! Vectors of entries: made at a write, behind it, or by hand.

use std::sync::Arc;

use ken_engine::ops::similar;
use ken_engine::ops::similar::Compared;
use ken_engine::{Caller, Embedder, Ledger};
use serde::Serialize;

use crate::limits::recall::{EMBEDDED_AT_WRITE_MAX, EMBEDDED_BEHIND_AT_ONCE};
use crate::{Access, Config, Error, ModelsInUse, Result, Site, Workspace};

/// How many vectors there are and how many are missing.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EmbedReport {
    pub model: String,
    /// Vectors made by this call.
    pub made: usize,
    /// Entries that still wait.
    pub backlog: usize,
    /// Vectors that were damaged and are made anew.
    pub damaged: usize,
    /// Pairs of entries that turned out to say the same in other words (IN-6); left out where there are none.
    #[serde(skip_serializing_if = "is_none_at_all")]
    pub proposed: usize,
}

pub(crate) fn is_none_at_all(count: &usize) -> bool {
    *count == 0
}

/// The model in use, or why there is none. Vectors of another model are not asked from here on.
pub fn embedder(
    ledger: &mut Ledger,
    models: &mut ModelsInUse,
) -> std::result::Result<Arc<dyn Embedder>, String> {
    let vectors = ledger.vectors();
    let embedder = models.all.embedder(&|model| vectors.known_dimensions(model))?;
    if !models.in_use {
        vectors.use_model(embedder.card()).map_err(|error| error.to_string())?;
        models.in_use = true;
    } else {
        vectors.catch_up();
    }
    Ok(embedder)
}

/// Makes vectors for entries that have none; `go_on` hears how many were made and may say stop.
pub fn embed(
    ledger: &mut Ledger,
    config: &Config,
    models: &mut ModelsInUse,
    caller: &Caller,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Result<EmbedReport> {
    let embedder = self::embedder(ledger, models).map_err(Error::failed("computing embeddings"))?;
    let damaged = ledger.vectors().check()?;
    let before = ledger.backlog()?;
    let (backlog, proposed) =
        embed_some(ledger, config, caller, &*embedder, usize::MAX, Compared::Queued, go_on)?;
    Ok(EmbedReport {
        model: embedder.card().name.clone(),
        made: before.saturating_sub(backlog),
        backlog,
        damaged,
        proposed,
    })
}

/// How many entries wait for a vector.
pub fn backlog(ledger: &mut Ledger, models: &mut ModelsInUse) -> Result<usize> {
    // Vectors that are kept already count, so the model must be in use.
    drop(embedder(ledger, models));
    ledger.backlog()
}

/// Leaves the making of vectors to a process of its own, which ends when it is done. Nothing waits for it, and nothing needs it:
/// `ken rebuild --embeddings` does the same by hand, and recall answers by words meanwhile.
pub fn embed_in_background(ledger: &mut Ledger, site: &Site, models: &mut ModelsInUse) {
    let wanted = site.config.switch("embedder.background") && site.options.background;
    if wanted && embedder(ledger, models).is_ok() && backlog(ledger, models).unwrap_or(0) > 0 {
        crate::background::embed(&site.options);
    }
}

/// Has the vectors made that a server lacks which has just begun: where they lie with the process, nobody else made them.
pub fn embed_missing(workspace: &Workspace, caller: &Caller) {
    workspace.embed_behind(workspace.project_pool(), caller, embed_what_was_left);
}

/// Makes the next few vectors that writers left behind them, and says how many still wait.
pub(crate) fn embed_what_was_left(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
) -> Result<usize> {
    let embedder = self::embedder(ledger, models).map_err(Error::failed("computing embeddings"))?;
    let mut made = 0;
    let (waiting, pairs) = embed_some(
        ledger,
        &site.config,
        caller,
        &*embedder,
        EMBEDDED_BEHIND_AT_ONCE,
        Compared::Every,
        &mut |count| {
            made += count;
            true
        },
    )?;
    site.pool().found_behind(pairs);
    // What cannot be made now is left to the next write.
    Ok(if made == 0 { 0 } else { waiting })
}

/// A write takes the meaning of what it wrote at once; many are queued, and so are those of callers who write side by side.
pub(crate) fn embed_what_was_written(
    ledger: &mut Ledger,
    site: &Site,
    models: &mut ModelsInUse,
    caller: &Caller,
) {
    if ledger.access() == Access::Read {
        return;
    }
    let Ok(embedder) = self::embedder(ledger, models) else { return };
    if site.pool().is_busy() {
        return site.workspace.embed_behind(site.pool(), caller, embed_what_was_left);
    }
    let made = ledger.backlog().and_then(|waiting| {
        if waiting == 0 || waiting > EMBEDDED_AT_WRITE_MAX {
            return Ok(waiting);
        }
        // What another process added meanwhile had no vector when this was compared.
        embed_some(
            ledger,
            &site.config,
            caller,
            &*embedder,
            EMBEDDED_AT_WRITE_MAX,
            Compared::Every,
            &mut |_| true,
        )
        .map(|(waiting, _)| waiting)
    });
    if let Err(error) = made {
        ledger.notice(format!(
            "added, but its embedding could not be computed: {error}; retry with `ken rebuild --embeddings`"
        ));
    }
}

/// Makes vectors, and looks of what had to wait for its own whether it is said already. Says how many entries still wait, and
/// how many pairs were found.
pub(crate) fn embed_some(
    store: &mut Ledger,
    config: &Config,
    caller: &Caller,
    embedder: &dyn Embedder,
    at_most: usize,
    compared: Compared,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Result<(usize, usize)> {
    let writer = crate::writer::writer(config, caller);
    let mut proposed = 0;
    let backlog = store.embed(embedder, at_most, &mut |store, keys| {
        proposed += similar::propose(store, keys, compared, embedder, &writer)?;
        Ok(go_on(keys.len()))
    })?;
    Ok((backlog, proposed))
}
