//! Reviews: what each agent is told at the start, what they report, and what is learned at the end (REV-4 to REV-8).
//!
//! A completion is planned from what the ledger holds and written in one append, so that it happens once and wholly or not at all.

use std::cell::RefCell;
use std::collections::hash_map::{Entry, HashMap};
use std::collections::{BTreeMap, BTreeSet};

use ken_core::answer::ReportOutcome;
use ken_core::decide::Outcome;
use ken_core::decide::{self, Context};
use ken_core::event::Confirmed;
use ken_core::finding::Finding;
use ken_core::finding::matching::{KnownEntry, Sought};
use ken_core::finding::merge::{self, convergence, is_durable, kind_of};
use ken_core::finding::read::Report;
use ken_core::finding::scale::Priority;
use ken_core::limits::{REPORT_FINDINGS_PER_EVENT, REVIEW_AGENTS_MIN};
use ken_core::run::{Exposure, Finished, INJECTED, Reported, Run, RunKind, RunOutcome};
use ken_core::words::{normalise_statement, one_line};
use ken_core::{
    Anchor, Body, Code, Confirmation, EntryEvent, EntryKey, Fault, Intent, Memory, Millis, Refusal, RunEvent,
    Spot, Status, Type,
};
use ken_recall::{Mode, Question};
use serde::Serialize;
use serde_json::{Value, json};

mod compare;
mod complete;
mod findings;
mod report;
mod start;

pub use self::complete::*;
pub use self::findings::*;
pub use self::report::*;
pub use self::start::*;

use self::compare::{Read, Same, globally_known, is_seen_from, read_ahead, same_entry, worded_like};
use super::add::{AddInput, Decided, OnAbsent, decide_all};
use super::run::{
    RunLine, StartInput, begin, ended, find_run, injected_into, open_run, sweep, was_shown_outside,
};
use super::search::{self, AnswerStatus, Means, SearchInput};
use super::{context, support};
use crate::deliver;
use crate::error::{Error, Result};
use crate::exposure::Reader;
use crate::intake::{self, Intake};
use crate::limits::ops_review::{CONSIDERED_MAX, FAULTS_TOLD_MAX, MEANINGS_MAX, NEIGHBOURS_MAX};
use crate::ports::{Asked, Repository, Stored, Writer};
use crate::projection::Projection;
use crate::query::{Overlaid, Query, Threads};
use crate::view;
