//! Statements that fit into a policy.
//!
//! A managed policy has at most 6,144 characters, so no statement may be longer. Tables and indexes are allowed one by one, so that a list
//! of them can be cut anywhere. Keys cannot: a request is allowed when one statement has all of its keys. But a request is of one pattern,
//! so a statement can be cut between patterns.

use std::collections::BTreeSet;

use super::statement::{KeysOf, Needed, Resource, Statement};

/// What a statement may take of a policy, about.
const WIDEST: usize = 4_500;

/// What stands around the name of a table in an ARN, the prefix of its name included.
const AROUND_A_TABLE: usize = 110;

/// What stands for the tenant in a policy takes more room than its name here.
const AROUND_A_KEY: usize = 40;

/// The statement, in as many as it takes for each to fit.
pub(super) fn parted(needed: Needed) -> Vec<Statement> {
    let Needed { statement, keys_of } = needed;
    let beside = statement.actions.len() * 30 + 150;
    let keys: usize = statement.leading_keys.iter().map(|key| of_key(key)).sum();
    let resources: usize = statement.resources.iter().map(of_resource).sum();
    if beside + keys + resources <= WIDEST {
        return vec![statement];
    }
    let room = WIDEST.saturating_sub(beside);
    let mut parts = Vec::new();
    // Half of the room is for the keys, where there are any, so that both lists can be cut.
    let for_keys = if keys + resources <= room {
        room
    } else {
        room / 2
    };
    for (leading_keys, patterns) in by_pattern(&statement, &keys_of, for_keys) {
        let taken: usize = leading_keys.iter().map(|key| of_key(key)).sum();
        for resources in chunks(&statement.resources, room.saturating_sub(taken)) {
            parts.push(Statement {
                actions: statement.actions.clone(),
                resources,
                leading_keys: leading_keys.clone(),
                patterns: patterns.clone(),
            });
        }
    }
    parts
}

/// As many patterns together as their keys have room for. A pattern whose own keys have not stands alone.
fn by_pattern(
    statement: &Statement,
    keys_of: &KeysOf,
    room: usize,
) -> Vec<(Vec<String>, Vec<String>)> {
    if statement.leading_keys.is_empty() {
        return vec![(Vec::new(), statement.patterns.clone())];
    }
    let mut parts: Vec<(BTreeSet<String>, Vec<String>)> = Vec::new();
    for (pattern, keys) in keys_of {
        let fits = parts.last().is_some_and(|(known, _)| {
            let all = known.union(keys);
            all.map(|key| of_key(key)).sum::<usize>() <= room
        });
        match parts.last_mut().filter(|_| fits) {
            Some((known, patterns)) => {
                known.extend(keys.iter().cloned());
                patterns.push(pattern.clone());
            }
            None => parts.push((keys.clone(), vec![pattern.clone()])),
        }
    }
    let listed = |(keys, patterns): (BTreeSet<String>, _)| (keys.into_iter().collect(), patterns);
    parts.into_iter().map(listed).collect()
}

fn chunks(resources: &[Resource], room: usize) -> Vec<Vec<Resource>> {
    let mut chunks: Vec<Vec<Resource>> = Vec::new();
    let mut left = 0;
    for resource in resources {
        let width = of_resource(resource);
        match chunks.last_mut().filter(|_| width <= left) {
            Some(chunk) => chunk.push(resource.clone()),
            None => {
                chunks.push(vec![resource.clone()]);
                left = room;
            }
        }
        left = left.saturating_sub(width);
    }
    chunks
}

fn of_key(key: &str) -> usize {
    key.len() + AROUND_A_KEY
}

fn of_resource(resource: &Resource) -> usize {
    let index = resource.index.as_ref().map_or(0, |index| index.len() + 7);
    AROUND_A_TABLE + resource.table.len() + index
}
