//! Entities of which there are fewer items than a proof was to have, and why: what does not grow makes nothing grow.

use tablewright_model::Model;
use tablewright_model::model::{EntityId, FieldId, Key};
use tablewright_plan::print::thousands;

use crate::data::{Maker, Population};
use crate::record::Record;

/// In a table that is to be ten times as large, so many times as many items are several times as many: some are as others, and left out.
const SEVERAL: u64 = 3;

/// An entity with fewer than half the items it was to have in the large table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Few {
    /// The entity.
    pub entity: EntityId,
    /// Its name.
    pub name: String,
    /// Its items in the small table, and in the large one.
    pub small: u64,
    /// Its items in the large table.
    pub large: u64,
    /// Why there are no more.
    pub why: WhyFew,
}

/// Why there are few items of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyFew {
    /// There can be no more than so many, by the values of its keys or as declared: it is about as large as it ever gets.
    NoRoom {
        /// So many.
        room: u64,
    },
    /// There can be more, but the data has no more values of these fields.
    NoValues {
        /// The fields that tell its items apart.
        fields: Vec<String>,
    },
}

impl Few {
    /// The entities of which a population has few.
    pub(crate) fn of(model: &Model, population: &Population) -> Vec<Few> {
        let count = |records: &[Record]| {
            let mut counts = vec![0_u64; model.entities.len()];
            for record in records {
                counts[record.entity().0] += 1;
            }
            counts
        };
        let small = count(&population.small);
        let more = count(&population.more);
        let large: Vec<u64> = small.iter().zip(&more).map(|(a, b)| a + b).collect();
        let maker = Maker::new(model);
        let mut there_can_be = large.clone();
        let mut few = Vec::new();
        for id in maker.links.order.iter().copied() {
            let (small, large) = (small[id.0], large[id.0]);
            if large * 2 >= population.wanted[id.0] as u64 {
                continue;
            }
            // The last of few values are seldom met: half of them are about all.
            let room = maker.room(id, &there_can_be);
            let why = match room.filter(|room| *room <= large * 2) {
                Some(room) => WhyFew::NoRoom { room },
                None => {
                    // What refers to it could be more as well.
                    there_can_be[id.0] = u64::MAX;
                    let fields = apart(model, id);
                    WhyFew::NoValues { fields }
                }
            };
            few.push(Few {
                entity: id,
                name: model.entity(id).name.value.clone(),
                small,
                large,
                why,
            });
        }
        few.sort_by_key(|few| few.entity);
        few
    }

    /// `949 Company, then 962, since the data has no more values of `ticker``
    pub(crate) fn told(&self) -> String {
        let (small, large) = (thousands(self.small), thousands(self.large));
        let because = self.because();
        format!("{small} {}, then {large}, {because}", self.name)
    }

    /// Why there are no more, as the rest of a sentence.
    pub(crate) fn because(&self) -> String {
        match &self.why {
            WhyFew::NoRoom { room } if *room <= self.large => "as many as there can be".to_owned(),
            WhyFew::NoRoom { room } => format!("of {} there can be", thousands(*room)),
            WhyFew::NoValues { fields } => {
                let fields: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
                let fields = fields.join(", ");
                format!("since the data has no more values of {fields}")
            }
        }
    }

    /// Whether a cost that stayed the same says nothing: what there is stayed the same, and there can be more.
    pub(crate) fn hides_growth(&self) -> bool {
        let grew = self.large >= self.small.saturating_mul(SEVERAL);
        !grew && matches!(self.why, WhyFew::NoValues { .. })
    }
}

/// The fields that tell the items of an entity apart: of its key, and of its unique values.
fn apart(model: &Model, id: EntityId) -> Vec<String> {
    let entity = model.entity(id);
    let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
    let keys = std::iter::once(&entity.key).chain(guards);
    let mut fields: Vec<FieldId> = keys.flat_map(Key::field_ids).collect();
    fields.sort();
    fields.dedup();
    let names = fields
        .iter()
        .map(|field| entity.field(*field).name.as_str());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::populate;

    fn model(ticker: &str, facts: &str) -> Model {
        let text = format!(
            "[model]\nname = \"m\"\n[table.app]\npartition_key = \"PK\"\nsort_key = \"SK\"\n\
             [entity.Company]\ntable = \"app\"\n\
             key = {{ partition = \"COMPANIES\", sort = \"T#{{ticker}}\" }}\n\
             [entity.Company.fields]\nticker = \"{ticker}\"\n{facts}\n"
        );
        tablewright_model::parse(&text).unwrap_or_else(|faults| panic!("{faults:#?}"))
    }

    fn few(model: &Model) -> Vec<Few> {
        Few::of(model, &populate(model, 400, 1).unwrap())
    }

    /// S3-48: short texts are as many as were asked for.
    #[test]
    fn of_short_keys_there_are_as_many_as_asked_for() {
        for ticker in [
            "string(1..1)",
            "string(2..2)",
            "string(2..3)",
            "string(1..5)",
            "int(0..5000)",
            "int",
            "date",
        ] {
            let model = model(ticker, "");
            let population = populate(&model, 400, 1).unwrap();
            let (small, more) = (population.small.len(), population.more.len());
            assert!(small >= 400, "{ticker}: {small}");
            assert!(more >= 3600, "{ticker}: {more}");
            assert_eq!(few(&model), [], "{ticker}");
        }
    }

    /// There can be no more of few keys, and what is declared is believed.
    #[test]
    fn of_few_keys_there_are_as_many_as_there_can_be() {
        let declared = "[entity.Company.facts]\nitems = 50";
        for (ticker, facts, most) in [
            ("enum(a, b, c)", "", 3),
            ("bool", "", 2),
            ("int(0..5)", "", 6),
            ("int(1..300)", "", 300),
            ("enum(a, b, c)", declared, 3),
        ] {
            let model = model(ticker, facts);
            let few = few(&model);
            let why = WhyFew::NoRoom { room: most };
            assert_eq!(few.len(), 1, "{ticker}");
            assert_eq!(few[0].why, why, "{ticker}");
            assert_eq!(few[0].large, most, "{ticker}");
            assert!(!few[0].hides_growth());
        }
    }

    /// Where no more were made though there can be more, nothing is known of what they cost.
    #[test]
    fn what_did_not_grow_hides_what_grows() {
        let model = model("string(1..5)", "");
        let mut population = populate(&model, 400, 1).unwrap();
        population.more.truncate(15);
        let few = Few::of(&model, &population);
        let fields = vec!["ticker".to_owned()];
        assert_eq!(few[0].why, WhyFew::NoValues { fields });
        assert!(few[0].hides_growth());
        // What refers to it is as many, and could be more.
        let one_to_one = "[entity.Report]\ntable = \"app\"\n\
             key = { partition = \"REPORTS\", sort = \"R#{ticker}\" }\n\
             [entity.Report.fields]\nticker = \"string(1..5)\"";
        let both = self::model("string(1..5)", one_to_one);
        let mut population = populate(&both, 400, 1).unwrap();
        population.more.clear();
        let few = Few::of(&both, &population);
        assert_eq!(few.len(), 2);
        assert!(few.iter().all(Few::hides_growth), "{few:?}");
        // Several times as many say something, though they are fewer than were to be.
        let mut population = populate(&model, 400, 1).unwrap();
        population.more.truncate(1_200);
        let few = Few::of(&model, &population);
        assert_eq!(few.len(), 1);
        assert!(!few[0].hides_growth());
    }
}
