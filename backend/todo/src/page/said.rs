//! What a form or an address says. What is empty was not said.

use http::Uri;
use tablewright_service::{Form, Kind, Problem};

use crate::model::{TaskPriority, TaskStatus};
use crate::rules::{Day, Filter, Sort, TaskInput};

pub(super) struct Said(Form);

impl Said {
    pub(super) fn in_query(uri: &Uri) -> Self {
        Said(Form::in_query(uri))
    }

    pub(super) fn in_form(body: &[u8]) -> Self {
        Said(Form::in_body(body))
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.text(name)
    }

    fn status(&self, name: &str) -> Option<TaskStatus> {
        TaskStatus::ALL
            .into_iter()
            .find(|status| self.text(name) == Some(status.as_str()))
    }

    fn priority(&self, name: &str) -> Option<TaskPriority> {
        TaskPriority::ALL
            .into_iter()
            .find(|priority| self.text(name) == Some(priority.as_str()))
    }

    /// Which tasks are shown.
    pub(super) fn filter(&self) -> Filter {
        Filter {
            status: self.status("status").map(|status| vec![status]),
            priority: self.priority("priority").map(|priority| vec![priority]),
            category: self.text("category").map(str::to_owned),
            overdue: self.text("overdue").map(|_| true),
            tz: self.text("tz").map(str::to_owned),
            ..Filter::default()
        }
    }

    pub(super) fn sort(&self) -> Sort {
        match self.text("sort") {
            Some("due_date") => Sort::DueDate,
            Some("priority") => Sort::Priority,
            Some("category") => Sort::Category,
            _ => Sort::Created,
        }
    }

    /// The task of the form for new ones.
    pub(super) fn new_task(&self) -> TaskInput {
        TaskInput {
            title: self.text("title").unwrap_or_default().to_owned(),
            description: None,
            status: TaskStatus::Pending,
            priority: self.priority("new_priority"),
            category: self.text("new_category").map(str::to_owned),
            due_date: self.text("new_due").and_then(Day::of),
        }
    }

    /// The task of the form for changes.
    pub(super) fn whole_task(&self) -> Result<TaskInput, Problem> {
        let due = self.text("new_due");
        let due_date = due.map(|text| {
            Day::of(text).ok_or_else(|| {
                Problem::new(Kind::INVALID).field("due_date", "it is a day as 2024-05-01")
            })
        });
        Ok(TaskInput {
            title: self.text("new_title").unwrap_or_default().to_owned(),
            // A form sends line breaks as two characters.
            description: self
                .text("new_description")
                .map(|text| text.replace("\r\n", "\n")),
            status: self.status("new_status").unwrap_or_default(),
            due_date: due_date.transpose()?,
            ..self.new_task()
        })
    }
}
