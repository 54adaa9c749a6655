//! The draft as the text of a model.

use std::collections::BTreeSet;

use super::bounds::bounded;
use super::entity::{Draft, EntityDraft, TableDraft};
use super::source::{Keys, Source, TableSource};

/// The text of the model; the canonical form is the formatter's matter.
pub(super) fn write(name: &str, source: &Source, draft: &Draft) -> String {
    let mut text = String::new();
    text.push_str("# Made from a data model of NoSQL Workbench: a model to start from.\n");
    if !draft.lost.is_empty() {
        text.push_str("# What could not be kept, or was guessed:\n");
        for line in &draft.lost {
            text.push_str(&format!("# * {}\n", one_paragraph(line)));
        }
    }
    text.push_str(&format!("\n[model]\nname = {}\n", quoted(name)));
    if !source.name.trim().is_empty() {
        text.push_str(&format!("title = {}\n", quoted(source.name.trim())));
    }
    if !source.about.is_empty() {
        text.push_str(&format!("about = {}\n", quoted(&source.about)));
    }
    let alone = draft.tables.iter().all(|table| table.entities.len() == 1);
    let profile = match alone && draft.tables.len() > 1 {
        true => "table-per-entity",
        false => "single-table",
    };
    text.push_str(&format!("profile = {}\n", quoted(profile)));
    for (source, draft) in source.tables.iter().zip(&draft.tables) {
        table(source, draft, &mut text);
    }
    for (source, draft) in source.tables.iter().zip(&draft.tables) {
        for one in &draft.entities {
            entity(source, one, &mut text);
        }
    }
    for structure in &draft.structs {
        text.push_str(&format!("\n[struct.{}]\n", structure.name));
        for (field, kind) in &structure.fields {
            text.push_str(&format!("{field} = {}\n", quoted(&bounded(kind))));
        }
    }
    for question in &draft.questions {
        question.write(&mut text);
    }
    text
}

fn table(source: &TableSource, draft: &TableDraft, text: &mut String) {
    let name = key(&source.name);
    text.push_str(&format!("\n[table.{name}]\n"));
    text.push_str(&format!(
        "partition_key = {}\n",
        attribute(&source.keys.partition)
    ));
    if let Some(sort) = &source.keys.sort {
        text.push_str(&format!("sort_key = {}\n", attribute(sort)));
    }
    if let Some(attribute) = &draft.type_attribute {
        text.push_str(&format!("type = {}\n", quoted(attribute)));
    }
    if !draft.escape {
        text.push_str("escape = false\n");
    }
    if let Some(provisioned) = &source.provisioned {
        text.push_str("billing = \"provisioned\"\n");
        let units = |name: &str, units: Option<(u64, u64)>| {
            units.map(|(fewest, most)| format!("{name} = \"{fewest}..{most}\""))
        };
        let target = provisioned
            .target
            .map(|target| format!("target = {target}"));
        let said = [
            units("read", provisioned.read),
            units("write", provisioned.write),
            target,
        ];
        let said: Vec<String> = said.into_iter().flatten().collect();
        if !said.is_empty() {
            text.push_str(&format!("capacity = {{ {} }}\n", said.join(", ")));
        }
    }
    if source.indexes.is_empty() {
        return;
    }
    text.push_str(&format!("\n[table.{name}.index]\n"));
    let known: BTreeSet<&str> = draft
        .entities
        .iter()
        .flat_map(|entity| &entity.fields)
        .map(|field| field.name.as_str())
        .collect();
    for index in &source.indexes {
        let mut said = index_keys(&index.name, &index.keys);
        let projection = match &index.projection {
            None => quoted("all"),
            Some(names) => {
                let names: Vec<String> = names
                    .iter()
                    .filter(|name| known.contains(name.as_str()))
                    .map(|name| quoted(name))
                    .collect();
                match names.is_empty() {
                    true => quoted("keys-only"),
                    false => format!("[{}]", names.join(", ")),
                }
            }
        };
        said.push(format!("projection = {projection}"));
        text.push_str(&format!(
            "{} = {{ {} }}\n",
            key(&index.name),
            said.join(", ")
        ));
    }
}

/// The keys of an index, where they are not those it has anyway.
fn index_keys(name: &str, keys: &Keys) -> Vec<String> {
    let plain = |suffix: &str| (format!("{name}{suffix}"), "S".to_owned());
    let mut said = Vec::new();
    if keys.partition != plain("PK") {
        said.push(format!("partition_key = {}", attribute(&keys.partition)));
    }
    match &keys.sort {
        None => said.push("sort_key = false".to_owned()),
        Some(sort) if *sort != plain("SK") => said.push(format!("sort_key = {}", attribute(sort))),
        Some(_) => {}
    }
    said
}

fn entity(source: &TableSource, draft: &EntityDraft, text: &mut String) {
    let name = &draft.name;
    text.push_str(&format!(
        "\n[entity.{name}]\ntable = {}\n",
        quoted(&source.name)
    ));
    if let Some(value) = &draft.type_value {
        text.push_str(&format!("type = {}\n", quoted(value)));
    }
    text.push_str(&format!(
        "key = {}\n",
        templates(&draft.partition, draft.sort.as_deref(), &[])
    ));
    if let Some(versioned) = &draft.versioned {
        let layout = if versioned.wrapped {
            ", layout = \"wrapped\""
        } else {
            ""
        };
        text.push_str(&format!(
            "versioned = {{ data_version = {}{layout} }}\n",
            versioned.data_version
        ));
    }
    if !draft.indexes.is_empty() {
        text.push_str(&format!("\n[entity.{name}.index]\n"));
        for index in &draft.indexes {
            let sparse: &[&str] = if index.sparse {
                &["sparse = true"]
            } else {
                &[]
            };
            let value = templates(&index.partition, index.sort.as_deref(), sparse);
            text.push_str(&format!("{} = {value}\n", key(&index.index)));
        }
    }
    if !draft.unique.is_empty() {
        text.push_str(&format!("\n[entity.{name}.unique]\n"));
        for (unique, partition, sort) in &draft.unique {
            text.push_str(&format!(
                "{} = {}\n",
                key(unique),
                templates(partition, sort.as_deref(), &[])
            ));
        }
    }
    text.push_str(&format!("\n[entity.{name}.fields]\n"));
    for field in &draft.fields {
        let bound = field.bound.as_ref();
        let comment = bound.map_or_else(String::new, |bound| format!(" # {bound}"));
        text.push_str(&format!(
            "{} = {}{comment}\n",
            field.name,
            quoted(&bounded(&field.kind))
        ));
    }
}

fn templates(partition: &str, sort: Option<&str>, more: &[&str]) -> String {
    let mut said = vec![format!("partition = {}", quoted(partition))];
    said.extend(sort.map(|sort| format!("sort = {}", quoted(sort))));
    said.extend(more.iter().map(|more| (*more).to_owned()));
    format!("{{ {} }}", said.join(", "))
}

fn attribute((name, letter): &(String, String)) -> String {
    match letter.as_str() {
        "N" => quoted(&format!("{name}: number")),
        "B" => quoted(&format!("{name}: binary")),
        _ => quoted(name),
    }
}

/// A key of TOML, quoted where it must be.
pub(super) fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match !name.is_empty() && name.chars().all(bare) {
        true => name.to_owned(),
        false => quoted(name),
    }
}

/// A text of TOML.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Somebody's text on one line, and not for ever.
pub(super) fn one_paragraph(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain: String = words
        .join(" ")
        .chars()
        .filter(|c| !c.is_control())
        .collect();
    match plain.char_indices().nth(600) {
        Some((at, _)) => format!("{}…", &plain[..at]),
        None => plain,
    }
}
