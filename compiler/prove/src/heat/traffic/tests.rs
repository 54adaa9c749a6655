use serde_json::json;
use tablewright_model::model::EntityId;

use super::super::{Verdict, heat};
use crate::models;
use crate::record::Record;

const LOG: &str = r#"
[model]
name = "log"

[table.log]
partition_key = "PK"
sort_key      = "SK"

[table.log.index]
GSI1 = { projection = "all" }

[entity.Line]
table = "log"
key   = { partition = "HOST#{host}", sort = "LINE#{line}" }
index.GSI1 = { partition = "LINES", sort = "LINE#{line}" }
facts = { size = "1 KB" }

[entity.Line.fields]
host = "id"
line = "ulid"

[access.write]
create = "Line"
rate   = 1200

[access.read]
list   = "Line"
by     = ["host"]
page   = 4
"#;

fn lines(model: &tablewright_model::Model) -> Vec<Record> {
    let line = |number: usize| {
        let host = if number < 6 { "a" } else { "b" };
        let fields =
            json!({ "host": host, "line": format!("01ARZ3NDEKTSV4RRFFQ69G5F{number:02}") });
        let serde_json::Value::Object(fields) = fields else {
            unreachable!()
        };
        Record::of(model, EntityId(0), fields).unwrap()
    };
    (0..8).map(line).collect()
}

#[test]
fn an_index_with_one_partition_is_hot_and_the_table_is_not_known_to_be() {
    let model = tablewright_model::parse(LOG).unwrap();
    let heats = heat(&model, &lines(&model));
    let table = &heats[0];
    assert_eq!(
        (
            table.index.as_deref(),
            table.busiest.as_str(),
            table.partitions
        ),
        (None, "HOST#a", 2)
    );
    // Three quarters of 1200 writes, and of one read of half a unit.
    assert_eq!(
        (table.write_units, table.read_units, table.share),
        (900.0, 0.375, 0.75)
    );
    assert_eq!(
        (table.verdict, table.without_rate.as_slice()),
        (Verdict::Unknown, &["read".to_owned()][..])
    );
    let index = &heats[1];
    assert_eq!(
        (index.index.as_deref(), index.busiest.as_str(), index.share),
        (Some("GSI1"), "LINES", 1.0)
    );
    assert_eq!((index.write_units, index.verdict), (1200.0, Verdict::Hot));
}

/// S0-54: whoever wrote the request, the partition is as busy.
#[test]
fn requests_by_hand_carry_heat() {
    let text = LOG
        .replace(
            "rate   = 1200",
            "rate = 1200\nrequest = \"PutItem\"\ncondition = \"attribute_not_exists(PK)\"",
        )
        .replace(
            "page   = 4",
            "page = 4\nrate = 8\nrequest = \"Query\"\ncondition = \"PK = :p\"\nvalues = { \":p\" = \"HOST#{host}\" }",
        );
    let model = tablewright_model::parse(&text).unwrap();
    let heats = heat(&model, &lines(&model));
    let (table, index) = (&heats[0], &heats[1]);
    assert_eq!((table.write_units, table.verdict), (900.0, Verdict::Cool));
    assert!(table.read_units > 0.0, "{table:?}");
    assert_eq!((index.write_units, index.verdict), (1200.0, Verdict::Hot));
}

#[test]
fn with_all_rates_said_a_place_is_cool() {
    let text = LOG
        .replace("page   = 4", "page = 4\nrate = 10")
        .replace("rate   = 1200", "rate = 800");
    let model = tablewright_model::parse(&text).unwrap();
    let heats = heat(&model, &lines(&model));
    assert!(
        heats.iter().all(|heat| heat.verdict == Verdict::Cool),
        "{heats:?}"
    );
}

#[test]
fn what_counts_is_as_busy_as_what_it_counts() {
    let model = models::todo();
    let population = crate::data::small(&model, 1000, 1);
    let table = &heat(&model, &population.small)[0];
    assert!(table.share < 0.1, "{table:?}");
}

#[test]
fn every_place_of_the_models_has_a_busiest_partition() {
    for (name, model) in models::all() {
        let population = crate::data::small(&model, 500, 1);
        let heats = heat(&model, &population.small);
        let places: usize = model
            .tables
            .iter()
            .map(|table| 1 + table.indexes.len())
            .sum();
        assert_eq!(heats.len(), places, "{name}");
        for heat in heats {
            assert!(
                heat.share > 0.0 && heat.share <= 1.0 && heat.partitions > 0,
                "{name}: {heat:?}"
            );
        }
    }
}
