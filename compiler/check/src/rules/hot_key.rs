//! A partition key that sends every write to one place.

use tablewright_model::Severity;
use tablewright_model::model::KeyTemplate;
use tablewright_plan::shard_part;

use crate::rates::{PARTITION_WRITES, Rates};
use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyRole, KeyUse};

rule! {
    name: "hot-key",
    code: "K23",
    severity: Warning,
    group: Keys,
    summary: "a partition key that is constant, a day or the time: all writes go to one partition",
    why: "One partition takes 1000 write units a second, whatever the table takes. When every item of the hour has the
same partition key (a constant, today's date, the current second) they all go there: writes are throttled while
the rest of the table is idle. An index does the same, and its throttling holds up the writes of the table.

Put something of many values into the partition key, such as the owner. Where all items must be read in one order, spread
them with a shard, `BOARD#{user_id:shard(8)}`: readers ask all eight and merge.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let rates = Rates::of(context);
    for key in context.written_keys() {
        if key.role == KeyRole::Partition
            && let Some(why) = narrow(context, key)
        {
            report(context, key, why, rates.writes_of(key.entity), found);
        }
    }
}

/// What makes the partition narrow, if anything does.
pub(super) fn narrow(context: &Context<'_>, key: &KeyUse<'_>) -> Option<&'static str> {
    if matches!(key.place, KeyPlace::Guard(_)) {
        return None;
    }
    let mut moments = false;
    let mut fields = 0;
    for (_, id, part) in key.template.field_parts() {
        let kind = context.field(key.entity, id).kind();
        if !kind.is_time() || part.encodings.shard.is_some() {
            return None;
        }
        moments |= kind.is_moment();
        fields += 1;
    }
    let constant_sort = key
        .key
        .sort
        .as_ref()
        .is_none_or(|sort| sort.template.is_constant());
    match (fields, moments) {
        // One item, such as a configuration.
        (0, _) if key.place == KeyPlace::Table && constant_sort => None,
        (0, _) => Some("is the same for every item"),
        (_, false) => Some("is the same for every item of a day"),
        (_, true) => Some("is the time, the same for all that happens at once"),
    }
}

fn report(context: &Context<'_>, key: &KeyUse<'_>, why: &str, rate: f64, found: &mut Found) {
    let entity = context.model.entity(key.entity);
    let over = rate > PARTITION_WRITES;
    let load = if over {
        format!(
            "{rate} writes a second go to one partition, which takes {PARTITION_WRITES} write units"
        )
    } else {
        format!("all writes of {} go to one partition", entity.name)
    };
    let mut diagnostic = RULE
        .at(
            key.template.written.content(),
            format!("the partition of {} {why}: {load}", context.name_of(key)),
        )
        .label("one partition at a time")
        .help(help(key.template, shard_part(entity)));
    if over {
        diagnostic.severity = Severity::Error;
    }
    found.report(&context.subjects_of(key), diagnostic);
}

fn help(template: &KeyTemplate, shard: Option<String>) -> String {
    let spread = shard.map_or_else(String::new, |shard| {
        format!(", or spread it: partition = \"{template}#{shard}\"")
    });
    format!("begin with what tells many items apart, such as their owner{spread}")
}
