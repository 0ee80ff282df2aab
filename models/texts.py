"""The texts of the parity test: written for it, then varied by a fixed rule. Nothing here comes from any corpus."""

LESSONS = """
Retry a failed upload with backoff and jitter; a bare loop took the queue down twice.
The cache key must include the schema version, or old rows are read with new eyes.
Never hold the write lock while calling out: the other side may be waiting for it.
Run migrations before the deploy, and make every one of them safe to run twice.
Timestamps are stored in UTC milliseconds; only the edge knows the user's zone.
The flaky login test waits for a toast that is shown only in the first session.
Use a prepared statement in the import loop; planning was two thirds of the time.
A worker that dies between commit and acknowledge will see the message again.
Feature flags older than a quarter are debt: delete the flag and the losing branch.
The linker runs out of memory on small runners unless debug info is split.
Do not log request bodies: one of them held a customer's password.
The nightly job reads the replica, so a row written a second ago may be missing.
Pin the compiler in the toolchain file; the build on main must not change by itself.
Floating point sums depend on order: sort before adding if you compare hashes.
Paths on Windows may exceed 260 characters once they are nested in the build folder.
Rate limits are counted per token, not per address, since the office shares one.
The parser accepts trailing commas, the printer never writes them.
When the certificate is renewed, the sidecar must be restarted by hand.
An index on the status column does not help: nearly all rows have the same one.
We chose a ledger of events over snapshots because merges have to be commutative.
Reviewers ask for a test that fails without the change; write that one first.
If the socket closes during the handshake, treat it as busy and try the next host.
Deleting a tenant is done in batches of five hundred to keep vacuum alive.
The design tokens are generated; edit the source file and not the style sheet.
Reading the whole file is faster than streaming it below about a megabyte.
""".strip().split("\n")

PROSE = """
The harbour was quiet that morning, and the gulls had not yet found the fish.
She kept a list of every book she had lent and never asked for one of them back.
Rain came in from the west and stayed for nine days.
My grandfather built the table from a door that nobody needed any more.
A good map leaves out nearly everything.
They argued about the colour of the fence until it was too dark to paint it.
The bread needs an hour, the oven needs ten minutes, and you need patience.
In winter the lake makes a sound like a very large animal turning over.
Nobody could say when the clock had stopped, only that it was right twice a day.
The train was late, the coffee was cold, and the speech was surprisingly good.
Three children, two dogs and one umbrella crossed the square.
He explained the rules of the game so well that no one wanted to play it.
The museum keeps the better half of its collection in the cellar.
Most of the garden is clover, which the bees do not mind at all.
On Sundays the market moves to the other bank of the river.
""".strip().split("\n")

ERRORS = """
error[E0502]: cannot borrow `rows` as mutable because it is also borrowed as immutable
TypeError: Cannot read properties of undefined (reading 'length')
thread 'main' panicked at src/queue.rs:118:22: called `Option::unwrap()` on a `None` value
ERROR: duplicate key value violates unique constraint "accounts_email_key"
fatal: refusing to merge unrelated histories
java.lang.NullPointerException: Cannot invoke "Order.total()" because "order" is null
Segmentation fault (core dumped)
ModuleNotFoundError: No module named 'yaml'
npm ERR! ERESOLVE unable to resolve dependency tree
undefined reference to `deflateInit2_'
SQLITE_BUSY: database is locked (5)
HTTP 429 Too Many Requests; retry-after: 30
panic: runtime error: index out of range [7] with length 7
ssl.SSLCertVerificationError: certificate verify failed: unable to get local issuer certificate
OOMKilled: container exceeded its memory limit of 512Mi
Permission denied (publickey).
CMake Error at CMakeLists.txt:12 (find_package): could not find OpenSSL
warning: unused variable: `result` (did you mean to use `_result`?)
ENOSPC: no space left on device, write
Exception in thread "worker-3" java.util.concurrent.TimeoutException after 5000 ms
""".strip().split("\n")

CODE = [
    "fn sum(values: &[u64]) -> u64 {\n    values.iter().copied().fold(0, u64::wrapping_add)\n}",
    "def chunks(items, size):\n    for start in range(0, len(items), size):\n        yield items[start:start + size]",
    "const total = orders.filter((o) => !o.cancelled).reduce((a, o) => a + o.price * o.count, 0);",
    "SELECT author, count(*) AS n FROM posts WHERE created_at > now() - interval '7 days' GROUP BY author ORDER BY n DESC;",
    "for (auto it = m.begin(); it != m.end();) { if (it->second.expired()) it = m.erase(it); else ++it; }",
    "if err := tx.Commit(); err != nil {\n\treturn fmt.Errorf(\"commit %s: %w\", id, err)\n}",
    "#!/bin/sh\nset -eu\nfor f in *.log; do gzip -9 \"$f\" && mv \"$f.gz\" archive/; done",
    "services:\n  web:\n    image: web:1.4\n    ports: [\"8080:80\"]\n    depends_on:\n      - db",
    "public record Point(double X, double Y) { public double Length => Math.Sqrt(X * X + Y * Y); }",
    "let rec fold f acc = function [] -> acc | x :: rest -> fold f (f acc x) rest",
    "<button class=\"primary\" @click=\"save\" :disabled=\"!valid\">Save</button>",
    "{\"id\": 42, \"tags\": [\"a\", \"b\"], \"nested\": {\"ok\": true, \"ratio\": 0.125}}",
    "git rebase --onto main feature~3 feature && git push --force-with-lease",
    "@media (max-width: 600px) { .sidebar { display: none; } .page { padding: 0 1rem; } }",
    "impl<T: Ord> Extend<T> for Heap<T> { fn extend<I: IntoIterator<Item = T>>(&mut self, it: I) { for x in it { self.push(x); } } }",
    "^(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-z0-9]+)*)@example\\.org$",
    "mov eax, [rdi + rcx*4]\nadd rax, rdx\ndec rcx\njnz .loop",
    "RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*",
    "data Tree a = Leaf | Node (Tree a) a (Tree a) deriving (Show, Eq)",
    "x = np.where(mask[:, None], values, 0.0).sum(axis=0) / np.maximum(mask.sum(), 1)",
]

TONGUES = [
    "Où est passée la clé de l'entrepôt ? Élodie l'a laissée près du café.",
    "Die Prüfung schlägt fehl, weil die Größe nicht übereinstimmt.",
    "El año pasado migramos la base de datos sin perder una sola línea.",
    "Não é possível abrir a conexão; tente novamente às três.",
    "Příliš žluťoučký kůň úpěl ďábelské ódy.",
    "Zażółć gęślą jaźń, a potem uruchom testy.",
    "Þetta er stutt setning á íslensku með ýmsum stöfum.",
    "Việc kiểm thử tự động giúp phát hiện lỗi sớm hơn.",
    "İstanbul'da ışık söndü ve sunucu yeniden başladı.",
    "Сервер перезапускается каждую ночь в три часа.",
    "Ο διακομιστής δεν απαντά στην πρώτη αίτηση.",
    "השרת נפל בלילה ועלה מחדש בבוקר",
    "الخادم لا يستجيب بعد التحديث الأخير",
    "सर्वर हर रात अपने आप पुनः आरंभ होता है।",
    "เซิร์ฟเวอร์รีสตาร์ททุกคืน",
    "数据库连接池耗尽，请稍后重试。",
    "缓存键必须包含版本号",
    "データベースの移行は二度実行しても安全です。",
    "テストが時々失敗する理由を調べる",
    "서버가 밤마다 다시 시작됩니다.",
    "混合 text with 中文 and English words, 日本語も。",
    "ﬁne ligatures, ½ cups, № 5, Ⅷ, ™ and ﷺ",
    "ｆｕｌｌ　ｗｉｄｔｈ　ｌｅｔｔｅｒｓ",
    "e\u0301tude, n\u0303andu\u0301, A\u030angstro\u0308m written with combining marks",
    "🚀 shipped the release 🎉🎉, fixed 3 bugs 🐛",
    "👩‍👩‍👧‍👦 family, 🏳️‍🌈 flag, 👍🏽 thumbs",
    "😀", "日", "é", "ß", "Ω", "ñ", "한", "🤷",
    "zero\u200bwidth\u200bspace and soft\u00adhyphen and \ufeffmark",
    "tabs\tand\r\nline\nbreaks\u00a0and\u3000wide\u2003blanks",
    "null \u0000 byte and \ufffd replacement and \u001b[31mcolour\u001b[0m",
]

ODD = [
    "", " ", "\n\n\t", ".", "a", "I", "?", "ok", "no", "42", "3.14159", "-1", "C", "C++", "C#", "F#", ".NET", "a b c d e f g",
    "!!!!!!!!!!!!", "????", "----------------", "=== === ===", "<<<<<<< HEAD", ">>>>>>>", "*** *** ***", "(((((((((", "...---...",
    "$$$ @@@ ### %%% ^^^ &&&", "“quoted” ‘words’ — and – dashes… ¿really? ¡yes!", "\\\\server\\share\\path", "~/.config/app.toml",
    "/usr/lib/x86_64-linux-gnu/libm.so.6", "https://example.org/a/b?c=d&e=f#g", "user@example.org", "0xDEADBEEF", "1e-12", "192.168.0.1:8080",
    "2026-02-29T24:61:61Z", "v1.2.3-rc.4+build.5", "snake_case_name", "camelCaseName", "SCREAMING_SNAKE_CASE", "kebab-case-name",
    "THE BUILD IS BROKEN AND NOBODY KNOWS WHY", "DO NOT DEPLOY ON FRIDAY", "STOP", "WARNING: LOW DISK SPACE ON VOLUME 3",
    "x" * 99, "x" * 100, "x" * 101, "y" * 400, "ab" * 50, "1" * 120, "antidisestablishmentarianism", "pneumonoultramicroscopicsilicovolcanoconiosis",
    "the the the the the the the the", "error error error error", "a" + " a" * 60, "yes. no. yes. no. yes. no.", "q w e r t y u i o p",
    "d41d8cd98f00b204e9800998ecf8427e", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "lorem ipsum", "foo bar baz", "hello world", "hello, world!", "Hello World", "HELLO WORLD", "how do we retry a failed job?",
]

QUESTIONS = """
how do we retry a failed {0}
why is the {0} slow after a {1}
where is the {0} configured
what happens to the {0} when the {1} fails
who owns the {0}
{0} times out during {1}
steps to reproduce the {0} problem without the {1}
can the {0} be turned off while the {1} is running
Decision: the {0} is rebuilt on every {1}, since stale copies cost us a day.
Lesson: never trust the {0} alone; compare it with the {1} before writing.
{0}
{0} {1}
The {0} and the {1} share one connection, so closing either of them breaks both.
""".strip().split("\n")

THINGS = """
upload
cache
database migration
session token
build server
search index
payment webhook
message queue
configuration file
garbage collector
TLS certificate
thread pool
schema version
login page
backup job
load balancer
rate limiter
feature flag
log shipper
release branch
""".strip().split("\n")


def sentence(n):
    """The n-th of a long row of sentences, no two neighbours alike."""
    pool = LESSONS + PROSE
    return pool[(n * 7 + n // len(pool)) % len(pool)]


def texts():
    out = LESSONS + PROSE + ERRORS + CODE + TONGUES + ODD
    n = 0
    while len(out) < 440:
        pattern = QUESTIONS[n % len(QUESTIONS)]
        first, second = THINGS[n * 3 % len(THINGS)], THINGS[(n * 5 + n // 20 + 1) % len(THINGS)]
        out.append(pattern.format(first, second))
        n += 1
    for n in range(36):
        out.append(" ".join(sentence(n * 5 + i) for i in range(2 + n % 3)))
    for n in range(12):
        out.append("\n".join(sentence(n * 11 + i) for i in range(6)) + "\n\n" + CODE[n])
    for n in range(6):
        out.append(ERRORS[n].upper() + " " + TONGUES[n * 3].upper())
    for n in range(6):
        # Beyond what the model reads, to show that the rest is cut off in the same place.
        out.append(" ".join(sentence(n * 13 + i) for i in range(18 + n)))
    assert len(out) == 500, len(out)
    return out
