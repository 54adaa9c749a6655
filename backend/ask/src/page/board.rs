//! The board of a period.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Uri};
use tablewright_service::{Address, Form, Problem};

use super::visitor::Visitor;
use super::{html, sorry};
use crate::addresses;
use crate::boards::{self, Board, Period};
use crate::state::App;
use crate::who::Human;

const SHOWN: u32 = 25;

const PERIODS: [(Period, &str, &str); 3] = [
    (Period::Daily, "daily", "Today"),
    (Period::Weekly, "weekly", "This week"),
    (Period::AllTime, "all_time", "Ever"),
];

struct Tab {
    value: &'static str,
    name: &'static str,
    chosen: bool,
}

#[derive(Template)]
#[template(path = "leaderboard.html")]
struct Page {
    here: &'static str,
    tabs: Vec<Tab>,
    own: String,
    caption: String,
    rows: Vec<boards::Entry>,
}

/// S2-20
pub(super) async fn show(
    State(app): State<App>,
    address: Address,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let said = Form::in_query(&uri);
    let asked = said.text("period").unwrap_or("weekly");
    let known = PERIODS.iter().find(|(_, value, _)| *value == asked);
    let (period, value, name) = *known.unwrap_or(&PERIODS[1]);
    let shown = async {
        let standing = addresses::reads(&app, address).await?;
        let human = Visitor::known(&app, &headers).unwrap_or_else(Human::nobody);
        let board = boards::board(&app, &human, period, SHOWN).await?;
        let tab = |(_, tab, name): &(Period, &'static str, &'static str)| Tab {
            value: tab,
            name,
            chosen: *tab == value,
        };
        let page = html(&Page {
            here: "leaderboard",
            tabs: PERIODS.iter().map(tab).collect(),
            own: own(&board),
            caption: format!("Most points: {name}"),
            rows: board.entries,
        })?;
        Ok(standing.told_on(page))
    };
    shown.await.or_else(sorry)
}

/// One's own place, in a sentence.
fn own(board: &Board) -> String {
    let points = board.your_points;
    match (board.your_rank, board.your_rank_over) {
        (Some(rank), _) => format!("Your rank is {rank}, with {points} points."),
        (None, Some(over)) => {
            format!(
                "Your rank is beyond {over}, with {points} points: at least {over} people have more."
            )
        }
        (None, None) => String::from("You are not on this board yet: an answer takes you there."),
    }
}
