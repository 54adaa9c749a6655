//! Proofs for people and for programs.

pub mod json;
