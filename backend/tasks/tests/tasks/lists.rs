//! Tasks as lists.

use serde_json::json;
use tablewright::Uuid;
use tasks::model::{Assignment, Task, TaskPriority, TaskStatus};

use crate::support::{Api, Asks as _};

/// S1-16, C1-11, C1-12: in order of creation, over all shards.
#[tokio::test(flavor = "multi_thread")]
async fn admins_see_all_tasks_by_status_in_order_of_creation() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let names: Vec<String> = (0..14).map(|number| format!("task {number:02}")).collect();
    let mut ids = Vec::new();
    for name in &names {
        ids.push(admin.task(name).await);
    }
    assert_eq!(admin.titles("/tasks?status=OPEN").await, names);
    let newest: Vec<String> = names.iter().rev().cloned().collect();
    assert_eq!(admin.titles("/tasks?status=OPEN&order=desc").await, newest);
    for (id, status) in ids
        .iter()
        .zip(["IN_PROGRESS", "COMPLETED"].iter().cycle())
        .take(6)
    {
        admin.status(id, status).await.expect(200);
    }
    admin.close(&ids[13]).await.expect(200);
    assert_eq!(admin.titles("/tasks?status=OPEN").await, names[6..13]);
    assert_eq!(
        admin.titles("/tasks?status=COMPLETED").await,
        ["task 01", "task 03", "task 05"]
    );
    assert_eq!(admin.titles("/tasks?status=CLOSED").await, ["task 13"]);

    // All of them, the most urgent and then the newest first.
    for id in &ids[..2] {
        admin
            .put(&format!("/tasks/{id}"), json!({ "priority": "HIGH" }))
            .await
            .expect(200);
    }
    let all = admin.titles("/tasks").await;
    assert_eq!(all.len(), 14);
    assert_eq!(all[..3], ["task 01", "task 00", "task 13"]);

    // Combined, and full pages all the same.
    assert_eq!(
        admin.titles("/tasks?status=COMPLETED&priority=HIGH").await,
        ["task 01"]
    );
    assert_eq!(
        admin.titles("/tasks?status=OPEN&createdBy=somebody").await,
        [""; 0]
    );
    assert_eq!(
        admin
            .titles("/tasks?createdBy=456&priority=MEDIUM")
            .await
            .len(),
        12
    );
    assert_eq!(
        admin.titles("/tasks?priority=HIGH&order=asc").await,
        ["task 00", "task 01"]
    );

    for bad in [
        "status=DONE",
        "order=up",
        "limit=0",
        "limit=101",
        "color=red",
        "cursor=x",
    ] {
        let refused = admin.get(&format!("/tasks?{bad}")).await;
        assert_eq!(refused.status, 400, "{bad}: {}", refused.text);
    }
}

/// S1-15, C1-13
#[tokio::test(flavor = "multi_thread")]
async fn members_see_their_own_with_what_the_tasks_say() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let (ada, bob) = (api.member("ada").await, api.member("bob").await);
    for number in 0..11 {
        let id = admin.task(&format!("task {number:02}")).await;
        let name = if number % 2 == 0 { "ada" } else { "bob" };
        admin.assign(&id, name).await.expect(200);
        if number < 4 {
            admin.status(&id, "IN_PROGRESS").await.expect(200);
        }
    }
    let hers = [
        "task 00", "task 02", "task 04", "task 06", "task 08", "task 10",
    ];
    assert_eq!(ada.titles("/tasks").await, hers);
    assert_eq!(ada.titles("/users/ada/tasks").await, hers);
    assert_eq!(admin.titles("/users/ada/tasks").await, hers);
    let newest: Vec<&str> = hers.iter().rev().copied().collect();
    assert_eq!(ada.titles("/tasks?order=desc").await, newest);
    assert_eq!(
        ada.titles("/tasks?status=IN_PROGRESS").await,
        ["task 00", "task 02"]
    );
    assert_eq!(ada.titles("/tasks?status=OPEN").await.len(), 4);
    assert_eq!(bob.titles("/tasks").await.len(), 5);

    bob.get("/users/ada/tasks").await.problem(403, "forbidden");
    bob.get("/users/nobody/tasks")
        .await
        .problem(403, "forbidden");
    admin
        .get("/users/nobody/tasks")
        .await
        .problem(404, "not-found");

    // A cursor is good for whom it was given to.
    let page = ada.get("/tasks?limit=3").await.expect(200);
    let cursor = page.body["nextCursor"].as_str().unwrap();
    let stolen = bob.get(&format!("/tasks?limit=3&cursor={cursor}")).await;
    stolen.problem(400, "bad-cursor");
}

/// What is rare among much fills pages all the same, for admins and for members.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_rare_fills_pages_too() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let ada = api.member("ada").await;
    let mut rare = Vec::new();
    for number in 0..260_u32 {
        let is_rare = number % 60 == 59;
        let task = Task {
            task_id: Uuid::now_v7(),
            title: format!("task {number:03}"),
            description: None,
            status: TaskStatus::Open,
            priority: [TaskPriority::Low, TaskPriority::High][usize::from(is_rare)],
            created_by: String::from(["456", "789"][usize::from(is_rare)]),
            created_at: 1_700_000_000 + i64::from(number),
            updated_by: None,
            updated_at: 1_700_000_000,
            closed_by: None,
            closed_at: None,
            deleted_by: None,
            revision: 1,
        };
        let assignment = Assignment {
            task_id: task.task_id,
            user_id: String::from("ada"),
            assigned_by: String::from("456"),
            assigned_at: 1_700_000_000,
            removed_by: None,
        };
        if is_rare {
            rare.push(task.title.clone());
        }
        api.tasks.tasks.items().insert(task).await.unwrap();
        api.tasks
            .assignments
            .items()
            .insert(assignment)
            .await
            .unwrap();
    }
    assert_eq!(rare.len(), 4);
    // A page that has a cursor is full: three, then one.
    for filter in [
        "priority=HIGH",
        "createdBy=789",
        "createdBy=789&priority=HIGH",
    ] {
        let path = format!("/tasks?status=OPEN&{filter}");
        assert_eq!(admin.titles(&path).await, rare, "{path}");
        assert_eq!(ada.titles(&path).await, rare, "{path}");
    }
    let none = "/tasks?status=OPEN&createdBy=789&priority=LOW";
    assert_eq!(admin.titles(none).await, [""; 0]);
    assert_eq!(ada.titles(none).await, [""; 0]);
    assert_eq!(
        admin.titles("/tasks?createdBy=456&priority=HIGH").await,
        [""; 0]
    );
    assert_eq!(ada.each("/tasks", 7, "title").await.len(), 260);
}

/// C1-13: two requests to the table for a page, not one for each task; and C1-17: one more for the profile.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_a_member_takes_as_many_requests_however_long_it_is() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let ada = api.member("ada").await;
    let requests = async || {
        let text = admin.get("~/metrics").await.expect(200).text;
        let counted = text.lines().filter(|line| {
            line.starts_with("tablewright_requests_total")
                && ["assignments_of_user", "tasks_by_ids"]
                    .iter()
                    .any(|name| line.contains(&format!("pattern=\"{name}\"")))
        });
        counted
            .map(|line| line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap())
            .sum::<f64>()
    };
    for number in 0..30 {
        let id = admin.task(&format!("task {number:02}")).await;
        admin.assign(&id, "ada").await.expect(200);
    }
    // The numbers are those of the process, where other tests run: what one list adds is at least this, so the smallest of many is told.
    let mut least = f64::INFINITY;
    for _ in 0..20 {
        let before = requests().await;
        let listed = ada.get("/tasks?limit=100").await.expect(200);
        assert_eq!(listed.body["items"].as_array().unwrap().len(), 30);
        least = least.min(requests().await - before);
    }
    assert_eq!(least, 2.0);
}
