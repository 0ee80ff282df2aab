//! The intake: whatever the door, every text is scanned and redacted here before anything else sees it (IN-1 to IN-4).

use std::cell::RefCell;
use std::collections::BTreeSet;

use ken_core::admission::Weights;
use ken_core::judged::ScanHit;
use ken_core::{Code, Entry, Fault, Fields, Refusal, Scan, Scope, Status, Tier, TypeName};
use ken_guard::{Finding, SCANNER, sanitize};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::caller::Attendance;
use crate::error::{Error, Result};
use crate::limits::intake::{
    KIND_BYTES_MAX, PRINT_DIGITS_MIN, SECRET_BYTES_MIN, TOGETHER_BYTES_MAX, WORDS_OF_A_SENTENCE_MIN,
};
use crate::limits::judge::REASON_CHARS_MAX;
use crate::ports::{CodeTree, Embedder, Presence, Repository};
use crate::scanned;

/// The setting that holds the weights of admission.
pub const ADMISSION: &str = "admission";

/// What the intake goes by, and what it may use.
pub struct Intake<'a> {
    /// Names that a text may not hold, whatever its scope.
    pub names: &'a Names,
    /// How admission is weighed.
    pub weights: Weights,
    /// What tells whether something is said already; none where that is left for later.
    pub embedder: Option<&'a dyn Embedder>,
    /// Nobody waits to be told who says the same or the opposite: it is noted when the vector is made.
    pub compares_later: bool,
    /// The code that anchors speak of; without it nothing of it is taken down.
    pub ground: Option<&'a RefCell<dyn CodeTree>>,
    /// Who could be asked about evidence that is not in the repository (COR-12).
    pub attendance: Attendance,
}

/// No names, the usual weights, no model and no code.
impl Default for Intake<'static> {
    fn default() -> Self {
        static NONE: Names = Names { organisations: Vec::new(), customers: Vec::new(), hosts: Vec::new() };
        Intake {
            names: &NONE,
            weights: Weights::default(),
            embedder: None,
            compares_later: false,
            ground: None,
            attendance: Attendance::Unattended,
        }
    }
}

/// Names that do not leave the house (IN-4).
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub organisations: Vec<String>,
    /// Of customers, and what identifies them; `ACME-*` is every word that begins so.
    pub customers: Vec<String>,
    /// Hosts that may be named although they look internal.
    pub hosts: Vec<String>,
}

/// Scans a text and takes the values of secrets out of it.
pub fn clean_text(field: &str, text: &mut String, scan: &mut Scan) {
    if scanned::is_harmless(text) {
        return;
    }
    // Labels and names have underscores where others have blanks; a sentence is one all the same.
    let before = scan.findings.len();
    if !text.contains(' ') && text.matches('_').count() >= WORDS_OF_A_SENTENCE_MIN {
        scan_orders(field, &text.replace('_', " "), scan);
    }
    let verdict = ken_guard::scan(text);
    if verdict.findings.is_empty() {
        scanned::remember("", text);
        if scan.findings.len() == before {
            scanned::remember_harmless(text);
        }
        return;
    }
    let mut chars = Chars { text, byte: 0, char: 0 };
    for finding in &verdict.findings {
        let (start, end) = (chars.at(finding.start), chars.at(finding.end));
        scan.findings.push(found(finding, field, start, end));
    }
    scan.tier = scan.tier.max(tier(verdict.tier));
    if verdict.findings.iter().any(is_secret) {
        *text = ken_guard::redact(text).into_owned();
    }
    scanned::remember("", text);
}

/// Looks for what would be kept out in a text that is put together for that.
fn scan_orders(field: &str, text: &str, scan: &mut Scan) {
    let verdict = ken_guard::scan_without_secrets(text);
    for finding in verdict.findings.iter().filter(|f| f.severity.is_rejected()) {
        scan.tier = scan.tier.max(tier(finding.severity));
        scan.findings.push(found(finding, field, 0, length(text)));
    }
}

/// A finding as the ledger holds it.
fn found(finding: &Finding, field: &str, start: u32, end: u32) -> ScanHit {
    ScanHit {
        axis: finding.axis.word().to_owned(),
        rule: finding.rule.to_owned(),
        severity: tier(finding.severity),
        field: field.to_owned(),
        start,
        end,
    }
}

fn length(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

/// Everything an entry says, in the order in which it is read.
fn together(content: &Map<String, Value>) -> String {
    const FIRST: &[&str] =
        &["title", "name", "statement", "rule", "hypothesis", "description", "decision", "summary", "detail"];
    let mut said = String::new();
    let rest = content.keys().map(String::as_str).filter(|name| !FIRST.contains(name));
    for value in FIRST.iter().copied().chain(rest).filter_map(|name| content.get(name)) {
        gather(value, &mut said);
    }
    said
}

/// Where captures have prints of code.
const CAPTURED: [&str; 3] = ["captured.blob", "captured.print", "captured.parts"];

/// Whether a text is a print of code, as captures of anchors have them: digits that nobody is shown and nobody can read.
fn is_print(text: &str) -> bool {
    text.len() >= PRINT_DIGITS_MIN
        && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn gather(value: &Value, said: &mut String) {
    match value {
        Value::String(text) if is_print(text) => {}
        Value::String(text) if said.len() + text.len() < TOGETHER_BYTES_MAX => {
            said.push_str(&if text.contains(' ') { text.clone() } else { text.replace('_', " ") });
            said.push(' ');
        }
        Value::Array(members) => members.iter().for_each(|member| gather(member, said)),
        Value::Object(members) => members.values().for_each(|member| gather(member, said)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_secret(finding: &Finding) -> bool {
    finding.axis.is_secret()
}

/// Bytes of a text as characters, asked for in rising order.
struct Chars<'a> {
    text: &'a str,
    byte: usize,
    char: u32,
}

impl Chars<'_> {
    fn at(&mut self, byte: usize) -> u32 {
        if byte < self.byte {
            (self.byte, self.char) = (0, 0);
        }
        let between = self.text.get(self.byte..byte).unwrap_or_default();
        self.char += u32::try_from(between.chars().count()).unwrap_or(u32::MAX);
        self.byte = byte;
        self.char
    }
}

/// A tier of the scanner as the ledger holds it.
pub fn tier(tier: ken_guard::Tier) -> Tier {
    match tier {
        ken_guard::Tier::Safe => Tier::Safe,
        ken_guard::Tier::Low => Tier::Low,
        ken_guard::Tier::Medium => Tier::Medium,
        ken_guard::Tier::High => Tier::High,
        ken_guard::Tier::Critical => Tier::Critical,
    }
}

/// A scan that has seen nothing yet.
pub fn unsullied() -> Scan {
    Scan { scanner: SCANNER, ..Scan::default() }
}

/// Scans and redacts every text in a JSON object, names of fields included.
pub fn clean(content: &mut Map<String, Value>, scan: &mut Scan) {
    for (said, mut value) in std::mem::take(content) {
        let mut name = said.clone();
        // The name is clean before anything is named after it: findings say where they are.
        clean_text("name of a field", &mut name, scan);
        clean_value(&name, &said, &mut value, scan);
        content.insert(name, value);
    }
    if !scan.tier.is_rejected() {
        scan_orders("all of it together", &together(content), scan);
    }
}

/// Scans and redacts every text in a JSON value; `path` names it in findings, `name` is the word it stands under.
pub fn clean_value(path: &str, name: &str, value: &mut Value, scan: &mut Scan) {
    match value {
        Value::String(text) if is_print(text) && CAPTURED.iter().any(|end| path.ends_with(end)) => {}
        Value::String(text) => {
            clean_text(path, text, scan);
            if let Some(hidden) = named_secret(name, text) {
                scan.findings.push(hidden.0);
                scan.findings.last_mut().expect("it was just pushed").field = path.to_owned();
                scan.tier = scan.tier.max(Tier::Critical);
                *text = hidden.1;
            }
        }
        Value::Array(members) => {
            members.iter_mut().for_each(|member| clean_value(path, name, member, scan));
        }
        Value::Object(members) => {
            for (said, mut value) in std::mem::take(members) {
                let mut name = said.clone();
                clean_text(path, &mut name, scan);
                clean_value(&format!("{path}.{name}"), &said, &mut value, scan);
                members.insert(name, value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A value that only the name it stands under gives away: `{"db_password": "..."}`.
fn named_secret(name: &str, text: &str) -> Option<(ScanHit, String)> {
    const TELLING: &[&str] = &["pass", "pwd", "secret", "token", "key", "credential", "auth"];
    let lower = name.to_lowercase();
    if text.len() < 4 || !TELLING.iter().any(|word| lower.contains(word)) || text.contains("[REDACTED:") {
        return None;
    }
    if scanned::is_clean(name, text) {
        return None;
    }
    let said = format!("{name} = \"{}\"", text.replace('"', "'"));
    let Some(finding) = ken_guard::secrets::find(&said).into_iter().next() else {
        scanned::remember(name, text);
        return None;
    };
    let found = found(&finding, "", 0, length(text));
    Some((found, format!("[REDACTED:{}]", finding.rule)))
}

/// Cleans a text of which nothing but the text counts: a reason, a question, a name. What is kept out is refused.
pub fn clean_word(field: &str, text: &mut String) -> Result<()> {
    let mut scan = unsullied();
    clean_text(field, text, &mut scan);
    // A secret is taken out and the rest stands; an order to whoever reads it is no reason.
    let orders = scan
        .findings
        .iter()
        .any(|found| found.severity.is_rejected() && !found.axis.starts_with("credential"));
    if orders { Err(kept_out(field, &scan)) } else { Ok(()) }
}

/// The refusal of a text that is not an entry of its own and so has no place in the quarantine.
pub fn kept_out(field: &str, scan: &Scan) -> Error {
    Refusal::new(
        Code::Rejected,
        format!("{field} was rejected; the scan reports {}: {}", scan.tier.word(), scan.worst()),
    )
    .hint("reword it; `ken scan` shows what was found and why")
    .field(field)
    .into()
}

/// A question as it may be remembered: without secrets, and without orders to whoever reads it later.
pub fn recordable(query: &str) -> String {
    let mut text = query.to_owned();
    match clean_word("query", &mut text) {
        Ok(()) => text,
        Err(_) => "[hidden: the scan rejected this query]".to_owned(),
    }
}

/// Words of a judge as they are kept and shown: one line without secrets, and nothing of a text that gives orders to whoever reads it.
pub fn judge_words(text: &str) -> String {
    let mut text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match clean_word("reason", &mut text) {
        Ok(()) => ken_core::words::one_line(text.trim(), REASON_CHARS_MAX),
        Err(_) => "[hidden: the scan rejected these words]".to_owned(),
    }
}

/// A text without the values of secrets.
pub fn redacted_text(text: &str) -> String {
    ken_guard::redact(text).into_owned()
}

/// A value without the values of secrets: what is shown of events that may have come from anywhere.
pub fn redacted(mut value: Value) -> Value {
    redact_all("", &mut value);
    value
}

/// Values that were purged are secrets from now on, for every text of this process.
pub fn learn_purged(values: Vec<ken_guard::known::KnownValue>) {
    if ken_guard::known::learn(values) {
        scanned::forget();
    }
}

/// A text without the values of secrets, where it has any. What was looked at before is not looked at again.
pub(crate) fn without_secrets(text: &str) -> Option<String> {
    if text.len() < SECRET_BYTES_MIN || scanned::is_clean("", text) {
        return None;
    }
    let clean = match ken_guard::redact(text) {
        std::borrow::Cow::Borrowed(_) => None,
        std::borrow::Cow::Owned(clean) => Some(clean),
    };
    scanned::remember("", clean.as_deref().unwrap_or(text));
    clean
}

/// Takes the values of secrets out of every text of a value, names of fields included, and says whether there were any.
pub(crate) fn redact_all(name: &str, value: &mut Value) -> bool {
    match value {
        // Keys of entries, of which an exposure may list thousands.
        Value::String(text) if name == "entries" && text.len() == PRINT_DIGITS_MIN && is_print(text) => false,
        Value::String(text) => {
            let clean = without_secrets(text).or_else(|| named_secret(name, text).map(|(_, clean)| clean));
            let found = clean.is_some();
            *text = clean.unwrap_or_else(|| std::mem::take(text));
            found
        }
        Value::Array(members) => members.iter_mut().fold(false, |any, member| redact_all(name, member) | any),
        Value::Object(members) => {
            let mut any = false;
            for (said, mut value) in std::mem::take(members) {
                any |= redact_all(&said, &mut value);
                let clean = without_secrets(&said);
                any |= clean.is_some();
                members.insert(clean.unwrap_or(said), value);
            }
            any
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What this clone knows about where an entry's texts come from.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// All of them were written here, so they were scanned here.
    pub written_here: bool,
    /// The words that a person here let in, by their hash.
    pub released: BTreeSet<String>,
}

/// Judges an entry anew before it may be handed out: what came by git, or is older than the rules, was not scanned by them (IN-1).
pub fn look_again(entry: &mut Entry, trust: &Trust) {
    let seen = entry.scan.as_ref().is_some_and(|scan| scan.scanner == SCANNER);
    if trust.written_here && seen {
        return;
    }
    if entry.handle.as_deref().is_some_and(|handle| !is_handle(handle)) {
        entry.handle = None;
    }
    let word = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'_';
    if !entry.kind.word().bytes().all(word) || entry.kind.word().len() > KIND_BYTES_MAX {
        entry.kind = TypeName::Unknown("unknown".to_owned());
    }
    let mut clean = entry.clone();
    let scan = clean_entry(&mut clean);
    let released_here = !trust.released.is_empty() && trust.released.contains(&clean.words_hash());
    let secret = scan.findings.iter().any(|found| found.axis.starts_with("credential"));
    if secret {
        // Trust is earned for the words of the ledger; these are shown in their place.
        clean.ledger_words = Some(entry.trusted_words());
        *entry = clean;
    }
    // Whoever let it in elsewhere is a person of another clone: here it counts only where the rules have nothing to say.
    let found = scan.tier.is_rejected();
    if found && !released_here {
        let said = format!("the scan reports {}: {}", scan.tier.word(), scan.worst());
        let elsewhere = match entry.released.take() {
            Some(release) if is_harmless(&release.by) => {
                format!("; {} released it in another clone, and a person can release it here", release.by)
            }
            Some(_) => "; it was released in another clone, and a person can release it here".to_owned(),
            None => String::new(),
        };
        entry.keep_out(said + &elsewhere);
    }
    if !released_here {
        entry.released = None;
    }
    if entry.status == Status::Rejected {
        silence(entry);
    }
    entry.scan = match entry.scan.take() {
        // Of what was kept out elsewhere there is nothing left to scan: why it was is known from then.
        Some(then) if !found && entry.status == Status::Rejected => Some(told_elsewhere(then)),
        _ => Some(scan),
    };
}

/// A scan that another clone tells of: its words are a stranger's, too.
fn told_elsewhere(mut scan: Scan) -> Scan {
    let known = |found: &ScanHit| {
        ken_guard::Axis::ALL.iter().any(|axis| axis.word() == found.axis)
            && is_harmless(&found.rule)
            && is_harmless(&found.field)
    };
    scan.findings.retain(known);
    scan
}

/// Of what is kept out nothing is told that could be what it was kept out for.
fn silence(entry: &mut Entry) {
    entry.citations.retain(|citation| is_harmless(&citation.evidence_ref) && is_harmless(&citation.cited_by));
    entry.not_run.retain(|stage| is_harmless(stage));
    entry.fields.thread = entry.fields.thread.take().filter(|thread| is_harmless(thread));
    entry.given_id = entry.given_id.take().filter(|id| is_harmless(id.as_str()));
    if let Some(admission) = &mut entry.admission {
        admission.flags.retain(|flag| is_harmless(flag));
    }
    if !is_harmless(&entry.created_by) {
        entry.created_by = "[withheld]".to_owned();
    }
}

/// Whether a word may be shown of something that was kept out.
fn is_harmless(text: &str) -> bool {
    ken_guard::scan(text).findings.is_empty()
}

/// An entry without the values of secrets.
pub fn cleaned(mut entry: Entry) -> Entry {
    clean_entry(&mut entry);
    entry
}

/// What the rules of this version say of everything an entry says.
pub fn scan_entry(entry: &Entry) -> Scan {
    clean_entry(&mut entry.clone())
}

/// Scans every text of an entry and takes secrets out of it.
fn clean_entry(entry: &mut Entry) -> Scan {
    let mut scan = unsullied();
    if let Ok(Value::Object(mut fields)) = serde_json::to_value(&entry.fields) {
        clean(&mut fields, &mut scan);
        if !scan.findings.is_empty() {
            entry.fields = Fields::read(&Value::Object(fields));
        }
    }
    // Labels are in lower case by now, and some secrets are known by their capitals.
    for labels in [&mut entry.fields.tags, &mut entry.fields.domains] {
        labels.retain(|label| {
            let mut loud = label.as_str().to_uppercase();
            let secret = ken_guard::contains_secret(&loud);
            if secret {
                clean_text("tags", &mut loud, &mut scan);
            }
            !secret
        });
    }
    for mut wording in std::mem::take(&mut entry.wordings) {
        clean_text("wordings", &mut wording, &mut scan);
        entry.wordings.insert(wording);
    }
    for mut citation in std::mem::take(&mut entry.citations) {
        clean_text("provenance", &mut citation.evidence_ref, &mut scan);
        clean_text("provenance", &mut citation.cited_by, &mut scan);
        entry.citations.insert(citation);
    }
    let released = entry.released.iter_mut().flat_map(|release| [&mut release.by, &mut release.reason]);
    let judged = entry.admission.iter_mut().flat_map(|admission| &mut admission.flags);
    let told = entry.status_reason.iter_mut().chain([&mut entry.created_by]).chain(&mut entry.not_run);
    for word in told.chain(released).chain(judged) {
        clean_text("history", word, &mut scan);
    }
    if let Some(id) = &entry.given_id {
        let found = scan.findings.len();
        clean_text("id", &mut id.as_str().to_owned(), &mut scan);
        // A name cannot be taken out in part.
        if scan.findings.len() > found {
            entry.given_id = None;
        }
    }
    scan
}

/// Whether a short citation is one: a letter and digits of the key, whatever a line that came by git calls itself.
fn is_handle(handle: &str) -> bool {
    let digits = handle.get(2..).unwrap_or_default();
    handle.starts_with(|letter: char| letter.is_ascii_uppercase())
        && handle.get(1..2) == Some("-")
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Something that a text may not say in its scope.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Objection {
    pub field: String,
    pub rule: &'static str,
    /// What is wrong, with the words in question.
    pub why: String,
    /// What to write instead.
    pub ask: String,
}

/// IN-4: what a text may not say in its scope. A thread is part of its project.
pub fn objections(
    field: &str,
    text: &str,
    scope: Scope,
    names: &Names,
    repository: &dyn Repository,
) -> Vec<Objection> {
    out_of_scope(text, scope, names, repository)
        .into_iter()
        .map(|objection| Objection {
            field: field.to_owned(),
            rule: objection.rule,
            why: objection.why,
            ask: objection.ask,
        })
        .collect()
}

fn out_of_scope(
    text: &str,
    scope: Scope,
    names: &Names,
    repository: &dyn Repository,
) -> Vec<sanitize::Objection> {
    let reach = match scope {
        Scope::Thread | Scope::Project => sanitize::Scope::Project,
        Scope::Global => sanitize::Scope::Global,
    };
    let lists = sanitize::Lists {
        organisations: names.organisations.clone(),
        customers: names.customers.clone(),
        hosts: names.hosts.clone(),
    };
    let here = sanitize::Here {
        // What cannot be looked up gets no benefit of the doubt: the words stay here.
        is_path: &|path| repository.path(path) == Presence::Present,
        is_symbol: &|name| scope == Scope::Global && repository.symbol(name) != Presence::Absent,
    };
    sanitize::check(text, reach, &lists, &here)
}

/// What stands for words that a text may not hold in its scope.
const LEFT_OUT: &str = "[left out]";

/// IN-4 for what somebody else wrote: the words in question are left out, and the rest is kept. Says how many.
pub fn leave_out(content: &mut Map<String, Value>, names: &Names, repository: &dyn Repository) -> usize {
    let scope = scope_of(content);
    let mut count = 0;
    for field in SCOPED {
        let Some(Value::String(text)) = content.get_mut(*field) else { continue };
        let mut found = out_of_scope(text, scope, names, repository);
        found.sort_by_key(|objection| std::cmp::Reverse(objection.start));
        let mut from = text.len();
        for objection in found {
            if objection.end <= from && text.get(objection.start..objection.end).is_some() {
                text.replace_range(objection.start..objection.end, LEFT_OUT);
                (from, count) = (objection.start, count + 1);
            }
        }
    }
    count
}

/// The scope that an entry claims; `project` where it claims none.
fn scope_of(content: &Map<String, Value>) -> Scope {
    let scope = content.get("scope").and_then(Value::as_str).and_then(Scope::from_word);
    scope.unwrap_or(Scope::Project)
}

/// IN-4: whether all words of an entry fit its scope. If not, [`check_scope`] says which do not.
pub fn fits_scope(content: &Map<String, Value>, names: &Names, repository: &dyn Repository) -> bool {
    let scope = scope_of(content);
    let mut said = SCOPED.iter().filter_map(|field| content.get(*field)).filter_map(Value::as_str);
    said.all(|text| out_of_scope(text, scope, names, repository).is_empty())
}

/// Fields whose words must fit their scope.
const SCOPED: &[&str] =
    &["title", "statement", "summary", "detail", "description", "rule", "hypothesis", "decision"];

/// IN-4: refuses what an entry may not say in its scope, and names each place. Anchors may name this repository's places freely.
pub fn check_scope(
    fields: &Fields,
    names: &Names,
    repository: &dyn Repository,
) -> std::result::Result<(), Refusal> {
    let said = [
        ("title", &fields.title),
        ("statement", &fields.statement),
        ("summary", &fields.summary),
        ("detail", &fields.detail),
        ("description", &fields.description),
        ("rule", &fields.rule),
        ("hypothesis", &fields.hypothesis),
        ("decision", &fields.decision),
    ];
    let mut found: Vec<Objection> = Vec::new();
    for (field, text) in said.iter().filter_map(|(field, text)| Some((*field, text.as_deref()?))) {
        found.extend(objections(field, text, fields.scope(), names, repository));
    }
    let faults: Vec<Fault> = found
        .iter()
        .map(|objection| Fault {
            field: objection.field.clone(),
            problem: format!("{} ({}); {}", objection.why, objection.rule, objection.ask),
        })
        .collect();
    match Refusal::from_faults(Code::OutOfScope, faults) {
        None => Ok(()),
        Some(refusal) => {
            Err(match fields.scope() {
                Scope::Global => refusal
                    .hint("reword it so that it holds in every repository, or add it with --scope project"),
                Scope::Thread | Scope::Project => refusal
                    .hint("use general words; the name lists are in the `guard` settings of `ken config`"),
            })
        }
    }
}

/// IN-7: refuses what says nothing worth keeping.
pub fn check_noise(fields: &Fields) -> std::result::Result<(), Refusal> {
    match ken_guard::noise::noise(&fields.statement()) {
        None => Ok(()),
        Some((code, why)) => Err(Refusal::new(Code::Noise, format!("it is noise ({code}): {why}"))
            .hint("write what others can act on: what to do, when, and why")
            .field("statement")),
    }
}
