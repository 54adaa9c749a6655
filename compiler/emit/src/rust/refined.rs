//! What lists and searches of an entity may be refined by: one struct for all its patterns.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, Entity, EntityId, FieldId};

use super::context::Context;
use super::format::{doc, docs, prose};
use super::names::{Scope, known_ident, value_ident};
use crate::EmitError;

/// The name of the struct.
pub(super) fn name_of(entity: &Entity) -> Ident {
    known_ident(&format!("{}Refined", entity.name))
}

/// The struct; none when no pattern of the entity can be refined.
pub(super) fn generate(
    cx: &Context<'_>,
    types: &mut Scope,
    id: EntityId,
) -> Result<Option<TokenStream>, EmitError> {
    let entity = cx.entity(id);
    let patterns: Vec<&Access> = cx
        .answered()
        .map(|(access, _)| access)
        .filter(|access| !access.refine.is_empty() && access.verb.entity().id == id)
        .collect();
    if patterns.is_empty() {
        return Ok(None);
    }
    let name = name_of(entity);
    types.take(
        &name.to_string(),
        &format!("what patterns of {} may be refined by", entity.name),
    )?;
    let mut scope = Scope::default();
    let (mut members, mut applied) = (Vec::new(), Vec::new());
    for (position, field) in entity.fields.iter().enumerate() {
        let takes = |access: &&&Access| {
            let mut refine = access.refine.iter();
            refine.any(|known| known.id == FieldId(position))
        };
        let by: Vec<String> = patterns
            .iter()
            .filter(takes)
            .map(|access| format!("`{}`", access.name))
            .collect();
        if by.is_empty() {
            continue;
        }
        let stored = field.name.as_str();
        let what = format!("the field `{stored}` of {}", entity.name);
        let ident = value_ident(stored, &what)?;
        scope.take(&ident.to_string(), &what)?;
        let (kind, told) = match field.kind() {
            FieldType::List(of, _) | FieldType::Set(of, _) => (of.as_ref(), "What is among their"),
            kind => (kind, "Their"),
        };
        let kind = cx.type_of(entity.name.as_str(), stored, kind);
        let about = docs(prose(&format!("{told} `{stored}`; for {}.", by.join(", "))));
        members.push(quote! { #about pub #ident: lib_Only<#kind> });
        applied.push(quote! { .only(#stored, &self.#ident) });
    }
    let about = doc(&format!(
        "Which [`{}`] items are wanted of those a pattern gives; all by default.",
        entity.name
    ));
    Ok(Some(quote! {
        #about
        #[derive(Debug, Clone, Default)]
        pub struct #name { #(#members),* }

        impl lib_Refine for #name {
            fn refine<R: lib_Row>(&self, query: lib_Query<R>) -> lib_Query<R> {
                query #(#applied)*
            }
        }
    }))
}
