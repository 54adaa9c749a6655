//! What binds tighter, and where the pieces stand.

use super::shape;
use crate::expression::{Condition, Operand, PathSegment, parse_condition};

#[test]
fn comparisons_bind_tighter_than_not_then_and_then_or() {
    let table = [
        (
            "a=:a OR b=:b AND c=:c",
            "(or (a = :a) (and (b = :b) (c = :c)))",
        ),
        (
            "a=:a AND b=:b OR c=:c",
            "(or (and (a = :a) (b = :b)) (c = :c))",
        ),
        (
            "(a=:a OR b=:b) AND c=:c",
            "(and (or (a = :a) (b = :b)) (c = :c))",
        ),
        ("NOT a=:a AND b=:b", "(and (not (a = :a)) (b = :b))"),
        ("NOT (a=:a AND b=:b)", "(not (and (a = :a) (b = :b)))"),
        (
            "a=:a AND NOT b=:b OR c=:c",
            "(or (and (a = :a) (not (b = :b))) (c = :c))",
        ),
        ("NOT NOT a=:a OR b=:b", "(or (not (not (a = :a))) (b = :b))"),
        (
            "NOT a IN (:a, :b) AND c=:c",
            "(and (not (in a :a :b)) (c = :c))",
        ),
        (
            "a BETWEEN :l AND :h AND b BETWEEN :m AND :n OR c=:c",
            "(or (and (between a :l :h) (between b :m :n)) (c = :c))",
        ),
        (
            "NOT contains(a, :a) OR b=:b",
            "(or (not (contains(a, :a))) (b = :b))",
        ),
        ("a=:a AND b=:b AND c=:c", "(and (a = :a) (b = :b) (c = :c))"),
        (
            "a=:a AND (b=:b AND c=:c)",
            "(and (a = :a) (and (b = :b) (c = :c)))",
        ),
        (
            "a=:a OR b=:b OR c=:c AND d=:d",
            "(or (a = :a) (b = :b) (and (c = :c) (d = :d)))",
        ),
    ];
    for (text, expected) in table {
        let condition = parse_condition(text).expect(text);
        assert_eq!(shape(&condition), expected, "{text}");
    }
}

#[test]
fn every_piece_knows_where_it_stands() {
    let text = " NOT (#a.b[3] = :v) AND size( c ) > :n ";
    let Ok(Condition::And { terms, span }) = parse_condition(text) else {
        panic!("an AND");
    };
    assert_eq!(&text[span], "NOT (#a.b[3] = :v) AND size( c ) > :n");
    assert_eq!(&text[terms[0].span()], "NOT (#a.b[3] = :v)");
    assert_eq!(&text[terms[1].span()], "size( c ) > :n");
    let paths: Vec<_> = terms.iter().flat_map(Condition::paths).collect();
    assert_eq!(&text[paths[0].span.clone()], "#a.b[3]");
    assert_eq!(&text[paths[0].name.span.clone()], "#a");
    let PathSegment::Index { index: 3, span } = &paths[0].segments[1] else {
        panic!("an index");
    };
    assert_eq!(&text[span.clone()], "[3]");
    let Condition::Comparison { left, .. } = &terms[1] else {
        panic!("a comparison");
    };
    assert!(matches!(left, Operand::Size { .. }));
    assert_eq!(&text[left.span()], "size( c )");
}
