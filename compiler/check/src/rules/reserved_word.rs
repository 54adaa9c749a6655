//! A reserved word without an alias.

use tablewright_model::Span;
use tablewright_model::model::ByHand;

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "reserved-word",
    code: "O03",
    severity: Note,
    group: Operation,
    summary: "a reserved word that an expression uses without an alias",
    why: "`status`, `name`, `data`, `ttl` and 570 more words are reserved: an expression that names such an attribute is refused with a
ValidationException, at run time. The attribute itself may be called so.

Write an alias in the expression and say in `names` what it stands for: `#status`. What the planner writes always has them.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.by_hand() {
        let Some(by_hand) = &access.by_hand else {
            continue;
        };
        let edits = all_aliased(by_hand, &plan.reserved);
        for (span, word) in &plan.reserved {
            let alias = alias_of(by_hand, word);
            let mut diagnostic = RULE
                .at(
                    *span,
                    format!(
                        "`{word}` is a reserved word: DynamoDB refuses the expression of `{}`",
                        access.name
                    ),
                )
                .label("needs an alias")
                .help(format!(
                    "write `{alias}`, and names = {{ \"{alias}\" = \"{word}\" }}"
                ));
            // One change aliases every word of the pattern: each alone would need the same line.
            for (span, text) in edits.iter().flatten() {
                diagnostic = diagnostic.fix("alias it", *span, text.clone());
            }
            found.report(&[Subject::Access(position)], diagnostic);
        }
    }
}

/// The alias the pattern has for an attribute, or a new one.
fn alias_of(by_hand: &ByHand, word: &str) -> String {
    let known = by_hand
        .names
        .iter()
        .find(|(_, attribute)| attribute.value == word);
    known.map_or_else(|| format!("#{word}"), |(alias, _)| alias.value.clone())
}

/// The edits that alias every word; none when `names` would have to be extended, which may be written in several ways.
fn all_aliased(by_hand: &ByHand, reserved: &[(Span, String)]) -> Option<Vec<(Span, String)>> {
    // An expression written with escapes cannot be pointed into.
    if reserved
        .iter()
        .any(|(span, word)| span.end - span.start != word.len())
    {
        return None;
    }
    let mut edits: Vec<(Span, String)> = reserved
        .iter()
        .map(|(span, word)| (*span, alias_of(by_hand, word)))
        .collect();
    let mut new: Vec<&str> = reserved
        .iter()
        .map(|(_, word)| word.as_str())
        .filter(|word| {
            !by_hand
                .names
                .iter()
                .any(|(_, attribute)| attribute.value == *word)
        })
        .collect();
    new.sort_unstable();
    new.dedup();
    if new.is_empty() {
        return Some(edits);
    }
    let last = by_hand.filter.as_ref().or(by_hand.condition.as_ref())?;
    if !by_hand.names.is_empty() {
        return None;
    }
    let names: Vec<String> = new
        .iter()
        .map(|word| format!("\"#{word}\" = \"{word}\""))
        .collect();
    let end = Span::new(last.span.end, last.span.end);
    edits.push((end, format!("\nnames = {{ {} }}", names.join(", "))));
    Some(edits)
}
