//! Pages: full unless they are the last, in order, each item once; also filtered and sharded.

use tablewright::{Only, Timestamp, Ulid, Uuid};
use tasks::model::{Task, TaskPriority, TaskStatus, Tasks};
use todo::model::{TaskPriority as Urgency, TaskRefined, TaskStatus as Status};

use crate::corners::{Corners, PartRefined, corners, part};
use crate::support::{Place, account, accounts, task, todo};

#[tokio::test]
async fn pages_give_every_item_once_and_in_order() {
    let (_place, todo) = todo().await;
    for number in 0..25 {
        let mut new = task("ada", &format!("{number}"));
        new.task_id = Ulid::at(1_700_000_000_000 + number);
        todo.tasks.create_task(new, None).await.unwrap();
    }
    let mut titles = Vec::new();
    let mut cursor: Option<String> = None;
    let mut sizes = Vec::new();
    loop {
        let page = todo
            .tasks
            .tasks("ada")
            .limit(10)
            .after(cursor.as_deref())
            .page()
            .await
            .unwrap();
        sizes.push(page.items.len());
        titles.extend(page.items.into_iter().map(|task| task.title.clone()));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(sizes, [10, 10, 5]);
    let expected: Vec<String> = (0..25).rev().map(|number| number.to_string()).collect();
    assert_eq!(titles, expected);
    let all = todo
        .tasks
        .tasks("ada")
        .limit(7)
        .all()
        .collect()
        .await
        .unwrap();
    assert_eq!(all.len(), 25);
    assert_eq!(todo.tasks.tasks("ada").count().await.unwrap(), 25);
    assert_eq!(
        todo.tasks
            .tasks("ada")
            .first()
            .await
            .unwrap()
            .unwrap()
            .title,
        "24"
    );
    assert_eq!(todo.tasks.tasks("bob").first().await.unwrap(), None);
}

/// A page is full unless it is the last, also with a filter.
#[tokio::test]
async fn a_filtered_page_is_full() {
    let (_place, todo) = todo().await;
    for number in 0..60 {
        let mut new = task("ada", &format!("{number}"));
        new.task_id = Ulid::at(1_700_000_000_000 + number);
        new.priority = (number % 6 == 0).then_some(Urgency::Urgent);
        todo.tasks.create_task(new, None).await.unwrap();
    }
    let urgent = TaskRefined {
        priority: Urgency::Urgent.into(),
        ..TaskRefined::default()
    };
    let first = todo
        .tasks
        .tasks_refined("ada")
        .refined(&urgent)
        .limit(4)
        .page()
        .await
        .unwrap();
    let titles: Vec<&str> = first.items.iter().map(|task| task.title.as_str()).collect();
    assert_eq!(titles, ["54", "48", "42", "36"]);
    let cursor = first.next.unwrap();
    let rest = todo
        .tasks
        .tasks_refined("ada")
        .refined(&urgent)
        .limit(50)
        .after(Some(&cursor))
        .page()
        .await
        .unwrap();
    assert_eq!(rest.items.len(), 6);
    assert_eq!(rest.next, None);
    // The cursor belongs to the filter, too.
    let everything = todo.tasks.tasks_refined("ada");
    assert!(everything.after(Some(&cursor)).page().await.is_err());
}

/// A page that looks at some items only may have nothing; its cursor goes on, and all pages together have everything once and in order.
#[tokio::test]
async fn a_page_looks_at_so_many_items_and_no_more() {
    let (_place, todo) = todo().await;
    for number in 0..60 {
        let mut new = task("ada", &format!("{number}"));
        new.task_id = Ulid::at(1_700_000_000_000 + number);
        new.priority = matches!(number, 3 | 4 | 45).then_some(Urgency::Urgent);
        todo.tasks.create_task(new, None).await.unwrap();
    }
    let urgent = TaskRefined {
        priority: Urgency::Urgent.into(),
        ..TaskRefined::default()
    };
    let (mut pages, mut cursor) = (Vec::new(), None);
    loop {
        let query = todo.tasks.tasks_refined("ada").refined(&urgent);
        let query = query.looking_at(10).limit(2).after(cursor.as_deref());
        let page = query.page().await.unwrap();
        let titles = page.items.iter().map(|task| task.title.clone());
        pages.push(titles.collect::<Vec<String>>().join(" "));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    // Each goes on after the ten that the one before looked at, and not after what that found among them.
    assert_eq!(pages[..6], ["", "45", "", "", "", "4 3"], "{pages:?}");
    let found: Vec<&str> = pages
        .iter()
        .flat_map(|page| page.split_whitespace())
        .collect();
    assert_eq!(found, ["45", "4", "3"], "{pages:?}");
    assert!(pages.len() <= 7, "{pages:?}");
    // The first is the first of them all, on whichever page.
    let query = todo.tasks.tasks_refined("ada").refined(&urgent);
    let first = query.looking_at(10).first().await.unwrap().unwrap();
    assert_eq!(first.title, "45");
}

/// S0-35
#[tokio::test]
async fn a_search_finds_every_word_whatever_its_case_and_accents() {
    let (_place, todo) = todo().await;
    for (title, description) in [
        ("Buy MILK", None),
        ("Call Bob", Some("about the milk run")),
        ("Milk", Some("buy two")),
        ("Café crème", None),
    ] {
        let mut new = task("ada", title);
        new.description = description.map(str::to_owned);
        todo.tasks.create_task(new, None).await.unwrap();
    }
    let found = todo
        .tasks
        .search_tasks("ada", "buy milk")
        .all()
        .collect()
        .await
        .unwrap();
    let mut titles: Vec<&str> = found.iter().map(|task| task.title.as_str()).collect();
    titles.sort_unstable();
    assert_eq!(titles, ["Buy MILK", "Milk"]);
    assert_eq!(
        todo.tasks
            .search_tasks("ada", "milk")
            .count()
            .await
            .unwrap(),
        3
    );
    for words in ["CREME cafe", "café", "cre\u{300}me"] {
        let found = todo.tasks.search_tasks("ada", words).count().await;
        assert_eq!(found.unwrap(), 1, "{words}");
    }
}

/// A list over eight shards is one list: in order, with cursors that go on where the page ended. C1-9
#[tokio::test]
async fn shards_are_merged_in_order_with_working_cursors() {
    let place = Place::new().await;
    let store = place.store(&tasks::model::SCHEMA).await;
    let tasks = Tasks::new(&store);
    let mut expected = Vec::new();
    for number in 0..40_i64 {
        let new = Task {
            task_id: Uuid::now_v7(),
            title: format!("{number}"),
            description: None,
            status: if number % 4 == 0 {
                TaskStatus::Closed
            } else {
                TaskStatus::Open
            },
            priority: TaskPriority::Medium,
            created_by: "ada".to_owned(),
            created_at: 1_700_000_000 + number,
            updated_by: None,
            updated_at: 1_700_000_000,
            closed_by: None,
            closed_at: None,
            deleted_by: None,
            revision: 1,
        };
        if new.status == TaskStatus::Open {
            expected.push(new.title.clone());
        }
        tasks.tasks.items().insert(new).await.unwrap();
    }
    let (mut forwards, mut cursor) = (Vec::new(), None);
    loop {
        let page = tasks
            .tasks
            .tasks_by_status(TaskStatus::Open)
            .limit(7)
            .after(cursor.as_deref())
            .page()
            .await
            .unwrap();
        assert!(page.items.len() == 7 || page.next.is_none());
        forwards.extend(page.items.into_iter().map(|task| task.title.clone()));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(forwards, expected);
    let backwards = tasks
        .tasks
        .newest_tasks_by_status(TaskStatus::Open)
        .limit(5)
        .all()
        .collect()
        .await
        .unwrap();
    let backwards: Vec<String> = backwards
        .into_iter()
        .map(|task| task.title.clone())
        .collect();
    expected.reverse();
    assert_eq!(backwards, expected);
    // The same, as the first list from its other end: also page by page.
    let from_the_end = || tasks.tasks.tasks_by_status(TaskStatus::Open).reversed();
    let (mut reversed, mut cursor) = (Vec::new(), None);
    loop {
        let page = from_the_end().limit(7).after(cursor.as_deref());
        let page = page.page().await.unwrap();
        reversed.extend(page.items.into_iter().map(|task| task.title.clone()));
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(reversed, expected);
    // A cursor of one direction is none of the other.
    let forwards = tasks.tasks.tasks_by_status(TaskStatus::Open);
    let page = forwards.after(cursor.as_deref()).page().await;
    assert_eq!(page.unwrap_err(), tablewright::Error::BadCursor);
}

/// C4-16
#[tokio::test]
async fn many_keys_are_read_in_their_order_each_item_once() {
    let (_place, accounts) = accounts().await;
    for number in 0..120 {
        accounts
            .accounts
            .items()
            .insert(account(&format!("a{number}"), number))
            .await
            .unwrap();
    }
    let mut keys: Vec<_> = (0..150)
        .map(|number| accounts::model::AccountKey::new(format!("a{number}")))
        .collect();
    keys.push(accounts::model::AccountKey::new("a7"));
    let found = accounts.accounts.read_many(&keys).await.unwrap();
    assert_eq!(found.len(), 151);
    for (number, account) in found.iter().take(120).enumerate() {
        assert_eq!(
            account.as_ref().map(|account| account.balance),
            Some(number as i64)
        );
    }
    assert!(found[120..150].iter().all(Option::is_none));
    assert_eq!(found[150].as_ref().map(|account| account.balance), Some(7));
    let by_name = accounts
        .accounts
        .accounts_by_name()
        .limit(50)
        .all()
        .collect()
        .await
        .unwrap();
    assert_eq!(by_name.len(), 120);
    assert!(by_name.windows(2).all(|two| two[0].name <= two[1].name));
    assert!(Timestamp::now().seconds() > 0);
}

#[tokio::test]
async fn some_fields_are_counted_as_whole_items_are() {
    let (_place, todo) = todo().await;
    for title in ["a", "b", "c"] {
        let mut new = task("ada", title);
        if title == "c" {
            new.status = Status::Completed;
        }
        todo.tasks.create_task(new, None).await.unwrap();
    }
    assert_eq!(todo.tasks.task_titles("ada").count().await.unwrap(), 3);
    let refined = TaskRefined {
        status: Status::Pending.into(),
        ..TaskRefined::default()
    };
    let pending = todo.tasks.tasks_refined("ada").refined(&refined);
    assert_eq!(pending.count().await.unwrap(), 2);
}

/// The one in five hundred that passes is the last: each request looks at more than the one before.
#[tokio::test]
async fn the_first_that_passes_a_filter_takes_few_requests() {
    let (_place, corners) = corners().await;
    for number in 0..500 {
        let mut one = part(&format!("{number:03}"));
        one.note = Some(if number == 499 { "needle" } else { "hay" }.to_owned());
        one.price = number.to_string().parse().unwrap();
        corners.parts.items().insert(one).await.unwrap();
    }
    let (store, meter) = corners.store().metered();
    let parts = Corners::new(&store).parts;
    let refined = PartRefined {
        price: "499".parse::<tablewright::Decimal>().unwrap().into(),
        ..PartRefined::default()
    };
    let found = parts
        .parts("b")
        .refined(&refined)
        .first()
        .await
        .unwrap()
        .unwrap();
    assert_eq!(found.part, "499");
    let requests = meter.take().requests;
    assert!(requests < 20, "{requests}");
    // Words are looked for by the library, after the store's own filter.
    let found = parts.search_parts("b", "NEEDLE").first().await.unwrap();
    assert_eq!(found.unwrap().part, "499");
    let requests = meter.take().requests;
    assert!(requests < 20, "{requests}");
}

/// Every form of a refinement, on attributes DynamoDB filters by and on those that are keys of the index, which it does not.
#[tokio::test]
async fn a_list_is_refined_by_values_ranges_and_presence() {
    let (_place, todo) = todo().await;
    for (title, priority, due) in [
        ("a", None, None),
        ("b", Some(Urgency::Low), Some("2024-05-01")),
        ("c", Some(Urgency::High), Some("2024-05-02")),
        ("d", Some(Urgency::Urgent), Some("2024-05-03")),
    ] {
        let mut new = task("ada", title);
        new.task_id = Ulid::at(1_700_000_000_000 + i64::from(title.as_bytes()[0]));
        new.priority = priority;
        new.due_date = due.map(|due| due.parse().unwrap());
        todo.tasks.create_task(new, None).await.unwrap();
    }
    let day = |text: &str| text.parse::<tablewright::Date>().unwrap();
    let by_priority = |priority| TaskRefined {
        priority,
        ..TaskRefined::default()
    };
    let by_day = |due_date| TaskRefined {
        due_date,
        ..TaskRefined::default()
    };
    for (refined, expected) in [
        (by_priority(Only::Any), "dcba"),
        (by_priority(Only::Is(Urgency::High)), "c"),
        (
            by_priority(Only::OneOf(vec![Urgency::Low, Urgency::High])),
            "cb",
        ),
        (by_priority(Only::OneOf(Vec::new())), ""),
        // By rank, and not by spelling.
        (by_priority(Only::From(Urgency::Medium)), "dc"),
        (by_priority(Only::Until(Urgency::High)), "cb"),
        (by_priority(Only::Between(Urgency::High, Urgency::Low)), ""),
        (by_priority(Only::Present), "dcb"),
        (by_priority(Only::Absent), "a"),
        (
            by_day(Only::Between(day("2024-05-02"), day("2024-05-03"))),
            "dc",
        ),
        (by_day(Only::From(day("2024-05-03"))), "d"),
        (by_day(Only::Until(day("2024-05-01"))), "b"),
    ] {
        let list = || todo.tasks.tasks_refined("ada").refined(&refined);
        let found = list().page().await.unwrap();
        let titles: String = found.items.iter().map(|task| task.title.as_str()).collect();
        assert_eq!(titles, expected, "{refined:?}");
        assert_eq!(list().count().await.unwrap(), expected.len() as u64);
    }
    // A pattern takes what its model says, and a cursor belongs to what was asked.
    let refused = todo.tasks.tasks("ada").refined(&by_priority(Only::Present));
    assert!(matches!(
        refused.page().await,
        Err(tablewright::Error::Invalid { .. })
    ));
    let list = |priority| {
        todo.tasks
            .tasks_refined("ada")
            .refined(&by_priority(priority))
            .limit(1)
    };
    let cursor = list(Only::From(Urgency::Low)).page().await.unwrap().next;
    let other = list(Only::Until(Urgency::Low)).after(cursor.as_deref());
    assert_eq!(
        other.page().await.unwrap_err(),
        tablewright::Error::BadCursor
    );
}
