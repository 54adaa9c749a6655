//! Chance that is the same for the same seed.

/// Dice of one who throws them: splitmix64.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Those of somebody, by name: what one throws does not depend on how often others do.
    pub(crate) fn of(seed: u64, name: &str) -> Self {
        let mix = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Dice(name.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, mix))
    }

    fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below an end, which is not 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.throw() % end.max(1)
    }

    /// A number of a span, both ends included.
    pub(crate) fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last.saturating_sub(first) + 1)
    }

    /// True so many times of a hundred.
    pub(crate) fn percent(&mut self, of_hundred: u64) -> bool {
        self.below(100) < of_hundred
    }

    /// One of several; none of none.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let which = usize::try_from(self.below(of.len() as u64)).unwrap_or(0);
        of.get(which)
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn the_same_seed_throws_the_same() {
        let thrown = |seed, name| {
            let mut dice = Dice::of(seed, name);
            (0..50).map(|_| dice.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(thrown(7, "faults"), thrown(7, "faults"));
        assert_ne!(thrown(7, "faults"), thrown(8, "faults"));
        assert_ne!(thrown(7, "faults"), thrown(7, "kills"));
    }

    #[test]
    fn every_side_comes_up_and_no_other() {
        let mut dice = Dice::of(1, "sides");
        let mut seen = [false; 6];
        for _ in 0..200 {
            seen[usize::try_from(dice.between(0, 5)).unwrap()] = true;
        }
        assert_eq!(seen, [true; 6]);
        assert!((0..100).all(|_| !dice.percent(0) && dice.percent(100)));
        assert_eq!(dice.pick::<u8>(&[]), None);
        assert_eq!(dice.pick(&[3]), Some(&3));
    }
}
