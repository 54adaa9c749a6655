//! Walking two automata side by side, breadth first, each pair of states at most once.

use std::collections::HashMap;

use super::automaton::{Automaton, State};

/// A state of each automaton, after the same characters or, in a comparison, after equal ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) left: State,
    pub(super) right: State,
    /// What it means that the two have come apart is up to the question.
    pub(super) apart: bool,
}

/// Where a pair is without its counts: two parts, two nodes, and whether they are apart.
type Place = (usize, u32, usize, u32, bool);

pub(super) struct Exploration<'a> {
    left: &'a Automaton,
    right: &'a Automaton,
    reached: Vec<(Pair, Option<(usize, char)>)>,
    next: usize,
    /// The counts reached in each place, without those that allow less than others.
    seen: HashMap<Place, Vec<(State, State)>>,
}

impl<'a> Exploration<'a> {
    pub(super) fn new(left: &'a Automaton, right: &'a Automaton) -> Exploration<'a> {
        Exploration {
            left,
            right,
            reached: Vec::new(),
            next: 0,
            seen: HashMap::new(),
        }
    }

    /// Begins at a pair; an exploration may have several beginnings.
    pub(super) fn start(&mut self, pair: Pair) {
        self.reach(pair, None);
    }

    /// The next pair to look at, with its number.
    pub(super) fn next(&mut self) -> Option<(usize, Pair)> {
        let index = self.next;
        let (pair, _) = self.reached.get(index)?;
        self.next += 1;
        Some((index, *pair))
    }

    /// Goes on from pair `index` by character `c`.
    pub(super) fn step(&mut self, index: usize, c: char, to: Pair) {
        self.reach(to, Some((index, c)));
    }

    /// Goes on from pair `index` by every character that both sides can read.
    pub(super) fn step_together(&mut self, index: usize, apart: impl Fn(State, State) -> bool) {
        let (pair, _) = self.reached[index];
        let right_steps = self.right.steps(pair.right);
        for (left_on, left) in self.left.steps(pair.left) {
            for &(right_on, right) in &right_steps {
                if let Some(c) = left_on.intersect(right_on).friendly() {
                    let apart = pair.apart || apart(left, right);
                    self.step(index, c, Pair { left, right, apart });
                }
            }
        }
    }

    /// How pair `index` was reached: where it began, and each character with the pair it led to.
    pub(super) fn path(&self, index: usize) -> (Pair, Vec<(char, Pair)>) {
        let mut steps = Vec::new();
        let mut at = index;
        while let (pair, Some((from, c))) = self.reached[at] {
            steps.push((c, pair));
            at = from;
        }
        steps.reverse();
        (self.reached[at].0, steps)
    }

    /// The characters that lead to pair `index`.
    pub(super) fn text(&self, index: usize) -> String {
        self.path(index).1.into_iter().map(|(c, _)| c).collect()
    }

    /// A pair is left out when one reached before, in the same place, allows all that it allows: whatever
    /// the search looks for is found from there, and not later. It keeps length bounds from multiplying:
    /// two texts of up to a thousand characters are compared in a handful of pairs.
    fn reach(&mut self, pair: Pair, from: Option<(usize, char)>) {
        let Pair { left, right, apart } = pair;
        let place = (
            left.part,
            left.spot.node,
            right.part,
            right.spot.node,
            apart,
        );
        let seen = self.seen.entry(place).or_default();
        let (left_automaton, right_automaton) = (self.left, self.right);
        let allows_all_of = |earlier: &(State, State), later: (State, State)| {
            left_automaton.allows_all_that(earlier.0, later.0)
                && right_automaton.allows_all_that(earlier.1, later.1)
        };
        if !seen
            .iter()
            .any(|earlier| allows_all_of(earlier, (left, right)))
        {
            seen.push((left, right));
            self.reached.push((pair, from));
        }
    }
}
