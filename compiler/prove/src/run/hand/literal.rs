//! A literal among the values of a request by hand: in a filter or a condition it has the type of what it is compared with.

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{ByHand, Entity};
use tablewright_plan::expression::{Condition, Operand, Path};
use tablewright_plan::hand::HandPlan;

/// What a placeholder is compared with.
enum With<'p> {
    /// What stands on the other side.
    This(&'p Operand),
    /// A member of what stands there.
    MemberOf(&'p Operand),
}

/// The literal text of a placeholder as a value; as text, where nothing says otherwise.
pub(super) fn literal(
    text: String,
    placeholder: &str,
    entity: &Entity,
    plan: &HandPlan,
    by_hand: &ByHand,
) -> AttributeValue {
    let conditions = plan.filter.iter().chain(&plan.write_condition);
    let with = conditions
        .into_iter()
        .find_map(|one| compared(one, placeholder));
    let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
    let is_counter = |name: &str| entity.counters.iter().any(|one| one.name.as_str() == name);
    let kind = match with {
        Some(With::This(Operand::Size { .. })) if is_number => return AttributeValue::N(text),
        Some(With::This(Operand::Path(path))) => match field_of(path, by_hand) {
            Some(name) if is_counter(name) && is_number => return AttributeValue::N(text),
            name => name.and_then(|name| kind_of(entity, name)),
        },
        Some(With::MemberOf(Operand::Path(path))) => {
            let kind = field_of(path, by_hand).and_then(|name| kind_of(entity, name));
            match kind {
                Some(FieldType::List(of, _) | FieldType::Set(of, _)) => Some(&**of),
                kind => kind,
            }
        }
        _ => None,
    };
    match (kind, text.as_str()) {
        (
            Some(
                FieldType::Int { .. }
                | FieldType::Decimal
                | FieldType::EpochSeconds
                | FieldType::EpochMillis,
            ),
            _,
        ) if is_number => AttributeValue::N(text),
        (Some(FieldType::Bool), "true") => AttributeValue::Bool(true),
        (Some(FieldType::Bool), "false") => AttributeValue::Bool(false),
        _ => AttributeValue::S(text),
    }
}

fn kind_of<'e>(entity: &'e Entity, name: &str) -> Option<&'e FieldType> {
    let field = entity.field_named(name)?;
    Some(entity.field(field).kind())
}

/// The field a path leads to: an attribute, or one within `data`, where a wrapped entity has its fields.
fn field_of<'p>(path: &'p Path, by_hand: &'p ByHand) -> Option<&'p str> {
    let mut names = path.names().map(|name| by_hand.attribute(&name.text));
    let first = names.next()?;
    match (path.segments.len(), names.next()) {
        (0, _) => Some(first),
        (1, Some(within)) if first == "data" => Some(within),
        _ => None,
    }
}

fn compared<'p>(condition: &'p Condition, placeholder: &str) -> Option<With<'p>> {
    let is_it =
        |operand: &Operand| matches!(operand, Operand::Value(value) if value.text == placeholder);
    match condition {
        Condition::Comparison { left, right, .. } if is_it(right) => Some(With::This(left)),
        Condition::Comparison { left, right, .. } if is_it(left) => Some(With::This(right)),
        Condition::Between {
            operand, low, high, ..
        } if is_it(low) || is_it(high) => Some(With::This(operand)),
        Condition::In { operand, list, .. } if list.iter().any(is_it) => Some(With::This(operand)),
        Condition::Contains { operand, part, .. } if is_it(part) => Some(With::MemberOf(operand)),
        Condition::And { terms, .. } | Condition::Or { terms, .. } => {
            terms.iter().find_map(|term| compared(term, placeholder))
        }
        Condition::Not { condition, .. } => compared(condition, placeholder),
        _ => None,
    }
}
