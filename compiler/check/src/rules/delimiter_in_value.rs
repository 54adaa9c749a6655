//! A value that may contain the delimiter, unescaped.

use tablewright_keys::Piece;

use crate::key_space::{delimiter_in_value, editable};
use crate::rule::rule;
use crate::{Context, Found};

rule! {
    name: "delimiter-in-value",
    code: "K11",
    severity: Error,
    group: Keys,
    summary: "free text in a key that may contain the delimiter, unescaped",
    why: "A category called `a#b` makes the key `CATEGORY#a#b#…`, and a query for the category `a` by its closed prefix
`CATEGORY#a#` finds it too. Two different items can even get one key, and the second overwrites the first. What users
type contains `#` sooner or later.

Leave values escaped, which is the default, or use a type without `#`, such as `id`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for key in context.written_keys() {
        for position in delimiter_in_value(key) {
            let Some(Piece::Field(part)) = key.template.template.pieces.get(position) else {
                continue;
            };
            let Some(id) = key.template.parts.get(position).copied().flatten() else {
                continue;
            };
            let field = context.field(key.entity, id);
            // What is no text at all has a rule of its own.
            if !field.kind().is_text() {
                continue;
            }
            let name = &part.name;
            let mut diagnostic = RULE
                .at(
                    key.template.span_of(part),
                    format!(
                        "`{name}` may contain `#` and stands unescaped in {}: where it ends cannot be told",
                        context.name_of(key)
                    ),
                )
                .label("`a#b` looks like two parts")
                .related(field.written.content(), "anything can be written here");
            let table = context.table_of(key.entity);
            let raw = key
                .template
                .written
                .value
                .get(part.span.clone())
                .and_then(|text| text.find(":raw"))
                .map(|at| part.span.start + at..part.span.start + at + ":raw".len());
            diagnostic = diagnostic.help(if table.escape.value {
                format!("leave out `:raw`: the value of `{name}` is then escaped")
            } else {
                format!(
                    "remove `escape = false` from [table.{}], or refuse `#` in `{name}` and declare it as `id`",
                    table.name
                )
            });
            let raw = raw.and_then(|raw| editable(&key.template.written, raw));
            if let (true, Some(raw)) = (table.escape.value, raw) {
                diagnostic = diagnostic.fix("escape the value", raw, "");
            }
            if let (false, Some(said)) = (table.escape.value, table.escape.said) {
                diagnostic = diagnostic.related(said, "nothing in this table is escaped");
            }
            found.report(&context.subjects_of(key), diagnostic);
        }
    }
}
