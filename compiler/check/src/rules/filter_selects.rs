//! The filter, not the key, does the selecting.

mod better_key;
mod refined;

use tablewright_model::Span;
use tablewright_model::condition::Condition;
use tablewright_model::model::{Access, EntityId, Verb};
use tablewright_plan::ReadPlan;
use tablewright_plan::hand::HandPlan;

use self::better_key::better_key;
use self::refined::without_a_bound;
use crate::asked::Origin;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "filter-selects",
    code: "R03",
    severity: Warning,
    group: Reads,
    summary: "the filter, not the key, does the selecting",
    why: "A filter is applied after the items are read: every item the key finds is billed, also those that are dropped. To show
the 20 open tasks among 10,000 done ones, DynamoDB reads all 10,020, page after page, more each month.

Put what selects into a key: as a part of an index key, or with `when` into a sparse index that holds only what is asked for. A filter
that drops little is fine: declare its share with `keeps`, from 0.5 on.

What callers may `refine` by is a filter, too, and a value of theirs, there or in `where`, may keep much less than is usual. Of somebody's items that is bounded by what they
have; of everybody's a page reads on until it is full, and where few items pass, that is all there are. Say with `looks_at` how many a page looks at: it
may be shorter then, and its cursor goes on. More than 1000 bounds something only where the entity's `items` says that there are more.",
}

/// From this share on a filter only tidies up.
const TIDIES: f64 = 0.5;

fn check(context: &Context<'_>, found: &mut Found) {
    for asked in context.queries() {
        let Some(entity) = asked.entities.first().copied() else {
            continue;
        };
        let selects = match &asked.origin {
            Origin::Planned(plan) => {
                filtered_by_plan(asked.access, plan).or_else(|| left_alone(asked.access))
            }
            Origin::ByHand(plan) => filtered_by_hand(context, asked.access, plan, entity),
        };
        let tidies = asked.access.keeps.is_some_and(|keeps| keeps >= TIDIES);
        let Some((fields, span)) = selects.filter(|_| !tidies) else {
            if let Some(diagnostic) = without_a_bound(context, &asked, entity) {
                found.report(&[Subject::Access(asked.position)], diagnostic);
            }
            continue;
        };
        let share = match asked.access.keeps {
            Some(keeps) => format!("of which it keeps {}%", (keeps * 100.0).round()),
            None => "however few it keeps".to_owned(),
        };
        let names: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
        let unless = match asked.access.keeps {
            None => "; or declare `keeps` if the filter drops little",
            Some(_) => "",
        };
        let (how, billed, when) = match asked.access.verb {
            Verb::Batch(_) => (
                "on the condition of its writes",
                "read, tried and billed",
                "tested at each write",
            ),
            _ => ("in a filter", "read and billed", "applied after reading"),
        };
        let diagnostic = RULE
            .at(
                span,
                format!(
                    "`{}` selects by {} {how}: every item the key finds is {billed}, {share}",
                    asked.access.name,
                    names.join(", ")
                ),
            )
            .label(when)
            .help(format!(
                "{}{unless}",
                better_key(context, &asked, entity, &fields)
            ));
        found.report(&[Subject::Access(asked.position)], diagnostic);
    }
}

fn filtered_by_plan(access: &Access, plan: &ReadPlan) -> Option<(Vec<String>, Span)> {
    if !matches!(access.verb, Verb::List(_) | Verb::Count(_)) {
        return None;
    }
    let condition = access.condition.as_ref()?;
    let fields: Vec<_> = plan.filter.iter().flat_map(Condition::fields).collect();
    let first = condition.written.at(fields.first()?.span.clone());
    Some((
        each_once(fields.iter().map(|field| field.name.as_str())),
        first,
    ))
}

/// The fields by which a batch leaves some of what it finds alone.
fn left_alone(access: &Access) -> Option<(Vec<String>, Span)> {
    let Verb::Batch(action) = &access.verb else {
        return None;
    };
    let condition = action.condition.as_ref()?;
    let fields = condition.condition.fields();
    let first = condition.written.at(fields.first()?.span.clone());
    let names = fields.iter().map(|field| field.name.as_str());
    Some((each_once(names), first))
}

/// The fields of a filter by hand, but not one that only leaves out what the TTL has ended.
fn filtered_by_hand(
    context: &Context<'_>,
    access: &Access,
    plan: &HandPlan,
    entity: EntityId,
) -> Option<(Vec<String>, Span)> {
    let by_hand = access.by_hand.as_ref()?;
    let (written, filter) = (by_hand.filter.as_ref()?, plan.filter.as_ref()?);
    let ttl = context
        .model
        .entity(entity)
        .ttl
        .as_ref()
        .map(|(name, _)| name.as_str());
    let mut paths = filter
        .paths()
        .filter(|path| Some(by_hand.attribute(&path.name.text)) != ttl)
        .peekable();
    let first = written.at(paths.peek()?.span.clone());
    let is_search = matches!(access.verb, Verb::Search { .. });
    let fields = each_once(paths.map(|path| by_hand.attribute(&path.name.text)));
    (!is_search).then_some((fields, first))
}

fn each_once<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut once: Vec<String> = Vec::new();
    for name in names {
        if !once.iter().any(|known| known == name) {
            once.push(name.to_owned());
        }
    }
    once
}
