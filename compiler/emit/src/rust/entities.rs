//! Entities, their keys, and what makes them entities to the run time.

use proc_macro2::TokenStream;
use quote::quote;
use tablewright_descriptor::number_of;
use tablewright_model::model::{Access, Entity, Field, Struct};

use super::context::{Context, alias, is_copied, is_string, key_type};
use super::fields::{self, Defaults, Member};
use super::format::{doc, docs, prose};
use super::names::{known_ident, snake, value_ident};
use crate::EmitError;

/// The struct of an entity, its alias and its key.
pub(super) fn generate(
    cx: &Context<'_>,
    defaults: &mut Defaults,
    entity: &Entity,
) -> Result<TokenStream, EmitError> {
    let name = known_ident(entity.name.as_str());
    let mut members = fields::members(cx, defaults, entity.name.as_str(), &entity.fields)?;
    members.extend(counters(cx, entity)?);
    let about = match &entity.about {
        Some(about) => docs(prose(about.as_str())),
        None => doc(&format!(
            "An item of {}.",
            cx.model.table(entity.table).name
        )),
    };
    let structure = fields::structure(&name, &about, &members)?;
    let alias = alias(entity).map(|alias| {
        let alias = known_ident(alias);
        let about = doc(&format!("[`{name}`] with its version."));
        quote! { #about pub type #alias = lib_Versioned<#name>; }
    });
    let key = key(cx, entity)?;
    let claim = claim(cx, entity)?;
    let entity = implementation(cx, entity)?;
    Ok(quote! { #structure #alias #key #entity #claim })
}

/// The struct of a nested shape.
pub(super) fn nested(
    cx: &Context<'_>,
    defaults: &mut Defaults,
    structure: &Struct,
) -> Result<TokenStream, EmitError> {
    let name = known_ident(structure.name.as_str());
    let members = fields::members(cx, defaults, structure.name.as_str(), &structure.fields)?;
    let users = cx.model.entities.iter().filter(|entity| {
        let uses = |field: &Field| field.kind().to_string().contains(structure.name.as_str());
        entity.fields.iter().any(uses)
    });
    let users: Vec<String> = users.map(|entity| format!("[`{}`]", entity.name)).collect();
    let about = match users.as_slice() {
        [] => "A nested shape.".to_owned(),
        users => format!("A part of {}.", users.join(" and ")),
    };
    fields::structure(&name, &doc(&about), &members)
}

/// The numbers an entity keeps, as fields the run time fills.
fn counters(cx: &Context<'_>, entity: &Entity) -> Result<Vec<Member>, EmitError> {
    let mut members = Vec::new();
    // A number that code keeps by a write of its own is not known to the run time.
    let kept = entity
        .counters
        .iter()
        .filter(|counter| counter.kept_by.is_none());
    for counter in kept {
        let counted = cx.entity(counter.counts.1);
        match &counter.per {
            None => {
                let about = format!("How many [`{}`] items there are.", counted.name);
                members.push(fields::counter(counter.name.as_str(), &about)?);
            }
            Some((per, id)) => {
                for word in counted.field(*id).kind().words().unwrap_or_default() {
                    let name = number_of(counter.name.as_str(), word);
                    let about = format!(
                        "How many [`{}`] items have the {per} `{word}`.",
                        counted.name
                    );
                    members.push(fields::counter(&name, &about)?);
                }
            }
        }
    }
    Ok(members)
}

fn key(cx: &Context<'_>, entity: &Entity) -> Result<TokenStream, EmitError> {
    let key = key_type(entity);
    let owner = entity.name.as_str();
    let about = doc(&format!("What tells one [`{owner}`] from another."));
    let mut names = Vec::new();
    let mut kinds = Vec::new();
    let mut takes = Vec::new();
    let mut made = Vec::new();
    let mut stored = Vec::new();
    let mut sentences = Vec::new();
    for id in entity.identity() {
        let field = entity.field(id);
        let name = value_ident(
            field.name.as_str(),
            &format!("the field `{}` of {owner}", field.name),
        )?;
        let kind = cx.field_type(owner, field);
        if is_string(field.kind()) && !field.is_optional() {
            takes.push(quote! { #name: impl Into<String> });
            made.push(quote! { #name: #name.into() });
        } else {
            takes.push(quote! { #name: #kind });
            made.push(quote! { #name });
        }
        sentences.push(doc(&super::describe::field(&field.declared)));
        stored.push(field.name.value.clone());
        names.push(name);
        kinds.push(kind);
    }
    let shape = match names.as_slice() {
        [] => quote! { pub struct #key; },
        _ => quote! { pub struct #key { #(#sentences pub #names: #kinds),* } },
    };
    let (default, made) = match names.as_slice() {
        [] => (Some(quote! { Default, }), quote! { #key }),
        _ => (None, quote! { #key { #(#made),* } }),
    };
    Ok(quote! {
        #about
        #[derive(Debug, Clone, #default PartialEq, Eq, Hash)]
        #shape

        impl #key {
            /// The key of these values.
            pub fn new(#(#takes),*) -> Self { #made }
        }

        impl lib_EntityKey for #key {
            fn values(&self) -> lib_Values {
                lib_Values::new() #(.with(#stored, &self.#names))*
            }
        }
    })
}

fn implementation(cx: &Context<'_>, entity: &Entity) -> Result<TokenStream, EmitError> {
    let name = known_ident(entity.name.as_str());
    let text = entity.name.as_str();
    let key = key_type(entity);
    let stored = cx.stored(entity);
    let mut values = Vec::new();
    for id in entity.identity() {
        let field = entity.field(id);
        let name = value_ident(field.name.as_str(), text)?;
        values.push(
            match (
                is_copied(field.kind()),
                is_string(field.kind()) && !field.is_optional(),
            ) {
                (true, _) => quote! { self.#name },
                // `new` takes anything that becomes a string.
                (_, true) => quote! { &self.#name },
                _ => quote! { self.#name.clone() },
            },
        );
    }
    let migrations = entity
        .versioned
        .as_ref()
        .filter(|versioned| versioned.data_version.value > 1);
    let migrations = migrations.map(|_| {
        let function = known_ident(&snake(text));
        quote! {
            fn migrations() -> lib_Migrations { super::migrations::#function() }
        }
    });
    let unversioned = entity
        .versioned
        .is_none()
        .then(|| quote! { tablewright::unversioned!(#name); });
    Ok(quote! {
        impl lib_Entity for #name {
            type Key = #key;
            type Stored = #stored;

            fn descriptor() -> &'static tablewright::descriptor::Entity {
                SCHEMA.entity(#text)
            }

            fn key(&self) -> #key {
                #key::new(#(#values),*)
            }

            #migrations
        }

        #unversioned
    })
}

/// An entity in which requests claim a key can tell whether two requests are the same.
fn claim(cx: &Context<'_>, entity: &Entity) -> Result<Option<TokenStream>, EmitError> {
    let claims = |access: &&Access| {
        let claim = access.idempotent.as_ref();
        claim.is_some_and(|claim| std::ptr::eq(cx.entity(claim.id), entity))
    };
    let Some(access) = cx.model.accesses.iter().find(claims) else {
        return Ok(None);
    };
    let mut fields = entity.fields.iter();
    let hash = fields.find(|field| snake(field.name.as_str()) == "request_hash");
    let hash = hash.ok_or_else(|| EmitError::NoRequestHash {
        entity: entity.name.value.clone(),
        pattern: access.name.value.clone(),
    })?;
    let name = known_ident(entity.name.as_str());
    let hash = value_ident(hash.name.as_str(), "the hash of a request")?;
    Ok(Some(quote! {
        impl lib_Claim for #name {
            fn same_request(&self, earlier: &Self) -> bool {
                self.#hash == earlier.#hash
            }
        }
    }))
}
