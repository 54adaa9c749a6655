//! What is allowed, and what follows from what. Nothing here reads or writes.

pub mod abuse;
pub mod answer;
pub mod badges;
pub mod life;
pub mod points;
pub mod question;
pub mod stats;
pub mod streak;
pub mod time_zone;
