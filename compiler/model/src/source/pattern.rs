//! `[access.…]`, `[relationship.…]` and `[event.…]` as written.

use schemars::JsonSchema;

use super::decode::{
    Decode, Decoder, Entries, Node, OneOrMany, Place, source_choice, source_table,
};
use crate::span::{Spanned, Text};

source_table! {
    /// Something asked of the data or done with it. Exactly one verb.
    pub struct AccessSource {
        /// The question, in words.
        pub ask: Option<Text>,
        /// Verb: the one item with these values, or nothing.
        pub get: Option<Text>,
        /// Verb: a page of items, of one entity or of several in one item collection.
        pub list: Option<OneOrMany<Text>>,
        /// Verb: how many.
        pub count: Option<Text>,
        /// Verb: items of a collection whose `match` fields contain the caller's words.
        pub search: Option<Text>,
        /// Verb: a new item, never over an old one.
        pub create: Option<Text>,
        /// Verb: a change of an item that is there.
        pub update: Option<Text>,
        /// Verb: the end of an item.
        pub delete: Option<Text>,
        /// Verb: several actions, all or none.
        pub transact: Option<Vec<ActionSource>>,
        /// Verb: one action on many items, each for itself.
        pub batch: Option<ActionSource>,
        /// The fields the caller knows.
        pub by: Vec<Text>,
        /// The field the caller bounds: `"due"`, `"due from"`, `"due after"`, `"due until"`, `"due before"`.
        pub range: Option<Text>,
        /// A condition on the items, or of the write.
        pub r#where: Option<Text>,
        /// Fields the caller may filter by in addition.
        pub refine: Vec<Text>,
        /// Of a list that filters, by `where` or `refine`: how many items a page looks at, at most. It may be shorter then, and its cursor goes on.
        pub looks_at: Option<Spanned<u64>>,
        /// The order: `"due"`, `"due desc"`, or `"desc"`.
        pub order: Option<Text>,
        /// Items a page; 20 unless said.
        pub page: Option<Spanned<u64>>,
        /// Only these fields.
        pub fields: Vec<Text>,
        /// With `search`: the fields to look in.
        pub r#match: Vec<Text>,
        /// Eventual unless said.
        pub consistency: Option<Spanned<Consistency>>,
        /// With `update`: the fields it may change.
        pub set: Vec<Text>,
        /// With `update`: the numbers it raises.
        pub add: Vec<Text>,
        /// The entity in which the write claims an idempotency key.
        pub idempotent: Option<Text>,
        /// Reads whose answer decided that this write may be done.
        pub relies_on: Vec<Text>,
        /// Callers send the write again when they hear nothing.
        pub retried: Option<Spanned<bool>>,
        /// Writes whose effect this read must show as soon as they are done.
        pub sees: Vec<Text>,
        /// The read whose rows this one is asked for, once for each of them; a batch is asked once for all.
        pub for_each: Option<Text>,
        /// By hand: the DynamoDB operation.
        pub request: Option<Spanned<Request>>,
        /// By hand: the index that is asked.
        pub index: Option<Text>,
        /// By hand: the key condition, or the condition of a write, in DynamoDB's syntax.
        pub condition: Option<Text>,
        /// By hand: the filter, in DynamoDB's syntax.
        pub filter: Option<Text>,
        /// By hand: what the `:values` of the expressions are, as key templates.
        pub values: Entries<Text>,
        /// By hand: what the `#names` of the expressions are.
        pub names: Entries<Text>,
        /// By hand: values that are not fields, each with the field whose type it has.
        pub params: Entries<Text>,
        /// By hand: DynamoDB's `Limit`, which counts before the filter.
        pub limit: Option<Spanned<u64>>,
        /// The services that use it, by name; the model's own service when left out.
        pub services: Option<Vec<Text>>,
        /// Requests a second.
        pub rate: Option<Spanned<f64>>,
        /// Items a request gives, typically.
        pub returns: Option<Spanned<u64>>,
        /// The share of the read items that pass the condition, 0 to 1.
        pub keeps: Option<Spanned<f64>>,
        /// What one request may cost: `"1 rcu"`, `"6 wcu"`.
        pub budget: Option<Text>,
        /// Rules that may be broken here, each with the reason.
        pub allow: Entries<Text>,
    }
}

source_table! {
    /// One action of a transaction or a batch. Exactly one verb.
    pub struct ActionSource {
        /// Verb: a new item.
        pub create: Option<Text>,
        /// Verb: a change of an item.
        pub update: Option<Text>,
        /// Verb: the end of an item.
        pub delete: Option<Text>,
        /// Verb, in a transaction: a condition on an item that is not written.
        pub check: Option<Text>,
        /// Verb, in a batch: read the item.
        pub get: Option<Text>,
        /// Its name, where a transaction has several actions on one entity.
        pub r#as: Option<Text>,
        /// The fields an update may change.
        pub set: Vec<Text>,
        /// The numbers an update raises.
        pub add: Vec<Text>,
        /// A condition of the action.
        pub r#where: Option<Text>,
    }
}

source_choice! {
    /// What a read may miss.
    pub enum Consistency {
        /// The last second's writes, perhaps; half the price.
        Eventual = "eventual",
        /// Nothing.
        Strong = "strong",
    }
}

source_choice! {
    /// A DynamoDB operation, where a pattern says it by hand.
    pub enum Request {
        /// One item by its key.
        GetItem = "GetItem",
        /// Items of one partition.
        Query = "Query",
        /// The whole table.
        Scan = "Scan",
        /// A whole item, over what is there.
        PutItem = "PutItem",
        /// Some attributes of an item.
        UpdateItem = "UpdateItem",
        /// The end of an item.
        DeleteItem = "DeleteItem",
        /// Many items by their keys.
        BatchGetItem = "BatchGetItem",
        /// Puts and deletes without conditions.
        BatchWriteItem = "BatchWriteItem",
        /// Several actions, all or none.
        TransactWriteItems = "TransactWriteItems",
    }
}

source_table! {
    /// How two entities belong together.
    pub struct RelationshipSource {
        /// The one side, or one of the many.
        pub from: Text,
        /// The other side; left out when a `field` holds it.
        pub to: Option<Text>,
        /// 1:1, 1:N or M:N.
        pub kind: Spanned<RelationshipKind>,
        /// How many there can be: a number, or `"unbounded"`.
        pub bound: Option<BoundSource>,
        /// How it is stored.
        pub strategy: Option<Spanned<Strategy>>,
        /// The field that holds the other side, for `embed` and `complex-attribute`.
        pub field: Option<Text>,
        /// The entity that stands for an M:N relationship.
        pub through: Option<Text>,
        /// The reason for the strategy.
        pub why: Option<Text>,
        /// Rules that may be broken here, each with the reason.
        pub allow: Entries<Text>,
    }
}

source_choice! {
    /// How many of each side.
    pub enum RelationshipKind {
        /// One to one.
        OneToOne = "1:1",
        /// One to many.
        OneToMany = "1:N",
        /// Many to many.
        ManyToMany = "M:N",
    }
}

source_choice! {
    /// How a relationship is stored.
    pub enum Strategy {
        /// In the same item.
        Embed = "embed",
        /// As a bounded list or map in the item.
        ComplexAttribute = "complex-attribute",
        /// As items that share a partition.
        ItemCollection = "item-collection",
        /// M:N as one item for each pair, its key made of both ids, with an index for the way back.
        AdjacencyList = "adjacency-list",
        /// M:N as an item for each link, with a key of its own, found from both sides through indexes.
        MaterialisedGraph = "materialised-graph",
        /// M:N by copying a few attributes of the one side into the other.
        ShallowDuplication = "shallow-duplication",
        /// By separate requests.
        Normalisation = "normalisation",
    }
}

/// A number, or `"unbounded"`.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum BoundSource {
    /// At most so many.
    AtMost(Spanned<u64>),
    /// `"unbounded"`
    Unbounded(Spanned<Unbounded>),
}

impl AccessSource {
    /// Whether its request is written by hand, or a part of it.
    pub(crate) fn is_by_hand(&self) -> bool {
        self.request.is_some()
            || self.index.is_some()
            || self.condition.is_some()
            || self.filter.is_some()
            || self.limit.is_some()
    }
}

source_choice! {
    /// The word for no limit.
    pub enum Unbounded {
        /// No limit.
        Unbounded = "unbounded",
    }
}

impl Decode for BoundSource {
    fn decode(node: &Node<'_>, place: Place<'_>, decoder: &mut Decoder<'_>) -> Option<Self> {
        if node.get_ref().is_integer() {
            Spanned::<u64>::decode(node, place, decoder).map(BoundSource::AtMost)
        } else {
            Spanned::<Unbounded>::decode(node, place, decoder).map(BoundSource::Unbounded)
        }
    }
}

source_table! {
    /// An event read from the change stream.
    pub struct EventSource {
        /// `insert E`, `change E`, `change E.field` or `remove E`.
        pub on: Option<Text>,
        /// Only when this holds of the new item.
        pub r#where: Option<Text>,
        /// What it carries: `field`, `name = field`, or `name = before.field` for the value before the change.
        pub detail: Vec<Text>,
        /// Which version of its detail this is; 1 unless said. Raise it when those who receive it must know.
        pub version: Option<Spanned<u64>>,
        /// What it tells, in a sentence.
        pub about: Option<Text>,
        /// The access pattern after which code publishes it by itself.
        pub after: Option<Text>,
        /// Rules that may be broken here, each with the reason.
        pub allow: Entries<Text>,
    }
}
