//! Every read pattern asked, in the small table, after the writes, and in the large one.

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, stream};
use tablewright_model::Model;
use tablewright_model::model::{Access, Verb};
use tablewright_plan::Plan;

use super::ask::Extent;
use super::bench::Trouble;
use super::error::ProveError;
use super::finding::Finding;
use super::settle::Patience;
use super::verdict::{Account, Cost};
use super::{Course, Step, reader};
use crate::of_all::is_of_all;
use crate::questions::is_as_declared;
use crate::{Expected, Oracle, Population, Question, Record, questions};

/// So many patterns are asked at once: while the engine works on one, the next is put together.
const AT_ONCE: usize = 4;

/// Of a longer list only so many items are looked at with small pages, and so many with its own.
const FEW: usize = 60;
const MANY: usize = 400;
const ALL: usize = 5_000;

/// So many items of each entity are asked about beside the small table.
const BESIDE: usize = 4;

/// The pages a list is walked in. None is its own.
const PAGES: [(Option<u32>, usize); 4] = [
    (Some(1), FEW),
    (Some(3), FEW),
    (None, MANY),
    (Some(1000), ALL),
];

/// When a pattern is asked, as it is told where it is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    AtFirst,
    OfFullPages,
    AfterTheWrites,
    InTheLargeTable,
}

impl When {
    fn told(self) -> &'static str {
        match self {
            When::AtFirst => "",
            When::OfFullPages => "of full pages, ",
            When::AfterTheWrites => "after the writes, ",
            When::InTheLargeTable => "in the large table, ",
        }
    }
}

/// What asking all questions of one pattern gave.
#[derive(Default)]
struct Told {
    wrong: Option<String>,
    returned: u64,
    expected: u64,
    costs: Vec<Option<Cost>>,
}

impl Course<'_> {
    pub(super) fn questions(&self, population: &Population) -> Vec<Vec<Question>> {
        let model = self.bench.model;
        let accesses = model.accesses.iter().zip(self.bench.plans);
        let asked = accesses.map(|(access, plan)| {
            let finding = Finding::of(access, plan);
            let asked = finding.as_ref().map(|finding| &finding.meant);
            let asked = asked.or_else(|| access.verb.is_read().then_some(access));
            let asked = asked.map(|asked| questions(model, asked, population, self.settings.seed));
            asked.unwrap_or_default()
        });
        asked.collect()
    }

    /// Every question with pages of several sizes: nothing missed, nothing twice, no page short.
    pub(super) async fn ask_in_pages(
        &self,
        oracle: &Oracle<'_>,
        questions: &[Vec<Question>],
        accounts: &mut [Account],
    ) -> Result<(), ProveError> {
        let told = self.ask_all(Step::Asking, When::AtFirst, oracle, questions, &PAGES);
        for (account, told) in accounts.iter_mut().zip(told.await?) {
            account.answered(told.returned, told.expected, told.wrong);
        }
        Ok(())
    }

    /// One page in tables that hold nothing but full ones.
    pub(super) async fn ask_full(
        &self,
        oracle: &Oracle<'_>,
        questions: &[Vec<Question>],
        accounts: &mut [Account],
    ) -> Result<(), ProveError> {
        let one_page = [(None, 1)];
        let told = self.ask_all(
            Step::Asking,
            When::OfFullPages,
            oracle,
            questions,
            &one_page,
        );
        for (account, told) in accounts.iter_mut().zip(told.await?) {
            account.answered(told.returned, told.expected, told.wrong);
            account.full = told.costs;
        }
        Ok(())
    }

    /// What was written is asked for by its own values.
    pub(super) async fn ask_about(
        &self,
        oracle: &Oracle<'_>,
        touched: &[Record],
        now: i64,
        accounts: &mut [Account],
    ) -> Result<(), ProveError> {
        let about = Population::about(touched.to_vec(), now);
        let questions = self.questions(&about);
        let told = self.ask_all(
            Step::AskingAgain,
            When::AfterTheWrites,
            oracle,
            &questions,
            &PAGES[2..3],
        );
        for (account, told) in accounts.iter_mut().zip(told.await?) {
            account.answered(told.returned, told.expected, told.wrong);
        }
        Ok(())
    }

    /// Every question once more, for its cost and for what the writes may have done to it.
    pub(super) async fn ask_small(
        &self,
        oracle: &Oracle<'_>,
        questions: &[Vec<Question>],
        accounts: &mut [Account],
    ) -> Result<(), ProveError> {
        let told = self.ask_all(
            Step::AskingAgain,
            When::AfterTheWrites,
            oracle,
            questions,
            &PAGES[2..3],
        );
        for (account, told) in accounts.iter_mut().zip(told.await?) {
            account.answered(told.returned, told.expected, told.wrong);
            account.small = told.costs;
        }
        Ok(())
    }

    /// The same questions of a table ten times as large.
    pub(super) async fn ask_large(
        &self,
        oracle: &Oracle<'_>,
        questions: &[Vec<Question>],
        accounts: &mut [Account],
    ) -> Result<(), ProveError> {
        let told = self.ask_all(
            Step::AskingAtLast,
            When::InTheLargeTable,
            oracle,
            questions,
            &PAGES[2..3],
        );
        for (account, told) in accounts.iter_mut().zip(told.await?) {
            account.answered(told.returned, told.expected, told.wrong);
            account.large = told.costs;
        }
        Ok(())
    }

    /// A few questions about what was put beside the small table: it is there, and is what it should be.
    pub(super) async fn ask_beside(
        &self,
        oracle: &Oracle<'_>,
        population: &Population,
        accounts: &mut [Account],
    ) -> Result<(), ProveError> {
        let of_each = population.more.chunk_by(|a, b| a.entity() == b.entity());
        let some = of_each.flat_map(|all| all.iter().step_by(all.len().div_ceil(BESIDE)));
        let about = Population::about(some.cloned().collect(), population.now);
        let mut questions = self.questions(&about);
        questions.iter_mut().for_each(|asked| asked.truncate(2));
        let told = self.ask_all(
            Step::AskingAtLast,
            When::InTheLargeTable,
            oracle,
            &questions,
            &PAGES[2..3],
        );
        for (account, told) in accounts.iter_mut().zip(told.await?) {
            account.answered(told.returned, told.expected, told.wrong);
        }
        Ok(())
    }

    async fn ask_all(
        &self,
        step: Step,
        when: When,
        oracle: &Oracle<'_>,
        questions: &[Vec<Question>],
        pages: &[(Option<u32>, usize)],
    ) -> Result<Vec<Told>, ProveError> {
        let watch = self.step(step);
        let of = questions.len() as u64;
        let mut told: Vec<Told> = questions.iter().map(|_| Told::default()).collect();
        let asked = questions
            .iter()
            .enumerate()
            .map(|(position, questions)| async move {
                (
                    position,
                    self.ask_pattern(when, oracle, position, questions, pages)
                        .await,
                )
            });
        let mut asked = stream::iter(asked).buffer_unordered(AT_ONCE);
        let mut done = 0;
        while let Some((position, answer)) = asked.next().await {
            done += 1;
            watch(done, of);
            told[position] = answer?;
        }
        Ok(told)
    }

    async fn ask_pattern(
        &self,
        when: When,
        oracle: &Oracle<'_>,
        position: usize,
        questions: &[Question],
        pages: &[(Option<u32>, usize)],
    ) -> Result<Told, ProveError> {
        let mut told = Told::default();
        let model = self.bench.model;
        let access = &model.accesses[position];
        let finding = Finding::of(access, &self.bench.plans[position]);
        let access = finding.as_ref().map_or(access, |finding| &finding.all);
        let Some(reader) = reader(&self.bench, position) else {
            return Ok(told);
        };
        let plan = &self.bench.plans[position];
        let reads_what_it_gives = reader.reads_what_it_gives(plan);
        let shards = plan.read().map_or(1, |read| read.requests.max(1));
        let is_scattered = shards > 1;
        let bench = self.bench.with_own_meter();
        let mut patience = Patience::of(&self.bench, access);
        for question in questions {
            let expected = oracle.answer(access, question);
            let besides = (
                unrefined(oracle, access, question),
                of_them(oracle, access, question, &expected),
            );
            let meant = finding
                .as_ref()
                .map(|finding| oracle.answer(&finding.meant, question));
            let filters = plan.read().is_some_and(|read| !read.filter.is_empty());
            let filters = filters || !question.refine.is_empty();
            let looks_at = access.looks_at.filter(|_| filters);
            let short_pages = looks_at.map_or(0, |most| {
                let there_are = oracle.count_stored(&of_them_all(access), &about_them(question));
                short_pages(there_are, most, shards)
            });
            let walks = is_walked(access);
            // A `Limit` that is written is the page, whatever is asked for.
            let walks = walks && !reader.has_limit();
            let pages = if walks { pages } else { &pages[..1] };
            for (page, most) in pages {
                let extent = Extent {
                    page: page.filter(|_| walks),
                    most: *most,
                    short_pages,
                };
                let asked = bench
                    .settled(access, &reader, question, extent, &expected, &mut patience)
                    .await;
                let wrong = match asked {
                    Err(Trouble::Failed(why)) => return Err(why),
                    Err(Trouble::Wrong(why)) => {
                        told.expected += expected.len();
                        told.costs.push(None);
                        Some(why)
                    }
                    // What was read was paid for; an endpoint that does not say so would pass for one that is free.
                    Ok((asked, _)) if asked.units == 0.0 && asked.len() > 0 => {
                        return Err(ProveError::NoCapacity);
                    }
                    Ok((asked, difference)) => {
                        told.returned += asked.len();
                        told.expected += match difference {
                            None => asked.len(),
                            Some(_) => expected.len(),
                        };
                        let cost = Cost::of(model, access, &asked, &expected, question, besides);
                        let judged = (question.by_page && reads_what_it_gives)
                            .then(|| asked.costliest_page_of(|one| is_as_stored(oracle, one)));
                        let cost = cost.judged_by_page(judged.flatten());
                        let larger = is_scattered && has_larger(oracle, access, &expected);
                        let cost = cost.beside_larger(larger);
                        told.costs.push(Some(match &meant {
                            Some(meant) => cost.of_finding(&asked, meant),
                            None => cost,
                        }));
                        difference
                    }
                };
                if let Some(why) = wrong
                    && told.wrong.is_none()
                {
                    let why = why + &left_out(model, &self.bench.plans[position]);
                    let pages = page.map(|size| format!("in pages of {size}, "));
                    told.wrong = Some(format!(
                        "{}{}{}: {why}",
                        when.told(),
                        pages.filter(|_| walks).unwrap_or_default(),
                        asked_with(question)
                    ));
                }
            }
        }
        Ok(told)
    }
}

/// What is said beside a wrong answer where the index that is asked does not have every item.
fn left_out(model: &Model, plan: &Plan) -> String {
    let Some(read) = plan.read() else {
        return String::new();
    };
    let (Some(index), Some(entity)) = (read.place.index, read.entities.first()) else {
        return String::new();
    };
    let entity = model.entity(*entity);
    let names: Vec<String> = read
        .leaves_out
        .iter()
        .map(|field| format!("`{}`", entity.field(*field).name))
        .collect();
    if names.is_empty() {
        return String::new();
    }
    let index = &model.table(read.place.table).index(index).name;
    format!(
        "; {index} has no item without {}: ask for those that have it, where = \"{} exists\"",
        names.join(" and "),
        names[0].trim_matches('`')
    )
}

/// Whether an item is stored, and no larger than declared.
fn is_as_stored(oracle: &Oracle<'_>, found: &Record) -> bool {
    let model = oracle.model();
    let stored = oracle.stored(found.entity(), &found.key(model));
    stored.is_some_and(|stored| is_as_declared(model, stored))
}

/// Whether some of everybody's items are larger than declared.
fn has_larger(oracle: &Oracle<'_>, access: &Access, expected: &Expected) -> bool {
    let Expected::Many { records, .. } = expected else {
        return false;
    };
    is_of_all(oracle.model(), access, access.verb.entity().id)
        && !records.iter().all(|one| is_as_stored(oracle, one))
}

/// How many items a list has that the caller refines.
fn unrefined(oracle: &Oracle<'_>, access: &Access, question: &Question) -> Option<u64> {
    if question.refine.is_empty() || !matches!(access.verb, Verb::List(_)) {
        return None;
    }
    let all = Question {
        refine: BTreeMap::new(),
        ..question.clone()
    };
    Some(oracle.answer(access, &all).len())
}

/// How many pages may have looked at enough before they are full: each has gone through its part of some shard.
fn short_pages(there_are: u64, looks_at: u64, shards: u32) -> u64 {
    there_are / (looks_at / u64::from(shards)).max(1)
}

/// How many items there are of whom a question is about, also where it demands so much more that none of them is meant.
fn of_them(oracle: &Oracle<'_>, access: &Access, question: &Question, expected: &Expected) -> u64 {
    if !expected.is_empty() || access.by.is_empty() {
        return expected.len();
    }
    all_of_them(oracle, access, question)
}

/// How many items there are of whom a question is about.
fn all_of_them(oracle: &Oracle<'_>, access: &Access, question: &Question) -> u64 {
    oracle
        .answer(&of_them_all(access), &about_them(question))
        .len()
}

/// The pattern, whatever it demands beside whose items it wants.
fn of_them_all(access: &Access) -> Access {
    Access {
        condition: None,
        range: None,
        ..access.clone()
    }
}

/// The question, whatever it demands beside whose items it wants.
fn about_them(question: &Question) -> Question {
    Question {
        refine: BTreeMap::new(),
        words: None,
        ..question.clone()
    }
}

fn is_walked(access: &Access) -> bool {
    matches!(access.verb, Verb::List(_) | Verb::Search { .. })
}

/// A question as people would ask it.
fn asked_with(question: &Question) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (name, value) in &question.given {
        parts.push(format!("{name} = {}", shortened(&value.to_string())));
    }
    for (name, wanted) in &question.refine {
        let wanted = shortened(&wanted.to_string());
        parts.push(format!("refined by {name} {wanted}"));
    }
    parts.extend(
        question
            .words
            .iter()
            .map(|words| format!("words {words:?}")),
    );
    if !question.keys.is_empty() {
        parts.push(format!("{} keys", question.keys.len()));
    }
    if parts.is_empty() {
        return "asked".to_owned();
    }
    format!("asked with {}", parts.join(", "))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
