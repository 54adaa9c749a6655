//! Bad input: a clear error of its own kind, and nothing written.

use accounts::model::{AccountKey, Deposit};
use tablewright::{Entity, Error, Ulid};
use todo::model::TaskKey;

use crate::support::{account, accounts, task, todo};

fn invalid<T: std::fmt::Debug>(outcome: Result<T, Error>) -> (String, String) {
    match outcome {
        Err(Error::Invalid { field, why, .. }) => (field, why),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_key_with_the_delimiter_finds_nothing_of_another() {
    let (_place, todo) = todo().await;
    // A user id has no delimiter; free text in a key may have, and is escaped.
    let (field, why) = invalid(todo.tasks.create_task(task("ada#TASK", "x"), None).await);
    assert_eq!(field, "user_id");
    assert!(why.contains('#'), "{why}");
    let mut with_category = task("ada", "x");
    with_category.category = Some("home#work".to_owned());
    todo.tasks.create_task(with_category, None).await.unwrap();
    let mut other = task("ada", "y");
    other.category = Some("home".to_owned());
    todo.tasks.create_task(other, None).await.unwrap();
    let found = todo
        .tasks
        .tasks_by_category("ada", "home")
        .page()
        .await
        .unwrap();
    assert_eq!(found.items.len(), 1);
    assert_eq!(found.items[0].title, "y");
    let found = todo
        .tasks
        .tasks_by_category("ada", "home#work")
        .page()
        .await
        .unwrap();
    assert_eq!(found.items[0].title, "x");
}

#[tokio::test]
async fn an_empty_key_is_no_key() {
    let (_place, accounts) = accounts().await;
    let (field, _) = invalid(accounts.accounts.items().insert(account("", 1)).await);
    assert_eq!(field, "pk");
    invalid(accounts.accounts.read("").await);
    invalid(
        accounts
            .accounts
            .items()
            .update(&AccountKey::new(""), |_| {})
            .await,
    );
    invalid(
        accounts
            .accounts
            .items()
            .insert(account(&"x".repeat(129), 1))
            .await,
    );
}

#[tokio::test]
async fn an_item_of_400_kb_is_refused_before_it_is_sent() {
    let (_place, todo) = todo().await;
    let mut record = crate::idempotency::record("r", 'a', &"x".repeat(300_000));
    record.target_task_pk = Some("y".repeat(2048));
    let mut large = record.clone();
    // Within its length in characters, and too large in bytes.
    large.response_data = Some("\u{10348}".repeat(110_000));
    let (_, why) = invalid(todo.idempotencies.items().insert(large).await);
    assert!(why.contains("DynamoDB takes at most 409600"), "{why}");
    let left = todo.idempotencies.items().read_strong(&record.key()).await;
    assert_eq!(left, Ok(None), "nothing was written");
    todo.idempotencies.items().insert(record).await.unwrap();
}

#[tokio::test]
async fn a_value_that_is_none_of_its_field_is_refused() {
    let (_place, todo) = todo().await;
    let mut empty = task("ada", "");
    let (field, _) = invalid(todo.tasks.create_task(empty.clone(), None).await);
    assert_eq!(field, "title");
    empty.title = "x".repeat(201);
    let (field, why) = invalid(todo.tasks.create_task(empty, None).await);
    assert_eq!(field, "title");
    assert!(why.contains("200"), "{why}");
    let stored = todo
        .tasks
        .create_task(task("ada", "good"), None)
        .await
        .unwrap()
        .done()
        .unwrap();
    let key = TaskKey::new("ada", stored.task_id);
    let (field, _) = invalid(
        todo.tasks
            .items()
            .update(&key, |task| task.created_at = -1)
            .await,
    );
    assert_eq!(field, "created_at");
    let (field, why) = invalid(
        todo.tasks
            .items()
            .update(&key, |task| task.task_id = Ulid::new())
            .await,
    );
    assert_eq!(field, "task_id");
    assert!(why.contains("part of the key"), "{why}");
    let after = todo
        .tasks
        .task("ada", stored.task_id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(after, stored, "nothing was written");
}

#[tokio::test]
async fn a_stale_token_is_a_conflict() {
    let (_place, accounts) = accounts().await;
    let old = accounts
        .accounts
        .items()
        .insert(account("a", 1))
        .await
        .unwrap();
    let new = accounts
        .accounts
        .items()
        .update(&AccountKey::new("a"), |data| data.balance = 2)
        .await
        .unwrap();
    let conflict = Error::Conflict {
        entity: "AccountData".to_owned(),
    };
    let items = accounts.accounts.items();
    assert_eq!(items.delete(&old).await, Err(conflict.clone()));
    assert_eq!(items.replace(old).await, Err(conflict));
    let after = items.read_strong(&AccountKey::new("a")).await.unwrap();
    assert_eq!(after, Some(new), "nothing was written");
}

#[tokio::test]
async fn a_cursor_of_another_query_or_caller_is_none() {
    let (_place, todo) = todo().await;
    for title in ["a", "b", "c"] {
        todo.tasks
            .create_task(task("ada", title), None)
            .await
            .unwrap();
    }
    let page = todo
        .tasks
        .tasks("ada")
        .caller("ada")
        .limit(2)
        .page()
        .await
        .unwrap();
    let cursor = page.next.unwrap();
    let again = todo
        .tasks
        .tasks("ada")
        .caller("ada")
        .limit(2)
        .after(Some(&cursor))
        .page()
        .await
        .unwrap();
    assert_eq!(again.items.len(), 1);
    let foreign = [
        todo.tasks
            .tasks("ada")
            .caller("bob")
            .after(Some(&cursor))
            .page()
            .await,
        todo.tasks
            .tasks("bob")
            .caller("ada")
            .after(Some(&cursor))
            .page()
            .await,
        todo.tasks
            .tasks_grouped_by_status("ada")
            .caller("ada")
            .after(Some(&cursor))
            .page()
            .await,
        todo.tasks
            .tasks("ada")
            .caller("ada")
            .after(Some("nonsense"))
            .page()
            .await,
        todo.tasks
            .tasks("ada")
            .caller("ada")
            .after(Some(""))
            .page()
            .await,
    ];
    for outcome in foreign {
        assert_eq!(outcome.map(|page| page.items.len()), Err(Error::BadCursor));
    }
    for limit in [0, 1001, u32::MAX] {
        invalid(todo.tasks.tasks("ada").limit(limit).page().await);
    }
}

/// A sum that would leave the range of its number is refused, wherever it is added.
#[tokio::test]
async fn no_addition_leaves_the_range_of_its_number() {
    let (_place, accounts) = accounts().await;
    let key = AccountKey::new("a");
    accounts
        .accounts
        .items()
        .insert(account("a", i64::MAX - 1))
        .await
        .unwrap();
    let deposit = |add_balance| {
        accounts
            .accounts
            .deposit(&key, Deposit { add_balance }, None)
    };
    let refused = Err(Error::Refused {
        entity: "AccountData".to_owned(),
    });
    assert_eq!(deposit(2).await.map(drop), refused);
    deposit(1).await.unwrap();
    assert_eq!(deposit(1).await.map(drop), refused);
    // A balance begins at nothing, whatever the condition of the pattern is.
    deposit(-i64::MAX).await.unwrap();
    assert_eq!(deposit(-1).await.map(drop), refused);
    assert_eq!(deposit(i64::MIN).await.map(drop), refused);
    let stored = accounts.accounts.read_strong("a").await.unwrap().unwrap();
    assert_eq!(stored.balance, 0);
}

#[tokio::test]
async fn a_change_that_changes_nothing_is_none() {
    let (_place, todo) = todo().await;
    let record = crate::idempotency::record("r", 'a', "x");
    todo.idempotencies
        .items()
        .insert(record.clone())
        .await
        .unwrap();
    let same = todo
        .idempotencies
        .items()
        .update(&record.key(), |_| {})
        .await
        .unwrap();
    assert_eq!(same, record);
}
