//! What was done, as small charts.

use askama::Template;
use jiff::ToSpan as _;

use crate::insights::{CategoryInsight, DayInsight, Insights};

/// How many days have a place in the chart.
const DAYS: i64 = 30;
/// So many have one at least: a first day alone is no wall.
const FEW: i64 = 14;
/// How wide a day is, of which each of its two bars takes four.
const WIDE: i64 = 10;

#[derive(Template)]
#[template(path = "insights.html")]
pub(super) struct Charts {
    /// Up to when it is known to be all there is.
    as_of: Option<String>,
    days: Vec<Bars>,
    width: i64,
    first: String,
    last: String,
    most: i64,
    overdue: i64,
    categories: Vec<Category>,
}

/// A day: what was created beside what was completed.
struct Bars {
    title: String,
    left: i64,
    middle: i64,
    created_top: i64,
    created_height: i64,
    completed_top: i64,
    completed_height: i64,
}

struct Category {
    name: String,
    tasks: i64,
    completed: i64,
    after: String,
}

impl Charts {
    pub(super) fn of(insights: &Insights) -> Self {
        let days = days_in_a_row(&insights.days);
        let most = days.iter().map(|day| day.created.max(day.completed)).max();
        let most = most.unwrap_or(0);
        let named =
            |day: Option<&DayInsight>| day.map_or_else(String::new, |day| day.day.to_string());
        Charts {
            as_of: insights.as_of.map(moment),
            width: WIDE * (days.len() as i64).max(FEW),
            first: named(days.first()),
            last: named(days.last()),
            most,
            overdue: insights.overdue,
            categories: insights.categories.iter().map(category).collect(),
            days: days
                .iter()
                .zip(0..)
                .map(|(day, place)| bars(day, place, most))
                .collect(),
        }
    }
}

/// The last days, the earliest first, and also those on which there was nothing: what is far apart stands so.
fn days_in_a_row(latest_first: &[DayInsight]) -> Vec<DayInsight> {
    let Some(last) = latest_first.first().map(|day| day.day) else {
        return Vec::new();
    };
    let earliest = last.saturating_sub((DAYS - 1).days());
    let mut known = latest_first.iter().take_while(|day| day.day >= earliest);
    let first = known.clone().last().map_or(last, |day| day.day);
    let mut next = known.next();
    let mut days = Vec::new();
    let mut day = last;
    // A calendar ends somewhere, and a chart before that.
    while day >= first {
        let there = next.filter(|known| known.day == day);
        if there.is_some() {
            next = known.next();
        }
        days.push(there.cloned().unwrap_or(DayInsight {
            day,
            created: 0,
            completed: 0,
        }));
        let Ok(before) = day.yesterday() else { break };
        day = before;
    }
    days.reverse();
    days
}

fn moment(seconds: i64) -> String {
    let moment = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    moment.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

fn bars(day: &DayInsight, place: i64, most: i64) -> Bars {
    let height = |count: i64| count * 100 / most.max(1);
    Bars {
        title: format!(
            "{}: {} created, {} completed",
            day.day, day.created, day.completed
        ),
        left: place * WIDE,
        middle: place * WIDE + WIDE / 2,
        created_top: 100 - height(day.created),
        created_height: height(day.created),
        completed_top: 100 - height(day.completed),
        completed_height: height(day.completed),
    }
}

fn category(insight: &CategoryInsight) -> Category {
    Category {
        name: insight
            .category
            .clone()
            .unwrap_or_else(|| String::from("none")),
        tasks: insight.tasks,
        completed: insight.completed,
        after: insight.seconds_to_complete.map_or_else(String::new, span),
    }
}

/// So many seconds, as people say it.
fn span(seconds: f64) -> String {
    let (number, unit) = match seconds {
        ..60.0 => (seconds, "s"),
        ..3600.0 => (seconds / 60.0, "min"),
        ..86_400.0 => (seconds / 3600.0, "h"),
        _ => (seconds / 86_400.0, "d"),
    };
    format!("{number:.1} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_in_the_order_of_days_and_as_high_as_the_highest() {
        let day = |day: &str, created, completed| DayInsight {
            day: day.parse().unwrap(),
            created,
            completed,
        };
        let insights = Insights {
            days: vec![day("2026-11-16", 4, 1), day("2026-11-15", 0, 2)],
            ..Insights::default()
        };
        let charts = Charts::of(&insights);
        assert_eq!(
            (charts.first.as_str(), charts.last.as_str()),
            ("2026-11-15", "2026-11-16")
        );
        let heights: Vec<(i64, i64)> = charts
            .days
            .iter()
            .map(|day| (day.created_height, day.completed_height))
            .collect();
        assert_eq!(heights, [(0, 50), (100, 25)]);
        assert_eq!(span(90.0), "1.5 min");
    }

    #[test]
    fn days_are_as_far_apart_as_they_were() {
        let day = |day: &str, created| DayInsight {
            day: day.parse().unwrap(),
            created,
            completed: 0,
        };
        let insights = Insights {
            days: vec![
                day("2026-11-16", 4),
                day("2026-11-12", 2),
                day("2026-10-18", 1),
                day("2026-10-17", 9),
                day("2020-01-01", 9),
            ],
            ..Insights::default()
        };
        let charts = Charts::of(&insights);
        // Thirty days, and none before them.
        assert_eq!((charts.days.len(), charts.width), (30, 300));
        assert_eq!((charts.first.as_str(), charts.most), ("2026-10-18", 4));
        let places = charts.days.iter().filter(|day| day.created_height > 0);
        let places: Vec<i64> = places.map(|day| day.left).collect();
        assert_eq!(places, [0, 250, 290]);
        let between = &charts.days[1].title;
        assert_eq!(between, "2026-10-19: 0 created, 0 completed");

        let few = Insights {
            days: insights.days[..2].to_vec(),
            ..Insights::default()
        };
        assert_eq!(Charts::of(&few).days.len(), 5);
    }
}
