//! Access patterns to begin with: one for each key there is.

use std::collections::BTreeSet;

use tablewright_keys::Template;

use super::entity::{EntityDraft, IndexKeyDraft, TableDraft};
use super::names::unique_name;
use super::source::{IndexSource, Source, TableSource};
use super::write::{key, quoted};
use crate::rust::names::{plural, snake};

/// A pattern that reads.
#[derive(Debug)]
pub(super) struct Question {
    name: String,
    verb: &'static str,
    entity: String,
    by: Vec<String>,
    /// What the index does not have is not asked for.
    there: Vec<String>,
    order: Option<String>,
    /// All of them where there are none.
    fields: Vec<String>,
}

/// One question for each key there is, and what cannot be asked, in words.
pub(super) fn questions(source: &Source, tables: &[TableDraft]) -> (Vec<Question>, Vec<String>) {
    let mut asked = Asked::default();
    for (source, table) in source.tables.iter().zip(tables) {
        for entity in &table.entities {
            asked.by_the_table(entity);
            let mut lists: Vec<(&str, usize)> = Vec::new();
            for key in &entity.indexes {
                let index = source.indexes.iter().find(|index| index.name == key.index);
                let held = index.and_then(|index| held(source, index, entity));
                let Some(question) = asked.by_an_index(entity, key, held) else {
                    continue;
                };
                let same = lists
                    .iter()
                    .find(|(_, at)| asked.questions[*at].asks_the_same(&question));
                if let Some((other, _)) = same {
                    asked.notes.push(format!(
                        "`{}` has the key of `{other}`, and which {} it leaves out no sample tells: say so with `when`, and add its pattern; until then `check` finds no use for it",
                        key.index, entity.name
                    ));
                    continue;
                }
                lists.push((&key.index, asked.questions.len()));
                asked.add(question);
            }
        }
    }
    (asked.questions, asked.notes)
}

#[derive(Default)]
struct Asked {
    questions: Vec<Question>,
    notes: Vec<String>,
    taken: BTreeSet<String>,
}

impl Asked {
    fn add(&mut self, question: Question) {
        let name = unique_name(&question.name, &mut self.taken);
        self.questions.push(Question { name, ..question });
    }

    /// The item of a key, and what is in its partition.
    fn by_the_table(&mut self, entity: &EntityDraft) {
        let one = snake(&entity.name);
        let partition = fields_in(&entity.partition);
        let mut whole = partition.clone();
        for field in entity.sort.iter().flat_map(|sort| fields_in(sort)) {
            if !whole.contains(&field) {
                whole.push(field);
            }
        }
        let lists = !partition.is_empty() && whole.len() > partition.len();
        self.add(Question::of(one.clone(), "get", entity, whole));
        if lists {
            let several = match plural(&one) {
                many if many == one => format!("{one}_list"),
                many => many,
            };
            self.add(Question::of(several, "list", entity, partition));
        }
    }

    /// What is in the partition of an index; nothing where the index holds no field.
    fn by_an_index(
        &mut self,
        entity: &EntityDraft,
        key: &IndexKeyDraft,
        held: Option<Vec<String>>,
    ) -> Option<Question> {
        if held.as_ref().is_some_and(Vec::is_empty) {
            self.notes.push(format!(
                "`{}` holds no field of {}, only its keys: no pattern asks it",
                key.index, entity.name
            ));
            return None;
        }
        let index_name = snake(&key.index);
        let index_name = index_name.strip_prefix("by_").unwrap_or(&index_name);
        let name = format!("{}_by_{index_name}", plural(&snake(&entity.name)));
        let by = fields_in(&key.partition);
        let sort = key.sort.iter().flat_map(|sort| fields_in(sort));
        let sort: Vec<String> = sort.filter(|field| !by.contains(field)).collect();
        let there = sort.iter().filter(|field| entity.may_lack(field));
        Some(Question {
            there: there.cloned().collect(),
            order: sort
                .first()
                .filter(|field| !is_lowered(key, field))
                .cloned(),
            fields: held.unwrap_or_default(),
            ..Question::of(name, "list", entity, by)
        })
    }
}

impl Question {
    fn of(name: String, verb: &'static str, entity: &EntityDraft, by: Vec<String>) -> Self {
        Question {
            name,
            verb,
            entity: entity.name.clone(),
            by,
            there: Vec::new(),
            order: None,
            fields: Vec::new(),
        }
    }

    fn asks_the_same(&self, other: &Question) -> bool {
        let of = |one: &Question| (one.by.clone(), one.there.clone(), one.order.clone());
        of(self) == of(other)
    }

    /// The text of the pattern.
    pub(super) fn write(&self, text: &mut String) {
        text.push_str(&format!(
            "\n[access.{}]\n{} = {}\n",
            key(&self.name),
            self.verb,
            quoted(&self.entity)
        ));
        let list = |names: &[String]| {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            format!("[{}]", names.join(", "))
        };
        if !self.by.is_empty() {
            text.push_str(&format!("by = {}\n", list(&self.by)));
        }
        if !self.there.is_empty() {
            let there: Vec<String> = self
                .there
                .iter()
                .map(|field| format!("{field} exists"))
                .collect();
            text.push_str(&format!("where = {}\n", quoted(&there.join(" and "))));
        }
        if let Some(order) = &self.order {
            text.push_str(&format!("order = {}\n", quoted(order)));
        }
        if !self.fields.is_empty() {
            text.push_str(&format!("fields = {}\n", list(&self.fields)));
        }
    }
}

/// The fields of an entity that an index holds; nothing where it holds all of them.
fn held(table: &TableSource, index: &IndexSource, entity: &EntityDraft) -> Option<Vec<String>> {
    let projection = index.projection.as_ref()?;
    let wrapped = entity
        .versioned
        .as_ref()
        .is_some_and(|versioned| versioned.wrapped);
    let is_held = |name: &String| {
        let mut keys = [&table.keys, &index.keys]
            .into_iter()
            .flat_map(|keys| std::iter::once(&keys.partition).chain(&keys.sort));
        keys.any(|(key, _)| key == name) || (!wrapped && projection.contains(name))
    };
    let names = entity.fields.iter().map(|field| &field.name);
    let held: Vec<String> = names.filter(|name| is_held(name)).cloned().collect();
    (held.len() < entity.fields.len()).then_some(held)
}

/// Whether an index sorts by a field in another spelling.
fn is_lowered(key: &IndexKeyDraft, field: &str) -> bool {
    let sort = key
        .sort
        .as_ref()
        .and_then(|sort| Template::parse(sort).ok());
    sort.is_some_and(|sort| {
        let mut fields = sort.fields().filter(|part| part.name == *field);
        fields.any(|part| part.encodings.lower)
    })
}

/// The fields of a template that a caller must know: not those that only spread.
fn fields_in(template: &str) -> Vec<String> {
    let Ok(template) = Template::parse(template) else {
        return Vec::new();
    };
    let mut fields: Vec<String> = Vec::new();
    for field in template
        .fields()
        .filter(|field| field.encodings.shard.is_none())
    {
        if !fields.contains(&field.name) {
            fields.push(field.name.clone());
        }
    }
    fields
}
