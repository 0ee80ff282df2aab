//! Whether extracted text is worth keeping at all: no trouble of the machine it ran on, no advice that fits everything (IN-7).

use ken_language::{WordList, split};

use crate::limits::noise::{GENERALITY_WORDS_MAX, LONG_BYTES_MIN};

/// Says why extracted text is noise: a reason code and a sentence. Only for text that a machine took out of a session; what somebody
/// writes down deliberately is not judged here.
pub fn noise(text: &str) -> Option<(&'static str, &'static str)> {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    if lower.len() > LONG_BYTES_MIN {
        return None;
    }
    if is_environment(&lower) {
        return Some((
            "environment",
            "it tells of trouble with the machine it ran on, and not what to do about it",
        ));
    }
    if is_generality(&lower) {
        return Some(("generality", "it fits every project; say what is particular here"));
    }
    None
}

/// Signs of trouble with a machine, a network, a sandbox.
static TROUBLE: WordList = WordList::new(include_str!("../words/noise/trouble.txt"));

/// Words that lessons use as well; they are trouble only in a report of what happened.
static TOPICS: WordList = WordList::new(include_str!("../words/noise/topics.txt"));

/// Words of such a report.
static HAPPENED: WordList = WordList::new(include_str!("../words/noise/happened.txt"));

/// Words that tie a text to one session.
static SESSION: WordList = WordList::new(include_str!("../words/noise/session.txt"));

/// Words that begin what to do.
static ORDERS: WordList = WordList::new(include_str!("../words/noise/orders.txt"));

/// Words that make a rule of it, wherever they stand.
static RULES: WordList = WordList::new(include_str!("../words/noise/rules.txt"));

/// Words that give a cause.
static CAUSES: WordList = WordList::new(include_str!("../words/noise/causes.txt"));

fn is_environment(lower: &str) -> bool {
    let spaced = format!(" {} ", lower.replace(['.', ',', ';', ':', '!', '`', '"', '(', ')', '\n'], " "));
    let bound = SESSION
        .iter()
        .any(|words| spaced.contains(&format!(" {words}")) || (words.len() > 6 && lower.contains(words)));
    let happened = bound || HAPPENED.iter().any(|words| spaced.contains(words));
    let trouble = TROUBLE.iter().any(|sign| lower.contains(sign))
        || (happened && TOPICS.iter().any(|sign| lower.contains(sign)));
    if !trouble {
        return false;
    }
    let rule = RULES.iter().any(|words| spaced.contains(words) || lower.contains(words));
    let order = clauses(lower).any(|clause| {
        let mut words = clause.split_whitespace().map(|word| word.trim_matches(['`', '*', '-', '"', '\'']));
        let first = words.find(|word| {
            !word.is_empty() && !matches!(*word, "and" | "then" | "so" | "or" | "please" | "to")
        });
        first.is_some_and(|word| ORDERS.contains(word)) && clause.split_whitespace().count() >= 2
    });
    if bound {
        return !(rule || order);
    }
    // What is said of a kind of thing, in the present, is no report: workers are restarted, a refusal is normal.
    let general = [" is normal", " is expected", " are expected"].iter().any(|words| spaced.contains(words))
        || (spaced.contains(" are ")
            && ![" are not ", " are missing", " are unavailable"].iter().any(|words| spaced.contains(words)));
    if general {
        return false;
    }
    let cause = CAUSES.iter().any(|words| spaced.contains(words));
    // A cause needs room: an error message has a `when` as well.
    let roomy =
        lower.split_whitespace().count() >= 12 || spaced.contains(" unless ") || spaced.contains(" means ");
    !(rule || order || (cause && roomy))
}

fn clauses(lower: &str) -> impl Iterator<Item = &str> {
    lower
        .split(['.', ';', ':', ',', '!', '\n', '—', '–', '('])
        .flat_map(|part| part.split(" - "))
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

fn is_generality(lower: &str) -> bool {
    if lower.contains(['`', '/', '_', '=', '<', '{', '#']) || lower.chars().any(|c| c.is_ascii_digit()) {
        return false;
    }
    let words: Vec<&str> = split::words(lower, &['\'']).collect();
    let content: Vec<&str> = words.iter().copied().filter(|word| !SMALL.contains(word)).collect();
    if content.is_empty() || content.len() > GENERALITY_WORDS_MAX {
        return false;
    }
    let known = |list: &WordList, word: &str| {
        list.contains(word)
            || ["s", "es", "d", "ed", "ing", "ly"].iter().any(|ending| {
                word.strip_suffix(ending)
                    .is_some_and(|stem| list.contains(stem) || list.contains(format!("{stem}e").as_str()))
            })
    };
    let vague = content.iter().any(|word| known(&VAGUE, word));
    vague && content.iter().all(|word| known(&VAGUE, word) || known(&COMMON, word))
}

static SMALL: WordList = WordList::new(include_str!("../words/noise/small.txt"));

/// Words of praise and of warning without an object.
static VAGUE: WordList = WordList::new(include_str!("../words/noise/vague.txt"));

/// Words that any project has.
static COMMON: WordList = WordList::new(include_str!("../words/noise/common.txt"));

#[cfg(test)]
mod tests {
    use super::*;

    const ENVIRONMENT: &[&str] = &[
        "bash: rg: command not found",
        "The command `jq` was not found, so I used python. command not found",
        "Permission denied while writing to the output folder.",
        "pytest is not installed in this environment.",
        "I could not run the tests because docker is not available in the sandbox.",
        "No such file or directory: config.yaml",
        "Network is unreachable, dependencies could not be downloaded.",
        "The sandbox has no network access, so the install was skipped.",
        "The request timed out after 120 seconds.",
        "Hit the rate limit of the API; try again later.",
        "429 Too Many Requests from the model provider.",
        "npm ERR! EACCES: permission denied, mkdir",
        "The docker daemon is not running on this machine.",
        "ModuleNotFoundError: No module named requests",
        "git: not a git repository (or any of the parent directories)",
        "We were unable to reach the registry, connection refused.",
        "The tool call failed with exit code 127.",
        "Could not resolve host: github.com",
        "The build was killed, out of memory.",
        "No space left on device.",
        "The environment has no GPU, skipping the benchmark: no gpu",
        "node is not recognized as an internal or external command",
        "cargo is not installed in this container, could not compile.",
        "Operation not permitted when changing the owner.",
        "The API key was not set in this session.",
        "Service unavailable, the model was overloaded.",
        "I'm in a read-only file system and couldn't save the file.",
        "The request to the provider failed with a timeout.",
        "Got 429 from the search tool.",
        "The context window was exceeded.",
        "curl was not available here, so wget was tried.",
        "Access denied: the agent's user has no rights in this container.",
        "Web search is unavailable in this session.",
        "The linter is missing in this environment.",
        "EPERM: operation not permitted, unlink",
        "apt: unable to locate package ripgrep",
    ];

    const GENERAL: &[&str] = &[
        "Write clean code.",
        "Be careful.",
        "Test thoroughly before deploying.",
        "Always follow best practices.",
        "Handle errors properly.",
        "Keep the code readable and maintainable.",
        "Think before you code.",
        "Use meaningful variable names.",
        "Make sure to consider edge cases.",
        "Good documentation is important.",
        "Pay attention to details.",
        "Double-check your work.",
        "Performance matters.",
        "Security is important and should be considered.",
        "Plan carefully before starting the implementation.",
        "Communicate clearly with the team.",
        "Good tests are essential for quality.",
        "It is important to understand the requirements first.",
        "Write clear commit messages.",
        "Refactor carefully and test well.",
    ];

    const LESSONS: &[&str] = &[
        "`permission denied` on the socket means that the service user is not in the docker group; add it and log in again.",
        "Set a timeout on every call to the ledger, otherwise one slow shard blocks the pool.",
        "When the importer says `no such file or directory`, the volume was mounted after the pod started; mount it in an init container.",
        "The rate limit of the partner API is 100 calls per minute, so batch the lookups.",
        "429 answers of the geocoder must be retried with the delay of the Retry-After header.",
        "Connection refused right after a deploy is caused by the readiness probe; raise initialDelaySeconds.",
        "Run the tests with network access disabled: the client falls back to a stub.",
        "The sandbox of the plugin host blocks `fork`, use threads instead.",
        "`command not found` in CI happens when the image is built without the tools layer; add it to the Dockerfile.",
        "Timeouts of the queue must be shorter than the lease, or two workers take the same job.",
        "Out of memory in the bundler goes away with `--max-old-space-size=4096`.",
        "EACCES on the cache folder comes from running the first build as root; chown it once.",
        "The offline mode keeps writes in IndexedDB until the sync worker confirms them.",
        "Quota errors of the bucket are retried by the client and must not be logged as failures.",
        "If the migration timed out, its lock is still held: release it with `unlock --force`.",
        "A connection reset during upload means that the proxy limits the body to 10 MB.",
        "Unavailable replicas are skipped by the router unless `strict_reads` is on.",
        "Use retries with jitter when the mailer is unavailable.",
        "Never swallow a timeout in the payment adapter; the customer would be charged twice.",
        "Certificate verify failed on macOS: run the script that installs the root certificates.",
        "Squash merges only.",
        "Money is stored in cents.",
        "Keep handlers below 40 lines.",
        "Use `thiserror` in libraries and `anyhow` in binaries.",
        "Run the formatter before the linter.",
        "The ledger is append only.",
        "Write migrations so that the old version of the service still works.",
        "Tests of the scheduler use the fake clock.",
        "Prefer composition to inheritance in the widget tree.",
        "Snapshots are reviewed like code.",
        "Feature flags expire after 90 days.",
        "Log the request id with every error.",
        "Never hold the registry lock across an await.",
        "Errors cross the boundary as values, not as exceptions.",
        "Every public endpoint needs an idempotency key.",
        "Deploy on weekdays only.",
        "The order service owns the price.",
        "Drain the queue before shutdown.",
        "Commit messages use the imperative mood.",
        "Rebase, do not merge, feature branches.",
        "The cache key contains the tenant.",
        "Do not mock the database in integration tests.",
        "Validate input at the boundary, trust it inside.",
        "Time is passed in, never read from the wall.",
        "Retry only idempotent calls.",
        "Comments say why.",
        "Run `just check` before pushing.",
        "The parser is hand written because error messages matter more than speed.",
        "Golden files are regenerated with `UPDATE=1`.",
        "Two approvals for schema changes.",
        "Names of tests are sentences.",
        "Vacuum after bulk deletes.",
        "Dates on the wire are ISO 8601.",
        "Close the response body even when the status is an error.",
        "Keep the public surface of the crate small.",
        "Metrics have units in their names.",
        "Slow tests carry the `slow` tag.",
        "The web client retries reads, never writes.",
        "A missing index on the foreign key made deletes slow.",
        "Optimistic locking beats row locks for carts.",
        "The importer treats an empty cell as null.",
        "Review the generated SQL of each new query.",
        "Avoid clever macros in the public API.",
        "The build is not available on Windows because of symlinks in the fixtures.",
        "Override the default timeout with --timeout; the config file is ignored then.",
        "The rate limiter counts per tenant.",
        "Offline edits win over server edits in the merge.",
        "Quota is charged per project, not per user.",
        "A sandbox account exists for each partner.",
        "Unreachable code in the match is a compile error here.",
        "The timeout of the proxy is 30 s, the one of the app 25 s.",
        "Access denied answers carry no body.",
        "The healthcheck times out after 5 s and the pod is replaced.",
        "Workers that ran out of memory are restarted with half the batch size.",
        "Lambda kills the function at 15 minutes: split the export into pages.",
        "A read-only file system in the container means temp files go to the mounted volume.",
        "Docker builds on ARM take the slow path because the wheel is not available for it.",
        "Name resolution in the cluster is cached for 30 s, so failover takes that long.",
        "The linter is not installed by default; `make tools` brings it.",
        "`cannot find module` after a rename is caused by the stale build cache; delete `.next`.",
        "Connection refused in the first seconds of the tests is normal, the fixture waits for the port.",
        "Certificates of the test server are self signed; pass the bundle with `--cacert`.",
        "The seed script skips rows whose parent is unavailable.",
        "ENOENT from the watcher is expected after a rename, treat it as a delete.",
    ];

    #[test]
    fn noise_is_refused_with_its_reason() {
        assert!(ENVIRONMENT.len() + GENERAL.len() >= 40);
        let wrong: Vec<_> = ENVIRONMENT
            .iter()
            .map(|text| (text, "environment"))
            .chain(GENERAL.iter().map(|text| (text, "generality")))
            .filter(|(text, code)| noise(text).map(|(code, _)| code) != Some(code))
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn lessons_pass() {
        assert!(LESSONS.len() >= 60);
        let wrong: Vec<_> = LESSONS.iter().filter_map(|text| noise(text).map(|why| (text, why))).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
