//! Reads: the planned key texts become templates again, and their values get names.

use tablewright_descriptor::key_text::{KeyPiece, KeyText, Origin, SortTest};
use tablewright_descriptor::written::{Bound, ReadText, SortText, ViaText};
use tablewright_keys::TypedPiece;
use tablewright_model::Model;
use tablewright_model::condition::{Condition, ValueKind};
use tablewright_model::model::{Access, Consistency, Known, Verb};

use crate::order::OrderGiven;
use crate::read::{Operation, ReadPlan, Via};

pub(super) fn lower(model: &Model, access: &Access, plan: &ReadPlan) -> ReadText {
    let asked = access.verb.entity().written.as_str();
    let entities: Vec<&str> = match &plan.via {
        Via::Counter { .. } => vec![asked],
        _ => {
            let entities = plan.entities.iter();
            entities.map(|id| model.entity(*id).name.as_str()).collect()
        }
    };
    let via = match (&plan.via, plan.operation) {
        (Via::Guard(guard), _) => ViaText::Guard(guard.clone()),
        (Via::Counter { entity, counter }, _) => ViaText::Counter {
            keeper: model.entity(*entity).name.value.clone(),
            counter: counter.clone(),
        },
        (Via::Key, Operation::Query) => ViaText::Query,
        (Via::Key, _) => ViaText::Key,
    };
    let mut names = Names::default();
    let partition = names.template(&plan.partition);
    let sort = names.sort(&plan.sort);
    if let Via::Counter { entity, counter } = &plan.via {
        let counters = model.entity(*entity).counters.iter();
        let per = counters
            .filter(|known| known.name.value == *counter)
            .find_map(|known| known.per.as_ref());
        if let Some((per, _)) = per {
            names.number(access, per.as_str());
        }
    }
    let filter = filter(access, plan);
    if let Some(condition) = &filter {
        names.give_parameters(condition);
    }
    let index = plan.place.index.map(|index| {
        let table = model.table(plan.place.table);
        table.index(index).name.value.clone()
    });
    let text = ReadText::new(access.name.as_str(), &entities, via);
    ReadText {
        index,
        partition,
        sort,
        given: names.given,
        fixed: names.fixed,
        filter: filter.map(|condition| condition.to_string()),
        refine: written(&plan.refine),
        fields: written(&plan.fields),
        matches: match &access.verb {
            Verb::Search { matches, .. } => written(matches),
            _ => Vec::new(),
        },
        backwards: plan.order == OrderGiven::Yes { backwards: true },
        page: plan
            .page
            .map_or(text.page, |page| u32::try_from(page).unwrap_or(u32::MAX)),
        looks_at: plan
            .looks_at
            .map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
        strong: plan.consistency == Consistency::Strong,
        ..text
    }
}

fn written(known: &[Known]) -> Vec<String> {
    known.iter().map(|one| one.written.value.clone()).collect()
}

/// What only a filter can answer, as one condition.
fn filter(access: &Access, plan: &ReadPlan) -> Option<Condition> {
    let whole = access.condition.as_ref();
    let all = whole.map_or(&[][..], |whole| whole.condition.conjuncts());
    match plan.filter.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several if several == all => whole.map(|whole| whole.condition.clone()),
        several => Some(Condition::And(several.to_vec())),
    }
}

/// The names of values in the templates of one read.
#[derive(Default)]
struct Names {
    given: Vec<(String, String)>,
    fixed: Vec<(String, String)>,
}

impl Names {
    fn sort(&mut self, test: &SortTest) -> SortText {
        match test {
            SortTest::All => SortText::All,
            SortTest::Equals(text) => SortText::Equals(self.template(text)),
            SortTest::BeginsWith(text) => SortText::BeginsWith(self.template(text)),
            SortTest::Between(low, high) => SortText::Between(self.bound(low), self.bound(high)),
            SortTest::AtLeast(text) => SortText::AtLeast(self.bound(text)),
            SortTest::Above(text) => SortText::Above(self.bound(text)),
            SortTest::AtMost(text) => SortText::AtMost(self.bound(text)),
            SortTest::Below(text) => SortText::Below(self.bound(text)),
        }
    }

    fn bound(&mut self, text: &KeyText) -> Bound {
        Bound::with_tail(&self.template(text), text.tail)
    }

    fn template(&mut self, text: &KeyText) -> String {
        let pieces = text.pieces.iter();
        pieces.map(|piece| self.piece(piece)).collect()
    }

    fn piece(&mut self, piece: &KeyPiece) -> String {
        match piece {
            KeyPiece::Literal(text) => text.replace('{', "{{").replace('}', "}}"),
            KeyPiece::Value {
                typed: TypedPiece::Literal(_),
                ..
            } => String::new(),
            KeyPiece::Value {
                typed: TypedPiece::Field {
                    name, encodings, ..
                },
                origin,
            } => {
                let named = match origin {
                    Origin::Given(given) => {
                        self.give(given, name);
                        given
                    }
                    Origin::Fixed(value) => {
                        push_once(&mut self.fixed, name, value);
                        name
                    }
                    Origin::EveryShard(_) => name,
                };
                format!("{{{named}{encodings}}}")
            }
        }
    }

    /// Which of several numbers it is: the pattern fixes it, or the caller says it under the name of the field.
    fn number(&mut self, access: &Access, per: &str) {
        let parts = access.condition.iter();
        let mut parts = parts.flat_map(|condition| condition.condition.conjuncts());
        let fixed = parts.find_map(|part| match part {
            Condition::Compare { field, value, .. } if field.name == per => match &value.kind {
                ValueKind::Word(word) | ValueKind::Quoted(word) => Some(word),
                _ => None,
            },
            _ => None,
        });
        match fixed {
            Some(word) => push_once(&mut self.fixed, per, word),
            None => self.give(per, per),
        }
    }

    fn give(&mut self, name: &str, field: &str) {
        push_once(&mut self.given, name, field);
    }

    /// The values of a filter. Where a template uses the name already, it keeps it.
    fn give_parameters(&mut self, condition: &Condition) {
        for (name, field) in condition.parameters_with_fields() {
            if !self.fixed.iter().any(|(fixed, _)| fixed == name) {
                self.give(name, field);
            }
        }
    }
}

fn push_once(pairs: &mut Vec<(String, String)>, name: &str, of: &str) {
    if !pairs.iter().any(|(known, _)| known == name) {
        pairs.push((name.to_owned(), of.to_owned()));
    }
}
