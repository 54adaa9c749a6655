//! What services may do, for patterns and keys of every kind. That it is what the library sends is tested where the library is.

use tablewright_emit::permissions::statements;

use crate::infrastructure::{model, notes};

/// The actions of a service, each with its place and its keys.
fn permissions(text: &str, service: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for statement in statements(&model(text), service) {
        let places: Vec<String> = statement
            .resources
            .iter()
            .map(|resource| match &resource.index {
                Some(index) => format!("{}/{index}", resource.table),
                None => resource.table.clone(),
            })
            .collect();
        let actions: Vec<&str> = statement.actions.iter().map(|one| one.as_str()).collect();
        lines.push(format!(
            "{} on {} with {}",
            actions.join(" "),
            places.join(" "),
            statement.leading_keys.join(" ")
        ));
    }
    lines
}

// C4-20
#[test]
fn a_scan_is_allowed_where_a_pattern_is_one_and_nowhere_else() {
    let patterns = "[access.all]\nlist = \"Note\"\nrequest = \"Scan\"\nservices = [\"auditor\"]\n\n[access.mine]\nlist = \"Note\"\nby = [\"user_id\"]\n";
    let text = notes(patterns);
    assert_eq!(permissions(&text, "auditor"), ["Scan on notes with "]);
    assert_eq!(permissions(&text, "notes"), ["Query on notes with "]);
    assert!(permissions(&text, "nobody").is_empty());
}

#[test]
fn requests_by_hand_need_what_they_say() {
    let patterns = r##"
[access.put]
create  = "Note"
request = "PutItem"

[access.clear]
batch   = { delete = "Note" }
by      = ["user_id", "note_id"]
request = "BatchWriteItem"

[access.both]
transact = [{ create = "Note" }, { check = "Note", as = "other" }]
request  = "TransactWriteItems"
"##;
    let text = notes(patterns).replace(
        "{ create = \"Note\" }",
        "{ create = \"Note\", as = \"new\" }",
    );
    assert_eq!(
        permissions(&text, "notes"),
        ["BatchWriteItem ConditionCheckItem PutItem on notes with "]
    );
}

#[test]
fn a_guard_of_a_number_that_is_added_to_may_be_moved() {
    let text = r##"[model]
name = "seats"

[table.seats]
partition_key = "PK"

[entity.Seat]
table  = "seats"
key    = { partition = "SEAT#{id}" }
unique.place = { partition = "PLACE#{n}" }
fields = { id = "ulid", n = "int(0..900)" }

[access.move_on]
update = "Seat"
by     = ["id"]
add    = ["n"]
"##;
    assert_eq!(
        permissions(text, "seats"),
        ["ConditionCheckItem DeleteItem GetItem PutItem UpdateItem on seats with "]
    );
}

#[test]
fn a_tenant_is_held_to_its_keys_only_where_they_tell_it_from_others() {
    let with_key = |partition: &str, kind: &str| {
        let text = notes("[access.mine]\nget = \"Note\"\nby = [\"user_id\", \"note_id\"]\n");
        let text = text.replace(
            "name = \"notes\"\n",
            "name = \"notes\"\ntenant = \"user_id\"\n",
        );
        let text = text.replace("user_id = \"id\"", &format!("user_id = \"{kind}\""));
        let text = text.replace("USER#{user_id}", partition);
        permissions(&text, "notes").concat()
    };
    for (partition, kind, keys) in [
        ("USER#{user_id}", "id", "USER#${tenant}"),
        ("USER#{user_id}#{note_id}", "id", "USER#${tenant}#*"),
        ("{user_id}", "string(1..20)", "${tenant}"),
        ("U*?#{user_id}", "id", "U${*}${?}#${tenant}"),
        ("{note_id}#{user_id}", "id", "*#${tenant}"),
        // Between other values it could be a part of one.
        ("{note_id}#{user_id}#{note_id}", "id", "*#*#*"),
        ("{note_id}-{user_id}", "id", "*-*"),
        // A delimiter in a value is escaped, but for this.
        (
            "USER#{user_id}#{note_id}",
            "string(1..20)",
            "USER#${tenant}#*",
        ),
        ("USER#{user_id:raw}#{note_id}", "string(1..20)", "USER#*#*"),
        // What stands in the key is not what stands in the tag.
        ("USER#{user_id:lower}", "id", "USER#*"),
        ("USER#{user_id:shard(4)}", "id", "USER#*"),
        // `a-b` begins with `a-`.
        ("USER#{user_id}-{note_id}", "id", "USER#*-*"),
        ("USER#{user_id}{note_id}", "id", "USER#*"),
        // Any key at all is no condition.
        ("{user_id:lower}", "id", ""),
    ] {
        let expected = format!("GetItem on notes with {keys}");
        assert_eq!(with_key(partition, kind), expected, "{partition}");
    }
}

#[test]
fn a_key_that_is_no_text_is_not_compared() {
    let text = r##"[model]
name   = "days"
tenant = "day"

[table.days]
partition_key = "day: number"

[entity.Day]
table  = "days"
key    = { partition = "{day}" }
fields = { day = "int(0..)" }

[access.day]
get = "Day"
by  = ["day"]
"##;
    assert_eq!(permissions(text, "days"), ["GetItem on days with "]);
}
