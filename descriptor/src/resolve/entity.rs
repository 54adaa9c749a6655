//! Entities, and who counts whom.

use std::sync::Arc;

use super::keys::Keys;
use super::{Result, condition_of, error, fields};
use crate::schema::{Entity, IndexKey, Keeper, Number, Structure, Unique};
use crate::table::Table;
use crate::written::EntityText;

pub(super) fn entity(
    written: &EntityText,
    tables: &[Arc<Table>],
    structs: &Arc<Vec<Structure>>,
) -> Result<Entity> {
    let of = &written.name;
    let table = tables
        .iter()
        .find(|table| table.name == written.table)
        .ok_or_else(|| error(of, format!("there is no table {}", written.table)))?;
    let fields = fields(of, &written.fields)?;
    let keys = Keys {
        of,
        fields: &fields,
        escape: table.escape,
    };
    let table_key = (&table.partition_key, table.sort_key.as_ref());
    let mut index_keys = Vec::new();
    for key in &written.indexes {
        let index = table
            .index_named(&key.index)
            .ok_or_else(|| error(of, format!("there is no index {}", key.index)))?;
        index_keys.push(IndexKey {
            index: key.index.clone(),
            key: keys.stored(&key.key, (&index.partition_key, index.sort_key.as_ref()))?,
            when: condition_of(of, &fields, key.when.as_deref())?,
        });
    }
    let unique = written.unique.iter().map(|(name, key)| {
        Ok(Unique {
            name: name.clone(),
            key: keys.stored(key, table_key)?,
        })
    });
    Ok(Entity {
        name: written.name.clone(),
        table: Arc::clone(table),
        type_value: written.type_value.clone(),
        key: keys.stored(&written.key, table_key)?,
        index_keys,
        unique: unique.collect::<Result<_>>()?,
        counters: Vec::new(),
        counts_what_ends: false,
        counted_by: Vec::new(),
        ttl: written.ttl.clone(),
        versioned: written.versioned,
        secret: written.secret.clone(),
        structs: Arc::clone(structs),
        fields,
    })
}

/// Tells every counted entity who counts it, and every keeper the names of its numbers.
pub(super) fn count(written: &[EntityText], entities: &mut [Entity]) -> Result<()> {
    for (position, keeper_text) in written.iter().enumerate() {
        for counter in &keeper_text.counters {
            let counted = entities
                .iter()
                .position(|entity| entity.name == counter.counts)
                .ok_or_else(|| {
                    error(
                        &counter.name,
                        format!("there is no entity {}", counter.counts),
                    )
                })?;
            let words = match &counter.per {
                None => Vec::new(),
                Some(per) => entities[counted]
                    .field(per)
                    .and_then(|field| field.declared.kind.words())
                    .ok_or_else(|| error(&counter.name, format!("{per} is no enum")))?
                    .to_vec(),
            };
            let ends = entities[counted].ttl.is_some();
            let keeper = &mut entities[position];
            keeper.counts_what_ends |= ends;
            if counter.per.is_none() {
                keeper.counters.push(counter.name.clone());
            }
            let names = words.iter().map(|word| number_of(&counter.name, word));
            keeper.counters.extend(names);
            let number = Number {
                name: counter.name.clone(),
                per: counter.per.clone(),
            };
            let keeper = &entities[position];
            let identity: Vec<String> = keeper.identity().into_iter().map(str::to_owned).collect();
            let entry = Keeper {
                entity: keeper.name.clone(),
                table: Arc::clone(&keeper.table),
                key: keeper.key.clone(),
                begins_as: (keeper.fields.len() == identity.len())
                    .then(|| Arc::new(keeper.clone())),
                identity,
                numbers: vec![number],
                versioned: keeper.versioned,
                counts_what_ends: ends,
            };
            let counted = &mut entities[counted];
            match counted
                .counted_by
                .iter_mut()
                .find(|known| known.entity == entry.entity)
            {
                Some(known) => known.numbers.extend(entry.numbers),
                None => counted.counted_by.push(entry),
            }
        }
    }
    Ok(())
}

/// The attribute of one of several numbers: `by_status_open`.
pub fn number_of(counter: &str, word: &str) -> String {
    format!("{counter}_{word}")
}
