//! `mirror add`, `mirror remove` and `mirror status`: which files of other systems follow the ledger. `mirror sync` is in `foreign.rs`.

use crate::Reach;
use crate::request::Request;
use ken_core::{Code, Refusal};
use ken_engine::{Listing, Result};
use serde::Serialize;

use crate::config::MIRRORS;
use crate::page::PageRequest;
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

/// What `mirror add` and `mirror remove` answer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MirrorChanged {
    pub name: String,
    /// Whether there is such a mirror now.
    pub exists: bool,
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

/// Stop following a folder or a file. Its files and its entries stay.
pub struct MirrorRemove;

/// What `mirror remove` takes.
#[derive(Clone, Debug, Request)]
pub struct MirrorRemoveRequest {
    /// Name of the mirror
    pub name: String,
}

impl Verb for MirrorRemove {
    const NAME: &'static str = "mirror remove";
    const OWN_IDS: bool = true;
    const ABOUT: &'static str = "Stop following a mirror; its files and its entries stay";
    const EXAMPLE: &'static str = "ken mirror remove reviewers";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("DELETE", "/mirrors/{name}")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::OtherSystems;
    const NATURE: Nature = Nature::WRITES;
    type Request = MirrorRemoveRequest;
    type Answer = MirrorChanged;

    fn run(call: &mut Call, request: MirrorRemoveRequest) -> Result<MirrorChanged> {
        let (ken, name) = (call.reach()?, request.name);
        let mirrors = crate::foreign::sync::mirrors(&ken.site.config)?;
        if !mirrors.iter().any(|mirror| mirror.name == name) {
            let known: Vec<&str> = mirrors.iter().map(|mirror| mirror.name.as_str()).collect();
            let hint = match known.is_empty() {
                true => "there are no mirrors; `ken mirror add NAME FORMAT:PATH` makes one".to_owned(),
                false => format!("there are: {}", known.join(", ")),
            };
            let message = format!("there is no mirror {name:?}; nothing was changed");
            return Err(Refusal::new(Code::NotFound, message).hint(hint).field("name").into());
        }
        crate::config::set_setting(
            &ken.ledger,
            &mut ken.site.config,
            &ken.caller,
            &format!("{MIRRORS}.{name}"),
            "default",
        )?;
        Ok(MirrorChanged { name, exists: false })
    }
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
