//! The file as it was written: TOML read into spanned tables, every mistake reported, nothing looked up yet.

mod decode;
mod entity;
mod pattern;
mod table;

use toml::de::DeTable;

pub(crate) use decode::{Decode, Decoder};
pub use decode::{Entries, OneOrMany};
pub use entity::*;
pub use pattern::*;
pub use table::*;

use crate::diagnostic::Diagnostic;
use crate::span::Span;
use decode::source_table;

source_table! {
    /// A Tablewright model: what is stored, under which keys, and what is asked of it.
    pub struct ModelFile {
        /// Name and profile of the model.
        pub model: ModelHead,
        /// The DynamoDB tables, by name.
        pub table: Entries<TableSource>,
        /// What the tables hold, by name.
        pub entity: Entries<EntitySource>,
        /// Nested shapes that fields can use as a type, by name.
        pub r#struct: Entries<Entries<crate::span::Text>>,
        /// How entities belong together, by name.
        pub relationship: Entries<RelationshipSource>,
        /// What is asked of the data and done with it, by name.
        pub access: Entries<AccessSource>,
        /// Events read from the change stream, by name.
        pub event: Entries<EventSource>,
    }
}

/// What reading a file gave.
pub(crate) struct Reading {
    /// What could be read; none when the file is not TOML or lacks its head.
    pub(crate) file: Option<ModelFile>,
    /// Every fault.
    pub(crate) faults: Vec<Diagnostic>,
    /// Names that are in the file, but not in `file`: nobody is to be told that they do not exist.
    pub(crate) unreadable: std::collections::HashSet<String>,
}

/// Faults shown for one file: more would bury the first ones.
const SHOWN: usize = 100;

/// Reads the text of a model file. All faults are reported; what could be read is returned.
pub(crate) fn read(text: &str) -> Reading {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut decoder = Decoder::new(text);
    let faults = errors.len();
    for error in errors.into_iter().take(SHOWN) {
        let span = error.span().map_or(Span::new(0, 0), Span::from);
        let diagnostic = Diagnostic::language(
            "syntax",
            decoder.clamp(span),
            format!("not TOML: {}", error.message()),
        );
        decoder.report(diagnostic);
    }
    if faults > SHOWN {
        decoder.report(Diagnostic::language(
            "syntax",
            Span::new(0, 0),
            format!("{} more places that are not TOML", faults - SHOWN),
        ));
    }
    if faults > 0 {
        // What recovery left of a broken file would only add faults that are none.
        let (faults, unreadable) = decoder.finish();
        return Reading {
            file: None,
            faults,
            unreadable,
        };
    }
    let file = ModelFile::from_table(
        document.get_ref(),
        Span::new(0, 0),
        decode::Place::File,
        &mut decoder,
    );
    let (faults, unreadable) = decoder.finish();
    Reading {
        file,
        faults,
        unreadable,
    }
}
