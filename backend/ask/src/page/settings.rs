//! Notifications: which devices, and how often.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use http::{HeaderMap, Uri};
use tablewright::Uuid;
use tablewright_service::{Address, Form, Path, Problem, Write, page_that_asks};

use super::visitor::Visitor;
use super::{sorry, told, told_by};
use crate::addresses;
use crate::browsers::WebApp;
use crate::model::Subscription;
use crate::state::App;
use crate::subscribing::{self, NewSubscription, SubscriptionChange};
use crate::who::Human;

/// Between two notifications, in minutes.
const INTERVALS: [(i64, &str); 7] = [
    (5, "5 minutes"),
    (15, "15 minutes"),
    (30, "half an hour"),
    (60, "an hour"),
    (180, "3 hours"),
    (480, "8 hours"),
    (1440, "a day"),
];

pub(super) fn routes(app: &App) -> Router {
    let device = "/settings/devices/{subscription_id}";
    Router::new()
        .route("/settings", get(show))
        .route("/settings/devices", post(subscribe))
        .route(device, post(change))
        .route(&format!("{device}/remove"), post(remove))
        .with_state(app.clone())
}

struct Interval {
    minutes: i64,
    name: String,
    chosen: bool,
}

struct Device {
    id: Uuid,
    short: String,
    state: String,
    intervals: Vec<Interval>,
}

#[derive(Template)]
#[template(path = "settings.html")]
struct Page {
    here: &'static str,
    problem: Option<String>,
    told: Option<&'static str>,
    by_token: bool,
    /// The app this browser can register for.
    web_app: Option<Arc<WebApp>>,
    intervals: Vec<Interval>,
    devices: Vec<Device>,
}

fn intervals(chosen: i64) -> Vec<Interval> {
    let known = INTERVALS
        .iter()
        .map(|(minutes, name)| (*minutes, (*name).to_owned()));
    let mut all: Vec<(i64, String)> = known.collect();
    if all.iter().all(|(minutes, _)| *minutes != chosen) {
        all.push((chosen, format!("{chosen} minutes")));
        all.sort_unstable();
    }
    let all = all.into_iter();
    all.map(|(minutes, name)| Interval {
        minutes,
        name,
        chosen: minutes == chosen,
    })
    .collect()
}

fn device(subscription: &Subscription) -> Device {
    let id = subscription.subscription_id.to_string();
    let state = match (subscription.active, subscription.last_notified_at) {
        (false, _) => String::from("no longer reached"),
        (true, None) => String::from("not notified yet"),
        (true, Some(at)) => format!("notified last at {at}"),
    };
    Device {
        id: subscription.subscription_id,
        short: id.chars().skip(id.len().saturating_sub(6)).collect(),
        state,
        intervals: intervals(subscription.min_interval_minutes),
    }
}

async fn page(
    app: &App,
    human: &Human,
    problem: Option<String>,
    told: Option<&'static str>,
) -> Result<Response, Problem> {
    let devices = subscribing::list(app, human).await?;
    let page = Page {
        here: "settings",
        problem,
        told,
        by_token: app.sends_by_firebase,
        web_app: app.web_app.clone(),
        intervals: intervals(30),
        devices: devices.iter().map(device).collect(),
    };
    let origins = page.web_app.as_deref().map(WebApp::origins);
    let html = page.render().map_err(Problem::internal)?;
    Ok(page_that_asks(html, &origins.unwrap_or_default()))
}

async fn show(
    State(app): State<App>,
    address: Address,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let told = match Form::in_query(&uri).text("done") {
        Some("subscribed") => Some("You will be notified."),
        Some("changed") => Some("Changed."),
        Some("removed") => Some("Removed: this device is not notified any more."),
        _ => None,
    };
    let shown = async {
        let standing = addresses::reads(&app, address).await?;
        // Who comes here wants to subscribe: from now on they are known.
        let visitor = Visitor::welcome(&app, &headers, address).await?;
        let page = page(&app, &visitor.human, None, told).await?;
        Ok(standing.told_on(visitor.shown(page, app.https_only)))
    };
    shown.await.or_else(sorry)
}

/// After a form: the page again, so that loading it again sends nothing; or the form with what was wrong.
async fn after(
    app: &App,
    human: &Human,
    done: Result<(), Problem>,
    what: &str,
) -> Result<Response, Problem> {
    match done {
        Ok(()) => Ok(Redirect::to(&format!("/settings?done={what}")).into_response()),
        Err(problem) => match page(app, human, Some(told(&problem)), None).await {
            Ok(page) => Ok(told_by(problem, page)),
            Err(problem) => sorry(problem),
        },
    }
}

fn minutes(said: &Form) -> Result<i64, Problem> {
    let minutes = said.text("min_interval_minutes").unwrap_or("30").parse();
    minutes.map_err(|_| Problem::invalid("min_interval_minutes", "it is a number"))
}

async fn subscribe(
    State(app): State<App>,
    human: Result<Human, Problem>,
    address: Address,
    form: Result<Write<Form>, Problem>,
) -> Result<Response, Problem> {
    let (human, said) = match human.and_then(|human| Ok((human, form?.body))) {
        Ok(sent) => sent,
        Err(problem) => return sorry(problem),
    };
    let done = async {
        let given = said.text("fcm_token").map(str::to_owned);
        let fcm_token = match (given, app.sends_by_firebase) {
            (Some(token), true) => token,
            (None, true) => return Err(Problem::invalid("fcm_token", "it is missing")),
            // Nobody sends anything here: what is in the outbox is for this browser, which is one device however often it says so.
            (_, false) => format!("browser:{}", human.fingerprint_hash),
        };
        let new = NewSubscription {
            fcm_token,
            min_interval_minutes: minutes(&said)?,
        };
        let new = new.checked()?;
        addresses::subscribes(&app, address).await?;
        subscribing::subscribe(&app, &human, new).await.map(drop)
    };
    let done = done.await;
    after(&app, &human, done, "subscribed").await
}

async fn change(
    State(app): State<App>,
    human: Result<Human, Problem>,
    Path(subscription_id): Path<Uuid>,
    form: Result<Write<Form>, Problem>,
) -> Result<Response, Problem> {
    let (human, said) = match human.and_then(|human| Ok((human, form?.body))) {
        Ok(sent) => sent,
        Err(problem) => return sorry(problem),
    };
    let done = async {
        let change = SubscriptionChange {
            fcm_token: None,
            min_interval_minutes: Some(minutes(&said)?),
        };
        let change = change.checked()?;
        subscribing::change(&app, &human, subscription_id, change)
            .await
            .map(drop)
    };
    let done = done.await;
    after(&app, &human, done, "changed").await
}

async fn remove(
    State(app): State<App>,
    human: Result<Human, Problem>,
    Path(subscription_id): Path<Uuid>,
) -> Result<Response, Problem> {
    let human = match human {
        Ok(human) => human,
        Err(problem) => return sorry(problem),
    };
    let done = subscribing::unsubscribe(&app, &human, subscription_id).await;
    after(&app, &human, done, "removed").await
}
