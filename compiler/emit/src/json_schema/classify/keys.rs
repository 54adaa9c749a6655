//! The keys an item is stored under. A migration on read cannot mend them: it comes after the item was found.

use serde_json::Value;

use super::Comparison;
use super::words::words_of;

impl Comparison<'_> {
    pub(super) fn keys(&mut self) {
        self.primary_key();
        self.index_keys();
        self.counters();
    }

    /// Items stored under another key are not found.
    fn primary_key(&mut self) {
        let (old, new) = (self.old.keys.clone(), self.new.keys.clone());
        let mut lost = false;
        for (name, before) in &old {
            match new.get(name) {
                None => {
                    lost = true;
                    let told = format!("the key `{name}` is gone or has become a field");
                    self.found.breaks(told);
                }
                Some(now) => {
                    if let Some(how) = self.written_otherwise(before, now) {
                        lost = true;
                        self.found.breaks(format!("the key `{name}` is {how}"));
                    }
                }
            }
        }
        for (name, now) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
            lost = true;
            let template = template(now);
            self.found
                .breaks(format!("the key `{name}` is new: `{template}`"));
        }
        if lost {
            self.found.note(String::from(
                "items stored under the old key are not found under the new one, and a migration step cannot help: write them again under the new key first",
            ));
        }
    }

    /// Items are in an index as they were when they were written last.
    fn index_keys(&mut self) {
        let (old, new) = (self.old.index_keys.clone(), self.new.index_keys.clone());
        for (name, before) in &old {
            let index = index(before);
            match new.get(name) {
                None => self
                    .found
                    .allows(format!("`{name}`, a key of {index}, is gone")),
                Some(now) => {
                    if let Some(how) = self.written_otherwise(before, now) {
                        self.found
                            .allows(format!("`{name}`, a key of {index}, is {how}"));
                        self.found.note(format!(
                            "items stored before stand in {index} as they were, until they are written again"
                        ));
                    }
                }
            }
        }
        for (name, now) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
            let index = index(now);
            self.found
                .allows(format!("`{name}`, a key of {index}, is new"));
            self.found.note(format!(
                "items stored before are not in {index} until they are written again"
            ));
        }
    }

    fn counters(&mut self) {
        let (old, new) = (self.old.counters.clone(), self.new.counters.clone());
        for name in old.keys().filter(|name| !new.contains_key(*name)) {
            self.found.allows(format!("the count `{name}` is gone"));
        }
        for (name, now) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
            let counted = now["x-counts"].as_str().unwrap_or_default();
            self.found.allows(format!("the count `{name}` is new"));
            self.found.note(format!(
                "`{name}` does not count the {counted} items stored before"
            ));
        }
    }

    /// In which way a key attribute is made otherwise than before.
    fn written_otherwise(&self, before: &Value, now: &Value) -> Option<String> {
        for keyword in ["x-key", "x-when", "x-escape", "type"] {
            let (was, is) = (before.get(keyword), now.get(keyword));
            if was == is {
                continue;
            }
            let text = |value: Option<&Value>| match value {
                Some(Value::String(text)) => format!("`{text}`"),
                Some(other) => format!("`{other}`"),
                None => String::from("nothing"),
            };
            return Some(match keyword {
                "x-key" => format!("{}, was {}", text(is), text(was)),
                "x-when" => format!("there when {}, was when {}", text(is), text(was)),
                "x-escape" if is.is_some() => String::from("no longer escaped"),
                "x-escape" => String::from("escaped now"),
                _ => format!("a {}, was a {}", text(is), text(was)),
            });
        }
        self.ranked_otherwise(template(now))
    }

    /// A rank in the key counts from the first word of an order; with other words before it, it is another.
    fn ranked_otherwise(&self, template: &str) -> Option<String> {
        for (name, now) in &self.new.fields {
            let Some(place) = template
                .split('{')
                .filter_map(|piece| piece.split('}').next())
                .find(|piece| piece.split(':').next() == Some(name))
            else {
                continue;
            };
            let encodings: Vec<&str> = place.split(':').skip(1).collect();
            if !encodings.contains(&"rank") {
                continue;
            }
            let Some(before) = self.old.fields.get(name) else {
                continue;
            };
            let (was, is) = (words_of(before.schema), words_of(now.schema));
            let digits = |words: &[&str]| words.len().saturating_sub(1).to_string().len();
            let kept = is.starts_with(&was) && digits(&was) == digits(&is);
            let same = was == is || (kept && !encodings.contains(&"desc"));
            if !same {
                return Some(format!("written with other ranks of `{name}`"));
            }
        }
        None
    }
}

fn template(key: &Value) -> &str {
    key["x-key"].as_str().unwrap_or_default()
}

fn index(key: &Value) -> &str {
    key["x-index"].as_str().unwrap_or_default()
}
