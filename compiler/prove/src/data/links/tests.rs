use super::*;

fn of(text: &str) -> (Model, Links) {
    let model = tablewright_model::parse(text).unwrap();
    let links = Links::of(&model);
    (model, links)
}

fn references(model: &Model, links: &Links, entity: &str) -> Vec<String> {
    let (id, _) = model
        .entity_ids()
        .find(|(_, one)| one.name.value == entity)
        .unwrap();
    let references = links.references[id.0].iter();
    references
        .map(|one| model.entity(one.to).name.value.clone())
        .collect()
}

#[test]
fn references_are_keys_that_others_carry() {
    let (tasks, links) = of(include_str!("../../../../../models/tasks.toml"));
    assert_eq!(references(&tasks, &links, "Assignment"), ["Task", "User"]);
    assert_eq!(references(&tasks, &links, "MailRecord"), ["User"]);
    assert!(references(&tasks, &links, "Task").is_empty());
    let (ask, links) = of(include_str!("../../../../../models/ask.toml"));
    assert_eq!(
        references(&ask, &links, "Response"),
        ["Question", "UserStats"]
    );
    assert_eq!(references(&ask, &links, "Question"), ["Agent"]);
    assert!(references(&ask, &links, "UserStats").is_empty());
    let position = |name: &str| {
        links
            .order
            .iter()
            .position(|id| ask.entity(*id).name.value == name)
    };
    assert!(position("UserStats") < position("Response"));
}

#[test]
fn of_two_with_the_same_key_the_one_that_is_named_is_referred_to() {
    let team = |name: &str| {
        format!(
            r##"
[entity.Team{name}]
table = "things"
key   = {{ partition = "TEAM{name}#{{team}}", sort = "#TEAM" }}
[entity.Team{name}.counters]
members = {{ counts = "Member{name}" }}
[entity.Team{name}.fields]
team = "ulid"
name = "string(1..20)"

[entity.Member{name}]
table = "things"
key   = {{ partition = "TEAM{name}#{{team}}", sort = "MEMBER#{{person}}" }}
[entity.Member{name}.fields]
team   = "ulid"
person = "ulid"

[access.join_{name}]
create = "Member{name}"
"##
        )
    };
    let things = "[model]\nname = \"things\"\n[table.things]\npartition_key = \"PK\"\nsort_key = \"SK\"\ntype = \"Type\"\n";
    let (model, links) = of(&format!("{things}{}{}", team("1"), team("2")));
    assert_eq!(references(&model, &links, "Member1"), ["Team1"]);
    assert_eq!(references(&model, &links, "Member2"), ["Team2"]);
}

#[test]
fn counts_belong_to_what_they_are_counts_of() {
    let (todo, links) = of(include_str!("../../../../../models/todo.toml"));
    assert_eq!(references(&todo, &links, "TaskCounts"), ["User"]);
    assert_eq!(references(&todo, &links, "Task"), ["User"]);
    assert!(references(&todo, &links, "User").is_empty());
    assert_eq!(links.only_counts, [false, false, true, false]);
}

#[test]
fn what_groups_items_and_refers_to_nothing_has_a_pool() {
    let (ask, links) = of(include_str!("../../../../../models/ask.toml"));
    let pools = |entity: &str| -> Vec<String> {
        let (id, _) = ask
            .entity_ids()
            .find(|(_, one)| one.name.value == entity)
            .unwrap();
        links.pooled[id.0]
            .iter()
            .map(|(_, pool)| pool.0.clone())
            .collect()
    };
    assert!(pools("Question").is_empty() && pools("ApiKey").is_empty());
    assert_eq!(pools("UserStats"), ["points_date", "points_week"]);
    assert_eq!(pools("LimitWindow"), ["subject"]);
    assert!(pools("Response").is_empty());
}
