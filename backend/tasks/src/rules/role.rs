//! Who may do what. The token decides, not the profile (C1-23).

use crate::model::UserGroup;

/// What a person may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Sees what is assigned to them, and changes its status.
    Member,
    /// Creates, changes, assigns, closes and deletes tasks, and sees all of them.
    Admin,
}

/// The role of somebody with a token of these groups (S1-6). Who is in none of ours is a member without tasks.
pub fn role_of(groups: &[String]) -> Role {
    if groups
        .iter()
        .any(|group| group == UserGroup::Admins.as_str())
    {
        Role::Admin
    } else {
        Role::Member
    }
}

/// The groups a profile shows: ours among those of the token.
pub fn groups_of(groups: &[String]) -> Vec<UserGroup> {
    let is_said = |group: &UserGroup| groups.iter().any(|said| said == group.as_str());
    let ours: Vec<UserGroup> = UserGroup::ALL.into_iter().filter(is_said).collect();
    match ours.is_empty() {
        true => vec![UserGroup::Members],
        false => ours,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S1-6, C1-23
    #[test]
    fn the_groups_of_the_token_are_the_role() {
        let said = |groups: &[&str]| {
            let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
            (role_of(&groups), groups_of(&groups))
        };
        let (admins, members) = (UserGroup::Admins, UserGroup::Members);
        assert_eq!(said(&["Admins"]), (Role::Admin, vec![admins]));
        assert_eq!(
            said(&["Members", "other", "Admins"]),
            (Role::Admin, vec![admins, members])
        );
        for none in [&[][..], &["Members"], &["admins"], &["Administrators", ""]] {
            assert_eq!(said(none), (Role::Member, vec![members]), "{none:?}");
        }
    }
}
