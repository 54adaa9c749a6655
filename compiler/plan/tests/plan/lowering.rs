//! What the run time is told is what was planned.

use std::path::Path;

use tablewright_descriptor::key_text::{KeyPiece, KeyText, SortTest};
use tablewright_descriptor::{Schema, Via};
use tablewright_keys::TypedPiece;
use tablewright_model::model::ActionKind;
use tablewright_model::{Model, parse};
use tablewright_plan::{Answer, ItemRole, lower, plan, plan_one};

fn models() -> Vec<Model> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut models = Vec::new();
    for name in ["accounts", "todo", "tasks", "ask"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.toml")));
        let text = text.expect("the model is there");
        models.push(parse(&text).expect("the model is good"));
    }
    models
}

fn schema(model: &Model) -> Schema {
    Schema::resolve(lower(model)).unwrap_or_else(|error| panic!("{}: {error}", model.name))
}

/// A natural key is the field itself, and nothing is escaped in it: the planner does not look at that.
fn as_stored(text: &KeyText, attribute: Option<&str>) -> KeyText {
    let mut text = text.clone();
    if let [
        KeyPiece::Value {
            typed:
                TypedPiece::Field {
                    name,
                    encodings,
                    escaped,
                    ..
                },
            ..
        },
    ] = text.pieces.as_mut_slice()
        && attribute == Some(name)
        && *encodings == Default::default()
    {
        *escaped = false;
    }
    text
}

fn same_test(planned: &SortTest, resolved: &SortTest, attribute: Option<&str>) -> bool {
    let planned_texts = planned.texts().into_iter();
    let texts: Vec<KeyText> = planned_texts
        .map(|text| as_stored(text, attribute))
        .collect();
    std::mem::discriminant(planned) == std::mem::discriminant(resolved)
        && texts.iter().collect::<Vec<_>>() == resolved.texts()
}

#[test]
fn every_read_asks_for_the_keys_that_were_planned() {
    for model in models() {
        let schema = schema(&model);
        let mut reads = 0;
        for access in &model.accesses {
            let planned = match plan_one(&model, access).answer {
                Answer::Read(planned) => planned,
                Answer::Write(write) if write.finds.is_some() => *write.finds.unwrap(),
                _ => continue,
            };
            reads += 1;
            let name = &access.name;
            let read = schema.read(name.as_str());
            let (attribute, partition) = &read.partition;
            assert_eq!(
                as_stored(&planned.partition, Some(&attribute.name)),
                *partition,
                "{name}"
            );
            let (attribute, sort) = &read.sort;
            let attribute = attribute.as_ref().map(|attribute| attribute.name.as_str());
            assert!(
                same_test(&planned.sort, sort, attribute),
                "{name}: {:?}\n{sort:?}",
                planned.sort
            );
            let index = planned.place.index.map(|index| {
                let table = model.table(planned.place.table);
                table.index(index).name.value.clone()
            });
            assert_eq!(read.index, index, "{name}");
            let filter = read.filter.iter().map(ToString::to_string);
            let parts = planned.filter.iter().map(ToString::to_string);
            assert_eq!(
                filter.collect::<Vec<_>>().join(" and "),
                parts.collect::<Vec<_>>().join(" and "),
                "{name}"
            );
        }
        assert_eq!(reads, schema.reads.len());
    }
}

#[test]
fn every_write_reads_first_when_it_was_planned_to() {
    for model in models() {
        let schema = schema(&model);
        assert!(!schema.writes.is_empty());
        agree(&model, &schema);
    }
}

fn agree(model: &Model, schema: &Schema) {
    for plan in plan(model) {
        let Answer::Write(planned) = &plan.answer else {
            continue;
        };
        let write = schema.write(&plan.pattern);
        let named = planned.items.iter();
        let named = named.filter(|item| item.role == ItemRole::Named).count();
        assert_eq!(write.actions.len(), named, "{}", plan.pattern);
        let reads_first = write.actions.iter().any(|action| action.reads_first());
        assert_eq!(reads_first, planned.reads_first, "{}", plan.pattern);
    }
}

const LEDGER: &str = r##"
[model]
name = "ledger"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[table.app.index]
GSI1 = {}
GSI2 = { partition_key = "league", sort_key = "points: number" }
GSI3 = { sort_key = "rank: number" }
GSI4 = { sort_key = "wins: number" }
GSI5 = {}

[entity.Player]
table = "app"
key   = { partition = "PLAYER#{player}", sort = "METADATA" }
index.GSI1 = { partition = "OPEN#{player:shard(4)}", sort = "{name}#{player}", when = "games > 0 and state = active" }
index.GSI2 = { partition = "{league}", sort = "{points}" }
index.GSI3 = { partition = "CLUB#{club}", sort = "{rank}" }
index.GSI4 = { partition = "WINS#{club}", sort = "{wins}" }
index.GSI5 = { partition = "RICH#{player:shard(4)}", sort = "{player}", when = "spent < limit" }

[entity.Player.fields]
player  = "id"
name    = "string(1..50)"
league  = "id"
points  = "int"
games   = "int(0..)"
level   = "int(0..99)"
club    = "id"
rank    = "int(0..99)"
wins    = "int(0..)?"
spent   = "int(0..)"
limit   = "int(0..)"
state   = "enum(active, gone)"
comment = "string?"
"##;

#[test]
fn an_addition_reads_first_only_where_a_key_is_made_of_the_sum() {
    let fields = [
        ("add = [\"points\"]", false), // the index key is the number itself
        ("add = [\"rank\"]", false),   // it is half of the key, and the other half stays
        ("add = [\"wins\"]", true),    // the first win brings the other half
        ("add = [\"spent\"]", true),   // decides who is in GSI5
        ("set = [\"limit\"]", true),   // decides it too
        ("set = [\"limit\", \"spent\"]", false),
        ("add = [\"level\"]", false),   // in no key
        ("add = [\"games\"]", true),    // decides who is in GSI1
        ("set = [\"state\"]", true),    // decides it too, and the name is not known
        ("set = [\"comment\"]", false), // nothing depends on it
        ("set = [\"points\"]", true),   // the league is not known
        ("set = [\"league\", \"points\"]", false),
        ("set = [\"name\", \"games\", \"state\"]", false),
    ];
    for (changes, expected) in fields {
        let text = format!(
            "{LEDGER}\n[access.change]\nupdate = \"Player\"\nby = [\"player\"]\n{changes}\n"
        );
        let model = parse(&text).unwrap();
        let schema = schema(&model);
        agree(&model, &schema);
        let action = &schema.write("change").actions[0];
        assert_eq!(action.reads_first(), expected, "{changes}");
    }
}

#[test]
fn a_number_is_read_from_the_entity_that_keeps_it() {
    let models = models();
    let todo = schema(&models[1]);
    let read = todo.read("count_by_status");
    assert!(
        matches!(&read.via, Via::Counter { counter, per: Some(per) } if counter == "by_status" && per == "status")
    );
    assert_eq!(read.entities[0].name, "Task");
    assert_eq!(read.given, ["user_id", "status"]);
    let text = include_str!("../../../../models/todo.toml");
    let fixed =
        "[access.done]\ncount = \"Task\"\nby = [\"user_id\"]\nwhere = \"status = completed\"\n";
    let todo = schema(&parse(&format!("{text}\n{fixed}")).unwrap());
    let read = todo.read("done");
    assert!(matches!(read.via, Via::Counter { .. }));
    assert_eq!(read.given, ["user_id"]);
    assert_eq!(read.fixed, [("status".to_owned(), "completed".to_owned())]);
}

#[test]
fn events_know_what_they_wait_for() {
    for model in models() {
        let schema = schema(&model);
        assert_eq!(schema.events.len(), model.events.len());
        for (event, written) in schema.events.iter().zip(&model.events) {
            let trigger = written.trigger.as_ref().unwrap();
            let entity = model.entity(trigger.entity);
            assert_eq!(event.entity.name, entity.name.value);
            let field = trigger
                .field
                .map(|field| entity.field(field).name.value.clone());
            assert_eq!(event.field, field);
            let condition = written.condition.as_ref();
            assert_eq!(
                event.condition.as_ref(),
                condition.map(|condition| &condition.condition)
            );
        }
    }
}

#[test]
fn only_what_has_an_answer_is_told() {
    let mut asked = 0;
    for model in models() {
        let schema = schema(&model);
        for access in &model.accesses {
            asked += 1;
            let name = access.name.as_str();
            let writes = access
                .verb
                .writes()
                .iter()
                .any(|(kind, _, _)| *kind != ActionKind::Get);
            assert_eq!(
                schema.writes.iter().any(|write| write.name == name),
                writes,
                "{name}"
            );
        }
    }
    assert!(asked > 100);
    let by_hand = format!(
        "{LEDGER}\n[access.all]\nlist = \"Player\"\nrequest = \"Scan\"\n\n[access.named]\nlist = \"Player\"\nby = [\"comment\"]\n"
    );
    assert!(schema(&parse(&by_hand).unwrap()).reads.is_empty());
}
