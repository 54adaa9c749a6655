//! An optional field in a primary key.

use crate::rule::rule;
use crate::{Context, Found, KeyPlace};

rule! {
    name: "optional-key",
    code: "K18",
    severity: Error,
    group: Keys,
    summary: "an optional field in a primary key",
    why: "An item without the field has no key, and DynamoDB refuses it. Code that puts a placeholder there instead
(`none`, an empty string) makes all such items one item, each overwriting the last.

Make the field required, or take it out of the key. In an index key an optional field is fine: the item is then
simply not in the index. So it is in a guard: what has no value is not guarded.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let primary = context.keys().filter(|key| key.place == KeyPlace::Table);
    for key in primary {
        for (_, id, part) in key.template.field_parts() {
            let field = context.field(key.entity, id);
            if !field.is_optional() {
                continue;
            }
            let diagnostic = RULE
                .at(
                    key.template.span_of(part),
                    format!(
                        "`{}` is optional, and {} needs it: an item without it cannot be stored",
                        part.name,
                        context.name_of(key)
                    ),
                )
                .related(field.written.content(), "declared optional here")
                .help(format!(
                    "make `{}` required, or take it out of the key",
                    part.name
                ));
            found.report(&context.subjects_of(key), diagnostic);
        }
    }
}
