//! Names of what is no pattern: types, members and repositories.

use std::collections::HashMap;

use tablewright_model::{Diagnostic, Span};

use super::RULE;
use crate::generated_names::{alias, plain_name, plural, snake};
use crate::{Context, Found, Subject};

/// Names of one scope, each with what has it and where that is written.
#[derive(Default)]
struct Scope {
    taken: HashMap<String, (String, Span)>,
}

impl Scope {
    /// Takes a name; what is said when something else has it.
    fn take(&mut self, name: &str, what: String, at: Span) -> Option<Diagnostic> {
        match self.taken.get(name) {
            None => {
                self.taken.insert(name.to_owned(), (what, at));
                None
            }
            Some((first, known)) => Some(
                RULE.at(
                    at,
                    format!("{first} and {what} would both be `{name}` in the generated code"),
                )
                .label("the same name")
                .related(*known, "the first")
                .help("rename one of them"),
            ),
        }
    }
}

pub(super) fn check(context: &Context<'_>, found: &mut Found) {
    let model = context.model;
    let mut types = Scope::default();
    let mut repositories = Scope::default();
    for (id, entity) in model.entity_ids() {
        let at = entity.name.span;
        let (name, plain) = (&entity.name, plain_name(entity));
        let key = format!("{plain}Key");
        let repository = format!("{plain}Repo");
        let names = [
            (name.as_str(), format!("the entity {name}")),
            (
                alias(entity).unwrap_or_default(),
                format!("the data of {name}"),
            ),
            (key.as_str(), format!("the key of {name}")),
            (repository.as_str(), format!("the repository of {name}")),
        ];
        let named = names.into_iter().filter(|(name, _)| !name.is_empty());
        let mut told: Vec<Diagnostic> = named
            .filter_map(|(name, what)| types.take(name, what, at))
            .collect();
        let member = plural(&snake(plain));
        told.extend(repositories.take(&member, format!("the items of {name}"), at));
        let mut members = Scope::default();
        told.extend(entity.fields.iter().filter_map(|field| {
            let what = format!("`{}` of {name}", field.name);
            members.take(&snake(field.name.as_str()), what, field.name.span)
        }));
        for diagnostic in told {
            found.report(&[Subject::Entity(id.0)], diagnostic);
        }
    }
    for one in &model.structs {
        let told = types.take(
            one.name.as_str(),
            format!("the struct {}", one.name),
            one.name.span,
        );
        if let Some(diagnostic) = told {
            found.report(&[], diagnostic);
        }
    }
    for (position, event) in model.events.iter().enumerate() {
        let what = format!("the event {}", event.name);
        if let Some(diagnostic) = types.take(event.name.as_str(), what, event.name.span) {
            found.report(&[Subject::Event(position)], diagnostic);
        }
    }
}
