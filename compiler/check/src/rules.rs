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
    equality_on_prefix,
    open_prefix,
    enum_order,
    range_end_lost,
    range_sweeps,
    optional_key,
    // Reads
    no_answer,
    scan,
    filter_selects,
    limit_before_filter,
    strong_on_gsi,
    get_on_index,
    not_projected,
    order_not_given,
    reads_strangers,
    parent_last,
    // Indexes
    unused_index,
    duplicate_index,
    no_tie_breaker,
    // Writes and consistency
    unguarded_unique,
    // Size, time, evolution and operation
    reserved_word,
}
