//! What a local index does not hold, DynamoDB can fetch from the table when it is asked for whole items. A global index cannot: there it is absent.

use tablewright_descriptor::condition::Condition;
use tablewright_descriptor::{Entity, Projection, Read};

use super::request::key_names;
use crate::expression::DATA;
use crate::item::{DATA_VERSION, LAST_WRITE};

/// Whether pages have to be fetched from the table: of a local index that does not hold what is asked for, compared or searched.
pub(super) fn fetches_pages(read: &Read) -> bool {
    let lacks = |entity: &Entity| {
        let older = entity
            .versioned
            .is_some_and(|versioned| versioned.data_version > 1);
        let asked: Vec<&str> = match read.fields.is_empty() {
            true => entity
                .fields
                .iter()
                .map(|field| field.name.as_str())
                .collect(),
            false => read.fields.iter().map(String::as_str).collect(),
        };
        let searched = read.matches.iter().map(String::as_str);
        // An older shape may keep its fields under other names, and is read whole.
        let stamps = [DATA_VERSION, LAST_WRITE];
        let is_stamped = entity.versioned.is_some() && read.fields.is_empty();
        older
            || !holds_all(read, entity, asked.into_iter().chain(searched))
            || (is_stamped && !stamps.iter().all(|stamp| holds(read, stamp)))
    };
    is_narrow_and_local(read)
        && (fetches_counts(read) || read.entities.iter().any(|one| lacks(one)))
}

/// Whether items have to be fetched to be counted: the index does not hold what is compared.
pub(super) fn fetches_counts(read: &Read) -> bool {
    let lacks = |entity: &Entity| {
        let compared = read.filter.iter().flat_map(Condition::depends_on);
        let refined = read.refine.iter().map(String::as_str);
        let ended = entity.ttl.as_deref();
        !holds_all(read, entity, compared.chain(refined).chain(ended))
    };
    is_narrow_and_local(read) && read.entities.iter().any(|one| lacks(one))
}

fn is_narrow_and_local(read: &Read) -> bool {
    let index = read.index.as_ref();
    let index = index.and_then(|name| read.table.index_named(name));
    index.is_some_and(|index| index.local && index.projection != Projection::All)
}

fn holds_all<'f>(read: &Read, entity: &Entity, fields: impl Iterator<Item = &'f str>) -> bool {
    let mut attributes = fields.map(|field| match entity.at_the_top(field) {
        true => field,
        false => DATA,
    });
    attributes.all(|attribute| holds(read, attribute))
}

/// Whether what is asked has an attribute: it is the table, or an index that projects it or has it as a key.
pub(super) fn holds(read: &Read, attribute: &str) -> bool {
    let index = read.index.as_ref();
    let projection = index.and_then(|name| Some(&read.table.index_named(name)?.projection));
    match projection {
        None | Some(Projection::All) => true,
        Some(Projection::KeysOnly) => key_names(read).contains(&attribute),
        Some(Projection::Only(names)) => {
            key_names(read).contains(&attribute) || names.iter().any(|name| name == attribute)
        }
    }
}
