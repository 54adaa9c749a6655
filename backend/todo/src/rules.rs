//! What holds of tasks and of requests for them, as functions without a database.

mod address;
mod day;
mod edit;
mod in_order;
mod input;
mod lifecycle;
mod plan;
mod text;
mod wanted;

pub use self::address::address;
pub use self::day::{Day, today};
pub use self::edit::{Edit, edited, patch_of};
pub use self::in_order::{Ordering, Place};
pub use self::input::{TaskInput, TaskPatch};
pub use self::lifecycle::Retention;
pub use self::plan::{Order, Pattern, Plan, Sort, plan};
pub use self::text::normal_category;
pub use self::wanted::{Due, Filter, Wanted};
pub use tablewright_service::{Faults, block, line};

/// The longest search.
pub const LONGEST_SEARCH: usize = 200;

/// The longest category.
pub const LONGEST_CATEGORY: usize = 50;
