//! What happened is told: to a log, to a webhook, to EventBridge; all of it, and what cannot be told is not forgotten.

mod eventbridge;
mod log;
mod receiver;
mod webhook;

use tablewright_stream::DeadLetters;
use tablewright_stream::events::{Publisher, Sink};
use todo::model::{Task, TaskStatus, TodoEvent};

use crate::support::{Running, World, quick};

impl World {
    /// A task that is completed.
    async fn complete(&self, user: &str, title: &str) -> Task {
        let task = self.write(user, title).await;
        let change = |task: &mut Task| {
            task.status = TaskStatus::Completed;
            task.completed_at = Some(1_700_000_100);
        };
        let key = tablewright::Entity::key(&task);
        self.todo.tasks.items().update(&key, change).await.unwrap();
        task
    }

    fn publish(&self, sink: impl Sink) -> Running {
        self.start("publisher", quick(), Publisher::<TodoEvent, _>::new(sink))
    }

    /// The dead letters there are in the end.
    async fn dead(&self, many: usize) -> Vec<String> {
        let dead = DeadLetters::new(&self.store);
        loop {
            // The table of the letters is made by the consumer.
            let letters = dead.of("publisher").all().collect().await;
            let letters = letters.unwrap_or_default();
            if letters.len() >= many {
                return letters.into_iter().map(|letter| letter.error).collect();
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }
}
