//! Counts what happened since the last time, some changes at a time.

use tablewright_lake::{Changed, Image, LakeError, Position, Refining};

use super::facts::Facts;
use super::line::{COUNTED, Line, Said, kept};
use super::part::{Event, PARTS, Part, Whose, of_user};
use super::{COMPLETION, OVERDUE, PER_DAY};
use crate::model::Task;

/// How many changes are held in memory at once.
const MANY: usize = 50_000;

/// Where it is remembered how far all parts have come.
const ALL: &str = "all";

/// How far all parts have come.
#[derive(Debug, Clone, Default, PartialEq)]
struct Noted {
    position: Position,
    /// When silver was made that was compared with.
    made: Option<i64>,
}

/// Counts what happened since the last time. Where what was counted is damaged or gone, all that bronze tells is counted again, by the parts that have not counted it.
pub(super) async fn count(refining: &Refining) -> Result<(), LakeError> {
    match count_on(refining).await {
        Err(error @ LakeError::Damaged { .. }) if is_remembered(&error) => {
            tracing::error!(%error, "it is counted anew");
            begin(refining).await?;
            count_on(refining).await
        }
        counted => counted,
    }
}

/// Whether it is a file of what is remembered that is damaged.
fn is_remembered(error: &LakeError) -> bool {
    matches!(error, LakeError::Damaged { file, .. } if file.starts_with("_lake/gold/"))
}

async fn count_on(refining: &Refining) -> Result<(), LakeError> {
    let mut noted = match Noted::read(refining).await? {
        Some(noted) => noted,
        None => begin(refining).await?,
    };
    loop {
        let mut events: Vec<Vec<Event>> = (0..PARTS).map(|_| Vec::new()).collect();
        let see = |change: Changed<'_, Task>| {
            let event = event_of(change);
            events[of_user(&event.whose.0)].push(event);
        };
        let since = &noted.position;
        let told = refining.reader().changes(since, MANY, see).await?;
        let reached = told.position;
        if reached == noted.position {
            break;
        }
        if told.passed_over {
            // What was not told is in silver.
            noted.made = None;
        }
        for (number, events) in events.into_iter().enumerate() {
            if !events.is_empty() {
                let mut part = Part::begun(refining, number).await?;
                part.count(events, &reached);
                part.write(refining, number).await?;
            }
        }
        noted.position = reached;
        noted.write(refining).await?;
    }
    let made = refining.reader().made::<Task>().await?;
    if made.is_some() && made != noted.made {
        compare(refining).await?;
        noted.made = made;
        noted.write(refining).await?;
    }
    Ok(())
}

/// Nothing is counted yet, or not all of it: every part has its pieces from now on, and what was there before is gone. A part that can be read goes on from where it was.
async fn begin(refining: &Refining) -> Result<Noted, LakeError> {
    for number in 0..PARTS {
        let part = match Part::read(refining, number).await {
            Err(error) if is_remembered(&error) => None,
            read => read?,
        };
        part.unwrap_or_default().write(refining, number).await?;
    }
    for table in [PER_DAY, COMPLETION, OVERDUE] {
        refining.remove_whole(table).await?;
    }
    let noted = Noted::default();
    noted.write(refining).await?;
    Ok(noted)
}

/// Counts what the table had when silver was made of it, where no change has told it: tasks from before the lake began, and what was done while nobody followed.
async fn compare(refining: &Refining) -> Result<(), LakeError> {
    let reader = refining.reader();
    for file in reader.parts::<Task>().await? {
        let mut items: Vec<Vec<(Whose, Facts)>> = (0..PARTS).map(|_| Vec::new()).collect();
        let see = |task: Task| {
            let whose = whose(&task);
            items[of_user(&whose.0)].push((whose, task.into()));
        };
        reader.items_in(&file, see).await?;
        for (number, items) in items.into_iter().enumerate() {
            if !items.is_empty() {
                let mut part = Part::begun(refining, number).await?;
                part.compare(items);
                part.write(refining, number).await?;
            }
        }
    }
    Ok(())
}

fn whose(task: &Task) -> Whose {
    (task.user_id.clone(), task.task_id.to_string())
}

fn event_of(change: Changed<'_, Task>) -> Event {
    let whose = [&change.before, &change.after]
        .into_iter()
        .find_map(|image| match image {
            Image::Is(task) => Some(whose(task)),
            _ => None,
        });
    let facts = |image: Image<Task>| match image {
        Image::None => Image::None,
        Image::Unreadable => Image::Unreadable,
        Image::Is(task) => Image::Is(task.into()),
    };
    Event {
        shard: change.shard.to_owned(),
        sequence: change.sequence.to_owned(),
        // Of what cannot be read nothing is counted, under whatever name.
        whose: whose.unwrap_or_default(),
        before: facts(change.before),
        after: facts(change.after),
    }
}

impl Noted {
    async fn read(refining: &Refining) -> Result<Option<Self>, LakeError> {
        let mut noted: Option<Noted> = None;
        let see = |row: &tablewright_lake::GoldRow<'_>| {
            let noted = noted.get_or_insert_default();
            match Said::read(row) {
                Some(Said::Shard(shard, up_to)) => noted.position.reach(&shard, &up_to),
                Some(Said::Made(made)) => noted.made = made,
                _ => {}
            }
        };
        refining.kept(COUNTED, ALL, see).await?;
        Ok(noted)
    }

    async fn write(&self, refining: &Refining) -> Result<(), LakeError> {
        // There is always a line, by which it is known that something is noted.
        let made = Said::Made(self.made);
        let said = Said::position(&self.position).chain([made]);
        let lines: Vec<Line> = said.map(Line::from).collect();
        refining.keep(kept(ALL, &lines)).await
    }
}
