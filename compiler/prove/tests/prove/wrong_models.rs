//! Wrong models on which the checker is silent: running them is enough. What is told stands beside each;
//! `TABLEWRIGHT_BLESS=1 cargo test -p tablewright-prove` writes it anew.

use std::fs;
use std::path::Path;

use tablewright_model::Severity;
use tablewright_prove::report::text::{Look, render};

use crate::support::{model, proved};

async fn told(name: &str, items: usize) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let model = model(folder.join(format!("{name}.toml")));
    let findings: Vec<_> = tablewright_check::check(&model)
        .into_iter()
        .filter(|finding| finding.severity != Severity::Note)
        .collect();
    assert!(findings.is_empty(), "the checker speaks: {findings:#?}");
    let proof = proved(&model, items, 1).await;
    assert!(!proof.passes(), "{name} is wrong, and was proved");
    let look = Look {
        color: false,
        width: 120,
    };
    let text = render(&proof, look);
    let path = folder.join(format!("{name}.txt"));
    if std::env::var_os("TABLEWRIGHT_BLESS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{}", path.display());
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_key() {
    let told = told("broken-key", 120).await;
    assert!(told.contains("Settings could not be stored"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_prefix() {
    assert!(told("open-prefix", 120).await.contains("unasked Task"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_end_day() {
    assert!(told("lost-end-day", 120).await.contains("missing Task"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_index() {
    assert!(told("stale-index", 120).await.contains("after the writes"));
}

/// What is sent is the transaction that is written, which leaves the keys of indexes as they were.
#[tokio::test(flavor = "multi_thread")]
async fn a_stale_index_in_a_transaction_by_hand() {
    let told = told("stale-index-in-a-transaction", 60).await;
    assert!(told.contains("✗ jobs_of"), "{told}");
    assert!(told.contains("after the writes"), "{told}");
    assert!(told.contains("✓ hand_over"), "{told}");
}

/// S0-54
#[tokio::test(flavor = "multi_thread")]
async fn a_hot_partition() {
    assert!(told("hot-partition", 120).await.contains("too hot"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_are_short() {
    assert!(
        told("short-pages", 120)
            .await
            .contains("and is not the last")
    );
}

/// S3-48: a scan is told by its cost.
#[tokio::test(flavor = "multi_thread")]
async fn a_cost_that_follows_the_table() {
    assert!(
        told("follows-the-table", 120)
            .await
            .contains("follows the table")
    );
}

/// S3-48: however short the keys and the unique values are, the large table is large.
#[tokio::test(flavor = "multi_thread")]
async fn a_cost_that_follows_the_table_of_short_keys() {
    for name in ["short-keys", "short-unique-values"] {
        let told = told(name, 400).await;
        assert!(told.contains("✗ of_sector"), "{told}");
        assert!(told.contains("follows the table"), "{told}");
        assert!(told.contains("✓ company"), "{told}");
    }
}

/// S3-48: what is hardly ever true by chance is so often enough that an index of it grows with the table.
#[tokio::test(flavor = "multi_thread")]
async fn a_cost_that_follows_an_index_of_few() {
    let told = told("rare-index", 400).await;
    assert!(told.contains("✗ stuck_of"), "{told}");
    assert!(told.contains("follows the table"), "{told}");
    assert!(told.contains("✓ job"), "{told}");
}

/// S3-48: what a model names of a field that is no enum grows with the table as everything does; where it cannot, nothing is proved of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_cost_that_follows_what_the_model_names() {
    let told = told("named-values", 400).await;
    for pattern in ["critical", "open", "eu_of"] {
        assert!(told.contains(&format!("✗ {pattern}")), "{told}");
    }
    assert!(told.contains("✓ ticket"), "{told}");
    let told = self::told("named-somebody", 400).await;
    assert!(told.contains("could not be compared"), "{told}");
}

/// S0-51: what a batch costs is what all its keys cost.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_over_its_budget() {
    let told = told("batch-over-budget", 120).await;
    assert!(told.contains("BatchGetItem app, 10 keys"), "{told}");
    assert!(told.contains("more than its budget of 8 rcu"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_no_money_and_an_overwritten_item() {
    let told = told("over-budget", 120).await;
    assert!(told.contains("no key answers it"), "{told}");
    assert!(told.contains("more than its budget"), "{told}");
    assert!(
        told.contains("what is there already went through"),
        "{told}"
    );
}

/// C0-11: a count is one number, whatever is read for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_count_that_reads_everything() {
    let told = told("counts-by-reading", 120).await;
    assert!(told.contains("it counts by reading"), "{told}");
}

/// C0-11: `returns` excuses a count that says less by it than that it counts everything, and is held to it.
#[tokio::test(flavor = "multi_thread")]
async fn counts_that_declare_too_much_or_too_little() {
    let told = told("counts-as-declared", 200).await;
    for (pattern, why) in [
        ("count_all", "`returns = 1000000` is no bound"),
        ("count_few", "more than the 50 it says by `returns` at most"),
    ] {
        let row = told.split(&format!("✗ {pattern} ")).nth(1).expect(pattern);
        let row: Vec<&str> = row.split(['✗', '✓']).collect();
        let row = row[0].split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(row.contains(why), "{told}");
    }
    assert!(told.contains("✓ count_many"), "{told}");
    assert!(
        told.contains("the model declares 100,000 at most"),
        "{told}"
    );
}

/// S0-51: what a write may cost is what it costs of an item that is in every index, and a batch costs what its dearest item costs.
#[tokio::test(flavor = "multi_thread")]
async fn writes_that_keep_their_budget_only_without_an_index() {
    let told = told("dearest-writes", 120).await;
    for pattern in ["new_item", "change", "remove", "clear"] {
        assert!(told.contains(&format!("✗ {pattern} ")), "{told}");
    }
    assert!(told.contains("it costs 4 wcu"), "{told}");
    assert!(told.contains("it costs 7 wcu"), "{told}");
}

/// What has no key is told of the patterns that miss it, and a budget must be in the units of its pattern.
#[tokio::test(flavor = "multi_thread")]
async fn an_optional_field_in_a_key_and_a_budget_of_another_kind() {
    let told = told("no-key-without-it", 120).await;
    assert!(told.contains("Item could not be stored"), "{told}");
    assert!(told.contains("nothing holds it to its budget"), "{told}");
}

/// S0-51: a size that no item has is no reason to pass.
#[tokio::test(flavor = "multi_thread")]
async fn writes_over_their_budget_of_items_that_cannot_be_as_small_as_declared() {
    let told = told("larger-than-declared", 120).await;
    for pattern in ["make_doc", "edit_doc", "drop_doc", "drop_docs"] {
        assert!(told.contains(&format!("✗ {pattern} ")), "{told}");
    }
    assert!(told.contains("as small as is declared"), "{told}");
}

/// S0-54: four devices are four partitions, and all of a day's writes go to that day.
#[tokio::test(flavor = "multi_thread")]
async fn partitions_that_are_fewer_than_the_data_suggests() {
    let told = told("few-partitions", 200).await;
    assert!(told.contains("✗ readings"), "{told}");
    assert!(told.contains("✗ ByDay of readings"), "{told}");
}

/// S0-54: of three devices there are three partitions, of what refers to them too, though the data has more.
#[tokio::test(flavor = "multi_thread")]
async fn items_that_are_fewer_than_the_data_has() {
    let told = told("few-items", 200).await;
    assert!(told.contains("✗ devices"), "{told}");
    assert!(told.contains("✗ readings"), "{told}");
}

/// S0-54: a guard is where its key says, and not where the item is that it guards.
#[tokio::test(flavor = "multi_thread")]
async fn guards_in_one_partition() {
    let told = told("hot-guard", 120).await;
    assert!(told.contains("REFERENCES"), "{told}");
    assert!(told.contains("app too hot"), "{told}");
}

/// S0-54: what counts others is written with each of them.
#[tokio::test(flavor = "multi_thread")]
async fn one_item_that_counts_all_others() {
    let told = told("hot-counter", 120).await;
    assert!(told.contains("TOTALS"), "{told}");
    assert!(told.contains("app too hot"), "{told}");
}

/// S0-54: a local index is in the partitions of its table, and takes of what those can do.
#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_is_hot_with_its_local_index() {
    let told = told("hot-local-index", 200).await;
    assert!(told.contains("✗ events"), "{told}");
    assert!(told.contains("events too hot"), "{told}");
}

/// S3-48: a filter reads what it drops from every shard.
#[tokio::test(flavor = "multi_thread")]
async fn a_filter_over_shards_that_follows_the_table() {
    let told = told("filter-over-shards", 300).await;
    assert!(told.contains("✗ jobs_in_bin"), "{told}");
    assert!(told.contains("✓ jobs "), "{told}");
}

/// S0-51, S3-48: what a batch reads to find its items is part of what it costs.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_reads_the_table_to_find_its_items() {
    let told = told("batch-reads-the-table", 200).await;
    assert!(
        told.contains("what it reads to find its items follows the table"),
        "{told}"
    );
    assert!(told.contains("✗ clear_kind"), "{told}");
}

/// What is wrong is told with what to do.
#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_has_not_all_items_and_one_that_has_not_all_fields() {
    let told = told("wrong-indexes", 120).await;
    assert!(told.contains("ByDue has no item without `due`"), "{told}");
    assert!(
        told.contains("came without `user_id` and `task_id`"),
        "{told}"
    );
}

/// An answer of nothing shows nothing, by whichever key it was read.
#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_never_gives_an_item() {
    let told = told("never-shown", 60).await;
    assert!(told.contains("no answer with an item was shown"), "{told}");
    assert!(told.contains("✓ jobs"), "{told}");
}

/// S0-51: what is asked for in the wrong place is missed, however rare it is.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_rare_is_missed_in_the_wrong_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/right");
    let text = fs::read_to_string(folder.join("rare-conditions.toml")).unwrap();
    let by_hand = r#"index = "GSI2"
condition = "GSI2PK = :nobody"
values = { ":nobody" = "WRONG#{owner}" }
"#;
    let text = text.replacen(
        "[access.rare_job]",
        &format!("{by_hand}\n[access.rare_job]"),
        1,
    );
    let model = tablewright_model::parse(&text).unwrap();
    for (items, seed) in [(10, 1), (150, 2)] {
        let proof = proved(&model, items, seed).await;
        let rare = proof.patterns.iter().find(|one| one.pattern == "rare");
        let why = rare.unwrap().why.clone().unwrap_or_default();
        assert!(why.contains("missing Job"), "{items} items: {why:?}");
    }
}
