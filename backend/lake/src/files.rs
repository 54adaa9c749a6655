//! The files of bronze, as the process that writes them knows them.

use std::collections::{BTreeMap, HashSet};

use crate::name::{BronzeFile, Origin};

/// The files of bronze by entity, in the order of what is in them.
#[derive(Debug, Default)]
pub(crate) struct Files {
    by_entity: BTreeMap<String, Vec<BronzeFile>>,
}

impl Files {
    pub(crate) fn add(&mut self, file: BronzeFile) {
        let files = self.by_entity.entry(file.entity.clone()).or_default();
        let place = |file: &BronzeFile| (file.origin.stream.clone(), file.first.clone());
        let at = files.partition_point(|known| place(known) <= place(&file));
        files.insert(at, file);
    }

    pub(crate) fn remove(&mut self, file: &BronzeFile) {
        if let Some(files) = self.by_entity.get_mut(&file.entity) {
            files.retain(|known| known != file);
        }
    }

    /// Knows of these files as well, and no longer of those they cover. What is known and was not found was written since somebody looked.
    pub(crate) fn learn(&mut self, found: Files) {
        let known: HashSet<BronzeFile> = self.all().cloned().collect();
        for file in found.by_entity.into_values().flatten() {
            if !known.contains(&file) {
                self.add(file);
            }
        }
        for covered in self.covered() {
            self.remove(&covered);
        }
    }

    pub(crate) fn of(&self, entity: &str) -> &[BronzeFile] {
        self.by_entity.get(entity).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &BronzeFile> {
        self.by_entity.values().flatten()
    }

    /// The last change of an entity that is there of a shard.
    pub(crate) fn last(&self, entity: &str, origin: &Origin) -> Option<&str> {
        let own = self.of(entity).iter().filter(|file| file.origin == *origin);
        own.map(|file| file.last.as_str()).max()
    }

    /// The last change that is there of a shard, of whichever entity.
    pub(crate) fn furthest(&self, origin: &Origin) -> Option<&str> {
        let own = self.all().filter(|file| file.origin == *origin);
        own.map(|file| file.last.as_str()).max()
    }

    /// How far each shard is there of an entity.
    pub(crate) fn reached(&self, entity: &str) -> BTreeMap<String, String> {
        let mut reached: BTreeMap<String, String> = BTreeMap::new();
        for file in self.of(entity) {
            let last = reached.entry(file.origin.text()).or_default();
            if *last < file.last {
                last.clone_from(&file.last);
            }
        }
        reached
    }

    /// Files all of whose changes another has: they were put together, and left behind by a process that died.
    pub(crate) fn covered(&self) -> Vec<BronzeFile> {
        let mut covered = Vec::new();
        for files in self.by_entity.values() {
            let mut sorted: Vec<&BronzeFile> = files.iter().collect();
            // Whoever has all of another comes before it, and nothing comes between but what it has as well.
            sorted.sort_by(|a, b| {
                let (one, other) = (
                    (&a.date, &a.origin, &a.first),
                    (&b.date, &b.origin, &b.first),
                );
                one.cmp(&other).then(b.last.cmp(&a.last))
            });
            let mut largest: Option<&BronzeFile> = None;
            for file in sorted {
                match largest.filter(|largest| file.is_covered_by(largest)) {
                    Some(_) => covered.push(file.clone()),
                    None => largest = Some(file),
                }
            }
        }
        covered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_together_covers_what_was_left_behind() {
        let file = |date: &str, shard: &str, first: &str, last: &str| BronzeFile {
            entity: String::from("Task"),
            date: date.to_owned(),
            origin: Origin {
                stream: String::from("s"),
                shard: shard.to_owned(),
            },
            first: first.to_owned(),
            last: last.to_owned(),
            bytes: 0,
        };
        let left = [
            file("1", "a", "1", "1"),
            file("1", "a", "2", "3"),
            file("1", "a", "5", "5"),
        ];
        let others = [
            file("1", "a", "1", "3"),
            file("1", "a", "4", "5"),
            file("1", "b", "1", "1"),
            file("2", "a", "2", "2"),
        ];
        let mut files = Files::default();
        for file in left.iter().chain(&others) {
            files.add(file.clone());
        }
        assert_eq!(files.covered(), left);
        let mut known = Files::default();
        known.add(others[0].clone());
        known.learn(files);
        assert_eq!(known.all().count(), others.len());
    }
}
