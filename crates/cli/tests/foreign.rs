//! Files of other systems through the real binary (DOO-6): brought in, given back to the byte, and kept in step.

mod clones;
mod deletions;
mod entries;
mod import;
mod mirrors;
mod odd_files;
mod round_trip;
mod secrets;
mod strangers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::world::{Answer, World};

/// Files below a folder, with their bytes.
type Tree = BTreeMap<String, Vec<u8>>;

/// A repository with a store, as one person sees it.
struct Desk {
    world: World,
    folder: PathBuf,
    env: Vec<(String, String)>,
}

impl Desk {
    fn new() -> Desk {
        Desk::of(World::with_store())
    }

    fn of(world: World) -> Desk {
        let folder = world.path();
        Desk { world, folder, env: Vec::new() }
    }

    /// A store with a mirror that is in step, all of it committed.
    fn mirrored(format: &str, folder: &str, files: &[(&str, &str)]) -> Desk {
        let desk = Desk::new();
        files.iter().for_each(|(path, text)| desk.write(&format!("{folder}/{path}"), text));
        desk.ken(&["config", "mirrors.own", &format!("{format}:{folder}")]).ok();
        // What a sync does is seen where nothing was written before it.
        desk.ken(&["config", "mirrors_auto.own", "false"]).ok();
        desk.sync().ok();
        desk.commit("mirror");
        desk
    }

    /// The same folder on another day, or as somebody else.
    fn with(&self, name: &str, value: &str) -> At<'_> {
        At { desk: self, folder: self.folder.clone(), env: vec![(name.to_owned(), value.to_owned())] }
    }

    fn here(&self) -> At<'_> {
        At { desk: self, folder: self.folder.clone(), env: self.env.clone() }
    }

    /// A clone of it beside it, where Bob works.
    fn cloned(&self, name: &str) -> At<'_> {
        self.git(&format!("clone -q . ../{name}"));
        let at = At {
            desk: self,
            folder: self.folder.with_file_name(name),
            env: vec![("KEN_ACTOR".to_owned(), "human:Bob".to_owned())],
        };
        at.git("config user.name Bob");
        at.git("config user.email bob@example.org");
        at
    }

    fn ken(&self, args: &[&str]) -> Answer {
        self.here().ken(args)
    }

    fn sync(&self) -> Answer {
        self.ken(&["mirror", "sync"])
    }

    fn git(&self, words: &str) -> String {
        self.here().git(words)
    }

    fn commit(&self, message: &str) {
        self.here().commit(message);
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        write(&self.folder.join(path), text.as_ref());
    }

    fn read(&self, path: &str) -> String {
        String::from_utf8(std::fs::read(self.folder.join(path)).unwrap()).unwrap()
    }

    fn exists(&self, path: &str) -> bool {
        self.folder.join(path).exists()
    }

    /// Replaces words of a file.
    fn edit(&self, path: &str, from: &str, to: &str) {
        self.here().edit(path, from, to);
    }

    fn remove(&self, path: &str) {
        std::fs::remove_file(self.folder.join(path)).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        let to = self.folder.join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::rename(self.folder.join(from), to).unwrap();
    }

    fn show(&self, id: &str) -> Value {
        self.here().show(id)
    }

    fn entries(&self) -> Vec<Value> {
        self.here().entries()
    }

    fn events(&self) -> usize {
        self.here().events()
    }

    /// What the store tracks, to the byte.
    fn ledger(&self) -> Tree {
        self.here().ledger()
    }

    fn tree(&self, folder: &str) -> Tree {
        tree(&self.folder.join(folder))
    }

    /// Files of the store and of its journal that hold some words.
    fn holding(&self, words: &str) -> Vec<String> {
        let mut all = tree(&self.folder.join(".kenning"));
        let journal = tree(&self.folder.join(".git/kenning"));
        all.extend(journal.into_iter().map(|(path, bytes)| (format!(".git/{path}"), bytes)));
        let holds = |bytes: &[u8]| bytes.windows(words.len()).any(|window| window == words.as_bytes());
        all.into_iter().filter(|(_, bytes)| holds(bytes)).map(|(path, _)| path).collect()
    }
}

/// Somebody at a folder: a clone, another day, another name.
struct At<'a> {
    desk: &'a Desk,
    folder: PathBuf,
    env: Vec<(String, String)>,
}

impl At<'_> {
    fn run(&self, program: &str, args: &[&str]) -> Answer {
        let mut command = self.desk.world.command(program);
        command.current_dir(&self.folder).args(args).envs(self.env.iter().cloned());
        self.desk.world.answered(command, None)
    }

    fn ken(&self, args: &[&str]) -> Answer {
        self.run(&World::binary().display().to_string(), args)
    }

    fn sync(&self) -> Answer {
        self.ken(&["mirror", "sync"])
    }

    fn git(&self, words: &str) -> String {
        let answer = self.run("git", &words.split_whitespace().collect::<Vec<_>>());
        assert_eq!(answer.code, 0, "git {words}: {}{}", answer.out, answer.err);
        answer.out.trim().to_owned()
    }

    fn commit(&self, message: &str) {
        self.git("add -A");
        self.git(&format!("commit -q -m {message}"));
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        write(&self.folder.join(path), text.as_ref());
    }

    fn read(&self, path: &str) -> String {
        String::from_utf8(std::fs::read(self.folder.join(path)).unwrap()).unwrap()
    }

    fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path} does not say {from:?}: {text}");
        self.write(path, text.replacen(from, to, 1));
    }

    fn show(&self, id: &str) -> Value {
        self.ken(&["show", id, "--json"]).ok().json()
    }

    /// Everything there is, as a list tells it.
    fn entries(&self) -> Vec<Value> {
        let list = self.ken(&["list", "--all", "--limit", "0", "--json"]).ok().json();
        list["items"].as_array().unwrap().clone()
    }

    /// The one entry that says something.
    fn saying(&self, words: &str) -> Value {
        let all = self.entries();
        let one = all.iter().find(|entry| entry["statement"].as_str().unwrap_or_default().contains(words));
        let id = one.unwrap_or_else(|| panic!("nothing says {words:?}: {all:#?}"))["id"].as_str().unwrap();
        self.show(id)
    }

    fn ledger(&self) -> Tree {
        let mut all = tree(&self.folder.join(".kenning"));
        all.retain(|path, _| path.ends_with(".jsonl"));
        all
    }

    fn events(&self) -> usize {
        self.ledger().values().map(|bytes| bytes.split(|byte| *byte == b'\n').count() - 1).sum()
    }

    fn tree(&self, folder: &str) -> Tree {
        tree(&self.folder.join(folder))
    }
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// Every plain file below a folder.
fn tree(folder: &Path) -> Tree {
    let mut found = Tree::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(next) = pending.pop() {
        for item in std::fs::read_dir(&next).into_iter().flatten() {
            let path = item.unwrap().path();
            let looks = std::fs::symlink_metadata(&path).unwrap();
            if looks.is_dir() {
                pending.push(path);
            } else if looks.is_file() {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, std::fs::read(&path).unwrap_or_default());
            }
        }
    }
    found
}

/// Insists that two trees are the same, and says where they are not.
fn assert_same(was: &Tree, is: &Tree, what: &str) {
    let paths = |tree: &Tree| tree.keys().cloned().collect::<Vec<_>>();
    assert_eq!(paths(was), paths(is), "{what}: the files");
    for (path, bytes) in was {
        let (a, b) = (String::from_utf8_lossy(bytes), String::from_utf8_lossy(&is[path]));
        assert_eq!(a, b, "{what}: {path}");
        assert_eq!(bytes, &is[path], "{what}: {path}");
    }
}

/// Insists that an answer says something.
fn says(answer: &Answer, pieces: &[&str]) {
    let whole = format!("{}{}", answer.out, answer.err);
    for piece in pieces {
        assert!(whole.contains(piece), "{piece:?} is missing:\n{whole}");
    }
}

/// A finding as flux-drive writes it.
fn finding(says: &str) -> String {
    format!(
        "---\nlastConfirmed: 2025-12-01\nprovenance: independent\n---\n{says}\n\nTwo reviews found it on their own.\n\nEvidence: `src/net.rs:2`, retry() calls jitter.\nVerify: grep -n jitter src/net.rs\n"
    )
}

/// A reviewer's file as WFC writes it.
const KNOWLEDGE: &str = "# KNOWLEDGE.md -- Security Reviewer

## Patterns Found

- [2026-01-01] Every retry waits with jitter before it calls again (Source: pr-12)
- [2026-01-01] Tokens are compared in constant time everywhere (Source: pr-13, Dev: ada)

## False Positives to Avoid

- [2026-01-01] The word eval stands in a pattern table and is never run (Source: pr-14)

## Incidents Prevented

## Repository-Specific Rules

- [2026-01-01] Every new endpoint is listed in the routing table (Source: initial-seed)

## Codebase Context

- [2026-01-01] The gateway is the only part that talks to the outside (Source: initial-seed)
";

/// A signal as GSD writes it.
const SIGNAL: &str = "---
id: sig-2026-01-01-plan-without-research
type: signal
project: demo
tags: [planning, research]
created: 2026-01-01T10:00:00Z
updated: 2026-01-01T10:00:00Z
durability: convention
status: active
severity: critical
signal_type: deviation
phase: 3
plan: 1
---

## What Happened

The plan was written before anybody had looked at `src/net.rs`.

## Context

Phase 3.

## Potential Cause

Nobody asked.
";

/// A spike as GSD writes it.
const SPIKE: &str = "---
id: spk-2026-01-01-which-queue
type: spike
project: demo
tags: [queue]
created: 2026-01-01T10:00:00Z
updated: 2026-01-01T10:00:00Z
durability: principle
status: active
hypothesis: \"A table is queue enough\"
outcome: confirmed
rounds: 1
---

## Hypothesis

A table is queue enough.

## Experiment

Ten thousand jobs.

## Results

All ran once.

## Decision

Use a table for the queue.

## Consequences

One thing less to run.
";

/// A solved problem as WFC writes it.
const SOLUTION: &str = "---
title: Session lost on restart
module: gateway
component: src/net.rs
tags: [session, restart]
category: runtime-errors
date: 2026-01-01
severity: high
status: resolved
root_cause: The session key was made anew on every start
---

# Session lost on restart

## Problem

Everybody had to log in again.

## Root Cause

The key was random.

## Solution

Keep the key.

## Prevention

A test that restarts.
";
