//! Every generated file has the mark by which it is known to be one.

use std::path::Path;

use tablewright_emit::artefacts::{ARTEFACTS, Job, Mark, Places};

use crate::{folder, read};

#[test]
fn every_file_of_every_artefact_has_its_mark() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut models: Vec<_> = ["todo", "tasks", "ask", "accounts"]
        .map(|name| read(&repository.join(format!("{name}.toml"))))
        .into();
    models.push(read(&folder().join("everything.toml")));
    let nowhere = folder().join("there is no such folder");
    let places = Places::default();
    for artefact in ARTEFACTS {
        for model in &models {
            let job = Job {
                model,
                source: "models/some.toml",
                place: &nowhere,
                places: &places,
                proof: None,
            };
            let made = (artefact.generate)(&job).expect("it can be made");
            // A model without events has no page of them.
            let is_empty = artefact.name == "events" && model.events.is_empty();
            assert_eq!(made.files.is_empty(), is_empty, "{}", artefact.name);
            for (path, text) in made.files {
                let name = artefact.name;
                assert!(artefact.mark.is_on(text.as_bytes()), "{name}: {path:?}");
                // Only snapshots look at what is there themselves.
                assert_eq!(artefact.mark == Mark::Itself, name == "schema");
            }
        }
        let by_hand = [
            "# Notes\n",
            "{}\n",
            "{ \"Resources\": {} }",
            "\u{feff}\n",
            "\u{0}",
        ];
        for text in by_hand {
            let known = artefact.mark.is_on(text.as_bytes());
            assert_eq!(known, artefact.mark == Mark::Itself, "{}", artefact.name);
        }
    }
}
