//! What a proof found.

use tablewright_model::Model;
use tablewright_plan::{Answer, CostOf, Place, Plan, Via};

use crate::run::Settings;
use crate::{Few, Heat, Verdict};

/// What a proof of a model found.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// The model.
    pub model: String,
    /// The design it is of: [`tablewright_plan::fingerprint`].
    pub design: String,
    /// What it was made with.
    pub settings: Settings,
    /// Items in the small table, and in the large one.
    pub items_small: u64,
    /// Items in the large table.
    pub items_large: u64,
    /// The entities of which these are fewer than there were to be.
    pub few: Vec<Few>,
    /// Whether anything in the model ends: it was deleted before costs were measured.
    pub has_ttl: bool,
    /// Its patterns, in the order of the model.
    pub patterns: Vec<PatternProof>,
    /// The busiest partition of every table and index.
    pub heat: Vec<Heat>,
}

/// What was found of one pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternProof {
    /// Its name.
    pub pattern: String,
    /// Its question in words.
    pub ask: Option<String>,
    /// Whether it writes.
    pub is_write: bool,
    /// The request that answers it.
    pub request: String,
    /// What its costs are the costs of, and its budget is for.
    pub cost_of: CostOf,
    /// How many items a page of it looks at, at most, as the model says.
    pub looks_at: Option<u64>,
    /// With so many choices of values it was called, in each table.
    pub calls: u64,
    /// Items it gave in all.
    pub returned: u64,
    /// Items it should have given.
    pub expected: u64,
    /// Read units in the small table, of a batch those that find a page of its items: of the costliest call whose items are as large and as many as declared.
    pub rcu_small: Option<f64>,
    /// The same in the large table.
    pub rcu_large: Option<f64>,
    /// Read units of a full page of items as large as declared, in every shard it is read from: of what was asked for that in tables of its own.
    pub rcu_full: Option<f64>,
    /// What it costs more in the large table, and what excuses that; a pattern that failed has none.
    pub growth: Vec<Growth>,
    /// Write units of the costliest call, with every index.
    pub wcu: Option<f64>,
    /// What of them went to which table and index.
    pub shares: Vec<PlaceUnits>,
    /// What one request may cost, as declared.
    pub budget: Option<String>,
    /// Why it failed; none when it is proved.
    pub why: Option<String>,
}

/// A call that cost more in the large table, about which it had more to read.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// Read units in the small table.
    pub rcu_small: f64,
    /// Read units of the same call in the large one.
    pub rcu_large: f64,
    /// What excuses it.
    pub because: Because,
}

/// What excuses a cost that is greater in the large table.
#[derive(Debug, Clone, PartialEq)]
pub enum Because {
    /// A list of all there is has fuller pages.
    MoreToGive {
        /// What a page costs at most, where the plan knows it; about that, with a filter.
        planned: Option<f64>,
        /// Whether a filter drops some of what is read.
        is_filtered: bool,
    },
    /// A count reads what it counts.
    MoreToCount {
        /// So many in the large table.
        counted: u64,
        /// How many it counts at most, as declared.
        at_most: Option<u64>,
        /// What counting as many costs.
        planned: Option<f64>,
    },
    /// A batch finds more items, and writes as many.
    MoreToFind,
    /// Of whom it was asked about, the small table has nothing.
    SomebodyNew,
    /// A list of all there is, of which the caller wants so little that a page looks at as many items as the model says, and no more.
    LooksAtMore {
        /// How many, as declared.
        at_most: u64,
        /// What so many cost.
        planned: Option<f64>,
    },
}

impl Because {
    /// Whether it is the same reason, whatever the numbers.
    pub(crate) fn is_like(&self, other: &Because) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// Units that went to a table itself, or to an index of it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceUnits {
    /// The table.
    pub table: String,
    /// The index; none for the table itself.
    pub index: Option<String>,
    /// How many.
    pub units: f64,
}

impl PatternProof {
    /// Whether it is proved.
    pub fn passes(&self) -> bool {
        self.why.is_none()
    }
}

impl Proof {
    /// Whether every pattern is proved, and no partition is too busy.
    pub fn passes(&self) -> bool {
        self.patterns.iter().all(PatternProof::passes)
            && self.heat.iter().all(|heat| heat.verdict != Verdict::Hot)
    }

    /// How many patterns failed.
    pub fn failed(&self) -> usize {
        let patterns = self.patterns.iter();
        patterns.filter(|pattern| !pattern.passes()).count()
    }
}

/// The request that answers a pattern, in few words.
pub(crate) fn request_of(model: &Model, plan: &Plan) -> String {
    let place = |place: Place| {
        let table = model.table(place.table);
        match place.index {
            Some(index) => table.index(index).name.value.clone(),
            None => table.name.value.clone(),
        }
    };
    match &plan.answer {
        Answer::Read(read) => {
            let request = format!("{} {}", read.operation.as_str(), place(read.place));
            match &read.via {
                Via::Guard(guard) => format!("{request}, by the guard of {guard}"),
                Via::Counter { entity, .. } => {
                    format!("{request}, the counts in {}", model.entity(*entity).name)
                }
                Via::Key if read.requests > 1 => format!("{request}, {} shards", read.requests),
                Via::Key => request,
            }
        }
        Answer::Write(write) => {
            let items = match write.items.len() {
                1 => String::new(),
                several => format!(" of {several} items"),
            };
            let each = if write.each { ", for each" } else { "" };
            let first = write.finds.as_ref().map(|finds| match finds.requests {
                0 | 1 => format!("Query {}, then ", place(finds.place)),
                several => format!("Query {}, {several} shards, then ", place(finds.place)),
            });
            let first = first.unwrap_or_default();
            format!("{first}{}{items}{each}", write.operation.as_str())
        }
        Answer::ByHand(hand) => {
            format!("{} {}, by hand", hand.request.as_str(), place(hand.place))
        }
        Answer::Nothing(_) => "none".to_owned(),
    }
}
