//! Badges: what each is for, and who has earned it (C2-16).

use crate::model::{QuestionAudience, UserStats};

/// A badge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Badge {
    /// What it is stored by. It never changes.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    earned_by: By,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Answers(i64),
    Streak(i64),
    Category(QuestionAudience),
    Early,
    Night,
    Fast,
    Confident,
}

/// How many answers in one category earn its badge.
const OF_A_CATEGORY: i64 = 25;

const fn badge(id: &'static str, name: &'static str, about: &'static str, earned_by: By) -> Badge {
    Badge {
        id,
        name,
        about,
        earned_by,
    }
}

/// All badges there are.
pub const BADGES: &[Badge] = &[
    badge("first_steps", "First Steps", "1 answer", By::Answers(1)),
    badge(
        "getting_started",
        "Getting Started",
        "10 answers",
        By::Answers(10),
    ),
    badge("century", "Century", "100 answers", By::Answers(100)),
    badge("veteran", "Veteran", "500 answers", By::Answers(500)),
    badge("legend", "Legend", "1000 answers", By::Answers(1000)),
    badge("on_a_roll", "On a Roll", "3 days in a row", By::Streak(3)),
    badge(
        "week_warrior",
        "Week Warrior",
        "7 days in a row",
        By::Streak(7),
    ),
    badge(
        "monthly_maven",
        "Monthly Maven",
        "30 days in a row",
        By::Streak(30),
    ),
    badge(
        "centurion",
        "Centurion",
        "100 days in a row",
        By::Streak(100),
    ),
    badge(
        "tech_expert",
        "Tech Expert",
        "25 technical answers",
        By::Category(QuestionAudience::Technical),
    ),
    badge(
        "product_pro",
        "Product Pro",
        "25 answers about products",
        By::Category(QuestionAudience::Product),
    ),
    badge(
        "ethics_advocate",
        "Ethics Advocate",
        "25 answers about ethics",
        By::Category(QuestionAudience::Ethics),
    ),
    badge(
        "creative_mind",
        "Creative Mind",
        "25 creative answers",
        By::Category(QuestionAudience::Creative),
    ),
    badge(
        "generalist",
        "Generalist",
        "25 general answers",
        By::Category(QuestionAudience::General),
    ),
    badge(
        "early_bird",
        "Early Bird",
        "an answer within 2 minutes of the question",
        By::Early,
    ),
    badge(
        "night_owl",
        "Night Owl",
        "10 answers between 0 and 6 o'clock",
        By::Night,
    ),
    badge(
        "speed_demon",
        "Speed Demon",
        "5 answers within 30 seconds",
        By::Fast,
    ),
    badge(
        "confident",
        "Confident",
        "10 answers with a confidence of 5",
        By::Confident,
    ),
];

impl Badge {
    /// The badge of an id.
    pub fn of(id: &str) -> Option<&'static Badge> {
        BADGES.iter().find(|badge| badge.id == id)
    }

    /// Whether somebody with these numbers has earned it.
    pub fn is_earned(&self, stats: &UserStats) -> bool {
        match self.earned_by {
            By::Answers(count) => stats.total_answers >= count,
            By::Streak(days) => stats.streak_days >= days,
            By::Category(category) => {
                let answers = stats.answers_by_category.get(category.as_str());
                answers.is_some_and(|answers| *answers >= OF_A_CATEGORY)
            }
            By::Early => stats.early_answers >= 1,
            By::Night => stats.night_answers >= 10,
            By::Fast => stats.fast_answers >= 5,
            By::Confident => stats.confident_answers >= 10,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rules::stats::tests::nobody;

    #[test]
    fn ids_and_names_are_each_their_own() {
        let ids: BTreeSet<&str> = BADGES.iter().map(|badge| badge.id).collect();
        let names: BTreeSet<&str> = BADGES.iter().map(|badge| badge.name).collect();
        assert_eq!((ids.len(), names.len()), (BADGES.len(), BADGES.len()));
        assert!(BADGES.iter().all(|one| Badge::of(one.id) == Some(one)));
        assert_eq!(Badge::of("winner"), None);
    }

    /// Each at its number, and not one before.
    #[test]
    fn a_badge_is_earned_at_its_number() {
        type Set = fn(&mut UserStats, i64);
        let answers: Set = |stats, number| stats.total_answers = number;
        let streak: Set = |stats, number| stats.streak_days = number;
        let technical: Set = |stats, number| {
            stats
                .answers_by_category
                .insert(String::from("technical"), number);
        };
        let general: Set = |stats, number| {
            stats
                .answers_by_category
                .insert(String::from("general"), number);
        };
        let cases: [(&str, Set, i64); 15] = [
            ("first_steps", answers, 1),
            ("getting_started", answers, 10),
            ("century", answers, 100),
            ("veteran", answers, 500),
            ("legend", answers, 1000),
            ("on_a_roll", streak, 3),
            ("week_warrior", streak, 7),
            ("monthly_maven", streak, 30),
            ("centurion", streak, 100),
            ("tech_expert", technical, 25),
            ("generalist", general, 25),
            (
                "early_bird",
                |stats, number| stats.early_answers = number,
                1,
            ),
            (
                "night_owl",
                |stats, number| stats.night_answers = number,
                10,
            ),
            (
                "speed_demon",
                |stats, number| stats.fast_answers = number,
                5,
            ),
            (
                "confident",
                |stats, number| stats.confident_answers = number,
                10,
            ),
        ];
        for (id, set, number) in cases {
            let badge = Badge::of(id).unwrap();
            let mut stats = nobody();
            set(&mut stats, number - 1);
            assert!(!badge.is_earned(&stats), "{id}");
            set(&mut stats, number);
            assert!(badge.is_earned(&stats), "{id}");
        }
    }
}
