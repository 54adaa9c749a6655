//! Transactions: several actions, all or none, each with its own outcome.

mod types;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use tablewright_model::model::{Access, Action, ActionKind, Entity};
use tablewright_plan::Plan;

use super::answers::documentation;
use super::context::{Context, key_type};
use super::names::{Scope, known_ident, pascal, value_ident};
use super::parameters::Parameters;
use super::{Pattern, patches};
use crate::EmitError;
pub(super) use types::stopped;

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
    for action in actions {
        transaction.condition(action)?;
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
            parameters: Parameters::new(access).reserving(&["keys", "params", "inputs", "sent"]),
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
                let what = format!("`{pattern}` changes of the {}", part.ident);
                let (name, text) = patches::generate(
                    self.cx,
                    types,
                    (pattern, &patch, &what),
                    entity,
                    &action.changes,
                )?;
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
        self.parts.push(part);
        Ok(structure)
    }

    /// What the condition of an action takes, behind all keys.
    fn condition(&mut self, action: &Action) -> Result<(), EmitError> {
        let entity = self.cx.entity(action.entity.id);
        match &action.condition {
            Some(condition) => {
                let parameters = &mut self.parameters;
                parameters.of_condition(self.cx, entity, &condition.condition)
            }
            None => Ok(()),
        }
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

    fn method(mut self, plan: &Plan) -> Result<TokenStream, EmitError> {
        let pattern = self.access.name.as_str();
        let name = value_ident(pattern, "an access pattern")?;
        let refused = self.type_name("Refused");
        let done = match self.claim() {
            Some(claim) => quote! { lib_Once<(), #claim> },
            None => quote! { () },
        };
        let keys = self.keys();
        let (let_params, params) = self.parameters.values("params");
        let inputs = self.inputs();
        let send =
            quote! { self.store.transact(SCHEMA.write(#pattern), keys, #params, inputs).await };
        if self.sees().next().is_none() || !self.takes_input() {
            if self.takes_input() {
                let input = self.type_name("Input");
                self.parameters.other("input", quote! { &#input })?;
            }
            let (list, about) = (self.parameters.list(), self.documentation(plan, &[]));
            let finish = match self.claim() {
                Some(_) => quote! { let sent = #send?; Ok(sent.once()?) },
                None => quote! { #send?; Ok(()) },
            };
            return Ok(quote! {
                #about
                pub async fn #name(&self #list) -> Result<#done, lib_Failed<#refused>> {
                    #keys
                    #let_params
                    let inputs = |_: &lib_Seen| -> Result<lib_Inputs, lib_Failure> { Ok(#inputs) };
                    #finish
                }
            });
        }
        let (input, seen) = (self.type_name("Input"), self.type_name("Seen"));
        let items = self.seen_items();
        let change = quote! { impl FnMut(&#seen) -> Result<#input, E> };
        let change = self.parameters.mutable("change", change)?;
        let more = [
            "`change` sees the items as they are, and is called again when another writer was faster.",
        ];
        let (list, about) = (self.parameters.list(), self.documentation(plan, &more));
        let stopped = quote! { sent.map_err(Stopped::into_error::<#refused>)? };
        let finish = match self.claim() {
            Some(_) => quote! { #stopped.once().map_err(|error| lib_Failed::from(error).into()) },
            None => quote! { #stopped; Ok(()) },
        };
        Ok(quote! {
            #about
            pub async fn #name<E: From<lib_Failed<#refused>>>(&self #list) -> Result<#done, E> {
                #keys
                #let_params
                let inputs = |seen: &lib_Seen| {
                    let seen = #seen { #items };
                    let input = #change(&seen).map_err(Stopped::Caller)?;
                    Ok(#inputs)
                };
                let sent = #send;
                #finish
            }
        })
    }

    fn documentation(&self, plan: &Plan, more: &[&str]) -> TokenStream {
        documentation(self.cx.model, self.access, plan, more)
    }

    fn keys(&self) -> TokenStream {
        let addressed = self
            .parts
            .iter()
            .filter(|part| part.kind != ActionKind::Create);
        let keys = addressed.map(|part| {
            let Part {
                name,
                ident,
                entity,
                ..
            } = part;
            let entity = known_ident(entity.name.as_str());
            quote! { .key::<#entity, _>(#name, #ident) }
        });
        quote! { let keys = lib_TransactKeys::new() #(#keys)*; }
    }

    fn seen_items(&self) -> TokenStream {
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
        quote! { #(#items),* }
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
