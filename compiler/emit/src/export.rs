//! A model for other tools, as JSON: tables, entities, and what each service may do. docs/infrastructure.md describes it.

use serde_json::{Value, json};
use tablewright_model::Model;
use tablewright_model::model::{
    Capacity, Entity, Index, IndexKind, Key, KeyAttribute, Projection, Table, Units,
};

use crate::EmitError;
use crate::cloudformation::{letter, pretty, view};
use crate::permissions::{Resource, Statement, statements};

/// Raised when something that is there changes its meaning or goes; what is added does not raise it.
const FORMAT: u64 = 1;

/// The export of a model.
///
/// # Errors
/// None: a model of no tables has an export too. The signature is that of every artefact.
pub fn export(model: &Model, _: &str) -> Result<String, EmitError> {
    let services = model.services().into_iter().map(|service| {
        let statements: Vec<Value> = statements(model, service).iter().map(statement).collect();
        json!({ "name": service, "statements": statements })
    });
    Ok(pretty(&json!({
        "format": FORMAT,
        "model": model.name.value,
        "title": model.title.as_ref().map(|title| &title.value),
        "about": model.about.as_ref().map(|about| &about.value),
        "tenant": model.tenant.as_ref().map(|tenant| &tenant.value),
        "tables": model.tables.iter().map(table).collect::<Vec<_>>(),
        "entities": model.entities.iter().map(|one| entity(model, one)).collect::<Vec<_>>(),
        "services": services.collect::<Vec<_>>(),
    })))
}

fn table(table: &Table) -> Value {
    json!({
        "name": table.name.value,
        "partition_key": attribute(&table.partition_key),
        "sort_key": table.sort_key.as_ref().map(attribute),
        "type_attribute": table.type_attribute.as_ref().map(|name| &name.value),
        "ttl": table.ttl.as_ref().map(|name| &name.value),
        "stream": table.stream.map(|stream| view(stream.value)),
        "recovery": table.recovery.value,
        "deletion_protection": table.deletion_protection.value,
        "billing": table.billing.as_str(),
        "capacity": capacity(table.capacity),
        "indexes": table.indexes.iter().map(index).collect::<Vec<_>>(),
    })
}

fn attribute(key: &KeyAttribute) -> Value {
    json!({ "name": key.name, "type": letter(&key.kind) })
}

fn capacity(capacity: Capacity) -> Value {
    let units = |units: Units| json!({ "fewest": units.fewest, "most": units.most });
    json!({
        "read": units(capacity.read),
        "write": units(capacity.write),
        "target": capacity.target,
    })
}

fn index(index: &Index) -> Value {
    let (projection, fields) = match &index.projection {
        Projection::All => ("ALL", None),
        Projection::KeysOnly => ("KEYS_ONLY", None),
        Projection::Fields(fields) => {
            let fields: Vec<&str> = fields.iter().map(|field| field.as_str()).collect();
            ("INCLUDE", Some(fields))
        }
    };
    json!({
        "name": index.name.value,
        "kind": index.kind.as_str(),
        "partition_key": attribute(&index.partition_key),
        "sort_key": index.sort_key.as_ref().map(attribute),
        "projection": projection,
        "projected": fields,
        // A local index has no capacity of its own.
        "capacity": (index.kind == IndexKind::Global).then(|| capacity(index.capacity)),
    })
}

fn entity(model: &Model, entity: &Entity) -> Value {
    let table = model.table(entity.table);
    let fields = entity.fields.iter().map(|field| {
        json!({
            "name": field.name.value,
            "type": field.written.value,
            "stored_as": field.kind().stored_as(),
            "optional": field.is_optional(),
        })
    });
    let indexes = entity.index_keys.iter().map(|key| {
        json!({
            "index": table.index(key.index).name.value,
            "key": templates(&key.key),
            "when": key.when.as_ref().map(|when| &when.written.value),
        })
    });
    json!({
        "name": entity.name.value,
        "table": table.name.value,
        "about": entity.about.as_ref().map(|about| &about.value),
        "type": entity.type_value.value,
        "key": templates(&entity.key),
        "indexes": indexes.collect::<Vec<_>>(),
        "fields": fields.collect::<Vec<_>>(),
        "ttl": entity.ttl.as_ref().map(|(ttl, _)| &ttl.value),
        "versioned": entity.versioned.as_ref().map(|versioned| json!({
            "data_version": versioned.data_version.value,
            "layout": versioned.layout.as_str(),
        })),
    })
}

fn templates(key: &Key) -> Value {
    json!({
        "partition": key.partition.written.value,
        "sort": key.sort.as_ref().map(|sort| &sort.written.value),
    })
}

fn statement(statement: &Statement) -> Value {
    let actions = statement.actions.iter().map(|action| action.as_str());
    let resources = statement
        .resources
        .iter()
        .map(|Resource { table, index }| json!({ "table": table, "index": index }));
    json!({
        "actions": actions.collect::<Vec<_>>(),
        "resources": resources.collect::<Vec<_>>(),
        "leading_keys": statement.leading_keys,
        "patterns": statement.patterns,
    })
}
