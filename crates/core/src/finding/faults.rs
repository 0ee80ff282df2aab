//! The faults that reviewers find again and again, and the words they use for each.
//!
//! Two people call one fault by different words (`deadline`, `timeout`), and two faults at one line share most of the others. A text is
//! looked through for these; what it has in its title is what it is about.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// The faults that a text speaks of, by their number in [`FAULTS`].
pub(super) fn faults_in(text: &str) -> BTreeSet<usize> {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\'' | '\u{2019}' => {}
            c if c.is_alphanumeric() || matches!(c, '%' | '.' | '_' | '+' | '/' | '^' | '=') => {
                plain.extend(c.to_lowercase())
            }
            _ => plain.push(' '),
        }
    }
    let words: Vec<&str> =
        plain.split(' ').map(|word| word.trim_end_matches('.')).filter(|word| !word.is_empty()).collect();
    let mut found = BTreeSet::new();
    for at in 0..words.len() {
        let Some(phrases) = phrases().get(&beginning(words[at])) else { continue };
        found.extend(
            phrases.iter().filter(|phrase| phrase.stands_in(&words[at..])).map(|phrase| phrase.fault),
        );
    }
    found
}

/// Words that tell a fault.
struct Phrase {
    words: Vec<&'static str>,
    /// Whether the last word may have any ending.
    open: bool,
    fault: usize,
}

impl Phrase {
    fn stands_in(&self, words: &[&str]) -> bool {
        let last = self.words.len() - 1;
        words.len() > last
            && self.words.iter().zip(words).enumerate().all(|(at, (own, word))| {
                if at == last && self.open { word.starts_with(own) } else { word == own }
            })
    }
}

/// Phrases by the beginning of their first word.
fn phrases() -> &'static HashMap<[u8; 2], Vec<Phrase>> {
    static PHRASES: LazyLock<HashMap<[u8; 2], Vec<Phrase>>> = LazyLock::new(|| {
        let mut phrases: HashMap<[u8; 2], Vec<Phrase>> = HashMap::new();
        for (fault, (_, list)) in FAULTS.iter().enumerate() {
            for phrase in list.split(", ") {
                let words: Vec<&str> = phrase.trim_end_matches('*').split(' ').collect();
                let phrase = Phrase { open: phrase.ends_with('*'), fault, words };
                phrases.entry(beginning(phrase.words[0])).or_default().push(phrase);
            }
        }
        phrases
    });
    &PHRASES
}

fn beginning(word: &str) -> [u8; 2] {
    let bytes = word.as_bytes();
    [bytes.first().copied().unwrap_or_default(), bytes.get(1).copied().unwrap_or_default()]
}

/// What a fault is called.
pub(super) fn name(fault: usize) -> &'static str {
    FAULTS[fault].0
}

/// Each fault with its words; a star stands for any ending. Order has no meaning.
const FAULTS: &[(&str, &str)] = &[
    ("timeout", "timeout*, timed out, times out, deadline*, waits for ever, wait for ever, waits forever"),
    (
        "cancellation",
        "cancel*, abort*, goes away, went away, ctx.err*, ctx.done*, abortcontroller, disconnect*, unmount*",
    ),
    (
        "resource leak",
        "not closed, never closed, isnt closed, unclosed, close the, .close*, leak, leaks, leaked, leaking, not released, never released, never freed, not freed, must be freed, defer close, file descriptor*",
    ),
    (
        "ignored error",
        "swallow*, error is ignored, errors are ignored, ignores the error, ignored error*, unchecked error*, err is not checked, empty catch, silently dropped, return value is ignored, rows.err*, discards the error, error is dropped, not propagated",
    ),
    ("error chain", "%w, errors.is, errors.as, error chain, original error, root cause, wrapped without"),
    ("error message", "error message*, does not say which, unhelpful message, vague message"),
    (
        "logging",
        "logged, logs the, logging, traceback, stack trace*, logger.*, not logged, log level, written to the log",
    ),
    (
        "race",
        "race, races, racy, race condition*, data race*, concurrent*, lost update*, read modify write, overwrite each other, at the same time, stale response, toctou, not atomic, not thread safe, unsynchronised, unsynchronized",
    ),
    ("deadlock", "deadlock*, lock order*, lock inversion"),
    (
        "lock over await",
        "across await, across an .await, await point, over an await, .await, while awaiting, guard held, mutexguard, holds the lock, lock guard*, held across",
    ),
    ("closed channel", "closed channel, send on closed, sending on a closed"),
    ("panic", "panic*, unwrap*, expect on, catch_unwind"),
    (
        "overflow",
        "overflow*, wraps around, can wrap, wraps, wrap around, checked_add, saturating, integer arithmetic, underflow*",
    ),
    ("off by one", "off by one, fencepost, boundary condition*"),
    (
        "null",
        "null pointer*, nil pointer*, none type, nonetype, is null, undefined is not, dereferenc*, null check, non null",
    ),
    (
        "character boundary",
        "char boundary, multi byte, multibyte, byte offset, byte slic*, utf 8, utf8, non ascii, surrogate*",
    ),
    ("encoding", "endian*, charset, character set, code page"),
    (
        "sql injection",
        "sql injection, injection in, bound parameter*, prepared statement*, parameterised, parameterized, interpolat*, f string, string formatting, concatenated into the sql, built from user input, % formatting",
    ),
    ("like wildcard", "wildcard*, like pattern*"),
    (
        "command injection",
        "command injection, shell injection, shell=true, shell true, os.system, eval of, arbitrary command*",
    ),
    (
        "code execution",
        "pickle*, deserialis*, deserializ*, arbitrary code, code execution, yaml.load, unsafe load",
    ),
    (
        "cross-site scripting",
        "xss, cross site scripting, innerhtml, dangerouslysetinnerhtml, unescaped, template.html*, raw html, html injection, not escaped, sanitis*, sanitiz*",
    ),
    ("request forgery", "csrf, samesite, cross site request, ssrf"),
    ("path traversal", "traversal, ../*, absolute path*, outside of the folder, zip slip"),
    ("timing attack", "constant time, timing, side channel*, constanttimecompare, bytes.equal"),
    (
        "stored secret",
        "plaintext, plain text, clear text, cleartext, hard coded credential*, hardcoded credential*, hard coded password*, committed password*, secrets in, password committed, checked in, in git, leaked credential*, leaked api key*, leaked key*, credential in, credentials in, secret store, credentials belong",
    ),
    ("weak hash", "md5, sha1, bcrypt, work factor, gensalt, argon2, weak hash, password hash*"),
    ("token storage", "localstorage, sessionstorage, httponly"),
    ("expiry", "expiry, expire*, expires, ttl, not refreshed, token refresh, never expire*"),
    ("encryption", "encrypt*, kms, at rest"),
    ("tls", "tlsv1*, ssl_protocols, tls version*, obsolete tls"),
    (
        "certificate",
        "verify=false, verify false, any certificate, certificate check*, insecureskipverify, tls verification",
    ),
    ("cipher", "cipher*, rc4, 3des"),
    (
        "rate limit",
        "rate limit*, rate limiting, brute force, password guessing, throttl* of requests, attempts per",
    ),
    (
        "access control",
        "authoris*, authoriz*, permission*, privilege*, access control, idor, write all, other users data",
    ),
    (
        "public exposure",
        "public read, publicly, public bucket, public access, 0.0.0.0/0, open to the world, open to the internet, reachable from anywhere, from anywhere",
    ),
    ("run as root", "as root, runasnonroot"),
    (
        "validation",
        "validat*, not validated, unvalidated, negative quantit*, negative amount*, out of range, accepts negative, accepts zero, input check*",
    ),
    (
        "double execution",
        "idempoten*, double charge*, charged twice, charge twice, double submit*, double click*, twice, duplicate request*, duplicate order*",
    ),
    ("acknowledgement", "ack, acks, acked, acking, acknowledg*, d.ack"),
    ("requeue", "requeue*, dead letter*, poison message*, nack*"),
    ("lost data", "message is lost, messages lost, loses messages, lost message*, data loss, loses data"),
    (
        "retry",
        "not retried, retries are not limited, retries for ever, retry limit*, give up after, retried without",
    ),
    ("jitter", "jitter, thundering herd, randomise the delay, randomize the delay"),
    (
        "unbounded growth",
        "unbounded, back pressure, backpressure, grows without, memory grows, no upper bound",
    ),
    ("capacity", "capacity, unbuffered, buffer size"),
    ("quadratic time", "quadratic, o n 2, o n^2, nested scan, nested loop*, n^2, linear search in a loop"),
    (
        "query per row",
        "n+1, n + 1, query for each, query per, one query per, lazy load*, selectinload, prefetch, eager load*, joinedload, dataloader",
    ),
    (
        "full scan",
        "full scan*, scans the whole, scan the whole, table scan*, seq scan*, without an index, missing index, unindexed, no index, lacks an index",
    ),
    ("selectivity", "selective, selectivity, partial index"),
    (
        "event loop",
        "event loop, blocking call, synchronous requests, synchronous work, blocks the loop, blocking the executor",
    ),
    ("allocation", "allocat*, clone, clones, cloned, cloning, copies of the string"),
    (
        "durability",
        "fsync*, synced, sync the, syncing the, not synced, power cut, power loss, power failure, durab*, sync_all",
    ),
    ("temporary file", "temporary file*, .tmp, tmp file*, left behind"),
    ("transaction", "transaction, half written, partial write*, all or nothing"),
    (
        "lock by migration",
        "concurrently, blocks writes, block writes, locks the table, access exclusive, exclusive lock, rewrites the table, rewrites the whole, rewrites all rows, table rewrite",
    ),
    ("batch", "in batches, unbatched, batch limit, mass delete, in one transaction, backfill*, batch size"),
    ("null in subquery", "not in, not exists"),
    (
        "nondeterminism",
        "random_state, seed, seeds, hashmap iteration, random order, no particular order, order by, iteration order, nondetermin*, non determin*, differ from run to run",
    ),
    ("stratified split", "stratif*"),
    (
        "data leakage",
        "data leakage, leaks the test, test set leaks, leaks into, leaks test, before train_test_split, before the split",
    ),
    (
        "money as float",
        "floating point, as floats, float arithmetic, as a float, is a float, rounding, cents as integers, price as float, decimal instead",
    ),
    ("time zone", "timezone*, time zone*, utcnow*, naive, tzinfo, aware value*, local time instead"),
    ("daylight saving", "daylight, dst"),
    (
        "mutable default",
        "mutable default, default argument, default list, default dict, shared by all calls, shared across calls, shared between calls",
    ),
    (
        "loop capture",
        "loop variable*, captures the loop, range variable*, closure captures, captured in the closure",
    ),
    ("in place change", "in place, side effect*, mutates the"),
    (
        "bare except",
        "bare except, except without, keyboardinterrupt, systemexit, cancellederror, catches everything, catch all",
    ),
    (
        "missing await",
        "not awaited, without await, missing await, floating promise*, unhandled rejection*, unawaited, never awaited",
    ),
    ("effect dependencies", "dependency array, missing dependency, exhaustive deps, stale closure*"),
    ("list keys", "index as key, as key, react key*"),
    ("parallelism", "promise.all, in parallel, sequential await*, one after the other"),
    ("detached task", "detached, joinhandle, fire and forget"),
    (
        "strict types",
        "strict mode, strict true, strict false, strict is, strictness, noimplicitany, skiplibcheck, any type",
    ),
    (
        "unknown fields",
        "deny_unknown_fields, unknown field*, unknown key*, unknown configuration*, mistyped key*, misspelled key*, typos in",
    ),
    ("focus", "focus"),
    ("contrast", "contrast, wcag aa"),
    ("screen reader", "aria*, screen reader*, alt text, label for"),
    ("colour alone", "colour alone, color alone"),
    ("form state", "loses its values, loses input"),
    (
        "pinning",
        "pin, pins, pinned, pinning, unpinned, digest, movable tag, by tag, commit hash, commit sha, lock the version, floating version",
    ),
    (
        "out of date",
        "deprecat*, out of support, end of life, out of date, outdated version, known cve*, known vulnerab*, vulnerable",
    ),
    ("untrusted build", "pull_request_target, untrusted code, untrusted checkout, fork code"),
    ("printed secret", "secrets are printed, masked in"),
    ("exit status", "pipefail, exit status, exit code, failures are masked"),
    ("cache key", "cache key*, lock file, checksum of the lock, restore_cache"),
    (
        "fixed sleep",
        "fixed sleep*, hard coded sleep*, waitfortimeout*, sleeps instead, time.sleep, thread.sleep, sleep of, sleep in",
    ),
    ("selectors", "css class*, selectors, test id*"),
    ("static linking", "openssl, native tls, rustls, static build*, static link*, musl"),
    (
        "memory limit",
        "memory limit*, resources.limits*, limits.memory, requests and limits, oom kill*, mem limit",
    ),
    ("cpu limit", "cpu limit*, limits.cpu, throttles"),
    ("liveness", "liveness"),
    ("readiness", "readiness"),
    ("alerting", "pages on, paging on, page on, alert on, user visible symptom*"),
    ("runbook", "runbook*"),
    ("backup restore", "restore drill, never restored, restore of backups, untested backup*"),
    ("retention", "never removed, retention, never dropped"),
    ("versioning", "no versioning, has no versioning, bucket versioning"),
    ("rollback", "rollback*, roll back, rolling back, way back, going back, down migration"),
    ("measurable requirement", "measurable, acceptance criteria, vague"),
    ("dead example", "does not compile, code sample*, outdated example*, not executed"),
    (
        "install steps",
        "install steps, prerequisite*, installation section, install instructions, system packages",
    ),
    ("alternatives", "alternatives, rejected option*"),
    ("ownership", "no owner, has no owner"),
    ("sign-up friction", "before any value, first value, required fields, sign up form, signup form"),
    ("cardinality", "cardinality, time series, metric label"),
    ("personal data", "personal data, gdpr, pii"),
    (
        "debug mode",
        "debug = true, debug mode, debug on, debug must, debug enabled, django_debug*, debug true",
    ),
    ("allowed hosts", "allowed_hosts, host header"),
    ("denial of service", "rapid reset, denial of service, redos, zip bomb*"),
    ("ffi", "ffi, extern c, into c, c caller, unwind into"),
    ("duplicate", "duplicate code, copy and paste, copied code, duplicated logic"),
    ("hard-coded value", "hard coded, hardcoded, magic number*, should be a setting, make it configurable"),
    ("dead code", "unused, not used any more, no longer imported, dead code, never called"),
    ("test coverage", "no tests, untested branch*, test coverage, without coverage, missing test*"),
    ("naming", "misleading name*, naming, rename the, badly named"),
    ("partitions", "partition*"),
    ("focus trap", "trapped, focus trap"),
];
