//! The faults of the language itself, which are no rules: they cannot be allowed, and most of them leave no model to run rules on.

/// A kind of fault.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// The name its findings carry.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
}

/// Every kind, from the text to the names in it.
pub const FAULTS: &[Fault] = &[
    fault("syntax", "text that is not TOML"),
    fault("unknown-key", "a key the language does not have there"),
    fault("missing-key", "a key that has to be there and is not"),
    fault(
        "wrong-type",
        "a value of the wrong kind, such as a number in the place of a text",
    ),
    fault("bad-value", "a value that cannot be what it says"),
    fault("bad-type", "a field type that cannot be read"),
    fault(
        "bad-template",
        "a key template that cannot be read, or does not fit its fields",
    ),
    fault(
        "bad-condition",
        "a `where` or `when` that cannot be read, or does not fit its fields",
    ),
    fault(
        "bad-expression",
        "an expression of DynamoDB's that DynamoDB would refuse",
    ),
    fault("duplicate-name", "a name that two things have"),
    fault(
        "unknown-name",
        "a name of a table, an index, an entity or a field that is declared nowhere",
    ),
    fault(
        "unknown-word",
        "a word that is none of those that can stand there",
    ),
    fault("unknown-rule", "an `allow` of a rule that does not exist"),
    fault("unused-allow", "an `allow` that silences nothing"),
];

const fn fault(name: &'static str, summary: &'static str) -> Fault {
    Fault { name, summary }
}

/// The kind of this name.
pub fn fault_named(name: &str) -> Option<&'static Fault> {
    FAULTS.iter().find(|fault| fault.name == name)
}
