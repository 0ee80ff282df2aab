//! VAL-1: what conditions answer, told as tables.

use std::time::Duration;

use expect_test::{Expect, expect};
use ken_core::condition::Condition;
use ken_worktree::{Answer, Evaluator, Limits, MemoryTree, Symbols, Tree, Unjudged, evaluate, facts};
use proptest::prelude::*;
use proptest::sample::select;

use crate::world::World;

/// Finds symbols as nobody should: by their text.
struct Grep;

impl Symbols for Grep {
    fn has(&mut self, tree: &mut dyn Tree, path: &str, symbol: &str) -> Result<bool, String> {
        let bytes = tree.read(path)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).contains(&format!("fn {symbol}")))
    }
}

fn told(tree: &mut dyn Tree, conditions: &str) -> String {
    // A machine that does something else meanwhile gives the same answers.
    let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
    let mut all = Evaluator::new(limits);
    let lines = conditions.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.map(|line| {
        let condition = Condition::parse(line).unwrap_or_else(|why| panic!("{line}: {why}"));
        let alone = evaluate(&condition, tree, &mut Grep, &limits);
        assert_eq!(all.evaluate(&condition, tree, &mut Grep), alone, "{line}");
        let (word, why) = match alone {
            Answer::Holds(why) => ("holds", why),
            Answer::Broken(why) => ("broken", why),
            Answer::Unverifiable(why) => ("unverifiable", why),
        };
        format!("{line}: {word}, {why}\n")
    });
    lines.collect()
}

fn check(files: &[(&str, &str)], conditions: &str, expected: Expect) {
    expected.assert_eq(&told(&mut MemoryTree::new(files), conditions));
}

#[test]
fn files_symbols_and_contents() {
    let mut tree = MemoryTree::new(&[("src/net.rs", "fn retry() {}\n"), ("src/dos.txt", "a\r\nb\r\n")]);
    tree.hide(
        "src/huge.bin",
        Unjudged::There("src/huge.bin has 200 MB; files over 32 MiB are not read".to_owned()),
    );
    tree.hide("sub/x", Unjudged::Elsewhere("sub/x is in a submodule that is not checked out".to_owned()));
    let told = told(
        &mut tree,
        "src/net.rs
         src/net.rs exists
         NOT src/net.rs exists
         src/old.rs
         NOT src/old.rs
         src exists
         src/huge.bin exists
         src/huge.bin =~ /x/
         sub/x
         NOT sub/x
         src/net.rs#retry
         src/net.rs#again
         src/old.rs#retry
         src#retry
         sub/x#retry
         src/net.rs@8b137891791fe96927ad78e64b0aad7bded08bdc
         src/net.rs@08d9da4
         src/dos.txt@422c2b7
         src/old.rs@e07d7a0",
    );
    expect![[r#"
        src/net.rs: holds, src/net.rs exists
        src/net.rs exists: holds, src/net.rs exists
        NOT src/net.rs exists: broken, src/net.rs exists
        src/old.rs: broken, src/old.rs does not exist
        NOT src/old.rs: holds, src/old.rs does not exist
        src exists: holds, src exists
        src/huge.bin exists: holds, src/huge.bin exists
        src/huge.bin =~ /x/: unverifiable, src/huge.bin has 200 MB; files over 32 MiB are not read
        sub/x: unverifiable, sub/x is in a submodule that is not checked out
        NOT sub/x: unverifiable, sub/x is in a submodule that is not checked out
        src/net.rs#retry: holds, src/net.rs has retry
        src/net.rs#again: broken, src/net.rs has no again
        src/old.rs#retry: broken, src/old.rs does not exist
        src#retry: broken, src is a folder
        sub/x#retry: unverifiable, sub/x is in a submodule that is not checked out
        src/net.rs@8b137891791fe96927ad78e64b0aad7bded08bdc: broken, src/net.rs changed
        src/net.rs@08d9da4: holds, src/net.rs is unchanged
        src/dos.txt@422c2b7: holds, src/dos.txt is unchanged
        src/old.rs@e07d7a0: broken, src/old.rs does not exist
    "#]]
    .assert_eq(&told);
}

#[test]
fn names_are_facts_files_or_unknown() {
    check(
        &[("docker/README.md", ""), ("Makefile", "")],
        "docker
         make
         Makefile
         NOT terraform
         rust
         Dockerfile
         .editorconfig
         L-1a2b3c
         norm.commit.001
         weather
         NOT weather",
        expect![[r#"
            docker: holds, docker exists
            make: holds, make follows from Makefile
            Makefile: holds, Makefile exists
            NOT terraform: holds, no evidence of terraform: there is no .tf file
            rust: broken, no evidence of rust: there is no Cargo.toml or .rs file
            Dockerfile: broken, Dockerfile does not exist
            .editorconfig: broken, .editorconfig does not exist
            L-1a2b3c: unverifiable, L-1a2b3c is not a known entry, file or fact
            norm.commit.001: unverifiable, norm.commit.001 is not a known entry, file or fact
            weather: unverifiable, weather is not a known entry, file or fact
            NOT weather: unverifiable, weather is not a known entry, file or fact
        "#]],
    );
}

#[test]
fn patterns() {
    let long = format!("{}needle\n", "hay\n".repeat(200_000));
    let mut tree = MemoryTree::new(&[
        ("src/a.rs", "use tokio::spawn;\n\nfn main() {}\n"),
        ("src/deep/b.rs", "struct B;\n"),
        ("app/[id]/page.tsx", "export default Page\n"),
        ("long.txt", &long),
    ]);
    tree.put("src/c.bin", b"\0\x01needle");
    tree.put("src/latin.rs", b"// caf\xe9 needle\n");
    let told = told(
        &mut tree,
        r"src/a.rs =~ /^fn main/
          src/a.rs =~ /^FN MAIN/
          src/a.rs =~ /^FN MAIN/i
          NOT src/a.rs =~ /unwrap\(\)/
          src/*.rs =~ /struct B/
          src/**/*.rs =~ /struct B/
          src =~ /struct B/
          **/*.py =~ /x/
          lib/*.rs =~ /x/
          src/gone.rs =~ /x/
          app/[id]/page.tsx =~ /default/
          src/c.bin =~ /needle/
          src/latin.rs =~ /needle/
          long.txt =~ /^needle$/
          long.txt =~ /\Aneedle/
          long.txt =~ /absent\z/
          src/a.rs =~ /(/
          src/a.rs =~ /((a{1000}){1000}){1000}/
          long.txt =~ /(a+a+)+b/",
    );
    expect![[r#"
        src/a.rs =~ /^fn main/: holds, /^fn main/ is in line 3 of src/a.rs
        src/a.rs =~ /^FN MAIN/: broken, /^FN MAIN/ is not in src/a.rs
        src/a.rs =~ /^FN MAIN/i: holds, /^FN MAIN/i is in line 3 of src/a.rs
        NOT src/a.rs =~ /unwrap\(\)/: holds, /unwrap\(\)/ is not in src/a.rs
        src/*.rs =~ /struct B/: broken, /struct B/ is in none of the 2 files of src/*.rs
        src/**/*.rs =~ /struct B/: holds, /struct B/ is in line 1 of src/deep/b.rs
        src =~ /struct B/: holds, /struct B/ is in line 1 of src/deep/b.rs
        **/*.py =~ /x/: broken, no file matches **/*.py
        lib/*.rs =~ /x/: broken, no file matches lib/*.rs
        src/gone.rs =~ /x/: broken, src/gone.rs does not exist
        app/[id]/page.tsx =~ /default/: holds, /default/ is in line 1 of app/[id]/page.tsx
        src/c.bin =~ /needle/: unverifiable, src/c.bin is a binary file
        src/latin.rs =~ /needle/: holds, /needle/ is in line 1 of src/latin.rs
        long.txt =~ /^needle$/: holds, /^needle$/ is in line 200001 of long.txt
        long.txt =~ /\Aneedle/: broken, /\Aneedle/ is not in long.txt
        long.txt =~ /absent\z/: broken, /absent\z/ is not in long.txt
        src/a.rs =~ /(/: unverifiable, the pattern /(/ is invalid: unclosed group
        src/a.rs =~ /((a{1000}){1000}){1000}/: unverifiable, the pattern /((a{1000}){1000}){1000}/ is too large when compiled; write a shorter one
        long.txt =~ /(a+a+)+b/: broken, /(a+a+)+b/ is not in long.txt
    "#]].assert_eq(&told);
}

#[test]
fn a_slow_pattern_is_given_up() {
    let text = "01".repeat(4_000_000);
    let mut tree = MemoryTree::new(&[("a", &text)]);
    let condition = Condition::parse("a =~ /[01]*1[01]{400}2/").unwrap();
    let limits = Limits { time: Duration::from_millis(20), ..Limits::default() };
    let answer = evaluate(&condition, &mut tree, &mut Grep, &limits);
    assert!(matches!(&answer, Answer::Unverifiable(why) if why.contains("too long")), "{answer:?}");
    let limits = Limits { pattern_bytes: 1_000, ..Limits::default() };
    let answer = evaluate(&Condition::parse("a =~ /2/").unwrap(), &mut tree, &mut Grep, &limits);
    assert!(matches!(&answer, Answer::Unverifiable(why) if why.contains("too much")), "{answer:?}");
}

#[test]
fn settings() {
    check(
        &[
            (
                "config/app.toml",
                "[net]\nretries = 5\nname = \"x\"\nversion = \"1.10.0\"\nlist = [1, 2]\nratio = 0.5\n",
            ),
            ("tsconfig.json", "{ \"compilerOptions\": { \"strict\": true, }, } // end\n"),
            ("ci.yml", "on: push\njobs:\n  - name: a\n    python: '3.11'\n"),
            (".env", "API_KEY=sk-123\nDEBUG=true\n"),
            ("bad.toml", "x = [\n"),
            ("bad.json", "{\"a\": 1"),
            ("bad.yaml", "a: [1\nb: }"),
            ("a.rs", ""),
        ],
        "config/app.toml:net.retries = 5
         config/app.toml:net.retries = 3
         config/app.toml:net.retries == 5.0
         config/app.toml:net.retries >= 3
         config/app.toml:net.retries < 3
         config/app.toml:net.retries != 5
         NOT config/app.toml:net.retries = 3
         config/app.toml:net.retries = \"5\"
         config/app.toml:net.name = x
         config/app.toml:net.name > 3
         config/app.toml:net.name =~ /^[xy]$/
         config/app.toml:net.name =~ z
         config/app.toml:net.version >= 1.9
         config/app.toml:net.version < 1.9.5
         config/app.toml:net.list[1] = 2
         config/app.toml:net.list = [1, 2]
         config/app.toml:net.list = 1
         config/app.toml:net.ratio <= .5
         config/app.toml:net.timeout
         config/app.toml:net
         tsconfig.json:compilerOptions.strict = true
         ci.yml:jobs[0].python = 3.11
         ci.yml:on = push
         .env:API_KEY = sk-999
         .env:DEBUG = True
         .env:API_KEY
         gone.toml:x = 1
         NOT gone.toml:x
         bad.toml:x = 1
         bad.json:a = 1
         bad.yaml:a = 1
         a.rs:x = 1",
        expect![[r#"
            config/app.toml:net.retries = 5: holds, net.retries is 5 in config/app.toml
            config/app.toml:net.retries = 3: broken, net.retries is 5 in config/app.toml, not 3
            config/app.toml:net.retries == 5.0: holds, net.retries is 5 in config/app.toml
            config/app.toml:net.retries >= 3: holds, net.retries is 5 in config/app.toml
            config/app.toml:net.retries < 3: broken, net.retries is 5 in config/app.toml, not < 3
            config/app.toml:net.retries != 5: broken, net.retries is 5 in config/app.toml, and must not be
            NOT config/app.toml:net.retries = 3: holds, net.retries is 5 in config/app.toml, not 3
            config/app.toml:net.retries = "5": holds, net.retries is 5 in config/app.toml
            config/app.toml:net.name = x: holds, net.name is "x" in config/app.toml
            config/app.toml:net.name > 3: unverifiable, net.name is "x" in config/app.toml, which cannot be compared with 3 by size
            config/app.toml:net.name =~ /^[xy]$/: holds, net.name is "x" in config/app.toml
            config/app.toml:net.name =~ z: broken, net.name is "x" in config/app.toml, which does not match /z/
            config/app.toml:net.version >= 1.9: holds, net.version is "1.10.0" in config/app.toml
            config/app.toml:net.version < 1.9.5: broken, net.version is "1.10.0" in config/app.toml, not < 1.9.5
            config/app.toml:net.list[1] = 2: holds, net.list.1 is 2 in config/app.toml
            config/app.toml:net.list = [1, 2]: holds, net.list is a list in config/app.toml
            config/app.toml:net.list = 1: broken, net.list is a list in config/app.toml, not 1
            config/app.toml:net.ratio <= .5: holds, net.ratio is 0.5 in config/app.toml
            config/app.toml:net.timeout: broken, config/app.toml has no net.timeout
            config/app.toml:net: holds, net is in config/app.toml
            tsconfig.json:compilerOptions.strict = true: holds, compilerOptions.strict is true in tsconfig.json
            ci.yml:jobs[0].python = 3.11: holds, jobs.0.python is "3.11" in ci.yml
            ci.yml:on = push: holds, on is "push" in ci.yml
            .env:API_KEY = sk-999: broken, API_KEY is a value that is not shown in .env, not sk-999
            .env:DEBUG = True: holds, DEBUG is a value that is not shown in .env
            .env:API_KEY: holds, API_KEY is in .env
            gone.toml:x = 1: broken, gone.toml does not exist
            NOT gone.toml:x: holds, gone.toml does not exist
            bad.toml:x = 1: unverifiable, bad.toml is damaged: line 1: unclosed array, expected `]`
            bad.json:a = 1: unverifiable, bad.json is damaged: EOF while parsing an object at line 1 column 7
            bad.yaml:a = 1: unverifiable, bad.yaml is damaged: line 2 column 2: illegal placement of ':' indicator
            a.rs:x = 1: unverifiable, a.rs has an unsupported format; supported: TOML, JSON, YAML, INI, .env and .properties
        "#]],
    );
}

#[test]
fn versions_of_cargo() {
    check(
        &[
            (
                "Cargo.toml",
                "[workspace]\nmembers = ['a']\n[workspace.package]\nrust-version = '1.85'\n[workspace.dependencies]\n\
                 tokio = '1.30'\nsyn = { version = '2' }\n[workspace.dependencies.yaml]\npackage = 'serde_yaml_ng'\nversion = '0.10'\n",
            ),
            (
                "a/Cargo.toml",
                "[package]\nname = 'a'\nversion = '0.3.0'\n[dependencies]\ntokio.workspace = true\nlocal = { path = '../local' }\n\
                 [target.'cfg(unix)'.dependencies]\nnix = '0.29'\n[dev-dependencies]\nproptest = '>=1.2, <1.5'\n",
            ),
            (
                "Cargo.lock",
                "version = 4\n\n[[package]]\nname = \"tokio\"\nversion = \"1.38.0\"\nsource = \"x\"\n\n[[package]]\nname = \"syn\"\nversion = \"1.0.109\"\n\n\
                 [[package]]\nname = \"syn\"\nversion = \"2.0.60\"\ndependencies = [\n \"unicode-ident\",\n]\n\n[[package]]\nname = \"dup\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"dup\"\nversion = \"2.0.0-rc.1\"\n\n[[package]]\nname = \"serde_json\"\nversion = \"1.0.100\"\n",
            ),
            ("rust-toolchain.toml", "[toolchain]\nchannel = \"1.90.0\"\n"),
        ],
        "tokio ^1.38
         tokio ^1.39
         NOT tokio ^2
         tokio != 1.38
         tokio = 1.38
         serde-json >= 1
         syn ^2
         syn < 2
         syn >= 1
         dup ^1
         nix ^0.29
         nix = 0.29.1
         proptest < 2
         proptest >= 1.5
         yaml ^0.10
         serde_yaml_ng ^0.10
         a = 0.3
         local = 1
         left-pad ^1
         NOT left-pad ^1
         rust >= 1.85
         rust = 1.90
         rust < 1.80",
        expect![[r#"
            tokio ^1.38: holds, tokio is 1.38.0 (Cargo.lock)
            tokio ^1.39: broken, tokio is 1.38.0 (Cargo.lock), not ^1.39
            NOT tokio ^2: holds, tokio is 1.38.0 (Cargo.lock), not ^2
            tokio != 1.38: broken, tokio is 1.38.0 (Cargo.lock), and must not be
            tokio = 1.38: holds, tokio is 1.38.0 (Cargo.lock)
            serde-json >= 1: holds, serde-json is 1.0.100 (Cargo.lock)
            syn ^2: holds, syn is 2.0.60 (Cargo.lock)
            syn < 2: broken, syn is 2.0.60 (Cargo.lock), not < 2
            syn >= 1: holds, syn is 1.0.109 (Cargo.lock) and 2.0.60 (Cargo.lock)
            dup ^1: unverifiable, dup is 1.0.0 (Cargo.lock) and 2.0.0-rc.1 (Cargo.lock); not all of them are ^1
            nix ^0.29: holds, nix is required as 0.29 (a/Cargo.toml)
            nix = 0.29.1: unverifiable, nix is required as 0.29 (a/Cargo.toml), and no lock file says which version that is
            proptest < 2: holds, proptest is required as >=1.2, <1.5 (a/Cargo.toml)
            proptest >= 1.5: broken, proptest is required as >=1.2, <1.5 (a/Cargo.toml), not >= 1.5
            yaml ^0.10: holds, yaml is required as 0.10 (Cargo.toml)
            serde_yaml_ng ^0.10: holds, serde_yaml_ng is required as 0.10 (Cargo.toml)
            a = 0.3: holds, a is 0.3.0 (a/Cargo.toml)
            local = 1: unverifiable, local is required as ../local (a/Cargo.toml), which has no version
            left-pad ^1: unverifiable, no manifest names left-pad
            NOT left-pad ^1: unverifiable, no manifest names left-pad
            rust >= 1.85: holds, rust is 1.90.0 (rust-toolchain.toml)
            rust = 1.90: holds, rust is 1.90.0 (rust-toolchain.toml)
            rust < 1.80: broken, rust is 1.90.0 (rust-toolchain.toml), not < 1.80
        "#]],
    );
}

#[test]
fn versions_of_npm() {
    let manifest = r#"{"name": "app", "version": "2.0.0", "engines": {"node": ">=18 <23"}, "packageManager": "pnpm@9.1.0",
        "dependencies": {"react": "^18.2.0", "lodash": "4.x", "old": "npm:older@^1.0.0", "ws": "workspace:*", "@a/b": "~1.2.0"},
        "devDependencies": {"typescript": "latest", "vite": "^4.0.0 || ^5.0.0"}}"#;
    let conditions = "react ^18.2
        react >= 19
        @a/b = 1.2.3
        lodash = 4
        typescript >= 5
        node >= 18
        app = 2";
    let answers = expect![[r#"
        react ^18.2: holds, react is required as ^18.2.0 (package.json)
        react >= 19: broken, react is required as ^18.2.0 (package.json), not >= 19
        @a/b = 1.2.3: unverifiable, @a/b is required as ~1.2.0 (package.json), and no lock file says which version that is
        lodash = 4: holds, lodash is required as 4.x (package.json)
        typescript >= 5: unverifiable, typescript is required as latest (package.json), which has no version
        node >= 18: holds, node is required as >=18 <23 (package.json)
        app = 2: holds, app is 2.0.0 (package.json)
    "#]];
    check(&[("package.json", manifest)], conditions, answers);
    let mut all = String::new();
    for (name, text) in [
        (
            "package-lock.json",
            r#"{"lockfileVersion": 3, "packages": {"": {"name": "app", "version": "2.0.0"}, "node_modules/react": {"version": "18.3.1"},
              "node_modules/@a/b": {"version": "1.2.3"}, "node_modules/x/node_modules/react": {"version": "17.0.0"}, "node_modules/typescript": {"version": "5.4.5"}}}"#,
        ),
        (
            "package-lock.json",
            r#"{"lockfileVersion": 1, "dependencies": {"react": {"version": "18.3.1", "dependencies": {"@a/b": {"version": "1.2.3"}}}, "typescript": {"version": "5.4.5"}}}"#,
        ),
        (
            "yarn.lock",
            "# yarn lockfile v1\n\n\"@a/b@~1.2.0\", \"@a/b@^1.2.1\":\n  version \"1.2.3\"\n  resolved \"x\"\n\nreact@^18.2.0:\n  version \"18.3.1\"\n\ntypescript@latest:\n  version \"5.4.5\"\n",
        ),
        (
            "yarn.lock",
            "__metadata:\n  version: 8\n\n\"@a/b@npm:~1.2.0\":\n  version: 1.2.3\n\n\"app@workspace:.\":\n  version: 0.0.0-use.local\n\n\"react@npm:^18.2.0, react@npm:^18.3.0\":\n  version: 18.3.1\n\n\"typescript@npm:latest\":\n  version: 5.4.5\n",
        ),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      react:\n        specifier: ^18.2.0\n\npackages:\n\n  '@a/b@1.2.3':\n    resolution: {integrity: x}\n\n  react@18.3.1:\n    resolution: {integrity: x}\n\n  typescript@5.4.5: {}\n\nsnapshots:\n\n  react@1.0.0: {}\n",
        ),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '6.0'\npackages:\n\n  /@a/b@1.2.3(x@1.0.0):\n    dev: false\n\n  /react@18.3.1:\n    dev: false\n\n  /typescript@5.4.5:\n    dev: true\n",
        ),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: 5.4\npackages:\n\n  /@a/b/1.2.3_x@1.0.0:\n    dev: false\n\n  /react/18.3.1:\n    dev: false\n\n  /typescript/5.4.5:\n    dev: true\n",
        ),
        (
            "bun.lock",
            "{\n  \"lockfileVersion\": 1,\n  \"packages\": {\n    \"@a/b\": [\"@a/b@1.2.3\", \"\", {}, \"sha\"],\n    \"react\": [\"react@18.3.1\", \"\"],\n    \"typescript\": [\"typescript@5.4.5\"],\n  },\n}\n",
        ),
    ] {
        let told = told(
            &mut MemoryTree::new(&[("package.json", manifest), (name, text)]),
            "react ^18.3\n@a/b = 1.2.3\ntypescript >= 5.4",
        );
        all.push_str(&told);
    }
    expect![[r#"
        react ^18.3: holds, react is 18.3.1 (package-lock.json)
        @a/b = 1.2.3: holds, @a/b is 1.2.3 (package-lock.json)
        typescript >= 5.4: holds, typescript is 5.4.5 (package-lock.json)
        react ^18.3: holds, react is 18.3.1 (package-lock.json)
        @a/b = 1.2.3: holds, @a/b is 1.2.3 (package-lock.json)
        typescript >= 5.4: holds, typescript is 5.4.5 (package-lock.json)
        react ^18.3: holds, react is 18.3.1 (yarn.lock)
        @a/b = 1.2.3: holds, @a/b is 1.2.3 (yarn.lock)
        typescript >= 5.4: holds, typescript is 5.4.5 (yarn.lock)
        react ^18.3: holds, react is 18.3.1 (yarn.lock)
        @a/b = 1.2.3: holds, @a/b is 1.2.3 (yarn.lock)
        typescript >= 5.4: holds, typescript is 5.4.5 (yarn.lock)
        react ^18.3: holds, react is 18.3.1 (pnpm-lock.yaml)
        @a/b = 1.2.3: holds, @a/b is 1.2.3 (pnpm-lock.yaml)
        typescript >= 5.4: holds, typescript is 5.4.5 (pnpm-lock.yaml)
        react ^18.3: holds, react is 18.3.1 (pnpm-lock.yaml)
        @a/b = 1.2.3: holds, @a/b is 1.2.3 (pnpm-lock.yaml)
        typescript >= 5.4: holds, typescript is 5.4.5 (pnpm-lock.yaml)
        react ^18.3: holds, react is 18.3.1 (pnpm-lock.yaml)
        @a/b = 1.2.3: holds, @a/b is 1.2.3 (pnpm-lock.yaml)
        typescript >= 5.4: holds, typescript is 5.4.5 (pnpm-lock.yaml)
        react ^18.3: holds, react is 18.3.1 (bun.lock)
        @a/b = 1.2.3: holds, @a/b is 1.2.3 (bun.lock)
        typescript >= 5.4: holds, typescript is 5.4.5 (bun.lock)
    "#]]
    .assert_eq(&all);
}

#[test]
fn versions_of_python() {
    let pyproject = "[project]\nname = 'app'\nversion = '1.0'\nrequires-python = '>=3.11'\ndependencies = ['requests[socks]>=2.31,<3', \"Flask_Login ~= 0.6 ; python_version > '3'\", 'plain', 'url @ https://x']\n\
        [project.optional-dependencies]\ndev = ['pytest==8.1.*']\n[dependency-groups]\nlint = ['ruff>=0.4', {include-group = 'x'}]\n";
    let conditions = "requests ^2
        requests >= 2.32
        flask-login >= 0.6
        pytest = 8.1
        ruff >= 0.3
        plain >= 1
        url >= 1
        python >= 3.11
        python >= 3.12
        django ^5";
    check(
        &[("pyproject.toml", pyproject)],
        conditions,
        expect![[r#"
            requests ^2: holds, requests is required as >=2.31,<3 (pyproject.toml)
            requests >= 2.32: unverifiable, requests is required as >=2.31,<3 (pyproject.toml), and no lock file says which version that is
            flask-login >= 0.6: holds, flask-login is required as ~= 0.6 (pyproject.toml)
            pytest = 8.1: holds, pytest is required as ==8.1.* (pyproject.toml)
            ruff >= 0.3: holds, ruff is required as >=0.4 (pyproject.toml)
            plain >= 1: unverifiable, plain is required as any version (pyproject.toml), and no lock file says which version that is
            url >= 1: unverifiable, url is required as @ https://x (pyproject.toml), which has no version
            python >= 3.11: holds, python is required as >=3.11 (pyproject.toml)
            python >= 3.12: unverifiable, python is required as >=3.11 (pyproject.toml), and no lock file says which version that is
            django ^5: unverifiable, no manifest names django
        "#]],
    );
    check(
        &[
            (
                "pyproject.toml",
                "[tool.poetry]\nname = 'app'\nversion = '1.0'\n[tool.poetry.dependencies]\npython = '^3.11'\nrequests = {version = '^2.31', extras = ['x']}\nmulti = [{version = '<2', python = '<3.9'}, {version = '>=2', python = '>=3.9'}]\n[tool.poetry.group.dev.dependencies]\npytest = '8.1.1'\n",
            ),
            (".python-version", "3.11\n"),
            (
                "requirements-dev.txt",
                "# tools\n-r base.txt\nblack==24.3.0 --hash=sha256:x \\\n  --hash=sha256:y\nmypy>=1 # why\n./local\n",
            ),
        ],
        "requests < 3\nmulti >= 2\npytest = 8.1.1\npython = 3.11\npython < 3.11\nblack = 24.3\nmypy >= 1",
        expect![[r#"
            requests < 3: holds, requests is required as ^2.31 (pyproject.toml)
            multi >= 2: unverifiable, multi is required as <2 || >=2 (pyproject.toml), and no lock file says which version that is
            pytest = 8.1.1: holds, pytest is required as 8.1.1 (pyproject.toml)
            python = 3.11: holds, python is required as 3.11 (.python-version) and required as ^3.11 (pyproject.toml)
            python < 3.11: broken, python is required as 3.11 (.python-version) and required as ^3.11 (pyproject.toml), not < 3.11
            black = 24.3: holds, black is required as ==24.3.0 (requirements-dev.txt)
            mypy >= 1: holds, mypy is required as >=1 (requirements-dev.txt)
        "#]],
    );
    let mut all = String::new();
    for (name, text) in [
        (
            "poetry.lock",
            "[[package]]\nname = \"requests\"\nversion = \"2.32.0rc1\"\ndescription = \"x\"\n[package.extras]\nversion = [\"x\"]\n\n[metadata]\nlock-version = \"2.0\"\n",
        ),
        (
            "uv.lock",
            "version = 1\nrequires-python = \">=3.11\"\n\n[[package]]\nname = \"requests\"\nversion = \"2.32.0\"\nsource = { registry = \"x\" }\ndependencies = [\n    { name = \"idna\" },\n]\n",
        ),
        (
            "pdm.lock",
            "[metadata]\nlock_version = \"4.4\"\n\n[[package]]\nname = \"requests\"\nversion = \"2.31.9\"\n",
        ),
        (
            "Pipfile.lock",
            "{\"_meta\": {}, \"default\": {\"requests\": {\"version\": \"==2.32.3\"}}, \"develop\": {}}",
        ),
        (
            "Pipfile",
            "[packages]\nrequests = \"==2.32.3\"\nflask = \"*\"\n[requires]\npython_version = \"3.11\"\n",
        ),
    ] {
        all.push_str(&told(
            &mut MemoryTree::new(&[("requirements.txt", "requests\n"), (name, text)]),
            "Requests >= 2.32",
        ));
    }
    expect![[r#"
        Requests >= 2.32: broken, Requests is 2.32.0rc1 (poetry.lock), not >= 2.32
        Requests >= 2.32: holds, Requests is 2.32.0 (uv.lock)
        Requests >= 2.32: broken, Requests is 2.31.9 (pdm.lock), not >= 2.32
        Requests >= 2.32: holds, Requests is 2.32.3 (Pipfile.lock)
        Requests >= 2.32: holds, Requests is required as ==2.32.3 (Pipfile) and required as any version (requirements.txt)
    "#]].assert_eq(&all);
}

#[test]
fn versions_of_go() {
    check(
        &[(
            "go.mod",
            "module example.org/app // x\n\ngo 1.22\n\ntoolchain go1.22.3\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.1\n\tgithub.com/old/lib v2.0.0+incompatible // indirect\n\tgolang.org/x/sync v0.0.0-20230101000000-abcdefabcdef\n\tgithub.com/a/b/v3 v3.1.0\n)\nrequire example.org/local v0.1.0\nreplace example.org/local => ../local\nreplace github.com/gin-gonic/gin => github.com/fork/gin v1.10.0\n",
        )],
        "github.com/gin-gonic/gin >= v1.9
         gin = 1.10.0
         github.com/old/lib = 2.0.0
         b ^3
         golang.org/x/sync < 0.1
         example.org/local >= 0.1
         go >= 1.21
         go = 1.22",
        expect![[r#"
            github.com/gin-gonic/gin >= v1.9: holds, github.com/gin-gonic/gin is v1.10.0 (go.mod)
            gin = 1.10.0: holds, gin is v1.10.0 (go.mod)
            github.com/old/lib = 2.0.0: holds, github.com/old/lib is v2.0.0+incompatible (go.mod)
            b ^3: holds, b is v3.1.0 (go.mod)
            golang.org/x/sync < 0.1: holds, golang.org/x/sync is v0.0.0-20230101000000-abcdefabcdef (go.mod)
            example.org/local >= 0.1: unverifiable, example.org/local is required as a folder (go.mod), which has no version
            go >= 1.21: holds, go is 1.22 (go.mod)
            go = 1.22: holds, go is 1.22 (go.mod)
        "#]],
    );
}

#[test]
fn several_and_damaged_manifests() {
    check(
        &[
            ("web/package.json", r#"{"dependencies": {"react": "^18.0.0"}}"#),
            ("old/package.json", r#"{"dependencies": {"react": "^16.0.0"}}"#),
            (
                "web/package-lock.json",
                r#"{"lockfileVersion": 3, "packages": {"node_modules/react": {"version": "18.3.1"}}}"#,
            ),
            ("node_modules/react/package.json", r#"{"name": "react", "version": "1.0.0"}"#),
            ("bad/package.json", "{\"dependencies\": "),
        ],
        "react >= 16
         react ^18
         react >= 19
         vue ^3",
        expect![[r#"
            react >= 16: holds, react is required as ^16.0.0 (old/package.json) and 18.3.1 (web/package-lock.json)
            react ^18: unverifiable, react is required as ^16.0.0 (old/package.json) and 18.3.1 (web/package-lock.json); not all of them are ^18; bad/package.json is damaged: EOF while parsing a value at line 1 column 17
            react >= 19: broken, react is required as ^16.0.0 (old/package.json) and 18.3.1 (web/package-lock.json), not >= 19
            vue ^3: unverifiable, bad/package.json is damaged: EOF while parsing a value at line 1 column 17
        "#]],
    );
    check(
        &[("README.md", "")],
        "tokio ^1\nNOT tokio ^1",
        expect![[r#"
        tokio ^1: unverifiable, there is no manifest that could name tokio
        NOT tokio ^1: unverifiable, there is no manifest that could name tokio
    "#]],
    );
    let lock = "<<<<<<< HEAD\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n=======\n";
    check(
        &[("Cargo.lock", lock), ("Cargo.toml", "[dependencies]\na = '1'\n")],
        "a ^1\nb ^1",
        expect![[r#"
        a ^1: holds, a is required as 1 (Cargo.toml)
        b ^1: unverifiable, Cargo.lock is damaged: line 1 is a merge conflict marker
    "#]],
    );
    let mut tree = MemoryTree::new(&[]);
    tree.put("Cargo.toml", b"[dependencies]\na = '\xff'\n");
    expect![[r#"
        a ^1: unverifiable, Cargo.toml is not UTF-8
    "#]]
    .assert_eq(&told(&mut tree, "a ^1"));
}

#[test]
fn the_facts_are_a_table() {
    let told: Vec<&str> = facts().map(|(word, _)| word).collect();
    expect!["git workspace monorepo docker ci github_actions gitlab_ci rust python node typescript javascript go java kotlin ruby php c cpp csharp swift shell make just cmake bazel gradle maven nix terraform kubernetes helm tests lockfile submodules pre_commit protobuf sql devcontainer changelog license"].assert_eq(&told.join(" "));
}

/// VAL-1: the working tree is judged, and what cannot be judged says why.
#[cfg(unix)]
#[test]
fn odd_trees_are_judged_honestly() {
    let world = World::new(&[
        ("in/a.toml", "x = 1\n"),
        ("out/b.toml", "x = 1\n"),
        ("Cargo.toml", "[dependencies]\na = '1'\n"),
    ]);
    world.git(&["sparse-checkout", "set", "in"]);
    std::os::unix::fs::symlink("/etc/hostname", world.root().join("link.toml")).unwrap();
    world.write("in/a.toml", b"x = 2\n");
    let told_now = told(
        &mut world.tree(),
        "in/a.toml:x = 1
         out/b.toml
         out/b.toml:x = 1
         out/b.toml@1234567
         link.toml:x
         link.toml exists
         NOT link.toml =~ /x/
         a ^1
         b ^1
         docker
         rust
         **/*.toml =~ /x = 2/
         **/*.toml =~ /x = 3/
         git",
    );
    expect![[r#"
        in/a.toml:x = 1: broken, x is 2 in in/a.toml, not 1
        out/b.toml: unverifiable, out/b.toml is outside the sparse checkout
        out/b.toml:x = 1: unverifiable, out/b.toml is outside the sparse checkout
        out/b.toml@1234567: unverifiable, out/b.toml is outside the sparse checkout
        link.toml:x: unverifiable, link.toml is a symbolic link that leaves the repository
        link.toml exists: holds, link.toml exists
        NOT link.toml =~ /x/: unverifiable, link.toml is a symbolic link that leaves the repository
        a ^1: holds, a is required as 1 (Cargo.toml)
        b ^1: unverifiable, no manifest names b, and one file is outside the sparse checkout
        docker: unverifiable, no evidence of docker: there is no Dockerfile or compose file, and one file is outside the sparse checkout
        rust: holds, rust follows from Cargo.toml
        **/*.toml =~ /x = 2/: holds, /x = 2/ is in line 1 of in/a.toml
        **/*.toml =~ /x = 3/: unverifiable, /x = 3/ was not found, and link.toml is a symbolic link that leaves the repository
        git: holds, git follows from .git
    "#]]
    .assert_eq(&told_now);
    let told_then = told(&mut world.at("HEAD"), "in/a.toml:x = 1\nout/b.toml:x = 1\nlink.toml\na ^1\ngit");
    expect![[r#"
        in/a.toml:x = 1: holds, x is 1 in in/a.toml
        out/b.toml:x = 1: holds, x is 1 in out/b.toml
        link.toml: broken, link.toml does not exist
        a ^1: holds, a is required as 1 (Cargo.toml)
        git: holds, git follows from .git
    "#]]
    .assert_eq(&told_then);
    let told_never = told(&mut world.at("nowhere"), "in/a.toml\na ^1\ndocker\n* =~ /x/");
    expect![[r#"
        in/a.toml: unverifiable, the tree of nowhere cannot be read: the commit does not exist in this clone
        a ^1: unverifiable, the tree of nowhere cannot be read: the commit does not exist in this clone
        docker: unverifiable, the tree of nowhere cannot be read: the commit does not exist in this clone
        * =~ /x/: unverifiable, the tree of nowhere cannot be read: the commit does not exist in this clone
    "#]]
    .assert_eq(&told_never);
}

const FILES: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "package.json",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "pyproject.toml",
    "requirements.txt",
    "Pipfile",
    "Pipfile.lock",
    "poetry.lock",
    "go.mod",
    "rust-toolchain",
    ".nvmrc",
    "a.ini",
    ".env",
    "a.yaml",
    "a.properties",
];

const PIECES: &[&str] = &[
    "a",
    "b.c",
    "1.0",
    "^1",
    "=",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    "\n",
    "\n  ",
    ":",
    ",",
    "@",
    "/",
    "[[package]]\n",
    "name = \"a\"\n",
    "version = \"1\"\n",
    "[dependencies]\n",
    "\"dependencies\": ",
    "packages:\n  ",
    "lockfileVersion: 5\n",
    "require ",
    "(",
    ")",
    "replace => ",
    "é",
    "\u{feff}",
    "&x",
    "*x",
    "- ",
    "//",
    "/*",
    "\\",
    "#",
    "==",
    "[tool.poetry.dependencies]\n",
    "python",
];

proptest! {
    #[test]
    fn no_file_is_too_odd(name in select(FILES), pieces in prop::collection::vec(select(PIECES), 0..24)) {
        let mut tree = MemoryTree::new(&[(name, &pieces.concat())]);
        for text in ["a ^1".to_owned(), "python >= 3".to_owned(), format!("{name}:a.b = 1"), format!("{name}:a")] {
            let condition = Condition::parse(&text).unwrap();
            evaluate(&condition, &mut tree, &mut Grep, &Limits::default());
        }
        ken_worktree::suggest(&[name.to_owned()], &pieces.concat(), &mut tree, &mut Grep);
    }
}

#[test]
fn of_too_many_manifests_those_near_the_root_are_read() {
    let mut tree = MemoryTree::new(&[("go.mod", "module m\nrequire example.org/a v1.0.0\n")]);
    for at in 0..500 {
        tree.put(&format!("x/{at}/go.mod"), b"module m\n");
    }
    let told = told(&mut tree, "example.org/a ^1\nexample.org/b ^1");
    expect![[r#"
        example.org/a ^1: holds, example.org/a is v1.0.0 (go.mod)
        example.org/b ^1: unverifiable, there are 501 manifests; at most 400 are read
    "#]]
    .assert_eq(&told);
}

#[test]
fn long_files_are_not_taken_apart() {
    let long = format!("# {}\n[dependencies]\na = '1'\n", "x".repeat(9_000_000));
    check(
        &[("Cargo.toml", &long)],
        "a ^1\nCargo.toml:dependencies.a = 1\nCargo.toml =~ /^a/",
        expect![[r#"
        a ^1: unverifiable, Cargo.toml is too long to be parsed
        Cargo.toml:dependencies.a = 1: unverifiable, Cargo.toml is too long to be parsed
        Cargo.toml =~ /^a/: holds, /^a/ is in line 3 of Cargo.toml
    "#]],
    );
}
