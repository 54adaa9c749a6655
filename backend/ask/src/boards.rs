//! Leaderboards: who has most points of a day, of a week, of all time (S2-20, C2-15).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tablewright::Timestamp;
use tablewright_service::Problem;

use crate::model::UserStats;
use crate::rules::time_zone::{Zone, monday};
use crate::state::App;
use crate::statistics::{points_of_day, points_of_week};
use crate::who::Human;

/// Up to which rank it is told exactly: so many entries of a board are read for it, and no more.
pub(crate) const EXACT: u64 = 1000;

/// Of when a board is. Days and weeks are those of UTC, and a week begins on Monday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum Period {
    /// Today.
    Daily,
    /// This week.
    Weekly,
    /// Ever.
    #[default]
    AllTime,
}

/// Somebody on a board. People have no names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Entry {
    /// 1 and how many have more points: those with equal points have one rank.
    pub(crate) rank: u64,
    /// The points.
    pub(crate) points: i64,
    /// With how many answers.
    pub(crate) answers: i64,
    /// Whether it is oneself.
    pub(crate) you: bool,
}

/// A board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Board {
    /// Of when it is.
    pub(crate) period: Period,
    /// The first on it. Those with equal points are always in the same order.
    pub(crate) entries: Vec<Entry>,
    /// One's own rank; null if one is not on it, and beyond 1000.
    pub(crate) your_rank: Option<u64>,
    /// 1000 if one's rank is beyond it, which is not counted; else null.
    pub(crate) your_rank_over: Option<u64>,
    /// One's own points.
    pub(crate) your_points: i64,
}

/// Where somebody stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rank {
    pub(crate) rank: Option<u64>,
    pub(crate) over: Option<u64>,
}

/// Somebody on a board, with what they are known by.
struct Row {
    fingerprint_hash: String,
    points: i64,
    answers: i64,
}

/// The board of a period, as it is now, with one's own place.
pub(crate) async fn board(
    app: &App,
    human: &Human,
    period: Period,
    limit: u32,
) -> Result<Board, Problem> {
    let now = app.now();
    let stats = app.ask.user_stats.stats(&human.fingerprint_hash).await?;
    let rows = rows(app, period, limit, now).await?;
    let own = match &stats {
        Some(stats) => rank(app, period, stats, now).await?,
        None => Rank::default(),
    };
    let points = |stats| points(period, stats, now);
    Ok(Board {
        period,
        entries: entries(rows, human),
        your_rank: own.rank,
        your_rank_over: own.over,
        your_points: stats.as_deref().map_or(0, points),
    })
}

async fn rows(app: &App, period: Period, limit: u32, now: Timestamp) -> Result<Vec<Row>, Problem> {
    let people = &app.ask.user_stats;
    let today = Zone::utc().at(now).date;
    Ok(match period {
        Period::AllTime => {
            let page = people.leaderboard().limit(limit).page().await?;
            let rows = page.items.into_iter().map(|row| Row {
                fingerprint_hash: row.fingerprint_hash,
                points: row.total_points,
                answers: row.total_answers,
            });
            rows.collect()
        }
        Period::Daily => {
            let page = people.leaderboard_of_day(today).limit(limit).page().await?;
            let rows = page.items.into_iter().map(|row| Row {
                fingerprint_hash: row.fingerprint_hash,
                points: row.daily_points,
                answers: row.daily_answers,
            });
            rows.collect()
        }
        Period::Weekly => {
            let week = people.leaderboard_of_week(monday(today));
            let page = week.limit(limit).page().await?;
            let rows = page.items.into_iter().map(|row| Row {
                fingerprint_hash: row.fingerprint_hash,
                points: row.weekly_points,
                answers: row.weekly_answers,
            });
            rows.collect()
        }
    })
}

fn entries(rows: Vec<Row>, human: &Human) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::with_capacity(rows.len());
    for (place, row) in (1..).zip(rows) {
        let before = entries.last().filter(|last| last.points == row.points);
        entries.push(Entry {
            rank: before.map_or(place, |before| before.rank),
            points: row.points,
            answers: row.answers,
            you: row.fingerprint_hash == human.fingerprint_hash,
        });
    }
    entries
}

/// Where somebody stands on a board, without reading more of it than `EXACT` entries.
pub(crate) async fn rank(
    app: &App,
    period: Period,
    stats: &UserStats,
    now: Timestamp,
) -> Result<Rank, Problem> {
    if stats.banned_at.is_some() || !is_on(period, stats, now) {
        return Ok(Rank::default());
    }
    let people = &app.ask.user_stats;
    let points = points(period, stats, now);
    let ahead = match period {
        Period::AllTime => people.count_ahead(points),
        Period::Daily => people.count_ahead_of_day(stats.points_date, points),
        Period::Weekly => people.count_ahead_of_week(stats.points_week, points),
    };
    let ahead = ahead.up_to(EXACT).await?;
    Ok(match ahead < EXACT {
        true => Rank {
            rank: Some(ahead + 1),
            over: None,
        },
        false => Rank {
            rank: None,
            over: Some(EXACT),
        },
    })
}

fn is_on(period: Period, stats: &UserStats, now: Timestamp) -> bool {
    let today = Zone::utc().at(now).date;
    match period {
        Period::AllTime => true,
        Period::Daily => stats.points_date == today,
        Period::Weekly => stats.points_week == monday(today),
    }
}

fn points(period: Period, stats: &UserStats, now: Timestamp) -> i64 {
    match period {
        Period::AllTime => stats.total_points,
        Period::Daily => points_of_day(stats, now),
        Period::Weekly => points_of_week(stats, now),
    }
}
