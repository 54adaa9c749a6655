//! Which addresses people may come with.

use std::fmt;

use tablewright_mail::Mail;
use tablewright_service::Caller;

/// The domains of permitted addresses; all, unless some are named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Domains(Vec<String>);

impl Domains {
    /// Named with commas between them, as the setting `email_domains` has them.
    ///
    /// # Errors
    /// Which of them is none.
    pub fn named(text: &str) -> Result<Self, String> {
        let names = text.split(',').map(|name| name.trim().to_lowercase());
        let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
        let fits = |name: &String| {
            name.len() <= 253
                && name.split('.').all(|label| !label.is_empty())
                && name
                    .chars()
                    .all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '.'))
        };
        match names.iter().find(|name| !fits(name)) {
            Some(name) => Err(format!("`{name}` is no domain")),
            None if names.is_empty() => Err(String::from("it names no domain")),
            None => Ok(Domains(names)),
        }
    }

    /// Whether an address is in one of them: in the domain itself, not below it.
    pub fn permit(&self, address: &str) -> bool {
        let domain = address.rsplit_once('@').map(|(_, domain)| domain);
        let domain = domain.map(str::to_lowercase);
        self.0.is_empty() || domain.is_some_and(|domain| self.0.contains(&domain))
    }

    /// One of them, for people made up on this machine.
    pub fn any(&self) -> &str {
        self.0.first().map_or("example.org", String::as_str)
    }
}

/// Why somebody cannot be known by their address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAddress {
    /// The token has none.
    Missing,
    /// The issuer has not checked that it is theirs.
    Unverified,
    /// It is in none of the permitted domains.
    Elsewhere,
    /// No mail can be addressed so.
    Unmailable,
}

impl fmt::Display for NoAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoAddress::Missing => {
                "the token has no e-mail address: come with an id token the first time"
            }
            NoAddress::Unverified => "the issuer has not verified the e-mail address of the token",
            NoAddress::Unmailable => "no mail can be sent to the e-mail address of the token",
            NoAddress::Elsewhere => "the domain of the e-mail address is not permitted here",
        })
    }
}

/// The address of a caller, if it is theirs and permitted (S1-45, S1-51).
///
/// # Errors
/// [`NoAddress`]
pub fn address_of<'c>(caller: &'c Caller, domains: &Domains) -> Result<&'c str, NoAddress> {
    let address = caller.email.as_deref().ok_or(NoAddress::Missing)?;
    if !caller.email_verified {
        return Err(NoAddress::Unverified);
    }
    if !domains.permit(address) {
        return Err(NoAddress::Elsewhere);
    }
    match Mail::can_go_to(address) {
        true => Ok(address),
        false => Err(NoAddress::Unmailable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S1-51
    #[test]
    fn an_address_is_in_a_domain_and_not_below_or_beside_it() {
        let domains = Domains::named("amalitech.com, AmaliTechTraining.org").unwrap();
        for permitted in [
            "ada@amalitech.com",
            "Ada@AMALITECH.com",
            "b@amalitechtraining.org",
        ] {
            assert!(domains.permit(permitted), "{permitted}");
        }
        for refused in [
            "ada@evil-amalitech.com",
            "ada@amalitech.com.evil.org",
            "ada@mail.amalitech.com",
            "amalitech.com",
            "ada@amalitech.com@evil.org",
            "",
        ] {
            assert!(!domains.permit(refused), "{refused}");
        }
        assert!(Domains::default().permit("anybody@anywhere.example"));
        assert_eq!(domains.any(), "amalitech.com");
    }

    #[test]
    fn what_names_no_domain_is_refused() {
        for text in ["", ",", "a b", "a..b", "user@example.org", "*.example.org"] {
            assert!(Domains::named(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_address_nobody_checked_says_nothing() {
        let mut caller = Caller::new("ada");
        let all = Domains::default();
        assert_eq!(address_of(&caller, &all), Err(NoAddress::Missing));
        caller.email = Some("ada@example.org".into());
        assert_eq!(address_of(&caller, &all), Err(NoAddress::Unverified));
        caller.email_verified = true;
        assert_eq!(address_of(&caller, &all), Ok("ada@example.org"));
        // By the rule of who sends mails: what it takes at first sight it sends to.
        for unmailable in ["a..b@example.org", "a,b@example.org", "@example.org"] {
            caller.email = Some(unmailable.into());
            assert_eq!(address_of(&caller, &all), Err(NoAddress::Unmailable));
        }
        caller.email = Some(format!("{}@example.org", "a".repeat(70)));
        assert_eq!(address_of(&caller, &all), Err(NoAddress::Unmailable));
        caller.email = Some("ada@example.org".into());
        let others = Domains::named("amalitech.com").unwrap();
        assert_eq!(address_of(&caller, &others), Err(NoAddress::Elsewhere));
    }
}
