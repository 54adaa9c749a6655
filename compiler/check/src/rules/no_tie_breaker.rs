//! A list whose order is not stable.

use tablewright_keys::{FieldRef, Piece};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, EntityId, FieldId, KeyTemplate, Verb};

use crate::asked::Asked;
use crate::key_space::editable;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "no-tie-breaker",
    code: "I09",
    severity: Note,
    group: Indexes,
    summary: "a list in an order that leaves ties open",
    why: "Items of an index with the same sort key come in an order DynamoDB does not promise. Two tasks created in the same second may
change places between two requests, and a page that ends between them is not the same page twice.

Append the id to the sort key: `CREATED_AT#{created_at}#{task_id}`. It costs a few bytes and makes every key of the index unique.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for asked in context.queries() {
        let (Verb::List(_), Some(index), [entity]) =
            (&asked.access.verb, asked.place.index, asked.entities)
        else {
            continue;
        };
        let Some(sort) = asked.sort_of(context, *entity) else {
            continue;
        };
        let mut open: Vec<_> = sort.field_parts().collect();
        open.retain(|(_, field, _)| !asked.fixes(context, *entity, *field));
        let is_id = |field: FieldId| {
            let kind = context.field(*entity, field).kind();
            matches!(kind, FieldType::Id | FieldType::Uuid | FieldType::Ulid)
                && context.model.entity(*entity).key.has(field)
        };
        // An id of the item behind the order is a tie-breaker, also where the whole key has more to it.
        if open
            .iter()
            .any(|(_, field, part)| is_whole(part) && is_id(*field))
        {
            continue;
        }
        let missing = missing_identity(context, &asked, *entity);
        let Some((_, _, part)) = open.last().filter(|_| !missing.is_empty()) else {
            continue;
        };
        let table = context.model.table(asked.place.table);
        let name = &table.index(index).name;
        let ids: String = missing
            .iter()
            .map(|field| format!("#{{{field}}}"))
            .collect();
        let end = sort.written.value.len();
        let diagnostic = RULE
            .at(
                sort.span_of(part),
                format!(
                    "`{}` lists `{}` by `{}`, which several items can share: their order is not stable",
                    asked.access.name,
                    context.model.entity(*entity).name,
                    part.name
                ),
            )
            .label("nothing decides between equals")
            .related(asked.access.name.content(), "listed here");
        let diagnostic = if !context.sorts_text(asked.place) {
            diagnostic.help(format!(
                "let `{name}` sort by a text: the number, padded to one width, and \"{ids}\" behind it"
            ))
        } else if is_natural(context, &asked, sort) {
            diagnostic.help(format!(
                "give `{name}` a sort key attribute of its own, such as `{name}SK`, with \"{sort}{ids}\""
            ))
        } else {
            let ends_in_field = matches!(sort.template.pieces.last(), Some(Piece::Field(_)));
            let diagnostic = diagnostic.help(format!("append the id: \"{sort}{ids}\""));
            match editable(&sort.written, end..end).filter(|_| ends_in_field) {
                Some(end) => diagnostic.fix("append the id", end, ids),
                None => diagnostic,
            }
        };
        let subjects = [
            Subject::Access(asked.position),
            Subject::Entity(entity.0),
            Subject::Index(asked.place.table.0, index.0),
        ];
        found.report(&subjects, diagnostic);
    }
}

/// Whether the value can be told from its text.
fn is_whole(part: &FieldRef) -> bool {
    part.encodings.shard.is_none() && !part.encodings.lower
}

/// Whether the primary key has the field in the same form: what tells two items apart there, does so here.
fn is_so_in_the_key(entity: &Entity, field: FieldId, part: &FieldRef) -> bool {
    let parts = entity.key.templates().flat_map(KeyTemplate::field_parts);
    let mut same = parts.filter(|(_, id, own)| *id == field && own.encodings == part.encodings);
    part.encodings.shard.is_none() && same.next().is_some()
}

/// The fields of the identity that the key of the index does not hold whole.
fn missing_identity(context: &Context<'_>, asked: &Asked<'_>, id: EntityId) -> Vec<String> {
    let entity = context.model.entity(id);
    let Some(key) = asked.key_of(context, id) else {
        return Vec::new();
    };
    let parts = key.templates().flat_map(KeyTemplate::field_parts);
    let whole: Vec<_> = parts
        .filter(|(_, field, part)| is_whole(part) || is_so_in_the_key(entity, *field, part))
        .map(|(_, field, _)| field)
        .collect();
    let identity = entity
        .identity()
        .into_iter()
        .filter(|field| !whole.contains(field));
    identity
        .map(|field| entity.field(field).name.value.clone())
        .collect()
}

/// Whether the field itself is the key attribute: then nothing can be appended to it.
fn is_natural(context: &Context<'_>, asked: &Asked<'_>, sort: &KeyTemplate) -> bool {
    let attribute = context.sort_attribute(asked.place);
    attribute.is_some_and(|attribute| sort.written.value == format!("{{{}}}", attribute.name))
}
