//! What a service is told, and what it does not take.

use std::time::Duration;

use tablewright_service::{Check, Issuer, LogFormat, Setting, Settings, SettingsError, Sources};

use crate::app::ABOUT;

fn load(sources: &Sources) -> Result<Settings, SettingsError> {
    Settings::from_sources(&ABOUT, &[], sources)
}

#[test]
fn without_a_word_all_is_as_documented() {
    let settings = load(&Sources::none()).unwrap();
    assert_eq!(settings.listen.to_string(), "127.0.0.1:8090");
    assert_eq!(settings.endpoint.to_string(), "embedded:.tablewright");
    let keys = ".tablewright".into();
    assert_eq!(settings.issuer, Issuer::Development { keys });
    assert_eq!(settings.limits.body, 256 * 1024);
    assert_eq!(settings.limits.request_timeout, Duration::from_secs(30));
    assert_eq!(
        settings.rate.map(|rate| (rate.per_second, rate.burst)),
        Some((50, 100))
    );
    assert_eq!(settings.log_format, LogFormat::Auto);
    assert!(settings.cors_origins.is_empty());
}

#[test]
fn what_is_nearer_is_obeyed_first() {
    let file = "[service]\nport = 1\nrate = 1\nburst = 7\ncors_origins = [\"https://a.example\", \"https://b.example\"]\n\n[service.notes]\nport = 2\n\n[service.todo]\nburst = 9\nunknown = 1\n\n[generate]\nrust = \"x\"\n";
    let sources = Sources::none().file("tablewright.toml", file);
    let settings = load(&sources).unwrap();
    assert_eq!(settings.listen.port(), 2);
    assert_eq!(
        settings.rate.map(|rate| (rate.per_second, rate.burst)),
        Some((1, 7))
    );
    assert_eq!(settings.cors_origins.len(), 2);
    for (name, port) in [
        ("TABLEWRIGHT_PORT", 3),
        ("TABLEWRIGHT_NOTES_PORT", 4),
        ("PORT", 5),
    ] {
        let sources = sources.clone().variable("TABLEWRIGHT_PORT", "3");
        let sources = match name {
            "PORT" => sources.variable("TABLEWRIGHT_NOTES_PORT", "4"),
            _ => sources,
        };
        let settings = load(&sources.variable(name, port.to_string())).unwrap();
        assert_eq!(settings.listen.port(), port, "{name}");
    }
    // A variable that is empty says nothing.
    let settings = load(&sources.variable("PORT", "")).unwrap();
    assert_eq!(settings.listen.port(), 2);
}

#[test]
fn every_bad_value_is_refused_with_its_name_and_the_reason() {
    for (name, value, why) in [
        ("HOST", "localhost", "no IP address"),
        ("PORT", "65536", "0 to 65535"),
        ("ENDPOINT", "ebmedded:x", "no endpoint"),
        ("TABLE_PREFIX", "a b", "name of a table"),
        ("CURSOR_SECRET", "short", "could be guessed"),
        ("ISSUER", "example.org", "no address"),
        ("ISSUER", "http://example.org", "not https"),
        ("ISSUER", "https://example.org?x=1", "more than a path"),
        ("JWKS_URL", "ftp://example.org", "no address"),
        ("JWKS_URL", "https://example.org/keys", "without `issuer`"),
        ("AUDIENCE", "client", "without `issuer`"),
        ("SIGN_IN_CLIENT", "client", "without `issuer`"),
        ("SIGN_IN_CLIENT", "my client", "no id of a client"),
        ("ALGORITHM", "HS256", "none of RS256, ES256, EdDSA"),
        ("ALGORITHM", "none", "none of RS256, ES256, EdDSA"),
        ("LEEWAY", "6m", "not between"),
        ("LEEWAY", "30", "no duration"),
        ("JWKS_REFRESH", "1s", "not between"),
        ("CORS_ORIGINS", "https://a.example/", "no origin"),
        ("CORS_ORIGINS", "a.example", "no origin"),
        ("BODY_LIMIT", "1 GB", "no size"),
        ("BODY_LIMIT", "17 MB", "not between"),
        ("HEADER_LIMIT", "0", "not between"),
        ("IDLE_TIMEOUT", "1", "no duration"),
        ("BODY_TIMEOUT", "0s", "not between"),
        ("REQUEST_TIMEOUT", "99999999999999999999h", "no duration"),
        ("SHUTDOWN_DELAY", "1d", "no duration"),
        ("SHUTDOWN_TIMEOUT", "16m", "not between"),
        ("MAX_CONNECTIONS", "0", "1 to 1000000"),
        ("RATE", "-1", "0 to 1000000"),
        ("BURST", "0", "1 to 1000000"),
        ("FORWARDED_HOPS", "11", "0 to 10"),
        ("LOG", "loud", "no level"),
        ("LOG_FORMAT", "xml", "none of auto, json, text"),
        ("METRICS_TOKEN", "short", "could be guessed"),
    ] {
        let variable = format!("TABLEWRIGHT_{name}");
        let sources = Sources::none().variable(&variable, value);
        let SettingsError::Refused(faults) = load(&sources).unwrap_err() else {
            panic!("{name}");
        };
        let setting = name.to_ascii_lowercase();
        let fault = faults.iter().find(|fault| fault.setting == setting);
        let fault = fault.unwrap_or_else(|| panic!("{name}: {faults:?}"));
        assert_eq!(fault.origin, variable);
        assert!(fault.why.contains(why), "{name}: {fault}");
    }
    let sources = Sources::none().variable("TABLEWRIGHT_ISSUER", "https://issuer.example");
    assert!(
        load(&sources)
            .unwrap_err()
            .to_string()
            .contains("audience: it must be set")
    );
}

#[test]
fn a_file_that_says_nonsense_is_refused() {
    let told = |text: &str| {
        load(&Sources::none().file("a/b.toml", text))
            .unwrap_err()
            .to_string()
    };
    assert!(told("[service").contains("a/b.toml cannot be read"));
    assert!(told("service = 1").contains("not a table"));
    let unknown = told("[service]\nrat = 1");
    assert!(
        unknown.contains("rat ([service] of a/b.toml): notes has no such setting"),
        "{unknown}"
    );
    let of_its_own = told("[service.notes]\nport = [1]");
    assert!(
        of_its_own.contains("port ([service.notes] of a/b.toml): it is 0 to 65535"),
        "{of_its_own}"
    );
}

#[test]
fn secrets_are_used_and_never_shown() {
    let secret = "correct-horse-battery-staple";
    let own = Setting {
        name: "mail_password",
        form: "a number",
        default: "none",
        secret: true,
        about: "Opens the mail.",
        check: Check::NONE,
        is_explained: false,
    };
    let sources = Sources::none()
        .variable("TABLEWRIGHT_CURSOR_SECRET", secret)
        .variable("TABLEWRIGHT_METRICS_TOKEN", secret)
        .variable("TABLEWRIGHT_NOTES_MAIL_PASSWORD", secret);
    let settings = Settings::from_sources(&ABOUT, &[own], &sources).unwrap();
    assert_eq!(settings.cursor_secret.as_ref().unwrap().reveal(), secret);
    assert!(settings.metrics_token.as_ref().unwrap().is(secret));
    assert!(!settings.metrics_token.as_ref().unwrap().is("correct-horse"));
    let refused = settings.own("mail_password", |text| {
        text.parse::<u32>().map_err(|_| format!("`{text}` is bad"))
    });
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("mail_password (TABLEWRIGHT_NOTES_MAIL_PASSWORD): it is not a number"),
        "{refused}"
    );
    let short = "0123456789";
    let sources = Sources::none().variable("TABLEWRIGHT_METRICS_TOKEN", short);
    let too_short = load(&sources).unwrap_err().to_string();
    for told in [format!("{settings:?}"), refused, too_short] {
        assert!(!told.contains(secret) && !told.contains(short), "{told}");
    }
}

#[test]
fn a_service_has_settings_of_its_own() {
    let days = Setting {
        name: "retention_days",
        form: "1 to 3650",
        default: "none",
        secret: false,
        about: "How long.",
        check: Check::NONE,
        is_explained: false,
    };
    let sources = Sources::none().file("s.toml", "[service.notes]\nretention_days = 30\n");
    let settings = Settings::from_sources(&ABOUT, &[days], &sources).unwrap();
    let form = |text: &str| text.parse::<u32>().map_err(|_| String::from("no number"));
    assert_eq!(settings.own("retention_days", form).unwrap(), Some(30));
    // What cannot be used is told with all else, and without the value where that is secret.
    let number: fn(&str) -> Result<(), String> = |text| match text.parse::<u32>() {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("`{text}` is no number")),
    };
    let pin = Setting::secret("pin", "a number", "none", "Opens it.").checked(number);
    let wrong = Sources::none()
        .variable("TABLEWRIGHT_PIN", "hush")
        .variable("TABLEWRIGHT_RETENTION_DAYS", "some")
        .variable("TABLEWRIGHT_RATE", "x");
    let refused = Settings::from_sources(&ABOUT, &[days.checked(number), pin], &wrong);
    let told = refused.unwrap_err().to_string();
    let lines: Vec<&str> = told.lines().skip(1).map(str::trim).collect();
    assert_eq!(
        lines,
        [
            "rate (TABLEWRIGHT_RATE): `x` is no number from 0 to 1000000",
            "retention_days (TABLEWRIGHT_RETENTION_DAYS): `some` is no number",
            "pin (TABLEWRIGHT_PIN): it is not a number",
        ]
    );
    assert!(settings.own("other", form).is_err());
    assert!(load(&sources).is_err(), "others do not have it");
}
