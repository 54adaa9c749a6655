//! What a method takes, and how that becomes the values of a request.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use tablewright_descriptor::written::ReadText;
use tablewright_model::condition::{Condition, ValueKind};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, Entity};

use super::context::{Context, is_copied, is_string};
use super::names::{Scope, known_ident, value_ident};
use crate::EmitError;

/// The parameters of one method, in order.
pub(super) struct Parameters {
    pattern: String,
    scope: Scope,
    taken: Vec<TokenStream>,
    values: TokenStream,
    known: Vec<(String, String)>,
}

impl Parameters {
    pub(super) fn new(access: &Access) -> Self {
        Parameters {
            pattern: access.name.value.clone(),
            scope: Scope::default(),
            taken: Vec::new(),
            values: TokenStream::new(),
            known: Vec::new(),
        }
    }

    /// Keeps names for what the method itself calls so.
    pub(super) fn reserving(mut self, names: &[&str]) -> Self {
        self.scope = Scope::with(names, "a name the generated method uses");
        self
    }

    /// One that is no value of the request.
    pub(super) fn other(&mut self, name: &str, kind: TokenStream) -> Result<Ident, EmitError> {
        let ident = value_ident(name, &format!("a parameter of `{}`", self.pattern))?;
        let what = format!("the parameter `{name}` of `{}`", self.pattern);
        self.scope.take(&ident.to_string(), &what)?;
        self.taken.push(quote! { #ident: #kind });
        Ok(ident)
    }

    /// One that is called.
    pub(super) fn mutable(&mut self, name: &str, kind: TokenStream) -> Result<Ident, EmitError> {
        let ident = self.other(name, kind)?;
        if let Some(last) = self.taken.last_mut() {
            *last = quote! { mut #last };
        }
        Ok(ident)
    }

    /// A value of the type of a field, under a name.
    fn value(&mut self, name: &str, kind: &FieldType, rust: &TokenStream) -> Result<(), EmitError> {
        let as_text = rust.to_string().replace("lib_", "");
        if let Some((_, known)) = self.known.iter().find(|(known, _)| known == name) {
            // Two conditions may ask for the same value, but not for two of one name.
            return match *known == as_text {
                true => Ok(()),
                false => Err(EmitError::SameName {
                    name: name.to_owned(),
                    first: format!("a value of type {known} that `{}` takes", self.pattern),
                    second: format!("one of type {as_text}"),
                }),
            };
        }
        self.known.push((name.to_owned(), as_text));
        let (taken, given) = match (is_copied(kind), is_string(kind)) {
            (true, _) => (rust.clone(), true),
            (_, true) => (quote! { &str }, false),
            _ => (quote! { &#rust }, false),
        };
        let ident = self.other(name, taken)?;
        let given = given.then(|| quote! { & });
        self.values.extend(quote! { .with(#name, #given #ident) });
        Ok(())
    }

    /// What a read is given: first what `by` names, then ends of ranges and values of conditions.
    pub(super) fn of_read(
        &mut self,
        cx: &Context<'_>,
        access: &Access,
        read: &ReadText,
    ) -> Result<(), EmitError> {
        let entity = cx.entity(access.verb.entity().id);
        let of_by = |name: &str| access.by.iter().position(|by| by.written.value == name);
        let mut given: Vec<&(String, String)> = read.given.iter().collect();
        given.sort_by_key(|(name, _)| of_by(name).unwrap_or(usize::MAX));
        let parameters = access
            .condition
            .as_ref()
            .map(|condition| parameters(&condition.condition));
        for (name, field_name) in given {
            let field = entity.field_named(field_name).map(|id| entity.field(id));
            let Some(field) = field else {
                continue;
            };
            let mut told = parameters.iter().flatten();
            let kind = match told.find(|parameter| parameter.name == *name && of_by(name).is_none())
            {
                Some(parameter) => parameter.kind(field.kind()),
                None => field.kind(),
            };
            let rust = cx.type_of(entity.name.as_str(), field.name.as_str(), kind);
            self.value(name, kind, &rust)?;
        }
        Ok(())
    }

    /// The values a condition of a write takes.
    pub(super) fn of_condition(
        &mut self,
        cx: &Context<'_>,
        entity: &Entity,
        condition: &Condition,
    ) -> Result<(), EmitError> {
        for parameter in parameters(condition) {
            let Some(id) = entity.field_named(parameter.field) else {
                // What is no field is a counter.
                let number = FieldType::Int {
                    min: None,
                    max: None,
                };
                self.value(parameter.name, &number, &quote! { i64 })?;
                continue;
            };
            let field = entity.field(id);
            let kind = parameter.kind(field.kind());
            let rust = cx.type_of(entity.name.as_str(), field.name.as_str(), kind);
            self.value(parameter.name, kind, &rust)?;
        }
        Ok(())
    }

    /// The list, behind `&self`.
    pub(super) fn list(&self) -> TokenStream {
        let taken = &self.taken;
        quote! { #(, #taken)* }
    }

    /// The values under a name of their own, where there are any: a statement, and what is handed on.
    pub(super) fn values(&self, name: &str) -> (TokenStream, TokenStream) {
        let (name, values) = (known_ident(name), &self.values);
        match values.is_empty() {
            true => (TokenStream::new(), quote! { lib_Values::new() }),
            false => (
                quote! { let #name = lib_Values::new() #values; },
                quote! { #name },
            ),
        }
    }

    /// The values beside others.
    pub(super) fn more_values(&self) -> &TokenStream {
        &self.values
    }
}

/// A value a condition takes.
struct Parameter<'c> {
    name: &'c str,
    field: &'c str,
    /// It is one of several that the field holds.
    element: bool,
}

impl Parameter<'_> {
    fn kind<'k>(&self, of: &'k FieldType) -> &'k FieldType {
        match of {
            FieldType::List(inner, _) | FieldType::Set(inner, _) if self.element => inner,
            other => other,
        }
    }
}

fn parameters(condition: &Condition) -> Vec<Parameter<'_>> {
    let mut found: Vec<Parameter<'_>> = Vec::new();
    condition.visit(&mut |one| {
        let Some(field) = one.field() else {
            return;
        };
        for value in one.values() {
            if let ValueKind::Parameter(name) = &value.kind {
                found.push(Parameter {
                    name,
                    field: &field.name,
                    element: matches!(one, Condition::Contains { .. }),
                });
            }
        }
    });
    found
}
