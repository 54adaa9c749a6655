use serde_json::json;

use super::*;

fn model(fields: &str, condition: &str) -> Model {
    let text = format!(
        r#"
        [model]
        name = "jobs"
        [table.app]
        partition_key = "PK"
        sort_key = "SK"
        type = "Type"
        [entity.Job]
        table = "app"
        key = {{ partition = "JOB#{{job}}", sort = "METADATA" }}
        [entity.Job.fields]
        job = "ulid"
        {fields}
        [access.some]
        list = "Job"
        where = "{condition}"
        "#
    );
    tablewright_model::parse(&text).unwrap_or_else(|faults| panic!("{faults:#?}"))
}

/// The values that meet a condition, in the place of nothing at all.
fn met(fields: &str, condition: &str) -> Option<Map<String, Value>> {
    let model = model(fields, condition);
    let access = &model.accesses[0];
    let id = access.verb.entity().id;
    let like = Record::from_slots(id, vec![Value::Null; model.entity(id).fields.len()]);
    let demand = Demand::of_read(&model, access, id).unwrap();
    let values = demand.met_like(&like, &[FieldId(0)], &mut |_| Value::Null)?;
    let found = like.with(values.into_iter().map(|(field, value)| (field.0, value)));
    assert!(demand.meets(&found), "{condition}");
    let written = &access.condition.as_ref().unwrap().condition;
    assert!(holds(&model, written, &found, &Map::new()), "{condition}");
    Some(found.fields(&model))
}

/// S0-51: whatever a condition says, there are values that meet it, if there are any.
#[test]
fn what_can_be_met_is_met() {
    let fields = r#"
        a = "int(0..100000)"
        b = "int(0..100000)"
        n = "int?"
        t = "string(3..30)"
        price = "decimal"
        day = "date"
        at = "timestamp(s)"
        done = "bool"
        word = "enum(low, mid, high)"
        rank = "ordered(low, mid, high)"
        tags = "set(string(1..10), ..5)?"
        names = "list(string(1..10), 2..3)"
    "#;
    for condition in [
        "a = 5 and b = 7 and t = 'rose'",
        "a > b and b > 99990",
        "a < b and b < 2",
        "a > 10 and a < 12",
        "a != 5 and a > 4 and a < 7",
        "n not exists or n < -8",
        "n exists and n < -8",
        "not (a < 99999 or b >= 1)",
        "t > 'rose' and t < 'rot'",
        "price > 3.5 and price < 5",
        "day > '2049-12-31' and at < '2049-12-31T00:00:00Z'",
        "done = true and word in (mid, high) and word != mid",
        "rank in (mid, high) and rank != mid",
        "tags contains 'red' and tags contains 'blue'",
        "t contains 'ro' and not (t contains 'rx')",
    ] {
        assert!(met(fields, condition).is_some(), "{condition}");
    }
    assert_eq!(
        met(fields, "a = 5 and t = 'rose'"),
        json!({"a": 5, "t": "rose"}).as_object().cloned()
    );
}

#[test]
fn what_nothing_meets_is_not_met() {
    let fields = r#"
        a = "int(0..9)"
        b = "int(0..9)"
        word = "enum(low, high)"
    "#;
    for condition in [
        "a = 5 and a = 6",
        "a > 9",
        "a < b and b < a",
        "word = low and not (word in (low, high))",
    ] {
        assert_eq!(met(fields, condition), None, "{condition}");
    }
}
