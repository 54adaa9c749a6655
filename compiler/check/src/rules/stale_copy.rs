//! A copy that is not kept up to date.

use std::collections::HashMap;

use tablewright_model::model::{ActionKind, Changes, Copied, EntityId, FieldId};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "stale-copy",
    code: "W08",
    severity: Warning,
    group: Writes,
    summary: "a copied field whose source changes, and nothing writes the copy anew",
    why: "A field copied into another entity saves a read and is right until its source changes. Then every copy shows what was: the old name beside
the new picture. Nobody notices for months, and then nobody knows which of the two is true.

Name the patterns that write the copies when the source changes, in `refreshed_by`: a `transact` with the change itself where there are
few copies, a batch fed by the change stream where there are many. Where the old value is meant to stay, as the price on an invoice
is, say `snapshot = true`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let changed_by = changed_by(context);
    for (id, entity) in context.model.entity_ids() {
        for copy in entity.copies.iter().filter(|copy| !copy.snapshot) {
            let subject = [Subject::Entity(id.0)];
            for name in &copy.refreshed_by {
                if !writes(context, name.as_str(), id, copy.field.1) {
                    let diagnostic = RULE
                        .at(
                            name.content(),
                            format!(
                                "`{name}` is to refresh `{}` of {}, and does not write it",
                                copy.field.0, entity.name
                            ),
                        )
                        .label("does not write it")
                        .help(format!(
                            "let it set the field: {{ update = \"{}\", set = [\"{}\"] }}",
                            entity.name, copy.field.0
                        ));
                    found.report(&subject, diagnostic);
                }
            }
            let Some(changes) = changes(context, copy, &changed_by) else {
                continue;
            };
            if !copy.refreshed_by.is_empty() {
                continue;
            }
            let diagnostic = RULE
                .at(
                    copy.of.content(),
                    format!(
                        "`{}` of {} is a copy of `{}`, which {changes}, and nothing writes the copy anew",
                        copy.field.0, entity.name, copy.of
                    ),
                )
                .label("shows what was")
                .related(
                    context.field(copy.entity, copy.source).written.content(),
                    "its source",
                )
                .help(format!(
                    "name the patterns that write `{}` when it changes: refreshed_by = [\"…\"]; or say snapshot = true, if the old value is to stay",
                    copy.field.0
                ));
            found.report(&subject, diagnostic);
        }
    }
}

/// How the source of a copy changes, as far as the model shows that it does.
fn changes(
    context: &Context<'_>,
    copy: &Copied,
    changed_by: &HashMap<(EntityId, FieldId), &str>,
) -> Option<String> {
    let source = context.model.entity(copy.entity);
    match source.changes(copy.source) {
        Some(Changes::Never) => return None,
        Some(Changes::Rarely) => return Some("changes, if rarely".to_owned()),
        Some(Changes::Sometimes) => return Some("changes now and then".to_owned()),
        Some(Changes::Often) => return Some("changes often".to_owned()),
        None => {}
    }
    let by = changed_by.get(&(copy.entity, copy.source))?;
    Some(format!("`{by}` changes"))
}

/// The first pattern that changes each field.
fn changed_by<'m>(context: &Context<'m>) -> HashMap<(EntityId, FieldId), &'m str> {
    let mut changed = HashMap::new();
    for access in &context.model.accesses {
        for (kind, entity, changes) in access.verb.writes() {
            if kind != ActionKind::Update {
                continue;
            }
            for known in changes.set.iter().chain(&changes.add) {
                let by = changed.entry((entity.id, known.id));
                by.or_insert(access.name.as_str());
            }
        }
    }
    changed
}

/// Whether a pattern writes a field of an entity: by setting it, or with the whole item.
fn writes(context: &Context<'_>, pattern: &str, entity: EntityId, field: FieldId) -> bool {
    let Some((_, access, _)) = context.access(pattern) else {
        return false;
    };
    let mut writes = access.verb.writes().into_iter();
    writes.any(|(kind, written, changes)| {
        written.id == entity
            && match kind {
                ActionKind::Create => true,
                ActionKind::Update => changes
                    .set
                    .iter()
                    .chain(&changes.add)
                    .any(|known| known.id == field),
                _ => false,
            }
    })
}
