//! Nothing of a question is dropped, and nothing is read into it.

use tablewright_model::parse;
use tablewright_plan::{Answer, ItemRole, plan};

const HEAD: &str = r##"
[model]
name = "answers"

[table.app]
partition_key = "PK"
sort_key      = "SK"
ttl           = "ttl"

[table.app.index]
GSI1 = {}
LSI1 = { kind = "local", sort_key = "points: number" }

[entity.Board]
table = "app"
key   = { partition = "BOARD#{board}", sort = "METADATA" }

[entity.Board.counters]
cards     = { counts = "Card" }
by_status = { counts = "Card", per = "status" }

[entity.Board.fields]
board = "id"
title = "string(1..100)"

[entity.Card]
table = "app"
key   = { partition = "CARD#{card}", sort = "METADATA" }
index.GSI1 = { partition = "BOARD#{board}", sort = "CARD#{status}#{due}#{card}" }
index.LSI1 = { sort = "{points}" }

[entity.Card.unique]
slug = { partition = "SLUG#{slug}", sort = "METADATA" }

[entity.Card.fields]
card   = "ulid"
board  = "id"
status = "enum(open, done)"
due    = "date"
slug   = "id"
author = "id"
points = "int"
active = "bool"

[entity.Session]
table = "app"
key   = { partition = "SESSION#{session}", sort = "METADATA" }
ttl   = "ttl"

[entity.Session.fields]
session = "id"
ttl     = "epoch_seconds"

"##;

/// The plan of a pattern `it`, as people read it.
fn planned(pattern: &str) -> String {
    let text = format!("{HEAD}[access.it]\n{pattern}\n");
    let model = parse(&text).unwrap_or_else(|faults| panic!("{faults:?}"));
    plan(&model).remove(0).to_text(&model)
}

fn assert_planned(pattern: &str, parts: &[&str]) {
    let text = planned(pattern);
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

#[test]
fn a_local_index_is_read_strongly() {
    assert_planned(
        "list = \"Card\"\nby = [\"card\"]\norder = \"points desc\"\nconsistency = \"strong\"",
        &["Query on LSI1", "strongly consistent", "backwards"],
    );
}

#[test]
fn what_a_guard_finds_is_still_judged() {
    assert_planned(
        "get = \"Card\"\nby = [\"slug\"]\nwhere = \"active = true\"",
        &["the guard of slug", "filter    active = true"],
    );
}

#[test]
fn a_value_of_the_caller_does_not_stand_for_a_condition() {
    assert_planned(
        "list = \"Card\"\nby = [\"board\", \"status\"]\nwhere = \"status in (open, done)\"",
        &["CARD#{status}#", "filter    status in (open, done)"],
    );
}

#[test]
fn a_value_where_asks_for_goes_into_the_key() {
    assert_planned(
        "list = \"Card\"\nby = [\"board\"]\nwhere = \"status = :state and due = :day\"",
        &["begins_with(GSI1SK, CARD#{state}#{day}#)"],
    );
    assert!(
        !planned("list = \"Card\"\nby = [\"board\"]\nwhere = \"status = :state and due = :day\"")
            .contains("filter")
    );
}

#[test]
fn another_field_is_no_value() {
    assert_planned(
        "list = \"Card\"\nby = [\"board\"]\nwhere = \"slug = author\"",
        &["filter    slug = author", "GSI1PK = BOARD#{board}"],
    );
    // `board = author` is no board that a counter could be asked for.
    assert!(!planned("count = \"Card\"\nwhere = \"board = author\"").contains("GetItem"));
}

#[test]
fn one_is_not_found_where_there_may_be_several() {
    let text = planned("get = \"Card\"\nby = [\"board\"]");
    assert!(text.contains("GSI1 finds several"), "{text}");
}

#[test]
fn a_write_by_half_a_key_says_which_half_is_missing() {
    let text = planned("delete = \"Card\"\nby = [\"board\"]");
    assert!(text.contains("the key needs `card`"), "{text}");
}

#[test]
fn an_expired_item_is_neither_read_nor_in_the_way() {
    assert_planned(
        "get = \"Session\"\nby = [\"session\"]",
        &["Session past its ttl is left out"],
    );
    assert_planned(
        "create = \"Session\"",
        &["it is not there, or its ttl has passed"],
    );
}

#[test]
fn an_update_that_sets_half_an_index_key_reads_the_other() {
    assert_planned(
        "update = \"Card\"\nby = [\"card\"]\nset = [\"due\"]",
        &[
            "first     GetItem",
            "reads     0.5 × ⌈size / 4 KB⌉ rcu; declare [entity.Card.facts] size",
            "what was read has not changed",
        ],
    );
    let harmless = planned("update = \"Card\"\nby = [\"card\"]\nset = [\"author\"]");
    assert!(!harmless.contains("first"), "{harmless}");
}

#[test]
fn counters_follow_an_item_from_keeper_to_keeper() {
    let text = format!(
        "{HEAD}[access.it]\nupdate = \"Card\"\nby = [\"card\"]\nset = [\"board\", \"status\", \"due\"]\n"
    );
    let model = parse(&text).expect("a model");
    let Answer::Write(plan) = plan(&model).remove(0).answer else {
        panic!("a write");
    };
    let counters: Vec<_> = plan
        .items
        .iter()
        .filter(|item| item.role == ItemRole::Counter)
        .collect();
    assert_eq!(counters.len(), 2, "off one board, onto another");
    assert!(plan.reads_first);
    // A board is more than its counts: they do not make one.
    assert_eq!(counters[0].conditions, ["it is there"]);
}

#[test]
fn a_guard_moves_with_a_number_that_is_added_to() {
    let text = r##"
[model]
name = "seats"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[entity.Seat]
table = "app"
key   = { partition = "SEAT#{id}", sort = "METADATA" }
unique.place = { partition = "PLACE#{room}", sort = "N#{n:03}" }
fields = { id = "ulid", room = "id", n = "int(0..900)" }
facts  = { size = "200 B" }

[access.move_on]
update = "Seat"
by     = ["id"]
add    = ["n"]
"##;
    let model = parse(text).expect("a model");
    let plan = plan(&model).remove(0);
    let text = plan.to_text(&model);
    for line in [
        "request   TransactWriteItems",
        "delete the guard of Seat.place",
        "put the guard of Seat.place",
        "cost      6 wcu",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn a_counted_item_is_deleted_once() {
    assert_planned(
        "delete = \"Card\"\nby = [\"card\"]",
        &[
            "first     GetItem",
            "delete Card if what was read has not changed",
        ],
    );
}

#[test]
fn a_transaction_takes_an_item_once() {
    let items = |transact: &str| {
        let text = format!("{HEAD}[access.it]\ntransact = [{transact}]\n");
        let model = parse(&text).unwrap_or_else(|faults| panic!("{faults:?}"));
        let plan = plan(&model).remove(0);
        let Answer::Write(write) = &plan.answer else {
            panic!("a write");
        };
        let boards = write
            .items
            .iter()
            .filter(|item| model.entity(item.entity).name.as_str() == "Board");
        (boards.count(), plan.to_text(&model))
    };
    let (boards, text) = items("{ check = \"Board\" }, { create = \"Card\" }");
    assert_eq!(boards, 1, "{text}");
    assert!(
        text.contains("update Board, with its counts, if it is there"),
        "{text}"
    );
    let (boards, text) = items("{ create = \"Board\" }, { create = \"Card\" }");
    assert_eq!(boards, 1, "{text}");
    let (boards, text) =
        items("{ create = \"Card\", as = \"one\" }, { create = \"Card\", as = \"other\" }");
    assert_eq!(boards, 1, "{text}");
}

#[test]
fn what_others_rely_on_is_there() {
    assert_planned(
        "transact = [{ delete = \"Session\" }, { create = \"Board\" }]",
        &["delete Session if it is there"],
    );
}

/// A seat is free while nobody has booked it; a job is live unless it is done.
fn sparse(when: &str, wanted: &str) -> String {
    let text = format!(
        r##"
[model]
name = "sparse"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[table.app.index]
GSI1 = {{}}

[entity.Seat]
table = "app"
key   = {{ partition = "SHOW#{{show}}", sort = "SEAT#{{seat}}" }}
index.GSI1 = {{ partition = "SHOW#{{show}}", sort = "FREE#{{seat}}", when = "{when}" }}

[entity.Seat.fields]
show    = "id"
seat    = "id"
booking = "id?"
state   = "enum(a, b, c)"
n       = "int(0..99)"
most    = "int(0..99)"
name    = "string(1..20)"

[access.it]
list  = "Seat"
by    = ["show"]
where = "{wanted}"
"##
    );
    let model = parse(&text).unwrap_or_else(|faults| panic!("{faults:?}"));
    plan(&model).remove(0).to_text(&model)
}

#[test]
fn a_sparse_index_is_known_by_what_it_lets_in() {
    for (when, wanted, filter) in [
        ("booking not exists", "booking not exists", false),
        ("state = a or state = b", "state in (a, b)", false),
        ("state in (a, b)", "state = a", true),
        ("state != c", "state in (a, b)", false),
        ("not state = c", "state = a", true),
        ("n > 10", "n > 10", false),
        ("n > 10", "n >= 11", false),
        ("n > 10", "n > 20", true),
        ("n > 10", "n = 11", true),
        ("n < most", "n < most", false),
        ("name > 'm'", "name > 'm'", false),
        ("n > 10", "name > 'm' and n > 10", true),
        (
            "booking not exists or state = c",
            "state = c or booking not exists",
            false,
        ),
        ("booking not exists or state = c", "state = c", true),
        ("state != c and n > 10", "n > 10 and not state = c", false),
        ("state != c or n > 10", "state in (a, b)", true),
    ] {
        let text = sparse(when, wanted);
        assert!(text.contains("Query on GSI1"), "{when} / {wanted}\n{text}");
        assert_eq!(text.contains("filter"), filter, "{when} / {wanted}\n{text}");
    }
    for (when, wanted) in [
        ("booking exists", "booking not exists"),
        ("state = a", "state in (a, b)"),
        ("n > 10", "n > 9"),
        ("n > 10", "n < 20"),
        ("n < most", "most > n"),
        ("n < most", "n < 99"),
        ("name > 'm'", "name > 'n'"),
        ("n > :least", "n > :least"),
        ("booking exists or state = c", "state != c"),
        ("state != c and n > 10", "n > 10"),
    ] {
        let text = sparse(when, wanted);
        assert!(!text.contains("GSI1"), "{when} / {wanted}\n{text}");
    }
}

#[test]
fn what_no_text_sorts_is_suggested_as_a_number() {
    let head = r##"
[model]
name = "prices"

[table.app]
partition_key = "PK"
sort_key      = "SK"
"##;
    let rest = r##"
[entity.Product]
table = "app"
key   = { partition = "PRODUCT#{id}", sort = "METADATA" }
fields = { id = "ulid", shop = "id", price = "decimal" }

[access.it]
list  = "Product"
by    = ["shop"]
range = "price"
"##;
    let model = parse(&format!("{head}{rest}")).expect("a model");
    let text = plan(&model).remove(0).to_text(&model);
    let suggested = "add GSI1 = { sort_key = \"GSI1SK: number\" } to [table.app.index] and \
                     GSI1 = { partition = \"SHOP#{shop}\", sort = \"{price}\" } to [entity.Product.index]";
    assert!(text.contains(suggested), "{text}");
    // Pasted, it answers.
    let index = "\n[table.app.index]\nGSI1 = { sort_key = \"GSI1SK: number\" }\n";
    let key = "\nindex.GSI1 = { partition = \"SHOP#{shop}\", sort = \"{price}\" }\nfields";
    let pasted = format!("{head}{index}{}", rest.replace("\nfields", key));
    let model = parse(&pasted).expect("a model");
    let text = plan(&model).remove(0).to_text(&model);
    assert!(
        text.contains("GSI1SK BETWEEN {price_from} AND {price_to}"),
        "{text}"
    );
}
