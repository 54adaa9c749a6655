//! Plans as people read them.

mod key_condition;
mod misfit;

use std::fmt::Write as _;

use tablewright_model::Model;
use tablewright_model::model::{Access, ActionKind, Consistency, UnitKind, Verb};

use crate::hand::HandPlan;
use crate::order::OrderGiven;
use crate::print::exact as number;
use crate::read::{NoAnswer, Place, ReadPlan, Via};
use crate::write::{IndexEntries, ItemRole, ItemWrite, WritePlan};
use crate::{Answer, Cost, CostOf, Plan, cost_by_hand};

/// `todo-app-data`, or `GSI1 of todo-app-data`.
pub(crate) fn place(model: &Model, place: Place) -> String {
    let table = model.table(place.table);
    match place.index {
        None => table.name.value.clone(),
        Some(index) => format!("{} of {}", table.index(index).name, table.name),
    }
}

impl Plan {
    /// The plan, a line for each thing it says.
    pub fn to_text(&self, model: &Model) -> String {
        let mut text = self.pattern.clone();
        text.push('\n');
        let access = self.access(model);
        if let Some(ask) = access.and_then(|access| access.ask.as_ref()) {
            let _ = writeln!(text, "  {ask}");
        }
        let lines = match &self.answer {
            Answer::Read(plan) => read(model, access, plan),
            Answer::Write(plan) => write(model, access, plan),
            Answer::ByHand(plan) => by_hand(model, access, plan),
            Answer::Nothing(plan) => nothing(model, plan),
        };
        for (name, value) in lines {
            let _ = writeln!(text, "  {name:<9} {value}");
        }
        text
    }
}

type Lines = Vec<(&'static str, String)>;

fn read(model: &Model, access: Option<&Access>, plan: &ReadPlan) -> Lines {
    let mut request = format!(
        "{} on {}",
        plan.operation.as_str(),
        place(model, plan.place)
    );
    match &plan.via {
        Via::Key => {}
        Via::Guard(name) => {
            let _ = write!(
                request,
                ", the guard of {name}; then GetItem of what it guards"
            );
        }
        Via::Counter { entity, counter } => {
            let _ = write!(
                request,
                ", the counter {counter} of {}",
                model.entity(*entity).name
            );
        }
    }
    let mut lines = vec![("request", request), ("key", plan.key_condition(model))];
    lines.extend(plan.bound_told().map(|told| ("up to", told)));
    if plan.requests > 1 && plan.via == Via::Key {
        lines.push((
            "requests",
            match plan.page {
                Some(_) => format!("{}, merged in order", plan.requests),
                None => format!("{}, added up", plan.requests),
            },
        ));
    }
    if !plan.filter.is_empty() {
        let parts: Vec<String> = plan.filter.iter().map(ToString::to_string).collect();
        lines.push(("filter", parts.join(" and ")));
    }
    if let Some(Verb::Search { matches, .. }) = access.map(|access| &access.verb) {
        let names: Vec<&str> = matches.iter().map(|known| known.written.as_str()).collect();
        lines.push((
            "match",
            format!("the caller's words in {}", names.join(", ")),
        ));
    }
    if !plan.refine.is_empty() {
        let names: Vec<&str> = plan
            .refine
            .iter()
            .map(|known| known.written.as_str())
            .collect();
        lines.push((
            "refine",
            format!("{}, if the caller likes", names.join(", ")),
        ));
    }
    if !plan.fields.is_empty() {
        let names: Vec<&str> = plan
            .fields
            .iter()
            .map(|known| known.written.as_str())
            .collect();
        lines.push(("fields", names.join(", ")));
    }
    match &plan.order {
        OrderGiven::Yes { backwards: true } => lines.push(("order", "backwards".to_owned())),
        OrderGiven::Yes { backwards: false } => {}
        OrderGiven::No(_) | OrderGiven::BySpelling(_) => {
            lines.push(("order", "not given by the key".to_owned()))
        }
    }
    if let Some(page) = plan.page {
        lines.push(("page", page.to_string()));
    }
    if let (Some(most), Some(cost)) = (plan.looks_at, &plan.at_most) {
        let items = format!("{most} items at most, whatever a filter leaves of them");
        lines.push(("looks at", format!("{items}: about {}", priced(cost, ""))));
    }
    if plan.consistency == Consistency::Strong {
        lines.push(("reads", "strongly consistent".to_owned()));
    }
    for entity in plan.entities.iter().map(|entity| model.entity(*entity)) {
        if let (Some((ttl, _)), Via::Key | Via::Guard(_)) = (&entity.ttl, &plan.via) {
            lines.push((
                "expired",
                format!("{} past its {ttl} is left out", entity.name),
            ));
        }
    }
    lines.push(("cost", told(&plan.cost, access)));
    lines
}

/// A cost with its formula, what it is the cost of, and what is missing.
fn told(cost: &Cost, access: Option<&Access>) -> String {
    let of = access.map(|access| CostOf::of(access).note());
    priced(cost, &of.unwrap_or_default())
}

fn priced(cost: &Cost, of: &str) -> String {
    let unit = match cost.kind {
        UnitKind::Read => "rcu",
        UnitKind::Write => "wcu",
    };
    let formula = &cost.formula;
    match cost.units {
        Some(units) => format!("{} {unit} = {formula}{of}", number(units)),
        None => {
            let lacks = cost.lacks.join(" and ");
            format!("{formula} {unit}{of}; declare {lacks}")
        }
    }
}

fn write(model: &Model, access: Option<&Access>, plan: &WritePlan) -> Lines {
    let mut lines = Vec::new();
    if let Some(finds) = &plan.finds {
        let shards = match finds.requests {
            0 | 1 => String::new(),
            several => format!(", {several} requests"),
        };
        lines.push((
            "first",
            format!(
                "Query on {} for the items, page by page{shards}",
                place(model, finds.place)
            ),
        ));
        lines.push(("key", finds.key_condition(model)));
        lines.extend(finds.bound_told().map(|told| ("up to", told)));
        let page = finds.page.unwrap_or(1);
        let of = format!(", for every {page} items it finds");
        lines.push(("finds", priced(&finds.cost, &of)));
    }
    if plan.reads_first {
        let changes = plan
            .items
            .iter()
            .any(|item| item.kind == ActionKind::Update && item.role == ItemRole::Named);
        let first = if changes {
            "GetItem; the change is applied to what was read"
        } else {
            "GetItem, for its version and what belongs to it"
        };
        lines.push(("first", first.to_owned()));
    }
    if let Some(cost) = plan.first_read(model) {
        let of = if plan.each { ", for each item" } else { "" };
        lines.push(("reads", priced(&cost, of)));
    }
    let each = if plan.each { " for each item" } else { "" };
    lines.push(("request", format!("{}{each}", plan.operation.as_str())));
    for item in &plan.items {
        lines.push(("item", item_line(model, item)));
    }
    lines.push(("cost", told(&plan.cost, access)));
    lines
}

fn item_line(model: &Model, item: &ItemWrite) -> String {
    let verb = match item.kind {
        ActionKind::Create => "put",
        ActionKind::Update => "update",
        ActionKind::Delete => "delete",
        ActionKind::Check => "check",
        ActionKind::Get => "get",
    };
    let entity = &model.entity(item.entity).name;
    let mut line = match &item.role {
        ItemRole::Named => match &item.name {
            Some(name) => format!("{verb} {entity}, the {name},"),
            None => format!("{verb} {entity}"),
        },
        ItemRole::Guard(name) => format!("{verb} the guard of {entity}.{name}"),
        ItemRole::Counter => format!("{verb} the counts in {entity}"),
        ItemRole::Claim => format!("{verb} the claim {entity}"),
    };
    if item.counts && item.role == ItemRole::Named {
        line.push_str(", with its counts,");
    }
    if !item.conditions.is_empty() {
        let _ = write!(line, " if {}", item.conditions.join(" and "));
    }
    let written = names_of_dearest(&item.indexes);
    let others = item.indexes.iter();
    let others: Vec<&str> = others
        .filter(|entries| entries.dearest == 0 && entries.most > 0)
        .map(|entries| entries.index.as_str())
        .collect();
    if !written.is_empty() {
        let _ = write!(line, "; indexes {}", written.join(", "));
    }
    // An item is in these, or in those.
    if !others.is_empty() {
        let _ = write!(line, "; or instead {}", others.join(", "));
    }
    let first = item.begins.as_deref().map(names_of_dearest);
    if let Some(first) = first.filter(|first| *first != written) {
        let _ = write!(line, "; with the first count, indexes {}", first.join(", "));
    }
    line
}

fn names_of_dearest(indexes: &[IndexEntries]) -> Vec<String> {
    let written = indexes.iter().filter(|entries| entries.dearest > 0);
    let names = written.map(|entries| match entries.dearest {
        1 => entries.index.clone(),
        several => format!("{} ×{several}", entries.index),
    });
    names.collect()
}

fn by_hand(model: &Model, access: Option<&Access>, plan: &HandPlan) -> Lines {
    let mut lines = vec![(
        "request",
        format!(
            "{} on {}, written by hand",
            plan.request.as_str(),
            place(model, plan.place)
        ),
    )];
    let by_hand = access.and_then(|access| access.by_hand.as_ref());
    if let Some(condition) = by_hand.and_then(|by_hand| by_hand.condition.as_ref()) {
        lines.push(("condition", condition.value.clone()));
    }
    if let Some(filter) = by_hand.and_then(|by_hand| by_hand.filter.as_ref()) {
        lines.push(("filter", filter.value.clone()));
    }
    if let Some(cost) = access.and_then(|access| cost_by_hand(model, access, plan)) {
        lines.push(("cost", told(&cost, access)));
    }
    lines
}

fn nothing(model: &Model, plan: &NoAnswer) -> Lines {
    let mut lines = vec![("request", "none: no key answers it".to_owned())];
    for misfit in &plan.misfits {
        lines.push(("because", misfit.to_text(model, plan.entity)));
    }
    if let Some(suggestion) = &plan.suggestion {
        lines.push(("would", suggestion.to_string()));
    }
    lines
}
