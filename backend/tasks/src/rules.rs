//! What holds of tasks, of people and of requests, as functions without a database.

mod address;
mod input;
mod role;
mod subject;
mod transition;

pub use self::address::{Domains, NoAddress, address_of};
pub use self::input::{Edit, NewTask, TaskChange, task_status, user_status};
pub use self::role::{Role, groups_of, role_of};
pub use self::subject::Subject;
pub use self::transition::{is_handed_out, may_become};
