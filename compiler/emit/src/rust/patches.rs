//! What an update changes, as a struct that keeps everything by default.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, FieldChanges};

use super::context::Context;
use super::describe;
use super::format::doc;
use super::names::{Scope, ident, known_ident, value_ident};
use crate::EmitError;

/// A struct `name` of the changes a pattern makes; `what` tells which.
pub(super) fn generate(
    cx: &Context<'_>,
    types: &mut Scope,
    (pattern, name, what): (&str, &str, &str),
    entity: &Entity,
    changes: &FieldChanges,
) -> Result<(Ident, TokenStream), EmitError> {
    types.take(name, &format!("what {what}"))?;
    let name = ident(name, name, what)?;
    let owner = entity.name.as_str();
    let mut scope = Scope::default();
    let mut members = Vec::new();
    let mut calls = Vec::new();
    for known in &changes.set {
        let field = entity.field(known.id);
        let stored = field.name.as_str();
        let member = value_ident(stored, &format!("the field `{stored}` of {owner}"))?;
        scope.take(
            &member.to_string(),
            &format!("the new `{stored}` of {owner}"),
        )?;
        let kind = cx.field_type(owner, field);
        let about = doc(&describe::field(&field.declared));
        members.push(quote! { #about pub #member: lib_Change<#kind> });
        calls.push(quote! { .set(#stored, &self.#member) });
    }
    for known in &changes.add {
        let field = entity.field(known.id);
        let stored = field.name.as_str();
        if let FieldType::Decimal = field.kind() {
            return Err(EmitError::NoCall {
                pattern: pattern.to_owned(),
                why: format!(
                    "it adds to `{stored}`, a decimal; only whole numbers can be added to"
                ),
            });
        }
        let member = value_ident(
            &format!("add_{stored}"),
            &format!("the field `{stored}` of {owner}"),
        )?;
        scope.take(
            &member.to_string(),
            &format!("what is added to `{stored}` of {owner}"),
        )?;
        let about = doc(&format!(
            "By how much `{stored}` is raised; it is lowered by a negative number."
        ));
        members.push(quote! { #about pub #member: i64 });
        calls.push(quote! { .add(#stored, self.#member) });
    }
    let about = doc(&format!("What {what}. What is not said stays as it is."));
    let owner = known_ident(owner);
    let structure = quote! {
        #about
        #[derive(Debug, Clone, Default)]
        pub struct #name { #(#members),* }

        impl lib_Patch<#owner> for #name {
            fn changes(&self) -> lib_Changes {
                lib_Changes::new() #(#calls)*
            }
        }
    };
    Ok((name, structure))
}
