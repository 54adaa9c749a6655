//! Of what there is less than a proof was to have, and why: what does not grow makes nothing grow.

use tablewright_model::Model;
use tablewright_model::model::{EntityId, FieldId, IndexId, IndexKey, Key};
use tablewright_plan::print::thousands;

use crate::data::{Maker, Population, entries_of, growing};
use crate::record::Record;

/// In a table that is to be ten times as large, so many times as many items are several times as many: some are as others, and left out.
const SEVERAL: u64 = 3;

/// An entity with fewer than half the items it was to have in the large table; or one of its indexes, which hardly grew though the entity did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Few {
    /// The entity.
    pub entity: EntityId,
    /// Its name.
    pub name: String,
    /// The index of which this is said, with its name; none where it is of the entity itself.
    pub index: Option<(IndexId, String)>,
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
    /// The data has no more items of which the condition of the index is true.
    NoEntries,
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
                index: None,
                small,
                large,
                why,
            });
        }
        for (id, _) in model.entity_ids() {
            if few.iter().any(|few| few.entity == id) {
                continue;
            }
            let keys = growing(model, id).into_iter();
            let indexes = keys.map(|key| Few::of_index(model, id, key, population));
            // An index grows about as its entity does, of which there may be a handful.
            few.extend(indexes.filter(|index| {
                let as_its_entity = index.large * 2 * small[id.0] >= index.small * large[id.0];
                index.hides_growth() && !as_its_entity
            }));
        }
        few.sort_by_key(|few| few.entity);
        few
    }

    /// What there is of an entity in an index.
    fn of_index(model: &Model, id: EntityId, key: &IndexKey, population: &Population) -> Few {
        let entries = |records| entries_of(model, key, id, records) as u64;
        let small = entries(&population.small);
        let entity = model.entity(id);
        let index = model.table(entity.table).index(key.index);
        Few {
            entity: id,
            name: entity.name.value.clone(),
            index: Some((key.index, index.name.value.clone())),
            small,
            large: small + entries(&population.more),
            why: WhyFew::NoEntries,
        }
    }

    /// `949 Company, then 962, since the data has no more values of `ticker``
    pub(crate) fn told(&self) -> String {
        let (small, large) = (thousands(self.small), thousands(self.large));
        let because = self.because();
        let place = match &self.index {
            Some((_, index)) => format!(" in `{index}`"),
            None => String::new(),
        };
        format!("{small} {}{place}, then {large}, {because}", self.name)
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
            WhyFew::NoEntries => {
                "since the data has no more of which the condition of the index is true".to_owned()
            }
        }
    }

    /// Whether a cost that stayed the same says nothing: what there is stayed the same, and there can be more.
    pub(crate) fn hides_growth(&self) -> bool {
        let grew = self.large >= self.small.saturating_mul(SEVERAL);
        !grew && !matches!(self.why, WhyFew::NoRoom { .. })
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

    /// S3-48: an index has as many more entries as its table has items, whatever its condition; where it has not, reading it proves nothing. One
    /// that is about what tells items apart holds what it holds.
    #[test]
    fn an_index_that_did_not_grow_hides_what_grows() {
        let rare = include_str!("../fixtures/rare-index.toml");
        for (when, has_entries) in [
            (
                "tries = 77 and reason = 'no answer' and weight > 99990",
                true,
            ),
            ("tries > weight and weight > 99000 and tries < 100000", true),
            ("job_id = '01ARZ3NDEKTSV4RRFFQ69G5FAV'", false),
            ("owner = 'root' and tries = 77", true),
        ] {
            let known = "tries = 77 and reason = 'no answer' and weight > 99990\" }";
            let text = rare.replace(known, &format!("{when}\" }}"));
            let model =
                tablewright_model::parse(&text).unwrap_or_else(|faults| panic!("{faults:#?}"));
            let mut population = populate(&model, 400, 1).unwrap();
            assert_eq!(Few::of(&model, &population), [], "{when}");
            let (id, entity) = model.entity_ids().next().unwrap();
            let key = &entity.index_keys[0];
            let entries = entries_of(&model, key, id, &population.small);
            assert!(entries > 0, "{when}");
            let more = &mut population.more;
            let beside = entries_of(&model, key, id, more);
            assert_eq!(
                entries >= 20 && beside >= 180,
                has_entries,
                "{when}: {beside}"
            );
            more.retain(|record| entries_of(&model, key, id, std::slice::from_ref(record)) == 0);
            let few = Few::of(&model, &population);
            assert_eq!(few.len(), usize::from(has_entries), "{when}");
            for few in few {
                let told = format!(
                    "{entries} Job in `GSI1`, then {entries}, since the data has no more of which the condition of the index is true"
                );
                assert_eq!(few.told(), told);
                assert!(few.hides_growth());
            }
        }
    }
}
