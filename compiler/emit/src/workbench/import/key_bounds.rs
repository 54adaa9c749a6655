//! Bounds of the fields in keys, from what samples hold there: DynamoDB takes no key of any length, and a text sorts numbers by their digits.

use tablewright_keys::{FieldRef, Template};
use tablewright_model::Model;
use tablewright_model::field_type::{FieldType, Length, parse};
use tablewright_model::model::{Entity, FieldId, KeyTemplate};

use super::entity::{Draft, EntityDraft};
use super::fields::FieldDraft;
use super::source::{Item, Sample};

/// Lengths that people declare.
const LENGTHS: [u32; 5] = [40, 100, 200, 400, 1_000];
/// So many times what the longest sample has may be needed.
const GENEROUS: u32 = 4;
/// The length of what no sample tells.
const UNTOLD: u32 = 200;
/// The most bytes of a partition key, and of a sort key.
const PARTITION: u64 = 2_048;
const SORT: u64 = 1_024;
/// Numbers of fewer digits will soon have another.
const DIGITS: u32 = 3;

/// What is said of bounds in the list, if there are any.
pub(super) fn note(draft: &Draft) -> Option<String> {
    let entities = draft.tables.iter().flat_map(|table| &table.entities);
    let mut fields = entities.flat_map(|entity| &entity.fields);
    let any = fields.any(|field| field.bound.is_some());
    any.then(|| {
        format!(
            "how long and how great what stands in keys can be: {GENEROUS} times what samples have, rounded up, and no more than keys take"
        )
    })
}

/// Bounds every field that is in a key of the entity.
pub(super) fn bound(entity: &mut EntityDraft) {
    let templates: Vec<(Template, bool)> = entity
        .templates()
        .filter_map(|(template, is_sort)| Some((Template::parse(template).ok()?, is_sort)))
        .collect();
    for field in &mut entity.fields {
        let places = templates.iter().flat_map(|(template, is_sort)| {
            let parts = template.fields().filter(|part| part.name == field.name);
            let is_alone = template.leading_literal().is_empty() && template.fields().count() == 1;
            parts.map(move |part| (part, *is_sort && !is_alone))
        });
        let places: Vec<(&FieldRef, bool)> = places.collect();
        if !places.is_empty() && field.bound.is_none() {
            bound_field(field, &places, &entity.items);
        }
    }
}

fn bound_field(field: &mut FieldDraft, places: &[(&FieldRef, bool)], items: &[Item]) {
    let (plain, mark) = match field.kind.strip_suffix('?') {
        Some(plain) => (plain, "?"),
        None => (field.kind.as_str(), ""),
    };
    let found = match plain {
        "string" | "string(1..)" => Some(length(longest(items, &field.name))),
        "binary" => Some((
            format!("binary(1..{UNTOLD})"),
            "no sample tells how long it is".to_owned(),
        )),
        "int" => range(places, &numbers(items, &field.name)),
        _ => None,
    };
    if let Some((kind, why)) = found {
        field.kind = format!("{kind}{mark}");
        field.bound = Some(why);
    }
}

fn length(longest: Option<u32>) -> (String, String) {
    let Some(longest) = longest else {
        let why = "no sample tells how long it is";
        return (format!("string(1..{UNTOLD})"), why.to_owned());
    };
    let wanted = longest.saturating_mul(GENEROUS);
    let enough = LENGTHS.into_iter().find(|length| *length >= wanted);
    let most = enough.unwrap_or(longest.max(LENGTHS[LENGTHS.len() - 1]));
    (format!("string(1..{most})"), told(longest))
}

fn told(longest: u32) -> String {
    let noun = if longest == 1 {
        "character"
    } else {
        "characters"
    };
    format!("from the samples, of {longest} {noun} at most")
}

/// The range of a number that stands in a text: numbers of as many digits as all samples have where it sorts without a width, else what its width takes.
fn range(places: &[(&FieldRef, bool)], numbers: &[i64]) -> Option<(String, String)> {
    let widths = places.iter().filter_map(|(part, _)| part.encodings.pad);
    let width = widths.min().map(u32::from);
    let sorts_plainly = |(part, is_sorted): &(&FieldRef, bool)| {
        *is_sorted && part.encodings.pad.is_none() && part.encodings.shard.is_none()
    };
    let digits = digits_of_all(numbers).filter(|digits| width.is_none_or(|width| *digits <= width));
    if let Some(digits) = digits.filter(|_| places.iter().any(sorts_plainly)) {
        let least = 10_i64.checked_pow(digits - 1)?;
        let greatest = least.checked_mul(10)?.checked_sub(1)?;
        let why = format!(
            "from the samples, which have {digits} digits: others would not sort as numbers"
        );
        return Some((format!("int({least}..{greatest})"), why));
    }
    let greatest = 10_i64.checked_pow(width?)?.checked_sub(1)?;
    let why = "from the samples: the width it has in a key";
    Some((format!("int(0..{greatest})"), why.to_owned()))
}

/// How many digits all of the numbers have, if they have the same, and not so few that there will soon be more.
fn digits_of_all(numbers: &[i64]) -> Option<u32> {
    let first = numbers.first()?.checked_ilog10()? + 1;
    let even = |number: &i64| number.checked_ilog10().is_some_and(|log| log + 1 == first);
    (first >= DIGITS && numbers.iter().all(even)).then_some(first)
}

fn longest(items: &[Item], name: &str) -> Option<u32> {
    let texts = items.iter().filter_map(|item| match item.get(name) {
        Some(Sample::Text(text)) => u32::try_from(text.chars().count()).ok(),
        _ => None,
    });
    texts.max()
}

fn numbers(items: &[Item], name: &str) -> Vec<i64> {
    let numbers = items.iter().filter_map(|item| match item.get(name) {
        Some(Sample::Number(number)) => number.parse().ok(),
        _ => None,
    });
    numbers.collect()
}

/// Halves the longest text of every key that can be longer than DynamoDB takes. Whether something was changed.
pub(super) fn narrow(model: &Model, draft: &mut Draft) -> bool {
    let mut changed = false;
    let drafts = draft
        .tables
        .iter_mut()
        .flat_map(|table| &mut table.entities);
    for (entity, draft) in model.entities.iter().zip(drafts) {
        for (template, most) in keys(entity) {
            if template.typed.max_bytes().is_some_and(|bytes| bytes > most) {
                changed |= halve_longest(entity, template, draft);
            }
        }
    }
    changed
}

fn keys(entity: &Entity) -> Vec<(&KeyTemplate, u64)> {
    let guards = entity
        .unique
        .iter()
        .filter_map(|unique| unique.guard.as_ref());
    let of_indexes = entity.index_keys.iter().map(|key| &key.key);
    let all = std::iter::once(&entity.key).chain(of_indexes).chain(guards);
    all.flat_map(|key| {
        let sort = key.sort.iter().map(|sort| (sort, SORT));
        std::iter::once((&key.partition, PARTITION)).chain(sort)
    })
    .collect()
}

fn halve_longest(entity: &Entity, template: &KeyTemplate, draft: &mut EntityDraft) -> bool {
    let length_of = |id: FieldId| match entity.field(id).kind() {
        FieldType::String(Length { max: Some(max), .. }) => Some(*max),
        _ => None,
    };
    let fields = template
        .field_parts()
        .filter_map(|(_, id, _)| Some((length_of(id)?, entity.field(id).name.as_str())));
    let Some((most, name)) = fields.max() else {
        return false;
    };
    let needed = longest(&draft.items, name).unwrap_or(1);
    let less = (most / 2).max(needed);
    let mut drafts = draft.fields.iter_mut();
    match drafts.find(|field| field.name == name && field.bound.is_some()) {
        // Two keys may have halved it at once.
        Some(field) if less < most && field.kind.contains(&format!("..{most})")) => {
            let kind = parse(field.kind.trim_end_matches('?'));
            let is_text = kind.is_ok_and(|kind| matches!(kind.kind, FieldType::String(_)));
            field.kind = field
                .kind
                .replace(&format!("..{most})"), &format!("..{less})"));
            is_text
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_four_times_that_of_the_longest_sample() {
        assert_eq!(length(Some(1)).0, "string(1..40)");
        assert_eq!(length(Some(11)).0, "string(1..100)");
        assert_eq!(length(Some(900)).0, "string(1..1000)");
        assert_eq!(length(Some(1_500)).0, "string(1..1500)");
        assert_eq!(length(None).0, "string(1..200)");
        assert_eq!(told(1), "from the samples, of 1 character at most");
    }

    #[test]
    fn a_number_in_a_text_has_as_many_digits_as_its_key_takes() {
        let padded = Template::parse("A#{n:05}").unwrap();
        let plain = Template::parse("A#{n}").unwrap();
        let of = |template: &Template, is_sorted: bool, numbers: &[i64]| {
            let part = template.fields().next().unwrap();
            range(&[(part, is_sorted)], numbers).map(|(kind, _)| kind)
        };
        assert_eq!(of(&padded, true, &[7]).as_deref(), Some("int(0..99999)"));
        assert_eq!(
            of(&plain, true, &[1234, 9876]).as_deref(),
            Some("int(1000..9999)")
        );
        assert_eq!(of(&plain, true, &[1, 12]), None);
        assert_eq!(of(&plain, false, &[1234]), None);
        assert_eq!(of(&plain, true, &[]), None);
    }
}
