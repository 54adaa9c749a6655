//! Prefixes as labels of ids: `USER#` of `{user_id}`.

use std::collections::{BTreeMap, HashMap};

use tablewright_keys::{DELIMITER, FieldRef, Piece};
use tablewright_model::Span;
use tablewright_model::model::{Entity, EntityId, KeyTemplate, TableId};

use super::is_named_after;
use crate::{Context, KeyUse};

/// A field of a template and the text right before it.
#[derive(Clone, Copy)]
pub(super) struct Labelled<'m> {
    pub(super) label: &'m str,
    pub(super) field: &'m str,
    /// Where the label and the field stand.
    pub(super) span: Span,
}

impl Labelled<'_> {
    /// The label without what people spell differently.
    pub(super) fn plain(&self) -> String {
        let letters = self.label.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    }
}

/// The fields of a template that have a label; a shard of a field is no id.
pub(super) fn labelled<'m>(
    entity: &'m Entity,
    template: &'m KeyTemplate,
) -> impl Iterator<Item = Labelled<'m>> {
    template.field_parts().filter_map(|(position, id, part)| {
        let before = template.template.pieces.get(position.checked_sub(1)?)?;
        let Piece::Literal { text, .. } = before else {
            return None;
        };
        let label = text.trim_start_matches(DELIMITER);
        let says_something = label.chars().any(char::is_alphanumeric);
        (says_something && part.encodings.shard.is_none()).then(|| Labelled {
            label,
            field: entity.field(id).name.as_str(),
            span: span(template, label, part),
        })
    })
}

/// The characters of a label and its field; of the field alone where the source spells the label otherwise.
fn span(template: &KeyTemplate, label: &str, part: &FieldRef) -> Span {
    let start = part.span.start.checked_sub(label.len());
    let written = &template.written;
    match start.filter(|start| written.value.get(*start..part.span.start) == Some(label)) {
        Some(start) => written.at(start..part.span.end),
        None => template.span_of(part),
    }
}

/// The id that tells an entity's items apart, and the label it has in the primary key.
pub(super) struct Home<'m> {
    pub(super) entity: EntityId,
    pub(super) field: &'m str,
    pub(super) label: &'m str,
    pub(super) span: Span,
    in_partition: bool,
    /// The id is named after the entity, so that it is no reference to another.
    named_after_it: bool,
    /// The id is the whole identity: it belongs to the entity itself.
    pub(super) sole: bool,
}

/// Where each id is at home.
pub(super) struct Homes<'m> {
    homes: BTreeMap<EntityId, (TableId, Home<'m>)>,
    /// The entity whose id a field is; none where several could be, under different labels.
    owners: HashMap<(TableId, &'m str), Option<EntityId>>,
    /// The first entity whose ids have a label.
    by_label: HashMap<(TableId, &'m str), EntityId>,
}

impl<'m> Homes<'m> {
    pub(super) fn of(context: &Context<'m>) -> Self {
        let mut homes = Homes {
            homes: BTreeMap::new(),
            owners: HashMap::new(),
            by_label: HashMap::new(),
        };
        for (id, entity) in context.model.entity_ids() {
            if let Some(home) = home(id, entity) {
                homes.add(entity.table, home);
            }
        }
        homes
    }

    fn add(&mut self, table: TableId, home: Home<'m>) {
        let first = self.by_label.entry((table, home.label));
        first.or_insert(home.entity);
        if home.sole {
            let known = self.owners.get(&(table, home.field)).copied();
            let owner = match known {
                None => Some(home.entity),
                Some(owner) => owner.filter(|owner| {
                    let label = self.homes.get(owner).map(|(_, known)| known.label);
                    label == Some(home.label)
                }),
            };
            self.owners.insert((table, home.field), owner);
        }
        self.homes.insert(home.entity, (table, home));
    }

    /// The home of an entity's own id.
    pub(super) fn of_entity(&self, entity: EntityId) -> Option<&Home<'m>> {
        self.homes.get(&entity).map(|(_, home)| home)
    }

    /// Whose id stands in a key behind the prefix of which other entity.
    pub(super) fn behind_a_strange_prefix(
        &self,
        key: &KeyUse<'_>,
        entity: &Entity,
        labelled: &Labelled<'m>,
    ) -> Option<(&Home<'m>, &Home<'m>)> {
        let owner = (*self.owners.get(&(entity.table, labelled.field))?)?;
        let own = self.of_entity(owner)?;
        if own.label == labelled.label {
            return None;
        }
        // An entity may keep its items under a prefix of its own, whoever's id follows.
        let mine = self.of_entity(key.entity);
        if mine.is_some_and(|mine| mine.label == labelled.label) {
            return None;
        }
        let first = self.by_label.get(&(entity.table, labelled.label))?;
        let other = self.of_entity(*first)?;
        (other.field != labelled.field).then_some((own, other))
    }

    /// Entities with ids of their own behind one prefix of the partition, each with the first of them.
    pub(super) fn sharing_a_prefix(&self) -> Vec<(&Home<'m>, &Home<'m>)> {
        let mut firsts: HashMap<(TableId, &str), &Home<'m>> = HashMap::new();
        let mut sharing = Vec::new();
        for (table, home) in self.homes.values() {
            if !home.in_partition || !home.named_after_it {
                continue;
            }
            let first = *firsts.entry((*table, home.label)).or_insert(home);
            if first.field != home.field {
                sharing.push((first, home));
            }
        }
        sharing
    }
}

fn home<'m>(id: EntityId, entity: &'m Entity) -> Option<Home<'m>> {
    let identity = entity.identity();
    let own = entity.field(*identity.last()?).name.as_str();
    let of = |template: &'m KeyTemplate| {
        labelled(entity, template).find(|labelled| labelled.field == own)
    };
    let in_partition = of(&entity.key.partition);
    let found = in_partition.or_else(|| entity.key.sort.as_ref().and_then(of))?;
    Some(Home {
        entity: id,
        field: own,
        label: found.label,
        span: found.span,
        in_partition: in_partition.is_some(),
        named_after_it: is_named_after(entity, own),
        sole: identity.len() == 1,
    })
}
