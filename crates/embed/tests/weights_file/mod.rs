//! A model read from a file: the right one works, and any other says what is wrong.

use crate::{model, packed_path};
use ken_embed::Model;
use std::path::PathBuf;

#[test]
fn the_file_gives_the_vectors_of_the_bundled_model() {
    let opened = Model::open(&packed_path()).unwrap();
    assert_eq!(opened.digest(), model().digest());
    assert!(opened.embed("the same vector") == model().embed("the same vector"));
}

#[test]
fn a_damaged_file_is_refused_with_a_reason() {
    type Damage = fn(&mut Vec<u8>);
    let cases: [(&str, Damage, &str); 8] = [
        ("empty", |file| file.clear(), "does not begin as a packed model does"),
        ("magic", |file| file[0] = b'X', "does not begin as a packed model does"),
        ("short", |file| file.truncate(10), "ends early, after 10 bytes"),
        ("version", |file| file[8] = 9, "format version 9, and this program reads version 1"),
        ("cut", |file| file.truncate(1000), "should have 23600832 bytes and has 1000"),
        ("section", |file| file[24] = b'W', "section \"words\" is missing"),
        ("place", |file| file[24 + 24 + 7] = 0xff, "section \"words\" lies outside the file"),
        ("bit", |file| file[9_000_000] ^= 1, "is not the model this program knows"),
    ];
    let whole = std::fs::read(packed_path()).unwrap();
    for (name, damage, expected) in cases {
        let mut file = whole.clone();
        damage(&mut file);
        let path = Temporary::with(name, &file);
        let error = Model::open(&path.0).unwrap_err().to_string();
        assert!(error.contains(expected), "{name}: {error}");
        assert!(error.contains(name) && error.contains("; "), "the file and what to do: {error}");
    }
    let error = Model::open("no/such/model.ken".as_ref()).unwrap_err().to_string();
    assert!(error.starts_with("cannot read the model no/such/model.ken: "), "{error}");
}

/// A file that is gone after the test.
struct Temporary(PathBuf);

impl Temporary {
    fn with(name: &str, content: &[u8]) -> Temporary {
        let path = std::env::temp_dir().join(format!("ken-embed-{}-{name}.ken", std::process::id()));
        std::fs::write(&path, content).expect("the temporary folder can be written");
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
