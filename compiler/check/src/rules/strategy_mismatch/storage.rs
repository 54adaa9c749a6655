//! Whether the model stores a relationship in the way its strategy says.

use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Field, Relationship, RelationshipKind};
use tablewright_model::{Diagnostic, Span};

use super::RULE;
use crate::Context;
use crate::sides::{keys_of, reads_from, shared_id};

/// More than this do not belong into one item: the method stores fewer than 20 in one. (S3-23, C3-14)
const FEW: u64 = 19;

/// `embed` and `complex-attribute`: few, in a field that can hold them.
pub(super) fn in_a_field(
    context: &Context<'_>,
    relationship: &Relationship,
    span: Span,
) -> Option<Diagnostic> {
    let name = &relationship.name;
    let one = relationship.kind.value == RelationshipKind::OneToOne;
    let from = context.model.entity(relationship.from.id);
    let bound = relationship
        .bound
        .filter(|bound| bound.at_most.is_none_or(|most| most > FEW));
    if let Some(bound) = bound {
        let many = bound.at_most.map_or_else(
            || "without limit".to_owned(),
            |most| format!("up to {most}"),
        );
        return Some(
            RULE.at(
                bound.span,
                format!("`{name}` keeps its items inside {}, {many}: the item grows until DynamoDB refuses it at 400 KB, and each is written with all others", from.name),
            )
            .label("too many for one item")
            .related(span, "inside the item")
            .help("make them items of their own: strategy = \"item-collection\""),
        );
    }
    let Some((written, field)) = &relationship.field else {
        return Some(
            RULE.at(
                span,
                format!(
                    "`{name}` is kept inside {}, and no field is said to hold it",
                    from.name
                ),
            )
            .label("in which field?")
            .help("name it: field = \"…\"; or strategy = \"item-collection\""),
        );
    };
    let declared = from.field(*field);
    let collection = matches!(
        declared.kind(),
        FieldType::List(..) | FieldType::Set(..) | FieldType::Map(..) | FieldType::Json(_)
    );
    let fits = if one {
        !matches!(declared.kind(), FieldType::List(..) | FieldType::Set(..))
    } else {
        collection
    };
    if fits {
        return more_than_bound(relationship, declared);
    }
    let (holds, help) = if one {
        (
            "holds several",
            format!(
                "declare one: {written} = \"…\" with the name of a [struct]; or kind = \"1:N\""
            ),
        )
    } else {
        (
            "holds one",
            format!(
                "declare a collection: {written} = \"list({}, ..{FEW})\"",
                declared.kind()
            ),
        )
    };
    Some(
        RULE.at(
            declared.written.content(),
            format!(
                "`{name}` is {}, and the field `{written}` {holds}",
                if one { "1:1" } else { "1:N" }
            ),
        )
        .label(holds)
        .related(relationship.kind.span, "the kind")
        .help(help),
    )
}

/// A field that holds more than the relationship says there can be.
fn more_than_bound(relationship: &Relationship, declared: &Field) -> Option<Diagnostic> {
    let bound = relationship.bound?;
    let most = bound.at_most?;
    let (FieldType::List(_, length) | FieldType::Set(_, length) | FieldType::Map(_, length)) =
        declared.kind()
    else {
        return None;
    };
    // A collection without an end is the matter of another rule.
    let holds = length.max.filter(|max| u64::from(*max) > most)?;
    Some(
        RULE.at(
            declared.written.content(),
            format!(
                "`{}` has at most {most}, and the field `{}` takes {holds}",
                relationship.name, declared.name
            ),
        )
        .label(format!("up to {holds}"))
        .related(bound.span, "the bound")
        .help(format!("end the collection where the relationship ends: `..{most}`; or raise the bound")),
    )
}

/// `item-collection`: a key of the children holds the parent's id.
pub(super) fn in_a_partition(
    context: &Context<'_>,
    relationship: &Relationship,
    span: Span,
) -> Option<Diagnostic> {
    let name = &relationship.name;
    let parent = context.model.entity(relationship.from.id);
    let Some(to) = &relationship.to else {
        return Some(
            RULE.at(span, format!("`{name}` is an item collection, and no entity is said to be in it"))
                .label("of which items?")
                .help("name the entity in `to`; or strategy = \"complex-attribute\" for what a field holds"),
        );
    };
    let child = context.model.entity(to.id);
    // Ids of another name: the model does not say which field stands for the parent.
    let id = shared_id(parent, child)?;
    if relationship.from.id == to.id
        || keys_of(child).any(|key| reads_from(parent, None, child, key))
    {
        return None;
    }
    Some(
        RULE.at(
            span,
            format!("`{name}` is called an item collection, and no key of {} has `{id}` in its partition: the {} items of one {} cannot be read", child.name, child.name, parent.name),
        )
        .label("not in one partition")
        .related(child.key.partition.written.content(), format!("where {} lies", child.name))
        .help(format!(
            "put it there: partition = \"{}{{{id}}}\" in the key of {}, or in an index of it",
            parent.key.partition.prefix(),
            child.name
        )),
    )
}

/// `adjacency-list`: the linking entity's key holds the ids of both sides.
pub(super) fn under_both_sides(
    context: &Context<'_>,
    relationship: &Relationship,
    span: Span,
) -> Option<Diagnostic> {
    let (through, to) = (relationship.through.as_ref()?, relationship.to.as_ref()?);
    let link = context.model.entity(through.id);
    let sides = [relationship.from.id, to.id];
    let missing = sides.into_iter().find_map(|side| {
        let id = shared_id(context.model.entity(side), link)?;
        let field = link.field_named(id)?;
        (!link.key.has(field)).then_some(id)
    })?;
    Some(
        RULE.at(
            span,
            format!(
                "`{}` is called an adjacency list, and the key of {} does not hold `{missing}`: a second link replaces the first, or lies elsewhere",
                relationship.name, link.name
            ),
        )
        .label("needs both ids in the key")
        .related(link.key.partition.written.content(), format!("the key of {}", link.name))
        .help(format!("put `{missing}` into the key of {}, as in sort = \"{}#{{{missing}}}\"", link.name, link.name.value.to_uppercase())),
    )
}
