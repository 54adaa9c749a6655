//! Transactions: several actions, all or none, each with its own outcome.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use tablewright_model::model::{Access, Action, ActionKind, Entity};
use tablewright_plan::Plan;

use super::answers::documentation;
use super::context::{Context, key_type};
use super::format::doc;
use super::names::{Scope, known_ident, pascal, value_ident};
use super::parameters::Parameters;
use super::{Pattern, patches};
use crate::EmitError;

/// The method of a transaction, and the types of what goes in, what is seen, and what was refused.
pub(super) fn generate(
    cx: &Context<'_>,
    types: &mut Scope,
    (access, plan, actions): (&Access, &Plan, &[Action]),
) -> Result<Pattern, EmitError> {
    let mut transaction = Transaction::new(cx, access);
    let mut around = Vec::new();
    for action in actions {
        around.extend(transaction.add(types, action)?);
    }
    around.extend(transaction.input(types)?);
    around.extend(transaction.seen(types)?);
    around.push(transaction.refused(types)?);
    Ok(Pattern {
        around,
        method: transaction.method(plan)?,
    })
}

/// One action, in Rust.
struct Part<'m> {
    /// Its name in the schema.
    name: String,
    ident: Ident,
    entity: &'m Entity,
    kind: ActionKind,
    reads_first: bool,
    patch: Option<Ident>,
}

struct Transaction<'t> {
    cx: &'t Context<'t>,
    access: &'t Access,
    /// Its name, as types begin with it.
    pascal: String,
    parameters: Parameters,
    scope: Scope,
    parts: Vec<Part<'t>>,
}

impl<'t> Transaction<'t> {
    fn new(cx: &'t Context<'t>, access: &'t Access) -> Self {
        Transaction {
            cx,
            access,
            pascal: pascal(access.name.as_str()),
            parameters: Parameters::new(access),
            scope: Scope::with(&["claim"], "the record of the request"),
            parts: Vec::new(),
        }
    }

    fn add(
        &mut self,
        types: &mut Scope,
        action: &Action,
    ) -> Result<Option<TokenStream>, EmitError> {
        let pattern = self.access.name.as_str();
        let entity = self.cx.entity(action.entity.id);
        let name = action.name.as_ref().unwrap_or(&entity.name).as_str();
        let what = format!("the action {name} of `{pattern}`");
        let ident = value_ident(super::context::plain_action(action, entity), &what)?;
        self.scope.take(&ident.to_string(), &what)?;
        let mut part = Part {
            name: name.to_owned(),
            ident,
            entity,
            kind: action.kind,
            reads_first: self.cx.reads_first(pattern, name),
            patch: None,
        };
        let mut structure = None;
        match action.kind {
            ActionKind::Get => {
                return Err(EmitError::NoCall {
                    pattern: pattern.to_owned(),
                    why: format!("it reads {} in a transaction of writes", entity.name),
                });
            }
            ActionKind::Create => {}
            ActionKind::Update => {
                let patch = format!(
                    "{}{}",
                    self.pascal,
                    pascal(super::context::plain_action(action, entity))
                );
                let what = format!("{} of `{pattern}`", part.ident);
                let (name, text) =
                    patches::generate(self.cx, types, (&patch, &what), entity, &action.changes)?;
                part.patch = Some(name);
                structure = Some(text);
            }
            ActionKind::Delete | ActionKind::Check => {}
        }
        if action.kind != ActionKind::Create {
            let key = key_type(entity);
            self.parameters
                .other(&part.ident.to_string(), quote! { &#key })?;
        }
        if let Some(condition) = &action.condition {
            self.parameters
                .of_condition(self.cx, entity, &condition.condition)?;
        }
        self.parts.push(part);
        Ok(structure)
    }

    fn claim(&self) -> Option<Ident> {
        let claim = self.access.idempotent.as_ref()?;
        Some(known_ident(self.cx.entity(claim.id).name.as_str()))
    }

    fn link(&self) -> String {
        format!("[`{}::{}`]", self.cx.model_type(), self.access.name)
    }

    fn named(&self, types: &mut Scope, suffix: &str) -> Result<Ident, EmitError> {
        let name = self.type_name(suffix);
        types.take(
            &name.to_string(),
            &format!("a type of `{}`", self.access.name),
        )?;
        Ok(name)
    }

    fn type_name(&self, suffix: &str) -> Ident {
        known_ident(&format!("{}{suffix}", self.pascal))
    }

    fn takes_input(&self) -> bool {
        let mut parts = self.parts.iter();
        self.access.idempotent.is_some()
            || parts.any(|part| part.kind == ActionKind::Create || part.patch.is_some())
    }

    fn sees(&self) -> impl Iterator<Item = &Part<'t>> {
        self.parts.iter().filter(|part| part.reads_first)
    }

    /// The struct of what is written.
    fn input(&self, types: &mut Scope) -> Result<Option<TokenStream>, EmitError> {
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
    fn seen(&self, types: &mut Scope) -> Result<Option<TokenStream>, EmitError> {
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
    fn refused(&self, types: &mut Scope) -> Result<TokenStream, EmitError> {
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

    fn method(mut self, plan: &Plan) -> Result<TokenStream, EmitError> {
        let pattern = self.access.name.as_str();
        let name = value_ident(pattern, "an access pattern")?;
        let refused = self.type_name("Refused");
        let done = match self.claim() {
            Some(claim) => quote! { lib_Once<(), #claim> },
            None => quote! { () },
        };
        let keys = self
            .parts
            .iter()
            .filter(|part| part.kind != ActionKind::Create)
            .map(|part| {
                let Part {
                    name,
                    ident,
                    entity,
                    ..
                } = part;
                let entity = known_ident(entity.name.as_str());
                quote! { .key::<#entity, _>(#name, #ident) }
            });
        let keys = quote! { let keys = lib_TransactKeys::new() #(#keys)*; };
        let values = self.parameters.values();
        let inputs = self.inputs();
        let (input, seen) = (self.type_name("Input"), self.type_name("Seen"));
        let finish = match self.claim() {
            Some(_) => quote! { Ok(sent.once()?) },
            None => quote! { Ok(()) },
        };
        let let_sent = self.claim().map(|_| quote! { let sent = });
        if self.sees().next().is_none() || !self.takes_input() {
            let (taken, given) = match self.takes_input() {
                true => (
                    self.parameters
                        .other("input", quote! { &#input })
                        .map(Some)?,
                    quote! { #inputs },
                ),
                false => (None, quote! { lib_Inputs::new() }),
            };
            let _ = taken;
            let (list, about) = (
                self.parameters.list(),
                documentation(self.cx.model, self.access, plan, &[]),
            );
            return Ok(quote! {
                #about
                pub async fn #name(&self #list) -> Result<#done, lib_Failed<#refused>> {
                    #keys
                    let params = #values;
                    #let_sent self.store.transact::<lib_Failure>(SCHEMA.write(#pattern), keys, params, |_| Ok(#given)).await?;
                    #finish
                }
            });
        }
        let items = self.sees().map(|part| {
            let Part {
                name,
                ident,
                entity,
                ..
            } = part;
            let entity = known_ident(entity.name.as_str());
            quote! { #ident: seen.item::<#entity>(#name).map_err(lib_Failure::from)? }
        });
        let items = quote! { #seen { #(#items),* } };
        let change = quote! { impl FnMut(&#seen) -> Result<#input, E> };
        let change = self.parameters.mutable("change", change)?;
        let more = [
            "`change` sees the items as they are, and is called again when another writer was faster.",
        ];
        let (list, about) = (
            self.parameters.list(),
            documentation(self.cx.model, self.access, plan, &more),
        );
        let finish = match self.claim() {
            Some(_) => quote! { sent.once().map_err(|error| E::from(lib_Failed::Error(error))) },
            None => quote! { Ok(()) },
        };
        Ok(quote! {
            #about
            pub async fn #name<E: From<lib_Failed<#refused>>>(&self #list) -> Result<#done, E> {
                #keys
                let params = #values;
                let inputs = |seen: &lib_Seen| {
                    let input = #change(&#items).map_err(Stopped::Caller)?;
                    Ok(#inputs)
                };
                let sent = self.store.transact(SCHEMA.write(#pattern), keys, params, inputs).await;
                #let_sent sent.map_err(Stopped::into_error::<#refused>)?;
                #finish
            }
        })
    }

    fn inputs(&self) -> TokenStream {
        let parts = self.parts.iter().filter_map(|part| {
            let Part { name, ident, .. } = part;
            match (&part.patch, part.kind) {
                (Some(_), _) => Some(quote! { .change(#name, lib_Patch::changes(&input.#ident)) }),
                (None, ActionKind::Create) => Some(quote! { .create(#name, &input.#ident) }),
                _ => None,
            }
        });
        let claim = self.claim().map(|_| quote! { .claim(&input.claim) });
        quote! { lib_Inputs::new() #(#parts)* #claim }
    }
}

/// What lets a caller's own error end a transaction.
pub(super) fn stopped() -> TokenStream {
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
