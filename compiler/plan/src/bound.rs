//! What the caller's values make known, and the bounds of ranges.

use tablewright_keys::TypedPiece;
use tablewright_model::condition::{Allowed, Condition, Operator, ValueKind, ValueSets};
use tablewright_model::model::{Access, Ends, Entity, FieldId, KeyTemplate};

use tablewright_descriptor::key_text::{KeyPiece, KeyText, Origin, SortTest, Tail};

/// The fields whose value is known when the request is made.
pub(crate) struct KnownValues {
    values: Vec<(FieldId, Origin)>,
    /// The fields whose one value `where` says: a key that holds it answers that part.
    said_by_where: Vec<FieldId>,
    /// What the pattern's `where` allows, as far as it is sets of values.
    pub(crate) sets: ValueSets,
}

impl KnownValues {
    /// From `by`, and from what `where` fixes to one value.
    pub(crate) fn of(access: &Access, entity: &Entity) -> Self {
        let mut values: Vec<(FieldId, Origin)> = access
            .by
            .iter()
            .filter_map(|known| {
                let id = entity.field_named(known.written.as_str())?;
                Some((id, Origin::Given(known.written.value.clone())))
            })
            .collect();
        let mut sets = match &access.condition {
            Some(condition) => sets_of_all(condition.condition.conjuncts(), entity),
            None => ValueSets::default(),
        };
        let mut said_by_where = Vec::new();
        let mut say = |id: FieldId, origin: Origin| {
            if !values.iter().any(|(known, _)| *known == id) {
                values.push((id, origin));
                said_by_where.push(id);
            }
        };
        for (name, allowed) in &sets.0 {
            if let (Allowed::OneOf(words), Some(id)) = (allowed, entity.field_named(name))
                && let [only] = words.as_slice()
            {
                say(id, Origin::Fixed(only.clone()));
            }
        }
        let parts = access
            .condition
            .iter()
            .flat_map(|written| written.condition.conjuncts());
        for (field, parameter) in parts.filter_map(parameter_of) {
            if let Some(id) = entity.field_named(field) {
                sets.narrow(field, Allowed::Present);
                say(id, Origin::Given(parameter.to_owned()));
            }
        }
        for known in &access.by {
            sets.narrow(known.written.as_str(), Allowed::Present);
        }
        if let Some(range) = &access.range {
            let name = &entity.fields[range.id.0].name.value;
            sets.narrow(name, Allowed::Present);
        }
        KnownValues {
            values,
            said_by_where,
            sets,
        }
    }

    pub(crate) fn get(&self, field: FieldId) -> Option<&Origin> {
        self.values
            .iter()
            .find(|(known, _)| *known == field)
            .map(|(_, origin)| origin)
    }

    /// Whether the value known of a field is just what a part of `where` asks for. A value the caller gives by itself
    /// says nothing about what `where` wants.
    pub(crate) fn says(&self, field: FieldId, part: &Condition, entity: &Entity) -> bool {
        let parameter = parameter_of(part).map(|(_, name)| name);
        self.said_by_where.contains(&field)
            && match self.get(field) {
                Some(Origin::Given(name)) => parameter == Some(name.as_str()),
                Some(Origin::Fixed(_)) => sets_of(part, entity).is_some(),
                _ => false,
            }
    }

    /// The piece of a template with its value, if it is known; shards need no value.
    pub(crate) fn piece(&self, template: &KeyTemplate, position: usize) -> Option<KeyPiece> {
        let typed = template.typed.pieces.get(position)?;
        match (typed, template.parts.get(position)?) {
            (TypedPiece::Literal(text), _) => Some(KeyPiece::Literal(text.clone())),
            (TypedPiece::Field { encodings, .. }, Some(field)) => {
                let origin = match (self.get(*field), encodings.shard) {
                    (Some(origin), _) => origin.clone(),
                    (None, Some(shards)) => Origin::EveryShard(shards),
                    (None, None) => return None,
                };
                Some(KeyPiece::Value {
                    typed: typed.clone(),
                    origin,
                })
            }
            _ => None,
        }
    }
}

/// The field and the name of a part of the form `field = :name`.
fn parameter_of(part: &Condition) -> Option<(&str, &str)> {
    match part {
        Condition::Compare {
            field,
            operator: Operator::Equal,
            value,
        } => match &value.kind {
            ValueKind::Parameter(name) => Some((field.name.as_str(), name.as_str())),
            _ => None,
        },
        _ => None,
    }
}

/// What a part of `where` allows, as sets of values.
pub(crate) fn sets_of(part: &Condition, entity: &Entity) -> Option<ValueSets> {
    let Some((field, words)) = others(part, entity) else {
        return ValueSets::of(part);
    };
    let mut sets = ValueSets::default();
    sets.narrow(field, Allowed::OneOf(words));
    Some(sets)
}

/// What some parts of a condition allow together, as far as it is sets of values.
pub(crate) fn sets_of_all(parts: &[Condition], entity: &Entity) -> ValueSets {
    let mut sets = ValueSets::default();
    for set in parts.iter().filter_map(|part| sets_of(part, entity)) {
        for (field, allowed) in set.0 {
            sets.narrow(&field, allowed);
        }
    }
    sets
}

/// The words left of an enum by `!=` or `not … =`. An attribute that is not there differs from every value, so the field must be required.
pub(crate) fn others<'c>(part: &'c Condition, entity: &Entity) -> Option<(&'c str, Vec<String>)> {
    let (field, value) = match part {
        Condition::Compare {
            field,
            operator: Operator::NotEqual,
            value,
        } => (field, value),
        Condition::Not(inner) => match inner.as_ref() {
            Condition::Compare {
                field,
                operator: Operator::Equal,
                value,
            } => (field, value),
            _ => return None,
        },
        _ => return None,
    };
    let declared = entity.field(entity.field_named(&field.name)?);
    let words = declared
        .kind()
        .words()
        .filter(|_| !declared.is_optional())?;
    let value = value.to_string();
    let is_word = words.contains(&value);
    let others = words.iter().filter(|word| **word != value).cloned();
    is_word.then(|| (field.name.as_str(), others.collect()))
}

/// The names of the two ends of a range, as the caller gives them.
pub(crate) fn end_names(field: &str) -> (String, String) {
    (format!("{field}_from"), format!("{field}_to"))
}

/// The test for a range at one piece of a sort template, the pieces before it filled.
pub(crate) fn range_test(
    template: &KeyTemplate,
    filled: Vec<KeyPiece>,
    position: usize,
    ends: Ends,
    number: bool,
) -> Option<SortTest> {
    let typed = template.typed.pieces.get(position)?.clone();
    let TypedPiece::Field {
        name, encodings, ..
    } = &typed
    else {
        return None;
    };
    let (from_name, to_name) = end_names(name);
    let at = |origin: String, tail: Tail| {
        let mut pieces = filled.clone();
        pieces.push(KeyPiece::Value {
            typed: typed.clone(),
            origin: Origin::Given(origin),
        });
        KeyText { pieces, tail }
    };
    // In a descending part the later value comes first, so the ends change places.
    let (ends, low_name, high_name) = if encodings.desc {
        let ends = match ends {
            Ends::Both => Ends::Both,
            Ends::From => Ends::Until,
            Ends::After => Ends::Before,
            Ends::Until => Ends::From,
            Ends::Before => Ends::After,
        };
        (ends, to_name, from_name)
    } else {
        (ends, from_name, to_name)
    };
    let one_ended = name.clone();
    if number {
        return Some(match ends {
            Ends::Both => SortTest::Between(at(low_name, Tail::Exact), at(high_name, Tail::Exact)),
            Ends::From => SortTest::AtLeast(at(one_ended, Tail::Exact)),
            Ends::After => SortTest::Above(at(one_ended, Tail::Exact)),
            Ends::Until => SortTest::AtMost(at(one_ended, Tail::Exact)),
            Ends::Before => SortTest::Below(at(one_ended, Tail::Exact)),
        });
    }
    let next = template
        .typed
        .pieces
        .get(position + 1)
        .map(|piece| match piece {
            TypedPiece::Literal(text) => {
                text.chars().next().and_then(successor).unwrap_or(char::MAX)
            }
            TypedPiece::Field { .. } => char::MAX,
        });
    // The last part of a key ends where its value ends; any other is followed by more text.
    let upto_and_with = next.map_or(Tail::Exact, Tail::Above);
    let beyond = Tail::Above(next.unwrap_or('$'));
    let below = if next.is_some() {
        Tail::Exact
    } else {
        Tail::JustBelow
    };
    let open = |tail: Tail| KeyText {
        pieces: filled.clone(),
        tail,
    };
    Some(match ends {
        Ends::Both => SortTest::Between(at(low_name, Tail::Exact), at(high_name, upto_and_with)),
        // Nothing before the value: nothing else can sort among it, and one comparison does.
        Ends::From if filled.is_empty() => SortTest::AtLeast(at(one_ended, Tail::Exact)),
        Ends::After if filled.is_empty() => SortTest::Above(at(one_ended, beyond)),
        Ends::Until if filled.is_empty() => SortTest::AtMost(at(one_ended, upto_and_with)),
        Ends::Before if filled.is_empty() => SortTest::Below(at(one_ended, Tail::Exact)),
        Ends::From => SortTest::Between(at(one_ended, Tail::Exact), open(Tail::AfterPrefix)),
        Ends::After => SortTest::Between(at(one_ended, beyond), open(Tail::AfterPrefix)),
        Ends::Until => SortTest::Between(open(Tail::Exact), at(one_ended, upto_and_with)),
        Ends::Before => SortTest::Between(open(Tail::Exact), at(one_ended, below)),
    })
}

fn successor(c: char) -> Option<char> {
    char::from_u32(u32::from(c) + 1)
}
