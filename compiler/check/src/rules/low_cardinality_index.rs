//! An index whose partition key takes few values.

use tablewright_model::model::{Entity, EntityId, IndexKey, IndexKind, KeyKind, KeyTemplate};
use tablewright_model::{Severity, Span};

use crate::rates::Rates;
use crate::rule::rule;
use crate::{Context, Found, Subject};

/// A field with more values than this spreads its items well enough.
const FEW: u64 = 20;
/// What one partition takes in a second, in items of one unit each.
const WRITES_A_SECOND: f64 = 1000.0;
const READS_A_SECOND: f64 = 3000.0;

rule! {
    name: "low-cardinality-index",
    code: "I05",
    severity: Warning,
    group: Indexes,
    summary: "an index whose partition key takes only a few values, such as a status or a flag",
    why: "All items with one status are one partition of the index, and one partition takes 1000 writes and 3000 reads a second. When it
is full, DynamoDB holds back the writes of the *table*, also of items that have nothing to do with it. It works in tests and
for the first hundred thousand items.

Spread the partition by a shard computed from the item's id, `STATUS#{status}#{task_id:shard(8)}`: readers ask all
eight and merge. Or put a field with many values, such as the owner, into the partition.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let rates = Rates::of(context);
    for (id, entity) in context.model.entity_ids() {
        let table = context.table_of(id);
        for key in &entity.index_keys {
            let template = &key.key.partition;
            let index = table.index(key.index);
            let Some(values) =
                few_values(entity, template).filter(|_| index.kind == IndexKind::Global)
            else {
                continue;
            };
            let writes = rates.writes.get(&id).copied().unwrap_or_default();
            let reads = rates
                .reads
                .get(&(entity.table, key.index))
                .copied()
                .unwrap_or_default();
            let mut message = format!(
                "{} of {} has at most {values} {}, and one takes 1000 writes a second: when it is full, the table's writes are held back",
                index.name,
                entity.name,
                if values == 1 {
                    "partition"
                } else {
                    "partitions"
                }
            );
            let mut severity = RULE.severity;
            if writes > WRITES_A_SECOND || reads > READS_A_SECOND {
                severity = Severity::Error;
                message += &format!("; {writes} writes and {reads} reads a second are declared");
            }
            let mut diagnostic = RULE
                .at(template.written.content(), message)
                .label("few values");
            diagnostic.severity = severity;
            for (_, field, _) in template.field_parts() {
                let field = entity.field(field);
                diagnostic = diagnostic.related(
                    field.written.content(),
                    format!("the values of `{}`", field.name),
                );
            }
            let own_attribute = entity.field_named(&index.partition_key.name).is_none();
            diagnostic = match shard_field(entity, template) {
                Some(id) if own_attribute => {
                    let spread = format!("#{{{id}:shard(8)}}");
                    let help = format!("spread it: partition = \"{template}{spread}\"; or begin with a field that has many values");
                    let diagnostic = diagnostic.help(help);
                    let by_hand = rates.by_hand.contains(&(entity.table, key.index));
                    match end_of(template).filter(|_| !by_hand && index.partition_key.kind == KeyKind::String) {
                        Some(end) => diagnostic.fix("spread it over eight partitions", end, spread),
                        None => diagnostic,
                    }
                }
                Some(id) => diagnostic.help(format!(
                    "leave `partition_key` of {} to its default and spread it: partition = \"{}#{template}#{{{id}:shard(8)}}\"",
                    index.name,
                    index.partition_key.name.to_uppercase()
                )),
                None => diagnostic.help("begin with a field that has many values"),
            };
            found.report(&subjects(id, entity, key), diagnostic);
        }
    }
}

fn subjects(id: EntityId, entity: &Entity, key: &IndexKey) -> [Subject; 2] {
    [
        Subject::Entity(id.0),
        Subject::Index(entity.table.0, key.index.0),
    ]
}

/// How many values the template can take, when each of its fields takes few. One without fields has a rule of its own.
fn few_values(entity: &Entity, template: &KeyTemplate) -> Option<u64> {
    let mut values: Option<u64> = None;
    for (_, field, part) in template.field_parts() {
        let few = entity
            .distinct(field)
            .filter(|count| *count <= FEW && part.encodings.shard.is_none())?;
        values = Some(values.unwrap_or(1).saturating_mul(few));
    }
    values
}

/// The field whose shard spreads the items: the last of the key that is not in the template.
fn shard_field<'m>(entity: &'m Entity, template: &KeyTemplate) -> Option<&'m str> {
    let identity = entity.identity();
    let id = identity.iter().rev().find(|id| !template.has(**id))?;
    Some(entity.field(*id).name.as_str())
}

/// Where a template ends, unless its text is written with escapes.
fn end_of(template: &KeyTemplate) -> Option<Span> {
    let written = &template.written;
    let end = written.at(written.value.len()..written.value.len());
    (end.start == end.end).then_some(end)
}
