//! Whether tables can be reached: by a read, which needs no other permission than the service's own work.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::Store;
use tablewright::descriptor::{Entity, KeyKind, Table};

/// The tables of entities, each once.
pub(super) fn of(entities: &[&'static Entity]) -> Vec<Arc<Table>> {
    let by_name: BTreeMap<&str, &Arc<Table>> = entities
        .iter()
        .map(|entity| (entity.table.name.as_str(), &entity.table))
        .collect();
    by_name.into_values().map(Arc::clone).collect()
}

/// Reads an item that is not there from each.
pub(super) async fn reachable(store: Store, tables: Vec<Arc<Table>>) -> Result<(), String> {
    for table in tables {
        let nothing = |kind: KeyKind| match kind {
            KeyKind::String => AttributeValue::S(String::from("health")),
            KeyKind::Number => AttributeValue::N(String::from("0")),
            KeyKind::Binary => AttributeValue::B(vec![0].into()),
        };
        let key = table.key_attributes();
        let key: HashMap<_, _> = key
            .map(|key| (key.name.clone(), nothing(key.kind)))
            .collect();
        let name = store.table_name(&table);
        let read = store.client().get_item().table_name(&name);
        let read = read.set_key(Some(key)).send().await;
        read.map_err(|error| {
            let error = error.into_service_error();
            format!("{name}: {error:?}")
        })?;
    }
    Ok(())
}
