//! What the methods of patterns are called in generated code.

/// The methods every repository has.
pub const OF_REPOSITORIES: &[&str] = &["new", "items"];

/// The methods of the type of a whole model, which has its transactions.
pub const OF_MODELS: &[&str] = &["new", "store", "create_tables"];

/// The method of a pattern: its words with one `_` between two.
pub fn method_name(pattern: &str) -> String {
    let words = pattern.split('_').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_underscore_is_as_good_as_two() {
        assert_eq!(method_name("tasks__of_user_"), "tasks_of_user");
        assert_eq!(method_name("new"), "new");
    }
}
