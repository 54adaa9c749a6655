//! What cost more in the large table, in words.

use tablewright_plan::print::{thousands, units};

use crate::{Because, Growth, PatternProof};

/// What excuses it, as the rest of a sentence.
pub(super) fn reason(growth: &Growth) -> String {
    match &growth.because {
        Because::MoreToGive {
            planned: Some(most),
            is_filtered: false,
        } => format!(
            "there is more to give, and a page costs {} rcu at most, however large the table is",
            units(*most)
        ),
        Because::MoreToGive {
            planned: Some(about),
            is_filtered: true,
        } => format!(
            "there is more to give, and a page costs about {} rcu by what its filter keeps, however large the table is",
            units(*about)
        ),
        Because::MoreToGive { planned: None, .. } => {
            "there is more to give; what a page costs at most cannot be planned from what the model declares".to_owned()
        }
        Because::MoreToCount {
            counted,
            at_most: Some(most),
            planned: Some(cost),
        } => format!(
            "it reads what it counts, {} items in the large table; the model declares {} at most, which cost {} rcu",
            thousands(*counted),
            thousands(*most),
            units(*cost)
        ),
        Because::MoreToCount { counted, .. } => format!(
            "it reads what it counts, {} items in the large table, and that took little more",
            thousands(*counted)
        ),
        Because::MoreToFind => "it finds more in the large table, and writes as much more".to_owned(),
        Because::SomebodyNew => {
            "it was asked about somebody of whom the small table has nothing".to_owned()
        }
        Because::LooksAtMore { at_most, planned } => {
            let cost = planned.map(|cost| format!(", which cost about {} rcu", units(cost)));
            format!(
                "who wants little of all there is makes a page look at more, and at no more than {} items{}",
                thousands(*at_most),
                cost.unwrap_or_default()
            )
        }
    }
}

/// The name of a reason, for programs.
pub(super) fn kind(because: &Because) -> &'static str {
    match because {
        Because::MoreToGive {
            planned: Some(_), ..
        } => "more-to-give",
        Because::MoreToGive { planned: None, .. } => "more-to-give-unplanned",
        Because::MoreToCount { .. } => "more-to-count",
        Because::MoreToFind => "more-to-find",
        Because::SomebodyNew => "somebody-new",
        Because::LooksAtMore { .. } => "looks-at-more",
    }
}

/// `4 → 28 rcu`
pub(super) fn from_to(growth: &Growth) -> String {
    let (small, large) = (units(growth.rcu_small), units(growth.rcu_large));
    format!("{small} → {large} rcu")
}

/// What is told below the line of a pattern: why its costliest call costs more in the large table; and of one that is refined, which costs more than the line
/// says, how much.
pub(super) fn below(pattern: &PatternProof) -> Option<String> {
    let (small, large) = (pattern.rcu_small?, pattern.rcu_large?);
    let dearest = pattern.growth.iter();
    let dearest = dearest.max_by(|a, b| a.rcu_large.total_cmp(&b.rcu_large))?;
    match dearest.rcu_large > large {
        true => Some(format!("{}: {}", from_to(dearest), reason(dearest))),
        false => (large > small && dearest.rcu_large == large).then(|| reason(dearest)),
    }
}
