//! An ordered enum sorted by its spelling.

use tablewright_plan::OrderGiven;

use crate::key_space::editable;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "enum-order",
    code: "K06",
    severity: Error,
    group: Keys,
    summary: "an ordered enum that sorts by its spelling where its order is asked for",
    why: "Keys sort by their text: `high`, `low`, `medium`, `urgent`. A list \"most urgent first\" then begins with `urgent`, goes on with
`medium` and ends with `high`. It looks plausible, and nobody notices until someone relies on it.

Put the position of the value into the key with `:rank`: `PRIORITY#{priority:rank}#{task_id}`. Items already stored need their key
written anew.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for asked in context.queries() {
        let (OrderGiven::BySpelling(field), Some(entity)) = (asked.order, asked.entities.first())
        else {
            continue;
        };
        let part = asked.sort_of(context, *entity).and_then(|template| {
            let part = template.field_parts().find(|(_, id, _)| id == field);
            part.map(|(_, _, part)| (template, part))
        });
        let Some((template, part)) = part else {
            continue;
        };
        let declared = context.field(*entity, *field);
        let words = declared.kind().words().unwrap_or_default();
        let mut spelled: Vec<&str> = words.iter().map(String::as_str).collect();
        spelled.sort_unstable();
        let ranked = format!("{{{}:rank{}}}", part.name, part.encodings);
        let mut diagnostic = RULE
            .at(
                template.span_of(part),
                format!(
                    "`{}` asks for the order of `{}`, and {} sorts it by spelling: {}",
                    asked.access.name,
                    part.name,
                    context.name_of_place(asked.place),
                    spelled.join(", ")
                ),
            )
            .label("sorts by spelling")
            .related(declared.written.content(), "the declared order");
        if let Some(order) = &asked.access.order {
            diagnostic = diagnostic.related(order.written.content(), "asked for here");
        }
        // Requests by hand spell the old form: what they give would have to change with the key.
        let by_hand = context
            .by_hand()
            .any(|(_, _, plan)| plan.place == asked.place);
        let by_hand_too = if by_hand {
            ", and in the values of requests by hand"
        } else {
            ""
        };
        diagnostic = diagnostic.help(format!(
            "write the position into the key: {ranked}{by_hand_too}"
        ));
        let place = editable(&template.written, part.span.clone());
        if let Some(span) = place.filter(|_| part.encodings.shard.is_none() && !by_hand) {
            diagnostic = diagnostic.fix("sort by the declared order", span, ranked);
        }
        let subjects = [Subject::Access(asked.position), Subject::Entity(entity.0)];
        found.report(&subjects, diagnostic);
    }
}
