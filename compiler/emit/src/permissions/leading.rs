//! The partition keys something is done to, as a policy compares them.

use tablewright_keys::TypedPiece;
use tablewright_model::Model;
use tablewright_model::model::{EntityId, KeyKind, KeyTemplate, TenantInKey};
use tablewright_plan::Place;

/// What stands for the tenant in a pattern of keys.
pub const TENANT: &str = "${tenant}";

/// Keys of every kind.
pub(super) const ANY: &str = "*";

/// The keys a template makes: its own text, [`TENANT`] where the key [tells it](TenantInKey::Plain), and `*` for other values.
pub(super) fn pattern(
    model: &Model,
    entity: EntityId,
    place: Place,
    template: &KeyTemplate,
) -> String {
    let table = model.table(place.table);
    let attribute = place.index.map_or(&table.partition_key, |index| {
        &table.index(index).partition_key
    });
    if attribute.kind != KeyKind::String {
        return ANY.to_owned();
    }
    let tenant = model.tenant_in(entity, attribute, template);
    let mut text = String::new();
    for (position, piece) in template.typed.pieces.iter().enumerate() {
        match piece {
            TypedPiece::Literal(literal) => text.push_str(&as_it_is(literal)),
            TypedPiece::Field { .. } if tenant == Some(TenantInKey::Plain(position)) => {
                text.push_str(TENANT);
            }
            // Two stars say no more than one.
            TypedPiece::Field { .. } if text.ends_with(ANY) => {}
            TypedPiece::Field { .. } => text.push_str(ANY),
        }
    }
    text
}

/// Text that is compared as it is: a policy has signs of its own.
fn as_it_is(literal: &str) -> String {
    let mut text = String::with_capacity(literal.len());
    for character in literal.chars() {
        match character {
            '*' => text.push_str("${*}"),
            '?' => text.push_str("${?}"),
            other => text.push(other),
        }
    }
    text
}
