//! What may not be kept although it is no attack: names of places, hosts and people that belong to somebody (IN-4).

use ken_language::{WordList, split};

use crate::limits::sanitize::{QUOTED_CHARS_MAX, SHORT_SENTENCE_BYTES_MAX};

/// How far a text will reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// This repository, or one line of work in it.
    Project,
    Global,
}

/// Words that somebody does not want to see kept. Whole words, in whatever letter case; `*` stands for the rest of a word.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// `guard.organisations`
    pub organisations: Vec<String>,
    /// `guard.customers`
    pub customers: Vec<String>,
    /// `guard.hosts`: hosts that may be named although they look internal.
    pub hosts: Vec<String>,
}

/// What is known of the repository at hand.
pub struct Here<'a> {
    /// Whether it has a file or a folder of this name.
    pub is_path: &'a dyn Fn(&str) -> bool,
    /// Whether its code defines this name.
    pub is_symbol: &'a dyn Fn(&str) -> bool,
}

/// Something that may not be kept, in bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The rule, by its id.
    pub rule: &'static str,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What is wrong, with the words in question.
    pub why: String,
    /// What to write instead.
    pub ask: String,
}

/// What may not be kept of a text.
pub fn check(text: &str, scope: Scope, lists: &Lists, here: &Here<'_>) -> Vec<Objection> {
    let words = words(text);
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| !word.is_plain()) {
        let look = Look { text, word, before: &words[..at], lists, here };
        let rule = RULES
            .iter()
            .filter(|rule| scope == Scope::Global || rule.reach == Reach::Everywhere)
            .find(|rule| (rule.look)(&look));
        if let Some(rule) = rule {
            found.push(rule.objection(word.start, word.end, word.text));
        }
    }
    listed(text, &ORGANISATION, &lists.organisations, &mut found);
    listed(text, &CUSTOMER, &lists.customers, &mut found);
    for (start, end) in exploits(text) {
        found.push(EXPLOIT.objection(start, end, &text[start..end]));
    }
    if is_only_a_reference(&words, here) {
        found.push(REFERENCE.objection(0, text.len(), text.trim()));
    }
    found.sort_by_key(|objection| (objection.start, objection.end));
    found
}

/// Where a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Everywhere,
    GlobalOnly,
}

struct Rule {
    id: &'static str,
    reach: Reach,
    what: &'static str,
    ask: &'static str,
    look: fn(&Look<'_>) -> bool,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are the rule's tests"))]
    hits: &'static [&'static str],
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are the rule's tests"))]
    misses: &'static [&'static str],
}

impl Rule {
    fn objection(&self, start: usize, end: usize, text: &str) -> Objection {
        // What objects to a text is printed and kept where the text is not.
        let quoted: String = crate::redact(text).chars().take(QUOTED_CHARS_MAX).collect();
        Objection {
            rule: self.id,
            start,
            end,
            why: format!("`{quoted}` {}", self.what),
            ask: self.ask.to_owned(),
        }
    }
}

/// A word, and what a rule may look at beside it.
struct Look<'a> {
    text: &'a str,
    word: &'a Word<'a>,
    before: &'a [Word<'a>],
    lists: &'a Lists,
    here: &'a Here<'a>,
}

struct Word<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    code: bool,
}

impl Word<'_> {
    /// Letters alone, outside of code: no rule finds anything in those, and most words are.
    fn is_plain(&self) -> bool {
        !self.code && self.text.chars().all(char::is_alphabetic)
    }
}

const NOTHING: fn(&Look<'_>) -> bool = |_| false;

const RULES: &[Rule] = &[
    Rule {
        id: "absolute-path",
        reach: Reach::Everywhere,
        what: "is a place on somebody's machine",
        ask: "name it relative to the repository, or say what kind of place it is",
        look: |look| is_own_place(look.word.text),
        hits: &[
            "The fixtures are in /home/mira/src/shop/fixtures.",
            "Look at /Users/jonas/dev/app.py first",
            r"Built from C:\Users\mira\shop\build.ps1",
            "see file:///home/mira/notes.md",
            "my notes in ~/projects/shop/notes.txt",
            r"copied from \\files01\teams\shop",
            r"\\files\notes holds them",
            "the key in /home/deploy/run.sh",
            "copied from /home/alice/shop-tools/src/main.rs",
            r"C:\Users\bob\shop\cart.cs",
            "/srv/repos/ledger/app.py has it",
            "/mnt/teams/checkouts/ledger/build.gradle is stale",
        ],
        misses: &[
            "Edit /etc/hosts, never /usr/bin/env or /dev/null.",
            "POST /api/v2/orders answers 201",
            "Write to /tmp/out.log",
            "put it into ~/.config/app.toml or ~/.ssh/config",
            "replace /home/user/app and /path/to/file",
            r"C:\Windows\System32\drivers",
            "and/or, src/lib.rs, 1/2",
            "/home/<name>/.cache and /home/$USER/bin",
            "call /gsd:plan or //comment",
            "/srv/www/html, /mnt/data and /opt/homebrew/bin/python3",
            "GET /projects/42/app.json, /src/main.rs and /code",
            r#"hline_text = "\\hline\n""#,
            r"x & y \\hline\textbf{sum} & 3",
        ],
    },
    Rule {
        id: "other-repository",
        reach: Reach::Everywhere,
        what: "is a path into another repository",
        ask: "name the other project's part in words, or cite a public address",
        look: |look| is_outside(look.word.text, look.here),
        hits: &[
            "The schema is in ../billing-service/schema/orders.sql.",
            "copy ../../infra-live/envs/eu.tf",
            "Read ../ledger/src/main.rs for it",
            "as in ../ledger/Cargo.toml",
        ],
        misses: &[
            "import from ../utils/format",
            "import from ../cart/total and ../shared/src/x.ts",
            "cd ..",
            "../src/main.rs",
            "1..2 and a...b",
            "[guide](../docs/guide.md)",
        ],
    },
    Rule {
        id: "internal-host",
        reach: Reach::Everywhere,
        what: "is a host that only exists inside an organisation",
        ask: "say what the host is for, not what it is called",
        look: |look| !is_attribute(look) && is_internal_host(look.word.text, look.lists),
        hits: &[
            "Ask https://git.acme.corp/login for it",
            "db-3.prod.internal is slow",
            "http://orders.shop.svc.cluster.local:8080/health",
            "http://wiki.lan/page",
            "https://intranet/handbook",
            "curl http://jenkins:8080/job/x",
            "postgres://app@ledger-db:5432/main",
            "build7.internal is full",
            "jenkins.corp builds it, or jenkins.corp:8080/job/x",
            "mail ops@git.ledger.lan",
            "https://jira.ledgerworks.com/browse/LW-1",
            "written up in wiki.ledgerworks.io/deploys",
            "host = wiki.lan",
            "ask wiki.lan (the old one), see connect(\"wiki.lan\")",
        ],
        misses: &[
            "https://github.com/rust-lang/rust and http://localhost:3000/x",
            "http://example.com:8080, https://api.example.test/x",
            "host.docker.internal reaches the host",
            "put it into .env.local or settings.local.json",
            "com.acme.internal.Parser and React.__internal",
            "https://your-host/path and http://<host>:80/",
            "http://127.0.0.1:8080/ and http://[::1]/",
            "http://metadata.google.internal/ is well known",
            "obj.internal and config.local",
            "http://{{hostname}}:8080",
            "https://wiki.archlinux.org/title/Systemd and https://gitlab.gnome.org/GNOME/glib",
            "https://wiki.cs.lakeside.edu/handbook, https://jira.example.com/x and https://gitlab.your-company.com/x",
            "vault.kv.read and grafana.ini, wiki.js, https://gitlab.com/a/b",
            "module.internal and utils.internal/x are packages",
            "self.nodes.remove(node)\n        node.lan = None",
            "if node.lan == other: attach(peer.lan, node.corp[0])",
        ],
    },
    Rule {
        id: "private-address",
        reach: Reach::Everywhere,
        what: "is an address inside somebody's network",
        ask: "use an address for documentation such as 192.0.2.1, or leave it out",
        look: |look| is_private_address(look.word.text),
        hits: &[
            "The broker is at 10.32.7.14",
            "ssh 192.168.40.12:22",
            "http://172.20.3.9/admin",
            "fd12:3456:789a::17 is the gateway",
        ],
        misses: &[
            "127.0.0.1 and 0.0.0.0",
            "192.0.2.7, 198.51.100.3, 203.0.113.9",
            "10.0.0.0/8 is private",
            "192.168.1.1 is what routers use",
            "169.254.169.254 must be blocked",
            "version 10.2.3",
            "8.8.8.8",
        ],
    },
    Rule {
        id: "repository-path",
        reach: Reach::GlobalOnly,
        what: "is a path of one repository",
        ask: "say it for any repository; the origin is recorded anyway",
        look: |look| is_repository_path(look.word.text, look.here),
        hits: &["Retries are in src/net/retry.rs.", "see `crates/core/src/lib.rs:40`"],
        misses: &[
            "Put tests beside the code.",
            "read/write locks, CI/CD and TCP/IP",
            "Use Cargo.toml or package.json",
            "docs.rs/serde",
        ],
    },
    Rule {
        id: "symbol",
        reach: Reach::GlobalOnly,
        what: "is a name of one repository's code",
        ask: "say what the thing does instead of what it is called here",
        look: |look| {
            look.word.text.len() > 2
                && look.word.code
                && (look.here.is_symbol)(look.word.text.trim_end_matches("()"))
        },
        hits: &["Call `LedgerShelf` once."],
        misses: &["Call `HashMap` once.", "A ledger shelf is fine."],
    },
    Rule {
        id: "branch",
        reach: Reach::GlobalOnly,
        what: "is a branch of one repository",
        ask: "leave the branch out",
        look: |look| is_branch(look.word.text),
        hits: &["The fix is on feature/new-cart.", "merged hotfix/login-loop"],
        misses: &["on main and develop", "feature/fix is a way to say it", "Release notes"],
    },
    Rule {
        id: "ticket",
        reach: Reach::GlobalOnly,
        what: "is a ticket of one project",
        ask: "describe the weakness as the public ticket does",
        look: |look| is_ticket(look),
        hits: &["Done in SHOP-1423.", "see #412 for it"],
        misses: &[
            "UTF-8 and SHA-256, ISO-8601, CVE-2021-44228, RFC-9110, AES-128, GPT-4",
            "# 1 heading",
            "the #1 reason",
            "color #123456",
            "X-100",
        ],
    },
    Rule {
        id: "commit",
        reach: Reach::GlobalOnly,
        what: "is a commit of one repository",
        ask: "say what the change did",
        look: |look| is_commit(look),
        hits: &["since commit 3fa9c1e it works", "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"],
        misses: &["the word deadbeef", "1234567 rows", "defaced facade", "add 12ab34cd later"],
    },
];

const ORGANISATION: Rule = Rule {
    id: "organisation",
    reach: Reach::Everywhere,
    what: "is on the list of organisations",
    ask: "write `the company` or `the partner`",
    look: NOTHING,
    hits: &[],
    misses: &[],
};
const CUSTOMER: Rule =
    Rule { id: "customer", what: "is on the list of customers", ask: "write `a customer`", ..ORGANISATION };
const EXPLOIT: Rule = Rule {
    id: "exploit",
    what: "says how to use a weakness that is still open",
    ask: "say what kind of weakness it is and how it is closed",
    ..ORGANISATION
};
const REFERENCE: Rule = Rule {
    id: "only-a-reference",
    what: "only points at a place",
    ask: "say what is to be learned there; the place itself belongs into the anchors",
    ..ORGANISATION
};

/// The words of a text with their places; what is between backticks is code.
fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut code = false;
    let mut start = 0;
    let mut push = |start: usize, end: usize, code: bool| {
        let raw = &text[start..end];
        let left = raw.trim_start_matches(['*', '\'', '.', ':', '_']);
        // A path may begin with dots.
        let left = if raw.starts_with("..") || raw.starts_with("./") || raw.starts_with(".env") {
            raw
        } else {
            left
        };
        let inner = left.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '\'', '…']);
        let start = end - left.len();
        if !inner.is_empty() {
            words.push(Word { text: inner, start, end: start + inner.len(), code });
        }
    };
    for (at, c) in text.char_indices() {
        let parts = c.is_whitespace()
            || matches!(c, '`' | '"' | '“' | '”' | '(' | ')' | '|' | ',' | ';' | '„' | '«' | '»');
        if parts {
            push(start, at, code);
            start = at + c.len_utf8();
        }
        if c == '`' {
            code = !code;
        }
    }
    push(start, text.len(), code);
    words
}

/// Names that stand for anybody.
static ANYBODY: WordList = WordList::new(include_str!("../words/sanitize/anybody.txt"));

fn is_anybody(name: &str) -> bool {
    name.is_empty()
        || name.starts_with(['$', '<', '{', '%', '[', '~', '*', '.', '@'])
        || ANYBODY.contains(name.to_lowercase().as_str())
        || name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

/// Commands of TeX that follow the end of a line, which is written `\\\\`: they are no hosts.
static TEX_COMMANDS: WordList = WordList::new(include_str!("../words/sanitize/tex_commands.txt"));

/// Whether what follows a backslash is an escape of a string, as in `"\\\\name\\n"`: no share has such a name.
fn is_escape(share: &str) -> bool {
    let name = share.split('\\').next().unwrap_or_default();
    matches!(name, "n" | "r" | "t" | "b" | "f" | "v" | "0")
}

fn is_own_place(word: &str) -> bool {
    let path = word.strip_prefix("file://").unwrap_or(word);
    let path = path.trim_start_matches(['=', '<', '[', '{']);
    for root in ["/home/", "/Users/", "/export/home/", "/mnt/c/Users/", "/c/Users/", "/var/home/"] {
        if let Some(rest) = path.strip_prefix(root) {
            return !is_anybody(rest.split('/').next().unwrap_or_default());
        }
    }
    for root in [concat!("/", "root/"), "/Volumes/"] {
        if let Some(rest) = path.strip_prefix(root) {
            return !is_anybody(rest.split('/').next().unwrap_or_default());
        }
    }
    if is_checkout(path) {
        return true;
    }
    if let Some(rest) = path.strip_prefix("~/") {
        // Dot files are where they are on every machine.
        return !is_anybody(rest.split('/').next().unwrap_or_default())
            && rest.contains('/')
            && !rest.starts_with("Library/");
    }
    if let Some(rest) = path.strip_prefix("\\\\") {
        // A pattern such as `\\beval\\s` has its second pair where a share would have its name.
        let Some((host, share)) = rest.split_once('\\') else { return false };
        return host.starts_with(|c: char| c.is_ascii_alphabetic())
            && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '$'))
            && share.starts_with(|c: char| c.is_ascii_alphanumeric())
            && !is_escape(share)
            && !TEX_COMMANDS.contains(host)
            && !host.eq_ignore_ascii_case("server");
    }
    let letters = path.as_bytes();
    let drive = letters.len() > 3
        && letters[0].is_ascii_alphabetic()
        && letters[1] == b':'
        && matches!(letters[2], b'\\' | b'/');
    if drive && !path[3..].starts_with(['/', '\\']) {
        let lower = path[3..].replace('\\', "/").to_lowercase();
        let mut parts = lower.split('/').filter(|part| !part.is_empty());
        return match parts.next() {
            Some("users") => !is_anybody(parts.next().unwrap_or_default()),
            _ => false,
        };
    }
    false
}

/// Roots under which people and servers keep their checkouts.
static CHECKOUT_ROOTS: WordList = WordList::new(include_str!("../words/sanitize/checkout_roots.txt"));

/// Folders whose children are checkouts.
const CHECKOUT_FOLDERS: &[&str] =
    &["repos", "repositories", "checkouts", "projects", "workspaces", "worktrees", "git"];

/// A file of source code, or anything under a folder of checkouts, by a path from the root of some machine.
fn is_checkout(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    let parts: Vec<&str> = rest.split(':').next().unwrap_or_default().split('/').collect();
    if parts.len() < 3
        || !CHECKOUT_ROOTS.contains(parts[0])
        || parts.iter().any(|part| part.is_empty() || part.contains(['<', '{', '$', '*', '?', '=']))
    {
        return false;
    }
    let ending = parts.last().and_then(|last| last.rsplit_once('.')).map_or("", |(_, ending)| ending);
    let code = SOURCE_ENDINGS.contains(ending) && !matches!(ending, "json" | "html" | "css" | "md");
    let kept = parts[1..parts.len() - 1].iter().any(|part| CHECKOUT_FOLDERS.contains(part));
    code || kept
}

/// Folders and files that stand at the root of a repository.
static ROOT_PARTS: WordList = WordList::new(include_str!("../words/sanitize/root_parts.txt"));

/// Folders that every repository has; `../src/x` is a neighbour, not another repository.
static FOLDERS: WordList = WordList::new(include_str!("../words/sanitize/folders.txt"));

fn is_outside(word: &str, here: &Here<'_>) -> bool {
    let mut rest = word.trim_start_matches(['<', '[', '=']);
    let mut ups = 0;
    while let Some(inner) = rest.strip_prefix("../").or_else(|| rest.strip_prefix("..\\")) {
        rest = inner;
        ups += 1;
    }
    let path = rest.split(['#', ':', ']']).next().unwrap_or_default();
    let first = path.split(['/', '\\']).next().unwrap_or_default();
    let second = path.split(['/', '\\']).nth(1).unwrap_or_default();
    let named = first.len() > 2
        && (first.contains('-') || ROOT_PARTS.contains(second))
        && first.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    ups > 0
        && named
        && path.len() > first.len() + 1
        && !FOLDERS.contains(first)
        && !(here.is_path)(path)
        && !(here.is_path)(first)
}

/// Endings that no public host has.
static INTERNAL_ENDINGS: WordList = WordList::new(include_str!("../words/sanitize/internal_endings.txt"));

/// Hosts with such an ending that everybody has.
static KNOWN_HOSTS: WordList = WordList::new(include_str!("../words/sanitize/known_hosts.txt"));

/// Words that stand for a host.
static ANY_HOST: WordList = WordList::new(include_str!("../words/sanitize/any_host.txt"));

/// What machines inside an organisation are called.
static ROLES: WordList = WordList::new(include_str!("../words/sanitize/roles.txt"));

/// Services that organisations run for themselves, as the first label of a public name.
static OWN_SERVICES: WordList = WordList::new(include_str!("../words/sanitize/own_services.txt"));

/// Domains where the public is invited to such a service.
static PUBLIC_DOMAINS: WordList = WordList::new(include_str!("../words/sanitize/public_domains.txt"));

/// Endings by which a name without a scheme is known for a host.
static PUBLIC_ENDINGS: WordList = WordList::new(include_str!("../words/sanitize/public_endings.txt"));

/// A tracker, a wiki or the like under a domain that is not known to be for everybody.
fn is_own_service(host: &str, bare: bool) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let [first, .., name, top] = labels.as_slice() else { return false };
    let domain = format!("{name}.{top}");
    let anybody = *name == "example"
        || labels.iter().any(|label| label.starts_with("your"))
        || *top == "test"
        || *top == "example";
    // Universities and authorities write for the public.
    let public = matches!(*top, "edu" | "gov");
    OWN_SERVICES.contains(first)
        && !public
        && labels.len() >= 3
        && !anybody
        && top.chars().all(|c| c.is_ascii_alphabetic())
        && (!bare || PUBLIC_ENDINGS.contains(top))
        && !PUBLIC_DOMAINS.contains(domain.as_str())
}

/// Whether a word is an attribute of a thing in code: `node.lan = None`, `attach(node.lan)`. A value that is assigned may be a host all the same.
fn is_attribute(look: &Look<'_>) -> bool {
    let Some((thing, attribute)) = look.word.text.split_once('.') else { return false };
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let (before, after) = (&look.text[..look.word.start], &look.text[look.word.end..]);
    let is_called = before
        .strip_suffix('(')
        .is_some_and(|function| function.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
    let next = after.trim_start_matches(' ');
    let is_assigned = ["=", "+=", "-=", "!="].iter().any(|sign| next.starts_with(sign));
    is_name(thing) && is_name(attribute) && (is_called || is_assigned || after.starts_with(['(', '[']))
}

fn is_internal_host(word: &str, lists: &Lists) -> bool {
    let (scheme, rest) = match word.split_once("://") {
        Some((scheme, rest)) => (Some(scheme.trim_start_matches(['<', '[', '=', '{'])), rest),
        None => (None, word),
    };
    if scheme == Some("file") {
        return false;
    }
    let authority = rest.split(['/', '?', '#', '>', ']', '}', '\\']).next().unwrap_or_default();
    let host_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host_port.split(':').next().unwrap_or_default().to_lowercase();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    if host.is_empty() || !host.chars().all(fits) || host.starts_with(['.', '-']) {
        return false;
    }
    let known =
        |name: &str| host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'));
    if KNOWN_HOSTS.contains(host.as_str()) || lists.hosts.iter().any(|name| known(&name.to_lowercase())) {
        return false;
    }
    let ending = INTERNAL_ENDINGS.iter().any(|ending| host.ends_with(ending));
    match scheme {
        Some(scheme)
            if !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || c == '+') =>
        {
            let bare = !host.contains('.')
                && host.starts_with(|c: char| c.is_ascii_alphabetic())
                && host.len() > 2
                && !ANY_HOST.contains(host.as_str())
                && !host.starts_with("your")
                && !host.starts_with("my")
                && !host.contains("example")
                && REACHED.contains(scheme.to_lowercase().as_str());
            ending || bare || is_own_service(&host, false)
        }
        Some(_) => false,
        // Without a scheme it must look like a host: several labels, and a hyphen or a digit that packages do not have.
        None => {
            let labels = host.split('.').count();
            let package = ["com", "org", "net", "io", "java", "javax", "kotlin", "sun", "jdk", "de"]
                .iter()
                .any(|top| host.strip_prefix(top).is_some_and(|rest| rest.starts_with('.')));
            let hostlike = host.contains('-')
                || host.chars().any(|c| c.is_ascii_digit())
                || host.ends_with(".svc.cluster.local");
            let first = host.split('.').next().unwrap_or_default();
            let role = ROLES.contains(first.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-'));
            let only_hosts =
                [".corp", ".lan", ".intranet", ".localdomain"].iter().any(|end| host.ends_with(end));
            // In code, `db.internal` is a field and `prod.local` an environment, and neither has a number.
            let numbered = first.ends_with(|c: char| c.is_ascii_digit()) && host.ends_with(".internal");
            let named = match first {
                "db" | "git" | "ci" | "mail" | "prod" | "staging" | "build" | "registry" | "vault" => {
                    labels >= 3
                }
                _ => role,
            };
            let own = only_hosts || numbered || named;
            let lower = !host_port.chars().any(|c| c.is_ascii_uppercase());
            let inside = ending && !package && (own || (labels >= 3 && hostlike && !word.contains('/')));
            lower && labels >= 2 && (inside || is_own_service(&host, true))
        }
    }
}

/// Schemes by which a host is reached.
static REACHED: WordList = WordList::new(include_str!("../words/sanitize/reached.txt"));

fn is_private_address(word: &str) -> bool {
    // A blank to be filled in.
    if word.starts_with("{{") {
        return false;
    }
    let rest = word.split_once("://").map_or(word, |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let rest = rest.trim_start_matches(['[', '<', '{']).trim_end_matches(['}', '>', ']']);
    let lower = rest.to_lowercase();
    if (lower.starts_with("fd") || lower.starts_with("fe80:")) && lower.contains("::") {
        let host = lower.split(['/', '%', ']']).next().unwrap_or_default();
        return host.parse::<std::net::Ipv6Addr>().is_ok_and(|address| {
            let tail = address.segments();
            // A network is a range; the first hosts of it stand in every manual.
            tail[1..7].iter().any(|part| *part != 0) && tail[7] > 1
        });
    }
    let (host, tail) = rest.split_at(rest.find(['/', ':', '?', '#']).unwrap_or(rest.len()));
    let Ok(address) = host.parse::<std::net::Ipv4Addr>() else { return false };
    let [a, b, c, d] = address.octets();
    let private = a == 10
        || (a == 172 && (16..32).contains(&b))
        || (a == 192 && b == 168)
        || (a == 169 && b == 254)
        || (a == 100 && (64..128).contains(&b));
    let network = d == 0
        || d == 255
        || tail.trim_start_matches('/').parse::<u8>().is_ok_and(|bits| tail.starts_with('/') && bits <= 32);
    // What routers and manuals use says nothing about anybody.
    let manual = (a == 192 && b == 168 && c <= 2 && (d <= 2 || d == 100 || d == 254))
        || (a == 10 && b == 0 && c <= 2 && d <= 10)
        || (a == 172 && matches!(b, 16 | 17) && c == 0 && d <= 2)
        || (a == 10 && b == 10 && c == 10)
        || (a == 10 && b == 1 && c == 1 && d == 1)
        || (a == 10 && b == 96 && c == 0)
        || address == std::net::Ipv4Addr::new(169, 254, 169, 254)
        || address == std::net::Ipv4Addr::new(169, 254, 170, 2)
        || (a == 192 && b == 168 && (c, d) == (99, 100))
        || (a == 10 && (b, c, d) == (0, 2, 15))
        || (a == 100 && (b, c, d) == (100, 100, 200));
    private && !network && !manual
}

static SOURCE_ENDINGS: WordList = WordList::new(include_str!("../words/sanitize/source_endings.txt"));

fn is_repository_path(word: &str, here: &Here<'_>) -> bool {
    let path = word.trim_start_matches("./").split(['#', ':']).next().unwrap_or_default();
    if !path.contains('/') || path.starts_with(['/', '~', '.', '<', '{', '$', '*']) || path.contains("//") {
        return false;
    }
    let last = path.rsplit('/').next().unwrap_or_default();
    let first = path.split('/').next().unwrap_or_default();
    let file = last
        .rsplit_once('.')
        .is_some_and(|(stem, ending)| !stem.is_empty() && SOURCE_ENDINGS.contains(ending));
    let placeholder = matches!(first, "path" | "your" | "example" | "foo") || path.contains(['<', '{', '*']);
    (here.is_path)(path) || (file && !placeholder && !first.contains('.'))
}

fn is_branch(word: &str) -> bool {
    let Some((kind, name)) = word.split_once('/') else { return false };
    let kinds = ["feature", "feat", "fix", "bugfix", "hotfix", "release", "chore", "refactor", "wip"];
    kinds.contains(&kind)
        && name.len() > 3
        && (name.contains(['-', '_']) || name.chars().any(|c| c.is_ascii_digit()))
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
}

/// What looks like a ticket and is a standard.
static STANDARDS: WordList = WordList::new(include_str!("../words/sanitize/standards.txt"));

fn is_ticket(look: &Look<'_>) -> bool {
    let word = look.word.text;
    if let Some(number) = word.strip_prefix('#') {
        return (2..=5).contains(&number.len())
            && !number.starts_with('0')
            && number.chars().all(|c| c.is_ascii_digit());
    }
    let word = word.trim_matches(['[', ']', '#']);
    let Some((key, number)) = word.split_once('-') else { return false };
    (2..=10).contains(&key.len())
        && key.chars().all(|c| c.is_ascii_uppercase())
        && !STANDARDS.contains(key)
        && (1..=6).contains(&number.len())
        && number.chars().all(|c| c.is_ascii_digit())
}

fn is_commit(look: &Look<'_>) -> bool {
    let word = look.word.text;
    let hex = word.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c));
    let mixed = word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(|c| c.is_ascii_alphabetic());
    if !hex || !mixed || word.len() < 7 {
        return false;
    }
    let called = look.before.iter().rev().take(2).any(|before| {
        matches!(
            before.text.to_lowercase().as_str(),
            "commit"
                | "commits"
                | "sha"
                | "revision"
                | "rev"
                | "hash"
                | "changeset"
                | "since"
                | "reverts"
                | "revert"
        )
    });
    word.len() == 40 || (called && word.len() <= 40)
}

/// Looks for listed names as whole words.
fn listed(text: &str, rule: &Rule, names: &[String], found: &mut Vec<Objection>) {
    if names.is_empty() {
        return;
    }
    let lower: String = text.chars().map(|c| if c.is_ascii() { c.to_ascii_lowercase() } else { c }).collect();
    for name in names {
        let open_end = name.ends_with('*');
        let open_start = name.starts_with('*') && name.len() > 1;
        let wanted = name.trim_matches('*').trim().to_ascii_lowercase();
        // A single letter would forbid everything.
        if wanted.chars().count() < 2 {
            continue;
        }
        let mut from = 0;
        while let Some(at) = lower[from..].find(&wanted).map(|at| at + from) {
            let end = at + wanted.len();
            let wordy = |c: char| c.is_alphanumeric() || c == '_';
            let begins = open_start
                || !lower[..at].chars().next_back().is_some_and(wordy)
                || !wanted.starts_with(wordy);
            let rest: usize =
                lower[end..].chars().take_while(|c| wordy(*c) || *c == '-').map(char::len_utf8).sum();
            let ends =
                open_end || !lower[end..].chars().next().is_some_and(wordy) || !wanted.ends_with(wordy);
            if begins && ends {
                let end = if open_end { end + rest } else { end };
                found.push(rule.objection(at, end, &text[at..end]));
            }
            from = end;
        }
    }
}

/// Names of weaknesses, and what is done with them.
static WEAKNESS: WordList = WordList::new(include_str!("../words/sanitize/weakness.txt"));
/// Short names, which are parts of other words as well.
static WEAKNESS_NAMES: WordList = WordList::new(include_str!("../words/sanitize/weakness_names.txt"));
static STILL_OPEN: WordList = WordList::new(include_str!("../words/sanitize/still_open.txt"));

/// Sentences that name a weakness, say that it is open, and give the way in; the next sentence may help.
fn exploits(text: &str) -> Vec<(usize, usize)> {
    // Most texts have none, and are not taken apart for it.
    if !has_way_in(&text.to_lowercase()) {
        return Vec::new();
    }
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let blank = rest.peek().is_none_or(|(_, next)| next.is_whitespace());
        if c == '\n' || (matches!(c, '.' | '!' | '?') && blank) {
            sentences.push(Sentence::around(text, start, at + 1));
            start = at + 1;
        }
    }
    if start < text.len() {
        sentences.push(Sentence::around(text, start, text.len()));
    }
    sentences.retain(|sentence| sentence.start < sentence.end);
    let mut found = Vec::new();
    for (at, one) in sentences.iter().enumerate() {
        let next = sentences.get(at + 1);
        if one.weakness && one.open && one.way_in {
            found.push((one.start, one.end));
        } else if let Some(next) = next
            && ((one.weakness && one.way_in && next.open && next.is_short())
                || (one.open && one.weakness && next.way_in))
            && !(next.weakness && next.open && next.way_in)
        {
            found.push((one.start, next.end));
        }
    }
    found
}

/// What one sentence says of a weakness.
struct Sentence {
    start: usize,
    end: usize,
    weakness: bool,
    open: bool,
    way_in: bool,
}

impl Sentence {
    fn around(text: &str, start: usize, end: usize) -> Sentence {
        let raw = &text[start..end];
        let lower = raw.to_lowercase();
        let has = |list: &[&str]| list.iter().any(|sign| lower.contains(sign));
        let named = || split::words(&lower, &[]).any(|word| WEAKNESS_NAMES.contains(word));
        let trimmed = raw.trim();
        let start = start + (raw.len() - raw.trim_start().len());
        Sentence {
            start,
            end: start + trimmed.len(),
            weakness: has(&WEAKNESS) || named(),
            open: has(&STILL_OPEN),
            way_in: has_way_in(&lower),
        }
    }

    /// Whether it can only be about the one before: `Still unpatched.`
    fn is_short(&self) -> bool {
        self.end - self.start <= SHORT_SENTENCE_BYTES_MAX
    }
}

/// An endpoint, a parameter or a payload.
fn has_way_in(lower: &str) -> bool {
    let payload = [
        "' or ",
        "'--",
        "1=1",
        "<script",
        "../../",
        "${jndi",
        "{{7*7",
        "; cat ",
        "union select",
        "%0a",
        "%00",
        "onerror=",
        "curl ",
    ]
    .iter()
    .any(|sign| lower.contains(sign));
    let place =
        lower.split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '(' | ')' | ',')).any(|word| {
            let route = word.starts_with('/')
                && word.len() > 3
                && word[1..].starts_with(|c: char| c.is_ascii_alphabetic());
            route || (word.contains('?') && word.contains('='))
        });
    payload || place
}

/// Words that point without saying anything.
static POINTING: WordList = WordList::new(include_str!("../words/sanitize/pointing.txt"));

fn is_only_a_reference(words: &[Word<'_>], here: &Here<'_>) -> bool {
    let pointing = |word: &&Word<'_>| {
        POINTING.contains(word.text.to_lowercase().as_str())
            || word.text.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ':'))
    };
    let reference = |word: &&Word<'_>| {
        let text = word.text;
        (text.contains('/') && !text.contains("://") && text.len() > 3)
            || text.contains("::")
            || (word.code && text.chars().any(|c| c.is_ascii_alphabetic()))
            || text.contains('_') && text.len() > 3
            || text.ends_with("()")
            || is_file_name(text)
            // Last: it asks the file system.
            || (here.is_path)(text)
    };
    words.len() <= 12
        // A command of several words is something to learn.
        && words.iter().filter(|word| word.code).count() < 2
        // Most texts end this at their first word.
        && words.iter().all(|word| pointing(&word) || reference(&word))
        && words.iter().any(|word| reference(&word))
}

fn is_file_name(text: &str) -> bool {
    let name = text.split([':', '#']).next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && SOURCE_ENDINGS.contains(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rule_finds_anything_in_a_plain_word() {
        let here = Here { is_path: &|_| true, is_symbol: &|_| true };
        let lists = Lists::default();
        let examples = RULES.iter().flat_map(|rule| rule.hits.iter().chain(rule.misses));
        let all: Vec<(&str, Vec<Word<'_>>)> = examples.map(|text| (*text, words(text))).collect();
        let mut plain = 0;
        for (text, words) in &all {
            for (at, word) in words.iter().enumerate().filter(|(_, word)| word.is_plain()) {
                let look = Look { text, word, before: &words[..at], lists: &lists, here: &here };
                let hit = RULES.iter().find(|rule| (rule.look)(&look));
                assert!(hit.is_none(), "{:?} of {text:?}: {:?}", word.text, hit.map(|rule| rule.id));
                plain += 1;
            }
        }
        assert!(plain > 100, "{plain}");
    }

    fn rules(text: &str, scope: Scope) -> Vec<&'static str> {
        let here = Here {
            is_path: &|path| matches!(path, "src" | "src/net/retry.rs" | "infra"),
            is_symbol: &|name| name == "LedgerShelf",
        };
        let lists = Lists {
            organisations: vec!["Acme".to_owned(), "Blue Heron Bank".to_owned()],
            customers: vec!["CUST-*".to_owned(), "Zephyr".to_owned()],
            hosts: vec!["status.tern.internal".to_owned()],
        };
        let found = check(text, scope, &lists, &here);
        for objection in &found {
            assert!(text.get(objection.start..objection.end).is_some_and(|span| !span.is_empty()), "{text}");
        }
        found.into_iter().map(|objection| objection.rule).collect()
    }

    // A token alone points at a place, and the objection quoted it.
    #[test]
    fn an_objection_quotes_no_secret() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let here = Here { is_path: &|_| true, is_symbol: &|_| true };
        let found = check(&token, Scope::Project, &Lists::default(), &here);
        assert!(!found.is_empty() && found.iter().all(|one| !one.why.contains(&token)), "{found:?}");
    }

    #[test]
    fn every_rule_hits_its_hits_and_misses_its_misses() {
        for rule in RULES {
            for text in rule.hits {
                assert!(rules(text, Scope::Global).contains(&rule.id), "{}: {text}", rule.id);
                let at_project = rules(text, Scope::Project).contains(&rule.id);
                assert_eq!(at_project, rule.reach == Reach::Everywhere, "{}: {text}", rule.id);
            }
            for text in rule.misses {
                assert!(!rules(text, Scope::Global).contains(&rule.id), "{}: {text}", rule.id);
            }
            assert!(!rule.hits.is_empty() && !rule.misses.is_empty(), "{}", rule.id);
        }
    }

    #[test]
    fn listed_names_are_whole_words() {
        for (text, found) in [
            ("acme wants it", vec!["organisation"]),
            ("the ACME's rule", vec!["organisation"]),
            ("Blue Heron bank pays late", vec!["organisation"]),
            ("acmetric systems", vec![]),
            ("ticket of cust-0815 and zephyr", vec!["customer", "customer"]),
            ("a zephyrous wind, customers", vec![]),
            ("https://status.tern.internal/x is public", vec![]),
        ] {
            assert_eq!(rules(text, Scope::Project), found, "{text}");
        }
    }

    #[test]
    fn the_way_into_an_open_weakness_is_not_kept() {
        for text in [
            "The unpatched SQL injection is in /admin/search, send `q=' OR 1=1`.",
            "CVE-2031-1111 is not fixed yet here: /api/export?file=../../etc/passwd returns the file.",
            "The XSS in /profile?name= still works in production.",
            "POST /signin with name=root'-- bypasses the check of the shop, still unpatched.",
            "Sending `role=1` to /account/edit bypasses the check. It is not fixed yet.",
        ] {
            assert_eq!(rules(text, Scope::Project), ["exploit"], "{text}");
        }
        for text in [
            "SQL injection is closed by parameters; never build queries from strings.",
            "The vulnerable version is still in use, upgrade it.",
            "CVE-2021-44228 was fixed in 2.17.1; `${jndi:` in a log line is an attack.",
            "XSS through /profile was fixed by escaping the name.",
            "The source of /orders is not fixed to one region.",
            "Admins bypass the limit of /search; the limit is per user.",
        ] {
            assert!(rules(text, Scope::Project).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_place_alone_is_no_lesson() {
        for text in [
            "src/net/retry.rs",
            "See src/net/retry.rs:40",
            "`Store::open`",
            "Look at the function open_store()",
            "lib.rs",
        ] {
            assert_eq!(rules(text, Scope::Project), ["only-a-reference"], "{text}");
        }
        for text in [
            "Retries in src/net/retry.rs must keep their jitter.",
            "Run `just check` first",
            "`cargo test --workspace`",
            "Squash merges only",
            "",
        ] {
            assert!(rules(text, Scope::Project).is_empty(), "{text}");
        }
    }

    #[test]
    fn an_objection_names_the_span_and_asks_for_another_wording() {
        let here = Here { is_path: &|_| false, is_symbol: &|_| false };
        let text = "Built in /home/mira/shop, as always.";
        let found = check(text, Scope::Project, &Lists::default(), &here);
        assert_eq!(&text[found[0].start..found[0].end], "/home/mira/shop");
        assert_eq!(found[0].why, "`/home/mira/shop` is a place on somebody's machine");
        assert!(!found[0].ask.is_empty());
    }
}
