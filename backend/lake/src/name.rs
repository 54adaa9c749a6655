//! The names of bronze files: they say which changes are in a file.

use object_store::path::Path;
use tablewright_stream::Shard;

/// The width of a sequence number: DynamoDB's have up to 40 digits.
const DIGITS: usize = 40;

/// A sequence number whose order as text is its order as number.
pub(crate) fn padded(sequence: &str) -> String {
    format!("{sequence:0>DIGITS$}")
}

/// A stream by its address, in the letters a file may have in its name: the moment at which it was turned on, so that a later one sorts after it.
pub(crate) fn stream_of(address: &str) -> String {
    let label = address
        .rsplit_once("/stream/")
        .map_or(address, |(_, label)| label);
    label.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Where changes were read, in the letters a file may have in its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Origin {
    /// The stream, see [`stream_of`].
    pub(crate) stream: String,
    pub(crate) shard: String,
}

impl Origin {
    pub(crate) fn of(shard: &Shard) -> Self {
        let letter = |c: char| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        };
        Origin {
            stream: stream_of(&shard.stream),
            shard: shard.shard.chars().map(letter).collect(),
        }
    }

    /// As silver remembers it.
    pub(crate) fn text(&self) -> String {
        format!("{}.{}", self.stream, self.shard)
    }
}

/// A file of bronze: the changes of one entity on one day, of one shard, from one sequence number to another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct BronzeFile {
    pub(crate) entity: String,
    pub(crate) date: String,
    pub(crate) origin: Origin,
    pub(crate) first: String,
    pub(crate) last: String,
    pub(crate) bytes: u64,
}

impl BronzeFile {
    pub(crate) fn path(&self) -> Path {
        let BronzeFile {
            entity,
            date,
            origin: Origin { stream, shard },
            first,
            last,
            ..
        } = self;
        Path::from_iter([
            "bronze",
            &format!("entity={entity}"),
            &format!("date={date}"),
            &format!("{stream}.{shard}.{first}.{last}.parquet"),
        ])
    }

    /// The file of a path; none when it is no file of bronze.
    pub(crate) fn of(path: &Path, bytes: u64) -> Option<Self> {
        let parts: Vec<String> = path.parts().map(|part| part.as_ref().to_owned()).collect();
        let [bronze, entity, date, name] = parts.as_slice() else {
            return None;
        };
        let name: Vec<&str> = name.split('.').collect();
        let [stream, shard, first, last, "parquet"] = name.as_slice() else {
            return None;
        };
        (bronze == "bronze").then_some(BronzeFile {
            entity: entity.strip_prefix("entity=")?.to_owned(),
            date: date.strip_prefix("date=")?.to_owned(),
            origin: Origin {
                stream: (*stream).to_owned(),
                shard: (*shard).to_owned(),
            },
            first: (*first).to_owned(),
            last: (*last).to_owned(),
            bytes,
        })
    }

    /// Whether another file has all that is in this one: it was put together with others, and left behind.
    pub(crate) fn is_covered_by(&self, other: &BronzeFile) -> bool {
        self.entity == other.entity
            && self.date == other.date
            && self.origin == other.origin
            && other.first <= self.first
            && self.last <= other.last
            && (&self.first, &self.last) != (&other.first, &other.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_is_in_a_file() {
        let shard = Shard {
            stream: String::from("arn:aws:dynamodb:eu:1:table/t/stream/2026-11-15T12:00:00.000"),
            shard: String::from("shardId-0001-ab.c"),
        };
        let file = BronzeFile {
            entity: String::from("Task"),
            date: String::from("2026-11-15"),
            origin: Origin::of(&shard),
            first: padded("7"),
            last: padded("42"),
            bytes: 3,
        };
        let path = file.path();
        assert_eq!(
            path.as_ref(),
            "bronze/entity=Task/date=2026-11-15/20261115T120000000.shardId-0001-ab_c.\
             0000000000000000000000000000000000000007.0000000000000000000000000000000000000042.parquet"
        );
        assert_eq!(BronzeFile::of(&path, 3), Some(file.clone()));
        assert!(BronzeFile::of(&Path::from("bronze/entity=Task/x.parquet"), 3).is_none());
        let larger = BronzeFile {
            last: padded("100"),
            ..file.clone()
        };
        assert!(file.is_covered_by(&larger));
        assert!(!larger.is_covered_by(&file));
        assert!(!file.is_covered_by(&file));
    }
}
