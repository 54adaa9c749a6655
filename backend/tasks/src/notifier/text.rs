//! The words of a mail.

use askama::Template;

use super::news::{News, What};
use crate::model::{Task, TaskPriority, TaskStatus, User};

/// A mail, written.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) subject: String,
    pub(super) text: String,
    pub(super) html: String,
}

#[derive(Template)]
#[template(path = "mail/news.txt")]
struct Text<'n> {
    news: &'n Words<'n>,
}

#[derive(Template)]
#[template(path = "mail/news.html")]
struct Html<'n> {
    news: &'n Words<'n>,
}

struct Words<'n> {
    name: Option<&'n str>,
    sentence: String,
    title: &'n str,
    description: Option<&'n str>,
    status: &'static str,
    priority: &'static str,
    link: Option<String>,
    why: &'static str,
}

pub(super) fn write(
    news: &News,
    task: &Task,
    actor: Option<&User>,
    user: &User,
    page: Option<&str>,
) -> Result<Written, askama::Error> {
    let title = task.title.as_str();
    let who = match actor {
        Some(actor) => actor.name.as_deref().unwrap_or(&actor.email),
        None => "Somebody",
    };
    let (subject, sentence, why) = match news.what {
        What::Assigned => (
            format!("Assigned to you: {title}"),
            format!("{who} assigned a task to you."),
            "You get this mail because the task was assigned to you.",
        ),
        What::Status(status) => (
            format!("{}: {title}", capitalised(in_words(status))),
            format!("{who} set a task to {}.", in_words(status)),
            "You get this mail because you work on the task, or created it.",
        ),
        What::Closed => (
            format!("Closed: {title}"),
            format!("{who} closed a task."),
            "You get this mail because you worked on the task, or created it.",
        ),
    };
    let words = Words {
        name: user.name.as_deref(),
        sentence,
        title,
        description: task.description.as_deref(),
        status: in_words(match news.what {
            What::Status(status) => status,
            What::Closed => TaskStatus::Closed,
            What::Assigned => task.status,
        }),
        priority: match task.priority {
            TaskPriority::Low => "low",
            TaskPriority::Medium => "medium",
            TaskPriority::High => "high",
        },
        link: page.map(|page| format!("{}/tasks/{}", page.trim_end_matches('/'), task.task_id)),
        why,
    };
    Ok(Written {
        subject,
        text: Text { news: &words }.render()? + "\n",
        html: Html { news: &words }.render()?,
    })
}

fn in_words(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Open => "open",
        TaskStatus::InProgress => "in progress",
        TaskStatus::Completed => "completed",
        TaskStatus::Closed => "closed",
    }
}

fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase());
    first.into_iter().flatten().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use tablewright::Uuid;

    use super::super::news::Told;
    use super::*;
    use crate::model::{UserGroup, UserStatus};

    fn user(id: &str, name: Option<&str>) -> User {
        User {
            user_id: id.to_owned(),
            email: format!("{id}@example.org"),
            name: name.map(str::to_owned),
            user_status: UserStatus::Active,
            groups: vec![UserGroup::Members],
            created_at: 1,
            updated_at: 1,
        }
    }

    fn task(title: &str) -> Task {
        Task {
            task_id: Uuid::from_u128(7),
            title: title.to_owned(),
            description: Some(String::from("Before <noon> & not later")),
            status: TaskStatus::Open,
            priority: TaskPriority::High,
            created_by: String::from("boss"),
            created_at: 1,
            updated_by: None,
            updated_at: 1,
            closed_by: None,
            closed_at: None,
            deleted_by: None,
            revision: 1,
        }
    }

    fn news(what: What) -> News {
        News {
            task_id: Uuid::from_u128(7),
            actor: Some(String::from("boss")),
            told: Told::Everybody,
            what,
        }
    }

    #[test]
    fn an_assignment_reads_as_a_person_wrote_it() {
        let (boss, ada) = (user("boss", Some("Grace")), user("ada", Some("Ada")));
        let page = Some("https://tasks.example.org/");
        let mail = write(
            &news(What::Assigned),
            &task("Buy milk"),
            Some(&boss),
            &ada,
            page,
        )
        .unwrap();
        assert_eq!(mail.subject, "Assigned to you: Buy milk");
        assert_eq!(
            mail.text,
            "Hello Ada,\n\nGrace assigned a task to you.\n\n  Buy milk\n  Before <noon> & not later\n\n  Status:   open\n  Priority: high\n\n\
             https://tasks.example.org/tasks/00000000-0000-0000-0000-000000000007\n\n-- \nYou get this mail because the task was assigned to you.\n"
        );
    }

    #[test]
    fn the_status_is_that_of_the_event() {
        let ada = user("ada", None);
        let news = news(What::Status(TaskStatus::InProgress));
        let mail = write(&news, &task("Buy milk"), None, &ada, None).unwrap();
        assert_eq!(mail.subject, "In progress: Buy milk");
        assert!(
            mail.text
                .starts_with("Hello,\n\nSomebody set a task to in progress."),
            "{}",
            mail.text
        );
        assert!(mail.text.contains("Status:   in progress"), "{}", mail.text);
        assert!(!mail.text.contains("http"), "{}", mail.text);
    }

    #[test]
    fn no_markup_comes_of_what_others_wrote() {
        let evil = "<script>alert(1)</script>";
        let (boss, ada) = (user("boss", Some(evil)), user("ada", Some(evil)));
        let mail = write(&news(What::Closed), &task(evil), Some(&boss), &ada, None).unwrap();
        assert!(!mail.html.contains("<script"), "{}", mail.html);
        assert!(mail.text.contains(evil), "text is text");
    }
}
