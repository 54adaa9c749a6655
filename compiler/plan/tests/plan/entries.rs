//! What a write costs on indexes is never less than the dearest change of an item, and just that where conditions are about words, numbers
//! and presence: every item before and after is tried. (S0-51)

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use tablewright_model::parse;
use tablewright_plan::{Answer, plan};

/// An item, its fields by the number of their value.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Item {
    state: char,
    kind: Option<char>,
    due: Option<u8>,
    count: u8,
    done: bool,
}

fn all_items() -> Vec<Item> {
    let mut items = Vec::new();
    for state in ['a', 'b', 'c'] {
        for kind in [None, Some('x'), Some('y')] {
            for due in [None, Some(1), Some(2)] {
                for count in 0..3 {
                    for done in [false, true] {
                        items.push(Item {
                            state,
                            kind,
                            due,
                            count,
                            done,
                        });
                    }
                }
            }
        }
    }
    items
}

const FIELDS: &str = r#"
id    = "id"
state = "enum(a, b, c)"
kind  = "enum(x, y)?"
due   = "date?"
count = "int(0..2)"
done  = "bool"
"#;

/// A condition, and what it means.
type Meant = (&'static str, fn(&Item) -> bool);

/// What the planner understands.
const UNDERSTOOD: &[Meant] = &[
    ("state = a", |item| item.state == 'a'),
    ("state != a", |item| item.state != 'a'),
    ("state in (a, b)", |item| "ab".contains(item.state)),
    ("state in (b, c)", |item| "bc".contains(item.state)),
    ("not (state in (a, b))", |item| !"ab".contains(item.state)),
    ("kind exists", |item| item.kind.is_some()),
    ("kind not exists", |item| item.kind.is_none()),
    ("kind = x", |item| item.kind == Some('x')),
    ("kind != x", |item| item.kind != Some('x')),
    ("due exists", |item| item.due.is_some()),
    ("due not exists", |item| item.due.is_none()),
    ("count = 0", |item| item.count == 0),
    ("count > 0", |item| item.count > 0),
    ("count <= 1", |item| item.count <= 1),
    ("count in (0, 2)", |item| [0, 2].contains(&item.count)),
    ("done = true", |item| item.done),
    ("done = false", |item| !item.done),
    ("state = a and due exists", |item| {
        item.state == 'a' && item.due.is_some()
    }),
    ("state = a or kind = x", |item| {
        item.state == 'a' || item.kind == Some('x')
    }),
    ("done = true and not (count >= 2 or kind exists)", |item| {
        item.done && item.count < 2 && item.kind.is_none()
    }),
];

/// What it does not. The first date is the second of January, the second the day after.
const UNKNOWN: &[Meant] = &[
    ("due = '2024-01-02'", |item| item.due == Some(1)),
    ("due < '2024-01-03'", |item| item.due == Some(1)),
    ("state = b or due >= '2024-01-03'", |item| {
        item.state == 'b' || item.due == Some(2)
    }),
    ("count > 1.5", |item| item.count > 1),
];

#[derive(Debug, Clone)]
struct Index {
    key: Vec<&'static str>,
    when: Option<Meant>,
    projection: &'static str,
}

impl Index {
    fn holds(&self, item: Option<&Item>) -> bool {
        let whole = |item: &Item| self.key.iter().all(|field| value(item, field).is_some());
        item.is_some_and(|item| whole(item) && self.when.is_none_or(|(_, meant)| meant(item)))
    }

    /// Entries of whole items are of 3 KB, others small.
    fn units(&self, before: Option<&Item>, after: Option<&Item>) -> u64 {
        let each = if self.projection == "all" { 3 } else { 1 };
        let (Some(was), Some(is)) = (before, after) else {
            return u64::from(self.holds(before) || self.holds(after)) * each;
        };
        let differs = |field: &&str| value(was, field) != value(is, field);
        let entries = match (self.holds(before), self.holds(after)) {
            (false, false) => 0,
            (true, true) if self.key.iter().any(&differs) => 2,
            (true, true) => u64::from(match self.projection {
                "all" => was != is,
                "keys-only" => false,
                of_fields => ["state", "kind", "count"]
                    .iter()
                    .any(|field| of_fields.contains(field) && differs(field)),
            }),
            _ => 1,
        };
        entries * each
    }
}

/// The value of a field, by its number.
fn value(item: &Item, field: &str) -> Option<u32> {
    match field {
        "state" => Some(u32::from(item.state)),
        "kind" => item.kind.map(u32::from),
        "due" => item.due.map(u32::from),
        "count" => Some(u32::from(item.count)),
        "done" => Some(u32::from(item.done)),
        _ => Some(0),
    }
}

#[derive(Debug, Clone)]
struct Write {
    verb: &'static str,
    set: Vec<&'static str>,
    add: bool,
    condition: Option<Meant>,
}

impl Write {
    fn may_become(&self, before: &Item, after: &Item) -> bool {
        ["state", "kind", "due", "count", "done"]
            .iter()
            .all(|field| {
                let added = self.add && *field == "count";
                added || self.set.contains(field) || value(before, field) == value(after, field)
            })
    }

    fn text(&self) -> String {
        let mut text = format!("[access.write]\n{} = \"Thing\"\n", self.verb);
        let mut say = |key: &str, value: String| text.push_str(&format!("{key} = {value}\n"));
        if self.verb != "create" {
            say("by", String::from("[\"id\"]"));
            if let Some((condition, _)) = self.condition {
                say("where", format!("\"{condition}\""));
            }
        }
        if self.verb == "update" && !self.set.is_empty() {
            say("set", format!("{:?}", self.set));
        }
        if self.verb == "update" && self.add {
            say("add", String::from("[\"count\"]"));
        }
        text
    }
}

fn text(indexes: &[Index], write: &Write) -> String {
    let mut tables = String::new();
    let mut keys = String::new();
    for (number, index) in indexes.iter().enumerate() {
        let projection = match index.projection {
            "all" | "keys-only" => format!("\"{}\"", index.projection),
            fields => format!("[{fields}]"),
        };
        tables.push_str(&format!(
            "Index{number} = {{ projection = {projection} }}\n"
        ));
        let parts: Vec<String> = index.key.iter().map(|name| format!("{{{name}}}")).collect();
        let when = index.when.map(|(text, _)| format!(", when = \"{text}\""));
        keys.push_str(&format!(
            "Index{number} = {{ partition = \"I{number}\", sort = \"{}#{{id}}\"{} }}\n",
            parts.join("#"),
            when.unwrap_or_default(),
        ));
    }
    format!(
        r#"
[model]
name = "entries"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[table.app.index]
{tables}
[entity.Thing]
table      = "app"
key        = {{ partition = "THING#{{id}}", sort = "METADATA" }}
facts.size = "3 KB"

[entity.Thing.index]
{keys}
[entity.Thing.fields]
{FIELDS}
{}"#,
        write.text()
    )
}

/// What the plan says it costs on the indexes.
fn planned(indexes: &[Index], write: &Write) -> u64 {
    let text = text(indexes, write);
    let model = parse(&text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
    let Answer::Write(plan) = plan(&model).remove(0).answer else {
        panic!("{text}");
    };
    plan.cost.units.expect("a size") as u64 - 3
}

/// What the dearest change costs there.
fn dearest(indexes: &[Index], write: &Write) -> u64 {
    let items = all_items();
    let cost = |before: Option<&Item>, after: Option<&Item>| -> u64 {
        indexes.iter().map(|index| index.units(before, after)).sum()
    };
    let admitted = |item: &&Item| {
        write.verb == "create" || write.condition.is_none_or(|(_, meant)| meant(item))
    };
    let costs = items.iter().filter(admitted).map(|item| match write.verb {
        "create" => cost(None, Some(item)),
        "delete" => cost(Some(item), None),
        _ => items
            .iter()
            .filter(|after| write.may_become(item, after))
            .map(|after| cost(Some(item), Some(after)))
            .max()
            .unwrap_or(0),
    });
    costs.max().unwrap_or(0)
}

fn an_index(meant: &'static [Meant]) -> impl Strategy<Value = Index> {
    let key = subsequence(vec!["state", "kind", "due", "count"], 0..3);
    let when = proptest::option::weighted(0.8, select(meant));
    let projection = select(vec!["all", "keys-only", "\"kind\"", "\"state\", \"count\""]);
    (key, when, projection).prop_map(|(key, when, projection)| Index {
        key,
        when,
        projection,
    })
}

fn a_write(meant: &'static [Meant]) -> impl Strategy<Value = Write> {
    let verb = select(vec!["create", "update", "update", "update", "delete"]);
    let set = subsequence(vec!["state", "kind", "due", "done"], 1..3);
    let condition = proptest::option::of(select(meant));
    (verb, set, any::<bool>(), condition).prop_map(|(verb, set, add, condition)| Write {
        verb,
        set,
        add,
        condition,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_planned_is_what_the_dearest_change_costs(
        indexes in prop::collection::vec(an_index(UNDERSTOOD), 1..5),
        write in a_write(UNDERSTOOD),
    ) {
        let text = text(&indexes, &write);
        prop_assert_eq!(planned(&indexes, &write), dearest(&indexes, &write), "{}", text);
    }

    #[test]
    fn what_is_not_understood_is_never_taken_for_less(
        mut indexes in prop::collection::vec(an_index(UNKNOWN), 1..3),
        others in prop::collection::vec(an_index(UNDERSTOOD), 0..3),
        write in prop_oneof![a_write(UNKNOWN), a_write(UNDERSTOOD)],
    ) {
        indexes.extend(others);
        let text = text(&indexes, &write);
        prop_assert!(planned(&indexes, &write) >= dearest(&indexes, &write), "{}", text);
    }
}

/// Seven fields can be there or not in a hundred ways, and thirteen in thousands: then each index is taken for itself.
#[test]
fn of_very_many_fields_the_bound_is_the_sum() {
    let created = |fields: usize| {
        let names: Vec<String> = (0..fields).map(|number| format!("field{number}")).collect();
        let declared: Vec<String> = names
            .iter()
            .map(|name| format!("{name} = \"id?\""))
            .collect();
        let exist: Vec<String> = names.iter().map(|name| format!("{name} exists")).collect();
        let any = exist.join(" or ");
        let text = format!(
            r#"
[model]
name = "entries"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[table.app.index]
Some = {{ projection = "keys-only" }}
None = {{ projection = "keys-only" }}

[entity.Thing]
table      = "app"
key        = {{ partition = "THING#{{id}}", sort = "METADATA" }}
facts.size = "1 KB"

[entity.Thing.index]
Some = {{ partition = "SOME", sort = "{{id}}", when = "{any}" }}
None = {{ partition = "NONE", sort = "{{id}}", when = "not ({any})" }}

[entity.Thing.fields]
id = "id"
{}

[access.add]
create = "Thing"
"#,
            declared.join("\n")
        );
        let model = parse(&text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        let Answer::Write(plan) = plan(&model).remove(0).answer else {
            panic!("{text}");
        };
        plan.cost.units
    };
    assert_eq!(created(7), Some(2.0));
    assert_eq!(created(13), Some(3.0));
}
