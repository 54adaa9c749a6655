//! What holds for keys: told in sentences, checked on random input, and against enumeration of all keys.

mod brute_force;
mod long_texts;
mod properties;
mod sentences;
mod tiny;
