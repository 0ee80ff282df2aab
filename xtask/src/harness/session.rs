//! What a suite measures in: built programs, a scratch folder of its own, and what was asked for.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::arguments::Flags;
use super::measure::{self, Sample};
use super::probe::Probe;
use super::scratch::Scratch;
use super::{Effort, Suite, Tool};
use crate::context::{Context, Failure, capture, failed};
use crate::dist;

/// The programs that suites measure with, made when the first suite needs them.
pub(crate) struct Tools<'a> {
    context: &'a Context,
    ken_given: Option<PathBuf>,
    probe_given: Option<PathBuf>,
    ken: OnceCell<PathBuf>,
    probe: OnceCell<Probe>,
    empty: OnceCell<PathBuf>,
    /// Goes last: deleting so many files can take longer than measuring them.
    scratch: Scratch,
}

impl<'a> Tools<'a> {
    /// With programs that were built before, where some are named.
    pub(crate) fn new(
        context: &'a Context,
        ken: Option<&str>,
        probe: Option<&str>,
    ) -> Result<Tools<'a>, Failure> {
        let found = |path: Option<&str>| match path.map(|path| (path, Path::new(path).canonicalize())) {
            None => Ok(None),
            Some((_, Ok(path))) => Ok(Some(path)),
            Some((path, Err(error))) => failed(format!("cannot find {path}: {error}")),
        };
        Ok(Tools {
            context,
            ken_given: found(ken)?,
            probe_given: found(probe)?,
            ken: OnceCell::new(),
            probe: OnceCell::new(),
            empty: OnceCell::new(),
            scratch: Scratch::below(&dist::target_folder(context)?)?,
        })
    }

    /// A session for one suite.
    pub(crate) fn session(
        &'a self,
        suite: &'static Suite,
        effort: Effort,
        sizes: Vec<usize>,
        flags: Flags,
    ) -> Result<Session<'a>, Failure> {
        if suite.needs.contains(&Tool::Ken) && self.ken.get().is_none() {
            let path = match &self.ken_given {
                Some(path) => path.clone(),
                None => {
                    println!("building ken as `cargo xtask dist` does");
                    dist::build(self.context)?.path
                }
            };
            let _ = self.ken.set(path);
        }
        if suite.needs.contains(&Tool::Probe) && self.probe.get().is_none() {
            let probe = match &self.probe_given {
                Some(path) => Probe::at(path),
                None => {
                    println!("building the probe that measures inside a process");
                    Probe::build(self.context)?
                }
            };
            let _ = self.probe.set(probe);
        }
        let scratch = self.scratch.part(&suite.words().replace(' ', "-"))?;
        Ok(Session { context: self.context, suite, effort, sizes, flags, scratch, tools: self })
    }
}

/// One suite at work.
pub(crate) struct Session<'a> {
    pub(crate) context: &'a Context,
    pub(crate) suite: &'static Suite,
    pub(crate) effort: Effort,
    pub(crate) sizes: Vec<usize>,
    pub(crate) flags: Flags,
    pub(crate) scratch: Scratch,
    tools: &'a Tools<'a>,
}

impl Session<'_> {
    pub(crate) fn ken_path(&self) -> &Path {
        self.tools.ken.get().expect("a suite that asks for ken says that it needs it")
    }

    pub(crate) fn probe(&self) -> &Probe {
        self.tools.probe.get().expect("a suite that asks for the probe says that it needs it")
    }

    /// `ken` in a folder, without the caller's settings and without the agent that may have started this.
    pub(crate) fn ken(&self, root: &Path, arguments: &[&str]) -> Command {
        let mut command = self.scratch.program(self.ken_path(), root);
        command.args(arguments);
        command
    }

    /// Runs `ken --json`, with its answer.
    pub(crate) fn json(&self, root: &Path, arguments: &[&str]) -> Result<(Sample, Value), Failure> {
        let (sample, output) = measure::command(self.ken(root, &["--json"]).args(arguments))?;
        match serde_json::from_slice(&output.stdout) {
            Ok(answer) => Ok((sample, answer)),
            Err(error) => failed(format!("`ken {}` did not answer in JSON: {error}", arguments.join(" "))),
        }
    }

    /// A program that does nothing: what it takes to start anything at all.
    pub(crate) fn empty(&self, root: &Path) -> Result<Command, Failure> {
        if self.tools.empty.get().is_none() {
            let _ = self.tools.empty.set(self.tools.scratch.empty_program()?);
        }
        let path = self.tools.empty.get().expect("it was made above");
        Ok(self.scratch.program(path, root))
    }

    /// A file in the scratch folder.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf, Failure> {
        let path = self.scratch.folder.join(name);
        measure::work("write a scratch file", || fs::write(&path, content))?;
        Ok(path)
    }

    /// Adds lines of JSON to the store of a repository with one command, which has to add all of them.
    pub(crate) fn add_lines(&self, root: &Path, source: &Path, wanted: usize) -> Result<Sample, Failure> {
        self.add_lines_by(self.ken(root, &["add"]), source, wanted)
    }

    /// The same by a `ken add` of the caller's.
    pub(crate) fn add_lines_by(
        &self,
        mut add: Command,
        source: &Path,
        wanted: usize,
    ) -> Result<Sample, Failure> {
        let (sample, output) = measure::command(add.args(["--json", "--file"]).arg(source))?;
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        match answer["added"].as_u64() {
            Some(added) if added == wanted as u64 => Ok(sample),
            _ => failed(format!("of {wanted} entries `ken add` says it added {}", answer["added"])),
        }
    }

    /// Commits everything in a repository.
    pub(crate) fn commit(&self, root: &Path, message: &str) -> Result<(), Failure> {
        capture(&mut self.scratch.git(root, &["add", "-A"]))?;
        capture(&mut self.scratch.git(root, &["commit", "-q", "-m", message]))?;
        Ok(())
    }
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
