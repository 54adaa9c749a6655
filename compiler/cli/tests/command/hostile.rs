//! Files nobody would write, given to every command that reads one: an answer, and an exit that says so.

use crate::sandbox::{CLEAN, Sandbox};

const PROJECT: &str = "models = [\"model.toml\"]

[generate]
schema    = \"out/schema\"
charts    = \"out\"
rust      = \"out/model.rs\"
workbench = \"out/workbench.json\"
";

/// A megabyte of it, ten times.
const HUGE: usize = 10_000_000;

/// What is in a file, and which exit `check`, `plan` and `generate` have: 0, 1 for what they find, 2 for what they cannot read.
fn models() -> Vec<(&'static str, Vec<u8>, char)> {
    let with = |more: String| format!("{CLEAN}{more}").into_bytes();
    let access = |key: &str, value: &str| {
        with(format!(
            "\n[access.x]\nlist = \"Note\"\nby = [\"user_id\"]\n{key} = \"{value}\"\n"
        ))
    };
    let deep = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(100_000), close.repeat(100_000))
    };
    vec![
        ("nothing", Vec::new(), '1'),
        ("lines of nothing", b"\n\r\n\n".to_vec(), '1'),
        (
            "the ends of lines of another system",
            CLEAN.replace('\n', "\r\n").into_bytes(),
            '0',
        ),
        (
            "a byte order mark",
            format!("\u{feff}{CLEAN}").into_bytes(),
            '0',
        ),
        ("zeros", vec![0; 1000], '1'),
        (
            "a zero in a name",
            CLEAN.replace("notes", "no\0tes").into_bytes(),
            '1',
        ),
        ("no text", (0..=255).collect(), '2'),
        (
            "lists in lists",
            format!("a = {}", deep("[", "", "]")).into_bytes(),
            '1',
        ),
        (
            "tables in tables",
            format!("[{}a]", "a.".repeat(100_000)).into_bytes(),
            '1',
        ),
        (
            "values in values",
            format!("a = {}", deep("{ b = ", "1", " }")).into_bytes(),
            '1',
        ),
        (
            "a condition in conditions",
            access("where", &deep("(", "text = a", ")")),
            '1',
        ),
        (
            "not not",
            access("where", &deep("not ", "text = a", "")),
            '1',
        ),
        (
            "types in types",
            with(format!(
                "\n[struct.S]\na = \"{}\"\n",
                deep("list(", "string", ")")
            )),
            '1',
        ),
        (
            "a comment of ten megabytes",
            with(format!("# {}\n", "x".repeat(HUGE))),
            '0',
        ),
        (
            "a name of ten megabytes",
            with(format!("\n[struct.{}]\na = \"string\"\n", "x".repeat(HUGE))),
            '1',
        ),
        (
            "a key of ten megabytes",
            CLEAN.replace("USER#", &"U".repeat(HUGE)).into_bytes(),
            '1',
        ),
    ]
}

#[test]
fn whatever_a_model_is_there_is_an_answer() {
    for (what, bytes, exit) in models() {
        let sandbox = Sandbox::with(&[("tablewright.toml", PROJECT)]);
        sandbox.write("model.toml", &bytes);
        for arguments in [&["check"][..], &["plan", "model.toml"], &["generate"]] {
            let output = sandbox.command(arguments).output().unwrap();
            let told = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code().map(|code| code.to_string());
            assert_eq!(
                code,
                Some(exit.to_string()),
                "{what}, {arguments:?}: {told}"
            );
            assert!(!told.contains("panicked"), "{what}, {arguments:?}: {told}");
            assert!(
                !output.stdout.is_empty() || !told.is_empty(),
                "{what}, {arguments:?}"
            );
        }
        let written = sandbox.path("out").exists();
        assert_eq!(written, exit == '0', "{what}: what is wrong writes nothing");
    }
}

#[test]
fn whatever_a_project_file_is_there_is_an_answer() {
    for (what, bytes) in [
        ("nothing", Vec::new()),
        ("zeros", vec![0; 1000]),
        ("no text", (0..=255).collect()),
        (
            "lists in lists",
            format!("models = {}", "[".repeat(100_000)).into_bytes(),
        ),
    ] {
        let sandbox = Sandbox::with(&[("model.toml", CLEAN)]);
        sandbox.write("tablewright.toml", &bytes);
        for command in ["check", "plan", "generate"] {
            let told = sandbox.run(&[command]);
            assert!(
                told.starts_with("exit 2\n── stderr\nerror: tablewright.toml"),
                "{what}: {told}"
            );
        }
    }
    let sandbox = Sandbox::with(&[("model.toml", CLEAN)]);
    let text = format!(
        "\u{feff}{}# {}\r\n",
        PROJECT.replace('\n', "\r\n"),
        "x".repeat(HUGE)
    );
    sandbox.write("tablewright.toml", text.as_bytes());
    assert!(sandbox.run(&["generate"]).starts_with("exit 0"));
}

#[test]
fn whatever_an_import_is_given_there_is_an_answer() {
    let good = "{ \"ModelName\": \"Shop\",\n \"DataModel\": [{ \"TableName\": \"shop\", \"KeyAttributes\": { \"PartitionKey\": { \"AttributeName\": \"id\", \"AttributeType\": \"S\" } } }] }";
    for (what, bytes, exit) in [
        ("nothing", Vec::new(), '2'),
        ("zeros", vec![0; 1000], '2'),
        ("no text", (0..=255).collect(), '2'),
        (
            "a byte order mark",
            format!("\u{feff}{good}").into_bytes(),
            '0',
        ),
        (
            "the ends of lines of another system",
            good.replace('\n', "\r\n").into_bytes(),
            '0',
        ),
        (
            "a zero in a name",
            good.replace("\"shop\"", "\"sh\\u0000op\"").into_bytes(),
            '2',
        ),
        (
            "a title of ten megabytes",
            good.replace("Shop", &"x".repeat(HUGE)).into_bytes(),
            '0',
        ),
        (
            "lists in lists",
            format!("{{ \"DataModel\": {}", "[".repeat(1_000_000)).into_bytes(),
            '2',
        ),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("it.json", &bytes);
        let told = sandbox.run(&["import", "it.json", "--name", "shop"]);
        assert!(told.starts_with(&format!("exit {exit}")), "{what}: {told}");
        assert!(!told.contains("panicked"), "{what}: {told}");
        assert_eq!(
            sandbox.path("models/shop.toml").exists(),
            exit == '0',
            "{what}"
        );
    }
}
