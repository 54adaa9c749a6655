//! Records that came together: those of one line one after another, those of different lines at the same time.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::{StreamExt as _, stream};

use crate::attempt::{Ended, Work};
use crate::handler::Handler;
use crate::record::Record;

/// Records that came together, and which of them came to an end.
#[derive(Debug)]
pub(crate) struct Batch {
    records: Vec<(Arc<Record>, AtomicBool)>,
}

impl Batch {
    pub(crate) fn new(records: Vec<Record>) -> Self {
        let each = records.into_iter();
        Batch {
            records: each
                .map(|record| (Arc::new(record), AtomicBool::new(false)))
                .collect(),
        }
    }

    /// The last record before which, itself included, all came to an end.
    pub(crate) fn reached(&self) -> Option<&str> {
        let ended = self
            .records
            .iter()
            .take_while(|(_, ended)| ended.load(Ordering::Acquire));
        ended.last().map(|(record, _)| record.sequence.as_str())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub(crate) fn is_through(&self) -> bool {
        self.records
            .iter()
            .all(|(_, ended)| ended.load(Ordering::Acquire))
    }

    /// Handles them all, for as long as `goes_on` says so.
    pub(crate) async fn handle<H: Handler>(
        &self,
        work: &Work<H>,
        goes_on: impl Fn() -> bool + Sync,
    ) {
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut lines: Vec<Vec<&(Arc<Record>, AtomicBool)>> = Vec::new();
        for entry in &self.records {
            let line = *known.entry(work.line(&entry.0)).or_insert_with(|| {
                lines.push(Vec::new());
                lines.len() - 1
            });
            lines[line].push(entry);
        }
        let goes_on = &goes_on;
        let each =
            stream::iter(lines).for_each_concurrent(work.options.lanes.max(1), |line| async move {
                for (record, ended) in line {
                    if work.through(record, goes_on).await == Ended::Left {
                        return;
                    }
                    ended.store(true, Ordering::Release);
                }
            });
        each.await;
    }
}
