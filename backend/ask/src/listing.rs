//! Lists that depend on what time it is: all pages of one are of the moment of its first page, which its cursors say.

use tablewright_service::{Cursor, Kind, Problem};

/// Where a page begins, and of which moment it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct From<'c> {
    /// In seconds since 1970. A cursor is bound to it: another moment than its own makes it a bad one.
    pub(crate) moment: i64,
    /// The cursor of the library.
    pub(crate) cursor: Option<&'c str>,
}

impl<'c> From<'c> {
    /// The first page, now; or the page of a cursor.
    ///
    /// # Errors
    /// 400 when it is none of ours.
    pub(crate) fn of(cursor: Option<&'c Cursor>, now: i64) -> Result<Self, Problem> {
        let Some(cursor) = cursor else {
            return Ok(From {
                moment: now,
                cursor: None,
            });
        };
        let bad = || Problem::new(Kind::BAD_CURSOR);
        let (moment, cursor) = cursor.as_str().split_once('.').ok_or_else(bad)?;
        let moment: i64 = moment.parse().map_err(|_| bad())?;
        match (0..=now).contains(&moment) {
            true => Ok(From {
                moment,
                cursor: Some(cursor),
            }),
            false => Err(bad()),
        }
    }

    /// The cursor of the page after.
    pub(crate) fn next(self, cursor: Option<String>) -> Option<String> {
        cursor.map(|cursor| format!("{}.{cursor}", self.moment))
    }
}
