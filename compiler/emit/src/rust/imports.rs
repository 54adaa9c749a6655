//! Names from outside the generated module.
//!
//! Generators write them with the prefix `lib_`: `lib_Store`. What occurs is imported; where the model has a type of that name, the
//! path is written out instead.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

use super::names::{Scope, known_ident};

const PREFIX: &str = "lib_";

/// Everything generated code may name, with its module.
const KNOWN: &[(&str, &[&str])] = &[
    ("std::collections", &["BTreeMap", "BTreeSet"]),
    ("std::fmt", &["Display", "Formatter"]),
    ("std::sync", &["LazyLock"]),
    ("schemars", &["JsonSchema"]),
    ("serde", &["Deserialize", "Serialize"]),
    ("tablewright::descriptor::key_text", &["Tail"]),
    ("tablewright::descriptor::words", &["pair", "single"]),
    (
        "tablewright::descriptor::written",
        &[
            "ActionText",
            "Bound",
            "EntityText",
            "EventText",
            "ReadText",
            "SchemaText",
            "SortText",
            "StructText",
            "WriteText",
        ],
    ),
    (
        "tablewright::descriptor",
        &["Index", "KeyAttribute", "Schema", "StreamView", "Table"],
    ),
    ("tablewright::tables", &["TableChange", "TableError"]),
    (
        "tablewright",
        &[
            "Bytes",
            "Change",
            "Changed",
            "Changes",
            "Claim",
            "Count",
            "Date",
            "Decimal",
            "Entity",
            "EntityKey",
            "Error",
            "Failed",
            "Failure",
            "Inputs",
            "Migrations",
            "Once",
            "Only",
            "Patch",
            "Query",
            "Refine",
            "Refusal",
            "Refused",
            "Repository",
            "Row",
            "Seen",
            "Store",
            "Timestamp",
            "TimestampMicros",
            "TimestampSeconds",
            "TransactKeys",
            "Ulid",
            "Uuid",
            "Values",
            "Versioned",
        ],
    ),
];

/// What is written without an import: types of the model cannot have these names.
pub(super) const RESERVED: &[&str] = &[
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Err",
    "From",
    "Hash",
    "Into",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "SCHEMA",
    "Self",
    "Some",
    "String",
    "Stopped",
    "Vec",
];

/// Imports what is named, or writes its path where the name is taken.
#[derive(Default)]
pub(super) struct Imports {
    used: BTreeSet<(&'static str, &'static str)>,
}

impl Imports {
    pub(super) fn resolve(&mut self, tokens: TokenStream, types: &Scope) -> TokenStream {
        let mut resolved = TokenStream::new();
        for token in tokens {
            match token {
                TokenTree::Group(group) => {
                    let inner = self.resolve(group.stream(), types);
                    let delimiter: Delimiter = group.delimiter();
                    resolved.extend([TokenTree::Group(Group::new(delimiter, inner))]);
                }
                TokenTree::Ident(ident) => {
                    let text = ident.to_string();
                    match text.strip_prefix(PREFIX).and_then(known) {
                        None => resolved.extend([TokenTree::Ident(ident)]),
                        Some((module, name)) if types.has(name) => {
                            let segments = module.split("::").map(known_ident);
                            let name = known_ident(name);
                            resolved.extend(quote! { #(#segments)::*::#name });
                        }
                        Some((module, name)) => {
                            self.used.insert((module, name));
                            resolved.extend([TokenTree::Ident(known_ident(name))]);
                        }
                    }
                }
                other => resolved.extend([other]),
            }
        }
        resolved
    }

    /// The `use` items, those of the standard library first.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        let mut group = "";
        for (module, names) in KNOWN {
            let used = names
                .iter()
                .filter(|name| self.used.contains(&(*module, **name)));
            let used: Vec<&str> = used.copied().collect();
            let this = if module.starts_with("std") {
                "std"
            } else {
                "crates"
            };
            let line = match used.as_slice() {
                [] => continue,
                [one] => format!("use {module}::{one};\n"),
                several => wrapped(module, several),
            };
            if !group.is_empty() && this != group {
                text.push('\n');
            }
            group = this;
            text.push_str(&line);
        }
        text
    }
}

/// As the formatter breaks it.
fn wrapped(module: &str, names: &[&str]) -> String {
    let one_line = format!("use {module}::{{{}}};\n", names.join(", "));
    if one_line.len() <= 101 {
        return one_line;
    }
    let mut text = format!("use {module}::{{\n");
    let mut line = String::from("   ");
    for name in names {
        if line.len() + name.len() + 2 >= 100 {
            text.push_str(&line);
            text.push('\n');
            line = String::from("   ");
        }
        line.push_str(&format!(" {name},"));
    }
    format!("{text}{line}\n}};\n")
}

fn known(name: &str) -> Option<(&'static str, &'static str)> {
    KNOWN.iter().find_map(|(module, names)| {
        let found = names.iter().find(|known| **known == name)?;
        Some((*module, *found))
    })
}
