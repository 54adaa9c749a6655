//! "Did you mean": the words that would have been right, as a person reads them.

pub use tablewright_descriptor::suggest::{hint, nearest, one_of};

/// More than one of what a model has: `indexes`, `entities`, `fields of Task`.
pub(crate) fn plural(what: &str) -> String {
    let (noun, of) = what.find(" of ").map_or((what, ""), |at| what.split_at(at));
    match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies{of}"),
        None if noun.ends_with('x') => format!("{noun}es{of}"),
        None => format!("{noun}s{of}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_one() {
        assert_eq!(plural("index"), "indexes");
        assert_eq!(plural("entity"), "entities");
        assert_eq!(plural("access pattern"), "access patterns");
        assert_eq!(plural("field of Entity"), "fields of Entity");
    }
}
