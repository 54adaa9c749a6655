//! The language, from the outside: faults, natural keys and requests by hand.

mod by_hand;
mod faults;
mod natural_keys;
mod relationships;
