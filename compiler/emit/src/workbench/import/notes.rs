//! What of a table cannot be kept, in words.

use super::entity::EntityDraft;
use super::source::{Item, Sample, Source, TableSource, one_line};
use super::templates::Inferred;

/// Samples tell types and keys, and are not kept.
pub(super) fn of_samples(source: &Source) -> Option<String> {
    let of_table = |table: &TableSource| {
        let of_facets = table.facets.iter().map(|facet| facet.data.len());
        table.data.len() + of_facets.sum::<usize>()
    };
    match source.tables.iter().map(of_table).sum() {
        0 => None,
        1 => Some("the sample is not kept: it told types and keys".to_owned()),
        many => Some(format!(
            "the {many} samples are not kept: they told types and keys"
        )),
    }
}

/// What a facet calls a key, where that is neither its template nor its name.
pub(super) fn of_aliases<'a>(
    entity: &str,
    keys: impl IntoIterator<
        Item = (
            Option<&'a (String, String)>,
            &'a String,
            Option<&'a Inferred>,
        ),
    >,
) -> Vec<String> {
    let mut notes = Vec::new();
    for (key, alias, inferred) in keys {
        let attribute = key.map_or("the sort key, which the table has not", |(name, _)| name);
        let kept = inferred.is_some_and(|inferred| {
            let is_field = inferred.fields.iter().any(|field| field == alias);
            inferred.template == *alias || is_field
        });
        if !alias.is_empty() && alias != attribute && !kept {
            notes.push(format!(
                "the alias `{}` of {} for {}",
                one_line(alias),
                entity,
                one_line(attribute)
            ));
        }
    }
    notes
}

/// Attributes that are in a projection and nowhere else, and indexes that nothing is in.
pub(super) fn of_indexes(
    table: &TableSource,
    entities: &[EntityDraft],
    is_key: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut notes = Vec::new();
    for index in &table.indexes {
        for name in index.projection.iter().flatten() {
            if !is_field(entities, name) && !is_key(name) {
                notes.push(format!(
                    "`{}` in the projection of {}",
                    one_line(name),
                    index.name
                ));
            }
        }
        let mut keys = entities.iter().flat_map(|entity| &entity.indexes);
        if !keys.any(|key| key.index == index.name) {
            notes.push(format!(
                "no sample is in {}: which entities have a key in it is for you to say",
                index.name
            ));
        }
    }
    notes
}

/// Attributes that a table declares, and neither a facet shows nor a sample has.
pub(super) fn of_attributes(
    table: &TableSource,
    entities: &[EntityDraft],
    type_attribute: Option<&str>,
) -> Vec<String> {
    let keys = std::iter::once(&table.keys).chain(table.indexes.iter().map(|index| &index.keys));
    let keys: Vec<&String> = keys
        .flat_map(|keys| std::iter::once(&keys.partition).chain(&keys.sort))
        .map(|(name, _)| name)
        .collect();
    let shown = |name: &String| {
        let shows = |entity: &EntityDraft| entity.items.iter().any(|item| item.contains_key(name));
        let faceted = table
            .facets
            .iter()
            .any(|facet| facet.attributes.contains(name));
        is_field(entities, name)
            || entities.iter().any(shows)
            || faceted
            || keys.contains(&name)
            || type_attribute == Some(name)
    };
    table
        .attributes
        .iter()
        .filter(|(name, _)| !shown(name))
        .map(|(name, letter)| {
            format!(
                "`{}` ({letter}) of {}: no facet shows it, and no sample has it",
                one_line(name),
                table.name
            )
        })
        .collect()
}

/// Keys of bytes, which a model can name and not have.
pub(super) fn of_binary_keys(table: &TableSource) -> Vec<String> {
    let indexes = table.indexes.iter();
    let indexes = indexes.map(|index| (format!("{} of {}", index.name, table.name), &index.keys));
    let all = std::iter::once((table.name.clone(), &table.keys)).chain(indexes);
    let mut notes = Vec::new();
    for (place, keys) in all {
        let attributes = std::iter::once(&keys.partition).chain(&keys.sort);
        for (name, _) in attributes.filter(|(_, letter)| letter == "B") {
            notes.push(format!(
                "`{}` is a binary key of {place}, and there are none here: keep the bytes as text, in hexadecimal digits or base64",
                one_line(name)
            ));
        }
    }
    notes
}

/// A type that is declared, and that samples have not.
pub(super) fn of_type(
    entity: &str,
    field: &str,
    letter: Option<&str>,
    items: &[Item],
) -> Option<String> {
    let letter = letter?;
    let samples = items.iter().filter_map(|item| item.get(field));
    let mut others = samples
        .map(letter_of)
        .filter(|found| *found != letter && *found != "NULL");
    let other = others.next()?;
    Some(format!(
        "`{field}` of {entity} is declared as {letter}, and a sample has {other}: the samples count"
    ))
}

fn letter_of(sample: &Sample) -> &'static str {
    match sample {
        Sample::Text(_) => "S",
        Sample::Number(_) => "N",
        Sample::Flag => "BOOL",
        Sample::Bytes => "B",
        Sample::Null => "NULL",
        Sample::Texts(_) => "SS",
        Sample::Numbers(_) => "NS",
        Sample::ManyBytes => "BS",
        Sample::List(_) => "L",
        Sample::Map(_) => "M",
    }
}

fn is_field(entities: &[EntityDraft], name: &str) -> bool {
    let mut fields = entities.iter().flat_map(|entity| &entity.fields);
    fields.any(|field| field.name == name)
}
