//! From a schema in words to one that can be used.

use std::fmt;
use std::sync::Arc;

use tablewright_keys::{Encodings, Piece, Shape, Template, TypedPiece, TypedTemplate};

use crate::condition::{self, Condition};
use crate::field_type::{self, FieldType};
use crate::key_text::{KeyPiece, KeyText, Origin, SortTest};
use crate::schema::*;
use crate::table::{KeyAttribute, Table};
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

fn entity(
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
        counted_by: Vec::new(),
        ttl: written.ttl.clone(),
        versioned: written.versioned,
        structs: Arc::clone(structs),
        fields,
    })
}

/// Tells every counted entity who counts it, and every keeper the names of its numbers.
fn count(written: &[EntityText], entities: &mut [Entity]) -> Result<()> {
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
            let keeper = &mut entities[position];
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
                type_value: keeper.type_value.clone(),
                key: keeper.key.clone(),
                begins_with_a_count: keeper.fields.len() == identity.len(),
                identity,
                numbers: vec![number],
                versioned: keeper.versioned,
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

/// What the templates of an entity are made of.
struct Keys<'k> {
    of: &'k str,
    fields: &'k [Field],
    escape: bool,
}

impl Keys<'_> {
    fn stored(
        &self,
        written: &TemplateText,
        (partition, sort): (&KeyAttribute, Option<&KeyAttribute>),
    ) -> Result<StoredKey> {
        let sort = match (&written.sort, sort) {
            (Some(template), Some(attribute)) => Some(self.part(template, attribute)?),
            (None, None) => None,
            (Some(_), None) => return Err(error(self.of, "it has a sort key, its table has none")),
            (None, Some(_)) => return Err(error(self.of, "its table has a sort key, it has none")),
        };
        Ok(StoredKey {
            partition: self.part(&written.partition, partition)?,
            sort,
        })
    }

    fn part(&self, written: &str, attribute: &KeyAttribute) -> Result<KeyPart> {
        let template = parse_template(self.of, written)?;
        let natural = matches!(template.pieces.as_slice(),
            [Piece::Field(field)] if field.encodings == Encodings::default() && field.name == attribute.name);
        let mut pieces = Vec::new();
        for piece in &template.pieces {
            pieces.push(match piece {
                Piece::Literal { text, .. } => TypedPiece::Literal(text.clone()),
                Piece::Field(field) => {
                    let shape = shape_of(self.of, self.fields, &field.name)?;
                    self.piece(&field.name, shape, field.encodings, natural)
                }
            });
        }
        Ok(KeyPart {
            attribute: attribute.clone(),
            template: TypedTemplate { pieces },
            natural,
        })
    }

    fn piece(&self, name: &str, shape: Shape, encodings: Encodings, natural: bool) -> TypedPiece {
        TypedPiece::Field {
            name: name.to_owned(),
            escaped: self.escape
                && !natural
                && !encodings.raw
                && matches!(shape, Shape::Text { .. }),
            shape,
            encodings,
        }
    }
}

fn parse_template(of: &str, written: &str) -> Result<Template> {
    Template::parse(written).map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        error(of, format!("`{written}`: {}", faults.join("; ")))
    })
}

fn shape_of(of: &str, fields: &[Field], name: &str) -> Result<Shape> {
    let field = fields.iter().find(|field| field.name == name);
    field
        .and_then(|field| field.declared.kind.shape())
        .ok_or_else(|| error(of, format!("`{name}` cannot be part of a key")))
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

fn read(written: ReadText, find: &Find<'_>) -> Result<Read> {
    let of = written.name.as_str();
    let entities = written
        .entities
        .iter()
        .map(|name| find(of, name))
        .collect::<Result<Vec<_>>>()?;
    let first = entities
        .first()
        .cloned()
        .ok_or_else(|| error(of, "it reads no entity"))?;
    // The key that is asked belongs to the entity itself, or to the one that keeps its number.
    let (asked, via) = match &written.via {
        ViaText::Key => (Arc::clone(&first), Via::Key),
        ViaText::Guard(guard) => (Arc::clone(&first), Via::Guard(guard.clone())),
        ViaText::Query => (Arc::clone(&first), Via::Query),
        ViaText::Counter { keeper, counter } => {
            let keeper = find(of, keeper)?;
            let number = first
                .counted_by
                .iter()
                .filter(|known| known.entity == keeper.name)
                .flat_map(|known| &known.numbers)
                .find(|number| number.name == *counter)
                .ok_or_else(|| error(of, format!("there is no counter {counter}")))?;
            let via = Via::Counter {
                counter: counter.clone(),
                per: number.per.clone(),
            };
            (keeper, via)
        }
    };
    let table = Arc::clone(&asked.table);
    let (partition_key, sort_key) = match &written.index {
        None => (&table.partition_key, &table.sort_key),
        Some(name) => {
            let index = table
                .index_named(name)
                .ok_or_else(|| error(of, format!("there is no index {name}")))?;
            (&index.partition_key, &index.sort_key)
        }
    };
    let texts = Texts {
        of,
        written: &written,
        entity: &asked,
    };
    let partition = texts.text(&Bound::at(&written.partition), Some(partition_key))?;
    let sort = texts.sort(sort_key.as_ref())?;
    let filter = condition_of(of, &first.fields, written.filter.as_deref())?;
    Ok(Read {
        partition: (partition_key.clone(), partition),
        sort: (sort_key.clone(), sort),
        given: written.given.iter().map(|(name, _)| name.clone()).collect(),
        name: written.name.clone(),
        entities,
        via,
        table,
        index: written.index,
        filter,
        refine: written.refine,
        fields: written.fields,
        matches: written.matches,
        backwards: written.backwards,
        page: written.page,
        strong: written.strong,
    })
}

/// What the key texts of a read are made of.
struct Texts<'t> {
    of: &'t str,
    written: &'t ReadText,
    entity: &'t Entity,
}

impl Texts<'_> {
    fn sort(&self, attribute: Option<&KeyAttribute>) -> Result<SortTest> {
        let at = |bound: &Bound| self.text(bound, attribute);
        let exact = |text: &String| self.text(&Bound::at(text), attribute);
        Ok(match &self.written.sort {
            SortText::All => SortTest::All,
            SortText::Equals(text) => SortTest::Equals(exact(text)?),
            SortText::BeginsWith(text) => SortTest::BeginsWith(exact(text)?),
            SortText::Between(low, high) => SortTest::Between(at(low)?, at(high)?),
            SortText::AtLeast(bound) => SortTest::AtLeast(at(bound)?),
            SortText::Above(bound) => SortTest::Above(at(bound)?),
            SortText::AtMost(bound) => SortTest::AtMost(at(bound)?),
            SortText::Below(bound) => SortTest::Below(at(bound)?),
        })
    }

    fn text(&self, bound: &Bound, attribute: Option<&KeyAttribute>) -> Result<KeyText> {
        let template = parse_template(self.of, &bound.text)?;
        // A natural key is the field itself: nothing is escaped in it.
        let natural = match template.pieces.as_slice() {
            [Piece::Field(field)] if field.encodings == Encodings::default() => {
                attribute.is_some_and(|attribute| self.field_of(&field.name) == attribute.name)
            }
            _ => false,
        };
        let keys = Keys {
            of: self.of,
            fields: &self.entity.fields,
            escape: self.entity.table.escape,
        };
        let mut pieces = Vec::new();
        for piece in &template.pieces {
            pieces.push(match piece {
                Piece::Literal { text, .. } => KeyPiece::Literal(text.clone()),
                Piece::Field(field) => {
                    let name = self.field_of(&field.name);
                    let shape = shape_of(self.of, &self.entity.fields, name)?;
                    KeyPiece::Value {
                        typed: keys.piece(name, shape, field.encodings, natural),
                        origin: self.origin(&field.name, field.encodings)?,
                    }
                }
            });
        }
        Ok(KeyText {
            pieces,
            tail: bound.tail,
        })
    }

    /// The field a name stands for: itself, or that whose type the caller's value has.
    fn field_of<'a>(&'a self, name: &'a str) -> &'a str {
        let given = self.written.given.iter().find(|(given, _)| given == name);
        given.map_or(name, |(_, field)| field.as_str())
    }

    fn origin(&self, name: &str, encodings: Encodings) -> Result<Origin> {
        if self.written.given.iter().any(|(given, _)| given == name) {
            return Ok(Origin::Given(name.to_owned()));
        }
        let fixed = self.written.fixed.iter().find(|(field, _)| field == name);
        match (fixed, encodings.shard) {
            (Some((_, value)), _) => Ok(Origin::Fixed(value.clone())),
            (None, Some(shards)) => Ok(Origin::EveryShard(shards)),
            (None, None) => Err(error(self.of, format!("nothing gives `{name}`"))),
        }
    }
}

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
    let mut named = written.field.iter().chain(&written.detail);
    if let Some(unknown) = named.find(|name| entity.field(name).is_none()) {
        return Err(error(of, format!("{} has no field {unknown}", entity.name)));
    }
    Ok(Event {
        condition: condition_of(of, &entity.fields, written.condition.as_deref())?,
        on: written.on,
        entity,
        field: written.field,
        detail: written.detail,
        name: written.name,
    })
}
