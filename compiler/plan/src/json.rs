//! Plans as JSON.

use serde_json::{Value, json};
use tablewright_model::Model;
use tablewright_model::model::UnitKind;

use crate::order::OrderGiven;
use crate::{Answer, Cost, CostOf, Plan, cost_by_hand, text};

impl Plan {
    /// The plan as JSON: `pattern`, `request`, and what belongs to it.
    pub fn to_json(&self, model: &Model) -> Value {
        let mut value = match &self.answer {
            Answer::Read(plan) => json!({
                "request": plan.operation.as_str(),
                "table": model.table(plan.place.table).name.as_str(),
                "index": plan.place.index.map(|index| model.table(plan.place.table).index(index).name.value.clone()),
                "key_condition": plan.key_condition(model),
                "filter": plan.filter.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "backwards": plan.order == OrderGiven::Yes { backwards: true },
                "order_given": plan.order.is_given(),
                "page": plan.page,
                "looks_at": plan.looks_at,
                "cost_at_most": plan.at_most.as_ref().map(cost),
                "requests": plan.requests,
                "consistency": plan.consistency.as_str(),
                "cost": cost(&plan.cost),
            }),
            Answer::Write(plan) => json!({
                "request": plan.operation.as_str(),
                "items": plan.items.iter().map(|item| json!({
                    "entity": model.entity(item.entity).name.as_str(),
                    "name": item.name,
                    "conditions": item.conditions,
                })).collect::<Vec<_>>(),
                "finds": plan.finds.as_ref().map(|finds| json!({
                    "request": finds.operation.as_str(),
                    "table": model.table(finds.place.table).name.as_str(),
                    "index": finds.place.index.map(|index| model.table(finds.place.table).index(index).name.value.clone()),
                    "key_condition": finds.key_condition(model),
                    "requests": finds.requests,
                    "cost": cost(&finds.cost),
                })),
                "reads_first": plan.reads_first,
                "first_read": plan.first_read(model).as_ref().map(cost),
                "each": plan.each,
                "cost": cost(&plan.cost),
            }),
            Answer::ByHand(plan) => json!({
                "request": plan.request.as_str(),
                "by_hand": true,
                "place": text::place(model, plan.place),
                "cost": self.access(model)
                    .and_then(|access| cost_by_hand(model, access, plan))
                    .map(|of_hand| cost(&of_hand)),
            }),
            Answer::Nothing(plan) => json!({
                "request": null,
                "because": plan.misfits.iter().map(|misfit| misfit.to_text(model, plan.entity)).collect::<Vec<_>>(),
                "would": plan.suggestion.as_ref().map(ToString::to_string),
            }),
        };
        value["pattern"] = json!(self.pattern);
        if let (Some(access), Some(cost)) = (self.access(model), value.get_mut("cost"))
            && cost.is_object()
        {
            cost["of"] = json!(CostOf::of(access).to_string());
        }
        value
    }
}

fn cost(cost: &Cost) -> Value {
    json!({
        "kind": match cost.kind { UnitKind::Read => "rcu", UnitKind::Write => "wcu" },
        "units": cost.units,
        "formula": cost.formula,
        "lacks": cost.lacks,
    })
}
