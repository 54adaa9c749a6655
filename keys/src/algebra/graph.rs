//! Building the automaton of one piece, state by state.

use std::cmp::Ordering;

use super::part::{Count, Edge, Node, Part};
use crate::form::{self, Slot};
use crate::{CharSet, ESCAPE};

/// A graph under construction; its first node is the start.
#[derive(Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
}

impl Graph {
    pub(super) fn node(&mut self) -> u32 {
        self.nodes.push(Node::default());
        u32::try_from(self.nodes.len() - 1).expect("a piece has far fewer states than 2^32")
    }

    /// Adds nothing for an empty set: no character leads there.
    pub(super) fn edge(&mut self, from: u32, on: CharSet, to: u32) {
        if !on.is_empty() {
            self.at(from).edges.push(Edge { on, to });
        }
    }

    pub(super) fn mark_accepting(&mut self, node: u32) {
        self.at(node).accepting = true;
    }

    fn at(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[usize::try_from(node).expect("a node's number is an index")]
    }

    pub(super) fn accept(mut self, end: u32) -> Part {
        self.mark_accepting(end);
        self.part()
    }

    /// The part that repeats this graph, one character of the value each time.
    pub(super) fn counted(self, count: Count) -> Part {
        Part {
            nodes: self.nodes,
            count: Some(count),
        }
    }

    pub(super) fn part(self) -> Part {
        Part {
            nodes: self.nodes,
            count: None,
        }
    }

    /// One character of an escaped value, from `between` back to it: itself, or `$` and its code.
    pub(super) fn escaped_character(&mut self, between: u32, chars: &CharSet) {
        self.edge(between, chars.above(ESCAPE), between);
        let codes = chars.up_to(ESCAPE);
        if codes.is_empty() {
            return;
        }
        let after_escape = self.node();
        self.edge(between, CharSet::single(ESCAPE), after_escape);
        for high in ['0', '1', '2'] {
            let has_code = |low: &char| unescaped(high, *low).is_some_and(|c| codes.contains(c));
            let low = ('0'..='9').chain('A'..='F').filter(has_code).map(|c| c..=c);
            let low = CharSet::ranges(low);
            if !low.is_empty() {
                let after_high = self.node();
                self.edge(after_escape, CharSet::single(high), after_high);
                self.edge(after_high, low, between);
            }
        }
    }

    /// A fixed-width form from a node; returns its end.
    pub(super) fn form(&mut self, from: u32, form: &[Slot], desc: bool) -> u32 {
        form.iter().fold(from, |at, slot| match slot {
            Slot::Number(low, high) if desc => self.number(
                at,
                &form::complement_digits(high),
                &form::complement_digits(low),
            ),
            Slot::Number(low, high) => self.number(at, low, high),
            Slot::Mark(mark) => self.one_of(at, CharSet::single(*mark)),
            Slot::Symbol(alphabet, count) => {
                let symbols = alphabet[..*count].chars();
                let facing = symbols.map(|c| if desc { form::opposite(alphabet, c) } else { c });
                self.one_of(at, CharSet::ranges(facing.map(|c| c..=c)))
            }
        })
    }

    pub(super) fn one_of(&mut self, from: u32, on: CharSet) -> u32 {
        let next = self.node();
        self.edge(from, on, next);
        next
    }

    /// All digit texts from `low` to `high`, two texts of one width; returns the one end.
    ///
    /// After some digits, only whether they are still those of a bound matters.
    pub(super) fn number(&mut self, from: u32, low: &str, high: &str) -> u32 {
        let width = low.len();
        let mut here: Vec<((bool, bool), u32)> = vec![((true, true), from)];
        for (index, (l, h)) in low.chars().zip(high.chars()).enumerate() {
            let mut next: Vec<((bool, bool), u32)> = Vec::new();
            for ((on_low, on_high), node) in here {
                let (least, most) = (if on_low { l } else { '0' }, if on_high { h } else { '9' });
                for digit in least..=most {
                    let last = index + 1 == width;
                    let bounds = (
                        !last && on_low && digit == l,
                        !last && on_high && digit == h,
                    );
                    let to = match next.iter().find(|(known, _)| *known == bounds) {
                        Some((_, to)) => *to,
                        None => {
                            let to = self.node();
                            next.push((bounds, to));
                            to
                        }
                    };
                    self.digit(node, digit, to);
                }
            }
            here = next;
        }
        here.first().map_or(from, |(_, end)| *end)
    }

    /// All numbers from `low` to `high` in plain decimal, accepted where they end.
    ///
    /// After some digits, their number and how they compare with as many digits of each bound decides.
    pub(super) fn plain_numbers(&mut self, from: u32, low: u64, high: u64) {
        if low == 0 {
            let zero = self.one_of(from, CharSet::single('0'));
            self.mark_accepting(zero);
        }
        let (low, high) = (low.max(1).to_string(), high.to_string());
        let start = (Ordering::Equal, Ordering::Equal);
        let mut here = vec![(start, from)];
        for index in 0..high.len() {
            let mut next: Vec<((Ordering, Ordering), u32)> = Vec::new();
            for &((to_low, to_high), node) in &here {
                for digit in if index == 0 { '1'..='9' } else { '0'..='9' } {
                    let compare = |bound: &str, so_far: Ordering| {
                        so_far.then(
                            bound[index..]
                                .chars()
                                .next()
                                .map_or(Ordering::Equal, |b| digit.cmp(&b)),
                        )
                    };
                    // Digits beyond those of the lower bound make the number greater than it.
                    let to_low = if index < low.len() {
                        compare(&low, to_low)
                    } else {
                        Ordering::Greater
                    };
                    let state = (to_low, compare(&high, to_high));
                    let fits = |length: usize| {
                        length >= low.len()
                            && (length > low.len() || state.0 != Ordering::Less)
                            && (length < high.len() || state.1 != Ordering::Greater)
                    };
                    if !(index + 1..=high.len()).any(fits) {
                        continue;
                    }
                    let to = match next.iter().find(|(known, _)| *known == state) {
                        Some((_, to)) => *to,
                        None => {
                            let to = self.node();
                            next.push((state, to));
                            if fits(index + 1) {
                                self.mark_accepting(to);
                            }
                            to
                        }
                    };
                    self.digit(node, digit, to);
                }
            }
            here = next;
        }
    }

    /// Adds a digit to the edge between two nodes, so that there is one edge for all its digits.
    fn digit(&mut self, from: u32, digit: char, to: u32) {
        let digit = CharSet::single(digit);
        match self.at(from).edges.iter_mut().find(|edge| edge.to == to) {
            Some(edge) => edge.on = edge.on.union(&digit),
            None => self.edge(from, digit, to),
        }
    }
}

fn unescaped(high: char, low: char) -> Option<char> {
    char::from_u32(high.to_digit(16)? * 16 + low.to_digit(16)?)
}
