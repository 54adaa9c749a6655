//! Access patterns.

use super::{Allow, Consistency, EntityId, FieldId, Request, Where};
use crate::span::{Span, Spanned, Text};

/// Something asked of the data or done with it.
#[derive(Debug, Clone)]
pub struct Access {
    /// Its name.
    pub name: Text,
    /// The question in words.
    pub ask: Option<Text>,
    /// What it does.
    pub verb: Verb,
    /// The fields the caller knows.
    pub by: Vec<Known>,
    /// What the caller bounds.
    pub range: Option<RangeOf>,
    /// A condition on the items, or of the write.
    pub condition: Option<Where>,
    /// Fields the caller may filter by in addition.
    pub refine: Vec<Known>,
    /// How many items a page looks at, at most, whatever a filter leaves of them.
    pub looks_at: Option<u64>,
    /// The order asked for.
    pub order: Option<Order>,
    /// Items a page, with its place when it was said.
    pub page: super::Setting<u64>,
    /// Only these fields; all when empty.
    pub fields: Vec<Known>,
    /// What a read may miss.
    pub consistency: super::Setting<Consistency>,
    /// The entity in which the write claims an idempotency key.
    pub idempotent: Option<EntityRef>,
    /// Reads whose answer decided that this write may be done.
    pub relies_on: Vec<Text>,
    /// Where it says that callers send it again when they hear nothing.
    pub retried: Option<Span>,
    /// Writes whose effect this read must show as soon as they are done.
    pub sees: Vec<Text>,
    /// The read for each of whose rows this one is asked.
    pub for_each: Option<Text>,
    /// The request as a person wrote it.
    pub by_hand: Option<ByHand>,
    /// The services that use it; empty for the model's own. [`super::Model::services_of`] gives the names.
    pub services: Vec<Text>,
    /// Requests a second.
    pub rate: Option<f64>,
    /// Items a request gives.
    pub returns: Option<u64>,
    /// The share of read items that pass the condition.
    pub keeps: Option<f64>,
    /// What one request may cost.
    pub budget: Option<Budget>,
    /// Of a batch that is written: what may be read to find a page of its items.
    pub finding_budget: Option<Budget>,
    /// Rules that may be broken here.
    pub allow: Vec<Allow>,
}

/// An entity and where it was named.
#[derive(Debug, Clone)]
pub struct EntityRef {
    /// As written.
    pub written: Text,
    /// The entity.
    pub id: EntityId,
}

/// A field the pattern names, resolved in its (first) entity.
#[derive(Debug, Clone)]
pub struct Known {
    /// As written.
    pub written: Text,
    /// The field.
    pub id: FieldId,
}

/// What a pattern does.
#[derive(Debug, Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "a model has thousands of verbs at most, and boxes would be in every reader's way"
)]
pub enum Verb {
    /// One item or nothing.
    Get(EntityRef),
    /// A page of items of one or several entities.
    List(Vec<EntityRef>),
    /// How many.
    Count(EntityRef),
    /// Items whose fields contain the caller's words.
    Search {
        /// Of what.
        entity: EntityRef,
        /// The fields to look in.
        matches: Vec<Known>,
    },
    /// A new item.
    Create(EntityRef),
    /// A change of an item.
    Update {
        /// Of what.
        entity: EntityRef,
        /// What changes.
        changes: FieldChanges,
    },
    /// The end of an item.
    Delete(EntityRef),
    /// Several actions, all or none.
    Transact(Vec<Action>),
    /// One action on many items, each for itself.
    Batch(Action),
}

/// The fields an update changes.
#[derive(Debug, Clone, Default)]
pub struct FieldChanges {
    /// Set to a value.
    pub set: Vec<Known>,
    /// Raised by a number.
    pub add: Vec<Known>,
}

/// One action of a transaction or a batch.
#[derive(Debug, Clone)]
pub struct Action {
    /// What it does.
    pub kind: ActionKind,
    /// To what.
    pub entity: EntityRef,
    /// Its name, where one entity occurs several times.
    pub name: Option<Text>,
    /// What an update changes.
    pub changes: FieldChanges,
    /// A condition of the action.
    pub condition: Option<Where>,
    /// Where it stands.
    pub span: Span,
}

/// The verbs of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// A new item.
    Create,
    /// A change.
    Update,
    /// The end of an item.
    Delete,
    /// A condition on an item that is not written.
    Check,
    /// Read the item.
    Get,
}

impl Verb {
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Verb::Get(_) => "get",
            Verb::List(_) => "list",
            Verb::Count(_) => "count",
            Verb::Search { .. } => "search",
            Verb::Create(_) => "create",
            Verb::Update { .. } => "update",
            Verb::Delete(_) => "delete",
            Verb::Transact(_) => "transact",
            Verb::Batch(_) => "batch",
        }
    }

    /// The entities it is about, as named.
    pub fn entities(&self) -> Vec<&EntityRef> {
        match self {
            Verb::Get(entity)
            | Verb::Count(entity)
            | Verb::Search { entity, .. }
            | Verb::Create(entity)
            | Verb::Update { entity, .. }
            | Verb::Delete(entity) => vec![entity],
            Verb::List(entities) => entities.iter().collect(),
            Verb::Transact(actions) => actions.iter().map(|action| &action.entity).collect(),
            Verb::Batch(action) => vec![&action.entity],
        }
    }

    /// The entity its fields belong to: the first.
    pub fn entity(&self) -> &EntityRef {
        let first = match self {
            Verb::Get(entity)
            | Verb::Count(entity)
            | Verb::Search { entity, .. }
            | Verb::Create(entity)
            | Verb::Update { entity, .. }
            | Verb::Delete(entity) => Some(entity),
            Verb::List(entities) => entities.first(),
            Verb::Transact(actions) => actions.first().map(|action| &action.entity),
            Verb::Batch(action) => Some(&action.entity),
        };
        first.expect("the resolver refuses a list or a transaction of nothing")
    }

    /// Whether it changes nothing.
    pub fn is_read(&self) -> bool {
        match self {
            Verb::Get(_) | Verb::List(_) | Verb::Count(_) | Verb::Search { .. } => true,
            Verb::Batch(action) => action.kind == ActionKind::Get,
            _ => false,
        }
    }

    /// The writes it makes: entity, kind and changed fields, one for each action.
    pub fn writes(&self) -> Vec<(ActionKind, &EntityRef, &FieldChanges)> {
        const NOTHING: &FieldChanges = &FieldChanges {
            set: Vec::new(),
            add: Vec::new(),
        };
        let of = |action: &'_ Action| {
            matches!(
                action.kind,
                ActionKind::Create | ActionKind::Update | ActionKind::Delete
            )
        };
        match self {
            Verb::Create(entity) => vec![(ActionKind::Create, entity, NOTHING)],
            Verb::Update { entity, changes } => vec![(ActionKind::Update, entity, changes)],
            Verb::Delete(entity) => vec![(ActionKind::Delete, entity, NOTHING)],
            Verb::Transact(actions) => actions
                .iter()
                .filter(|action| of(action))
                .map(|action| (action.kind, &action.entity, &action.changes))
                .collect(),
            Verb::Batch(action) if of(action) => {
                vec![(action.kind, &action.entity, &action.changes)]
            }
            _ => Vec::new(),
        }
    }
}

/// What the caller bounds, and how.
#[derive(Debug, Clone)]
pub struct RangeOf {
    /// As written.
    pub written: Text,
    /// The field.
    pub id: FieldId,
    /// Which ends.
    pub ends: Ends,
}

/// Which ends of a range the caller gives, and whether they are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// From one value to another, both included.
    Both,
    /// From a value on, included.
    From,
    /// After a value.
    After,
    /// Up to a value, included.
    Until,
    /// Before a value.
    Before,
}

/// The order asked for.
#[derive(Debug, Clone)]
pub struct Order {
    /// As written.
    pub written: Text,
    /// By what; empty for the key's own order.
    pub by: Vec<OrderBy>,
    /// Backwards, where only a direction is given.
    pub descending: bool,
}

/// One field of an order.
#[derive(Debug, Clone)]
pub struct OrderBy {
    /// The field.
    pub id: FieldId,
    /// Greatest first.
    pub descending: bool,
    /// Its characters.
    pub span: Span,
}

/// A request as a person wrote it, to be verified.
#[derive(Debug, Clone)]
pub struct ByHand {
    /// The operation.
    pub request: Option<Spanned<Request>>,
    /// The index that is asked.
    pub index: Option<(Text, super::IndexId)>,
    /// The key condition, or the condition of a write.
    pub condition: Option<Text>,
    /// The filter.
    pub filter: Option<Text>,
    /// What the `:values` are.
    pub values: Vec<HandValue>,
    /// What the `#names` are.
    pub names: Vec<(Text, Text)>,
    /// DynamoDB's `Limit`.
    pub limit: Option<Spanned<u64>>,
}

impl ByHand {
    /// The value of a placeholder such as `:pk`.
    pub fn value(&self, placeholder: &str) -> Option<&HandValue> {
        self.values
            .iter()
            .find(|value| value.name.value == placeholder)
    }

    /// The attribute a name of an expression means: itself, or what `#alias` stands for.
    pub fn attribute<'n>(&'n self, name: &'n str) -> &'n str {
        self.names
            .iter()
            .find(|(alias, _)| alias.value == name)
            .map_or(name, |(_, attribute)| &attribute.value)
    }
}

/// A value of an expression written by hand: a template over fields and parameters.
#[derive(Debug, Clone)]
pub struct HandValue {
    /// The placeholder, `:pk`.
    pub name: Text,
    /// Its template. A parameter stands in it with the type of its field.
    pub value: super::KeyTemplate,
}

/// What one request may cost.
#[derive(Debug, Clone)]
pub struct Budget {
    /// As written.
    pub written: Text,
    /// So many units.
    pub units: f64,
    /// Of which kind.
    pub kind: UnitKind,
}

/// Read or write capacity units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// Read capacity units.
    Read,
    /// Write capacity units.
    Write,
}
