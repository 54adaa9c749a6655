//! From what was written to what it means: every name looked up, every text parsed. Reports all faults.

mod access;
mod belongings;
mod by_hand;
mod capacity;
mod conditions;
mod copies;
mod entities;
mod events;
mod fields;
mod services;
mod tables;
mod templates;
mod times;
mod verb;

use std::collections::{HashMap, HashSet};

use crate::diagnostic::Diagnostic;
use tablewright_keys::TypedPiece;

use crate::model::{
    Allow, EntityId, EntityRef, Key, KeyAttribute, KeyTemplate, Model, Profile, TableId,
};
use crate::source::{Entries, ModelFile};
use crate::span::{Span, Text};
use crate::suggest;

/// Resolves a file. With any fault there is no model: a model is never half-resolved.
pub(crate) fn resolve(
    file: &ModelFile,
    unreadable: HashSet<String>,
) -> Result<Model, Vec<Diagnostic>> {
    let mut resolver = Resolver::new(file, unreadable);
    let model = resolver.model(file);
    if resolver.diagnostics.is_empty() {
        Ok(model)
    } else {
        Err(resolver.diagnostics)
    }
}

/// Looks names up and collects faults.
struct Resolver<'f> {
    file: &'f ModelFile,
    diagnostics: Vec<Diagnostic>,
    unreadable: HashSet<String>,
    tables: HashMap<&'f str, TableId>,
    entities: HashMap<&'f str, EntityId>,
    accesses: HashMap<&'f str, usize>,
}

impl<'f> Resolver<'f> {
    fn new(file: &'f ModelFile, unreadable: HashSet<String>) -> Self {
        fn positions<T, I>(entries: &Entries<T>, id: fn(usize) -> I) -> HashMap<&str, I> {
            let names = entries.iter().enumerate();
            names
                .map(|(position, (name, _))| (name.as_str(), id(position)))
                .collect()
        }
        Resolver {
            file,
            diagnostics: Vec::new(),
            unreadable,
            tables: positions(&file.table, TableId),
            entities: positions(&file.entity, EntityId),
            accesses: positions(&file.access, |position| position),
        }
    }

    fn model(&mut self, file: &'f ModelFile) -> Model {
        self.plain_name(&file.model.name, "a model");
        // What fails leaves a placeholder behind, so that all faults of the file are seen at once. It is never
        // seen outside: with any fault there is no model.
        let tables = self.tables(&file.table);
        let structs = self.structs(&file.r#struct);
        let entities = self.all_entities(file);
        let mut model = Model {
            name: file.model.name.clone(),
            title: file.model.title.clone(),
            about: file.model.about.clone(),
            profile: file
                .model
                .profile
                .map_or(Profile::SingleTable, |profile| profile.value),
            times: self.times(file.model.times.as_ref()),
            tenant: None,
            tables,
            entities,
            structs,
            relationships: Vec::new(),
            accesses: Vec::new(),
            events: Vec::new(),
        };
        model.tenant = self.tenant(file.model.tenant.as_ref(), &model.entities);
        self.types_are_told_apart(&model.entities);
        self.projections_exist(&model);
        natural_keys_are_stored_as_they_are(&mut model);
        self.counters(file, &mut model);
        self.copies(file, &mut model);
        model.relationships = self.relationships(&file.relationship, &model);
        model.accesses = self.accesses(&file.access, &model);
        model.events = self.events(&file.event, &model);
        self.named_patterns_fit(&model);
        model
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn fault(
        &mut self,
        rule: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report(Diagnostic::language(rule, span, message).help(help));
    }

    /// Reports a name that nothing bears, with the nearest one.
    fn unknown<'a>(
        &mut self,
        what: &str,
        name: &str,
        span: Span,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) {
        if self.unreadable.contains(name) {
            return;
        }
        let mut diagnostic =
            Diagnostic::language("unknown-name", span, format!("there is no {what} `{name}`"));
        // A name is the author's own: which one was meant is for them to say, so there is no fix.
        match suggest::nearest(name, known.clone()) {
            Some(near) if what == "index" => {
                let help = format!(
                    "did you mean `{near}`? Otherwise declare `{name} = {{}}` in the table's [….index]"
                );
                diagnostic = diagnostic.help(help);
            }
            Some(near) => diagnostic = diagnostic.help(format!("did you mean `{near}`?")),
            None => {
                let mut known: Vec<&str> = known.into_iter().take(25).collect();
                // A name may be given twice, which is told for itself.
                let mut seen = HashSet::new();
                known.retain(|name| seen.insert(*name));
                if known.is_empty() {
                    diagnostic =
                        diagnostic.help(format!("the model has no {}", suggest::plural(what)));
                } else if known.len() < 25 {
                    diagnostic = diagnostic.help(format!("it can be {}", suggest::one_of(&known)));
                }
            }
        }
        self.report(diagnostic);
    }

    fn entity_ref(&mut self, name: &Text) -> Option<EntityRef> {
        if let Some(id) = self.entities.get(name.as_str()) {
            return Some(EntityRef {
                written: name.clone(),
                id: *id,
            });
        }
        let file = self.file;
        self.unknown(
            "entity",
            name.as_str(),
            name.content(),
            file.entity
                .0
                .iter()
                .map(|(name, _)| name.as_str())
                .collect::<Vec<_>>(),
        );
        None
    }

    fn access_name(&mut self, name: &Text) -> Option<Text> {
        if self.accesses.contains_key(name.as_str()) {
            return Some(name.clone());
        }
        let file = self.file;
        self.unknown(
            "access pattern",
            name.as_str(),
            name.content(),
            file.access
                .0
                .iter()
                .map(|(name, _)| name.as_str())
                .collect::<Vec<_>>(),
        );
        None
    }

    fn access_names(&mut self, names: &[Text]) -> Vec<Text> {
        let mut known = Vec::with_capacity(names.len());
        for name in names {
            known.extend(self.access_name(name));
        }
        known
    }

    fn allow(&mut self, allow: &Entries<Text>) -> Vec<Allow> {
        let mut allowed = Vec::new();
        for (rule, reason) in allow.iter() {
            if reason.value.trim().len() < 8 {
                self.fault(
                    "bad-value",
                    reason.span,
                    format!("allowing `{rule}` needs a reason"),
                    "say in a sentence why it is right here: the next reader will ask",
                );
            }
            allowed.push(Allow {
                rule: rule.clone(),
                reason: reason.clone(),
            });
        }
        allowed
    }

    /// Checks a name people and programs share: letters, digits, `_` and `-`, a letter first.
    fn plain_name(&mut self, name: &Text, what: &str) {
        let plain = name
            .value
            .starts_with(|first: char| first.is_ascii_alphabetic())
            && name
                .value
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
            && name.value.len() <= 100;
        if !plain {
            self.fault(
                "bad-value",
                name.span,
                format!("`{name}` cannot be the name of {what}"),
                "begin with a letter and use letters, digits, `_` and `-`, at most 100",
            );
        }
    }

    /// Checks the name of something that becomes a type: a capital first, then letters and digits.
    fn type_name(&mut self, name: &Text, what: &str) {
        let fine = name
            .value
            .starts_with(|first: char| first.is_ascii_uppercase())
            && name.value.chars().all(|c| c.is_ascii_alphanumeric())
            && name.value.len() <= 100;
        if !fine {
            self.fault(
                "bad-value",
                name.span,
                format!("`{name}` cannot be the name of {what}"),
                "begin with a capital letter and use letters and digits, as in `TaskAssigned`",
            );
        }
    }
}

/// A key that is one field, in the attribute of that field's name, is the field itself: nothing is escaped in it.
fn natural_keys_are_stored_as_they_are(model: &mut Model) {
    let tables = &model.tables;
    for entity in &mut model.entities {
        let Some(table) = tables.get(entity.table.0) else {
            continue;
        };
        let fields = &entity.fields;
        let store = |template: &mut KeyTemplate, attribute: Option<&KeyAttribute>| {
            let field = template.bare_field().and_then(|field| fields.get(field.0));
            let natural = field
                .zip(attribute)
                .is_some_and(|(field, attribute)| field.name.value == attribute.name);
            if let (true, [TypedPiece::Field { escaped, .. }]) =
                (natural, template.typed.pieces.as_mut_slice())
            {
                *escaped = false;
            }
        };
        let store_key = |key: &mut Key, partition: &KeyAttribute, sort: Option<&KeyAttribute>| {
            store(&mut key.partition, Some(partition));
            if let Some(template) = &mut key.sort {
                store(template, sort);
            }
        };
        store_key(
            &mut entity.key,
            &table.partition_key,
            table.sort_key.as_ref(),
        );
        for key in &mut entity.index_keys {
            let index = table.index(key.index);
            store_key(&mut key.key, &index.partition_key, index.sort_key.as_ref());
        }
    }
}
