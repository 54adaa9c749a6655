//! The course of a proof: fill a small table, ask everything, write everything, ask again, fill it ten times over, ask again. Before costs are
//! measured, what is past its TTL is deleted.

mod aftermath;
mod ask;
mod bench;
mod calibrate;
mod error;
mod fill;
mod finding;
mod hand;
mod pages;
mod perform;
mod place;
mod reads;
mod settle;
mod stored;
mod sweep;
mod verdict;
mod writes;

pub use error::ProveError;
pub use place::{LeftBehind, PREFIX, Place};

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use tablewright::descriptor::Schema;
use tablewright::descriptor::written::{ActionText, WriteText};
use tablewright_model::Model;
use tablewright_model::model::FieldId;
use tablewright_plan::{Answer, Plan, fingerprint, lower_planned, plan};

use self::ask::Reader;
use self::bench::Bench;
use self::fill::Unstored;
use self::hand::{HandRead, HandWrite};
use self::perform::Writer;
use self::verdict::Account;
use crate::enough::enough;
use crate::indexed::entries;
use crate::proof::Proof;
use crate::{Few, Later, Oracle, Population, Record, heat};

/// What a proof is made with. The same settings give the same proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Items in the small table, about, and more where patterns need more to be called; in the large one ten times as many.
    pub items: usize,
    /// What the data is made from.
    pub seed: u64,
}

/// The steps of a proof, for those who wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Data is made.
    Making,
    /// The small table is filled.
    Filling,
    /// Every pattern is asked, with pages of many sizes.
    Asking,
    /// Every write is done.
    Writing,
    /// What is past its TTL is deleted: what it costs to read over it is nobody's plan.
    Sweeping,
    /// Every pattern is asked again, of what the writes left.
    AskingAgain,
    /// The table is made ten times as large.
    Growing,
    /// Every pattern is asked again, of the large table.
    AskingAtLast,
}

impl Step {
    /// What is being done, in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Step::Making => "making data",
            Step::Filling => "filling the small table",
            Step::Asking => "asking every pattern",
            Step::Writing => "writing",
            Step::Sweeping => "deleting what is past its TTL",
            Step::AskingAgain => "asking again after the writes",
            Step::Growing => "filling the large table",
            Step::AskingAtLast => "asking the large table",
        }
    }
}

/// Told how far a step is: so many of so many.
pub(crate) type Watch<'w> = &'w (dyn Fn(u64, u64) + Sync);

/// Proves a model: every pattern is run for real, and every answer held against what the pattern means. `watch` hears of every step and how
/// far it is. The tables stay until [`Place::clear`], which is to be called whatever becomes of this, also when it is dropped.
///
/// # Errors
/// [`ProveError`], when it cannot be told whether the model is right. A model that is wrong has a proof that failed.
pub async fn prove(
    model: &Model,
    settings: Settings,
    place: &Place,
    watch: &(dyn Fn(Step, u64, u64) + Sync),
) -> Result<Proof, ProveError> {
    let mut proving = pin!(proved(model, settings, place, watch));
    // A panic ends the proof and not who called for it: the tables are still to be cleared away. Nothing of what it left half done is used.
    poll_fn(|context| {
        catch_unwind(AssertUnwindSafe(|| proving.as_mut().poll(context)))
            .unwrap_or_else(|panic| Poll::Ready(Err(ProveError::of_panic(&*panic))))
    })
    .await
}

async fn proved(
    model: &Model,
    settings: Settings,
    place: &Place,
    watch: &(dyn Fn(Step, u64, u64) + Sync),
) -> Result<Proof, ProveError> {
    watch(Step::Making, 0, 1);
    let population = enough(model, settings.items, settings.seed)?;
    let plans = plan(model);
    let mut schema = lower_planned(model, &plans);
    for entity in &model.entities {
        let name = entity.name.as_str();
        let delete = WriteText::new(&room_for(name)).action(ActionText::delete(name));
        schema.writes.push(delete);
        let fields = (0..entity.fields.len()).map(FieldId);
        let others = fields.filter(|field| !entity.key.has(*field));
        let others: Vec<&str> = others
            .map(|field| entity.field(field).name.as_str())
            .collect();
        if !others.is_empty() {
            let update = ActionText::update(name).set(&others);
            schema
                .writes
                .push(WriteText::new(&making_over(name)).action(update));
        }
    }
    let schema = Schema::resolve(schema).map_err(ProveError::NoSchema)?;
    // A run proves a handful of models, and a description is a few kilobytes.
    let schema: &'static Schema = Box::leak(Box::new(schema));
    place.make_tables(schema).await?;
    let (store, meter) = place.store(population.now).metered();
    let bench = Bench {
        model,
        plans: &plans,
        schema,
        store,
        meter,
        place,
    };
    let course = Course {
        bench,
        settings,
        watch,
    };
    let proof = course.run(&population).await?;
    let design = fingerprint(model, &plans);
    Ok(Proof { design, ..proof })
}

/// What the records in a table took at least: whole units, one for each item and one for each of its entries in indexes.
fn least_units(model: &Model, records: &[Record], unstored: &Unstored) -> f64 {
    let stored = records
        .iter()
        .filter(|record| !unstored.contains_key(&record.entity()));
    let units = stored.map(|record| 1 + entries(model, record));
    units.sum::<usize>() as f64
}

/// The name of the write that takes an item of an entity away; no pattern can have it.
fn room_for(entity: &str) -> String {
    format!("making room for {entity}")
}

/// The name of the write that makes an item of an entity over; no pattern can have it.
fn making_over(entity: &str) -> String {
    format!("making over {entity}")
}

/// A proof under way.
struct Course<'c> {
    bench: Bench<'c>,
    settings: Settings,
    watch: &'c (dyn Fn(Step, u64, u64) + Sync),
}

impl Course<'_> {
    async fn run(&self, population: &Population) -> Result<Proof, ProveError> {
        let bench = &self.bench;
        let model = bench.model;
        let mut accounts: Vec<Account> =
            model.accesses.iter().map(|_| Account::default()).collect();
        for (account, plan) in accounts.iter_mut().zip(bench.plans) {
            account.open(model, plan);
        }
        bench.calibrate().await?;
        let unstored = bench
            .create(&population.small, &self.step(Step::Filling))
            .await?;
        // An endpoint that does not say what it used would pass every budget.
        let units = bench.meter.used().write_units;
        if units < least_units(model, &population.small, &unstored) {
            return Err(match units == 0.0 {
                true => ProveError::NoCapacity,
                false => ProveError::OtherCapacity,
            });
        }
        for (account, access) in accounts.iter_mut().zip(&model.accesses) {
            account.note_unstored(model, access, &unstored, &population.small);
        }
        let mut oracle = Oracle::new(model, &population.small, population.now);
        let questions = self.questions(population);
        self.ask_full_tables(population, &questions, &mut accounts)
            .await?;
        self.ask_in_pages(&oracle, &questions, &mut accounts)
            .await?;
        let later = Later::of(model, &population.more);
        let touched = self.write(&mut oracle, &later, &mut accounts).await?;
        drop(later);
        self.ask_about(&oracle, &touched, population.now, &mut accounts)
            .await?;
        self.sweep(population).await?;
        let questions = self
            .fill_pages(&mut oracle, population, questions, &mut accounts)
            .await?;
        self.ask_small(&oracle, &questions, &mut accounts).await?;
        let unstored = bench
            .load(&population.more, &self.step(Step::Growing))
            .await?;
        for (account, access) in accounts.iter_mut().zip(&model.accesses) {
            account.note_unstored(model, access, &unstored, &population.more);
        }
        for record in &population.more {
            oracle.insert(record.clone());
        }
        self.ask_beside(&oracle, population, &mut accounts).await?;
        self.sweep(population).await?;
        self.ask_large(&oracle, &questions, &mut accounts).await?;
        drop(oracle);
        let records = population.small.iter().chain(&population.more);
        let sizes = (
            population.small.len() as u64,
            records.clone().count() as u64,
        );
        let heat = heat(model, records);
        let few = Few::of(model, population);
        let made = (sizes, few);
        Ok(verdict::proof(bench, self.settings, made, accounts, heat))
    }

    /// Answers were held to leave out what is over; costs are those of tables from which it is gone. The oracle keeps it: nobody may see
    /// it either way, and what was counted stays counted.
    async fn sweep(&self, population: &Population) -> Result<(), ProveError> {
        let watch = self.step(Step::Sweeping);
        self.bench.sweep(population.now, &watch).await
    }

    fn step(&self, step: Step) -> impl Fn(u64, u64) + Sync + '_ {
        move |done, of| (self.watch)(step, done, of)
    }
}

/// How a pattern is read, if it is a read that can be asked, or a batch that asks for its items.
fn reader<'r>(bench: &'r Bench<'_>, position: usize) -> Option<Reader<'r>> {
    let (access, plan): (_, &Plan) = (&bench.model.accesses[position], &bench.plans[position]);
    let is_read = access.verb.is_read();
    match (&plan.answer, &access.by_hand) {
        (Answer::Read(_) | Answer::Write(_), _) if plan.read().is_some() => {
            let mut reads = bench.schema.reads.iter();
            reads
                .find(|read| read.name == access.name.value)
                .map(Reader::Planned)
        }
        (Answer::ByHand(plan), Some(by_hand)) if is_read => {
            Some(Reader::ByHand(HandRead { plan, by_hand }))
        }
        _ => None,
    }
}

/// How a pattern is written, if it is a write that can be done.
fn writer<'w>(bench: &'w Bench<'_>, position: usize) -> Option<Writer<'w>> {
    let (access, plan): (_, &Plan) = (&bench.model.accesses[position], &bench.plans[position]);
    if access.verb.is_read() {
        return None;
    }
    match (&plan.answer, &access.by_hand) {
        (Answer::Write(plan), _) => {
            let name = &access.name.value;
            let write = bench
                .schema
                .writes
                .iter()
                .find(|write| write.name == *name)?;
            let finds = bench.schema.reads.iter().find(|read| read.name == *name);
            Some(Writer::Planned {
                write,
                finds: finds.filter(|_| plan.finds.is_some()),
            })
        }
        (Answer::ByHand(plan), Some(by_hand)) => Some(Writer::ByHand(HandWrite { plan, by_hand })),
        _ => None,
    }
}
