//! The texts of a key, cut at `#`: which of their parts are fixed, and which are values.

use super::matches::{self, Column};
use super::source::Sample;
use super::spelling::{is_generic, is_word, sounds_like, unescaped};
use super::templates::{Candidates, Inferred, Piece};
use crate::rust::names::snake;

impl Candidates {
    pub(super) fn read_texts(&mut self, attribute: &str, texts: &[(usize, String)]) -> Inferred {
        let rows: Vec<Vec<&str>> = texts
            .iter()
            .map(|(_, text)| text.split('#').collect())
            .collect();
        let parts = rows[0].len();
        let even = rows.iter().all(|row| row.len() == parts);
        // Literals must be readable as such.
        let plain = |text: &str| !text.contains('$') && !text.contains(char::is_control);
        let mut pieces: Vec<Piece> = Vec::new();
        if !even {
            let prefix = rows[0][0];
            if !prefix.is_empty()
                && plain(prefix)
                && rows.iter().all(|row| row[0] == prefix && row.len() > 1)
            {
                let rest: Vec<(usize, String)> = texts
                    .iter()
                    .map(|(at, text)| (*at, text[prefix.len() + 1..].to_owned()))
                    .collect();
                pieces.push(Piece::Literal(format!("{prefix}#")));
                pieces.push(self.part(attribute, prefix, 1, &rest, false));
                return Inferred::of(pieces);
            }
            return self.natural(attribute);
        }
        if parts == 1 {
            let column = self.column(texts);
            let all_same = column.iter().all(|(_, text)| *text == column[0].1);
            let found = self.matching(&column, "");
            if let Some(field) = found.filter(|_| !(all_same && is_word(column[0].1))) {
                return Inferred::of(vec![Piece::Field(field)]);
            }
            let first = column[0].1;
            let reads_fixed = is_word(first) || (is_generic(attribute) && column.len() > 1);
            if all_same && reads_fixed && plain(first) && !first.is_empty() {
                return Inferred::of(vec![Piece::Literal(first.to_owned())]);
            }
            return self.natural(attribute);
        }
        let mut before = String::new();
        for at in 0..parts {
            if at > 0 {
                pieces.push(Piece::Literal("#".to_owned()));
            }
            let column: Vec<(usize, String)> = texts
                .iter()
                .zip(&rows)
                .map(|((item, _), row)| (*item, row[at].to_owned()))
                .collect();
            let first = column[0].1.clone();
            let piece = self.part(attribute, &before, at, &column, plain(&first));
            before = match &piece {
                Piece::Literal(text) => text.clone(),
                Piece::Field(_) => String::new(),
            };
            pieces.push(piece);
        }
        Inferred::of(pieces)
    }

    /// What one part of a key is made of; `before` is the fixed text in front of it.
    fn part(
        &mut self,
        attribute: &str,
        before: &str,
        at: usize,
        texts: &[(usize, String)],
        may_be_literal: bool,
    ) -> Piece {
        let column = self.column(texts);
        let first = column[0].1.to_owned();
        let all_same = column.iter().all(|(_, text)| *text == first);
        let found = self.matching(&column, before);
        let named_before = found
            .as_ref()
            .is_some_and(|field| sounds_like(before, field));
        // One sample does not tell a fixed text from a value, but a word in capitals does, and the beginning of a key.
        let reads_fixed = column.len() > 1 || is_word(&first) || at == 0;
        let is_fixed = all_same && may_be_literal && reads_fixed;
        // Three that are in one shard by chance are likelier than a number that somebody fixed.
        if is_fixed
            && !named_before
            && let Some(field) = self.shard(&column, 3, |name| self.identity.contains(name))
        {
            return self.spread(attribute, field);
        }
        if is_fixed && !named_before && (found.is_none() || is_word(&first)) {
            return Piece::Literal(first);
        }
        if let Some(field) = found {
            return Piece::Field(field);
        }
        // A key is spread by what tells items apart, most often.
        let by_identity = || self.shard(&column, 2, |name| self.identity.contains(name));
        let by_another = || self.shard(&column, 3, |name| !self.identity.contains(name));
        let shard = (!all_same).then(|| by_identity().or_else(by_another));
        if let Some(field) = shard.flatten() {
            return self.spread(attribute, field);
        }
        let word = snake(before);
        let known = self.fields.contains(&word);
        let wanted = match (word.is_empty(), known) {
            (true, _) => format!("{}_{}", snake(attribute), at + 1),
            // The field of this name is written in another way here.
            (false, true) => format!("{word}_key"),
            (false, false) => format!("{word}_id"),
        };
        let samples = texts
            .iter()
            .map(|(at, text)| (*at, Sample::Text(unescaped(text, self.escaped))))
            .collect();
        let field = self.invent(&wanted, attribute, samples);
        Piece::Field(format!("{{{field}}}"))
    }

    /// The shard of a field that is asked about, if every text is that, and there are enough of them.
    fn shard(
        &self,
        column: &Column<'_>,
        enough: usize,
        asked: impl Fn(&String) -> bool,
    ) -> Option<String> {
        let fields = self
            .fields
            .iter()
            .filter(|name| self.spreads && asked(name));
        fields
            .into_iter()
            .find_map(|name| matches::shard(column, name, enough))
    }

    fn spread(&mut self, attribute: &str, field: String) -> Piece {
        self.guessed.push(format!(
            "`{field}` in `{attribute}` of {}: how many shards there are is a guess",
            self.entity
        ));
        Piece::Field(field)
    }
}
