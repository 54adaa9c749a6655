//! Mails that are due, by whom they are to: those of one person go out one after another.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::model::WaitingMail;

/// How many mails that are due are remembered of one person; the others are found again.
const REMEMBERED: usize = 100;

/// The queues of people.
#[derive(Debug, Clone, Default)]
pub(super) struct Queues(Arc<Mutex<HashMap<String, VecDeque<WaitingMail>>>>);

/// The queue of one person, whose owner goes through it. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct OnesQueue {
    all: Queues,
    user_id: String,
}

impl Queues {
    /// Puts a mail into the queue of its person, once for each task. Gives the queue to whoever began it.
    pub(super) fn put(&self, mail: WaitingMail) -> Option<OnesQueue> {
        let mut all = self.all();
        if let Some(queue) = all.get_mut(&mail.user_id) {
            let is_known = queue.iter().any(|known| known.task_id == mail.task_id);
            if !is_known && queue.len() < REMEMBERED {
                queue.push_back(mail);
            }
            return None;
        }
        let user_id = mail.user_id.clone();
        all.insert(user_id.clone(), VecDeque::from([mail]));
        Some(OnesQueue {
            all: self.clone(),
            user_id,
        })
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, VecDeque<WaitingMail>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OnesQueue {
    /// The next mail.
    pub(super) fn next(&self) -> Option<WaitingMail> {
        self.all.all().get_mut(&self.user_id)?.pop_front()
    }

    /// Whom the mails are to.
    pub(super) fn user_id(&self) -> &str {
        &self.user_id
    }
}

impl Drop for OnesQueue {
    fn drop(&mut self) {
        self.all.all().remove(&self.user_id);
    }
}
