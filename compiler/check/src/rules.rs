//! The rules, one file each. A line here registers one.

macro_rules! rules {
    ($($rule:ident,)*) => {
        $(mod $rule;)*

        /// Every rule, by group and in the order of the catalogue.
        pub static RULES: &[crate::Rule] = &[$($rule::RULE,)*];
    };
}

rules! {
    // Keys and encodings
    open_prefix,
    optional_key,
    // Reads
    no_answer,
    // Indexes
    // Writes and consistency
    unguarded_unique,
    // Size, time, evolution and operation
}
