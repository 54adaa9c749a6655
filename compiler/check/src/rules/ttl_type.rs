//! TTL that never fires: not epoch seconds, or not the table's TTL attribute.

use tablewright_model::field_type::FieldType;

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "ttl-type",
    code: "O05",
    severity: Error,
    group: Operation,
    summary: "a TTL that is not in epoch seconds, or is not the table's TTL attribute",
    why: "DynamoDB deletes by one attribute of the table, and only if it holds a number: seconds since 1970. Everything else is ignored
without an error. An ISO text never expires, milliseconds lie fifty thousand years ahead, and the second TTL attribute of a table is a
field like any other; one notices by the bill.

Declare the field as `epoch_seconds`, and let all entities of a table use the attribute that the table names in `ttl`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (id, entity) in context.model.entity_ids() {
        let Some((ttl, field)) = &entity.ttl else {
            continue;
        };
        let subjects = [Subject::Entity(id.0), Subject::Table(entity.table.0)];
        let field = entity.field(*field);
        if *field.kind() != FieldType::EpochSeconds {
            let mark = if field.is_optional() { "?" } else { "" };
            let diagnostic = RULE
                .at(
                    field.written.content(),
                    format!(
                        "`{ttl}` of {} is no number of seconds since 1970: DynamoDB ignores it, and nothing is ever deleted",
                        entity.name
                    ),
                )
                .label("not epoch seconds")
                .related(ttl.content(), "the TTL")
                .help(format!("{ttl} = \"epoch_seconds{mark}\""))
                .fix("count in seconds", field.written.span, format!("\"epoch_seconds{mark}\""));
            found.report(&subjects, diagnostic);
        }
        let table = context.table_of(id);
        let name = &table.name;
        let diagnostic = match &table.ttl {
            Some(attribute) if attribute.value == ttl.value => continue,
            Some(attribute) => RULE
                .at(
                    ttl.content(),
                    format!(
                        "{} expires by `{ttl}`, and the table `{name}` deletes by `{attribute}`: a table has one TTL attribute, so {} stays for ever",
                        entity.name, entity.name
                    ),
                )
                .label("not what the table deletes by")
                .related(attribute.content(), "the table's TTL attribute")
                .help(format!("name the field `{attribute}`, as in the other entities of the table")),
            None => RULE
                .at(
                    ttl.content(),
                    format!("{} expires by `{ttl}`, and the table `{name}` has no TTL: it stays for ever", entity.name),
                )
                .label("nothing deletes by it")
                .related(name.span, "the table")
                .help(format!("add to [table.{name}]: ttl = \"{ttl}\"")),
        };
        found.report(&subjects, diagnostic);
    }
}
