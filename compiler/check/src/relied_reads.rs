//! Reads a write relies on, and whether the write itself makes sure that they still hold.

use tablewright_model::Text;
use tablewright_model::model::{Access, ActionKind, Entity, EntityId, Request, Verb};
use tablewright_plan::hand::HandPlan;
use tablewright_plan::{Answer, Plan, Via};

use crate::context::Context;
use crate::hand_condition;

/// A read that decided about a write.
pub(crate) struct ReliedRead<'m> {
    /// Its name, as the write gives it.
    pub(crate) written: &'m Text,
    /// The read.
    pub(crate) read: &'m Access,
    /// What can happen between the read and the write.
    pub(crate) danger: Danger,
}

/// What can happen between a read and the write that relies on it. Each read has one: no two rules speak of the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Danger {
    /// Nothing: the write makes sure itself, or another rule speaks of it.
    None,
    /// What was read is no longer so.
    Outdated(EntityId),
    /// Another change of the same item is written over.
    Overwrites(EntityId),
    /// Another write creates what was looked for and not found.
    CreatesTwice(EntityId),
}

/// The reads a write relies on, each with its danger.
pub(crate) fn relied_reads<'m>(
    context: &Context<'m>,
    access: &'m Access,
    plan: &Plan,
) -> Vec<ReliedRead<'m>> {
    // A batch sent as one request has a rule of its own, which says more.
    if matches!(&plan.answer, Answer::ByHand(hand) if hand.request == Request::BatchWriteItem) {
        return Vec::new();
    }
    let write = Write {
        context,
        access,
        plan,
    };
    access
        .relies_on
        .iter()
        .filter_map(|written| {
            let (_, read, read_plan) = context.access(written.as_str())?;
            if !read.verb.is_read() {
                return None;
            }
            let dangers = read.verb.entities().into_iter();
            let danger = dangers.map(|entity| write.danger(entity.id, read, read_plan));
            Some(ReliedRead {
                written,
                read,
                danger: danger.max().unwrap_or(Danger::None),
            })
        })
        .collect()
}

struct Write<'a, 'm> {
    context: &'a Context<'m>,
    access: &'m Access,
    plan: &'a Plan,
}

impl Write<'_, '_> {
    fn danger(&self, entity: EntityId, read: &Access, read_plan: &Plan) -> Danger {
        let claimed = self.access.idempotent.as_ref();
        if claimed.is_some_and(|claimed| claimed.id == entity) {
            return Danger::None;
        }
        let writes = self.access.verb.writes();
        let same = writes.iter().find(|(_, written, _)| written.id == entity);
        match same {
            // A number is a quota, not the question whether there is one already.
            Some((ActionKind::Create, ..))
                if is_selective(read_plan) && !matches!(read.verb, Verb::Count(_)) =>
            {
                Danger::CreatesTwice(entity)
            }
            // One item by its key: the condition of the create looks again. Several: another one may join them, unless
            // something in the transaction stands for them.
            Some((ActionKind::Create, ..)) => match self.access.verb {
                Verb::Transact(_) => Danger::None,
                _ if is_by_key(read, read_plan) => Danger::None,
                _ => Danger::Outdated(entity),
            },
            Some((kind, _, changes)) => match &self.plan.answer {
                Answer::ByHand(hand) => self.by_hand(entity, *kind, hand, read),
                // The condition is on the item that is written; other items of its kind may have changed.
                _ if self.is_conditional(entity) && is_by_key(read, read_plan) => Danger::None,
                _ if self.is_conditional(entity) => Danger::Outdated(entity),
                _ if *kind == ActionKind::Update && !changes.set.is_empty() => {
                    Danger::Overwrites(entity)
                }
                _ if matches!(self.access.verb, Verb::Transact(_)) => Danger::None,
                _ => Danger::Outdated(entity),
            },
            None if self.checks(entity) => Danger::None,
            None => Danger::Outdated(entity),
        }
    }

    /// Whether a transaction holds a condition on an item of the entity.
    fn checks(&self, entity: EntityId) -> bool {
        match &self.access.verb {
            Verb::Transact(actions) => actions.iter().any(|action| action.entity.id == entity),
            _ => false,
        }
    }

    /// Whether a planned write is conditional on what the item is: by its version, or by `where`.
    fn is_conditional(&self, entity: EntityId) -> bool {
        let versioned = self.context.model.entity(entity).versioned.is_some();
        versioned
            || match &self.access.verb {
                Verb::Transact(actions) => actions
                    .iter()
                    .any(|action| action.entity.id == entity && action.condition.is_some()),
                Verb::Batch(action) => action.condition.is_some(),
                _ => self.access.condition.is_some(),
            }
    }

    fn by_hand(&self, id: EntityId, kind: ActionKind, hand: &HandPlan, read: &Access) -> Danger {
        let entity = self.context.model.entity(id);
        // A condition that cannot be read is reported as such; one without the version has its own finding.
        let unknown = hand.write_condition.is_none() && hand_condition::is_stated(self.access);
        if unknown || entity.versioned.is_some() || self.tests_what_was_read(entity, hand, read) {
            return Danger::None;
        }
        match kind {
            ActionKind::Delete => Danger::Outdated(id),
            _ => Danger::Overwrites(id),
        }
    }

    /// Whether the condition tests a field that the read gave.
    fn tests_what_was_read(&self, entity: &Entity, hand: &HandPlan, read: &Access) -> bool {
        let (Some(condition), Some(by_hand)) = (&hand.write_condition, &self.access.by_hand) else {
            return false;
        };
        hand_condition::attributes(condition, by_hand).any(|name| {
            let given = read.fields.is_empty()
                || read.fields.iter().any(|known| known.written.value == name);
            let field = entity.field_named(name);
            given && field.is_some_and(|field| !entity.key.has(field))
        })
    }
}

/// Whether a read looks for an item by something else than its key: through an index, or by a filter.
fn is_selective(plan: &Plan) -> bool {
    match &plan.answer {
        Answer::Read(read) => read.place.index.is_some() || !read.filter.is_empty(),
        Answer::ByHand(hand) => {
            hand.place.index.is_some() || hand.filter.is_some() || hand.request == Request::Scan
        }
        Answer::Write(_) | Answer::Nothing(_) => false,
    }
}

/// Whether a read gives the one item of a key, or of a guard, which is put with it.
fn is_by_key(read: &Access, plan: &Plan) -> bool {
    let one = match &read.verb {
        Verb::Get(_) => true,
        Verb::Batch(action) => action.kind == ActionKind::Get,
        _ => false,
    };
    match &plan.answer {
        Answer::Read(plan) => one && matches!(plan.via, Via::Key | Via::Guard(_)),
        // What nothing answers is reported as such.
        _ => one || matches!(plan.answer, Answer::Nothing(_)),
    }
}
