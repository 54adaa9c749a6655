//! An index that holds whole items, of which little is read.

use std::collections::{BTreeSet, HashMap, HashSet};

use tablewright_model::model::{Index, IndexId, Projection, TableId};
use tablewright_plan::{Answer, holds_attribute};

use crate::projected::needed;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "wide-projection",
    code: "I08",
    severity: Note,
    group: Indexes,
    summary: "an index that projects everything, where all that read it ask for a few fields",
    why: "What an index projects is stored a second time, written with every change of it and read with every query, in blocks of 4 KB. A list that shows
a title and a date out of items of ten kilobytes reads fifty items for the price of two; and a change of any field at all writes the
index entry too, because everything is in it.

Project what the patterns name in `fields`, besides the keys, which are always there. A field that is wanted later takes a new index, since
a projection cannot be changed: where items are small, and most of them is read anyway, `all` is right.",
}

/// So many fields are worth leaving out.
const WORTH_IT: usize = 5;

fn check(context: &Context<'_>, found: &mut Found) {
    let read = read(context);
    let stored = stored(context);
    for (table_position, table) in context.model.tables.iter().enumerate() {
        for (position, index) in table.indexes.iter().enumerate() {
            let place = (TableId(table_position), IndexId(position));
            let (Projection::All, Some(Read::Fields(fields))) =
                (&index.projection, read.get(&place))
            else {
                continue;
            };
            let Some(stored) = stored.get(&place) else {
                continue;
            };
            let fields: Vec<&str> = fields
                .iter()
                .copied()
                .filter(|name| !holds_attribute(table, &keys_only(index), name))
                .collect();
            if !is_little(fields.len(), stored.len()) {
                continue;
            }
            let quoted: Vec<String> = fields.iter().map(|name| format!("\"{name}\"")).collect();
            let projection = if quoted.is_empty() {
                "\"keys-only\"".to_owned()
            } else {
                format!("[{}]", quoted.join(", "))
            };
            let diagnostic = RULE
                .at(
                    index.name.content(),
                    format!(
                        "`{}` holds all {} fields, and its patterns read {} besides the keys",
                        index.name,
                        stored.len(),
                        if fields.is_empty() {
                            "nothing".to_owned()
                        } else {
                            fields.len().to_string()
                        }
                    ),
                )
                .label("stored, written and read in full")
                .help(format!("projection = {projection}"));
            let subjects = [
                Subject::Index(table_position, position),
                Subject::Table(table_position),
            ];
            found.report(&subjects, diagnostic);
        }
    }
}

/// Whether so few fields are read that leaving out the rest is worth it: less than half of them, and not just a few.
fn is_little(read: usize, stored: usize) -> bool {
    read * 2 < stored && stored - read >= WORTH_IT
}

/// What patterns read of an index.
enum Read<'c> {
    /// These attributes.
    Fields(BTreeSet<&'c str>),
    /// Everything, or what cannot be told.
    All,
}

fn read<'c>(context: &'c Context<'_>) -> HashMap<(TableId, IndexId), Read<'c>> {
    let mut read: HashMap<(TableId, IndexId), Read<'_>> = HashMap::new();
    for asked in context.asked() {
        let Some(index) = asked.place.index else {
            continue;
        };
        let place = (asked.place.table, index);
        let mut fields: BTreeSet<&str> = BTreeSet::new();
        for entity in asked.entities {
            fields.extend(needed(context, &asked, *entity));
        }
        // A wrapped entity has its fields in one attribute, which cannot be taken in part.
        let counts = matches!(asked.access.verb, tablewright_model::model::Verb::Count(_));
        let all = (asked.access.fields.is_empty() && !counts) || fields.contains("data");
        match read
            .entry(place)
            .or_insert_with(|| Read::Fields(BTreeSet::new()))
        {
            known @ Read::Fields(_) if all => *known = Read::All,
            Read::Fields(known) => known.extend(fields),
            Read::All => {}
        }
    }
    for (_, _, plan) in context.accesses() {
        let place = match &plan.answer {
            Answer::ByHand(plan) if !plan.faults.is_empty() => plan.place,
            _ => continue,
        };
        read.extend(place.index.map(|index| ((place.table, index), Read::All)));
    }
    read
}

/// The fields of all that is kept in each index.
fn stored<'m>(context: &Context<'m>) -> HashMap<(TableId, IndexId), HashSet<&'m str>> {
    let mut stored: HashMap<_, HashSet<&str>> = HashMap::new();
    for entity in &context.model.entities {
        for key in &entity.index_keys {
            let fields = stored.entry((entity.table, key.index)).or_default();
            fields.extend(entity.fields.iter().map(|field| field.name.as_str()));
        }
    }
    stored
}

/// The index as it would be if it held nothing but keys.
fn keys_only(index: &Index) -> Index {
    Index {
        projection: Projection::KeysOnly,
        ..index.clone()
    }
}
