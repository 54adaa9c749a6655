//! What rules look at: the model, the plan of every pattern, and every key in one list.

use std::collections::HashMap;

use tablewright_model::Diagnostic;
use tablewright_model::model::{
    Access, Entity, EntityId, Field, FieldId, IndexId, IndexKind, Key, KeyAttribute, KeyTemplate,
    Model, Table,
};
use tablewright_plan::hand::HandPlan;
use tablewright_plan::{Answer, Plan, ReadPlan, WritePlan};

/// A model with everything rules ask about it.
pub struct Context<'m> {
    /// The model.
    pub model: &'m Model,
    /// The plan of each access pattern, in the model's order.
    pub plans: Vec<Plan>,
    keys: Vec<KeyUse<'m>>,
    accesses: HashMap<&'m str, usize>,
}

/// What a finding is about; its `allow` may silence it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A table, by position.
    Table(usize),
    /// An index of a table.
    Index(usize, usize),
    /// An entity.
    Entity(usize),
    /// An access pattern.
    Access(usize),
    /// A relationship.
    Relationship(usize),
    /// An event.
    Event(usize),
}

/// The findings so far, each with what it is about.
#[derive(Default)]
pub struct Found {
    pub(crate) findings: Vec<(Vec<Subject>, Diagnostic)>,
}

impl Found {
    /// Adds a finding. Any of its subjects may allow it.
    pub fn report(&mut self, subjects: &[Subject], diagnostic: Diagnostic) {
        self.findings.push((subjects.to_vec(), diagnostic));
    }
}

/// One template of the model and where it is used.
#[derive(Clone, Copy)]
pub struct KeyUse<'m> {
    /// Whose key it is.
    pub entity: EntityId,
    /// Of the table, an index or a guard.
    pub place: KeyPlace<'m>,
    /// Partition or sort.
    pub role: KeyRole,
    /// The template.
    pub template: &'m KeyTemplate,
    /// The key it belongs to.
    pub key: &'m Key,
    /// The attribute it is stored in.
    pub attribute: &'m KeyAttribute,
}

/// Where a key is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace<'m> {
    /// The primary key.
    Table,
    /// A secondary index.
    Index(IndexId),
    /// The guard item of a unique value.
    Guard(&'m str),
}

/// Which half of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRole {
    /// The partition key.
    Partition,
    /// The sort key.
    Sort,
}

impl<'m> Context<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        Context {
            model,
            plans: tablewright_plan::plan(model),
            keys: model
                .entity_ids()
                .flat_map(|(id, entity)| keys_of(model, id, entity))
                .collect(),
            accesses: model
                .accesses
                .iter()
                .enumerate()
                .map(|(position, access)| (access.name.as_str(), position))
                .collect(),
        }
    }

    /// Every template of every entity: its primary key, its index keys, its guards.
    pub fn keys(&self) -> impl Iterator<Item = &KeyUse<'m>> {
        self.keys.iter()
    }

    /// The templates of one entity.
    pub fn keys_of(&self, entity: EntityId) -> &[KeyUse<'m>] {
        // They stand in the order of the entities.
        let start = self.keys.partition_point(|key| key.entity < entity);
        let end = self.keys.partition_point(|key| key.entity <= entity);
        &self.keys[start..end]
    }

    /// Every template as often as it is written: a local index has no partition template of its own.
    pub fn written_keys(&self) -> impl Iterator<Item = &KeyUse<'m>> {
        self.keys().filter(|key| match key.place {
            KeyPlace::Index(index) if key.role == KeyRole::Partition => {
                self.table_of(key.entity).index(index).kind == IndexKind::Global
            }
            _ => true,
        })
    }

    /// The access patterns with their position and plan.
    pub fn accesses(&self) -> impl Iterator<Item = (usize, &'m Access, &Plan)> {
        let plans = self.model.accesses.iter().zip(&self.plans);
        plans
            .enumerate()
            .map(|(position, (access, plan))| (position, access, plan))
    }

    /// The patterns planned as reads.
    pub fn reads(&self) -> impl Iterator<Item = (usize, &'m Access, &ReadPlan)> {
        self.accesses()
            .filter_map(|(position, access, plan)| match &plan.answer {
                Answer::Read(plan) => Some((position, access, plan)),
                _ => None,
            })
    }

    /// The patterns planned as writes.
    pub fn writes(&self) -> impl Iterator<Item = (usize, &'m Access, &WritePlan)> {
        self.accesses()
            .filter_map(|(position, access, plan)| match &plan.answer {
                Answer::Write(plan) => Some((position, access, plan)),
                _ => None,
            })
    }

    /// The patterns whose request is written by hand.
    pub fn by_hand(&self) -> impl Iterator<Item = (usize, &'m Access, &HandPlan)> {
        self.accesses()
            .filter_map(|(position, access, plan)| match &plan.answer {
                Answer::ByHand(plan) => Some((position, access, plan)),
                _ => None,
            })
    }

    /// A pattern by its name, with its plan.
    pub fn access(&self, name: &str) -> Option<(usize, &'m Access, &Plan)> {
        let position = *self.accesses.get(name)?;
        Some((
            position,
            self.model.accesses.get(position)?,
            self.plans.get(position)?,
        ))
    }

    /// The table an entity lives in.
    pub fn table_of(&self, entity: EntityId) -> &'m Table {
        self.model.table_of(entity)
    }

    /// The field a template's part stands for.
    pub fn field(&self, entity: EntityId, field: FieldId) -> &'m Field {
        self.model.entity(entity).field(field)
    }

    /// What a key use is called: `the key of Task`, `GSI1 of Task`, `the guard email of User`.
    pub fn name_of(&self, key: &KeyUse<'_>) -> String {
        let entity = &self.model.entity(key.entity).name;
        match key.place {
            KeyPlace::Table => format!("the key of {entity}"),
            KeyPlace::Index(index) => {
                format!(
                    "{} of {entity}",
                    self.table_of(key.entity).index(index).name
                )
            }
            KeyPlace::Guard(name) => format!("the guard {name} of {entity}"),
        }
    }

    /// The subjects a finding about a key use has: the entity, and the index if it is one.
    pub fn subjects_of(&self, key: &KeyUse<'_>) -> Vec<Subject> {
        let entity = Subject::Entity(key.entity.0);
        match key.place {
            KeyPlace::Index(index) => {
                let table = self.model.entity(key.entity).table;
                vec![entity, Subject::Index(table.0, index.0)]
            }
            KeyPlace::Table | KeyPlace::Guard(_) => vec![entity],
        }
    }

    /// Expressions that cannot be understood are no rule's matter: they are always reported.
    pub(crate) fn report_faults_of_expressions(&self, found: &mut Found) {
        for (position, _, plan) in self.by_hand() {
            for fault in &plan.faults {
                let diagnostic =
                    Diagnostic::language("bad-expression", fault.span, fault.message.clone());
                found.report(&[Subject::Access(position)], diagnostic);
            }
        }
    }
}

fn keys_of<'m>(model: &'m Model, id: EntityId, entity: &'m Entity) -> Vec<KeyUse<'m>> {
    let table = model.table(entity.table);
    let mut uses = Vec::new();
    let mut both =
        |place, key: &'m Key, partition: &'m KeyAttribute, sort: Option<&'m KeyAttribute>| {
            uses.push(KeyUse {
                entity: id,
                place,
                role: KeyRole::Partition,
                template: &key.partition,
                key,
                attribute: partition,
            });
            if let (Some(template), Some(attribute)) = (&key.sort, sort) {
                uses.push(KeyUse {
                    entity: id,
                    place,
                    role: KeyRole::Sort,
                    template,
                    key,
                    attribute,
                });
            }
        };
    both(
        KeyPlace::Table,
        &entity.key,
        &table.partition_key,
        table.sort_key.as_ref(),
    );
    for key in &entity.index_keys {
        let index = table.index(key.index);
        both(
            KeyPlace::Index(key.index),
            &key.key,
            &index.partition_key,
            index.sort_key.as_ref(),
        );
    }
    for unique in &entity.unique {
        if let Some(guard) = &unique.guard {
            both(
                KeyPlace::Guard(unique.name.as_str()),
                guard,
                &table.partition_key,
                table.sort_key.as_ref(),
            );
        }
    }
    uses
}
