//! Whether a partition key tells whose item it is: to DynamoDB, which keeps partitions apart, and to a policy, which compares keys as
//! text. The checker and the policies go by this one definition.

use tablewright_keys::{DELIMITER, Encodings, Shape, TypedPiece};

use super::{EntityId, KeyAttribute, KeyKind, KeyTemplate, Model};

/// How the tenant stands in the key of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TenantInKey {
    /// As it is in the piece of this position: first after fixed text, at the end or before `#`; or at the end behind `#`. What begins or
    /// ends so is the tenant's, and nothing else is.
    Plain(usize),
    /// In a key attribute that is no text, which a policy does not compare.
    NotText,
    /// Between other values: a policy cannot tell where those end.
    Behind,
    /// Before something else than `#`, so that it runs into what follows: `{a}-{b}` of `x-y` and `z` is that of `x` and `y-z`.
    Joined,
    /// Written otherwise than it is, so that several may look alike: `{tenant:lower}`.
    Encoded,
    /// Not at all, or only as a number computed from it.
    Absent,
}

impl Model {
    /// How the tenant of an entity stands in a partition key; none where the entity belongs to nobody in particular.
    pub fn tenant_in(
        &self,
        entity: EntityId,
        attribute: &KeyAttribute,
        template: &KeyTemplate,
    ) -> Option<TenantInKey> {
        let tenant = self.tenant_of(entity)?;
        let pieces = template.typed.pieces.iter().zip(&template.parts);
        let found = pieces
            .enumerate()
            .filter(|(_, (_, part))| **part == Some(tenant))
            .map(|(position, _)| stands(template, position));
        // Once as it is will do.
        let best = found.min().unwrap_or(TenantInKey::Absent);
        Some(match best {
            TenantInKey::Plain(_) if attribute.kind != KeyKind::String => TenantInKey::NotText,
            best => best,
        })
    }
}

fn stands(template: &KeyTemplate, position: usize) -> TenantInKey {
    let pieces = &template.typed.pieces;
    let Some(TypedPiece::Field {
        shape,
        encodings,
        escaped,
        ..
    }) = pieces.get(position)
    else {
        return TenantInKey::Absent;
    };
    if encodings.shard.is_some() {
        return TenantInKey::Absent;
    }
    if *encodings != Encodings::default() {
        return TenantInKey::Encoded;
    }
    let has_delimiter = match shape {
        Shape::Text { chars, .. } => !escaped && chars.contains(DELIMITER),
        Shape::OneOf(words) => words.iter().any(|word| word.contains(DELIMITER)),
        _ => false,
    };
    let ends = match pieces.get(position + 1) {
        None => true,
        Some(TypedPiece::Literal(text)) => text.starts_with(DELIMITER) && !has_delimiter,
        Some(TypedPiece::Field { .. }) => false,
    };
    if !ends {
        return TenantInKey::Joined;
    }
    let (before, behind) = (&pieces[..position], pieces.get(position + 1));
    let is_first = before
        .iter()
        .all(|piece| matches!(piece, TypedPiece::Literal(_)));
    let begins =
        matches!(before.last(), Some(TypedPiece::Literal(text)) if text.ends_with(DELIMITER));
    let is_last = behind.is_none() && begins && !has_delimiter;
    match is_first || is_last {
        true => TenantInKey::Plain(position),
        false => TenantInKey::Behind,
    }
}
