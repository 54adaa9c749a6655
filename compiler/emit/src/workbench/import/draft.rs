//! A model while it is being made of what a file says.

use std::collections::BTreeSet;

use super::bounds::{BYTES, ENTRIES, is_open};
use super::entity::{Draft, EntityDraft, IndexKeyDraft, TableDraft};
use super::fields;
use super::groups::{self, Group};
use super::key_bounds;
use super::names::{entity_name, unique_name};
use super::notes;
use super::questions;
use super::shapes::Shapes;
use super::source::{IndexSource, Item, Sample, Source, TableSource, one_line};
use super::spelling;
use super::templates::{Candidates, Inferred};
use super::versioned::{STAMPS, versioned};

/// Makes a model of a file.
pub(super) fn draft(source: &Source) -> Draft {
    let mut lost = source.lost.clone();
    let mut names = BTreeSet::new();
    let mut shapes = Shapes::default();
    let mut tables = Vec::new();
    for table in &source.tables {
        tables.push(
            Maker {
                table,
                shapes: &mut shapes,
                names: &mut names,
                lost: &mut lost,
            }
            .table(),
        );
    }
    let samples = notes::of_samples(source);
    lost.extend(samples);
    // What the format does not say, whoever wrote the file.
    lost.push(
        "the format says nothing of time to live, streams and recovery: add them to the tables"
            .to_owned(),
    );
    lost.push(
        "the format's access patterns are not read: those here only ask by the keys there are"
            .to_owned(),
    );
    let structs = shapes.into_structs();
    let fields = tables.iter().flat_map(|table| &table.entities);
    let fields = fields.flat_map(|entity| &entity.fields);
    let nested = structs.iter().flat_map(|one| &one.fields);
    let mut kinds = fields
        .map(|field| &field.kind)
        .chain(nested.map(|(_, kind)| kind));
    if kinds.any(|kind| is_open(kind)) {
        lost.push(format!(
            "how long lists, sets, maps and documents can be: {ENTRIES} entries and {BYTES} bytes are guessed"
        ));
    }
    let (questions, not_asked) = questions::questions(source, &tables);
    lost.extend(not_asked);
    let mut draft = Draft {
        tables,
        structs,
        questions,
        lost,
    };
    draft.lost.extend(key_bounds::note(&draft));
    draft
}

/// What is known while the draft of a table is made.
struct Maker<'m> {
    table: &'m TableSource,
    shapes: &'m mut Shapes,
    names: &'m mut BTreeSet<String>,
    lost: &'m mut Vec<String>,
}

impl Maker<'_> {
    fn table(mut self) -> TableDraft {
        let table = self.table;
        let (mut groups, unshown) = groups::groups(table);
        if let [alone] = groups.as_mut_slice() {
            groups::shows_all(table, alone);
        }
        self.lost.extend(unshown);
        self.lost.extend(notes::of_binary_keys(table));
        let guards = groups::take_guards(&mut groups);
        let type_attribute = groups::type_attribute(table, &groups);
        let escape = !groups.iter().any(|group| spelling::is_raw(table, group));
        if !escape {
            self.lost.push(format!(
                "keys of {} have characters this library would escape: it says `escape = false`",
                table.name
            ));
        }
        let mut entities = Vec::new();
        for group in groups {
            let name = group.name.clone();
            let mut entity = self.entity(group, type_attribute.as_deref(), escape);
            for guard in guards.iter().filter(|guard| guard.owner == name) {
                let known = |alias: &str| spelling::reads_as_template(alias, &entity.fields);
                let sort = table.keys.sort.as_ref().map(|_| guard.sort_alias.clone());
                if known(&guard.partition_alias) && sort.as_deref().is_none_or(known) {
                    entity
                        .unique
                        .push((guard.unique.clone(), guard.partition_alias.clone(), sort));
                } else {
                    self.lost.push(format!(
                        "the guard `{}` of {}",
                        one_line(&guard.unique),
                        entity.name
                    ));
                }
            }
            key_bounds::bound(&mut entity);
            entities.push(entity);
        }
        self.lost
            .extend(notes::of_indexes(table, &entities, |name| {
                self.is_key_attribute(name)
            }));
        let unshown = notes::of_attributes(table, &entities, type_attribute.as_deref());
        self.lost.extend(unshown);
        TableDraft {
            type_attribute,
            escape,
            entities,
        }
    }

    fn entity(
        &mut self,
        mut group: Group,
        type_attribute: Option<&str>,
        escape: bool,
    ) -> EntityDraft {
        let table = self.table;
        let name = self.name(&group.name);
        let versioned = versioned(&mut group);
        let type_value = type_attribute.and_then(|attribute| {
            let item = group.items.iter().find_map(|item| item.get(attribute));
            match item {
                Some(Sample::Text(text)) => Some(text.clone()),
                _ => None,
            }
        });
        let said = type_value.as_ref() == Some(&group.name) || group.name == table.name;
        if name != group.name && !said {
            self.lost.push(format!(
                "`{}` of {} is called {name}",
                one_line(&group.name),
                table.name
            ));
        }
        let is_key = |name: &str| self.is_key_attribute(name);
        let is_kept = |name: &String| {
            let bookkeeping = versioned.is_some() && STAMPS.contains(&name.as_str());
            !is_key(name) && Some(name.as_str()) != type_attribute && !bookkeeping
        };
        let mut attributes: Vec<String> = group
            .attributes
            .iter()
            .filter(|name| is_kept(name))
            .cloned()
            .collect();
        attributes.dedup();
        for name in attributes.iter().filter(|name| !fields::can_be_field(name)) {
            self.lost.push(format!(
                "`{}` of {}: it cannot be the name of a field",
                one_line(name),
                group.name
            ));
        }
        attributes.retain(|name| fields::can_be_field(name));
        let mut candidates = Candidates::new(&name, attributes, group.items, escape);
        candidates.taken = self.not_fields(type_attribute, versioned.is_some());
        let (partition, letter) = &table.keys.partition;
        let partition = candidates.key(partition, letter, &group.partition_alias, true);
        let sort = table
            .keys
            .sort
            .as_ref()
            .map(|(sort, letter)| candidates.key(sort, letter, &group.sort_alias, false));
        self.lost.extend(notes::of_aliases(
            &name,
            [
                (
                    Some(&table.keys.partition),
                    &group.partition_alias,
                    Some(&partition),
                ),
                (table.keys.sort.as_ref(), &group.sort_alias, sort.as_ref()),
            ],
        ));
        let indexes: Vec<IndexKeyDraft> = table
            .indexes
            .iter()
            .filter_map(|index| index_key(&mut candidates, index))
            .collect();
        self.lost.extend(candidates.notes());
        let Candidates {
            fields,
            items,
            identity,
            ..
        } = candidates;
        let letters = &table.attributes;
        let fields = fields.iter().map(|field| {
            let letter = letters
                .iter()
                .chain([&table.keys.partition])
                .chain(&table.keys.sort);
            let letter = letter.into_iter().find(|(known, _)| known == field);
            // Without a sample and a declaration it is a text, and there all the same.
            let of_key = identity.contains(field).then_some("S");
            let letter = letter.map(|(_, letter)| letter.as_str()).or(of_key);
            let declared = letter.filter(|_| of_key.is_none() || items.is_empty());
            self.lost
                .extend(notes::of_type(&name, field, declared, &items));
            fields::field(field, letter, &items, self.shapes)
        });
        EntityDraft {
            type_value: type_value.filter(|value| *value != name),
            partition: partition.template,
            sort: sort.map(|sort| sort.template),
            indexes,
            unique: Vec::new(),
            versioned,
            fields: fields.collect(),
            items,
            name,
        }
    }

    fn is_key_attribute(&self, name: &str) -> bool {
        let indexes = self.table.indexes.iter().map(|index| &index.keys);
        let mut keys = std::iter::once(&self.table.keys).chain(indexes);
        keys.any(|keys| {
            keys.partition.0 == name || keys.sort.as_ref().is_some_and(|sort| sort.0 == name)
        })
    }

    /// The attributes that keys, types and versions are in.
    fn not_fields(&self, type_attribute: Option<&str>, versioned: bool) -> Vec<String> {
        let indexes = self.table.indexes.iter().map(|index| &index.keys);
        let keys = std::iter::once(&self.table.keys).chain(indexes);
        let keys = keys.flat_map(|keys| std::iter::once(&keys.partition).chain(&keys.sort));
        let stamps = STAMPS.into_iter().filter(|_| versioned);
        keys.map(|(name, _)| name.as_str())
            .chain(type_attribute)
            .chain(stamps)
            .map(str::to_owned)
            .collect()
    }

    /// A name no other entity has.
    fn name(&mut self, wanted: &str) -> String {
        unique_name(&entity_name(wanted), self.names)
    }
}

/// The key of an entity in an index; none when no sample is in it.
fn index_key(candidates: &mut Candidates, index: &IndexSource) -> Option<IndexKeyDraft> {
    let (partition, letter) = &index.keys.partition;
    let has_all = |item: &Item| {
        item.contains_key(partition)
            && index
                .keys
                .sort
                .as_ref()
                .is_none_or(|(sort, _)| item.contains_key(sort))
    };
    let held = candidates.items.iter().filter(|item| has_all(item)).count();
    if held == 0 {
        return None;
    }
    candidates.index.clone_from(&index.name);
    let partition = candidates.key(partition, letter, "", true);
    let sort = index.keys.sort.as_ref();
    let sort: Option<Inferred> = sort.map(|(sort, letter)| candidates.key(sort, letter, "", false));
    let complete = |item: &Item| {
        let mut needed = partition
            .fields
            .iter()
            .chain(sort.iter().flat_map(|sort| &sort.fields));
        needed.all(|field| item.contains_key(field))
    };
    let could = candidates
        .items
        .iter()
        .filter(|item| complete(item))
        .count();
    Some(IndexKeyDraft {
        index: index.name.clone(),
        sparse: could > held,
        partition: partition.template,
        sort: sort.map(|sort| sort.template),
    })
}
