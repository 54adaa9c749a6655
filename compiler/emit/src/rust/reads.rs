//! Reads: a method for each, and the types they give or take.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use tablewright_descriptor::written::{ReadText, ViaText};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, Entity, Known, Verb};
use tablewright_plan::{Plan, ReadPlan};

use super::answers::documentation;
use super::context::{Context, key_type};
use super::describe;
use super::fields::{self, Defaults};
use super::format::doc;
use super::names::{Scope, ident, known_ident, pascal, value_ident};
use super::parameters::Parameters;
use super::{Pattern, collections};
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
        _ => {
            let refine = refine(cx, types, access, entity)?;
            let (refined, structure) = refine.unzip();
            around.extend(structure);
            call.query(plan, refined.as_ref())?
        }
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
            pub async fn #name(&self #list) -> Result<u64, lib_Error> {
                #let_given
                self.items.store().count(SCHEMA.read(#pattern), #given).await
            }
        })
    }

    fn query(&self, plan: &Plan, refined: Option<&Refined>) -> Result<TokenStream, EmitError> {
        let (name, row) = (self.name()?, self.row);
        let pattern = self.access.name.as_str();
        let mut parameters = self.parameters()?;
        let mut and_then = TokenStream::new();
        if let Verb::Search { .. } = self.access.verb {
            let words = parameters.other("words", quote! { &str })?;
            and_then.extend(quote! { .words(#words) });
        }
        if let Some(Refined { name, fields }) = refined {
            let taken = parameters.other("refined", quote! { &#name })?;
            for (stored, field) in fields {
                and_then.extend(quote! { .refine(#stored, &#taken.#field) });
            }
        }
        let (list, (let_given, given)) = (parameters.list(), parameters.values("given"));
        let collected = match &self.access.verb {
            Verb::List(entities) if entities.len() > 1 => {
                let together = pascal(pattern);
                vec![format!(
                    "The items of a page become a [`{together}`] with `into`."
                )]
            }
            _ => Vec::new(),
        };
        let collected: Vec<&str> = collected.iter().map(String::as_str).collect();
        let about = documentation(self.cx.model, self.access, plan, &collected);
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

/// A struct of what a caller may filter by in addition.
struct Refined {
    name: Ident,
    fields: Vec<(String, Ident)>,
}

fn refine(
    cx: &Context<'_>,
    types: &mut Scope,
    access: &Access,
    entity: &Entity,
) -> Result<Option<(Refined, TokenStream)>, EmitError> {
    if access.refine.is_empty() {
        return Ok(None);
    }
    let pattern = access.name.as_str();
    let name = match pascal(pattern) {
        name if name.ends_with("Refined") => name,
        name => format!("{name}Refined"),
    };
    let what = format!("what `{pattern}` may be refined by");
    types.take(&name, &what)?;
    let name = known_ident(&name);
    let mut scope = Scope::default();
    let mut fields = Vec::new();
    let mut members = Vec::new();
    for known in &access.refine {
        let field = entity.field(known.id);
        let stored = field.name.as_str();
        let what = format!("the field `{stored}` of {}", entity.name);
        let ident = value_ident(stored, &what)?;
        scope.take(&ident.to_string(), &what)?;
        let (kind, told) = match field.kind() {
            FieldType::List(of, _) | FieldType::Set(of, _) => {
                (of.as_ref(), "Only items that have this among their")
            }
            kind => (kind, "Only items with this"),
        };
        let kind = cx.type_of(entity.name.as_str(), stored, kind);
        let about = doc(&format!("{told} `{stored}`."));
        members.push(quote! { #about pub #ident: Option<#kind> });
        fields.push((stored.to_owned(), ident));
    }
    let about = doc(&format!(
        "What `{pattern}` may be refined by; nothing by default."
    ));
    let structure = quote! {
        #about
        #[derive(Debug, Clone, Default)]
        pub struct #name { #(#members),* }
    };
    Ok(Some((Refined { name, fields }, structure)))
}
