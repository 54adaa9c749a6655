//! What a pattern may cost more in the larger table, and what excuses it.

use tablewright_model::Model;
use tablewright_model::model::{Access, Entity, Request, Verb};
use tablewright_plan::print::thousands;
use tablewright_plan::{Answer, Operation, Plan, bounds_a_page, without_items};

use super::cost::{Allowed, Cost};
use crate::Few;
use crate::proof::{Because, Growth};

/// How many items a count reads at most, as the model says; nothing where that says no less than that it reads all there are.
pub(super) fn most_counted(model: &Model, access: &Access) -> Option<u64> {
    let Verb::Count(counted) = &access.verb else {
        return access.returns;
    };
    let there_are = model.entity(counted.id).facts.items?;
    access.returns.filter(|returns| *returns < there_are)
}

/// Why a declared `returns` does not excuse a count that grows, or `looks_at` a list.
pub(super) fn no_bound(model: &Model, access: &Access) -> Option<String> {
    let Verb::Count(counted) = &access.verb else {
        let all = access.looks_at?;
        return (!bounds_a_page(model, access, all)).then(|| match without_items(model, access) {
            None => format!("`looks_at = {all}` is no bound: there are no more"),
            Some(Entity { name, .. }) => format!(
                "`looks_at = {all}` bounds it only beside `items`, how many {name} there are"
            ),
        });
    };
    let returns = access.returns?;
    let entity = model.entity(counted.id);
    let name = &entity.name;
    match entity.facts.items {
        None => Some(format!(
            "`returns = {returns}` bounds it only beside `items`, how many {name} there are"
        )),
        Some(items) if returns >= items => Some(format!(
            "`returns = {returns}` is no bound: there are no more than {} {name}",
            thousands(items)
        )),
        Some(_) => None,
    }
}

/// What is said of a count that counted more than it declares.
pub(super) fn counted_more(access: &Access, costs: &[Option<Cost>]) -> Option<String> {
    let returns = access
        .returns
        .filter(|_| matches!(access.verb, Verb::Count(_)))?;
    let counted = costs.iter().flatten().filter(|cost| cost.within_facts);
    let most = counted.map(|cost| cost.there_is).max()?;
    (most > returns).then(|| {
        let (most, returns) = (thousands(most), thousands(returns));
        format!("it counts {most} items, more than the {returns} it says by `returns` at most")
    })
}

/// What is said of a read of what did not grow though there can be more of it, all of an entity or what an index holds of it: that its cost did not
/// grow says nothing. What is read by its whole key costs what that item costs, however many there are.
pub(super) fn not_compared(access: &Access, plan: &Plan, few: &[Few]) -> Option<String> {
    let by_keys = match &plan.answer {
        Answer::Read(read) => {
            matches!(read.operation, Operation::GetItem | Operation::BatchGetItem)
        }
        Answer::ByHand(hand) => matches!(hand.request, Request::GetItem | Request::BatchGetItem),
        Answer::Write(_) | Answer::Nothing(_) => false,
    };
    if by_keys {
        return None;
    }
    let reads = |few: &&Few| {
        access
            .verb
            .entities()
            .iter()
            .any(|one| one.id == few.entity)
    };
    let place = match &plan.answer {
        Answer::ByHand(hand) => Some(hand.place),
        _ => plan.read().map(|read| read.place),
    };
    let asked = place.and_then(|place| place.index);
    let is_there = |few: &&Few| match &few.index {
        Some((index, _)) => asked == Some(*index),
        None => true,
    };
    // A page of an index costs a page, however many there are.
    let says_nothing = |few: &&Few| few.index.is_none() || !reads_a_page(access, plan);
    let few = few.iter().filter(|few| few.hides_growth() && reads(few));
    let few = few.filter(says_nothing).find(is_there)?;
    let but = match few.index {
        Some(_) => "",
        None => "; say by `items` how many there are, if there can be no more",
    };
    Some(format!(
        "its cost could not be compared: it is of {}{but}",
        few.told()
    ))
}

/// Whether a page is all that is read for it, however much there is.
fn reads_a_page(access: &Access, plan: &Plan) -> bool {
    let read = plan.read();
    let is_page = read.is_some_and(|read| read.requests == 1 && read.filter.is_empty());
    is_page && matches!(access.verb, Verb::List(_)) && access.refine.is_empty()
}

/// What cost more in the large table though nothing is wrong with it: of every reason the dearest.
pub(super) fn excused(
    access: &Access,
    pairs: &[(&Cost, &Cost)],
    allowed: Allowed,
    finds: bool,
) -> Vec<Growth> {
    let mut grown: Vec<Growth> = Vec::new();
    for (small, large) in pairs {
        if large.followed <= small.followed {
            continue;
        }
        let growth = Growth {
            rcu_small: small.followed,
            rcu_large: large.followed,
            because: because(access, small, large, allowed, finds),
        };
        let known = grown
            .iter_mut()
            .find(|known| known.because.is_like(&growth.because));
        match known {
            Some(known) if known.rcu_large < growth.rcu_large => *known = growth,
            Some(_) => {}
            None => grown.push(growth),
        }
    }
    grown
}

fn because(access: &Access, small: &Cost, large: &Cost, allowed: Allowed, finds: bool) -> Because {
    if let Some(at_most) = small.looked_at(allowed) {
        let planned = allowed.at_most;
        return Because::LooksAtMore { at_most, planned };
    }
    if small.of_somebody && small.meets_somebody_new(large) {
        return Because::SomebodyNew;
    }
    match (&access.verb, finds) {
        (Verb::Count(_), _) => Because::MoreToCount {
            counted: large.there_is,
            at_most: allowed.most_counted,
            planned: allowed.planned.filter(|_| allowed.most_counted.is_some()),
        },
        (_, true) => Because::MoreToFind,
        (_, false) => Because::MoreToGive {
            planned: allowed.planned.filter(|_| !small.selects()),
            is_filtered: allowed.is_filtered,
        },
    }
}

#[cfg(test)]
mod tests {
    use tablewright_model::model::IndexId;

    use super::*;
    use crate::WhyFew;

    fn counts(items: &str, returns: &str) -> Model {
        let text = format!(
            "[model]\nname = \"m\"\n[table.app]\npartition_key = \"PK\"\n\
             [entity.Item]\ntable = \"app\"\nkey = {{ partition = \"ITEM#{{id}}\" }}\n\
             [entity.Item.fields]\nid = \"ulid\"\n[entity.Item.facts]\n{items}\n\
             [access.all]\ncount = \"Item\"\n{returns}\n"
        );
        tablewright_model::parse(&text).unwrap_or_else(|faults| panic!("{faults:#?}"))
    }

    /// S3-48: what lists an entity that did not grow is not proved, unless there can be no more of it; what gets one by its key is.
    #[test]
    fn what_did_not_grow_is_not_compared() {
        let text = "[model]\nname = \"m\"\n[table.app]\npartition_key = \"PK\"\nsort_key = \"SK\"\n\
             [entity.Company]\ntable = \"app\"\n\
             key = { partition = \"COMPANIES\", sort = \"T#{ticker}\" }\n\
             [entity.Company.fields]\nticker = \"string(2..3)\"\nsector = \"id\"\n\
             [access.of_sector]\nlist = \"Company\"\nwhere = \"sector = :sector\"\n\
             [access.company]\nget = \"Company\"\nby = [\"ticker\"]\n";
        let model = tablewright_model::parse(text).unwrap_or_else(|faults| panic!("{faults:#?}"));
        let plans = tablewright_plan::plan(&model);
        let fields = vec!["ticker".to_owned()];
        let few = |large: u64, why: WhyFew| Few {
            entity: model.entity_ids().next().unwrap().0,
            name: "Company".to_owned(),
            index: None,
            small: 949,
            large,
            why,
        };
        let none = WhyFew::NoValues { fields };
        let told = |position: usize, few: &Few| {
            let few = std::slice::from_ref(few);
            not_compared(&model.accesses[position], &plans[position], few)
        };
        let stayed = few(962, none.clone());
        assert_eq!(
            told(0, &stayed).as_deref(),
            Some(
                "its cost could not be compared: it is of 949 Company, then 962, since the data has no more values of `ticker`; say by `items` how many there are, if there can be no more"
            )
        );
        assert_eq!(told(1, &stayed), None);
        assert_eq!(told(0, &few(2_847, none)), None);
        assert_eq!(told(0, &few(962, WhyFew::NoRoom { room: 1_000 })), None);
        // Of an index only what reads that says nothing.
        let of_index = Few {
            index: Some((IndexId(0), "GSI1".to_owned())),
            ..few(962, WhyFew::NoEntries)
        };
        assert_eq!(told(0, &of_index), None);
        let rare = include_str!("../../../fixtures/rare-index.toml");
        let model = tablewright_model::parse(rare).unwrap_or_else(|faults| panic!("{faults:#?}"));
        let plans = tablewright_plan::plan(&model);
        let told = |position: usize| {
            let few = std::slice::from_ref(&of_index);
            not_compared(&model.accesses[position], &plans[position], few)
        };
        assert!(told(0).is_some_and(|told| told.ends_with("the condition of the index is true")));
        assert_eq!(told(1), None);
    }

    /// S3-48: a page of an index of few is a page, and hides nothing else that did not grow.
    #[test]
    fn a_page_of_an_index_of_few_is_a_page() {
        let model = include_str!("../../../tests/right/sparse-in-plain.toml");
        let model = tablewright_model::parse(model).unwrap_or_else(|faults| panic!("{faults:#?}"));
        let plans = tablewright_plan::plan(&model);
        let asked = model
            .accesses
            .iter()
            .position(|one| one.name.value == "of_ours");
        let asked = asked.unwrap();
        let few = |index: Option<(IndexId, String)>, why: WhyFew| Few {
            entity: model.entity_ids().next().unwrap().0,
            name: "Case".to_owned(),
            index,
            small: 20,
            large: 20,
            why,
        };
        let told = |few: &[Few]| not_compared(&model.accesses[asked], &plans[asked], few);
        let of_index = few(Some((IndexId(0), "GSI1".to_owned())), WhyFew::NoEntries);
        assert_eq!(told(std::slice::from_ref(&of_index)), None);
        let fields = vec!["case_id".to_owned()];
        let of_all = few(None, WhyFew::NoValues { fields });
        let both = told(&[of_index, of_all]);
        assert!(both.is_some_and(|told| told.contains("no more values of `case_id`")));
    }

    /// C0-11: `returns` bounds a count only where it says less than that everything is counted.
    #[test]
    fn a_count_is_bounded_by_less_than_there_is() {
        for (items, returns, bound, told) in [
            ("items = 100", "returns = 99", Some(99), None),
            ("items = 100", "", None, None),
            ("items = 100", "returns = 100", None, Some("is no bound")),
            ("items = 100", "returns = 5000", None, Some("is no bound")),
            ("", "returns = 99", None, Some("only beside `items`")),
        ] {
            let model = counts(items, returns);
            let access = &model.accesses[0];
            assert_eq!(most_counted(&model, access), bound, "{items} {returns}");
            let said = no_bound(&model, access);
            assert_eq!(said.is_some(), told.is_some(), "{said:?}");
            assert!(said.unwrap_or_default().contains(told.unwrap_or_default()));
        }
    }
}
