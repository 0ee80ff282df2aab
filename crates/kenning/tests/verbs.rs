//! The verbs as methods of what a call reaches, so that a test reads as a story.

use std::io::BufRead;

use kenning::core::EntryKey;
use kenning::core::overlay::OverlayChange;
use kenning::core::run::{Agent, RunKind};
use kenning::foreign::{ImportInput, ImportProgress, ImportReport, SyncInput, SyncReport};
use kenning::learn::Subject;
use kenning::ops::applied::AppliedAnswer;
use kenning::ops::queue::{Ruled, Rulings, Verdict, Worksheet};
use kenning::*;

#[allow(dead_code, reason = "each of the two test targets uses its part")]
pub(crate) trait Verbs {
    fn accept(&mut self, checked: &[Checked], accept: Accept) -> Result<Vec<Accepted>>;
    fn accept_stated(&mut self, name: &str) -> Result<PromotionView>;
    fn add(&mut self, input: AddInput) -> Result<AddAnswer>;
    fn add_lines(
        &mut self,
        input: impl BufRead,
        options: &BulkOptions,
        go_on: &mut dyn FnMut(&BulkProgress) -> bool,
    ) -> Result<BulkReport>;
    fn applied(&mut self, used: &[String], dismissed: &[(String, String)]) -> Result<AppliedAnswer>;
    fn archive(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer>;
    fn archive_thread(&mut self, thread: &str) -> Result<ThreadAnswer>;
    fn belief(&mut self, name: &str) -> Result<BeliefAnswer>;
    fn brief_for_injection(
        &mut self,
        tokens: usize,
        entries_max: usize,
        elsewhere: &[String],
    ) -> Result<BriefAnswer>;
    fn brief_whole(&mut self) -> Result<BriefAnswer>;
    fn change_between(&self, base: &str, head: &str) -> Result<core::norm::change::Change>;
    fn change_of_release(&self, reference: &str) -> Result<(String, core::norm::change::Change)>;
    fn check(&mut self, which: &Which) -> Result<CheckAnswer>;
    fn confirm(&mut self, name: &str, reason: &str) -> Result<ConfirmAnswer>;
    fn diff(&self, range: &str) -> Result<Diff>;
    fn diff_within(&self, range: &str, limit: Option<usize>) -> Result<Diff>;
    fn drift(&self, reviewer: Option<&str>) -> Result<DriftAnswer>;
    fn embed(&mut self, go_on: &mut dyn FnMut(usize) -> bool) -> Result<EmbedReport>;
    fn expect(&mut self, entry: (EntryKey, Version));
    fn feedback(&mut self, name: &str, helpful: bool, reason: &str) -> Result<ChangeAnswer>;
    fn flush_and_stage(&mut self) -> Result<usize>;
    fn friction(&mut self, kind: &str, context: serde_json::Value) -> Result<AddAnswer>;
    fn headline(&self, name: &str) -> Result<String>;
    fn health_report(&mut self) -> Result<HealthReport>;
    fn import(
        &mut self,
        input: &ImportInput,
        go_on: &mut dyn FnMut(&ImportProgress) -> bool,
    ) -> Result<ImportReport>;
    fn inject(&mut self, input: SurfaceInput) -> Result<SurfaceAnswer>;
    fn judge(&mut self, verdicts: &[Verdict], limit: usize, cursor: Option<&str>) -> Result<Rulings>;
    fn judge_one(&mut self, verdict: &Verdict) -> Result<Ruled>;
    fn lay(&mut self, name: &str, change: OverlayChange) -> Result<OverlayAnswer>;
    fn link(&mut self, from: &str, relation: &str, to: &str, remove: bool) -> Result<ChangeAnswer>;
    fn list(&mut self, query: &Query) -> Result<ListAnswer>;
    fn log(&mut self, name: &str) -> Result<Vec<Happening>>;
    fn merge(&mut self, one: &str, other: &str, reason: &str) -> Result<MergeAnswer>;
    fn note(&mut self, text: &str, tags: &[String]) -> Result<AddAnswer>;
    fn note_signal(&mut self, text: &str, said: &SignalInput) -> Result<AddAnswer>;
    fn promote_to_project(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer>;
    fn prove(&mut self, keys: &[EntryKey], accepted: bool) -> Result<Vec<Proof>>;
    fn purge_secret(&mut self, secret: &str, reason: &str, many: bool) -> Result<SecretPurge>;
    fn queue(&mut self, limit: usize) -> Result<Worksheet>;
    fn reset_belief(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer>;
    fn restore(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer>;
    fn retract(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer>;
    fn review_complete(&mut self, run: &str) -> Result<CompleteAnswer>;
    fn review_report(&mut self, run: &str, agent: Option<&str>, findings: &str) -> Result<ReportAnswer>;
    fn review_start(
        &mut self,
        agents: Vec<Agent>,
        subject: &Subject,
        thread: Option<String>,
        strategy: Option<String>,
    ) -> Result<ReviewStarted>;
    fn revise(
        &mut self,
        name: &str,
        change: core::decide::Change,
        evidence: &[String],
        unverified: bool,
    ) -> Result<ChangeAnswer>;
    fn reweave(&mut self, input: ReweaveInput) -> Result<ReweaveAnswer>;
    fn runs(&self, kinds: &[RunKind], open: bool) -> Result<Vec<RunLine>>;
    fn search(&mut self, input: &SearchInput) -> Result<SearchAnswer>;
    fn set_setting(&mut self, key: &str, value: &str) -> Result<()>;
    fn show(&mut self, name: &str) -> Result<EntryView>;
    fn standing_of(&self, name: &str) -> Result<Option<(EntryKey, Version)>>;
    fn status(&mut self) -> Result<StatusAnswer>;
    fn supersede(&mut self, old: &str, new: &str, reason: &str) -> Result<ChangeAnswer>;
    fn supersede_by_new(&mut self, old: &str, input: AddInput, reason: &str) -> Result<ChangeAnswer>;
    fn surface(&mut self, input: &SurfaceInput) -> Result<SurfaceAnswer>;
    fn sync(&mut self, input: &SyncInput) -> Result<SyncReport>;
    fn task_finish(&mut self, input: FinishInput) -> Result<FinishAnswer>;
    fn task_finish_apart(&mut self, goal: &str, input: FinishInput) -> Result<FinishAnswer>;
    fn task_start(
        &mut self,
        goal: &str,
        kind: RunKind,
        thread: Option<String>,
        strategy: Option<String>,
    ) -> Result<StartAnswer>;
    fn tree_after(&self, head: &str) -> Result<TreeAfter<'_>>;
    fn undo(&mut self, by: Option<&str>) -> Result<Vec<ChangeAnswer>>;
    fn verify(&mut self, fix: bool) -> Result<Report>;
    fn which(&self, names: &[String]) -> Result<Which>;
    fn why(&mut self, name: &str) -> Result<WhyAnswer>;
}

impl Verbs for Reach {
    fn accept(&mut self, checked: &[Checked], accept: Accept) -> Result<Vec<Accepted>> {
        kenning::check::accept(&mut self.ledger, &self.site, &mut self.models, &self.caller, checked, accept)
    }

    fn accept_stated(&mut self, name: &str) -> Result<PromotionView> {
        kenning::promote::accept_stated(&mut self.ledger, &self.site, &mut self.models, &self.caller, name)
    }

    fn add(&mut self, input: AddInput) -> Result<AddAnswer> {
        kenning::add::add(&mut self.ledger, &self.site, &mut self.models, &self.caller, input)
    }

    fn add_lines(
        &mut self,
        input: impl BufRead,
        options: &BulkOptions,
        go_on: &mut dyn FnMut(&BulkProgress) -> bool,
    ) -> Result<BulkReport> {
        kenning::bulk::add_lines(
            &mut self.ledger,
            &self.site,
            &mut self.models,
            &self.caller,
            input,
            options,
            go_on,
        )
    }

    fn applied(&mut self, used: &[String], dismissed: &[(String, String)]) -> Result<AppliedAnswer> {
        kenning::recall::applied(&mut self.ledger, &self.site, &self.caller, used, dismissed)
    }

    fn archive(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer> {
        kenning::archive::archive(&mut self.ledger, &self.site, &mut self.models, &self.caller, name, reason)
    }

    fn archive_thread(&mut self, thread: &str) -> Result<ThreadAnswer> {
        kenning::learn::archive_thread(&mut self.ledger, &self.site, &mut self.models, &self.caller, thread)
    }

    fn belief(&mut self, name: &str) -> Result<BeliefAnswer> {
        kenning::learn::belief(&mut self.ledger, &self.site, &self.caller, name)
    }

    fn brief_for_injection(
        &mut self,
        tokens: usize,
        entries_max: usize,
        elsewhere: &[String],
    ) -> Result<BriefAnswer> {
        kenning::brief::brief_for_injection(
            &mut self.ledger,
            &self.site,
            &self.models,
            &self.caller,
            tokens,
            entries_max,
            elsewhere,
        )
    }

    fn brief_whole(&mut self) -> Result<BriefAnswer> {
        kenning::brief::brief_whole(&mut self.ledger, &self.site, &self.models, &self.caller)
    }

    fn change_between(&self, base: &str, head: &str) -> Result<core::norm::change::Change> {
        kenning::change_set::change_between(&self.site.layout, base, head)
    }

    fn change_of_release(&self, reference: &str) -> Result<(String, core::norm::change::Change)> {
        kenning::change_set::change_of_release(&self.site.layout, reference)
    }

    fn check(&mut self, which: &Which) -> Result<CheckAnswer> {
        kenning::check::check(&mut self.ledger, &self.site, &self.caller, which)
    }

    fn confirm(&mut self, name: &str, reason: &str) -> Result<ConfirmAnswer> {
        kenning::learn::confirm(&mut self.ledger, &self.site, &mut self.models, &self.caller, name, reason)
    }

    fn diff(&self, range: &str) -> Result<Diff> {
        kenning::diff::diff(&self.ledger, &self.site.layout, &self.caller, range)
    }

    fn diff_within(&self, range: &str, limit: Option<usize>) -> Result<Diff> {
        kenning::diff::diff_within(&self.ledger, &self.site.layout, &self.caller, range, limit)
    }

    fn drift(&self, reviewer: Option<&str>) -> Result<DriftAnswer> {
        kenning::drift::drift(&self.ledger, &self.site, &self.caller, reviewer)
    }

    fn embed(&mut self, go_on: &mut dyn FnMut(usize) -> bool) -> Result<EmbedReport> {
        kenning::embedding::embed(&mut self.ledger, &self.site.config, &mut self.models, &self.caller, go_on)
    }

    fn expect(&mut self, entry: (EntryKey, Version)) {
        kenning::show::expect(&mut self.ledger, entry)
    }

    fn feedback(&mut self, name: &str, helpful: bool, reason: &str) -> Result<ChangeAnswer> {
        kenning::learn::feedback(
            &mut self.ledger,
            &self.site,
            &mut self.models,
            &self.caller,
            name,
            helpful,
            reason,
        )
    }

    fn flush_and_stage(&mut self) -> Result<usize> {
        kenning::commit::flush_and_stage(&mut self.ledger, &self.site, &mut self.models, &self.caller)
    }

    fn friction(&mut self, kind: &str, context: serde_json::Value) -> Result<AddAnswer> {
        kenning::note::friction(&mut self.ledger, &self.site, &mut self.models, &self.caller, kind, context)
    }

    fn headline(&self, name: &str) -> Result<String> {
        kenning::show::headline(&self.ledger, name)
    }

    fn health_report(&mut self) -> Result<HealthReport> {
        kenning::health::health_report(&mut self.ledger, &self.site, &mut self.models, &self.caller)
    }

    fn import(
        &mut self,
        input: &ImportInput,
        go_on: &mut dyn FnMut(&ImportProgress) -> bool,
    ) -> Result<ImportReport> {
        kenning::foreign::import::import(
            &mut self.ledger,
            &self.site,
            &mut self.models,
            &self.caller,
            input,
            go_on,
        )
    }

    fn inject(&mut self, input: SurfaceInput) -> Result<SurfaceAnswer> {
        kenning::recall::inject(&mut self.ledger, &self.site, &mut self.models, &self.caller, input)
    }

    fn judge(&mut self, verdicts: &[Verdict], limit: usize, cursor: Option<&str>) -> Result<Rulings> {
        kenning::queue::judge(
            &mut self.ledger,
            &self.site,
            &mut self.models,
            &self.caller,
            verdicts,
            limit,
            cursor,
        )
    }

    fn judge_one(&mut self, verdict: &Verdict) -> Result<Ruled> {
        kenning::queue::judge_one(&mut self.ledger, &self.site, &mut self.models, &self.caller, verdict)
    }

    fn lay(&mut self, name: &str, change: OverlayChange) -> Result<OverlayAnswer> {
        kenning::overlay::lay(&mut self.ledger, &self.site, &self.caller, name, change)
    }

    fn link(&mut self, from: &str, relation: &str, to: &str, remove: bool) -> Result<ChangeAnswer> {
        kenning::link::link(
            &mut self.ledger,
            &self.site,
            &mut self.models,
            &self.caller,
            from,
            relation,
            to,
            remove,
        )
    }

    fn list(&mut self, query: &Query) -> Result<ListAnswer> {
        kenning::list::list(&mut self.ledger, &self.site, &self.caller, query)
    }

    fn log(&mut self, name: &str) -> Result<Vec<Happening>> {
        kenning::why::log(&mut self.ledger, &self.site, &self.caller, name)
    }

    fn merge(&mut self, one: &str, other: &str, reason: &str) -> Result<MergeAnswer> {
        kenning::merge::merge(
            &mut self.ledger,
            &self.site,
            &mut self.models,
            &self.caller,
            one,
            other,
            reason,
        )
    }

    fn note(&mut self, text: &str, tags: &[String]) -> Result<AddAnswer> {
        kenning::note::note(&mut self.ledger, &self.site, &mut self.models, &self.caller, text, tags)
    }

    fn note_signal(&mut self, text: &str, said: &SignalInput) -> Result<AddAnswer> {
        kenning::health::note_signal(&mut self.ledger, &self.site, &mut self.models, &self.caller, text, said)
    }

    fn promote_to_project(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer> {
        kenning::learn::promote_to_project(
            &mut self.ledger,
            &self.site,
            &mut self.models,
            &self.caller,
            name,
            reason,
        )
    }

    fn prove(&mut self, keys: &[EntryKey], accepted: bool) -> Result<Vec<Proof>> {
        kenning::check::prove(&mut self.ledger, &self.site, &mut self.models, &self.caller, keys, accepted)
    }

    fn purge_secret(&mut self, secret: &str, reason: &str, many: bool) -> Result<SecretPurge> {
        kenning::scan::purge_secret(&mut self.ledger, &self.site, &self.caller, secret, reason, many)
    }

    fn queue(&mut self, limit: usize) -> Result<Worksheet> {
        kenning::queue::queue(&mut self.ledger, &self.site, &mut self.models, &self.caller, limit)
    }

    fn reset_belief(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer> {
        kenning::learn::reset_belief(
            &mut self.ledger,
            &self.site,
            &mut self.models,
            &self.caller,
            name,
            reason,
        )
    }

    fn restore(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer> {
        kenning::retract::restore(&mut self.ledger, &self.site, &mut self.models, &self.caller, name, reason)
    }

    fn retract(&mut self, name: &str, reason: &str) -> Result<ChangeAnswer> {
        kenning::retract::retract(&mut self.ledger, &self.site, &mut self.models, &self.caller, name, reason)
    }

    fn review_complete(&mut self, run: &str) -> Result<CompleteAnswer> {
        kenning::learn::review_complete(&mut self.ledger, &self.site, &mut self.models, &self.caller, run)
    }

    fn review_report(&mut self, run: &str, agent: Option<&str>, findings: &str) -> Result<ReportAnswer> {
        kenning::learn::review_report(&mut self.ledger, &self.site.config, &self.caller, run, agent, findings)
    }

    fn review_start(
        &mut self,
        agents: Vec<Agent>,
        subject: &Subject,
        thread: Option<String>,
        strategy: Option<String>,
    ) -> Result<ReviewStarted> {
        kenning::learn::review_start(
            &mut self.ledger,
            &self.site,
            &mut self.models,
            &self.caller,
            agents,
            subject,
            thread,
            strategy,
        )
    }

    fn revise(
        &mut self,
        name: &str,
        change: core::decide::Change,
        evidence: &[String],
        unverified: bool,
    ) -> Result<ChangeAnswer> {
        kenning::edit::revise(
            &mut self.ledger,
            &self.site,
            &mut self.models,
            &self.caller,
            name,
            change,
            evidence,
            unverified,
        )
    }

    fn reweave(&mut self, input: ReweaveInput) -> Result<ReweaveAnswer> {
        kenning::digest::reweave::reweave(&mut self.ledger, &self.site, &mut self.models, &self.caller, input)
    }

    fn runs(&self, kinds: &[RunKind], open: bool) -> Result<Vec<RunLine>> {
        kenning::learn::runs(&self.ledger, &self.caller, kinds, open)
    }

    fn search(&mut self, input: &SearchInput) -> Result<SearchAnswer> {
        kenning::recall::search(&mut self.ledger, &self.site, &mut self.models, &self.caller, input)
    }

    fn set_setting(&mut self, key: &str, value: &str) -> Result<()> {
        kenning::config::set_setting(&self.ledger, &mut self.site.config, &self.caller, key, value)
    }

    fn show(&mut self, name: &str) -> Result<EntryView> {
        kenning::show::show(&mut self.ledger, &self.site, &self.caller, name)
    }

    fn standing_of(&self, name: &str) -> Result<Option<(EntryKey, Version)>> {
        kenning::show::standing_of(&self.ledger, name)
    }

    fn status(&mut self) -> Result<StatusAnswer> {
        kenning::status::status(&mut self.ledger, &self.site, &mut self.models, &self.caller)
    }

    fn supersede(&mut self, old: &str, new: &str, reason: &str) -> Result<ChangeAnswer> {
        kenning::supersede::supersede(
            &mut self.ledger,
            &self.site,
            &mut self.models,
            &self.caller,
            old,
            new,
            reason,
        )
    }

    fn supersede_by_new(&mut self, old: &str, input: AddInput, reason: &str) -> Result<ChangeAnswer> {
        kenning::supersede::supersede_by_new(
            &mut self.ledger,
            &self.site,
            &mut self.models,
            &self.caller,
            old,
            input,
            reason,
        )
    }

    fn surface(&mut self, input: &SurfaceInput) -> Result<SurfaceAnswer> {
        kenning::recall::surface(&mut self.ledger, &self.site, &mut self.models, &self.caller, input)
    }

    fn sync(&mut self, input: &SyncInput) -> Result<SyncReport> {
        kenning::foreign::sync::sync(&mut self.ledger, &self.site, &mut self.models, &self.caller, input)
    }

    fn task_finish(&mut self, input: FinishInput) -> Result<FinishAnswer> {
        kenning::learn::task_finish(&mut self.ledger, &self.site, &mut self.models, &self.caller, input)
    }

    fn task_finish_apart(&mut self, goal: &str, input: FinishInput) -> Result<FinishAnswer> {
        kenning::learn::task_finish_apart(
            &mut self.ledger,
            &self.site,
            &mut self.models,
            &self.caller,
            goal,
            input,
        )
    }

    fn task_start(
        &mut self,
        goal: &str,
        kind: RunKind,
        thread: Option<String>,
        strategy: Option<String>,
    ) -> Result<StartAnswer> {
        kenning::learn::task_start(&mut self.ledger, &self.site, &self.caller, goal, kind, thread, strategy)
    }

    fn tree_after(&self, head: &str) -> Result<TreeAfter<'_>> {
        kenning::change_set::tree_after(&self.site, head)
    }

    fn undo(&mut self, by: Option<&str>) -> Result<Vec<ChangeAnswer>> {
        kenning::undo::undo(&mut self.ledger, &self.site, &mut self.models, &self.caller, by)
    }

    fn verify(&mut self, fix: bool) -> Result<Report> {
        kenning::doctor::verify(&mut self.ledger, self.site.state(), &self.caller, fix)
    }

    fn which(&self, names: &[String]) -> Result<Which> {
        kenning::check::which(&self.ledger, &self.site, names)
    }

    fn why(&mut self, name: &str) -> Result<WhyAnswer> {
        kenning::why::why(&mut self.ledger, &self.site, &self.caller, name)
    }
}
