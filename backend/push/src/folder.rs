//! Keeping notifications in a folder, for those who develop.

use std::path::PathBuf;

use serde_json::json;
use tablewright_outbox::Outbox;

use crate::NotSent;
use crate::push::Push;

/// A folder with a file of JSON for each notification. Kept again, it is the same file.
#[derive(Debug, Clone)]
pub struct Folder(Outbox);

impl Folder {
    /// The folder, which is made with the first notification.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Folder(Outbox::new(folder))
    }

    pub(crate) async fn keep(&self, push: &Push) -> Result<(), NotSent> {
        let kept = json!({
            "id": push.id,
            "to": push.token,
            "title": push.title,
            "body": push.body,
            "link": push.link,
            "data": push.data,
        });
        let forms = vec![("json", format!("{kept:#}\n").into_bytes())];
        let kept = self.0.keep(&push.id, forms).await;
        kept.map_err(|error| NotSent::later(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;

    use super::*;
    use crate::Pusher;
    use crate::push::tests::push;

    #[tokio::test]
    async fn a_notification_that_is_kept_again_is_there_once() {
        let folder = tempfile::tempdir().unwrap();
        let pusher = Pusher::Folder(Folder::new(folder.path().join("push")));
        for _ in 0..3 {
            pusher.send(&push()).await.unwrap();
        }
        let mut files = fs::read_dir(folder.path().join("push")).unwrap();
        let only = files.next().unwrap().unwrap().path();
        assert!(files.next().is_none());
        assert_eq!(only.file_name().unwrap(), "q1.ada.json");
        let kept: Value = serde_json::from_slice(&fs::read(only).unwrap()).unwrap();
        assert_eq!(kept["to"], "a-device");
        assert_eq!(kept["data"]["question_id"], "q1");
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_written_may_be_one_later() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a-file");
        fs::write(&file, "").unwrap();
        let pusher = Pusher::Folder(Folder::new(file));
        let kept = pusher.send(&push()).await;
        assert!(matches!(kept, Err(NotSent::Later { .. })), "{kept:?}");
    }
}
