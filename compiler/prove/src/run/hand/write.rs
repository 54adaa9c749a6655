//! Writes written by hand: the item, by the request and on the condition that are stated, and nothing of what belongs to it.

use tablewright_model::model::{Access, ByHand, Request, Verb};
use tablewright_plan::hand::HandPlan;

use crate::run::bench::{Bench, Trouble};
use crate::run::perform::{Done, Used, went_through};
use crate::{Act, Deed, DeedAction, Refusal};

/// A write as a person wrote it.
#[derive(Debug)]
pub(crate) struct HandWrite<'w> {
    pub(crate) plan: &'w HandPlan,
    pub(crate) by_hand: &'w ByHand,
}

impl HandWrite<'_> {
    /// Does a deed, and gives what its costliest request used; nothing of one that was refused, as it should be.
    pub(crate) async fn perform(
        &self,
        bench: &Bench<'_>,
        access: &Access,
        deed: &Deed,
    ) -> Result<Option<Used>, Trouble> {
        if let Some(fault) = self.plan.faults.first() {
            return Err(Trouble::Wrong(fault.message.clone()));
        }
        if self.plan.request == Request::TransactWriteItems {
            return self.transact(bench, access, deed).await;
        }
        let mut worst: Option<Used> = None;
        for action in &deed.actions {
            let sent = self.sent(bench, access, deed, action).await?;
            let done = match self.plan.request {
                Request::BatchWriteItem => bench.send_in_a_batch(access, sent).await?,
                _ => bench.send_alone(access, sent).await?,
            };
            let used = self.held(access, &[action], done)?;
            if used.as_ref().map(|used| used.units) > worst.as_ref().map(|worst| worst.units) {
                worst = used;
            }
        }
        Ok(worst)
    }

    /// All actions in one transaction. Of a batch, whose cost is that of an item, first one for itself and then all others; what must be
    /// refused is tried alone, since it would take them with it.
    async fn transact(
        &self,
        bench: &Bench<'_>,
        access: &Access,
        deed: &Deed,
    ) -> Result<Option<Used>, Trouble> {
        let all: Vec<&DeedAction> = deed.actions.iter().collect();
        let groups: Vec<Vec<&DeedAction>> = match access.verb {
            Verb::Batch(_) => {
                let (refused, legal): (Vec<_>, Vec<_>) =
                    all.into_iter().partition(|action| action.refused.is_some());
                let (first, others) = legal.split_at(legal.len().min(1));
                let alone = refused.into_iter().map(|action| vec![action]);
                let legal = [first.to_vec(), others.to_vec()];
                let legal = legal.into_iter().filter(|group| !group.is_empty());
                legal.chain(alone).collect()
            }
            _ => vec![all],
        };
        let mut first: Option<Used> = None;
        for group in groups {
            let mut together = Vec::with_capacity(group.len());
            for action in &group {
                together.push(self.sent(bench, access, deed, action).await?);
            }
            let used = self.held(access, &group, bench.send_together(access, together).await?)?;
            first = first.or(used);
        }
        Ok(first)
    }

    /// What was used, where what was done is what must be done.
    fn held(
        &self,
        access: &Access,
        actions: &[&DeedAction],
        done: Done,
    ) -> Result<Option<Used>, Trouble> {
        let refused = actions.iter().find(|action| action.refused.is_some());
        match (done, refused) {
            (Done::Happened(used), None) => Ok(Some(used)),
            (Done::Happened(_), Some(action)) if self.deletes_nothing(access, action) => Ok(None),
            (Done::Happened(_), Some(action)) => Err(went_through(action)),
            (Done::Refused, Some(_)) => Ok(None),
            (Done::Refused, None) => Err(Trouble::Wrong(
                "it was refused: its condition did not hold".to_owned(),
            )),
        }
    }

    /// Whether it deletes what is not there, which nobody forbade and which changes nothing; but in a transaction the other actions rely on it.
    fn deletes_nothing(&self, access: &Access, action: &DeedAction) -> bool {
        matches!(action.act, Act::Delete { .. })
            && action.refused == Some(Refusal::NotFound)
            && self.by_hand.condition.is_none()
            && !matches!(access.verb, Verb::Transact(_))
    }
}

pub(super) fn doing(access: &Access, why: &tablewright::Error) -> Trouble {
    Trouble::of(|| format!("doing {}", access.name), why.clone())
}
