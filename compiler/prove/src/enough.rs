//! As much data as is asked for, and as much as every pattern needs.

use tablewright_model::Model;
use tablewright_model::model::Access;

use crate::data::{Later, PopulateError, Population, populate, small_part};
use crate::deeds::FEW_AT_ONCE;
use crate::{Deed, Effect, Oracle, deeds, questions};

/// Among so many items what a pattern needs is not missing by chance.
const ENOUGH: usize = 2_000;

/// The data of a proof: about so many items, or as few more as it takes that every pattern can be called. An item that meets a condition
/// may be one of thirty, and what two conditions of a transaction need together one of hundreds. Where no amount helps, it is as was asked.
///
/// # Errors
/// [`PopulateError`], when the model or the number leaves nothing to make.
pub(crate) fn enough(model: &Model, items: usize, seed: u64) -> Result<Population, PopulateError> {
    let mut size = items;
    while size < ENOUGH {
        if every_read_is_answered(model, &small_part(model, size, seed)?, seed) {
            let population = populate(model, size, seed)?;
            if every_write_can_be_done(model, &population, seed) {
                return Ok(population);
            }
        }
        size += size / 2 + 1;
    }
    populate(model, items, seed)
}

/// Whether nothing is missing when a read gives no item: of what there is one of, one state only can be shown, and another read may demand another.
pub(crate) fn may_be_unanswered(model: &Model, access: &Access) -> bool {
    let is_one = model.entity(access.verb.entity().id).identity().is_empty();
    is_one && access.condition.is_some()
}

fn every_read_is_answered(model: &Model, population: &Population, seed: u64) -> bool {
    let oracle = Oracle::new(model, &population.small, population.now);
    let mut reads = model.accesses.iter().filter(|access| {
        let verb = &access.verb;
        verb.is_read() && !may_be_unanswered(model, access)
    });
    reads.all(|access| {
        let mut asked = questions(model, access, population, seed).into_iter();
        asked.any(|question| !oracle.answer(access, &question).is_empty())
    })
}

/// Whether every write can be done, one after another as a proof does them, beside what comes later.
fn every_write_can_be_done(model: &Model, population: &Population, seed: u64) -> bool {
    let later = Later::of(model, &population.more);
    let mut oracle = Oracle::new(model, &population.small, population.now);
    let mut writes = model.accesses.iter();
    writes.all(|access| {
        if access.verb.is_read() {
            return true;
        }
        let all = deeds(model, access, &oracle, &later, seed);
        for deed in &all {
            let first = deed.made_first().cloned();
            first.for_each(|record| oracle.insert(record));
            oracle.apply(&deed.after);
            let gone = removed(deed);
            if gone.len() > FEW_AT_ONCE {
                oracle.apply(&gone);
            }
        }
        all.iter().any(Deed::is_legal)
    })
}

/// What a deed removed, to be put back.
fn removed(deed: &Deed) -> Vec<Effect> {
    let removed = deed.after.iter().filter_map(|effect| match effect {
        Effect::Remove(record) => Some(Effect::Insert(record.clone())),
        _ => None,
    });
    removed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models;

    fn is_enough(model: &Model, population: &Population, seed: u64) -> bool {
        every_read_is_answered(model, population, seed)
            && every_write_can_be_done(model, population, seed)
    }

    /// S0-51: the data of a proof has what every pattern needs, however little is asked for, and not much more than that.
    #[test]
    fn every_pattern_can_be_called_at_every_size() {
        for (name, model) in models::all() {
            for (items, seeds) in [(50, 3), (100, 3), (150, 2), (200, 3)] {
                for seed in 1..=seeds {
                    let population = enough(&model, items, seed).unwrap();
                    let about = format!("{name}, {items} items, seed {seed}");
                    assert!(is_enough(&model, &population, seed), "{about}");
                    let found = population.small.len();
                    assert!(found < 2 * items.max(250), "{about}: {found}");
                }
            }
        }
    }

    /// S0-51: what hardly any item is by chance is made, and needs no more data, with any seed.
    #[test]
    fn every_read_has_an_item_to_give_at_every_size() {
        let text = include_str!("../tests/right/rare-conditions.toml");
        let model = tablewright_model::parse(text).unwrap();
        for items in 10..40 {
            for seed in 1..=4 {
                let population = small_part(&model, items, seed).unwrap();
                let about = format!("{items} items, seed {seed}");
                assert!(is_enough(&model, &population, seed), "{about}");
            }
        }
    }

    /// Of settings there is one, which is light or dark: no more data has both.
    #[test]
    fn what_one_item_cannot_be_at_once_asks_for_no_more_data() {
        let rare = include_str!("../tests/right/rare-conditions.toml");
        let dark =
            "\n[access.dark]\nget = \"Settings\"\nwhere = \"theme = dark and size = 54321\"\n";
        let model = tablewright_model::parse(&format!("{rare}{dark}")).unwrap();
        let population = enough(&model, 100, 1).unwrap();
        assert_eq!(population.small, small_part(&model, 100, 1).unwrap().small);
    }

    /// What no item can meet is not looked for without end, and is told of the data that was asked for.
    #[test]
    fn what_is_never_met_is_left_to_the_proof() {
        let text = include_str!("../../../models/accounts.toml");
        let model = text.replace("\"balance = 0\"", "\"balance = -1\"");
        let model = tablewright_model::parse(&model).unwrap();
        let population = enough(&model, 200, 1).unwrap();
        assert_eq!(population.small, small_part(&model, 200, 1).unwrap().small);
    }
}
