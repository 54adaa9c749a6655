//! What routes share.

use tablewright::{Error, Once, Store};
use tablewright_service::{Claims, Problem, ToAnswer};

use crate::model::{Idempotency, IdempotencyKey, Todo};
use crate::rules::Retention;

/// The repositories, and what the settings say about tasks.
#[derive(Debug, Clone)]
pub struct App {
    pub(crate) todo: Todo,
    pub(crate) retention: Retention,
}

impl App {
    /// On these repositories; completed tasks are forgotten after so many days, if any.
    pub fn new(todo: Todo, keep_completed_days: Option<u32>) -> Self {
        App {
            todo,
            retention: Retention {
                days: keep_completed_days,
            },
        }
    }

    pub(crate) fn store(&self) -> &Store {
        self.todo.store()
    }

    /// Seconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        self.store().now_millis().div_euclid(1000)
    }
}

/// Many transactions cannot have one record: it is written after them. Until then a repetition does what is left, which is the same in the end.
pub(crate) async fn remember<O: ToAnswer>(
    app: &App,
    claims: &Claims<Idempotency>,
    answer: O,
) -> Result<Once<O, Idempotency>, Problem> {
    let Some(record) = claims.of(&answer)? else {
        return Ok(Once::Done(answer));
    };
    let key = IdempotencyKey::new(&record.user_id, &record.route, &record.request_id);
    let hash = record.request_hash.clone();
    let records = app.todo.idempotencies.items();
    match records.insert(record).await {
        Ok(_) => Ok(Once::Done(answer)),
        Err(Error::Exists { entity }) => match records.read_strong(&key).await? {
            Some(earlier) if earlier.request_hash == hash => Ok(Once::Before(earlier)),
            _ => Err(Error::KeyReused { entity }.into()),
        },
        Err(error) => Err(error.into()),
    }
}
