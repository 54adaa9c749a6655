//! `README.md`: what the folder holds, and in which order to read it. (S3-7, S3-8, S3-57)

use tablewright_plan::Answer;

use super::{MAIN, chart_names};
use crate::artefacts::Job;
use crate::design::Design;
use crate::markdown::{Links, Page, code, count, count_of, sentence, text};

pub(super) fn page(job: &Job<'_>, design: &Design<'_>) -> String {
    let links = Links::new(job, job.place);
    let mut page = Page::new(job, "the data model");
    if let Some(about) = &job.model.about {
        page.block(&sentence(&text(about.as_str())));
    }
    page.block(&size(job, design, &links));
    page.heading(2, "What is here");
    let mut rows = Vec::new();
    let mut row = |step: &str, what: &str, file: String| {
        rows.push(vec![step.to_owned(), what.to_owned(), file]);
    };
    row(
        "1",
        "The primary key of every entity",
        format!("[{}]({MAIN})", code(MAIN)),
    );
    for (key, step, what, file) in [
        (
            "relationships",
            "2",
            "How each relationship is stored, and why",
            "relationship-decisions.md",
        ),
        (
            "diagrams",
            "2",
            "The entities and the keys, drawn",
            "diagrams.md",
        ),
        (
            "typescript",
            "3",
            "The type of every entity",
            "entity-schemas.ts",
        ),
    ] {
        if let Some(target) = links.to(key, "") {
            row(
                step,
                what,
                format!("[{}]({target})", code(last(&target, file))),
            );
        }
    }
    for ((place, table), name) in design.indexes().zip(chart_names(job.model)) {
        let index = place.index.map(|index| table.index(index).name.as_str());
        let mut what = format!("The keys in {}", code(index.unwrap_or_default()));
        if job.model.tables.len() > 1 {
            what.push_str(&format!(" of {}", code(table.name.as_str())));
        }
        row("4", &what, format!("[{}]({name})", code(&name)));
    }
    for (key, step, what, file) in [
        (
            "patterns",
            "4",
            "Every access pattern: request, parameters, cost",
            "access-patterns.md",
        ),
        (
            "workbench",
            "4",
            "The tables with samples, for NoSQL Workbench",
            "workbench.json",
        ),
        (
            "review",
            "5",
            "The checklist of the method, answered",
            "anti-pattern-review.md",
        ),
    ] {
        if let Some(target) = links.to(key, "") {
            row(
                step,
                what,
                format!("[{}]({target})", code(last(&target, file))),
            );
        }
    }
    if job.proof.is_some() {
        row(
            "5",
            "What was measured",
            links.link("`proof.md`", "proof", "proof.md"),
        );
    }
    page.table(&["Step", "Deliverable", "File"], &rows);
    if let Some(target) = links.to("review", "") {
        page.block(&format!(
            "The gates of the phase are in the review: what must hold [before it begins]({target}#prerequisites), and [before the next one does]({target}#moving-to-phase-3). Both have lines that only people can sign."
        ));
    }
    page.finish()
}

fn last<'t>(target: &'t str, or: &'t str) -> &'t str {
    target.rsplit('/').next().unwrap_or(or)
}

fn size(job: &Job<'_>, design: &Design<'_>, links: &Links<'_>) -> String {
    let model = job.model;
    let reads = model.accesses.iter().filter(|access| access.verb.is_read());
    let reads = reads.count();
    let writes = model.accesses.len() - reads;
    let source = links.link(&code(job.source), "model", "");
    let indexes = design.indexes().count();
    let mut words = format!(
        "{}, {}, {}, {} and {}, all from {source}.",
        count(model.tables.len(), "table"),
        count_of(model.entities.len(), "entity", "entities"),
        count_of(indexes, "index", "indexes"),
        count(reads, "read"),
        count(writes, "write"),
    );
    words = crate::markdown::capitalised(&words);
    let unanswered = design
        .patterns()
        .filter(|(_, plan)| matches!(plan.answer, Answer::Nothing(_)));
    match unanswered.count() {
        0 => {}
        some => words.push_str(&format!(" {} no key answers.", count(some, "pattern"))),
    }
    words
}
