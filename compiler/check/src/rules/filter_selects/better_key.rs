//! The key that would select what a filter does.

use tablewright_model::model::EntityId;
use tablewright_plan::{Answer, suggested_key, when_of};

use crate::Context;
use crate::asked::{Asked, Origin};

/// What would select: the key the planner finds, or a sparse index, or a part of an index key.
pub(super) fn better_key(
    context: &Context<'_>,
    asked: &Asked<'_>,
    id: EntityId,
    fields: &[String],
) -> String {
    // The planner can only select by what the pattern says.
    let says = |name: &String| {
        let access = asked.access;
        let fixed = access
            .condition
            .iter()
            .flat_map(|written| written.condition.fields());
        access.by.iter().any(|by| by.written.value == *name)
            || fixed.into_iter().any(|field| field.name == *name)
    };
    if let Origin::ByHand(_) = asked.origin
        && fields.iter().all(says)
        && let Answer::Read(plan) = context.planned_instead(asked.access)
        && plan.filter.is_empty()
    {
        return format!("a key selects it: {}", context.read_in_words(&plan));
    }
    let entity = context.model.entity(id);
    let table = context.table_of(id);
    let head = entity.index_keys.iter().find(|key| {
        let sort = key.key.sort.as_ref();
        let head = sort.and_then(|sort| sort.parts.iter().flatten().next());
        head.is_some_and(|field| fields.contains(&entity.field(*field).name.value))
    });
    let known = head.map_or_else(String::new, |key| {
        format!(
            "ask `{}` for each value, which it sorts by; or ",
            table.index(key.index).name
        )
    });
    let sparse = when_of(asked.access, entity).and(suggested_key(context.model, asked.access));
    match sparse {
        Some(sparse) => format!("{known}select with a sparse index: {sparse}"),
        None => format!(
            "{known}put `{}` into an index key, behind what the caller knows",
            fields.join("`, `")
        ),
    }
}
