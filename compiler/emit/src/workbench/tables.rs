//! A table with its facets, indexes and capacity.

use tablewright_model::Model;
use tablewright_model::model::{
    Billing, Capacity, Entity, Index, IndexKind, Key, KeyAttribute, Projection, StreamView, Table,
    TableId, Units,
};

use super::attribute::item;
use super::items::{self, Attributes, letter};
use super::json::Json;
use super::samples::Samples;

/// A table, and what of it the format cannot hold.
pub(super) struct TableModel {
    pub(super) json: Json,
    pub(super) lost: Vec<String>,
}

/// What one facet shows.
struct Facet {
    name: String,
    key: Key,
    attributes: Attributes,
    samples: Vec<items::Item>,
}

pub(super) fn table(
    model: &Model,
    position: usize,
    table: &Table,
    samples: &Samples,
) -> TableModel {
    let mut lost = not_held(table);
    let mut facets: Vec<Facet> = Vec::new();
    for (id, entity) in model.entities_of(TableId(position)) {
        facets.push(Facet {
            name: entity.name.value.clone(),
            key: entity.key.clone(),
            attributes: items::attributes(model, entity),
            samples: samples.entities[id.0].clone(),
        });
        facets.extend(guards(model, entity, &samples.guards[id.0]));
    }
    let mut known: Attributes = Vec::new();
    for facet in &mut facets {
        // An attribute has one type in a table of this format.
        let fits = |(name, letter): &(String, &'static str)| {
            known
                .iter()
                .all(|(other, known)| other != name || known == letter)
        };
        let (fitting, others): (Attributes, Attributes) =
            facet.attributes.drain(..).partition(fits);
        for (name, letter) in others {
            lost.push(format!(
                "`{name}` of {} is of type {letter}; elsewhere in {} it is not",
                facet.name, table.name
            ));
            for sample in &mut facet.samples {
                sample.retain(|(attribute, _)| *attribute != name);
            }
        }
        for (name, letter) in &fitting {
            if !known.iter().any(|(other, _)| other == name) {
                known.push((name.clone(), letter));
            }
        }
        facet.attributes = fitting;
    }
    // Also of an index that nothing is in yet.
    for index in global(table) {
        for key in std::iter::once(&index.partition_key).chain(&index.sort_key) {
            let is_known = known.iter().any(|(name, _)| *name == key.name);
            let of_table = std::iter::once(&table.partition_key).chain(&table.sort_key);
            if !is_known && !of_table.into_iter().any(|own| own.name == key.name) {
                known.push((key.name.clone(), letter(key)));
            }
        }
    }
    let facets: Vec<Json> = facets
        .iter()
        .map(|facet| facet_json(table, facet))
        .collect();
    let mut members = vec![
        ("TableName".to_owned(), Json::text(table.name.as_str())),
        (
            "KeyAttributes".to_owned(),
            keys(&table.partition_key, table.sort_key.as_ref()),
        ),
        (
            "NonKeyAttributes".to_owned(),
            Json::List(
                known
                    .iter()
                    .map(|(name, letter)| attribute(name, letter))
                    .collect(),
            ),
        ),
        ("TableFacets".to_owned(), Json::List(facets)),
        ("GlobalSecondaryIndexes".to_owned(), indexes(table)),
        ("TableData".to_owned(), Json::List(Vec::new())),
        ("DataAccess".to_owned(), data_access()),
    ];
    members.extend(billing(table));
    TableModel {
        json: Json::Object(members),
        lost,
    }
}

fn guards(model: &Model, entity: &Entity, samples: &[Vec<items::Item>]) -> Vec<Facet> {
    let guarded = entity.unique.iter().zip(samples);
    guarded
        .filter_map(|(unique, samples)| {
            Some(Facet {
                name: format!("{}.{}", entity.name, unique.name),
                key: unique.guard.clone()?,
                attributes: items::guard_attributes(model, entity),
                samples: samples.clone(),
            })
        })
        .collect()
}

fn facet_json(table: &Table, facet: &Facet) -> Json {
    let mut aliases = vec![(
        "PartitionKeyAlias".to_owned(),
        Json::text(facet.key.partition.written.as_str()),
    )];
    if let (Some(_), Some(sort)) = (&table.sort_key, &facet.key.sort) {
        aliases.push(("SortKeyAlias".to_owned(), Json::text(sort.written.as_str())));
    }
    Json::object([
        ("FacetName", Json::text(&facet.name)),
        ("KeyAttributeAlias", Json::Object(aliases)),
        (
            "TableData",
            Json::List(facet.samples.iter().map(|sample| item(sample)).collect()),
        ),
        (
            "NonKeyAttributes",
            Json::texts(facet.attributes.iter().map(|(name, _)| name.as_str())),
        ),
        ("DataAccess", data_access()),
    ])
}

fn global(table: &Table) -> impl Iterator<Item = &Index> {
    let indexes = table.indexes.iter();
    indexes.filter(|index| index.kind == IndexKind::Global)
}

fn indexes(table: &Table) -> Json {
    let indexes = global(table).map(|index| {
        let projection = match &index.projection {
            Projection::All => Json::object([("ProjectionType", Json::text("ALL"))]),
            Projection::KeysOnly => Json::object([("ProjectionType", Json::text("KEYS_ONLY"))]),
            Projection::Fields(fields) => Json::object([
                ("ProjectionType", Json::text("INCLUDE")),
                (
                    "NonKeyAttributes",
                    Json::texts(fields.iter().map(|field| field.as_str())),
                ),
            ]),
        };
        Json::object([
            ("IndexName", Json::text(index.name.as_str())),
            (
                "KeyAttributes",
                keys(&index.partition_key, index.sort_key.as_ref()),
            ),
            ("Projection", projection),
        ])
    });
    Json::List(indexes.collect())
}

fn keys(partition: &KeyAttribute, sort: Option<&KeyAttribute>) -> Json {
    let of = |key: &KeyAttribute| attribute(&key.name, letter(key));
    let mut members = vec![("PartitionKey".to_owned(), of(partition))];
    members.extend(sort.map(|sort| ("SortKey".to_owned(), of(sort))));
    Json::Object(members)
}

fn attribute(name: &str, letter: &str) -> Json {
    Json::object([
        ("AttributeName", Json::text(name)),
        ("AttributeType", Json::text(letter)),
    ])
}

fn data_access() -> Json {
    Json::object([("MySql", Json::Object(Vec::new()))])
}

fn billing(table: &Table) -> Vec<(String, Json)> {
    let mode = |mode| ("BillingMode".to_owned(), Json::text(mode));
    match table.billing {
        Billing::OnDemand => vec![mode("PAY_PER_REQUEST")],
        Billing::Provisioned => vec![
            mode("PROVISIONED"),
            (
                "ProvisionedCapacitySettings".to_owned(),
                capacity(&table.capacity),
            ),
        ],
    }
}

fn capacity(capacity: &Capacity) -> Json {
    let scaling = |units: Units| {
        Json::object([
            (
                "ScalableTargetRequest",
                Json::object([
                    ("MinCapacity", Json::Number(units.fewest.into())),
                    ("MaxCapacity", Json::Number(units.most.into())),
                    (
                        "ServiceRole",
                        Json::text("AWSServiceRoleForApplicationAutoScaling_DynamoDBTable"),
                    ),
                ]),
            ),
            (
                "ScalingPolicyConfiguration",
                Json::object([("TargetValue", Json::Number(capacity.target.into()))]),
            ),
        ])
    };
    Json::object([
        (
            "ProvisionedThroughput",
            Json::object([
                (
                    "ReadCapacityUnits",
                    Json::Number(capacity.read.fewest.into()),
                ),
                (
                    "WriteCapacityUnits",
                    Json::Number(capacity.write.fewest.into()),
                ),
            ]),
        ),
        ("AutoScalingRead", scaling(capacity.read)),
        ("AutoScalingWrite", scaling(capacity.write)),
    ])
}

/// What a table has that the format has no place for.
fn not_held(table: &Table) -> Vec<String> {
    let mut lost = Vec::new();
    let name = &table.name;
    if let Some(ttl) = &table.ttl {
        lost.push(format!("items of {name} end at `{ttl}` (time to live)"));
    }
    if let Some(stream) = &table.stream {
        let view = match stream.value {
            StreamView::NewAndOldImages => "new and old images",
            StreamView::NewImage => "new images",
            StreamView::OldImage => "old images",
            StreamView::KeysOnly => "keys",
        };
        lost.push(format!("{name} has a change stream of {view}"));
    }
    for index in table
        .indexes
        .iter()
        .filter(|index| index.kind == IndexKind::Local)
    {
        lost.push(format!("{name} has the local index {}", index.name));
    }
    lost
}
