//! Requests written by hand: parsed, and held against the templates of what they ask.

mod align;
mod chosen;

use tablewright_keys::FieldRef;
use tablewright_model::model::{
    Access, ActionKind, ByHand, EntityId, FieldId, HandValue, KeyAttribute, KeyTemplate, Model,
    Request, Verb,
};
use tablewright_model::{Span, Text};

pub use align::{Alignment, align};
pub use chosen::stored_keys;

use chosen::{half, values_of};

use crate::bound::KnownValues;
use crate::collection;
use crate::expression::{self, KeyTest, NameRef};
use crate::order::{OrderGiven, order_given};
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

    fn key_condition(&mut self, model: &Model, entity: EntityId, text: &Text, by_hand: &ByHand) {
        let condition = match expression::parse_key_condition(&text.value) {
            Ok(condition) => condition,
            Err(error) => {
                self.fault(text.at(error.span.clone()), error.to_string());
                return;
            }
        };
        let reserved = expression::unaliased_reserved_words(&condition);
        self.note_reserved(text, &reserved);
        let table = model.table(self.place.table);
        let (partition_key, sort_key): (&KeyAttribute, Option<&KeyAttribute>) =
            match self.place.index {
                None => (&table.partition_key, table.sort_key.as_ref()),
                Some(index) => {
                    let index = table.index(index);
                    (&index.partition_key, index.sort_key.as_ref())
                }
            };
        let mut terms = Vec::new();
        for term in &condition.terms {
            let attribute = by_hand.attribute(&term.attribute.text).to_owned();
            let of_partition = attribute == partition_key.name;
            let of_sort = sort_key.is_some_and(|key| key.name == attribute);
            if of_partition || of_sort {
                terms.push((term, attribute, of_partition));
                continue;
            }
            let keys: Vec<&str> = std::iter::once(partition_key)
                .chain(sort_key)
                .map(|key| key.name.as_str())
                .collect();
            self.fault(
                text.at(term.attribute.span.clone()),
                format!(
                    "`{attribute}` is no key of what is asked; its keys are {}",
                    tablewright_model::suggest::one_of(&keys)
                ),
            );
        }
        self.choose_keys(model, entity, &values_of(&terms, by_hand));
        for (term, attribute, of_partition) in terms {
            let mut values = Vec::new();
            for value in term.test.values() {
                if let Some(operand) =
                    self.operand(model, entity, text, value, of_partition, by_hand)
                {
                    values.push(operand);
                }
            }
            let test = HandTest {
                attribute,
                test: term.test.clone(),
                span: text.at(term.span.clone()),
                values,
            };
            if of_partition {
                if !matches!(test.test, KeyTest::Equals(_)) {
                    let message = format!(
                        "the partition key can only be asked with `=`: write `{} = :value`",
                        test.attribute
                    );
                    self.fault(test.span, message);
                }
                self.partition = Some(test);
            } else {
                self.sort = Some(test);
            }
        }
        if self.partition.is_none() && self.faults.is_empty() {
            let message = format!(
                "nothing is asked of the partition key: add `{} = :value`",
                partition_key.name
            );
            self.fault(text.content(), message);
        }
    }

    /// Equality and a prefix fix what they cover; a range fixes what stands before the field it bounds.
    fn count_fixed_pieces(&self) -> usize {
        let Some(sort) = &self.sort else {
            return 0;
        };
        let Some(operand) = sort.values.first() else {
            return 0;
        };
        let pieces = operand.stored.template.pieces.len();
        let (covered, last_field) = match &operand.alignment {
            Alignment::Whole | Alignment::Longer => {
                let last = operand.stored.parts.iter().flatten().last();
                (pieces, last.copied())
            }
            Alignment::Prefix {
                covered,
                last_field,
                ..
            } => (*covered, *last_field),
            Alignment::Skips { .. } | Alignment::OtherForm { .. } | Alignment::Differs => return 0,
        };
        match sort.test {
            KeyTest::Equals(_) | KeyTest::BeginsWith(_) => covered,
            _ => last_field
                .and_then(|field| {
                    let parts = &operand.stored.parts;
                    parts.iter().rposition(|part| *part == Some(field))
                })
                .unwrap_or(covered),
        }
    }

    fn order_of_query(&self, model: &Model, access: &Access, main: EntityId) -> OrderGiven {
        match (self.request, self.key_of(model, main)) {
            (Request::Query, _) if self.entities.len() > 1 => {
                collection::order(access.order.as_ref())
            }
            (Request::Query, Some(key)) => order_given(
                access,
                model.entity(main),
                key,
                model.table(self.place.table),
                self.place.index,
                Some(self.fixed_pieces),
                &KnownValues::of(access, model.entity(main)),
            ),
            _ => OrderGiven::Yes { backwards: false },
        }
    }

    fn operand(
        &mut self,
        model: &Model,
        entity: EntityId,
        text: &Text,
        value: &expression::ValueRef,
        of_partition: bool,
        by_hand: &ByHand,
    ) -> Option<HandOperand> {
        self.require_value(text, &value.text, value.span.clone(), by_hand);
        let written = by_hand.value(&value.text)?;
        let part = |key| half(key, of_partition);
        let stored = self.key_of(model, entity).and_then(part);
        let Some(stored) = stored else {
            self.fault(
                text.at(value.span.clone()),
                format!(
                    "{} has no key here, so nothing can be found",
                    model.entity(entity).name
                ),
            );
            return None;
        };
        let stored = stored.clone();
        let alignment = align(&written.value, &stored);
        if let Alignment::OtherForm { field } = alignment {
            self.refuse_other_form(&written.value, &stored, field);
        }
        Some(HandOperand {
            name: value.text.clone(),
            value: written.value.clone(),
            stored,
            alignment,
            fits_another: self.keys.iter().any(|(other, _)| {
                let stored = self.key_of(model, *other).and_then(part);
                let value =
                    align::in_terms_of(&written.value, model.entity(entity), model.entity(*other));
                *other != entity
                    && value
                        .zip(stored)
                        .is_some_and(|(value, stored)| align(&value, stored).can_match())
            }),
        })
    }

    /// The same field encoded differently: some values would be found by chance, and the others never.
    fn refuse_other_form(&mut self, value: &KeyTemplate, stored: &KeyTemplate, field: FieldId) {
        let part = |template: &KeyTemplate| {
            let part = template.field_parts().find(|(_, id, _)| *id == field);
            part.map(|(_, _, part)| (template.span_of(part), part.clone()))
        };
        if let (Some((span, asked)), Some((_, kept))) = (part(value), part(stored)) {
            let right = FieldRef {
                encodings: kept.encodings,
                ..asked.clone()
            };
            self.fault(
                span,
                format!("`{asked}` is not in the form that is stored, `{kept}`: write `{right}`"),
            );
        }
    }

    /// What the caller gives must narrow the answer: a value that no expression takes is silently ignored.
    fn require_what_the_caller_gives(&mut self, access: &Access, by_hand: &ByHand) {
        // Of a GetItem the key must be whole, which has rules of its own.
        if self.request != Request::Query {
            return;
        }
        for by in &access.by {
            let uses = |value: &HandValue| value.value.parts.contains(&Some(by.id));
            if !by_hand.values.iter().any(uses) {
                let message = format!(
                    "the caller gives `{}`, and no value of the request takes it: items with another one are given, too",
                    by.written
                );
                self.fault(by.written.content(), message);
            }
        }
    }

    /// DynamoDB refuses a request with a value that no expression uses.
    fn refuse_unused_values(&mut self, by_hand: &ByHand) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        for value in &by_hand.values {
            let mut texts = by_hand.condition.iter().chain(&by_hand.filter);
            let is_used = texts.any(|text| {
                text.value
                    .split(|c: char| !is_part(c))
                    .any(|word| word == value.name.value)
            });
            if !is_used {
                let message = format!(
                    "no expression uses `{}`, and DynamoDB refuses what is not used: remove it",
                    value.name
                );
                self.fault(value.name.span, message);
            }
        }
    }

    /// An attribute no item has makes a filter drop everything, and a condition never hold.
    fn require_attribute(&mut self, model: &Model, text: &Text, name: &NameRef, by_hand: &ByHand) {
        let attribute = by_hand.attribute(&name.text);
        let known = self.attributes(model);
        if known.contains(&attribute) {
            return;
        }
        let hint = tablewright_model::suggest::nearest(attribute, known.iter().copied());
        let hint = hint.map_or_else(String::new, |near| format!(": did you mean `{near}`?"));
        let message = format!("no item that is asked has an attribute `{attribute}`{hint}");
        self.fault(text.at(name.span.clone()), message);
    }

    /// The attributes the items that are asked can have.
    fn attributes<'m>(&self, model: &'m Model) -> Vec<&'m str> {
        let table = model.table(self.place.table);
        let indexes = table.indexes.iter();
        let index_keys =
            indexes.flat_map(|index| std::iter::once(&index.partition_key).chain(&index.sort_key));
        let keys = std::iter::once(&table.partition_key)
            .chain(&table.sort_key)
            .chain(index_keys);
        let own = [&table.type_attribute, &table.ttl]
            .into_iter()
            .flatten()
            .map(Text::as_str);
        let mut names: Vec<&str> = keys.map(|key| key.name.as_str()).chain(own).collect();
        for entity in self.entities.iter().map(|id| model.entity(*id)) {
            names.extend(entity.fields.iter().map(|field| field.name.as_str()));
            names.extend(entity.counters.iter().map(|counter| counter.name.as_str()));
            if entity.versioned.is_some() {
                names.extend(["data", "data_version", "last_write"]);
            }
        }
        names
    }

    fn require_value(
        &mut self,
        text: &Text,
        name: &str,
        span: std::ops::Range<usize>,
        by_hand: &ByHand,
    ) {
        if by_hand.value(name).is_none() {
            self.fault(
                text.at(span),
                format!("`{name}` has no value: give it in `values`, as in {{ \"{name}\" = \"USER#{{user_id}}\" }}"),
            );
        }
    }

    fn note_reserved(&mut self, text: &Text, names: &[NameRef]) {
        for name in names {
            self.reserved
                .push((text.at(name.span.clone()), name.text.clone()));
        }
    }

    fn fault(&mut self, span: Span, message: String) {
        self.faults.push(HandFault { span, message });
    }
}
