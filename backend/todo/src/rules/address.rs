//! Addresses of people.

use unicode_normalization::UnicodeNormalization as _;

use super::line;

/// The longest address.
const LONGEST: usize = 254;

/// An address in its one form: what looks the same is the same address.
///
/// # Errors
/// Why it is none.
pub fn address(text: &str) -> Result<String, String> {
    let text: String = text.nfc().collect();
    line(&text, LONGEST)?;
    match text.split_once('@') {
        Some((name, host)) if is_name(name) && is_host(host) => Ok(text),
        _ => Err(format!("{text:?} is no e-mail address")),
    }
}

/// What stands before the `@`: parts with dots between them.
fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let fits = |letter: char| !letter.is_whitespace() && !"\"(),:;<>@[\\]".contains(letter);
        !part.is_empty() && part.chars().all(fits)
    };
    name.split('.').all(is_part)
}

/// What stands behind it: labels of letters, digits and hyphens, two at least.
fn is_host(host: &str) -> bool {
    let is_label = |label: &str| {
        let fits = |letter: char| letter.is_alphanumeric() || letter == '-';
        (1..=63).contains(&label.len())
            && label.chars().all(fits)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.contains('.') && host.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_form() {
        for good in [
            "a@x.org",
            "a.b+c#d@x-y.co.uk",
            "Ada@Example.ORG",
            "jos\u{e9}@m\u{fc}ller.de",
        ] {
            assert_eq!(address(good).as_deref(), Ok(good));
        }
        assert_eq!(
            address("jose\u{301}@x.org").as_deref(),
            Ok("jos\u{e9}@x.org")
        );
        for bad in [
            "",
            "a",
            "@x.org",
            "a@",
            "a@x",
            "a@x..org",
            "a@-x.org",
            "a@x-.org",
            ".a@x.org",
            "a.@x.org",
            "a..b@x.org",
            "a@x.org#",
            "a@.org",
            "a@x.org.",
            "a b@x.org",
            "a@b@x.org",
            "a@x.org\n",
            "<a@x.org>",
        ] {
            assert!(address(bad).is_err(), "{bad:?}");
        }
    }
}
