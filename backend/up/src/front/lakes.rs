//! What is in the lakes.

use tablewright_lake::{EntityStatus, LakeError, LakeModel, Place, Status};

use crate::run::Options;

/// The lake of a model on the page.
pub(crate) struct ShownLake {
    pub(crate) model: &'static str,
    pub(crate) entities: Vec<ShownEntity>,
    /// Why nothing is known of it.
    pub(crate) trouble: Option<String>,
}

/// An entity of a lake on the page.
pub(crate) struct ShownEntity {
    pub(crate) name: String,
    pub(crate) items: String,
    pub(crate) size: String,
    pub(crate) state: String,
}

/// The lakes there are; none while nobody has written one.
pub(crate) async fn shown(options: &Options) -> Vec<ShownLake> {
    let Some(Ok(place)) = options.lake().map(Place::folder) else {
        return Vec::new();
    };
    let mut lakes = Vec::new();
    for model in &options.lakes {
        lakes.extend(look(&place, model).await);
    }
    lakes
}

async fn look(place: &Place, model: &LakeModel) -> Option<ShownLake> {
    let status: Result<Status, LakeError> = Status::of(place, model).await;
    let (entities, trouble) = match status {
        Ok(status) if status.entities.is_empty() => return None,
        Ok(status) => (status.entities.into_iter().map(entity).collect(), None),
        Err(why) => (Vec::new(), Some(why.to_string())),
    };
    Some(ShownLake {
        model: model.name(),
        entities,
        trouble,
    })
}

fn entity(status: EntityStatus) -> ShownEntity {
    let items = status.rows.map(|rows| rows.to_string());
    ShownEntity {
        name: status.entity,
        items: items.unwrap_or_else(|| String::from("–")),
        size: match status.bytes {
            0..=9_999 => format!("{} B", status.bytes),
            10_000..=9_999_999 => format!("{} KB", status.bytes >> 10),
            _ => format!("{} MB", status.bytes >> 20),
        },
        state: status.freshness.to_string(),
    }
}
