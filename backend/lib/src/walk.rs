//! Reading a query page by page: filtered pages are filled up, shards are merged in order, positions are remembered.

mod fetch;
mod pace;
mod request;

use std::cmp::Ordering;
use std::collections::VecDeque;

use futures_util::future::try_join_all;
use tablewright_descriptor::Read;
use tablewright_descriptor::condition::Condition;

use self::pace::Pace;
pub(crate) use self::request::key_attribute;
use self::request::{expiry_is_a_key, is_empty_range, key_names, query_of, split_filter};
use crate::Store;
use crate::cursor::Position;
use crate::entity::Row;
use crate::error::{Error, Result};
use crate::fields::Item;
use crate::item::{self};
use crate::judge::{holds, order_of};
use crate::only::Refinements;
use crate::read::Query;
use crate::values::Values;
use crate::words::folded;

/// What a caller asks of a read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    pub(crate) given: Values,
    /// Additional filters, by field.
    pub(crate) refined: Refinements,
    /// Words a search looks for, as they are compared.
    pub(crate) words: Vec<String>,
    /// The greatest key first.
    pub(crate) backwards: bool,
}

/// A read under way.
#[derive(Debug)]
pub(crate) struct Walk {
    store: Store,
    read: &'static Read,
    asked: Asked,
    /// What DynamoDB's filter cannot say, because it is about a key.
    own_filter: Vec<Condition>,
    shards: Vec<Shard>,
    /// How many items are looked at in each shard, whatever is found among them; as many as it takes without.
    share: Option<u64>,
}

/// One of the queries a read is made of.
#[derive(Debug)]
struct Shard {
    query: Query,
    /// What was read and not given out.
    buffer: VecDeque<Item>,
    /// Where the next request begins.
    start: Option<Item>,
    /// Nothing is left to read.
    exhausted: bool,
    /// What was given out.
    position: Position,
    /// How many items a request looks at.
    pace: Pace,
    /// How many were looked at.
    looked_at: u64,
}

impl Walk {
    pub(crate) fn new(store: Store, read: &'static Read, asked: Asked) -> Result<Self> {
        let mut asked = asked;
        for (name, value) in asked.refined.values.iter() {
            asked.given = asked.given.with_attribute(name, value.clone());
        }
        let (own_filter, filter) = split_filter(read, &asked.refined.conditions);
        let nothing = asked.refined.nothing || is_empty_range(read, &asked.given)?;
        let shards = (0..read.partition.1.shards().max(1))
            .map(|shard| {
                let shard = u16::try_from(shard).unwrap_or(u16::MAX);
                Ok(Shard {
                    query: query_of(&store, read, &asked, &filter, shard)?,
                    buffer: VecDeque::new(),
                    start: None,
                    exhausted: nothing,
                    position: Position::Start,
                    pace: Pace::default(),
                    looked_at: 0,
                })
            })
            .collect::<Result<_>>()?;
        Ok(Walk {
            store,
            read,
            asked,
            own_filter,
            shards,
            share: None,
        })
    }

    /// Looks at so many items at most, all shards together; at one of each at least, so that whoever goes on gets to the end.
    pub(crate) fn look_at_most(&mut self, most: Option<u32>) {
        let shards = self.shards.len().max(1) as u64;
        self.share = most.map(|most| (u64::from(most) / shards).max(1));
    }

    /// Goes on from where a cursor says.
    pub(crate) fn resume(&mut self, positions: Vec<Position>) -> Result<()> {
        if positions.len() != self.shards.len() {
            return Err(Error::BadCursor);
        }
        for (shard, position) in self.shards.iter_mut().zip(positions) {
            shard.exhausted = position == Position::End;
            if let Position::After(key) = &position {
                shard.start = Some(key.clone());
            }
            shard.position = position;
        }
        Ok(())
    }

    /// Where it stands; none when there is no more.
    pub(crate) fn positions(&self) -> Option<Vec<Position>> {
        let ended = |shard: &Shard| shard.exhausted && shard.buffer.is_empty();
        if self.shards.iter().all(ended) {
            return None;
        }
        let positions = self.shards.iter().map(|shard| {
            match (&shard.start, shard.buffer.is_empty()) {
                _ if ended(shard) => Position::End,
                // All that was looked at is given out, or is not wanted.
                (Some(start), true) => Position::After(start.clone()),
                _ => shard.position.clone(),
            }
        });
        Some(positions.collect())
    }

    /// Up to so many rows more; fewer only at the end, or when enough was looked at.
    pub(crate) async fn rows<R: Row>(&mut self, limit: u32) -> Result<Vec<R>> {
        let limit = limit.max(1) as usize;
        let mut rows = Vec::new();
        while rows.len() < limit {
            let needed = u32::try_from(limit - rows.len()).unwrap_or(u32::MAX);
            self.fill(needed).await?;
            // What comes next in this shard is not known, and may come before what others have.
            if self.shards.iter().any(Shard::is_unknown) {
                break;
            }
            let Some((shard, item)) = self.next_item() else {
                break;
            };
            match self.row(item)? {
                Some(row) => rows.push(row),
                // What we leave out ourselves counts as what DynamoDB's filter does.
                None => self.shards[shard].pace.note_dropped(),
            }
        }
        Ok(rows)
    }

    /// How many there are; with a bound, not more than that, and no more are looked for than it takes to find so many.
    pub(crate) async fn count(&mut self, most: Option<u64>) -> Result<u64> {
        let by_hand = !self.own_filter.is_empty()
            || !self.asked.words.is_empty()
            || expiry_is_a_key(self.read)
            || self.read.entities.len() > 1;
        let mut count = 0;
        for shard in self.shards.iter().filter(|shard| !shard.exhausted) {
            let mut start = shard.start.clone();
            let by_hand = by_hand || shard.query.counts_fetched;
            let query = shard.query.counting(by_hand);
            let mut pace = Pace::default();
            loop {
                let lacks = most.map(|most| most.saturating_sub(count));
                if lacks == Some(0) {
                    return Ok(most.unwrap_or(count));
                }
                let limit = lacks.map(|lacks| pace.limit(u32::try_from(lacks).unwrap_or(u32::MAX)));
                let asked = self.store.query_once(&query, start, limit, !by_hand);
                let answer = asked.await?;
                let found = if by_hand {
                    let kept = answer.items.iter().filter(|item| self.keeps(item));
                    kept.count() as u64
                } else {
                    answer.count
                };
                pace.note(answer.looked_at, found);
                count += found;
                match answer.last {
                    Some(last) => start = Some(last),
                    None => break,
                }
            }
        }
        Ok(most.map_or(count, |most| most.min(count)))
    }

    /// Reads on where nothing is left to give out: until every shard has an item, or has ended.
    async fn fill(&mut self, needed: u32) -> Result<()> {
        let (store, share) = (&self.store, self.share.unwrap_or(u64::MAX));
        let reads = self
            .shards
            .iter_mut()
            .filter(|shard| shard.is_unknown())
            .map(|shard| async move {
                while shard.is_unknown() && shard.looked_at < share {
                    let start = shard.start.take();
                    let left = u32::try_from(share - shard.looked_at).unwrap_or(u32::MAX);
                    let limit = shard.pace.limit(needed).min(left);
                    let answer = store
                        .query_once(&shard.query, start, Some(limit), false)
                        .await?;
                    shard.pace.note(answer.looked_at, answer.count);
                    shard.looked_at += answer.looked_at;
                    shard.buffer.extend(answer.items);
                    shard.exhausted = answer.last.is_none();
                    shard.start = answer.last;
                }
                Ok::<(), Error>(())
            });
        try_join_all(reads).await.map(drop)
    }

    /// The next item in the order of the sort key, of whatever shard.
    fn next_item(&mut self) -> Option<(usize, Item)> {
        let sort = self.read.sort.0.as_ref().map(|key| key.name.as_str());
        let heads = self.shards.iter().enumerate();
        let heads = heads.filter_map(|(number, shard)| Some((number, shard.buffer.front()?)));
        let (number, _) = heads.min_by(|(_, a), (_, b)| {
            let order = sort
                .and_then(|sort| order_of(a.get(sort)?, b.get(sort)?))
                .unwrap_or(Ordering::Equal);
            if self.asked.backwards {
                order.reverse()
            } else {
                order
            }
        })?;
        let item = self.shards[number].buffer.pop_front()?;
        self.shards[number].position = Position::After(cursor_key(self.read, &item));
        Some((number, item))
    }

    fn row<R: Row>(&self, item: Item) -> Result<Option<R>> {
        if !self.keeps(&item) {
            return Ok(None);
        }
        R::from_item(self.read, item)
    }

    /// Whether an item is one of those asked for.
    fn keeps(&self, item: &Item) -> bool {
        let now = self.store.expiry_millis();
        let Some(entity) = self
            .read
            .entities
            .iter()
            .find(|entity| item::is_of(entity, item))
        else {
            return false;
        };
        if item::is_expired(entity, item, now) {
            return false;
        }
        if self.own_filter.is_empty() && self.asked.words.is_empty() {
            return true;
        }
        let Ok(fields) = item::fields_of(entity, item.clone()) else {
            // What cannot be read is told, not left out.
            return true;
        };
        let passes = |condition: &Condition| holds(entity, condition, &fields, &self.asked.given);
        self.own_filter.iter().all(passes) && self.finds_words(&fields.0)
    }

    /// Every word is in one of the fields that are searched.
    fn finds_words(&self, fields: &Item) -> bool {
        let texts: Vec<String> = self
            .read
            .matches
            .iter()
            .filter_map(|name| fields.get(name)?.as_s().ok())
            .map(|text| folded(text))
            .collect();
        let mut words = self.asked.words.iter();
        words.all(|word| texts.iter().any(|text| text.contains(word)))
    }
}

impl Shard {
    /// Whether nobody knows yet what it gives next, if anything.
    fn is_unknown(&self) -> bool {
        self.buffer.is_empty() && !self.exhausted
    }
}

/// The key a query can go on after: of the table, and of the index.
fn cursor_key(read: &Read, item: &Item) -> Item {
    key_names(read)
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), item.get(name)?.clone())))
        .collect()
}
