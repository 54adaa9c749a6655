//! Reads: the key texts they ask for, and where.

use std::sync::Arc;

use tablewright_keys::{Encodings, Piece};

use super::keys::{Keys, parse_template, shape_of};
use super::{Find, Result, condition_of, error};
use crate::key_text::{KeyPiece, KeyText, Origin, SortTest};
use crate::schema::{Entity, Read, Via};
use crate::table::KeyAttribute;
use crate::written::{Bound, ReadText, SortText, ViaText};

pub(super) fn read(written: ReadText, find: &Find<'_>) -> Result<Read> {
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
        fixed: written.fixed.clone(),
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
        looks_at: written.looks_at,
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
