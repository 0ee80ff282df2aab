//! `ken mirror add`.

use ken_engine::Result;

use crate::Reach;
use crate::config::MIRRORS;
use crate::request::Request;
use crate::requests::MirrorChanged;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb};

/// Keep a folder or a file in step with the ledger.
pub struct MirrorAdd;

/// What `mirror add` takes.
#[derive(Clone, Debug, Request)]
pub struct MirrorAddRequest {
    /// Name of the mirror
    pub name: String,
    /// FORMAT:PATH, such as wfc:docs/reviewers; `ken import --formats` lists the formats
    #[field(value_name = "FORMAT:PATH")]
    pub files: String,
}

impl Verb for MirrorAdd {
    const NAME: &'static str = "mirror add";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Keep a folder or file of another system in step with the ledger";
    const EXAMPLE: &'static str = "ken mirror add reviewers wfc:docs/reviewers";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("POST", "/mirrors")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::OtherSystems;
    const NATURE: Nature = Nature::WRITES;
    type Request = MirrorAddRequest;
    type Answer = MirrorChanged;

    fn run(call: &mut Call, request: MirrorAddRequest) -> Result<MirrorChanged> {
        let MirrorAddRequest { name, files } = request;
        let Reach { ledger, site, caller, .. } = call.reach()?;
        crate::config::set_setting(ledger, &mut site.config, caller, &format!("{MIRRORS}.{name}"), &files)?;
        Ok(MirrorChanged { name, exists: true })
    }
}
