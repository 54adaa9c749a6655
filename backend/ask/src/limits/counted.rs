//! What is limited, and in which words that is told.

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    /// What its windows are known by.
    pub(super) name: &'static str,
    things: &'static str,
    whose: &'static str,
}

const fn counted(name: &'static str, things: &'static str, whose: &'static str) -> Counted {
    Counted {
        name,
        things,
        whose,
    }
}

impl Counted {
    pub(crate) const ANSWERS: Counted = counted("answer", "answers", "person");
    pub(crate) const ANSWERS_AT_ONCE: Counted = counted("minute", "answers", "person");
    pub(crate) const DEVICES: Counted = counted("device", "new devices", "person");
    pub(crate) const QUESTIONS: Counted = counted("question", "questions", "agent");
    pub(crate) const POLLS: Counted = counted("poll", "reads", "agent");
    pub(crate) const PAGES: Counted = counted("page", "looks at the page", "agent");
    pub(crate) const READS: Counted = counted("read", "reads", "address");
    pub(crate) const TRIES: Counted = counted("try", "attempts to answer", "address");
    pub(crate) const SUBSCRIPTIONS: Counted = counted("subscribe", "new devices", "address");
    pub(crate) const PEOPLE: Counted = counted("person", "new people", "address");

    /// What there was too much of.
    pub(super) fn too_many(self, most: i64, window: &str) -> String {
        let Counted { things, whose, .. } = self;
        format!("the {things} of this {whose} are too many: {most} {window}")
    }

    /// The same for people, with how long to wait.
    pub(super) fn wait(self, most: i64, window: &str, seconds: i64) -> String {
        let Counted { things, whose, .. } = self;
        let wait = in_words(seconds);
        format!("{most} {things} {window} are the most for one {whose}: again in {wait}")
    }
}

/// Never too early.
fn in_words(seconds: i64) -> String {
    match seconds {
        ..=120 => format!("{seconds} s"),
        121..=7200 => format!("{} minutes", (seconds + 59) / 60),
        _ => format!("{} hours", (seconds + 3599) / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_as_people_say_it() {
        for (seconds, told) in [
            (1, "1 s"),
            (120, "120 s"),
            (121, "3 minutes"),
            (3600, "60 minutes"),
            (7201, "3 hours"),
            (43_200, "12 hours"),
            (86_400, "24 hours"),
        ] {
            assert_eq!(in_words(seconds), told);
        }
    }

    #[test]
    fn a_limit_is_told_by_what_and_whose() {
        assert_eq!(
            Counted::DEVICES.wait(10, "a day", 43_396),
            "10 new devices a day are the most for one person: again in 13 hours"
        );
        assert_eq!(
            Counted::POLLS.too_many(600, "an hour"),
            "the reads of this agent are too many: 600 an hour"
        );
    }
}
