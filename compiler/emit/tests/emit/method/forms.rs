//! Demands that take more than a line to show.

use std::path::Path;

use tablewright_check::check;
use tablewright_emit::typescript;
use tablewright_model::{Model, Severity, parse};

use super::{finds, model};
use crate::documents::documents;

const FORMS: &str = include_str!("forms.toml");

fn types_of(model: &Model) -> String {
    typescript::module(model, "model.toml").expect("it has types")
}

/// A 1:1 as a map, a short 1:N as a list, a long one as items of one partition, an M:N that is found from both sides.
pub(super) fn the_forms_of_the_decision_tree() {
    let model = parse(FORMS).expect("it is good");
    let wrong = check(&model);
    let wrong: Vec<&str> = wrong
        .iter()
        .filter(|found| found.severity != Severity::Note)
        .map(|found| found.message.as_str())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let documents = documents(&model, Path::new("jobs/model"), None);
    let decisions = &documents["relationship-decisions.md"];
    for (heading, words) in [
        (
            "## User → profile (1:1)",
            &[
                "Denormalisation into the same item",
                "The field `profile` of User holds it: `Profile`",
            ][..],
        ),
        (
            "## Customer → addresses (1:N, at most 5)",
            &[
                "Denormalisation with a complex attribute",
                "The field `addresses` of Customer holds it: `list(Address, ..5)`",
            ],
        ),
        (
            "## Customer → Order (1:N, unbounded)",
            &[
                "Item collection",
                "- Customer: `PK = CUSTOMER#{customer_id} AND SK = CUSTOMER`",
                "- Order: `PK = CUSTOMER#{customer_id} AND SK = ORDER#{order_id}`",
                "begins_with(SK, ORDER#)",
            ],
        ),
        (
            "## User ↔ Organisation (M:N, unbounded)",
            &[
                "Adjacency list",
                "`PK = USER#{username} AND SK = ORG#{organisation_id}`",
                "`GSI1PK = ORG#{organisation_id} AND GSI1SK = USER#{username}`",
                "organisations_of_user",
                "users_of_organisation",
            ],
        ),
    ] {
        let (_, rest) = decisions
            .split_once(heading)
            .unwrap_or_else(|| panic!("{heading}\n{decisions}"));
        let section = rest.split("\n## ").next().unwrap_or_default();
        for words in words {
            assert!(
                section.contains(words),
                "{heading} lacks {words}:\n{section}"
            );
        }
    }
    // None of the forms for another: the tree says where each ends.
    for (from, to) in [
        ("list(Address, ..5)", "list(Address, ..500)"),
        ("bound    = 5\n", "bound    = 20\n"),
        ("strategy = \"item-collection\"", "strategy = \"embed\""),
        ("kind     = \"M:N\"", "kind     = \"1:1\""),
    ] {
        assert!(FORMS.contains(from), "{from}");
        let other = FORMS.replacen(from, to, 1);
        assert!(finds("strategy-mismatch", &other), "{from} → {to}");
    }
    // Without the index, an organisation does not find its users.
    let one_way = FORMS.replace(
        "index.GSI1 = { partition = \"ORG#{organisation_id}\", sort = \"USER#{username}\" }\n",
        "",
    );
    assert!(finds("one-way-relation", &one_way));
}

/// Every stored item has its own interface with a literal type, by which an export can be told apart.
pub(super) fn every_item_says_what_it_is() {
    let model = model("todo");
    let types = types_of(&model);
    for entity in &model.entities {
        let (_, rest) = types
            .split_once(&format!("export interface {}Item ", entity.name))
            .unwrap_or_else(|| panic!("{} has no item", entity.name));
        let item = rest.split("\n}").next().unwrap_or_default();
        assert!(
            item.contains(&format!("  Type: \"{}\";", entity.name)),
            "{item}"
        );
        for key in ["PK", "SK"] {
            assert!(item.contains(&format!("  {key}: ")), "{item}");
        }
    }
}

/// No attribute without its sentence: what it holds, within which bounds.
pub(super) fn every_attribute_is_explained() {
    for name in ["todo", "tasks", "ask", "accounts"] {
        let model = model(name);
        let types = types_of(&model);
        for entity in &model.entities {
            let interface = format!("export interface {} {{", entity.name);
            let (_, rest) = types
                .split_once(&interface)
                .unwrap_or_else(|| panic!("{interface}"));
            let body = rest.split("\n}").next().unwrap_or_default();
            let lines: Vec<&str> = body.lines().map(str::trim).collect();
            for field in &entity.fields {
                let starts = [format!("{}: ", field.name), format!("{}?: ", field.name)];
                let at = lines
                    .iter()
                    .position(|line| starts.iter().any(|start| line.starts_with(start)));
                let at = at.unwrap_or_else(|| panic!("{interface} has no {}", field.name));
                let opens = lines[..at].iter().rposition(|line| line.starts_with("/**"));
                let opens = opens.unwrap_or_else(|| panic!("{} is not explained", field.name));
                let said = lines[opens..at].join(" ");
                // The comment right above, and something in it.
                assert!(said.ends_with("*/"), "{}: {said}", field.name);
                assert_eq!(said.matches("*/").count(), 1, "{}: {said}", field.name);
                assert!(said.contains(". "), "{}: {said}", field.name);
            }
        }
    }
    let tasks = types_of(&model("todo"));
    assert!(tasks.contains("/** Text of 1 to 200 characters. */\n  title: string;"));
}

/// Maps for what is nested, lists for what has an order and an end, sets for what occurs once.
pub(super) fn collections_have_the_types_of_their_kind() {
    let types = types_of(&parse(FORMS).expect("it is good"));
    for words in [
        "export interface Address {",
        "  profile: Profile;",
        "  addresses: Address[];",
        "at most 5 of them",
        "  tags?: Set<string>;",
        "  limits: { [name: string]: number };",
    ] {
        assert!(types.contains(words), "{words}\n{types}");
    }
    for (bounded, unbounded) in [
        ("list(Address, ..5)", "list(Address)"),
        ("set(string(1..20), ..10)", "set(string(1..20))"),
        ("map(int(0..), ..10)", "map(int(0..))"),
    ] {
        assert!(
            finds("unbounded-collection", &FORMS.replace(bounded, unbounded)),
            "{unbounded}"
        );
        assert!(!finds("unbounded-collection", FORMS));
    }
}

/// Three levels below the item, and no fourth.
pub(super) fn three_levels_are_deep_enough() {
    let nested = |levels: usize| {
        let mut text = String::from(
            "[model]\nname = \"deep\"\n[table.t]\npartition_key = \"PK\"\nsort_key = \"SK\"\ntype = \"Type\"\n\
             [entity.E]\ntable = \"t\"\nkey = { partition = \"E#{id}\", sort = \"METADATA\" }\n\
             [entity.E.fields]\nid = \"id\"\nlevel = \"L1\"\n",
        );
        for level in 1..levels {
            text.push_str(&format!("[struct.L{level}]\nlevel = \"L{}\"\n", level + 1));
        }
        text.push_str(&format!("[struct.L{levels}]\nend = \"bool\"\n"));
        finds("deep-nesting", &text)
    };
    assert!(!nested(3));
    assert!(nested(4));
}

/// Order by id, orders by status, user by address, as the document has them in one index, and as they can be.
pub(super) fn three_patterns_on_one_index() {
    let as_written = r##"
[model]
name = "shop"
[table.app]
partition_key = "PK"
sort_key = "SK"
type = "Type"
[table.app.index]
GSI1 = {}
[entity.Order]
table = "app"
key = { partition = "CUSTOMER#{customer}", sort = "ORDER#{order}" }
[entity.Order.index]
GSI1 = [
  { partition = "ORDER#{order}", sort = "ORDER#{order}" },
  { partition = "STATUS#{status}", sort = "{placed}#{order}" },
]
[entity.Order.fields]
customer = "id"
order = "ulid"
status = "enum(pending, shipped, delivered)"
placed = "date"
[entity.Order.facts]
items = 10_000_000
size = "1 KB"
[entity.User]
table = "app"
key = { partition = "USER#{user}", sort = "USER" }
index.GSI1 = { partition = "EMAIL#{email}", sort = "EMAIL#{email}" }
[entity.User.fields]
user = "id"
email = "email"
[entity.User.unique]
email = "unguarded"
[access.order]
get = "Order"
by = ["order"]
request = "GetItem"
index = "GSI1"
condition = "GSI1PK = :order AND GSI1SK = :order"
values = { ":order" = "ORDER#{order}" }
[access.orders_by_status]
list = "Order"
by = ["status"]
[access.user_by_email]
get = "User"
by = ["email"]
"##;
    for rule in [
        "two-values-one-index",
        "low-cardinality-index",
        "unguarded-unique",
        "get-on-index",
    ] {
        assert!(finds(rule, as_written), "{rule}");
    }
    // One value in one attribute: two indexes; a few words over many partitions; and a guard for what must be unique.
    let mended = as_written
        .replace("GSI1 = {}", "GSI1 = {}\nGSI2 = {}")
        .replace(
            "GSI1 = [\n  { partition = \"ORDER#{order}\", sort = \"ORDER#{order}\" },\n  { partition = \"STATUS#{status}\", sort = \"{placed}#{order}\" },\n]",
            "GSI1 = { partition = \"ORDER#{order}\", sort = \"ORDER#{order}\" }\nGSI2 = { partition = \"STATUS#{status}#{order:shard(16)}\", sort = \"{placed}#{order}\" }",
        )
        .replace("index.GSI1 = { partition = \"EMAIL#{email}\", sort = \"EMAIL#{email}\" }\n", "")
        .replace("email = \"unguarded\"", "email = { partition = \"EMAIL#{email}\", sort = \"METADATA\" }")
        .replace("request = \"GetItem\"\nindex = \"GSI1\"\ncondition = \"GSI1PK = :order AND GSI1SK = :order\"\nvalues = { \":order\" = \"ORDER#{order}\" }\n", "");
    for rule in [
        "two-values-one-index",
        "low-cardinality-index",
        "unguarded-unique",
        "get-on-index",
        "no-answer",
    ] {
        assert!(!finds(rule, &mended), "{rule}");
    }
    let documents = documents(
        &parse(&mended).expect("it is good"),
        Path::new("jobs/model"),
        None,
    );
    let patterns = &documents["access-patterns.md"];
    for words in [
        "`GSI1PK = ORDER#{order} AND GSI1SK = ORDER#{order}` | `order` | Query.",
        "`GSI2PK = STATUS#{status}#{0..15}`",
        "`PK = EMAIL#{email} AND SK = METADATA`<br>`PK = USER#{user} AND SK = USER`",
    ] {
        assert!(patterns.contains(words), "{words}\n{patterns}");
    }
}
