//! Fields with the name of a key attribute.

use tablewright_model::model::EntityId;

use super::{RULE, attributes, letter, word};
use crate::{Context, Found, KeyPlace, Subject};

/// A field with the name of a key attribute is that attribute, whether or not the entity is meant to be in the index.
pub(super) fn check(context: &Context<'_>, id: EntityId, found: &mut Found) {
    let entity = context.model.entity(id);
    let mut seen: Vec<&str> = Vec::new();
    for attribute in attributes(context.table_of(id)) {
        let Some(field) = entity.field_named(&attribute.name) else {
            continue;
        };
        if seen.contains(&attribute.name.as_str()) {
            continue;
        }
        seen.push(&attribute.name);
        let own = context
            .keys_of(id)
            .iter()
            .filter(|key| !matches!(key.place, KeyPlace::Guard(_)));
        let mut uses = own
            .filter(|key| key.attribute.name == attribute.name)
            .peekable();
        let used = uses.peek().is_some();
        // Two values in one attribute are a matter of its name, which has a rule of its own.
        if uses.any(|key| key.template.bare_field() != Some(field)) {
            continue;
        }
        let stored = entity.field(field).kind().stored_as();
        let Some(wanted) = letter(&attribute.kind).filter(|wanted| *wanted != stored) else {
            continue;
        };
        // A type no key can have is another rule's matter.
        if used && !matches!(stored, "S" | "N" | "B") {
            continue;
        }
        let written = &entity.field(field).written;
        let diagnostic = RULE
            .at(
                written.content(),
                format!(
                    "`{}` of {} is {}, and as a key of `{}` it is {}: no item can be written",
                    attribute.name,
                    entity.name,
                    word(stored),
                    context.table_of(id).name,
                    word(wanted)
                ),
            )
            .label(format!("stored as {}", word(stored)))
            .related(
                attribute.written.content(),
                format!("declared as {}", word(wanted)),
            )
            .help(match stored {
                "N" => format!(
                    "declare the key as \"{}: number\", or rename the field",
                    attribute.name
                ),
                _ => format!(
                    "rename the field, or give the key the type of `{}`",
                    entity.field(field).kind()
                ),
            });
        found.report(&[Subject::Entity(id.0)], diagnostic);
    }
}
