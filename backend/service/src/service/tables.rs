//! Whether tables are there, and can be reached: by a read, which needs no other permission than the service's own work.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::Store;
use tablewright::descriptor::{Entity, KeyKind, Table};
use tablewright::tables::{TableChange, TableError};

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

/// The tables of a service were made, or brought up to date; or whoever runs it may do neither, as its policy in an account says: there they
/// are deployed, and only used.
///
/// # Errors
/// Any other reason why they are not what the model says.
pub fn tables_are_there(made: Result<Vec<TableChange>, TableError>) -> Result<(), TableError> {
    match made {
        Err(error) if !error.is_denied() => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use tablewright::Error;

    use super::*;

    #[test]
    fn who_may_not_make_tables_uses_those_there_are() {
        let refused = |code: &str| {
            let error = Error::Backend {
                code: code.to_owned(),
                message: String::new(),
            };
            tables_are_there(Err(TableError::Error(error)))
        };
        assert_eq!(refused("AccessDeniedException"), Ok(()));
        assert!(refused("ValidationException").is_err());
    }
}
