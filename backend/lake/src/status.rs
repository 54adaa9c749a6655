//! What is in a lake, and how far it has come.

use crate::error::LakeError;
use crate::freshness::Freshness;
use crate::identity::Identity;
use crate::lake::listed;
use crate::model::{LakeModel, OTHER};
use crate::options::LakeOptions;
use crate::place::Place;
use crate::state::State;

/// What is in a lake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// When somebody last followed its tables, in milliseconds since 1970; none when nobody ever has.
    pub followed: Option<i64>,
    /// Its entities, in the order of the model.
    pub entities: Vec<EntityStatus>,
}

/// What is in a lake of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityStatus {
    /// The entity; `other` for items of none.
    pub entity: String,
    /// How many files bronze has.
    pub files: usize,
    /// How large they are.
    pub bytes: u64,
    /// The first and the last day of bronze.
    pub days: Option<(String, String)>,
    /// How many rows silver has; none when there is no silver, or it is not of this model.
    pub rows: Option<u64>,
    /// How many files silver has.
    pub parts: usize,
    /// How many files of bronze are not in silver yet.
    pub waiting: usize,
    /// Whether silver is what the table is.
    pub freshness: Freshness,
}

impl Status {
    /// Looks at the lake of a model, whoever writes it. Where there is none, it is empty.
    ///
    /// # Errors
    /// [`LakeError`]
    pub async fn of(place: &Place, model: &LakeModel) -> Result<Self, LakeError> {
        if !place.has(model.name).await? {
            return Ok(Status {
                followed: None,
                entities: Vec::new(),
            });
        }
        let files = place.files(model.name, LakeOptions::default().lease)?;
        let bronze = listed(&*files).await?;
        let now = jiff::Timestamp::now().as_millisecond();
        let mut lake = Identity::known(&*files).await?;
        if let Some(lake) = &mut lake {
            // In a folder it is known whether somebody has the right to write.
            let is_held = || place.is_held(model.name);
            lake.is_followed =
                lake.is_followed && is_held().unwrap_or_else(|| lake.gives_signs_at(now));
        }
        let mut entities = Vec::new();
        for entity in &model.entities {
            let known = State::read(&*files, entity.name()).await?;
            // Whoever looks does not know how many parts were asked for.
            let known = known.filter(|state| {
                let table = &entity.entity.table.name;
                let lacks = |lake: &Identity| lake.has_lost_since(table, state.made);
                state.is_current(entity, state.rows.len()) && !lake.as_ref().is_some_and(lacks)
            });
            let mut looked = look(&bronze, entity.name(), known.as_ref());
            looked.freshness = Freshness::of(known.as_ref(), looked.waiting, lake.as_ref(), now);
            entities.push(looked);
        }
        entities.push(look(&bronze, OTHER, None));
        entities.retain(|entity| entity.files > 0 || entity.rows.is_some());
        let followed = lake.and_then(|lake| lake.followed);
        Ok(Status { followed, entities })
    }
}

fn look(bronze: &crate::files::Files, entity: &str, known: Option<&State>) -> EntityStatus {
    let files = bronze.of(entity);
    let days = || files.iter().map(|file| file.date.clone());
    let waits = |file: &&crate::name::BronzeFile| known.is_none_or(|known| known.is_behind(file));
    EntityStatus {
        entity: entity.to_owned(),
        files: files.len(),
        bytes: files.iter().map(|file| file.bytes).sum(),
        days: days().min().zip(days().max()),
        rows: known.map(|known| known.rows.iter().sum()),
        parts: known.map_or(0, |known| known.rows.len()),
        freshness: Freshness::NoSilver,
        waiting: match entity {
            OTHER => 0,
            _ => files.iter().filter(waits).count(),
        },
    }
}
