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
    key_part_skipped,
    key_type,
    unpadded_number,
    mixed_time_forms,
    uneven_timestamp,
    delimiter_in_value,
    ambiguous_template,
    key_overlap,
    missing_prefix,
    missing_type,
    optional_key,
    accidental_sparse,
    empty_key,
    key_type_conflict,
    hot_key,
    unknown_at_read,
    // Reads
    no_answer,
    // Indexes
    // Writes and consistency
    unguarded_unique,
    // Size, time, evolution and operation
}
