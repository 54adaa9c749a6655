//! Bounds for what samples cannot bound: an item has 400 KB at most, and a list that may grow for ever outgrows it.

use tablewright_model::field_type::{FieldType, Length, parse};

/// So many entries are guessed for a list, a set or a map, and so many bytes for a document.
pub(super) const ENTRIES: u32 = 20;
pub(super) const BYTES: u32 = 4_000;

/// A type as the language writes it, with a bound wherever it has none.
pub(super) fn bounded(kind: &str) -> String {
    let (plain, mark) = match kind.strip_suffix('?') {
        Some(plain) => (plain, "?"),
        None => (kind, ""),
    };
    match parse(plain) {
        Ok(declared) => format!("{}{mark}", with_bounds(declared.kind)),
        Err(_) => kind.to_owned(),
    }
}

/// Whether something of it has no bound.
pub(super) fn is_open(kind: &str) -> bool {
    bounded(kind) != kind
}

fn with_bounds(kind: FieldType) -> FieldType {
    let within = |length: Length, most: u32| Length {
        max: length.max.or(Some(most.max(length.min))),
        ..length
    };
    match kind {
        FieldType::List(of, length) => {
            FieldType::List(Box::new(with_bounds(*of)), within(length, ENTRIES))
        }
        FieldType::Set(of, length) => {
            FieldType::Set(Box::new(with_bounds(*of)), within(length, ENTRIES))
        }
        FieldType::Map(of, length) => {
            FieldType::Map(Box::new(with_bounds(*of)), within(length, ENTRIES))
        }
        FieldType::Json(length) => FieldType::Json(within(length, BYTES)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_bound_gets_one() {
        for (open, closed) in [
            ("list(json)", "list(json(..4000), ..20)"),
            ("set(string(1..))?", "set(string(1..), ..20)?"),
            ("map(int)", "map(int, ..20)"),
            ("json?", "json(..4000)?"),
        ] {
            assert_eq!(bounded(open), closed);
            assert!(is_open(open) && !is_open(closed));
        }
        for same in ["string", "list(int, ..5)", "ulid?", "no type"] {
            assert_eq!(bounded(same), same);
        }
    }
}
