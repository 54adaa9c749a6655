//! What is read from a change stream: changes and events.

use proc_macro2::TokenStream;
use quote::quote;
use tablewright_model::model::{Entity, Event, Field};

use super::context::Context;
use super::describe;
use super::fields::{self, Defaults};
use super::format::{doc, docs, prose};
use super::names::{Scope, known_ident};
use crate::EmitError;

/// The changes of all entities whose table has a stream.
pub(super) fn changes(
    cx: &Context<'_>,
    types: &mut Scope,
) -> Result<Option<TokenStream>, EmitError> {
    let streamed = |entity: &&Entity| cx.model.table(entity.table).stream.is_some();
    let entities: Vec<&Entity> = cx.model.entities.iter().filter(streamed).collect();
    if entities.is_empty() {
        return Ok(None);
    }
    let name = format!("{}Change", cx.model_type());
    types.take(&name, "a change of an item")?;
    let name = known_ident(&name);
    let variants: Vec<_> = entities
        .iter()
        .map(|entity| known_ident(entity.name.as_str()))
        .collect();
    let stored: Vec<_> = entities.iter().map(|entity| cx.stored(entity)).collect();
    let abouts = variants
        .iter()
        .map(|entity| doc(&format!("Of {}.", describe::a(&entity.to_string()))));
    Ok(Some(quote! {
        /// A change of an item, read from a change stream.
        #[derive(Debug, Clone, PartialEq)]
        #[allow(
                clippy::large_enum_variant,
                reason = "it is looked at and let go; boxes would be in every reader's way"
            )]
        pub enum #name {
            #(#abouts #variants(lib_Changed<#stored>)),*
        }

        tablewright::changes!(#name { #(#variants(#stored)),* });
    }))
}

/// A struct for each event, and one type for them all.
pub(super) fn events(
    cx: &Context<'_>,
    types: &mut Scope,
    defaults: &mut Defaults,
) -> Result<Vec<TokenStream>, EmitError> {
    let mut items = Vec::new();
    let mut variants = Vec::new();
    let mut abouts = Vec::new();
    let mut entities = Vec::new();
    for event in &cx.model.events {
        let Some(trigger) = &event.trigger else {
            continue;
        };
        types.take(event.name.as_str(), &format!("the event {}", event.name))?;
        let name = known_ident(event.name.as_str());
        let entity = cx.entity(trigger.entity);
        let detail = detail(entity, event);
        let members = fields::carried(cx, defaults, entity.name.as_str(), &detail)?;
        let mut about = format!("Happens on `{}`", trigger.written);
        if let Some(condition) = &event.condition {
            about.push_str(&format!(" where `{}`", condition.written));
        }
        about.push('.');
        items.push(fields::structure(&name, &doc(&about), &members)?);
        abouts.push(docs(prose(&about)));
        variants.push(name);
        entities.push(known_ident(entity.name.as_str()));
    }
    if variants.is_empty() {
        return Ok(items);
    }
    let name = format!("{}Event", cx.model_type());
    types.take(&name, "an event")?;
    let name = known_ident(&name);
    items.push(quote! {
        /// Something that happened, read from a change stream.
        #[derive(Debug, Clone, PartialEq, lib_Serialize, lib_Deserialize, lib_JsonSchema)]
        #[serde(tag = "type", content = "detail")]
        pub enum #name {
            #(#abouts #variants(#variants)),*
        }

        tablewright::events!(#name, SCHEMA { #(#variants(#entities)),* });
    });
    Ok(items)
}

/// A member of what an event carries.
#[derive(Clone, Copy)]
pub(crate) struct Carried<'m> {
    pub(crate) name: &'m str,
    pub(crate) field: &'m Field,
    /// Whether its value is that before the change.
    pub(crate) before: bool,
}

/// What is said of a value that is no more.
pub(crate) const BEFORE: &str = "As it was before the change.";

impl Carried<'_> {
    /// What it holds, given what its field does.
    pub(crate) fn about(&self, field: String) -> String {
        match self.before {
            true => format!("{field} {BEFORE}"),
            false => field,
        }
    }
}

/// What an event carries.
pub(crate) fn detail<'m>(entity: &'m Entity, event: &'m Event) -> Vec<Carried<'m>> {
    let members = event.detail.iter();
    members
        .filter_map(|member| {
            Some(Carried {
                name: &member.name,
                field: entity.field(member.field?),
                before: member.before,
            })
        })
        .collect()
}
