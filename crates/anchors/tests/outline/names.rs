//! What has a name, and how it is found by it.

use expect_test::{Expect, expect};
use ken_anchors::Language;

use crate::outline;

/// One symbol a line: its lines, its name, and a star if it holds others.
fn check(language: Language, text: &str, expected: Expect) {
    let outline = outline(language, text);
    assert_eq!(outline.fault, None);
    let list: String = outline
        .symbols
        .iter()
        .map(|symbol| {
            let (first, last) = symbol.lines;
            assert!(symbol.tokens.0 < symbol.tokens.1, "{} has tokens", symbol.name);
            assert_eq!(outline.tokens[symbol.tokens.0 as usize].line, first, "{}", symbol.name);
            assert!(outline.tokens[symbol.tokens.1 as usize - 1].last <= last, "{}", symbol.name);
            format!("{first}-{last} {}{}\n", symbol.name, if symbol.holds_others { " *" } else { "" })
        })
        .collect();
    expected.assert_eq(&list);
}

#[test]
#[cfg(feature = "rust")]
fn rust() {
    check(
        Language::Rust,
        r#"//! Calls, again and again.
use std::time::Duration;

/// How often.
pub const RETRIES: u32 = 3;
static mut COUNT: u32 = 0;

/// A client.
#[derive(Clone)]
// Why so.
#[must_use]
pub struct Client<T> {
    /// How long.
    #[serde(default)]
    timeout: Duration,
    inner: T,
}

pub enum Answer {
    Done,
    Failed { why: String },
}

struct Unit;

pub trait Retry {
    type Error;
    const MAX: u32;
    fn retry(&self) -> Result<(), Self::Error>;
    fn twice(&self) {}
}

impl<T> Client<T> {
    pub fn new(inner: T) -> Self {
        fn default() -> Duration {
            Duration::ZERO
        }
        Self { timeout: default(), inner }
    }
}

impl<T: Send> Retry for net::Client<T> {
    type Error = ();
    #[inline]
    fn retry(&self) -> Result<(), ()> {
        Ok(())
    }
}

type Short = Client<u8>;

macro_rules! again {
    ($e:expr) => { $e };
}

mod tests {
    #[test]
    fn it_tries_again() {}
}

extern "C" {
    fn abort();
}
"#,
        expect![[r#"
            5-5 RETRIES
            6-6 COUNT
            9-17 Client *
            14-15 Client.timeout
            16-16 Client.inner
            19-22 Answer *
            20-20 Answer.Done
            21-21 Answer.Failed *
            21-21 Answer.Failed.why
            24-24 Unit
            26-31 Retry *
            27-27 Retry.Error
            28-28 Retry.MAX
            29-29 Retry.retry
            30-30 Retry.twice
            33-40 Client *
            34-39 Client.new
            35-37 Client.new.default
            42-48 Client *
            43-43 Client.Error
            44-47 Client.retry
            50-50 Short
            52-54 again
            56-59 tests *
            57-58 tests.it_tries_again
            62-62 abort
        "#]],
    );
}

#[test]
#[cfg(feature = "python")]
fn python() {
    check(
        Language::Python,
        r#""""Calls, again and again."""
import os

RETRIES = 3
LOW, HIGH = 1, 9
os.environ["A"] = "b"
name: str = "x"
type Pair[T] = tuple[T, T]


@dataclass
class Client(Base):
    """A client."""

    timeout: float
    retries = 3

    @property
    # Why so.
    @cached(
        size=3,
    )
    def retry(self) -> int:
        """Again."""
        local = 1
        self.field = local

        def inner():
            return local

        return inner()

    class Meta:
        ordering = ["a"]


async def fetch(client):
    async with client:
        pass


if os.name == "nt":
    SEP = "\\"

    def only_there():
        pass
"#,
        expect![[r#"
            4-4 RETRIES
            5-5 LOW
            5-5 HIGH
            7-7 name
            8-8 Pair
            11-34 Client *
            15-15 Client.timeout
            16-16 Client.retries
            18-31 Client.retry
            28-29 Client.retry.inner
            33-34 Client.Meta *
            34-34 Client.Meta.ordering
            37-39 fetch
            43-43 SEP
            45-46 only_there
        "#]],
    );
}

#[test]
#[cfg(feature = "typescript")]
fn typescript() {
    check(
        Language::TypeScript,
        r#"import { a } from "b";

export const RETRIES = 3, LOW = 1;
const { left, right } = a();

/** A client. */
@injectable()
export class Client<T> extends Base implements Retry {
  #secret = 1;
  static timeout: number = 2;
  @observable
  state?: string;

  constructor(private readonly inner: T) {
    super();
    const local = 1;
    const helper = () => local;
  }

  @log()
  async retry(times: number): Promise<void> {
    for (let i = 0; i < times; i++) {}
  }

  get size() {
    return 0;
  }
}

export abstract class Shape {
  abstract area(): number;
}

export interface Options {
  retries: number;
  "time-out"?: number;
  onRetry(times: number): void;
}

export type Point = { x: number; y: number };
export type Id = string;

export enum Color {
  Red,
  Green = "green",
}

declare function declared(a: string): void;

export default async function main(options: { verbose: boolean }) {
  function nested() {}
}

export const fetchAll = async (ids: Id[]) => {
  const found = ids.map((id) => id);
  return found;
};

namespace Net.Http {
  export const PORT = 80;
}

export const handlers = {
  open() {},
  close: () => {},
  other: 1,
};

exports.legacy = function () {};
Client.prototype.again = function () {};
"#,
        expect![[r#"
            3-3 RETRIES
            3-3 LOW
            4-4 left
            4-4 right
            7-28 Client *
            9-9 Client.#secret
            10-10 Client.timeout
            11-12 Client.state
            14-18 Client.constructor
            17-17 Client.constructor.helper
            20-23 Client.retry
            25-27 Client.size
            30-32 Shape *
            31-31 Shape.area
            34-38 Options *
            35-35 Options.retries
            36-36 Options.time-out
            37-37 Options.onRetry
            40-40 Point *
            40-40 Point.x
            40-40 Point.y
            41-41 Id
            43-46 Color *
            44-44 Color.Red
            45-45 Color.Green
            48-48 declared
            50-52 main
            51-51 main.nested
            54-57 fetchAll
            59-61 Net.Http *
            60-60 Net.Http.PORT
            63-67 handlers
            64-64 handlers.open
            65-65 handlers.close
            69-69 legacy
            70-70 Client.again
        "#]],
    );
}

#[test]
#[cfg(feature = "go")]
fn go() {
    check(
        Language::Go,
        r#"package client

import "fmt"

const Retries = 3

const (
	Low  = 1
	High = 9
)

var a, b = 1, 2

var (
	ErrGone = fmt.Errorf("gone")
	_       = a
)

// Client calls.
type Client[T any] struct {
	sync.Mutex
	timeout, wait int
	inner         *Inner `json:"inner"`
}

type (
	Id    string
	Alias = Id
)

type Retrier interface {
	Retry(times int) error
	fmt.Stringer
}

func New() *Client[int] {
	var local = 1
	return nil
}

func (c *Client[T]) Retry(times int) error {
	return nil
}

func (Id) Short() string { return "" }
"#,
        expect![[r#"
            5-5 Retries
            8-8 Low
            9-9 High
            12-12 a
            12-12 b
            15-15 ErrGone
            20-24 Client *
            21-21 Client.Mutex
            22-22 Client.timeout
            22-22 Client.wait
            23-23 Client.inner
            27-27 Id
            28-28 Alias
            31-34 Retrier *
            32-32 Retrier.Retry
            36-39 New
            41-43 Client.Retry
            45-45 Id.Short
        "#]],
    );
}

#[test]
#[cfg(feature = "java")]
fn java() {
    check(
        Language::Java,
        r#"package a.b;

import java.util.List;

/** A client. */
@Service
public class Client<T> extends Base implements Retry {
  private static final int RETRIES = 3;
  int low, high[];

  static {
    init();
  }

  public Client(T inner) {
    int local = 1;
  }

  @Override
  @Timed("x")
  public void retry(int times) {
    Runnable r = () -> {};
  }

  enum Color {
    RED,
    GREEN {
      void shine() {}
    };
    int code;
  }

  interface Listener {
    int MAX = 1;
    void changed();
  }

  record Point(int x, int y) {
    Point {
      check(x);
    }
  }

  @interface Timed {
    String value() default "";
  }
}
"#,
        expect![[r#"
            6-47 Client *
            8-8 Client.RETRIES
            9-9 Client.low
            9-9 Client.high
            15-17 Client.Client
            19-23 Client.retry
            25-31 Client.Color *
            26-26 Client.Color.RED
            27-29 Client.Color.GREEN *
            28-28 Client.Color.GREEN.shine
            30-30 Client.Color.code
            33-36 Client.Listener *
            34-34 Client.Listener.MAX
            35-35 Client.Listener.changed
            38-42 Client.Point *
            39-41 Client.Point.Point
            44-46 Client.Timed *
            45-45 Client.Timed.value
        "#]],
    );
}

#[test]
#[cfg(feature = "c")]
fn c() {
    check(
        Language::C,
        r#"#ifndef CLIENT_H
#define CLIENT_H
#include <stdio.h>
#define MAX(a, b) \
  ((a) > (b) ? (a) : (b))

typedef struct client client_t;

struct client {
  int timeout, *wait;
  struct { int low; } range;
  void (*retry)(struct client *);
};

typedef struct {
  int x;
} point;

typedef struct node {
  struct node *next;
} node;

typedef int (*callback)(void *);

enum color { RED, GREEN = 2 };

static const char *names[] = {"a", "b"};
extern int count;

int client_retry(struct client *c, int times);

static inline struct client *
client_new(void)
{
  int local = 1;
  static int kept;
  return NULL;
}
#endif
"#,
        expect![[r#"
            2-2 CLIENT_H
            4-5 MAX
            7-7 client_t
            9-13 client *
            10-10 client.timeout
            10-10 client.wait
            11-11 client.range
            11-11 client.range.low
            12-12 client.retry
            15-17 point *
            16-16 point.x
            19-21 node *
            20-20 node.next
            23-23 callback
            25-25 color *
            25-25 color.RED
            25-25 color.GREEN
            27-27 names
            28-28 count
            30-30 client_retry
            32-38 client_new
        "#]],
    );
}

#[test]
#[cfg(feature = "cpp")]
fn cpp() {
    check(
        Language::Cpp,
        r#"#pragma once
namespace net::http {

constexpr int kRetries = 3;

template <typename T>
class Client : public Base {
 public:
  explicit Client(T inner) : inner_(inner) {}
  ~Client();
  virtual void retry(int times) const = 0;
  bool operator==(const Client& other) const { return true; }
  static int count;

 private:
  T inner_;
  enum class State { Open, Closed };
};

template <typename T>
T Client<T>::take() {
  auto local = 1;
  return inner_;
}

Client<int>::~Client() {}

using Short = Client<int>;

}  // namespace net::http

namespace {
void helper() {}
}

void net::http::run(int a) {}
"#,
        expect![[r#"
            2-30 net.http *
            4-4 net.http.kRetries
            6-18 net.http.Client *
            9-9 net.http.Client.Client
            10-10 net.http.Client.~Client
            11-11 net.http.Client.retry
            12-12 net.http.Client.operator==
            13-13 net.http.Client.count
            16-16 net.http.Client.inner_
            17-17 net.http.Client.State *
            17-17 net.http.Client.State.Open
            17-17 net.http.Client.State.Closed
            20-24 net.http.Client.take
            26-26 net.http.Client.~Client
            28-28 net.http.Short
            33-33 helper
            36-36 net.http.run
        "#]],
    );
}

#[test]
#[cfg(feature = "ruby")]
fn ruby() {
    check(
        Language::Ruby,
        r#"require "set"

module Net
  RETRIES = 3

  class Http::Client < Base
    attr_reader :timeout

    def initialize(inner)
      @inner = inner
    end

    def self.open(path) = new(path)

    class << self
      def close; end
    end

    def retry?(times)
      text = <<~TEXT
        again #{times}
      TEXT
      text
    end

    private def hidden
      1
    end

    def size=(size)
      @size = size
    end
  end
end

def helper
end
"#,
        expect![[r#"
            3-34 Net *
            4-4 Net.RETRIES
            6-33 Net.Http.Client *
            9-11 Net.Http.Client.initialize
            13-13 Net.Http.Client.open
            16-16 Net.Http.Client.close
            19-24 Net.Http.Client.retry?
            26-28 Net.Http.Client.hidden
            30-32 Net.Http.Client.size=
            36-37 helper
        "#]],
    );
}

#[test]
#[cfg(feature = "shell")]
fn shell() {
    check(
        Language::Shell,
        r#"#!/bin/sh
set -eu

RETRIES=3
readonly LOW=1
export PATH="$PATH:bin"

# Again.
retry() {
  local times="$1"
  count=0
  inner() { :; }
  while [ "$count" -lt "$times" ]; do
    "$@" && return
    count=$((count + 1))
  done
}

function main {
  retry "$RETRIES" curl "$(cat url)"
}

main "$@"
"#,
        expect![[r#"
            4-4 RETRIES
            5-5 LOW
            6-6 PATH
            9-17 retry
            12-12 retry.inner
            19-21 main
        "#]],
    );
}

#[test]
#[cfg(feature = "rust")]
fn a_name_is_found_however_it_is_written() {
    let outline = outline(
        Language::Rust,
        "struct Client { retry: u8 }\nimpl Client {\n  fn retry(&self) {}\n}\nmod net {\n  struct Client;\n}\nfn retry_all() {}\n",
    );
    for (asked, found) in [
        ("Client", "1 Client, 2 Client"),
        ("net::Client", "6 net.Client"),
        ("net/Client", "6 net.Client"),
        ("Client.retry", "1 Client.retry, 3 Client.retry"),
        ("Client#retry", "1 Client.retry, 3 Client.retry"),
        ("retry", "1 Client.retry, 3 Client.retry"),
        (" retry() ", "1 Client.retry, 3 Client.retry"),
        ("retry_all(&self, times: u8)", "8 retry_all"),
        ("all", ""),
        ("lient", ""),
        ("Other.retry", ""),
        ("", ""),
        ("()", ""),
    ] {
        let names = outline.find(asked).into_iter().map(|number| &outline.symbols[number]);
        let names: Vec<_> = names.map(|symbol| format!("{} {}", symbol.lines.0, symbol.name)).collect();
        assert_eq!(names.join(", "), found, "{asked}");
    }
}

#[test]
#[cfg(feature = "python")]
fn lines_belong_to_the_innermost_symbol() {
    let outline = outline(
        Language::Python,
        "@x\nclass A:\n    b = 1\n\n    def c(self):\n        def d():\n            pass\n        return d\n\ne()\n",
    );
    for (first, last, name) in [
        (1, 1, "A"),
        (3, 3, "A.b"),
        (4, 4, "A"),
        (5, 5, "A.c"),
        (7, 7, "A.c.d"),
        (7, 8, "A.c"),
        (3, 5, "A"),
        (8, 10, ""),
        (10, 10, ""),
        (99, 99, ""),
    ] {
        let found = outline.enclosing(first, last).map_or("", |number| outline.symbols[number].name.as_str());
        assert_eq!(found, name, "{first}-{last}");
    }
}
