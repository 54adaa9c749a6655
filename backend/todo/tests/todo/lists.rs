//! Every list, alone and combined, against what a person would pick by hand.

use serde_json::{Value, json};

use crate::support::{Api, Asks as _, Caller};

const STATUSES: [&str; 4] = ["pending", "in_progress", "completed", "cancelled"];
const PRIORITIES: [&str; 4] = ["low", "medium", "high", "urgent"];

/// Tasks of all sorts; gives them as they were answered.
async fn sorts_of_tasks(caller: &Caller) -> Vec<Value> {
    let mut tasks = Vec::new();
    for number in 0..48_usize {
        let mut body =
            json!({ "title": format!("task {number:02}"), "status": STATUSES[number % 4] });
        if number % 5 != 0 {
            body["priority"] = json!(PRIORITIES[number / 2 % 4]);
        }
        if number % 3 != 0 {
            body["category"] = json!(["home", "work", "home#work"][number / 3 % 3]);
        }
        if number % 7 != 0 {
            // Long past, around two days, and far ahead.
            body["due_date"] =
                json!(["2020-01-31", "2020-02-01", "2020-02-02", "2999-12-31"][number / 7 % 4]);
        }
        tasks.push(caller.post("/tasks", body).await.expect(201).body);
    }
    tasks
}

/// What is asked for, and how a person would pick it.
type Choice = (&'static str, fn(&Value) -> bool);

fn text<'v>(task: &'v Value, field: &str) -> &'v str {
    task[field].as_str().unwrap_or_default()
}

fn is_open(task: &Value) -> bool {
    ["pending", "in_progress"].contains(&text(task, "status"))
}

const BY_STATUS: [Choice; 3] = [
    ("", |_| true),
    ("&status=completed", |task| task["status"] == "completed"), // S0-19, S0-28
    ("&status=pending,cancelled", |task| {
        task["status"] == "pending" || task["status"] == "cancelled"
    }),
];
const BY_PRIORITY: [Choice; 3] = [
    ("", |_| true),
    ("&priority=high", |task| task["priority"] == "high"), // S0-25
    ("&priority=urgent,low", |task| {
        task["priority"] == "urgent" || task["priority"] == "low"
    }),
];
const BY_CATEGORY: [Choice; 2] = [
    ("", |_| true),
    ("&category=home", |task| task["category"] == "home"),
]; // S0-27
const BY_DAY: [Choice; 10] = [
    ("", |_| true),
    ("&due_on=2020-02-01", |task| {
        task["due_date"] == "2020-02-01"
    }), // S0-21
    // S0-22, C0-2: both days included.
    ("&due_from=2020-01-31&due_to=2020-02-01", |task| {
        ["2020-01-31", "2020-02-01"].contains(&text(task, "due_date"))
    }),
    ("&due_from=2020-02-02", |task| {
        text(task, "due_date") >= "2020-02-02"
    }),
    ("&due_to=2020-02-01", |task| {
        !task["due_date"].is_null() && text(task, "due_date") <= "2020-02-01"
    }),
    ("&has_due_date=true", |task| !task["due_date"].is_null()), // S0-30
    ("&has_due_date=false", |task| task["due_date"].is_null()),
    // S0-29, C0-5: what is cancelled is not overdue.
    ("&overdue=true", |task| {
        is_open(task) && !task["due_date"].is_null() && text(task, "due_date") < "2999"
    }),
    ("&overdue=false", |task| {
        !is_open(task) || task["due_date"].is_null() || text(task, "due_date") > "2999"
    }),
    (
        "&overdue=false&has_due_date=true&due_from=2020-02-01",
        |task| {
            text(task, "due_date") > "2999"
                || !is_open(task) && text(task, "due_date") >= "2020-02-01"
        },
    ),
];

/// What a list is ordered by: the value and whether tasks without it are left out; ties by creation.
fn ordered(mut tasks: Vec<Value>, sort: &str, descending: bool) -> Vec<Value> {
    let place = |task: &Value| match sort {
        // S0-20
        "due_date" => text(task, "due_date").to_owned(),
        // S0-18
        "status" => text(task, "status").to_owned(),
        // S0-26
        "category" => text(task, "category").to_owned(),
        // S0-24, C0-4: by urgency, not by spelling.
        "priority" => PRIORITIES
            .iter()
            .position(|known| task["priority"] == *known)
            .unwrap_or(9)
            .to_string(),
        _ => String::new(),
    };
    if sort != "created" {
        tasks.retain(|task| !task[sort].is_null());
    }
    tasks.sort_by_key(|task| (place(task), text(task, "task_id").to_owned()));
    if descending {
        tasks.reverse();
    }
    tasks
}

/// S0-17 … S0-30, C0-1 … C0-9: every combination gives what a person would pick, in order.
#[tokio::test(flavor = "multi_thread")]
async fn every_combination_gives_what_a_person_would_pick() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let all = sorts_of_tasks(&ada).await;
    sorts_of_tasks(&api.person("bob")).await;
    let sorts = ["", "created", "due_date", "priority", "status", "category"];
    let mut asked = 0;
    for (status, has_status) in BY_STATUS {
        for (priority, has_priority) in BY_PRIORITY {
            for (category, has_category) in BY_CATEGORY {
                for (day, has_day) in BY_DAY {
                    let fitting: Vec<Value> = all
                        .iter()
                        .filter(|task| {
                            has_status(task)
                                && has_priority(task)
                                && has_category(task)
                                && has_day(task)
                        })
                        .cloned()
                        .collect();
                    for (turn, sort) in sorts.into_iter().enumerate() {
                        let usual = if ["", "&has_due_date=false", "&overdue=false"].contains(&day)
                        {
                            "created"
                        } else {
                            "due_date"
                        };
                        let by = if sort.is_empty() { usual } else { sort };
                        let descends = ["created", "priority"].contains(&by);
                        // The other direction in turn.
                        let turned = (asked + turn) % 3 == 0;
                        let order = match (turned, descends) {
                            (false, _) => "",
                            (true, true) => "&order=asc",
                            (true, false) => "&order=desc",
                        };
                        let sorted = if sort.is_empty() {
                            String::new()
                        } else {
                            format!("&sort={sort}")
                        };
                        let path = format!(
                            "/tasks?limit=100{status}{priority}{category}{day}{sorted}{order}"
                        );
                        let page = ada.get(&path).await.expect(200);
                        let expected = ordered(fitting.clone(), by, descends != turned);
                        assert_eq!(page.body["items"], json!(expected), "{path}");
                        assert_eq!(page.body["next_cursor"], Value::Null, "{path}");
                        asked += 1;
                    }
                }
            }
        }
    }
    assert_eq!(asked, 3 * 3 * 2 * 10 * 6);
}

/// S0-23, C0-6, C0-24: pages are full unless they are the last, also with filters, and together they are the list, the newest first.
#[tokio::test(flavor = "multi_thread")]
async fn pages_are_full_and_together_the_whole() {
    let api = Api::start().await;
    let ada = api.person("ada");
    sorts_of_tasks(&ada).await;
    for query in [
        "/tasks?sort=created",
        "/tasks?status=pending",
        "/tasks?status=pending,completed&has_due_date=true",
        "/tasks?sort=priority&status=completed",
        "/tasks?overdue=true",
        "/tasks?category=home&sort=created&order=asc",
        "/tasks?sort=category",
        "/tasks?fields=title",
    ] {
        let whole = ada
            .get(&format!("{query}&limit=100"))
            .await
            .expect(200)
            .body["items"]
            .clone();
        let paged = ada.titles(query).await;
        let whole: Vec<&str> = whole
            .as_array()
            .unwrap()
            .iter()
            .map(|task| text(task, "title"))
            .collect();
        assert!(whole.len() > 7, "{query}");
        assert_eq!(paged, whole, "{query}");
    }
    let newest = ada.get("/tasks").await.expect(200);
    assert_eq!(newest.body["items"].as_array().unwrap().len(), 20);
    assert!(newest.body["next_cursor"].is_string());
}

/// S0-42: a list sends only what was asked for.
#[tokio::test]
async fn a_list_has_the_fields_that_were_asked_for() {
    let api = Api::start().await;
    let ada = api.person("ada");
    sorts_of_tasks(&ada).await;
    for (fields, names) in [
        ("title", vec!["task_id", "title"]),
        (
            "title,status,priority,due_date",
            vec!["due_date", "priority", "status", "task_id", "title"],
        ),
        (
            "task_id,category,expires_at",
            vec!["category", "expires_at", "task_id"],
        ),
    ] {
        for filter in ["", "&status=pending"] {
            let page = ada
                .get(&format!("/tasks?fields={fields}{filter}"))
                .await
                .expect(200);
            for task in page.body["items"].as_array().unwrap() {
                let has: Vec<&String> = task.as_object().unwrap().keys().collect();
                assert_eq!(has, names, "{fields}{filter}");
            }
        }
    }
    ada.get("/tasks?fields=user_id")
        .await
        .problem(400, "malformed")
        .about("fields");
}

/// S0-43: several tasks by their ids, in that order, and filtered like any list.
#[tokio::test]
async fn tasks_are_found_by_their_ids() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let all = sorts_of_tasks(&ada).await;
    let foreign = api.person("bob").task(json!({ "title": "foreign" })).await;
    let ids = format!(
        "{},{foreign},{}",
        text(&all[9], "task_id"),
        text(&all[4], "task_id")
    );
    let page = ada.get(&format!("/tasks?ids={ids}")).await.expect(200);
    assert_eq!(page.body["items"], json!([all[9], all[4]]));
    let page = ada
        .get(&format!("/tasks?ids={ids}&status=pending&fields=title"))
        .await
        .expect(200);
    assert_eq!(
        page.body["items"],
        json!([{ "task_id": all[4]["task_id"], "title": all[4]["title"] }])
    );
    let id = text(&all[0], "task_id");
    ada.get(&format!("/tasks?ids={id},{id}"))
        .await
        .problem(400, "malformed")
        .about("ids");
    ada.get(&format!("/tasks?ids={}", vec![id; 101].join(",")))
        .await
        .problem(400, "malformed")
        .about("ids");
}

/// S0-43: a page goes on after the place of the last task, whatever became of that task meanwhile.
#[tokio::test]
async fn pages_of_named_tasks_go_on_where_a_task_was() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let mut ids = Vec::new();
    for priority in ["urgent", "urgent", "high", "high", "low", "low"] {
        ids.push(
            ada.task(json!({ "title": priority, "priority": priority }))
                .await,
        );
    }
    let named = ids.join(",");
    for order in ["sort=priority", "sort=priority&order=asc", "sort=created"] {
        let list = format!("/tasks?status=pending&{order}&ids={named}");
        let all = ada.each(&list, 6, "task_id").await;
        assert_eq!(all.len(), 6, "{order}");
        let mut seen = Vec::new();
        let mut path = format!("{list}&limit=2");
        loop {
            let page = ada.get(&path).await.expect(200).body;
            for task in page["items"].as_array().unwrap() {
                seen.push(text(task, "task_id").to_owned());
            }
            // Ticked off: the list has it no more.
            let last = format!("/tasks/{}", seen.last().unwrap());
            ada.patch(&last, json!({ "status": "completed" }))
                .await
                .expect(200);
            match page["next_cursor"].as_str() {
                Some(cursor) => path = format!("{list}&limit=2&cursor={cursor}"),
                None => break,
            }
        }
        assert_eq!(seen, all, "{order}");
        for id in &ids {
            let path = format!("/tasks/{id}");
            ada.patch(&path, json!({ "status": "pending", "title": order }))
                .await
                .expect(200);
        }
    }
}

/// S0-43: also in another order and in pages, as the list of all has them.
#[tokio::test]
async fn tasks_by_their_ids_have_orders_and_pages() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let all = sorts_of_tasks(&ada).await;
    let ids: Vec<&str> = all.iter().map(|task| text(task, "task_id")).collect();
    let ids = ids.join(",");
    for asked in [
        "sort=created",
        "sort=created&order=asc",
        "sort=due_date",
        "sort=due_date&order=desc",
        "sort=priority",
        "sort=priority&order=asc",
        "sort=status",
        "sort=category&order=desc",
        "status=pending&sort=category",
        "order=asc",
    ] {
        let listed = ada.each(&format!("/tasks?{asked}"), 7, "task_id").await;
        let named = ada
            .each(&format!("/tasks?ids={ids}&{asked}"), 7, "task_id")
            .await;
        assert_eq!(named, listed, "{asked}");
        assert!(!named.is_empty(), "{asked}");
    }
    let first = ada
        .get(&format!("/tasks?ids={ids}&limit=2"))
        .await
        .expect(200);
    assert_eq!(first.body["items"], json!([all[0], all[1]]));
    let cursor = text(&first.body, "next_cursor");
    // A place is one of this question and this caller.
    let other = format!("/tasks?ids={ids}&limit=2&sort=created&cursor={cursor}");
    ada.get(&other)
        .await
        .problem(400, "bad-cursor")
        .about("cursor");
    let same = format!("/tasks?ids={ids}&limit=2&cursor={cursor}");
    api.person("bob")
        .get(&same)
        .await
        .problem(400, "bad-cursor");
    ada.get(&format!("/tasks?cursor={cursor}"))
        .await
        .problem(400, "bad-cursor");
    ada.get(&format!("/tasks?ids={ids}&cursor=x"))
        .await
        .problem(400, "bad-cursor");
    // What is gone meanwhile takes nothing with it.
    ada.delete(&format!("/tasks/{}", text(&all[1], "task_id")))
        .await
        .expect(204);
    let second = ada.get(&same).await.expect(200);
    assert_eq!(second.body["items"], json!([all[2], all[3]]));
}

/// S0-29: what is left out one by one leaves no holes in pages, and a bulk request finds the same.
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_what_is_not_overdue_are_full() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let mut kept = Vec::new();
    for number in 0..150 {
        let mut body = json!({ "title": format!("task {number}"), "due_date": "2020-01-31" });
        // Few among many, and the first and the last of all.
        if number % 13 == 0 || number == 149 {
            body["due_date"] = json!(["2999-12-31", "2020-01-31"][number / 13 % 2]);
            body["status"] = json!(["pending", "completed"][number / 13 % 2]);
            kept.push(format!("task {number}"));
        }
        ada.post("/tasks", body).await.expect(201);
    }
    for (limit, sort) in [
        (1, "created"),
        (5, "created"),
        (5, "due_date"),
        (100, "status"),
    ] {
        let path = format!("/tasks?overdue=false&sort={sort}&order=asc");
        let pages = ada.pages(&path, limit).await.into_iter().flatten();
        let mut titles: Vec<String> = pages.map(|task| text(&task, "title").to_owned()).collect();
        if sort != "created" {
            titles.sort_by_key(|title| kept.iter().position(|known| known == title));
        }
        assert_eq!(titles, kept, "{sort} {limit}");
    }
    let changed = ada.post(
        "/tasks/bulk/status",
        json!({ "filter": { "overdue": false }, "status": "cancelled" }),
    );
    let changed = changed.await.expect(200).body;
    assert_eq!(
        changed["results"].as_array().unwrap().len(),
        kept.len(),
        "{changed}"
    );
    let late = ada.titles("/tasks?overdue=true").await;
    assert_eq!(late.len(), 150 - kept.len());
}

/// C0-5: what is overdue depends on where the caller is.
#[tokio::test]
async fn overdue_depends_on_the_time_zone() {
    let api = Api::start().await;
    let ada = api.person("ada");
    let now = tablewright::Clock::now_millis(&api.clock);
    let east = todo::rules::today(now, Some("Pacific/Kiritimati")).unwrap();
    let west = todo::rules::today(now, Some("Pacific/Pago_Pago")).unwrap();
    // Fourteen hours before and eleven behind: these are never the same day.
    assert!(west < east);
    ada.task(json!({ "title": "due", "due_date": west.to_string() }))
        .await;
    assert_eq!(
        ada.titles("/tasks?overdue=true&tz=Pacific/Kiritimati")
            .await,
        ["due"]
    );
    assert_eq!(
        ada.titles("/tasks?overdue=true&tz=Pacific/Pago_Pago")
            .await
            .len(),
        0
    );
    ada.get("/tasks?overdue=true&tz=Mars/Olympus")
        .await
        .problem(400, "malformed")
        .about("tz");
}

/// S0-48: what cannot be asked is refused by name.
#[tokio::test]
async fn bad_parameters_are_refused_by_name() {
    let api = Api::start().await;
    let ada = api.person("ada");
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=ten", "limit"),
        ("limit=%2B5", "limit"),
        ("limit=005", "limit"),
        ("category=%zz", "category"),
        ("category=%ff", "category"),
        ("status=pending&category=100%", "category"),
        ("status=done", "status"),
        ("status=", "status"),
        ("status=pending,pending", "status"),
        ("priority=highest", "priority"),
        ("category=", "category"),
        ("due_on=yesterday", "due_on"),
        ("due_from=2024-13-01", "due_from"),
        ("due_to=20240101", "due_to"),
        ("overdue=perhaps", "overdue"),
        ("has_due_date=false&due_on=2024-01-01", "has_due_date"),
        ("sort=title", "sort"),
        ("order=down", "order"),
        ("ids=1", "ids"),
        ("stauts=pending", "stauts"),
    ] {
        ada.get(&format!("/tasks?{query}"))
            .await
            .problem(400, "malformed")
            .about(field);
    }
    // What nothing can be is empty, and no mistake.
    for query in [
        "due_from=2024-02-01&due_to=2024-01-01",
        "overdue=true&status=completed",
        "has_due_date=false&sort=due_date",
    ] {
        let page = ada.get(&format!("/tasks?{query}")).await.expect(200);
        assert_eq!(
            page.body,
            json!({ "items": [], "next_cursor": null }),
            "{query}"
        );
    }
}

/// C0-3: spaces around a category make no other.
#[tokio::test(flavor = "multi_thread")]
async fn spaces_around_a_category_make_no_other() {
    let api = Api::start().await;
    let ada = api.person("ada");
    for category in ["home", " home", "home\u{2003}"] {
        let task = json!({ "title": "sweep", "category": category });
        let task = ada.post("/tasks", task).await.expect(201).body;
        assert_eq!(task["category"], "home");
    }
    assert_eq!(ada.titles("/tasks?category=home%20").await.len(), 3);
    let blank = json!({ "title": "sweep", "category": "  " });
    ada.post("/tasks", blank)
        .await
        .problem(422, "invalid")
        .about("category");
}
