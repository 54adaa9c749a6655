//! Bans.

use std::collections::BTreeSet;

use ask::model::ResponseReview;

use super::{Tables, same};
use crate::load::ask::Ledger;
use crate::verdicts::Verdicts;

/// Who was banned, and nobody else, is; so is the answer they were banned for, and their devices are silent.
pub(super) fn hold(tables: &Tables, ledgers: &[Ledger], verdicts: &mut Verdicts) {
    let banned = ledgers.iter().flat_map(|ledger| &ledger.banned);
    let banned: BTreeSet<(String, String)> = banned.cloned().collect();
    let people = tables.people.iter().filter(|one| one.banned_at.is_some());
    let people: BTreeSet<String> = people.map(|one| one.fingerprint_hash.clone()).collect();
    let said = banned.iter().map(|(_, who)| who.clone()).collect();
    let mut faults = same(&said, &people);
    for answer in &tables.responses {
        let key = (
            answer.question_id.to_string(),
            answer.fingerprint_hash.clone(),
        );
        // What waits to be looked at is decided with a ban, whichever answer it was for.
        let waited = answer.flag_reason.is_some() && people.contains(&key.1);
        let is_marked = answer.review == Some(ResponseReview::Banned);
        if is_marked != (waited || banned.contains(&key)) {
            faults.push(format!("{:?} of {key:?}", answer.review));
        }
    }
    for device in &tables.devices {
        if device.active && people.contains(&device.fingerprint_hash) {
            faults.push(format!("{} of somebody banned is told", device.fcm_token));
        }
    }
    let what = "who was banned is, and nobody else: off the boards, their answer marked, their devices silent";
    verdicts.hold("ask", what, format!("{} people", people.len()), faults);
}
