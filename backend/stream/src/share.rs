//! Which shards this process should read. Nobody compares clocks: a process is thought dead when it gave no sign for as long as a lease lasts,
//! by the watch of whoever looks on.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use crate::model::Lease;
use crate::source::{Shard, ShardId};

/// What was seen of the leases, and since when.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    seen: HashMap<ShardId, (i64, i64, Instant)>,
}

/// Whether this process has read all of a shard, though records of it wait.
pub(crate) type Lingers<'l> = &'l dyn Fn(&ShardId) -> bool;

/// What to do next.
#[derive(Debug, PartialEq)]
pub(crate) enum Step {
    /// Nobody reads it.
    Take(Lease),
    /// Its owner has more than its share, and we have less.
    Want(Lease),
}

impl Shares {
    /// Children of a shard that `lingers` are for this process alone.
    pub(crate) fn steps(
        &mut self,
        me: &str,
        (shards, lingers): (&[Shard], Lingers<'_>),
        leases: &[Lease],
        term: Duration,
        now: Instant,
    ) -> Vec<Step> {
        self.look(leases, now);
        let ended: HashSet<ShardId> = leases.iter().filter(|lease| lease.ended).map(id).collect();
        let there: HashSet<&ShardId> = shards.iter().map(|shard| &shard.id).collect();
        // What is no longer there was read, or can no longer be.
        let is_past = |before: &ShardId| ended.contains(before) || !there.contains(before);
        let all_before = |lease: &Lease, is: &dyn Fn(&ShardId) -> bool| {
            let shard = shards.iter().find(|shard| shard.id == id(lease));
            shard.is_some_and(|shard| shard.before.iter().all(is))
        };
        let may_begin = |lease: &Lease| all_before(lease, &is_past);
        let after_ours = leases.iter().filter(|lease| {
            let is_free = lease.owner.is_none() || !self.is_fresh(lease, term, now);
            let is_ours = |before: &ShardId| is_past(before) || lingers(before);
            !lease.ended && is_free && !may_begin(lease) && all_before(lease, &is_ours)
        });
        let after_ours: Vec<Step> = after_ours.cloned().map(Step::Take).collect();
        let open: Vec<&Lease> = leases
            .iter()
            .filter(|lease| !lease.ended && may_begin(lease))
            .collect();
        let mut owned: HashMap<&str, usize> = HashMap::from([(me, 0)]);
        let mut free = Vec::new();
        for lease in &open {
            match lease
                .owner
                .as_deref()
                .filter(|_| self.is_fresh(lease, term, now))
            {
                Some(owner) => *owned.entry(owner).or_default() += 1,
                None => free.push(*lease),
            }
        }
        let (owners, mine) = (owned.len(), owned[me]);
        let room = open.len().div_ceil(owners).saturating_sub(mine);
        let free = free.into_iter().take(room);
        let free = free.map(|lease| Step::Take(lease.clone()));
        let steps: Vec<Step> = after_ours.into_iter().chain(free).collect();
        if !steps.is_empty() || mine >= open.len() / owners {
            return steps;
        }
        let is_awaited = open.iter().any(|lease| lease.wanted.as_deref() == Some(me));
        let has_too_many = |lease: &&&Lease| {
            let owner = lease.owner.as_deref().unwrap_or(me);
            owned
                .get(owner)
                .is_some_and(|count| *count > open.len() / owners)
                && lease.wanted.is_none()
        };
        let wanted = open.iter().find(has_too_many).filter(|_| !is_awaited);
        wanted
            .map(|lease| Step::Want((*lease).clone()))
            .into_iter()
            .collect()
    }

    fn look(&mut self, leases: &[Lease], now: Instant) {
        let there: HashSet<ShardId> = leases.iter().map(id).collect();
        self.seen.retain(|shard, _| there.contains(shard));
        for lease in leases {
            let seen = self
                .seen
                .entry(id(lease))
                .or_insert((lease.epoch, lease.signs, now));
            if (seen.0, seen.1) != (lease.epoch, lease.signs) {
                *seen = (lease.epoch, lease.signs, now);
            }
        }
    }

    /// Whether its owner may still be alive.
    fn is_fresh(&self, lease: &Lease, term: Duration, now: Instant) -> bool {
        let seen = self.seen.get(&id(lease));
        seen.is_none_or(|(_, _, since)| now.saturating_duration_since(*since) < term)
    }
}

pub(crate) fn id(lease: &Lease) -> ShardId {
    ShardId {
        stream: lease.stream.clone(),
        shard: lease.shard.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERM: Duration = Duration::from_secs(10);

    fn shard(name: &str, parents: &[&str]) -> Shard {
        let id = |shard: &str| ShardId {
            stream: String::from("s"),
            shard: shard.to_owned(),
        };
        Shard {
            id: id(name),
            before: parents.iter().map(|parent| id(parent)).collect(),
        }
    }

    fn lease(shard: &str, owner: Option<&str>) -> Lease {
        Lease {
            consumer: String::from("c"),
            stream: String::from("s"),
            shard: shard.to_owned(),
            owner: owner.map(str::to_owned),
            wanted: None,
            epoch: 1,
            signs: 1,
            after: None,
            since: None,
            ended: false,
        }
    }

    fn told(steps: Vec<Step>) -> Vec<String> {
        let each = steps.into_iter();
        each.map(|step| match step {
            Step::Take(lease) => format!("take {}", lease.shard),
            Step::Want(lease) => format!("want {}", lease.shard),
        })
        .collect()
    }

    #[test]
    fn children_wait_for_their_parents() {
        let shards = [
            shard("a", &["gone"]),
            shard("b", &["a"]),
            shard("c", &["a"]),
        ];
        let mut leases = [lease("a", None), lease("b", None), lease("c", None)];
        let mut shares = Shares::default();
        let now = Instant::now();
        assert_eq!(
            told(shares.steps("me", (&shards, &nobody), &leases, TERM, now)),
            ["take a"]
        );
        leases[0].ended = true;
        assert_eq!(
            told(shares.steps("me", (&shards, &nobody), &leases, TERM, now)),
            ["take b", "take c"]
        );
    }

    fn nobody(_: &ShardId) -> bool {
        false
    }

    /// Who has read a shard to its end reads its children, also beyond its share; nobody else does before it is over.
    #[test]
    fn children_of_a_shard_that_lingers_are_for_who_has_it() {
        let shards = [shard("a", &[]), shard("b", &["a"]), shard("c", &["b"])];
        let mut leases = [lease("a", Some("me")), lease("b", None), lease("c", None)];
        let mut shares = Shares::default();
        let now = Instant::now();
        let lingers = |id: &ShardId| id.shard == "a";
        let steps = shares.steps("me", (&shards, &lingers), &leases, TERM, now);
        assert_eq!(told(steps), ["take b"]);
        let steps = shares.steps("other", (&shards, &nobody), &leases, TERM, now);
        assert!(told(steps).is_empty());
        // Whoever had it before is given the time of a lease.
        leases[1].owner = Some(String::from("other"));
        let steps = shares.steps("me", (&shards, &lingers), &leases, TERM, now);
        assert!(told(steps).is_empty());
    }

    #[test]
    fn a_silent_owner_loses_what_it_has() {
        let shards = [shard("a", &[])];
        let mut leases = [lease("a", Some("other"))];
        let mut shares = Shares::default();
        let start = Instant::now();
        let mut at = |leases: &[Lease], seconds: u64| {
            told(shares.steps(
                "me",
                (&shards, &nobody),
                leases,
                TERM,
                start + Duration::from_secs(seconds),
            ))
        };
        assert!(at(&leases, 0).is_empty());
        assert!(at(&leases, 9).is_empty());
        leases[0].signs += 1;
        assert!(at(&leases, 11).is_empty(), "it gave a sign");
        assert!(at(&leases, 20).is_empty());
        assert_eq!(at(&leases, 21), ["take a"]);
    }

    #[test]
    fn everybody_gets_a_share() {
        let names = ["a", "b", "c", "d"];
        let shards = names.map(|name| shard(name, &[]));
        let mut shares = Shares::default();
        let now = Instant::now();
        let mut next =
            |leases: &[Lease]| told(shares.steps("me", (&shards, &nobody), leases, TERM, now));
        let mut leases = names.map(|name| lease(name, Some("other")));
        assert_eq!(next(&leases), ["want a"]);
        leases[0].wanted = Some(String::from("me"));
        assert!(next(&leases).is_empty(), "one at a time");
        leases[0] = lease("a", Some("me"));
        assert_eq!(next(&leases), ["want b"]);
        leases[1] = lease("b", Some("me"));
        assert!(next(&leases).is_empty(), "two each");
        // Of three processes one may have two.
        leases[1] = lease("b", Some("third"));
        assert!(next(&leases).is_empty());
    }
}
