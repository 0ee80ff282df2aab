//! What formatters do makes no difference; what people do does (VAL-3).

use ken_anchors::Language;

use crate::{outline, prints};

/// Rows of name, before, after. What is in `same` is the same, what is in `differ` is not.
struct Table {
    language: Language,
    same: &'static [(&'static str, &'static str, &'static str)],
    differ: &'static [(&'static str, &'static str, &'static str)],
}

fn check(table: Table) {
    let mut wrong = Vec::new();
    let rows = table.same.iter().map(|row| (row, true)).chain(table.differ.iter().map(|row| (row, false)));
    for ((name, before, after), same) in rows {
        let (before, after) = (outline(table.language, before), outline(table.language, after));
        if (before.fault, after.fault) != (None, None) {
            wrong.push(format!("{name}: the test has a fault in line {:?}, {:?}", before.fault, after.fault));
        }
        if (prints(&before) == prints(&after)) != same {
            wrong.push(format!("{name}: {}", if same { "should be the same" } else { "should differ" }));
        }
    }
    assert!(wrong.is_empty(), "{:?}\n{}", table.language, wrong.join("\n"));
}

#[test]
#[cfg(feature = "rust")]
fn rust() {
    check(Table {
        language: Language::Rust,
        same: &[
            ("layout", "fn a(x: u8) -> u8 { x + 1 }", "fn a(\n    x: u8,\n) -> u8\n{\n\tx\n        + 1\n}\n"),
            ("comments", "fn a() { b() }", "/// Docs.\n// More.\nfn a() { /* why */ b() // end\n}"),
            ("inner docs", "mod a { fn b() {} }", "mod a {\n//! Docs.\nfn b() {} }"),
            ("line ends", "fn a() { \"x\ny\" }", "fn a() {\r\n \"x\r\ny\" }"),
            ("byte order mark", "fn a() {}", "\u{feff}fn a() {}"),
            ("comma in a list", "const A: [u8; 2] = [1, 2];", "const A: [u8; 2] = [\n1,\n2,\n];"),
            ("comma in a macro", "fn a() { vec![1, 2] }", "fn a() { vec![1, 2,] }"),
            ("comma of fields", "struct A { b: u8, c: u8 }", "struct A { b: u8, c: u8, }"),
            ("comma of generics", "fn a<T, U>() {}", "fn a<\nT,\nU,\n>() {}"),
            ("comma in where", "fn a<T>() where T: B {}", "fn a<T>()\nwhere\n    T: B,\n{}"),
            (
                "arm body",
                "fn a() { match b { C => d, E => f } }",
                "fn a() { match b { C => { d } E => { f } } }",
            ),
            (
                "arm comma",
                "fn a() { match b { C => {} E => {} } }",
                "fn a() { match b { C => {}, E => {}, } }",
            ),
            (
                "arm of a block",
                "fn a() { match b { C => if d { e } else { f }, _ => g } }",
                "fn a() { match b { C => { if d { e } else { f } } _ => g } }",
            ),
            (
                "arm that returns",
                "fn a() { match b { _ => return c } }",
                "fn a() { match b { _ => { return c; } } }",
            ),
            ("closure in a macro", "fn a() { b!(c(|d| d)) }", "fn a() { b!(c(|d| { d })) }"),
            ("closure body", "fn a() { b(|c| c + 1) }", "fn a() { b(|c| { c + 1 }) }"),
            ("return", "fn a() { return b }", "fn a() { return b; }"),
            (
                "leading bar",
                "fn a() { match b { C | D => 1, _ => 2 } }",
                "fn a() { match b { | C | D => 1, _ => 2 } }",
            ),
            ("one import", "use a::b;", "use a::{b};"),
            ("macro rules", "macro_rules! a { () => { 1 } }", "macro_rules! a {\n () => { 1 };\n}"),
        ],
        differ: &[
            ("operator", "fn a() { b + c }", "fn a() { b - c }"),
            ("literal", "fn a() { 1 }", "fn a() { 2 }"),
            ("text", "fn a() { \"x  y\" }", "fn a() { \"x y\" }"),
            ("text and name", "fn a() { f(\"b\") }", "fn a() { f(b) }"),
            ("escape", r#"fn a() { "a\nb" }"#, r#"fn a() { "a\tb" }"#),
            ("order", "fn a() { b(); c(); }", "fn a() { c(); b(); }"),
            ("tuple of one", "fn a() { (b,) }", "fn a() { (b) }"),
            ("no value", "fn a() { b() }", "fn a() { b(); }"),
            ("arm of a statement", "fn a() { match b { _ => c() } }", "fn a() { match b { _ => { c(); } } }"),
            ("attribute", "fn a() {}", "#[inline]\nfn a() {}"),
            ("visibility", "fn a() {}", "pub fn a() {}"),
            ("lifetime", "fn a<'b>() {}", "fn a<'c>() {}"),
            ("import of itself", "use a::{self};", "use a::self;"),
        ],
    });
}

#[test]
#[cfg(feature = "python")]
fn python() {
    check(Table {
        language: Language::Python,
        same: &[
            ("indent", "if a:\n  b()\n  c()\n", "if a:\n\n        b()\n        c()\n"),
            ("one line", "if a: b()\n", "if a:\n    b()\n"),
            ("semicolon", "a(); b()\n", "a()\nb()\n"),
            ("comments", "def a():\n    b()\n", "# One.\ndef a():  # Two.\n    # Three.\n    b()\n"),
            ("docstring", "def a():\n    b()\n", "def a():\n    '''What it does.\n\n    More.'''\n    b()\n"),
            ("docstring of a class", "class A:\n    b = 1\n", "class A:\n    \"Docs.\"\n    b = 1\n"),
            ("docstring of a file", "a()\n", "\"\"\"Docs.\"\"\"\n\na()\n"),
            ("quotes", "a = 'b'\n", "a = \"b\"\n"),
            ("quotes in quotes", "a = 'it\\'s'\n", "a = \"it's\"\n"),
            ("triple quotes", "a = '''b'''\n", "a = \"\"\"b\"\"\"\n"),
            ("prefix", "a = U'b'; c = F'{d}'\n", "a = 'b'; c = f\"{d}\"\n"),
            ("comma", "a(b, c)\n", "a(\n    b,\n    c,\n)\n"),
            ("comma of a dictionary", "a = {'b': 1}\n", "a = {\n    \"b\": 1,\n}\n"),
            ("brackets", "a = b + c\nreturn_(d)\n", "a = (\n    b\n    + c\n)\nreturn_((d))\n"),
            ("brackets of a condition", "if a and b:\n    pass\n", "if (\n    a\n    and b\n):\n    pass\n"),
            (
                "brackets of an answer",
                "def a():\n    return b, c\n",
                "def a():\n    return (\n        b,\n        c,\n    )\n",
            ),
            ("brackets of targets", "for a, b in c:\n    pass\n", "for (a, b) in c:\n    pass\n"),
            ("imports", "from a import b, c\n", "from a import (\n    b,\n    c,\n)\n"),
            ("with", "with a as b, c as d:\n    pass\n", "with (\n    a as b,\n    c as d,\n):\n    pass\n"),
            ("no bases", "class A():\n    pass\n", "class A:\n    pass\n"),
            ("joined texts", "a = 'b' 'c'\n", "a = 'bc'\n"),
            ("line goes on", "a = b + c\n", "a = b + \\\n    c\n"),
            ("numbers", "a = 0xFF + 1. + .5 + 1E+3\n", "a = 0xff + 1.0 + 0.5 + 1e3\n"),
            ("codes", "a = '\\xAB\\uFFFD'\n", "a = \"\\xab\\ufffd\"\n"),
            ("brackets of a power", "a = -b**c\n", "a = -(b**c)\n"),
            ("brackets of a choice", "a = b if c else d if e else f\n", "a = b if c else (d if e else f)\n"),
            ("joined texts with code", "a = f'{b}' 'c'\n", "a = (\n    f\"{b}\"\n    \"c\"\n)\n"),
            ("order of prefixes", "a = br'b'\n", "a = rb\"b\"\n"),
        ],
        differ: &[
            ("dedent", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
            ("next line", "a = b\n-c\n", "a = b - c\n"),
            ("operator", "a = b + c\n", "a = b - c\n"),
            ("precedence", "a = (b + c) * d\n", "a = b + c * d\n"),
            ("literal", "a = 1\n", "a = 1.0\n"),
            ("raw", "a = r'\\d'\n", "a = '\\d'\n"),
            ("bytes", "a = b'c'\n", "a = 'c'\n"),
            ("tuple of one", "a = b,\n", "a = b\n"),
            ("tuple as argument", "a((b, c))\n", "a(b, c)\n"),
            ("order", "a()\nb()\n", "b()\na()\n"),
            ("text that is no docstring", "a()\n'x'\n", "a()\n'y'\n"),
            ("code in a text", "a = f'{b}'\n", "a = f'{c}'\n"),
            ("text around code", "a = f'x {b}'\n", "a = f'x  {b}'\n"),
            ("decorator", "def a():\n    pass\n", "@b\ndef a():\n    pass\n"),
        ],
    });
}

#[test]
#[cfg(feature = "typescript")]
fn typescript() {
    check(Table {
        language: Language::TypeScript,
        same: &[
            (
                "layout",
                "function a(b: number) { return b + 1 }",
                "function a(\n  b: number,\n) {\n  return b + 1;\n}\n",
            ),
            ("comments", "a()", "/** Docs. */\n// More.\na() /* why */"),
            ("semicolons", "a()\nb()\n", "a();;\nb();\n"),
            ("quotes", "a('b')", "a(\"b\")"),
            ("quotes in quotes", "a('it\\'s')", "a(\"it's\")"),
            ("comma", "a({ b: 1, c: [2] })", "a({\n  b: 1,\n  c: [2,],\n})"),
            ("arrow", "a(b => b)", "a((b) => b);"),
            ("quoted name", "a = { 'b': 1 }", "a = { b: 1 };"),
            ("brackets", "a = (b); return_((c));", "a = b; return_(c);"),
            ("brackets for clarity", "a = b && c || d % e * f", "a = (b && c) || (d % e) * f;"),
            ("brackets of a choice", "a(b => b ? c : d)", "a((b) => (b ? c : d));"),
            ("brackets of an assignment", "while (a = b()) {}", "while ((a = b())) {}"),
            (
                "members",
                "interface A { b: string, c(): void }",
                "interface A {\n  b: string;\n  c(): void;\n}",
            ),
            ("leading bar", "type A = B | C", "type A =\n  | B\n  | C;"),
            ("class", "class A { b = 1\n c() {} }", "class A {\n  b = 1;\n  c() {}\n}"),
            ("numbers", "a(0XFF, .5, 1.50, 2.)", "a(0xff, 0.5, 1.5, 2)"),
            ("new", "a = new B, c = (new D(1)).e", "a = new B(), c = new D(1).e;"),
            ("called at once", "a = (function () {}())", "a = (function () {})();"),
            ("body of a loop", "for (a; b; c) d();", "for (a; b; c) d()"),
            ("brackets of one chain", "a = b || (c || d)", "a = b || c || d;"),
            ("index", "a = { '2': 1 }", "a = { 2: 1 };"),
            ("brackets of a nested choice", "a = b ? (c && d) : (e ? f : g)", "a = b ? c && d : e ? f : g;"),
            ("brackets of a sequence", "if (a) b = 1, c = 2", "if (a) ((b = 1), (c = 2));"),
            ("empty text", "a('')", "a(\"\");"),
        ],
        differ: &[
            ("operator", "a = b + c", "a = b - c"),
            ("literal", "a(1)", "a(2)"),
            ("precedence", "a = (b + c) * d", "a = b + c * d"),
            ("same rank to the right", "a = b - (c - d)", "a = b - c - d"),
            ("hole", "a = [b,,]", "a = [b,]"),
            ("order", "a(); b()", "b(); a()"),
            ("choice as condition", "a = (b ? c : d) ? e : f", "a = b ? c : d ? e : f"),
            ("sequence", "a = (b, c)", "a = b, c"),
            ("arrow that is called", "a = (() => b)()", "a = () => b()"),
            ("object or block", "a(() => ({}))", "a(() => {})"),
            ("call or next line", "a\n;(b)", "a(b)"),
            ("template", "a(`b ${c}`)", "a(`b  ${c}`)"),
            ("code in a template", "a(`b ${c}`)", "a(`b ${d}`)"),
            ("text and name", "a('b')", "a(b)"),
            ("type", "let a: string", "let a: number"),
            ("loop", "for (a; b;) {}", "for (; a; b) {}"),
        ],
    });
}

#[test]
#[cfg(feature = "typescript")]
fn elements() {
    check(Table {
        language: Language::JavaScript,
        same: &[(
            "broken lines",
            "const A = () => <p class='b'>one two <b>three</b></p>",
            "const A = () => (\n  <p class=\"b\">\n    one two{\" \"}\n    <b>three</b>\n  </p>\n);",
        )],
        differ: &[
            ("words", "a = <p>one two</p>", "a = <p>one three</p>"),
            ("attribute", "a = <p b='c' />", "a = <p b='d' />"),
        ],
    });
}

#[test]
#[cfg(feature = "go")]
fn go() {
    check(Table {
        language: Language::Go,
        same: &[
            ("layout", "package a\nfunc b() { c(); d() }", "package a\n\nfunc b() {\n\tc()\n\td()\n}\n"),
            ("comments", "package a\nvar b = 1", "// Docs.\npackage a\n\n// More.\nvar b = 1 // why\n"),
            ("comma", "package a\nvar b = c(d, e)", "package a\nvar b = c(\n\td,\n\te,\n)"),
            (
                "brackets",
                "package a\nfunc b() { if (c) { d() } }",
                "package a\nfunc b() {\n\tif c {\n\t\td()\n\t}\n}",
            ),
            (
                "alignment",
                "package a\ntype b struct { c int; dd string }",
                "package a\ntype b struct {\n\tc  int\n\tdd string\n}",
            ),
        ],
        differ: &[
            ("operator", "package a\nvar b = c + d", "package a\nvar b = c - d"),
            ("raw text", "package a\nvar b = `c  d`", "package a\nvar b = `c d`"),
            ("order", "package a\nfunc b() { c(); d() }", "package a\nfunc b() { d(); c() }"),
            ("loop", "package a\nfunc b() { for ; c; d() {} }", "package a\nfunc b() { for c(); d(); {} }"),
        ],
    });
}

#[test]
#[cfg(feature = "java")]
fn java() {
    check(Table {
        language: Language::Java,
        same: &[
            (
                "layout",
                "class A { int b(int c) { return c + 1; } }",
                "class A {\n  int b(\n      int c) {\n    return c\n        + 1;\n  }\n}",
            ),
            ("comments", "class A { int b; }", "/** Docs. */\nclass A {\n  // More.\n  int b; /* why */\n}"),
            ("comma", "class A { int[] b = {1, 2}; }", "class A { int[] b = {1, 2,}; }"),
        ],
        differ: &[
            ("operator", "class A { int b = c + d; }", "class A { int b = c - d; }"),
            ("annotation", "class A { void b() {} }", "class A { @Override void b() {} }"),
            ("text", "class A { String b = \"c  d\"; }", "class A { String b = \"c d\"; }"),
        ],
    });
}

#[test]
#[cfg(feature = "c")]
fn c() {
    check(Table {
        language: Language::C,
        same: &[
            ("layout", "int a(char *b) { return *b; }", "int\na(char* b)\n{\n  return *b;\n}\n"),
            ("comments", "int a;", "/* Docs. */\nint a; // why\n"),
            (
                "macro",
                "#define A(b) do { c(b); } while (0)\n",
                "#define A(b)   \\\n  do {         \\\n    c(b);      \\\n  } while (0)\n",
            ),
            ("directive", "#ifdef A\n#define B 1\n#endif\n", "#ifdef A\n#  define B 1\n#endif\n"),
            ("broken text", "char *a = \"bc\";", "char *a = \"b\"\n          \"c\";"),
            ("comma", "int a[] = {1, 2};", "int a[] = {\n  1,\n  2,\n};"),
        ],
        differ: &[
            ("operator", "int a(void) { return b + c; }", "int a(void) { return b - c; }"),
            ("macro", "#define A 1\n", "#define A 2\n"),
            ("text", "char *a = \"b  c\";", "char *a = \"b c\";"),
            ("star", "char *a;", "char a;"),
        ],
    });
}

#[test]
#[cfg(feature = "cpp")]
fn cpp() {
    check(Table {
        language: Language::Cpp,
        same: &[
            (
                "layout",
                "template <class T> T a(T const& b) { return b; }",
                "template <class T>\nT a(T const &b)\n{\n  return b;\n}\n",
            ),
            ("comments", "namespace a { int b; }", "// Docs.\nnamespace a {\nint b;\n}  // namespace a\n"),
        ],
        differ: &[
            ("base", "class A : public B {};", "class A : private B {};"),
            ("raw text", "auto a = R\"(b  c)\";", "auto a = R\"(b c)\";"),
        ],
    });
}

#[test]
#[cfg(feature = "ruby")]
fn ruby() {
    check(Table {
        language: Language::Ruby,
        same: &[
            ("layout", "def a(b); b + 1; end", "def a(b)\n  b + 1\nend\n"),
            ("comments", "a\n", "# Docs.\na # why\n"),
            ("quotes", "a 'b'", "a \"b\""),
            ("comma", "a = [1, 2]", "a = [\n  1,\n  2,\n]"),
        ],
        differ: &[
            ("operator", "a = b + c", "a = b - c"),
            ("next line", "a\nb", "a b"),
            ("code in a text", "a \"#{b}\"", "a \"#{c}\""),
            ("here text", "a = <<~B\n  c  d\nB\n", "a = <<~B\n  c d\nB\n"),
            ("symbol", "a :b", "a :c"),
        ],
    });
}

#[test]
#[cfg(feature = "shell")]
fn shell() {
    check(Table {
        language: Language::Shell,
        same: &[
            ("layout", "if a; then b; fi", "if a\nthen\n  b\nfi\n"),
            ("comments", "a b\n", "# Docs.\na b # why\n"),
            ("line goes on", "a b c\n", "a b \\\n  c\n"),
            ("substitution", "a=`b c`\n", "a=$(b c)\n"),
        ],
        differ: &[
            ("next line", "a\nb\n", "a b\n"),
            ("one word", "a b\"c\"\n", "a b \"c\"\n"),
            ("text", "a 'b  c'\n", "a 'b c'\n"),
            ("text around code", "a \"b  $c\"\n", "a \"b $c\"\n"),
            ("here text", "a <<B\nc  d\nB\n", "a <<B\nc d\nB\n"),
            ("expansion", "a ${b:-c}\n", "a ${b:-d}\n"),
        ],
    });
}
