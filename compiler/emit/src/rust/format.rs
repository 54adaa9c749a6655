//! From tokens to text that reads as if somebody had written it.

use proc_macro2::TokenStream;
use quote::quote;

use crate::EmitError;

/// One item or a few that belong together, formatted.
pub(super) fn items(tokens: TokenStream) -> Result<String, EmitError> {
    let file = syn::parse2::<syn::File>(tokens).map_err(|error| EmitError::NotCode {
        why: error.to_string(),
    })?;
    let mut text = String::new();
    for item in file.items {
        let finish: fn(&str) -> String = match item {
            syn::Item::Impl(_) => spaced,
            syn::Item::Macro(_) => tight,
            _ => derives_in_lines,
        };
        let one = syn::File {
            shebang: None,
            frontmatter: None,
            attrs: Vec::new(),
            items: vec![item],
        };
        let formatted = prettyplease::unparse(&one);
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&finish(&formatted));
    }
    Ok(text)
}

/// Types in a macro as they are written elsewhere.
fn tight(text: &str) -> String {
    text.replace(" < ", "<").replace(" >", ">")
}

/// A long list of derives in as few lines as it needs.
fn derives_in_lines(text: &str) -> String {
    const BEGINS: &str = "#[derive(\n";
    let Some((before, rest)) = text.split_once(BEGINS) else {
        return text.to_owned();
    };
    let Some((names, after)) = rest.split_once(")]\n") else {
        return text.to_owned();
    };
    let mut lines = String::new();
    let mut line = String::from("   ");
    for name in names.split(',').map(str::trim) {
        if line.len() + name.len() + 2 > 100 {
            lines.push_str(&line);
            lines.push('\n');
            line = String::from("   ");
        }
        line.push_str(&format!(" {name},"));
    }
    format!("{before}{BEGINS}{lines}{line}\n)]\n{after}")
}

/// A blank line between the members of an `impl`.
fn spaced(text: &str) -> String {
    let mut spaced = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        spaced.push_str(line);
        spaced.push('\n');
        let ends_a_member = line == "    }"
            || (line.starts_with("    ") && !line.starts_with("     ") && line.ends_with(';'));
        let more_of_a_kind =
            |next: &str| line.starts_with("    type ") && next.starts_with("    type ");
        if ends_a_member
            && lines
                .peek()
                .is_some_and(|next| *next != "}" && !more_of_a_kind(next))
        {
            spaced.push('\n');
        }
    }
    spaced
}

/// Documentation, a line each.
pub(super) fn docs<L: AsRef<str>>(lines: impl IntoIterator<Item = L>) -> TokenStream {
    let lines = lines.into_iter().map(|line| {
        let line = line.as_ref();
        let line = if line.is_empty() {
            String::new()
        } else {
            format!(" {line}")
        };
        quote! { #[doc = #line] }
    });
    quote! { #(#lines)* }
}

/// One sentence of documentation.
pub(super) fn doc(line: &str) -> TokenStream {
    docs([line])
}

/// Somebody's words as documentation: what Markdown would read otherwise is escaped.
pub(super) fn prose(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    lines
        .map(|line| {
            let mut escaped = String::new();
            for c in line.chars() {
                if matches!(c, '[' | ']' | '<' | '\\') {
                    escaped.push('\\');
                }
                escaped.push(c);
            }
            escaped
        })
        .collect()
}
