//! What holds for keys: told in sentences, checked on random input, and against enumeration of all keys.

mod brute_force;
mod properties;
mod sentences;
mod speed;
mod tiny;
