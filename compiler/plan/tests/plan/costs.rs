//! What indexes that hold less, or not every item, cost; and what can be said without facts. (S0-51)

use tablewright_model::parse;
use tablewright_plan::{Answer, Cost, cost_by_hand, plan, plan_one};

const MODEL: &str = r##"
[model]
name = "costs"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[table.app.index]
Narrow = { projection = ["title"] }
Keys   = { projection = "keys-only" }
Sparse = { projection = "all" }

[entity.Page]
table = "app"
key   = { partition = "SITE#{site}", sort = "PAGE#{id}" }
index.Narrow = { partition = "SITE#{site}", sort = "TITLE#{title}#{id}" }
index.Keys   = { partition = "SITE#{site}", sort = "DAY#{day}#{id}" }
index.Sparse = { partition = "SITE#{site}", sort = "DRAFT#{id}", when = "state = draft" }
facts.size   = "40 KB"

[entity.Page.fields]
site  = "ulid"
id    = "ulid"
title = "string(1..50)"
day   = "date"
state = "enum(draft, public)"
body  = "string(..30000)"

[access.titles]
list  = "Page"
by    = ["site"]
order = "title"

[access.whole_pages]
list  = "Page"
by    = ["site"]
order = "id"

[access.publish]
update = "Page"
by     = ["site", "id"]
set    = ["state"]

[access.rewrite]
update = "Page"
by     = ["site", "id"]
set    = ["body"]

[access.rename]
update = "Page"
by     = ["site", "id"]
set    = ["title"]
"##;

fn costs(text: &str) -> Vec<(String, Cost)> {
    let model = parse(text).unwrap_or_else(|faults| panic!("{faults:?}"));
    let cost = |answer: Answer| match answer {
        Answer::Read(plan) => plan.cost,
        Answer::Write(plan) => plan.cost,
        other => panic!("{other:?}"),
    };
    plan(&model)
        .into_iter()
        .map(|plan| (plan.pattern, cost(plan.answer)))
        .collect()
}

fn units(text: &str, pattern: &str) -> Option<f64> {
    let (_, cost) = costs(text)
        .into_iter()
        .find(|(name, _)| name == pattern)
        .expect("the pattern");
    cost.units
}

#[test]
fn an_index_that_projects_less_is_read_for_less() {
    // Twenty entries of keys and a title, not twenty pages of 40 KB.
    let titles = units(MODEL, "titles").expect("a cost");
    assert!(titles <= 2.5, "{titles}");
    assert_eq!(units(MODEL, "whole_pages"), Some(100.0));
}

#[test]
fn an_index_is_written_for_what_it_holds() {
    // Published: the table, and the draft's entry is removed. Nothing else holds the state.
    assert_eq!(units(MODEL, "publish"), Some(80.0));
    // Rewritten: the table, and the draft's entry is copied anew. Titles and days have not changed.
    assert_eq!(units(MODEL, "rewrite"), Some(80.0));
    // Renamed: the same, and the old title's small entry goes and a new one comes.
    assert_eq!(units(MODEL, "rename"), Some(82.0));
}

/// C0-14: what is deleted on a condition is not deleted from an index that never held it.
#[test]
fn a_delete_on_a_condition_leaves_other_indexes_alone() {
    let deleted = |condition: &str| {
        let access =
            format!("\n[access.clear]\ndelete = \"Page\"\nby = [\"site\", \"id\"]\n{condition}\n");
        units(&format!("{MODEL}{access}"), "clear")
    };
    // The table and the draft's entry of 40 KB, two small ones.
    assert_eq!(deleted(""), Some(82.0));
    assert_eq!(deleted("where = \"state = draft\""), Some(82.0));
    assert_eq!(deleted("where = \"title = 'x'\""), Some(82.0));
    assert_eq!(deleted("where = \"state = public\""), Some(42.0));
    assert_eq!(deleted("where = \"state != draft\""), Some(42.0));
}

/// An item is among the drafts or among the public ones, and the dearer of the two counts.
#[test]
fn of_indexes_that_exclude_each_other_the_dearer_counts() {
    let text = MODEL.replace(
        "Sparse = { projection = \"all\" }",
        "Sparse = { projection = \"all\" }\nPublic = { projection = \"keys-only\" }",
    );
    let text = text.replace(
        "facts.size   =",
        "index.Public = { partition = \"SITE#{site}\", sort = \"PUBLIC#{id}\", when = \"state = public\" }\nfacts.size   =",
    );
    let text = format!("{text}\n[access.write]\ncreate = \"Page\"\n");
    // The table and the draft's entry of 40 KB, and those by title and by day.
    assert_eq!(units(&text, "write"), Some(82.0));
    // It leaves the one and enters the other.
    assert_eq!(units(&text, "publish"), Some(81.0));
    // Without a size nobody knows which is dearer, and both are in the formula.
    let unknown = text.replace("facts.size   = \"40 KB\"\n", "");
    let costs = costs(&unknown);
    let (_, write) = costs.iter().find(|(name, _)| name == "write").unwrap();
    let sizes = "⌈size / 1 KB⌉ + ⌈659 B / 1 KB⌉ + ⌈262 B / 1 KB⌉ + ⌈size / 1 KB⌉ + ⌈254 B / 1 KB⌉";
    assert_eq!(write.formula, sizes);
}

/// What has no value is in no index that is sorted by it: setting it is one entry, and so is removing it.
#[test]
fn a_key_that_comes_or_goes_is_one_entry() {
    let text = MODEL.replace("day   = \"date\"", "day   = \"date?\"");
    let set_day = |condition: &str| {
        let access = format!(
            "\n[access.plan]\nupdate = \"Page\"\nby = [\"site\", \"id\"]\nset = [\"day\"]\n{condition}\n"
        );
        units(&format!("{text}{access}"), "plan")
    };
    // The table and the draft's entry of 40 KB each; the day's small one.
    assert_eq!(set_day(""), Some(82.0));
    assert_eq!(set_day("where = \"day exists\""), Some(82.0));
    assert_eq!(set_day("where = \"day not exists\""), Some(81.0));
    assert_eq!(set_day("where = \"state = public\""), Some(42.0));
}

/// What a transaction only looks at is written when it keeps a number of what else is written.
#[test]
fn a_keeper_that_is_looked_at_is_written_with_its_indexes() {
    let text = r##"
[model]
name = "costs"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[table.app.index]
ByName = { projection = "all" }

[entity.Site]
table = "app"
key   = { partition = "SITE#{site}", sort = "METADATA" }
index.ByName  = { partition = "NAMES", sort = "{name}#{site}" }
counters.pages = { counts = "Page" }
facts.size    = "1 KB"

[entity.Site.fields]
site = "id"
name = "string(1..50)"

[entity.Page]
table      = "app"
key        = { partition = "SITE#{site}", sort = "PAGE#{id}" }
facts.size = "1 KB"

[entity.Page.fields]
site = "id"
id   = "ulid"

[access.add]

[[access.add.transact]]
create = "Page"

[[access.add.transact]]
check = "Site"
where = "pages < 100"
"##;
    // Two items, twice each, and the site's entry, which holds the number.
    assert_eq!(units(text, "add"), Some(5.0));
}

/// The first count makes the item, which enters its indexes; a later one leaves an entry of keys as it is.
#[test]
fn the_first_count_of_an_item_enters_its_indexes() {
    let text = |fields: &str, projection: &str| {
        format!(
            r##"
[model]
name = "costs"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[table.app.index]
ByPlace = {{ projection = "{projection}" }}

[entity.Room]
table = "app"
key   = {{ partition = "ROOM#{{place}}#{{room}}", sort = "COUNTS" }}
index.ByPlace  = {{ partition = "PLACE#{{place}}", sort = "{{room}}" }}
counters.posts = {{ counts = "Post" }}
facts.size     = "1 KB"

[entity.Room.fields]
place = "id"
room  = "id"
{fields}

[entity.Post]
table      = "app"
key        = {{ partition = "POST#{{id}}", sort = "POST" }}
facts.size = "1 KB"

[entity.Post.fields]
place = "id"
room  = "id"
id    = "ulid"

[access.add]
create = "Post"

[access.remove]
delete = "Post"
by     = ["id"]

[access.move]
update = "Post"
by     = ["id"]
set    = ["room"]

[access.add_to_what_is_there]

[[access.add_to_what_is_there.transact]]
create = "Post"

[[access.add_to_what_is_there.transact]]
check = "Room"

[access.replace]

[[access.replace.transact]]
delete = "Post"
as     = "old"

[[access.replace.transact]]
create = "Post"
as     = "new"
"##
        )
    };
    // Two items, twice each, and the entry of the first count.
    assert_eq!(units(&text("", "keys-only"), "add"), Some(5.0));
    // Who is there already is in the index already.
    let named = text("name = \"string(..9)\"", "keys-only");
    assert_eq!(units(&named, "add"), Some(4.0));
    // Where the entry holds the number, every count writes it.
    assert_eq!(units(&text("", "all"), "add"), Some(5.0));
    // What is deleted was counted, and its room is there.
    assert_eq!(units(&text("", "keys-only"), "remove"), Some(4.0));
    assert_eq!(units(&text("", "all"), "remove"), Some(5.0));
    // So is the room that a post leaves: the one it comes to may begin.
    assert_eq!(units(&text("", "keys-only"), "move"), Some(7.0));
    // A room that is looked at is there.
    assert_eq!(
        units(&text("", "keys-only"), "add_to_what_is_there"),
        Some(4.0)
    );
    // One that goes and one that comes are one count, which may be the first.
    assert_eq!(units(&text("", "keys-only"), "replace"), Some(7.0));
}

#[test]
fn what_a_request_costs_at_least_needs_no_fact() {
    let unknown = MODEL.replace("facts.size   = \"40 KB\"\n", "");
    for (pattern, cost) in costs(&unknown) {
        if pattern == "titles" {
            continue;
        }
        assert_eq!(cost.units, None, "{pattern}");
        assert!(cost.at_least >= 0.5, "{pattern}");
        assert_eq!(cost.lacks, ["[entity.Page.facts] size"], "{pattern}");
    }
}

#[test]
fn numbers_beyond_measure_stay_numbers() {
    let endless = MODEL.replace(
        "[access.whole_pages]\n",
        "[access.all]\ncount   = \"Page\"\nby      = [\"site\"]\nreturns = 9223372036854775807\n\n[access.whole_pages]\n",
    );
    let all = units(&endless, "all").expect("a cost");
    assert!(all.is_finite() && all > 1e12, "{all}");
}

#[test]
fn requests_by_hand_have_their_cost_too() {
    let text = format!(
        "{MODEL}
[access.by_title]
list      = \"Page\"
by        = [\"site\"]
index     = \"Narrow\"
condition = \"NarrowPK = :site\"
values    = {{ \":site\" = \"SITE#{{site}}\" }}

[access.everything]
count   = \"Page\"
request = \"Scan\"
"
    )
    .replace(
        "facts.size   = \"40 KB\"",
        "facts.size   = \"40 KB\"\nfacts.items  = 1_000_000",
    );
    let model = parse(&text).unwrap_or_else(|faults| panic!("{faults:?}"));
    let units = |name: &str| {
        let access = model.access(name).expect("the pattern");
        let Answer::ByHand(plan) = plan_one(&model, access).answer else {
            panic!("by hand");
        };
        cost_by_hand(&model, access, &plan)
            .and_then(|cost| cost.units)
            .expect("a cost")
    };
    assert!(units("by_title") <= 2.5);
    // A million pages of 40 KB, ten blocks each, at half a unit.
    assert_eq!(units("everything"), 5_000_000.0);
}

/// Pages of 20, of which there are three.
#[test]
fn no_more_is_read_than_there_is() {
    let few = MODEL.replace(
        "facts.size   = \"40 KB\"",
        "facts.size   = \"40 KB\"\nfacts.items  = 3",
    );
    assert_eq!(units(&few, "whole_pages"), Some(15.0));
}
