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

const HITS: &str = r#"
[model]
name = "hits"

[table.hits]
partition_key = "PK"
sort_key      = "SK"

[table.hits.index]
GSI1 = { projection = "all" }

[entity.Hit]
table = "hits"
key   = { partition = "HIT#{hit}", sort = "HIT" }
index.GSI1 = { partition = "DAY#{day}", sort = "HIT#{hit}" }
facts = { size = "1 KB" }

[entity.Hit.fields]
hit  = "ulid"
day  = "date"
page = "string(1..9)"

[access.write]
create = "Hit"
rate   = 1200

[access.change]
update = "Hit"
by     = ["hit"]
set    = ["page"]
rate   = 8
"#;

fn hits(model: &tablewright_model::Model) -> Vec<Record> {
    let hit = |number: usize| {
        let fields = json!({
            "hit": format!("01ARZ3NDEKTSV4RRFFQ69G5F{number:02}"), "day": format!("2024-01-{:02}", number + 1), "page": "a",
        });
        let serde_json::Value::Object(fields) = fields else {
            unreachable!()
        };
        Record::of(model, EntityId(0), fields).unwrap()
    };
    (0..8).map(hit).collect()
}

/// S0-54: what is new goes to the day it is made on, however many days there are.
#[test]
fn what_is_written_with_the_day_in_its_key_goes_to_one_day() {
    let model = tablewright_model::parse(HITS).unwrap();
    let heats = heat(&model, &hits(&model));
    let index = &heats[1];
    assert_eq!(
        (index.busiest.as_str(), index.write_units, index.verdict),
        ("DAY#2050-01-31", 1200.0, Verdict::Hot)
    );
    // What is changed is of any day.
    let cool = HITS.replace("rate   = 1200", "rate = 0");
    let model = tablewright_model::parse(&cool).unwrap();
    let index = &heat(&model, &hits(&model))[1];
    assert_eq!(index.write_units, 1.0, "{index:?}");
    // Spread over shards, as much of one second can be written to one day.
    let spread = HITS.replace("DAY#{day}", "DAY#{day}#{hit:shard(8)}");
    let model = tablewright_model::parse(&spread).unwrap();
    let index = &heat(&model, &hits(&model))[1];
    assert!(index.busiest.starts_with("DAY#2050-01-31#"), "{index:?}");
    assert!(index.write_units < 700.0, "{index:?}");
}

/// What tells the writes of one second apart is no one partition.
#[test]
fn a_moment_finer_than_a_second_is_no_place_where_all_writes_go() {
    let finer = HITS
        .replace("day  = \"date\"", "day = \"epoch_millis\"")
        .replace("{day}", "{day:013}");
    let model = tablewright_model::parse(&finer).unwrap();
    let hits = hits(&tablewright_model::parse(HITS).unwrap());
    let hits: Vec<Record> = hits
        .iter()
        .enumerate()
        .map(|(number, hit)| hit.with([(1, json!(1_700_000_000_000_i64 + number as i64))]))
        .collect();
    let index = &heat(&model, &hits)[1];
    assert_eq!(index.verdict, Verdict::Cool, "{index:?}");
}

const EVENTS: &str = r#"
[model]
name = "events"

[table.events]
partition_key = "PK"
sort_key      = "SK"

[table.events.index]
LSI1 = { kind = "local", sort_key = "LSI1SK" }

[entity.Event]
table = "events"
key   = { partition = "HOST#{host}", sort = "EVENT#{event}" }
index.LSI1 = { sort = "KIND#{kind}#{event}" }
facts = { size = "1 KB" }

[entity.Event.fields]
host  = "id"
event = "ulid"
kind  = "enum(a, b)"

[access.write]
create = "Event"
rate   = 800

[access.read]
list   = "Event"
by     = ["host", "kind"]
page   = 50
rate   = 200
"#;

fn records(
    model: &tablewright_model::Model,
    entity: &str,
    all: impl IntoIterator<Item = serde_json::Value>,
) -> Vec<Record> {
    let mut entities = model.entity_ids();
    let (id, _) = entities
        .find(|(_, described)| described.name.as_str() == entity)
        .unwrap();
    let all = all.into_iter().map(|fields| match fields {
        serde_json::Value::Object(fields) => Record::of(model, id, fields).unwrap(),
        _ => unreachable!(),
    });
    all.collect()
}

fn ulid(number: usize) -> String {
    format!("01ARZ3NDEKTSV4RRFFQ69G5F{number:02}")
}

fn events(model: &tablewright_model::Model) -> Vec<Record> {
    let event = |number: usize| {
        let host = if number < 6 { "a" } else { "b" };
        json!({ "host": host, "event": ulid(number), "kind": "a" })
    };
    records(model, "Event", (0..8).map(event))
}

/// S0-54: what is read and written in a local index is read and written in the partitions of its table.
#[test]
fn a_local_index_is_in_the_partitions_of_its_table() {
    let model = tablewright_model::parse(EVENTS).unwrap();
    let heats = heat(&model, &events(&model));
    assert_eq!(heats.len(), 1, "{heats:?}");
    let table = &heats[0];
    assert_eq!(
        (table.index.as_deref(), table.busiest.as_str()),
        (None, "HOST#a")
    );
    // Three quarters of 800 writes to each, and of 200 pages of 50 KB.
    assert_eq!((table.write_units, table.read_units), (1200.0, 975.0));
    assert_eq!(table.verdict, Verdict::Hot);
    let without = EVENTS
        .replace("index.LSI1 = { sort = \"KIND#{kind}#{event}\" }", "")
        .replace("LSI1 = { kind = \"local\", sort_key = \"LSI1SK\" }", "")
        .replace("by     = [\"host\", \"kind\"]", "by = [\"host\"]");
    let model = tablewright_model::parse(&without).unwrap();
    let table = &heat(&model, &events(&model))[0];
    assert_eq!((table.write_units, table.verdict), (600.0, Verdict::Cool));
}

/// S0-54: a page of a query is as many units as its items take, however few requests it is.
#[test]
fn pages_are_as_hot_as_what_they_read() {
    for (change, units) in [
        ("page = 4", 0.5),
        ("page = 50", 6.5),
        ("page = 50\nconsistency = \"strong\"", 13.0),
        ("page = 100", 12.5),
    ] {
        let text = EVENTS.replace("page   = 50", change);
        let model = tablewright_model::parse(&text).unwrap();
        let table = &heat(&model, &events(&model))[0];
        assert_eq!(table.read_units, 0.75 * 200.0 * units, "{change}");
    }
    let often = EVENTS
        .replace("rate   = 800", "rate = 1")
        .replace("rate   = 200", "rate = 700");
    let model = tablewright_model::parse(&often).unwrap();
    let table = &heat(&model, &events(&model))[0];
    assert_eq!((table.read_units, table.verdict), (3412.5, Verdict::Hot));
    let one_by_one = often.replace("list   = \"Event\"", "get = \"Event\"");
    let one_by_one = one_by_one
        .replace(
            "by     = [\"host\", \"kind\"]",
            "by = [\"host\", \"event\"]",
        )
        .replace("page   = 50", "");
    let model = tablewright_model::parse(&one_by_one).unwrap();
    let table = &heat(&model, &events(&model))[0];
    assert_eq!((table.read_units, table.verdict), (262.5, Verdict::Cool));
}

const ORDERS: &str = r#"
[model]
name = "orders"

[table.orders]
partition_key = "PK"
sort_key      = "SK"

[table.orders.index]
GSI1 = {}

[entity.Shop]
table = "orders"
key   = { partition = "SHOP#{shop}", sort = "METADATA" }
index.GSI1 = { partition = "CITY#{city}", sort = "SHOP#{shop}" }

[entity.Shop.counters]
orders = { counts = "Order" }

[entity.Shop.fields]
shop = "id"
city = "id"

[entity.Order]
table = "orders"
key   = { partition = "ORDER#{order}", sort = "METADATA" }

[entity.Order.unique]
reference = { partition = "REFERENCES#{shop}", sort = "REFERENCE#{reference}" }

[entity.Order.fields]
order     = "ulid"
shop      = "id"
reference = "uuid"

[access.write]
create = "Order"
rate   = 100

[access.by_reference]
get  = "Order"
by   = ["shop", "reference"]
rate = 80
"#;

/// Ten shops, of which one has all four orders.
fn orders(model: &tablewright_model::Model) -> Vec<Record> {
    let shop = |number: usize| json!({ "shop": format!("s{number}"), "city": "c" });
    let order = |number: usize| {
        let reference = format!("00000000-0000-4000-8000-00000000000{number}");
        json!({ "order": ulid(number), "shop": "s3", "reference": reference })
    };
    let mut all = records(model, "Shop", (0..10).map(shop));
    all.extend(records(model, "Order", (0..4).map(order)));
    all
}

/// S0-54: a count is written with every item it counts, in its indexes too, and a guard where its key says.
#[test]
fn guards_and_counts_are_where_their_keys_say() {
    let model = tablewright_model::parse(ORDERS).unwrap();
    let heats = heat(&model, &orders(&model));
    let (table, index) = (&heats[0], &heats[1]);
    // A transaction writes each item twice over: the guards, and the count, of all orders.
    assert_eq!(table.busiest, "REFERENCES#s3");
    assert_eq!((table.write_units, table.read_units), (200.0, 40.0));
    assert_eq!(
        (index.busiest.as_str(), index.write_units),
        ("CITY#c", 100.0)
    );
    let elsewhere = ORDERS.replace("REFERENCES#{shop}", "REFERENCE#{shop}#{reference}");
    let model = tablewright_model::parse(&elsewhere).unwrap();
    let table = &heat(&model, &orders(&model))[0];
    assert_eq!(table.busiest, "SHOP#s3");
    assert_eq!((table.write_units, table.read_units), (200.0, 0.0));
}

/// What is nothing but counts has an index as well, and no item before the first count.
#[test]
fn counts_that_nothing_else_is_of() {
    let text = ORDERS
        .replace("city = \"id\"", "")
        .replace("CITY#{city}", "SHOPS");
    let model = tablewright_model::parse(&text).unwrap();
    let orders = orders(&tablewright_model::parse(ORDERS).unwrap());
    let heats = heat(&model, orders.iter().skip(10));
    let index = &heats[1];
    assert_eq!(
        (index.busiest.as_str(), index.write_units),
        ("SHOPS", 100.0)
    );
}

/// S0-54: what is declared to be few is no more in more data, nor is what refers to it.
#[test]
fn there_are_no_more_partitions_than_declared() {
    let text = ORDERS
        .replace(
            "city = \"id\"",
            "city = \"id\"\n\n[entity.Shop.facts]\nitems = 3",
        )
        .replace("CITY#{city}", "SHOP#{shop}");
    let model = tablewright_model::parse(&text).unwrap();
    let mut all = orders(&model);
    let order = |number: usize| {
        let reference = format!("00000000-0000-4000-9000-00000000000{number}");
        json!({ "order": ulid(10 + number), "shop": format!("s{number}"), "reference": reference })
    };
    all.extend(records(&model, "Order", (0..10).map(order)));
    let heats = heat(&model, &all);
    // Three shops, their references, and fourteen orders, of which eight are of the one that stays in the middle.
    assert_eq!((heats[0].partitions, heats[1].partitions), (20, 3));
    assert_eq!(heats[0].busiest, "REFERENCES#s3");
    assert_eq!(heats[0].write_units, 200.0 * (8.0 / 14.0));
    let few = text.replace("items = 3", "distinct = { shop = 2 }");
    let model = tablewright_model::parse(&few).unwrap();
    let heats = heat(&model, &all);
    assert_eq!(heats[1].partitions, 2);
}
