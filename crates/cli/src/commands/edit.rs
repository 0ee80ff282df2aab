//! `edit`: an entry as a form, in the editor of whoever works here.

use kenning::core::decide::Change;
use kenning::core::{Code, Refusal, schema};
use kenning::table::Edit;
use kenning::table::edit::EditRequest;
use kenning::{ChangeAnswer, Editable, Error, Result};
use serde_json::{Map, Value};

use super::{Session, Shown, change, render};
use crate::editor;
use crate::form::{Form, FormError};
use crate::output::{exit, println};

impl Shown for Edit {
    fn say(answer: &ChangeAnswer) {
        change::say(answer);
    }

    fn execute(session: &Session, request: EditRequest) -> Result<u8> {
        if !request.is_form() {
            return render::<Edit>(session, request, Edit::say);
        }
        let mut ken = session.open()?;
        let Editable { name, handle, kind, status, fields: before } =
            kenning::edit::editable(&mut ken.ledger, &ken.site.workspace, &ken.caller, &request.entry)?;
        session.notes(&mut ken);
        drop(ken);
        let Some(kind) = kind else {
            return Err(Refusal::new(
                Code::NotAllowed,
                format!("{} is of a type that this ken does not know", request.entry),
            )
            .hint("a newer ken can edit it")
            .into());
        };
        let form = Form::new(&schema::json_schema(kind));
        let head = [
            format!("{} {handle} ({status}). Edit it, save and close; the difference becomes a revision.", kind.word()),
            "Lines like this one are comments. An empty file changes nothing.".to_owned(),
            "Not changed here: evidence (ken edit ID --evidence), links (ken link), status (ken retract, ken archive).".to_owned(),
        ];
        let text = form.write(&head, &before);
        if request.print {
            println!("{}", text.trim_end());
            return Ok(exit::OK);
        }
        let revise = |edited: &str| {
            let after = form.read(&before, edited).map_err(|error| unreadable(&error))?;
            revise(session, &name, &before, &after)
        };
        if let Some(file) = &request.file {
            let doing = format!("reading {}", file.display());
            return revise(&editor::read_text(file).map_err(Error::failed(doing))?);
        }
        let instead = format!(
            "`ken edit {handle} --detail TEXT` changes a field; `ken edit {handle} --print` prints the form and `--file FILE` reads it back"
        );
        let edited = editor::edit(&text, ".md", &instead)?;
        revise(&edited.text).map_err(|error| edited.keep(error, &format!("ken edit {handle}")))
    }
}

fn revise(
    session: &Session,
    name: &str,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Result<u8> {
    let difference = Change::between(before, after);
    change::simple(session, |ken| {
        kenning::edit::revise(
            &mut ken.ledger,
            &ken.site,
            &mut ken.models,
            &ken.caller,
            name,
            difference,
            &[],
            false,
        )
    })
}

fn unreadable(error: &FormError) -> Refusal {
    Refusal::new(Code::Invalid, format!("nothing was changed; line {}: {}", error.line, error.problem))
}
