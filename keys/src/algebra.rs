//! What can be proven about keys from their templates: by construction and exactly, not by example.
//!
//! The texts of each piece are a regular language: its automaton is built from the shape and the encodings,
//! and it holds exactly the texts that rendering gives. Questions about templates become questions about
//! products of these automata, explored breadth first, so witnesses are shortest.
//!
//! # What is exact, and what is not
//!
//! * Pieces are independent: a field that occurs twice in a template, or in both of two templates, may have
//!   two values. Answers are then on the safe side: two templates may be said to meet that never do.
//! * `shard(n)` may give every number below `n`, even for a field with fewer values.
//! * In [`order`], `shard` always breaks the order, and `lower` does when it changes any character at all.
//! * A template with a piece that has no value (an empty enum, encodings that do not fit the shape) has no
//!   keys: nothing meets it, and it is neither ambiguous nor out of order.
//!
//! Everything else is exact in both directions, and tested against enumeration of all keys.

mod ambiguity;
mod automaton;
mod equality;
mod exploration;
mod graph;
mod language;
mod order;
mod part;

pub(crate) use automaton::{Automaton, State};

pub use ambiguity::{Ambiguity, ambiguity};
pub use equality::{Meeting, can_be_equal, meeting, prefix_can_match, shortest_key};
pub use order::{OrderBroken, WhyUnordered, order, order_upto};
