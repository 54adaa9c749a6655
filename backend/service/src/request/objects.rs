//! What JSON says is taken by its word. A structure that is derived also reads the list of its values, in an order that no description tells, and
//! an enumeration also reads an object; here an object is an object and a word is a word, however deep.

use std::fmt;

use serde::Deserializer;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

/// Reads a value by its word.
pub(super) struct Objects<T>(pub(super) T);

/// The structure itself, and what is in it.
struct Inside<V> {
    visitor: V,
    is_structure: bool,
}

macro_rules! forward {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method(Inside { visitor, is_structure: false })
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Objects<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Inside {
            visitor,
            is_structure: true,
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(Word { visitor, words })
    }

    forward! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_option
        deserialize_unit deserialize_seq deserialize_map deserialize_identifier deserialize_ignored_any
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_unit_struct(name, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let is_structure = false;
        let inside = Inside {
            visitor,
            is_structure,
        };
        self.0.deserialize_newtype_struct(name, inside)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let is_structure = false;
        let inside = Inside {
            visitor,
            is_structure,
        };
        self.0.deserialize_tuple(len, inside)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let is_structure = false;
        let inside = Inside {
            visitor,
            is_structure,
        };
        self.0.deserialize_tuple_struct(name, len, inside)
    }
}

macro_rules! hand_on {
    ($($method:ident($kind:ty))*) => {$(
        fn $method<E: Error>(self, value: $kind) -> Result<V::Value, E> {
            self.visitor.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Inside<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_structure {
            true => f.write_str("an object"),
            false => self.visitor.expecting(f),
        }
    }

    hand_on! {
        visit_bool(bool) visit_i64(i64) visit_i128(i128) visit_u64(u64) visit_u128(u128) visit_f64(f64)
        visit_str(&str) visit_borrowed_str(&'de str) visit_string(String)
        visit_bytes(&[u8]) visit_borrowed_bytes(&'de [u8]) visit_byte_buf(Vec<u8>)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        match self.is_structure {
            true => Err(E::invalid_type(serde::de::Unexpected::Unit, &self)),
            false => self.visitor.visit_unit(),
        }
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_some(Objects(inner))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_newtype_struct(Objects(inner))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_seq(Objects(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, values: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(Objects(values))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Objects<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Objects(reader))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Objects(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Objects(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

/// One of some words. What carries a value with its word is for other forms than JSON's: `#[serde(tag = "…")]` or `untagged`, which read any value.
struct Word<V> {
    visitor: V,
    words: &'static [&'static str],
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Word<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", self.words.join(", "))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<V::Value, E> {
        if !self.words.contains(&word) {
            return Err(E::unknown_variant(word, self.words));
        }
        let reader: StrDeserializer<'_, E> = serde::de::IntoDeserializer::into_deserializer(word);
        self.visitor.visit_enum(reader)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Red,
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    struct Filter {
        colours: Option<Vec<Colour>>,
        named: BTreeMap<String, Filter>,
        pair: Option<(i64, String)>,
    }

    fn read(text: &str) -> Result<Filter, String> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let read = Filter::deserialize(Objects(&mut reader));
        read.map_err(|error| {
            assert!(error.is_data(), "{error}");
            error.to_string()
        })
    }

    #[test]
    fn what_is_an_object_is_read_however_deep() {
        let read =
            read(r#"{"colours":["red"],"named":{"a":{"colours":null,"pair":[1,"é\n"]}}}"#).unwrap();
        assert_eq!(read.colours, Some(vec![Colour::Red]));
        assert_eq!(read.named["a"].pair, Some((1, String::from("é\n"))));
        assert_eq!(read.named["a"].colours, None);
    }

    #[test]
    fn what_is_none_is_refused_however_deep() {
        for (text, why) in [
            ("[]", "invalid type: sequence, expected an object"),
            ("null", "expected an object"),
            (
                r#"{"named":{"a":[]}}"#,
                "invalid type: sequence, expected an object",
            ),
            (
                r#"{"named":{"a":null}}"#,
                "invalid type: null, expected an object",
            ),
            (
                r#"{"named":{"a":{"named":{"b":[["red"]]}}}}"#,
                "expected an object",
            ),
            (
                r#"{"colours":[null]}"#,
                "invalid type: null, expected one of red",
            ),
            (
                r#"{"colours":[5]}"#,
                "invalid type: integer `5`, expected one of red",
            ),
            (
                r#"{"colours":["blue"]}"#,
                "unknown variant `blue`, expected `red`",
            ),
            (
                r#"{"colours":[{"red":null}]}"#,
                "invalid type: map, expected one of red",
            ),
            (r#"{"colours":"red"}"#, "expected a sequence"),
        ] {
            let told = read(text).unwrap_err();
            assert!(told.contains(why), "{text}: {told}");
        }
    }
}
