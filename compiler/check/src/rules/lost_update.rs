//! Read, change, write, without a version.

use tablewright_model::model::{Access, ActionKind, OnConflict, Request};
use tablewright_model::{Diagnostic, Severity};
use tablewright_plan::hand::HandPlan;

use crate::hand_condition::{attributes, is_stated};
use crate::relied_reads::{Danger, relied_reads};
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "lost-update",
    code: "W05",
    severity: Warning,
    group: Writes,
    summary: "an item read, changed and written back without a condition on its version",
    why: "Two people open the same item, both change it, and the second save writes over the first: a change that was confirmed is gone, and no
log shows it. Retrying with the old copy after a conflict does the same on purpose.

Make the entity `versioned`: every write is then conditional on the `last_write` that was read, and a conflict is read again and
the change applied to what is there now. Where only one field matters, a condition on it does.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    overwriting_conflicts(context, found);
    for (position, access, plan) in context.by_hand() {
        if let Some(diagnostic) = without_version(context, access, plan) {
            found.report(&[Subject::Access(position)], diagnostic);
        }
    }
    for (position, access, plan) in context.accesses() {
        for relied in relied_reads(context, access, plan) {
            let Danger::Overwrites(id) = relied.danger else {
                continue;
            };
            let entity = &context.model.entity(id).name;
            let diagnostic = RULE
                .at(
                    relied.written.content(),
                    format!(
                        "`{}` writes back what `{}` read: a change of the same {entity} in between is lost",
                        access.name, relied.read.name
                    ),
                )
                .label("read first, written over later")
                .related(relied.read.name.span, "the read")
                .help(match access.by_hand {
                    Some(_) => format!(
                        "make {entity} versioned and leave `request` out; or add the fields that must not have changed to `condition`"
                    ),
                    None => format!(
                        "make {entity} versioned: versioned = {{ data_version = 1 }}; or state what must still hold in `where`"
                    ),
                });
            found.report(
                &[Subject::Access(position), Subject::Entity(id.0)],
                diagnostic,
            );
        }
    }
}

/// Versioned, and the conflict is then ignored.
fn overwriting_conflicts(context: &Context<'_>, found: &mut Found) {
    for (id, entity) in context.model.entity_ids() {
        let Some(versioned) = &entity.versioned else {
            continue;
        };
        let (OnConflict::Overwrite, Some(span)) =
            (versioned.on_conflict, versioned.on_conflict_span)
        else {
            continue;
        };
        let mut diagnostic = RULE
            .at(
                span,
                format!(
                    "a write of {} that lost to another is sent again with its old copy: the other's change is lost",
                    entity.name
                ),
            )
            .label("undoes the version check")
            .help("apply the change to what is there now: on_conflict = \"reapply\"; or return the conflict: \"fail\"")
            .fix("apply the change again", span, "\"reapply\"");
        diagnostic.severity = Severity::Error;
        found.report(&[Subject::Entity(id.0)], diagnostic);
    }
}

/// A write by hand to a versioned entity that does not look at the version.
fn without_version(context: &Context<'_>, access: &Access, plan: &HandPlan) -> Option<Diagnostic> {
    let by_hand = access.by_hand.as_ref()?;
    let single = matches!(
        plan.request,
        Request::PutItem | Request::UpdateItem | Request::DeleteItem
    );
    let writes = access.verb.writes();
    let (_, written, _) = writes.iter().find(|(kind, entity, _)| {
        *kind != ActionKind::Create && context.model.entity(entity.id).versioned.is_some()
    })?;
    let seen = match &plan.write_condition {
        Some(condition) => attributes(condition, by_hand).any(|name| name == "last_write"),
        None => is_stated(access),
    };
    if !single || seen {
        return None;
    }
    let span = match &by_hand.condition {
        Some(condition) => condition.content(),
        None => plan
            .request_span
            .unwrap_or_else(|| written.written.content()),
    };
    Some(
        RULE.at(
            span,
            format!(
                "`{}` writes {} whatever its `last_write` is: the change of another writer is lost",
                access.name, written.written
            ),
        )
        .label("no condition on the version")
        .related(
            context.model.entity(written.id).name.span,
            "versioned: writers compare `last_write`",
        )
        .help("leave `request` out, and the write is conditional; or condition = \"last_write = :read\""),
    )
}
