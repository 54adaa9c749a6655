//! Indexes that lag behind their table.

use std::time::Duration;

use tablewright_model::model::{Access, Consistency};

use super::ask::{Asked, Extent, Reader};
use super::bench::{Bench, Trouble};
use crate::{Expected, Question};

/// How long wrong answers of one pattern are asked for again, all together: one that stays wrong must not be waited for with every question.
#[derive(Debug)]
pub(super) struct Patience {
    all: Duration,
    left: Duration,
}

impl Patience {
    /// The patience with a pattern. A strong read shows at once what was written.
    pub(super) fn of(bench: &Bench<'_>, access: &Access) -> Self {
        let all = match access.consistency.value {
            Consistency::Strong => Duration::ZERO,
            Consistency::Eventual => bench.place.settles_within(),
        };
        Patience { all, left: all }
    }

    /// What is said of an answer that stayed wrong.
    fn told(&self, difference: String) -> String {
        if self.all.is_zero() {
            return difference;
        }
        let seconds = self.all.as_secs_f64();
        format!("{difference}; it did not settle in {seconds} s of waiting")
    }
}

impl Bench<'_> {
    /// Asks until the answer is right, or the index has had its time to follow the table.
    pub(super) async fn settled(
        &self,
        access: &Access,
        reader: &Reader<'_>,
        question: &Question,
        extent: Extent,
        expected: &Expected,
        patience: &mut Patience,
    ) -> Result<(Asked, Option<String>), Trouble> {
        let mut wait = Duration::from_millis(20);
        loop {
            let asked = self.ask(access, reader, question, extent).await?;
            let Some(difference) = asked.difference(self, expected) else {
                return Ok((asked, None));
            };
            if patience.left.is_zero() {
                return Ok((asked, Some(patience.told(difference))));
            }
            let now = wait.min(patience.left);
            tokio::time::sleep(now).await;
            patience.left -= now;
            wait = (wait * 2).min(Duration::from_secs(1));
        }
    }
}
