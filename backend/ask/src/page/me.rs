//! One's own points and badges.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use tablewright_service::{Address, Problem};

use super::visitor::Visitor;
use super::{html, sorry};
use crate::addresses;
use crate::rules::badges::BADGES;
use crate::state::App;
use crate::statistics;
use crate::who::Human;

struct Shown {
    name: &'static str,
    about: &'static str,
    earned: Option<String>,
}

struct Category {
    name: String,
    count: i64,
}

#[derive(Template)]
#[template(path = "me.html")]
struct Page {
    here: &'static str,
    points: i64,
    today: i64,
    answers: i64,
    streak: i64,
    rank: String,
    badges: Vec<Shown>,
    categories: Vec<Category>,
}

/// S2-19
pub(super) async fn show(
    State(app): State<App>,
    address: Address,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let shown = async {
        let standing = addresses::reads(&app, address).await?;
        let human = Visitor::known(&app, &headers).unwrap_or_else(Human::nobody);
        let stats = statistics::stats(&app, &human).await?;
        let earned = |id: &str| {
            let found = stats.badges.iter().find(|badge| badge.badge == id);
            found.map(|badge| badge.earned_at.to_string().chars().take(10).collect())
        };
        let rank = match (stats.rank, stats.rank_over) {
            (Some(rank), _) => rank.to_string(),
            (None, Some(over)) => format!("beyond {over}"),
            (None, None) => String::from("–"),
        };
        let categories = stats.answers_by_category.iter();
        let page = html(&Page {
            here: "me",
            points: stats.total_points,
            today: stats.daily_points,
            answers: stats.total_answers,
            streak: stats.streak_days,
            rank,
            badges: BADGES
                .iter()
                .map(|badge| Shown {
                    name: badge.name,
                    about: badge.about,
                    earned: earned(badge.id),
                })
                .collect(),
            categories: categories
                .map(|(name, count)| Category {
                    name: name.clone(),
                    count: *count,
                })
                .collect(),
        })?;
        Ok(standing.told_on(page))
    };
    shown.await.or_else(sorry)
}
