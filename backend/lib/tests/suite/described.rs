//! Entities by their description alone: the same items, guards, counts and claims as by their types.

use serde_json::{Map, Value, json};
use tablewright::{
    Change, Changes, Error, Failure, Fields, Found, Inputs, Items, Load, Record, Share, Store,
    TransactKeys, Values, Written,
};
use todo::model::{SCHEMA, Todo};

use crate::support::todo;

fn data(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn task(task_id: &str, status: &str) -> Map<String, Value> {
    data(json!({
        "user_id": "ada", "task_id": task_id, "title": "Plan the trip", "status": status, "due_date": "2024-02-29",
        "created_at": 1_700_000_000, "updated_at": 1_700_000_000, "revision": 1,
    }))
}

fn tasks(store: &Store) -> Items {
    Items::new(store, SCHEMA.entity("Task"))
}

fn of(name: &str, value: &str) -> Values {
    Values::new().with(name, value)
}

fn key(task_id: &str) -> Values {
    of("user_id", "ada").with("task_id", task_id)
}

const FIRST: &str = "01HV6Z4Q3K8Y5N2M7P9R1T3W5A";
const SECOND: &str = "01HV6Z4Q3K8Y5N2M7P9R1T3W5B";

async fn create(items: &Items, data: &Map<String, Value>) -> Result<Written, Error> {
    items.create(items.fields(data).unwrap(), None).await
}

#[tokio::test]
async fn what_is_created_by_its_description_is_read_by_its_type_and_the_other_way_round() {
    let (_place, todo) = todo().await;
    let items = tasks(todo.store());
    create(&items, &task(FIRST, "pending")).await.unwrap();
    let typed = todo
        .tasks
        .task("ada", FIRST.parse().unwrap())
        .await
        .unwrap();
    let typed = typed.unwrap();
    assert_eq!(typed.title, "Plan the trip");
    let found = items.read(key(FIRST)).await.unwrap().unwrap();
    assert_eq!(found.stamp.last_write, typed.last_write);
    assert_eq!(
        Value::Object(found.to_json()),
        serde_json::to_value(&typed.data)
            .map(without_nulls)
            .unwrap(),
        "the same JSON"
    );
    assert_eq!(
        create(&items, &task(FIRST, "pending")).await.err(),
        Some(Error::Exists {
            entity: "Task".to_owned()
        })
    );
}

fn without_nulls(mut value: Value) -> Value {
    value
        .as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    value
}

#[tokio::test]
async fn lists_gets_and_counts_give_what_they_find() {
    let (_place, todo) = todo().await;
    let store = todo.store();
    let items = tasks(store);
    for (id, status) in [(FIRST, "pending"), (SECOND, "completed")] {
        create(&items, &task(id, status)).await.unwrap();
    }
    let read = SCHEMA.read("tasks");
    let page = store
        .query::<Found>(read, of("user_id", "ada"))
        .limit(1)
        .page()
        .await
        .unwrap();
    assert_eq!(page.items[0].to_json()["task_id"], SECOND);
    let rest = store
        .query::<Found>(read, of("user_id", "ada"))
        .limit(1)
        .after(page.next.as_deref())
        .page()
        .await
        .unwrap();
    assert_eq!(rest.items[0].to_json()["task_id"], FIRST);
    let got: Option<Found> = store.get(SCHEMA.read("task"), key(FIRST)).await.unwrap();
    assert_eq!(got.unwrap().to_json(), task(FIRST, "pending"));
    let given = of("user_id", "ada").with("status", "completed");
    let count = store.count(SCHEMA.read("count_by_status"), given);
    assert_eq!(count.await.unwrap(), 1);
    let titles = store
        .query::<Found>(SCHEMA.read("task_titles"), of("user_id", "ada"))
        .first()
        .await
        .unwrap()
        .unwrap();
    let asked = json!({ "task_id": SECOND, "title": "Plan the trip", "status": "completed", "due_date": "2024-02-29" });
    assert_eq!(
        Value::Object(titles.to_json()),
        asked,
        "only what was asked for"
    );
}

#[tokio::test]
async fn a_change_moves_index_keys_and_counts_and_a_removal_ends_them() {
    let (_place, todo) = todo().await;
    let store = todo.store();
    let items = tasks(store);
    create(&items, &task(FIRST, "pending")).await.unwrap();
    let done = Changes::new()
        .set("status", &Change::Set(json!("completed")))
        .set("due_date", &Change::Set(Value::Null));
    let update = SCHEMA.write("update_task");
    let changed = items
        .change(update, key(FIRST), Values::new(), done, None)
        .await
        .unwrap()
        .done()
        .unwrap();
    assert!(!changed.to_json().contains_key("due_date"));
    assert_eq!(count(&todo, "completed").await, 1);
    assert_eq!(count(&todo, "pending").await, 0);

    let delete = SCHEMA.write("delete_task");
    let gone = items
        .remove(delete, key(FIRST), Values::new(), None)
        .await
        .unwrap();
    assert_eq!(gone.done().unwrap().to_json()["status"], "completed");
    assert_eq!(count(&todo, "completed").await, 0);
    let again = items.remove(delete, key(FIRST), Values::new(), None).await;
    assert!(matches!(again, Err(Error::NotFound { .. })), "{again:?}");
}

async fn count(todo: &Todo, status: &str) -> u64 {
    let given = of("user_id", "ada").with("status", status);
    let count = todo.store().count(SCHEMA.read("count_by_status"), given);
    count.await.unwrap()
}

#[tokio::test]
async fn what_is_found_is_deleted_with_its_counts() {
    let (_place, todo) = todo().await;
    let items = tasks(todo.store());
    for (id, status) in [(FIRST, "pending"), (SECOND, "completed")] {
        create(&items, &task(id, status)).await.unwrap();
    }
    let read = SCHEMA.read("delete_user_tasks");
    let deleted = items.delete_found(read, of("user_id", "ada")).await;
    assert_eq!(deleted, Ok(2));
    assert_eq!(count(&todo, "completed").await, 0);
}

fn record(request_id: &str) -> Record {
    let entity = SCHEMA.entity("Idempotency");
    let data = data(json!({
        "user_id": "ada", "route": "POST /tasks", "request_id": request_id, "request_hash": "a".repeat(64),
        "response_data": "made", "http_status_code": 201, "created_at": 1_700_000_000, "ttl": 4_000_000_000_i64,
    }));
    Record {
        entity,
        fields: Fields::from_json(entity, &data).unwrap(),
    }
}

#[tokio::test]
async fn a_claimed_key_has_one_effect() {
    let (_place, todo) = todo().await;
    let items = tasks(todo.store());
    let first = items.fields(&task(FIRST, "pending")).unwrap();
    let second = items.fields(&task(SECOND, "pending")).unwrap();
    assert!(matches!(
        items.create(first, Some(record("r"))).await.unwrap(),
        Written::Done(_)
    ));
    assert!(matches!(
        items.create(second, Some(record("r"))).await.unwrap(),
        Written::Before(_)
    ));
    assert_eq!(count(&todo, "pending").await, 1);
}

#[tokio::test]
async fn a_transaction_takes_keys_and_records_by_their_descriptions() {
    let (_place, todo) = todo().await;
    let store = todo.store();
    let users = Items::new(store, SCHEMA.entity("User"));
    let ada = data(json!({
        "user_id": "ada", "email": "Ada@example.org", "name": "Ada", "created_at": 1, "updated_at": 1, "revision": 1,
    }));
    create(&users, &ada).await.unwrap();
    let taken = data(json!({
        "user_id": "bob", "email": "ada@EXAMPLE.org", "name": "Bob", "created_at": 1, "updated_at": 1, "revision": 1,
    }));
    assert!(
        matches!(create(&users, &taken).await, Err(Error::Taken { unique, .. }) if unique == "email")
    );
    let item = tasks(store);
    create(&item, &task(FIRST, "pending")).await.unwrap();
    let key = of("user_id", "ada").with("task_id", FIRST);
    let forget = || async {
        let keys = TransactKeys::new().key_values("Task", key.clone());
        let inputs = |_: &_| {
            let record = record("delete");
            Ok::<_, Failure>(Inputs::new().claim_fields(record.entity, record.fields))
        };
        let pattern = SCHEMA.write("delete_seen_task");
        store.transact(pattern, keys, Values::new(), inputs).await
    };
    assert!(forget().await.unwrap().record().is_none());
    create(&item, &task(FIRST, "pending")).await.unwrap();
    assert!(forget().await.unwrap().record().is_some(), "it was claimed");
    item.delete_found(SCHEMA.read("delete_user_tasks"), of("user_id", "ada"))
        .await
        .unwrap();

    let delete = || async {
        let keys = TransactKeys::new()
            .key_values("User", of("user_id", "ada"))
            .key_values("TaskCounts", of("user_id", "ada"));
        let inputs = |_: &_| Ok::<_, Failure>(Inputs::new());
        store
            .transact(
                SCHEMA.write("delete_user"),
                keys,
                Values::new().with("seen", &0),
                inputs,
            )
            .await
    };
    assert!(delete().await.unwrap().record().is_none());
    create(&users, &taken).await.unwrap();
    let again = delete().await;
    assert!(
        matches!(again, Err(Failure::Refused(_))),
        "nothing is there to be deleted: {again:?}"
    );
}

/// S0-51: what a write took of the table and of each index.
#[tokio::test]
async fn a_meter_tells_the_table_from_its_indexes() {
    let (_place, todo) = todo().await;
    let (store, meter) = todo.store().metered();
    create(&tasks(&store), &task(FIRST, "pending"))
        .await
        .unwrap();
    let (used, shares) = meter.take_shares();
    let told: Vec<(Option<&str>, f64)> = shares
        .iter()
        .map(|share: &Share| (share.index.as_deref(), share.write_units))
        .collect();
    assert_eq!(
        told,
        [
            (None, 4.0),
            (Some("GSI1"), 1.0),
            (Some("GSI2"), 1.0),
            (Some("GSI5"), 1.0)
        ],
        "the task and its count in a transaction, and every index it is in, once"
    );
    assert_eq!(used.write_units, 7.0);
    let given = of("user_id", "ada").with("status", "pending");
    let found = store.query::<Found>(SCHEMA.read("tasks_by_status"), given);
    assert_eq!(found.page().await.unwrap().items.len(), 1);
    let (_, shares) = meter.take_shares();
    assert_eq!(shares.len(), 1);
    assert_eq!(
        (shares[0].index.as_deref(), shares[0].read_units),
        (Some("GSI1"), 0.5)
    );
}

/// S0-51: of several requests, what the dearest wrote.
#[tokio::test]
async fn a_meter_tells_the_costliest_write() {
    let (_place, todo) = todo().await;
    let (store, meter) = todo.store().metered();
    let mut urgent = task(FIRST, "pending");
    urgent.insert("priority".to_owned(), json!("urgent"));
    create(&tasks(&store), &urgent).await.unwrap();
    create(&tasks(&store), &task(SECOND, "pending"))
        .await
        .unwrap();
    let dearest = meter.used().write_units - 7.0;
    assert!(dearest > 7.0, "it is in one index more: {dearest}");
    let (used, shares) = meter.take_costliest_write();
    assert_eq!((used.requests, used.write_units), (1, dearest));
    let of_shares: f64 = shares.iter().map(|share| share.write_units).sum();
    assert_eq!(of_shares, dearest);
    assert_eq!(meter.take_costliest_write().0.requests, 0, "it begins anew");
}

#[tokio::test]
async fn what_is_loaded_has_its_index_keys_its_guard_and_its_counts() {
    let (_place, todo) = todo().await;
    let store = todo.store();
    let mut load = Load::into_store(store);
    for number in 0..60 {
        let id = format!("01HV6Z4Q3K8Y5N2M7P9R1T{number:04}");
        let fields = tasks(store).fields(&task(&id, "pending")).unwrap();
        load.add(SCHEMA.entity("Task"), fields).await.unwrap();
    }
    let users = Items::new(store, SCHEMA.entity("User"));
    let ada = data(json!({
        "user_id": "ada", "email": "ada@example.org", "name": "Ada", "created_at": 1, "updated_at": 1, "revision": 1,
    }));
    let fields = users.fields(&ada).unwrap();
    load.add(users.entity(), fields).await.unwrap();
    load.finish().await.unwrap();

    assert_eq!(count(&todo, "pending").await, 60);
    let given = of("user_id", "ada").with("status", "pending");
    let found = store.query::<Found>(SCHEMA.read("tasks_by_status"), given);
    assert_eq!(found.all().collect().await.unwrap().len(), 60);
    let user = todo.users.user_by_email("ADA@example.org").await.unwrap();
    assert_eq!(user.unwrap().user_id, "ada");
    let wrong = users.fields(&data(json!({ "user_id": "bob" }))).unwrap();
    let refused = Load::into_store(store).add(users.entity(), wrong).await;
    assert!(
        matches!(refused, Err(Error::Invalid { .. })),
        "fields are held against their types: {refused:?}"
    );
}
