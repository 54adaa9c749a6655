//! The models tests are about.

use tablewright_model::Model;

fn parsed(text: &str) -> Model {
    tablewright_model::parse(text).unwrap()
}

pub(crate) fn todo() -> Model {
    parsed(include_str!("../../../models/todo.toml"))
}

pub(crate) fn tasks() -> Model {
    parsed(include_str!("../../../models/tasks.toml"))
}

pub(crate) fn ask() -> Model {
    parsed(include_str!("../../../models/ask.toml"))
}

pub(crate) fn accounts() -> Model {
    parsed(include_str!("../../../models/accounts.toml"))
}

/// The four models of the repository.
pub(crate) fn all() -> [(&'static str, Model); 4] {
    [
        ("todo", todo()),
        ("tasks", tasks()),
        ("ask", ask()),
        ("accounts", accounts()),
    ]
}

/// Every field type of the language.
pub(crate) fn every_type() -> Model {
    parsed(EVERY_TYPE)
}

const EVERY_TYPE: &str = r#"
[model]
name = "types"

[table.things]
partition_key = "PK"
sort_key      = "SK"
type          = "Type"

[entity.Thing]
table = "things"
key   = { partition = "THING#{owner}", sort = "THING#{thing_id}" }

[entity.Thing.fields]
owner    = "id"
thing_id = "uuid"
text     = "string"
short    = "string(..3)"
code     = "string(4..4)"
ulid     = "ulid"
email    = "email"
flag     = "bool"
number   = "int"
small    = "int(-3..3)"
price    = "decimal"
day      = "date"
seconds  = "timestamp(s)"
millis   = "timestamp"
micros   = "timestamp(us)"
uneven   = "timestamp(any)"
epoch    = "epoch_seconds"
epoch_ms = "epoch_millis"
word     = "enum(a, b)"
rank     = "ordered(low, high) = low"
bytes    = "binary(..64)"
list     = "list(string(1..5), 1..4)"
words    = "set(enum(x, y, z), ..3)"
numbers  = "set(int(0..9), 1..4)"
prices   = "set(decimal, ..4)"
named    = "map(int, 2..6)"
anything = "json(..200)"
place    = "Place"
places   = "list(Place, ..3)?"

[struct.Place]
name  = "string(1..20)"
tags  = "set(string(1..8), ..3)"
price = "decimal?"
inner = "list(Spot, ..2)?"

[struct.Spot]
at = "date"

[access.things]
list = "Thing"
by   = ["owner"]
"#;
