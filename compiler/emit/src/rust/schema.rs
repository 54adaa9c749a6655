//! The schema, in the words the run time reads it in.

mod patterns;

use proc_macro2::TokenStream;
use quote::quote;
use tablewright_descriptor::written::{EntityText, Layout, TemplateText};
use tablewright_descriptor::{Index, KeyAttribute, KeyKind, Projection, StreamView, Table};

use super::context::Context;
use patterns::{event, read, write};

/// The static, and a function for each kind of thing in it.
pub(super) fn generate(cx: &Context<'_>) -> TokenStream {
    let schema = &cx.schema;
    let name = &schema.name;
    let structs = schema.structs.iter().map(|structure| {
        let name = &structure.name;
        let fields = pairs(&structure.fields);
        quote! { .structure(#name, #fields) }
    });
    let mut setters = Vec::new();
    let mut functions = Vec::new();
    let mut list = |field: TokenStream, kind: TokenStream, of: Vec<TokenStream>| {
        if !of.is_empty() {
            setters.push(quote! { schema.#field = #field(); });
            functions.push(quote! { fn #field() -> Vec<#kind> { Vec::from([#(#of),*]) } });
        }
    };
    list(
        quote! { tables },
        quote! { lib_Table },
        schema.tables.iter().map(table).collect(),
    );
    list(
        quote! { entities },
        quote! { lib_EntityText },
        schema.entities.iter().map(entity).collect(),
    );
    list(
        quote! { reads },
        quote! { lib_ReadText },
        schema.reads.iter().map(read).collect(),
    );
    list(
        quote! { writes },
        quote! { lib_WriteText },
        schema.writes.iter().map(write).collect(),
    );
    list(
        quote! { events },
        quote! { lib_EventText },
        schema.events.iter().map(event).collect(),
    );
    quote! {
        /// The model as the run time knows it: the same keys, types and conditions, and how each pattern is answered.
        pub static SCHEMA: lib_LazyLock<lib_Schema> = lib_LazyLock::new(|| {
            let mut schema = lib_SchemaText::new(#name) #(#structs)*;
            #(#setters)*
            lib_Schema::resolve(schema).expect("the compiler has checked the model")
        });

        #(#functions)*
    }
}

fn pairs(pairs: &[(String, String)]) -> TokenStream {
    let pairs = pairs.iter().map(|(a, b)| quote! { (#a, #b) });
    quote! { &[#(#pairs),*] }
}

fn names(names: &[String]) -> TokenStream {
    quote! { &[#(#names),*] }
}

fn key_attribute(attribute: &KeyAttribute) -> TokenStream {
    let name = &attribute.name;
    match attribute.kind {
        KeyKind::String => quote! { lib_KeyAttribute::string(#name) },
        KeyKind::Number => quote! { lib_KeyAttribute::number(#name) },
        KeyKind::Binary => quote! { lib_KeyAttribute::binary(#name) },
    }
}

fn table(table: &Table) -> TokenStream {
    let name = &table.name;
    let partition = key_attribute(&table.partition_key);
    let mut text = quote! { lib_Table::new(#name, #partition) };
    if let Some(sort) = &table.sort_key {
        let sort = key_attribute(sort);
        text.extend(quote! { .sort_key(#sort) });
    }
    if let Some(attribute) = &table.type_attribute {
        text.extend(quote! { .type_attribute(#attribute) });
    }
    if let Some(attribute) = &table.ttl {
        text.extend(quote! { .ttl(#attribute) });
    }
    if let Some(view) = table.stream {
        let view = match view {
            StreamView::KeysOnly => quote! { KeysOnly },
            StreamView::NewImage => quote! { NewImage },
            StreamView::OldImage => quote! { OldImage },
            StreamView::NewAndOldImages => quote! { NewAndOldImages },
        };
        text.extend(quote! { .stream(lib_StreamView::#view) });
    }
    if !table.recovery {
        text.extend(quote! { .without_recovery() });
    }
    if !table.deletion_protection {
        text.extend(quote! { .without_deletion_protection() });
    }
    if !table.escape {
        text.extend(quote! { .without_escaping() });
    }
    for one in &table.indexes {
        let one = index(one);
        text.extend(quote! { .index(#one) });
    }
    text
}

fn index(index: &Index) -> TokenStream {
    let name = &index.name;
    let partition = key_attribute(&index.partition_key);
    let kind = if index.local {
        quote! { local }
    } else {
        quote! { global }
    };
    let mut text = quote! { lib_Index::#kind(#name, #partition) };
    if let Some(sort) = &index.sort_key {
        let sort = key_attribute(sort);
        text.extend(quote! { .sort_key(#sort) });
    }
    match &index.projection {
        Projection::All => {}
        Projection::KeysOnly => text.extend(quote! { .keys_only() }),
        Projection::Only(attributes) => {
            let attributes = names(attributes);
            text.extend(quote! { .only(#attributes) });
        }
    }
    text
}

fn templates(key: &TemplateText) -> TokenStream {
    let partition = &key.partition;
    match &key.sort {
        Some(sort) => quote! { lib_pair(#partition, #sort) },
        None => quote! { lib_single(#partition) },
    }
}

fn entity(entity: &EntityText) -> TokenStream {
    let (name, table) = (&entity.name, &entity.table);
    let key = templates(&entity.key);
    let mut text = quote! { lib_EntityText::new(#name, #table, #key) };
    if entity.type_value != entity.name {
        let value = &entity.type_value;
        text.extend(quote! { .type_value(#value) });
    }
    let fields = pairs(&entity.fields);
    text.extend(quote! { .fields(#fields) });
    for one in &entity.indexes {
        let (index, key) = (&one.index, templates(&one.key));
        text.extend(match &one.when {
            None => quote! { .index(#index, #key) },
            Some(when) => quote! { .index_when(#index, #key, #when) },
        });
    }
    for (name, guard) in &entity.unique {
        let guard = templates(guard);
        text.extend(quote! { .unique(#name, #guard) });
    }
    for counter in &entity.counters {
        let (name, counts) = (&counter.name, &counter.counts);
        text.extend(match &counter.per {
            None => quote! { .counter(#name, #counts) },
            Some(per) => quote! { .counter_per(#name, #counts, #per) },
        });
    }
    if let Some(ttl) = &entity.ttl {
        text.extend(quote! { .ttl(#ttl) });
    }
    if let Some(versioned) = entity.versioned {
        let version = proc_macro2::Literal::u16_unsuffixed(versioned.data_version);
        text.extend(match versioned.layout {
            Layout::Flat => quote! { .versioned(#version) },
            Layout::Wrapped => quote! { .versioned_and_wrapped(#version) },
        });
        if !versioned.reapply {
            text.extend(quote! { .fails_on_conflict() });
        }
    }
    for field in &entity.secret {
        text.extend(quote! { .secret(#field) });
    }
    text
}
