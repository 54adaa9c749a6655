//! Tables with their keys and facets.

use serde_json::{Map, Value};

use super::super::error::ImportError;
use super::capacity::read_capacity;
use super::indexes::read_index;
use super::members::{is_nothing, name_of, noted, object, one_line, optional_list, text, unknown};
use super::samples::read_items;
use super::{FacetSource, IndexSource, Keys, TableSource};

pub(super) fn read_table(
    value: &Value,
    place: &str,
    lost: &mut Vec<String>,
) -> Result<TableSource, ImportError> {
    let table = object(value, place)?;
    let name = name_of(table, "TableName", place)?;
    let inside = |member: &str| format!("{place}.{member}");
    let mut attributes = Vec::new();
    for (at, attribute) in optional_list(table, "NonKeyAttributes", place)?
        .iter()
        .enumerate()
    {
        let place = format!("{}[{at}]", inside("NonKeyAttributes"));
        let attribute = read_attribute(attribute, &place, lost)?;
        let known = attributes
            .iter()
            .find(|known: &&(String, String)| known.0 == attribute.0);
        match known {
            None => attributes.push(attribute),
            Some(known) if *known == attribute => {}
            Some(_) => lost.push(format!(
                "that `{}` of {name} is of type {} as well",
                one_line(&attribute.0),
                attribute.1
            )),
        }
    }
    let mut facets = Vec::new();
    for (at, facet) in optional_list(table, "TableFacets", place)?
        .iter()
        .enumerate()
    {
        let place = format!("{}[{at}]", inside("TableFacets"));
        facets.push(read_facet(facet, &place, lost)?);
    }
    let mut indexes = Vec::new();
    for (at, index) in optional_list(table, "GlobalSecondaryIndexes", place)?
        .iter()
        .enumerate()
    {
        let place = format!("{}[{at}]", inside("GlobalSecondaryIndexes"));
        let index = read_index(index, &place, lost)?;
        if indexes
            .iter()
            .any(|known: &IndexSource| known.name == index.name)
        {
            return Err(ImportError::twice(
                &format!("{place}.IndexName"),
                "index of the table",
                &index.name,
            ));
        }
        indexes.push(index);
    }
    let of = format!("the table {name}");
    for member in ["DataAccess", "SampleDataFormats"] {
        let value = table.get(member).filter(|value| !is_nothing(value));
        lost.extend(value.map(|value| noted(member, &of, value)));
    }
    let known = [
        "TableName",
        "KeyAttributes",
        "NonKeyAttributes",
        "TableFacets",
        "TableData",
        "GlobalSecondaryIndexes",
        "DataAccess",
        "SampleDataFormats",
        "BillingMode",
        "ProvisionedCapacitySettings",
    ];
    unknown(table, &known, &of, lost);
    let keys = read_keys(table, place, lost)?;
    types_agree(&keys, &indexes, place)?;
    Ok(TableSource {
        keys,
        attributes,
        facets,
        indexes,
        data: read_items(table, place, &of, lost)?,
        provisioned: read_capacity(table, place, &of, lost)?,
        name,
    })
}

fn read_facet(
    value: &Value,
    place: &str,
    lost: &mut Vec<String>,
) -> Result<FacetSource, ImportError> {
    let facet = object(value, place)?;
    let name = text(facet, "FacetName", place)?;
    let of = format!("the facet {}", one_line(&name));
    let access = facet.get("DataAccess").filter(|value| !is_nothing(value));
    lost.extend(access.map(|value| noted("DataAccess", &of, value)));
    let known = [
        "FacetName",
        "KeyAttributeAlias",
        "NonKeyAttributes",
        "TableData",
        "DataAccess",
    ];
    unknown(facet, &known, &of, lost);
    let aliases = facet.get("KeyAttributeAlias").unwrap_or(&Value::Null);
    let mut alias = |name: &str| match aliases.get(name) {
        Some(Value::String(alias)) => alias.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => {
            lost.push(noted(name, &of, other));
            String::new()
        }
    };
    let (partition_alias, sort_alias) = (alias("PartitionKeyAlias"), alias("SortKeyAlias"));
    match aliases.as_object() {
        Some(members) => {
            let known = ["PartitionKeyAlias", "SortKeyAlias"];
            unknown(members, &known, &format!("the aliases of {of}"), lost);
        }
        None if is_nothing(aliases) => {}
        None => lost.push(noted("KeyAttributeAlias", &of, aliases)),
    }
    let mut attributes = Vec::new();
    for (at, attribute) in optional_list(facet, "NonKeyAttributes", place)?
        .iter()
        .enumerate()
    {
        let expected = || {
            ImportError::wrong(
                &format!("{place}.NonKeyAttributes[{at}]"),
                "the name of an attribute is expected",
            )
        };
        attributes.push(attribute.as_str().ok_or_else(expected)?.to_owned());
    }
    Ok(FacetSource {
        data: read_items(facet, place, &of, lost)?,
        name,
        partition_alias,
        sort_alias,
        attributes,
    })
}

/// The key of a table or an index.
pub(super) fn read_keys(
    members: &Map<String, Value>,
    place: &str,
    lost: &mut Vec<String>,
) -> Result<Keys, ImportError> {
    let place = format!("{place}.KeyAttributes");
    let keys = members.get("KeyAttributes").unwrap_or(&Value::Null);
    let keys = object(keys, &place)?;
    unknown(keys, &["PartitionKey", "SortKey"], &place, lost);
    let mut key = |name: &str| -> Result<Option<(String, String)>, ImportError> {
        let Some(value) = keys.get(name) else {
            return Ok(None);
        };
        let place = format!("{place}.{name}");
        let (attribute, letter) = read_attribute(value, &place, lost)?;
        if !matches!(letter.as_str(), "S" | "N" | "B") {
            return Err(ImportError::wrong(&place, "a key is of type S, N or B"));
        }
        // The language writes a type behind a colon.
        let fine = !attribute.is_empty()
            && attribute.len() <= 255
            && attribute.trim() == attribute
            && !attribute
                .contains(|c: char| c.is_control() || matches!(c, '"' | '\'' | '\\' | ':'));
        if !fine {
            let expected = format!(
                "`{}` cannot be the name of a key attribute",
                one_line(&attribute)
            );
            return Err(ImportError::wrong(&place, expected));
        }
        Ok(Some((attribute, letter)))
    };
    let missing = || ImportError::wrong(&place, "a `PartitionKey` is expected");
    let partition = key("PartitionKey")?.ok_or_else(missing)?;
    let sort = key("SortKey")?;
    if sort.as_ref().is_some_and(|sort| sort.0 == partition.0) {
        let expected = format!("`{}` is both keys", one_line(&partition.0));
        return Err(ImportError::wrong(&place, expected));
    }
    Ok(Keys { partition, sort })
}

fn read_attribute(
    value: &Value,
    place: &str,
    lost: &mut Vec<String>,
) -> Result<(String, String), ImportError> {
    let attribute = object(value, place)?;
    unknown(attribute, &["AttributeName", "AttributeType"], place, lost);
    let letter = text(attribute, "AttributeType", place)?;
    if !matches!(
        letter.as_str(),
        "S" | "N" | "B" | "BOOL" | "L" | "M" | "SS" | "NS" | "BS" | "NULL"
    ) {
        let expected = format!("`{}` is no type of DynamoDB", one_line(&letter));
        return Err(ImportError::wrong(
            &format!("{place}.AttributeType"),
            expected,
        ));
    }
    Ok((text(attribute, "AttributeName", place)?, letter))
}

/// An attribute has one type, in whatever keys it is.
fn types_agree(keys: &Keys, indexes: &[IndexSource], place: &str) -> Result<(), ImportError> {
    let all = std::iter::once(keys).chain(indexes.iter().map(|index| &index.keys));
    let mut known: Vec<&(String, String)> = Vec::new();
    for key in all.flat_map(|keys| std::iter::once(&keys.partition).chain(&keys.sort)) {
        match known.iter().find(|known| known.0 == key.0) {
            Some(other) if other.1 != key.1 => {
                let expected = format!(
                    "`{}` is of type {} in one key and {} in another",
                    one_line(&key.0),
                    other.1,
                    key.1
                );
                return Err(ImportError::wrong(place, expected));
            }
            Some(_) => {}
            None => known.push(key),
        }
    }
    Ok(())
}
