//! Which samples are of one kind.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{FacetSource, Item, Sample, TableSource, one_line};

/// Samples of one kind, and what is said of it.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) partition_alias: String,
    pub(super) sort_alias: String,
    /// Its attributes, in the order of the file.
    pub(super) attributes: Vec<String>,
    pub(super) items: Vec<Item>,
}

/// A group whose items guard something unique.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) owner: String,
    pub(super) unique: String,
    pub(super) partition_alias: String,
    pub(super) sort_alias: String,
}

/// The kinds of a table, and what is to be said of samples that no facet shows whole.
pub(super) fn groups(table: &TableSource) -> (Vec<Group>, Vec<String>) {
    if table.facets.is_empty() {
        return (sorted(table), Vec::new());
    }
    let mut groups: Vec<Group> = table
        .facets
        .iter()
        .map(|facet| of_facet(table, facet))
        .collect();
    let mut notes = BTreeSet::new();
    // Samples beside the facets belong to the one that shows all they have.
    for item in &table.data {
        let known = groups.iter().any(|group| group.items.contains(item));
        let fits = |group: &&mut Group| {
            item.keys()
                .all(|name| is_key(table, name) || group.attributes.contains(name))
        };
        match groups.iter_mut().find(fits) {
            _ if known => {}
            Some(group) => group.items.push(item.clone()),
            None => {
                notes.insert(unshown(table, &mut groups, item));
            }
        }
    }
    (groups, notes.into_iter().collect())
}

/// A sample with attributes that no facet shows is of the only kind there is, or of the only one whose keys begin as its own do.
fn unshown(table: &TableSource, groups: &mut [Group], item: &Item) -> String {
    let alone = groups.len() == 1;
    let begins = beginning(table, item);
    let is_alike = |group: &Group| match group.items.first() {
        Some(other) => beginning(table, other) == begins,
        None => alone,
    };
    let mut alike = groups.iter_mut().filter(|group| is_alike(group));
    let (found, another) = (alike.next(), alike.next());
    let of = found.as_ref().map(|group| group.attributes.as_slice());
    let names: Vec<String> = item
        .keys()
        .filter(|name| !is_key(table, name) && !of.unwrap_or_default().contains(name))
        .map(|name| format!("`{}`", one_line(name)))
        .collect();
    let names = names.join(", ");
    match (found, another) {
        (Some(group), None) => {
            group.items.push(item.clone());
            let new: Vec<&String> = item
                .keys()
                .filter(|name| !group.attributes.contains(name))
                .collect();
            group.attributes.extend(new.into_iter().cloned());
            format!(
                "a sample of {} has what the facet {} does not show, which becomes fields: {names}",
                table.name,
                one_line(&group.name)
            )
        }
        _ => format!("a sample of {} fits no facet, with {names}", table.name),
    }
}

fn of_facet(table: &TableSource, facet: &FacetSource) -> Group {
    let mut group = Group {
        name: facet.name.clone(),
        partition_alias: facet.partition_alias.clone(),
        sort_alias: facet.sort_alias.clone(),
        attributes: facet.attributes.clone(),
        items: facet.data.clone(),
    };
    complete(table, &mut group);
    group
}

/// Adds the attributes that only samples have.
fn complete(table: &TableSource, group: &mut Group) {
    let of_table = table.attributes.iter().map(|(name, _)| name);
    let of_items = group.items.iter().flat_map(|item| item.keys());
    let mut seen: Vec<&String> = of_table
        .filter(|name| group.items.iter().any(|item| item.contains_key(*name)))
        .collect();
    seen.extend(of_items);
    let mut names: Vec<String> = std::mem::take(&mut group.attributes);
    for name in seen {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let mut known = std::collections::BTreeSet::new();
    names.retain(|name| known.insert(name.clone()));
    group.attributes = names;
}

/// The only kind of a table has all attributes the table declares.
pub(super) fn shows_all(table: &TableSource, group: &mut Group) {
    for (name, _) in &table.attributes {
        if !group.attributes.contains(name) {
            group.attributes.push(name.clone());
        }
    }
}

/// Without facets: by the attribute that names the kind, else by the beginnings of the keys.
fn sorted(table: &TableSource) -> Vec<Group> {
    let named = likely_type(table, &table.data);
    let mut kinds: Vec<(String, Vec<Item>)> = Vec::new();
    for item in &table.data {
        let kind = match named.as_ref().and_then(|name| item.get(name)) {
            Some(Sample::Text(kind)) => kind.clone(),
            _ => beginning(table, item),
        };
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, items)) => items.push(item.clone()),
            None => kinds.push((kind, vec![item.clone()])),
        }
    }
    if kinds.is_empty() {
        kinds.push((table.name.clone(), Vec::new()));
    }
    let alone = kinds.len() == 1;
    kinds
        .into_iter()
        .map(|(kind, items)| {
            let mut group = Group {
                name: if alone && named.is_none() {
                    table.name.clone()
                } else {
                    kind
                },
                partition_alias: String::new(),
                sort_alias: String::new(),
                attributes: Vec::new(),
                items,
            };
            complete(table, &mut group);
            group
        })
        .collect()
}

/// `CUSTOMER ORDER` of an item under `CUSTOMER#1` and `ORDER#2`; one word where both are the same.
fn beginning(table: &TableSource, item: &Item) -> String {
    let word = |name: &String| match item.get(name) {
        Some(Sample::Text(text)) => text.split_once('#').map(|(word, _)| word.to_owned()),
        _ => None,
    };
    let partition = word(&table.keys.partition.0);
    let sort = table.keys.sort.as_ref().and_then(|(sort, _)| word(sort));
    match (partition, sort) {
        (Some(partition), Some(sort)) if partition != sort => format!("{partition} {sort}"),
        (Some(word), _) | (None, Some(word)) => word,
        (None, None) => table.name.clone(),
    }
}

/// Takes out the groups whose items guard those of another: `User.email`, with the key of the guarded in `guards`.
pub(super) fn take_guards(groups: &mut Vec<Group>) -> Vec<Guard> {
    let names: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
    let mut guards = Vec::new();
    groups.retain(|group| {
        let Some((owner, unique)) = group.name.rsplit_once('.') else {
            return true;
        };
        let is_guard = names.iter().any(|name| name == owner)
            && group.attributes.iter().any(|name| name == "guards")
            && group
                .items
                .iter()
                .all(|item| matches!(item.get("guards"), Some(Sample::Map(_))));
        if is_guard {
            guards.push(Guard {
                owner: owner.to_owned(),
                unique: unique.to_owned(),
                partition_alias: group.partition_alias.clone(),
                sort_alias: group.sort_alias.clone(),
            });
        }
        !is_guard
    });
    guards
}

/// The attribute that says of every item what it is: the same for all of a kind, another for each.
pub(super) fn type_attribute(table: &TableSource, groups: &[Group]) -> Option<String> {
    let items: Vec<Item> = groups
        .iter()
        .flat_map(|group| group.items.clone())
        .collect();
    let name = likely_type(table, &items)?;
    let mut said = BTreeMap::new();
    for group in groups {
        let mut kinds = group.items.iter().map(|item| item.get(&name));
        let first = kinds.next()??;
        let Sample::Text(kind) = first else {
            return None;
        };
        if !kinds.all(|kind| kind == Some(first)) || said.insert(kind.clone(), ()).is_some() {
            return None;
        }
    }
    Some(name)
}

/// An attribute with a name such as `Type` that all items have.
fn likely_type(table: &TableSource, items: &[Item]) -> Option<String> {
    const NAMES: [&str; 8] = [
        "type",
        "entitytype",
        "entity",
        "itemtype",
        "kind",
        "typename",
        "objecttype",
        "recordtype",
    ];
    let plain = |name: &str| -> String {
        name.chars()
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_lowercase()
    };
    // Declared or not: what all items have, the first has.
    let declared = table.attributes.iter().map(|(name, _)| name);
    let attributes = declared.chain(items.first().into_iter().flat_map(|item| item.keys()));
    let mut likely: Vec<&String> = attributes
        .filter(|name| NAMES.contains(&plain(name).as_str()))
        .filter(|name| !is_key(table, name))
        .filter(|name| {
            !items.is_empty()
                && items.iter().all(
                    |item| matches!(item.get(*name), Some(Sample::Text(text)) if !text.is_empty()),
                )
        })
        .collect();
    likely.sort_by_key(|name| NAMES.iter().position(|known| *known == plain(name)));
    likely.first().map(|name| (*name).clone())
}

fn is_key(table: &TableSource, name: &str) -> bool {
    table.keys.partition.0 == name
        || table
            .keys
            .sort
            .as_ref()
            .is_some_and(|(sort, _)| sort == name)
}
