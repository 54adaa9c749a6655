//! One question: to be answered, or skipped.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use http::{HeaderMap, Uri};
use serde::{Deserialize, Serialize};
use tablewright::{Timestamp, Uuid};
use tablewright_service::{Address, Cursor, Form, Kind, Path, Problem, Write};
use tokio::time::timeout;

use super::feed::{Card, Way};
use super::visitor::Visitor;
use super::{html, sorry, sorry_for, told, told_by};
use crate::addresses;
use crate::answering::{self, Receipt};
use crate::feed::{self, OpenQuestion, OpenedQuestion, Order, Wanted};
use crate::kinds::{ALREADY_ANSWERED, BANNED, QUESTION_OVER};
use crate::listing::From;
use crate::model::QuestionStatus;
use crate::rules::answer::NewAnswer;
use crate::rules::badges::Badge;
use crate::rules::time_zone::Zone;
use crate::state::App;
use crate::who::Human;

/// How many are on a page while the next one is looked for, and on how many pages.
const ON_A_PAGE: u32 = 20;
const PAGES: usize = 5;

/// After these there is nothing to send again.
const FINAL: [Kind; 5] = [
    Kind::FORBIDDEN,
    Kind::NOT_FOUND,
    ALREADY_ANSWERED,
    BANNED,
    QUESTION_OVER,
];

/// What a text is signed for that says what an answer has earned.
const THANKS: &str = "thanks";

struct Choice {
    number: usize,
    text: String,
    chosen: bool,
}

struct Step {
    number: i64,
    chosen: bool,
}

#[derive(Template)]
#[template(path = "question.html")]
struct Page {
    here: &'static str,
    card: Card,
    /// In which order and of what the next one is.
    way: String,
    opened: String,
    options: Vec<Choice>,
    confidence: Vec<Step>,
    said: String,
    problem: Option<String>,
}

#[derive(Template)]
#[template(path = "thanks.html")]
struct Thanks {
    here: &'static str,
    question_id: Uuid,
    points: i64,
    total: i64,
    streak: i64,
    badges: Vec<&'static Badge>,
    next: Option<String>,
}

/// What an answer has earned, from the form to the page that says so: to load that again sends nothing again.
#[derive(Serialize, Deserialize)]
struct Earned {
    question_id: Uuid,
    points: i64,
    total: i64,
    streak: i64,
    badges: Vec<String>,
}

pub(super) async fn show(
    State(app): State<App>,
    address: Address,
    headers: HeaderMap,
    uri: Uri,
    question_id: Result<Path<Uuid>, Problem>,
) -> Result<Response, Problem> {
    let shown = async {
        let Path(question_id) = question_id.map_err(|_| Problem::not_found("question"))?;
        let standing = addresses::reads(&app, address).await?;
        let (visitor, question) = opened(&app, &headers, address, question_id).await?;
        let way = Way::of(&Form::in_query(&uri));
        let page = page(&app, question, way, &Form::default(), None)?;
        Ok(standing.told_on(visitor.shown(page, app.https_only)))
    };
    shown.await.or_else(sorry)
}

/// A question, and who opens it. Somebody new is made only where there is something to answer: there are so many an hour from one address.
async fn opened(
    app: &App,
    headers: &HeaderMap,
    address: Address,
    question_id: Uuid,
) -> Result<(Visitor, OpenedQuestion), Problem> {
    if Visitor::known(app, headers).is_none() {
        let question = feed::open(app, &Human::nobody(), question_id).await?;
        if let Some(why) = closed(&question) {
            return Err(why);
        }
    }
    let visitor = Visitor::welcome(app, headers, address).await?;
    let question = feed::open(app, &visitor.human, question_id).await?;
    Ok((visitor, question))
}

/// Why there is nothing to answer, if there is not.
fn closed(question: &OpenedQuestion) -> Option<Problem> {
    let open = [QuestionStatus::Open, QuestionStatus::Partial];
    Some(match (question.can_answer, question.answered) {
        (true, _) => return None,
        (false, true) => Problem::new(ALREADY_ANSWERED)
            .detail("you have answered this question already: thank you!"),
        (false, false) if open.contains(&question.status) => {
            Problem::new(BANNED).detail("an admin has banned this browser")
        }
        (false, false) => Problem::new(QUESTION_OVER).detail("it takes no more answers"),
    })
}

/// The form, with what was said already.
fn page(
    app: &App,
    question: OpenedQuestion,
    way: Way,
    said: &Form,
    problem: Option<String>,
) -> Result<Response, Problem> {
    if let Some(why) = closed(&question) {
        return Err(why);
    }
    let opened = question.opened.unwrap_or_default();
    let now = app.now().seconds();
    let number = |name: &str| said.text(name).and_then(|text| text.parse::<i64>().ok());
    let (chosen, sure) = (number("selected_option"), number("confidence"));
    let options = question.question.options.clone().unwrap_or_default();
    let options = options.into_iter().enumerate();
    html(&Page {
        here: "",
        card: Card::new(&question.question, now),
        way: way.query(),
        opened: said.text("opened").map_or(opened, str::to_owned),
        options: options
            .map(|(number, text)| Choice {
                number,
                text,
                chosen: chosen.is_some_and(|chosen| usize::try_from(chosen) == Ok(number)),
            })
            .collect(),
        confidence: (1..=5)
            .map(|number| Step {
                number,
                chosen: sure == Some(number),
            })
            .collect(),
        said: said.text("answer").unwrap_or_default().to_owned(),
        problem,
    })
}

/// What is sent by the form. What is not allowed is told above it, and nothing that was written is lost.
pub(super) async fn answer(
    State(app): State<App>,
    human: Result<Human, Problem>,
    address: Address,
    headers: HeaderMap,
    uri: Uri,
    question_id: Result<Path<Uuid>, Problem>,
    form: Result<Write<Form>, Problem>,
) -> Result<Response, Problem> {
    let Ok(Path(question_id)) = question_id else {
        return sorry(Problem::not_found("question"));
    };
    let said = match form {
        Ok(form) => form.body,
        // Too long, or it did not come: there is nothing to show again.
        Err(problem) => return sorry(problem),
    };
    let way = Way::of(&Form::in_query(&uri));
    let sent = sent(&app, human, address, &headers, question_id, way, &said);
    match timeout(app.form_patience, sent).await {
        Ok(page) => page,
        Err(_) => sorry_for(
            Problem::new(Kind::TIMEOUT),
            said.text("answer").unwrap_or_default(),
        ),
    }
}

async fn sent(
    app: &App,
    human: Result<Human, Problem>,
    address: Address,
    headers: &HeaderMap,
    question_id: Uuid,
    way: Way,
    said: &Form,
) -> Result<Response, Problem> {
    let human = match human {
        Ok(human) => human,
        Err(problem) if problem.kind() == Kind::UNAUTHENTICATED => {
            let again = anew(app, headers, address, question_id, way, said);
            return again.await.or_else(sorry);
        }
        Err(problem) => return sorry(problem),
    };
    let answered = async {
        addresses::answers(app, address).await?;
        answering::answer(app, &human, new_answer(question_id, said)?).await
    };
    match answered.await {
        Ok((receipt, standing)) => {
            let thanks = thanked(app, question_id, receipt, way);
            Ok(standing.told_on(thanks))
        }
        Err(problem) if FINAL.contains(&problem.kind()) => sorry(problem),
        Err(problem) => {
            let again = async {
                let question = feed::open(app, &human, question_id).await?;
                page(app, question, way, said, Some(told(&problem)))
            };
            match again.await {
                Ok(page) => Ok(told_by(problem, page)),
                // Not even the question can be read: what was written is shown all the same.
                Err(why) if why.status() >= 500 => {
                    sorry_for(problem, said.text("answer").unwrap_or_default())
                }
                Err(problem) => sorry(problem),
            }
        }
    }
}

/// The form again, for somebody whose cookie is gone, with a new one.
async fn anew(
    app: &App,
    headers: &HeaderMap,
    address: Address,
    question_id: Uuid,
    way: Way,
    said: &Form,
) -> Result<Response, Problem> {
    let (visitor, question) = opened(app, headers, address, question_id).await?;
    // What was opened was opened by somebody else, as far as anybody knows.
    let said = said.without("opened");
    let why =
        "Your browser has forgotten who you are. You are somebody new now: please send it again.";
    let page = page(app, question, way, &said, Some(why.to_owned()))?;
    Ok(visitor.shown(page, app.https_only))
}

fn new_answer(question_id: Uuid, said: &Form) -> Result<NewAnswer, Problem> {
    let number = |name: &str| {
        let number = said.text(name).map(str::parse::<i64>).transpose();
        number.map_err(|_| Problem::invalid(name, "it is a number"))
    };
    // What a browser says of a time zone nobody else knows is no reason to refuse an answer.
    let zone = said
        .text("time_zone")
        .filter(|zone| Zone::of(zone).is_some());
    Ok(NewAnswer {
        question_id,
        opened: said.text("opened").unwrap_or_default().to_owned(),
        answer: said.text("answer").map(|text| text.replace("\r\n", "\n")),
        selected_option: number("selected_option")?,
        confidence: number("confidence")?,
        time_zone: zone.map(str::to_owned),
    })
}

/// On to the page that says what it has earned.
fn thanked(app: &App, question_id: Uuid, receipt: Receipt, way: Way) -> Response {
    let badges = receipt.new_badges.into_iter();
    let earned = Earned {
        question_id,
        points: receipt.points_earned,
        total: receipt.total_points,
        streak: receipt.streak_days,
        badges: badges.map(|badge| badge.badge).collect(),
    };
    let earned = serde_json::to_vec(&earned).expect("numbers and texts are JSON");
    let earned = app.signer.sign(THANKS, &earned);
    Redirect::to(&format!("/thanks?of={earned}&{}", way.query())).into_response()
}

pub(super) async fn thank(
    State(app): State<App>,
    address: Address,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let said = Form::in_query(&uri);
    let earned = said
        .text("of")
        .and_then(|text| app.signer.opened(THANKS, text));
    let earned = earned.and_then(|bytes| serde_json::from_slice::<Earned>(&bytes).ok());
    let Some(earned) = earned else {
        return sorry(Problem::not_found("page"));
    };
    let human = Visitor::known(&app, &headers).unwrap_or_else(Human::nobody);
    // The answer is stored: that the next one cannot be found is no reason to say anything else.
    let next = async {
        addresses::reads(&app, address).await?;
        let mut place = Place::of(&app, earned.question_id).await?;
        // Where it was before it was answered.
        place.needed += 1;
        next(&app, &human, &place, &Way::of(&said)).await
    };
    let next = next.await;
    html(&Thanks {
        here: "",
        question_id: earned.question_id,
        points: earned.points,
        total: earned.total,
        streak: earned.streak,
        badges: earned
            .badges
            .iter()
            .filter_map(|id| Badge::of(id))
            .collect(),
        next: next.unwrap_or(None),
    })
}

/// Where a question is among the others, in either order. One that was answered is not in the feed any more, and has its place all the same.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    question_id: Uuid,
    created_at: Option<Timestamp>,
    needed: i64,
}

impl Place {
    /// Of a question that is gone, or was none, nothing is known.
    async fn of(app: &App, question_id: Uuid) -> Result<Self, Problem> {
        let question = app.ask.questions.question(question_id).await?;
        Ok(Place {
            question_id,
            created_at: question.as_ref().map(|question| question.created_at),
            needed: question.map_or(0, |question| question.responses_needed),
        })
    }

    /// Whether another comes after it. After a place that is not known, all do.
    fn is_before(&self, other: &OpenQuestion, order: Order) -> bool {
        let Some(created_at) = self.created_at else {
            return true;
        };
        let id = other.question_id;
        match order {
            Order::Newest => (other.created_at, id) < (created_at, self.question_id),
            Order::Neediest => (other.responses_needed, id) < (self.needed, self.question_id),
        }
    }
}

/// Where the one after a question is, in the order and of the audience that was chosen; the first of all if there is none after it.
async fn next(
    app: &App,
    human: &Human,
    place: &Place,
    way: &Way,
) -> Result<Option<String>, Problem> {
    let mut place = *place;
    if way.at.is_some() {
        match following(app, human, &place, way).await {
            Ok(None) => place.created_at = None,
            // The cursor was somebody else's, or is old.
            Err(problem) if problem.kind() == Kind::BAD_CURSOR => {}
            found => return found,
        }
    }
    following(app, human, &place, &way.on(None)).await
}

/// The same from the page that one is on, so that however many were skipped, the next is near.
async fn following(
    app: &App,
    human: &Human,
    place: &Place,
    way: &Way,
) -> Result<Option<String>, Problem> {
    let now = app.now().seconds();
    let mut first = None;
    let mut at = way.at.clone();
    for _ in 0..PAGES {
        let cursor = at.clone().map(Cursor::new);
        let wanted = Wanted {
            order: way.order,
            audience: way.audience,
            limit: ON_A_PAGE,
            from: From::of(cursor.as_ref(), now)?,
        };
        let page = feed::page(app, human, &wanted).await?;
        let others = page.items.iter();
        for question in others.filter(|question| question.question_id != place.question_id) {
            let there = || way.on(at.clone()).to(question.question_id);
            if place.is_before(question, way.order) {
                return Ok(Some(there()));
            }
            first = first.or_else(|| Some(there()));
        }
        match page.next_cursor {
            Some(next) => at = Some(next),
            // It was the last: on from the beginning.
            None if way.at.is_some() => return Ok(None),
            None => return Ok(first),
        }
    }
    // Few are for this audience: the list goes on from here, as far as one likes.
    Ok(first.or_else(|| Some(way.list(&at?))))
}

/// Goes to another question than this one.
pub(super) async fn skip(
    State(app): State<App>,
    address: Address,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let said = Form::in_query(&uri);
    let after = said.text("after").and_then(|text| text.parse().ok());
    let skipped = async {
        addresses::reads(&app, address).await?;
        let human = Visitor::known(&app, &headers).unwrap_or_else(Human::nobody);
        let place = match after {
            Some(after) => Place::of(&app, after).await?,
            None => Place::default(),
        };
        let next = next(&app, &human, &place, &Way::of(&said)).await?;
        Ok(Redirect::to(next.as_deref().unwrap_or("/")).into_response())
    };
    skipped.await.or_else(sorry)
}
