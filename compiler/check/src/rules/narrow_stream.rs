//! An event that the change stream does not carry.

use tablewright_model::Diagnostic;
use tablewright_model::model::{Entity, Event, FieldId, StreamView, Table, Trigger, TriggerKind};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "narrow-stream",
    code: "W13",
    severity: Error,
    group: Writes,
    summary: "an event that needs more than the table's change stream carries",
    why: "A change stream carries what its view says: the item before, the item after, both, or only the key. Whether a field has changed is seen from
both images; what was removed, from the old one; the details of a new item, from the new one. A narrower stream is read without any
error, and the event is never made, or made without its details. The view of a stream cannot be changed: it takes a new stream, and
what happened in between is not told.

`stream = \"new-and-old-images\"` has everything. It costs the same.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, event) in context.model.events.iter().enumerate() {
        let Some(trigger) = &event.trigger else {
            continue;
        };
        let entity = context.model.entity(trigger.entity);
        let table = context.table_of(trigger.entity);
        let Some(lack) = lack(event, trigger, entity, table) else {
            continue;
        };
        let subjects = [Subject::Event(position), Subject::Table(entity.table.0)];
        found.report(&subjects, finding(event, trigger, table, lack));
    }
}

fn finding(event: &Event, trigger: &Trigger, table: &Table, lack: Needs) -> Diagnostic {
    let carries = match table.stream.map(|stream| stream.value) {
        None => "has no change stream",
        Some(StreamView::KeysOnly) => "streams nothing but keys",
        Some(StreamView::NewImage) => "streams only the item after a change",
        Some(StreamView::OldImage) => "streams only the item before a change",
        Some(StreamView::NewAndOldImages) => "streams everything",
    };
    let diagnostic = RULE
        .at(
            trigger.written.content(),
            format!(
                "`{}` needs {}, and the table `{}` {carries}",
                event.name,
                lack.in_words(),
                table.name
            ),
        )
        .label("read from the stream")
        .help(format!(
            "stream = \"new-and-old-images\" in [table.{}]",
            table.name
        ));
    match &table.stream {
        Some(stream) => diagnostic.related(stream.span, "what it carries").fix(
            "stream both images",
            stream.span,
            "\"new-and-old-images\"",
        ),
        None => diagnostic.related(table.name.span, "the table"),
    }
}

/// What an event has to be given of a change.
#[derive(Clone, Copy)]
struct Needs {
    old: bool,
    new: bool,
}

impl Needs {
    fn in_words(self) -> &'static str {
        match (self.old, self.new) {
            (true, true) => "the item before and after the change",
            (true, false) => "the item before the change",
            (false, true) => "the item after the change",
            (false, false) => "to be told of the change",
        }
    }
}

/// What the event needs, if the stream of the table does not carry it.
fn lack(event: &Event, trigger: &Trigger, entity: &Entity, table: &Table) -> Option<Needs> {
    // Fields of the primary key can be read from the keys, which every stream carries.
    let beyond = |field: Option<FieldId>| field.is_none_or(|field| !entity.key.has(field));
    let beyond_the_key = |name: &str| beyond(entity.field_named(name));
    let tells = |before: bool| {
        let mut members = event.detail.iter();
        members.any(|member| member.before == before && beyond(member.field))
    };
    let conditions = event.condition.iter();
    let tests = conditions
        .flat_map(|condition| condition.condition.depends_on())
        .any(beyond_the_key);
    let reads = tells(false) || tests;
    let needs = match trigger.kind {
        TriggerKind::Insert => Needs {
            old: false,
            new: reads,
        },
        TriggerKind::Remove => Needs {
            old: reads,
            new: false,
        },
        TriggerKind::Change => Needs {
            old: trigger.field.is_some() || tells(true),
            new: trigger.field.is_some() || reads,
        },
    };
    let carried = match table.stream.map(|stream| stream.value) {
        None => return Some(needs),
        Some(StreamView::KeysOnly) => Needs {
            old: false,
            new: false,
        },
        Some(StreamView::OldImage) => Needs {
            old: true,
            new: false,
        },
        Some(StreamView::NewImage) => Needs {
            old: false,
            new: true,
        },
        Some(StreamView::NewAndOldImages) => return None,
    };
    (needs.old && !carried.old || needs.new && !carried.new).then_some(needs)
}
