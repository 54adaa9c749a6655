//! Lists of several entities from one item collection.

use proc_macro2::TokenStream;
use quote::quote;
use tablewright_model::model::{Access, Entity};
use tablewright_plan::ReadPlan;

use super::context::{Context, plain_name};
use super::describe;
use super::format::doc;
use super::names::{Scope, ident, known_ident, pascal, plural, snake, value_ident};
use crate::EmitError;

/// The types of one collection.
pub(super) struct Collection {
    /// One item of any of its entities.
    pub(super) item: TokenStream,
    pub(super) types: TokenStream,
}

pub(super) fn generate(
    cx: &Context<'_>,
    types: &mut Scope,
    access: &Access,
    planned: &ReadPlan,
) -> Result<Collection, EmitError> {
    let pattern = access.name.as_str();
    let together = pascal(pattern);
    types.take(&together, &format!("what `{pattern}` gives"))?;
    let item = format!("{together}Item");
    types.take(&item, &format!("an item of what `{pattern}` gives"))?;
    let together = ident(&together, pattern, "an access pattern")?;
    let item = known_ident(&item);
    let mut variants = Vec::new();
    let mut rows = Vec::new();
    let mut abouts = Vec::new();
    let mut members = Vec::new();
    let mut arms = Vec::new();
    let mut scope = Scope::default();
    for id in &planned.entities {
        let entity = cx.entity(*id);
        let variant = known_ident(entity.name.as_str());
        let row = cx.stored(entity);
        let one = is_at_most_one(planned, cx, *id);
        let name = if one {
            snake(plain_name(entity))
        } else {
            plural(&snake(plain_name(entity)))
        };
        scope.take(&name, &format!("{} in `{pattern}`", entity.name))?;
        let name = value_ident(&name, &format!("a part of what `{pattern}` gives"))?;
        let told = about(entity, one);
        if one {
            members.push(quote! { #told pub #name: Option<#row> });
            arms.push(quote! { #item::#variant(one) => together.#name = Some(one) });
        } else {
            members.push(quote! { #told pub #name: Vec<#row> });
            arms.push(quote! { #item::#variant(one) => together.#name.push(one) });
        }
        abouts.push(doc(&format!(
            "{}.",
            describe::capital(&describe::a(entity.name.as_str()))
        )));
        variants.push(variant);
        rows.push(row);
    }
    let of_items = doc(&format!("One item of what `{pattern}` gives."));
    let of_all = doc(&format!("What `{pattern}` gives, sorted by kind."));
    Ok(Collection {
        types: quote! {
            #of_items
            #[derive(Debug, Clone, PartialEq)]
            #[allow(
                clippy::large_enum_variant,
                reason = "it is looked at and let go; boxes would be in every reader's way"
            )]
            pub enum #item { #(#abouts #variants(#rows)),* }

            tablewright::collection!(#item { #(#variants(#rows)),* });

            #of_all
            #[derive(Debug, Clone, Default, PartialEq)]
            pub struct #together { #(#members),* }

            impl From<Vec<#item>> for #together {
                fn from(items: Vec<#item>) -> Self {
                    let mut together = #together::default();
                    for item in items {
                        match item { #(#arms),* }
                    }
                    together
                }
            }
        },
        item: quote! { #item },
    })
}

/// Whether its sort key is the same for all: in one partition there is one.
fn is_at_most_one(
    planned: &ReadPlan,
    cx: &Context<'_>,
    id: tablewright_model::model::EntityId,
) -> bool {
    let sort = planned
        .key_of(cx.model, id)
        .and_then(|key| key.sort.as_ref());
    // In an index two items may have one key.
    planned.place.index.is_none() && sort.is_some_and(|sort| sort.template.is_constant())
}

fn about(entity: &Entity, one: bool) -> TokenStream {
    match one {
        true => doc(&format!("The [`{}`], if it is there.", entity.name)),
        false => doc(&format!(
            "Its [`{}`] items, in the order of their keys.",
            entity.name
        )),
    }
}
