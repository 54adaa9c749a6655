//! Reads asked for as much as a plan reckons with.

use tablewright::descriptor::{Read, Schema};
use tablewright_model::model::EntityId;

use super::ask::Reader;
use super::bench::Bench;
use super::error::ProveError;
use super::verdict::Account;
use super::{Course, Step, reader};
use crate::deeds::{Filler, FullPage, Measure, Shards};
use crate::{Oracle, Population, Question, Record};

/// What the names of tables begin with that hold nothing but full pages.
const FULL: &str = "full-";

/// Where all is in one partition, whichever it is.
const ONE: Shards<'static> = Shards {
    count: 1,
    of: &|_| Some(String::new()),
};

impl Course<'_> {
    /// Somebody new for every read, with as many items of the declared size as it declares: asked about them, it costs the most there is, however few items the
    /// rest have. It is asked with all other questions.
    pub(super) async fn fill_pages(
        &self,
        oracle: &mut Oracle<'_>,
        population: &Population,
        mut questions: Vec<Vec<Question>>,
        accounts: &mut [Account],
    ) -> Result<Vec<Vec<Question>>, ProveError> {
        let bench = &self.bench;
        let measure = |record: &Record| bench.stored_bytes(record);
        let mut filler = self.filler(oracle, population, &measure);
        for (position, access) in bench.model.accesses.iter().enumerate() {
            if reader(bench, position).is_none() || self.needs_own_tables(&filler, position) {
                continue;
            }
            let asked = &mut questions[position];
            let Some(page) = filler.full_page(access, oracle, asked, &ONE) else {
                continue;
            };
            let unstored = bench.create(&page.made, &|_, _| {}).await?;
            accounts[position].note_unstored(bench.model, access, &unstored, &page.made);
            for record in page.made {
                oracle.insert(record);
            }
            asked.push(page.question);
        }
        Ok(questions)
    }

    /// The same of what is read from several shards, each of which must be full, and of what would stand among the items of a list of everybody's: one of these
    /// that is larger than declared makes a page of them dearer than planned. They have tables of their own, in which nothing else is.
    pub(super) async fn ask_full_tables(
        &self,
        population: &Population,
        questions: &[Vec<Question>],
        accounts: &mut [Account],
    ) -> Result<(), ProveError> {
        let model = self.bench.model;
        let pages = self.pages_apart(population, questions);
        let made = pages.iter().flatten().flat_map(|page| &page.made);
        let made: Vec<Record> = made.cloned().collect();
        if made.is_empty() {
            return Ok(());
        }
        let mut entities: Vec<EntityId> = made.iter().map(Record::entity).collect();
        entities.sort();
        entities.dedup();
        let place = self.bench.place.beside(FULL, self.bench.schema);
        place
            .make_tables(&tables_of(self.bench.schema, &entities))
            .await?;
        let (store, meter) = place.store(population.now).metered();
        let course = Course {
            bench: Bench {
                store,
                meter,
                place: &place,
                ..self.bench
            },
            ..*self
        };
        let watch = self.step(Step::Filling);
        let unstored = course.bench.create(&made, &watch).await?;
        for (account, access) in accounts.iter_mut().zip(&model.accesses) {
            account.note_unstored(model, access, &unstored, &made);
        }
        let oracle = Oracle::new(model, &made, population.now);
        let asked = pages.into_iter();
        let asked = asked.map(|page| page.map(|page| page.question).into_iter().collect());
        let asked: Vec<Vec<Question>> = asked.collect();
        course.ask_full(&oracle, &asked, accounts).await
    }

    /// The full pages of those patterns that have tables of their own.
    fn pages_apart(
        &self,
        population: &Population,
        questions: &[Vec<Question>],
    ) -> Vec<Option<FullPage>> {
        let bench = &self.bench;
        let oracle = Oracle::new(bench.model, &population.small, population.now);
        let measure = |record: &Record| bench.stored_bytes(record);
        let mut filler = self.filler(&oracle, population, &measure);
        let accesses = bench.model.accesses.iter().enumerate();
        let pages = accesses.map(|(position, access)| {
            let asked = &questions[position];
            match self.scattered(position) {
                Some((count, read)) => {
                    let of = |record: &Record| bench.partition_of(record, read);
                    filler.full_page(access, &oracle, asked, &Shards { count, of: &of })
                }
                None => {
                    reader(bench, position)?;
                    let is_apart = self.needs_own_tables(&filler, position);
                    is_apart.then(|| filler.full_page(access, &oracle, asked, &ONE))?
                }
            }
        });
        pages.collect()
    }

    fn filler<'f>(
        &'f self,
        oracle: &Oracle<'_>,
        population: &Population,
        measure: Measure<'f>,
    ) -> Filler<'f> {
        let (model, seed) = (self.bench.model, self.settings.seed);
        Filler::new(model, oracle, population, seed, measure)
    }

    fn needs_own_tables(&self, filler: &Filler<'_>, position: usize) -> bool {
        let access = &self.bench.model.accesses[position];
        self.scattered(position).is_some() || filler.stands_among_all(access)
    }

    /// How many shards a pattern is read from, and how, where there are several.
    fn scattered(&self, position: usize) -> Option<(u64, &'static Read)> {
        let requests = self.bench.plans[position].read()?.requests;
        match reader(&self.bench, position)? {
            Reader::Planned(read) if requests > 1 => Some((u64::from(requests), read)),
            _ => None,
        }
    }
}

/// The same schema with no tables but those of some entities.
fn tables_of(schema: &Schema, entities: &[EntityId]) -> Schema {
    let names = entities.iter().map(|id| &schema.entities[id.0].table.name);
    let names: Vec<&String> = names.collect();
    let mut only = schema.clone();
    only.tables.retain(|table| names.contains(&&table.name));
    only
}
