//! `tablewright token`: what it prints, and where its key is.

use insta::assert_snapshot;
use serde_json::Value;

use crate::sandbox::Sandbox;

/// The claims of a printed token, without looking at its signature; the kit's tests do that.
fn claims(printed: &str) -> Value {
    let token = printed.strip_prefix("exit 0\n── stdout\n").unwrap();
    let parts: Vec<&str> = token.trim_end().split('.').collect();
    assert_eq!(parts.len(), 3, "{token}");
    serde_json::from_slice(&decoded(parts[1])).unwrap()
}

/// Base64 as tokens have it.
fn decoded(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let value = |byte: u8| DIGITS.iter().position(|digit| *digit == byte).unwrap() as u32;
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes() {
        bits = bits << 6 | value(byte);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    bytes
}

#[test]
fn help_that_says_what_it_is_for() {
    assert_snapshot!(Sandbox::new().run(&["token", "-h"]));
}

#[test]
fn a_token_says_who_it_is_for_and_nothing_else_is_printed() {
    let sandbox = Sandbox::new();
    let mut arguments = vec!["token", "--sub", "ada", "--email", "ada@example.org"];
    arguments.extend([
        "--name",
        "Ada Lovelace",
        "--group",
        "admins",
        "--group",
        "staff",
    ]);
    let claims = claims(&sandbox.run(&arguments));
    assert_eq!(claims["sub"], "ada");
    assert_eq!(claims["email"], "ada@example.org");
    assert_eq!(claims["name"], "Ada Lovelace");
    assert_eq!(
        claims["cognito:groups"],
        serde_json::json!(["admins", "staff"])
    );
    let valid = claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap();
    assert_eq!(valid, 12 * 60 * 60);
}

#[test]
fn the_key_is_made_once_where_the_service_looks_for_it() {
    let sandbox = Sandbox::new();
    sandbox.run(&["token", "--sub", "ada"]);
    let key = sandbox.read(".tablewright/issuer.key");
    sandbox.run(&["token", "--sub", "bob"]);
    assert_eq!(sandbox.read(".tablewright/issuer.key"), key);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = std::fs::metadata(sandbox.path(".tablewright/issuer.key")).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
    let mut command = sandbox.command(&["token", "--sub", "ada"]);
    command.env("TABLEWRIGHT_ENDPOINT", "embedded:elsewhere");
    assert!(command.output().unwrap().status.success());
    assert!(sandbox.path("elsewhere/issuer.key").exists());
    sandbox.run(&["token", "--sub", "ada", "--data", "here"]);
    assert_ne!(sandbox.read("here/issuer.key"), key);
}

#[test]
fn tokens_that_cannot_be_made() {
    let sandbox = Sandbox::with(&[("broken/issuer.key", "nonsense\n")]);
    assert_snapshot!(sandbox.run(&["token"]));
    assert_snapshot!(sandbox.run(&["token", "--sub", "ada lovelace"]));
    assert_snapshot!(sandbox.run(&["token", "--sub", "ada", "--data", "broken"]));
    assert_snapshot!(sandbox.run(&["token", "--sub", "ada", "--hours", "0"]));
}
