//! The texts of one piece as a deterministic automaton. Every state can reach acceptance; a piece without
//! any text has no state at all.

use crate::CharSet;

/// A transition on any character of a set.
#[derive(Debug)]
pub(crate) struct Edge {
    pub(crate) on: CharSet,
    pub(crate) to: u32,
}

/// A state of the graph; its edges have disjoint sets.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) accepting: bool,
    pub(crate) edges: Vec<Edge>,
}

/// The texts of one piece.
///
/// A counted part repeats its graph: node 0 lies between two characters of the value, an edge back to it
/// completes one, and the part accepts there when the count is within the bounds. So a length bound costs
/// no states, and an escape sequence counts as the one character it stands for.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) nodes: Vec<Node>,
    pub(crate) count: Option<Count>,
}

/// How many characters a counted part takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Count {
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
}

/// A state of a part: where in the graph, and how many characters are complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Spot {
    pub(crate) node: u32,
    pub(crate) count: u32,
}

impl Part {
    pub(crate) const START: Spot = Spot { node: 0, count: 0 };

    /// A part without any text.
    pub(crate) fn nothing() -> Part {
        Part {
            nodes: Vec::new(),
            count: None,
        }
    }

    pub(crate) fn has_no_text(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn accepts(&self, spot: Spot) -> bool {
        match self.count {
            Some(Count { min, .. }) => spot.node == 0 && spot.count >= min,
            None => self.node(spot).is_some_and(|node| node.accepting),
        }
    }

    pub(crate) fn accepts_empty(&self) -> bool {
        !self.has_no_text() && self.accepts(Part::START)
    }

    /// The transitions from a state, at most one for each character.
    pub(crate) fn steps(&self, from: Spot) -> impl Iterator<Item = (&CharSet, Spot)> {
        let full = from.node == 0
            && self
                .count
                .is_some_and(|count| count.max.is_some_and(|max| from.count >= max));
        let edges = if full {
            &[]
        } else {
            self.node(from).map_or(&[][..], |node| &node.edges)
        };
        edges.iter().map(move |edge| {
            let count = match self.count {
                Some(count) if edge.to == 0 => count.after(from.count),
                _ => from.count,
            };
            (
                &edge.on,
                Spot {
                    node: edge.to,
                    count,
                },
            )
        })
    }

    /// Whether so many characters are enough, at least between two of them.
    pub(crate) fn is_sufficient(&self, count: u32) -> bool {
        self.count.is_some_and(|bounds| count >= bounds.min)
    }

    /// Accepting states after which the text can go on, leaving out those that allow less than another.
    pub(crate) fn extensible_ends(&self) -> Vec<Spot> {
        let ends: Vec<Spot> = match self.count {
            Some(count) => vec![Spot {
                node: 0,
                count: count.min,
            }],
            None => (0..)
                .zip(&self.nodes)
                .map(|(node, _)| Spot { node, count: 0 })
                .collect(),
        };
        ends.into_iter()
            .filter(|&end| self.accepts(end) && self.steps(end).next().is_some())
            .collect()
    }

    fn node(&self, spot: Spot) -> Option<&Node> {
        self.nodes.get(usize::try_from(spot.node).ok()?)
    }
}

impl Count {
    /// The count after one more character. Without a maximum, counts above the minimum are all alike.
    fn after(self, count: u32) -> u32 {
        match self.max {
            Some(_) => count + 1,
            None => count.saturating_add(1).min(self.min),
        }
    }
}
