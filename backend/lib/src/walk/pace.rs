//! How many items a request looks at, where a filter lets some of them pass.

/// What requests have looked at so far, and what came of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pace {
    /// How many items DynamoDB looked at, and how many passed its filter and ours.
    looked_at: u64,
    kept: u64,
    /// How many it looked at since one passed.
    in_vain: u64,
}

impl Pace {
    /// One request more.
    pub(super) fn note(&mut self, looked_at: u64, kept: u64) {
        self.looked_at += looked_at;
        self.kept += kept;
        self.in_vain = match kept {
            0 => self.in_vain + looked_at,
            _ => 0,
        };
    }

    /// One that passed DynamoDB's filter did not pass ours.
    pub(super) fn note_dropped(&mut self) {
        self.kept = self.kept.saturating_sub(1);
        self.in_vain += 1;
    }

    /// How many items to look at for so many that pass the filter: as many as passed so far say, and more and more where none did. What
    /// passes often lies together, so that none for a while says more than many before: every request is rounded up to a block, and
    /// one for each item would cost a page for nothing.
    pub(super) fn limit(&self, needed: u32) -> u32 {
        const MOST: u64 = 1000;
        let needed = u64::from(needed.max(1));
        let limit = match (self.looked_at, self.kept) {
            (0, _) => needed,
            (looked_at, 0) => looked_at.saturating_mul(2).max(needed),
            (looked_at, kept) => needed.saturating_mul(looked_at).div_ceil(kept),
        };
        let limit = limit.max(self.in_vain.saturating_mul(2));
        u32::try_from(limit.clamp(needed, MOST.max(needed))).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits of the requests that read so many items, of which the first pass and no others, for one item more.
    fn limits(passing: u64, all: u64) -> Vec<u32> {
        let mut pace = Pace::default();
        pace.note(passing, passing);
        let mut limits = Vec::new();
        let mut read = passing;
        while read < all {
            let limit = pace.limit(1);
            limits.push(limit);
            pace.note(u64::from(limit), 0);
            read += u64::from(limit);
        }
        limits
    }

    #[test]
    fn what_is_looked_for_in_vain_is_looked_for_farther() {
        assert_eq!(limits(19, 52), [1, 2, 6, 18, 54]);
    }

    #[test]
    fn the_pace_is_that_of_what_passes() {
        let mut pace = Pace::default();
        assert_eq!(pace.limit(20), 20);
        pace.note(20, 5);
        assert_eq!(pace.limit(15), 60);
        pace.note(60, 15);
        assert_eq!(pace.limit(1), 4);
        let mut nothing = Pace::default();
        nothing.note(20, 0);
        assert_eq!(nothing.limit(20), 40);
        nothing.note(2000, 0);
        assert_eq!(nothing.limit(20), 1000);
    }
}
