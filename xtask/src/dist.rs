//! `cargo xtask dist`: the release binary, with its size and checksum. On Linux it is static.

use std::path::{Path, PathBuf};

use crate::context::{Context, Failure, Outcome, add_flags, capture, failed, no_arguments, show};

pub(crate) fn run(context: &Context, arguments: &[String]) -> Outcome {
    no_arguments("dist", arguments)?;
    let Built { path, bytes, is_static } = build(context)?;
    println!("path:   {}", path.display());
    println!("size:   {:.2} MB{}", bytes as f64 / 1e6, if is_static { ", static" } else { "" });
    match sha256(context, &path) {
        Some(sum) => println!("sha256: {sum}"),
        None => println!("sha256: unknown (neither sha256sum nor shasum is here)"),
    }
    Ok(())
}

/// The release binary.
pub(crate) struct Built {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) is_static: bool,
}

/// Builds the binary that is handed out.
pub(crate) fn build(context: &Context) -> Result<Built, Failure> {
    let folder = compile(context, &["-p", "ken-cli"])?;
    let linux = cfg!(target_os = "linux");
    let path = folder.join(format!("ken{}", std::env::consts::EXE_SUFFIX));
    let binary = match std::fs::read(&path) {
        Ok(binary) => binary,
        Err(error) => return failed(format!("cannot read what was built, {}: {error}", path.display())),
    };
    if linux && asks_for_interpreter(&binary) != Some(false) {
        return failed(format!("{} is not a static binary", path.display()));
    }
    Ok(Built { path, bytes: binary.len() as u64, is_static: linux })
}

/// Builds an example of a crate with the flags of what is handed out.
pub(crate) fn build_example(context: &Context, package: &str, name: &str) -> Result<PathBuf, Failure> {
    let folder = compile(context, &["-p", package, "--example", name])?;
    Ok(folder.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// What makes a binary static on Linux, at a fixed address (decision 0043).
const STATIC_FLAGS: &str = "-C target-feature=+crt-static -C relocation-model=static";

/// Compiles something for release, and says which folder it is in.
fn compile(context: &Context, what: &[&str]) -> Result<PathBuf, Failure> {
    let triple = host_triple(context)?;
    // The target is named even though it is the host: then the flags do not reach build scripts and macros.
    let mut build = context.cargo(["build", "--profile", "dist", "--target", &triple]);
    build.args(what);
    if triple.contains("-linux-") {
        add_flags(&mut build, "RUSTFLAGS", STATIC_FLAGS);
    }
    show(&mut build)?;
    Ok(target_folder(context)?.join(&triple).join("dist"))
}

fn host_triple(context: &Context) -> Result<String, Failure> {
    let version = capture(&mut context.program("rustc", ["-vV"]))?;
    match version.lines().find_map(|line| line.strip_prefix("host: ")) {
        Some(triple) => Ok(triple.trim().to_owned()),
        None => failed("`rustc -vV` does not say which host it is for"),
    }
}

/// Asked of cargo, since a setting or the environment may move it.
pub(crate) fn target_folder(context: &Context) -> Result<PathBuf, Failure> {
    let text = capture(&mut context.cargo(["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| Failure::Failed(format!("cannot read the output of `cargo metadata`: {error}")))?;
    match metadata["target_directory"].as_str() {
        Some(folder) => Ok(folder.into()),
        None => failed("`cargo metadata` names no target directory"),
    }
}

/// Does this 64-bit little-endian ELF file name a dynamic loader? `None` when it is no such file.
fn asks_for_interpreter(binary: &[u8]) -> Option<bool> {
    const PROGRAM_INTERPRETER: u32 = 3;
    if binary.get(..6)? != [0x7f, b'E', b'L', b'F', 2, 1] {
        return None;
    }
    let short = |at: usize| Some(u16::from_le_bytes(binary.get(at..at + 2)?.try_into().ok()?));
    let word = |at: usize| Some(u32::from_le_bytes(binary.get(at..at + 4)?.try_into().ok()?));
    let headers_at = usize::try_from(u64::from_le_bytes(binary.get(32..40)?.try_into().ok()?)).ok()?;
    let header_size = usize::from(short(54)?);
    for index in 0..usize::from(short(56)?) {
        if word(headers_at.checked_add(index * header_size)?)? == PROGRAM_INTERPRETER {
            return Some(true);
        }
    }
    Some(false)
}

fn sha256(context: &Context, path: &Path) -> Option<String> {
    let by = |program: &str, arguments: &[&str]| {
        let output = capture(context.program(program, arguments).arg(path)).ok()?;
        output.split_whitespace().next().map(str::to_owned)
    };
    by("sha256sum", &[]).or_else(|| by("shasum", &["-a", "256"]))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// An ELF header followed by one program header of the given type.
    fn elf(program_header_type: u32) -> Vec<u8> {
        let mut file = vec![0; 64];
        file[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        file[32..40].copy_from_slice(&64u64.to_le_bytes());
        file[54..56].copy_from_slice(&56u16.to_le_bytes());
        file[56..58].copy_from_slice(&1u16.to_le_bytes());
        file.extend(program_header_type.to_le_bytes());
        file.resize(64 + 56, 0);
        file
    }

    #[test]
    fn a_static_binary_names_no_loader() {
        assert_eq!(asks_for_interpreter(&elf(1)), Some(false));
        assert_eq!(asks_for_interpreter(&elf(3)), Some(true));
        assert_eq!(asks_for_interpreter(b"MZ"), None);
        assert_eq!(asks_for_interpreter(&elf(1)[..57]), None, "cut short");
    }

    /// Building `ken` for release takes a quarter of an hour, and no test does. So a program of one line is linked as it is: with the
    /// flags above, and with the arguments that the build script of `ken` gives a static binary. It needs a static C library, as `dist` does.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn a_binary_with_the_flags_of_dist_needs_no_loader_and_starts() {
        let folder = tempfile::tempdir().unwrap();
        let run = |command: &mut Command| {
            let output = command.current_dir(folder.path()).output().unwrap();
            assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        let rustc = || Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cli/build.rs");
        run(rustc().args(["--edition", "2024", "-o", "script"]).arg(script));
        let said = run(Command::new("./script")
            .env("CARGO_CFG_TARGET_OS", "linux")
            .env("CARGO_CFG_TARGET_ENV", "gnu")
            .env("CARGO_CFG_TARGET_FEATURE", "crt-static,fxsr,sse"));
        let link_arguments = said.lines().filter_map(|line| line.strip_prefix("cargo::rustc-link-arg-bins="));

        std::fs::write(folder.path().join("hello.rs"), "fn main() { println!(\"started\"); }").unwrap();
        let mut link = rustc();
        link.args(["-o", "hello", "hello.rs"]).args(STATIC_FLAGS.split(' '));
        link.args(link_arguments.map(|argument| format!("-Clink-arg={argument}")));
        run(&mut link);

        let binary = std::fs::read(folder.path().join("hello")).unwrap();
        assert_eq!(asks_for_interpreter(&binary), Some(false));
        assert_eq!(run(&mut Command::new("./hello")), "started\n");
    }
}
