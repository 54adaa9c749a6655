//! A rule read in one request and relied on in another.

use tablewright_model::model::{Access, ActionKind, EntityId};
use tablewright_model::suggest;

use crate::relied_reads::{Danger, relied_reads};
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "check-then-write",
    code: "W06",
    severity: Error,
    group: Writes,
    summary: "a rule that is read in one request and relied on in another",
    why: "Between the read that allows a write and the write itself others write, too: the user is deactivated, the order cancelled, the same
request arrives twice. Under load the gap is hit every day, and what it leaves behind (a task of a deleted project, a charge made
twice) is found by customers.

Say the rule where the write is: as a `check` with a `where` in one `transact`, or as `where` when it is about the item
that is written. A request that must have one effect claims a key with `idempotent`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.accesses() {
        let outdated: Vec<_> = relied_reads(context, access, plan)
            .into_iter()
            .filter_map(|relied| match relied.danger {
                Danger::Outdated(entity) => Some((relied, entity)),
                _ => None,
            })
            .collect();
        if outdated.is_empty() {
            continue;
        }
        let names: Vec<String> = outdated
            .iter()
            .map(|(relied, _)| format!("`{}`", relied.read.name))
            .collect();
        let mut diagnostic = RULE
            .at(
                access.name.span,
                format!(
                    "`{}` relies on what {} read before: by the time it writes that may no longer be so",
                    access.name,
                    names.join(" and ")
                ),
            )
            .label("writes whatever has changed since");
        let mut entities: Vec<EntityId> = Vec::new();
        for (relied, entity) in &outdated {
            diagnostic =
                diagnostic.related(relied.written.content(), "read in a request of its own");
            if !entities.contains(entity) {
                entities.push(*entity);
            }
        }
        diagnostic = diagnostic.help(help(context, access, &entities));
        found.report(&[Subject::Access(position)], diagnostic);
    }
}

fn help(context: &Context<'_>, access: &Access, relied: &[EntityId]) -> String {
    let model = context.model;
    let writes = access.verb.writes();
    let own = |id: &EntityId| writes.iter().any(|(_, entity, _)| entity.id == *id);
    let foreign: Vec<&EntityId> = relied.iter().filter(|id| !own(id)).collect();
    if foreign.is_empty() {
        return match writes.first() {
            Some((ActionKind::Create, entity, _)) => format!(
                "keep the number in an item of its own and test it in the same transaction: transact = [{{ create = \"{}\" }}, {{ update = \"…\", add = [\"…\"], where = \"…\" }}]",
                entity.written
            ),
            _ => "state it as a condition of the write itself, in `where`".to_owned(),
        };
    }
    let checks = foreign.iter().map(|id| {
        format!(
            "{{ check = \"{}\", where = \"…\" }}",
            model.entity(**id).name
        )
    });
    let own = writes.iter().map(|(kind, entity, _)| {
        let condition = if relied.contains(&entity.id) {
            ", where = \"…\""
        } else {
            ""
        };
        format!("{{ {} = \"{}\"{condition} }}", word(*kind), entity.written)
    });
    let actions: Vec<String> = checks.chain(own).collect();
    let transact = format!(
        "make it one transaction: transact = [{}]",
        actions.join(", ")
    );
    let claims: Vec<&str> = foreign
        .iter()
        .map(|id| model.entity(**id))
        .filter(|entity| entity.ttl.is_some())
        .map(|entity| entity.name.as_str())
        .collect();
    if claims.is_empty() {
        return transact;
    }
    format!(
        "{transact}; or, if {} keeps repeated requests out, claim it: idempotent = \"{}\"",
        suggest::one_of(&claims),
        claims[0]
    )
}

fn word(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::Create => "create",
        ActionKind::Update => "update",
        ActionKind::Delete => "delete",
        ActionKind::Check => "check",
        ActionKind::Get => "get",
    }
}
