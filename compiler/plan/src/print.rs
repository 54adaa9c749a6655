//! Tables, numbers and the model's words as people read them, in text and in Markdown: for everything that prints.

mod columns;
pub mod markdown;
mod number;

pub use columns::{Align, Columns};
pub use number::{exact, grouped, thousands, units};
