//! Timestamps of varying precision in a sort key.

use tablewright_model::field_type::FieldType;

use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyRole};

rule! {
    name: "uneven-timestamp",
    code: "K08",
    severity: Error,
    group: Keys,
    summary: "a timestamp of varying precision in a sort key: `44Z` sorts after `44.5Z`",
    why: "Many libraries drop the fraction of a second when it is zero. Then `10:00:44Z` and `10:00:44.5Z` stand side by
side, and as text the earlier sorts last, because `Z` comes after the point. Once in a thousand items the order is
wrong and a range leaves one out.

Write timestamps in one width: `timestamp` (milliseconds), `timestamp(s)` or `timestamp(us)`, and rewrite the keys of
items that have another.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for key in context.written_keys() {
        if key.role != KeyRole::Sort || matches!(key.place, KeyPlace::Guard(_)) {
            continue;
        }
        for (_, id, part) in key.template.field_parts() {
            let field = context.field(key.entity, id);
            if *field.kind() != FieldType::UnevenTimestamp || part.encodings.shard.is_some() {
                continue;
            }
            let diagnostic = RULE
                .at(
                    key.template.span_of(part),
                    format!(
                        "`{}` has a varying precision in {}: `44Z` sorts after `44.5Z`",
                        part.name,
                        context.name_of(key)
                    ),
                )
                .label("does not sort by time")
                .related(field.written.content(), "of varying width")
                .help(format!(
                    "write `{}` in one width, as `timestamp` for milliseconds, and rewrite the items that have another",
                    part.name
                ));
            found.report(&context.subjects_of(key), diagnostic);
        }
    }
}
