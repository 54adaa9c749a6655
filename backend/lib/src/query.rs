//! Lists and searches: a page, everything, or how many.

use std::collections::VecDeque;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use serde::Serialize;
use tablewright_descriptor::Read;

use crate::Store;
use crate::cursor::Binding;
use crate::entity::Row;
use crate::error::{Error, Result};
use crate::only::{Only, Refine, Refinements, Wanted};
use crate::values::{Values, to_attribute};
use crate::walk::{Asked, Walk};

/// The most items a page can have.
pub const LARGEST_PAGE: u32 = 1000;

/// A list or a search, not asked yet.
#[derive(Debug, Clone)]
#[must_use = "a query is asked by page, all, first or count"]
pub struct Query<R> {
    store: Store,
    read: &'static Read,
    given: Values,
    refined: Vec<(String, Wanted)>,
    words: Vec<String>,
    reversed: bool,
    limit: u32,
    looked_at: Option<u32>,
    after: Option<String>,
    caller: String,
    row: PhantomData<fn() -> R>,
}

/// Some of the items, and where the next begin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Page<R> {
    /// The items, in order. A page is full unless it is the last, also with a filter; but for a query that [looks at](Query::looking_at) some items only, or filters and does so by its model.
    pub items: Vec<R>,
    /// The cursor of the next page; none when there is nothing more. The next page may turn out to be empty.
    pub next: Option<String>,
}

impl Store {
    /// A list or a search.
    pub fn query<R: Row>(&self, read: &'static Read, given: Values) -> Query<R> {
        Query {
            store: self.for_pattern(&read.name),
            limit: read.page,
            looked_at: None,
            read,
            given,
            refined: Vec::new(),
            words: Vec::new(),
            reversed: false,
            after: None,
            caller: String::new(),
            row: PhantomData,
        }
    }
}

impl<R: Row> Query<R> {
    /// So many items a page, 1 to [`LARGEST_PAGE`].
    pub fn limit(mut self, items: u32) -> Self {
        self.limit = items;
        self
    }

    /// After the page that gave this cursor; from the beginning without one.
    pub fn after(mut self, cursor: Option<&str>) -> Self {
        self.after = cursor.map(str::to_owned);
        self
    }

    /// For this caller: cursors are good for nobody else.
    pub fn caller(mut self, caller: &str) -> Self {
        self.caller = caller.to_owned();
        self
    }

    /// Only items with this value, of a field the pattern may be refined by. `None` asks for nothing.
    pub fn refine(mut self, field: &str, value: &impl Serialize) -> Self {
        let wanted = to_attribute(value).map(Only::from);
        self.refined.push((field.to_owned(), wanted));
        self
    }

    /// Only these items, by a field the pattern may be refined by.
    pub fn only<T: Serialize>(mut self, field: &str, only: &Only<T>) -> Self {
        self.refined.push((field.to_owned(), only.wanted()));
        self
    }

    /// Only these items, by fields the pattern may be refined by.
    pub fn refined(self, by: &impl Refine) -> Self {
        by.refine(self)
    }

    /// Only items in which all these words occur, whatever their case and accents.
    pub fn words(mut self, words: &str) -> Self {
        self.words = crate::words::words(words);
        self
    }

    /// From the other end: the last of the pattern's order first. It costs the same.
    pub fn reversed(mut self) -> Self {
        self.reversed = !self.reversed;
        self
    }

    /// A page looks at so many items at most, whatever a filter leaves of them: it may be shorter than its limit, or empty, and its cursor goes on. Where few items
    /// pass, this bounds what one request costs. Of a sharded index each shard is looked at in the same measure, and at one item at least. Without it, a page
    /// looks at as many as the model says, where something filters.
    pub fn looking_at(mut self, items: u32) -> Self {
        self.looked_at = Some(items);
        self
    }

    /// How many items a page looks at, at most, where something filters; none where nothing bounds it.
    pub fn looks_at(&self) -> Option<u32> {
        self.looked_at.or(self.read.looks_at)
    }

    fn asked(&self) -> Result<Asked> {
        let mut refined = Refinements::default();
        for (field, wanted) in &self.refined {
            let invalid = |why: &str| Error::invalid(&self.read.name, field, why);
            let wanted = wanted.as_ref().map_err(|why| invalid(why))?;
            if *wanted == Only::Any {
                continue;
            }
            let first = self.read.entities.first();
            let known = self.read.refine.iter().any(|known| known == field);
            let entity = first
                .filter(|_| known)
                .ok_or_else(|| invalid("it cannot be refined by this"))?;
            refined.add(entity, field, wanted)?;
        }
        Ok(Asked {
            given: self.given.clone().checked(&self.read.name)?,
            refined,
            words: self.words.clone(),
            backwards: self.read.backwards != self.reversed,
        })
    }

    /// Everything the answer depends on, so that a cursor is good for nothing else.
    fn bound_values(&self, asked: &Asked) -> Values {
        let mut values = asked.given.clone();
        for (name, value) in asked.refined.values.iter() {
            values = values.with_attribute(name, value.clone());
        }
        let asked_for = asked.refined.conditions.iter().map(ToString::to_string);
        values = values.with("refined", &asked_for.collect::<Vec<_>>());
        values = values.with("words", &self.words);
        if self.reversed {
            values = values.with("reversed", &true);
        }
        values
    }

    fn binding<'a>(&'a self, values: &'a Values) -> Binding<'a> {
        Binding {
            pattern: &self.read.name,
            values,
            caller: &self.caller,
        }
    }

    /// From the cursor on, however far it takes.
    fn begin(&self, asked: Asked, values: &Values) -> Result<Walk> {
        let mut walk = Walk::new(self.store.clone(), self.read, asked)?;
        if let Some(cursor) = &self.after {
            walk.resume(self.store.seal().open(cursor, self.binding(values))?)?;
        }
        Ok(walk)
    }

    /// One page.
    ///
    /// # Errors
    /// [`Error::BadCursor`] for a cursor of another query or caller, [`Error::Invalid`] for a value that is none of its field.
    pub async fn page(self) -> Result<Page<R>> {
        if !(1..=LARGEST_PAGE).contains(&self.limit) {
            let why = format!("a page has 1 to {LARGEST_PAGE} items");
            return Err(Error::invalid(&self.read.name, "limit", why));
        }
        let asked = self.asked()?;
        let values = self.bound_values(&asked);
        let is_filtered = self.read.filter.is_some() || !asked.refined.conditions.is_empty();
        let of_model = self.read.looks_at.filter(|_| is_filtered);
        let mut walk = self.begin(asked, &values)?;
        walk.look_at_most(self.looked_at.or(of_model));
        let items = walk.rows(self.limit).await?;
        let next = walk
            .positions()
            .map(|positions| self.store.seal().close(&positions, self.binding(&values)));
        Ok(Page { items, next })
    }

    /// The first item, however many are looked at for it.
    ///
    /// # Errors
    /// As [`Query::page`].
    pub async fn first(self) -> Result<Option<R>> {
        let asked = self.asked()?;
        let values = self.bound_values(&asked);
        let found = self.begin(asked, &values)?.rows(1).await?;
        Ok(found.into_iter().next())
    }

    /// How many there are. It reads them all, but sends none.
    ///
    /// # Errors
    /// As [`Query::page`].
    pub async fn count(self) -> Result<u64> {
        let asked = self.asked()?;
        Walk::new(self.store, self.read, asked)?.count(None).await
    }
}

impl<R: Row + 'static> Query<R> {
    /// All items, read page by page as they are taken.
    pub fn all(self) -> All<R> {
        let walk = self
            .asked()
            .and_then(|asked| Walk::new(self.store.clone(), self.read, asked));
        All {
            limit: self.limit.clamp(1, LARGEST_PAGE),
            state: match walk {
                Ok(walk) => State::Idle(Box::new(walk)),
                Err(error) => State::Failed(error),
            },
            buffer: VecDeque::new(),
        }
    }
}

type Reading<R> = Pin<Box<dyn Future<Output = (Box<Walk>, Result<Vec<R>>)> + Send>>;

enum State<R> {
    Idle(Box<Walk>),
    Reading(Reading<R>),
    Failed(Error),
    Ended,
}

/// All items of a query, one after the other: a [`Stream`], and [`All::next`] for those who need no more.
#[must_use = "nothing is read until the first item is taken"]
pub struct All<R> {
    limit: u32,
    state: State<R>,
    buffer: VecDeque<R>,
}

impl<R> std::fmt::Debug for All<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("All")
            .field("buffered", &self.buffer.len())
            .finish()
    }
}

impl<R: Row + Unpin + 'static> All<R> {
    /// The next item; none after the last.
    pub async fn next(&mut self) -> Option<Result<R>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// All of them in memory.
    ///
    /// # Errors
    /// The first error there is.
    pub async fn collect(mut self) -> Result<Vec<R>> {
        let mut all = Vec::new();
        while let Some(item) = self.next().await {
            all.push(item?);
        }
        Ok(all)
    }
}

impl<R: Row + Unpin + 'static> Stream for All<R> {
    type Item = Result<R>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<R>>> {
        loop {
            if let Some(item) = self.buffer.pop_front() {
                return Poll::Ready(Some(Ok(item)));
            }
            let limit = self.limit;
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Ended => return Poll::Ready(None),
                State::Failed(error) => return Poll::Ready(Some(Err(error))),
                State::Idle(mut walk) => {
                    self.state = State::Reading(Box::pin(async move {
                        let rows = walk.rows(limit).await;
                        (walk, rows)
                    }));
                }
                State::Reading(mut reading) => match reading.as_mut().poll(context) {
                    Poll::Pending => {
                        self.state = State::Reading(reading);
                        return Poll::Pending;
                    }
                    Poll::Ready((_, Err(error))) => return Poll::Ready(Some(Err(error))),
                    Poll::Ready((walk, Ok(rows))) => {
                        self.buffer.extend(rows);
                        if walk.positions().is_some() {
                            self.state = State::Idle(walk);
                        }
                    }
                },
            }
        }
    }
}
