//! A template as one automaton: its parts one after the other, with a silent step from the end of one to
//! the start of the next. A run tells which part reads which character, so runs are parses.

use std::collections::{HashSet, VecDeque};

use super::language::part_of;
use super::part::{Part, Spot};
use crate::{CharSet, TypedTemplate};

#[derive(Debug)]
pub(crate) struct Automaton {
    parts: Vec<Part>,
    /// Whether the parts from an index on can all be empty; one more entry than there are parts.
    rest_may_be_empty: Vec<bool>,
}

/// A state of the automaton: inside which part, and where there. One past the last part is the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) part: usize,
    pub(crate) spot: Spot,
}

impl State {
    pub(crate) fn start_of(part: usize) -> State {
        State {
            part,
            spot: Part::START,
        }
    }
}

impl Automaton {
    /// `None` when the template has no key at all, because some piece has no value that can be encoded.
    pub(crate) fn of(template: &TypedTemplate) -> Option<Automaton> {
        let parts: Vec<Part> = template.pieces.iter().map(part_of).collect();
        if parts.iter().any(Part::has_no_text) {
            return None;
        }
        let mut rest_may_be_empty = vec![true; parts.len() + 1];
        for (index, part) in parts.iter().enumerate().rev() {
            rest_may_be_empty[index] = part.accepts_empty() && rest_may_be_empty[index + 1];
        }
        Some(Automaton {
            parts,
            rest_may_be_empty,
        })
    }

    pub(crate) fn part(&self, index: usize) -> &Part {
        &self.parts[index]
    }

    pub(crate) fn accepts(&self, state: State) -> bool {
        match self.parts.get(state.part) {
            Some(part) => part.accepts(state.spot) && self.rest_may_be_empty[state.part + 1],
            None => true,
        }
    }

    /// The transitions from a state: for each character, at most one into each part. So a run is told by
    /// which part reads which character.
    pub(crate) fn steps(&self, from: State) -> Vec<(&CharSet, State)> {
        let mut steps = Vec::new();
        let mut state = from;
        while let Some(part) = self.parts.get(state.part) {
            let own = part.steps(state.spot);
            steps.extend(own.map(|(on, spot)| {
                (
                    on,
                    State {
                        part: state.part,
                        spot,
                    },
                )
            }));
            if !part.accepts(state.spot) {
                break;
            }
            state = State::start_of(state.part + 1);
        }
        steps
    }

    /// The state with its count taken off when the count suffices to end the part there. Of two states
    /// that differ only in sufficient counts, the one with the lower count allows all that the other does.
    pub(crate) fn without_sufficient_count(&self, state: State) -> (State, u32) {
        let count = state.spot.count;
        match self.parts.get(state.part) {
            Some(part) if part.is_sufficient(count) => {
                let spot = Spot {
                    count: u32::MAX,
                    ..state.spot
                };
                (State { spot, ..state }, count)
            }
            _ => (state, count),
        }
    }

    /// A shortest text from a state to the end of a key.
    pub(crate) fn shortest_end(&self, from: State) -> String {
        shortest(from, |state| self.accepts(state), |state| self.steps(state)).unwrap_or_default()
    }

    /// A shortest text of the parts before an index, then of that part up to a state of it.
    pub(crate) fn shortest_to(&self, to: State) -> String {
        let before = |part: &Part| {
            shortest(
                Part::START,
                |spot| part.accepts(spot),
                |spot| part.steps(spot).collect(),
            )
        };
        let mut text: String = self.parts[..to.part].iter().filter_map(before).collect();
        let part = &self.parts[to.part];
        text.extend(shortest(
            Part::START,
            |spot| spot == to.spot,
            |spot| part.steps(spot).collect(),
        ));
        text
    }
}

/// Breadth-first search for a shortest text from a state to a goal.
fn shortest<'a, S: Copy + Eq + std::hash::Hash>(
    from: S,
    is_goal: impl Fn(S) -> bool,
    steps: impl Fn(S) -> Vec<(&'a CharSet, S)>,
) -> Option<String> {
    let mut reached = vec![(from, 0, None)];
    let mut seen = HashSet::from([from]);
    let mut queue = VecDeque::from([0]);
    while let Some(index) = queue.pop_front() {
        let (state, ..) = reached[index];
        if is_goal(state) {
            let mut text = Vec::new();
            let mut at = index;
            while let (_, parent, Some(c)) = reached[at] {
                text.push(c);
                at = parent;
            }
            return Some(text.into_iter().rev().collect());
        }
        for (on, next) in steps(state) {
            if seen.insert(next) {
                queue.push_back(reached.len());
                reached.push((next, index, on.friendly()));
            }
        }
    }
    None
}
