//! Limits that a fixture would be too long to show.

use std::fmt::Write as _;

use tablewright_check::check_text;

const HEAD: &str = r#"
[model]
name = "example"

[table.app]
partition_key = "PK"
sort_key      = "SK"
"#;

fn rules(text: &str) -> Vec<&'static str> {
    let findings = check_text(text);
    findings.iter().map(|finding| finding.rule).collect()
}

/// A transaction of so many bookings, each with the guard of its seat.
fn bookings(actions: usize) -> String {
    let mut text = format!(
        "{HEAD}
[entity.Booking]
table  = \"app\"
key    = {{ partition = \"BOOKING#{{booking_id}}\", sort = \"METADATA\" }}
unique = {{ seat = {{ partition = \"SEAT#{{seat}}\", sort = \"METADATA\" }} }}
fields = {{ booking_id = \"id\", seat = \"id\" }}

[access.book]
transact = ["
    );
    for action in 0..actions {
        let _ = writeln!(text, "{{ create = \"Booking\", as = \"b{action}\" }},");
    }
    text + "]\n"
}

#[test]
fn guards_count_among_the_hundred_actions_of_a_transaction() {
    assert!(rules(&bookings(50)).is_empty());
    assert_eq!(rules(&bookings(51)), ["transaction-limit"]);
}

#[test]
fn a_long_chain_of_structs_is_followed_to_its_end() {
    let mut text = format!(
        "{HEAD}
[entity.Tree]
table  = \"app\"
key    = {{ partition = \"TREE#{{tree_id}}\", sort = \"METADATA\" }}
fields = {{ tree_id = \"id\", root = \"Level0\" }}
"
    );
    for level in 0..1000 {
        let _ = writeln!(
            text,
            "[struct.Level{level}]\ninner = \"Level{}\"",
            level + 1
        );
    }
    text += "[struct.Level1000]\nvalue = \"int\"\n";
    assert_eq!(rules(&text), ["deep-nesting"]);
}
