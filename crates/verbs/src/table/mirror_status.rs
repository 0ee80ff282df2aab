//! `ken mirror status`.

use ken_engine::{Listing, Result};
use serde::Serialize;

use crate::page::PageRequest;
use crate::request::Request;
use crate::verb::{Call, Group, HttpPath, Nature, Verb};

/// A mirror.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MirrorView {
    pub name: String,
    pub format: String,
    /// Its folder or file: below the repository, or a whole path where it lies outside.
    pub path: String,
    /// It lies outside the repository, and only this clone knows of it.
    pub outside: bool,
    /// It is brought in step with every write, commit and session.
    pub auto: bool,
}

/// What `mirror status` answers.
pub type MirrorsAnswer = Listing<MirrorView>;

/// What `mirror status` takes.
#[derive(Clone, Debug, Request)]
pub struct MirrorStatusRequest {
    /// Which of them.
    #[field(flatten)]
    pub page: PageRequest,
}

/// List the mirrors.
pub struct MirrorStatus;

impl Verb for MirrorStatus {
    const NAME: &'static str = "mirror status";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "List the mirrors; `ken mirror sync --check` says whether they are in step";
    const EXAMPLE: &'static str = "ken mirror status";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/mirrors")];
    const GROUP: Group = Group::OtherSystems;
    const NATURE: Nature = Nature::READS;
    type Request = MirrorStatusRequest;
    type Answer = MirrorsAnswer;

    fn run(call: &mut Call, request: MirrorStatusRequest) -> Result<MirrorsAnswer> {
        let ken = call.reach()?;
        let mirrors = crate::foreign::sync::mirrors(&ken.site.config)?.into_iter().map(|mirror| MirrorView {
            auto: ken.site.config.follows(&mirror.name),
            format: mirror.format,
            path: mirror.path,
            outside: mirror.outside,
            name: mirror.name,
        });
        request.page.of(mirrors.collect(), |mirror| mirror.name.clone())
    }
}
