//! The parent sorts after its children.

use tablewright_model::model::{EntityId, KeyTemplate, Verb};
use tablewright_plan::OrderGiven;

use crate::asked::Asked;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "parent-last",
    code: "R13",
    severity: Note,
    group: Reads,
    summary: "the parent sorts after its children in the collection",
    why: "A collection is read from one end, page by page. When the one item that the others belong to sorts behind them, it
comes on the last page: the order is not there until all of its thousand lines are read.

Read backwards with `order = \"desc\"`, or give the parent a sort key that sorts first. `#` sorts before letters and digits:
`#METADATA`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for asked in context.queries() {
        let (Verb::List(_), OrderGiven::Yes { backwards }) = (&asked.access.verb, asked.order)
        else {
            continue;
        };
        if asked.entities.len() < 2 {
            continue;
        }
        let sorts: Vec<(EntityId, &KeyTemplate)> = asked
            .entities
            .iter()
            .filter_map(|id| Some((*id, asked.sort_of(context, *id)?)))
            .collect();
        let (single, many): (Vec<_>, Vec<_>) = sorts
            .into_iter()
            .partition(|(id, sort)| is_single(context, &asked, *id, sort));
        for (id, parent) in single {
            let Some((child_id, child)) = many
                .iter()
                .find(|(_, child)| comes_after(parent, child, *backwards))
            else {
                continue;
            };
            let (name, child_name) = (
                &context.model.entity(id).name,
                &context.model.entity(*child_id).name,
            );
            let (other, way) = if *backwards {
                ("asc", "backwards")
            } else {
                ("desc", "forwards")
            };
            let prefix = parent.written.value.trim_start_matches('#');
            let sorts_first = if *backwards {
                String::new()
            } else {
                format!("; or give it a sort key that sorts first, as \"#{prefix}\"")
            };
            let diagnostic = RULE
                .at(
                    parent.written.content(),
                    format!(
                        "`{}` reads {way} and gives `{name}` after every `{child_name}`",
                        asked.access.name
                    ),
                )
                .label(format!("the one `{name}`"))
                .related(
                    child.written.content(),
                    format!("each `{child_name}` comes before it"),
                )
                .related(asked.access.name.content(), "read here")
                .help(format!(
                    "read the other way with `order = \"{other}\"`{sorts_first}"
                ));
            found.report(
                &[Subject::Access(asked.position), Subject::Entity(id.0)],
                diagnostic,
            );
        }
    }
}

/// Whether the collection holds one item of the entity: its sort key has nothing the caller does not know.
fn is_single(context: &Context<'_>, asked: &Asked<'_>, id: EntityId, sort: &KeyTemplate) -> bool {
    let mut fields = sort.parts.iter().flatten();
    fields.all(|field| asked.fixes(context, id, *field))
}

fn comes_after(parent: &KeyTemplate, child: &KeyTemplate, backwards: bool) -> bool {
    let (parent, child) = (
        parent.template.leading_literal(),
        child.template.leading_literal(),
    );
    let apart = !parent.starts_with(child) && !child.starts_with(parent);
    apart && (parent > child) != backwards
}
