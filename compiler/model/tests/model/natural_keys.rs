//! A natural key is the field itself; any other key of text is escaped.

use tablewright_keys::KeyValue;
use tablewright_model::model::KeyTemplate;
use tablewright_model::parse;

fn rendered(template: &KeyTemplate) -> String {
    let value = |_: &str| Some(KeyValue::Text("deep work #1".into()));
    template.typed.render(value).expect("the value fits")
}

#[test]
fn a_key_that_is_its_field_is_stored_as_it_is() {
    let model = parse(
        r##"
[model]
name    = "natural"
profile = "table-per-entity"

[table.topics]
partition_key = "topic"
sort_key      = "SK"

[table.topics.index]
ByAuthor = { partition_key = "author", sort_key = "ByAuthorSK" }

[entity.Topic]
table = "topics"
key   = { partition = "{topic}", sort = "{topic}" }
index.ByAuthor = { partition = "{author}", sort = "TOPIC#{topic}" }

[entity.Topic.fields]
topic  = "string(1..100)"
author = "string(1..100)"
"##,
    )
    .expect("a model");
    let topic = &model.entities[0];
    assert_eq!(rendered(&topic.key.partition), "deep work #1");
    let sort = topic.key.sort.as_ref().expect("a sort key");
    assert_eq!(
        rendered(sort),
        "deep$20work$20$231",
        "`SK` is not the field `topic`"
    );
    let index = &topic.index_keys[0].key;
    assert_eq!(rendered(&index.partition), "deep work #1");
    let sort = index.sort.as_ref().expect("a sort key");
    assert_eq!(rendered(sort), "TOPIC#deep$20work$20$231");
}
