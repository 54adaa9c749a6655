//! A type for the words of each enum field.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::Field;

use super::context::{Context, Declared, plain_name};
use super::format::doc;
use super::names::{
    Scope, Spelling, camel, ident, kebab, known_ident, pascal, screaming, singular, snake,
};
use crate::EmitError;

/// An enum that is to be generated.
pub(super) struct Words<'m> {
    pub(super) owner: String,
    name: Ident,
    what: String,
    words: &'m [String],
    /// Its values can be compared: in the order of the model, or to stand in a set.
    compared: bool,
    default: Option<&'m str>,
}

/// Finds every enum of the model and names it.
pub(super) fn find<'m>(
    cx: &mut Context<'m>,
    types: &mut Scope,
) -> Result<Vec<Words<'m>>, EmitError> {
    let mut found = Vec::new();
    let model = cx.model;
    for entity in &model.entities {
        let (owner, plain) = (entity.name.as_str(), plain_name(entity));
        of_fields(cx, types, &mut found, (owner, plain), &entity.fields)?;
    }
    for structure in &model.structs {
        let owner = structure.name.as_str();
        of_fields(cx, types, &mut found, (owner, owner), &structure.fields)?;
    }
    Ok(found)
}

fn of_fields<'m>(
    cx: &mut Context<'m>,
    types: &mut Scope,
    found: &mut Vec<Words<'m>>,
    (owner, plain): (&str, &str),
    fields: &'m [Field],
) -> Result<(), EmitError> {
    for field in fields {
        let Some((words, compared)) = words_in(field.kind()) else {
            continue;
        };
        let of_one = field.kind().words().is_some();
        let name = type_name(plain, field);
        let what = format!("the values of {owner}.{}", field.name);
        types.take(&name, &what)?;
        let name = ident(&name, field.name.as_str(), &what)?;
        cx.enums
            .insert(Declared::new(owner, field.name.as_str()), name.clone());
        found.push(Words {
            owner: owner.to_owned(),
            name,
            what: format!("What `{}` of [`{owner}`] can be.", field.name),
            words,
            compared,
            default: field.declared.default.as_deref().filter(|_| of_one),
        });
    }
    Ok(())
}

/// What the type of a field's words is called: `TaskStatus`.
pub(crate) fn type_name(owner: &str, field: &Field) -> String {
    let name = field.name.as_str();
    let own = pascal(&match field.kind().words() {
        Some(_) => name.to_owned(),
        None => singular(name),
    });
    if own.starts_with(owner) {
        own
    } else {
        format!("{owner}{own}")
    }
}

/// The words somewhere in a type, and whether they can be compared.
pub(crate) fn words_in(kind: &FieldType) -> Option<(&[String], bool)> {
    match kind {
        FieldType::Enum(words) => Some((words, false)),
        FieldType::Ordered(words) => Some((words, true)),
        FieldType::List(of, _) | FieldType::Map(of, _) => words_in(of),
        FieldType::Set(of, _) => words_in(of).map(|(words, _)| (words, true)),
        _ => None,
    }
}

/// The variant of a word.
pub(super) fn variant(word: &str, of: &str) -> Result<Ident, EmitError> {
    let name = pascal(word);
    let name = if name.starts_with(char::is_numeric) {
        format!("_{name}")
    } else {
        name
    };
    ident(&name, word, of)
}

pub(super) fn generate(words: &Words<'_>) -> Result<TokenStream, EmitError> {
    let name = &words.name;
    let mut scope = Scope::default();
    let mut variants = Vec::new();
    for word in words.words {
        let variant = variant(word, &format!("a value of {name}"))?;
        scope.take(&variant.to_string(), &format!("`{word}` of {name}"))?;
        variants.push(variant);
    }
    let texts = words.words;
    let (rename_all, renames) = renames(texts, &variants);
    let members = texts
        .iter()
        .zip(&variants)
        .zip(renames)
        .map(|((word, variant), rename)| {
            let about = doc(&format!("`{word}`"));
            let default = (words.default == Some(word)).then(|| quote! { #[default] });
            quote! { #about #rename #default #variant }
        });
    let default = words.default.map(|_| quote! { Default, });
    let order = words.compared.then(|| quote! { PartialOrd, Ord, });
    let about = doc(&words.what);
    let count = proc_macro2::Literal::usize_unsuffixed(texts.len());
    Ok(quote! {
        #about
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, #order Hash, #default lib_Serialize, lib_Deserialize, lib_JsonSchema
        )]
        #rename_all
        pub enum #name { #(#members),* }

        impl #name {
            /// All of them, in the order of the model.
            pub const ALL: [#name; #count] = [#(#name::#variants),*];

            /// The word it is stored as.
            pub fn as_str(self) -> &'static str {
                match self { #(#name::#variants => #texts),* }
            }
        }

        impl lib_Display for #name {
            fn fmt(&self, f: &mut lib_Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    })
}

/// One rule for all names where there is one, else a name for each that differs.
fn renames(
    words: &[String],
    variants: &[Ident],
) -> (Option<TokenStream>, Vec<Option<TokenStream>>) {
    let spelled: [(&str, Spelling); 6] = [
        ("snake_case", snake),
        ("SCREAMING_SNAKE_CASE", screaming),
        ("lowercase", str::to_lowercase),
        ("UPPERCASE", str::to_uppercase),
        ("kebab-case", kebab),
        ("camelCase", camel),
    ];
    let plain = |word: &String, variant: &Ident| variant == word;
    let none = vec![None; words.len()];
    if words
        .iter()
        .zip(variants)
        .all(|(word, variant)| plain(word, variant))
    {
        return (None, none);
    }
    // serde takes capitals and underscores of any kind its own way; a rule is for plain names only.
    let is_plain = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let rules = if variants
        .iter()
        .all(|variant| is_plain(&variant.to_string()))
    {
        &spelled[..]
    } else {
        &[]
    };
    for &(rule, spell) in rules {
        let mut pairs = words.iter().zip(variants);
        if pairs.all(|(word, variant)| serde_spells(rule, spell, &variant.to_string()) == *word) {
            return (Some(quote! { #[serde(rename_all = #rule)] }), none);
        }
    }
    let each = words.iter().zip(variants).map(|(word, variant)| {
        (!plain(word, variant)).then(|| quote! { #[serde(rename = #word)] })
    });
    (None, each.collect())
}

/// What serde makes of a variant: it begins a word at every capital letter, and nowhere else.
fn serde_spells(rule: &str, spell: Spelling, variant: &str) -> String {
    match rule {
        "lowercase" | "UPPERCASE" | "camelCase" => spell(variant),
        _ => {
            let mut apart = String::new();
            for (at, c) in variant.chars().enumerate() {
                if at > 0 && c.is_uppercase() {
                    apart.push('_');
                }
                apart.extend(c.to_lowercase());
            }
            match rule {
                "SCREAMING_SNAKE_CASE" => apart.to_uppercase(),
                "kebab-case" => apart.replace('_', "-"),
                _ => apart,
            }
        }
    }
}

/// The value of a word, for where code must name it.
pub(super) fn value(name: &Ident, word: &str) -> Result<TokenStream, EmitError> {
    let variant = variant(word, &format!("a value of {name}"))?;
    let name = known_ident(&name.to_string());
    Ok(quote! { #name::#variant })
}
