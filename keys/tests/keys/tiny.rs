//! Random templates over domains so small that all their keys can be written down.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use tablewright_keys::{
    CharSet, Encodings, KeyValue, Shape, TypedPiece, TypedTemplate, encode_piece,
};

/// A template with all it can render: for each piece its texts, in the order of the values they stand for.
#[derive(Debug, Clone)]
pub(crate) struct Tiny {
    pub(crate) template: TypedTemplate,
    pub(crate) texts: Vec<Vec<String>>,
}

impl Tiny {
    /// Every combination of one text per piece, in the order of the values.
    pub(crate) fn all_texts(&self) -> Vec<Vec<&str>> {
        let mut combinations = vec![Vec::new()];
        for texts in &self.texts {
            let mut longer = Vec::with_capacity(combinations.len() * texts.len());
            for combination in combinations {
                longer.extend(
                    texts
                        .iter()
                        .map(|text| [&combination[..], &[text.as_str()]].concat()),
                );
            }
            combinations = longer;
        }
        combinations
    }

    pub(crate) fn all_keys(&self) -> Vec<String> {
        self.all_texts()
            .into_iter()
            .map(|texts| texts.concat())
            .collect()
    }

    /// Lower-casing gives two values one text, so values cannot be told from texts.
    pub(crate) fn loses_values(&self) -> bool {
        let lowers = |piece: &TypedPiece| match piece {
            TypedPiece::Field { encodings, .. } => encodings.lower,
            TypedPiece::Literal(_) => false,
        };
        self.template.pieces.iter().any(lowers)
    }
}

/// Templates of one to four pieces with at most about a thousand keys.
pub(crate) fn tiny() -> impl Strategy<Value = Tiny> {
    vec(piece(), 1..=4).prop_map(write_down)
}

/// Templates whose pieces run into each other: unescaped, over one alphabet, often without a delimiter.
pub(crate) fn crowded() -> impl Strategy<Value = Tiny> {
    let chars = select(vec!["a", "#a", "1#", "a1"]);
    let text = (chars, 0..=1_u32, 1..=2_u32).prop_map(|(chars, min, more)| Shape::Text {
        chars: CharSet::from_chars(chars),
        min,
        max: Some(min + more),
    });
    let field = field(text, Just(Encodings::default()));
    let raw = field.prop_map(|piece| match piece {
        TypedPiece::Field {
            name,
            shape,
            encodings,
            ..
        } => TypedPiece::Field {
            name,
            shape,
            encodings,
            escaped: false,
        },
        literal => literal,
    });
    vec(prop_oneof![raw, piece()], 2..=4).prop_map(write_down)
}

/// Two templates that have some pieces in common, so that they often have keys in common.
pub(crate) fn related() -> impl Strategy<Value = (Tiny, Tiny)> {
    (vec((piece(), piece(), 0..3), 1..=4)).prop_map(|pieces| {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for (first, second, which) in pieces {
            b.push(if which == 0 { second } else { first.clone() });
            a.push(first);
        }
        (write_down(a), write_down(b))
    })
}

fn write_down(pieces: Vec<TypedPiece>) -> Tiny {
    let mut tiny = Tiny {
        template: TypedTemplate { pieces: Vec::new() },
        texts: Vec::new(),
    };
    let mut keys = 1;
    for (index, piece) in pieces.into_iter().enumerate() {
        let piece = named(piece, index);
        let texts = texts_of(&piece);
        keys *= texts.len();
        if keys > 1000 {
            break;
        }
        tiny.template.pieces.push(piece);
        tiny.texts.push(texts);
    }
    tiny
}

fn named(piece: TypedPiece, index: usize) -> TypedPiece {
    match piece {
        TypedPiece::Field {
            shape,
            encodings,
            escaped,
            ..
        } => TypedPiece::Field {
            name: format!("f{index}"),
            shape,
            encodings,
            escaped,
        },
        literal => literal,
    }
}

fn piece() -> impl Strategy<Value = TypedPiece> {
    let none = Encodings::default();
    let rank = Encodings { rank: true, ..none };
    let literal = select(vec!["#", "#", "#", "a", "##", "1", "$2", "", "!"])
        .prop_map(|text| TypedPiece::Literal(text.to_owned()));
    let words = vec![
        "", "a", "ab", "a#", "a#a", "#", "$", "$2", "$23", "a b", " ", "!", "1", "10",
    ];
    let one_of = subsequence(words, 1..=5)
        .prop_shuffle()
        .prop_map(|words| Shape::OneOf(words.into_iter().map(str::to_owned).collect()));
    let one_of_encodings = select(vec![none, none, rank, Encodings { desc: true, ..rank }]);
    let pad = |pad, desc| Encodings {
        pad: Some(pad),
        desc,
        ..none
    };
    let integer = (
        select(vec![-12_i64, -11, -10, -2, -1, 0, 1, 8, 10, 12, 95, 990]),
        0..14_i64,
    )
        .prop_map(|(min, more)| Shape::Integer {
            min,
            max: min + more,
        });
    let integer_encodings = select(vec![
        none,
        none,
        pad(1, false),
        pad(2, false),
        pad(3, false),
        pad(2, true),
        pad(3, true),
    ]);
    let chars = subsequence(
        vec!['#', '#', 'a', 'a', '$', ' ', '!', '2', '3', 'A'],
        1..=3,
    );
    let text = (chars, 0..=1_u32, 0..=2_u32).prop_map(|(chars, min, more)| Shape::Text {
        chars: CharSet::from_chars(&chars.into_iter().collect::<String>()),
        min,
        max: Some((min + more).min(3)),
    });
    let lower = Encodings {
        lower: true,
        ..none
    };
    prop_oneof![
        2 => literal,
        1 => field(one_of, one_of_encodings),
        1 => field(integer, integer_encodings),
        3 => field(text, select(vec![none, none, none, none, lower])),
    ]
}

fn field(
    shape: impl Strategy<Value = Shape>,
    encodings: impl Strategy<Value = Encodings>,
) -> impl Strategy<Value = TypedPiece> {
    (shape, encodings, any::<bool>()).prop_map(|(shape, encodings, escaped)| TypedPiece::Field {
        name: String::new(),
        shape,
        encodings,
        escaped,
    })
}

/// The texts of a piece in the order of their values, each once.
fn texts_of(piece: &TypedPiece) -> Vec<String> {
    let (shape, encodings, escaped) = match piece {
        TypedPiece::Literal(text) => return vec![text.clone()],
        TypedPiece::Field {
            shape,
            encodings,
            escaped,
            ..
        } => (shape, encodings, *escaped),
    };
    let mut values = values_of(shape);
    if !encodings.rank {
        values.sort();
    }
    if encodings.desc {
        values.reverse();
    }
    let mut texts = Vec::new();
    for value in values {
        // Integers that do not fit their width have no key.
        if let Ok(text) = encode_piece(shape, encodings, escaped, &value)
            && !texts.contains(&text)
        {
            texts.push(text);
        }
    }
    texts
}

fn values_of(shape: &Shape) -> Vec<KeyValue> {
    match shape {
        Shape::OneOf(words) => words.iter().cloned().map(KeyValue::Text).collect(),
        Shape::Integer { min, max } => (*min..=*max).map(KeyValue::Integer).collect(),
        Shape::Text { chars, min, max } => {
            let chars: Vec<char> = chars.as_ranges().flatten().collect();
            let mut all = Vec::new();
            let mut of_length = vec![String::new()];
            for length in 0..=max.unwrap_or(3) {
                if length >= *min {
                    all.extend(of_length.iter().cloned().map(KeyValue::Text));
                }
                let longer = |text: &String| {
                    chars
                        .iter()
                        .map(|c| format!("{text}{c}"))
                        .collect::<Vec<_>>()
                };
                of_length = of_length.iter().flat_map(longer).collect();
            }
            all
        }
        other => panic!("{other:?} is not tiny"),
    }
}
