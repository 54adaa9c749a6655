//! Fields and structs.

use super::Resolver;
use crate::diagnostic::Diagnostic;
use crate::field_type::{self, DeclaredType, FieldType};
use crate::model::{Entity, Field, FieldId, Known, Struct};
use crate::source::Entries;
use crate::span::{Span, Text};

impl Resolver<'_> {
    pub(super) fn structs(&mut self, structs: &Entries<Entries<Text>>) -> Vec<Struct> {
        let mut resolved = Vec::new();
        for (name, fields) in structs.iter() {
            self.type_name(name, "a struct");
            resolved.push(Struct {
                name: name.clone(),
                fields: self.fields(fields),
            });
        }
        self.refuse_endless(&resolved);
        resolved
    }

    pub(super) fn fields(&mut self, fields: &Entries<Text>) -> Vec<Field> {
        let mut resolved = Vec::new();
        for (name, written) in fields.iter() {
            if !is_field_name(name.as_str()) {
                self.fault(
                    "bad-value",
                    name.span,
                    format!("`{name}` cannot be the name of a field"),
                    "begin with a letter and use letters, digits and `_`",
                );
            }
            resolved.push(self.field(name, written));
        }
        resolved
    }

    fn field(&mut self, name: &Text, written: &Text) -> Field {
        let declared = field_type::parse(&written.value).unwrap_or_else(|error| {
            let mut diagnostic =
                Diagnostic::language("bad-type", written.at(error.span), error.message);
            diagnostic.help = error.help;
            self.report(diagnostic);
            self.unreadable.insert(name.value.clone());
            DeclaredType::placeholder()
        });
        self.known_structs(&declared.kind, written);
        Field {
            name: name.clone(),
            written: written.clone(),
            declared,
        }
    }

    fn known_structs(&mut self, kind: &FieldType, written: &Text) {
        match kind {
            FieldType::List(of, _) | FieldType::Set(of, _) | FieldType::Map(of, _) => {
                self.known_structs(of, written)
            }
            FieldType::Struct(name) => {
                let file = self.file;
                if !file.r#struct.iter().any(|(known, _)| known.value == *name) {
                    let at = written.value.find(name.as_str()).unwrap_or(0);
                    let known: Vec<&str> = file
                        .r#struct
                        .iter()
                        .map(|(name, _)| name.as_str())
                        .collect();
                    self.unknown("struct", name, written.at(at..at + name.len()), known);
                }
            }
            _ => {}
        }
    }

    /// A struct that contains itself would never end.
    fn refuse_endless(&mut self, structs: &[Struct]) {
        fn names(kind: &FieldType) -> Option<&str> {
            match kind {
                FieldType::Struct(name) => Some(name),
                FieldType::List(of, _) | FieldType::Set(of, _) | FieldType::Map(of, _) => names(of),
                _ => None,
            }
        }
        for start in structs {
            let mut seen: Vec<&str> = Vec::new();
            let mut open = vec![start];
            while let Some(current) = open.pop() {
                for name in current
                    .fields
                    .iter()
                    .filter_map(|field| names(field.kind()))
                {
                    if name == start.name.value {
                        self.fault(
                            "bad-type",
                            start.name.span,
                            format!("the struct `{name}` contains itself"),
                            "an item has to end: keep the inner one as an entity of its own",
                        );
                        return;
                    }
                    if !seen.contains(&name) {
                        seen.push(name);
                        open.extend(
                            structs
                                .iter()
                                .find(|structure| structure.name.value == name),
                        );
                    }
                }
            }
        }
    }

    /// A field of an entity by its name.
    pub(super) fn field_of(&mut self, entity: &Entity, name: &str, span: Span) -> Option<FieldId> {
        let found = entity.field_named(name);
        if found.is_none() {
            let known: Vec<&str> = entity
                .fields
                .iter()
                .map(|field| field.name.as_str())
                .collect();
            self.unknown(&format!("field of {}", entity.name), name, span, known);
        }
        found
    }

    pub(super) fn known(&mut self, entity: &Entity, written: &Text) -> Option<Known> {
        let id = self.field_of(entity, written.as_str(), written.content())?;
        Some(Known {
            written: written.clone(),
            id,
        })
    }

    pub(super) fn all_known(&mut self, entity: &Entity, written: &[Text]) -> Vec<Known> {
        let mut known: Vec<Known> = Vec::new();
        for name in written {
            if known.iter().any(|other| other.written.value == name.value) {
                self.fault(
                    "duplicate-name",
                    name.span,
                    format!("`{name}` is there twice"),
                    "name it once",
                );
            }
            known.extend(self.known(entity, name));
        }
        known
    }
}

/// Whether a field can be called so.
pub(super) fn is_field_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
