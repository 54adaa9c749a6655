//! Writes of one entity: a method for each.

mod batches;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use tablewright_model::model::{Access, ActionKind, Entity, FieldChanges, Verb, Where};
use tablewright_plan::{Plan, WritePlan};

use super::answers::documentation;
use super::context::{Context, key_type, plain_name};
use super::names::{Scope, known_ident, pascal, snake, value_ident};
use super::parameters::Parameters;
use super::{Pattern, patches};
use crate::EmitError;

/// The method of a write of one entity, and its patch.
pub(super) fn generate(
    cx: &Context<'_>,
    types: &mut Scope,
    (access, plan, planned): (&Access, &Plan, &WritePlan),
) -> Result<Pattern, EmitError> {
    let nothing = FieldChanges::default();
    let (kind, changes, condition) = match &access.verb {
        Verb::Create(_) => (ActionKind::Create, &nothing, access.condition.as_ref()),
        Verb::Update { changes, .. } => (ActionKind::Update, changes, access.condition.as_ref()),
        Verb::Delete(_) => (ActionKind::Delete, &nothing, access.condition.as_ref()),
        Verb::Batch(action) => (action.kind, &action.changes, action.condition.as_ref()),
        _ => (ActionKind::Get, &nothing, None),
    };
    let entity = cx.entity(access.verb.entity().id);
    let mut around = Vec::new();
    let mut patch = None;
    if kind == ActionKind::Update {
        let what = format!("`{}` changes", access.name);
        let name = pascal(access.name.as_str());
        let (name, structure) = patches::generate(
            cx,
            types,
            (access.name.as_str(), &name, &what),
            entity,
            changes,
        )?;
        patch = Some(name);
        around.push(structure);
    }
    let write = SingleWrite {
        cx,
        access,
        entity,
        plan,
        condition,
        patch,
    };
    let method = match kind {
        ActionKind::Create => write.create(planned.each)?,
        ActionKind::Update if planned.finds.is_some() => write.change_found()?,
        ActionKind::Update if planned.each => write.change_each()?,
        ActionKind::Update if planned.reads_first => write.change()?,
        ActionKind::Update => write.apply()?,
        ActionKind::Delete if planned.finds.is_some() => write.remove_found()?,
        ActionKind::Delete => write.remove(planned.each)?,
        ActionKind::Check | ActionKind::Get => {
            return Err(write.no_call("it writes nothing"));
        }
    };
    Ok(Pattern { around, method })
}

struct SingleWrite<'w> {
    cx: &'w Context<'w>,
    access: &'w Access,
    entity: &'w Entity,
    plan: &'w Plan,
    condition: Option<&'w Where>,
    patch: Option<Ident>,
}

impl SingleWrite<'_> {
    fn no_call(&self, why: &str) -> EmitError {
        EmitError::NoCall {
            pattern: self.access.name.value.clone(),
            why: why.to_owned(),
        }
    }

    fn name(&self) -> Result<Ident, EmitError> {
        value_ident(self.access.name.as_str(), "an access pattern")
    }

    fn documentation(&self, more: &[&str]) -> TokenStream {
        documentation(self.cx.model, self.access, self.plan, more)
    }

    /// The entity its repetition is recognised by.
    fn claim(&self) -> Option<Ident> {
        let claim = self.access.idempotent.as_ref()?;
        Some(known_ident(self.cx.entity(claim.id).name.as_str()))
    }

    fn patch(&self) -> Result<&Ident, EmitError> {
        let patch = self.patch.as_ref();
        patch.ok_or_else(|| self.no_call("it changes nothing"))
    }

    /// The key, then the values of the condition.
    fn addressed(&self) -> Result<Parameters, EmitError> {
        let key = key_type(self.entity);
        let mut parameters = Parameters::new(self.access);
        parameters.other("key", quote! { &#key })?;
        self.condition_of(&mut parameters)?;
        Ok(parameters)
    }

    fn condition_of(&self, parameters: &mut Parameters) -> Result<(), EmitError> {
        match self.condition {
            Some(condition) => parameters.of_condition(self.cx, self.entity, &condition.condition),
            None => Ok(()),
        }
    }

    fn create(&self, each: bool) -> Result<TokenStream, EmitError> {
        let (name, about) = (self.name()?, self.documentation(&[]));
        let pattern = self.access.name.as_str();
        if self.condition.is_some() {
            return Err(self.no_call("what is created cannot be held against a condition"));
        }
        let entity = known_ident(self.entity.name.as_str());
        let stored = self.cx.stored(self.entity);
        let mut parameters = Parameters::new(self.access);
        if each {
            let items = parameters.other("items", quote! { Vec<#entity> })?;
            let list = parameters.list();
            return Ok(quote! {
                #about
                pub async fn #name(&self #list) -> Vec<Result<#stored, lib_Error>> {
                    self.items.store().create_each(SCHEMA.write(#pattern), #items).await
                }
            });
        }
        let data = parameters.other(&snake(plain_name(self.entity)), quote! { #entity })?;
        Ok(match self.claim() {
            None => {
                let list = parameters.list();
                quote! {
                    #about
                    pub async fn #name(&self #list) -> Result<#stored, lib_Error> {
                        self.items.store().create(SCHEMA.write(#pattern), #data).await
                    }
                }
            }
            Some(claim) => {
                let taken = parameters.other("claim", quote! { Option<#claim> })?;
                let list = parameters.list();
                quote! {
                    #about
                    pub async fn #name(&self #list) -> Result<lib_Once<#stored, #claim>, lib_Error> {
                        self.items.store().create_once(SCHEMA.write(#pattern), #data, #taken).await
                    }
                }
            }
        })
    }

    fn change(&self) -> Result<TokenStream, EmitError> {
        let about = self.documentation(&[
            "`change` sees the item as it is, and is called again when another writer was faster.",
        ]);
        let (name, patch) = (self.name()?, self.patch()?);
        let pattern = self.access.name.as_str();
        let stored = self.cx.stored(self.entity);
        let mut parameters = self.addressed()?;
        let (gives, done, call) = match self.claim() {
            None => (quote! { #patch }, stored.clone(), quote! { change }),
            Some(claim) => (
                quote! { (#patch, Option<#claim>) },
                quote! { lib_Once<#stored, #claim> },
                quote! { change_once },
            ),
        };
        let (let_params, params) = parameters.values("params");
        let change = parameters.other(
            "change",
            quote! { impl FnMut(&#stored) -> Result<#gives, E> },
        )?;
        let list = parameters.list();
        Ok(quote! {
            #about
            pub async fn #name<E: From<lib_Error>>(&self #list) -> Result<#done, E> {
                #let_params
                self.items.store().#call(SCHEMA.write(#pattern), key, #params, #change).await
            }
        })
    }

    fn apply(&self) -> Result<TokenStream, EmitError> {
        let (name, patch, about) = (self.name()?, self.patch()?, self.documentation(&[]));
        let pattern = self.access.name.as_str();
        let stored = self.cx.stored(self.entity);
        let mut parameters = self.addressed()?;
        let (let_params, params) = parameters.values("params");
        let taken = parameters.other("patch", quote! { #patch })?;
        Ok(match self.claim() {
            None => {
                let list = parameters.list();
                quote! {
                    #about
                    pub async fn #name(&self #list) -> Result<#stored, lib_Error> {
                        #let_params
                        self.items.store().apply(SCHEMA.write(#pattern), key, #params, #taken).await
                    }
                }
            }
            Some(claim) => {
                let claimed = parameters.other("claim", quote! { Option<#claim> })?;
                let list = parameters.list();
                quote! {
                    #about
                    pub async fn #name(&self #list) -> Result<lib_Once<#stored, #claim>, lib_Error> {
                        #let_params
                        self.items.store().apply_once(SCHEMA.write(#pattern), key, #params, #taken, #claimed).await
                    }
                }
            }
        })
    }

    fn remove(&self, each: bool) -> Result<TokenStream, EmitError> {
        let (name, about) = (self.name()?, self.documentation(&[]));
        let pattern = self.access.name.as_str();
        let entity = known_ident(self.entity.name.as_str());
        let stored = self.cx.stored(self.entity);
        if each {
            let parameters = self.many()?;
            let (list, (let_params, params)) = (parameters.list(), parameters.values("params"));
            return Ok(quote! {
                #about
                pub async fn #name(&self #list) -> Vec<Result<#stored, lib_Error>> {
                    #let_params
                    self.items.store().remove_each::<#entity>(SCHEMA.write(#pattern), keys, #params).await
                }
            });
        }
        let mut parameters = self.addressed()?;
        let (let_params, params) = parameters.values("params");
        Ok(match self.claim() {
            None => {
                let list = parameters.list();
                quote! {
                    #about
                    pub async fn #name(&self #list) -> Result<#stored, lib_Error> {
                        #let_params
                        self.items.store().remove::<#entity>(SCHEMA.write(#pattern), key, #params).await
                    }
                }
            }
            Some(claim) => {
                let claimed = parameters.other("claim", quote! { Option<#claim> })?;
                let list = parameters.list();
                quote! {
                    #about
                    pub async fn #name(&self #list) -> Result<lib_Once<#stored, #claim>, lib_Error> {
                        #let_params
                        self.items.store().remove_once::<#entity, _>(SCHEMA.write(#pattern), key, #params, #claimed).await
                    }
                }
            }
        })
    }
}
