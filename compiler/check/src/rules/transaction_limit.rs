//! A transaction that DynamoDB refuses.

use tablewright_model::model::{Access, ActionKind, EntityId, Request, Verb};
use tablewright_model::{Diagnostic, Span};
use tablewright_plan::{Answer, ItemRole, ItemWrite, Operation};

use crate::item_size::ItemSizes;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "transaction-limit",
    code: "W10",
    severity: Error,
    group: Writes,
    summary: "a transaction of over 100 actions or 4 MB, or with one item twice",
    why: "A transaction takes at most 100 actions on 100 different items, 4 MB together. One more and it is refused whole, every time; guards,
counters and the idempotency record of a write count as actions too. Code that puts a list of the caller's into a transaction works
until the list has a hundred entries.

Make a batch of it, in which each item stands for itself, or several transactions with a record of how far they came. Two changes of one
item are one action.",
}

/// Actions a transaction takes.
const ACTIONS: u64 = 100;
/// Bytes a transaction takes.
const BYTES: u64 = 4 * 1024 * 1024;

fn check(context: &Context<'_>, found: &mut Found) {
    let mut sizes = ItemSizes::of(context.model);
    for (position, access, plan) in context.accesses() {
        let subject = [Subject::Access(position)];
        match &plan.answer {
            Answer::Write(write) if write.operation == Operation::TransactWriteItems => {
                if let Some(diagnostic) = too_many(access, write.items.len() as u64) {
                    found.report(&subject, diagnostic);
                }
                if let Some(diagnostic) = too_large(context, &mut sizes, access, &write.items) {
                    found.report(&subject, diagnostic);
                }
            }
            Answer::ByHand(hand) if hand.request == Request::TransactWriteItems => {
                let items = match &access.verb {
                    Verb::Batch(_) => access.returns.unwrap_or(0),
                    verb => verb.entities().len() as u64,
                };
                if let Some(diagnostic) = too_many(access, items) {
                    found.report(&subject, diagnostic);
                }
            }
            _ => {}
        }
        for diagnostic in one_item_twice(context, access) {
            found.report(&subject, diagnostic);
        }
    }
}

fn span_of(access: &Access) -> Span {
    let request = access.by_hand.as_ref().and_then(|by_hand| by_hand.request);
    request.map_or(access.name.span, |request| request.span)
}

fn too_many(access: &Access, items: u64) -> Option<Diagnostic> {
    (items > ACTIONS).then(|| {
        RULE.at(
            span_of(access),
            format!(
                "`{}` is a transaction of {items} actions, and DynamoDB takes {ACTIONS}: it is always refused",
                access.name
            ),
        )
        .label("too many at once")
        .help("make a batch of it, in which each item stands for itself, or several transactions of up to 100")
    })
}

fn too_large<'m>(
    context: &Context<'m>,
    sizes: &mut ItemSizes<'m>,
    access: &Access,
    items: &[ItemWrite],
) -> Option<Diagnostic> {
    // Checks and deletions send a key, updates what they set, and a guard is small: of all others the whole item is sent.
    let sent = items
        .iter()
        .filter(|item| item.kind == ActionKind::Create && !matches!(item.role, ItemRole::Guard(_)));
    let filled = sent.map(|item| sizes.filled(context.model.entity(item.entity)));
    let bytes = filled.fold(0_u64, u64::saturating_add);
    (bytes > BYTES).then(|| {
        RULE.at(
            access.name.span,
            format!(
                "the items of `{}` can have {} KB together, and a transaction takes 4096 KB",
                access.name,
                bytes / 1024
            ),
        )
        .label("too large when the items are filled")
        .help("write the large items before, and let the transaction hold only what must change together; or declare smaller maxima")
    })
}

/// Two actions of a transaction on an entity that has only one item.
fn one_item_twice(context: &Context<'_>, access: &Access) -> Vec<Diagnostic> {
    let Verb::Transact(actions) = &access.verb else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut seen: Vec<(EntityId, Span)> = Vec::new();
    for action in actions {
        let entity = context.model.entity(action.entity.id);
        if !entity.identity().is_empty() {
            continue;
        }
        let written = action.entity.written.content();
        match seen.iter().find(|(id, _)| *id == action.entity.id) {
            Some((_, first)) => found.push(
                RULE.at(
                    written,
                    format!(
                        "there is one {} item, and `{}` has it twice: a transaction takes an item once",
                        entity.name, access.name
                    ),
                )
                .label("the same item")
                .related(*first, "here already")
                .help("make one action of both"),
            ),
            None => seen.push((action.entity.id, written)),
        }
    }
    found
}
