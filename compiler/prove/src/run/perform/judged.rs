//! What became of an action, held against what must become of it.

use tablewright::{Error, Refusal as Refused, Why};
use tablewright_model::model::Access;

use super::Used;
use crate::run::bench::Trouble;
use crate::{DeedAction, Refusal};

/// Whether an action was done, as it should be; one that was rightly refused was not.
pub(super) fn judged(
    access: &Access,
    action: &DeedAction,
    done: Result<bool, Error>,
) -> Result<bool, Trouble> {
    let doing = || format!("doing {}", access.name);
    match (done, &action.refused) {
        (Ok(false), None) => Ok(true),
        (Ok(true), None) => Err(Trouble::Wrong(
            "it was taken for a request that had been answered before".to_owned(),
        )),
        (Ok(_), Some(_)) => Err(went_through(action)),
        (Err(why), Some(refusal)) if is_for(refusal, &why) => Ok(false),
        (Err(why), expected) => Err(match (Trouble::of(doing, why), expected) {
            (Trouble::Wrong(why), Some(refusal)) => Trouble::Wrong(format!(
                "what {refusal} was refused for another reason: {why}"
            )),
            (Trouble::Wrong(why), None) => Trouble::Wrong(format!("it was refused: {why}")),
            (failed, _) => failed,
        }),
    }
}

pub(crate) fn went_through(action: &DeedAction) -> Trouble {
    let refusal = action.refused.as_ref();
    let refusal = refusal.map(ToString::to_string).unwrap_or_default();
    Trouble::Wrong(format!("what {refusal} went through"))
}

fn is_for(refusal: &Refusal, error: &Error) -> bool {
    match (refusal, error) {
        (Refusal::Exists, Error::Exists { .. })
        | (Refusal::NotFound, Error::NotFound { .. })
        | (Refusal::Condition, Error::Refused { .. }) => true,
        (Refusal::Taken(guard), Error::Taken { unique, .. }) => guard == unique,
        (Refusal::NoKeeper(keeper), Error::NotFound { entity }) => keeper == entity,
        _ => false,
    }
}

pub(super) fn refused_as(action: &DeedAction, refusal: &Refused) -> Result<Option<Used>, Trouble> {
    let why = refusal.why(&action.name);
    let rightly = match (&action.refused, why) {
        (Some(Refusal::Exists), Some(Why::Exists))
        | (Some(Refusal::NotFound), Some(Why::NotFound))
        | (Some(Refusal::Condition), Some(Why::Condition)) => true,
        (Some(Refusal::Taken(guard)), Some(Why::Taken(unique))) => guard == unique,
        (Some(Refusal::NoKeeper(keeper)), Some(Why::NoKeeper(entity))) => keeper == entity,
        _ => false,
    };
    if rightly {
        return Ok(None);
    }
    let expected = action.refused.as_ref();
    let expected = expected.map(ToString::to_string).unwrap_or_default();
    Err(Trouble::Wrong(format!(
        "what {expected} was refused for another reason: {refusal}"
    )))
}
