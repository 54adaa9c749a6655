//! Many calls of every read pattern: ordinary ones, the heaviest, and those at every edge.

mod bases;
mod fillings;
mod refinements;
mod shown;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tablewright_model::Model;
use tablewright_model::model::{Access, ActionKind, EntityId, Verb};

use crate::data::{Chance, Population, size_of_record};
use crate::of_all::is_of_all;
use crate::question::{Kind, Question, Refinement};
use crate::record::Record;
use bases::{Base, bases};
use fillings::fillings;
use shown::{at_the_edges, one_that_is_answered};

/// So many questions of one pattern at most, beside all the ways to refine it.
const MOST: usize = 40;

/// Calls of a read pattern about the small part of a population: typical ones, the heaviest, awkward values, ranges that end on stored
/// values, and neighbours that must not match. Of a batch that changes what it finds: what it could be called with. None for any other
/// write.
pub fn questions(
    model: &Model,
    access: &Access,
    population: &Population,
    seed: u64,
) -> Vec<Question> {
    let finds = matches!(&access.verb, Verb::Batch(_));
    if !access.verb.is_read() && !finds {
        return Vec::new();
    }
    let mut entities: Vec<EntityId> = access.verb.entities().iter().map(|one| one.id).collect();
    entities.dedup();
    // What begins with a count is asked for by what it counts.
    let counters = entities.iter().flat_map(|id| &model.entity(*id).counters);
    let counted: Vec<EntityId> = counters.map(|counter| counter.counts.1).collect();
    let is_about = |record: &&Record| {
        entities.contains(&record.entity()) || counted.contains(&record.entity())
    };
    let subject = Subject {
        model,
        access,
        records: population.small.iter().filter(is_about).collect(),
        now: population.now,
    };
    let mut chance = Chance::of(seed, &format!("questions {}", access.name));
    if let Verb::Batch(action) = &access.verb
        && action.kind == ActionKind::Get
    {
        let mut questions = batches(&subject, &mut chance);
        questions.extend(one_that_is_answered(&subject, &questions, &mut chance));
        questions.extend(at_the_edges(&subject, &questions, &mut chance));
        return questions;
    }
    let mut questions: Vec<Question> = Vec::new();
    let mut always: Vec<Question> = Vec::new();
    for (number, base) in bases(&subject, &mut chance).into_iter().enumerate() {
        for question in fillings(&subject, &base, number == 0, &mut chance) {
            let question = subject.held_to_facts(&base, question);
            if base.always {
                always.push(question);
            } else if !questions.iter().any(|known| known.asks_the_same(&question)) {
                questions.push(question);
            }
        }
    }
    // What is refined in its own way is asked once for each field, and takes nobody's place.
    let mut room = MOST;
    questions.retain(|question| {
        let mut wanted = question.refine.values();
        if wanted.any(|wanted| !matches!(wanted, Refinement::Is(_))) {
            return true;
        }
        let has_room = room > 0;
        room = room.saturating_sub(1);
        has_room
    });
    for question in always {
        if !questions.iter().any(|known| known.asks_the_same(&question)) {
            questions.push(question);
        }
    }
    questions.extend(one_that_is_answered(&subject, &questions, &mut chance));
    questions.extend(at_the_edges(&subject, &questions, &mut chance));
    questions
}

/// What is asked about.
struct Subject<'q> {
    model: &'q Model,
    access: &'q Access,
    records: Vec<&'q Record>,
    now: i64,
}

impl Subject<'_> {
    /// Everything that is read for a base is as the model declares it.
    fn keeps_to_facts(&self, base: &Base<'_>) -> bool {
        self.are_as_many_as_declared(base)
            && self.are_as_large_as_declared(base)
            && self.are_alive(base)
    }

    /// A question about a base, which says whether a budget must be kept.
    fn held_to_facts(&self, base: &Base<'_>, question: Question) -> Question {
        let are_many = self.are_as_many_as_declared(base);
        let are_large = self.are_as_large_as_declared(base);
        let are_alive = self.are_alive(base);
        let within_facts = question.within_facts && are_many && are_alive;
        Question {
            by_page: within_facts,
            within_facts: within_facts && are_large,
            ..question
        }
    }

    /// All there is, or all of one word, is not about a few: the rare item that is larger than said does not count.
    fn is_of_all(&self) -> bool {
        is_of_all(self.model, self.access, self.access.verb.entity().id)
    }

    /// No more than the pattern says by `returns`.
    fn are_as_many_as_declared(&self, base: &Base<'_>) -> bool {
        // A page that is filled by whatever comes next costs the same however long the list is.
        let access = self.access;
        let next_will_do = matches!(access.verb, Verb::List(_))
            && access.condition.is_none()
            && access.returns.is_some_and(|most| access.page.value <= most);
        let returns = access
            .returns
            .filter(|_| !next_will_do && !self.is_of_all())
            .and_then(|most| usize::try_from(most).ok());
        returns.is_none_or(|most| base.records.len() <= most)
    }

    /// No larger than declared; of everybody's items most, since a word that is long itself makes all of its items larger.
    fn are_as_large_as_declared(&self, base: &Base<'_>) -> bool {
        let (larger, there_are) = self.read(base, |record| !is_as_declared(self.model, record));
        larger == 0 || (self.is_of_all() && larger * 2 < there_are)
    }

    /// Nothing that is over: it is read and paid for, and no page shows it.
    fn are_alive(&self, base: &Base<'_>) -> bool {
        self.is_of_all() || self.read(base, |record| !self.is_alive(record)).0 == 0
    }

    /// How many items are read that are so, of how many.
    fn read(&self, base: &Base<'_>, is_so: impl Fn(&Record) -> bool) -> (usize, usize) {
        let entities = self.access.verb.entities();
        let is_read = |record: &&&Record| entities.iter().any(|one| one.id == record.entity());
        let read = base.records.iter().filter(is_read);
        read.fold((0, 0), |(so, all), record| {
            (so + usize::from(is_so(record)), all + 1)
        })
    }

    fn is_alive(&self, record: &Record) -> bool {
        let ttl = self.model.entity(record.entity()).ttl.as_ref();
        let end = ttl.and_then(|(_, ttl)| record.value(*ttl)?.as_i64());
        end.is_none_or(|end| end > self.now / 1000)
    }
}

/// Whether an item is no larger than declared.
pub(crate) fn is_as_declared(model: &Model, record: &Record) -> bool {
    let declared = model.entity(record.entity()).facts.size;
    declared.is_none_or(|size| size_of_record(model, record) as u64 <= size)
}

impl Question {
    fn asks_the_same(&self, other: &Question) -> bool {
        (&self.given, &self.refine, &self.words, &self.keys)
            == (&other.given, &other.refine, &other.words, &other.keys)
    }

    pub(crate) fn new(kind: Kind, given: Map<String, Value>) -> Self {
        Question {
            kind,
            given,
            refine: BTreeMap::new(),
            words: None,
            keys: Vec::new(),
            within_facts: true,
            by_page: false,
        }
    }
}

/// Keys by the few and by the many: more than one request takes, some twice, some of nothing.
fn batches(subject: &Subject<'_>, chance: &mut Chance) -> Vec<Question> {
    let all = bases(subject, chance);
    let keys: Vec<Map<String, Value>> = all.iter().map(|base| base.given.clone()).collect();
    let any = |count: usize, chance: &mut Chance| -> Vec<Map<String, Value>> {
        let records = (0..count).filter_map(|_| {
            let number = chance.below(subject.records.len());
            bases::given_of(subject, subject.records.get(number)?)
        });
        records.collect()
    };
    let question = |kind: Kind, keys: Vec<Map<String, Value>>| Question {
        keys,
        // It has not as many keys as declared.
        within_facts: false,
        ..Question::new(kind, Map::new())
    };
    let mut twice = any(3, chance);
    twice.extend(twice.clone());
    let mut questions = vec![
        question(Kind::Typical, any(5, chance)),
        question(Kind::Heavy, any(130, chance)),
        question(Kind::NearMiss, keys),
        question(Kind::Boundary, twice),
        question(Kind::Boundary, Vec::new()),
    ];
    for _ in 0..4 {
        questions.push(Question {
            within_facts: true,
            ..question(Kind::Typical, as_many_as_declared(subject, chance))
        });
    }
    questions
}

/// As many different keys as the pattern declares, of items that are as declared: of a batch that does not say, one.
fn as_many_as_declared(subject: &Subject<'_>, chance: &mut Chance) -> Vec<Map<String, Value>> {
    let most = subject.access.returns.unwrap_or(1);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut keys: Vec<Map<String, Value>> = Vec::new();
    let first = chance.below(subject.records.len());
    let (behind, before) = subject.records.split_at(first);
    for record in before.iter().chain(behind) {
        if keys.len() >= most {
            break;
        }
        let Some(given) = bases::given_of(subject, record) else {
            continue;
        };
        let base = Base {
            kind: Kind::Typical,
            given: given.clone(),
            records: vec![*record],
            always: false,
        };
        if subject.keeps_to_facts(&base) && !keys.contains(&given) {
            keys.push(given);
        }
    }
    keys
}
