//! An event published beside a write.

use tablewright_model::model::{Access, ActionKind, FieldChanges};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "dual-write-event",
    code: "W09",
    severity: Warning,
    group: Writes,
    summary: "an event published beside a write instead of from the change stream",
    why: "The write and the event are two requests to two services. When the process ends between them, the item is there and nobody is told; when
the event goes first and the write fails, everybody is told of something that never was. No retry closes the gap.

Read the event from the table's change stream with `on`: the change record is there if and only if the write was.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, event) in context.model.events.iter().enumerate() {
        let Some(after) = &event.after else {
            continue;
        };
        let mut diagnostic = RULE
            .at(
                after.content(),
                format!(
                    "`{}` is published after `{after}`, in a request of its own: a write without its event, or an event without its write, is possible",
                    event.name
                ),
            )
            .label("two writes that can part");
        let Some((_, access, _)) = context.access(after.as_str()) else {
            continue;
        };
        diagnostic = diagnostic.related(access.name.span, "the write");
        let help = match trigger(access) {
            Some(trigger) => format!(
                "write instead of `after`: on = \"{trigger}\"{}",
                stream(context, access)
            ),
            None => format!(
                "`{after}` writes nothing: say what makes it happen, as in on = \"insert Task\""
            ),
        };
        found.report(&[Subject::Event(position)], diagnostic.help(help));
    }
}

/// The change of the stream that stands for the write of a pattern.
fn trigger(access: &Access) -> Option<String> {
    let writes = access.verb.writes();
    let (kind, entity, changes) = writes.first()?;
    let entity = &entity.written;
    Some(match kind {
        ActionKind::Create => format!("insert {entity}"),
        ActionKind::Delete => format!("remove {entity}"),
        _ => match first_change(changes) {
            Some(field) => format!("change {entity}.{field}"),
            None => format!("change {entity}"),
        },
    })
}

fn first_change(changes: &FieldChanges) -> Option<&str> {
    let known = changes.set.iter().chain(&changes.add).next()?;
    Some(known.written.as_str())
}

/// What the table lacks for it.
fn stream(context: &Context<'_>, access: &Access) -> String {
    let writes = access.verb.writes();
    let table = writes
        .first()
        .map(|(_, entity, _)| context.table_of(entity.id));
    match table {
        Some(table) if table.stream.is_none() => {
            format!(
                ", and give [table.{}] a stream: stream = \"new-and-old-images\"",
                table.name
            )
        }
        _ => String::new(),
    }
}
