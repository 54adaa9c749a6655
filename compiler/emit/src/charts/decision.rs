//! Simple or composite: the decision on the key of a table, by the criteria of the method. (S3-10)

use tablewright_model::model::{
    Entity, EntityId, Model, RelationshipKind, Strategy, Table, TableId,
};
use tablewright_plan::{Answer, Operation, Place, Via};

use crate::design::Design;
use crate::markdown::{Links, and, code, listed, or};

/// The key of a table, and what speaks for it.
pub(crate) struct Decision {
    /// Whether it has a sort key.
    pub(crate) composite: bool,
    /// The criteria for a composite key that hold, as sentences.
    pub(crate) for_composite: Vec<String>,
    /// The patterns that fetch single items by the whole key.
    single: Vec<String>,
}

impl Decision {
    pub(crate) fn of(design: &Design<'_>, id: TableId, links: &Links<'_>) -> Self {
        let table = design.model.table(id);
        let mut many = Vec::new();
        let mut single = Vec::new();
        for (access, plan) in design.reads_of(Place {
            table: id,
            index: None,
        }) {
            let name = links.pattern(access.name.as_str());
            match &plan.answer {
                Answer::Read(read) if read.operation == Operation::Query => many.push(name),
                Answer::Read(read) if read.via == Via::Key => single.push(name),
                _ => {}
            }
        }
        for (access, plan) in design.patterns() {
            let Answer::Write(write) = &plan.answer else {
                continue;
            };
            let finds = write.finds.as_ref().map(|finds| finds.place);
            if finds.is_some_and(|place| place.table == id && place.index.is_none()) {
                many.push(links.pattern(access.name.as_str()));
            }
        }
        let mut for_composite = Vec::new();
        if !many.is_empty() {
            for_composite.push(format!(
                "Several items are read in one request: {}.",
                listed(&many)
            ));
        }
        for_composite.extend(relationships(design.model, id));
        for_composite.extend(hierarchy(design.model, id));
        Decision {
            composite: table.sort_key.is_some(),
            for_composite,
            single,
        }
    }

    /// The decision in a few sentences.
    pub(crate) fn told(&self, table: &Table) -> Vec<String> {
        match (self.composite, self.for_composite.is_empty()) {
            (true, false) => self.for_composite.clone(),
            (true, true) => vec![format!(
                "Nothing that is asked needs the sort key {}: no pattern reads several items of a partition, and no relationship lies in it. A simple key would do.",
                table
                    .sort_key
                    .as_ref()
                    .map_or_else(String::new, |key| code(&key.name))
            )],
            (false, _) => {
                let mut told = Vec::new();
                if !self.single.is_empty() {
                    told.push(format!(
                        "Its primary key is only ever asked for single items: {}.",
                        listed(&self.single)
                    ));
                }
                told.push(String::from(match table.indexes.is_empty() {
                    true => "Nothing is read together with another item.",
                    false => "Nothing is read together with another item of its partition; what else is asked goes through an index.",
                }));
                told
            }
        }
    }
}

/// Relationships whose children lie in the partition of their parent.
fn relationships(model: &Model, id: TableId) -> Option<String> {
    let in_table = |entity: EntityId| model.entity(entity).table == id;
    let names: Vec<String> = model
        .relationships
        .iter()
        .filter(|one| one.kind.value != RelationshipKind::OneToOne)
        .filter(|one| {
            let strategy = one.strategy.as_ref().map(|strategy| strategy.value);
            let apart = !matches!(
                strategy,
                None | Some(Strategy::Embed | Strategy::ComplexAttribute)
            );
            let child = one.through.as_ref().or(one.to.as_ref());
            apart
                && child.is_some_and(|child| {
                    let parent = model.entity(one.from.id);
                    in_table(child.id) && is_in_partition_of(parent, model.entity(child.id))
                })
        })
        .map(|one| format!("{} ({})", code(one.name.as_str()), one.kind.value.as_str()))
        .collect();
    let relationship = match names.len() {
        1 => "a relationship",
        _ => "relationships",
    };
    (!names.is_empty()).then(|| format!("It holds the items of {relationship}: {}.", and(&names)))
}

/// Whether the partition of a child tells its parent. A child that calls the parent's id otherwise is taken at its word; one that has the
/// id elsewhere is found from its parent by an index.
fn is_in_partition_of(parent: &Entity, child: &Entity) -> bool {
    let known = parent.identity().into_iter();
    let known = known.filter_map(|field| child.field_named(parent.field(field).name.as_str()));
    let known: Vec<_> = known.collect();
    let mut in_partition = child.key.partition.field_parts();
    known.is_empty() || in_partition.any(|(_, id, _)| known.contains(&id))
}

/// Entities whose sort key tells one item of a partition from another.
fn hierarchy(model: &Model, id: TableId) -> Option<String> {
    let mut timed = Vec::new();
    let mut nested = Vec::new();
    for (_, entity) in model.entities_of(id) {
        let Some(sort) = &entity.key.sort else {
            continue;
        };
        let fields: Vec<_> = sort.parts.iter().flatten().collect();
        if fields.is_empty() {
            continue;
        }
        let name = entity.name.value.clone();
        match fields
            .iter()
            .any(|field| entity.field(**field).kind().is_moment())
        {
            true => timed.push(name),
            false => nested.push(name),
        }
    }
    let mut told = Vec::new();
    if !nested.is_empty() {
        told.push(format!("tells one {} from another", or(&nested)));
    }
    if !timed.is_empty() {
        told.push(format!("keeps {} in order of time", listed(&timed)));
    }
    (!told.is_empty()).then(|| format!("Within a partition, the sort key {}.", told.join(", and ")))
}
