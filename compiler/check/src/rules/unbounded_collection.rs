//! Lists, sets and maps without a bound, and items that can outgrow 400 KB.

mod too_large;

use std::collections::BTreeMap;

use tablewright_model::field_type::{FieldType, Length};
use tablewright_model::model::{Entity, Field};

use crate::item_size::ItemSizes;
use crate::rule::rule;
use crate::{Context, Found, Subject};

/// The bound that help proposes.
const PROPOSED: u32 = 20;

rule! {
    name: "unbounded-collection",
    code: "O01",
    severity: Error,
    group: Operation,
    summary: "a list, set or map without a bound, or declared maxima that exceed an item's 400 KB",
    why: "An item has at most 400 KB. A list that grows with use reaches it for the best customers first: from then on every write of
the item fails, also one that has nothing to do with the list. Until then each change of a small field is billed by the size of the
whole.

Give the collection a bound that the service enforces, `list(Line, ..50)`. What has no natural bound becomes items of its own in the same
partition.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let mut sizes = ItemSizes::of(context.model);
    // A struct is reported once, whoever uses it; each of its users may allow it.
    let mut nested: BTreeMap<(&str, usize), Vec<Subject>> = BTreeMap::new();
    for (id, entity) in context.model.entity_ids() {
        let subject = Subject::Entity(id.0);
        let mut bounded = true;
        for field in &entity.fields {
            if let Some(unbounded) = unbounded(field.kind()) {
                bounded = false;
                found.report(
                    &[subject],
                    without_bound(entity.name.as_str(), field, unbounded),
                );
            }
        }
        for name in structs_of(&sizes, entity) {
            let Some(structure) = sizes.structure(name) else {
                continue;
            };
            for (position, field) in structure.fields.iter().enumerate() {
                if unbounded(field.kind()).is_some() {
                    bounded = false;
                    nested
                        .entry((structure.name.as_str(), position))
                        .or_default()
                        .push(subject);
                }
            }
        }
        if bounded {
            let diagnostic = too_large::find(&mut sizes, entity);
            diagnostic
                .into_iter()
                .for_each(|diagnostic| found.report(&[subject], diagnostic));
        }
    }
    for ((name, position), subjects) in nested {
        let field = sizes
            .structure(name)
            .and_then(|structure| structure.fields.get(position));
        if let Some(field) = field
            && let Some(unbounded) = unbounded(field.kind())
        {
            found.report(&subjects, without_bound(name, field, unbounded));
        }
    }
}

fn without_bound(
    owner: &str,
    field: &Field,
    unbounded: &FieldType,
) -> tablewright_model::Diagnostic {
    let bounded = |length: &Length| Length {
        min: length.min,
        max: Some(length.min.max(PROPOSED)),
    };
    let (word, proposed) = match unbounded {
        FieldType::List(of, length) => ("list", FieldType::List(of.clone(), bounded(length))),
        FieldType::Set(of, length) => ("set", FieldType::Set(of.clone(), bounded(length))),
        FieldType::Map(of, length) => ("map", FieldType::Map(of.clone(), bounded(length))),
        _ => (
            "json",
            FieldType::Json(Length {
                min: 0,
                max: Some(4096),
            }),
        ),
    };
    let instead = match unbounded {
        FieldType::Json(_) => "or keep it elsewhere",
        _ => "or make what it holds items of their own",
    };
    RULE.at(
        field.written.content(),
        format!(
            "`{}` of {owner} is a {word} without a bound: when it reaches 400 KB, every write of the item fails",
            field.name
        ),
    )
    .label("grows without end")
    .help(format!("say how much there can be, as in `{proposed}`; {instead}"))
}

/// The first collection without a bound in a type, from the outside in.
fn unbounded(kind: &FieldType) -> Option<&FieldType> {
    match kind {
        FieldType::List(_, Length { max: None, .. })
        | FieldType::Set(_, Length { max: None, .. })
        | FieldType::Map(_, Length { max: None, .. })
        | FieldType::Json(Length { max: None, .. }) => Some(kind),
        FieldType::List(of, _) | FieldType::Set(of, _) | FieldType::Map(of, _) => unbounded(of),
        _ => None,
    }
}

/// The structs an entity's fields are made of, each once.
fn structs_of<'m>(sizes: &ItemSizes<'m>, entity: &'m Entity) -> Vec<&'m str> {
    fn name(kind: &FieldType) -> Option<&str> {
        match kind {
            FieldType::Struct(name) => Some(name),
            FieldType::List(of, _) | FieldType::Set(of, _) | FieldType::Map(of, _) => name(of),
            _ => None,
        }
    }
    let mut names: Vec<&str> = Vec::new();
    let mut open: Vec<&Field> = entity.fields.iter().collect();
    while let Some(field) = open.pop() {
        let Some(name) = name(field.kind()).filter(|name| !names.contains(name)) else {
            continue;
        };
        names.push(name);
        open.extend(
            sizes
                .structure(name)
                .into_iter()
                .flat_map(|structure| &structure.fields),
        );
    }
    names
}
