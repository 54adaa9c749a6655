//! A table of several entities that does not say which is which.

use tablewright_model::model::TableId;

use crate::key_space::listed;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "missing-type",
    code: "K15",
    severity: Warning,
    group: Keys,
    summary: "a table of several entities without an attribute that names them",
    why: "A query over a collection gives items of several kinds, and so does the change stream. Without an attribute
that says what an item is, each reader guesses from the text of its key, in its own way, and guesses wrong when a key
changes. Exports and migrations have the same trouble.

Name one in the table: `type = \"Type\"`. Every item then carries the name of its entity.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let mut names: Vec<Vec<&str>> = vec![Vec::new(); context.model.tables.len()];
    for (_, entity) in context.model.entity_ids() {
        let TableId(table) = entity.table;
        if let Some(names) = names.get_mut(table) {
            names.push(&entity.name.value);
        }
    }
    for (position, (table, names)) in context.model.tables.iter().zip(&names).enumerate() {
        if table.type_attribute.is_some() || names.len() < 2 {
            continue;
        }
        let shown = match names.len() {
            1..=4 => listed(names),
            all => format!("{} and {} more", names[..3].join(", "), all - 3),
        };
        let diagnostic = RULE
            .at(
                table.name.span,
                format!(
                    "nothing in an item of `{}` says whether it is {}",
                    table.name,
                    shown.replace(" and ", " or ")
                ),
            )
            .label(format!("holds {} kinds of items", names.len()))
            .help(format!("add to [table.{}]: type = \"Type\"", table.name));
        found.report(&[Subject::Table(position)], diagnostic);
    }
}
