//! A model with the plan of every pattern, and its keys in the words documents use.

use std::collections::HashMap;

use tablewright_keys::Encodings;
use tablewright_model::Model;
use tablewright_model::model::{
    Access, Entity, EntityId, Index, IndexId, IndexKind, Key, KeyAttribute, KeyKind, KeyTemplate,
    Table, TableId,
};
use tablewright_plan::{Answer, ItemRole, Place, Plan};

use crate::markdown::{and, code};

/// A model and its plans.
pub(crate) struct Design<'m> {
    pub(crate) model: &'m Model,
    plans: Vec<Plan>,
    claims: HashMap<EntityId, Vec<&'m str>>,
}

impl<'m> Design<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        let plans = tablewright_plan::plan(model);
        let mut claims: HashMap<EntityId, Vec<&str>> = HashMap::new();
        for (access, plan) in model.accesses.iter().zip(&plans) {
            let Answer::Write(write) = &plan.answer else {
                continue;
            };
            let items = write.items.iter();
            for item in items.filter(|item| item.role == ItemRole::Claim) {
                let writes = claims.entry(item.entity).or_default();
                writes.push(access.name.as_str());
            }
        }
        Design {
            model,
            plans,
            claims,
        }
    }

    /// The patterns with their plans, in the model's order.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = (&'m Access, &Plan)> {
        self.model.accesses.iter().zip(&self.plans)
    }

    /// The patterns that read from a table or an index; also the batches that find their items in an index.
    pub(crate) fn reads_of(&self, place: Place) -> Vec<(&'m Access, &Plan)> {
        self.patterns()
            .filter(|(access, plan)| match &plan.answer {
                Answer::Read(read) => read.place == place,
                Answer::ByHand(hand) => access.verb.is_read() && hand.place == place,
                // What finds its items through an index; on the table it is one of the writes.
                Answer::Write(write) => {
                    let finds = write.finds.as_ref();
                    place.index.is_some() && finds.is_some_and(|finds| finds.place == place)
                }
                Answer::Nothing(_) => false,
            })
            .collect()
    }

    /// The tables with their ids.
    pub(crate) fn tables(&self) -> impl Iterator<Item = (TableId, &'m Table)> {
        let tables = self.model.tables.iter().enumerate();
        tables.map(|(position, table)| (TableId(position), table))
    }

    /// Every index with its table.
    pub(crate) fn indexes(&self) -> impl Iterator<Item = (Place, &'m Table)> {
        self.tables().flat_map(|(id, table)| {
            (0..table.indexes.len()).map(move |index| {
                let place = Place {
                    table: id,
                    index: Some(IndexId(index)),
                };
                (place, table)
            })
        })
    }

    /// The writes that claim a key in an entity.
    pub(crate) fn claims_of(&self, entity: EntityId) -> &[&'m str] {
        self.claims.get(&entity).map_or(&[], Vec::as_slice)
    }
}

/// A table or an index: what has key attributes.
pub(crate) trait Keyed {
    /// The partition key, and the sort key if there is one.
    fn key_attributes(&self) -> impl Iterator<Item = &KeyAttribute>;
}

impl Keyed for Table {
    fn key_attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition_key).chain(&self.sort_key)
    }
}

impl Keyed for Index {
    fn key_attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition_key).chain(&self.sort_key)
    }
}

/// A whole key as a condition: `PK = USER#{user_id} AND SK = METADATA`.
pub(crate) fn key_condition(keyed: &impl Keyed, key: &Key) -> String {
    let tests: Vec<String> = keyed
        .key_attributes()
        .zip(key.templates())
        .map(|(attribute, template)| format!("{} = {template}", attribute.name))
        .collect();
    tests.join(" AND ")
}

/// The kind of an index in DynamoDB's words: `GSI` or `LSI`.
pub(crate) fn kind_of(kind: IndexKind) -> &'static str {
    match kind {
        IndexKind::Global => "global secondary index",
        IndexKind::Local => "local secondary index",
    }
}

/// `PK` (String).
pub(crate) fn attribute(attribute: &KeyAttribute) -> String {
    let kind = match &attribute.kind {
        KeyKind::String => "String",
        KeyKind::Number => "Number",
        KeyKind::Binary => "Binary",
        KeyKind::Refused(kind) => kind,
    };
    format!(
        "{} ({})",
        code(&attribute.name),
        crate::markdown::text(kind)
    )
}

/// What the encodings of some templates mean, one line for each field that has any.
pub(crate) fn legend<'k>(
    templates: impl IntoIterator<Item = (&'k Entity, &'k KeyTemplate)>,
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (entity, template) in templates {
        for (_, id, part) in template.field_parts() {
            if part.encodings == Encodings::default() {
                continue;
            }
            let words = entity.field(id).kind().words().unwrap_or_default();
            let line = format!(
                "{} is {}.",
                code(&format!("{{{}{}}}", part.name, part.encodings)),
                meaning(&part.name, &part.encodings, words)
            );
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

fn meaning(field: &str, encodings: &Encodings, words: &[String]) -> String {
    let field = code(field);
    let mut says = Vec::new();
    if let Some(shards) = encodings.shard {
        return format!(
            "a number from 0 to {} computed from {field}, which spreads one partition over {shards}",
            shards.saturating_sub(1)
        );
    }
    if encodings.rank {
        let words: Vec<String> = words.iter().map(|word| code(word)).collect();
        says.push(format!("the position of {field} in {}", and(&words)));
    } else {
        says.push(field);
    }
    if encodings.lower {
        says.push(String::from("in lower case"));
    }
    if let Some(width) = encodings.pad {
        says.push(format!(
            "with zeros in front up to {width} digits, so that text sorts as numbers do"
        ));
    }
    if encodings.desc {
        says.push(String::from(
            "as its complement, so that the greatest sorts first",
        ));
    }
    if encodings.raw {
        says.push(String::from("as it is, without escaping"));
    }
    says.join(" ")
}
