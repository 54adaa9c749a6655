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

/// Pairs that can stand for each other: the same states but for counts that are already sufficient.
type Place = (State, State, bool);

pub(super) struct Exploration<'a> {
    left: &'a Automaton,
    right: &'a Automaton,
    reached: Vec<(Pair, Option<(usize, char)>)>,
    next: usize,
    /// The counts reached in each place, without those that allow less than earlier ones.
    seen: HashMap<Place, Vec<(u32, u32)>>,
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

    /// A pair is left out when one reached before, in the same place and with counts not above its own,
    /// allows all that it allows: whatever the search looks for is found from there, and not later. It
    /// keeps length bounds from multiplying: two texts of up to a thousand characters are compared in a
    /// handful of pairs.
    fn reach(&mut self, pair: Pair, from: Option<(usize, char)>) {
        let (left, left_count) = self.left.without_sufficient_count(pair.left);
        let (right, right_count) = self.right.without_sufficient_count(pair.right);
        let seen = self.seen.entry((left, right, pair.apart)).or_default();
        if !seen
            .iter()
            .any(|earlier| earlier.0 <= left_count && earlier.1 <= right_count)
        {
            seen.push((left_count, right_count));
            self.reached.push((pair, from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CharSet, Shape, Template};

    fn explored(a: &str, b: &str, min: u32, max: u32) -> usize {
        let shape = Shape::Text {
            chars: CharSet::any(),
            min,
            max: Some(max),
        };
        let automaton = |text: &str| {
            let typed = Template::parse(text)
                .unwrap()
                .typed(|_| Some(shape.clone()))
                .unwrap();
            Automaton::of(&typed).unwrap()
        };
        let (left, right) = (automaton(a), automaton(b));
        let mut exploration = Exploration::new(&left, &right);
        let start = State::start_of(0);
        exploration.start(Pair {
            left: start,
            right: start,
            apart: false,
        });
        while let Some((index, _)) = exploration.next() {
            exploration.step_together(index, |_, _| false);
        }
        exploration.reached.len()
    }

    #[test]
    fn length_bounds_do_not_multiply() {
        assert!(explored("{x}#X", "{y}#Y", 1, 1000) < 20);
        assert_eq!(
            explored("{x}#X", "{y}#Y", 1, 1000),
            explored("{x}#X", "{y}#Y", 1, 10)
        );
        assert!(explored("{x:raw}{y:raw}X", "{x:raw}{y:raw}Y", 1, 1000) < 40);
    }

    #[test]
    fn a_path_leads_from_the_start_to_the_pair() {
        let typed = Template::parse("ab").unwrap().typed(|_| None).unwrap();
        let automaton = Automaton::of(&typed).unwrap();
        let start = State::start_of(0);
        let begin = Pair {
            left: start,
            right: start,
            apart: false,
        };
        let mut exploration = Exploration::new(&automaton, &automaton);
        exploration.start(begin);
        let mut last = 0;
        while let Some((index, _)) = exploration.next() {
            exploration.step_together(index, |_, _| false);
            last = index;
        }
        assert_eq!(exploration.text(last), "ab");
        assert_eq!(exploration.path(last).0, begin);
        assert_eq!(exploration.path(0).1, []);
    }
}
