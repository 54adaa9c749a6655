//! What a form or an address says. What is empty was not said; what is none of its kind is told.

use http::{HeaderMap, HeaderValue, Uri};
use tablewright_service::{Faults, Form, Kind, Problem, Write};

use crate::model::{TaskPriority, TaskStatus};
use crate::rules::{Day, Filter, LONGEST_SEARCH, Sort, TaskInput, block};

/// Which tasks are to be shown after a write, written as a query. It is no part of the body: sent again with another filter, a form is the same request.
const SHOWN: &str = "tasks-shown";

pub(super) struct Said(Form);

impl Said {
    pub(super) fn in_query(uri: &Uri) -> Result<Self, Problem> {
        Said::in_text(uri.query().unwrap_or_default().as_bytes())
    }

    pub(super) fn in_header(headers: &HeaderMap) -> Result<Self, Problem> {
        let said = headers.get(SHOWN).map(HeaderValue::as_bytes);
        Said::in_text(said.unwrap_or_default())
    }

    fn in_text(said: &[u8]) -> Result<Self, Problem> {
        Form::of_text(said).map(Said)
    }

    pub(super) fn of(write: &Write<Form>) -> Self {
        Said(write.body.clone())
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.text(name)
    }

    /// What one of these words says; a fault of the field when it is none of them.
    fn word<T: Copy>(
        &self,
        name: &str,
        words: &[(&'static str, T)],
        field: &str,
        faults: &mut Faults,
    ) -> Option<T> {
        let said = self.text(name)?;
        let found = words.iter().find(|(word, _)| *word == said);
        if found.is_none() {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            faults.add(field, format!("`{said}` is none of {}", words.join(", ")));
        }
        found.map(|(_, meant)| *meant)
    }

    fn status(&self, name: &str, faults: &mut Faults) -> Option<TaskStatus> {
        let words = TaskStatus::ALL.map(|status| (status.as_str(), status));
        self.word(name, &words, "status", faults)
    }

    fn priority(&self, name: &str, faults: &mut Faults) -> Option<TaskPriority> {
        let words = TaskPriority::ALL.map(|priority| (priority.as_str(), priority));
        self.word(name, &words, "priority", faults)
    }

    fn day(&self, name: &str, faults: &mut Faults) -> Option<Day> {
        let said = self.text(name)?;
        let day = Day::of(said);
        if day.is_none() {
            faults.add("due_date", "it is a day as 2024-05-01");
        }
        day
    }

    /// Which tasks are shown.
    pub(super) fn filter(&self) -> Result<Filter, Problem> {
        let mut faults = Faults::new();
        let truths = [("true", true), ("false", false)];
        let overdue = self.word("overdue", &truths, "overdue", &mut faults);
        let filter = Filter {
            status: self.status("status", &mut faults).map(|one| vec![one]),
            priority: self.priority("priority", &mut faults).map(|one| vec![one]),
            category: self.text("category").map(str::to_owned),
            // Whoever does not ask for what is overdue asks for all.
            overdue: overdue.filter(|overdue| *overdue),
            tz: self.text("tz").map(str::to_owned),
            ..Filter::default()
        };
        faults.none_of(Kind::MALFORMED)?;
        Ok(filter)
    }

    pub(super) fn sort(&self) -> Result<Sort, Problem> {
        let mut faults = Faults::new();
        let words = [
            ("created", Sort::Created),
            ("due_date", Sort::DueDate),
            ("priority", Sort::Priority),
            ("category", Sort::Category),
        ];
        let sort = self.word("sort", &words, "sort", &mut faults);
        faults.none_of(Kind::MALFORMED)?;
        Ok(sort.unwrap_or(Sort::Created))
    }

    /// The words that are looked for, if there are any.
    pub(super) fn words(&self) -> Result<Option<&str>, Problem> {
        let Some(words) = self.text("q") else {
            return Ok(None);
        };
        let mut faults = Faults::new();
        faults.note("q", block(words, LONGEST_SEARCH));
        faults.none_of(Kind::MALFORMED)?;
        Ok((!tablewright::words(words).is_empty()).then_some(words))
    }

    /// The status that is meant by a button.
    pub(super) fn to(&self) -> Result<TaskStatus, Problem> {
        let mut faults = Faults::new();
        let words = [TaskStatus::Completed, TaskStatus::Pending];
        let words = words.map(|status| (status.as_str(), status));
        let status = self.word("to", &words, "to", &mut faults);
        if self.text("to").is_none() {
            faults.add("to", "it is missing");
        }
        faults.none_of(Kind::MALFORMED)?;
        status.ok_or_else(|| Problem::internal("a status that is none, and not told"))
    }

    /// The task of the form for new ones.
    pub(super) fn new_task(&self) -> Result<TaskInput, Problem> {
        let mut faults = Faults::new();
        let task = self.task("title", &mut faults);
        faults.none_of(Kind::INVALID)?;
        Ok(task)
    }

    /// The task of the form for changes.
    pub(super) fn whole_task(&self) -> Result<TaskInput, Problem> {
        let mut faults = Faults::new();
        let task = TaskInput {
            // A form sends line breaks as two characters.
            description: self
                .text("new_description")
                .map(|text| text.replace("\r\n", "\n")),
            status: self.status("new_status", &mut faults).unwrap_or_default(),
            ..self.task("new_title", &mut faults)
        };
        faults.none_of(Kind::INVALID)?;
        Ok(task)
    }

    fn task(&self, title: &str, faults: &mut Faults) -> TaskInput {
        TaskInput {
            title: self.text(title).unwrap_or_default().to_owned(),
            description: None,
            status: TaskStatus::Pending,
            priority: self.priority("new_priority", faults),
            category: self.text("new_category").map(str::to_owned),
            due_date: self.day("new_due", faults),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults<T>(said: Result<T, Problem>) -> Vec<String> {
        let errors = said.err().map(|problem| problem.body().errors);
        let errors = errors.unwrap_or_default().into_iter();
        errors.map(|error| error.field).collect()
    }

    #[test]
    fn what_is_none_of_its_kind_is_told() {
        let said = Said::in_text(b"title=x&new_due=tomorrow&new_priority=highest").unwrap();
        assert_eq!(faults(said.new_task()), ["priority", "due_date"]);
        let said = Said::in_text(b"new_title=x&new_due=2024-02-30&new_status=done").unwrap();
        assert_eq!(faults(said.whole_task()), ["status", "due_date"]);
        let said = Said::in_text(b"status=done&overdue=perhaps").unwrap();
        assert_eq!(faults(said.filter()), ["overdue", "status"]);
        let good = Said::in_text(b"title=x&new_due=2024-02-29&new_priority=high&new_category=");
        let good = good.unwrap().new_task().unwrap();
        assert_eq!(good.due_date, Day::of("2024-02-29"));
        assert_eq!(good.category, None);
    }

    #[test]
    fn overdue_is_what_it_says() {
        let overdue = |said: &[u8]| Said::in_text(said).unwrap().filter().unwrap().overdue;
        assert_eq!(overdue(b"overdue=true"), Some(true));
        assert_eq!(overdue(b"overdue=false"), None);
        assert_eq!(overdue(b""), None);
    }
}
