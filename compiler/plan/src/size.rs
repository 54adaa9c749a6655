//! How large an entry of an index is, at most: its keys and what it projects, and never more than the item.

use tablewright_model::field_type::{FieldType, Length};
use tablewright_model::model::{Entity, Index, IndexId, Key, Model, Projection};

/// The bytes read or written for an item of the entity: in the table, or in an index of it.
///
/// # Errors
/// The fact that has to be declared, as its key in the model.
pub(crate) fn of_item(
    model: &Model,
    entity: &Entity,
    index: Option<IndexId>,
) -> Result<u64, String> {
    let whole = entity.facts.size;
    let projected = index.and_then(|index| {
        let index_of_table = model.table(entity.table).index(index);
        let key = entity.keys_in(index).next()?;
        of_entry(model, entity, index_of_table, &key.key)
    });
    let least = [whole, projected].into_iter().flatten().min();
    least.ok_or_else(|| format!("[entity.{}.facts] size", entity.name))
}

/// The most an entry can have; none when it has everything, or something without a limit.
fn of_entry(model: &Model, entity: &Entity, index: &Index, key: &Key) -> Option<u64> {
    let fields: &[_] = match &index.projection {
        Projection::All => return None,
        Projection::KeysOnly => &[],
        Projection::Fields(fields) => fields,
    };
    let mut bytes: u64 = 0;
    for template in entity.key.templates().chain(key.templates()) {
        bytes = bytes
            .saturating_add(NAME)
            .saturating_add(template.typed.max_bytes()?);
    }
    for name in fields {
        let Some(field) = entity.field_named(name.as_str()) else {
            continue;
        };
        let most = most_bytes(model, entity.field(field).kind(), 0)?;
        bytes = bytes
            .saturating_add(name.value.len() as u64)
            .saturating_add(most);
    }
    Some(bytes)
}

/// What the name of a key attribute takes, generously.
const NAME: u64 = 32;

/// Structs nested deeper than this are not followed.
const DEPTH: usize = 8;

/// The most bytes a value can take; none when there is no limit.
fn most_bytes(model: &Model, kind: &FieldType, depth: usize) -> Option<u64> {
    /// A character takes up to four bytes.
    const CHARACTER: u64 = 4;
    let most = |length: &Length| length.max.map(u64::from);
    let several = |of: &FieldType, length: &Length| {
        let each = most_bytes(model, of, depth + 1)?.saturating_add(CHARACTER * 64);
        Some(most(length)?.saturating_mul(each))
    };
    Some(match kind {
        FieldType::String(length) => most(length)?.saturating_mul(CHARACTER),
        FieldType::Binary(length) | FieldType::Json(length) => most(length)?,
        FieldType::Id => 128,
        FieldType::Uuid => 36,
        FieldType::Ulid => 26,
        FieldType::Email => 254 * CHARACTER,
        FieldType::Bool => 1,
        FieldType::Int { .. }
        | FieldType::Decimal
        | FieldType::EpochSeconds
        | FieldType::EpochMillis => 21,
        FieldType::Date => 10,
        FieldType::Timestamp(_) | FieldType::UnevenTimestamp => 30,
        FieldType::Enum(words) | FieldType::Ordered(words) => words
            .iter()
            .map(|word| word.len() as u64)
            .max()
            .unwrap_or(0),
        FieldType::List(of, length) | FieldType::Set(of, length) | FieldType::Map(of, length) => {
            several(of, length)?
        }
        FieldType::Struct(name) if depth < DEPTH => {
            let fields = &model.structure(name)?.fields;
            let sizes = fields.iter().map(|field| {
                let most = most_bytes(model, field.kind(), depth + 1)?;
                Some(most.saturating_add(field.name.value.len() as u64))
            });
            sizes.sum::<Option<u64>>()?
        }
        FieldType::Struct(_) => return None,
    })
}
