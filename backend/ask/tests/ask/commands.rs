//! What an admin does at the command line.

use std::process::{Command, Output};

fn run(folder: &std::path::Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ask"))
        .args(words)
        .env_clear()
        .env(
            "TABLEWRIGHT_ENDPOINT",
            format!("embedded:{}", folder.join("data").display()),
        )
        .env("TABLEWRIGHT_ISSUER_KEYS", folder)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn agents_and_keys_are_made_shown_and_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| run(folder.path(), words);
    let added = said(&run(&["agent", "add", "ada", "--name", "Ada L."]));
    assert!(
        added.contains("ada is known now") && added.contains("Ada L."),
        "{added}"
    );
    let key = said(&run(&["key", "add", "ada", "--label", "laptop"]));
    assert!(key.starts_with("aah_") && key.lines().count() == 1, "{key}");
    let listed = said(&run(&["key", "list", "ada"]));
    assert!(
        listed.contains("laptop") && listed.contains("good"),
        "{listed}"
    );
    let hash = listed.split(' ').next().unwrap();
    assert_eq!(said(&run(&["key", "revoke", "ada", hash])), "revoked\n");
    assert!(said(&run(&["key", "list", "ada"])).contains("revoked"));
    let quota = said(&run(&["agent", "quota", "ada", "--open", "7"]));
    assert!(quota.contains("7 open at a time"), "{quota}");
    let hook = said(&run(&[
        "agent",
        "webhook",
        "ada",
        "https://a.example/closed",
    ]));
    assert!(hook.contains("whsec_"), "{hook}");
    let shown = said(&run(&["agent", "show", "ada"]));
    assert!(
        shown.contains("https://a.example/closed") && !shown.contains("whsec_"),
        "{shown}"
    );
    for (words, why) in [
        (&["agent", "show", "eve"][..], "there is no such agent"),
        (&["key", "add", "eve"], "there is no such agent"),
        (
            &["key", "revoke", "ada", "nothing-like-it"],
            "there is no such key",
        ),
        (&["agent", "add", "a b"], "letters, digits"),
        (
            &["agent", "webhook", "ada", "http://evil.example"],
            "https://",
        ),
        (&["agent", "fly", "ada"], "there is no command `agent fly`"),
        (&["dance"], "there is no command `dance`"),
    ] {
        let output = run(words);
        assert!(!output.status.success(), "{words:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            error.contains(why) && !error.contains("panicked"),
            "{words:?}: {error}"
        );
    }
    assert!(said(&run(&["help"])).contains("ask key revoke"));
}

/// `ask help | head -1`
#[test]
fn who_stops_listening_breaks_nothing() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ask"))
        .arg("help")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
}
