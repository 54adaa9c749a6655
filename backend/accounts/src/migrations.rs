//! How items of older shapes become items of the present one. Old versions stay here as long as an item of them may be stored.

use tablewright::Migrations;

/// Version 1 called the name of an account `owner`.
pub(crate) fn account_data() -> Migrations {
    Migrations::none().from(1, |fields| {
        fields.rename("owner", "name");
        Ok(())
    })
}
