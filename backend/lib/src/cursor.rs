//! Cursors: where a page ended, sealed. A cursor says nothing to its holder, cannot be changed, and is good for one pattern, its
//! values and one caller only.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::digest::{SHA256, digest};
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::fields::Item;
use crate::random;
use crate::values::Values;

/// The form of what is sealed; raised when it changes.
const FORM: u8 = 1;

/// The form of what a service seals itself: no cursor of a pattern is one of these.
const OWN: u8 = 128;

/// Where one query of a page stands: a sharded read has several.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Position {
    /// Nothing was given out yet.
    Start,
    /// Everything up to this key was given out.
    After(Item),
    /// There is no more.
    End,
}

/// What a cursor is good for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding<'b> {
    pub(crate) pattern: &'b str,
    pub(crate) values: &'b Values,
    pub(crate) caller: &'b str,
}

impl Binding<'_> {
    /// Everything a cursor is bound to, with lengths, so that no two bindings have one text.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![FORM];
        push(&mut bytes, self.pattern);
        push(&mut bytes, self.caller);
        for (name, value) in self.values.iter() {
            push(&mut bytes, name);
            push(&mut bytes, &format!("{value:?}"));
        }
        bytes
    }
}

/// What a cursor of a service's own making is bound to.
fn own_binding(question: &str, caller: &str) -> Vec<u8> {
    let mut bytes = vec![OWN];
    push(&mut bytes, question);
    push(&mut bytes, caller);
    bytes
}

fn push(bytes: &mut Vec<u8>, part: &str) {
    bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
    bytes.extend_from_slice(part.as_bytes());
}

/// The key cursors are sealed with.
#[derive(Debug)]
pub(crate) struct Seal(LessSafeKey);

impl Seal {
    /// From a secret that other processes share.
    pub(crate) fn from_secret(secret: &[u8]) -> Self {
        let mut input = b"tablewright cursor ".to_vec();
        input.extend_from_slice(secret);
        let key = UnboundKey::new(&AES_256_GCM, digest(&SHA256, &input).as_ref())
            .expect("a SHA-256 digest has the length of an AES-256 key");
        Seal(LessSafeKey::new(key))
    }

    /// A key nobody else has.
    pub(crate) fn for_this_process() -> Self {
        let mut secret = [0; 32];
        random::fill(&mut secret);
        Seal::from_secret(&secret)
    }

    pub(crate) fn close(&self, positions: &[Position], binding: Binding<'_>) -> String {
        let positions: Vec<Value> = positions
            .iter()
            .map(|position| match position {
                Position::Start => json!(0),
                Position::End => json!(1),
                Position::After(key) => Value::Object(key.iter().filter_map(to_json).collect()),
            })
            .collect();
        self.close_text(Value::Array(positions).to_string(), binding.bytes())
    }

    pub(crate) fn close_own(&self, place: String, question: &str, caller: &str) -> String {
        self.close_text(place, own_binding(question, caller))
    }

    fn close_text(&self, text: String, good_for: Vec<u8>) -> String {
        let mut sealed = text.into_bytes();
        let mut nonce = [0; NONCE_LEN];
        random::fill(&mut nonce);
        let closed = self.0.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(good_for),
            &mut sealed,
        );
        closed.expect("a cursor is far shorter than what AES-GCM can seal");
        let mut cursor = nonce.to_vec();
        cursor.extend(sealed);
        URL_SAFE_NO_PAD.encode(cursor)
    }

    pub(crate) fn open(&self, cursor: &str, binding: Binding<'_>) -> Result<Vec<Position>> {
        let plain = self.open_text(cursor, binding.bytes())?;
        let positions: Vec<Value> = serde_json::from_str(&plain).map_err(|_| Error::BadCursor)?;
        positions.into_iter().map(position_of).collect()
    }

    pub(crate) fn open_own(&self, cursor: &str, question: &str, caller: &str) -> Result<String> {
        self.open_text(cursor, own_binding(question, caller))
    }

    fn open_text(&self, cursor: &str, good_for: Vec<u8>) -> Result<String> {
        // A cursor is a few keys of at most 2 KB; what is longer is none.
        if cursor.len() > 2 * 1024 * 1024 {
            return Err(Error::BadCursor);
        }
        let mut bytes = URL_SAFE_NO_PAD
            .decode(cursor)
            .map_err(|_| Error::BadCursor)?;
        let (nonce, sealed) = bytes
            .split_at_mut_checked(NONCE_LEN)
            .ok_or(Error::BadCursor)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| Error::BadCursor)?;
        let plain = self
            .0
            .open_in_place(nonce, Aad::from(good_for), sealed)
            .map_err(|_| Error::BadCursor)?;
        String::from_utf8(plain.to_vec()).map_err(|_| Error::BadCursor)
    }
}

fn position_of(value: Value) -> Result<Position> {
    match value {
        Value::Number(number) if number.as_u64() == Some(0) => Ok(Position::Start),
        Value::Number(_) => Ok(Position::End),
        Value::Object(key) => {
            let key = key
                .into_iter()
                .map(|(name, value)| Some((name, from_json(value)?)));
            let key: Option<Item> = key.collect();
            key.map(Position::After).ok_or(Error::BadCursor)
        }
        _ => Err(Error::BadCursor),
    }
}

fn to_json((name, value): (&String, &AttributeValue)) -> Option<(String, Value)> {
    let value = match value {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(number) => json!({ "N": number }),
        AttributeValue::B(bytes) => json!({ "B": URL_SAFE_NO_PAD.encode(bytes) }),
        // No other type can be a key.
        _ => return None,
    };
    Some((name.clone(), value))
}

fn from_json(value: Value) -> Option<AttributeValue> {
    let Value::Object(value) = value else {
        return None;
    };
    let text =
        |value: &Map<String, Value>, kind: &str| value.get(kind)?.as_str().map(str::to_owned);
    if let Some(text) = text(&value, "S") {
        return Some(AttributeValue::S(text));
    }
    if let Some(number) = text(&value, "N") {
        return Some(AttributeValue::N(number));
    }
    let bytes = URL_SAFE_NO_PAD.decode(text(&value, "B")?).ok()?;
    Some(AttributeValue::B(bytes.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions() -> Vec<Position> {
        let key = Item::from([
            ("PK".to_owned(), AttributeValue::S("USER#1".to_owned())),
            ("points".to_owned(), AttributeValue::N("12".to_owned())),
            ("raw".to_owned(), AttributeValue::B(vec![0, 255].into())),
        ]);
        vec![Position::Start, Position::After(key), Position::End]
    }

    #[test]
    fn a_cursor_opens_for_what_it_was_made_for_and_nothing_else() {
        let seal = Seal::from_secret(b"secret");
        let values = Values::new().with("user_id", "ada");
        let binding = Binding {
            pattern: "tasks",
            values: &values,
            caller: "ada",
        };
        let cursor = seal.close(&positions(), binding);
        assert_eq!(seal.open(&cursor, binding), Ok(positions()));
        assert!(!cursor.contains("USER"), "it says nothing");

        let other_values = Values::new().with("user_id", "bob");
        let foreign = [
            Binding {
                pattern: "tasks_due",
                ..binding
            },
            Binding {
                caller: "bob",
                ..binding
            },
            Binding {
                values: &other_values,
                ..binding
            },
        ];
        for binding in foreign {
            assert_eq!(
                seal.open(&cursor, binding),
                Err(Error::BadCursor),
                "{binding:?}"
            );
        }
        assert_eq!(
            Seal::from_secret(b"other").open(&cursor, binding),
            Err(Error::BadCursor)
        );
    }

    #[test]
    fn a_cursor_of_ones_own_opens_for_its_question_and_caller_only() {
        let seal = Seal::from_secret(b"secret");
        let cursor = seal.close_own(String::from("a place"), "question", "ada");
        let open = |question, caller| seal.open_own(&cursor, question, caller);
        assert_eq!(open("question", "ada").as_deref(), Ok("a place"));
        for (question, caller) in [("question", "bob"), ("other", "ada"), ("questiona", "da")] {
            assert_eq!(open(question, caller), Err(Error::BadCursor));
        }
        assert_eq!(seal.open_own("x", "question", "ada"), Err(Error::BadCursor));
        // Nor is it one of a pattern, or one of a pattern it.
        let values = Values::new();
        let binding = Binding {
            pattern: "question",
            values: &values,
            caller: "ada",
        };
        assert_eq!(seal.open(&cursor, binding), Err(Error::BadCursor));
        let of_pattern = seal.close(&positions(), binding);
        assert_eq!(
            seal.open_own(&of_pattern, "question", "ada"),
            Err(Error::BadCursor)
        );
    }

    #[test]
    fn a_cursor_that_was_changed_does_not_open() {
        let seal = Seal::for_this_process();
        let values = Values::new();
        let binding = Binding {
            pattern: "p",
            values: &values,
            caller: "",
        };
        let cursor = seal.close(&positions(), binding);
        for position in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[position] = if changed[position] == b'A' {
                b'B'
            } else {
                b'A'
            };
            let changed = String::from_utf8(changed).unwrap();
            // The last character has bits that carry nothing.
            if URL_SAFE_NO_PAD.decode(&changed).ok() != URL_SAFE_NO_PAD.decode(&cursor).ok() {
                assert_eq!(
                    seal.open(&changed, binding),
                    Err(Error::BadCursor),
                    "{position}"
                );
            }
        }
        for nonsense in [
            "",
            "A",
            "not base64 !",
            &cursor[1..],
            "AAAAAAAAAAAAAAAAAAAAAAAA",
        ] {
            assert_eq!(
                seal.open(nonsense, binding),
                Err(Error::BadCursor),
                "{nonsense}"
            );
        }
    }
}
