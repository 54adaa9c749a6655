//! How many people are told of a question: there are so many places, and whoever is claimed takes one, on the condition that one is left (C2-4).

use tablewright::{Change, Error, Uuid};

use super::{FOR_EACH_ANSWER, Inner};
use crate::model::{FreePlace, Outreach, OutreachKey, Question, WidenOutreach};

/// How often it is tried to begin a round while people are still claimed for the one before.
const TRIES: u32 = 20;

impl Inner {
    /// The places of a question that was asked. Whoever comes first makes them, and all others share them.
    pub(super) async fn places_of(&self, question: &Question) -> Result<Outreach, Error> {
        match self.begin(question, 0).await {
            Err(exists @ Error::Exists { .. }) => {
                let found = self.ask.outreaches.outreach(question.question_id).await?;
                found.ok_or(exists)
            }
            begun => begun,
        }
    }

    /// The places of a further round: those that are taken, and as many as answers lack now ask for.
    pub(super) async fn more_places_of(&self, question: &Question) -> Result<Outreach, Error> {
        let key = OutreachKey::new(question.question_id);
        let mut tries = 0;
        loop {
            let before = self.ask.outreaches.outreach(question.question_id).await?;
            let written = match before {
                Some(before) => {
                    let wider = WidenOutreach {
                        round: Change::Set(before.round + 1),
                        wanted: Change::Set(before.told + wanted(question)),
                    };
                    let outreaches = &self.ask.outreaches;
                    outreaches.widen_outreach(&key, before.told, wider).await
                }
                // Nobody has heard yet that it was asked.
                None => self.begin(question, 1).await,
            };
            tries += 1;
            match written {
                Err(Error::Refused { .. } | Error::Exists { .. }) if tries < TRIES => {}
                written => return written,
            }
        }
    }

    /// How many places are left.
    pub(super) async fn places_left(&self, question_id: Uuid) -> Result<usize, Error> {
        let found = self.ask.outreaches.outreach(question_id).await?;
        Ok(found.as_ref().map_or(0, left))
    }

    /// Who was claimed cannot be reached: another has their place. If that cannot be written down now, one person less is told.
    pub(super) async fn free_place(&self, question_id: Uuid) {
        let key = OutreachKey::new(question_id);
        let one_less = FreePlace { add_told: -1 };
        if let Err(error) = self.ask.outreaches.free_place(&key, one_less).await {
            tracing::warn!(question = %question_id, %error, "a place could not be given back");
        }
    }

    async fn begin(&self, question: &Question, round: i64) -> Result<Outreach, Error> {
        let places = Outreach {
            question_id: question.question_id,
            round,
            wanted: wanted(question),
            told: 0,
            purge_at: question.purge_at,
        };
        self.ask.outreaches.begin_outreach(places).await
    }
}

/// How many of these places are left.
pub(super) fn left(places: &Outreach) -> usize {
    usize::try_from(places.wanted - places.told).unwrap_or(0)
}

fn wanted(question: &Question) -> i64 {
    FOR_EACH_ANSWER * question.responses_needed
}
