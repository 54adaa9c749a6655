//! Writes of many items, each for itself.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::context::key_type;
use super::super::names::known_ident;
use super::super::parameters::Parameters;
use super::SingleWrite;
use crate::EmitError;

impl SingleWrite<'_> {
    /// Many keys, then the values of the condition.
    pub(super) fn many(&self) -> Result<Parameters, EmitError> {
        let key = key_type(self.entity);
        let mut parameters = Parameters::new(self.access);
        parameters.other("keys", quote! { &[#key] })?;
        self.condition_of(&mut parameters)?;
        Ok(parameters)
    }

    pub(super) fn change_each(&self) -> Result<TokenStream, EmitError> {
        let about = self.documentation(&[
            "`change` sees each item as it is, and is called again when another writer was faster.",
        ]);
        let (name, patch) = (self.name()?, self.patch()?);
        let pattern = self.access.name.as_str();
        let stored = self.cx.stored(self.entity);
        let mut parameters = self.many()?;
        let (let_params, params) = parameters.values("params");
        let change = parameters.other(
            "change",
            quote! { impl FnMut(&#stored) -> Result<#patch, E> },
        )?;
        let list = parameters.list();
        Ok(quote! {
            #about
            pub async fn #name<E: From<lib_Error>>(&self #list) -> Vec<Result<#stored, E>> {
                #let_params
                self.items.store().change_each(SCHEMA.write(#pattern), keys, #params, #change).await
            }
        })
    }

    /// What finds the items, then the values of the condition.
    fn found(&self) -> Result<(Parameters, (TokenStream, TokenStream)), EmitError> {
        let read = self.cx.read(self.access.name.as_str());
        let read = read.ok_or_else(|| self.no_call("nothing finds its items"))?;
        let own = ["given", "found", "params"];
        let mut parameters = Parameters::new(self.access).reserving(&own);
        parameters.of_read(self.cx, self.access, read)?;
        let given = parameters.values("given");
        Ok((parameters, given))
    }

    pub(super) fn remove_found(&self) -> Result<TokenStream, EmitError> {
        let name = self.name()?;
        let pattern = self.access.name.as_str();
        let entity = known_ident(self.entity.name.as_str());
        let (mut parameters, (let_given, given)) = self.found()?;
        if self.condition.is_none() {
            let about = self.documentation(&[
                "Gives how many there were; an interrupted one can be taken up again.",
            ]);
            let list = parameters.list();
            return Ok(quote! {
                #about
                pub async fn #name(&self #list) -> Result<u64, lib_Error> {
                    #let_given
                    self.items.store().delete_found::<#entity>(SCHEMA.read(#pattern), #given).await
                }
            });
        }
        let about = self.documentation(&[
            "The items are found first; each is deleted only if the condition holds.",
        ]);
        let stored = self.cx.stored(self.entity);
        let (let_params, params) = self.on_condition(&mut parameters)?;
        let list = parameters.list();
        Ok(quote! {
            #about
            pub async fn #name(&self #list) -> Result<Vec<Result<#stored, lib_Error>>, lib_Error> {
                #let_given
                let found = self.items.store().query::<#stored>(SCHEMA.read(#pattern), #given).all().collect().await?;
                let keys: Vec<_> = found.iter().map(|item| <#entity as lib_Entity>::key(item)).collect();
                #let_params
                let removed = self.items.store().remove_each::<#entity>(SCHEMA.write(#pattern), &keys, #params).await;
                Ok(removed)
            }
        })
    }

    pub(super) fn change_found(&self) -> Result<TokenStream, EmitError> {
        let about = self.documentation(&[
            "The items are found first. `change` sees each as it is, and is called again when another writer was faster.",
        ]);
        let (name, patch) = (self.name()?, self.patch()?);
        let pattern = self.access.name.as_str();
        let entity = known_ident(self.entity.name.as_str());
        let stored = self.cx.stored(self.entity);
        let (mut parameters, (let_given, given)) = self.found()?;
        let (let_params, params) = self.on_condition(&mut parameters)?;
        let change = quote! { impl FnMut(&#stored) -> Result<#patch, E> };
        let change = parameters.other("change", change)?;
        let list = parameters.list();
        Ok(quote! {
            #about
            pub async fn #name<E: From<lib_Error>>(&self #list) -> Result<Vec<Result<#stored, E>>, E> {
                #let_given
                let found = self.items.store().query::<#stored>(SCHEMA.read(#pattern), #given).all().collect().await?;
                let keys: Vec<_> = found.iter().map(|item| <#entity as lib_Entity>::key(item)).collect();
                #let_params
                let changed = self.items.store().change_each(SCHEMA.write(#pattern), &keys, #params, #change).await;
                Ok(changed)
            }
        })
    }

    /// Adds what the condition takes, and gives its values by themselves.
    fn on_condition(
        &self,
        parameters: &mut Parameters,
    ) -> Result<(TokenStream, TokenStream), EmitError> {
        self.condition_of(parameters)?;
        let mut of_condition = Parameters::new(self.access);
        self.condition_of(&mut of_condition)?;
        Ok(of_condition.values("params"))
    }
}
