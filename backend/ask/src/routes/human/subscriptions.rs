//! Devices that want to hear of new questions.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use tablewright::Uuid;
use tablewright_service::{
    Address, Created, Json, Kind, NoContent, Path, Problem, Routes, delete, get, post, put,
};

use crate::addresses;
use crate::limits::Limited;
use crate::state::App;
use crate::subscribing::{self, NewSubscription, SubscriptionChange, SubscriptionView};
use crate::who::Human;

const ALL: &str = "/human/push/subscriptions";
const ONE: &str = "/human/push/subscriptions/{subscription_id}";

pub(super) fn add_to(routes: Routes<App>) -> Routes<App> {
    routes
        .route(
            post(ALL, subscribe)
                .summary("Be notified of questions on a device")
                .about("Who sends the same token again has one subscription, with the interval they said last. Whoever presents the token of a device takes it over from whom it subscribed for before.")
                .problem(Kind::TAKEN)
                .problem(Kind::CONFLICT)
                .problem(Kind::RATE_LIMITED),
        )
        .route(
            get(ALL, list)
                .summary("One's own devices that subscribe")
                .problem(Kind::RATE_LIMITED),
        )
        .route(
            put(ONE, change)
                .summary("Give a device another token or interval")
                .about("What is not said stays as it is.")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::TAKEN)
                .problem(Kind::CONFLICT)
                .problem(Kind::RATE_LIMITED),
        )
        .route(
            delete(ONE, unsubscribe)
                .summary("Be notified no more on a device")
                .problem(Kind::NOT_FOUND)
                .problem(Kind::CONFLICT),
        )
}

/// The devices of a person.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Devices {
    items: Vec<SubscriptionView>,
}

/// S2-8, C2-20
async fn subscribe(
    State(app): State<App>,
    human: Human,
    address: Address,
    Json(new): Json<NewSubscription>,
) -> Result<Limited<Created<SubscriptionView>>, Problem> {
    let new = new.checked()?;
    let standing = addresses::subscribes(&app, address).await?;
    let (made, today) = subscribing::subscribe(&app, &human, new).await?;
    let location = format!("{ALL}/{}", made.subscription_id);
    Ok(Limited {
        answer: Created::new(SubscriptionView::from(&made), location),
        standing: Some(standing.closer(today)),
    })
}

async fn list(
    State(app): State<App>,
    human: Human,
    address: Address,
) -> Result<Limited<Json<Devices>>, Problem> {
    let standing = addresses::reads(&app, address).await?;
    let devices = subscribing::list(&app, &human).await?;
    let items = devices.iter().map(SubscriptionView::from).collect();
    Ok(Limited {
        answer: Json(Devices { items }),
        standing: Some(standing),
    })
}

/// S2-27
async fn change(
    State(app): State<App>,
    human: Human,
    address: Address,
    Path(subscription_id): Path<Uuid>,
    Json(change): Json<SubscriptionChange>,
) -> Result<Limited<Json<SubscriptionView>>, Problem> {
    let change = change.checked()?;
    // Another token is another device, as far as anybody knows.
    let standing = match change.fcm_token {
        Some(_) => Some(addresses::subscribes(&app, address).await?),
        None => None,
    };
    let changed = subscribing::change(&app, &human, subscription_id, change).await?;
    Ok(Limited {
        answer: Json(SubscriptionView::from(&changed)),
        standing,
    })
}

async fn unsubscribe(
    State(app): State<App>,
    human: Human,
    Path(subscription_id): Path<Uuid>,
) -> Result<NoContent, Problem> {
    subscribing::unsubscribe(&app, &human, subscription_id).await?;
    Ok(NoContent)
}
