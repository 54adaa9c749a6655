//! Requests written by hand: parsed, and held against the templates of what they ask.

mod align;
mod chosen;
mod key_condition;
mod require;

use tablewright_model::model::{
    Access, ActionKind, ByHand, EntityId, KeyTemplate, Model, Request, Verb,
};
use tablewright_model::{Span, Text};

pub use align::{Alignment, align};
pub use chosen::stored_keys;

use crate::expression::{self, KeyTest};
use crate::order::OrderGiven;
use crate::read::Place;

/// A request written by hand, understood as far as it can be.
#[derive(Debug, Clone)]
pub struct HandPlan {
    /// The operation: as said, or what the verb needs.
    pub request: Request,
    /// Where that was said.
    pub request_span: Option<Span>,
    /// Where it asks.
    pub place: Place,
    /// What it is meant to give or write.
    pub entities: Vec<EntityId>,
    /// Which of an entity's keys there it asks, where the model gives it several: by position in [`stored_keys`].
    keys: Vec<(EntityId, usize)>,
    /// The test of the partition key.
    pub partition: Option<HandTest>,
    /// The test of the sort key.
    pub sort: Option<HandTest>,
    /// How many pieces of the stored sort key the test fixes: what is left sorts the answer.
    pub fixed_pieces: usize,
    /// Whether a query gives the order asked for.
    pub order: OrderGiven,
    /// The filter of a read.
    pub filter: Option<expression::Condition>,
    /// The condition of a write.
    pub write_condition: Option<expression::Condition>,
    /// What cannot be understood.
    pub faults: Vec<HandFault>,
    /// Reserved words that stand in an expression without an alias.
    pub reserved: Vec<(Span, String)>,
}

/// Something in an expression that cannot be understood.
#[derive(Debug, Clone)]
pub struct HandFault {
    /// Where.
    pub span: Span,
    /// What, and what to write.
    pub message: String,
}

/// The test of one key attribute.
#[derive(Debug, Clone)]
pub struct HandTest {
    /// The attribute.
    pub attribute: String,
    /// The test as written.
    pub test: KeyTest,
    /// The characters of the test.
    pub span: Span,
    /// Its values, in order: each with the template it is compared with.
    pub values: Vec<HandOperand>,
}

/// A value of a test, held against the stored key.
#[derive(Debug, Clone)]
pub struct HandOperand {
    /// The placeholder.
    pub name: String,
    /// The value's template.
    pub value: KeyTemplate,
    /// The template of what is stored.
    pub stored: KeyTemplate,
    /// How they compare.
    pub alignment: Alignment,
    /// Whether it is a key, or the beginning of one, of another entity that is asked for.
    pub fits_another: bool,
}

/// Understands a request written by hand.
pub(crate) fn verify(model: &Model, access: &Access, by_hand: &ByHand) -> HandPlan {
    let entities: Vec<EntityId> = access
        .verb
        .entities()
        .iter()
        .map(|entity| entity.id)
        .collect();
    let main = access.verb.entity().id;
    let table_id = model.entity(main).table;
    let mut plan = HandPlan {
        request: by_hand
            .request
            .map_or_else(|| usual_request(access, by_hand), |request| request.value),
        request_span: by_hand.request.map(|request| request.span),
        place: Place {
            table: table_id,
            index: by_hand.index.as_ref().map(|(_, index)| *index),
        },
        entities,
        keys: Vec::new(),
        partition: None,
        sort: None,
        fixed_pieces: 0,
        order: OrderGiven::Yes { backwards: false },
        filter: None,
        write_condition: None,
        faults: Vec::new(),
        reserved: Vec::new(),
    };
    if let Some(filter) = &by_hand.filter {
        plan.filter = plan.condition(model, filter, by_hand);
    }
    if let Some(condition) = &by_hand.condition {
        if access.verb.is_read() {
            plan.key_condition(model, main, condition, by_hand);
            plan.fixed_pieces = plan.count_fixed_pieces();
            plan.order = plan.order_of_query(model, access, main);
            plan.refuse_unused_values(by_hand);
            plan.require_what_the_caller_gives(access, by_hand);
        } else {
            plan.write_condition = plan.condition(model, condition, by_hand);
        }
    }
    plan
}

/// The operation a verb needs, where none is said. Only a query can ask an index.
fn usual_request(access: &Access, by_hand: &ByHand) -> Request {
    match &access.verb {
        Verb::Get(_) if by_hand.index.is_some() => Request::Query,
        Verb::Get(_) => Request::GetItem,
        Verb::List(_) | Verb::Count(_) | Verb::Search { .. } => Request::Query,
        Verb::Create(_) => Request::PutItem,
        Verb::Update { .. } => Request::UpdateItem,
        Verb::Delete(_) => Request::DeleteItem,
        Verb::Transact(_) => Request::TransactWriteItems,
        Verb::Batch(action) if action.kind == ActionKind::Get => Request::BatchGetItem,
        Verb::Batch(_) => Request::BatchWriteItem,
    }
}

impl HandPlan {
    fn condition(
        &mut self,
        model: &Model,
        text: &Text,
        by_hand: &ByHand,
    ) -> Option<expression::Condition> {
        match expression::parse_condition(&text.value) {
            Ok(condition) => {
                let reserved = expression::unaliased_reserved_words(&condition);
                self.note_reserved(text, &reserved);
                let values: Vec<_> = condition
                    .values()
                    .map(|value| (value.text.clone(), value.span.clone()))
                    .collect();
                for (name, span) in values {
                    self.require_value(text, &name, span, by_hand);
                }
                for path in condition.paths() {
                    self.require_attribute(model, text, &path.name, by_hand);
                }
                Some(condition)
            }
            Err(error) => {
                self.fault(text.at(error.span.clone()), error.to_string());
                None
            }
        }
    }
}
