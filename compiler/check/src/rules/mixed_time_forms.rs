//! Two forms of time in one key space.

use std::collections::HashMap;

use tablewright_keys::{Encodings, FieldRef, algebra};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::Field;

use crate::key_space::may_meet;
use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyRole, KeyUse};

rule! {
    name: "mixed-time-forms",
    code: "K07",
    severity: Error,
    group: Keys,
    summary: "two forms of time at the same place of one sort key",
    why: "Items of one partition are sorted together. Where one writes epoch seconds and the other milliseconds, or one
ISO-8601 and the other a number, all items of the one kind sort before all of the other, and a range over time gives one
kind only.

Give time one form within a sort key: the same type, with the same encodings, for every entity that shares it.",
}

/// A template that begins with a time, behind a fixed text.
struct Timed<'c, 'm> {
    key: &'c KeyUse<'m>,
    part: &'m FieldRef,
    field: &'m Field,
}

impl Timed<'_, '_> {
    fn form(&self) -> (&FieldType, Encodings) {
        (self.field.kind(), self.part.encodings)
    }

    fn written_form(&self) -> String {
        format!("{}{}", self.field.kind(), self.part.encodings)
    }
}

fn check(context: &Context<'_>, found: &mut Found) {
    let mut spaces: HashMap<_, Vec<Timed<'_, '_>>> = HashMap::new();
    for key in context.keys().filter(|key| key.role == KeyRole::Sort) {
        let index = match key.place {
            KeyPlace::Table => None,
            KeyPlace::Index(index) => Some(index),
            KeyPlace::Guard(_) => continue,
        };
        let Some((_, id, part)) = key.template.field_parts().next() else {
            continue;
        };
        let field = context.field(key.entity, id);
        if field.kind().is_time() && part.encodings.shard.is_none() {
            let table = context.model.entity(key.entity).table;
            let space = (table, index, key.template.prefix());
            let timed = Timed { key, part, field };
            spaces.entry(space).or_default().push(timed);
        }
    }
    for space in spaces.values() {
        let [first, rest @ ..] = space.as_slice() else {
            continue;
        };
        if rest.iter().all(|timed| timed.form() == first.form()) {
            continue;
        }
        for (position, timed) in space.iter().enumerate() {
            let earlier = space.iter().take(position);
            let other = earlier
                .filter(|other| other.form() != timed.form())
                .find(|other| share_a_partition(other.key, timed.key));
            if let Some(other) = other {
                report(context, timed, other, found);
            }
        }
    }
}

fn share_a_partition(a: &KeyUse<'_>, b: &KeyUse<'_>) -> bool {
    let (a, b) = (&a.key.partition, &b.key.partition);
    may_meet(a.prefix(), b.prefix()) && algebra::can_be_equal(&a.typed, &b.typed).is_some()
}

fn report(context: &Context<'_>, timed: &Timed<'_, '_>, other: &Timed<'_, '_>, found: &mut Found) {
    let (own, others) = (timed.written_form(), other.written_form());
    let diagnostic = RULE
        .at(
            timed.key.template.span_of(timed.part),
            format!(
                "`{}` is `{own}` in {} and `{}` is `{others}` in {}: in one partition they do not sort by time",
                timed.part.name,
                context.name_of(timed.key),
                other.part.name,
                context.name_of(other.key),
            ),
        )
        .label(format!("written as {own}"))
        .related(
            other.key.template.span_of(other.part),
            format!("written as {others}"),
        )
        .help(format!(
            "write both in one form: `{}` as `{others}`, or `{}` as `{own}`",
            timed.part.name, other.part.name
        ));
    let mut subjects = context.subjects_of(timed.key);
    subjects.extend(context.subjects_of(other.key));
    found.report(&subjects, diagnostic);
}
