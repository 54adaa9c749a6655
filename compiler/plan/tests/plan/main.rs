//! The planner, from the outside: what it answers, what that costs, and that ranges are exact.

mod answers;
mod bills;
mod by_hand;
mod collections;
mod conditions;
mod costs;
mod documents;
mod entries;
mod exactness;
mod lowering;
