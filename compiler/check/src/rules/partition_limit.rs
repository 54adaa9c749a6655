//! More traffic than one partition takes.

use tablewright_model::model::EntityId;
use tablewright_plan::shard_part;

use super::{hot_key, low_cardinality_index};
use crate::load::{self, Load};
use crate::rates::{PARTITION_READS, PARTITION_WRITES, Rates};
use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyRole, KeyUse};

rule! {
    name: "partition-limit",
    code: "I06",
    severity: Error,
    group: Indexes,
    summary: "declared rates that put more than 1000 write units or 3000 read units a second on one partition",
    why: "One partition key takes 1000 write units and 3000 read units a second, whatever the table or its billing. What is beyond is throttled: requests
fail and are retried, which adds to the load. In an index it is the writes of the table that fail. The number follows from what the
model declares: the `rate` of each pattern, the units of a request, and over how many values (`distinct`, shards) they are spread. Real
traffic is less even than that, so it comes earlier than computed.

Spread the partition: a field of more values, or `{id:shard(8)}`, of which readers ask all and merge. Reads of one item that everybody
wants are served from a cache.",
}

/// The shards that are suggested where there are none yet.
const SHARDS: u64 = 8;
/// More partitions than anyone asks for: numbers beyond are not told apart.
const MANY: f64 = 100_000.0;

fn check(context: &Context<'_>, found: &mut Found) {
    let rates = Rates::of(context);
    for write in load::writes(context) {
        let Some(partitions) = write.partitions else {
            continue;
        };
        if !says_another_rule(context, write.key, &rates) {
            let on_one = OnOne {
                units: write.load.units / partitions,
                partitions,
                most: PARTITION_WRITES,
                what: "write",
            };
            report(context, write.key, &on_one, &write.load, found);
        }
    }
    for read in load::reads(context) {
        let on_one = OnOne {
            units: read.load.units / read.partitions,
            partitions: read.partitions,
            most: PARTITION_READS,
            what: "read",
        };
        let asked = key_of(context, read.entity, read.index);
        if let Some(key) = asked.filter(|key| !says_another_rule(context, key, &rates)) {
            report(context, key, &on_one, &read.load, found);
        }
    }
}

/// What one partition gets.
struct OnOne {
    units: f64,
    partitions: f64,
    most: f64,
    what: &'static str,
}

/// The partition key of an entity in its table, or in an index.
fn key_of<'c, 'm>(
    context: &'c Context<'m>,
    entity: EntityId,
    index: Option<tablewright_model::model::IndexId>,
) -> Option<&'c KeyUse<'m>> {
    let place = index.map_or(KeyPlace::Table, KeyPlace::Index);
    let mut keys = context.keys_of(entity).iter();
    keys.find(|key| key.place == place && key.role == KeyRole::Partition)
}

/// Whether a rule on narrow keys says of this one that its rate is too high: it says more about the key.
fn says_another_rule(context: &Context<'_>, key: &KeyUse<'_>, rates: &Rates) -> bool {
    let too_many_writes = rates.writes_of(key.entity) > PARTITION_WRITES;
    if too_many_writes && hot_key::narrow(context, key).is_some() {
        return true;
    }
    let KeyPlace::Index(index) = key.place else {
        return false;
    };
    let entity = context.model.entity(key.entity);
    let too_many = too_many_writes || rates.reads_of(entity.table, index) > PARTITION_READS;
    too_many && low_cardinality_index::few_values(entity, key.template).is_some()
}

fn report(context: &Context<'_>, key: &KeyUse<'_>, on_one: &OnOne, load: &Load, found: &mut Found) {
    if on_one.units <= on_one.most {
        return;
    }
    let OnOne {
        units,
        partitions,
        most,
        what,
    } = on_one;
    let spread = if *partitions > 1.0 {
        format!(
            "spread over {partitions} partitions: {} on each, and one takes {most}",
            units.ceil()
        )
    } else {
        format!("all on one partition, which takes {most}")
    };
    let mut diagnostic = RULE
        .at(
            key.template.written.content(),
            format!(
                "{} gets {} {what} units a second, {spread}",
                context.name_of(key),
                load.units.ceil()
            ),
        )
        .label("too much for one partition")
        .help(help(context, key, on_one));
    if let Some((pattern, units)) = load.most {
        let access = &context.model.accesses[pattern];
        diagnostic =
            diagnostic.related(access.name.span, format!("{} units a second", units.ceil()));
    }
    found.report(&context.subjects_of(key), diagnostic);
}

fn help(context: &Context<'_>, key: &KeyUse<'_>, on_one: &OnOne) -> String {
    let template = key.template;
    let entity = context.model.entity(key.entity);
    if on_one.what == "read" && template.template.is_constant() {
        return "serve what everybody reads from a cache; or keep copies under several keys"
            .to_owned();
    }
    let times = (on_one.units / on_one.most).ceil().min(MANY) as u64;
    let mut parts = template.field_parts();
    let sharded = parts.find_map(|(_, _, part)| Some((part, part.encodings.shard?)));
    if let Some((part, shards)) = sharded {
        return format!(
            "spread it over more shards: {{{}:shard({})}}",
            part.name,
            u64::from(shards).saturating_mul(times)
        );
    }
    match shard_part(entity) {
        Some(_) if times > SHARDS => "spread it by a field of more values".to_owned(),
        Some(shard) => format!(
            "spread it by a field of more values, or by shards: partition = \"{template}#{shard}\""
        ),
        None => "spread it by a field of more values".to_owned(),
    }
}
