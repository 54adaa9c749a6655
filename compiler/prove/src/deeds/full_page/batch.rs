//! As many keys as a batch declares, of items as large as declared.

use serde_json::Map;
use tablewright_model::model::Access;

use super::{Filler, FullPage, Lengths, MOST_ITEMS, Owners, TRIES, slot};
use crate::data::Fixed;
use crate::question::{Kind, Question};
use crate::record::Record;

impl Filler<'_> {
    /// New items, each of somebody new, and the question for all of them. Nothing without a number, and where such items cannot be made.
    pub(super) fn full_batch(&mut self, access: &Access) -> Option<FullPage> {
        let id = access.verb.entity().id;
        let many = access.returns.filter(|many| *many <= MOST_ITEMS)?;
        let size = self.model.entity(id).facts.size?;
        let mut owners = Owners::default();
        let apart = self.maker.links.references[id.0].clone();
        let mut items: Vec<Record> = Vec::new();
        for _ in 0..many * TRIES {
            let item = self.item(
                id,
                &Fixed::new(),
                &apart,
                &Lengths::new(),
                size,
                &mut owners,
            );
            items.extend(item.filter(|item| self.is_as_declared(item)));
            if items.len() as u64 == many {
                break;
            }
        }
        let entity = self.model.entity(id);
        let keys = items.iter().map(|item| {
            let known = access.by.iter().map(|by| {
                let field = entity.field_named(by.written.as_str())?;
                Some((by.written.value.clone(), slot(item, field)))
            });
            known.collect::<Option<Map<_, _>>>()
        });
        let question = Question {
            keys: keys.collect::<Option<Vec<_>>>()?,
            ..Question::new(Kind::Heavy, Map::new())
        };
        (items.len() as u64 == many).then(|| {
            let mut made = owners.made;
            made.extend(items);
            FullPage { made, question }
        })
    }
}
