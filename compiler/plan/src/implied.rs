//! Whether what a pattern asks for is what a sparse index holds, in whatever words the two say it.

use tablewright_model::condition::Condition;
use tablewright_model::model::{Entity, FieldId};

use crate::cost::cases::{Case, Verdict, cases_of, holds};

/// More values than these are not looked at one by one.
const MOST_CASES: usize = 4096;

/// Whether every item of an entity that meets all of some conditions meets another one. It is said of what is sure alone: where values
/// cannot be told apart, as texts by their order, only the same words are.
pub(crate) fn implied(entity: &Entity, given: &[Condition], wanted: &Condition) -> bool {
    // What callers give is not known to an index.
    wanted.parameters().is_empty()
        && (given.iter().any(|part| part.says_the_same(wanted))
            || holds_in_every_case(entity, given, wanted))
}

fn holds_in_every_case(entity: &Entity, given: &[Condition], wanted: &Condition) -> bool {
    let Some(fields) = fields_of(entity, wanted) else {
        return false;
    };
    // What is said of other fields says nothing about these.
    let speaks_of_these = |part: &&Condition| {
        fields_of(entity, part).is_some_and(|named| named.iter().all(|id| fields.contains(id)))
    };
    let given: Vec<&Condition> = given.iter().filter(speaks_of_these).collect();
    if given.is_empty() {
        return false;
    }
    let mut conditions = given.clone();
    conditions.push(wanted);
    let cases: Vec<Vec<Case>> = fields
        .iter()
        .map(|field| cases_of(entity, *field, &conditions))
        .collect();
    let count = cases
        .iter()
        .try_fold(1_usize, |count, cases| count.checked_mul(cases.len()));
    if count.is_none_or(|count| count > MOST_CASES) {
        return false;
    }
    let mut known = Vec::new();
    every(&fields, &cases, &mut known, &mut |known| {
        let asked = given.iter().map(|part| holds(entity, part, known));
        Verdict::all(asked) == Verdict::No || holds(entity, wanted, known) == Verdict::Yes
    })
}

/// Whether something is true of every choice of one case for each field.
fn every<'c>(
    fields: &[FieldId],
    cases: &'c [Vec<Case>],
    known: &mut Vec<(FieldId, &'c Case)>,
    is_true: &mut impl FnMut(&[(FieldId, &'c Case)]) -> bool,
) -> bool {
    let (Some((field, fields)), Some((first, cases))) = (fields.split_first(), cases.split_first())
    else {
        return is_true(known);
    };
    first.iter().all(|case| {
        known.push((*field, case));
        let all = every(fields, cases, known, is_true);
        known.pop();
        all
    })
}

/// The fields a condition depends on; none where it speaks of something else, as a counter.
fn fields_of(entity: &Entity, condition: &Condition) -> Option<Vec<FieldId>> {
    let names = condition.depends_on().into_iter();
    let fields: Option<Vec<FieldId>> = names.map(|name| entity.field_named(name)).collect();
    let mut fields = fields?;
    fields.sort_unstable();
    fields.dedup();
    Some(fields)
}
