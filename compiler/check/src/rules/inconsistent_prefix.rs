//! One prefix for two things, or two prefixes for one.

mod labels;

use std::collections::HashMap;

use tablewright_keys::algebra;
use tablewright_model::model::{Entity, Key, TableId};

use self::labels::{Home, Homes, Labelled, labelled};
use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyRole, KeyUse};

rule! {
    name: "inconsistent-prefix",
    code: "K26",
    severity: Warning,
    group: Keys,
    summary: "the ids of one entity under two prefixes, or of two entities under one",
    why: "A prefix says whose id follows: `USER#` a user's, `ORDER#` an order's. Where a customer's id stands behind `USER#` in one key and behind
`CUSTOMER#` in another, whoever writes the second request takes the wrong one, and it finds nothing, without an error. Where users and
administrators share `USER#`, one of each with the same id share a partition, and every query of one reads the other.

Give each entity one prefix, spelled one way, and use it wherever its id stands. What is kept under an entity, such as the tasks of a
user, may have a prefix of its own: `TASK#{user_id}`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let homes = Homes::of(context);
    let mut spellings: HashMap<(TableId, &str, String), Labelled<'_>> = HashMap::new();
    for key in context.written_keys() {
        let entity = context.model.entity(key.entity);
        for labelled in labelled(entity, key.template) {
            let spelling = (entity.table, labelled.field, labelled.plain());
            let first = spellings.entry(spelling).or_insert(labelled);
            if first.label != labelled.label {
                spelled_twice(context, key, &labelled, first, found);
                continue;
            }
            if let Some((own, other)) = homes.behind_a_strange_prefix(key, entity, &labelled) {
                strange(context, key, &labelled, own, other, found);
            }
            found_by_another(context, key, &labelled, &homes, found);
        }
    }
    for (first, second) in homes.sharing_a_prefix() {
        shared(context, first, second, found);
    }
}

fn spelled_twice(
    context: &Context<'_>,
    key: &KeyUse<'_>,
    labelled: &Labelled<'_>,
    first: &Labelled<'_>,
    found: &mut Found,
) {
    let diagnostic = RULE
        .at(
            labelled.span,
            format!(
                "`{}` stands behind `{}` here and behind `{}` elsewhere: one of the two is not found by the other",
                labelled.field, labelled.label, first.label
            ),
        )
        .label("spelled otherwise")
        .related(first.span, "the first spelling")
        .help(format!("write it one way: {}{{{}}}", first.label, labelled.field));
    found.report(&context.subjects_of(key), diagnostic);
}

fn strange(
    context: &Context<'_>,
    key: &KeyUse<'_>,
    labelled: &Labelled<'_>,
    own: &Home<'_>,
    other: &Home<'_>,
    found: &mut Found,
) {
    let name = |home: &Home<'_>| &context.model.entity(home.entity).name;
    let diagnostic = RULE
        .at(
            labelled.span,
            format!(
                "`{}` is the id of {}, which stands behind `{}`; here it stands behind `{}`, as the ids of {} do",
                labelled.field,
                name(own),
                own.label,
                labelled.label,
                name(other)
            ),
        )
        .label(format!("the prefix of {}", name(other)))
        .related(own.span, format!("the prefix of {}", name(own)))
        .help(format!("write {}{{{}}}", own.label, labelled.field));
    found.report(&context.subjects_of(key), diagnostic);
}

/// An index partition that is the entity's own id and nothing else, under another prefix than in its key.
fn found_by_another(
    context: &Context<'_>,
    key: &KeyUse<'_>,
    labelled: &Labelled<'_>,
    homes: &Homes<'_>,
    found: &mut Found,
) {
    let is_partition = matches!(key.place, KeyPlace::Index(_)) && key.role == KeyRole::Partition;
    let Some(home) = homes.of_entity(key.entity).filter(|_| is_partition) else {
        return;
    };
    let alone = key.template.field_parts().count() == 1;
    if !alone || !home.sole || home.field != labelled.field || home.label == labelled.label {
        return;
    }
    let entity = &context.model.entity(key.entity).name;
    let diagnostic = RULE
        .at(
            labelled.span,
            format!(
                "{entity} is found by `{}` behind `{}` in its key and behind `{}` here",
                home.field, home.label, labelled.label
            ),
        )
        .label("another prefix")
        .related(home.span, "in its key")
        .help(format!("write {}{{{}}}", home.label, labelled.field));
    found.report(&context.subjects_of(key), diagnostic);
}

fn shared(context: &Context<'_>, first: &Home<'_>, second: &Home<'_>, found: &mut Found) {
    let (one, other) = (
        context.model.entity(first.entity),
        context.model.entity(second.entity),
    );
    // Keys that can be equal are the matter of another rule, which says more.
    if can_be_equal(&one.key, &other.key) {
        return;
    }
    let diagnostic = RULE
        .at(
            second.span,
            format!(
                "{} and {} both stand behind `{}`: one of each with the same id share a partition",
                one.name, other.name, second.label
            ),
        )
        .label(format!("the prefix of {}", one.name))
        .related(first.span, "here already")
        .help(format!(
            "give {} a prefix of its own: {}#{{{}}}",
            other.name,
            other.name.value.to_uppercase(),
            second.field
        ));
    let subjects = [first, second].map(|home| crate::Subject::Entity(home.entity.0));
    found.report(&subjects, diagnostic);
}

fn can_be_equal(one: &Key, other: &Key) -> bool {
    let equal = |one: &_, other: &_| algebra::can_be_equal(one, other).is_some();
    equal(&one.partition.typed, &other.partition.typed)
        && match (&one.sort, &other.sort) {
            (Some(one), Some(other)) => equal(&one.typed, &other.typed),
            _ => true,
        }
}

/// Whether a field is named after its entity: `user_id` of User, `AdminId` of Admin.
fn is_named_after(entity: &Entity, field: &str) -> bool {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    plain(field).starts_with(&plain(entity.name.as_str()))
}
