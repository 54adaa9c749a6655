//! `allow`: findings a model accepts with a reason, and allowances that silence nothing.

use std::collections::HashSet;

use tablewright_model::model::{Allow, Model};
use tablewright_model::{Diagnostic, Severity, suggest};

use crate::context::{Found, Subject};
use crate::rules::RULES;

/// A finding the model accepts.
#[derive(Debug, Clone)]
pub struct Allowed {
    /// What was found.
    pub finding: Diagnostic,
    /// What allows it.
    pub subject: Subject,
    /// Why.
    pub reason: String,
}

/// Sets apart what is allowed, and reports allowances that are unknown or silence nothing.
pub(crate) fn apply(model: &Model, found: Found) -> (Vec<Diagnostic>, Vec<Allowed>) {
    let mut used: HashSet<(Subject, &'static str)> = HashSet::new();
    let mut kept = Vec::new();
    let mut allowed = Vec::new();
    for (subjects, diagnostic) in found.findings {
        let allowing = subjects.iter().find_map(|subject| {
            let mut allows = allows(model, *subject).iter();
            let allow = allows.find(|allow| allow.rule.value == diagnostic.rule)?;
            Some((*subject, allow.reason.value.clone()))
        });
        match allowing {
            Some((subject, reason)) => {
                used.insert((subject, diagnostic.rule));
                allowed.push(Allowed {
                    finding: diagnostic,
                    subject,
                    reason,
                });
            }
            None => kept.push(diagnostic),
        }
    }
    for subject in all_subjects(model) {
        for allow in allows(model, subject) {
            let name = allow.rule.as_str();
            let Some(rule) = RULES.iter().find(|rule| rule.name == name) else {
                kept.push(unknown_rule(allow));
                continue;
            };
            if !used.contains(&(subject, rule.name)) {
                kept.push(
                    Diagnostic::new(
                        "unused-allow",
                        Severity::Warning,
                        allow.rule.span,
                        format!("`{name}` is allowed here and would not be found"),
                    )
                    .help("remove it: the next mistake of this kind would pass unseen"),
                );
            }
        }
    }
    (kept, allowed)
}

fn unknown_rule(allow: &Allow) -> Diagnostic {
    let diagnostic = Diagnostic::language(
        "unknown-rule",
        allow.rule.span,
        format!("there is no rule `{}`", allow.rule),
    );
    match suggest::nearest(allow.rule.as_str(), RULES.iter().map(|rule| rule.name)) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help("`tablewright explain` lists them"),
    }
}

fn allows(model: &Model, subject: Subject) -> &[Allow] {
    match subject {
        Subject::Table(table) => &model.tables[table].allow,
        Subject::Index(table, index) => &model.tables[table].indexes[index].allow,
        Subject::Entity(entity) => &model.entities[entity].allow,
        Subject::Access(access) => &model.accesses[access].allow,
        Subject::Relationship(relationship) => &model.relationships[relationship].allow,
        Subject::Event(event) => &model.events[event].allow,
    }
}

fn all_subjects(model: &Model) -> impl Iterator<Item = Subject> {
    let tables = model
        .tables
        .iter()
        .enumerate()
        .flat_map(|(position, table)| {
            let indexes =
                (0..table.indexes.len()).map(move |index| Subject::Index(position, index));
            std::iter::once(Subject::Table(position)).chain(indexes)
        });
    tables
        .chain((0..model.entities.len()).map(Subject::Entity))
        .chain((0..model.accesses.len()).map(Subject::Access))
        .chain((0..model.relationships.len()).map(Subject::Relationship))
        .chain((0..model.events.len()).map(Subject::Event))
}
