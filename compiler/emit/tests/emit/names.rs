//! Names of a model that are no names of Rust, or become one.

use tablewright_emit::{EmitError, rust};
use tablewright_model::parse;

fn error(more: &str) -> EmitError {
    let text = format!(
        r##"
[model]
name = "names"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[entity.Task]
table = "app"
key   = {{ partition = "TASK#{{id}}", sort = "METADATA" }}

{more}"##
    );
    let model = parse(&text).expect("the model is good");
    rust::module(&model, "names.toml").expect_err("its names do not go together")
}

#[test]
fn two_fields_that_become_one_are_both_named() {
    let error = error("fields = { id = \"id\", dueDate = \"date\", due_date = \"date\" }");
    assert_eq!(
        error.to_string(),
        "the field `dueDate` of Task and the field `due_date` of Task would both be called `due_date` in the generated code; rename one of them"
    );
}

#[test]
fn a_field_that_is_no_name_is_refused() {
    let error = error("fields = { id = \"id\", _ = \"date\" }");
    assert_eq!(
        error,
        EmitError::BadName {
            name: "_".to_owned(),
            what: "the field `_` of Task".to_owned()
        }
    );
}

#[test]
fn two_words_that_become_one_are_both_named() {
    let error = error("fields = { id = \"id\", state = \"enum(in-progress, in_progress)\" }");
    assert!(
        matches!(&error, EmitError::SameName { name, .. } if name == "InProgress"),
        "{error}"
    );
}

#[test]
fn an_entity_cannot_be_called_like_what_every_module_uses() {
    let fields = "fields = { id = \"id\" }\n";
    let entity = |name: &str| {
        format!(
            "{fields}\n[entity.{name}]\ntable = \"app\"\nkey = {{ partition = \"X#{{id}}\", sort = \"METADATA\" }}\nfields = {{ id = \"id\" }}\n"
        )
    };
    for name in ["Option", "Names", "TaskKey", "TaskRepo", "Tasks"] {
        let error = error(&entity(name));
        assert!(
            matches!(&error, EmitError::SameName { .. }),
            "{name}: {error}"
        );
    }
}

#[test]
fn a_pattern_cannot_take_the_place_of_the_constructor() {
    let error = error("fields = { id = \"id\" }\n\n[access.new]\ncreate = \"Task\"\n");
    assert!(matches!(&error, EmitError::SameName { name, .. } if name == "new"));
}

#[test]
fn two_patterns_cannot_have_one_method() {
    let error = error(
        "fields = { id = \"id\" }\n\n[access.by_id]\nget = \"Task\"\nby = [\"id\"]\n\n[access.by__id]\nget = \"Task\"\nby = [\"id\"]\n",
    );
    assert!(
        matches!(&error, EmitError::SameName { name, .. } if name == "by_id"),
        "{error}"
    );
}

#[test]
fn a_value_of_one_name_has_one_type() {
    let error = error(
        "fields = { id = \"id\", a = \"int\", b = \"date\" }\n\n[access.change]\nupdate = \"Task\"\nby = [\"id\"]\nset = [\"a\"]\nwhere = \"a = :x and b = :x\"\n",
    );
    assert!(
        matches!(&error, EmitError::SameName { name, .. } if name == "x"),
        "{error}"
    );
}

#[test]
fn a_claim_needs_the_hash_of_the_request() {
    let error = error(
        "fields = { id = \"id\" }\n\n[access.create_task]\ncreate = \"Task\"\nidempotent = \"Task\"\n",
    );
    assert!(
        matches!(&error, EmitError::NoRequestHash { entity, pattern } if entity == "Task" && pattern == "create_task")
    );
}

#[test]
fn what_the_run_time_cannot_do_is_said() {
    let fields = "fields = { id = \"id\", price = \"decimal\" }\n\n";
    for (pattern, why) in [
        (
            "[access.x]\nupdate = \"Task\"\nby = [\"id\"]\nadd = [\"price\"]\n",
            "a decimal",
        ),
        (
            "[access.x]\ntransact = [{ get = \"Task\" }]\n",
            "reads Task",
        ),
    ] {
        let error = error(&format!("{fields}{pattern}"));
        assert!(
            matches!(&error, EmitError::NoCall { why: said, .. } if said.contains(why)),
            "{error}"
        );
    }
}

fn module(more: &str) -> String {
    let text = format!(
        r##"
[model]
name = "names"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[entity.Task]
table = "app"
key   = {{ partition = "TASK#{{id}}", sort = "METADATA" }}

{more}"##
    );
    let model = parse(&text).expect("the model is good");
    rust::module(&model, "names.toml").expect("its names are good")
}

/// A rule of serde's would write `_1st`, `self_` and `É`.
#[test]
fn a_word_that_is_no_plain_name_is_stored_as_it_is() {
    let text = module("fields = { id = \"id\", state = \"enum(1st, self, é, ok)\" }");
    assert!(!text.contains("rename_all"), "{text}");
    for word in ["1st", "self", "é", "ok"] {
        assert!(text.contains(&format!("rename = \"{word}\"")), "{word}");
    }
}

#[test]
fn a_keyword_of_the_newest_edition_is_written_raw() {
    let text = module("fields = { id = \"id\", gen = \"int\" }");
    assert!(text.contains("pub r#gen: i64"), "{text}");
}

#[test]
fn a_pattern_cannot_be_called_like_a_method_every_repository_has() {
    let error =
        error("fields = { id = \"id\" }\n\n[access.items]\nget = \"Task\"\nby  = [\"id\"]\n");
    assert!(
        matches!(&error, EmitError::SameName { name, .. } if name == "items"),
        "{error}"
    );
}
