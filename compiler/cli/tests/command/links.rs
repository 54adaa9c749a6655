//! Every link of the documentation leads somewhere: to a file that exists, and on its page to a heading or an anchor.
//! (C0-28, C3-18)

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// The lines of a page outside of fenced blocks, with what stands in backticks masked, and their numbers from 1.
fn prose(markdown: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(markdown.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((number, masked(line)));
        }
    }
    lines
}

/// Brackets in code are no links; the backticks stay, to tell that it was code.
fn masked(line: &str) -> String {
    let mut code = false;
    let mask = |c| {
        code ^= c == '`';
        if code && "[]()<>".contains(c) {
            '·'
        } else {
            c
        }
    };
    line.chars().map(mask).collect()
}

/// Where the links of a line lead; of a link without a destination, what it says.
fn links(line: &str) -> Vec<Result<&str, &str>> {
    let closing = line.match_indices(']').map(|(at, _)| at);
    closing
        .filter_map(|at| {
            if let Some(rest) = line[at + 1..].strip_prefix('(') {
                return Some(Ok(&rest[..rest.find(')')?]));
            }
            // Brackets around code, as rustdoc has them, are text to everybody else.
            let open = line[..at].rfind('[')?;
            let shown = &line[open..=at];
            (shown.starts_with("[`") && shown.ends_with("`]")).then_some(Err(shown))
        })
        .collect()
}

/// Where a page says once, in lines of their own, that what stands in brackets leads.
fn definitions(markdown: &str) -> HashMap<String, String> {
    let lines = prose(markdown).into_iter();
    let pairs = lines.filter_map(|(_, line)| {
        let (shown, to) = line.split_once("]: ")?;
        shown
            .starts_with('[')
            .then(|| (format!("{shown}]"), to.trim().to_owned()))
    });
    pairs.collect()
}

/// The name of a heading in an address, as GitHub makes it.
fn slug(heading: &str) -> String {
    heading
        .trim()
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// What can stand behind `#` in the address of a page.
fn anchors(markdown: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (_, line) in prose(markdown) {
        let text = line.trim_start_matches('#');
        if text.len() < line.len() && text.starts_with(' ') {
            let slug = slug(&without_destinations(text));
            let count = seen.entry(slug.clone()).or_default();
            anchors.insert(match count {
                0 => slug,
                _ => format!("{slug}-{count}"),
            });
            *count += 1;
        }
        for tag in line.split("<a ").skip(1) {
            let id = tag.split_once("id=\"").or(tag.split_once("name=\""));
            anchors.extend(
                id.and_then(|(_, rest)| rest.split_once('"'))
                    .map(|(id, _)| id.to_owned()),
            );
        }
    }
    anchors
}

/// A heading is named by what it shows, not by where its links lead.
fn without_destinations(heading: &str) -> String {
    let mut pieces = heading.split("](");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| {
        text + piece.split_once(')').map_or(piece, |(_, rest)| rest)
    })
}

/// What is wrong with a link on a page, if anything is.
fn fault(page: &Path, markdown: &str, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = match link.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (link, None),
    };
    let mut target_text = markdown.to_owned();
    if !path.is_empty() {
        let target = page.parent()?.join(path);
        if !target.exists() {
            return Some(format!("there is no {path}"));
        }
        // A folder has no text, and so nothing in it can be pointed at.
        target_text = fs::read_to_string(&target).unwrap_or_default();
    }
    let anchor = anchor?;
    (!anchors(&target_text).contains(anchor)).then(|| format!("nothing there is called {anchor}"))
}

fn faults(page: &Path, markdown: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let definitions = definitions(markdown);
    for (number, line) in prose(markdown) {
        for link in links(&line) {
            let defined = |shown: &str| definitions.get(shown).map(String::as_str);
            let (shown, fault) = match link {
                Ok(link) => (link, fault(page, markdown, link)),
                Err(shown) if defined(shown).is_some() => (
                    shown,
                    fault(page, markdown, defined(shown).unwrap_or_default()),
                ),
                Err(shown) => (shown, Some("it leads nowhere".to_owned())),
            };
            faults.extend(
                fault.map(|fault| format!("{}:{number}: {shown}: {fault}", page.display())),
            );
        }
    }
    faults
}

fn pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            self::pages(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

#[test]
fn every_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all: Vec<PathBuf> = ["README.md", "AGENTS.md", "CHANGELOG.md"]
        .map(|page| root.join(page))
        .into();
    pages(&root.join("docs"), &mut all);
    assert!(all.len() > 60, "{} pages", all.len());
    let mut found = Vec::new();
    let mut count = 0;
    for page in all {
        let markdown = fs::read_to_string(&page).unwrap();
        count += prose(&markdown)
            .iter()
            .map(|(_, line)| links(line).len())
            .sum::<usize>();
        found.extend(faults(&page, &markdown));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(count > 100, "{count} links");
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("page.md");
    let page = "\
# `[model]` and its *keys*: a_b
## Twice
## Twice
<a id=\"S0-1\"></a>[a](#model-and-its-keys-a_b), [b](#twice-1), [`[c]`](#S0-1), [d](Cargo.toml), [e](https://example.org)
[f](#twice-2), [g](missing.md), `[h](missing.md)`
```text
[i](missing.md)
```
[j](Cargo.toml#package), see [`Model`], [`k`] and [`l`]
[`k`]: Cargo.toml
[`l`]: missing.toml
";
    let found = faults(&here, page);
    let told: Vec<&str> = found
        .iter()
        .filter_map(|fault| fault.split_once("page.md:").map(|(_, told)| told))
        .collect();
    assert_eq!(
        told,
        [
            "5: #twice-2: nothing there is called twice-2",
            "5: missing.md: there is no missing.md",
            "9: Cargo.toml#package: nothing there is called package",
            "9: [`Model`]: it leads nowhere",
            "9: [`l`]: there is no missing.toml",
            "11: [`l`]: there is no missing.toml",
        ]
    );
}
