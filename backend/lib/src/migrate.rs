//! Lazy migrations: an item of an older shape is brought to the present one when it is read. It is stored again by its next update.

use std::fmt;
use std::sync::Arc;

use tablewright_descriptor::Entity as Described;

use crate::error::{Error, Result};
use crate::fields::Fields;

type Step = Arc<dyn Fn(&mut Fields) -> Result<(), String> + Send + Sync>;

/// The steps from each version of a shape to the next.
///
/// ```
/// use tablewright::Migrations;
/// // In version 1 the name was called `owner`.
/// let migrations = Migrations::none().from(1, |fields| {
///     fields.rename("owner", "name");
///     Ok(())
/// });
/// ```
#[derive(Clone, Default)]
pub struct Migrations {
    steps: Vec<(u16, Step)>,
}

impl fmt::Debug for Migrations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let versions: Vec<u16> = self.steps.iter().map(|(from, _)| *from).collect();
        f.debug_struct("Migrations")
            .field("from", &versions)
            .finish()
    }
}

impl Migrations {
    /// No step: every item is of the present shape.
    pub fn none() -> Self {
        Migrations::default()
    }

    /// With the step from a version to the one after it. It says why when an item cannot be brought over.
    #[must_use]
    pub fn from(
        mut self,
        version: u16,
        step: impl Fn(&mut Fields) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.steps.push((version, Arc::new(step)));
        self
    }

    /// The versions there is a step from.
    pub fn versions(&self) -> impl Iterator<Item = u16> + '_ {
        self.steps.iter().map(|(from, _)| *from)
    }

    /// Brings fields of an older version to the entity's.
    pub(crate) fn bring_up(
        &self,
        entity: &Described,
        fields: &mut Fields,
        found: u16,
    ) -> Result<()> {
        let known = entity
            .versioned
            .map_or(0, |versioned| versioned.data_version);
        if found > known {
            return Err(Error::NewerVersion {
                entity: entity.name.clone(),
                found,
                known,
            });
        }
        for version in found..known {
            let step = self.steps.iter().find(|(from, _)| *from == version);
            let (_, step) = step.ok_or_else(|| {
                let why = format!(
                    "there is no migration from version {version} to {}",
                    version + 1
                );
                Error::unreadable(&entity.name, why)
            })?;
            step(fields).map_err(|why| {
                let why = format!("the migration from version {version} failed: {why}");
                Error::unreadable(&entity.name, why)
            })?;
        }
        Ok(())
    }
}
