//! Planning reads.

mod by_key;

use tablewright_model::condition::Condition;
use tablewright_model::model::{
    Access, Consistency, Entity, EntityId, FieldId, IndexId, Key, Known, Model, TableId, Verb,
};

use self::by_key::{by_counter, by_guard, by_whole_key};
use crate::Answer;
use crate::bound::KnownValues;
use crate::cost::{self, Cost, QueryShape};
use crate::fit::{Fit, Misfit, MisfitReason, candidates, fit, sort_is_number};
use crate::hand::stored_keys;
use crate::order::OrderGiven;
use crate::suggest_key::SuggestedKey;
use crate::{collection, projected, suggest_key};
use tablewright_descriptor::key_text::{KeyText, SortTest};

/// A DynamoDB operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// One item by its key.
    GetItem,
    /// Items of one partition.
    Query,
    /// Many items by their keys.
    BatchGetItem,
    /// A new or replaced item.
    PutItem,
    /// A change of some attributes.
    UpdateItem,
    /// The end of an item.
    DeleteItem,
    /// Several actions, all or none.
    TransactWriteItems,
}

impl Operation {
    /// DynamoDB's name for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Operation::GetItem => "GetItem",
            Operation::Query => "Query",
            Operation::BatchGetItem => "BatchGetItem",
            Operation::PutItem => "PutItem",
            Operation::UpdateItem => "UpdateItem",
            Operation::DeleteItem => "DeleteItem",
            Operation::TransactWriteItems => "TransactWriteItems",
        }
    }
}

/// A table, or an index of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The table.
    pub table: TableId,
    /// The index; none for the table itself.
    pub index: Option<IndexId>,
}

/// The way to the item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    /// Its key.
    Key,
    /// A guard item first, which says where it is.
    Guard(String),
    /// A number kept on another entity.
    Counter {
        /// The entity that keeps it.
        entity: EntityId,
        /// The counter.
        counter: String,
    },
}

impl ReadPlan {
    /// What its cost depends on.
    pub(crate) fn shape(&self) -> QueryShape {
        QueryShape {
            index: self.place.index,
            requests: self.requests,
            consistency: self.consistency,
            filtered: !self.filter.is_empty(),
            whole_key: matches!(self.sort, SortTest::Equals(_)),
            page: self.page.unwrap_or(1),
            fetches: self.fetched.is_some(),
        }
    }

    /// Sets what is fetched from the table, and what it costs in all.
    pub(crate) fn price_query(&mut self, model: &Model, access: &Access) {
        let entities: Vec<&Entity> = self.entities.iter().map(|id| model.entity(*id)).collect();
        if projected::fetches(model, access, self) {
            self.fetched = Some(cost::fetched(model, access, &entities, &self.shape()));
        }
        self.cost = cost::of_query(model, access, &entities, &self.shape());
        // What nothing filters is a full page.
        let filters = !self.filter.is_empty() || !self.refine.is_empty();
        self.looks_at = access.looks_at.filter(|_| filters);
        let most = self.looks_at;
        self.at_most =
            most.map(|most| cost::of_items_looked_at(model, &entities, &self.shape(), most));
    }
}

/// How a read is answered.
#[derive(Debug, Clone)]
pub struct ReadPlan {
    /// The operation.
    pub operation: Operation,
    /// The way to the item.
    pub via: Via,
    /// Where it asks.
    pub place: Place,
    /// What it gives.
    pub entities: Vec<EntityId>,
    /// The partition key.
    pub partition: KeyText,
    /// The test of the sort key.
    pub sort: SortTest,
    /// Whether the sort key is a number.
    pub sort_is_number: bool,
    /// What only a filter can answer: all must hold.
    pub filter: Vec<Condition>,
    /// Fields the caller may filter by in addition.
    pub refine: Vec<Known>,
    /// How many items a page looks at, at most, whatever a filter leaves of them; as many as it takes where the model does not say.
    pub looks_at: Option<u64>,
    /// What that many cost.
    pub at_most: Option<Cost>,
    /// Only these fields; all when empty.
    pub fields: Vec<Known>,
    /// Whether the order asked for is given.
    pub order: OrderGiven,
    /// Items a page.
    pub page: Option<u64>,
    /// Requests for one answer or page.
    pub requests: u32,
    /// What it may miss.
    pub consistency: Consistency,
    /// Optional fields in the key that the pattern does not ask for.
    pub leaves_out: Vec<FieldId>,
    /// What of its cost is for items that a local index does not hold whole, and that are fetched from the table.
    pub fetched: Option<Cost>,
    /// What it costs.
    pub cost: Cost,
}

impl ReadPlan {
    /// The key of an entity that is asked: of several in one index, the one whose partition is.
    pub fn key_of<'m>(&self, model: &'m Model, entity: EntityId) -> Option<&'m Key> {
        let mut keys = stored_keys(model, entity, self.place);
        if keys.len() > 1 {
            let asked = self.partition.template();
            keys.sort_by_key(|key| key.partition.typed != asked);
        }
        keys.into_iter().next()
    }
}

/// Why nothing answers a pattern, and what would.
#[derive(Debug, Clone)]
pub struct NoAnswer {
    /// What was asked for.
    pub entity: EntityId,
    /// Why each key does not fit.
    pub misfits: Vec<Misfit>,
    /// The index entry that would answer it; none where no index can.
    pub suggestion: Option<SuggestedKey>,
}

pub(crate) fn plan(model: &Model, access: &Access) -> Answer {
    match &access.verb {
        Verb::List(entities) if entities.len() > 1 => collection::plan(model, access, entities),
        verb => one_entity(model, access, verb.entity().id),
    }
}

fn one_entity(model: &Model, access: &Access, id: EntityId) -> Answer {
    let entity = model.entity(id);
    let table = model.table(entity.table);
    let known = KnownValues::of(access, entity);
    if let Verb::Get(_) | Verb::Batch(_) = access.verb
        && let Some(plan) = by_whole_key(model, access, id, &known)
    {
        return Answer::Read(plan);
    }
    if let Verb::Count(_) = access.verb
        && let Some(plan) = by_counter(model, access, id)
    {
        return Answer::Read(plan);
    }
    if let Verb::Get(_) = access.verb
        && let Some(plan) = by_guard(model, access, id, &known)
    {
        return Answer::Read(plan);
    }
    let mut misfits = Vec::new();
    let mut fits = Vec::new();
    for candidate in candidates(entity) {
        match fit(access, entity, table, candidate, &known) {
            Ok(fitting) => fits.push(fitting),
            Err(reason) => misfits.push(Misfit {
                index: candidate.index,
                reason,
            }),
        }
    }
    let strong = access.consistency.value == Consistency::Strong;
    let best = fits.into_iter().min_by_key(|fitting| fitting.rank(strong));
    match best {
        // One item is asked for, and a partition holds many: it is no answer unless the key is whole.
        Some(fitting) if matches!(access.verb, Verb::Get(_)) && !gives_one(entity, &fitting) => {
            misfits.push(Misfit {
                index: fitting.index,
                reason: MisfitReason::FindsSeveral,
            });
            nothing(model, access, id, misfits)
        }
        Some(_) if matches!(access.verb, Verb::Batch(_)) => nothing(model, access, id, misfits),
        Some(fitting) => Answer::Read(query(model, access, id, fitting)),
        None => nothing(model, access, id, misfits),
    }
}

/// Whether a query with all values bound can only give one item: its sort key is whole, or the index has none.
fn gives_one(entity: &Entity, fitting: &Fit) -> bool {
    match (&fitting.sort, fitting.index) {
        (SortTest::Equals(_), _) => true,
        (SortTest::All, Some(index)) => entity.keys_in(index).any(|key| key.key.sort.is_none()),
        _ => false,
    }
}

pub(crate) fn nothing(
    model: &Model,
    access: &Access,
    entity: EntityId,
    misfits: Vec<Misfit>,
) -> Answer {
    Answer::Nothing(NoAnswer {
        entity,
        misfits,
        suggestion: suggest_key::suggestion(model, access),
    })
}

fn query(model: &Model, access: &Access, id: EntityId, fitting: Fit) -> ReadPlan {
    let mut plan = base(
        model,
        access,
        id,
        fitting.index,
        fitting.partition,
        fitting.sort,
    );
    plan.filter = fitting.residual;
    plan.order = fitting.order;
    plan.leaves_out = fitting.leaves_out;
    plan.requests = plan.partition.shards();
    plan.price_query(model, access);
    plan
}

/// A query with everything the pattern says; the caller fills in what its way of answering changes.
pub(crate) fn base(
    model: &Model,
    access: &Access,
    id: EntityId,
    index: Option<IndexId>,
    partition: KeyText,
    sort: SortTest,
) -> ReadPlan {
    let entity = model.entity(id);
    let pages = matches!(access.verb, Verb::List(_) | Verb::Search { .. });
    ReadPlan {
        operation: Operation::Query,
        via: Via::Key,
        place: Place {
            table: entity.table,
            index,
        },
        entities: vec![id],
        sort_is_number: sort_is_number(model.table(entity.table), index),
        partition,
        sort,
        filter: Vec::new(),
        refine: access.refine.clone(),
        looks_at: None,
        at_most: None,
        fields: access.fields.clone(),
        order: OrderGiven::Yes { backwards: false },
        page: pages.then_some(access.page.value),
        requests: 1,
        consistency: access.consistency.value,
        leaves_out: Vec::new(),
        fetched: None,
        cost: Cost::free(),
    }
}
