//! What a caller expects of an entry is compared inside of the append, whoever else writes to the store.

use crate::verbs::Verbs as _;
use std::collections::BTreeSet;
use std::path::Path;

use kenning::core::Code;
use kenning::core::decide::Change;
use kenning::{AddInput, Error, Options, Reach, Workspace};
use serde_json::json;

fn workspace(folder: &Path) -> Workspace {
    let options = Options { from: folder.to_owned(), no_model: true, ..Options::default() };
    kenning::open_with(options).unwrap()
}

fn titled(ken: &mut Reach, id: &str, title: &str) -> kenning::Result<()> {
    let set = json!({"title": title}).as_object().cloned().unwrap();
    let change = Change { set, ..Change::default() };
    ken.revise(id, change, &[], false).map(drop)
}

// Two servers of one store each compared If-Match before they wrote: of fifty changes that were acknowledged, twenty-two were written
// over by somebody who had not seen them.
#[test]
fn of_two_servers_that_change_the_same_entry_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    kenning::init(folder.path(), Default::default()).unwrap();
    let servers = [workspace(folder.path()), workspace(folder.path())];
    let caller = kenning::caller("agent:a");
    let id = servers[0]
        .call(&caller, |ken| {
            let content = json!({"statement": "Retry with jitter."}).as_object().cloned().unwrap();
            let kind = Some("lesson".to_owned());
            Ok(ken.add(AddInput { kind, content, draft: true, ..AddInput::default() })?.id)
        })
        .unwrap();
    let mut kept = BTreeSet::new();
    for round in 0..25 {
        // Both read the entry before either writes.
        let calls = servers.each_ref().map(|server| {
            let mut ken = server.on_behalf_of(caller.clone()).unwrap();
            let standing = ken.standing_of(&id).unwrap().unwrap();
            ken.expect(standing);
            ken
        });
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let begun: Vec<_> = calls
                .into_iter()
                .zip(0..)
                .map(|(mut ken, server)| {
                    let id = &id;
                    scope.spawn(move || (server, titled(&mut ken, id, &format!("title {round} of {server}"))))
                })
                .collect();
            begun.into_iter().map(|one| one.join().unwrap()).collect()
        });
        for (server, outcome) in outcomes {
            match outcome {
                Ok(()) => {
                    assert!(kept.insert(round), "round {round}: {server} did not see the other's change")
                }
                Err(Error::Refused(refusal)) => assert_eq!(refusal.code, Code::Changed, "{refusal:?}"),
                Err(error) => panic!("{error}"),
            }
        }
    }
    assert_eq!(kept.len(), 25, "one of two is kept in each round");
}

#[test]
fn what_is_expected_holds_for_the_first_change_of_a_call() {
    let folder = tempfile::tempdir().unwrap();
    kenning::init(folder.path(), Default::default()).unwrap();
    let server = workspace(folder.path());
    let mut ken = server.on_behalf_of(kenning::caller("agent:a")).unwrap();
    let content = json!({"statement": "Retry with jitter."}).as_object().cloned().unwrap();
    let kind = Some("lesson".to_owned());
    let id = ken.add(AddInput { kind, content, draft: true, ..AddInput::default() }).unwrap().id;
    let standing = ken.standing_of(&id).unwrap().unwrap();
    ken.expect(standing);
    titled(&mut ken, &id, "one").unwrap();
    titled(&mut ken, &id, "two").unwrap();
    ken.expect(standing);
    let refused = titled(&mut ken, &id, "three").unwrap_err();
    assert!(refused.to_string().contains("changed since it was read; nothing was written"), "{refused}");
    assert_eq!(serde_json::to_value(ken.show(&id).unwrap()).unwrap()["title"], "two");
}
