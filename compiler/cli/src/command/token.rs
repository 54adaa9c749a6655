//! `tablewright token`: a token of the development issuer.

use std::time::Duration;

use tablewright_service::{About, Caller, DevelopmentIssuer, Person, Settings, Sources};

use crate::Outcome;
use crate::arguments::TokenArguments;
use crate::error::Failure;
use crate::output::Output;

/// The settings of no service in particular.
const ABOUT: About = About {
    name: "token",
    title: "tablewright token",
    about: "",
    version: "",
    port: 0,
};

pub(crate) fn run(arguments: &TokenArguments, output: &mut Output) -> Result<Outcome, Failure> {
    if !Caller::is_subject(&arguments.sub) {
        return Err(Failure::BadSubject {
            sub: arguments.sub.clone(),
        });
    }
    let folder = match &arguments.data {
        Some(folder) => folder.clone(),
        None => Sources::of_process()
            .and_then(|sources| Settings::development_keys(&ABOUT, &sources))
            .map_err(Failure::Settings)?,
    };
    let issuer = DevelopmentIssuer::open(&folder).map_err(Failure::Issuer)?;
    let person = Person {
        sub: arguments.sub.clone(),
        email: arguments.email.clone(),
        name: arguments.name.clone(),
        groups: arguments.groups.clone(),
    };
    let valid = Duration::from_secs(u64::from(arguments.hours) * 60 * 60);
    output.print(&format!("{}\n", issuer.token(&person, valid)))?;
    Ok(Outcome::Clean)
}
