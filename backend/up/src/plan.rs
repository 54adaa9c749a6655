//! What the project file says under `[up]`.

use std::collections::BTreeMap;

use serde::Deserialize;
use tablewright_service::{Caller, Person};

use crate::UpError;

/// What is started.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Where the front page listens.
    #[serde(default = "front_port")]
    pub port: u16,
    /// Where the engine listens.
    #[serde(default = "engine_port")]
    pub engine: u16,
    /// What is run before anything starts.
    pub build: Option<String>,
    /// The services, by their names.
    #[serde(default)]
    pub services: BTreeMap<String, ServicePlan>,
}

/// A service.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServicePlan {
    /// What people call it; its name unless said.
    pub title: Option<String>,
    /// A program and its arguments.
    pub run: String,
    /// Where it listens.
    pub port: u16,
    /// A file of requests that make something to show.
    pub demo: Option<String>,
    /// Who gets a token to try it with.
    #[serde(default)]
    pub tokens: Vec<Token>,
    /// Where the front page leads besides.
    #[serde(default)]
    pub links: Vec<Link>,
}

/// A part of a service that the front page leads to.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// What people call it.
    pub title: String,
    /// Where it is: a path of the service.
    pub path: String,
    /// Whether it shows what is in the lake, and nothing where there is none.
    #[serde(default)]
    pub lake: bool,
}

/// Somebody who gets a token.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// Who it is.
    pub sub: String,
    /// Their address.
    pub email: Option<String>,
    /// Their name.
    pub name: Option<String>,
    /// Their groups.
    #[serde(default)]
    pub groups: Vec<String>,
    /// What to read with it first, to try it.
    pub r#try: Option<String>,
}

#[derive(Deserialize)]
struct File {
    up: Option<Plan>,
}

fn front_port() -> u16 {
    8080
}

fn engine_port() -> u16 {
    8000
}

impl Plan {
    /// What the text of a project file says; none when it says nothing of `[up]`.
    ///
    /// # Errors
    /// [`UpError::BadPlan`] with what is wrong, and where.
    pub fn read(text: &str) -> Result<Option<Self>, UpError> {
        let file: File = toml::from_str(text).map_err(|why| UpError::BadPlan {
            why: why.to_string().trim_end().to_owned(),
        })?;
        if let Some(plan) = &file.up {
            plan.check().map_err(|why| UpError::BadPlan { why })?;
        }
        Ok(file.up)
    }

    /// The same, with the front page at another port.
    ///
    /// # Errors
    /// [`UpError::BadPlan`] when that is the port of something else.
    pub fn with_front_at(mut self, port: u16) -> Result<Self, UpError> {
        self.port = port;
        self.check().map_err(|why| UpError::BadPlan { why })?;
        Ok(self)
    }

    fn check(&self) -> Result<(), String> {
        if self.engine == 0 {
            return Err(String::from(
                "the engine needs a port of its own, other than 0",
            ));
        }
        let mut taken = BTreeMap::from([(self.port, String::from("the front page"))]);
        if let Some(other) = taken.insert(self.engine, String::from("the engine")) {
            return Err(format!("the engine has the port of {other}"));
        }
        for (name, service) in &self.services {
            // It becomes the name of a file and a word in addresses.
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            if name.is_empty() || !name.chars().all(plain) {
                return Err(format!(
                    "`{name}` is no name of a service: letters, digits, `-` and `_`"
                ));
            }
            if service.port == 0 {
                return Err(format!("{name} needs a port of its own, other than 0"));
            }
            if let Some(other) = taken.insert(service.port, name.clone()) {
                return Err(format!("{name} has the port of {other}"));
            }
            if service.program().is_none() {
                return Err(format!("`run` of {name} names no program"));
            }
            if let Some(token) = service
                .tokens
                .iter()
                .find(|token| !Caller::is_subject(&token.sub))
            {
                return Err(format!(
                    "`{}` cannot be the `sub` of a token of {name}",
                    token.sub
                ));
            }
            if let Some(link) = service
                .links
                .iter()
                .find(|link| !link.path.starts_with('/'))
            {
                return Err(format!(
                    "`{}` of `links` of {name} is no path of it: one begins with `/`",
                    link.path
                ));
            }
        }
        Ok(())
    }

    /// The services in the order of their ports.
    pub(crate) fn in_order(&self) -> Vec<(&str, &ServicePlan)> {
        let mut services: Vec<(&str, &ServicePlan)> = self
            .services
            .iter()
            .map(|(name, service)| (name.as_str(), service))
            .collect();
        services.sort_by_key(|(_, service)| service.port);
        services
    }
}

impl ServicePlan {
    /// The program and its arguments.
    pub(crate) fn program(&self) -> Option<(&str, Vec<&str>)> {
        let mut words = self.run.split_whitespace();
        words.next().map(|program| (program, words.collect()))
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Token {
    pub(crate) fn person(&self) -> Person {
        Person {
            sub: self.sub.clone(),
            email: self.email.clone(),
            name: self.name.clone(),
            groups: self.groups.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Plan::read(text).unwrap_err().to_string()
    }

    #[test]
    fn a_plan_has_defaults_and_an_order() {
        let plan = Plan::read(
            "[up.services.b]\nrun = \"b serve\"\nport = 1\n[up.services.a]\nrun = \"a\"\nport = 2\n",
        );
        let plan = plan.unwrap().unwrap();
        assert_eq!((plan.port, plan.engine), (8080, 8000));
        let names: Vec<&str> = plan.in_order().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["b", "a"]);
        assert_eq!(plan.services["b"].program(), Some(("b", vec!["serve"])));
        assert!(Plan::read("models = []\n").unwrap().is_none());
    }

    #[test]
    fn what_cannot_be_started_is_told_before_anything_is() {
        let service = |rest: &str| format!("[up.services.a]\n{rest}\n");
        for (text, told) in [
            (service("port = 1"), "missing field `run`"),
            (service("run = \" \"\nport = 1"), "names no program"),
            (service("run = \"a\"\nport = 0"), "a port of its own"),
            (
                service("run = \"a\"\nport = 8080"),
                "a has the port of the front page",
            ),
            (
                service("run = \"a\"\nport = 1\nprot = 2"),
                "unknown field `prot`",
            ),
            (
                service("run = \"a\"\nport = 1\ntokens = [{ sub = \"\" }]"),
                "`sub` of a token of a",
            ),
            (
                service("run = \"a\"\nport = 1\nlinks = [{ title = \"B\", path = \"http://b\" }]"),
                "`http://b` of `links` of a is no path of it",
            ),
            (String::from("[up]\nport = 8000"), "the engine has the port"),
            (String::from("[up]\nengine = 0"), "other than 0"),
            (String::from("[up]\nport = 80000"), "80000"),
            (
                String::from("[up.services.\"../a\"]\nrun = \"a\"\nport = 1"),
                "no name of a service",
            ),
        ] {
            let why = refused(&text);
            assert!(why.contains(told), "{text}: {why}");
        }
    }
}
