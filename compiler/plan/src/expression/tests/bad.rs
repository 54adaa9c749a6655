//! Texts that are refused, with what is said and what is pointed at.

use crate::expression::{ExpressionError, parse_condition, parse_key_condition, parse_update};

#[test]
fn conditions_are_refused() {
    let table = include_str!("refused_conditions.txt");
    refuses(table, |text| parse_condition(text).err());
}

#[test]
fn key_conditions_are_refused() {
    let table = include_str!("refused_key_conditions.txt");
    refuses(table, |text| parse_key_condition(text).err());
}

#[test]
fn updates_are_refused() {
    let table = include_str!("refused_updates.txt");
    refuses(table, |text| parse_update(text).err());
}

/// Every case is a line with the marked text, and an indented one with the message.
fn refuses(table: &str, read: fn(&str) -> Option<ExpressionError>) {
    let mut lines = table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "));
    let mut cases = 0;
    while let Some(marked) = lines.next() {
        let message = lines.next().expect("a message").trim_start();
        let start = marked.find('⟦').expect("a mark");
        let end = marked.find('⟧').expect("a mark") - '⟦'.len_utf8();
        let text = marked.replace(['⟦', '⟧'], "");
        let error = read(&text).unwrap_or_else(|| panic!("{text} is read"));
        assert_eq!(error.to_string(), message, "{text}");
        assert_eq!(error.span, start..end, "{text}");
        cases += 1;
    }
    assert!(cases > 10);
}

#[test]
fn a_text_without_an_expression_is_refused() {
    for text in ["", " \n"] {
        let errors = [
            parse_condition(text).err(),
            parse_key_condition(text).err(),
            parse_update(text).err(),
        ];
        for error in errors {
            let error = error.expect("nothing to read");
            assert_eq!(error.span, 0..text.len());
            let message = "the expression is empty: write one, or leave it out";
            assert_eq!(error.to_string(), message);
        }
    }
}

#[test]
fn a_control_character_is_shown_escaped() {
    let error = parse_condition("a = :a \u{0}").expect_err("a control character");
    assert_eq!(error.span, 7..8);
    assert!(error.to_string().starts_with("`\\0` means nothing"));
}

#[test]
fn the_limits_of_the_service_are_held() {
    let too_many = format!("a IN ({})", vec![":v"; 101].join(", "));
    let error = parse_condition(&too_many).expect_err("a hundred and one operands");
    assert_eq!(error.span, 0..too_many.len());
    assert_eq!(
        error.to_string(),
        "`IN` lists 101 operands and DynamoDB takes 100: split it into two joined by `OR`"
    );

    let operators = vec!["a=:v"; 151].join(" OR ");
    let error = parse_condition(&operators).expect_err("three hundred and one operators");
    assert_eq!(error.span, 1201..1202);
    assert_eq!(
        error.to_string(),
        "the expression has more than the 300 operators and functions DynamoDB takes: split it"
    );

    let long = format!("{}=:v", "a".repeat(4096));
    let error = parse_condition(&long).expect_err("too long");
    assert_eq!(error.span, 0..4099);
    assert_eq!(
        error.to_string(),
        "the expression is 4099 bytes long and DynamoDB takes 4096: shorten its names with aliases such as `#a`"
    );
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    let message = "the expression nests deeper than 64 levels: flatten it";
    let groups = format!("{}a=:v{}", "NOT (".repeat(33), ")".repeat(33));
    let error = parse_condition(&groups).expect_err("66 levels");
    assert_eq!(
        (error.span.clone(), error.to_string()),
        (164..165, message.to_owned())
    );

    for opening in ["(", "NOT ", "size(", "contains(", "a IN ("] {
        assert!(parse_condition(&opening.repeat(4096 / opening.len())).is_err());
    }
    for opening in ["(", "list_append(", "if_not_exists(", "a + ("] {
        let text = format!("SET a = {}", opening.repeat(4000 / opening.len()));
        assert!(parse_update(&text).is_err());
    }
}
