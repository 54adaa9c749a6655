//! What the lake says of a user's tasks.

use schemars::JsonSchema;
use serde::Serialize;
use tablewright::Date;
use tablewright_lake::{GoldRow, LakeError, Place, Reader};

use crate::gold::{COMPLETION, OVERDUE, PER_DAY, USER, piece_of};
use crate::model::SCHEMA;

/// What the lake says of the caller's tasks. It is behind by a minute or two.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Insights {
    /// Up to when this is known to be all there is, in seconds since 1970: before every change that could not be read or written yet. Nothing where the lake has not been looked after yet.
    pub(crate) as_of: Option<i64>,
    /// How many tasks were created and completed on each day, the latest first: at most 90 days on which there was something. Days are those of UTC. What was deleted since is counted as well.
    pub(crate) days: Vec<DayInsight>,
    /// How many were completed of each category, in the order of categories; tasks without one first.
    pub(crate) categories: Vec<CategoryInsight>,
    /// How many unfinished tasks were due before today.
    pub(crate) overdue: i64,
}

/// What happened on a day.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct DayInsight {
    /// The day.
    pub(crate) day: Date,
    /// How many tasks were created.
    pub(crate) created: i64,
    /// How many were completed.
    pub(crate) completed: i64,
}

/// How far tasks of a category are.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct CategoryInsight {
    /// The category; nothing for tasks without one.
    pub(crate) category: Option<String>,
    /// How many tasks were created that are not cancelled; those that were deleted are counted as they last were.
    pub(crate) tasks: i64,
    /// How many of them are completed.
    pub(crate) completed: i64,
    /// The share of those, from 0 to 1.
    pub(crate) rate: f64,
    /// How long it took from creation to completion, on average; nothing where none is completed.
    pub(crate) seconds_to_complete: Option<f64>,
}

/// How many days are shown.
const DAYS: usize = 90;

/// What gold says of a user, without reading what it says of all others. Nothing, where there is no lake yet.
pub(crate) async fn of(place: &Place, user: &str) -> Result<Insights, LakeError> {
    if !place.has(&SCHEMA.name).await? {
        return Ok(Insights::default());
    }
    let reader = Reader::open(place, &SCHEMA.name)?;
    let as_of = reader.as_of().await?;
    let mut insights = Insights {
        as_of: as_of.map(|millis| millis.div_euclid(1000)),
        ..Insights::default()
    };
    let count = |row: &GoldRow<'_>, name: &str| row.count(name).unwrap_or(0);
    let see = |row: &GoldRow<'_>| {
        insights.days.extend(row.day("day").map(|day| DayInsight {
            day,
            created: count(row, "created"),
            completed: count(row, "completed"),
        }));
    };
    let piece = piece_of(user);
    let read = reader.gold_piece_of(PER_DAY, &piece, USER, user, see);
    read.await?;
    insights.days.sort_by_key(|day| std::cmp::Reverse(day.day));
    insights.days.truncate(DAYS);
    let see = |row: &GoldRow<'_>| {
        insights.categories.push(CategoryInsight {
            category: row.text("category").map(str::to_owned),
            tasks: count(row, "tasks"),
            completed: count(row, "completed"),
            rate: row.number("rate").unwrap_or(0.0),
            seconds_to_complete: row.number("seconds_to_complete"),
        });
    };
    let read = reader.gold_piece_of(COMPLETION, &piece, USER, user, see);
    read.await?;
    // Of each day there is a piece, by its name; the last is of today.
    if let Some(today) = reader.gold_pieces(OVERDUE).await?.last() {
        let see = |row: &GoldRow<'_>| insights.overdue += count(row, "tasks");
        let read = reader.gold_piece_of(OVERDUE, today, USER, user, see);
        read.await?;
    }
    Ok(insights)
}
