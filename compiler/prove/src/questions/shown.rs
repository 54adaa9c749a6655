//! A question with an answer, where chance has asked none: an answer of nothing shows nothing.

use serde_json::{Map, Value};
use tablewright_model::model::{Ends, FieldId, Verb};

use super::Subject;
use super::bases::{Base, given_of};
use super::fillings::{lowered, stored};
use crate::data::Chance;
use crate::demand::Demand;
use crate::oracle::Oracle;
use crate::parameters;
use crate::question::{Kind, Question};
use crate::record::{Record, numbers};

/// So many items are tried.
const TRIES: usize = 100;

/// A question about an item that is what a read asks for; none where such a one is asked already, or there is no such item.
pub(super) fn one_that_is_answered(
    subject: &Subject<'_>,
    asked: &[Question],
    chance: &mut Chance,
) -> Option<Question> {
    // What an item counts is not known before it is counted.
    if !subject.access.verb.is_read() || subject.is_about_counts() {
        return None;
    }
    let entities = subject.access.verb.entities().into_iter();
    let demands = entities.filter_map(|one| Demand::of_read(subject.model, subject.access, one.id));
    let demands: Vec<Demand<'_>> = demands.collect();
    let records = subject.records.iter().copied();
    let met: Vec<&Record> = records
        .filter(|record| demands.iter().any(|demand| demand.meets(record)))
        .collect();
    let oracle = Oracle::new(subject.model, [], subject.now);
    let is_answered = |question: &Question| {
        let alone = each_alone(question);
        met.iter().any(|record| {
            let mut alone = alone.iter();
            alone.any(|one| oracle.is_asked_for(subject.access, one, record))
        })
    };
    if asked.iter().any(is_answered) {
        return None;
    }
    let mut some = met.iter().take(TRIES);
    some.find_map(|record| {
        let question = subject.about(record, chance)?;
        is_answered(&question).then_some(question)
    })
}

/// A question as it is; of a batch one for each of its keys.
fn each_alone(question: &Question) -> Vec<Question> {
    if question.keys.is_empty() {
        return vec![question.clone()];
    }
    let keys = question.keys.iter();
    let alone = keys.map(|key| Question::new(question.kind, key.clone()));
    alone.collect()
}

impl Subject<'_> {
    /// Whether its condition is about what an item counts.
    fn is_about_counts(&self) -> bool {
        let entity = self.model.entity(self.access.verb.entity().id);
        let counts = numbers(self.model, entity);
        let condition = self.access.condition.iter();
        let mut fields = condition.flat_map(|written| written.condition.fields());
        fields.any(|field| counts.contains(&field.name))
    }

    /// What somebody asks who means this item.
    fn about(&self, record: &Record, chance: &mut Chance) -> Option<Question> {
        let given = given_of(self, record)?;
        let same = |other: &&&Record| given_of(self, other).as_ref() == Some(&given);
        let base = Base {
            kind: Kind::Typical,
            given: given.clone(),
            records: self.records.iter().filter(same).copied().collect(),
            always: true,
        };
        if let Verb::Batch(_) = self.access.verb {
            let one = Question::new(Kind::Typical, Map::new());
            return Some(Question {
                keys: vec![given],
                within_facts: false,
                ..one
            });
        }
        let mut question = Question::new(Kind::Typical, given);
        question.given.extend(self.ends_around(&base, record)?);
        if let Some(written) = &self.access.condition {
            let (condition, given) = (&written.condition, &question.given);
            question.given = parameters::found(self.model, condition, record, given, true, chance)?;
        }
        if let Verb::Search { matches, .. } = &self.access.verb {
            let mut texts = matches
                .iter()
                .filter_map(|field| record.value(field.id)?.as_str());
            let word = texts.find_map(|text| text.split_whitespace().next());
            question.words = Some(word.unwrap_or_default().to_owned());
        }
        Some(self.held_to_facts(&base, question))
    }

    /// Ends of a range that has a record within it.
    fn ends_around(&self, base: &Base<'_>, record: &Record) -> Option<Vec<(String, Value)>> {
        let Some(range) = &self.access.range else {
            return Some(Vec::new());
        };
        let first = self.model.entity(self.access.verb.entity().id);
        let name = first.field(range.id).name.value.clone();
        let field: FieldId = self.model.entity(record.entity()).field_named(&name)?;
        let mine = record.value(field)?;
        let all = stored(self, base, range.id);
        let (least, most) = (all.first().copied()?, all.last().copied()?);
        let end = |end: &Value| vec![(name.clone(), end.clone())];
        Some(match range.ends {
            Ends::Both => vec![
                (format!("{name}_from"), mine.clone()),
                (format!("{name}_to"), mine.clone()),
            ],
            Ends::From | Ends::Until => end(mine),
            Ends::After if least == mine => end(&lowered(mine)),
            Ends::After => end(least),
            Ends::Before => end(most),
        })
    }
}
