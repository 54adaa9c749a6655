//! Moments in another form than the model's rule says.

use std::collections::{HashMap, HashSet};

use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, EntityId, Field, FieldId, Struct, Times};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "mixed-timestamps",
    code: "O08",
    severity: Note,
    group: Operation,
    summary: "a moment stored in another form than the model's `times` say",
    why: "ISO text is read by people, epoch numbers are compared by programs, seconds are not milliseconds. Where one model has several forms,
sooner or later one is compared with the other: nothing fails, and the answer is off by a factor of a thousand, or always empty.

Declare the rule once, `times = \"epoch_seconds\"` in `[model]`, or one form for people and one for what keys, ranges and orders
use: `times = { people = \"timestamp\", ranges = \"epoch_seconds\" }`. A TTL is in epoch seconds in any case, because DynamoDB takes
nothing else.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let Some(times) = &context.model.times else {
        return;
    };
    let ranged = ranged(context);
    for (id, entity) in context.model.entity_ids() {
        let of_entity = ranged.get(&id);
        for (position, field) in entity.fields.iter().enumerate() {
            let field_id = FieldId(position);
            if is_ttl(context, id, entity, field) {
                continue;
            }
            let is_ranged = of_entity.is_some_and(|fields| fields.contains(&field_id));
            if let Some(diagnostic) = against(times, entity.name.as_str(), field, is_ranged) {
                found.report(&[Subject::Entity(id.0)], diagnostic);
            }
        }
    }
    for structure in &context.model.structs {
        for field in &structure.fields {
            // No key, range or order reaches into a struct.
            if let Some(diagnostic) = against(times, structure.name.as_str(), field, false) {
                found.report(&holders(context, structure), diagnostic);
            }
        }
    }
}

fn against(
    times: &Times,
    owner: &str,
    field: &Field,
    is_ranged: bool,
) -> Option<tablewright_model::Diagnostic> {
    let (written, form) = if is_ranged {
        &times.ranges
    } else {
        &times.people
    };
    if !field.kind().is_moment() || field.kind() == form {
        return None;
    }
    let one_rule = times.people.0.span == times.ranges.0.span;
    let whose = match (one_rule, is_ranged) {
        (true, _) => "moments of this model",
        (false, true) => "moments that keys, ranges and orders use",
        (false, false) => "moments that people read",
    };
    let optional = if field.is_optional() { "?" } else { "" };
    Some(
        RULE.at(
            field.written.content(),
            format!(
                "`{}` of {owner} is stored as `{}`, and {whose} are `{form}`",
                field.name,
                field.kind()
            ),
        )
        .label("another form of time")
        .related(written.content(), "the rule")
        .help(format!(
            "{} = \"{form}{optional}\"; items already stored need it written anew",
            field.name
        )),
    )
}

/// The fields of each entity that a key holds, or that a pattern bounds or orders by.
fn ranged(context: &Context<'_>) -> HashMap<EntityId, HashSet<FieldId>> {
    let mut ranged: HashMap<EntityId, HashSet<FieldId>> = HashMap::new();
    for key in context.keys() {
        let fields = key.template.parts.iter().flatten().copied();
        ranged.entry(key.entity).or_default().extend(fields);
    }
    for access in &context.model.accesses {
        let fields = ranged.entry(access.verb.entity().id).or_default();
        fields.extend(access.range.iter().map(|range| range.id));
        let orders = access.order.iter().flat_map(|order| &order.by);
        fields.extend(orders.map(|by| by.id));
    }
    ranged
}

/// The entities that hold a struct, also within another: any of them may allow what is found in it.
fn holders(context: &Context<'_>, structure: &Struct) -> Vec<Subject> {
    fn inner(field: &Field) -> Option<&str> {
        let mut kind = field.kind();
        loop {
            match kind {
                FieldType::List(of, _) | FieldType::Set(of, _) | FieldType::Map(of, _) => kind = of,
                FieldType::Struct(name) => return Some(name),
                _ => return None,
            }
        }
    }
    let mut holding = HashSet::from([structure.name.as_str()]);
    let holds = |fields: &[Field], holding: &HashSet<&str>| {
        let mut structs = fields.iter().filter_map(inner);
        structs.any(|name| holding.contains(name))
    };
    loop {
        let known = holding.len();
        for outer in &context.model.structs {
            if holds(&outer.fields, &holding) {
                holding.insert(outer.name.as_str());
            }
        }
        if holding.len() == known {
            break;
        }
    }
    let entities = context.model.entity_ids();
    entities
        .filter(|(_, entity)| holds(&entity.fields, &holding))
        .map(|(id, _)| Subject::Entity(id.0))
        .collect()
}

/// Whether DynamoDB itself asks for the form.
fn is_ttl(context: &Context<'_>, id: EntityId, entity: &Entity, field: &Field) -> bool {
    let name = field.name.as_str();
    let own = entity
        .ttl
        .as_ref()
        .is_some_and(|(ttl, _)| ttl.value == name);
    let of_table = context.table_of(id).ttl.as_ref();
    own || of_table.is_some_and(|ttl| ttl.value == name)
}
