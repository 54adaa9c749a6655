//! Chance that comes out the same on every machine.

/// A source of numbers that look like chance and follow from a seed alone (SplitMix64).
#[derive(Debug, Clone)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Chance(seed)
    }

    /// Another source for one purpose, so that more of one thing does not change another.
    pub(crate) fn of(seed: u64, purpose: &str) -> Self {
        let mut chance = Chance(seed ^ hash(purpose.as_bytes()));
        chance.next();
        chance
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a limit; 0 where the limit is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        if limit == 0 {
            return 0;
        }
        // The high half of a product: no division, and no bias that would matter here.
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// A number from one to another, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = i128::from(high) - i128::from(low) + 1;
        if span <= 0 {
            return low;
        }
        let offset = (u128::from(self.next()) * span.unsigned_abs()) >> 64;
        i64::try_from(i128::from(low) + offset as i128).unwrap_or(low)
    }

    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of several, of which there is at least one.
    pub(crate) fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }
}

/// FNV-1a, spread.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    Chance(hash).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let take = |seed| -> Vec<u64> {
            let mut chance = Chance::of(seed, "tasks");
            (0..4).map(|_| chance.next()).collect()
        };
        assert_eq!(take(7), take(7));
        assert_ne!(take(7), take(8));
        // Written down once, so that no machine and no later version gives others.
        assert_eq!(Chance::new(1).next(), 10_451_216_379_200_822_465);
    }

    #[test]
    fn numbers_keep_their_limits() {
        let mut chance = Chance::new(3);
        assert!((0..1000).all(|_| chance.below(7) < 7));
        assert!((0..1000).all(|_| (-3..=3).contains(&chance.between(-3, 3))));
        assert_eq!(chance.between(i64::MAX, i64::MAX), i64::MAX);
        let spread: Vec<i64> = (0..100)
            .map(|_| chance.between(i64::MIN, i64::MAX))
            .collect();
        assert!(spread.iter().any(|n| *n < 0) && spread.iter().any(|n| *n > 0));
        assert_eq!(chance.below(0), 0);
    }
}
