//! How many unfinished tasks were due before a day, as long as that day lasts: what was said of days that are over stays.

use std::collections::BTreeMap;

use jiff::civil::Date;
use tablewright_lake::{GoldRow, GoldTable, LakeError, Refining};

use super::{OVERDUE, USER};

pub(super) async fn put(refining: &Refining, today: Date) -> Result<(), LakeError> {
    let mut overdue: BTreeMap<String, i64> = BTreeMap::new();
    let see = |row: &GoldRow<'_>| {
        let is_open = matches!(row.text("status"), Some("pending" | "in_progress"));
        let is_due = row.day("due_date").is_some_and(|due| due < today);
        let user = row.text(USER).filter(|_| is_open && is_due);
        if let Some(user) = user {
            match overdue.get_mut(user) {
                Some(known) => *known += 1,
                None => _ = overdue.insert(user.to_owned(), 1),
            }
        }
    };
    let columns = [USER, "status", "due_date"];
    refining.reader().silver_rows("Task", &columns, see).await?;
    // One file for each day, so that no other day is touched.
    let table = GoldTable::new(OVERDUE)
        .piece(today.to_string())
        .texts(USER, overdue.keys().map(|user| Some(user.as_str())))
        .days("day", overdue.keys().map(|_| today))
        .counts("tasks", overdue.values().copied());
    refining.put(table).await
}
