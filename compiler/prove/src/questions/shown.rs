//! A question with an answer, where chance has asked none: an answer of nothing shows nothing.

use serde_json::{Map, Value};
use tablewright_model::model::{Ends, FieldId, Verb};

use super::Subject;
use super::bases::{Base, given_of};
use super::fillings::{lowered, stored};
use crate::data::Chance;
use crate::demand::edges::edges;
use crate::demand::{Demand, is_about_counts};
use crate::oracle::Oracle;
use crate::parameters;
use crate::question::{Kind, Question};
use crate::record::Record;

/// So many items are tried.
const TRIES: usize = 100;

/// So many questions are asked for the edges of one condition.
const EDGES: usize = 16;

/// A question about an item that is what a read asks for; none where such a one is asked already, or there is no such item.
pub(super) fn one_that_is_answered(
    subject: &Subject<'_>,
    asked: &[Question],
    chance: &mut Chance,
) -> Option<Question> {
    if !subject.access.verb.is_read() {
        return None;
    }
    let entities = subject.access.verb.entities().into_iter();
    let demands = entities.filter_map(|one| Demand::of_read(subject.model, subject.access, one.id));
    let demands: Vec<Demand<'_>> = demands.collect();
    let is_met = |record: &Record| demands.iter().any(|demand| demand.meets(record));
    let records = subject.with_their_counts().into_iter();
    let met: Vec<Record> = records.filter(is_met).collect();
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
    let mut about = met.iter().filter_map(|record| {
        let question = subject.about(record, chance)?;
        Some((record, question))
    });
    let found = about.by_ref().take(TRIES).find(|(record, question)| {
        let mut alone = each_alone(question).into_iter();
        alone.any(|one| oracle.is_asked_for(subject.access, &one, record))
    });
    found.map(|(_, question)| question)
}

/// Questions about items at the edges of the condition, where none is asked about them yet: what has the value that is named, and what is just beside it.
pub(super) fn at_the_edges(
    subject: &Subject<'_>,
    asked: &[Question],
    chance: &mut Chance,
) -> Vec<Question> {
    let Some(written) = &subject.access.condition else {
        return Vec::new();
    };
    let (model, condition) = (subject.model, &written.condition);
    let mut questions: Vec<Question> = Vec::new();
    for one in subject.access.verb.entities() {
        let all = edges(model, one.id, condition);
        for edge in &all {
            let those = subject.records.iter().filter(|record| {
                record.entity() == one.id && edge.is_of(record) && subject.is_alive(record)
            });
            let mut deciding = those.filter_map(|record| {
                Some((
                    record,
                    edge.decides(model, condition, record, &all, chance)?,
                ))
            });
            let Some((record, (_, given))) = deciding.next() else {
                continue;
            };
            drop(deciding);
            let known = asked.iter().chain(&questions);
            let question = subject.about_with(record, given);
            questions.extend(question.filter(|question| {
                let mut known = known.clone();
                !known.any(|known| known.asks_the_same(question))
            }));
        }
    }
    questions.truncate(EDGES);
    questions
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
    /// The records it is about; where the condition is about what they count, with that.
    fn with_their_counts(&self) -> Vec<Record> {
        if !is_about_counts(self.model, self.access) {
            return self.records.iter().copied().cloned().collect();
        }
        let oracle = Oracle::new(self.model, self.records.iter().copied(), self.now);
        let entities = self.access.verb.entities().into_iter();
        let records = entities.flat_map(|one| oracle.records(one.id));
        records.map(|record| oracle.counted(record)).collect()
    }

    /// What somebody asks who means this item.
    fn about(&self, record: &Record, chance: &mut Chance) -> Option<Question> {
        let condition = self.access.condition.as_ref();
        let given = match condition.map(|written| &written.condition) {
            Some(condition) => {
                let known = given_of(self, record)?;
                parameters::found(self.model, condition, record, &known, true, chance)?
            }
            None => Map::new(),
        };
        self.about_with(record, given)
    }

    /// What somebody asks who means this item, with some values of the condition.
    fn about_with(&self, record: &Record, values: Map<String, Value>) -> Option<Question> {
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
        let known: Vec<String> = question.given.keys().cloned().collect();
        let values = values.into_iter();
        let values = values.filter(|(name, _)| !known.contains(name));
        question.given.extend(values);
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
