//! The feed.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Uri};
use tablewright::Uuid;
use tablewright_service::{Address, Cursor, Form, Kind, Problem};

use super::visitor::Visitor;
use super::words::{kind, left, needed};
use super::{html, sorry};
use crate::addresses;
use crate::feed::{self, OpenQuestion, Order, Wanted};
use crate::listing::From;
use crate::model::{QuestionAudience, QuestionType};
use crate::state::App;
use crate::who::Human;

/// How many questions are shown at once.
const SHOWN: u32 = 20;

/// How much of a prompt is on a card, in characters: four lines are shown.
const EXCERPT: usize = 300;

/// A question on a card.
pub(super) struct Card {
    pub(super) id: Uuid,
    pub(super) prompt: String,
    pub(super) tags: Vec<&'static str>,
    pub(super) kind: String,
    pub(super) needed: String,
    pub(super) left: String,
}

impl Card {
    /// With the beginning of the prompt: a list of long ones would be too much for a slow line, and nobody sees more of it.
    fn short(question: &OpenQuestion, now: i64) -> Self {
        let mut card = Card::new(question, now);
        if let Some((end, _)) = card.prompt.char_indices().nth(EXCERPT) {
            card.prompt.truncate(end);
            card.prompt.push('…');
        }
        card
    }

    pub(super) fn new(question: &OpenQuestion, now: i64) -> Self {
        let options = question.options.as_ref().map(Vec::len);
        Card {
            id: question.question_id,
            prompt: question.prompt.clone(),
            tags: question.audience.iter().map(|tag| tag.as_str()).collect(),
            kind: kind(options.filter(|_| question.r#type == QuestionType::MultipleChoice)),
            needed: needed(question.responses_needed),
            left: left(question.expires_at.seconds() - now),
        }
    }
}

/// In which order, and of what, questions are looked through.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) order: Order,
    pub(super) audience: Option<QuestionAudience>,
    /// The cursor of the page one is on; none of the first.
    pub(super) at: Option<String>,
}

impl Way {
    /// As an address says.
    pub(super) fn of(said: &Form) -> Self {
        let chosen = |tag: &&QuestionAudience| Some(tag.as_str()) == said.text("audience");
        Way {
            order: match said.text("order") {
                Some("neediest") => Order::Neediest,
                _ => Order::Newest,
            },
            audience: QuestionAudience::ALL.iter().find(chosen).copied(),
            at: said
                .text("at")
                .filter(|at| is_cursor(at))
                .map(str::to_owned),
        }
    }

    /// The same on another page.
    pub(super) fn on(&self, at: Option<String>) -> Self {
        Way { at, ..self.clone() }
    }

    fn order(&self) -> &'static str {
        match self.order {
            Order::Neediest => "neediest",
            Order::Newest => "newest",
        }
    }

    /// For an address.
    pub(super) fn query(&self) -> String {
        let tag = self.audience.map_or("", |tag| tag.as_str());
        let at = self
            .at
            .as_ref()
            .map_or(String::new(), |at| format!("&at={at}"));
        format!("order={}&audience={tag}{at}", self.order())
    }

    /// Where the list goes on from a page of it.
    pub(super) fn list(&self, cursor: &str) -> String {
        format!("/?{}&cursor={cursor}", self.on(None).query())
    }

    /// Where a question is.
    pub(super) fn to(&self, question_id: Uuid) -> String {
        format!("/questions/{question_id}?{}", self.query())
    }
}

/// Whether it looks like a cursor, which is part of an address as it is.
pub(super) fn is_cursor(text: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.~".contains(letter);
    (1..=4000).contains(&text.len()) && text.chars().all(fits)
}

struct Tag {
    value: &'static str,
    chosen: bool,
}

#[derive(Template)]
#[template(path = "feed.html")]
struct Feed {
    here: &'static str,
    order: &'static str,
    way: String,
    audiences: Vec<Tag>,
    cards: Vec<Card>,
    next: Option<String>,
    first: bool,
}

#[derive(Template)]
#[template(path = "cards.html")]
struct Cards {
    cards: Vec<Card>,
    way: String,
    next: Option<String>,
    first: bool,
}

/// S2-13: what one has not answered. Without a cookie one has answered nothing.
pub(super) async fn show(
    State(app): State<App>,
    address: Address,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    match shown(&app, address, &headers, &Form::in_query(&uri)).await {
        Ok(page) => Ok(page),
        Err(problem) => sorry(problem),
    }
}

async fn shown(
    app: &App,
    address: Address,
    headers: &HeaderMap,
    said: &Form,
) -> Result<Response, Problem> {
    let standing = addresses::reads(app, address).await?;
    let human = Visitor::known(app, headers).unwrap_or_else(Human::nobody);
    let way = Way::of(said).on(None);
    let cursor = said.text("cursor").map(Cursor::new);
    let now = app.now().seconds();
    let first = cursor.is_none();
    let wanted = |from| Wanted {
        order: way.order,
        audience: way.audience,
        limit: SHOWN,
        from,
    };
    let from = From::of(cursor.as_ref(), now);
    let page = match from {
        Ok(from) => feed::page(app, &human, &wanted(from)).await,
        Err(problem) => Err(problem),
    };
    let page = match page {
        // Somebody came back with an old one, or has become somebody else meanwhile.
        Err(problem) if problem.kind() == Kind::BAD_CURSOR => {
            feed::page(app, &human, &wanted(From::of(None, now)?)).await?
        }
        page => page?,
    };
    let next = page.next_cursor;
    let next = next.map(|cursor| way.list(&cursor));
    let at = said.text("cursor").filter(|at| is_cursor(at));
    let way = way.on(at.map(str::to_owned));
    let cards = page
        .items
        .iter()
        .map(|question| Card::short(question, now))
        .collect();
    if headers.contains_key("x-part") {
        let way = way.query();
        let part = html(&Cards {
            cards,
            way,
            next,
            first,
        })?;
        return Ok(standing.told_on(part));
    }
    let audiences = QuestionAudience::ALL.iter();
    let page = html(&Feed {
        here: "feed",
        order: way.order(),
        way: way.query(),
        audiences: audiences
            .map(|tag| Tag {
                value: tag.as_str(),
                chosen: Some(*tag) == way.audience,
            })
            .collect(),
        cards,
        next,
        first,
    })?;
    Ok(standing.told_on(page))
}
