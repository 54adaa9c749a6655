//! A proof on an engine that is gone afterwards.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tablewright_local::Engine;
use tablewright_model::Model;
use tablewright_prove::{Place, Proof, Settings, prove};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A wrong model.
pub(crate) fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    folder.join(format!("{name}.toml"))
}

pub(crate) fn model(path: impl AsRef<Path>) -> Model {
    let text = fs::read_to_string(path.as_ref()).unwrap();
    tablewright_model::parse(&text).unwrap_or_else(|faults| panic!("{faults:#?}"))
}

pub(crate) async fn proved(model: &Model, items: usize, seed: u64) -> Proof {
    let engine = Engine::temporary().unwrap();
    let place = Place::new(engine.dynamodb(), Duration::ZERO);
    let settings = Settings { items, seed };
    let proof = prove(model, settings, &place, &|_, _, _| {}).await.unwrap();
    place.clear().await.unwrap();
    proof
}

/// Every pattern passes, and no partition is too busy.
pub(crate) fn all_pass(proof: &Proof, about: &str) {
    let failed: Vec<String> = proof
        .patterns
        .iter()
        .filter_map(|pattern| Some(format!("{}: {}", pattern.pattern, pattern.why.as_ref()?)))
        .collect();
    assert!(failed.is_empty(), "{about}: {}", failed.join("\n"));
    assert!(proof.passes(), "{about}: {:#?}", proof.heat);
}
