//! Answers worked out by hand.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tablewright_model::Model;
use tablewright_model::model::EntityId;

use super::*;
use crate::question::{Kind, Refinement};

const NOW: i64 = 1_000_000_000;

/// One of each thing an answer depends on.
const MODEL: &str = r#"
[model]
name = "rooms"

[table.app]
partition_key = "PK"
sort_key      = "SK"
type          = "Type"
ttl           = "ttl"
stream        = "new-and-old-images"

[table.app.index]
GSI1 = { projection = "all" }

[entity.Room]
table = "app"
key   = { partition = "ROOM#{room}", sort = "METADATA" }

[entity.Room.unique]
alias = { partition = "ALIAS#{alias:lower}", sort = "METADATA" }

[entity.Room.counters]
notes   = { counts = "Note" }
by_kind = { counts = "Note", per = "kind" }

[entity.Room.fields]
room  = "id"
alias = "string(1..20)"

[entity.Note]
table = "app"
key   = { partition = "ROOM#{room}", sort = "NOTE#{note}" }
ttl   = "ttl"
index.GSI1 = { partition = "WRITER#{writer}", sort = "{rank:rank}#{note}" }

[entity.Note.fields]
room   = "id"
note   = "id"
writer = "id"
kind   = "enum(text, picture)"
rank   = "ordered(low, medium, high)"
day    = "date?"
title  = "string(..50)"
body   = "string(..50)?"
tags   = "set(string(1..9), ..5)"
price  = "decimal?"
ttl    = "epoch_seconds?"

[access.room]
get = "Room"
by  = ["room"]

[access.room_by_alias]
get = "Room"
by  = ["alias"]

[access.notes]
list   = "Note"
by     = ["room"]
refine = ["kind", "tags"]

[access.with_notes]
list = ["Room", "Note"]
by   = ["room"]

[access.with_notes_backwards]
list  = ["Room", "Note"]
by    = ["room"]
order = "desc"

[access.by_key]
list  = "Note"
by    = ["writer"]
order = "asc"

[access.by_rank]
list  = "Note"
by    = ["writer"]
order = "rank desc"

[access.titles]
list   = "Note"
by     = ["room"]
fields = ["note", "title"]

[access.due]
list  = "Note"
by    = ["room"]
range = "day"
order = "day"

[access.before]
list  = "Note"
by    = ["room"]
range = "day before"

[access.dear]
list  = "Note"
by    = ["room"]
where = "price > :least and (kind = text or not (rank = low)) and body not exists"

[access.search_notes]
search = "Note"
by     = ["room"]
match  = ["title", "body"]

[access.count_notes]
count = "Note"
by    = ["room", "kind"]

[access.count_high]
count = "Note"
by    = ["writer"]
where = "rank = high"

[access.many]
batch = { get = "Note" }
by    = ["room", "note"]
"#;

fn model() -> Model {
    tablewright_model::parse(MODEL).unwrap()
}

fn record(model: &Model, entity: usize, fields: Value) -> Record {
    let Value::Object(fields) = fields else {
        panic!("{fields}")
    };
    Record::of(model, EntityId(entity), fields).unwrap()
}

fn rooms(model: &Model) -> Vec<Record> {
    let note = |fields: Value| record(model, 1, fields);
    vec![
        record(model, 0, json!({ "room": "r1", "alias": "Hall" })),
        record(model, 0, json!({ "room": "r10", "alias": "Cellar" })),
        note(
            json!({ "room": "r1", "note": "a", "writer": "w", "kind": "text", "rank": "low", "day": "2050-01-31", "title": "Deep Work", "tags": ["x", "y"], "price": "9.50" }),
        ),
        note(
            json!({ "room": "r1", "note": "b", "writer": "w", "kind": "picture", "rank": "high", "day": "2050-02-01", "title": "work", "body": "DEEP", "tags": [] , "price": "10"}),
        ),
        note(
            json!({ "room": "r1", "note": "c", "writer": "v", "kind": "text", "rank": "medium", "title": "x", "tags": ["y"], "price": "10.5" }),
        ),
        note(
            json!({ "room": "r1", "note": "over", "writer": "w", "kind": "text", "rank": "high", "day": "2050-01-31", "title": "deep work", "tags": ["y"], "ttl": NOW / 1000 }),
        ),
        note(
            json!({ "room": "r1", "note": "late", "writer": "w", "kind": "text", "rank": "high", "day": "2050-01-30", "title": "t", "tags": ["y"], "ttl": NOW / 1000 + 1 }),
        ),
        note(
            json!({ "room": "r10", "note": "a", "writer": "w", "kind": "text", "rank": "low", "day": "2050-01-31", "title": "other", "tags": ["y"] }),
        ),
    ]
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("{other}"),
    }
}

fn question(given: Value) -> Question {
    Question {
        kind: Kind::Typical,
        given: object(given),
        refine: BTreeMap::new(),
        words: None,
        keys: Vec::new(),
        within_facts: true,
        by_page: false,
    }
}

fn asked(access: &str, question: &Question) -> Expected {
    let model = model();
    let oracle = Oracle::new(&model, &rooms(&model), NOW);
    oracle.answer(model.access(access).unwrap(), question)
}

/// The notes of a list, and where groups of equals begin.
fn notes(expected: Expected) -> Vec<String> {
    let model = model();
    let Expected::Many { records, groups } = expected else {
        panic!("{expected:?}")
    };
    let mut notes = Vec::new();
    for (place, record) in records.iter().enumerate() {
        if place > 0 && groups[place] != groups[place - 1] {
            notes.push("|".to_owned());
        }
        let fields = record.fields(&model);
        let name = fields.get("note").or_else(|| fields.get("alias")).unwrap();
        notes.push(name.as_str().unwrap().to_owned());
    }
    notes
}

#[test]
fn a_get_finds_the_item_with_its_counts_or_nothing() {
    let model = model();
    let Expected::One(Some(room)) = asked("room", &question(json!({ "room": "r1" }))) else {
        panic!()
    };
    // What is over is counted until something takes it off.
    let counts = json!({ "room": "r1", "alias": "Hall", "notes": 5, "by_kind_text": 4, "by_kind_picture": 1 });
    assert_eq!(Value::Object(room.fields(&model)), counts);
    assert_eq!(
        asked("room", &question(json!({ "room": "r" }))),
        Expected::One(None)
    );
}

#[test]
fn a_unique_value_in_lower_case_is_found_in_any_case_and_whole() {
    let found = |alias: &str| asked("room_by_alias", &question(json!({ "alias": alias }))).len();
    assert_eq!(
        (found("Hall"), found("hALL"), found("Hal"), found("Hall ")),
        (1, 1, 0, 0)
    );
}

#[test]
fn a_list_has_what_belongs_to_it_and_is_not_over() {
    assert_eq!(
        notes(asked("notes", &question(json!({ "room": "r1" })))),
        ["a", "b", "c", "late"]
    );
    assert_eq!(
        notes(asked("notes", &question(json!({ "room": "r10" })))),
        ["a"]
    );
    assert!(notes(asked("notes", &question(json!({ "room": "r" })))).is_empty());
    let refined = |refine: Value| {
        let refine = object(refine).into_iter();
        let question = Question {
            refine: refine
                .map(|(name, value)| (name, Refinement::Is(value)))
                .collect(),
            ..question(json!({ "room": "r1" }))
        };
        notes(asked("notes", &question))
    };
    assert_eq!(refined(json!({ "kind": "picture" })), ["b"]);
    assert_eq!(refined(json!({ "tags": "x" })), ["a"]);
    assert_eq!(
        refined(json!({ "tags": "y", "kind": "text" })),
        ["a", "c", "late"]
    );
}

/// S0-51: what a caller may refine by, in every way the language has.
#[test]
fn refinements_are_one_of_several_ranges_and_what_is_not_there() {
    let model = model();
    let entity = model.entity(model.access("notes").unwrap().verb.entity().id);
    let told = |field: &str| -> Vec<(String, Value)> {
        let field = entity.field_named(field).unwrap();
        let rooms = rooms(&model);
        let notes = rooms.iter().filter(|record| {
            record.fields(&model).get("room") == Some(&json!("r1"))
                && record.fields(&model).contains_key("note")
        });
        let told = notes.map(|record| {
            let name = record.fields(&model)["note"].as_str().unwrap().to_owned();
            (name, record.value(field).cloned().unwrap_or(Value::Null))
        });
        told.collect()
    };
    let refined = |field: &str, wanted: Refinement| {
        let question = Question {
            refine: BTreeMap::from([(field.to_owned(), wanted)]),
            ..question(json!({ "room": "r1" }))
        };
        notes(asked("notes", &question))
    };
    let text = |word: &str| json!(word);
    assert_eq!(
        refined(
            "kind",
            Refinement::OneOf(vec![text("picture"), text("none")])
        ),
        ["b"]
    );
    assert!(refined("kind", Refinement::OneOf(Vec::new())).is_empty());
    assert_eq!(
        refined("tags", Refinement::OneOf(vec![text("x"), text("nobody")])),
        ["a"]
    );
    let alive = |keep: &dyn Fn(&Value) -> bool| -> Vec<String> {
        let all = refined("kind", Refinement::Present);
        let kept = told("tags").into_iter().filter(|(_, tags)| keep(tags));
        kept.map(|(name, _)| name)
            .filter(|name| all.contains(name))
            .collect()
    };
    assert_eq!(
        refined("tags", Refinement::Absent),
        alive(&|tags| tags.is_null())
    );
    assert_eq!(
        refined("tags", Refinement::Present),
        alive(&|tags| !tags.is_null())
    );
    // By their spelling: `picture` comes before `text`.
    assert_eq!(refined("kind", Refinement::Until(text("picture"))), ["b"]);
    assert_eq!(refined("kind", Refinement::From(text("pictures"))).len(), 3);
    assert!(refined("kind", Refinement::Between(text("text"), text("picture"))).is_empty());
}

#[test]
fn a_list_of_several_entities_has_them_all() {
    assert_eq!(
        notes(asked("with_notes", &question(json!({ "room": "r1" })))),
        ["Hall", "a", "b", "c", "late"]
    );
}

#[test]
fn a_direction_alone_is_as_the_key_gives_it() {
    let room = question(json!({ "room": "r1" }));
    // NOTE# sorts after METADATA.
    assert_eq!(
        notes(asked("with_notes_backwards", &room)),
        ["late", "|", "c", "|", "b", "|", "a", "|", "Hall"]
    );
    let writer = question(json!({ "writer": "w" }));
    assert_eq!(
        notes(asked("by_key", &writer)),
        ["a", "a", "|", "b", "|", "late"]
    );
}

#[test]
fn words_of_an_ordered_enum_sort_by_rank_and_equals_are_one_group() {
    let model = model();
    let expected = asked("by_rank", &question(json!({ "writer": "w" })));
    assert_eq!(notes(expected.clone()), ["b", "late", "|", "a", "a"]);
    let Expected::Many { mut records, .. } = expected.clone() else {
        panic!()
    };
    assert_eq!(expected.difference(&model, &records), None);
    records.swap(0, 1);
    assert_eq!(expected.difference(&model, &records), None);
    records.swap(1, 2);
    let wrong = expected.difference(&model, &records).unwrap();
    assert_eq!(
        wrong,
        "Note room=\"r1\" note=\"a\" came before Note room=\"r1\" note=\"b\""
    );
    records.swap(1, 2);
    assert_eq!(expected.difference_of_first(&model, &records[..1]), None);
    assert_eq!(
        expected
            .difference_of_first(&model, &records[2..3])
            .as_deref(),
        Some("Note room=\"r1\" note=\"a\" came before Note room=\"r1\" note=\"b\"")
    );
    assert_eq!(
        expected.difference(&model, &records[..3]).as_deref(),
        Some("missing Note room=\"r10\" note=\"a\"")
    );
    records.push(records[0].clone());
    assert_eq!(
        expected.difference(&model, &records).as_deref(),
        Some("twice Note room=\"r1\" note=\"late\"")
    );
    let other = record(&model, 1, json!({ "room": "q", "note": "q" }));
    assert_eq!(
        expected.difference(&model, &[other]).as_deref(),
        Some("unasked Note room=\"q\" note=\"q\"")
    );
    let changed = records[0].with([(6, json!("another"))]);
    assert_eq!(
        expected.difference(&model, &[changed]).as_deref(),
        Some("Note room=\"r1\" note=\"late\": title is \"another\" instead of \"t\"")
    );
}

#[test]
fn a_projection_has_only_its_fields() {
    let model = model();
    let Expected::Many { records, .. } = asked("titles", &question(json!({ "room": "r10" })))
    else {
        panic!()
    };
    assert_eq!(
        Value::Object(records[0].fields(&model)),
        json!({ "note": "a", "title": "other" })
    );
}

#[test]
fn a_range_includes_the_ends_it_says() {
    let due = |from: &str, to: &str| {
        notes(asked(
            "due",
            &question(json!({ "room": "r1", "day_from": from, "day_to": to })),
        ))
    };
    assert_eq!(
        due("2050-01-30", "2050-02-01"),
        ["late", "|", "a", "|", "b"]
    );
    assert_eq!(due("2050-01-31", "2050-01-31"), ["a"]);
    assert!(due("2050-02-01", "2050-01-30").is_empty());
    let before = |day: &str| {
        notes(asked(
            "before",
            &question(json!({ "room": "r1", "day": day })),
        ))
    };
    assert_eq!(before("2050-01-31"), ["late"]);
    assert_eq!(before("2050-02-02"), ["a", "b", "late"]);
}

#[test]
fn a_condition_is_judged_as_it_is_written() {
    let dear = |least: &str| {
        notes(asked(
            "dear",
            &question(json!({ "room": "r1", "least": least })),
        ))
    };
    assert_eq!(dear("9"), ["a", "c"]);
    assert_eq!(dear("9.5"), ["c"]);
    assert!(dear("10.50").is_empty());
}

#[test]
fn a_search_finds_every_word_in_any_field_in_any_case() {
    let found = |words: &str| {
        let question = Question {
            words: Some(words.to_owned()),
            ..question(json!({ "room": "r1" }))
        };
        notes(asked("search_notes", &question))
    };
    assert_eq!(found("deep WORK"), ["a", "b"]);
    assert_eq!(found("eep"), ["a", "b"]);
    assert!(found("deeper").is_empty());
    assert_eq!(found("").len(), 4);
}

#[test]
fn a_count_that_a_counter_keeps_has_what_is_over_and_any_other_has_not() {
    assert_eq!(
        asked(
            "count_notes",
            &question(json!({ "room": "r1", "kind": "text" }))
        ),
        Expected::Count(4)
    );
    assert_eq!(
        asked("count_high", &question(json!({ "writer": "w" }))),
        Expected::Count(2)
    );
}

#[test]
fn a_batch_answers_key_by_key() {
    let model = model();
    let keys = [
        ("r1", "b"),
        ("r1", "over"),
        ("r10", "a"),
        ("r1", "none"),
        ("r1", "b"),
    ];
    let keys = keys.map(|(room, note)| object(json!({ "room": room, "note": note })));
    let question = Question {
        keys: keys.to_vec(),
        ..question(json!({}))
    };
    let expected = asked("many", &question);
    let Expected::Each(each) = &expected else {
        panic!()
    };
    let found: Vec<bool> = each.iter().map(Option::is_some).collect();
    assert_eq!(found, [true, false, true, false, true]);
    assert_eq!(expected.difference_of_each(&model, each), None);
    let mut wrong = each.clone();
    wrong.swap(0, 2);
    assert_eq!(
        expected.difference_of_each(&model, &wrong).as_deref(),
        Some("Note room=\"r10\" note=\"a\" in the place of Note room=\"r1\" note=\"b\"")
    );
    wrong.swap(0, 1);
    assert!(
        expected
            .difference_of_each(&model, &wrong)
            .unwrap()
            .starts_with("missing")
    );
}

#[test]
fn what_changes_is_known_at_once() {
    let model = model();
    let mut oracle = Oracle::new(&model, &rooms(&model), NOW);
    let count = |oracle: &Oracle<'_>| {
        let question = question(json!({ "room": "r1", "kind": "text" }));
        oracle
            .answer(model.access("count_notes").unwrap(), &question)
            .len()
    };
    let key = object(json!({ "room": "r1", "note": "a" }));
    let a = oracle.stored(EntityId(1), &key).unwrap().clone();
    let changed = a.with([(3, json!("picture")), (2, json!("u"))]);
    oracle.apply(&[Effect::Replace(changed.clone())]);
    assert_eq!(count(&oracle), 3);
    let by_writer = |writer: &str| {
        let question = question(json!({ "writer": writer }));
        oracle
            .answer(model.access("by_rank").unwrap(), &question)
            .len()
    };
    assert_eq!((by_writer("u"), by_writer("w")), (1, 3));
    oracle.remove(&changed);
    assert_eq!(oracle.stored(EntityId(1), &key), None);
    oracle.insert(a);
    assert_eq!(count(&oracle), 4);
}
