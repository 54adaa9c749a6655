//! Lower case as the model language means it: each character by itself, where that is one character.

/// The text in lower case.
pub(crate) fn fold(text: &str) -> String {
    let lower = |c: char| {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(only), None) => only,
            _ => c,
        }
    };
    text.chars().map(lower).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn characters_are_folded_one_by_one() {
        assert_eq!(super::fold("Ann#ÀΣ İ"), "ann#àσ İ");
    }
}
