//! Templates of keys, from the texts that samples have there.

use tablewright_keys::Template;

use super::fields::can_be_field;
use super::matches::{self, Column};
use super::source::{Item, Sample, one_line};
use super::spelling::{is_generic, is_word, sounds_like, unescaped};
use crate::rust::names::snake;

/// The fields of an entity that keys may be made of, and its samples.
pub(super) struct Candidates {
    entity: String,
    pub(super) fields: Vec<String>,
    pub(super) items: Vec<Item>,
    /// Whether values are escaped in keys.
    escaped: bool,
    /// The fields of the primary key, which are the likeliest in any other.
    identity: Vec<String>,
    /// Whether the key that is looked at may be spread.
    spreads: bool,
    /// What is to be said of templates.
    guessed: Vec<String>,
    /// Fields that only a key has, and where.
    invented: Vec<(String, String)>,
}

/// A template and the fields in it.
#[derive(Debug)]
pub(super) struct Inferred {
    pub(super) template: String,
    pub(super) fields: Vec<String>,
}

/// A piece of a template.
enum Piece {
    Literal(String),
    Field(String),
}

impl Candidates {
    pub(super) fn new(entity: &str, fields: Vec<String>, items: Vec<Item>, escaped: bool) -> Self {
        Candidates {
            entity: entity.to_owned(),
            fields,
            items,
            escaped,
            identity: Vec::new(),
            spreads: false,
            guessed: Vec::new(),
            invented: Vec::new(),
        }
    }

    /// The template of a key attribute; only a partition key is spread over shards.
    pub(super) fn key(
        &mut self,
        attribute: &str,
        letter: &str,
        alias: &str,
        spreads: bool,
    ) -> Inferred {
        self.spreads = spreads;
        let inferred = self.inferred(attribute, letter, alias);
        for field in &inferred.fields {
            if !self.identity.contains(field) {
                self.identity.push(field.clone());
            }
        }
        inferred
    }

    /// What was guessed.
    pub(super) fn notes(&self) -> Vec<String> {
        let invented = self.invented.iter().map(|(field, attribute)| {
            format!(
                "`{field}` of {} stands only in `{}` of the samples: it becomes a field",
                self.entity,
                one_line(attribute)
            )
        });
        invented.chain(self.guessed.iter().cloned()).collect()
    }

    fn inferred(&mut self, attribute: &str, letter: &str, alias: &str) -> Inferred {
        if letter != "S" {
            return self.natural(attribute);
        }
        if let Some(template) = self.told(attribute, alias) {
            return template;
        }
        let texts: Vec<(usize, String)> = self
            .items
            .iter()
            .enumerate()
            .filter_map(|(at, item)| match item.get(attribute) {
                Some(Sample::Text(text)) => Some((at, text.clone())),
                _ => None,
            })
            .collect();
        if texts.is_empty() {
            return self.natural(attribute);
        }
        self.read_texts(attribute, &texts)
    }

    /// The key attribute is a field by itself.
    fn natural(&mut self, attribute: &str) -> Inferred {
        if !can_be_field(attribute) {
            let samples: Vec<(usize, Sample)> = self
                .items
                .iter()
                .enumerate()
                .filter_map(|(at, item)| Some((at, item.get(attribute)?.clone())))
                .collect();
            let field = self.invent(&snake(attribute), attribute, samples);
            return Inferred::of(vec![Piece::Field(format!("{{{field}}}"))]);
        }
        if !self.fields.iter().any(|field| field == attribute) {
            let at = self.identity.len().min(self.fields.len());
            self.fields.insert(at, attribute.to_owned());
        }
        Inferred::of(vec![Piece::Field(format!("{{{attribute}}}"))])
    }

    /// A facet's alias that is a template of known fields, as this library's own export writes it.
    fn told(&mut self, attribute: &str, alias: &str) -> Option<Inferred> {
        let template = Template::parse(alias).ok()?;
        let texts = self
            .items
            .iter()
            .filter_map(|item| match item.get(attribute) {
                Some(Sample::Text(text)) => Some(text),
                _ => None,
            });
        let begins = template.leading_literal();
        if !texts.into_iter().all(|text| text.starts_with(begins)) {
            return None;
        }
        let fields: Vec<String> = template.fields().map(|field| field.name.clone()).collect();
        let is_natural = fields == [attribute.to_owned()] && can_be_field(attribute);
        if is_natural && template.to_string() == format!("{{{attribute}}}") {
            return Some(self.natural(attribute));
        }
        // Without a field an alias is only a name, unless it is what all the keys are.
        let constant = fields.is_empty()
            && !self.items.is_empty()
            && self
                .items
                .iter()
                .all(|item| item.get(attribute) == Some(&Sample::Text(alias.to_owned())));
        let known = !fields.is_empty() && fields.iter().all(|field| self.fields.contains(field));
        (constant || known).then(|| Inferred {
            template: alias.to_owned(),
            fields,
        })
    }

    fn read_texts(&mut self, attribute: &str, texts: &[(usize, String)]) -> Inferred {
        let rows: Vec<Vec<&str>> = texts
            .iter()
            .map(|(_, text)| text.split('#').collect())
            .collect();
        let parts = rows[0].len();
        let even = rows.iter().all(|row| row.len() == parts);
        // Literals must be readable as such.
        let plain = |text: &str| !text.contains('$') && !text.contains(char::is_control);
        let mut pieces: Vec<Piece> = Vec::new();
        if !even {
            let prefix = rows[0][0];
            if !prefix.is_empty()
                && plain(prefix)
                && rows.iter().all(|row| row[0] == prefix && row.len() > 1)
            {
                let rest: Vec<(usize, String)> = texts
                    .iter()
                    .map(|(at, text)| (*at, text[prefix.len() + 1..].to_owned()))
                    .collect();
                pieces.push(Piece::Literal(format!("{prefix}#")));
                pieces.push(self.part(attribute, prefix, 1, &rest, false));
                return Inferred::of(pieces);
            }
            return self.natural(attribute);
        }
        if parts == 1 {
            let column = self.column(texts);
            let all_same = column.iter().all(|(_, text)| *text == column[0].1);
            let found = self.matching(&column, "");
            if let Some(field) = found.filter(|_| !(all_same && is_word(column[0].1))) {
                return Inferred::of(vec![Piece::Field(field)]);
            }
            let first = column[0].1;
            let reads_fixed = is_word(first) || (is_generic(attribute) && column.len() > 1);
            if all_same && reads_fixed && plain(first) && !first.is_empty() {
                return Inferred::of(vec![Piece::Literal(first.to_owned())]);
            }
            return self.natural(attribute);
        }
        let mut before = String::new();
        for at in 0..parts {
            if at > 0 {
                pieces.push(Piece::Literal("#".to_owned()));
            }
            let column: Vec<(usize, String)> = texts
                .iter()
                .zip(&rows)
                .map(|((item, _), row)| (*item, row[at].to_owned()))
                .collect();
            let first = column[0].1.clone();
            let piece = self.part(attribute, &before, at, &column, plain(&first));
            before = match &piece {
                Piece::Literal(text) => text.clone(),
                Piece::Field(_) => String::new(),
            };
            pieces.push(piece);
        }
        Inferred::of(pieces)
    }

    /// What one part of a key is made of; `before` is the fixed text in front of it.
    fn part(
        &mut self,
        attribute: &str,
        before: &str,
        at: usize,
        texts: &[(usize, String)],
        may_be_literal: bool,
    ) -> Piece {
        let column = self.column(texts);
        let first = column[0].1.to_owned();
        let all_same = column.iter().all(|(_, text)| *text == first);
        let found = self.matching(&column, before);
        let named_before = found
            .as_ref()
            .is_some_and(|field| sounds_like(before, field));
        // One sample does not tell a fixed text from a value, but a word in capitals does, and the beginning of a key.
        let reads_fixed = column.len() > 1 || is_word(&first) || at == 0;
        let is_fixed = all_same && may_be_literal && reads_fixed;
        if is_fixed && !named_before && (found.is_none() || is_word(&first)) {
            return Piece::Literal(first);
        }
        if let Some(field) = found {
            return Piece::Field(field);
        }
        let shard = self
            .fields
            .iter()
            .filter(|_| self.spreads)
            .find_map(|name| {
                // A key is spread by what tells items apart, most often.
                let enough = if self.identity.contains(name) { 2 } else { 3 };
                matches::shard(&column, name, enough)
            });
        if let Some(field) = shard {
            let note = format!(
                "`{field}` in `{attribute}` of {}: how many shards there are is a guess",
                self.entity
            );
            self.guessed.push(note);
            return Piece::Field(field);
        }
        let word = snake(before);
        let known = self.fields.contains(&word);
        let wanted = match (word.is_empty(), known) {
            (true, _) => format!("{}_{}", snake(attribute), at + 1),
            // The field of this name is written in another way here.
            (false, true) => format!("{word}_key"),
            (false, false) => format!("{word}_id"),
        };
        let samples = texts
            .iter()
            .map(|(at, text)| (*at, Sample::Text(unescaped(text, self.escaped))))
            .collect();
        let field = self.invent(&wanted, attribute, samples);
        Piece::Field(format!("{{{field}}}"))
    }

    fn column<'c>(&'c self, texts: &'c [(usize, String)]) -> Column<'c> {
        texts
            .iter()
            .map(|(at, text)| (&self.items[*at], text.as_str()))
            .collect()
    }

    /// The field that gives every text: of the primary key if there is one, or one that is called like the text before.
    fn matching(&self, column: &Column<'_>, before: &str) -> Option<String> {
        let mut names: Vec<&String> = self.fields.iter().collect();
        names.sort_by_key(|name| {
            let named = sounds_like(before, name);
            (!named, !self.identity.contains(name))
        });
        // A small number is soon the same as another.
        let differ = column.iter().any(|(_, text)| *text != column[0].1);
        let proves = |name: &str| {
            let number = matches!(column[0].0.get(name), Some(Sample::Number(_)));
            !number
                || column[0].1.len() > 2
                || sounds_like(before, name)
                || (differ && (column.len() > 2 || self.identity.iter().any(|field| field == name)))
        };
        names
            .into_iter()
            .filter(|name| proves(name))
            .find_map(|name| matches::field(column, name, self.escaped))
    }

    /// A field that is no attribute of the samples; they get it.
    fn invent(&mut self, wanted: &str, attribute: &str, samples: Vec<(usize, Sample)>) -> String {
        let wanted = match can_be_field(wanted) {
            true => wanted.to_owned(),
            false => "key_part".to_owned(),
        };
        // The same values under the same name are the same field.
        let same = |name: &String| {
            samples
                .iter()
                .all(|(at, value)| self.items[*at].get(name) == Some(value))
        };
        if self.invented.iter().any(|(name, _)| *name == wanted) && same(&wanted) {
            return wanted;
        }
        let mut field = wanted.clone();
        let mut number = 2;
        while self.fields.contains(&field) {
            field = format!("{wanted}_{number}");
            number += 1;
        }
        for (at, value) in samples {
            self.items[at].insert(field.clone(), value);
        }
        let at = self.identity.len().min(self.fields.len());
        self.fields.insert(at, field.clone());
        self.invented.push((field.clone(), attribute.to_owned()));
        field
    }
}

impl Inferred {
    fn of(pieces: Vec<Piece>) -> Inferred {
        let mut inferred = Inferred {
            template: String::new(),
            fields: Vec::new(),
        };
        for piece in pieces {
            match piece {
                Piece::Literal(text) => {
                    inferred
                        .template
                        .push_str(&text.replace('{', "{{").replace('}', "}}"));
                }
                Piece::Field(field) => {
                    let name = field.trim_matches(['{', '}']);
                    let name = name.split_once(':').map_or(name, |(name, _)| name);
                    inferred.fields.push(name.to_owned());
                    inferred.template.push_str(&field);
                }
            }
        }
        inferred
    }
}
