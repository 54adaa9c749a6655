//! Reading spanned TOML into structs: one trait, its implementations, and the macro that declares a table
//! once as a struct, as a reader and as a piece of the JSON Schema.

use std::borrow::Cow;
use std::collections::HashSet;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use toml::de::{DeTable, DeValue};

use crate::diagnostic::Diagnostic;
use crate::span::{Span, Spanned, Text};
use crate::suggest;

/// A value of the document and where it stands.
pub(crate) type Node<'a> = toml::Spanned<DeValue<'a>>;

/// Where a table stands, for messages. It is written out only when there is something to say.
#[derive(Clone, Copy)]
pub(crate) enum Place<'p> {
    /// The file itself.
    File,
    /// A key of another place.
    Inside(&'p Place<'p>, &'p str),
}

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::File => f.write_str("the file"),
            Place::Inside(Place::File, key) => f.write_str(key),
            Place::Inside(outer, key) => write!(f, "{outer}.{key}"),
        }
    }
}

/// Collects the faults while a file is read.
pub(crate) struct Decoder<'s> {
    text: &'s str,
    diagnostics: Vec<Diagnostic>,
    unreadable: HashSet<String>,
}

impl<'s> Decoder<'s> {
    pub(crate) fn new(text: &'s str) -> Self {
        Decoder {
            text,
            diagnostics: Vec::new(),
            unreadable: HashSet::new(),
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The faults, and the names of entries that are there but could not be read.
    pub(crate) fn finish(self) -> (Vec<Diagnostic>, HashSet<String>) {
        (self.diagnostics, self.unreadable)
    }

    /// A span that lies inside the file and on character boundaries, whatever a parser said.
    pub(crate) fn clamp(&self, span: Span) -> Span {
        let mut start = span.start.min(self.text.len());
        let mut end = span.end.clamp(start, self.text.len());
        while !self.text.is_char_boundary(start) {
            start -= 1;
        }
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        Span::new(start, end)
    }

    fn expected(&mut self, what: &str, node: &Node<'_>) {
        let found = match node.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(number) if number.as_str().ends_with(['f', 'n']) => {
                "a number without an end, or none"
            }
            DeValue::Float(_) => "a number with a fraction",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let span = self.clamp(node.span().into());
        self.report(Diagnostic::language(
            "wrong-type",
            span,
            format!("expected {what}, found {found}"),
        ));
    }

    pub(crate) fn text(&self, value: &str, span: Span) -> Text {
        let quoted = self.text.get(span.range()).unwrap_or_default();
        let inner = [3, 1, 0]
            .into_iter()
            .find(|quotes| {
                quoted.len() >= 2 * quotes
                    && quoted.get(*quotes..quoted.len() - quotes) == Some(value)
            })
            .map(|quotes| span.start + quotes);
        Text {
            value: value.to_owned(),
            span,
            inner,
        }
    }

    /// Reports the keys of a table that nothing reads.
    pub(crate) fn refuse_unknown(&mut self, table: &DeTable<'_>, known: &[&str], place: Place<'_>) {
        for key in table.keys() {
            let name: &str = key.get_ref();
            if known.contains(&name) {
                continue;
            }
            let span = self.clamp(key.span().into());
            let mut diagnostic =
                Diagnostic::language("unknown-key", span, format!("{place} has no key `{name}`"));
            if let Some(hint) = suggest::hint(name, known.iter().copied()) {
                diagnostic = diagnostic.help(hint);
            }
            if let Some(near) = suggest::nearest(name, known.iter().copied()) {
                diagnostic = diagnostic.fix(format!("write `{near}`"), span, near);
            }
            self.report(diagnostic);
        }
    }
}

/// Something that can be read from a TOML value.
pub(crate) trait Decode: Sized {
    /// Whether a table must have it.
    const REQUIRED: bool = true;

    /// Reads the value, or reports why it cannot be.
    fn decode(node: &Node<'_>, place: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self>;

    /// What it is when the key is not there.
    fn absent(key: &str, place: Place<'_>, span: Span, decoder: &mut Decoder<'_>) -> Option<Self> {
        decoder.report(Diagnostic::language(
            "missing-key",
            span,
            format!("{place} needs the key `{key}`"),
        ));
        None
    }
}

impl<T: Decode> Decode for Option<T> {
    const REQUIRED: bool = false;

    fn decode(node: &Node<'_>, place: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self> {
        // A fault is reported; the rest of the table is read as if the key were not there.
        Some(T::decode(node, place, decoder))
    }

    fn absent(_: &str, _: Place<'_>, _: Span, _: &mut Decoder<'_>) -> Option<Self> {
        Some(None)
    }
}

impl Decode for Text {
    fn decode(node: &Node<'_>, _: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self> {
        let Some(value) = node.get_ref().as_str() else {
            decoder.expected("a string", node);
            return None;
        };
        Some(decoder.text(value, node.span().into()))
    }
}

impl Decode for Spanned<bool> {
    fn decode(node: &Node<'_>, _: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self> {
        let Some(value) = node.get_ref().as_bool() else {
            decoder.expected("true or false", node);
            return None;
        };
        Some(Spanned {
            value,
            span: node.span().into(),
        })
    }
}

impl Decode for Spanned<u64> {
    fn decode(node: &Node<'_>, _: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self> {
        let value = node
            .get_ref()
            .as_integer()
            .and_then(|integer| u64::from_str_radix(integer.as_str(), integer.radix()).ok());
        let Some(value) = value else {
            decoder.expected("a whole number from 0 on", node);
            return None;
        };
        Some(Spanned {
            value,
            span: node.span().into(),
        })
    }
}

impl Decode for Spanned<f64> {
    fn decode(node: &Node<'_>, _: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self> {
        let digits = match node.get_ref() {
            DeValue::Float(float) => float.as_str(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
            _ => "",
        };
        let value = digits.parse::<f64>().ok().filter(|value| value.is_finite());
        let Some(value) = value else {
            decoder.expected("a number", node);
            return None;
        };
        Some(Spanned {
            value,
            span: node.span().into(),
        })
    }
}

impl<T: Decode> Decode for Vec<T> {
    const REQUIRED: bool = false;

    fn decode(node: &Node<'_>, place: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self> {
        let Some(array) = node.get_ref().as_array() else {
            decoder.expected("a list", node);
            return None;
        };
        let read = array
            .iter()
            .filter_map(|element| T::decode(element, place, decoder));
        Some(read.collect())
    }

    fn absent(_: &str, _: Place<'_>, _: Span, _: &mut Decoder<'_>) -> Option<Self> {
        Some(Vec::new())
    }
}

/// One or several: `"Task"` or `["Task", "Assignment"]`.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum OneOrMany<T> {
    /// A single value.
    One(T),
    /// A list of them.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        match self {
            OneOrMany::One(one) => std::slice::from_ref(one).iter(),
            OneOrMany::Many(many) => many.iter(),
        }
    }
}

impl<T: Decode> Decode for OneOrMany<T> {
    fn decode(node: &Node<'_>, place: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self> {
        if node.get_ref().is_array() {
            Vec::decode(node, place, decoder).map(OneOrMany::Many)
        } else {
            T::decode(node, place, decoder).map(OneOrMany::One)
        }
    }
}

/// A table whose keys are names the author chose, in the order of the file.
#[derive(Debug, Clone)]
pub struct Entries<T>(pub Vec<(Text, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Entries(Vec::new())
    }
}

impl<T> Entries<T> {
    /// The names and what they stand for.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &T)> {
        self.0.iter().map(|(name, value)| (name, value))
    }
}

impl<T: Decode> Decode for Entries<T> {
    const REQUIRED: bool = false;

    fn decode(node: &Node<'_>, place: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self> {
        let Some(table) = node.get_ref().as_table() else {
            decoder.expected("a table", node);
            return None;
        };
        // In the order of the file, which the map does not keep. Sorted before they are read: what is read is large to move.
        let mut nodes: Vec<_> = table.iter().collect();
        nodes.sort_by_key(|(key, _)| key.span().start);
        let mut read = Vec::with_capacity(nodes.len());
        for (key, value) in nodes {
            let span = decoder.clamp(key.span().into());
            let name = decoder.text(key.get_ref(), span);
            match T::decode(value, Place::Inside(&place, name.as_str()), decoder) {
                Some(value) => read.push((name, value)),
                None => {
                    decoder.unreadable.insert(name.value);
                }
            }
        }
        Some(Entries(read))
    }

    fn absent(_: &str, _: Place<'_>, _: Span, _: &mut Decoder<'_>) -> Option<Self> {
        Some(Entries::default())
    }
}

impl<T: JsonSchema> JsonSchema for Entries<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("EntriesOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let of = generator.subschema_for::<T>();
        json_schema!({ "type": "object", "additionalProperties": of })
    }
}

/// Declares a TOML table once: the struct, its reader, and its part of the JSON Schema.
macro_rules! source_table {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, schemars::JsonSchema)]
        #[schemars(deny_unknown_fields, transform = $name::say_what_is_required)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
            /// Where the table stands.
            #[schemars(skip)]
            pub span: crate::span::Span,
        }

        impl $name {
            /// The keys the table can have.
            pub const KEYS: &'static [&'static str] = &[$(crate::source::decode::plain(stringify!($field)),)*];

            /// The JSON Schema asks for what the reader asks for.
            fn say_what_is_required(schema: &mut schemars::Schema) {
                let required: Vec<&str> = [
                    $((<$type as crate::source::Decode>::REQUIRED, crate::source::decode::plain(stringify!($field))),)*
                ]
                .into_iter()
                .filter_map(|(required, key)| required.then_some(key))
                .collect();
                schema.remove("required");
                if !required.is_empty() {
                    schema.insert("required".to_owned(), required.into());
                }
            }

            pub(crate) fn from_table(
                table: &toml::de::DeTable<'_>,
                span: crate::span::Span,
                place: crate::source::decode::Place<'_>,
                decoder: &mut crate::source::Decoder<'_>,
            ) -> Option<Self> {
                use crate::source::decode::Place;
                decoder.refuse_unknown(table, Self::KEYS, place);
                $(
                    let $field = {
                        let key = crate::source::decode::plain(stringify!($field));
                        match table.get(key) {
                            Some(node) => {
                                <$type as crate::source::Decode>::decode(node, Place::Inside(&place, key), decoder)
                            }
                            None => <$type as crate::source::Decode>::absent(key, place, span, decoder),
                        }
                    };
                )*
                Some($name { $($field: $field?,)* span })
            }
        }

        impl crate::source::Decode for $name {
            fn decode(
                node: &crate::source::decode::Node<'_>,
                place: crate::source::decode::Place<'_>,
                decoder: &mut crate::source::Decoder<'_>,
            ) -> Option<Self> {
                let span = decoder.clamp(node.span().into());
                match node.get_ref().as_table() {
                    Some(table) => Self::from_table(table, span, place, decoder),
                    None => {
                        decoder.wants_table(node, Self::KEYS);
                        None
                    }
                }
            }
        }
    };
}
pub(crate) use source_table;

/// Declares the words a key can have, each with its meaning.
macro_rules! source_choice {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, schemars::JsonSchema)]
        pub enum $name {
            $($(#[$variant_meta])* #[schemars(rename = $word)] $variant,)*
        }

        impl $name {
            /// The words, in declared order.
            pub const WORDS: &'static [&'static str] = &[$($word,)*];

            /// The word for it.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl crate::source::Decode for crate::span::Spanned<$name> {
            fn decode(
                node: &crate::source::decode::Node<'_>,
                _: crate::source::decode::Place<'_>,
                decoder: &mut crate::source::Decoder<'_>,
            ) -> Option<Self> {
                let word = decoder.word(node, $name::WORDS)?;
                let value = match word {
                    $($word => $name::$variant,)*
                    _ => return None,
                };
                Some(crate::span::Spanned { value, span: node.span().into() })
            }
        }
    };
}
pub(crate) use source_choice;

impl Decoder<'_> {
    pub(crate) fn wants_table(&mut self, node: &Node<'_>, keys: &[&str]) {
        self.expected(&format!("a table with {}", suggest::one_of(keys)), node);
    }

    /// One of the given words, or a report with the nearest of them.
    pub(crate) fn word(
        &mut self,
        node: &Node<'_>,
        words: &'static [&'static str],
    ) -> Option<&'static str> {
        let Some(written) = node.get_ref().as_str() else {
            self.expected(&suggest::one_of(words), node);
            return None;
        };
        let found = words.iter().find(|word| **word == written);
        if found.is_none() {
            let text = self.text(written, node.span().into());
            let mut diagnostic = Diagnostic::language(
                "unknown-word",
                text.content(),
                format!("`{written}` is none of the words that can stand here"),
            );
            if let Some(hint) = suggest::hint(written, words.iter().copied()) {
                diagnostic = diagnostic.help(hint);
            }
            if let Some(near) = suggest::nearest(written, words.iter().copied()) {
                diagnostic = diagnostic.fix(format!("write `{near}`"), text.content(), near);
            }
            self.report(diagnostic);
        }
        found.copied()
    }
}

/// The TOML key of a Rust field: `r#where` is `where`.
pub(crate) const fn plain(identifier: &'static str) -> &'static str {
    match identifier.as_bytes() {
        [b'r', b'#', ..] => identifier.split_at(2).1,
        _ => identifier,
    }
}
