//! What a variable may be called that this service does not read: one environment is often that of several programs.

use super::table::KIT;

/// Settings that services of this project have for themselves, and variables that are no settings.
const ELSEWHERE: &[&str] = &[
    "bless",
    "bounce_token",
    "email_domains",
    "events_bus",
    "events_days",
    "events_log",
    "events_webhook",
    "fcm_api_key",
    "fcm_app",
    "fcm_credentials",
    "fcm_endpoint",
    "fcm_installations",
    "fcm_project",
    "fcm_registrations",
    "fcm_vapid_key",
    "keep_completed_days",
    "lake",
    "mail_folder",
    "mail_from",
    "mail_stale",
    "page_url",
    "people_secret",
    "push_folder",
    "settings",
    "smtp_url",
    "stream_lease",
    "sweep_every",
    "verified_addresses",
    "webhook_secret",
];

/// Whether it is the name of a setting of some service, or of something else that is read.
pub fn is_known(name: &str) -> bool {
    KIT.iter().any(|setting| setting.name == name) || ELSEWHERE.contains(&name)
}

/// Whether a variable, without its `TABLEWRIGHT_` and in small letters, is one that somebody reads: a setting of all, or with the name of a service before it.
pub(super) fn is_read_by_somebody(name: &str) -> bool {
    let for_a_service = name.match_indices('_').map(|(at, _)| &name[at + 1..]);
    let is_for_tests = name.starts_with("test_") || name.starts_with("crash_");
    is_for_tests || std::iter::once(name).chain(for_a_service).any(is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_reads_is_told_from_what_another_service_does() {
        for read in [
            "rate",
            "todo_rate",
            "push_folder",
            "ask_push_folder",
            "my_own_log",
        ] {
            assert!(is_read_by_somebody(read), "{read}");
        }
        for unread in ["raet", "todo_raet", "typo", "push_foldr", "rate_"] {
            assert!(!is_read_by_somebody(unread), "{unread}");
        }
    }
}
