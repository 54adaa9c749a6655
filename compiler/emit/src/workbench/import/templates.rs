//! Templates of keys, from the texts that samples have there.

use tablewright_keys::Template;

use super::fields::can_be_field;
use super::matches::{self, Column};
use super::source::{Item, Sample, one_line};
use super::spelling::{is_called_by, sounds_like};
use crate::rust::names::snake;

/// The fields of an entity that keys may be made of, and its samples.
pub(super) struct Candidates {
    pub(super) entity: String,
    pub(super) fields: Vec<String>,
    pub(super) items: Vec<Item>,
    /// Whether values are escaped in keys.
    pub(super) escaped: bool,
    /// The fields of the primary key, which are the likeliest in any other.
    pub(super) identity: Vec<String>,
    /// Whether the key that is looked at may be spread.
    pub(super) spreads: bool,
    /// The index whose key is looked at; none of it for the table.
    pub(super) index: String,
    /// Names that attributes of another meaning have.
    pub(super) taken: Vec<String>,
    /// What is to be said of templates.
    pub(super) guessed: Vec<String>,
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
pub(super) enum Piece {
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
            index: String::new(),
            taken: Vec::new(),
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
    pub(super) fn natural(&mut self, attribute: &str) -> Inferred {
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

    /// A facet's alias that is a template, as this library's own export writes it. What is no attribute becomes a field of that name.
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
        let is_template = constant || self.knows_or_learns(&template, attribute);
        is_template.then(|| Inferred {
            template: alias.to_owned(),
            fields,
        })
    }

    pub(super) fn column<'c>(&'c self, texts: &'c [(usize, String)]) -> Column<'c> {
        texts
            .iter()
            .map(|(at, text)| (&self.items[*at], text.as_str()))
            .collect()
    }

    /// The field that gives every text: one that is called like the text before, or the index is called by; else of the primary key, if there is one.
    pub(super) fn matching(&self, column: &Column<'_>, before: &str) -> Option<String> {
        let mut names: Vec<&String> = self.fields.iter().collect();
        names.sort_by_key(|name| {
            let named = sounds_like(before, name);
            let of_index = is_called_by(&self.index, name);
            (!named, !of_index, !self.identity.contains(name))
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
    pub(super) fn invent(
        &mut self,
        wanted: &str,
        attribute: &str,
        samples: Vec<(usize, Sample)>,
    ) -> String {
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
    pub(super) fn of(pieces: Vec<Piece>) -> Inferred {
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
