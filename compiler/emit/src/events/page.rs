//! The page that tells of each event.

use serde_json::{Value, json};
use tablewright_model::field_type::DeclaredType;
use tablewright_model::model::{Entity, Event, Field, Trigger, TriggerKind};

use super::file_name;
use crate::artefacts::Job;
use crate::markdown::{Page, code, sentence, text};
use crate::rust::changes::detail;
use crate::rust::describe;
use crate::workbench::sample;

/// What the events of the examples have for an id before their name: as long as those of DynamoDB.
const EXAMPLE_ID: &str = "0f2b7c9d41e84a6f8c3a5d7e9b1f2c34";

pub(super) fn page(job: &Job<'_>, published: &[(&Event, &Entity)]) -> String {
    let mut page = Page::new(job, "events");
    page.block(
        "What happens is read from the change stream of the tables, so whatever was written is told, and nothing that was not. An event comes at least once; `detail._event.id` is the same in \
         every delivery of it. Events of one item come in order.",
    );
    let rows: Vec<Vec<String>> = published
        .iter()
        .map(|(event, entity)| {
            let name = event.name.as_str();
            vec![
                format!("[{}](#{})", code(name), name.to_lowercase()),
                event.version.to_string(),
                happens(event, entity),
            ]
        })
        .collect();
    page.table(&["Event", "Version", "Happens when"], &rows);
    for (event, entity) in published {
        one(&mut page, job, event, entity);
    }
    page.finish()
}

fn one(page: &mut Page, job: &Job<'_>, event: &Event, entity: &Entity) {
    let name = event.name.as_str();
    page.heading(2, &text(name));
    let about = event.about.as_ref();
    let about = about.map(|about| format!("{} ", sentence(&text(about.as_str()))));
    page.block(&format!(
        "{}It happens when {}. Its schema is [{}]({}).",
        about.unwrap_or_default(),
        happens(event, entity),
        code(&file_name(name, event.version)),
        file_name(name, event.version),
    ));
    let carried = detail(entity, event);
    let rows: Vec<Vec<String>> = carried
        .iter()
        .map(|carried| {
            let holds = describe::field(&DeclaredType {
                default: None,
                ..carried.field.declared.clone()
            });
            vec![code(carried.name), carried.about(holds)]
        })
        .collect();
    page.table(&["`detail`", ""], &rows);
    page.fenced("json", &example(job, event, entity));
}

/// `a Task is changed so that …`
fn happens(event: &Event, entity: &Entity) -> String {
    let Some(Trigger { kind, field, .. }) = &event.trigger else {
        return String::new();
    };
    let article = match entity.name.as_str().starts_with(['A', 'E', 'I', 'O']) {
        true => "an",
        false => "a",
    };
    let what = format!("{article} {}", code(entity.name.as_str()));
    let field = field.map(|field| code(entity.field(field).name.as_str()));
    let mut words = match (kind, field) {
        (TriggerKind::Insert, _) => format!("{what} is new"),
        (TriggerKind::Remove, _) => format!("{what} is no more"),
        (TriggerKind::Change, None) => format!("{what} changes"),
        (TriggerKind::Change, Some(field)) => format!("{field} of {what} changes"),
    };
    if let Some(condition) = &event.condition {
        words.push_str(&format!(", and {} holds", code(condition.written.as_str())));
    }
    words
}

/// In the order in which one tells it, which no map of `serde_json` keeps.
fn example(job: &Job<'_>, event: &Event, entity: &Entity) -> String {
    let name = event.name.as_str();
    let id = json!(format!("{EXAMPLE_ID}.{name}"));
    let mut lines = String::from("{\n");
    for (key, value) in [
        ("id", id.clone()),
        ("source", json!(job.model.name.as_str())),
        ("detail-type", json!(name)),
        ("time", json!("2026-03-01T12:00:00.000Z")),
    ] {
        lines.push_str(&format!("  {}: {value},\n", json!(key)));
    }
    lines.push_str("  \"detail\": {\n");
    if let Some(trigger) = &event.trigger {
        let condition = event.condition.as_ref().map(|one| &one.condition);
        let values = sample(job.model, trigger.entity, condition);
        for carried in detail(entity, event) {
            if let Some(value) = values.get(carried.field.name.as_str()) {
                let value = match carried.before {
                    true => before(carried.field, value),
                    false => value.clone(),
                };
                lines.push_str(&format!("    {}: {value},\n", json!(carried.name)));
            }
        }
    }
    let version = event.version;
    lines.push_str(&format!(
        "    \"_event\": {{ \"id\": {id}, \"version\": {version} }}\n  }}\n}}"
    ));
    lines
}

/// What a field may have been that is this now: of words the one before, or after the first.
fn before(field: &Field, now: &Value) -> Value {
    let words = field.kind().words().unwrap_or_default();
    let position = words.iter().position(|word| now == word.as_str());
    let other = position.and_then(|at| words.get(at.checked_sub(1).unwrap_or(1)));
    other.map_or_else(|| now.clone(), |word| json!(word))
}
