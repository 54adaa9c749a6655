//! Reads seen alike, whether the planner wrote them or a person did.

use std::fmt::Write as _;

use tablewright_model::Text;
use tablewright_model::model::{
    Access, Ends, EntityId, FieldId, Key, KeyAttribute, KeyKind, KeyTemplate, RangeOf, Request,
};
use tablewright_plan::hand::{HandOperand, HandPlan};
use tablewright_plan::{Answer, Operation, OrderGiven, Place, ReadPlan};

use crate::Context;

/// A read of a table or an index.
pub(crate) struct Asked<'c> {
    /// The pattern's position.
    pub(crate) position: usize,
    /// The pattern.
    pub(crate) access: &'c Access,
    /// Where it asks.
    pub(crate) place: Place,
    /// What it is meant to give.
    pub(crate) entities: &'c [EntityId],
    /// Whether it is a query: the one request that gives several items of a key.
    pub(crate) is_query: bool,
    /// Whether the order asked for is given.
    pub(crate) order: &'c OrderGiven,
    /// How it came about.
    pub(crate) origin: Origin<'c>,
}

/// Who wrote a read.
pub(crate) enum Origin<'c> {
    /// The planner.
    Planned(&'c ReadPlan),
    /// A person.
    ByHand(&'c HandPlan),
}

impl<'m> Context<'m> {
    /// Every read, planned or by hand, whose expressions are understood; also those by which batches find their items.
    pub(crate) fn asked(&self) -> impl Iterator<Item = Asked<'_>> {
        self.accesses()
            .filter_map(|(position, access, plan)| match &plan.answer {
                Answer::Read(plan) => Some(Asked {
                    position,
                    access,
                    place: plan.place,
                    entities: &plan.entities,
                    is_query: plan.operation == Operation::Query,
                    order: &plan.order,
                    origin: Origin::Planned(plan),
                }),
                // What a batch finds is read as any list is.
                Answer::Write(write) => write.finds.as_deref().map(|plan| Asked {
                    position,
                    access,
                    place: plan.place,
                    entities: &plan.entities,
                    is_query: true,
                    order: &plan.order,
                    origin: Origin::Planned(plan),
                }),
                Answer::ByHand(plan) if access.verb.is_read() && plan.faults.is_empty() => {
                    Some(Asked {
                        position,
                        access,
                        place: plan.place,
                        entities: &plan.entities,
                        is_query: plan.request == Request::Query,
                        order: &plan.order,
                        origin: Origin::ByHand(plan),
                    })
                }
                _ => None,
            })
    }

    /// The queries among them.
    pub(crate) fn queries(&self) -> impl Iterator<Item = Asked<'_>> {
        self.asked().filter(|asked| asked.is_query)
    }

    /// `table app`, or `GSI1`.
    pub(crate) fn name_of_place(&self, place: Place) -> String {
        let table = self.model.table(place.table);
        match place.index {
            None => format!("table `{}`", table.name),
            Some(index) => format!("`{}`", table.index(index).name),
        }
    }

    /// The sort key's attribute of a table or an index.
    pub(crate) fn sort_attribute(&self, place: Place) -> Option<&'m KeyAttribute> {
        let table = self.model.table(place.table);
        match place.index {
            None => table.sort_key.as_ref(),
            Some(index) => table.index(index).sort_key.as_ref(),
        }
    }

    /// Whether the sort key is text: a number has no prefix.
    pub(crate) fn sorts_text(&self, place: Place) -> bool {
        let attribute = self.sort_attribute(place);
        attribute.is_some_and(|attribute| attribute.kind == KeyKind::String)
    }

    /// What the planner would ask, had nobody written the request by hand.
    pub(crate) fn planned_instead(&self, access: &Access) -> Answer {
        let mut access = access.clone();
        access.by_hand = None;
        tablewright_plan::plan_one(self.model, &access).answer
    }

    /// The range the planner would write for a pattern with a bound of its own, and how to let it; none where no key gives it.
    pub(crate) fn planned_range(
        &self,
        access: &Access,
        bound: &HandOperand,
        ends: Ends,
    ) -> Option<String> {
        let mut asked = access.clone();
        let mut say = String::new();
        if asked.range.is_none() {
            let id = *bound.value.parts.iter().flatten().last()?;
            let field = &self.field(access.verb.entity().id, id).name;
            let word = match ends {
                Ends::Both => "",
                Ends::From => " from",
                Ends::After => " after",
                Ends::Until => " until",
                Ends::Before => " before",
            };
            say = format!(", and say `range = \"{field}{word}\"`");
            let written = Text::default();
            asked.range = Some(RangeOf { written, id, ends });
        }
        match self.planned_instead(&asked) {
            Answer::Read(plan) => Some(format!(
                "leave `condition` and `values` out{say}; the planner asks: {}",
                plan.key_condition(self.model)
            )),
            _ => None,
        }
    }

    /// A planned read in one line: ``Query on `GSI1`: GSI1PK = … ``
    pub(crate) fn read_in_words(&self, plan: &ReadPlan) -> String {
        let mut text = format!(
            "{} on {}: {}",
            plan.operation.as_str(),
            self.name_of_place(plan.place),
            plan.key_condition(self.model)
        );
        if plan.order == (OrderGiven::Yes { backwards: true }) {
            text.push_str(", backwards");
        }
        if plan.requests > 1 {
            let _ = write!(text, ", {} requests", plan.requests);
        }
        text
    }
}

impl<'c> Asked<'c> {
    /// The key of an entity where the read asks.
    pub(crate) fn key_of<'m>(&self, context: &Context<'m>, entity: EntityId) -> Option<&'m Key> {
        match &self.origin {
            Origin::ByHand(plan) => plan.key_of(context.model, entity),
            Origin::Planned(plan) => plan.key_of(context.model, entity),
        }
    }

    /// The sort template of an entity where the read asks.
    pub(crate) fn sort_of<'m>(
        &self,
        context: &Context<'m>,
        entity: EntityId,
    ) -> Option<&'m KeyTemplate> {
        self.key_of(context, entity)?.sort.as_ref()
    }

    /// Whether one value of the field is fixed for all items of the answer.
    pub(crate) fn fixes(&self, context: &Context<'_>, entity: EntityId, field: FieldId) -> bool {
        let name = context.field(entity, field).name.as_str();
        let by = self.access.by.iter().any(|by| by.written.value == name);
        by || match &self.origin {
            Origin::ByHand(plan) => self.sort_of(context, entity).is_some_and(|sort| {
                let fixed = sort.parts.iter().take(plan.fixed_pieces);
                fixed.flatten().any(|part| *part == field)
            }),
            Origin::Planned(plan) => {
                let texts = plan.sort.texts();
                let pieces = std::iter::once(&plan.partition)
                    .chain(texts)
                    .flat_map(|text| &text.pieces);
                pieces.into_iter().any(|piece| {
                    matches!(piece, tablewright_plan::KeyPiece::Value {
                        typed: tablewright_keys::TypedPiece::Field { name: own, .. },
                        origin: tablewright_plan::Origin::Fixed(_),
                    } if own == name)
                })
            }
        }
    }
}
