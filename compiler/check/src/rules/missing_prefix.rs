//! An entity without a prefix in a shared table.

use std::collections::HashMap;

use tablewright_keys::algebra;
use tablewright_model::model::{EntityId, KeyKind, KeyTemplate, Profile, TableId};

use crate::key_space::may_meet;
use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyRole, KeyUse};

rule! {
    name: "missing-prefix",
    code: "K14",
    severity: Warning,
    group: Keys,
    summary: "an entity without a prefix in a table it shares",
    why: "Without a fixed text at its beginning a key does not say what it belongs to. Keys of two entities can meet, no
`begins_with` asks for one entity alone, and whoever looks at the table sees a bare id. A prefix cannot be added later
without rewriting every item.

Begin both keys with a text of the entity: `USER#{user_id}`, `ORDER#{order_id}`. A sort key alone in its partition needs
none.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    if context.model.profile != Profile::SingleTable {
        return;
    }
    let mut entities: HashMap<TableId, usize> = HashMap::new();
    for (_, entity) in context.model.entity_ids() {
        *entities.entry(entity.table).or_default() += 1;
    }
    let mut partitions: HashMap<TableId, Vec<(EntityId, &KeyTemplate)>> = HashMap::new();
    for key in context.keys() {
        if key.role == KeyRole::Partition && !matches!(key.place, KeyPlace::Index(_)) {
            let table = context.model.entity(key.entity).table;
            let of_table = partitions.entry(table).or_default();
            of_table.push((key.entity, key.template));
        }
    }
    for key in context.keys() {
        let table = context.model.entity(key.entity).table;
        let shared = entities.get(&table).is_some_and(|count| *count > 1);
        let bare = key.place == KeyPlace::Table && key.template.prefix().is_empty();
        // A number takes no text.
        if !shared || !bare || key.attribute.kind != KeyKind::String {
            continue;
        }
        let others = partitions.get(&table).map_or(&[][..], Vec::as_slice);
        if key.role == KeyRole::Sort && is_alone(key, others) {
            continue;
        }
        report(context, key, found);
    }
}

/// Whether the partition begins with a text, and no other entity can be in it.
fn is_alone(key: &KeyUse<'_>, partitions: &[(EntityId, &KeyTemplate)]) -> bool {
    let own = &key.key.partition;
    let meets = |(entity, other): &(EntityId, &KeyTemplate)| {
        *entity != key.entity
            && may_meet(own.prefix(), other.prefix())
            && algebra::can_be_equal(&own.typed, &other.typed).is_some()
    };
    !own.prefix().is_empty() && !partitions.iter().any(meets)
}

fn report(context: &Context<'_>, key: &KeyUse<'_>, found: &mut Found) {
    let entity = context.model.entity(key.entity);
    let written = &key.template.written;
    let prefix = format!("{}#", entity.name.value.to_uppercase().replace('-', "_"));
    let half = match key.role {
        KeyRole::Partition => "partition",
        KeyRole::Sort => "sort",
    };
    let table = context.table_of(key.entity);
    let diagnostic = RULE
        .at(
            written.content(),
            format!(
                "the {half} key of {} begins with a value, in the table `{}` it shares with others",
                entity.name, table.name
            ),
        )
        .label("does not say whose key it is")
        .help(format!(
            "begin it with a text of its own: {half} = \"{prefix}{written}\""
        ));
    found.report(&context.subjects_of(key), diagnostic);
}
