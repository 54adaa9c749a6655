//! Unique values: guarded in the transaction that writes them, moved and freed with it.

use tablewright::{Change, Error};
use todo::model::{UpdateUser, UserKey};
use tokio::task::JoinSet;

use crate::support::{todo, user};

fn taken() -> Error {
    Error::Taken {
        entity: "User".to_owned(),
        unique: "email".to_owned(),
    }
}

/// S0-10
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_want_one_value_one_gets_it() {
    let (_place, todo) = todo().await;
    let mut people = JoinSet::new();
    for number in 0..64 {
        let todo = todo.clone();
        people.spawn(async move {
            let user = user(&format!("u{number}"), "Ada@Example.com");
            todo.users.create_user(user, None).await.map(drop)
        });
    }
    let outcomes = people.join_all().await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    let refused = outcomes.iter().filter(|outcome| **outcome == Err(taken()));
    assert_eq!(refused.count(), 63);
    let owner = todo
        .users
        .user_by_email("ADA@example.COM")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(owner.email, "Ada@Example.com");
}

#[tokio::test]
async fn a_guard_moves_with_its_value_and_is_freed_with_its_item() {
    let (_place, todo) = todo().await;
    let ada = UserKey::new("ada");
    todo.users
        .create_user(user("ada", "ada@example.com"), None)
        .await
        .unwrap();
    todo.users
        .create_user(user("bob", "bob@example.com"), None)
        .await
        .unwrap();
    let change_to = |email: &'static str| {
        let change = UpdateUser {
            email: Change::Set(email.to_owned()),
            ..UpdateUser::default()
        };
        let (todo, ada) = (todo.clone(), ada.clone());
        async move {
            todo.users
                .update_user(&ada, |_| Ok::<_, Error>((change.clone(), None)))
                .await
                .map(drop)
        }
    };
    assert_eq!(change_to("bob@example.com").await, Err(taken()));
    assert_eq!(change_to("countess@example.com").await, Ok(()));
    assert_eq!(
        todo.users.user_by_email("ada@example.com").await.unwrap(),
        None
    );
    let found = todo
        .users
        .user_by_email("countess@example.com")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(found.user_id, "ada");
    // The old value is free, and the same value in other letters is the same.
    todo.users
        .create_user(user("eve", "ada@example.com"), None)
        .await
        .unwrap();
    assert_eq!(change_to("COUNTESS@example.com").await, Ok(()));
    todo.users.items().delete_now(&ada).await.unwrap();
    assert_eq!(
        todo.users
            .user_by_email("countess@example.com")
            .await
            .unwrap(),
        None
    );
    todo.users
        .create_user(user("carl", "countess@example.com"), None)
        .await
        .unwrap();
}
