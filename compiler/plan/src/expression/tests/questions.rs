//! Questions about expressions that have been read.

use crate::expression::{
    ClauseKind, Condition, KeyTest, MentionsNames, NameRef, parse_condition, parse_key_condition,
    parse_update, unaliased_reserved_words,
};

fn condition(text: &str) -> Condition {
    parse_condition(text).expect(text)
}

fn texts(names: Vec<NameRef>) -> Vec<String> {
    names.into_iter().map(|name| name.text).collect()
}

#[test]
fn paths_and_values_come_in_the_order_of_the_text() {
    let condition = condition(
        "a.x = :1 AND (#b IN (:2, c) OR NOT d BETWEEN :3 AND size(e)) \
         AND attribute_type(f, :4) AND contains(:5, g) AND attribute_exists(a.y)",
    );
    let paths: Vec<_> = condition
        .paths()
        .map(|path| path.name.text.as_str())
        .collect();
    assert_eq!(paths, ["a", "#b", "c", "d", "e", "f", "g", "a"]);
    let values: Vec<_> = condition
        .values()
        .map(|value| value.text.as_str())
        .collect();
    assert_eq!(values, [":1", ":2", ":3", ":4", ":5"]);
}

#[test]
fn a_condition_mentions_its_top_level_attributes_as_written() {
    let condition = condition("a.b = :v AND NOT attribute_exists(#c)");
    assert!(condition.mentions("a") && condition.mentions("#c"));
    assert!(!condition.mentions("b") && !condition.mentions("c") && !condition.mentions("A"));
}

#[test]
fn required_equalities_stand_alone_or_under_and() {
    let equalities = |text| -> Vec<String> {
        let condition = condition(text);
        let pairs = condition.required_equalities().into_iter();
        pairs
            .map(|(path, value)| format!("{path}{value}"))
            .collect()
    };
    assert_eq!(equalities("a = :a"), ["a:a"]);
    assert_eq!(
        equalities(":a = #a.b AND (c > :c AND d = :d)"),
        ["#a.b:a", "d:d"]
    );
    assert_eq!(equalities("(a = :a OR b = :b) AND c = :c"), ["c:c"]);
    assert!(equalities("NOT a = :a").is_empty());
    assert!(equalities("a = :a OR b = :b").is_empty());
    assert!(equalities("a = b AND size(a) = :n").is_empty());
}

#[test]
fn reserved_words_without_an_alias_are_found_with_their_places() {
    let condition = condition("status = :s AND #name = :n AND address.Zone = :z AND PK = :p");
    let found = unaliased_reserved_words(&condition);
    let spans: Vec<_> = found.iter().map(|name| name.span.clone()).collect();
    assert_eq!(spans, [0..6, 39..43]);
    assert_eq!(texts(found), ["status", "Zone"]);

    let key = parse_key_condition("user = :u AND SK > :s").expect("a key condition");
    assert_eq!(texts(unaliased_reserved_words(&key)), ["user"]);

    let update = parse_update("SET a = data + :n, name.b = :v REMOVE #ttl, ttl ADD count :one")
        .expect("an update");
    let reserved = texts(unaliased_reserved_words(&update));
    assert_eq!(reserved, ["data", "name", "ttl", "count"]);
}

#[test]
fn an_update_lists_what_it_touches_and_what_it_reads() {
    let text = "SET a.b = :v, c = if_not_exists(d, :z) + e REMOVE f[0] ADD n :one DELETE s :x";
    let update = parse_update(text).expect("an update");
    let touched: Vec<_> = update
        .touched_paths()
        .map(|(clause, path)| (clause, &text[path.span.clone()]))
        .collect();
    let expected = [
        (ClauseKind::Set, "a.b"),
        (ClauseKind::Set, "c"),
        (ClauseKind::Remove, "f[0]"),
        (ClauseKind::Add, "n"),
        (ClauseKind::Delete, "s"),
    ];
    assert_eq!(touched, expected);
    let paths: Vec<_> = update.paths().map(|path| path.to_string()).collect();
    assert_eq!(paths, ["a.b", "c", "d", "e", "f[0]", "n", "s"]);
    let values: Vec<_> = update.values().map(|value| value.text.as_str()).collect();
    assert_eq!(values, [":v", ":z", ":one", ":x"]);
    let clauses = update
        .clauses
        .iter()
        .map(|clause| &text[clause.span.clone()]);
    let clauses: Vec<_> = clauses.collect();
    assert_eq!(clauses[1..], ["REMOVE f[0]", "ADD n :one", "DELETE s :x"]);
}

#[test]
fn a_key_condition_is_asked_by_the_name_as_written() {
    let key = parse_key_condition("SK BETWEEN :a AND :b AND #pk = :p").expect("a key condition");
    assert!(key.names()[1].is_alias() && !key.names()[0].is_alias());
    let partition = key.term("#pk").expect("the partition");
    assert_eq!(partition.span, 25..33);
    assert!(matches!(&partition.test, KeyTest::Equals(value) if value.text == ":p"));
    assert!(key.term("pk").is_none());
    let values: Vec<_> = key.values().map(|value| value.text.as_str()).collect();
    assert_eq!(values, [":a", ":b", ":p"]);
}
