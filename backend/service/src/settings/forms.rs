//! The forms of values: durations, sizes, lists, addresses. Each says what it takes when it is given something else.

use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::time::Duration;

/// `500ms`, `30s`, `2m`, `1h`: a form for [`Settings::own`](crate::Settings::own).
pub fn duration(within: RangeInclusive<Duration>) -> impl Fn(&str) -> Result<Duration, String> {
    move |text| {
        let units = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = &text[digits.len()..];
        let millis = units.iter().find(|(name, _)| *name == unit);
        let number: Option<u64> = digits.trim().parse().ok();
        let duration = number
            .zip(millis)
            .and_then(|(number, (_, millis))| number.checked_mul(*millis))
            .map(Duration::from_millis);
        let Some(duration) = duration else {
            return Err(format!(
                "`{text}` is no duration: write 500ms, 30s, 2m or 1h"
            ));
        };
        if within.contains(&duration) {
            return Ok(duration);
        }
        let (from, to) = (within.start(), within.end());
        Err(format!("`{text}` is not between {from:?} and {to:?}"))
    }
}

/// `64 KB`, `1 MB`; a number alone is bytes.
pub(super) fn size(within: RangeInclusive<usize>) -> impl Fn(&str) -> Result<usize, String> {
    move |text| {
        let units = [("", 1), ("B", 1), ("KB", 1024), ("MB", 1024 * 1024)];
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = text[digits.len()..].to_ascii_uppercase();
        let bytes = units.iter().find(|(name, _)| *name == unit);
        let number: Option<usize> = digits.trim().parse().ok();
        let size = number
            .zip(bytes)
            .and_then(|(number, (_, bytes))| number.checked_mul(*bytes));
        let Some(size) = size else {
            return Err(format!("`{text}` is no size: write 65536, 64 KB or 1 MB"));
        };
        if within.contains(&size) {
            return Ok(size);
        }
        let (from, to) = (within.start(), within.end());
        Err(format!("`{text}` is not between {from} and {to} bytes"))
    }
}

/// A whole number: a form for [`Settings::own`](crate::Settings::own).
pub fn number<N>(within: RangeInclusive<N>) -> impl Fn(&str) -> Result<N, String>
where
    N: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    move |text| {
        let number = text.parse().ok().filter(|number| within.contains(number));
        let (from, to) = (within.start(), within.end());
        number.ok_or_else(|| format!("`{text}` is no number from {from} to {to}"))
    }
}

/// The address of a page, for links people are sent: a form for [`Settings::own`](crate::Settings::own). Within a house it may be one that is not
/// encrypted.
pub fn page_address(url: &str) -> Result<String, String> {
    let uri: Option<http::Uri> = url.parse().ok();
    let is_page = uri.is_some_and(|uri| {
        let scheme = matches!(uri.scheme_str(), Some("https" | "http"));
        scheme && uri.host().is_some_and(|host| !host.is_empty())
    });
    match is_page {
        true => Ok(url.to_owned()),
        false => Err(String::from("it does not begin with https:// or http://")),
    }
}

/// One of some words.
pub(super) fn word<T: Copy>(
    words: &'static [(&'static str, T)],
) -> impl Fn(&str) -> Result<T, String> {
    move |text| {
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            format!("`{text}` is none of {}", words.join(", "))
        })
    }
}

/// Entries between commas.
pub(super) fn list(text: &str) -> Vec<String> {
    let entries = text.split(',').map(str::trim);
    entries
        .filter(|entry| !entry.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether nobody but this machine is at a host, as it stands in an address.
fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether nobody can stand on the way to an address: `https`, or plain `http` to this machine.
pub(crate) fn is_safe(address: &http::Uri) -> bool {
    match (address.scheme_str(), address.host()) {
        (Some("https"), Some(_)) => true,
        (Some("http"), Some(host)) => is_loopback(host),
        _ => false,
    }
}

/// The id of a client, as an issuer gives it.
pub(super) fn client(text: &str) -> Result<String, String> {
    if (1..=255).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "`{text}` is no id of a client: it has 1 to 255 visible characters"
        ))
    }
}

/// An address over which nobody can put other keys.
pub(super) fn safe_address(text: &str) -> Result<String, String> {
    let address: http::Uri = text
        .parse()
        .map_err(|_| format!("`{text}` is no address: write https://…"))?;
    if address.query().is_some() || text.contains('#') {
        return Err(format!("`{text}` has more than a path"));
    }
    match (address.scheme_str(), address.host()) {
        _ if is_safe(&address) => Ok(text.to_owned()),
        (Some("http"), Some(_)) => Err(format!(
            "`{text}` is not https: whoever is on the way could give out keys of their own"
        )),
        _ => Err(format!("`{text}` is no address: write https://…")),
    }
}

/// An origin as a browser names it, `https://example.org`, or `*` for any.
pub(super) fn origin(text: &str) -> Result<String, String> {
    if text == "*" {
        return Ok(text.to_owned());
    }
    let bad = || format!("`{text}` is no origin: write https://example.org, without a path");
    let address: http::Uri = text.parse().map_err(|_| bad())?;
    let scheme = address.scheme_str().ok_or_else(bad)?;
    let authority = address.authority().ok_or_else(bad)?;
    // A browser sends it exactly so, and it is compared as text.
    let exact = format!("{scheme}://{authority}");
    if exact == text && exact == exact.to_ascii_lowercase() {
        Ok(exact)
    } else {
        Err(bad())
    }
}
