//! Entity charts: which key patterns the items of each entity have, in the tables and in every index, and which access patterns use them.
//!
//! A folder gets `README.md`, `entity-chart-main.md`, and `entity-chart-<index>.md` for each index.

mod decision;
mod index_chart;
mod main_chart;
mod names;
mod overview;
mod reason;

use std::path::Path;
use std::{fs, io};

use crate::artefacts::{Generated, Job};
use crate::design::Design;
use crate::markdown::GENERATED;
use crate::on_disk;

pub(crate) use decision::Decision;
pub(crate) use names::{MAIN, chart_names};
pub(crate) use reason::reason;

/// The charts of a model, and those in the folder that are of no index any more.
///
/// # Errors
/// When the folder cannot be read; a folder that does not exist is empty.
pub fn generate(job: &Job<'_>) -> io::Result<Generated> {
    let design = Design::new(job.model);
    let mut files = vec![
        (job.place.join("README.md"), overview::page(job, &design)),
        (job.place.join(MAIN), main_chart::page(job, &design)),
    ];
    let names = chart_names(job.model);
    for ((place, _), name) in design.indexes().zip(&names) {
        files.push((job.place.join(name), index_chart::page(job, &design, place)));
    }
    let mut left_over = Vec::new();
    for name in charts_in(job.place)? {
        let path = job.place.join(name);
        if !files.iter().any(|(known, _)| *known == path) && is_generated(&path) {
            left_over.push(path);
        }
    }
    Ok(Generated {
        files,
        left_over,
        ..Generated::default()
    })
}

/// The names of the files in a folder that are called as charts are, in order.
fn charts_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(why) => return Err(why),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("entity-chart-") && name.ends_with(".md") {
            names.push(name.into_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Whether a file is one of ours: what people wrote is never removed.
fn is_generated(path: &Path) -> bool {
    on_disk::text(path).is_ok_and(|text| text.is_some_and(|text| text.starts_with(GENERATED)))
}
