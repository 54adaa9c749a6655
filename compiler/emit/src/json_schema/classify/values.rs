//! The values of one field, before and now.

use serde_json::Value;

use super::Comparison;
use super::item::fields_of;
use super::words::{Kind, words_of};

/// The bounds of a schema: both ends included, none where it is open.
type Bounds = (Option<i128>, Option<i128>);

impl<'s> Comparison<'s> {
    /// Whether every value of the old schema is one of the new.
    pub(super) fn values(&mut self, path: &str, old: &'s Value, new: &'s Value) {
        let (was, is) = (Kind::of(old), Kind::of(new));
        if was.is_text() && is.is_text() {
            return self.texts(path, old, new);
        }
        match (was, is) {
            (Kind::Struct, Kind::Struct) => self.structs(path, old, new),
            (Kind::List, Kind::List) | (Kind::Set, Kind::Set) => {
                self.bounds(path, "entries", length(old, "Items"), length(new, "Items"));
                self.values(&format!("{path}[]"), &old["items"], &new["items"]);
            }
            (Kind::Map, Kind::Map) => {
                let bounds = |schema| length(schema, "Properties");
                self.bounds(path, "entries", bounds(old), bounds(new));
                let inner = "additionalProperties";
                self.values(&format!("{path}.*"), &old[inner], &new[inner]);
            }
            (Kind::Bytes, Kind::Bytes) | (Kind::Json, Kind::Json) => {
                self.bounds(path, "bytes", bytes(old), bytes(new));
            }
            (was, Kind::Number) if was.is_integer() => {
                self.found
                    .allows(format!("`{path}` is {}, was {}", is.name(), was.name()));
                self.found.note(format!(
                    "code with the former shape cannot read a fraction in `{path}`"
                ));
            }
            // A number of seconds is none of milliseconds, though both are numbers.
            (Kind::EpochSeconds, Kind::EpochMillis) | (Kind::EpochMillis, Kind::EpochSeconds) => {
                self.became(path, was, is);
            }
            (was, is) if was.is_integer() && is.is_integer() => {
                if was == is {
                    self.bounds(path, "", range(old), range(new));
                } else {
                    self.found
                        .allows(format!("`{path}` is {}, was {}", is.name(), was.name()));
                    self.narrowed(path, "", range(old), range(new));
                }
            }
            (was, is) if was == is => {}
            (was, is) => self.became(path, was, is),
        }
    }

    fn became(&mut self, path: &str, was: Kind, is: Kind) {
        self.found
            .breaks(format!("`{path}` is {}, was {}", is.name(), was.name()));
    }

    fn structs(&mut self, path: &str, old: &'s Value, new: &'s Value) {
        let (old, new) = match (self.old.referred(old), self.new.referred(new)) {
            (Some((old_name, old)), Some((new_name, new))) => {
                if !self.met.insert((old_name, new_name)) {
                    return;
                }
                (old, new)
            }
            (was, is) => (
                was.map_or(old, |(_, was)| was),
                is.map_or(new, |(_, is)| is),
            ),
        };
        let (old, new) = (fields_of(old, false), fields_of(new, false));
        self.fields(&format!("{path}."), &old, &new);
    }

    fn texts(&mut self, path: &str, old: &'s Value, new: &'s Value) {
        let (was, is) = (Kind::of(old), Kind::of(new));
        match (was, is) {
            (Kind::Words, Kind::Words) => return self.words(path, old, new),
            _ if was == is => {}
            (_, Kind::Text) | (Kind::Timestamp(_), Kind::UnevenTimestamp)
            // What they are made of is what an id may be made of.
            | (Kind::Uuid | Kind::Ulid, Kind::Id) => {
                self.found
                    .allows(format!("`{path}` is {}, was {}", is.name(), was.name()));
                self.found.note(format!(
                    "code with the former shape may not understand what is written to `{path}`"
                ));
            }
            _ => return self.became(path, was, is),
        }
        let (old, new) = (characters(old), characters(new));
        if was == is {
            self.bounds(path, "characters", old, new);
        } else {
            self.narrowed(path, "characters", old, new);
        }
    }

    fn words(&mut self, path: &str, old: &'s Value, new: &'s Value) {
        let (before, now) = (words_of(old), words_of(new));
        for word in before.iter().filter(|word| !now.contains(word)) {
            self.found
                .breaks(format!("`{path}` lost the value `{word}`"));
        }
        for word in now.iter().filter(|word| !before.contains(word)) {
            self.found
                .allows(format!("`{path}` gained the value `{word}`"));
            self.found.note(format!(
                "code with the former shape cannot read items whose `{path}` is `{word}`"
            ));
        }
        let ordered = |schema: &Value| schema.get("x-ordered").is_some();
        if ordered(old) != ordered(new) {
            let now = if ordered(new) {
                "have an order now"
            } else {
                "have no order any more"
            };
            self.found.allows(format!("the values of `{path}` {now}"));
        } else if ordered(new) {
            let kept = |words: &[&'s str], other: &[&str]| -> Vec<&'s str> {
                let kept = words.iter().filter(|word| other.contains(word));
                kept.copied().collect()
            };
            if kept(&before, &now) != kept(&now, &before) {
                self.found
                    .allows(format!("the values of `{path}` are in another order"));
            }
        }
    }

    /// Bounds that changed: a narrower one leaves stored values outside.
    fn bounds(&mut self, path: &str, unit: &str, old: Bounds, new: Bounds) {
        self.narrowed(path, unit, old, new);
        self.widened(path, unit, old, new);
    }

    fn narrowed(&mut self, path: &str, unit: &str, old: Bounds, new: Bounds) {
        for (end, was, is) in [("at least", old.0, new.0), ("at most", old.1, new.1)] {
            let text = match (was, is) {
                (Some(was), Some(is)) if tighter(end, was, is) => {
                    format!("`{path}` takes {end} {}, was {was}", counted(is, unit))
                }
                (None, Some(is)) => {
                    let is = counted(is, unit);
                    format!("`{path}` takes {end} {is}, had no such bound")
                }
                _ => continue,
            };
            self.found.breaks(text);
        }
    }

    fn widened(&mut self, path: &str, unit: &str, old: Bounds, new: Bounds) {
        for (end, was, is) in [("at least", old.0, new.0), ("at most", old.1, new.1)] {
            let text = match (was, is) {
                (Some(was), Some(is)) if tighter(end, is, was) => {
                    format!("`{path}` takes {end} {}, was {was}", counted(is, unit))
                }
                (Some(was), None) => {
                    let was = counted(was, unit);
                    format!("`{path}` took {end} {was}, and has no such bound any more")
                }
                _ => continue,
            };
            self.found.allows(text);
        }
    }
}

/// Whether the second bound leaves less room than the first.
fn tighter(end: &str, was: i128, is: i128) -> bool {
    if end == "at least" {
        is > was
    } else {
        is < was
    }
}

fn counted(count: i128, unit: &str) -> String {
    match (count, unit) {
        (_, "") => count.to_string(),
        (1, "entries") => String::from("1 entry"),
        (1, unit) => format!("1 {}", unit.trim_end_matches('s')),
        _ => format!("{count} {unit}"),
    }
}

fn number(schema: &Value, keyword: &str) -> Option<i128> {
    let value = schema.get(keyword)?;
    value
        .as_i64()
        .map(i128::from)
        .or_else(|| value.as_u64().map(i128::from))
}

fn range(schema: &Value) -> Bounds {
    (number(schema, "minimum"), number(schema, "maximum"))
}

/// How many entries: `minItems` and `maxItems`, or of a map `minProperties` and `maxProperties`.
fn length(schema: &Value, of: &str) -> Bounds {
    let min = number(schema, &format!("min{of}"));
    (min, number(schema, &format!("max{of}")))
}

fn bytes(schema: &Value) -> Bounds {
    (number(schema, "x-min-bytes"), number(schema, "x-max-bytes"))
}

/// How many characters: as declared, or as the kind has them.
fn characters(schema: &Value) -> Bounds {
    let kind = Kind::of(schema);
    if let Some(width) = kind.width() {
        return (Some(i128::from(width)), Some(i128::from(width)));
    }
    if kind == Kind::Words {
        let lengths = || {
            let words = words_of(schema).into_iter();
            words.map(|word| word.chars().count() as i128)
        };
        return (lengths().min(), lengths().max());
    }
    length(schema, "Length")
}
