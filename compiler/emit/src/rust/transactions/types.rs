//! What goes into a transaction, what it sees, and what was refused.

use proc_macro2::TokenStream;
use quote::quote;
use tablewright_model::model::ActionKind;

use super::super::format::doc;
use super::super::names::{Scope, known_ident};
use super::{Part, Transaction};
use crate::EmitError;

impl Transaction<'_> {
    /// The struct of what is written.
    pub(super) fn input(&self, types: &mut Scope) -> Result<Option<TokenStream>, EmitError> {
        if !self.takes_input() {
            return Ok(None);
        }
        let name = self.named(types, "Input")?;
        let about = doc(&format!("What {} writes.", self.link()));
        let mut members: Vec<TokenStream> = Vec::new();
        for part in &self.parts {
            let (ident, entity) = (&part.ident, known_ident(part.entity.name.as_str()));
            match (&part.patch, part.kind) {
                (Some(patch), _) => {
                    let about = doc(&format!("The changes of the [`{entity}`]."));
                    members.push(quote! { #about pub #ident: #patch });
                }
                (None, ActionKind::Create) => {
                    let about = doc(&format!("The new [`{entity}`]."));
                    members.push(quote! { #about pub #ident: #entity });
                }
                _ => {}
            }
        }
        if let Some(claim) = self.claim() {
            let about = doc("The record of the request, if it has an idempotency key.");
            members.push(quote! { #about pub claim: Option<#claim> });
        }
        Ok(Some(quote! {
            #about
            #[derive(Debug, Clone)]
            pub struct #name { #(#members),* }
        }))
    }

    /// The struct of what is read first.
    pub(super) fn seen(&self, types: &mut Scope) -> Result<Option<TokenStream>, EmitError> {
        if self.sees().next().is_none() || !self.takes_input() {
            return Ok(None);
        }
        let name = self.named(types, "Seen")?;
        let about = doc(&format!("What {} has read.", self.link()));
        let members = self.sees().map(|part| {
            let (ident, stored) = (&part.ident, self.cx.stored(part.entity));
            let about = doc(&format!("The [`{}`] as it is.", part.entity.name));
            quote! { #about pub #ident: #stored }
        });
        Ok(Some(quote! {
            #about
            #[derive(Debug, Clone)]
            pub struct #name { #(#members),* }
        }))
    }

    /// The struct of what was refused.
    pub(super) fn refused(&self, types: &mut Scope) -> Result<TokenStream, EmitError> {
        let name = self.named(types, "Refused")?;
        let about = doc(&format!("Which actions of {} were refused.", self.link()));
        let mut members = Vec::new();
        let mut values = Vec::new();
        for part in &self.parts {
            let Part {
                name,
                ident,
                entity,
                ..
            } = part;
            let stored = self.cx.stored(entity);
            let entity = known_ident(entity.name.as_str());
            let about = doc(&match part.kind {
                ActionKind::Create => format!("Why the [`{entity}`] was not created."),
                ActionKind::Update => format!("Why the [`{entity}`] was not changed."),
                ActionKind::Delete => format!("Why the [`{entity}`] was not deleted."),
                ActionKind::Check | ActionKind::Get => {
                    format!("What is wrong with the [`{entity}`].")
                }
            });
            members.push(quote! { #about pub #ident: Option<lib_Refused<#stored>> });
            values.push(quote! { #ident: refusal.of::<#entity>(#name) });
        }
        Ok(quote! {
            #about
            #[derive(Debug, Clone, PartialEq)]
            pub struct #name { #(#members),* }

            impl From<lib_Refusal> for #name {
                fn from(refusal: lib_Refusal) -> Self {
                    #name { #(#values),* }
                }
            }
        })
    }
}

/// What lets a caller's own error end a transaction.
pub(in crate::rust) fn stopped() -> TokenStream {
    quote! {
        /// Why a transaction ended: the caller said so, or the store.
        enum Stopped<E> {
            Caller(E),
            Store(lib_Failure),
        }

        impl<E> From<lib_Failure> for Stopped<E> {
            fn from(failure: lib_Failure) -> Self {
                Stopped::Store(failure)
            }
        }

        impl<E> Stopped<E> {
            fn into_error<R: From<lib_Refusal>>(self) -> E
            where
                E: From<lib_Failed<R>>,
            {
                match self {
                    Stopped::Caller(error) => error,
                    Stopped::Store(failure) => E::from(failure.into()),
                }
            }
        }
    }
}
