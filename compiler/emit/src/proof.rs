//! What `tablewright prove --keep` measured of a model, as far as documents tell it.
//!
//! ```
//! use tablewright_emit::proof::KeptProof;
//!
//! let kept = KeptProof::parse(r#"{"models": [{"model": "notes", "seed": 1, "items": 10000, "pass": true}], "patterns": [
//!     {"model": "notes", "pattern": "notes", "items_small": 10000, "items_large": 100000,
//!      "returned": 20, "rcu_small": 2.5, "rcu_large": 2.5, "wcu": null, "pass": true}
//! ]}"#).unwrap();
//! assert_eq!(kept.patterns["notes"].rcu_large, Some(2.5));
//! ```

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;
use tablewright_model::Model;
use tablewright_plan::{fingerprint, plan};

/// The measurements of a model that were kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptProof {
    /// The design that was proved, as [`tablewright_plan::fingerprint`] tells it; none where the proof does not say.
    pub design: Option<String>,
    /// What was measured of each pattern.
    pub patterns: BTreeMap<String, Measured>,
}

/// What was measured of one pattern.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// Items in the smaller table.
    pub items_small: Option<u64>,
    /// Items in the larger one.
    pub items_large: Option<u64>,
    /// Read units of one request on the smaller table.
    pub rcu_small: Option<f64>,
    /// Read units of the same request on the larger one.
    pub rcu_large: Option<f64>,
    /// Read units of a full page, in every shard it is read from, of what was asked for that in tables of its own.
    pub rcu_full: Option<f64>,
    /// What it costs more on the larger one, and what excuses that.
    pub growth: Vec<Growth>,
    /// Write units of one request.
    pub wcu: Option<f64>,
    /// Items it gave.
    pub returned: u64,
    /// Whether everything it promises held.
    pub pass: bool,
    /// Why not.
    pub why: Option<String>,
}

/// A call that cost more on the larger table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Growth {
    /// The name of what excuses it: `more-to-give`, `more-to-count`.
    pub kind: String,
    /// Read units on the smaller table.
    pub rcu_small: f64,
    /// Read units on the larger one.
    pub rcu_large: f64,
    /// What excuses it, in words.
    pub because: String,
}

impl Growth {
    fn read(value: &Value) -> Option<Self> {
        Some(Growth {
            kind: value["kind"].as_str()?.to_owned(),
            rcu_small: value["rcu_small"].as_f64()?,
            rcu_large: value["rcu_large"].as_f64()?,
            because: value["because"].as_str()?.to_owned(),
        })
    }
}

impl Measured {
    /// Whether anything it was asked cost more on the larger table.
    pub fn grew(&self) -> bool {
        let costs = self.rcu_small.zip(self.rcu_large);
        !self.growth.is_empty() || costs.is_some_and(|(small, large)| large > small)
    }
}

/// Why a text is no kept proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProofError {
    /// It is no JSON.
    NotJson {
        /// What the parser said.
        why: String,
    },
    /// It has no list `patterns`.
    NoPatterns,
    /// The first of `models` does not say what the proof was made with.
    NotMadeWith {
        /// What it does not say, or not as it should.
        key: &'static str,
    },
    /// An entry of `patterns` does not say something it must.
    Incomplete {
        /// The entry, from 0.
        entry: usize,
        /// What it does not say, or not as it should.
        key: &'static str,
    },
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofError::NotJson { why } => write!(f, "it is no JSON: {why}"),
            ProofError::NoPatterns => write!(f, "it has no list `patterns`"),
            ProofError::NotMadeWith { key } => write!(f, "its `models` do not say `{key}`"),
            ProofError::Incomplete { entry, key } => {
                write!(f, "entry {entry} of `patterns` does not say `{key}`")
            }
        }
    }
}

impl std::error::Error for ProofError {}

impl KeptProof {
    /// Reads the text of `proof.json`.
    ///
    /// # Errors
    /// When it is not what `prove --keep` writes.
    pub fn parse(text: &str) -> Result<Self, ProofError> {
        let value: Value = serde_json::from_str(text).map_err(|why| ProofError::NotJson {
            why: why.to_string(),
        })?;
        let entries = value["patterns"].as_array().ok_or(ProofError::NoPatterns)?;
        let mut patterns = BTreeMap::new();
        for (entry, value) in entries.iter().enumerate() {
            let lacks = |key| ProofError::Incomplete { entry, key };
            let name = value["pattern"].as_str().ok_or(lacks("pattern"))?;
            let measured = Measured {
                items_small: value["items_small"].as_u64(),
                items_large: value["items_large"].as_u64(),
                rcu_small: value["rcu_small"].as_f64(),
                rcu_large: value["rcu_large"].as_f64(),
                rcu_full: value["rcu_full"].as_f64(),
                growth: match &value["growth"] {
                    Value::Null => Vec::new(),
                    Value::Array(all) => {
                        let all: Option<_> = all.iter().map(Growth::read).collect();
                        all.ok_or(lacks("growth"))?
                    }
                    _ => return Err(lacks("growth")),
                },
                wcu: value["wcu"].as_f64(),
                returned: value["returned"].as_u64().unwrap_or_default(),
                pass: value["pass"].as_bool().ok_or(lacks("pass"))?,
                why: value["why"].as_str().map(str::to_owned),
            };
            patterns.insert(name.to_owned(), measured);
        }
        let design = value["models"][0]["design"].as_str();
        Ok(KeptProof {
            design: design.map(str::to_owned),
            patterns,
        })
    }

    /// Whether it is of a model as it is now. What was measured of another design says nothing of this one.
    pub fn is_of(&self, model: &Model) -> bool {
        self.design.as_deref() == Some(fingerprint(model, &plan(model)).as_str())
    }

    /// How many items the two tables had, where the proof says it: the greatest of all patterns.
    pub fn sizes(&self) -> Option<(u64, u64)> {
        let small = self.patterns.values().filter_map(|one| one.items_small);
        let large = self.patterns.values().filter_map(|one| one.items_large);
        Some((small.max()?, large.max()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_proof_is_refused_with_the_place() {
        let refused = |text: &str| KeptProof::parse(text).unwrap_err().to_string();
        assert!(refused("{").starts_with("it is no JSON: "));
        assert_eq!(refused("[]"), "it has no list `patterns`");
        assert_eq!(
            refused(r#"{"patterns":[{"pattern":"a","pass":true},{"pass":true}]}"#),
            "entry 1 of `patterns` does not say `pattern`"
        );
        assert_eq!(
            refused(r#"{"patterns":[{"pattern":"a","pass":"yes"}]}"#),
            "entry 0 of `patterns` does not say `pass`"
        );
        assert_eq!(
            refused(r#"{"patterns":[{"pattern":"a","pass":true,"growth":[{"kind":"x"}]}]}"#),
            "entry 0 of `patterns` does not say `growth`"
        );
    }

    #[test]
    fn what_was_not_measured_is_absent() {
        let kept =
            KeptProof::parse(r#"{"patterns":[{"pattern":"a","pass":true,"rcu_small":null}]}"#)
                .unwrap();
        assert_eq!(kept.patterns["a"].rcu_small, None);
        assert_eq!(kept.sizes(), None);
    }
}
