//! Expressions DynamoDB reads, and how they are written back.

use crate::expression::{parse_condition, parse_key_condition, parse_update};

/// The text, and how it is written back where that differs.
type Written = (&'static str, Option<&'static str>);

const CONDITIONS: &[Written] = &[
    ("a = :a", None),
    ("a <> :a", None),
    ("a<:a", Some("a < :a")),
    ("a<=:a", Some("a <= :a")),
    ("a > b", None),
    (":a >= size(b.c)", None),
    ("size ( a ) > :n", Some("size(a) > :n")),
    ("#a.#b[0].c[12] = :v_1", None),
    ("a . b [ 007 ] = :v", Some("a.b[7] = :v")),
    ("a between :l and :h", Some("a BETWEEN :l AND :h")),
    ("a BETWEEN :l AND :h AND b = :b", None),
    ("a In(:x,:y , z)", Some("a IN (:x, :y, z)")),
    ("attribute_exists(a)", None),
    (
        "attribute_not_exists (#a.b)",
        Some("attribute_not_exists(#a.b)"),
    ),
    ("attribute_type(a, :t)", None),
    ("begins_with(a, :p)", None),
    ("contains(a, b)", None),
    ("contains(:set, a)", None),
    ("contains(a, size(b))", None),
    ("NOT a = :a", None),
    ("not not a = :a", Some("NOT NOT a = :a")),
    ("NOT (a = :a)", Some("NOT a = :a")),
    ("NOT (a = :a AND b = :b)", None),
    ("(a = :a)", Some("a = :a")),
    ("(a) = (:a)", Some("a = :a")),
    (
        "(size(a)) BETWEEN (:l) AND :h",
        Some("size(a) BETWEEN :l AND :h"),
    ),
    ("a = :a AND b = :b OR c = :c", None),
    (
        "(a = :a AND b = :b) OR c = :c",
        Some("a = :a AND b = :b OR c = :c"),
    ),
    ("a = :a AND (b = :b OR c = :c)", None),
    ("(a = :a AND b = :b) AND c = :c", None),
    ("(a = :a OR b = :b) AND (c = :c OR d = :d)", None),
    ("(NOT a = :a) AND b = :b", Some("NOT a = :a AND b = :b")),
    ("\t a\n=\r\n:a  ", Some("a = :a")),
    // Words of other expressions are names here; whether they are reserved is another question.
    ("set = :s AND size = :n AND contains = :c", None),
    ("notable = :a AND android = :b AND inner = :c", None),
    // From the developer guide.
    (
        "(ProductCategory IN (:cat1, :cat2)) and (Price between :lo and :hi)",
        Some("ProductCategory IN (:cat1, :cat2) AND Price BETWEEN :lo AND :hi"),
    ),
    (
        "attribute_not_exists(Pictures.#fv) AND size(VideoHtml) <= :m",
        None,
    ),
];

const KEY_CONDITIONS: &[Written] = &[
    ("PK = :pk", None),
    ("#pk = :pk AND begins_with(SK, :prefix)", None),
    ("SK > :s AND PK = :pk", None),
    ("PK = :pk AND SK BETWEEN :a AND :b", None),
    ("PK = :pk AND SK < :s", None),
    ("PK = :pk AND SK <= :s", None),
    ("PK = :pk AND SK >= :s", None),
    ("(PK = :pk) AND (SK = :s)", Some("PK = :pk AND SK = :s")),
    ("(PK = :pk AND SK = :s)", Some("PK = :pk AND SK = :s")),
    (":pk = PK AND :s < SK", Some("PK = :pk AND SK > :s")),
];

const UPDATES: &[Written] = &[
    (
        "SET a = :v, b = if_not_exists(b,:z) + :one REMOVE c, d ADD n :one DELETE s :x",
        Some("SET a = :v, b = if_not_exists(b, :z) + :one REMOVE c, d ADD n :one DELETE s :x"),
    ),
    ("set a=b-c", Some("SET a = b - c")),
    ("SET a = :b + :c + :d", None),
    ("SET a = (b + :c)", Some("SET a = b + :c")),
    ("SET a = (b) + (:c)", Some("SET a = b + :c")),
    (
        "SET #l = list_append(if_not_exists(#l, :empty), :new)",
        None,
    ),
    ("SET l[1] = :v, m.#k.n = m.#k.n - :one", None),
    ("remove a[0], b.c", Some("REMOVE a[0], b.c")),
    ("DELETE s :x ADD n :n", None),
    ("SET and = :a, size = :b", None),
];

#[test]
fn conditions_are_written_back() {
    holds(CONDITIONS, |text| {
        parse_condition(text).map(|it| it.to_string())
    });
}

#[test]
fn key_conditions_are_written_back() {
    holds(KEY_CONDITIONS, |text| {
        parse_key_condition(text).map(|it| it.to_string())
    });
}

#[test]
fn updates_are_written_back() {
    holds(UPDATES, |text| parse_update(text).map(|it| it.to_string()));
}

fn holds<E: std::fmt::Display>(table: &[Written], read: fn(&str) -> Result<String, E>) {
    for (text, written) in table {
        let expected = written.unwrap_or(text);
        let first = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(first, expected, "{text}");
        let again = read(&first).unwrap_or_else(|error| panic!("{first}: {error}"));
        assert_eq!(again, expected, "{text}, written back and read again");
    }
}

#[test]
fn the_limits_themselves_are_allowed() {
    let hundred = vec![":v"; 100].join(", ");
    assert!(parse_condition(&format!("a IN ({hundred})")).is_ok());

    let three_hundred_operators = vec!["a=:v"; 150].join(" OR ");
    assert!(parse_condition(&format!("NOT {three_hundred_operators}")).is_ok());

    let deep = format!("{}a=:v{}", "NOT (".repeat(32), ")".repeat(32));
    assert!(parse_condition(&deep).is_ok());

    let long = format!("{}=:v", "a".repeat(4096 - 3));
    assert!(parse_condition(&long).is_ok());
}
