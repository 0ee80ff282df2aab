//! Real files of other systems: ours leave them to their own formats, and read them without harm.

use std::path::Path;

use crate::promises;

const OURS: &[&str] = &["okf", "agents-md", "server-memory", "basic-memory", "mem0", "adr"];

#[test]
fn real_files_of_others() {
    let Some(folder) = std::env::var_os("KEN_CORPORA") else {
        eprintln!("SKIPPED: KEN_CORPORA is not set, so no real file of another system was read");
        return;
    };
    let folder = Path::new(&folder).join("corpora");
    let mut count = 0;
    for system in ["flux-drive", "gsd", "wfc"] {
        visit(&folder.join(system), &mut |path| {
            let Ok(text) = std::fs::read_to_string(path) else { return };
            let path = path.strip_prefix(&folder).unwrap().to_string_lossy().replace('\\', "/");
            for word in OURS {
                let claim = promises::format(word).claims(&path, &text);
                assert!(claim <= 10, "{word} claims {path} by {claim}");
                // Each paragraph of such a file is digested, which takes its time; every tenth file is enough.
                if *word != "agents-md" || count % 10 == 0 {
                    promises::read(word, &path, &text);
                }
            }
            count += 1;
        });
    }
    assert!(count > 0, "there is no file under {}", folder.display());
}

fn visit(folder: &Path, each: &mut impl FnMut(&Path)) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { visit(&path, each) } else { each(&path) }
    }
}
