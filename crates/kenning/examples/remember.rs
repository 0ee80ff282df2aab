//! Remembers a lesson in a scratch store and reads it back: `cargo run -p kenning --example remember`.

use kenning::{AddInput, Options, Query, SetUp};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::create_dir(folder.path().join("src"))?;
    std::fs::write(folder.path().join("src/net.rs"), "fn retry() {}\n")?;
    // Who acts is up to the program; nothing is taken from the environment.
    let options = Options::at(folder.path());
    kenning::init_with(&options, SetUp::default())?;
    let mut ken = kenning::open_for(options, kenning::caller("agent:example"))?;

    let content = json!({
        "title": "Retry with jitter",
        "statement": "Retry network calls with jitter, or all clients come back at once.",
        "anchors": ["src/net.rs#retry"],
        "verification": ["grep -n jitter src/net.rs"],
        "tags": ["http/retry"],
    });
    let mut lesson = AddInput { kind: Some("lesson".into()), ..AddInput::default() };
    lesson.content = content.as_object().cloned().unwrap_or_default();
    lesson.evidence.push("pr:#42".into());
    let added = kenning::add::add(&mut ken.ledger, &ken.site, &mut ken.models, &ken.caller, lesson)?;
    println!("{} {}", added.outcome, added.handle);

    for entry in kenning::list::list(
        &mut ken.ledger,
        &ken.site,
        &ken.caller,
        &Query { tags: vec!["http".into()], ..Query::default() },
    )?
    .items
    {
        println!("{}  {}  {}", entry.handle, entry.status, entry.title);
    }
    for citation in kenning::show::show(&mut ken.ledger, &ken.site, &ken.caller, &added.handle)?.provenance {
        println!("rests on {}:{}", citation.evidence_type, citation.evidence_ref);
    }
    Ok(())
}
