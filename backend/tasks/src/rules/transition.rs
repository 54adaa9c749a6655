//! Which status may follow which (C1-15).

use super::Role;
use crate::model::TaskStatus::{self, Closed, Completed, InProgress, Open};

/// Whether somebody may give a task that has one status another. To leave it as it is may everybody, but a member what is closed.
///
/// A member works forwards, or one step back. An admin may also take up again what is finished or closed (C1-16). Nobody closes a task by its
/// status: that is a request of its own, since it also says who closed it and when.
pub fn may_become(from: TaskStatus, to: TaskStatus, role: Role) -> bool {
    match (role, from, to) {
        (_, _, Closed) => false,
        (Role::Admin, _, _) => true,
        (Role::Member, Closed, _) => false,
        (Role::Member, Completed, Open) => false,
        (Role::Member, Open | InProgress | Completed, _) => true,
    }
}

/// Whether a task of this status can be assigned to somebody: finished work is not handed out.
pub fn is_handed_out(status: TaskStatus) -> bool {
    matches!(status, Open | InProgress)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C1-15, C1-16: every status, to every status, by everybody.
    #[test]
    fn the_table_of_transitions() {
        let table = [
            // from        to          member admin
            (Open, Open, true, true),
            (Open, InProgress, true, true),
            (Open, Completed, true, true),
            (Open, Closed, false, false),
            (InProgress, Open, true, true),
            (InProgress, InProgress, true, true),
            (InProgress, Completed, true, true),
            (InProgress, Closed, false, false),
            (Completed, Open, false, true),
            (Completed, InProgress, true, true),
            (Completed, Completed, true, true),
            (Completed, Closed, false, false),
            (Closed, Open, false, true),
            (Closed, InProgress, false, true),
            (Closed, Completed, false, true),
            (Closed, Closed, false, false),
        ];
        assert_eq!(
            table.len(),
            TaskStatus::ALL.len() * TaskStatus::ALL.len(),
            "every pair is there"
        );
        for (from, to, member, admin) in table {
            assert_eq!(may_become(from, to, Role::Member), member, "{from} {to}");
            assert_eq!(may_become(from, to, Role::Admin), admin, "{from} {to}");
        }
    }

    /// C1-15
    #[test]
    fn finished_work_is_not_handed_out() {
        let open = TaskStatus::ALL.map(is_handed_out);
        assert_eq!(open, [true, true, false, false]);
    }
}
