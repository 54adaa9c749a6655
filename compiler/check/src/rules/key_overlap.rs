//! Two kinds of item whose primary keys can be equal.

use std::collections::HashMap;

use tablewright_keys::algebra;
use tablewright_model::model::{EntityId, Key, KeyTemplate, Table, TableId};

use crate::key_space::may_meet;
use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyRole, Subject};

rule! {
    name: "key-overlap",
    code: "K13",
    severity: Error,
    group: Keys,
    summary: "two kinds of item in one table whose keys can be equal",
    why: "A table holds one item for each primary key, whatever it is meant to be. Where the keys of two entities, or of an
entity and a guard, can be equal, one overwrites the other, or a create is refused because something else is already
there; a read gives an item of the wrong kind.

Begin the keys of each with a text of its own: `USER#…` and `TEAM#…`, or sort keys `PROFILE` and `SETTINGS` under one
partition. The finding shows a key that both can have.",
}

/// What an item of one kind is stored under.
struct Stored<'m> {
    entity: EntityId,
    name: String,
    /// The word its keys would begin with.
    word: &'m str,
    key: &'m Key,
}

impl<'m> Stored<'m> {
    fn partition(&self) -> &'m str {
        self.key.partition.prefix()
    }

    fn sort(&self) -> &'m str {
        self.key.sort.as_ref().map_or("", KeyTemplate::prefix)
    }

    /// The template that is to tell it from others: the last that is not fixed.
    fn telling(&self) -> &'m KeyTemplate {
        let sort = self.key.sort.as_ref();
        sort.filter(|sort| !sort.template.is_constant())
            .unwrap_or(&self.key.partition)
    }

    /// That template with a text of its own at the beginning, where it has another.
    fn told_apart(&self) -> Option<String> {
        let template = self.telling();
        let prefix = format!("{}#", self.word.to_uppercase().replace('-', "_"));
        let rest = template.written.value.strip_prefix(template.prefix())?;
        (prefix != template.prefix()).then(|| format!("{prefix}{rest}"))
    }
}

fn check(context: &Context<'_>, found: &mut Found) {
    let mut tables: HashMap<TableId, Vec<Stored<'_>>> = HashMap::new();
    for key in context.keys().filter(|key| key.role == KeyRole::Partition) {
        let entity = context.model.entity(key.entity);
        let (name, word) = match key.place {
            KeyPlace::Table => (entity.name.value.clone(), entity.name.as_str()),
            KeyPlace::Guard(unique) => (context.name_of(key), unique),
            KeyPlace::Index(_) => continue,
        };
        let stored = Stored {
            entity: key.entity,
            name,
            word,
            key: key.key,
        };
        tables.entry(entity.table).or_default().push(stored);
    }
    for (table, mut stored) in tables {
        stored.sort_by_key(|stored| (stored.partition(), stored.sort()));
        let table = context.model.table(table);
        let mut reported = vec![false; stored.len()];
        for (position, first) in stored.iter().enumerate() {
            for (other, second) in followers(&stored, position) {
                // One finding for each is enough: mending it changes the rest.
                if !reported[other]
                    && let Some(witness) = common_key(table, first.key, second.key)
                {
                    reported[other] = true;
                    report(first, second, &witness, found);
                }
            }
        }
    }
}

/// Those behind one in the order of their literals whose literals it begins: others cannot have its key.
fn followers<'s, 'm>(
    stored: &'s [Stored<'m>],
    position: usize,
) -> impl Iterator<Item = (usize, &'s Stored<'m>)> {
    let (partition, sort) = (stored[position].partition(), stored[position].sort());
    // Under one partition literal they are sorted by the other one.
    let run_end = stored.partition_point(|other| other.partition() <= partition);
    let indexed = |range: std::ops::Range<usize>| range.map(move |other| (other, &stored[other]));
    let same =
        indexed(position + 1..run_end).take_while(move |(_, other)| other.sort().starts_with(sort));
    let longer = indexed(run_end..stored.len())
        .take_while(move |(_, other)| other.partition().starts_with(partition))
        .filter(move |(_, other)| may_meet(sort, other.sort()));
    same.chain(longer)
}

/// A key both can have.
fn common_key(table: &Table, a: &Key, b: &Key) -> Option<String> {
    // The sort keys differ more often.
    let sort = match (&a.sort, &b.sort) {
        (Some(a), Some(b)) => Some(algebra::can_be_equal(&a.typed, &b.typed)?),
        _ => None,
    };
    let partition = algebra::can_be_equal(&a.partition.typed, &b.partition.typed)?;
    let mut text = format!("{} = `{partition}`", table.partition_key.name);
    if let (Some(sort), Some(attribute)) = (sort, &table.sort_key) {
        text.push_str(&format!(", {} = `{sort}`", attribute.name));
    }
    Some(text)
}

fn report(first: &Stored<'_>, second: &Stored<'_>, witness: &str, found: &mut Found) {
    // The one that is written later in the model is the one to change.
    let later_is_first = first.telling().written.span > second.telling().written.span;
    let (earlier, later) = if later_is_first {
        (second, first)
    } else {
        (first, second)
    };
    let diagnostic = RULE
        .at(
            later.telling().written.content(),
            format!(
                "{} and {} can have the same key: {witness}",
                earlier.name, later.name
            ),
        )
        .label("one overwrites the other")
        .related(
            earlier.telling().written.content(),
            format!("the key of {}", earlier.name),
        )
        .help(match later.told_apart() {
            Some(template) => format!("begin it with a text of its own: \"{template}\""),
            None => "begin it with a text that no other key of the table begins with".to_owned(),
        });
    found.report(
        &[
            Subject::Entity(later.entity.0),
            Subject::Entity(earlier.entity.0),
        ],
        diagnostic,
    );
}
