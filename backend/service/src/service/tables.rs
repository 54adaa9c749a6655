//! Whether tables are there, and can be reached: by a read, which needs no other permission than the service's own work, not even for another form of keys.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::Store;
use tablewright::descriptor::{Entity, KeyKind, KeyPart};
use tablewright::tables::{TableChange, TableError};
use tablewright_keys::TypedPiece;

/// For each table an entity of it, the first that is named.
pub(super) fn of(entities: &[&'static Entity]) -> Vec<&'static Entity> {
    let mut by_table = BTreeMap::new();
    for entity in entities {
        by_table
            .entry(entity.table.name.as_str())
            .or_insert(*entity);
    }
    by_table.into_values().collect()
}

/// Reads an item that is not there from the table of each. Its key has the form of the entity's keys: a policy may allow no other.
pub(super) async fn reachable(store: Store, entities: Vec<&'static Entity>) -> Result<(), String> {
    for entity in entities {
        let key = entity.key.parts();
        let key: HashMap<_, _> = key
            .map(|part| (part.attribute.name.clone(), of_nothing(part)))
            .collect();
        let name = store.table_name(&entity.table);
        let read = store.client().get_item().table_name(&name);
        let read = read.set_key(Some(key)).send().await;
        read.map_err(|error| {
            let error = error.into_service_error();
            format!("{name}: {error:?}")
        })?;
    }
    Ok(())
}

/// A part of a key with the fixed texts of its template, and values that nothing has.
fn of_nothing(part: &KeyPart) -> AttributeValue {
    match part.attribute.kind {
        KeyKind::String => {
            let pieces = part.template.pieces.iter();
            let texts = pieces.map(|piece| match piece {
                TypedPiece::Literal(text) => text.as_str(),
                TypedPiece::Field { .. } => "health",
            });
            AttributeValue::S(texts.collect())
        }
        KeyKind::Number => AttributeValue::N(String::from("0")),
        KeyKind::Binary => AttributeValue::B(vec![0].into()),
    }
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
