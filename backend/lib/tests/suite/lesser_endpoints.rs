//! Endpoints that have less than Amazon's: what they lack costs a request or some storage, and never a wrong answer.

use accounts::model::{AccountKey, Accounts, Withdraw};
use aws_sdk_dynamodb::config::interceptors::{
    BeforeDeserializationInterceptorContextMut, BeforeTransmitInterceptorContextMut,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::orchestrator::Metadata;
use aws_smithy_types::body::SdkBody;
use tablewright::{Error, tables};
use todo::model::Todo;

use crate::support::{Place, SetClock, account, task};

/// Makes an endpoint one that lacks something.
#[derive(Debug, Clone, Copy)]
enum Without {
    /// It does not bring the item with a refusal.
    Items,
    /// It does not know this operation.
    Operation(&'static str),
}

impl Intercept for Without {
    fn name(&self) -> &'static str {
        "without"
    }

    fn modify_before_signing(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Without::Items = self else {
            return Ok(());
        };
        let request = context.request_mut();
        let body = request.body().bytes().unwrap_or_default();
        let mut body: serde_json::Value = serde_json::from_slice(body)?;
        if let Some(body) = body.as_object_mut() {
            body.remove("ReturnValuesOnConditionCheckFailure");
        }
        let body = serde_json::to_vec(&body)?;
        let headers = request.headers_mut();
        headers.insert("content-length", body.len().to_string());
        *request.body_mut() = SdkBody::from(body);
        Ok(())
    }

    fn modify_before_deserialization(
        &self,
        context: &mut BeforeDeserializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Without::Operation(name) = self else {
            return Ok(());
        };
        if bag
            .load::<Metadata>()
            .is_some_and(|asked| asked.name() == *name)
        {
            let answer = r#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#;
            let response = context.response_mut();
            *response.status_mut() = 400.try_into()?;
            *response.body_mut() = SdkBody::from(answer);
        }
        Ok(())
    }
}

impl Place {
    fn without(&self, what: Without) -> tablewright::StoreBuilder {
        self.builder_with(|config| config.interceptor(what))
    }
}

/// Absent, there already, and not as the write demands it stay three things. C4-19
#[tokio::test]
async fn a_refusal_that_brings_no_item_is_judged_by_what_is_stored() {
    let place = Place::new().await;
    place.store(&accounts::model::SCHEMA).await;
    let accounts = Accounts::new(&place.without(Without::Items).build()).accounts;
    let entity = || "AccountData".to_owned();
    let items = accounts.items();
    items.insert(account("a", 1)).await.unwrap();
    let twice = items.insert(account("a", 2)).await;
    assert_eq!(twice, Err(Error::Exists { entity: entity() }));

    let withdraw = |pk: &'static str| {
        let (accounts, patch) = (accounts.clone(), Withdraw { add_balance: -5 });
        async move {
            let key = AccountKey::new(pk);
            accounts.withdraw(&key, 5, patch, None).await.map(drop)
        }
    };
    let poor = Err(Error::Refused { entity: entity() });
    assert_eq!(withdraw("a").await, poor);
    let nobody = Err(Error::NotFound { entity: entity() });
    assert_eq!(withdraw("nobody").await, nobody);
}

/// A change is still applied again to what another writer left. C4-2, S4-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_applied_again_where_a_refusal_brings_no_item() {
    let place = Place::new().await;
    place.store(&accounts::model::SCHEMA).await;
    let accounts = Accounts::new(&place.without(Without::Items).build());
    let key = AccountKey::new("a");
    let items = accounts.accounts.items();
    items.insert(account("a", 10)).await.unwrap();
    let mut calls = 0;
    let (other, handle) = (accounts.clone(), tokio::runtime::Handle::current());
    let after = items
        .update(&key, |data| {
            calls += 1;
            if calls == 1 {
                let change = other.accounts.items();
                let doubled = change.update(&key, |data| data.balance *= 2);
                tokio::task::block_in_place(|| handle.block_on(doubled)).unwrap();
            }
            data.balance += 1;
        })
        .await
        .unwrap();
    assert_eq!((calls, after.balance), (2, 21));
}

/// S0-39, S0-41
#[tokio::test]
async fn what_has_expired_is_not_there_where_nothing_deletes_it() {
    for operation in ["DescribeTimeToLive", "UpdateTimeToLive"] {
        let place = Place::new().await;
        let clock = SetClock::at(1_700_000_000_000);
        let store = place.without(Without::Operation(operation));
        let store = store.clock(clock.clone()).build();
        let done = tables::bring_up_to_date(&store, &todo::model::SCHEMA)
            .await
            .unwrap();
        assert!(
            done.iter()
                .all(|change| change.done.contains(&"created".to_owned())
                    && !change.done.iter().any(|done| done.contains("TTL"))),
            "{done:?}"
        );
        let todo = Todo::new(&store);
        let mut short = task("ada", "short");
        short.ttl = Some(1_700_000_010);
        let id = short.task_id;
        todo.tasks.create_task(short, None).await.unwrap();
        clock.set(1_700_000_010_000);
        assert_eq!(todo.tasks.task("ada", id).await.unwrap(), None);
        assert_eq!(todo.tasks.tasks("ada").count().await.unwrap(), 0);
    }
}
