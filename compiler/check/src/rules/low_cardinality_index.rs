//! An index whose partition key takes few values.

use tablewright_model::Severity;
use tablewright_model::model::{Entity, IndexId, KeyTemplate};
use tablewright_plan::{FEW_VALUES, shard_part};

use crate::key_space::is_refused;
use crate::rates::{PARTITION_READS, PARTITION_WRITES, Rates};
use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyRole, KeyUse};

rule! {
    name: "low-cardinality-index",
    code: "I05",
    severity: Warning,
    group: Indexes,
    summary: "an index whose partition key takes only a few values, such as a status or a flag",
    why: "All items with one status are one partition of the index, and one partition takes 1000 write units and 3000 read units a
second, however much it stores. Beyond that DynamoDB throttles the writes of the *table*, also of items that have nothing to do with
the index. It works in tests and on quiet days.

Spread the partition by a shard computed from the item's id, `STATUS#{status}#{task_id:shard(8)}`: readers ask all
eight and merge. Or put a field with many values, such as the owner, into the partition.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let rates = Rates::of(context);
    for key in context.written_keys() {
        let (KeyPlace::Index(index), KeyRole::Partition) = (key.place, key.role) else {
            continue;
        };
        let entity = context.model.entity(key.entity);
        let template = key.template;
        let Some(values) = few_values(entity, template).filter(|_| !is_refused(context, key))
        else {
            continue;
        };
        let mut message = format!(
            "{} has at most {values} {}, and one partition takes {PARTITION_WRITES} write units a second; beyond that the table's own writes \
             are throttled",
            context.name_of(key),
            if values == 1 {
                "partition"
            } else {
                "partitions"
            }
        );
        let writes = rates.writes_of(key.entity);
        let reads = rates.reads_of(entity.table, index);
        let mut severity = RULE.severity;
        let loads = [
            (writes, PARTITION_WRITES, "writes"),
            (reads, PARTITION_READS, "reads"),
        ];
        for (rate, _, what) in loads.iter().filter(|(rate, most, _)| rate > most) {
            severity = Severity::Error;
            message += &format!("; {rate} {what} a second are declared");
        }
        let mut diagnostic = RULE
            .at(template.written.content(), message)
            .label("few values")
            .help(help(context, key, index));
        diagnostic.severity = severity;
        for (_, field, _) in template.field_parts() {
            let field = entity.field(field);
            diagnostic = diagnostic.related(
                field.written.content(),
                format!("the values of `{}`", field.name),
            );
        }
        found.report(&context.subjects_of(key), diagnostic);
    }
}

fn help(context: &Context<'_>, key: &KeyUse<'_>, index: IndexId) -> String {
    let entity = context.model.entity(key.entity);
    let template = key.template;
    let attribute = &key.attribute.name;
    match shard_part(entity) {
        Some(shard) if entity.field_named(attribute).is_none() => format!(
            "spread it: partition = \"{template}#{shard}\"; or begin with a field that has many values"
        ),
        Some(shard) => format!(
            "leave `partition_key` of {} to its default and spread it: partition = \"{}#{template}#{shard}\"",
            context.table_of(key.entity).index(index).name,
            attribute.to_uppercase()
        ),
        None => "begin with a field that has many values".to_owned(),
    }
}

/// How many values the template can take, when each of its fields takes few. One without fields has a rule of its own.
pub(super) fn few_values(entity: &Entity, template: &KeyTemplate) -> Option<u64> {
    let mut values: Option<u64> = None;
    for (_, field, part) in template.field_parts() {
        let few = entity
            .distinct(field)
            .filter(|count| *count <= FEW_VALUES && part.encodings.shard.is_none())?;
        values = Some(values.unwrap_or(1).saturating_mul(few));
    }
    values
}
