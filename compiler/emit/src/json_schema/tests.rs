//! What a schema says, and what a change of it means. (S4-10, S4-14, C4-10, C4-13)

mod models;

use insta::assert_snapshot;
use serde_json::{Value, json};
use tablewright_model::Model;
use tablewright_model::model::EntityId;

use super::{Compatibility, classify, schema, text};

const HEAD: &str = r##"
[model]
name = "shop"

[table.shop]
partition_key = "PK"
sort_key      = "SK"
type          = "Type"

[table.shop.index]
GSI1 = {}

[struct.Address]
city = "string(1..100)"
zip  = "string(..10)?"
"##;

/// A model of one entity with these fields besides its id.
fn model(versioned: &str, fields: &str) -> Model {
    with_key("USER#{user_id}", versioned, fields)
}

fn with_key(partition: &str, more: &str, fields: &str) -> Model {
    let text = format!(
        "{HEAD}
[entity.User]
table = \"shop\"
about = \"Not in the schema.\"
key   = {{ partition = \"{partition}\", sort = \"METADATA\" }}
{more}

[entity.User.fields]
user_id = \"id\"
{fields}
"
    );
    tablewright_model::parse(&text).unwrap_or_else(|faults| panic!("{faults:#?}"))
}

fn of(model: &Model) -> Value {
    schema(model, EntityId(0))
}

/// The changes from one list of fields to another.
fn change(old: &str, new: &str) -> Compatibility {
    let versioned = "versioned = { data_version = 1 }";
    classify(&of(&model(versioned, old)), &of(&model(versioned, new)))
}

/// `breaks` or `reads`, and what is said, on lines.
fn told(found: &Compatibility) -> String {
    let changes = found.changes.iter().map(|change| {
        let word = if change.breaks { "breaks" } else { "reads" };
        format!("{word}: {}\n", change.text)
    });
    let notes = found.notes.iter().map(|note| format!("note: {note}\n"));
    changes.chain(notes).collect()
}

const EVERY_TYPE: &str = r#"
a_string   = "string(1..10)"
b_uuid     = "uuid"
c_ulid     = "ulid?"
d_email    = "email"
e_bool     = "bool = false"
f_int      = "int(0..100) = 7"
g_decimal  = "decimal"
h_date     = "date"
i_stamp    = "timestamp"
j_any      = "timestamp(any)"
k_seconds  = "epoch_seconds"
l_millis   = "epoch_millis"
m_enum     = "enum(red, blue)"
n_ordered  = "ordered(low, high)"
o_binary   = "binary(..1024)"
p_list     = "list(Address, 1..5)"
q_set      = "set(string(1..20), ..10)"
r_map      = "map(int, ..10)"
s_json     = "json(..4096)"
t_struct   = "Address?"
"#;

#[test]
fn a_flat_item_with_every_type() {
    let model = model(
        "versioned = { data_version = 4 }\nindex.GSI1 = { partition = \"COLOUR#{m_enum}\", sort = \"{user_id}\", when = \"e_bool = true\" }",
        EVERY_TYPE,
    );
    assert_snapshot!(text(&model, EntityId(0)));
}

#[test]
fn schemas_are_schemas_and_items_are_held_against_them() {
    // S4-14
    let model = model("versioned = { data_version = 4 }", EVERY_TYPE);
    let schema = of(&model);
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut item = json!({
        "PK": "USER#ada", "SK": "METADATA", "Type": "User", "data_version": 4, "last_write": 1_700_000_000_000_i64,
        "user_id": "ada", "a_string": "x", "b_uuid": "8d7f2f1e-6f0f-4d53-9f0e-0d9a3c0f6b1a", "d_email": "ada@example.org",
        "f_int": 3, "g_decimal": 1.5, "h_date": "2024-01-31", "i_stamp": "2024-01-31T10:00:00.000Z", "j_any": "2024-01-31T10:00:00Z",
        "k_seconds": 1, "l_millis": 1, "m_enum": "red", "n_ordered": "low", "o_binary": "AAAA",
        "p_list": [{ "city": "Ulm" }], "r_map": {}, "s_json": [1],
    });
    assert!(validator.is_valid(&item), "{:?}", validator.validate(&item));
    item["data_version"] = json!(3);
    assert!(
        !validator.is_valid(&item),
        "the version is part of the snapshot"
    );
    item["data_version"] = json!(4);
    item["p_list"] = json!([{ "zip": "89073" }]);
    assert!(!validator.is_valid(&item));
}

#[test]
fn only_the_shape_counts() {
    // C4-13: no descriptions, and neither the order of the fields nor that of the words of an enum
    let one = model("", "a = \"int\"\nb = \"enum(x, y)\"\n");
    let other = model(
        "[entity.User.facts]\nitems = 7",
        "b = \"enum(y, x)\" # why\na = \"int\"\n",
    );
    assert_eq!(text(&one, EntityId(0)), text(&other, EntityId(0)));
    assert!(!text(&one, EntityId(0)).contains("Not in the schema"));
}

#[test]
fn what_can_be_read() {
    assert_snapshot!(told(&change("", "nick = \"string(..20)?\"\npoints = \"int = 0\"\ntags = \"set(string, ..5)\"")), @r"
    reads: `nick` is new and optional
    reads: `points` is new, and `0` where it is absent
    reads: `tags` is new and optional
    ");
    assert_snapshot!(told(&change("a = \"string(5..10)\"\nb = \"int(0..9)\"", "a = \"string(1..20)\"\nb = \"int\"")), @r"
    reads: `a` takes at least 1 character, was 5
    reads: `a` takes at most 20 characters, was 10
    reads: `b` took at least 0, and has no such bound any more
    reads: `b` took at most 9, and has no such bound any more
    ");
    assert_snapshot!(told(&change("a = \"enum(x)\"\nb = \"int\"\nc = \"uuid\"", "a = \"enum(x, y)\"\nb = \"int?\"\nc = \"id\"")), @r"
    reads: `a` gained the value `y`
    reads: `b` became optional
    reads: `c` is an id, was a UUID
    note: code with the former shape cannot read items whose `a` is `y`
    note: code with the former shape cannot read items without `b`
    note: code with the former shape may not understand what is written to `c`
    ");
    assert_snapshot!(told(&change("a = \"int\"\nb = \"timestamp\"\nc = \"enum(x)\"", "a = \"decimal\"\nb = \"timestamp(any)\"\nc = \"string\"")), @r"
    reads: `a` is a number with a fraction, was a whole number
    reads: `b` is a timestamp of any precision, was a timestamp in milliseconds
    reads: `c` is text, was one of some words
    note: code with the former shape cannot read a fraction in `a`
    note: code with the former shape may not understand what is written to `b`
    note: code with the former shape may not understand what is written to `c`
    ");
    assert_snapshot!(told(&change("a = \"int\"\nb = \"int = 1\"", "b = \"int = 2\"")), @r"
    reads: `a` is gone
    reads: `b` is `2` where it is absent, was `1`
    note: code with the former shape cannot read items without `a`
    ");
    assert_eq!(told(&change("a = \"int? = 1\"", "a = \"int? = 2\"")), "");
    assert_snapshot!(told(&change("owner = \"string?\"", "name = \"string?\"")), @r"
    reads: `owner` is gone
    reads: `name` is new and optional
    note: if `name` is what `owner` was called, its values are left behind: raise data_version and rename it in a migration step
    ");
}

#[test]
fn what_cannot_be_read() {
    // S4-10
    assert_snapshot!(told(&change("owner = \"string\"", "name = \"string\"")), @r"
    breaks: `name` is new and required
    reads: `owner` is gone
    note: code with the former shape cannot read items without `owner`
    ");
    assert_snapshot!(told(&change("a = \"int?\"\nb = \"int = 1\"\nc = \"string(..200)\"", "a = \"int\"\nb = \"int\"\nc = \"string(1..100)\"")), @r"
    breaks: `a` became required
    breaks: `b` became required
    breaks: `c` takes at least 1 character, had no such bound
    breaks: `c` takes at most 100 characters, was 200
    ");
    assert_snapshot!(told(&change("a = \"enum(x, y)\"\nb = \"string\"\nc = \"list(string, ..5)\"", "a = \"enum(x)\"\nb = \"enum(x)\"\nc = \"set(string, ..5)\"")), @r"
    breaks: `a` lost the value `y`
    breaks: `b` is one of some words, was text
    breaks: `c` is a set, was a list
    reads: `c` became optional
    note: code with the former shape cannot read items without `c`
    ");
    assert_snapshot!(told(&change("a = \"epoch_seconds\"\nb = \"decimal\"\nc = \"timestamp\"\nd = \"uuid\"", "a = \"epoch_millis\"\nb = \"int\"\nc = \"timestamp(us)\"\nd = \"string(..30)\"")), @r"
    breaks: `a` is milliseconds since 1970, was seconds since 1970
    breaks: `b` is a whole number, was a number with a fraction
    breaks: `c` is a timestamp in microseconds, was a timestamp in milliseconds
    breaks: `d` takes at most 30 characters, was 36
    reads: `d` is text, was a UUID
    note: code with the former shape may not understand what is written to `d`
    ");
    assert_snapshot!(told(&change("a = \"map(int, ..5)\"\nb = \"json(..100)\"\nc = \"binary(..9)\"", "a = \"map(string, ..4)\"\nb = \"json(..50)\"\nc = \"string\"")), @r"
    breaks: `a` takes at most 4 entries, was 5
    breaks: `a.*` is text, was a whole number
    breaks: `b` takes at most 50 bytes, was 100
    breaks: `c` is text, was bytes
    ");
}

#[test]
fn structs_are_looked_into_each_once() {
    let fields = "home = \"Address\"\nwork = \"list(Address, ..3)\"";
    let old = of(&model("", fields));
    let mut new = old.clone();
    new["$defs"]["Address"]["required"] = json!(["city", "zip"]);
    assert_snapshot!(told(&classify(&old, &new)), @"breaks: `home.zip` became required");
}

#[test]
fn keys_belong_to_the_shape() {
    let key = |partition: &str, more: &str| {
        of(&with_key(
            partition,
            &format!("versioned = {{ data_version = 1 }}\n{more}"),
            "rank = \"ordered(low, high)\"",
        ))
    };
    let plain = key("USER#{user_id}", "");
    assert_snapshot!(told(&classify(&plain, &key("U#{user_id}", ""))), @r"
    breaks: the key `PK` is `U#{user_id}`, was `USER#{user_id}`
    note: items stored under the old key are not found under the new one, and a migration step cannot help: write them again under the new key first
    ");
    let index = "index.GSI1 = { partition = \"RANK#{rank:rank}\", sort = \"{user_id}\" }";
    let indexed = key("USER#{user_id}", index);
    assert_snapshot!(told(&classify(&plain, &indexed)), @r"
    reads: `GSI1PK`, a key of GSI1, is new
    reads: `GSI1SK`, a key of GSI1, is new
    note: items stored before are not in GSI1 until they are written again
    ");
    let otherwise = index.replace("RANK#", "R#");
    assert_snapshot!(told(&classify(&indexed, &key("USER#{user_id}", &otherwise))), @r"
    reads: `GSI1PK`, a key of GSI1, is `R#{rank:rank}`, was `RANK#{rank:rank}`
    note: items stored before stand in GSI1 as they were, until they are written again
    ");
    let mut reordered = indexed.clone();
    reordered["properties"]["rank"]["enum"] = json!(["lowest", "low", "high"]);
    assert_snapshot!(told(&classify(&indexed, &reordered)), @r"
    reads: `GSI1PK`, a key of GSI1, is written with other ranks of `rank`
    reads: `rank` gained the value `lowest`
    note: items stored before stand in GSI1 as they were, until they are written again
    note: code with the former shape cannot read items whose `rank` is `lowest`
    ");
    let mut appended = indexed.clone();
    appended["properties"]["rank"]["enum"] = json!(["low", "high", "highest"]);
    assert!(!told(&classify(&indexed, &appended)).contains("GSI1"));
}

#[test]
fn versions_and_layouts() {
    let of = |versioned| of(&model(versioned, "a = \"int\""));
    let none = of("");
    let flat = of("versioned = { data_version = 1 }");
    let wrapped = of("versioned = { data_version = 1, layout = \"wrapped\" }");
    assert_snapshot!(told(&classify(&none, &flat)), @"breaks: it became versioned, and what is stored has no `data_version`");
    assert_snapshot!(told(&classify(&flat, &none)), @"breaks: it is no longer versioned, and older versions are no longer recognised");
    assert_snapshot!(told(&classify(&flat, &wrapped)), @"breaks: its layout is wrapped, was flat");
    let mut moved = wrapped.clone();
    moved["properties"]["user_id"] = moved["properties"]["data"]["properties"]["user_id"].take();
    moved["properties"]["data"]["properties"]
        .as_object_mut()
        .unwrap()
        .remove("user_id");
    moved["required"]
        .as_array_mut()
        .unwrap()
        .push(json!("user_id"));
    assert_snapshot!(told(&classify(&wrapped, &moved)), @"breaks: `user_id` stands at the top of the item, was in `data`");
}
