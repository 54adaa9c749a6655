//! A repository for each entity, and one type for them all.

use proc_macro2::TokenStream;
use quote::quote;
use tablewright_model::model::Entity;

use super::context::{Context, plain_name, repository_field, repository_type};
use super::format::{doc, docs, prose};
use super::names::{Scope, known_ident, value_ident};
use crate::EmitError;

/// The repository of an entity with the methods of its patterns.
pub(super) fn of_entity(entity: &Entity, methods: &[TokenStream]) -> TokenStream {
    let repository = repository_type(entity);
    let name = known_ident(entity.name.as_str());
    let about = doc(&format!(
        "What is asked of [`{name}`] items and done with them."
    ));
    quote! {
        #about
        #[derive(Debug, Clone)]
        pub struct #repository {
            items: lib_Repository<#name>,
        }

        impl #repository {
            /// The repository in a store.
            pub fn new(store: &lib_Store) -> Self {
                #repository { items: lib_Repository::new(store) }
            }

            /// What can be done with every item, whatever the patterns are: read, insert, update, delete by key.
            pub fn items(&self) -> &lib_Repository<#name> {
                &self.items
            }

            #(#methods)*
        }
    }
}

/// All repositories of the model, and its transactions.
pub(super) fn of_model(
    cx: &Context<'_>,
    methods: &[TokenStream],
) -> Result<TokenStream, EmitError> {
    let name = cx.model_type();
    let title = cx.model.title.as_ref().unwrap_or(&cx.model.name);
    let about = docs(prose(&format!(
        "{title}: all its repositories, and what is done in several of them at once."
    )));
    let mut scope = Scope::with(&["store"], "the store itself");
    let mut fields = Vec::new();
    let mut kinds = Vec::new();
    let mut abouts = Vec::new();
    for entity in &cx.model.entities {
        let field = repository_field(entity);
        let what = format!("the repository of {}", entity.name);
        scope.take(&field, &what)?;
        fields.push(value_ident(&field, &what)?);
        kinds.push(repository_type(entity));
        abouts.push(doc(&format!("[`{}`] items.", plain_name(entity))));
    }
    Ok(quote! {
        #about
        #[derive(Debug, Clone)]
        pub struct #name {
            store: lib_Store,
            #(#abouts pub #fields: #kinds),*
        }

        impl #name {
            /// The repositories in a store.
            pub fn new(store: &lib_Store) -> Self {
                #name {
                    store: store.clone(),
                    #(#fields: #kinds::new(store)),*
                }
            }

            /// The store they are in.
            pub fn store(&self) -> &lib_Store {
                &self.store
            }

            /// Creates the tables that are not there yet, and adds what the others lack.
            pub async fn create_tables(&self) -> Result<Vec<lib_TableChange>, lib_TableError> {
                tablewright::tables::bring_up_to_date(&self.store, &SCHEMA).await
            }

            #(#methods)*
        }
    })
}
