//! The fields of a struct, with the names they have where they are stored.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::Field;

use super::changes::Carried;
use super::context::Context;
use super::format::doc;
use super::names::{Scope, Spelling, camel, known_ident, pascal, screaming, snake, value_ident};
use super::{describe, enums};
use crate::EmitError;

/// One field of a generated struct.
pub(super) struct Member {
    /// Its name in Rust.
    pub(super) ident: Ident,
    /// Its name in the model.
    stored: String,
    about: TokenStream,
    /// What serde is told of it.
    serde: Vec<TokenStream>,
    kind: TokenStream,
}

/// Default values that need a function, by its name.
pub(super) type Defaults = BTreeMap<String, TokenStream>;

/// The members for fields of an entity or a struct.
pub(super) fn members<'f>(
    cx: &Context<'_>,
    defaults: &mut Defaults,
    owner: &str,
    fields: impl IntoIterator<Item = &'f Field>,
) -> Result<Vec<Member>, EmitError> {
    let fields = fields.into_iter().map(|field| Carried {
        name: field.name.as_str(),
        field,
        before: false,
    });
    carried(cx, defaults, owner, &fields.collect::<Vec<_>>())
}

/// The members of what carries the fields of an entity, some by other names.
pub(super) fn carried(
    cx: &Context<'_>,
    defaults: &mut Defaults,
    owner: &str,
    carried: &[Carried<'_>],
) -> Result<Vec<Member>, EmitError> {
    let mut scope = Scope::default();
    let mut members = Vec::new();
    for one in carried {
        let field = one.field;
        let what = format!("the field `{}` of {owner}", one.name);
        let ident = value_ident(one.name, &what)?;
        scope.take(&ident.to_string(), &what)?;
        let about = doc(&one.about(describe::field(&field.declared)));
        let serde = serde_default(cx, defaults, owner, field)?;
        members.push(Member {
            ident,
            stored: one.name.to_owned(),
            about,
            serde: serde.into_iter().collect(),
            kind: cx.field_type(owner, field),
        });
    }
    Ok(members)
}

/// A number that the run time keeps.
pub(super) fn counter(name: &str, about: &str) -> Result<Member, EmitError> {
    Ok(Member {
        ident: value_ident(name, &format!("the counter `{name}`"))?,
        stored: name.to_owned(),
        about: doc(about),
        serde: vec![quote! { default }],
        kind: quote! { i64 },
    })
}

/// `pub struct Name { … }` with these members and what derives.
pub(super) fn structure(
    name: &Ident,
    about: &TokenStream,
    members: &[Member],
) -> Result<TokenStream, EmitError> {
    let mut scope = Scope::default();
    for member in members {
        let what = format!("`{}` of {name}", member.stored);
        scope.take(&member.ident.to_string(), &what)?;
    }
    let (rename_all, renames) = renames(members);
    let fields = members.iter().zip(renames).map(|(member, rename)| {
        let Member {
            ident,
            about,
            serde,
            kind,
            ..
        } = member;
        let told: Vec<&TokenStream> = rename.iter().chain(serde).collect();
        let serde = (!told.is_empty()).then(|| quote! { #[serde(#(#told),*)] });
        quote! { #about #serde pub #ident: #kind }
    });
    Ok(quote! {
        #about
        #[derive(Debug, Clone, PartialEq, lib_Serialize, lib_Deserialize, lib_JsonSchema)]
        #rename_all
        pub struct #name { #(#fields),* }
    })
}

/// One rule for all names where there is one, else a name for each that differs.
fn renames(members: &[Member]) -> (Option<TokenStream>, Vec<Option<TokenStream>>) {
    let bare = |member: &Member| member.ident.to_string().trim_start_matches("r#").to_owned();
    let spelled: [(&str, Spelling); 3] = [
        ("PascalCase", pascal),
        ("camelCase", camel),
        ("SCREAMING_SNAKE_CASE", screaming),
    ];
    let none = || members.iter().map(|_| None).collect();
    if members.iter().all(|member| bare(member) == member.stored) {
        return (None, none());
    }
    for (rule, spell) in spelled {
        if members
            .iter()
            .all(|member| spell(&bare(member)) == member.stored)
        {
            return (Some(quote! { #[serde(rename_all = #rule)] }), none());
        }
    }
    let each = members.iter().map(|member| {
        let stored = &member.stored;
        (bare(member) != *stored).then(|| quote! { rename = #stored })
    });
    (None, each.collect())
}

/// What is read where nothing is stored.
fn serde_default(
    cx: &Context<'_>,
    defaults: &mut Defaults,
    owner: &str,
    field: &Field,
) -> Result<Option<TokenStream>, EmitError> {
    if field.is_optional() {
        return Ok(Some(
            quote! { default, skip_serializing_if = "Option::is_none" },
        ));
    }
    // An empty set is not stored.
    if let FieldType::Set(..) = field.kind() {
        return Ok(Some(quote! { default }));
    }
    let Some(value) = &field.declared.default else {
        return Ok(None);
    };
    let plain = matches!(
        (field.kind(), value.as_str()),
        (FieldType::Bool, "false") | (FieldType::Int { .. }, "0")
    );
    if plain || field.kind().words().is_some() {
        return Ok(Some(quote! { default }));
    }
    let name = format!("default_{}_{}", snake(owner), snake(field.name.as_str()));
    let kind = cx.field_type(owner, field);
    let function = known_ident(&name);
    let value = literal(cx, owner, field, value)?;
    defaults.insert(name.clone(), quote! { fn #function() -> #kind { #value } });
    Ok(Some(quote! { default = #name }))
}

/// A value that the model writes, as Rust writes it.
pub(super) fn literal(
    cx: &Context<'_>,
    owner: &str,
    field: &Field,
    value: &str,
) -> Result<TokenStream, EmitError> {
    Ok(match field.kind() {
        FieldType::Bool => {
            let value = value == "true";
            quote! { #value }
        }
        FieldType::Int { .. } | FieldType::EpochSeconds | FieldType::EpochMillis => {
            let digits = value
                .parse::<i64>()
                .map(proc_macro2::Literal::i64_unsuffixed);
            digits.map_or_else(|_| quote! { #value }, |digits| quote! { #digits })
        }
        FieldType::Decimal => {
            quote! { #value.parse().expect("it is a decimal number in the model") }
        }
        FieldType::Enum(_) | FieldType::Ordered(_) => {
            let declared = super::context::Declared::new(owner, field.name.as_str());
            match cx.enums.get(&declared) {
                Some(name) => enums::value(name, value)?,
                None => quote! { #value },
            }
        }
        _ => quote! { #value.to_owned() },
    })
}
