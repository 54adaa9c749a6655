//! `tablewright lake`: what is in a lake, and what can be done about it.

use insta::assert_snapshot;
use tablewright::descriptor::Schema;
use tablewright::{Items, Store, tables};
use tablewright_lake::{Lake, LakeModel, LakeOptions, Place};
use tablewright_local::Engine;

use crate::sandbox::{CLEAN, Sandbox};

/// A folder with a model whose table is followed, and three notes in it.
fn with_notes() -> Sandbox {
    let sandbox = Sandbox::with(&[("notes.toml", &followed())]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let engine = Engine::open(sandbox.path(".tablewright")).unwrap();
        let store = Store::new(engine.dynamodb());
        let schema = schema();
        tables::bring_up_to_date(&store, schema).await.unwrap();
        let notes = Items::new(&store, schema.entity("Note"));
        for number in 1..=3 {
            let note = serde_json::json!({
                "user_id": "01HR9FVCM00RC6E6CV2N3RWXRR",
                "note_id": format!("01HR9FVCM00RC6E6CV2N3RWXR{number}"),
                "text": "milk",
            });
            let fields = notes.fields(note.as_object().unwrap()).unwrap();
            notes.create(fields, None).await.unwrap();
        }
    });
    sandbox
}

fn followed() -> String {
    CLEAN.replace(
        "type          = \"Type\"",
        "type          = \"Type\"\nstream        = \"new-and-old-images\"",
    )
}

fn schema() -> &'static Schema {
    let model = tablewright_model::parse(&followed()).unwrap();
    let schema = Schema::resolve(tablewright_plan::lower(&model)).unwrap();
    Box::leak(Box::new(schema))
}

#[test]
fn help_that_says_what_it_is_for() {
    assert_snapshot!(Sandbox::new().run(&["lake", "-h"]));
}

#[test]
fn a_lake_is_made_from_the_tables_and_looked_at() {
    let sandbox = with_notes();
    assert_snapshot!(sandbox.run(&["lake", "status", "lake", "notes.toml"]));
    assert_snapshot!(sandbox.run(&["lake", "rebuild", "lake", "notes.toml", "--parts", "2"]));
    let status = sandbox.run(&["lake", "status", "lake", "notes.toml"]);
    assert_snapshot!(without_moments(&status));
    assert_snapshot!(sandbox.run(&["lake", "compact", "lake", "notes.toml"]));
    assert!(
        sandbox
            .path("lake/notes/silver/Note/part-01.parquet")
            .is_file()
    );
    assert!(
        !sandbox
            .path("lake/notes/silver/Note/part-02.parquet")
            .exists()
    );
}

/// Days and times are others in every run.
fn without_moments(said: &str) -> String {
    let mut words: Vec<String> = said.split(' ').map(str::to_owned).collect();
    let numbers = |word: &str, between| {
        word.contains(between) && word.split(between).all(|part| part.parse::<u32>().is_ok())
    };
    for word in &mut words {
        if numbers(word, '-') {
            *word = String::from("YYYY-MM-DD");
        } else if numbers(word, ':') {
            *word = String::from("hh:mm:ss");
        }
    }
    words.join(" ")
}

#[test]
fn a_lake_that_is_written_is_left_alone() {
    let sandbox = with_notes();
    let place = Place::folder(sandbox.path("lake")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let open = Lake::open(&place, LakeModel::new(schema()), LakeOptions::default());
    let _lake = runtime.block_on(open).unwrap();
    let said = sandbox.run(&["lake", "rebuild", "lake", "notes.toml"]);
    assert!(said.contains("written by another process"), "{said}");
}

#[test]
fn what_cannot_be_is_refused() {
    let sandbox = Sandbox::with(&[("notes.toml", CLEAN), ("file", "")]);
    assert_snapshot!(sandbox.run(&["lake", "status", "file", "notes.toml"]));
    assert_snapshot!(sandbox.run(&["lake", "status", "gs://bucket", "notes.toml"]));
    assert_snapshot!(sandbox.run(&["lake", "compact", "lake", "notes.toml", "--target", "much"]));
    let nowhere = "temporary";
    assert_snapshot!(sandbox.run(&[
        "lake",
        "rebuild",
        "lake",
        "notes.toml",
        "--endpoint",
        nowhere
    ]));
}

/// An export of the three notes, as DynamoDB writes it.
fn exported(sandbox: &Sandbox) {
    let folder = sandbox.path("exports/AWSDynamoDB/01693685827463-2d8752fd");
    std::fs::create_dir_all(folder.join("data")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (lines, address) = runtime.block_on(async {
        let engine = Engine::open(sandbox.path(".tablewright")).unwrap();
        let table = &schema().entity("Note").table.name;
        let client = engine.dynamodb();
        let described = client.describe_table().table_name(table).send().await;
        let address = described.unwrap().table.unwrap().table_arn.unwrap();
        let scanned = client.scan().table_name(table).send().await.unwrap();
        let items = scanned.items();
        let lines = items.iter().map(|item| {
            let item = tablewright_stream::image_to_json(item);
            format!("{}\n", serde_json::json!({ "Item": item }))
        });
        (lines.collect::<String>(), address)
    });
    let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut zipped, lines.as_bytes()).unwrap();
    std::fs::write(folder.join("data/a.json.gz"), zipped.finish().unwrap()).unwrap();
    let listed =
        r#"{"itemCount":3,"dataFileS3Key":"AWSDynamoDB/01693685827463-2d8752fd/data/a.json.gz"}"#;
    std::fs::write(folder.join("manifest-files.json"), listed).unwrap();
    let now = jiff::Timestamp::now();
    let summary = serde_json::json!({
        "tableArn": address, "exportTime": now.to_string(), "exportType": "FULL_EXPORT", "outputFormat": "DYNAMODB_JSON", "itemCount": 3,
    });
    std::fs::write(folder.join("manifest-summary.json"), summary.to_string()).unwrap();
}

// S0-50
#[test]
fn a_lake_is_made_from_an_export() {
    let sandbox = with_notes();
    exported(&sandbox);
    let export = "exports/AWSDynamoDB/01693685827463-2d8752fd";
    let rebuild = ["lake", "rebuild", "lake", "notes.toml", "--export"];
    let from = |export| sandbox.run(&[&rebuild[..], &[export]].concat());
    assert_snapshot!(from("exports"));
    assert!(!sandbox.path("lake").exists());
    assert_snapshot!(from(export));
    assert!(
        sandbox
            .path("lake/notes/silver/Note/part-07.parquet")
            .is_file()
    );
    let of_two = [
        &["lake", "rebuild", "lake", "notes.toml", "."],
        &["--export", export][..],
    ];
    assert_snapshot!(sandbox.run(&of_two.concat()));
}

#[test]
fn a_rebuild_from_where_there_are_no_tables_changes_nothing() {
    let sandbox = with_notes();
    sandbox.run(&["lake", "rebuild", "lake", "notes.toml"]);
    let before = sandbox.run(&["lake", "status", "lake", "notes.toml"]);
    let nowhere = "embedded:nosuch";
    let rebuild = ["lake", "rebuild", "lake", "notes.toml", "--endpoint"];
    assert_snapshot!(sandbox.run(&[&rebuild[..], &[nowhere]].concat()));
    assert!(!sandbox.path("nosuch").exists());
    std::fs::create_dir(sandbox.path("nosuch")).unwrap();
    let said = sandbox.run(&[&rebuild[..], &[nowhere]].concat());
    assert!(said.contains("nosuch"), "{said}");
    assert!(
        std::fs::read_dir(sandbox.path("nosuch"))
            .unwrap()
            .next()
            .is_none()
    );
    let said = sandbox.run(&[&rebuild[..], &["temporary"]].concat());
    assert!(said.contains("ResourceNotFoundException"), "{said}");
    let after = sandbox.run(&["lake", "status", "lake", "notes.toml"]);
    assert_eq!(after, before);
}
