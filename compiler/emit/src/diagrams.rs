//! `diagrams.md`: the entities with their relationships, and the keys of every table and index, drawn in Mermaid.
//!
//! A diagram that grows too large is not drawn by anyone: large models have several, each of a part.

mod entities;
mod keys;
mod mermaid;

use crate::artefacts::Job;
use crate::design::Design;
use crate::markdown::{Page, code};

/// The most characters of one diagram. Mermaid refuses 50,000.
const LARGE: usize = 20_000;

/// The diagrams of a model.
pub fn page(job: &Job<'_>) -> String {
    let design = Design::new(job.model);
    let mut page = Page::new(job, "diagrams");
    if job.model.entities.is_empty() {
        page.block("The model has no entities yet.");
        return page.finish();
    }
    page.heading(2, "Entities and relationships");
    page.block(
        "`PK` marks what tells one item from another, `UK` what a guard keeps unique. Nested shapes are drawn as boxes of their own.",
    );
    let entities = entities::diagrams(job.model);
    draw(&mut page, &entities.related);
    if !entities.related.is_empty() && !entities.alone.is_empty() {
        page.block("Without a relationship:");
    }
    draw(&mut page, &entities.alone);
    page.heading(2, "Keys");
    page.block(
        "A box is a partition: above its key, below the items in it with their sort keys. An arrow leads from where an item is stored to where an index has it too.",
    );
    for (id, table) in design.tables() {
        let parts = keys::diagrams(&design, id);
        if parts.is_empty() {
            continue;
        }
        if job.model.tables.len() > 1 {
            page.heading(3, &format!("Table {}", code(table.name.as_str())));
        }
        draw(&mut page, &parts);
    }
    page.finish()
}

fn draw(page: &mut Page, parts: &[String]) {
    for (part, diagram) in parts.iter().enumerate() {
        if parts.len() > 1 {
            page.block(&format!("Part {} of {}:", part + 1, parts.len()));
        }
        page.fenced("mermaid", diagram);
    }
}

/// Pieces in as few groups as stay below the limit, in their order.
fn grouped<T>(pieces: Vec<(usize, T)>) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    let mut size = LARGE;
    for (length, piece) in pieces {
        if size + length > LARGE {
            groups.push(Vec::new());
            size = 0;
        }
        size += length;
        if let Some(group) = groups.last_mut() {
            group.push(piece);
        }
    }
    groups
}
