//! What things of a model are called in generated code.

use tablewright_model::model::Entity;

/// The methods every repository has.
pub const OF_REPOSITORIES: &[&str] = &["new", "items"];

/// The methods of the type of a whole model, which has its transactions.
pub const OF_MODELS: &[&str] = &["new", "store", "create_tables"];

/// The method of a pattern: its words with one `_` between two.
pub fn method_name(pattern: &str) -> String {
    let words = pattern.split('_').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

/// The words of a name: `TaskId`, `task_id` and `TASK-ID` have the same two, `HTTPStatus` has `http` and `status`.
pub fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        let begins = c.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_numeric())
                || after.is_some_and(|after| after.is_lowercase()));
        let divides = !c.is_alphanumeric();
        if (begins || divides) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if !divides {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// `task_id`; an underscore at the beginning stays.
pub fn snake(name: &str) -> String {
    let joined = words(name).join("_");
    match name.strip_prefix('_') {
        Some(_) => format!("_{joined}"),
        None => joined,
    }
}

/// What several of them are called: `tasks`, `categories`; what ends in `s` stays.
pub fn plural(name: &str) -> String {
    if name.ends_with('s') {
        return name.to_owned();
    }
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if name.ends_with('x') || name.ends_with("ch") || name.ends_with("sh") => {
            format!("{name}es")
        }
        _ => format!("{name}s"),
    }
}

/// The type a versioned entity has beside its own: `Account` of `AccountData`.
pub fn alias(entity: &Entity) -> Option<&str> {
    let name = entity.name.as_str().strip_suffix("Data")?;
    (entity.versioned.is_some() && !name.is_empty()).then_some(name)
}

/// What business code calls an entity.
pub fn plain_name(entity: &Entity) -> &str {
    alias(entity).unwrap_or(entity.name.as_str())
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
