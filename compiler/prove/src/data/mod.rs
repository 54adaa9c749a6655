//! Records made from a model: of the right types, hanging together, skewed, and awkward.

mod about;
mod chance;
mod later;
mod links;
mod maker;
mod names;
mod neighbours;
mod shares;
mod sizes;
#[cfg(test)]
mod tests;
mod text;
pub(crate) mod times;
mod values;
mod world;

use std::fmt;

use tablewright_model::Model;
use tablewright_plan::print::thousands;

pub(crate) use chance::Chance;
pub use later::Later;
pub(crate) use links::Reference;
pub(crate) use maker::{Fixed, Maker};
pub(crate) use sizes::size_of_record;
pub(crate) use text::{fitted, neighbour, ordinary};
pub(crate) use values::Style;

use crate::record::Record;
use world::World;
pub(crate) use world::sparse::{entries_of, growing};

/// So many times as many records are in `more` as in `small`.
const TIMES: usize = 9;

/// The data of a proof.
#[derive(Debug, Clone)]
pub struct Population {
    /// What questions are about. In this order every record follows what it refers to and what counts it.
    pub small: Vec<Record>,
    /// Nine times as much beside it, which belongs to other users, other agents, other days: what is asked about `small` by one of those
    /// has the same answer with it and without.
    pub more: Vec<Record>,
    /// How many items both were to have of each entity, without those that are made on purpose.
    pub(crate) wanted: Vec<usize>,
    /// The moment of the proof, in milliseconds since 1970.
    pub now: i64,
}

impl Population {
    /// Records that are asked about, and nothing beside them.
    pub(crate) fn about(small: Vec<Record>, now: i64) -> Self {
        Population {
            small,
            more: Vec::new(),
            wanted: Vec::new(),
            now,
        }
    }
}

/// Why there is no data for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PopulateError {
    /// The model has no entity.
    NoEntity,
    /// Fewer items than a population can be made of.
    TooFew {
        /// So many are needed.
        least: usize,
    },
    /// More items than a population is made of.
    TooMany {
        /// So many can be made.
        most: usize,
    },
    /// An entity has fewer keys than one item of it needs.
    NoRoom {
        /// The entity.
        entity: String,
    },
}

impl fmt::Display for PopulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PopulateError::NoEntity => {
                f.write_str("the model has no entity, so there is nothing to prove")
            }
            PopulateError::TooFew { least } => {
                write!(f, "a proof of this model needs at least {least} items")
            }
            PopulateError::TooMany { most } => {
                write!(
                    f,
                    "a proof is made with {} items at most: a tenth of what its large table has",
                    thousands(*most as u64)
                )
            }
            PopulateError::NoRoom { entity } => {
                write!(
                    f,
                    "no {entity} could be made: its key leaves no room for one"
                )
            }
        }
    }
}

impl std::error::Error for PopulateError {}

/// About so many records in `small`, and nine times as many in `more`. The same seed gives the same records, on every machine.
///
/// # Errors
/// [`PopulateError`], when the model or the number leaves nothing to make.
pub fn populate(model: &Model, items: usize, seed: u64) -> Result<Population, PopulateError> {
    enough_for(model, items)?;
    populated(model, items, items * TIMES, seed)
}

fn populated(
    model: &Model,
    items: usize,
    beside: usize,
    seed: u64,
) -> Result<Population, PopulateError> {
    let mut maker = Maker::new(model);
    let world = World::new(&mut maker, items, seed, 0);
    let mut wanted = world.wanted();
    let small = world.records()?;
    let mut more = Vec::new();
    if beside > 0 {
        let world = World::new(&mut maker, beside, seed, 1);
        let both = wanted.iter().zip(world.wanted());
        wanted = both.map(|(small, more)| small + more).collect();
        more = world.records()?;
    }
    Ok(Population {
        small,
        more,
        wanted,
        now: times::NOW,
    })
}

/// The small part of a population alone, for tests that need no more.
#[cfg(test)]
pub(crate) fn small(model: &Model, items: usize, seed: u64) -> Population {
    small_part(model, items, seed).unwrap()
}

/// The small part of a population alone.
///
/// # Errors
/// As [`populate`].
pub(crate) fn small_part(
    model: &Model,
    items: usize,
    seed: u64,
) -> Result<Population, PopulateError> {
    enough_for(model, items)?;
    populated(model, items, 0, seed)
}

/// All of them are kept in memory, and ten times as many are stored.
const MOST: usize = 10_000_000;

/// So few items of each entity leave nothing to ask about.
const LEAST_OF_EACH: usize = 5;

fn enough_for(model: &Model, items: usize) -> Result<(), PopulateError> {
    if model.entities.is_empty() {
        return Err(PopulateError::NoEntity);
    }
    let least = LEAST_OF_EACH * model.entities.len();
    match items {
        items if items < least => Err(PopulateError::TooFew { least }),
        items if items > MOST => Err(PopulateError::TooMany { most: MOST }),
        _ => Ok(()),
    }
}
