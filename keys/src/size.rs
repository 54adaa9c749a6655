use crate::encode::rank_width;
use crate::{Encodings, Shape, TypedPiece, TypedTemplate, escape, form, lower, shard};

/// The most bytes (UTF-8) a value of this shape takes in a key; `None` when there is no bound.
pub fn max_bytes(shape: &Shape, encodings: &Encodings, escaped: bool) -> Option<u64> {
    let bytes = |length: usize| u64::try_from(length).ok();
    if let Some(shards) = encodings.shard {
        return bytes(shard::width_of(shards));
    }
    match shape {
        Shape::Text { chars, max, .. } => {
            let chars = if encodings.lower {
                lower::lowered(chars)
            } else {
                chars.clone()
            };
            let widest = match chars.max() {
                None => 0,
                // An escape takes three bytes, so it can be wider than the highest character is.
                Some(_) if escaped && chars.min().is_some_and(escape::needs_escape) => {
                    chars.max().map_or(0, char::len_utf8).max(3)
                }
                Some(highest) => highest.len_utf8(),
            };
            if widest == 0 {
                Some(0)
            } else {
                Some(u64::from((*max)?) * bytes(widest)?)
            }
        }
        Shape::OneOf(spellings) if encodings.rank => bytes(rank_width(spellings.len())),
        Shape::OneOf(spellings) => {
            let length = |text: &String| {
                if escaped {
                    escape::escape(text).len()
                } else {
                    text.len()
                }
            };
            bytes(spellings.iter().map(length).max().unwrap_or(0))
        }
        Shape::Integer { min, max } => match encodings.pad {
            Some(width) => Some(u64::from(width)),
            None => bytes(min.to_string().len().max(max.to_string().len())),
        },
        Shape::UnevenTimestamp => bytes("0000-01-01T00:00:00.000000000Z".len()),
        Shape::Decimal => None,
        Shape::Date | Shape::Timestamp(_) | Shape::Ulid | Shape::Uuid => {
            let form = form::fixed_form(shape)?;
            bytes(form.iter().map(form::Slot::width).sum())
        }
    }
}

impl TypedTemplate {
    /// The most bytes (UTF-8) a key of this template takes; `None` when there is no bound.
    ///
    /// DynamoDB refuses partition keys over 2048 bytes and sort keys over 1024.
    pub fn max_bytes(&self) -> Option<u64> {
        self.pieces
            .iter()
            .try_fold(0_u64, |sum, piece| match piece {
                TypedPiece::Literal(text) => sum.checked_add(u64::try_from(text.len()).ok()?),
                TypedPiece::Field {
                    shape,
                    encodings,
                    escaped,
                    ..
                } => sum.checked_add(max_bytes(shape, encodings, *escaped)?),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CharSet, Template};

    fn bytes(template: &str, shape: &Shape) -> Option<u64> {
        Template::parse(template)
            .unwrap()
            .typed(|_| Some(shape.clone()))
            .unwrap()
            .max_bytes()
    }

    #[test]
    fn the_longest_key_is_counted_in_bytes() {
        let text = |chars, max| Shape::Text { chars, min: 0, max };
        assert_eq!(bytes("A#{f}", &text(CharSet::any(), Some(10))), Some(42));
        assert_eq!(
            bytes("{f}", &text(CharSet::from_chars("a#"), Some(10))),
            Some(30)
        );
        assert_eq!(
            bytes("{f:raw}", &text(CharSet::from_chars("a#"), Some(10))),
            Some(10)
        );
        assert_eq!(bytes("{f}", &text(CharSet::ascii_id(), Some(10))), Some(10));
        assert_eq!(bytes("{f}", &text(CharSet::any(), None)), None);
        assert_eq!(bytes("{f}", &text(CharSet::empty(), None)), Some(0));
        assert_eq!(
            bytes("{f:shard(1000)}", &text(CharSet::any(), None)),
            Some(3)
        );
        assert_eq!(
            bytes("{f}", &Shape::Integer { min: -100, max: 99 }),
            Some(4)
        );
        assert_eq!(
            bytes("{f:06}", &Shape::Integer { min: 0, max: 99 }),
            Some(6)
        );
        assert_eq!(
            bytes("{f}#{f:rank}", &Shape::OneOf(vec!["aé".into(), "b".into()])),
            Some(5)
        );
        assert_eq!(bytes("{f}", &Shape::Ulid), Some(26));
        assert_eq!(bytes("{f}", &Shape::Uuid), Some(36));
        assert_eq!(bytes("{f}", &Shape::Date), Some(10));
        assert_eq!(bytes("{f}", &Shape::UnevenTimestamp), Some(30));
        assert_eq!(bytes("{f}", &Shape::Decimal), None);
    }
}
