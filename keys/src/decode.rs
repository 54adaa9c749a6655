use std::collections::{BTreeMap, HashMap};

use crate::algebra::{Automaton, State};
use crate::{Encodings, KeyValue, Shape, TypedPiece, TypedTemplate, form, unescape};

impl TypedTemplate {
    /// The values a key was rendered from: the reverse of [`render`](TypedTemplate::render).
    ///
    /// Fields whose encoding loses the value (`shard`, `lower`) are left out. `None` when the template cannot
    /// have rendered the key, when the key has several readings, or when a field that occurs twice would
    /// have two values.
    pub fn decode(&self, key: &str) -> Option<BTreeMap<String, KeyValue>> {
        let texts = self.only_reading(key)?;
        let mut values = BTreeMap::new();
        for (piece, text) in self.pieces.iter().zip(texts) {
            if let TypedPiece::Field {
                name,
                shape,
                encodings,
                escaped,
            } = piece
                && encodings.shard.is_none()
                && !encodings.lower
            {
                let value = decode_piece(shape, encodings, *escaped, &text)?;
                if *values.entry(name.clone()).or_insert_with(|| value.clone()) != value {
                    return None;
                }
            }
        }
        Some(values)
    }

    /// The text of each piece when the key can be split in exactly one way.
    fn only_reading(&self, key: &str) -> Option<Vec<String>> {
        let automaton = Automaton::of(self)?;
        // For every character, the states after it: by which state before it, and whether by one run only.
        let mut layers: Vec<HashMap<State, Arrival>> = Vec::new();
        let mut here = HashMap::from([(
            State::start_of(0),
            Arrival {
                from: None,
                only: true,
            },
        )]);
        for c in key.chars() {
            let mut next: HashMap<State, Arrival> = HashMap::new();
            for (&state, arrival) in &here {
                for (_, to) in automaton
                    .steps(state)
                    .into_iter()
                    .filter(|(on, _)| on.contains(c))
                {
                    let only = arrival.only;
                    next.entry(to)
                        .and_modify(|known| known.only = false)
                        .or_insert(Arrival {
                            from: Some(state),
                            only,
                        });
                }
            }
            layers.push(std::mem::replace(&mut here, next));
        }
        let mut ends = here.iter().filter(|(state, _)| automaton.accepts(**state));
        let (&end, _) = ends.next().filter(|(_, arrival)| arrival.only)?;
        if ends.next().is_some() {
            return None;
        }
        layers.push(here);

        let mut texts = vec![String::new(); self.pieces.len()];
        let mut state = end;
        for (c, layer) in key.chars().rev().zip(layers.iter().rev()) {
            texts[state.part].insert(0, c);
            state = layer.get(&state)?.from?;
        }
        Some(texts)
    }
}

impl TypedPiece {
    /// The value that a text of this piece stands for. Of a field in lower case it is one of them; none for a literal, for a shard, and for a
    /// text the piece cannot have.
    pub fn value_of(&self, text: &str) -> Option<KeyValue> {
        match self {
            TypedPiece::Field {
                shape,
                encodings,
                escaped,
                ..
            } if encodings.shard.is_none() => {
                let value = decode_piece(shape, encodings, *escaped, text)?;
                let again = crate::encode_piece(shape, encodings, *escaped, &value).ok()?;
                (again == text).then_some(value)
            }
            _ => None,
        }
    }
}

/// How a state was reached.
struct Arrival {
    from: Option<State>,
    only: bool,
}

/// The value whose text this is. The text is known to be one that the piece can have.
fn decode_piece(
    shape: &Shape,
    encodings: &Encodings,
    escaped: bool,
    text: &str,
) -> Option<KeyValue> {
    match shape {
        Shape::Integer { .. } => {
            let digits = if encodings.desc {
                form::complement_digits(text)
            } else {
                text.to_owned()
            };
            digits.parse().ok().map(KeyValue::Integer)
        }
        Shape::OneOf(spellings) if encodings.rank => {
            let rank: usize = text.parse().ok()?;
            let index = if encodings.desc {
                (spellings.len() - 1).checked_sub(rank)?
            } else {
                rank
            };
            spellings.get(index).cloned().map(KeyValue::Text)
        }
        Shape::Text { .. } | Shape::OneOf(_) if escaped => unescape(text).map(KeyValue::Text),
        _ if encodings.desc => {
            let form = form::fixed_form(shape)?;
            Some(KeyValue::Text(form::complement(form, text)))
        }
        _ => Some(KeyValue::Text(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CharSet, Template};

    fn typed(template: &str, shape: &Shape) -> TypedTemplate {
        Template::parse(template)
            .unwrap()
            .typed(|_| Some(shape.clone()))
            .unwrap()
    }

    fn decoded(template: &str, shape: &Shape, key: &str) -> Option<Vec<KeyValue>> {
        typed(template, shape)
            .decode(key)
            .map(|values| values.into_values().collect())
    }

    #[test]
    fn every_encoding_that_keeps_the_value_is_reversed() {
        let integer = Shape::Integer { min: -9, max: 999 };
        assert_eq!(decoded("A#{n}", &integer, "A#-7"), Some(vec![(-7).into()]));
        assert_eq!(
            decoded("A#{n:04:desc}", &integer, "A#9957"),
            Some(vec![42.into()])
        );
        let one_of = Shape::OneOf(vec!["low".into(), "high".into()]);
        assert_eq!(
            decoded("{p:rank:desc}", &one_of, "0"),
            Some(vec!["high".into()])
        );
        assert_eq!(
            decoded("{d:desc}", &Shape::Date, "7975-98-68"),
            Some(vec!["2024-01-31".into()])
        );
        let text = Shape::Text {
            chars: CharSet::any(),
            min: 1,
            max: None,
        };
        assert_eq!(
            decoded("{a}#{b}", &text, "x$23#y"),
            Some(vec!["x#".into(), "y".into()])
        );
    }

    #[test]
    fn a_foreign_key_is_not_decoded() {
        let integer = Shape::Integer { min: 0, max: 50 };
        for foreign in ["", "A#", "A#051", "A#51", "B#01", "A#1", "A#01x"] {
            assert_eq!(decoded("A#{n:02}", &integer, foreign), None, "{foreign}");
        }
    }

    #[test]
    fn a_key_with_two_readings_is_not_decoded() {
        let text = Shape::Text {
            chars: CharSet::from_chars("ab"),
            min: 1,
            max: Some(2),
        };
        assert_eq!(decoded("{x}{y}", &text, "aba"), None);
        assert_eq!(
            decoded("{x}{y}", &text, "ab"),
            Some(vec!["a".into(), "b".into()])
        );
        assert_eq!(decoded("{x}#{x}", &text, "a#b"), None);
        assert_eq!(decoded("{x}#{x}", &text, "a#a"), Some(vec!["a".into()]));
    }

    #[test]
    fn a_text_of_one_piece_is_a_value_of_its_field() {
        let value = |template: &str, shape: &Shape, text: &str| {
            typed(template, shape).pieces.last().unwrap().value_of(text)
        };
        let integer = Shape::Integer { min: 0, max: 50 };
        assert_eq!(value("A#{n:03:desc}", &integer, "993"), Some(6.into()));
        for foreign in ["6", "51", "-1", "x", ""] {
            assert_eq!(value("A#{n:03}", &integer, foreign), None, "{foreign}");
        }
        let text = Shape::Text {
            chars: CharSet::any(),
            min: 1,
            max: Some(3),
        };
        assert_eq!(value("{a:lower}", &text, "b$23"), Some("b#".into()));
        for foreign in ["B", "b#", "", "abcd"] {
            assert_eq!(value("{a:lower}", &text, foreign), None, "{foreign}");
        }
        assert_eq!(value("{a:shard(4)}", &text, "3"), None);
        assert_eq!(value("{a}#", &text, "#"), None);
    }

    #[test]
    fn lost_values_are_left_out() {
        let text = Shape::Text {
            chars: CharSet::ascii_id(),
            min: 1,
            max: Some(9),
        };
        assert_eq!(
            decoded("{a:shard(4)}#{b:lower}#{c}", &text, "3#b#c"),
            Some(vec!["c".into()])
        );
        assert_eq!(decoded("{a:shard(4)}", &text, "4"), None);
        assert_eq!(decoded("{b:lower}", &text, "B"), None);
    }
}
