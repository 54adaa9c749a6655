//! What changed between two schemas of stored items, and whether items of the old one can be read as the new one says.
//!
//! Reading old items with new code is what counts: only that cannot be taken back. That code still running with the former shape
//! may not understand what new code writes is told as a note.

mod item;
mod keys;
mod values;
mod words;

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use item::{FieldView, Item};
use words::shown;

/// One difference between two schemas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// In words: "`owner` is gone".
    pub text: String,
    /// Whether items stored before cannot be read because of it.
    pub breaks: bool,
}

/// What changed, and what it means for items that are stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compatibility {
    /// The differences, those that break first.
    pub changes: Vec<Change>,
    /// What to mind although it can be read.
    pub notes: Vec<String>,
}

impl Compatibility {
    /// Whether every item stored before can be read.
    pub fn is_compatible(&self) -> bool {
        !self.changes.iter().any(|change| change.breaks)
    }

    fn breaks(&mut self, text: String) {
        self.changes.push(Change { text, breaks: true });
    }

    fn allows(&mut self, text: String) {
        let breaks = false;
        self.changes.push(Change { text, breaks });
    }

    fn note(&mut self, text: String) {
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}

/// Compares two schemas of stored items, as [`schema`](super::schema) gives them. Their versions are not compared: what a raised one allows is for
/// [`snapshots`](crate::snapshots) to say.
///
/// ```
/// use serde_json::json;
/// use tablewright_emit::json_schema::classify;
///
/// let old = json!({ "properties": { "name": { "type": "string", "maxLength": 200 } }, "required": ["name"] });
/// let new = json!({ "properties": { "name": { "type": "string", "maxLength": 100 } }, "required": ["name"] });
/// let found = classify(&old, &new);
/// assert!(!found.is_compatible());
/// assert_eq!(found.changes[0].text, "`name` takes at most 100 characters, was 200");
/// assert!(classify(&new, &old).is_compatible());
/// ```
pub fn classify(old: &Value, new: &Value) -> Compatibility {
    let mut comparison = Comparison {
        old: Item::of(old),
        new: Item::of(new),
        met: HashSet::new(),
        found: Compatibility::default(),
    };
    comparison.run();
    let mut found = comparison.found;
    found.changes.sort_by_key(|change| !change.breaks);
    found
}

/// Two items side by side, and what was found.
struct Comparison<'s> {
    old: Item<'s>,
    new: Item<'s>,
    /// Pairs of structs that were compared: each once, however often it is used.
    met: HashSet<(&'s str, &'s str)>,
    found: Compatibility,
}

impl<'s> Comparison<'s> {
    fn run(&mut self) {
        let layouts = (self.old.layout, self.new.layout);
        match layouts {
            (None, Some(_)) => self.found.breaks(String::from(
                "it became versioned, and what is stored has no `data_version`",
            )),
            (Some(_), None) => self.found.breaks(String::from(
                "it is no longer versioned, and older versions are no longer recognised",
            )),
            (Some(old), Some(new)) if old != new => {
                self.found.breaks(format!("its layout is {new}, was {old}"));
            }
            _ => {}
        }
        self.type_attribute();
        self.keys();
        let same_layout = layouts.0 == layouts.1;
        let (old, new) = (self.old.fields.clone(), self.new.fields.clone());
        if same_layout {
            self.places(&old, &new);
        }
        self.fields("", &old, &new);
    }

    /// What tells the items of one entity from those of another.
    fn type_attribute(&mut self) {
        let told = match (self.old.type_attribute, self.new.type_attribute) {
            (Some(old), Some(new)) if old != new => {
                format!("its items say {}, were marked {}", marked(new), marked(old))
            }
            (None, Some(new)) => {
                format!("its items say {}, and what is stored does not", marked(new))
            }
            (Some((name, _)), None) => {
                return self.found.allows(format!("`{name}` is gone"));
            }
            _ => return,
        };
        self.found.breaks(told);
    }

    /// Fields that moved between the top of an item and its `data`.
    fn places(&mut self, old: &Fields<'s>, new: &Fields<'s>) {
        for (name, field) in new {
            match old.get(name) {
                Some(before) if before.in_data && !field.in_data => self.found.breaks(format!(
                    "`{name}` stands at the top of the item, was in `data`"
                )),
                Some(before) if !before.in_data && field.in_data => self.found.breaks(format!(
                    "`{name}` stands in `data`, was at the top of the item"
                )),
                _ => {}
            }
        }
    }

    /// The fields of an item, or of a struct in it.
    fn fields(&mut self, prefix: &str, old: &Fields<'s>, new: &Fields<'s>) {
        for (name, before) in old {
            let path = format!("{prefix}{name}");
            match new.get(name) {
                None => self.gone(&path, before),
                Some(now) => {
                    self.presence(&path, before, now);
                    self.values(&path, before.schema, now.schema);
                }
            }
        }
        for (name, now) in new {
            if !old.contains_key(name) {
                self.added(&format!("{prefix}{name}"), now);
            }
        }
        self.maybe_renamed(prefix, old, new);
    }

    fn gone(&mut self, path: &str, before: &FieldView<'s>) {
        self.found.allows(format!("`{path}` is gone"));
        if before.required {
            self.found.note(format!(
                "code with the former shape cannot read items without `{path}`"
            ));
        }
    }

    fn added(&mut self, path: &str, now: &FieldView<'s>) {
        match now.default() {
            _ if now.required => self.found.breaks(format!("`{path}` is new and required")),
            Some(default) => self.found.allows(format!(
                "`{path}` is new, and {} where it is absent",
                shown(default)
            )),
            None => self.found.allows(format!("`{path}` is new and optional")),
        }
    }

    /// Whether it may be absent, and what is read then.
    fn presence(&mut self, path: &str, before: &FieldView<'s>, now: &FieldView<'s>) {
        match (before.required, now.required) {
            (false, true) => self.found.breaks(format!("`{path}` became required")),
            (true, false) => match now.default() {
                Some(default) => self.found.allows(format!(
                    "`{path}` is {} where it is absent, was required",
                    shown(default)
                )),
                None => {
                    self.found.allows(format!("`{path}` became optional"));
                    self.found.note(format!(
                        "code with the former shape cannot read items without `{path}`"
                    ));
                }
            },
            (false, false) if before.default() != now.default() => {
                let word = |default: Option<&Value>| default.map_or("nothing".to_owned(), shown);
                self.found.allows(format!(
                    "`{path}` is {} where it is absent, was {}",
                    word(now.default()),
                    word(before.default())
                ));
            }
            _ => {}
        }
    }

    /// A field that goes and one like it that comes may be one under two names: then its values would be left behind.
    fn maybe_renamed(&mut self, prefix: &str, old: &Fields<'s>, new: &Fields<'s>) {
        let gone: Vec<_> = old
            .iter()
            .filter(|(name, _)| !new.contains_key(*name))
            .collect();
        for (name, now) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
            let alike = gone
                .iter()
                .find(|(_, before)| before.kind() == now.kind() && !now.required);
            if let Some((before, _)) = alike {
                self.found.note(format!(
                    "if `{prefix}{name}` is what `{prefix}{before}` was called, its values are left behind: raise data_version and rename it in a migration step"
                ));
            }
        }
    }
}

/// Fields by name.
type Fields<'s> = BTreeMap<&'s str, FieldView<'s>>;

fn marked((name, value): (&str, &Value)) -> String {
    format!("`{name} = {}`", value.as_str().unwrap_or_default())
}
