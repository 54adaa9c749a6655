//! How a pattern is answered, in the words of the tables that list patterns.

mod read;
mod write;

use tablewright_model::Model;
use tablewright_model::model::{Access, EntityId, TableId};
use tablewright_plan::{Answer, Cost, CostOf, Place, Plan, cost_by_hand};

use crate::design::Design;
use crate::markdown::{Links, and, code, sentence, text, units};

/// A pattern as a row of a table. Cells are Markdown.
pub(crate) struct Request {
    /// What it gives or writes.
    pub(crate) entities: Vec<EntityId>,
    /// `Query`, `GetItem, then UpdateItem`.
    pub(crate) call: String,
    /// Where it reads, or the table of what it writes first.
    pub(crate) place: Place,
    /// Every table it touches: a transaction may write to several.
    tables: Vec<TableId>,
    /// The keys it asks or writes.
    pub(crate) keys: Vec<RequestKey>,
    /// What the caller gives, a line for each item it is given for.
    pub(crate) parameters: Vec<String>,
    /// What else is to be known, sentence by sentence.
    pub(crate) notes: Vec<String>,
    /// What it costs.
    pub(crate) cost: Option<Cost>,
    /// What it costs to read what it writes before it writes.
    pub(crate) first: Option<Cost>,
    /// What the cost is the cost of.
    pub(crate) cost_of: CostOf,
    /// The cost is the most it can be.
    pub(crate) at_most: bool,
}

/// A key of a request.
#[derive(PartialEq)]
pub(crate) struct RequestKey {
    /// What the transaction calls the item, where it has several of one entity.
    called: Option<String>,
    /// As DynamoDB reads it.
    pub(crate) condition: String,
}

impl From<String> for RequestKey {
    fn from(condition: String) -> Self {
        RequestKey {
            called: None,
            condition,
        }
    }
}

impl Request {
    pub(crate) fn of(model: &Model, access: &Access, plan: &Plan) -> Self {
        match &plan.answer {
            Answer::Read(read) => read::told(model, access, read),
            Answer::Write(write) => write::told(model, access, write),
            Answer::ByHand(hand) => Request {
                call: code(hand.request.as_str()),
                place: hand.place,
                tables: vec![hand.place.table],
                keys: access
                    .by_hand
                    .iter()
                    .filter_map(|by_hand| by_hand.condition.as_ref())
                    .map(|condition| condition.value.clone().into())
                    .collect(),
                notes: vec![String::from("The request is written by hand.")],
                cost: cost_by_hand(model, access, hand),
                ..Request::empty(model, access)
            },
            Answer::Nothing(nothing) => Request {
                call: String::from("none"),
                notes: nothing
                    .misfits
                    .iter()
                    .map(|misfit| {
                        // Its backticks are meant.
                        sentence(&misfit.to_text(model, nothing.entity))
                    })
                    .collect(),
                ..Request::empty(model, access)
            },
        }
    }

    fn empty(model: &Model, access: &Access) -> Self {
        let entities = access.verb.entities().into_iter().map(|one| one.id);
        let table = model.entity(access.verb.entity().id).table;
        let by = access.by.iter().map(|by| code(by.written.as_str()));
        let by: Vec<String> = by.collect();
        Request {
            entities: distinct(entities),
            call: String::new(),
            place: Place { table, index: None },
            tables: vec![table],
            keys: Vec::new(),
            parameters: vec![by.join(", ")],
            notes: Vec::new(),
            cost: None,
            first: None,
            cost_of: CostOf::of(access),
            at_most: false,
        }
    }

    /// The keys in one cell.
    pub(crate) fn key_cell(&self) -> String {
        let keys = self.keys.iter().map(|key| match &key.called {
            Some(name) => format!("{}: {}", text(name), code(&key.condition)),
            None => code(&key.condition),
        });
        let keys: Vec<String> = keys.collect();
        if keys.is_empty() {
            return String::from("no key answers it");
        }
        keys.join("<br>")
    }

    /// What the caller gives in one cell.
    pub(crate) fn parameter_cell(&self) -> String {
        self.parameters.join("<br>")
    }

    /// The names of its entities in one cell.
    pub(crate) fn entity_cell(&self, model: &Model) -> String {
        let names = self
            .entities
            .iter()
            .map(|id| model.entity(*id).name.as_str());
        names.collect::<Vec<_>>().join(", ")
    }

    /// What it is planned to cost.
    pub(crate) fn planned(&self) -> String {
        let Some(cost) = &self.cost else {
            return String::from("unknown");
        };
        let each = match self.cost_of {
            CostOf::Request | CostOf::Page => String::new(),
            other => format!(" {other}"),
        };
        let first = self.first.as_ref().map(|first| match first.units {
            Some(known) => format!(" + {}", units(known, first.kind)),
            None => format!(" + at least {}", units(first.at_least, first.kind)),
        });
        let first = first.unwrap_or_default();
        match cost.units {
            Some(known) if self.at_most => {
                format!("at most {}{first}{each}", units(known, cost.kind))
            }
            Some(known) => format!("{}{first}{each}", units(known, cost.kind)),
            None => format!("at least {}{first}{each}", units(cost.at_least, cost.kind)),
        }
    }

    /// How that comes about.
    pub(crate) fn formula(&self) -> Option<String> {
        let cost = self.cost.as_ref()?;
        Some(match &self.first {
            Some(first) => format!("{}; read first: {}", cost.formula, first.formula),
            None => cost.formula.clone(),
        })
    }
}

/// The question a pattern answers and its name, as the first thing of a row.
pub(crate) fn question(access: &Access, links: &Links<'_>) -> String {
    let name = links.pattern(access.name.as_str());
    match &access.ask {
        Some(ask) => format!("{} ({name})", text(ask.as_str())),
        None => name,
    }
}

/// The table of patterns with their requests: pattern, API call, key condition, notes. The one table of a model
/// needs no name, and on the chart of an index neither does the index.
pub(crate) fn mapping(
    design: &Design<'_>,
    patterns: &[(&Access, &Plan)],
    page_is_of: Option<Place>,
    links: &Links<'_>,
) -> Vec<Vec<String>> {
    let model = design.model;
    let several = model.tables.len() > 1;
    patterns
        .iter()
        .map(|(access, plan)| {
            let request = Request::of(model, access, plan);
            let tables = request.tables.iter();
            let tables: Vec<String> = tables
                .map(|id| code(model.table(*id).name.as_str()))
                .collect();
            let place = Some(request.place).filter(|place| page_is_of != Some(*place));
            let index = place.and_then(|place| {
                let index = model.table(place.table).index(place.index?);
                Some(code(index.name.as_str()))
            });
            let call = &request.call;
            let call = match (index, several) {
                (Some(index), true) => format!("{call} on {index} of {}", and(&tables)),
                (Some(index), false) => format!("{call} on {index}"),
                (None, true) => format!("{call} on {}", and(&tables)),
                (None, false) => call.clone(),
            };
            vec![
                question(access, links),
                call,
                request.key_cell(),
                request.notes.join(" "),
            ]
        })
        .collect()
}

/// The columns of [`mapping`].
pub(crate) const MAPPING: &[&str] = &["Access pattern", "API call", "Key condition", "Notes"];

/// Each once, in the order in which they come.
fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for one in all {
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    seen
}
