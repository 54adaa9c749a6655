//! A field called unique without a guard.

use tablewright_model::field_type::FieldType;

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "unguarded-unique",
    code: "W02",
    severity: Error,
    group: Writes,
    summary: "a field called unique that nothing keeps unique",
    why: "DynamoDB enforces uniqueness of primary keys only. An index by e-mail finds two users as readily as one, and a look-up before
the write finds none while another request is about to write the same value.

Give it a guard: an item whose key is the value, put in the same transaction on condition that it is not there. Tablewright writes,
moves and frees it with the entity.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (id, entity) in context.model.entity_ids() {
        let sort = context.table_of(id).sort_key.is_some();
        for unique in &entity.unique {
            let Some(word) = &unique.unguarded else {
                continue;
            };
            let name = &unique.name.value;
            let prefix = name.to_uppercase();
            let field = entity.field_named(name);
            // Nobody has two addresses that differ in case only.
            let lower = match field.map(|field| entity.field(field).kind()) {
                Some(FieldType::Email) => ":lower",
                _ => "",
            };
            let sort = if sort { ", sort = \"METADATA\"" } else { "" };
            let guard = format!("{{ partition = \"{prefix}#{{{name}{lower}}}\"{sort} }}");
            let mut diagnostic = RULE
                .at(
                    word.span,
                    format!(
                        "`{name}` of {} is to be unique, and nothing keeps it so",
                        entity.name
                    ),
                )
                .label("two items can hold the same value")
                .help(format!("give it a guard item: {name} = {guard}"));
            if field.is_some() {
                diagnostic = diagnostic.fix("guard it", word.span, guard);
            }
            found.report(&[Subject::Entity(id.0)], diagnostic);
        }
    }
}
