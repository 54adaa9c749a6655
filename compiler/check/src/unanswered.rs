//! Why nothing answers a pattern. Each reason has one rule, so that a pattern is reported once.

use tablewright_model::model::{Access, ActionKind, FieldId, IndexId, Model, Verb};
use tablewright_plan::{MisfitReason, NoAnswer};

/// The reasons, from the most telling.
pub(crate) enum Unanswered {
    /// One item is asked for, and its key holds a moment the caller does not know.
    MomentUnknown(FieldId),
    /// A key has what the caller knows, behind a part it does not know.
    PartSkipped {
        /// The index whose key it is; none for the table.
        index: Option<IndexId>,
        /// What the caller knows or bounds.
        known: FieldId,
        /// The part before it.
        before: FieldId,
    },
    /// No key has it.
    NoKey,
}

/// Why nothing answers.
pub(crate) fn unanswered(model: &Model, access: &Access, nothing: &NoAnswer) -> Unanswered {
    if asks_for_one(&access.verb) {
        let entity = model.entity(nothing.entity);
        return unknown_moment(access, entity.key.field_ids(), |field| {
            entity.field(field).kind().is_moment()
        })
        .map_or(Unanswered::NoKey, Unanswered::MomentUnknown);
    }
    let skipped = nothing
        .misfits
        .iter()
        .find_map(|misfit| match misfit.reason {
            MisfitReason::OutOfOrder { known, before } => Some(Unanswered::PartSkipped {
                index: misfit.index,
                known,
                before,
            }),
            _ => None,
        });
    skipped.unwrap_or(Unanswered::NoKey)
}

/// Whether a pattern names its items by their whole key.
pub(crate) fn asks_for_one(verb: &Verb) -> bool {
    match verb {
        Verb::Get(_) | Verb::Update { .. } | Verb::Delete(_) => true,
        Verb::Batch(action) => action.kind == ActionKind::Get,
        _ => false,
    }
}

/// The first of these fields that is a moment and not given by the caller.
pub(crate) fn unknown_moment(
    access: &Access,
    fields: impl IntoIterator<Item = FieldId>,
    is_moment: impl Fn(FieldId) -> bool,
) -> Option<FieldId> {
    let given = |field: FieldId| access.by.iter().any(|by| by.id == field);
    fields
        .into_iter()
        .find(|field| is_moment(*field) && !given(*field))
}
