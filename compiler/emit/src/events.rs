//! Events for those who receive them: a page that tells of each, and the JSON Schema of each version.
//!
//! A folder gets `README.md` and `<Event>.v<N>.schema.json`. The schema of a version that was published may gain members, and nothing else: whoever
//! reads them by it goes on reading them. What breaks that is refused until `version` is raised; the schemas of versions before stay as they were.

mod breaks;
mod page;
mod schema;

use std::path::Path;
use std::{fs, io};

use serde_json::Value;
use tablewright_model::model::{Entity, Event};

use crate::artefacts::{Generated, Job};
use crate::on_disk;
use crate::snapshots::{Finding, Problem};

/// The page and the schemas of a model's events; nothing where there are none.
///
/// # Errors
/// When what is there cannot be read.
pub fn generate(job: &Job<'_>) -> io::Result<Generated> {
    let mut generated = Generated::default();
    let published = published(job);
    if published.is_empty() {
        return Ok(generated);
    }
    let page = page::page(job, &published);
    generated.files.push((job.place.join("README.md"), page));
    for (event, entity) in published {
        let path = job
            .place
            .join(file_name(event.name.as_str(), event.version));
        let schema = schema::schema(job, event, entity);
        if let Some(problem) = refused(job.place, event, &path, &schema)? {
            generated.findings.push(Finding {
                entity: event.name.value.clone(),
                path: path.clone(),
                problem,
            });
        }
        generated.files.push((path, format!("{schema:#}\n")));
    }
    Ok(generated)
}

/// The events that are read from a change stream, with the entity each tells of.
fn published<'j>(job: &Job<'j>) -> Vec<(&'j Event, &'j Entity)> {
    let events = job.model.events.iter();
    events
        .filter_map(|event| {
            let trigger = event.trigger.as_ref()?;
            Some((event, job.model.entity(trigger.entity)))
        })
        .collect()
}

fn file_name(event: &str, version: u16) -> String {
    format!("{event}.v{version}.schema.json")
}

/// The newest version of an event whose schema is there: versions before it may be missing.
fn newest(folder: &Path, event: &str) -> io::Result<Option<u16>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(why),
    };
    let mut newest = None;
    for entry in entries {
        let name = entry?.file_name();
        newest = newest.max(name.to_str().and_then(|name| version_of(name, event)));
    }
    Ok(newest)
}

/// The version a file has the schema of, if it is one of this event.
fn version_of(file: &str, event: &str) -> Option<u16> {
    let version = file.strip_prefix(event)?.strip_prefix(".v")?;
    version.strip_suffix(".schema.json")?.parse().ok()
}

/// Why an event may not be published so.
fn refused(
    folder: &Path,
    event: &Event,
    path: &Path,
    schema: &Value,
) -> io::Result<Option<Problem>> {
    let version = event.version;
    if newest(folder, event.name.as_str())?.is_some_and(|newest| newest > version) {
        return Ok(Some(Problem::EventLowered { version }));
    }
    let Some(before) = on_disk::bytes(path)?.filter(|before| !before.is_empty()) else {
        return Ok(None);
    };
    let changes = match serde_json::from_slice(&before) {
        Ok(before) => breaks::breaks(&before, schema),
        Err(why) => {
            let why = why.to_string();
            return Ok(Some(Problem::Unreadable { why }));
        }
    };
    Ok((!changes.is_empty()).then_some(Problem::EventBreaks { version, changes }))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::generate;
    use crate::artefacts::{Generated, Job, Places};

    fn model(detail: &str) -> String {
        format!(
            r##"
[model]
name = "tickets"

[table.app]
partition_key = "PK"
stream        = "new-and-old-images"

[entity.Ticket]
table  = "app"
key    = {{ partition = "TICKET#{{ticket_id}}" }}
fields = {{ ticket_id = "ulid", title = "string(1..80)", note = "string(..80)?", state = "enum(open, closed)" }}

[event.TicketClosed]
on    = "change Ticket.state"
where = "state = closed"
about = "somebody has closed a ticket"
{detail}
"##
        )
    }

    fn in_folder(folder: &Path, detail: &str) -> Generated {
        let model = tablewright_model::parse(&model(detail)).unwrap();
        let places = Places::default();
        let job = Job {
            model: &model,
            source: "models/tickets.toml",
            place: folder,
            places: &places,
            proof: None,
        };
        generate(&job).unwrap()
    }

    fn kept(folder: &Path, detail: &str) {
        for (path, text) in in_folder(folder, detail).files {
            fs::write(path, text).unwrap();
        }
    }

    fn refusal(folder: &Path, detail: &str) -> String {
        let generated = in_folder(folder, detail);
        let refusals = generated
            .findings
            .iter()
            .filter(|finding| finding.refuses());
        refusals.map(ToString::to_string).collect()
    }

    #[test]
    fn a_published_version_may_gain_members_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let first = r#"detail = ["ticket_id", "state"]"#;
        assert_eq!(refusal(folder, first), "");
        kept(folder, first);
        assert_eq!(
            refusal(folder, r#"detail = ["state", "ticket_id", "note"]"#),
            ""
        );
        let lost = refusal(folder, r#"detail = ["ticket_id"]"#);
        assert!(lost.contains("`state` is gone"), "{lost}");
        assert!(
            lost.contains("raise `version` of TicketClosed to 2"),
            "{lost}"
        );
        let second = "detail = [\"ticket_id\"]\nversion = 2";
        assert_eq!(refusal(folder, second), "");
        kept(folder, second);
        assert!(folder.join("TicketClosed.v1.schema.json").exists());
        let lowered = refusal(folder, first);
        assert!(lowered.contains("version 1"), "{lowered}");
    }

    #[test]
    fn a_version_is_not_lowered_across_versions_that_were_never_published() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let version = |number: u16| format!("detail = [\"ticket_id\"]\nversion = {number}");
        for other in [
            "TicketClosed.vX.schema.json",
            "TicketClosedAgain.v9.schema.json",
        ] {
            fs::write(folder.join(other), "{}").unwrap();
        }
        kept(folder, &version(1));
        kept(folder, &version(4));
        for lower in 1..4 {
            let lowered = refusal(folder, &version(lower));
            assert!(lowered.contains(&format!("version {lower}")), "{lowered}");
        }
        assert_eq!(refusal(folder, &version(4)), "");
        assert_eq!(refusal(folder, &version(6)), "");
    }

    #[test]
    fn the_example_of_the_page_is_as_its_schema_says() {
        let folder = tempfile::tempdir().unwrap();
        let generated = in_folder(folder.path(), r#"detail = ["ticket_id", "state", "note"]"#);
        let text = |ending: &str| {
            let mut files = generated.files.iter();
            let file = files.find(|(path, _)| path.to_string_lossy().ends_with(ending));
            file.unwrap().1.clone()
        };
        let page = text("README.md");
        let example = page.split("```json\n").nth(1).unwrap();
        let example: serde_json::Value =
            serde_json::from_str(example.split("```").next().unwrap()).unwrap();
        let schema: serde_json::Value = serde_json::from_str(&text(".schema.json")).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let faults: Vec<String> = validator
            .iter_errors(&example)
            .map(|fault| fault.to_string())
            .collect();
        assert_eq!(faults, Vec::<String>::new(), "{example:#}");
        assert_eq!(example["detail"]["state"], "closed");
        let mut other = example.clone();
        other["detail"]["_event"]["version"] = 2.into();
        assert!(!validator.is_valid(&other));
    }
}
