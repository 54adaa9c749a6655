//! Reads: a method for each, and the types they give or take.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use tablewright_descriptor::written::{ReadText, ViaText};
use tablewright_model::model::{Access, Entity, Known, Verb};
use tablewright_plan::{Plan, ReadPlan};

use super::answers::documentation;
use super::context::{Context, key_type};
use super::describe;
use super::fields::{self, Defaults};
use super::format::doc;
use super::names::{Scope, ident, known_ident, pascal, value_ident};
use super::parameters::Parameters;
use super::{Pattern, collections, refined};
use crate::EmitError;

/// The method of a read, and the types it needs.
pub(super) fn generate(
    cx: &Context<'_>,
    types: &mut Scope,
    defaults: &mut Defaults,
    (access, plan, planned): (&Access, &Plan, &ReadPlan),
) -> Result<Pattern, EmitError> {
    let entity = cx.entity(access.verb.entity().id);
    let read = cx
        .read(access.name.as_str())
        .ok_or_else(|| EmitError::NoCall {
            pattern: access.name.value.clone(),
            why: "it is not in the schema".to_owned(),
        })?;
    let mut around = Vec::new();
    let row = match (&access.verb, planned.fields.as_slice()) {
        (Verb::List(entities), _) if entities.len() > 1 => {
            let collection = collections::generate(cx, types, access, planned)?;
            around.push(collection.types);
            collection.item
        }
        (_, []) => cx.stored(entity),
        (_, only) => {
            let (name, structure) = projection(cx, types, defaults, access, entity, only)?;
            around.push(structure);
            name
        }
    };
    let call = Call {
        cx,
        access,
        read,
        entity,
        row: &row,
    };
    let method = match &access.verb {
        Verb::Batch(_) => call.many(plan)?,
        Verb::Count(_) => call.count(plan)?,
        Verb::Get(_) if read.via == ViaText::Query => call.first(plan)?,
        Verb::Get(_) => call.one(plan)?,
        _ => call.query(plan)?,
    };
    Ok(Pattern { around, method })
}

struct Call<'c> {
    cx: &'c Context<'c>,
    access: &'c Access,
    read: &'c ReadText,
    entity: &'c Entity,
    row: &'c TokenStream,
}

impl Call<'_> {
    fn name(&self) -> Result<Ident, EmitError> {
        value_ident(self.access.name.as_str(), "an access pattern")
    }

    fn parameters(&self) -> Result<Parameters, EmitError> {
        let mut parameters = Parameters::new(self.access);
        parameters.of_read(self.cx, self.access, self.read)?;
        Ok(parameters)
    }

    fn documentation(&self, plan: &Plan) -> TokenStream {
        documentation(self.cx.model, self.access, plan, &[])
    }

    fn one(&self, plan: &Plan) -> Result<TokenStream, EmitError> {
        let (name, row, about) = (self.name()?, self.row, self.documentation(plan));
        let pattern = self.access.name.as_str();
        let parameters = self.parameters()?;
        let (list, (let_given, given)) = (parameters.list(), parameters.values("given"));
        Ok(quote! {
            #about
            pub async fn #name(&self #list) -> Result<Option<#row>, lib_Error> {
                #let_given
                self.items.store().get(SCHEMA.read(#pattern), #given).await
            }
        })
    }

    fn first(&self, plan: &Plan) -> Result<TokenStream, EmitError> {
        let (name, row, about) = (self.name()?, self.row, self.documentation(plan));
        let pattern = self.access.name.as_str();
        let parameters = self.parameters()?;
        let (list, (let_given, given)) = (parameters.list(), parameters.values("given"));
        Ok(quote! {
            #about
            pub async fn #name(&self #list) -> Result<Option<#row>, lib_Error> {
                #let_given
                self.items.store().query(SCHEMA.read(#pattern), #given).first().await
            }
        })
    }

    fn many(&self, plan: &Plan) -> Result<TokenStream, EmitError> {
        let (name, row, about) = (self.name()?, self.row, self.documentation(plan));
        let pattern = self.access.name.as_str();
        let key = key_type(self.entity);
        let mut parameters = Parameters::new(self.access);
        let keys = parameters.other("keys", quote! { &[#key] })?;
        if let Some(condition) = &self.access.condition {
            parameters.of_condition(self.cx, self.entity, &condition.condition)?;
        }
        let more = parameters.more_values();
        let each = if more.is_empty() {
            quote! { lib_EntityKey::values }
        } else {
            quote! { |key| lib_EntityKey::values(key) #more }
        };
        let list = parameters.list();
        Ok(quote! {
            #about
            pub async fn #name(&self #list) -> Result<Vec<Option<#row>>, lib_Error> {
                let given = #keys.iter().map(#each).collect();
                self.items.store().get_many(SCHEMA.read(#pattern), given).await
            }
        })
    }

    fn count(&self, plan: &Plan) -> Result<TokenStream, EmitError> {
        let (name, about) = (self.name()?, self.documentation(plan));
        let pattern = self.access.name.as_str();
        let parameters = self.parameters()?;
        let (list, (let_given, given)) = (parameters.list(), parameters.values("given"));
        Ok(quote! {
            #about
            pub fn #name(&self #list) -> lib_Count {
                #let_given
                self.items.store().count(SCHEMA.read(#pattern), #given)
            }
        })
    }

    fn query(&self, plan: &Plan) -> Result<TokenStream, EmitError> {
        let (name, row) = (self.name()?, self.row);
        let pattern = self.access.name.as_str();
        let mut parameters = self.parameters()?;
        let mut and_then = TokenStream::new();
        if let Verb::Search { .. } = self.access.verb {
            let words = parameters.other("words", quote! { &str })?;
            and_then.extend(quote! { .words(#words) });
        }
        let (list, (let_given, given)) = (parameters.list(), parameters.values("given"));
        let mut more = Vec::new();
        if let Verb::List(entities) = &self.access.verb
            && entities.len() > 1
        {
            let together = pascal(pattern);
            more.push(format!(
                "The items of a page become a [`{together}`] with `into`."
            ));
        }
        if !self.access.refine.is_empty() {
            let refined = refined::name_of(self.entity);
            more.push(format!("It may be `refined` by a [`{refined}`]."));
        }
        let more: Vec<&str> = more.iter().map(String::as_str).collect();
        let about = documentation(self.cx.model, self.access, plan, &more);
        Ok(quote! {
            #about
            pub fn #name(&self #list) -> lib_Query<#row> {
                #let_given
                self.items.store().query(SCHEMA.read(#pattern), #given) #and_then
            }
        })
    }
}

/// The struct of a read that gives only some fields.
fn projection(
    cx: &Context<'_>,
    types: &mut Scope,
    defaults: &mut Defaults,
    access: &Access,
    entity: &Entity,
    only: &[Known],
) -> Result<(TokenStream, TokenStream), EmitError> {
    let pattern = access.name.as_str();
    let name = pascal(pattern);
    let what = format!("what `{pattern}` gives");
    types.take(&name, &what)?;
    let name = ident(&name, pattern, &what)?;
    let fields = only.iter().map(|known| entity.field(known.id));
    let members = fields::members(cx, defaults, entity.name.as_str(), fields)?;
    let about = doc(&format!(
        "What `{pattern}` gives of {}.",
        describe::a(entity.name.as_str())
    ));
    let structure = fields::structure(&name, &about, &members)?;
    let of = known_ident(entity.name.as_str());
    Ok((
        quote! { #name },
        quote! { #structure tablewright::projection!(#name, #of); },
    ))
}
