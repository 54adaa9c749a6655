//! A model as large as one likes, clean, with everything rules look at.

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
            Layout::OneTable => "a large model in one table",
            Layout::TablesOfFifty => "a large model of fifty entities a table",
        })
    }
}

/// Five entities and fifteen patterns with everything rules look at: guards, counters, sparse and sharded indexes,
/// relationships, events, requests by hand. Some of their partitions belong to them alone, some are shared by all. `NN` is the number of the five, `TT` that of their table.
const FIVE: &str = include_str!("five_entities.toml");

const TABLE: &str = r#"
[table.table-TT]
partition_key = "PK"
sort_key      = "SK"
type          = "Type"
ttl           = "ttl"
stream        = "new-and-old-images"

[table.table-TT.index]
GSI1 = {}
GSI2 = {}
"#;

/// The text of a model with so many entities, a multiple of fifty, and three times as many patterns.
pub(crate) fn text(entities: usize, layout: Layout) -> String {
    let per_table = match layout {
        Layout::OneTable => entities,
        Layout::TablesOfFifty => 50,
    };
    let mut text = String::from("[model]\nname = \"large\"\ntimes = \"epoch_seconds\"\n");
    for number in (0..entities).step_by(5) {
        let table = (number / per_table).to_string();
        if number % per_table == 0 {
            text.push_str(&TABLE.replace("TT", &table));
        }
        let five = FIVE.replace("NN", &(number / 5).to_string());
        text.push_str(&five.replace("TT", &table));
    }
    text
}
