//! Items whose declared maxima exceed what DynamoDB takes.

use tablewright_model::Diagnostic;
use tablewright_model::model::Entity;

use super::RULE;
use crate::item_size::{ItemSizes, MAX_ITEM};

/// The finding, when the fields of an entity can be too much together.
pub(super) fn find<'m>(sizes: &mut ItemSizes<'m>, entity: &'m Entity) -> Option<Diagnostic> {
    let total = sizes.filled(entity);
    let largest = entity
        .fields
        .iter()
        .max_by_key(|field| sizes.filled_field(field));
    let largest = largest.filter(|_| total > MAX_ITEM)?;
    let own = sizes.filled_field(largest);
    let mut diagnostic = RULE
        .at(
            largest.written.content(),
            format!(
                "{} filled to its declared maxima has at least {} KB, and DynamoDB refuses an item of more than 400",
                entity.name,
                total.div_ceil(1024)
            ),
        )
        .label(format!("at least {} KB of them", own.div_ceil(1024)))
        .help(format!(
            "lower the maximum of `{}`, or make what it holds items of their own",
            largest.name
        ));
    for field in &entity.fields {
        let size = sizes.filled_field(field);
        if own <= MAX_ITEM && field.name != largest.name && size.saturating_mul(10) > MAX_ITEM {
            diagnostic = diagnostic.related(
                field.written.content(),
                format!("and {} KB", size.div_ceil(1024)),
            );
        }
    }
    Some(diagnostic)
}
