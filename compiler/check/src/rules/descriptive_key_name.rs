//! Key attributes of a shared table that are named after one thing.

use tablewright_model::model::{IndexKind, KeyAttribute, KeyKind, Profile};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "descriptive-key-name",
    code: "K25",
    severity: Note,
    group: Keys,
    summary: "a key attribute named after what one entity puts there, in a table of many (profile `single-table`)",
    why: "In one table of many entities a key attribute holds something else for each of them: `user_id` would hold orders and settings as well.
Such a name misleads whoever reads the items, cannot be changed once the table exists, and keeps the next entity out of the index.

Call the attributes what they are: `PK` and `SK`, `GSI1PK` and `GSI1SK`, which is what an index has when nothing is said. Where each
entity has a table of its own natural names are right: say `profile = \"table-per-entity\"`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    if context.model.profile != Profile::SingleTable {
        return;
    }
    for (position, table) in context.model.tables.iter().enumerate() {
        let own = [
            (Some(&table.partition_key), "PK"),
            (table.sort_key.as_ref(), "SK"),
        ];
        for (attribute, generic) in own {
            let Some(attribute) = attribute.filter(|attribute| !is_generic(&attribute.name, ""))
            else {
                continue;
            };
            let key = if generic == "PK" {
                "partition_key"
            } else {
                "sort_key"
            };
            let help = format!("{key} = \"{}\"", typed(generic, attribute));
            let diagnostic = finding(&format!("the table `{}`", table.name), attribute, &help);
            found.report(&[Subject::Table(position)], diagnostic);
        }
        for (number, index) in table.indexes.iter().enumerate() {
            // The partition key of a local index is the table's.
            let partition = (index.kind == IndexKind::Global).then_some(&index.partition_key);
            let name = index.name.as_str();
            for (attribute, suffix) in [(partition, "PK"), (index.sort_key.as_ref(), "SK")] {
                let Some(attribute) =
                    attribute.filter(|attribute| !is_generic(&attribute.name, name))
                else {
                    continue;
                };
                let generic = typed(&format!("{name}{suffix}"), attribute);
                let help = match attribute.kind {
                    KeyKind::String => {
                        format!("leave the name out: the attribute is then called `{generic}`")
                    }
                    _ => format!("call it `{generic}`"),
                };
                let diagnostic = finding(&format!("the index `{name}`"), attribute, &help);
                let subjects = [Subject::Index(position, number), Subject::Table(position)];
                found.report(&subjects, diagnostic);
            }
        }
    }
}

fn finding(whose: &str, attribute: &KeyAttribute, help: &str) -> tablewright_model::Diagnostic {
    RULE.at(
        attribute.written.content(),
        format!(
            "`{}` names what one entity puts there, and {whose} is for many",
            attribute.name
        ),
    )
    .label("a name for one of them")
    .help(format!(
        "{help}; or say profile = \"table-per-entity\", if each entity has its own table"
    ))
}

/// The name with the attribute's type, where it is not a string.
fn typed(name: &str, attribute: &KeyAttribute) -> String {
    match attribute.kind {
        KeyKind::Number => format!("{name}: number"),
        KeyKind::Binary => format!("{name}: binary"),
        KeyKind::String | KeyKind::Refused(_) => name.to_owned(),
    }
}

/// Whether a name says only which key it is: `PK`, `GSI1SK`, `sort_key`, or the index and that.
fn is_generic(name: &str, index: &str) -> bool {
    const KEYS: &[&str] = &[
        "pk",
        "sk",
        "hk",
        "rk",
        "partitionkey",
        "sortkey",
        "hashkey",
        "rangekey",
        "partition",
        "sort",
        "hash",
        "range",
    ];
    let name = letters_and_digits(name);
    let index = letters_and_digits(index);
    KEYS.iter().any(|key| {
        name.strip_suffix(key).is_some_and(|before| {
            let numbered = before.trim_end_matches(|c: char| c.is_ascii_digit());
            before.is_empty() || before == index || matches!(numbered, "gsi" | "lsi" | "index" | "")
        })
    })
}

fn letters_and_digits(name: &str) -> String {
    let plain = name.chars().filter(|c| c.is_ascii_alphanumeric());
    plain.map(|c| c.to_ascii_lowercase()).collect()
}
