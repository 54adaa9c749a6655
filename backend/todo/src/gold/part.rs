//! A part of what is counted: the tasks of some users. It is remembered as one file, with how far it has come, so that whatever is told again is counted once.

use std::collections::BTreeMap;

use tablewright_lake::{Image, LakeError, Position, Refining, part_of};

use super::facts::Facts;
use super::line::{COUNTED, Line, Said, kept};
use super::sums::Sums;

/// How many parts there are. With another number all would have to be counted anew.
pub(super) const PARTS: usize = 16;

/// The part of a user.
pub(super) fn of_user(user: &str) -> usize {
    part_of(user, PARTS)
}

/// The name of a part.
pub(super) fn name(part: usize) -> String {
    format!("part-{part:02}")
}

/// The piece of each table in which a user is.
pub(crate) fn piece_of(user: &str) -> String {
    name(of_user(user))
}

/// A task of somebody.
pub(super) type Whose = (String, String);

/// What happened to a task.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) shard: String,
    pub(super) sequence: String,
    pub(super) whose: Whose,
    pub(super) before: Image<Facts>,
    pub(super) after: Image<Facts>,
}

/// How a task was counted.
#[derive(Debug, Default)]
struct Counted {
    /// As the changes told it.
    told: Option<Facts>,
    /// As it is in silver, where no change has told it. What is counted for this is taken back as soon as one does.
    seen: Option<Facts>,
}

#[derive(Debug, Default)]
pub(super) struct Part {
    sums: Sums,
    tasks: BTreeMap<Whose, Counted>,
    position: Position,
}

impl Part {
    /// A part as it is remembered; none where it is not.
    pub(super) async fn read(refining: &Refining, part: usize) -> Result<Option<Self>, LakeError> {
        let mut read = Part::default();
        let see = |row: &tablewright_lake::GoldRow<'_>| match Said::read(row) {
            Some(Said::Day(of, sum)) => _ = read.sums.days.insert(of, sum),
            Some(Said::Category(of, sum)) => _ = read.sums.categories.insert(of, sum),
            Some(Said::Told(user, task, facts)) => {
                read.tasks.entry((user, task)).or_default().told = Some(facts);
            }
            Some(Said::Seen(user, task, facts)) => {
                read.tasks.entry((user, task)).or_default().seen = Some(facts);
            }
            Some(Said::Shard(shard, up_to)) => read.position.reach(&shard, &up_to),
            Some(Said::Made(_)) | None => {}
        };
        let is_there = refining.kept(COUNTED, &name(part), see).await?;
        Ok(is_there.then_some(read))
    }

    /// A part that was begun.
    ///
    /// # Errors
    /// [`LakeError::Damaged`] where it is gone: what it counted is not nothing.
    pub(super) async fn begun(refining: &Refining, part: usize) -> Result<Self, LakeError> {
        let read = Part::read(refining, part).await?;
        read.ok_or_else(|| LakeError::Damaged {
            file: format!("_lake/gold/{COUNTED}/{}.parquet", name(part)),
            why: String::from("it is gone"),
        })
    }

    /// Remembers it, and writes what it adds up to. In this order: who is killed between the two counts nothing again, and writes the tables again.
    pub(super) async fn write(mut self, refining: &Refining, part: usize) -> Result<(), LakeError> {
        self.sums.tidy();
        let piece = name(part);
        let tables = self.sums.tables(&piece);
        let kept = tokio::task::spawn_blocking({
            let piece = piece.clone();
            move || kept(&piece, &self.lines())
        });
        refining.keep(kept.await?).await?;
        for table in tables {
            refining.put(table).await?;
        }
        Ok(())
    }

    fn lines(self) -> Vec<Line> {
        let position: Vec<Said> = Said::position(&self.position).collect();
        let days = self.sums.days.into_iter();
        let categories = self.sums.categories.into_iter();
        let tasks = self.tasks.into_iter().flat_map(|((user, task), counted)| {
            let told = counted.told.map(|facts| (true, facts));
            let seen = counted.seen.map(|facts| (false, facts));
            let facts = told.into_iter().chain(seen);
            facts.map(move |(is_told, facts)| match is_told {
                true => Said::Told(user.clone(), task.clone(), facts),
                false => Said::Seen(user.clone(), task.clone(), facts),
            })
        });
        let said = position.into_iter();
        let said = said.chain(days.map(|(of, sum)| Said::Day(of, sum)));
        let said = said.chain(categories.map(|(of, sum)| Said::Category(of, sum)));
        said.chain(tasks).map(Line::from).collect()
    }

    /// Counts what happened, but for what was counted before.
    pub(super) fn count(&mut self, events: Vec<Event>, reached: &Position) {
        for event in events {
            if !self.position.has(&event.shard, &event.sequence) {
                self.follow(event);
            }
        }
        self.position.join(reached);
    }

    fn follow(&mut self, event: Event) {
        let user = &event.whose.0;
        let counted = self.tasks.remove(&event.whose).unwrap_or_default();
        let mut told = counted.told;
        if let Some(seen) = counted.seen {
            self.sums.take_back(user, told.as_ref(), &seen);
        }
        match event.before {
            // It begins now, whatever had its name before.
            Image::None => told = None,
            Image::Unreadable => {}
            // Where changes were not told, as before the lake began, this is what is known of them.
            Image::Is(before) => {
                if told.as_ref() != Some(&before) {
                    self.sums.count(user, told.as_ref(), &before);
                }
                told = Some(before);
            }
        }
        match event.after {
            // It is removed, and was all that it was.
            Image::None => return,
            Image::Unreadable => {}
            Image::Is(after) => {
                self.sums.count(user, told.as_ref(), &after);
                told = Some(after);
            }
        }
        let seen = None;
        self.tasks.insert(event.whose, Counted { told, seen });
    }

    /// Counts what is in silver and no change has told. It is not known whether one is still to come.
    pub(super) fn compare(&mut self, items: Vec<(Whose, Facts)>) {
        for (whose, facts) in items {
            let counted = self.tasks.entry(whose.clone()).or_default();
            let told = counted.told.as_ref();
            if let Some(seen) = counted.seen.take() {
                self.sums.take_back(&whose.0, told, &seen);
            }
            if told != Some(&facts) {
                self.sums.count(&whose.0, told, &facts);
                counted.seen = Some(facts);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::day;
    use crate::gold::sums::{Day, Progress};

    const DAY: i64 = 86_400;

    fn open(at: i64) -> Facts {
        Facts {
            created_at: 0,
            updated_at: at,
            completed_at: None,
            is_cancelled: false,
            category: None,
        }
    }

    fn done(at: i64) -> Facts {
        let completed_at = Some(at);
        Facts {
            completed_at,
            ..open(at)
        }
    }

    fn image(facts: Option<&Facts>) -> Image<Facts> {
        facts.map_or(Image::None, |facts| Image::Is(facts.clone()))
    }

    /// The life of a task as changes: from nothing, through these states, to nothing if it is removed.
    fn life(task: &str, states: &[Facts], is_removed: bool) -> Vec<Event> {
        let mut sides: Vec<Option<&Facts>> = vec![None];
        sides.extend(states.iter().map(Some));
        sides.extend(is_removed.then_some(None));
        let changes = sides.windows(2).enumerate();
        let event = |(number, sides): (usize, &[Option<&Facts>])| Event {
            shard: format!("shard of {task}"),
            sequence: format!("{number:04}"),
            whose: (String::from("ada"), task.to_owned()),
            before: image(sides[0]),
            after: image(sides[1]),
        };
        changes.map(event).collect()
    }

    /// Where events lead to.
    fn end_of(events: &[Event]) -> Position {
        let mut position = Position::default();
        for event in events {
            position.reach(&event.shard, &event.sequence);
        }
        position
    }

    fn counted(events: Vec<Event>) -> Part {
        let mut part = Part::default();
        let reached = end_of(&events);
        part.count(events, &reached);
        part.sums.tidy();
        part
    }

    fn days(part: &Part) -> Vec<(i64, i64)> {
        let days = part.sums.days.values();
        days.map(|day| (day.created, day.completed)).collect()
    }

    #[test]
    fn what_is_removed_was_created_and_completed() {
        let states = [open(0), done(DAY)];
        let part = counted(life("a", &states, true));
        assert_eq!(days(&part), [(1, 0), (0, 1)]);
        let progress = Progress {
            tasks: 1,
            completed: 1,
            seconds: DAY,
        };
        let all: Vec<Progress> = part.sums.categories.values().copied().collect();
        assert_eq!(all, [progress]);
        assert!(part.tasks.is_empty());
    }

    #[test]
    fn who_reopens_on_the_same_day_has_not_completed_it_that_day() {
        let twice = [open(0), done(10), open(20), done(30)];
        assert_eq!(days(&counted(life("a", &twice, false))), [(1, 1)]);
        let reopened = [open(0), done(10), open(20)];
        assert_eq!(days(&counted(life("a", &reopened, false))), [(1, 0)]);
        let later = [open(0), done(10), open(DAY), done(2 * DAY)];
        let part = counted(life("a", &later, false));
        assert_eq!(days(&part), [(1, 1), (0, 1)]);
        // As it is now, it was completed once.
        let progress = part.sums.categories.values().next().unwrap();
        assert_eq!((progress.tasks, progress.completed), (1, 1));
        assert_eq!(progress.seconds, 2 * DAY);
    }

    #[test]
    fn a_task_goes_with_its_category_and_a_cancelled_one_is_of_none() {
        let home = Facts {
            category: Some(String::from("home")),
            ..open(10)
        };
        let cancelled = Facts {
            is_cancelled: true,
            ..home.clone()
        };
        let part = counted(life("a", &[open(0), home.clone()], false));
        let named: Vec<_> = part.sums.categories.keys().map(|of| of.1.clone()).collect();
        assert_eq!(named, [Some(String::from("home"))]);
        let part = counted(life("a", &[open(0), home, cancelled], false));
        assert!(part.sums.categories.is_empty());
        assert_eq!(days(&part), [(1, 0)]);
    }

    #[test]
    fn what_is_told_again_is_counted_once() {
        let events = || life("a", &[open(0), done(10)], true);
        let mut part = counted(events());
        let before = part.sums.clone();
        part.count(events(), &end_of(&events()));
        assert_eq!(part.sums, before);
    }

    #[test]
    fn a_day_of_which_nothing_was_told_is_known_by_the_task() {
        let mut part = Part::default();
        let whose = (String::from("ada"), String::from("a"));
        part.compare(vec![(whose, done(3 * DAY))]);
        let expected = [
            (
                day(0),
                Day {
                    created: 1,
                    ..Day::default()
                },
            ),
            (
                day(3 * DAY),
                Day {
                    created: 0,
                    completed: 1,
                    seconds: 3 * DAY,
                },
            ),
        ];
        let days = part.sums.days.iter();
        let days: Vec<(jiff::civil::Date, Day)> = days.map(|((_, on), day)| (*on, *day)).collect();
        assert_eq!(days, expected);
    }

    /// Numbers that look like chance and are the same every time.
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
            self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % end
        }
    }

    /// Lives of which the lake hears from some change on; silver is looked at whenever, and is ahead of what was told. In the end it is all the same.
    #[test]
    fn however_often_silver_is_looked_at_the_end_is_what_the_changes_say() {
        let mut chance = Chance(3);
        for round in 0..500 {
            let (mut whole, mut parted) = (Part::default(), Part::default());
            for number in 0..4 {
                let task = format!("{number}");
                let whose = (String::from("ada"), task.clone());
                let mut states = vec![open(0)];
                for at in 1..=chance.below(6) {
                    let at = at as i64 * DAY / 3;
                    states.push([open(at), done(at)][chance.below(2)].clone());
                }
                let is_removed = chance.below(3) == 0;
                let mut events = life(&task, &states, is_removed);
                // What happened before the lake began, and the task as it was seen after each change.
                let unheard = chance.below(events.len());
                let after: Vec<Option<Facts>> = events
                    .iter()
                    .map(|event| match &event.after {
                        Image::Is(facts) => Some(facts.clone()),
                        _ => None,
                    })
                    .collect();
                let heard = events.split_off(unheard);
                let seen = |at: usize| {
                    let facts = after[at].clone();
                    let items = facts.map(|facts| (whose.clone(), facts));
                    items.into_iter().collect::<Vec<_>>()
                };
                let end = end_of(&heard);
                for (at, event) in heard.into_iter().enumerate() {
                    let told = at + unheard;
                    if chance.below(2) == 0 && told > 0 {
                        let ahead = told - 1 + chance.below(after.len() - told + 1);
                        parted.compare(seen(ahead));
                    }
                    let again = Event {
                        shard: event.shard.clone(),
                        sequence: event.sequence.clone(),
                        whose: event.whose.clone(),
                        before: event.before.clone(),
                        after: event.after.clone(),
                    };
                    let up_to = end_of(std::slice::from_ref(&event));
                    parted.count(vec![event], &up_to);
                    whole.follow(again);
                }
                whole.position.join(&end);
                for part in [&mut whole, &mut parted] {
                    part.compare(seen(after.len() - 1));
                }
            }
            for part in [&mut whole, &mut parted] {
                part.sums.tidy();
            }
            assert_eq!(parted.sums, whole.sums, "round {round}");
        }
    }
}
