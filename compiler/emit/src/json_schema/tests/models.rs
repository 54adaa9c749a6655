//! The schemas of the models of this repository.

use super::super::{Compatibility, classify, schema};

#[test]
fn nothing_changes_by_itself() {
    for name in ["todo", "tasks", "ask", "accounts"] {
        let path = format!("{}/../../models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let model = tablewright_model::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        for (id, _) in model.entity_ids() {
            let schema = schema(&model, id);
            assert!(jsonschema::meta::is_valid(&schema));
            assert_eq!(classify(&schema, &schema), Compatibility::default());
        }
    }
}

#[test]
fn fields_stand_where_the_run_time_stores_them() {
    // C4-8, C4-9: the schema is of the item the run time writes
    for name in ["todo", "tasks", "ask", "accounts"] {
        let path = format!("{}/../../models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let model = tablewright_model::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        let lowered = tablewright_plan::lower(&model);
        let run_time = tablewright_descriptor::Schema::resolve(lowered).unwrap();
        for (id, entity) in model.entity_ids() {
            let schema = schema(&model, id);
            let top = schema["properties"].as_object().unwrap();
            let described = run_time.entity(&entity.name.value);
            for field in &described.fields {
                let at_the_top = described.at_the_top(&field.name);
                let in_data = !schema["properties"]["data"]["properties"][&field.name].is_null();
                assert_eq!(top.contains_key(&field.name), at_the_top, "{}", field.name);
                assert_eq!(in_data, !at_the_top, "{}", field.name);
            }
            let keys = described.stored_keys().flat_map(|key| key.parts());
            for attribute in keys.map(|part| &part.attribute.name) {
                assert!(top.contains_key(attribute), "{attribute}");
            }
            for counter in &described.counters {
                assert!(top.contains_key(counter), "{counter}");
            }
        }
    }
}
