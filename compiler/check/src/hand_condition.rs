//! What a write's condition, written by hand, demands of the item.

use tablewright_model::model::{Access, ByHand, Table};
use tablewright_model::{Diagnostic, Span};
use tablewright_plan::expression::{Comparator, Condition, Operand, Path, is_reserved};

/// Whether the condition can hold only if there is an item: a missing attribute is neither equal to anything, nor less or
/// greater; but it is unequal to everything.
pub(crate) fn needs_an_item(condition: &Condition) -> bool {
    fails_without_item(condition, false)
}

fn fails_without_item(condition: &Condition, negated: bool) -> bool {
    let reads = |operand: &Operand| !matches!(operand, Operand::Value(_));
    match condition {
        Condition::Comparison {
            left,
            comparator,
            right,
            ..
        } => (reads(left) || reads(right)) && (*comparator == Comparator::NotEqual) == negated,
        Condition::AttributeNotExists { .. } => negated,
        Condition::Between { .. }
        | Condition::In { .. }
        | Condition::AttributeExists { .. }
        | Condition::AttributeType { .. }
        | Condition::BeginsWith { .. }
        | Condition::Contains { .. } => !negated,
        Condition::And { terms, .. } if !negated => {
            terms.iter().any(|term| fails_without_item(term, false))
        }
        Condition::Or { terms, .. } if negated => {
            terms.iter().any(|term| fails_without_item(term, true))
        }
        Condition::And { terms, .. } | Condition::Or { terms, .. } => {
            terms.iter().all(|term| fails_without_item(term, negated))
        }
        Condition::Not { condition, .. } => fails_without_item(condition, !negated),
    }
}

/// Whether it asks somewhere that the item is not there: `attribute_not_exists` of a key attribute. An alternative beside it,
/// such as that an old claim has passed, is a choice and no oversight.
pub(crate) fn asks_for_absence(condition: &Condition, by_hand: &ByHand, table: &Table) -> bool {
    asks(condition, false, &|path| is_key(path, by_hand, table))
}

fn asks(condition: &Condition, negated: bool, is_key: &impl Fn(&Path) -> bool) -> bool {
    match condition {
        Condition::AttributeNotExists { path, .. } => !negated && is_key(path),
        Condition::AttributeExists { path, .. } => negated && is_key(path),
        Condition::And { terms, .. } | Condition::Or { terms, .. } => {
            terms.iter().any(|term| asks(term, negated, is_key))
        }
        Condition::Not { condition, .. } => asks(condition, !negated, is_key),
        _ => false,
    }
}

fn is_key(path: &Path, by_hand: &ByHand, table: &Table) -> bool {
    let attribute = by_hand.attribute(&path.name.text);
    let mut keys = std::iter::once(&table.partition_key).chain(&table.sort_key);
    path.is_top_level() && keys.any(|key| key.name == attribute)
}

/// The attributes it speaks of, aliases looked up: of a path into a document each name on the way.
pub(crate) fn attributes<'a>(
    condition: &'a Condition,
    by_hand: &'a ByHand,
) -> impl Iterator<Item = &'a str> {
    condition
        .paths()
        .flat_map(Path::names)
        .map(|name| by_hand.attribute(&name.text))
}

/// A key attribute that can stand in an expression as it is, without an alias.
pub(crate) fn plain_key(table: &Table) -> Option<&str> {
    let keys = std::iter::once(&table.partition_key).chain(&table.sort_key);
    let mut names = keys.map(|key| key.name.as_str());
    names.find(|name| {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.chars().all(word)
            && !is_reserved(name)
    })
}

/// A condition with one more demand before it, as people write it.
pub(crate) fn also(demand: &str, condition: &str) -> String {
    let or = condition.to_ascii_uppercase().contains(" OR ");
    if or {
        format!("{demand} AND ({condition})")
    } else {
        format!("{demand} AND {condition}")
    }
}

/// What the condition of a write ought to ask of the key.
pub(crate) struct KeyDemand {
    /// DynamoDB's function: `attribute_exists`.
    pub(crate) function: &'static str,
    /// What that asks, in words: `ask that it is there`.
    pub(crate) ask: &'static str,
    /// What a condition without it does: `holds for a missing item, too`.
    pub(crate) lacks: &'static str,
    /// The title of the fix.
    pub(crate) title: &'static str,
}

/// Says what to write into the condition of a write by hand; where it has none and its key needs no alias, that is a fix.
pub(crate) fn demand(
    diagnostic: Diagnostic,
    demand: &KeyDemand,
    by_hand: &ByHand,
    request: Option<Span>,
    table: &Table,
) -> Diagnostic {
    let plain = plain_key(table);
    let wanted = format!("{}({})", demand.function, plain.unwrap_or("#key"));
    let ask = demand.ask;
    if let Some(condition) = &by_hand.condition {
        let both = also(&wanted, condition.as_str());
        return diagnostic
            .related(condition.content(), demand.lacks)
            .help(format!("{ask}: condition = \"{both}\""));
    }
    let diagnostic = diagnostic.help(format!("{ask}: condition = \"{wanted}\""));
    match (request, plain) {
        (Some(request), Some(_)) => {
            let end = Span::new(request.end, request.end);
            diagnostic.fix(demand.title, end, format!("\ncondition = \"{wanted}\""))
        }
        _ => diagnostic,
    }
}

/// Whether the pattern states a condition, understood or not.
pub(crate) fn is_stated(access: &Access) -> bool {
    let by_hand = access.by_hand.as_ref();
    by_hand.is_some_and(|by_hand| by_hand.condition.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablewright_plan::expression::parse_condition;

    fn needs(text: &str) -> bool {
        needs_an_item(&parse_condition(text).unwrap())
    }

    #[test]
    fn what_no_missing_item_can_meet() {
        assert!(needs("attribute_exists(PK)"));
        assert!(needs("balance >= :amount"));
        assert!(needs("attribute_not_exists(closed) AND version = :v"));
        assert!(needs("NOT attribute_not_exists(PK)"));
        assert!(needs("NOT (state <> :open)"));
        assert!(needs("state = :open OR state = :held"));
        assert!(needs("NOT (state <> :open OR attribute_not_exists(x))"));
    }

    #[test]
    fn what_a_missing_item_meets() {
        assert!(!needs("attribute_not_exists(closed)"));
        assert!(!needs("state <> :closed"));
        assert!(!needs("state = :open OR attribute_not_exists(state)"));
        assert!(!needs("NOT (state = :closed)"));
        assert!(!needs("NOT (state <> :open AND other = :value)"));
    }
}
