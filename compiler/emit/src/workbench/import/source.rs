//! The file as it is written: read strictly where it matters, and whatever is not understood is kept as a note.

mod members;
mod samples;

use serde_json::{Map, Value};

use super::error::ImportError;
use members::{list, name_of, object, optional_list, text, unknown};
use samples::read_items;

pub(super) use members::one_line;
pub(super) use samples::{Item, Sample};

/// The largest file that is read.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// A data model.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) tables: Vec<TableSource>,
    pub(super) lost: Vec<String>,
}

#[derive(Debug)]
pub(super) struct TableSource {
    pub(super) name: String,
    pub(super) keys: Keys,
    /// Attributes by name, with the letters of their types.
    pub(super) attributes: Vec<(String, String)>,
    pub(super) facets: Vec<FacetSource>,
    pub(super) indexes: Vec<IndexSource>,
    pub(super) data: Vec<Item>,
    /// The units of a provisioned table.
    pub(super) provisioned: Option<Provisioned>,
}

#[derive(Debug)]
pub(super) struct Keys {
    pub(super) partition: (String, String),
    pub(super) sort: Option<(String, String)>,
}

#[derive(Debug)]
pub(super) struct FacetSource {
    pub(super) name: String,
    pub(super) partition_alias: String,
    pub(super) sort_alias: String,
    pub(super) attributes: Vec<String>,
    pub(super) data: Vec<Item>,
}

#[derive(Debug)]
pub(super) struct IndexSource {
    pub(super) name: String,
    pub(super) keys: Keys,
    /// `None` for all; the attributes otherwise, none of them for the keys only.
    pub(super) projection: Option<Vec<String>>,
}

/// The fewest and the most units, and the use that scaling aims at.
#[derive(Debug, Default)]
pub(super) struct Provisioned {
    pub(super) read: Option<(u64, u64)>,
    pub(super) write: Option<(u64, u64)>,
    pub(super) target: Option<u64>,
}

/// Reads a file.
pub(super) fn read(text: &str) -> Result<Source, ImportError> {
    if text.len() > MAX_BYTES {
        return Err(ImportError::TooLarge { bytes: text.len() });
    }
    let text = text.trim_start_matches('\u{feff}');
    let value: Value = serde_json::from_str(text).map_err(|why| ImportError::NotJson {
        why: why.to_string(),
    })?;
    let model = value.get("DataModel").ok_or(ImportError::NotAModel)?;
    let metadata = value.get("ModelMetadata");
    let said = |name: &str| metadata.and_then(|metadata| metadata.get(name)?.as_str());
    if let Some(service) = said("AWSService")
        && service != "Amazon DynamoDB"
    {
        return Err(ImportError::OtherService {
            service: one_line(service),
        });
    }
    if let Some(version) = metadata.and_then(|metadata| metadata.get("Version"))
        && !matches!(version.as_str(), Some("1.0" | "2.0" | "3.0"))
    {
        return Err(ImportError::Version {
            found: one_line(version.as_str().unwrap_or(&version.to_string())),
        });
    }
    let mut lost = Vec::new();
    if let Some(members) = value.as_object() {
        unknown(
            members,
            &["ModelName", "ModelMetadata", "DataModel"],
            "the data model",
            &mut lost,
        );
    }
    let mut tables = Vec::new();
    for (at, table) in list(model, "DataModel")?.iter().enumerate() {
        tables.push(read_table(table, &format!("DataModel[{at}]"), &mut lost)?);
    }
    if tables.is_empty() {
        return Err(ImportError::NoTable);
    }
    Ok(Source {
        name: value
            .get("ModelName")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        about: said("Description").unwrap_or_default().to_owned(),
        tables,
        lost,
    })
}

fn read_table(
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
        attributes.push(read_attribute(
            attribute,
            &format!("{}[{at}]", inside("NonKeyAttributes")),
        )?);
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
        indexes.push(read_index(index, &place, lost)?);
    }
    if table
        .get("DataAccess")
        .is_some_and(|access| !is_empty_access(access))
    {
        lost.push(format!("where {name} takes data from in MySQL"));
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
    unknown(table, &known, &format!("the table {name}"), lost);
    Ok(TableSource {
        keys: read_keys(table, place)?,
        attributes,
        facets,
        indexes,
        data: read_items(table, place)?,
        provisioned: read_capacity(table, place)?,
        name,
    })
}

fn is_empty_access(value: &Value) -> bool {
    let sources = value.as_object();
    sources.is_none_or(|sources| {
        sources
            .values()
            .all(|source| source.as_object().is_some_and(Map::is_empty))
    })
}

fn read_facet(
    value: &Value,
    place: &str,
    lost: &mut Vec<String>,
) -> Result<FacetSource, ImportError> {
    let facet = object(value, place)?;
    let name = text(facet, "FacetName", place)?;
    if facet
        .get("DataAccess")
        .is_some_and(|access| !is_empty_access(access))
    {
        lost.push(format!(
            "where the facet {} takes data from in MySQL",
            one_line(&name)
        ));
    }
    let known = [
        "FacetName",
        "KeyAttributeAlias",
        "NonKeyAttributes",
        "TableData",
        "DataAccess",
    ];
    unknown(
        facet,
        &known,
        &format!("the facet {}", one_line(&name)),
        lost,
    );
    let aliases = facet.get("KeyAttributeAlias");
    let alias = |name: &str| {
        let alias = aliases.and_then(|aliases| aliases.get(name)?.as_str());
        alias.unwrap_or_default().to_owned()
    };
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
        name,
        partition_alias: alias("PartitionKeyAlias"),
        sort_alias: alias("SortKeyAlias"),
        attributes,
        data: read_items(facet, place)?,
    })
}

fn read_index(
    value: &Value,
    place: &str,
    lost: &mut Vec<String>,
) -> Result<IndexSource, ImportError> {
    let index = object(value, place)?;
    let name = name_of(index, "IndexName", place)?;
    unknown(
        index,
        &["IndexName", "KeyAttributes", "Projection"],
        &format!("the index {name}"),
        lost,
    );
    let projection = index.get("Projection");
    let kind = projection.and_then(|projection| projection.get("ProjectionType")?.as_str());
    let projection = match kind {
        None | Some("ALL") => None,
        Some("KEYS_ONLY") => Some(Vec::new()),
        Some("INCLUDE") => {
            let place = format!("{place}.Projection");
            let members = projection.map_or(&Value::Null, |projection| projection);
            let names = optional_list(object(members, &place)?, "NonKeyAttributes", &place)?;
            Some(
                names
                    .iter()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect(),
            )
        }
        Some(_) => {
            let expected = "ALL, KEYS_ONLY or INCLUDE is expected";
            return Err(ImportError::wrong(
                &format!("{place}.Projection.ProjectionType"),
                expected,
            ));
        }
    };
    Ok(IndexSource {
        name,
        keys: read_keys(index, place)?,
        projection,
    })
}

fn read_keys(members: &Map<String, Value>, place: &str) -> Result<Keys, ImportError> {
    let place = format!("{place}.KeyAttributes");
    let keys = members.get("KeyAttributes").unwrap_or(&Value::Null);
    let keys = object(keys, &place)?;
    let key = |name: &str| -> Result<Option<(String, String)>, ImportError> {
        let Some(value) = keys.get(name) else {
            return Ok(None);
        };
        let place = format!("{place}.{name}");
        let (attribute, letter) = read_attribute(value, &place)?;
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
    Ok(Keys {
        partition: key("PartitionKey")?.ok_or_else(missing)?,
        sort: key("SortKey")?,
    })
}

fn read_attribute(value: &Value, place: &str) -> Result<(String, String), ImportError> {
    let attribute = object(value, place)?;
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

fn read_capacity(
    table: &Map<String, Value>,
    place: &str,
) -> Result<Option<Provisioned>, ImportError> {
    match table.get("BillingMode").map(|mode| mode.as_str()) {
        None | Some(Some("PAY_PER_REQUEST")) => return Ok(None),
        Some(Some("PROVISIONED")) => {}
        Some(_) => {
            let expected = "PAY_PER_REQUEST or PROVISIONED is expected";
            return Err(ImportError::wrong(
                &format!("{place}.BillingMode"),
                expected,
            ));
        }
    }
    let settings = table.get("ProvisionedCapacitySettings");
    let of = |kind: &str| settings.and_then(|settings| settings.get(kind));
    let range = |scaling: &str, units: &str| {
        let target = of(scaling).and_then(|scaling| scaling.get("ScalableTargetRequest"));
        let number = |name: &str| target.and_then(|target| target.get(name)?.as_u64());
        let fixed = of("ProvisionedThroughput").and_then(|units_of| units_of.get(units)?.as_u64());
        let range = number("MinCapacity")
            .zip(number("MaxCapacity"))
            .or(fixed.zip(fixed));
        range
            .filter(|(fewest, most)| 1 <= *fewest && fewest <= most && *most <= u64::from(u32::MAX))
    };
    let target = of("AutoScalingRead").and_then(|scaling| {
        let policy = scaling.get("ScalingPolicyConfiguration")?;
        policy.get("TargetValue")?.as_u64()
    });
    Ok(Some(Provisioned {
        read: range("AutoScalingRead", "ReadCapacityUnits"),
        write: range("AutoScalingWrite", "WriteCapacityUnits"),
        target: target.filter(|target| (20..=90).contains(target)),
    }))
}
