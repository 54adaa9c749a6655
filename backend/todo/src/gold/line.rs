//! What is remembered of counting, line by line: one file has all that belongs together, so that it is there as a whole.

use jiff::civil::Date;
use tablewright_lake::{GoldRow, GoldTable, Position};

use super::facts::Facts;
use super::sums::{Day, Progress};

/// Where it is remembered.
pub(super) const COUNTED: &str = "counted";

/// A line. What its columns are for depends on its kind.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    kind: &'static str,
    user: Option<String>,
    name: Option<String>,
    text: Option<String>,
    day: Option<Date>,
    numbers: [Option<i64>; 4],
}

/// What a line says.
#[derive(Debug)]
pub(super) enum Said {
    Day((String, Date), Day),
    Category((String, Option<String>), Progress),
    /// A task as the changes told it.
    Told(String, String, Facts),
    /// A task as it was seen in silver, where no change has told it.
    Seen(String, String, Facts),
    /// A shard, and up to which change it is counted.
    Shard(String, String),
    /// When silver was made that was compared with, if any was.
    Made(Option<i64>),
}

impl From<Said> for Line {
    fn from(said: Said) -> Self {
        match said {
            Said::Day((user, day), sum) => Line {
                kind: "day",
                user: Some(user),
                day: Some(day),
                numbers: [
                    Some(sum.created),
                    Some(sum.completed),
                    Some(sum.seconds),
                    None,
                ],
                ..Line::default()
            },
            Said::Category((user, category), sum) => Line {
                kind: "category",
                user: Some(user),
                text: category,
                numbers: [
                    Some(sum.tasks),
                    Some(sum.completed),
                    Some(sum.seconds),
                    None,
                ],
                ..Line::default()
            },
            Said::Told(user, task, facts) => task_line("told", user, task, facts),
            Said::Seen(user, task, facts) => task_line("seen", user, task, facts),
            Said::Shard(name, text) => Line {
                kind: "shard",
                name: Some(name),
                text: Some(text),
                ..Line::default()
            },
            Said::Made(at) => Line {
                kind: "made",
                numbers: [at, None, None, None],
                ..Line::default()
            },
        }
    }
}

fn task_line(kind: &'static str, user: String, task: String, facts: Facts) -> Line {
    let numbers = [
        Some(facts.created_at),
        Some(facts.updated_at),
        facts.completed_at,
        Some(i64::from(facts.is_cancelled)),
    ];
    Line {
        kind,
        user: Some(user),
        name: Some(task),
        text: facts.category,
        day: None,
        numbers,
    }
}

const NUMBERS: [&str; 4] = ["first", "second", "third", "fourth"];

impl Said {
    /// What a row says; none when it is of no kind there is.
    pub(super) fn read(row: &GoldRow<'_>) -> Option<Said> {
        let text = |name: &str| row.text(name).map(str::to_owned);
        let numbers = NUMBERS.map(|name| row.count(name));
        let [first, second, third, fourth] = numbers.map(|number| number.unwrap_or(0));
        let facts = || Facts {
            created_at: first,
            updated_at: second,
            completed_at: numbers[2],
            is_cancelled: fourth != 0,
            category: text("text"),
        };
        Some(match row.text("kind")? {
            "day" => {
                let sum = Day {
                    created: first,
                    completed: second,
                    seconds: third,
                };
                Said::Day((text("user")?, row.day("day")?), sum)
            }
            "category" => {
                let sum = Progress {
                    tasks: first,
                    completed: second,
                    seconds: third,
                };
                Said::Category((text("user")?, text("text")), sum)
            }
            "told" => Said::Told(text("user")?, text("name")?, facts()),
            "seen" => Said::Seen(text("user")?, text("name")?, facts()),
            "shard" => Said::Shard(text("name")?, text("text")?),
            "made" => Said::Made(numbers[0]),
            _ => return None,
        })
    }

    /// A position, shard by shard.
    pub(super) fn position(position: &Position) -> impl Iterator<Item = Said> {
        let shards = position.shards();
        shards.map(|(shard, up_to)| Said::Shard(shard.to_owned(), up_to.to_owned()))
    }
}

/// Lines as a piece of what is remembered.
pub(super) fn kept(piece: &str, lines: &[Line]) -> GoldTable {
    let each = || lines.iter();
    let table = GoldTable::new(COUNTED)
        .piece(piece)
        .texts("kind", each().map(|line| Some(line.kind)))
        .texts("user", each().map(|line| line.user.as_deref()))
        .texts("name", each().map(|line| line.name.as_deref()))
        .texts("text", each().map(|line| line.text.as_deref()))
        .days("day", each().map(|line| line.day));
    let columns = NUMBERS.into_iter().enumerate();
    columns.fold(table, |table, (place, name)| {
        table.counts(name, each().map(|line| line.numbers[place]))
    })
}
