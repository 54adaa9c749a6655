//! Transactions of a pattern: keys in, items read where a change needs them, all actions sent together.

use std::collections::BTreeSet;

use tablewright_descriptor::{Action, ActionKind, Write};

use crate::Store;
use crate::entity::Migrate;
use crate::error::{Error, Result};
use crate::fields::{Fields, Item};
use crate::item::{self};
use crate::values::Values;
use crate::write::apply::apply;
use crate::write::compose::Composer;
use crate::write::conditions::OnlyIf;
use crate::write::counts::gone_keepers;
use crate::write::difference::needs_no_reading;
use crate::write::inputs::{Inputs, Seen, Sent, TransactKeys};
use crate::write::refuse::{Failure, Refusal, RefusedAction, Why, of_other_version, why};
use crate::write::request::{ItemRequest, Operation, PlaceOfItem, Role};
use crate::write::send::Outcome;

impl Store {
    /// Does all actions of a pattern or none. `inputs` sees the items that are changed and says what is written; it is called again
    /// after a conflict.
    ///
    /// # Errors
    /// [`Failure::Refused`] with the actions that were, or what `inputs` says.
    pub async fn transact<E: From<Failure>>(
        &self,
        write: &'static Write,
        keys: TransactKeys,
        params: Values,
        inputs: impl FnMut(&Seen) -> Result<Inputs, E>,
    ) -> Result<Sent, E> {
        let store = self.for_pattern(&write.name);
        store.transact_as(write, keys, params, inputs).await
    }

    async fn transact_as<E: From<Failure>>(
        &self,
        write: &'static Write,
        keys: TransactKeys,
        params: Values,
        mut inputs: impl FnMut(&Seen) -> Result<Inputs, E>,
    ) -> Result<Sent, E> {
        let wrap = |error: Error| E::from(Failure::Error(error));
        let params = params.checked(&write.name).map_err(wrap)?;
        let mut attempt = 0;
        // Items whose time has passed, in the place of new ones.
        let mut passed = Seen::default();
        // Actions whose item is stored in another shape: it is read, and brought up to date or found newer than this code.
        let mut reshaped = BTreeSet::new();
        // Who counted what is deleted, and is not there.
        let mut gone = BTreeSet::new();
        loop {
            let strong = attempt > 0 || !reshaped.is_empty();
            let mut seen = self.see(write, &keys, &reshaped, strong).await?;
            let inputs = match inputs(&seen) {
                // What was refused may be no longer so: an eventual read is behind at times.
                Err(_) if !strong && !seen.0.is_empty() => {
                    seen = self.see(write, &keys, &reshaped, true).await?;
                    inputs(&seen)?
                }
                inputs => inputs?,
            };
            // A patch may set only a part of what its action may: then the rest of an index key must be read.
            let unread = in_part(write, &seen, &inputs);
            if !unread.is_subset(&reshaped) {
                reshaped.extend(unread);
                continue;
            }
            seen.0.append(&mut passed.0);
            let (requests, claim) = self
                .compose(write, &keys, &params, &seen, &inputs, &gone)
                .map_err(wrap)?;
            let refused = match self.send(&requests).await.map_err(wrap)? {
                Outcome::Done(_) => return Ok(Sent { before: None }),
                Outcome::Refused(refused) => refused,
            };
            let claimed = refused
                .iter()
                .find(|(position, _)| requests[*position].role == Role::Claim);
            if let (Some((position, item)), Some(claim)) = (claimed, claim) {
                let item = self
                    .claimed(&requests[*position], item.clone())
                    .await
                    .map_err(wrap)?;
                return Ok(Sent {
                    before: Some((item, claim)),
                });
            }
            let other = in_other_shapes(write, &requests, &refused);
            if !other.is_subset(&reshaped) {
                reshaped.extend(other);
                continue;
            }
            let keepers = gone_keepers(&requests, &refused);
            if !keepers.is_subset(&gone) {
                gone.extend(keepers);
                continue;
            }
            let refusal = self.judge(write, &requests, &params, refused);
            if refusal
                .actions
                .iter()
                .any(|action| action.why == Why::Changed)
            {
                self.note_conflict();
            }
            let reapplies = write
                .actions
                .iter()
                .map(|action| self.reapplies(&action.entity));
            let reapplies = reapplies.min().unwrap_or(0);
            if attempt >= reapplies.max(1) {
                return Err(Failure::Refused(refusal).into());
            }
            passed = self.passed(write, &refusal, &inputs).map_err(wrap)?;
            let in_the_way = |refused: &RefusedAction| {
                passed.0.contains_key(&refused.name)
                    || (reapplies > 0 && refused.why == Why::Changed)
            };
            if !refusal.actions.iter().all(in_the_way) {
                return Err(Failure::Refused(refusal).into());
            }
            self.patience().wait(attempt).await;
            attempt += 1;
        }
    }

    /// Reads the items that are changed.
    async fn see(
        &self,
        write: &'static Write,
        keys: &TransactKeys,
        also: &BTreeSet<usize>,
        strong: bool,
    ) -> Result<Seen, Failure> {
        let mut seen = Seen::default();
        let mut missing = Vec::new();
        for (position, action) in write.actions.iter().enumerate() {
            if !action.reads_first() && !also.contains(&position) {
                continue;
            }
            let (key, migrations) = key_of(keys, action)?;
            let entity = &action.entity;
            match self.read_stored(entity, *migrations, key, strong).await? {
                Some(read) => {
                    seen.0.insert(action.name.clone(), read);
                }
                None => missing.push(RefusedAction {
                    name: action.name.clone(),
                    entity: entity.name.clone(),
                    why: Why::NotFound,
                    seen: None,
                }),
            }
        }
        if missing.is_empty() {
            Ok(seen)
        } else {
            Err(Failure::Refused(Refusal { actions: missing }))
        }
    }

    /// The items in the way of new ones whose time has passed.
    fn passed(&self, write: &Write, refusal: &Refusal, inputs: &Inputs) -> Result<Seen> {
        let now = self.now_millis();
        let mut passed = Seen::default();
        for refused in refusal
            .actions
            .iter()
            .filter(|refused| refused.why == Why::Exists)
        {
            let action = write
                .actions
                .iter()
                .find(|action| action.name == refused.name);
            if let (Some(action), Some(raw), Some((_, migrations))) =
                (action, &refused.seen, inputs.created.get(&refused.name))
                && item::is_expired(&action.entity, raw, now)
            {
                let read = item::parse(&action.entity, *migrations, raw.clone())?;
                passed.0.insert(refused.name.clone(), read);
            }
        }
        Ok(passed)
    }

    fn compose(
        &self,
        write: &'static Write,
        keys: &TransactKeys,
        params: &Values,
        seen: &Seen,
        inputs: &Inputs,
        gone: &BTreeSet<PlaceOfItem>,
    ) -> Result<(Vec<ItemRequest>, Option<Fields>)> {
        let mut composer = Composer::new(self).without_keepers(gone);
        for (position, action) in write.actions.iter().enumerate() {
            let entity = &action.entity;
            let only_if = OnlyIf {
                condition: action.condition.as_ref(),
                given: params,
            };
            let read = seen.0.get(&action.name);
            match (action.kind, read) {
                (ActionKind::Create, _) => {
                    let created = inputs.created.get(&action.name);
                    let (fields, _) = created.ok_or_else(|| not_given(write, action))?;
                    let fields = fields.as_ref().map_err(Clone::clone)?;
                    composer.create(position, entity, fields, read)?;
                }
                (ActionKind::Update, read) => {
                    let changes = inputs.changes.get(&action.name).cloned();
                    let changes = changes.ok_or_else(|| not_given(write, action))?;
                    match read {
                        Some(old) => {
                            let new = apply(entity, &old.fields, changes)?;
                            composer.update(position, entity, old, &new, only_if)?;
                        }
                        None => {
                            let changes = changes.checked(&entity.name)?;
                            let (key, _) = key_of(keys, action)?;
                            composer.update_unread(position, entity, key, &changes, only_if)?;
                        }
                    }
                }
                (ActionKind::Delete, Some(old)) => {
                    composer.delete(position, entity, old, only_if)?
                }
                (ActionKind::Delete, None) => {
                    let (key, _) = key_of(keys, action)?;
                    composer.unread(position, entity, key, Operation::Delete, only_if)?;
                }
                (ActionKind::Check, Some(old)) => composer.check(position, entity, old, only_if)?,
                (ActionKind::Check, None) => {
                    let (key, _) = key_of(keys, action)?;
                    composer.unread(position, entity, key, Operation::Check, only_if)?;
                }
            }
        }
        let mut claimed = None;
        if let Some(claim) = &inputs.claim {
            let (entity, fields) = claim.as_ref().map_err(Clone::clone)?;
            composer.claim(entity, fields)?;
            claimed = Some(fields.clone());
        }
        Ok((composer.finish()?, claimed))
    }

    fn judge(
        &self,
        write: &'static Write,
        requests: &[ItemRequest],
        params: &Values,
        refused: Vec<(usize, Option<Item>)>,
    ) -> Refusal {
        let now = self.now_millis();
        let mut actions: Vec<RefusedAction> = Vec::new();
        for (position, seen) in refused {
            let request = &requests[position];
            let Some(action) = write.actions.get(request.action) else {
                continue;
            };
            let only_if = OnlyIf {
                condition: action.condition.as_ref(),
                given: params,
            };
            // What an action says of itself goes before what its guards and counts say.
            if actions.iter().any(|known| known.name == action.name) {
                continue;
            }
            actions.push(RefusedAction {
                name: action.name.clone(),
                entity: action.entity.name.clone(),
                why: why(&action.entity, request, seen.as_ref(), only_if, now),
                seen,
            });
        }
        Refusal { actions }
    }
}

/// The updates that were not read, and whose changes cannot be made without.
fn in_part(write: &Write, seen: &Seen, inputs: &Inputs) -> BTreeSet<usize> {
    let updates = write.actions.iter().enumerate();
    let updates = updates.filter(|(_, action)| !seen.0.contains_key(&action.name));
    let in_part = updates.filter(|(_, action)| {
        let changes = inputs.changes.get(&action.name);
        changes.is_some_and(|changes| !needs_no_reading(&action.entity, changes))
    });
    in_part.map(|(position, _)| position).collect()
}

/// The actions whose item is stored in another version of its shape.
fn in_other_shapes(
    write: &Write,
    requests: &[ItemRequest],
    refused: &[(usize, Option<Item>)],
) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for (position, item) in refused {
        let request = &requests[*position];
        let Some(action) = write.actions.get(request.action) else {
            continue;
        };
        if action.kind != ActionKind::Create
            && matches!(request.role, Role::Named(_))
            && of_other_version(&action.entity, item.as_ref())
        {
            found.insert(request.action);
        }
    }
    found
}

fn key_of<'k>(keys: &'k TransactKeys, action: &Action) -> Result<&'k (Values, Migrate)> {
    let key = keys.0.get(&action.name);
    key.ok_or_else(|| Error::invalid(&action.entity.name, &action.name, "its key is not given"))
}

fn not_given(write: &Write, action: &Action) -> Error {
    Error::invalid(&write.name, &action.name, "what it writes is not given")
}
