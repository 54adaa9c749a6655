//! A model as large as one likes, clean, with everything rules look at.

use std::fmt::Write as _;

/// How the entities are spread over tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// All in one table.
    OneTable,
    /// Fifty in each table.
    TablesOfFifty,
}

impl std::fmt::Display for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Layout::OneTable => "a large model in one table, read and checked",
            Layout::TablesOfFifty => "a large model of fifty entities a table, read and checked",
        })
    }
}

/// The text of a model with so many entities and three times as many patterns.
pub(crate) fn text(entities: usize, layout: Layout) -> String {
    let per_table = match layout {
        Layout::OneTable => entities,
        Layout::TablesOfFifty => 50,
    };
    let mut text = String::from("[model]\nname = \"large\"\n");
    for number in 0..entities {
        let table = number / per_table;
        if number % per_table == 0 {
            let _ = write!(
                text,
                "
[table.table-{table}]
partition_key = \"PK\"
sort_key      = \"SK\"
type          = \"Type\"
ttl           = \"ttl\"

[table.table-{table}.index]
GSI1 = {{}}
GSI2 = {{}}
"
            );
        }
        let _ = write!(
            text,
            "
[entity.Entity{number}]
table     = \"table-{table}\"
about     = \"The {number}th kind of thing.\"
key       = {{ partition = \"OWNER#{{owner}}\", sort = \"E{number}#{{id}}\" }}
versioned = {{ data_version = 1 }}

[entity.Entity{number}.index]
GSI1 = {{ partition = \"OWNER#{{owner}}\", sort = \"E{number}STATUS#{{status}}#{{id}}\" }}
GSI2 = {{ partition = \"OWNER#{{owner}}\", sort = \"E{number}DUE#{{due}}#{{id}}\" }}

[entity.Entity{number}.fields]
owner    = \"id\"
id       = \"ulid\"
status   = \"enum(open, running, done)\"
priority = \"ordered(low, high)?\"
due      = \"date?\"
title    = \"string(1..200)\"
tags     = \"set(string(1..20), ..10)?\"

[entity.Entity{number}.facts]
items = 1_000_000
size  = \"400 B\"

[access.e{number}_by_status]
ask    = \"Which are in one status?\"
list   = \"Entity{number}\"
by     = [\"owner\", \"status\"]
budget = \"1 rcu\"

[access.e{number}_due]
ask   = \"Which fall due between two days?\"
list  = \"Entity{number}\"
by    = [\"owner\"]
range = \"due\"
order = \"due desc\"

[access.e{number}_change]
update = \"Entity{number}\"
by     = [\"owner\", \"id\"]
set    = [\"title\", \"status\", \"due\"]
"
        );
    }
    text
}
