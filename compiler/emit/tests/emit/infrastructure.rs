//! Templates, policies and exports of models with everything that is awkward in them.

use serde_json::Value;
use tablewright_emit::{EmitError, cloudformation, export, iam};
use tablewright_model::{Model, parse};

pub(crate) fn model(text: &str) -> Model {
    parse(text).unwrap_or_else(|faults| panic!("{faults:?}"))
}

type Artefact = fn(&Model, &str) -> Result<String, EmitError>;

fn json(artefact: Artefact, text: &str) -> Value {
    let made = artefact(&model(text), "models/it.toml").expect("it can be made");
    assert!(made.ends_with("}\n"));
    serde_json::from_str(&made).expect("it is JSON")
}

fn refused(artefact: Artefact, text: &str) -> EmitError {
    artefact(&model(text), "models/it.toml").expect_err("it cannot be made")
}

/// A table and an entity in it, with the tables and patterns of a test.
pub(crate) fn notes(more: &str) -> String {
    format!(
        r##"[model]
name = "notes"

[table.notes]
partition_key = "PK"
sort_key      = "SK"
type          = "Type"

[entity.Note]
table = "notes"
key   = {{ partition = "USER#{{user_id}}", sort = "NOTE#{{note_id}}" }}

[entity.Note.fields]
user_id = "id"
note_id = "ulid"
text    = "string(1..2000)"

{more}"##
    )
}

#[test]
fn names_become_what_cloudformation_takes() {
    let tables = "[table.\"my_old.data-2\"]\npartition_key = \"pk\"\n";
    let template = json(cloudformation::template, &notes(tables));
    let resources = template["Resources"].as_object().unwrap();
    assert!(resources.contains_key("MyOldData2"));
    let name = &resources["MyOldData2"]["Properties"]["TableName"]["Fn::Sub"];
    assert_eq!(name, "${TablePrefix}my_old.data-2");
}

#[test]
fn names_that_become_one_are_refused() {
    let tables =
        "[table.my-data]\npartition_key = \"pk\"\n\n[table.my_data]\npartition_key = \"pk\"\n";
    let error = refused(cloudformation::template, &notes(tables)).to_string();
    assert_eq!(
        error,
        "the table `my-data` and the table `my_data` would both be called `MyData` in the generated code; rename one of them"
    );
    // The scaling of one is called as another.
    let tables =
        "[table.log]\npartition_key = \"pk\"\n\n[table.log-read-target]\npartition_key = \"pk\"\n";
    assert!(matches!(
        refused(cloudformation::template, &notes(tables)),
        EmitError::SameName { .. }
    ));
    let tables = "[table.\"…\"]\npartition_key = \"pk\"\n";
    assert!(matches!(
        refused(cloudformation::template, &notes(tables)),
        EmitError::BadName { .. }
    ));
    let patterns =
        "[access.a]\nlist = \"Note\"\nby = [\"user_id\"]\nservices = [\"the-api\", \"the_api\"]\n";
    assert!(matches!(
        refused(iam::template, &notes(patterns)),
        EmitError::SameName { .. }
    ));
}

#[test]
fn a_model_of_nothing_has_an_export_and_no_template() {
    let nothing = "[model]\nname = \"nothing\"\n";
    assert_eq!(
        refused(cloudformation::template, nothing),
        EmitError::NoTables
    );
    assert_eq!(refused(iam::template, nothing), EmitError::NoTables);
    assert_eq!(refused(iam::template, &notes("")), EmitError::NothingAsked);
    assert_eq!(
        json(export::export, nothing)["services"],
        Value::Array(vec![])
    );
}

#[test]
fn what_people_wrote_is_kept_as_they_wrote_it() {
    let text = notes("").replace(
        "name = \"notes\"\n",
        &format!(
            "name = \"notes\"\ntitle = \"Nötizen 📝 \\\"{}\\\"\"\n",
            "x".repeat(2000)
        ),
    );
    let title = json(export::export, &text)["title"].clone();
    assert!(title.as_str().unwrap().starts_with("Nötizen 📝 \"xxx"));
    let template = json(cloudformation::template, &text);
    assert!(template["Description"].as_str().unwrap().len() <= 1024);
}

#[test]
fn a_table_has_what_the_model_says() {
    let tables = r##"
[table.readings]
partition_key       = "sensor"
sort_key            = "at: number"
ttl                 = "gone"
stream              = "keys-only"
recovery            = false
deletion_protection = false
billing             = "provisioned"
capacity            = { read = "7", write = "2..20", target = 50 }

[table.readings.index]
ByDay = { partition_key = "day: binary", sort_key = false, projection = "keys-only", capacity = { read = "1..3" } }
ByAge = { kind = "local", sort_key = "age: number", projection = "keys-only" }
"##;
    let template = json(cloudformation::template, &notes(tables));
    let resources = template["Resources"].as_object().unwrap();
    insta::assert_snapshot!(format!("{:#}", resources["Readings"]));
    let scaled: Vec<&str> = resources
        .keys()
        .filter(|id| id.starts_with("Readings") && id.ends_with("Target"))
        .map(String::as_str)
        .collect();
    // Seven are seven, and a local index has none of its own.
    assert_eq!(
        scaled,
        [
            "ReadingsByDayReadTarget",
            "ReadingsByDayWriteTarget",
            "ReadingsWriteTarget"
        ]
    );
    // S1-49: whoever deploys may choose; by default it is as modelled, for each table.
    assert_eq!(template["Parameters"]["Billing"]["Default"], "as-modelled");
    let conditions = template["Conditions"].as_object().unwrap();
    assert_eq!(conditions.len(), 2);
    let condition = |id: &str| resources[id]["Condition"].as_str().unwrap();
    assert_eq!(condition("ReadingsWriteTarget"), "NotEverythingIsOnDemand");
    assert_eq!(condition("NotesWriteTarget"), "EverythingIsProvisioned");
    assert!(template["Outputs"]["ReadingsStreamArn"].is_object());
    assert!(template["Outputs"]["NotesStreamArn"].is_null());
}

#[test]
fn stars_of_a_template_are_no_stars_of_the_policy() {
    let text = notes("[access.mine]\nlist = \"Note\"\nby = [\"user_id\"]\n")
        .replace(
            "name = \"notes\"\n",
            "name = \"notes\"\ntenant = \"user_id\"\n",
        )
        .replace("USER#{user_id}", "*#{user_id}");
    let template = json(iam::template, &text);
    let statement =
        &template["Resources"]["NotesPolicy"]["Properties"]["PolicyDocument"]["Statement"][0];
    let keys = &statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"];
    assert_eq!(keys[0]["Fn::Sub"], "${!*}#${Tenant}");
    assert_eq!(
        statement["Condition"]["Null"]["dynamodb:LeadingKeys"],
        "false"
    );
}

#[test]
fn a_service_of_many_tables_has_several_policies() {
    let tables: String = (0..60)
        .map(|number| {
            // Tables in which different things are done, so that each is a statement.
            let index = format!("a-rather-long-name-of-an-index-{number}");
            format!(
                r##"
[table.a-rather-long-name-of-a-table-{number}]
partition_key = "PK"
[table.a-rather-long-name-of-a-table-{number}.index]
{index} = {{ partition_key = "by" }}
[entity.E{number}]
table  = "a-rather-long-name-of-a-table-{number}"
key    = {{ partition = "E{number}#{{id}}" }}
index.{index} = {{ partition = "T{number}#{{by}}", sort = "{{id}}" }}
fields = {{ id = "id", by = "id" }}
[access.list_{number}]
list = "E{number}"
by   = ["by"]
"##
            )
        })
        .collect();
    let text = format!("[model]\nname = \"many\"\ntenant = \"by\"\n{tables}");
    let template = json(iam::template, &text);
    let policies = template["Resources"].as_object().unwrap();
    assert!(policies.contains_key("ManyPolicy") && policies.contains_key("ManyPolicy2"));
    let mut statements = 0;
    for policy in policies.values() {
        let document = &policy["Properties"]["PolicyDocument"];
        assert!(document.to_string().len() < 6144);
        statements += document["Statement"].as_array().unwrap().len();
    }
    assert_eq!(statements, 60);
}

#[test]
fn the_same_model_gives_the_same_text() {
    let text = include_str!("everything.toml");
    for artefact in [cloudformation::template, iam::template, export::export] {
        let once = artefact(&model(text), "everything.toml").unwrap();
        assert_eq!(once, artefact(&model(text), "everything.toml").unwrap());
    }
}
