//! One question asked: through the library where the planner answers it, as it is written where it is written by hand.

use serde_json::Value;
use tablewright::descriptor::{Read, Via};
use tablewright::{Error, Found, LARGEST_PAGE, Only};
use tablewright_model::Model;
use tablewright_model::model::{Access, Request, Verb};
use tablewright_plan::Plan;

use super::bench::{Bench, Trouble, values};
use super::hand::HandRead;
use crate::data::size_of_record;
use crate::{Expected, Question, Record, Refinement};

/// How a pattern is asked.
#[derive(Debug)]
pub(crate) enum Reader<'r> {
    /// As the planner says.
    Planned(&'static Read),
    /// As a person wrote it.
    ByHand(HandRead<'r>),
}

impl Reader<'_> {
    /// Whether its `Limit` is written.
    pub(crate) fn has_limit(&self) -> bool {
        matches!(self, Reader::ByHand(hand) if hand.by_hand.limit.is_some())
    }

    /// Whether a page is all that is read for it: nothing is dropped by a filter, and no shard gives what another page shows.
    pub(crate) fn reads_what_it_gives(&self, plan: &Plan) -> bool {
        match self {
            Reader::Planned(_) => {
                let read = plan.read();
                read.is_some_and(|read| read.requests == 1 && read.filter.is_empty())
            }
            Reader::ByHand(hand) => {
                hand.plan.request == Request::Query && hand.plan.filter.is_none()
            }
        }
    }
}

/// How much of a list is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    /// Items a page; what the pattern declares unless said.
    pub(crate) page: Option<u32>,
    /// After so many items no further page is asked for.
    pub(crate) most: usize,
    /// How many pages need not be full that are not the last, since they look at so many items only.
    pub(crate) short_pages: u64,
}

/// What a question gave.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) got: Got,
    /// Read units of the answer, of a list those of its costliest page; of a batch, of all its keys.
    pub(crate) units: f64,
    /// Of a list, those of all its pages that were looked at.
    pub(crate) total: f64,
    /// A page that was not full, and not the last.
    pub(crate) short: Option<String>,
    /// Of a list, its pages: how many items each has, and its read units.
    pub(crate) pages: Vec<(usize, f64)>,
}

#[derive(Debug)]
pub(crate) enum Got {
    /// Items, and whether these are all of them.
    Items { records: Vec<Record>, all: bool },
    /// For each key of a batch.
    Each(Vec<Option<Record>>),
    /// A number.
    Count(u64),
}

impl Asked {
    /// What one request gave, or several that are one answer.
    pub(crate) fn of(got: Got, units: f64) -> Self {
        Asked {
            got,
            units,
            total: units,
            short: None,
            pages: Vec::new(),
        }
    }

    /// Of a list, the units of its costliest page that has only items of which something holds; none without such a page.
    pub(crate) fn costliest_page_of(&self, holds: impl Fn(&Record) -> bool) -> Option<f64> {
        let Got::Items { records, .. } = &self.got else {
            return None;
        };
        let mut rest = records.as_slice();
        let mut costliest: Option<f64> = None;
        for (items, units) in &self.pages {
            let (page, behind) = rest.split_at_checked(*items)?;
            rest = behind;
            if page.iter().all(&holds) {
                costliest = Some(costliest.map_or(*units, |known| known.max(*units)));
            }
        }
        costliest
    }

    /// None when it is what was expected; otherwise the first difference.
    pub(crate) fn difference(&self, bench: &Bench<'_>, expected: &Expected) -> Option<String> {
        let difference = match (&self.got, expected) {
            (Got::Items { records, all: true }, _) => expected.difference(bench.model, records),
            (Got::Items { records, .. }, _) => expected.difference_of_first(bench.model, records),
            (Got::Each(found), _) => expected.difference_of_each(bench.model, found),
            (Got::Count(got), expected) => {
                let expected = expected.len();
                (*got != expected).then(|| format!("{got} instead of {expected}"))
            }
        };
        difference.or_else(|| self.short.clone())
    }

    /// The largest item it gave, in bytes.
    pub(crate) fn largest(&self, model: &Model) -> usize {
        let records: Vec<&Record> = match &self.got {
            Got::Items { records, .. } => records.iter().collect(),
            Got::Each(found) => found.iter().flatten().collect(),
            Got::Count(_) => Vec::new(),
        };
        let sizes = records.into_iter().map(|one| size_of_record(model, one));
        sizes.max().unwrap_or(0)
    }

    /// How many items it gave, or the number.
    pub(crate) fn len(&self) -> u64 {
        match &self.got {
            Got::Items { records, .. } => records.len() as u64,
            Got::Each(found) => found.iter().flatten().count() as u64,
            Got::Count(count) => *count,
        }
    }
}

impl Bench<'_> {
    /// Asks a question.
    pub(crate) async fn ask(
        &self,
        access: &Access,
        reader: &Reader<'_>,
        question: &Question,
        extent: Extent,
    ) -> Result<Asked, Trouble> {
        self.meter.take();
        match reader {
            Reader::ByHand(hand) => hand.ask(self, access, question, extent).await,
            Reader::Planned(read) => self
                .ask_planned(access, read, question, extent)
                .await
                .map_err(|trouble| trouble.or(|| format!("asking {}", access.name))),
        }
    }

    async fn ask_planned(
        &self,
        access: &Access,
        read: &'static Read,
        question: &Question,
        extent: Extent,
    ) -> Result<Asked, Met> {
        let given = values(&question.given);
        match &access.verb {
            Verb::Get(_) => {
                let found: Option<Found> = self.store.get(read, given).await?;
                let records = self.records(found.as_slice())?;
                Ok(self.asked(Got::Items { records, all: true }))
            }
            Verb::Count(_) => {
                let count = if matches!(read.via, Via::Query) && !question.refine.is_empty() {
                    self.query(read, question).count().await?
                } else {
                    self.store.count(read, given).await?
                };
                Ok(self.asked(Got::Count(count)))
            }
            Verb::Batch(_) => {
                let keys = question.keys.iter().map(values).collect();
                let found: Vec<Option<Found>> = self.store.get_many(read, keys).await?;
                let records = found
                    .iter()
                    .map(|found| found.as_ref().map(|one| self.record(one)).transpose());
                Ok(self.asked(Got::Each(records.collect::<Result<_, _>>()?)))
            }
            _ => self.walk(read, question, extent).await,
        }
    }

    fn asked(&self, got: Got) -> Asked {
        Asked::of(got, self.meter.take().read_units)
    }

    fn query(&self, read: &'static Read, question: &Question) -> tablewright::Query<Found> {
        let query = self.store.query::<Found>(read, values(&question.given));
        let refined = question.refine.iter();
        let query = refined.fold(query, |query, (field, value)| {
            query.only(field, &only(value))
        });
        match &question.words {
            Some(words) => query.words(words),
            None => query,
        }
    }

    /// Page after page, each from the cursor of the one before.
    async fn walk(
        &self,
        read: &'static Read,
        question: &Question,
        extent: Extent,
    ) -> Result<Asked, Met> {
        let size = extent.page.unwrap_or(read.page).min(LARGEST_PAGE);
        let mut asked = Asked::of(Got::Count(0), 0.0);
        let mut records = Vec::new();
        let mut cursor: Option<String> = None;
        let mut short_pages = 0;
        loop {
            let query = self.query(read, question).limit(size);
            let page = query.after(cursor.as_deref()).page().await?;
            let units = self.meter.take().read_units;
            asked.units = asked.units.max(units);
            asked.total += units;
            asked.pages.push((page.items.len(), units));
            if page.items.len() < size as usize && page.next.is_some() {
                short_pages += 1;
                if short_pages > extent.short_pages {
                    asked.short.get_or_insert_with(|| {
                        let (has, at) = (page.items.len(), records.len());
                        short(has, size, at, extent.short_pages)
                    });
                }
            }
            records.extend(self.records(&page.items)?);
            cursor = page.next;
            let all = cursor.is_none();
            if all || records.len() >= extent.most {
                asked.got = Got::Items { records, all };
                return Ok(asked);
            }
        }
    }
}

/// What is said of a page that is neither full nor the last, though no more than so many may be so.
fn short(has: usize, size: u32, at: usize, short_pages: u64) -> String {
    let page = format!("the page after {at} items has {has} of {size}, and is not the last");
    match short_pages {
        0 => page,
        most => format!("{page}; {most} such pages look at all there is"),
    }
}

/// A refinement as the library takes it.
fn only(wanted: &Refinement) -> Only<Value> {
    match wanted.clone() {
        Refinement::Is(value) => Only::Is(value),
        Refinement::OneOf(values) => Only::OneOf(values),
        Refinement::From(low) => Only::From(low),
        Refinement::Until(high) => Only::Until(high),
        Refinement::Between(low, high) => Only::Between(low, high),
        Refinement::Present => Only::Present,
        Refinement::Absent => Only::Absent,
    }
}

/// An error of the library, or what was made of one already.
pub(crate) enum Met {
    Error(Error),
    Trouble(Trouble),
}

impl From<Error> for Met {
    fn from(error: Error) -> Self {
        Met::Error(error)
    }
}

impl From<Trouble> for Met {
    fn from(trouble: Trouble) -> Self {
        Met::Trouble(trouble)
    }
}

impl Met {
    /// As trouble, met while doing something.
    pub(crate) fn or(self, doing: impl FnOnce() -> String) -> Trouble {
        match self {
            Met::Error(error) => Trouble::of(doing, error),
            Met::Trouble(trouble) => trouble,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::models;

    /// One item that is larger than declared hides no page but its own.
    #[test]
    fn a_page_is_judged_by_the_items_on_it() {
        let model = models::todo();
        let (id, _) = model.entity_ids().next().unwrap();
        let field = model.entity(id).fields[0].name.value.clone();
        let record = |number: usize| {
            let fields = [(field.clone(), json!(format!("u{number}")))];
            Record::of(&model, id, fields.into_iter().collect()).unwrap()
        };
        let records: Vec<Record> = (0..5).map(record).collect();
        let large = records[1].clone();
        let asked = Asked {
            pages: vec![(2, 9.0), (2, 1.5), (1, 0.5)],
            ..Asked::of(Got::Items { records, all: true }, 9.0)
        };
        assert_eq!(asked.costliest_page_of(|_| true), Some(9.0));
        assert_eq!(asked.costliest_page_of(|one| *one != large), Some(1.5));
        assert_eq!(asked.costliest_page_of(|_| false), None);
    }
}
