//! Whether what a relationship keeps inside an item belongs there.

use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Field, Relationship, RelationshipKind};
use tablewright_model::{Diagnostic, Span};

use super::RULE;
use crate::Context;

/// More than this do not belong into one item: the method stores fewer than 20 in one. (S3-23, C3-14)
const FEW: u64 = 19;

/// `embed` and `complex-attribute`: few, in a field that can hold them.
pub(super) fn check(
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
        .help(format!(
            "end the collection where the relationship ends: `..{most}`; or raise the bound"
        )),
    )
}
