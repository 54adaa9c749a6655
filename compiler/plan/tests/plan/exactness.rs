//! Ranges and prefixes cover exactly what was asked: the planned test of the sort key, evaluated over encoded keys,
//! gives the items the question means, and no others. (S0-19, S0-21, S0-22, S0-25, S0-27, S0-29)

use proptest::prelude::*;
use tablewright_keys::KeyValue;
use tablewright_model::model::FieldId;
use tablewright_model::{Model, parse};
use tablewright_plan::{Answer, KeyText, ReadPlan, SortTest, plan};

/// One kind of value a range can be over.
#[derive(Debug, Clone, Copy)]
struct Kind {
    field_type: &'static str,
    encoding: &'static str,
    /// Whether `before` and `after` can be asked.
    exclusive: bool,
}

const KINDS: &[Kind] = &[
    kind("date", "", true),
    kind("date", ":desc", true),
    kind("int(0..99)", ":02", true),
    kind("int(0..99)", ":04:desc", true),
    kind("epoch_seconds", ":012", true),
    kind("timestamp(s)", "", true),
    kind("string(0..3)", "", false),
    kind("ordered(zero, one, two, three)", ":rank", true),
    kind("ordered(zero, one, two, three)", ":rank:desc", true),
];

const fn kind(field_type: &'static str, encoding: &'static str, exclusive: bool) -> Kind {
    Kind {
        field_type,
        encoding,
        exclusive,
    }
}

/// The n-th value of a kind; greater n is the greater value.
fn value(kind: Kind, n: usize) -> KeyValue {
    let words = [
        "",
        " ",
        "!",
        "#",
        "#a",
        "$",
        "A",
        "a",
        "a ",
        "a!",
        "a#",
        "a#a",
        "aa",
        "b",
        "é",
        "\u{10FFFF}",
    ];
    match kind.field_type {
        "date" => KeyValue::Text(format!(
            "20{:02}-{:02}-{:02}",
            20 + n / 12,
            1 + n % 12,
            1 + n % 28
        )),
        "timestamp(s)" => KeyValue::Text(format!("2024-01-{:02}T10:00:00Z", 1 + n)),
        "string(0..3)" => KeyValue::Text(words[n].to_owned()),
        ordered if ordered.starts_with("ordered") => {
            KeyValue::Text(["zero", "one", "two", "three"][n / 4].to_owned())
        }
        "epoch_seconds" => KeyValue::Integer(9_999_999_990 + n as i64 * 3),
        _ => KeyValue::Integer(n as i64 * 6),
    }
}

/// How many values a kind has here.
const VALUES: usize = 16;

/// Position of a value: ordered words have four values only.
fn rank(kind: Kind, n: usize) -> usize {
    if kind.field_type.starts_with("ordered") {
        n / 4
    } else {
        n
    }
}

const SHAPES: &[&str] = &[
    "V#{value}#{id}",
    "V#{value}",
    "{value}",
    "{value}#{id}",
    "A#B#{value}#END",
];

fn model(kind: Kind, shape: &str, ends: &str) -> Model {
    let sort = shape.replace("{value}", &format!("{{value{}}}", kind.encoding));
    let text = format!(
        r#"
[model]
name = "ranges"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[entity.Thing]
table  = "app"
key    = {{ partition = "P#{{owner}}", sort = "{sort}" }}
fields = {{ owner = "id", value = "{}", id = "ulid" }}

[access.things]
list  = "Thing"
by    = ["owner"]
range = "value{ends}"
"#,
        kind.field_type
    );
    parse(&text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"))
}

fn read(model: &Model) -> ReadPlan {
    match plan(model).remove(0).answer {
        Answer::Read(plan) => plan,
        other => panic!("{other:?}"),
    }
}

/// Evaluates the planned test as DynamoDB would: by the order of code points.
fn holds(test: &SortTest, key: &str, given: &dyn Fn(&str) -> Option<KeyValue>) -> bool {
    let text = |text: &KeyText| text.render(given, 0).expect("the values fit");
    match test {
        SortTest::All => true,
        SortTest::Equals(value) => key == text(value),
        SortTest::BeginsWith(value) => key.starts_with(&text(value)),
        SortTest::Between(low, high) => *key >= *text(low) && *key <= *text(high),
        SortTest::AtLeast(value) => *key >= *text(value),
        SortTest::Above(value) => *key > *text(value),
        SortTest::AtMost(value) => *key <= *text(value),
        SortTest::Below(value) => *key < *text(value),
    }
}

const ID: &str = "01HZX3K5T7QWERTYASDFGHJKMN";

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn a_range_gives_its_values_and_no_others(
        kind in prop::sample::select(KINDS),
        shape in prop::sample::select(SHAPES),
        ends in prop::sample::select(vec!["", " from", " after", " until", " before"]),
        low in 0..VALUES,
        high in 0..VALUES,
    ) {
        prop_assume!(kind.exclusive || !matches!(ends, " after" | " before"));
        // An empty text alone is no key.
        prop_assume!(kind.field_type != "string(0..3)" || shape.len() > "{value}".len());
        let model = model(kind, shape, ends);
        let plan = read(&model);
        let template = model.entities[0].key.sort.as_ref().expect("a sort key");
        let given = |name: &str| match name {
            "owner" => Some(KeyValue::Text("me".into())),
            "value_from" => Some(value(kind, low)),
            "value_to" => Some(value(kind, high)),
            "value" => Some(value(kind, low)),
            _ => None,
        };
        for n in 0..VALUES {
            let key = template.typed.render(|name| match name {
                "value" => Some(value(kind, n)),
                _ => Some(KeyValue::Text(ID.into())),
            }).expect("the key renders");
            let (n, low, high) = (rank(kind, n), rank(kind, low), rank(kind, high));
            let wanted = match ends {
                "" => (low..=high).contains(&n),
                " from" => n >= low,
                " after" => n > low,
                " until" => n <= low,
                _ => n < low,
            };
            prop_assert_eq!(
                holds(&plan.sort, &key, &given),
                wanted,
                "{:?} {} key {:?} value {} of {}..{}: {:?}", kind, ends, key, n, low, high, plan.sort
            );
        }
        // What lies beside it in the partition stays out.
        if !shape.starts_with("{value}") {
            for stranger in ["", "A", "A#A", "METADATA", "U#zzz", "V", "V!", "W#", "Z", "~"] {
                prop_assert!(!holds(&plan.sort, stranger, &given), "{:?} found {}", plan.sort, stranger);
            }
        }
    }

    #[test]
    fn a_prefix_gives_one_value_and_no_other(mine in 0..VALUES, other in 0..VALUES) {
        let kind = KINDS[6];
        let text = r##"
[model]
name = "prefixes"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[entity.Thing]
table  = "app"
key    = { partition = "P#{owner}", sort = "CATEGORY#{value}#{id}" }
fields = { owner = "id", value = "string(0..3)", id = "ulid" }

[access.things]
list = "Thing"
by   = ["owner", "value"]
"##;
        let model = parse(text).expect("a model");
        let plan = read(&model);
        prop_assert!(matches!(plan.sort, SortTest::BeginsWith(_)));
        let template = model.entities[0].key.sort.as_ref().expect("a sort key");
        let key = template.typed.render(|name| match name {
            "value" => Some(value(kind, other)),
            _ => Some(KeyValue::Text(ID.into())),
        }).expect("the key renders");
        let given = |name: &str| (name == "value").then(|| value(kind, mine));
        prop_assert_eq!(holds(&plan.sort, &key, &given), mine == other);
    }
}

#[test]
fn a_number_sort_key_is_compared_as_a_number() {
    let text = r##"
[model]
name    = "scores"
profile = "table-per-entity"

[table.scores]
partition_key = "board"
sort_key      = "points: number"

[entity.Score]
table  = "scores"
key    = { partition = "{board}", sort = "{points}" }
fields = { board = "id", points = "int" }

[access.best]
list  = "Score"
by    = ["board"]
range = "points from"
order = "points desc"
"##;
    let model = parse(text).expect("a model");
    let plan = read(&model);
    assert!(plan.sort_is_number);
    assert!(matches!(&plan.sort, SortTest::AtLeast(text) if text.pieces.len() == 1));
    assert_eq!(
        plan.key_condition(&model),
        "board = {board} AND points >= {points}"
    );
    assert_eq!(
        model.entities[0]
            .key
            .sort
            .as_ref()
            .and_then(|sort| sort.bare_field()),
        Some(FieldId(1))
    );
}
