//! Several actions, all or none.

use tablewright::descriptor::Write;
use tablewright::{Failure, Inputs, Items, TransactKeys};
use tablewright_model::model::Access;

use super::judged::{refused_as, went_through};
use super::{Used, changes};
use crate::run::bench::{Bench, Trouble, values};
use crate::{Act, Deed};

impl Bench<'_> {
    pub(super) async fn transact(
        &self,
        access: &Access,
        write: &'static Write,
        deed: &Deed,
    ) -> Result<Option<Used>, Trouble> {
        let doing = || format!("doing {}", access.name);
        let mut keys = TransactKeys::new();
        for action in &deed.actions {
            if let Act::Update { key, .. } | Act::Delete { key } | Act::Check { key } = &action.act
            {
                keys = keys.key_values(&action.name, values(key));
            }
        }
        let claim = self.claim(deed).map_err(|why| Trouble::of(doing, why))?;
        let inputs = |_: &_| -> Result<Inputs, Failure> {
            let mut inputs = Inputs::new();
            for action in &deed.actions {
                match &action.act {
                    Act::Create(record) => {
                        let items: Items = self.items(record.entity());
                        let fields = items.fields(&record.fields(self.model))?;
                        inputs = inputs.create_fields(&action.name, items.entity(), fields);
                    }
                    Act::Update { set, add, .. } => {
                        inputs = inputs.change(&action.name, changes(set, add));
                    }
                    Act::Delete { .. } | Act::Check { .. } => {}
                }
            }
            if let Some(claim) = &claim {
                inputs = inputs.claim_fields(claim.entity, claim.fields.clone());
            }
            Ok(inputs)
        };
        let sent = self
            .store
            .transact(write, keys, values(&deed.given), inputs)
            .await;
        let used = self.used();
        let expected = deed.actions.iter().find(|action| action.refused.is_some());
        match (expected, sent) {
            (None, Ok(sent)) if sent.record().is_none() => Ok(Some(used)),
            (None, Ok(_)) => Err(Trouble::Wrong(
                "it was taken for a request that had been answered before".to_owned(),
            )),
            (None, Err(Failure::Refused(refusal))) => {
                Err(Trouble::Wrong(format!("it was refused: {refusal}")))
            }
            (Some(action), Ok(_)) => Err(went_through(action)),
            (Some(action), Err(Failure::Refused(refusal))) => refused_as(action, &refusal),
            (_, Err(Failure::Error(why))) => Err(Trouble::of(doing, why)),
        }
    }
}
