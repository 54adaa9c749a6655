//! Why a pattern needs an index: one of the four reasons of the method. (S3-39)

use tablewright_model::Model;
use tablewright_model::condition::{Condition, Operator};
use tablewright_model::model::{Access, Entity, FieldId, Key, KeyTemplate};
use tablewright_plan::ReadPlan;

use crate::markdown::{and, code};

/// The reason, in words that follow the pattern's name.
pub(crate) fn reason(model: &Model, access: &Access, plan: &ReadPlan) -> Option<String> {
    let index = plan.place.index?;
    let id = plan.entities.first().copied()?;
    let entity = model.entity(id);
    let key = plan.key_of(model, id)?;
    let (of_partition, of_sort) = whole_fields(key);
    let (primary_partition, primary_sort) = whole_fields(&entity.key);
    let foreign: Vec<FieldId> = without(&of_partition, &primary_partition);
    let reverse: Vec<FieldId> = foreign
        .iter()
        .copied()
        .filter(|field| primary_sort.contains(field))
        .collect();
    let mut reasons = Vec::new();
    if !reverse.is_empty() {
        reasons.push(format!(
            "a reverse lookup, since the primary key has {} behind its partition",
            names(entity, &reverse)
        ));
    } else if !foreign.is_empty() {
        reasons.push(format!(
            "asked by {}, which is not in the primary key",
            names(entity, &foreign)
        ));
    } else if of_partition.is_empty() {
        reasons.push(String::from("items of all partitions together"));
    }
    let when = entity
        .keys_in(index)
        .find(|one| std::ptr::eq(&one.key, key))
        .and_then(|one| one.when.as_ref());
    if let Some(when) = when {
        reasons.push(format!("selected by {}", code(when.written.as_str())));
    }
    let (selected, sorted): (Vec<FieldId>, Vec<FieldId>) = without(&of_sort, &primary_sort)
        .into_iter()
        .filter(|field| !primary_partition.contains(field))
        .partition(|field| is_fixed(access, entity, *field));
    if !selected.is_empty() {
        reasons.push(format!("selected by {}", names(entity, &selected)));
    }
    if let Some(first) = sorted.first()
        && (access.order.is_some() || access.range.is_some())
    {
        reasons.push(format!("sorted by {}", names(entity, &[*first])));
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

fn without(fields: &[FieldId], known: &[FieldId]) -> Vec<FieldId> {
    let fields = fields.iter().copied();
    fields.filter(|field| !known.contains(field)).collect()
}

/// Whether the pattern gives a field one value.
fn is_fixed(access: &Access, entity: &Entity, field: FieldId) -> bool {
    let name = entity.field(field).name.as_str();
    let fixes = |one: &Condition| match one {
        Condition::Compare {
            field, operator, ..
        } => field.name == name && *operator == Operator::Equal,
        _ => false,
    };
    let mut conditions = access
        .condition
        .iter()
        .flat_map(|condition| condition.condition.conjuncts());
    access.by.iter().any(|by| by.id == field) || conditions.any(fixes)
}

/// The fields of partition and sort key that stand in them whole: a shard of a field does not tell its values apart.
fn whole_fields(key: &Key) -> (Vec<FieldId>, Vec<FieldId>) {
    let of = |template: &KeyTemplate| -> Vec<FieldId> {
        let parts = template.field_parts();
        parts
            .filter(|(_, _, part)| part.encodings.shard.is_none())
            .map(|(_, id, _)| id)
            .collect()
    };
    (
        of(&key.partition),
        key.sort.as_ref().map(of).unwrap_or_default(),
    )
}

fn names(entity: &Entity, fields: &[FieldId]) -> String {
    let names: Vec<String> = fields
        .iter()
        .map(|field| code(entity.field(*field).name.as_str()))
        .collect();
    and(&names)
}
