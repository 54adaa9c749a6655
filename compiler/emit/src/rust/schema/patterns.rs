//! Reads, writes and events in words.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use tablewright_descriptor::key_text::Tail;
use tablewright_descriptor::written::{
    ActionKind, ActionText, Bound, EventKind, EventText, ReadText, SortText, ViaText, WriteText,
};

use super::super::names::known_ident;
use super::{names, pairs};

fn bound(bound: &Bound) -> TokenStream {
    let text = &bound.text;
    let tail = match bound.tail {
        Tail::Exact => return quote! { lib_Bound::at(#text) },
        Tail::Above(above) => quote! { Above(#above) },
        Tail::AfterPrefix => quote! { AfterPrefix },
        Tail::JustBelow => quote! { JustBelow },
    };
    quote! { lib_Bound::with_tail(#text, lib_Tail::#tail) }
}

fn sort(sort: &SortText) -> Option<TokenStream> {
    let test = match sort {
        SortText::All => return None,
        SortText::Equals(text) => quote! { Equals(#text.into()) },
        SortText::BeginsWith(text) => quote! { BeginsWith(#text.into()) },
        SortText::Between(low, high) => {
            let (low, high) = (bound(low), bound(high));
            quote! { Between(#low, #high) }
        }
        SortText::AtLeast(end) => one_bound(quote! { AtLeast }, end),
        SortText::Above(end) => one_bound(quote! { Above }, end),
        SortText::AtMost(end) => one_bound(quote! { AtMost }, end),
        SortText::Below(end) => one_bound(quote! { Below }, end),
    };
    Some(quote! { .sort(lib_SortText::#test) })
}

fn one_bound(test: TokenStream, end: &Bound) -> TokenStream {
    let end = bound(end);
    quote! { #test(#end) }
}

pub(super) fn read(read: &ReadText) -> TokenStream {
    let name = &read.name;
    let entity = read.entities.first();
    let mut text = match &read.via {
        ViaText::Key => quote! { lib_ReadText::get(#name, #entity) },
        ViaText::Guard(guard) => quote! { lib_ReadText::get_by_guard(#name, #entity, #guard) },
        ViaText::Counter { keeper, counter } => {
            quote! { lib_ReadText::counted(#name, #entity, #keeper, #counter) }
        }
        ViaText::Query => {
            let entities = names(&read.entities);
            quote! { lib_ReadText::query(#name, #entities) }
        }
    };
    if let Some(index) = &read.index {
        text.extend(quote! { .index(#index) });
    }
    let partition = &read.partition;
    text.extend(quote! { .partition(#partition) });
    text.extend(sort(&read.sort));
    let (by, given): (Vec<_>, Vec<_>) = read.given.iter().partition(|(name, field)| name == field);
    if !by.is_empty() {
        let by = by.iter().map(|(name, _)| name);
        text.extend(quote! { .by(&[#(#by),*]) });
    }
    for (word, pairs_of) in [
        ("given", &given.into_iter().cloned().collect()),
        ("fixed", &read.fixed),
    ] {
        if !pairs_of.is_empty() {
            let (word, pairs) = (known_ident(word), pairs(pairs_of));
            text.extend(quote! { .#word(#pairs) });
        }
    }
    if let Some(filter) = &read.filter {
        text.extend(quote! { .filter(#filter) });
    }
    for (word, of) in [
        ("refine", &read.refine),
        ("fields", &read.fields),
        ("matches", &read.matches),
    ] {
        if !of.is_empty() {
            let (word, names) = (known_ident(word), names(of));
            text.extend(quote! { .#word(#names) });
        }
    }
    if read.backwards {
        text.extend(quote! { .backwards() });
    }
    if read.page != ReadText::query("", &[]).page {
        let page = proc_macro2::Literal::u32_unsuffixed(read.page);
        text.extend(quote! { .page(#page) });
    }
    if let Some(most) = read.looks_at {
        let most = proc_macro2::Literal::u32_unsuffixed(most);
        text.extend(quote! { .looks_at(#most) });
    }
    if read.strong {
        text.extend(quote! { .strong() });
    }
    text
}

pub(super) fn write(write: &WriteText) -> TokenStream {
    let name = &write.name;
    let mut text = quote! { lib_WriteText::new(#name) };
    for one in &write.actions {
        let one = action(one);
        text.extend(quote! { .action(#one) });
    }
    if let Some(claim) = &write.claim {
        text.extend(quote! { .claim(#claim) });
    }
    text
}

fn action(action: &ActionText) -> TokenStream {
    let entity = &action.entity;
    let kind = match action.kind {
        ActionKind::Create => quote! { create },
        ActionKind::Update => quote! { update },
        ActionKind::Delete => quote! { delete },
        ActionKind::Check => quote! { check },
    };
    let mut text = quote! { lib_ActionText::#kind(#entity) };
    if action.name != action.entity {
        let name = &action.name;
        text.extend(quote! { .named(#name) });
    }
    if !action.set.is_empty() {
        let set = names(&action.set);
        text.extend(quote! { .set(#set) });
    }
    if !action.add.is_empty() {
        let add = names(&action.add);
        text.extend(quote! { .add(#add) });
    }
    if let Some(condition) = &action.condition {
        text.extend(quote! { .only_if(#condition) });
    }
    text
}

pub(super) fn event(event: &EventText) -> TokenStream {
    let (name, entity) = (&event.name, &event.entity);
    let mut text = match (event.on, &event.field) {
        (EventKind::Insert, _) => quote! { lib_EventText::on_insert(#name, #entity) },
        (EventKind::Remove, _) => quote! { lib_EventText::on_remove(#name, #entity) },
        (EventKind::Change, None) => quote! { lib_EventText::on_change(#name, #entity) },
        (EventKind::Change, Some(field)) => {
            quote! { lib_EventText::on_change_of(#name, #entity, #field) }
        }
    };
    if let Some(condition) = &event.condition {
        text.extend(quote! { .only_if(#condition) });
    }
    if !event.detail.is_empty() {
        let detail = names(&event.detail);
        text.extend(quote! { .detail(#detail) });
    }
    if event.version != 1 {
        let version = Literal::u16_unsuffixed(event.version);
        text.extend(quote! { .version(#version) });
    }
    text
}
