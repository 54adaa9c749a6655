//! Why a key does not answer a pattern, in words.

use tablewright_model::Model;

use crate::fit::{Misfit, MisfitReason};

impl Misfit {
    /// Why the key does not answer, in words.
    pub fn to_text(&self, model: &Model, entity: tablewright_model::model::EntityId) -> String {
        let entity = model.entity(entity);
        let table = model.table(entity.table);
        let key = match self.index {
            None => "the table".to_owned(),
            Some(index) => table.index(index).name.value.clone(),
        };
        let name =
            |field: tablewright_model::model::FieldId| entity.field(field).name.value.clone();
        match &self.reason {
            MisfitReason::PartitionUnknown(field) => {
                format!(
                    "{key} needs `{}` for its partition, which the caller does not give",
                    name(*field)
                )
            }
            MisfitReason::OutOfOrder { known, before } => format!(
                "{key} has `{}` behind `{}`, which the caller does not give",
                name(*known),
                name(*before)
            ),
            MisfitReason::NotInKey(field) => format!("{key} does not hold `{}`", name(*field)),
            MisfitReason::RangeNotNext(field) => {
                format!(
                    "`{}` does not come next in the sort key of {key}",
                    name(*field)
                )
            }
            MisfitReason::DoesNotSort(field) => {
                format!(
                    "{key} does not sort by `{}`: its text order is not its order",
                    name(*field)
                )
            }
            MisfitReason::OpenPrefix(field) => {
                format!("nothing closes `{}` in the sort key of {key}", name(*field))
            }
            MisfitReason::LeavesOut => format!("{key} leaves out items that are asked for"),
            MisfitReason::FindsSeveral => {
                format!(
                    "{key} finds several: nothing makes it one; ask for a `list`, or guard the value in `unique`"
                )
            }
            MisfitReason::KeyUnknown(field) => format!(
                "the key needs `{}`, which the caller does not give",
                name(*field)
            ),
        }
    }
}
