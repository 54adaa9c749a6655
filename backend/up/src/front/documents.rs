//! The documents of the project, for a browser.

use std::fs;
use std::path::{Component, Path as FilePath, PathBuf};
use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};
use tablewright_service::{Problem, page_of_html};

use super::{Job, Shared};

/// What a browser may be shown besides Markdown, as text.
const TEXTS: [&str; 4] = ["toml", "ts", "json", "rs"];

#[derive(Template)]
#[template(path = "document.html")]
struct Document {
    title: String,
    html: String,
}

/// The documents by their model, in the order they were named, each with its title and its address. Charts come last: there are many.
pub(super) fn by_model(documents: &[(String, PathBuf)]) -> Vec<Job> {
    let mut jobs: Vec<Job> = Vec::new();
    for (model, path) in documents {
        let file = (title(path), format!("/files/{}", path.display()));
        match jobs.iter_mut().find(|job| job.name == *model) {
            Some(job) => job.files.push(file),
            None => jobs.push(Job {
                name: model.clone(),
                files: vec![file],
            }),
        }
    }
    for job in &mut jobs {
        job.files.sort_by_key(|(title, _)| title.starts_with(CHART));
    }
    jobs
}

const CHART: &str = "chart ";

/// What a document is called.
fn title(path: &FilePath) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if path.extension().is_some_and(|ending| ending == "toml") {
        return String::from("the model");
    }
    match stem.strip_prefix("entity-chart-") {
        Some(of) => format!("{CHART}{of}"),
        None if stem == "README" => String::from("overview"),
        None => stem.replace('-', " "),
    }
}

/// A file of the project: a document, or a text.
pub(super) async fn file(
    State(shared): State<Arc<Shared>>,
    Path(path): Path<String>,
) -> Result<Response, Problem> {
    let absent = || Problem::not_found(format!("document {path}"));
    let place = within(&shared.options.folder, &path).ok_or_else(absent)?;
    let text = fs::read_to_string(&place).map_err(|_| absent())?;
    let ending = place.extension().unwrap_or_default().to_string_lossy();
    if ending == "md" {
        let document = Document {
            title: path.clone(),
            html: to_html(&text),
        };
        return Ok(page_of_html(document.render().unwrap_or_default()));
    }
    let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((kind, text).into_response())
}

/// Where a file of the project is: in no hidden folder, since the key of the issuer is in one, and reached by no link that leads out.
fn within(folder: &FilePath, path: &str) -> Option<PathBuf> {
    let asked = FilePath::new(path);
    let plain = |part: Component<'_>| match part {
        Component::Normal(name) => !name.to_string_lossy().starts_with('.'),
        _ => false,
    };
    let ending = asked.extension()?.to_str()?;
    if !asked.components().all(plain) || (ending != "md" && !TEXTS.contains(&ending)) {
        return None;
    }
    let folder = folder.canonicalize().ok()?;
    let place = folder.join(asked).canonicalize().ok()?;
    let rest = place.strip_prefix(&folder).ok()?;
    rest.components().all(plain).then_some(place)
}

/// Markdown as HTML. Headings get the names by which others lead to them.
fn to_html(text: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut events: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
    let mut begun: Option<usize> = None;
    for at in 0..events.len() {
        match &events[at] {
            Event::Start(Tag::Heading { .. }) => begun = Some(at),
            Event::End(TagEnd::Heading(_)) => {
                let Some(from) = begun.take() else { continue };
                let name = anchor(&events[from..at]);
                if let Event::Start(Tag::Heading { id, .. }) = &mut events[from] {
                    *id = Some(name.into());
                }
            }
            _ => {}
        }
    }
    let mut written = String::new();
    html::push_html(&mut written, events.into_iter());
    written
}

/// The name of a heading, as the usual readers of Markdown make it.
fn anchor(heading: &[Event<'_>]) -> String {
    let text: String = heading
        .iter()
        .filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
            _ => None,
        })
        .collect();
    text.to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            c if c.is_alphanumeric() => Some(c),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_documents_of_the_project_are_shown() {
        let project = tempfile::tempdir().unwrap();
        let folder = project.path();
        for path in [
            "docs/a.md",
            ".tablewright/issuer.json",
            "docs/.b.md",
            "docs/c.key",
        ] {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/hosts", folder.join("docs/hosts.md")).unwrap();
        assert!(within(folder, "docs/a.md").is_some());
        for path in [
            "",
            ".tablewright/issuer.json",
            "docs/.b.md",
            "docs/c.key",
            "docs/hosts.md",
            "docs/missing.md",
            "../docs/a.md",
            "docs/../docs/a.md",
            "/etc/hosts.md",
        ] {
            assert!(within(folder, path).is_none(), "{path}");
        }
    }

    #[test]
    fn documents_stand_by_their_model_and_charts_last() {
        let of = |model: &str, path: &str| (model.to_owned(), PathBuf::from(path));
        let jobs = by_model(&[
            of("todo", "models/todo.toml"),
            of("todo", "docs/README.md"),
            of("todo", "docs/entity-chart-main.md"),
            of("ask", "models/ask.toml"),
            of("todo", "docs/access-patterns.md"),
        ]);
        let titles: Vec<&str> = jobs[0].files.iter().map(|(title, _)| &**title).collect();
        assert_eq!(
            titles,
            ["the model", "overview", "access patterns", "chart main"]
        );
        assert_eq!(jobs[0].files[3].1, "/files/docs/entity-chart-main.md");
        assert_eq!(jobs[1].name, "ask");
    }

    #[test]
    fn headings_can_be_led_to_and_scripts_stay_text() {
        let html = to_html("## What `it` costs!\n\n| a |\n|---|\n| `<b>` |\n");
        assert!(html.contains("<h2 id=\"what-it-costs\">"), "{html}");
        assert!(html.contains("<td><code>&lt;b&gt;</code></td>"), "{html}");
    }
}
