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
    key_part_skipped,
    key_type,
    unpadded_number,
    enum_order,
    mixed_time_forms,
    uneven_timestamp,
    range_end_lost,
    range_sweeps,
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
    matches_nothing,
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
    two_values_one_index,
    low_cardinality_index,
    no_tie_breaker,
    one_way_relation,
    sparse_on_nonkey,
    // Writes and consistency
    unique_by_reading,
    unguarded_unique,
    create_overwrites,
    update_creates,
    lost_update,
    check_then_write,
    loose_counter,
    dual_write_event,
    batch_as_atomic,
    // Size, time, evolution and operation
    unbounded_collection,
    reserved_word,
    bad_name,
    ttl_type,
    ttl_is_deadline,
    ttl_orphans,
    strategy_mismatch,
    over_budget,
    unsafe_table,
}
