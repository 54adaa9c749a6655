use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock};

use crate::bounds::{next_char, previous_char};

/// A set of characters, kept as sorted, disjoint, non-adjacent ranges: equal sets are equal values. A copy is cheap.
///
/// ```
/// use tablewright_keys::CharSet;
/// let id = CharSet::ascii_id();
/// assert!(id.contains('a') && !id.contains('#'));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct CharSet(Arc<[(char, char)]>);

impl CharSet {
    /// No character at all.
    pub fn empty() -> CharSet {
        CharSet(Arc::default())
    }

    /// Every Unicode character.
    pub fn any() -> CharSet {
        static ANY: LazyLock<CharSet> = LazyLock::new(|| CharSet(Arc::new([('\0', char::MAX)])));
        ANY.clone()
    }

    /// What identifiers are made of: `A-Z a-z 0-9 - _ . : @ | + = / ~`. All of them sort above `$`.
    pub fn ascii_id() -> CharSet {
        static ASCII_ID: LazyLock<CharSet> = LazyLock::new(|| {
            let alphanumeric = CharSet::ranges(['A'..='Z', 'a'..='z', '0'..='9']);
            alphanumeric.union(&CharSet::from_chars("-_.:@|+=/~"))
        });
        ASCII_ID.clone()
    }

    /// Exactly the characters of `text`.
    pub fn from_chars(text: &str) -> CharSet {
        CharSet::ranges(text.chars().map(|c| c..=c))
    }

    /// One character.
    pub fn single(c: char) -> CharSet {
        CharSet(Arc::new([(c, c)]))
    }

    /// The union of ranges, in any order, overlapping or not. A range that ends before it starts is empty.
    pub fn ranges(ranges: impl IntoIterator<Item = RangeInclusive<char>>) -> CharSet {
        let given = ranges
            .into_iter()
            .map(|range| (*range.start(), *range.end()));
        CharSet::normalised(given.filter(|(low, high)| low <= high).collect())
    }

    /// The ranges, sorted; no two of them touch.
    pub fn as_ranges(&self) -> impl Iterator<Item = RangeInclusive<char>> + '_ {
        self.0.iter().map(|&(low, high)| low..=high)
    }

    /// Whether `c` is in the set.
    pub fn contains(&self, c: char) -> bool {
        let after = self.0.partition_point(|&(low, _)| low <= c);
        after > 0 && c <= self.0[after - 1].1
    }

    /// Whether the set has no character.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The lowest character.
    pub fn min(&self) -> Option<char> {
        self.0.first().map(|&(low, _)| low)
    }

    /// The highest character.
    pub fn max(&self) -> Option<char> {
        self.0.last().map(|&(_, high)| high)
    }

    /// The characters in both sets.
    pub fn intersect(&self, other: &CharSet) -> CharSet {
        let (mut i, mut j) = (0, 0);
        let mut both = Vec::new();
        while let (Some(&(a_low, a_high)), Some(&(b_low, b_high))) = (self.0.get(i), other.0.get(j))
        {
            let (low, high) = (a_low.max(b_low), a_high.min(b_high));
            if low <= high {
                both.push((low, high));
            }
            if a_high <= b_high {
                i += 1;
            } else {
                j += 1;
            }
        }
        CharSet(both.into())
    }

    /// The characters in either set.
    pub fn union(&self, other: &CharSet) -> CharSet {
        CharSet::normalised(self.0.iter().chain(other.0.iter()).copied().collect())
    }

    /// The characters of this set that are not in `other`.
    pub fn without(&self, other: &CharSet) -> CharSet {
        self.intersect(&other.complement())
    }

    /// Every character that is not in the set.
    pub fn complement(&self) -> CharSet {
        let mut gaps = Vec::new();
        let mut from = Some('\0');
        for &(low, high) in self.0.iter() {
            if let (Some(start), Some(end)) = (from, previous_char(low))
                && start <= end
            {
                gaps.push((start, end));
            }
            from = next_char(high);
        }
        gaps.extend(from.map(|start| (start, char::MAX)));
        CharSet(gaps.into())
    }

    /// The characters up to and including `highest`.
    pub fn up_to(&self, highest: char) -> CharSet {
        self.intersect(&CharSet(Arc::new([('\0', highest)])))
    }

    /// The characters above `lowest`, without it.
    pub fn above(&self, lowest: char) -> CharSet {
        self.intersect(&CharSet(
            next_char(lowest)
                .map(|next| (next, char::MAX))
                .into_iter()
                .collect(),
        ))
    }

    /// A member that reads well in a message: a letter or digit if there is one, else something visible.
    pub fn friendly(&self) -> Option<char> {
        let preferred = [('a', 'z'), ('0', '9'), ('A', 'Z'), ('!', '~')];
        let pick = |range| self.intersect(&CharSet(Arc::new([range]))).min();
        preferred.into_iter().find_map(pick).or_else(|| self.min())
    }

    fn normalised(mut ranges: Vec<(char, char)>) -> CharSet {
        ranges.sort_unstable();
        let mut merged: Vec<(char, char)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match merged.last_mut() {
                Some(last) if low <= last.1 || next_char(last.1) == Some(low) => {
                    last.1 = last.1.max(high)
                }
                _ => merged.push((low, high)),
            }
        }
        CharSet(merged.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_are_equal_values_however_they_were_built() {
        assert_eq!(CharSet::from_chars("cab"), CharSet::ranges(['a'..='c']));
        assert_eq!(
            CharSet::ranges(['a'..='m', 'k'..='z']),
            CharSet::ranges(['n'..='z', 'a'..='m'])
        );
        let around_surrogates = CharSet::ranges(['\u{E000}'..=char::MAX, '\0'..='\u{D7FF}']);
        assert_eq!(around_surrogates, CharSet::any());
    }

    #[test]
    fn identifiers_hold_neither_delimiter_nor_escape() {
        let id = CharSet::ascii_id();
        assert!("azAZ09-_.:@|+=/~".chars().all(|c| id.contains(c)));
        assert!("#$ !\"{}é".chars().all(|c| !id.contains(c)));
        assert!(id.min() > Some('$'));
    }

    #[test]
    fn set_operations_agree_with_membership() {
        let sets =
            ["", "a", "#$ab", "bcxyz", "\u{D7FF}\u{E000}", "\0\u{10FFFF}"].map(CharSet::from_chars);
        let probes: Vec<char> = "\0#$abcxyz\u{D7FF}\u{E000}\u{10FFFF}".chars().collect();
        for a in &sets {
            for b in &sets {
                for &c in &probes {
                    let (in_a, in_b) = (a.contains(c), b.contains(c));
                    assert_eq!(a.intersect(b).contains(c), in_a && in_b);
                    assert_eq!(a.union(b).contains(c), in_a || in_b);
                    assert_eq!(a.without(b).contains(c), in_a && !in_b);
                    assert_eq!(a.complement().contains(c), !in_a);
                    assert_eq!(a.up_to('b').contains(c), in_a && c <= 'b');
                    assert_eq!(a.above('b').contains(c), in_a && c > 'b');
                }
            }
        }
        assert_eq!(CharSet::any().complement(), CharSet::empty());
        assert_eq!(CharSet::empty().complement(), CharSet::any());
    }

    #[test]
    fn ends_and_friendly_members() {
        let set = CharSet::from_chars("#q$");
        assert_eq!(
            (set.min(), set.max(), set.friendly()),
            (Some('#'), Some('q'), Some('q'))
        );
        assert_eq!(CharSet::from_chars("\u{1}#").friendly(), Some('#'));
        assert_eq!(CharSet::empty().friendly(), None);
        assert_eq!(set.as_ranges().collect::<Vec<_>>(), ['#'..='$', 'q'..='q']);
        let backwards = CharSet::ranges(['b'..='a']);
        assert!(backwards.is_empty());
    }
}
