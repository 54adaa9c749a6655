//! Fields a pattern needs that its index does not hold.

use tablewright_model::condition::Condition;
use tablewright_model::model::{
    Access, Entity, EntityId, Index, IndexKind, Layout, Projection, Table, Verb,
};

use crate::asked::{Asked, Origin};
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "not-projected",
    code: "R09",
    severity: Warning,
    group: Reads,
    summary: "fields a pattern needs that its index does not project",
    why: "An index holds the keys and what it projects. Other fields are simply absent from the answer of a global index: code reads
them as empty, and a filter on them drops every item. A local index fetches each item from the table, which costs a read for every one.

Project the fields, or ask only for those the index holds with `fields`. The key attributes of table and index are always there; a field
inside a key template is not an attribute of its own.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for asked in context.queries() {
        let table = context.model.table(asked.place.table);
        let Some(index) = asked.place.index.map(|index| table.index(index)) else {
            continue;
        };
        let mut missing: Vec<&str> = Vec::new();
        for entity in asked.entities {
            for name in needed(context, &asked, *entity) {
                if !holds(table, index, name) && !missing.contains(&name) {
                    missing.push(name);
                }
            }
        }
        let Some(first) = missing.first() else {
            continue;
        };
        let access = asked.access;
        let named = access
            .fields
            .iter()
            .find(|field| field.written.value == *first);
        let effect = match index.kind {
            IndexKind::Global => "it comes back without",
            IndexKind::Local => "every item is fetched from the table for",
        };
        let quoted: Vec<String> = missing.iter().map(|name| format!("\"{name}\"")).collect();
        let mut diagnostic = RULE
            .at(
                named.map_or(access.name.span, |field| field.written.content()),
                format!(
                    "`{}` reads `{}`, which does not project all it needs: {effect} {}",
                    access.name,
                    index.name,
                    listed(&missing)
                ),
            )
            .label("needs more than the index holds")
            .related(index.name.content(), "the index");
        diagnostic = match &index.projection {
            Projection::Fields(fields) => {
                let all: Vec<String> = fields
                    .iter()
                    .map(|field| format!("\"{field}\""))
                    .chain(quoted.clone())
                    .collect();
                let diagnostic = diagnostic.help(format!(
                    "project it: projection = [{}]; or name in `fields` what is there",
                    all.join(", ")
                ));
                match fields.last() {
                    Some(last) => {
                        let end = tablewright_model::Span::new(last.span.end, last.span.end);
                        diagnostic.fix(
                            "project what is needed",
                            end,
                            format!(", {}", quoted.join(", ")),
                        )
                    }
                    None => diagnostic,
                }
            }
            _ => diagnostic.help(format!(
                "project it: projection = [{}], or \"all\"; or name in `fields` what is there",
                quoted.join(", ")
            )),
        };
        found.report(
            &[Subject::Access(asked.position), index_subject(&asked)],
            diagnostic,
        );
    }
}

fn index_subject(asked: &Asked<'_>) -> Subject {
    let index = asked.place.index.map_or(0, |index| index.0);
    Subject::Index(asked.place.table.0, index)
}

/// The attributes of an entity that the answer must hold. A wrapped entity has its fields in one, `data`, beside its keys and its TTL.
fn needed<'c>(context: &Context<'c>, asked: &Asked<'c>, id: EntityId) -> Vec<&'c str> {
    let entity = context.model.entity(id);
    let fields = needed_fields(asked, entity);
    let layout = entity.versioned.as_ref().map(|versioned| versioned.layout);
    if layout != Some(Layout::Wrapped) {
        return fields;
    }
    let table = context.table_of(id);
    let keys = context
        .keys_of(id)
        .iter()
        .map(|key| key.attribute.name.as_str());
    let at_the_top: Vec<&str> = keys
        .chain(table.ttl.iter().map(|ttl| ttl.as_str()))
        .collect();
    let (top, inside): (Vec<&str>, Vec<&str>) = fields
        .into_iter()
        .partition(|name| at_the_top.contains(name));
    let data = (!inside.is_empty()).then_some("data");
    top.into_iter().chain(data).collect()
}

fn needed_fields<'c>(asked: &Asked<'c>, entity: &'c Entity) -> Vec<&'c str> {
    let access: &Access = asked.access;
    let mut names: Vec<&str> = match &access.verb {
        Verb::Count(_) => Vec::new(),
        _ if access.fields.is_empty() => entity
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .collect(),
        _ => access
            .fields
            .iter()
            .map(|field| field.written.as_str())
            .collect(),
    };
    names.extend(access.refine.iter().map(|field| field.written.as_str()));
    match &asked.origin {
        Origin::Planned(plan) => {
            names.extend(
                plan.filter
                    .iter()
                    .flat_map(Condition::fields)
                    .map(|field| field.name.as_str()),
            );
        }
        Origin::ByHand(plan) => {
            if let (Some(filter), Some(by_hand)) = (&plan.filter, &access.by_hand) {
                let of_filter = filter
                    .paths()
                    .map(|path| by_hand.attribute(&path.name.text));
                names.extend(of_filter.filter(|name| entity.field_named(name).is_some()));
            }
        }
    }
    // Expired items are left out by it.
    names.extend(entity.ttl.iter().map(|(name, _)| name.as_str()));
    names.retain(|name| entity.field_named(name).is_some());
    names.dedup();
    names
}

fn holds(table: &Table, index: &Index, name: &str) -> bool {
    let projected = match &index.projection {
        Projection::All => return true,
        Projection::KeysOnly => false,
        Projection::Fields(fields) => fields.iter().any(|field| field.value == name),
    };
    let mut keys = [&table.partition_key, &index.partition_key]
        .into_iter()
        .chain(&table.sort_key)
        .chain(&index.sort_key);
    projected || keys.any(|key| key.name == name)
}

/// Up to four names; more are counted.
fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(4)
        .map(|name| format!("`{name}`"))
        .collect();
    match names.len() {
        0..=4 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), more - 4),
    }
}
