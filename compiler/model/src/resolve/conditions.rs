//! Conditions: their fields exist and their values are of the field's type.

use super::Resolver;
use crate::condition::{self, Condition, Named, Operator, Value, ValueKind};
use crate::diagnostic::Diagnostic;
use crate::field_type::FieldType;
use crate::model::{Counter, Entity, Where};
use crate::span::Text;
use crate::suggest;

impl Resolver<'_> {
    pub(super) fn condition(&mut self, entity: &Entity, written: &Text) -> Option<Where> {
        let mut condition = match condition::parse(&written.value) {
            Ok(condition) => condition,
            Err(error) => {
                self.report(Diagnostic::language(
                    "bad-condition",
                    written.at(error.span),
                    error.message,
                ));
                return None;
            }
        };
        condition.name_fields(|name| {
            let id = entity.field_named(name)?;
            Some(entity.field(id).kind())
        });
        let faults = self.diagnostics.len();
        let mut comparisons = Vec::new();
        condition.visit(&mut |comparison| comparisons.push(comparison));
        for comparison in comparisons {
            self.comparison(entity, written, comparison);
        }
        (faults == self.diagnostics.len()).then(|| Where {
            written: written.clone(),
            condition,
        })
    }

    fn comparison(&mut self, entity: &Entity, written: &Text, comparison: &Condition) {
        let (field, ordered) = match comparison {
            Condition::Compare {
                field, operator, ..
            } => (
                field,
                !matches!(operator, Operator::Equal | Operator::NotEqual),
            ),
            Condition::In { field, .. }
            | Condition::Contains { field, .. }
            | Condition::Exists { field, .. } => (field, false),
            _ => return,
        };
        // Counters are attributes too, and writes have conditions on them.
        let mut counters = entity.counters.iter();
        if let Some(counter) =
            counters.find(|counter| counter.name.value == field.name || counter.keeps(&field.name))
        {
            return self.counted(counter, written, comparison);
        }
        let span = written.at(field.span.clone());
        let Some(id) = self.field_of(entity, &field.name, span) else {
            return;
        };
        if self.unreadable.contains(&field.name) {
            return;
        }
        let kind = entity.field(id).kind().clone();
        if ordered && kind.has_few_values() {
            self.fault(
                "bad-condition",
                span,
                format!(
                    "`{}` is stored by its spelling and cannot be compared by size",
                    field.name
                ),
                format!("name the values: {} in (…)", field.name),
            );
            return;
        }
        let kind = match comparison {
            Condition::Contains { .. } => match kind {
                FieldType::List(of, _) | FieldType::Set(of, _) => *of,
                FieldType::String(_) => kind,
                other => {
                    self.fault(
                        "bad-condition",
                        span,
                        format!("`{}` is {other}, which contains nothing", field.name),
                        "a list, a set or a string can contain something",
                    );
                    return;
                }
            },
            _ => kind,
        };
        for value in comparison.values() {
            self.value_of(field, &kind, value, written);
        }
    }

    /// A counter is a number from the first on, also before it has counted anything.
    fn counted(&mut self, counter: &Counter, written: &Text, comparison: &Condition) {
        let Some(field) = comparison.field().filter(|_| counter.kept_by.is_none()) else {
            return;
        };
        let span = written.at(field.span.clone());
        if let Some((per, _)) = counter.per.as_ref().filter(|_| !counter.keeps(&field.name)) {
            let help = match counter.words.first() {
                Some(word) => format!("name one of them, as `{}_{word}`", field.name),
                None => String::from("a condition can name a counter without `per`"),
            };
            self.fault(
                "bad-condition",
                span,
                format!("`{}` is one number for each {}", field.name, per.value),
                help,
            );
            return;
        }
        match comparison {
            Condition::Exists { .. } => self.fault(
                "bad-condition",
                span,
                format!("`{}` counts, and is a number in any case", field.name),
                format!("compare it: {} > 0, or {} = 0", field.name, field.name),
            ),
            Condition::Contains { .. } => self.fault(
                "bad-condition",
                span,
                format!("`{}` counts, and contains nothing", field.name),
                "a list, a set or a string can contain something",
            ),
            _ => {
                let whole = FieldType::Int {
                    min: None,
                    max: None,
                };
                for value in comparison.values() {
                    self.value_of(field, &whole, value, written);
                }
            }
        }
    }

    fn value_of(&mut self, field: &Named, kind: &FieldType, value: &Value, written: &Text) {
        let span = written.at(value.span.clone());
        let wrong = match (&value.kind, kind) {
            (ValueKind::Parameter(_), _) => None,
            (
                ValueKind::Word(word) | ValueKind::Quoted(word),
                FieldType::Enum(words) | FieldType::Ordered(words),
            ) => {
                if words.contains(word) {
                    None
                } else {
                    let known: Vec<&str> = words.iter().map(String::as_str).collect();
                    let mut diagnostic = Diagnostic::language(
                        "bad-condition",
                        span,
                        format!("`{}` is never `{word}`", field.name),
                    );
                    if let Some(hint) = suggest::hint(word, known.iter().copied()) {
                        diagnostic = diagnostic.help(hint);
                    }
                    self.report(diagnostic);
                    None
                }
            }
            (ValueKind::Word(word), FieldType::Bool) if word == "true" || word == "false" => None,
            (_, FieldType::Bool) => Some("`true` or `false`"),
            (ValueKind::Field(_), _) => None,
            (ValueKind::Number(_), kind) if kind.is_number() => None,
            (_, kind) if kind.is_number() => Some("a number, or `:name` for one the caller gives"),
            (ValueKind::Quoted(_), kind) if kind.stored_as() == "S" => None,
            (_, kind) if kind.stored_as() == "S" => {
                Some("'text' in quotes, or `:name` for one the caller gives")
            }
            (_, _) => Some("`:name`: a value of this type can only be given by the caller"),
        };
        if let Some(wanted) = wrong {
            self.fault(
                "bad-condition",
                span,
                format!(
                    "`{}` is {kind} and cannot be compared with {value}",
                    field.name
                ),
                format!("write {wanted}"),
            );
        }
    }
}
