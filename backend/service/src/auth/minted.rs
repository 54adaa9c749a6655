//! Tokens of the development issuer, for whoever sits at the machine of a service.

use std::fmt;
use std::time::Duration;

use super::{Caller, DevelopmentIssuer, IssuerError, Person};
use crate::about::About;
use crate::settings::{Settings, SettingsError, Sources};

/// How long such a token is good.
const GOOD: Duration = Duration::from_secs(12 * 60 * 60);

/// Why there is no token.
#[derive(Debug)]
#[non_exhaustive]
pub enum TokenError {
    /// A word of the command is not understood, or has nothing after it.
    Word(String),
    /// Nobody is named, or by what cannot be a subject.
    NoSubject,
    /// A setting cannot be used.
    Settings(SettingsError),
    /// There is no issuer.
    Issuer(IssuerError),
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenError::Word(word) => write!(
                f,
                "`{word}` is not understood: a token is made with --sub NAME, --email ADDRESS, --name NAME and --group GROUP, each with a value"
            ),
            TokenError::NoSubject => {
                f.write_str("--sub says who it is for: 1 to 128 letters, digits and `-_.:@|+=/~`")
            }
            TokenError::Settings(error) => error.fmt(f),
            TokenError::Issuer(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TokenError {}

/// For whom the words of a command ask for a token: `--sub ada --email ada@example.org`.
fn person(words: &[&str]) -> Result<Person, TokenError> {
    let mut person = Person::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || match words.next() {
            Some(value) if !value.starts_with("--") => Ok((*value).to_owned()),
            _ => Err(TokenError::Word((*word).to_owned())),
        };
        match *word {
            "--sub" => person.sub = value()?,
            "--email" => person.email = Some(value()?),
            "--name" => person.name = Some(value()?),
            "--group" => person.groups.push(value()?),
            other => return Err(TokenError::Word(other.to_owned())),
        }
    }
    match Caller::is_subject(&person.sub) {
        true => Ok(person),
        false => Err(TokenError::NoSubject),
    }
}

/// A token of the development issuer of a service, good for twelve hours, by the words of a command. The key is where the settings of this process say.
///
/// # Errors
/// [`TokenError`]
pub fn token_for(about: &About, words: &[&str]) -> Result<String, TokenError> {
    let person = person(words)?;
    let sources = Sources::of_process().map_err(TokenError::Settings)?;
    let keys = Settings::development_keys(about, &sources).map_err(TokenError::Settings)?;
    let issuer = DevelopmentIssuer::open(&keys).map_err(TokenError::Issuer)?;
    Ok(issuer.token(&person, GOOD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_say_for_whom_it_is() {
        let words = [
            "--sub",
            "ada",
            "--email",
            "ada@example.org",
            "--group",
            "A",
            "--group",
            "B",
        ];
        let ada = person(&words).unwrap();
        assert_eq!(
            (ada.sub.as_str(), ada.email.as_deref()),
            ("ada", Some("ada@example.org"))
        );
        assert_eq!((ada.name, ada.groups.len()), (None, 2));
        assert!(matches!(person(&[]), Err(TokenError::NoSubject)));
        assert!(matches!(person(&["--sub", ""]), Err(TokenError::NoSubject)));
        let refused = person(&["--sub", "ada!"]).unwrap_err().to_string();
        assert!(
            refused.contains("letters, digits and `-_.:@|+=/~`"),
            "{refused}"
        );
        for (words, named) in [
            (vec!["--sub"], "--sub"),
            (vec!["--sub", "--email"], "--sub"),
            (vec!["ada"], "ada"),
            (vec!["--sub", "ada", "--hours", "2"], "--hours"),
        ] {
            let refused = person(&words).unwrap_err();
            assert!(
                refused.to_string().starts_with(&format!("`{named}`")),
                "{refused}"
            );
        }
    }
}
