//! The functions of a service's stack, and whose policies each is given: what `infrastructure/bin/services.ts` says.

use std::path::Path;

use tablewright_local::Engine;

use crate::policed::Policed;

/// A function that follows changes, or that a schedule calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployed {
    /// The name of the consumer.
    pub name: String,
    /// Whose policy it has on the tables of the model; none for who only tells what it is given.
    pub service: Option<String>,
    /// A schedule calls it, and no stream: it remembers nothing of one.
    pub scheduled: bool,
}

impl Deployed {
    /// The way to an engine for this function: what the stack grants it, and no other right.
    pub fn policed(&self, engine: &Engine, model: &str) -> Policed {
        let own = self.service.iter().map(|service| (model, service.as_str()));
        let stream = (!self.scheduled).then_some(("stream", "stream"));
        let policies: Vec<(&str, &str)> = own.chain(stream).collect();
        Policed::new(engine, &policies, "*")
    }
}

/// The functions of a service's stack.
pub fn functions_of(service: &str) -> Vec<Deployed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../infrastructure/bin/services.ts");
    let text = std::fs::read_to_string(path).unwrap();
    let functions = text.lines().filter_map(of_line);
    let prefix = format!("{service}-");
    functions
        .filter(|function| function.name.starts_with(&prefix))
        .collect()
}

/// `{ name: 'tasks-cleaner', service: 'cleaner' },`
fn of_line(line: &str) -> Option<Deployed> {
    let quoted = |key: &str| {
        let (_, rest) = line.split_once(&format!("{key}: '"))?;
        Some(rest.split_once('\'')?.0.to_owned())
    };
    let is_function = line.trim_start().starts_with("{ name: '");
    Some(Deployed {
        name: quoted("{ name").filter(|_| is_function)?,
        service: quoted(" service"),
        scheduled: line.contains("every: "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_are_those_of_the_stack() {
        let deployed = |name: &str, service: Option<&str>, scheduled| Deployed {
            name: name.to_owned(),
            service: service.map(str::to_owned),
            scheduled,
        };
        let tasks = functions_of("tasks");
        assert!(tasks.contains(&deployed("tasks-cleaner", Some("cleaner"), false)));
        assert!(tasks.contains(&deployed("tasks-waiting-mails", Some("notifier"), true)));
        assert!(tasks.contains(&deployed("tasks-events-bus", None, false)));
        assert_eq!(tasks.len(), 5, "{tasks:#?}");
    }
}
