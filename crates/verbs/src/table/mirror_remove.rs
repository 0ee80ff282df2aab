//! `ken mirror remove`.

use ken_core::{Code, Refusal};
use ken_engine::Result;

use crate::config::MIRRORS;
use crate::request::Request;
use crate::requests::MirrorChanged;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb};

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
