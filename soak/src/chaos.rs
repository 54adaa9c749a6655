//! What goes wrong: processes die, or stop and wake up, storms come and go, mail and push fail.

use std::time::{Duration, Instant};

use tablewright_testing::Mood;

use crate::dice::Dice;
use crate::faults::Weather;
use crate::ground::Ground;

const STEP: Duration = Duration::from_millis(100);

/// Something that begins after a while, lasts for a while, and begins again.
#[derive(Debug)]
struct Spell {
    /// How long it lasts and how long it does not, in milliseconds.
    on: (u64, u64),
    off: (u64, u64),
    is_on: bool,
    until: Instant,
}

impl Spell {
    fn new(on: (u64, u64), off: (u64, u64), dice: &mut Dice) -> Self {
        let mut spell = Spell {
            on,
            off,
            is_on: true,
            until: Instant::now(),
        };
        spell.turn(dice, Instant::now());
        spell
    }

    /// Turns if it is time; says whether it did, and to what.
    fn turn(&mut self, dice: &mut Dice, now: Instant) -> Option<bool> {
        if now < self.until {
            return None;
        }
        self.is_on = !self.is_on;
        let (shortest, longest) = if self.is_on { self.on } else { self.off };
        self.until = now + Duration::from_millis(dice.between(shortest, longest));
        Some(self.is_on)
    }
}

/// What was done.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// When the task manager was killed.
    pub(crate) tasks_killed: Vec<Instant>,
    pub(crate) kills: [(&'static str, u32); 3],
    pub(crate) freezes: u32,
    pub(crate) storms: u32,
    pub(crate) mail_away: u32,
    pub(crate) push_moods: u32,
}

/// Everything that goes wrong, one step after another.
#[derive(Debug)]
pub(crate) struct Chaos {
    dice: Dice,
    deaths: Spell,
    dead: Option<usize>,
    freezes: Spell,
    frozen: Option<usize>,
    storm: Spell,
    mail: Spell,
    push: Spell,
    pub(crate) done: Done,
}

impl Chaos {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Dice::of(seed, "chaos");
        Chaos {
            // One that died is started again at once or after a while.
            deaths: Spell::new((20, 1500), (3000, 7000), &mut dice),
            dead: None,
            // Longer than a lease, and than a claim of a mail; shorter than anybody waits for an answer.
            freezes: Spell::new((1000, 6000), (5000, 12_000), &mut dice),
            frozen: None,
            storm: Spell::new((300, 2500), (4000, 12_000), &mut dice),
            mail: Spell::new((500, 3000), (6000, 16_000), &mut dice),
            push: Spell::new((1000, 5000), (2000, 8000), &mut dice),
            done: Done {
                kills: [("todo", 0), ("tasks", 0), ("ask", 0)],
                ..Done::default()
            },
            dice,
        }
    }

    /// Bad weather from now on.
    pub(crate) fn begin(&mut self, ground: &Ground) {
        ground.faults.turn(Weather::Usual);
        ground.mail.be_kind(false);
        ground.receiver.be_kind(false);
    }

    /// A while of it.
    pub(crate) async fn step(&mut self, ground: &mut Ground) -> anyhow::Result<()> {
        tokio::time::sleep(STEP).await;
        let now = Instant::now();
        match self.deaths.turn(&mut self.dice, now) {
            Some(true) => self.kill(ground),
            Some(false) => self.dead = None,
            None => {}
        }
        if let Some(frozen) = self.freezes.turn(&mut self.dice, now) {
            self.freeze(ground, frozen)?;
        }
        let dead = self.dead;
        for (which, service) in ground.services().into_iter().enumerate() {
            if dead != Some(which) {
                service.keep_up()?;
            }
        }
        if let Some(storm) = self.storm.turn(&mut self.dice, now) {
            self.done.storms += u32::from(storm);
            let weather = if storm {
                Weather::Storm
            } else {
                Weather::Usual
            };
            ground.faults.turn(weather);
        }
        if let Some(away) = self.mail.turn(&mut self.dice, now) {
            self.done.mail_away += u32::from(away);
            ground.mail.go_away(away);
        }
        if let Some(moody) = self.push.turn(&mut self.dice, now) {
            self.done.push_moods += u32::from(moody);
            let moods = [Mood::Unavailable, Mood::Quota(Some(1)), Mood::Silent];
            let mood = self.dice.pick(&moods).copied().filter(|_| moody);
            ground.firebase.always(mood);
        }
        Ok(())
    }

    fn kill(&mut self, ground: &mut Ground) {
        let which = usize::try_from(self.dice.below(3)).unwrap_or(0);
        if let Some(service) = ground.services().into_iter().nth(which) {
            // Before and after: what is on the wire is taken at one moment between them.
            let at = Instant::now();
            service.kill();
            if service.name == "tasks" {
                self.done.tasks_killed.extend([at, Instant::now()]);
            }
            self.done.kills[which].1 += 1;
            self.dead = Some(which);
        }
    }

    /// Stops a service for a while; or wakes up the one that is stopped, unless it was killed meanwhile.
    fn freeze(&mut self, ground: &mut Ground, frozen: bool) -> anyhow::Result<()> {
        if frozen {
            self.frozen = usize::try_from(self.dice.below(3)).ok();
            self.done.freezes += 1;
        }
        let services = ground.services().into_iter().enumerate();
        for (_, service) in services.filter(|(which, _)| self.frozen == Some(*which)) {
            service.freeze(frozen)?;
        }
        Ok(())
    }

    /// The end of all of it.
    pub(crate) fn end(&mut self, ground: &mut Ground) -> anyhow::Result<()> {
        self.dead = None;
        self.freeze(ground, false)?;
        ground.receiver.be_kind(true);
        ground.faults.turn(Weather::Calm);
        ground.mail.be_kind(true);
        ground.mail.go_away(false);
        ground.firebase.always(None);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spell_comes_and_goes() {
        let mut dice = Dice::of(1, "spell");
        let mut spell = Spell::new((10, 20), (100, 200), &mut dice);
        let mut now = Instant::now();
        assert_eq!(spell.turn(&mut dice, now), None, "it begins after a while");
        now += Duration::from_millis(201);
        assert_eq!(spell.turn(&mut dice, now), Some(true));
        assert_eq!(spell.turn(&mut dice, now + Duration::from_millis(5)), None);
        now += Duration::from_millis(21);
        assert_eq!(spell.turn(&mut dice, now), Some(false));
    }
}
