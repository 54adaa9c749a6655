//! From a schema in words to one that can be used.

mod entity;
mod keys;
mod read;

use std::fmt;
use std::sync::Arc;

pub use self::entity::number_of;
use self::entity::{count, entity};
use self::read::read;
use crate::carried::Carried;
use crate::condition::{self, Condition};
use crate::field_type::{self, FieldType};
use crate::schema::*;
use crate::table::Table;
use crate::written::*;

/// Why a schema in words cannot be used. What the compiler wrote never gives one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    /// Where: the entity or the pattern.
    pub of: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.of, self.message)
    }
}

impl std::error::Error for SchemaError {}

type Result<T> = std::result::Result<T, SchemaError>;

fn error(of: &str, message: impl fmt::Display) -> SchemaError {
    SchemaError {
        of: of.to_owned(),
        message: message.to_string(),
    }
}

impl Schema {
    /// Types every template and understands every condition.
    ///
    /// # Errors
    /// The first text that cannot be read, or name that is not there.
    pub fn resolve(text: SchemaText) -> Result<Schema> {
        let tables: Vec<Arc<Table>> = text.tables.into_iter().map(Arc::new).collect();
        let structs = text
            .structs
            .iter()
            .map(|structure| {
                Ok(Structure {
                    name: structure.name.clone(),
                    fields: fields(&structure.name, &structure.fields)?,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let structs = Arc::new(structs);
        let mut entities = text
            .entities
            .iter()
            .map(|written| entity(written, &tables, &structs))
            .collect::<Result<Vec<Entity>>>()?;
        count(&text.entities, &mut entities)?;
        let entities: Vec<Arc<Entity>> = entities.into_iter().map(Arc::new).collect();
        let find = |of: &str, name: &str| {
            let found = entities.iter().find(|entity| entity.name == name);
            found
                .cloned()
                .ok_or_else(|| error(of, format!("there is no entity {name}")))
        };
        let reads = text
            .reads
            .into_iter()
            .map(|written| read(written, &find))
            .collect::<Result<_>>()?;
        let writes = text
            .writes
            .into_iter()
            .map(|written| write(written, &find))
            .collect::<Result<_>>()?;
        let events = text
            .events
            .into_iter()
            .map(|written| event(written, &find))
            .collect::<Result<_>>()?;
        Ok(Schema {
            name: text.name,
            tables,
            entities,
            reads,
            writes,
            events,
        })
    }
}

fn fields(of: &str, written: &[(String, String)]) -> Result<Vec<Field>> {
    let written = written.iter();
    written
        .map(|(name, kind)| {
            let declared = field_type::parse(kind)
                .map_err(|fault| error(of, format!("{name}: {}", fault.message)))?;
            Ok(Field {
                name: name.clone(),
                declared,
            })
        })
        .collect()
}

fn condition_of(of: &str, fields: &[Field], written: Option<&str>) -> Result<Option<Condition>> {
    let Some(written) = written else {
        return Ok(None);
    };
    let mut condition = condition::parse(written)
        .map_err(|fault| error(of, format!("`{written}`: {}", fault.message)))?;
    let kind = |name: &str| -> Option<&FieldType> {
        let field = fields.iter().find(|field| field.name == name);
        field.map(|field| &field.declared.kind)
    };
    condition.name_fields(kind);
    Ok(Some(condition))
}

type Find<'f> = dyn Fn(&str, &str) -> Result<Arc<Entity>> + 'f;

fn write(written: WriteText, find: &Find<'_>) -> Result<Write> {
    let of = written.name.as_str();
    let actions = written
        .actions
        .iter()
        .map(|action| {
            let entity = find(of, &action.entity)?;
            Ok(Action {
                name: action.name.clone(),
                kind: action.kind,
                set: action.set.clone(),
                add: action.add.clone(),
                condition: condition_of(of, &entity.fields, action.condition.as_deref())?,
                entity,
            })
        })
        .collect::<Result<_>>()?;
    let claim = written.claim.as_deref().map(|name| find(of, name));
    Ok(Write {
        actions,
        claim: claim.transpose()?,
        name: written.name,
    })
}

fn event(written: EventText, find: &Find<'_>) -> Result<Event> {
    let of = written.name.as_str();
    let entity = find(of, &written.entity)?;
    let detail: Vec<Carried> = written
        .detail
        .iter()
        .map(|one| Carried::read(one))
        .collect();
    let carried = detail.iter().map(|carried| &carried.field);
    let mut named = written.field.iter().chain(carried);
    if let Some(unknown) = named.find(|name| entity.field(name).is_none()) {
        return Err(error(of, format!("{} has no field {unknown}", entity.name)));
    }
    if written.on != EventKind::Change && detail.iter().any(|carried| carried.before) {
        return Err(error(of, String::from("only what changes has a before")));
    }
    Ok(Event {
        condition: condition_of(of, &entity.fields, written.condition.as_deref())?,
        on: written.on,
        entity,
        field: written.field,
        detail,
        version: written.version,
        name: written.name,
    })
}
