//! Folders of snapshots, from the first run to the third version. (S4-14, S4-15, S4-16, C4-10, C4-12, C4-14)

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use tablewright_model::Model;
use tempfile::TempDir;

use super::{check, examine, stem};

fn model(versioned: &str, fields: &str) -> Model {
    let text = format!(
        "[model]
name    = \"bank\"
profile = \"table-per-entity\"

[table.accounts]
partition_key = \"pk\"

[entity.AccountData]
table = \"accounts\"
key   = {{ partition = \"{{pk}}\" }}
{versioned}

[entity.AccountData.fields]
pk = \"id\"
{fields}
"
    );
    tablewright_model::parse(&text).unwrap()
}

fn version(version: u16, fields: &str) -> Model {
    let versioned = format!("versioned = {{ data_version = {version}, layout = \"wrapped\" }}");
    model(&versioned, fields)
}

const OWNER: &str = "owner = \"string(1..100)\"";
const NAME: &str = "name = \"string(1..100)\"";

/// Writes what is to be written, as `generate` does.
fn generate(model: &Model, folder: &Path) {
    let examined = examine(model, folder).unwrap();
    assert!(!examined.findings.iter().any(super::Finding::refuses));
    for (path, text) in examined.files {
        fs::write(path, text).unwrap();
    }
}

fn told(model: &Model, folder: &TempDir) -> String {
    let findings = check(model, folder.path()).unwrap();
    let told: String = findings
        .iter()
        .map(|finding| format!("{finding}\n"))
        .collect();
    told.replace(&folder.path().display().to_string(), "schema")
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn folder_of(model: &Model) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    generate(model, folder.path());
    folder
}

#[test]
fn the_first_run_writes_it() {
    // C4-12, C4-14
    let folder = tempfile::tempdir().unwrap();
    let first = version(1, OWNER);
    assert_snapshot!(told(&first, &folder), @r"
    schema/account_data.schema.json is not there: the first snapshot of AccountData
      help: run `tablewright generate`
    ");
    generate(&first, folder.path());
    assert_eq!(names(&folder), ["account_data.schema.json"]);
    assert_eq!(told(&first, &folder), "");
}

#[test]
fn a_compatible_change_is_generated() {
    // S4-10, S4-15
    let folder = folder_of(&version(1, OWNER));
    let wider = version(1, "owner = \"string(1..200)\"\nnote = \"string(..10)?\"");
    assert_snapshot!(told(&wider, &folder), @r"
    schema/account_data.schema.json is out of date: AccountData changed, and what is stored can be read
      `owner` takes at most 200 characters, was 100
      `note` is new and optional
      help: run `tablewright generate`
    ");
    generate(&wider, folder.path());
    assert_eq!(told(&wider, &folder), "");
}

#[test]
fn an_incompatible_change_needs_a_version() {
    // S4-16, C4-10
    let folder = folder_of(&version(1, OWNER));
    assert_snapshot!(told(&version(1, NAME), &folder), @r"
    schema/account_data.schema.json would break: items of AccountData stored as version 1 could not be read any more
      breaks: `name` is new and required
      `owner` is gone
      note: code with the former shape cannot read items without `owner`
      help: raise `data_version` of AccountData to 2 in the model, add a migration step from 1 to 2, then run `tablewright generate`; if no item was ever stored, delete the file instead
    ");
    assert!(check(&version(1, NAME), folder.path()).unwrap()[0].refuses());
}

#[test]
fn a_raised_version_keeps_the_snapshot_before() {
    // C4-12: old snapshots stay as migration fixtures
    let first = version(1, OWNER);
    let folder = folder_of(&first);
    let before = fs::read_to_string(folder.path().join("account_data.schema.json")).unwrap();
    let second = version(2, NAME);
    assert_snapshot!(told(&second, &folder), @r"
    schema/account_data.schema.json is out of date: AccountData has `data_version` 2, the snapshot 1
      breaks: `name` is new and required
      `owner` is gone
      note: code with the former shape cannot read items without `owner`
      help: add a migration step from 1 to 2, then run `tablewright generate`: it keeps version 1 as schema/account_data.v1.schema.json
    ");
    generate(&second, folder.path());
    let kept = folder.path().join("account_data.v1.schema.json");
    assert_eq!(fs::read_to_string(&kept).unwrap(), before);
    assert_eq!(told(&second, &folder), "");

    generate(&version(3, OWNER), folder.path());
    assert_eq!(
        names(&folder),
        [
            "account_data.schema.json",
            "account_data.v1.schema.json",
            "account_data.v2.schema.json"
        ]
    );
    fs::remove_file(kept).unwrap();
    assert_snapshot!(told(&version(3, OWNER), &folder), @r"
    schema/account_data.v1.schema.json is not there: version 1 of AccountData was to be kept
      help: take it out of version control again; of a shape from before the first snapshot, write down how its items are stored
    ");
}

#[test]
fn a_version_raised_without_need_is_told() {
    let folder = folder_of(&version(1, OWNER));
    assert_snapshot!(told(&version(2, OWNER), &folder), @r"
    schema/account_data.schema.json is out of date: AccountData has `data_version` 2, the snapshot 1
      note: what is stored could be read without a new version: raise it only when the meaning of a value changed
      help: add a migration step from 1 to 2, then run `tablewright generate`: it keeps version 1 as schema/account_data.v1.schema.json
    ");
}

#[test]
fn versions_go_up_one_by_one() {
    let folder = folder_of(&version(1, OWNER));
    assert_snapshot!(told(&version(3, NAME), &folder), @r"
    schema/account_data.schema.json has `data_version` 1, and the model raises it to 3 at once
      help: raise it to 2, and generate after each step: every version has its snapshot
    ");
    generate(&version(2, NAME), folder.path());
    assert_snapshot!(told(&version(1, OWNER), &folder), @r"
    schema/account_data.schema.json has `data_version` 2, and the model lowers it to 1
      help: write `data_version = 2` again: items of that version may be stored; a former shape comes back as a new version
    ");
    // Deleting the snapshot does not hide that there was a version 1.
    fs::remove_file(folder.path().join("account_data.schema.json")).unwrap();
    assert_snapshot!(told(&version(1, NAME), &folder), @r"
    schema/account_data.v1.schema.json is kept as version 1 of AccountData, which is only at version 1
      help: raise `data_version` above it again: items of that version may be stored
    schema/account_data.schema.json is not there: the first snapshot of AccountData
      help: run `tablewright generate`
    ");
}

#[test]
fn a_kept_version_is_never_overwritten() {
    let folder = folder_of(&version(1, OWNER));
    let kept = folder.path().join("account_data.v1.schema.json");
    let current = folder.path().join("account_data.schema.json");
    let text = fs::read_to_string(current).unwrap();
    fs::write(&kept, text.replace("100", "99")).unwrap();
    let findings = check(&version(2, NAME), folder.path()).unwrap();
    assert!(findings[0].refuses());
    assert_snapshot!(told(&version(2, NAME), &folder).lines().next().unwrap(), @"schema/account_data.v1.schema.json is kept as version 1 of AccountData, and is not what its snapshot says");
}

#[test]
fn an_entity_without_versions() {
    let folder = folder_of(&model("", OWNER));
    assert_snapshot!(told(&model("", NAME), &folder), @r"
    schema/account_data.schema.json would break: items of AccountData that are stored could not be read any more
      breaks: `name` is new and required
      `owner` is gone
      note: code with the former shape cannot read items without `owner`
      help: AccountData has no versions to migrate between: change it so that what is stored can be read, or make it an entity of its own; if no item was ever stored, delete the file, then run `tablewright generate`
    ");
}

#[test]
fn what_is_no_snapshot_and_what_is_left_over() {
    let folder = folder_of(&version(1, OWNER));
    fs::write(
        folder.path().join("account_data.schema.json"),
        "<<<<<<< ours\n",
    )
    .unwrap();
    fs::write(folder.path().join("gone.schema.json"), "{}").unwrap();
    fs::write(folder.path().join("gone.v1.schema.json"), "{}").unwrap();
    fs::write(folder.path().join("README.md"), "ours").unwrap();
    assert_snapshot!(told(&version(1, OWNER), &folder), @r"
    schema/account_data.schema.json is no snapshot: expected value at line 1 column 1
      help: take it out of version control again
    schema/gone.schema.json is of no entity: nothing generates it any more
      help: delete it when no item of it is stored any more; it is never deleted for you
    schema/gone.v1.schema.json is of no entity: nothing generates it any more
      help: delete it when no item of it is stored any more; it is never deleted for you
    ");
}

#[test]
fn names_in_snake_case() {
    // C4-14
    for (name, expected) in [
        ("AccountData", "account_data"),
        ("User", "user"),
        ("FCMToken", "fcm_token"),
        ("UserV2", "user_v2"),
        ("A1B", "a1_b"),
        ("Already_Split", "already_split"),
    ] {
        assert_eq!(stem(name), expected);
    }
}

/// A file of the repository.
fn repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

#[test]
fn the_schemas_of_the_models_have_not_changed() {
    // S4-14, S4-15
    for name in ["todo", "tasks", "ask", "accounts"] {
        let text = fs::read_to_string(repository(&format!("models/{name}.toml"))).unwrap();
        let model = tablewright_model::parse(&text).unwrap();
        let folder = repository(&format!("backend/schema/{name}"));
        let findings = check(&model, &folder).unwrap();
        let told: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(told.is_empty(), "{}", told.join("\n"));
    }
}

#[test]
fn accounts_of_version_1_need_a_migration() {
    // S4-10, S4-17
    let read = |name: &str| {
        let path = repository("backend/schema/accounts").join(name);
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let (old, new) = (
        read("account_data.v1.schema.json"),
        read("account_data.schema.json"),
    );
    let found = crate::json_schema::classify(&old, &new);
    assert!(!found.is_compatible());
    assert!(
        found
            .changes
            .iter()
            .any(|change| change.text == "`owner` is gone")
    );
}
