//! Two designs of one thing side by side: what each pattern would have cost in the other.

use tablewright_model::Model;

use super::text::{money, units};
use super::{Bill, PatternBill, Prices, Units};
use crate::print::{Align, Columns};
use crate::{Answer, Plan, plan};
use serde_json::{Value, json};

/// The patterns two designs share, with what a month of each costs.
#[derive(Debug, Clone)]
pub struct Comparison {
    model: String,
    other: String,
    prices: Prices,
    rows: Vec<Row>,
    /// Patterns that only one of them has.
    alone: Vec<String>,
    /// Patterns that no key answers, in one design or the other.
    unanswered: Vec<String>,
}

/// One pattern in both designs.
#[derive(Debug, Clone)]
struct Row {
    pattern: String,
    here: Side,
    there: Side,
}

/// A pattern in one design.
#[derive(Debug, Clone)]
struct Side {
    request: String,
    bill: PatternBill,
}

/// Gives another design of the same thing the load of this one: how many items of entities of the same name there are, how often patterns of the same name are
/// asked and how many items they give. How large an item is belongs to the design: it is lent only where the other does not say.
pub fn lend_load(model: &Model, other: &mut Model) {
    for entity in &mut other.entities {
        let same = |own: &&tablewright_model::model::Entity| own.name.value == entity.name.value;
        if let Some(own) = model.entities.iter().find(same) {
            entity.facts.items = own.facts.items.or(entity.facts.items);
            entity.facts.size = entity.facts.size.or(own.facts.size);
        }
    }
    for access in &mut other.accesses {
        if let Some(own) = model.access(access.name.as_str()) {
            access.rate = own.rate.or(access.rate);
            access.returns = own.returns.or(access.returns);
        }
    }
}

impl Comparison {
    /// Holds a model against another, which has been lent the load of the first.
    pub fn of(model: &Model, other: &Model, prices: &Prices) -> Self {
        let (plans, other_plans) = (plan(model), plan(other));
        let bill = Bill::of(model, &plans, prices);
        let other_bill = Bill::of(other, &other_plans, prices);
        let mut rows = Vec::new();
        for (there, plan_there) in other_bill.patterns.iter().zip(&other_plans) {
            let mut here = bill.patterns.iter().zip(&plans);
            if let Some((here, plan_here)) = here.find(|(one, _)| one.pattern == there.pattern) {
                rows.push(Row {
                    pattern: there.pattern.clone(),
                    here: Side::new(here, plan_here),
                    there: Side::new(there, plan_there),
                });
            }
        }
        let mut alone = Vec::new();
        let names = |bill: &Bill| {
            bill.patterns
                .iter()
                .map(|one| one.pattern.clone())
                .collect::<Vec<_>>()
        };
        for (of, its, others) in [
            (&model.name, names(&bill), names(&other_bill)),
            (&other.name, names(&other_bill), names(&bill)),
        ] {
            let only: Vec<String> = its
                .into_iter()
                .filter(|name| !others.contains(name))
                .collect();
            if !only.is_empty() {
                alone.push(format!("only {of} has {}", only.join(", ")));
            }
        }
        let mut unanswered = Vec::new();
        for (of, plans) in [(&model.name, &plans), (&other.name, &other_plans)] {
            let open = plans
                .iter()
                .filter(|plan| matches!(plan.answer, Answer::Nothing(_)));
            unanswered.extend(open.map(|plan| format!("{} of {of}", plan.pattern)));
        }
        // The widest gaps first; what is not known comes last.
        rows.sort_by(|a, b| b.gap().total_cmp(&a.gap()));
        Comparison {
            model: model.name.value.clone(),
            other: other.name.value.clone(),
            prices: prices.clone(),
            rows,
            alone,
            unanswered,
        }
    }

    /// The patterns that no key answers, in one design or the other: `tasks_of_project of todo`.
    pub fn unanswered(&self) -> &[String] {
        &self.unanswered
    }

    /// A line for each pattern, the widest gap first.
    pub fn to_text(&self) -> String {
        use Align::{Left, Right};
        let mut columns = Columns::new(&[
            ("pattern", Left),
            (&self.model, Left),
            ("a month", Right),
            (&self.other, Left),
            ("a month", Right),
        ]);
        for row in &self.rows {
            columns.row(vec![
                row.pattern.clone(),
                row.here.request(),
                row.here.money(&self.prices),
                row.there.request(),
                row.there.money(&self.prices),
            ]);
        }
        let mut text = format!(
            "the same load on {} and on {}\n\n{}",
            self.model,
            self.other,
            columns.to_text()
        );
        if !self.alone.is_empty() {
            text.push_str(&format!("\nnot compared: {}\n", self.alone.join("; ")));
        }
        if !self.unanswered.is_empty() {
            text.push_str(&format!(
                "\nno key answers {}\n",
                self.unanswered.join(", ")
            ));
        }
        text
    }

    /// The comparison as JSON.
    pub fn to_json(&self) -> Value {
        let side = |side: &Side| {
            json!({
                "request": side.request,
                "rcu": side.bill.units().map(|units| units.reads),
                "wcu": side.bill.units().map(|units| units.writes),
                "a_month": side.bill.price,
            })
        };
        let rows = self.rows.iter().map(|row| {
            json!({ "pattern": row.pattern, "here": side(&row.here), "there": side(&row.there) })
        });
        json!({
            "model": self.model,
            "against": self.other,
            "patterns": rows.collect::<Vec<_>>(),
            "not_compared": self.alone,
            "unanswered": self.unanswered,
        })
    }
}

impl Row {
    fn gap(&self) -> f64 {
        match (self.here.bill.price, self.there.bill.price) {
            (Some(here), Some(there)) => there - here,
            _ => f64::NEG_INFINITY,
        }
    }
}

impl Side {
    fn new(bill: &PatternBill, plan: &Plan) -> Self {
        let request = match &plan.answer {
            Answer::Read(plan) => plan.operation.as_str(),
            Answer::Write(plan) => plan.operation.as_str(),
            Answer::ByHand(plan) => plan.request.as_str(),
            Answer::Nothing(_) => "none",
        };
        Side {
            request: request.to_owned(),
            bill: bill.clone(),
        }
    }

    fn request(&self) -> String {
        let used = self.bill.units().map(|used: Units| units(used));
        format!("{} {}", self.request, used.as_deref().unwrap_or("?"))
    }

    fn money(&self, prices: &Prices) -> String {
        match self.bill.price {
            Some(price) => money(prices, price),
            None => String::from("?"),
        }
    }
}
