//! Counts: how many there are, or how many up to a bound.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_descriptor::{Read, Via, number_of};

use crate::Store;
use crate::error::{Error, Result};
use crate::get::key_of;
use crate::values::Values;
use crate::walk::{Asked, Walk};

/// A count, not asked yet. Awaited, it is how many there are.
#[derive(Debug, Clone)]
#[must_use = "nothing is counted until it is awaited"]
pub struct Count {
    store: Store,
    read: &'static Read,
    given: Values,
    most: Option<u64>,
}

impl Store {
    /// How many items there are: from a counter in one read, or by reading them all.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a value that is none of its field.
    pub fn count(&self, read: &'static Read, given: Values) -> Count {
        Count {
            store: self.for_pattern(&read.name),
            read,
            given,
            most: None,
        }
    }
}

impl Count {
    /// Not beyond this: where there are as many or more, it is the answer, and no more items than that are read.
    pub fn up_to(mut self, most: u64) -> Self {
        self.most = Some(most);
        self
    }

    async fn ask(self) -> Result<u64> {
        let given = self.given.checked(&self.read.name)?;
        let most = self.most.unwrap_or(u64::MAX);
        let Via::Counter { counter, per, .. } = &self.read.via else {
            let asked = Asked {
                given,
                ..Asked::default()
            };
            return Walk::new(self.store, self.read, asked)?
                .count(self.most)
                .await;
        };
        let read = self.read;
        let key = key_of(read, &given)?;
        let number = match per {
            None => counter.clone(),
            Some(per) => {
                let fixed = read.fixed.iter().find(|(name, _)| name == per);
                match (given.get(per), fixed) {
                    (Some(AttributeValue::S(word)), _) | (None, Some((_, word))) => {
                        number_of(counter, word)
                    }
                    _ => return Err(Error::invalid(&read.name, per, "it is not given")),
                }
            }
        };
        let found = self.store.get_item(&read.table, key, read.strong).await?;
        let count = found.and_then(|keeper| keeper.get(&number)?.as_n().ok()?.parse::<i64>().ok());
        Ok(u64::try_from(count.unwrap_or(0)).unwrap_or(0).min(most))
    }
}

impl IntoFuture for Count {
    type Output = Result<u64>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<u64>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.ask())
    }
}
