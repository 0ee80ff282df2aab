//! How an entry is named: its id, its handle, or a prefix of one.

use expect_test::expect;

use crate::story::check;

#[test]
fn an_ambiguous_beginning_lists_the_choices() {
    check(
        r#"
        ada adds lesson net.one "First of all."
        ada adds lesson net.two "Second."
        show net
        ada retracts net
        show net.o
        show ne
        show [net.one]
        show ""
        show nobody
        show ../../etc/passwd
        show L-270c95
        list
        "#,
        expect![[r#"
            ada adds lesson net.one "First of all."
                added net.one
            ada adds lesson net.two "Second."
                added net.two
            show net
                refused: "net" matches 2 entries: net.one (First of all.), net.two (Second.)
            ada retracts net
                refused: "net" matches 2 entries: net.one (First of all.), net.two (Second.)
            show net.o
                net.one lesson candidate; rests on pr:1?; statement "First of all."
            show ne
                refused: no entry has the id "ne", and it is too short for a prefix
            show [net.one]
                net.one lesson candidate; rests on pr:1?; statement "First of all."
            show ""
                refused: no id was given
            show nobody
                refused: no entry matches "nobody"
            show ../../etc/passwd
                refused: no entry matches "../../etc/passwd"
            show L-270c95
                net.one lesson candidate; rests on pr:1?; statement "First of all."
            list
                [net.two net.one]
        "#]],
    );
}

#[test]
fn an_exact_id_is_no_beginning_of_another() {
    check(
        r#"
        ada adds lesson net "First of all."
        ada adds lesson net.two "Second."
        show net
        show net.
        "#,
        expect![[r#"
            ada adds lesson net "First of all."
                added net
            ada adds lesson net.two "Second."
                added net.two
            show net
                net lesson candidate; rests on pr:1?; statement "First of all."
            show net.
                net.two lesson candidate; rests on pr:1?; statement "Second."
        "#]],
    );
}
