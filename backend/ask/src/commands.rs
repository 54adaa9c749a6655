//! What an admin does at the command line: agents and their keys. It talks to the tables themselves.

use std::fmt;

use tablewright_service::Problem;

use crate::agents::{AgentSaid, add_agent, add_key, all_keys, known, revoke_key};
use crate::model::{Agent, Ask};

/// What is to be done, in the words of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// `agent add AGENT [--name NAME]`
    AddAgent {
        /// Its id.
        agent_id: String,
        /// What it is called.
        name: Option<String>,
    },
    /// `agent show AGENT`
    ShowAgent {
        /// Its id.
        agent_id: String,
    },
    /// `agent quota AGENT [--questions N] [--open N] [--polls N]`
    Quota {
        /// Its id.
        agent_id: String,
        /// Questions an hour.
        questions: Option<i64>,
        /// Open questions at a time.
        open: Option<i64>,
        /// Reads an hour.
        polls: Option<i64>,
    },
    /// `agent webhook AGENT URL|none`
    Webhook {
        /// Its id.
        agent_id: String,
        /// Where it is told; empty for nowhere.
        url: String,
    },
    /// `key add AGENT --label LABEL`
    AddKey {
        /// Of which agent.
        agent_id: String,
        /// What it is for.
        label: String,
    },
    /// `key list AGENT`
    ListKeys {
        /// Of which agent.
        agent_id: String,
    },
    /// `key revoke AGENT HASH`
    RevokeKey {
        /// Of which agent.
        agent_id: String,
        /// The hash of the key, or the first letters of it.
        hash: String,
    },
}

/// Why words are no command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotUnderstood(String);

impl fmt::Display for NotUnderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotUnderstood {}

impl Command {
    /// The command in these words, without `ask`.
    ///
    /// # Errors
    /// [`NotUnderstood`]
    pub fn in_words(words: &[&str]) -> Result<Self, NotUnderstood> {
        let (noun, verb, rest) = match words {
            [noun, verb, rest @ ..] => (*noun, *verb, rest),
            _ => return Err(NotUnderstood(format!("`{}` lacks a word", words.join(" ")))),
        };
        let mut said = match (noun, verb) {
            // A hash may begin with anything, also with what an option begins with.
            ("key", "revoke") => Said::words(rest),
            _ => Said::new(rest)?,
        };
        let agent_id = said.word("the id of an agent")?;
        let command = match (noun, verb) {
            ("agent", "add") => Command::AddAgent {
                agent_id,
                name: said.option("--name"),
            },
            ("agent", "show") => Command::ShowAgent { agent_id },
            ("agent", "quota") => Command::Quota {
                agent_id,
                questions: said.number("--questions")?,
                open: said.number("--open")?,
                polls: said.number("--polls")?,
            },
            ("agent", "webhook") => {
                let url = said.word("an address, or `none`")?;
                let url = if url == "none" { String::new() } else { url };
                Command::Webhook { agent_id, url }
            }
            ("key", "add") => Command::AddKey {
                agent_id,
                label: said.option("--label").unwrap_or_else(|| "key".into()),
            },
            ("key", "list") => Command::ListKeys { agent_id },
            ("key", "revoke") => Command::RevokeKey {
                agent_id,
                hash: said.word("the hash of a key")?,
            },
            _ => {
                return Err(NotUnderstood(format!(
                    "there is no command `{noun} {verb}`"
                )));
            }
        };
        said.nothing_more()?;
        Ok(command)
    }

    /// Does it; gives what is said on the terminal.
    ///
    /// # Errors
    /// What the routes of admins would say.
    pub async fn run(&self, ask: &Ask) -> Result<String, Problem> {
        match self {
            Command::AddAgent { agent_id, name } => {
                let said = AgentSaid {
                    name: name.clone(),
                    ..AgentSaid::default()
                };
                let (agent, new) = add_agent(ask, agent_id, &said).await?;
                let verb = if new {
                    "is known now"
                } else {
                    "was known already"
                };
                Ok(format!("{} {verb}\n{}", agent.agent_id, told(&agent)))
            }
            Command::ShowAgent { agent_id } => Ok(told(&known(ask, agent_id).await?.data)),
            Command::Quota {
                agent_id,
                questions,
                open,
                polls,
            } => {
                known(ask, agent_id).await?;
                let said = AgentSaid {
                    questions_per_hour: *questions,
                    open_questions: *open,
                    polls_per_hour: *polls,
                    ..AgentSaid::default()
                };
                Ok(told(&add_agent(ask, agent_id, &said).await?.0.data))
            }
            Command::Webhook { agent_id, url } => {
                let before = known(ask, agent_id).await?.data.webhook_secret;
                let said = AgentSaid {
                    webhook_url: Some(url.clone()),
                    ..AgentSaid::default()
                };
                let agent = add_agent(ask, agent_id, &said).await?.0.data;
                let secret = agent.webhook_secret.as_ref();
                let secret = secret.filter(|secret| Some(*secret) != before.as_ref());
                let secret = secret.map(|secret| {
                    format!("\nsecret     {secret}   (shown this once; it signs what is sent)")
                });
                Ok(told(&agent) + &secret.unwrap_or_default())
            }
            Command::AddKey { agent_id, label } => Ok(add_key(ask, agent_id, label).await?.key),
            Command::ListKeys { agent_id } => {
                let lines = all_keys(ask, agent_id).await?.into_iter().map(|key| {
                    let state = match key.revoked_at {
                        None => "good".to_owned(),
                        Some(at) => format!("revoked {at}"),
                    };
                    let short = key.key_hash.get(..12).unwrap_or(&key.key_hash);
                    format!("{short}  {}  {state}  {}", key.created_at, key.label)
                });
                Ok(lines.collect::<Vec<_>>().join("\n"))
            }
            Command::RevokeKey { agent_id, hash } => {
                revoke_key(ask, agent_id, hash).await?;
                Ok("revoked".into())
            }
        }
    }
}

fn told(agent: &Agent) -> String {
    let webhook = agent.webhook_url.as_deref().unwrap_or("none");
    format!(
        "name       {}\nquestions  {} an hour, {} open at a time\nreads      {} an hour\nwebhook    {webhook}",
        agent.name, agent.questions_per_hour, agent.open_questions, agent.polls_per_hour
    )
}

/// The words after a verb: some in their place, some after a name.
struct Said<'w> {
    words: std::vec::IntoIter<&'w str>,
    options: Vec<(&'w str, &'w str)>,
}

impl<'w> Said<'w> {
    fn new(rest: &[&'w str]) -> Result<Self, NotUnderstood> {
        let (mut words, mut options) = (Vec::new(), Vec::new());
        let mut rest = rest.iter();
        while let Some(word) = rest.next() {
            if word.starts_with("--") {
                let value = rest.next();
                let value = value.ok_or_else(|| NotUnderstood(format!("{word} lacks a value")))?;
                options.push((*word, *value));
            } else {
                words.push(*word);
            }
        }
        Ok(Said {
            words: words.into_iter(),
            options,
        })
    }

    /// Words only.
    fn words(rest: &[&'w str]) -> Self {
        Said {
            words: Vec::from(rest).into_iter(),
            options: Vec::new(),
        }
    }

    fn word(&mut self, what: &str) -> Result<String, NotUnderstood> {
        let word = self.words.next().map(str::to_owned);
        word.ok_or_else(|| NotUnderstood(format!("{what} is missing")))
    }

    fn option(&mut self, name: &str) -> Option<String> {
        let place = self.options.iter().position(|(known, _)| *known == name)?;
        Some(self.options.remove(place).1.to_owned())
    }

    fn number(&mut self, name: &str) -> Result<Option<i64>, NotUnderstood> {
        let number = self.option(name).map(|text| {
            let number = text.parse();
            number.map_err(|_| NotUnderstood(format!("{name} takes a number, and not `{text}`")))
        });
        number.transpose()
    }

    fn nothing_more(mut self) -> Result<(), NotUnderstood> {
        let more = self
            .words
            .next()
            .or(self.options.first().map(|(name, _)| *name));
        match more {
            None => Ok(()),
            Some(word) => Err(NotUnderstood(format!("`{word}` is not understood"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_understood_or_the_first_that_is_not_is_named() {
        let words = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            Command::in_words(&words).map_err(|why| why.0)
        };
        let agent_id = || String::from("a");
        let label = String::from("laptop");
        let name = Some(String::from("Ada"));
        assert_eq!(
            words("agent add a --name Ada"),
            Ok(Command::AddAgent {
                agent_id: agent_id(),
                name
            })
        );
        assert_eq!(
            words("key add --label laptop a"),
            Ok(Command::AddKey {
                agent_id: agent_id(),
                label
            })
        );
        assert_eq!(
            words("agent quota a --open 7"),
            Ok(Command::Quota {
                agent_id: agent_id(),
                questions: None,
                open: Some(7),
                polls: None
            })
        );
        for hash in ["0123abcd", "-123abcd", "--23abcd"] {
            assert_eq!(
                words(&format!("key revoke a {hash}")),
                Ok(Command::RevokeKey {
                    agent_id: agent_id(),
                    hash: hash.to_owned(),
                })
            );
        }
        for (text, why) in [
            ("agent", "`agent` lacks a word"),
            ("agent add", "the id of an agent is missing"),
            ("agent fly a", "there is no command `agent fly`"),
            ("agent add a b", "`b` is not understood"),
            ("agent add a --nam b", "`--nam` is not understood"),
            ("agent add a --name", "--name lacks a value"),
            (
                "agent quota a --open many",
                "--open takes a number, and not `many`",
            ),
            ("key revoke a", "the hash of a key is missing"),
            ("key revoke a 0123abcd b", "`b` is not understood"),
        ] {
            assert_eq!(words(text), Err(why.to_owned()), "{text}");
        }
    }
}
