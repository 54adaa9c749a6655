//! A request by hand is sent as it is written: that one, with its cost, and no other in its place.

use std::path::{Path, PathBuf};

use tablewright_prove::{PatternProof, Proof};

use crate::support::{all_pass, model, proved};

fn path_of(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    tests.join(format!("by-hand/{name}.toml"))
}

async fn proof_of(name: &str) -> Proof {
    proved(&model(path_of(name)), 60, 1).await
}

fn pattern<'p>(proof: &'p Proof, name: &str) -> &'p PatternProof {
    let mut patterns = proof.patterns.iter();
    patterns.find(|one| one.pattern == name).unwrap()
}

/// S0-53: a transaction of one item takes twice the units of the item, a batch in one those of each.
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_costs_what_transactions_cost() {
    let proof = proof_of("transactions").await;
    for (name, wcu) in [
        ("open", 2.0),
        ("open_too_dear", 2.0),
        ("set_limit", 2.0),
        ("close", 2.0),
        ("open_many", 2.0),
        ("open_two", 4.0),
    ] {
        let found = pattern(&proof, name);
        assert_eq!(found.wcu, Some(wcu), "{name}: {:?}", found.why);
        let why = found.why.clone().unwrap_or_default();
        match name {
            "open_too_dear" => assert!(why.contains("more than its budget"), "{why}"),
            _ => assert_eq!(why, "", "{name}"),
        }
    }
}

/// The checker foretells it: the plan of a transaction of one item has a cost.
#[test]
fn the_plan_of_a_transaction_by_hand_says_what_it_costs() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let text = std::fs::read_to_string(tests.join("by-hand/transactions.toml")).unwrap();
    let unallowed: String = text
        .lines()
        .filter(|line| !line.starts_with("allow"))
        .collect::<Vec<_>>()
        .join("\n");
    let over = |text: &str| {
        let findings = tablewright_check::check_text(text);
        let over = findings.iter().filter(|one| one.rule == "over-budget");
        over.count()
    };
    assert_eq!(over(&unallowed), 1);
    assert_eq!(over(&text), 0);
}

/// Whatever is written is on every action, and what must be refused by it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_of_several_entities_is_sent_with_its_condition() {
    let proof = proof_of("several-entities").await;
    for (name, words) in [
        ("pay", ""),
        ("stock", ""),
        ("unasked", "what is not there went through"),
        ("open_and_use", "its condition did not hold"),
        ("look_without_a_word", "nothing is checked"),
        ("move_by_put", "PutItem does not check an item"),
    ] {
        let why = pattern(&proof, name).why.clone().unwrap_or_default();
        match words {
            "" => assert_eq!(why, "", "{name}"),
            words => assert!(why.contains(words), "{name}: {why:?}"),
        }
    }
    assert_eq!(pattern(&proof, "pay").wcu, Some(4.0));
    let model = model(path_of("several-entities"));
    let plans = tablewright_plan::plan(&model);
    let costs = model
        .accesses
        .iter()
        .zip(&plans)
        .filter_map(|(access, plan)| {
            let tablewright_plan::Answer::ByHand(hand) = &plan.answer else {
                return None;
            };
            let cost = tablewright_plan::cost_by_hand(&model, access, hand)?;
            (access.name.value == "pay").then_some(cost.units)
        });
    assert_eq!(costs.collect::<Vec<_>>(), [Some(4.0)]);
}

/// S0-51: all keys in one request, strongly where that is said, and no more than a request takes.
#[tokio::test(flavor = "multi_thread")]
async fn many_keys_are_asked_as_they_are_written() {
    let proof = proof_of("many-keys").await;
    for (name, rcu, words) in [
        ("many", Some(5.0), ""),
        ("many_strongly", Some(10.0), "more than its budget"),
        ("each_alone", Some(5.0), ""),
        ("too_many", None, "BatchGetItem takes 100 keys"),
        ("by_an_index", None, "never an index"),
        ("by_query", None, "that is BatchGetItem"),
    ] {
        let found = pattern(&proof, name);
        let why = found.why.clone().unwrap_or_default();
        match words {
            "" => assert_eq!(why, "", "{name}"),
            words => assert!(why.contains(words), "{name}: {why:?}"),
        }
        if rcu.is_some() {
            assert_eq!(found.rcu_large, rcu, "{name}");
        }
    }
}

/// BETWEEN is not asked back to front, a literal has the type of what it is compared with, and a delete may find nothing.
#[tokio::test(flavor = "multi_thread")]
async fn right_requests_are_proved() {
    let model = model(path_of("right-requests"));
    let findings = tablewright_check::check(&model);
    let findings: Vec<_> = findings.iter().map(|one| one.rule).collect();
    assert_eq!(findings, Vec::<&str>::new());
    all_pass(&proof_of("right-requests").await, "right-requests");
}

/// Without a condition it deletes what does not meet `where` as well.
#[tokio::test(flavor = "multi_thread")]
async fn a_delete_without_its_condition_is_none() {
    let proof = proof_of("deletes").await;
    for (name, words) in [
        ("drop_done", "what does not meet the condition went through"),
        ("drop_with_its_job", "what is not there went through"),
    ] {
        let why = pattern(&proof, name).why.clone().unwrap_or_default();
        assert!(why.contains(words), "{name}: {why:?}");
    }
}

/// An UpdateItem would leave the entry of the index where it was, and cost a unit less.
#[tokio::test(flavor = "multi_thread")]
async fn an_update_by_put_item_writes_every_key_anew() {
    let proof = proof_of("whole-items").await;
    all_pass(&proof, "whole-items");
    assert_eq!(pattern(&proof, "put").wcu, Some(3.0));
    assert_eq!(pattern(&proof, "begin").wcu, Some(2.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_request_cannot_do_is_done_by_no_other() {
    let proof = proof_of("unfit").await;
    for (name, words) in [
        ("list_by_put", "PutItem does not ask for items"),
        ("get_by_batch", "BatchGetItem does not ask for one item"),
        ("get_by_delete", "DeleteItem does not ask for one item"),
        ("update_by_delete", "DeleteItem does not update an item"),
        ("delete_by_put", "PutItem does not delete an item"),
        ("create_by_get", "GetItem does not create an item"),
        ("delete_on_condition", "BatchWriteItem takes no condition"),
        ("put_without_a_condition", "what is not there went through"),
    ] {
        let why = pattern(&proof, name).why.clone().unwrap_or_default();
        assert!(why.contains(words), "{name}: {why:?}");
    }
}

/// A write that fails does so by itself: whatever it did, the reads are held to what is stored.
#[tokio::test(flavor = "multi_thread")]
async fn a_failed_write_fails_no_other_pattern() {
    let proof = proof_of("failed-writes").await;
    for (name, words) in [
        ("job", ""),
        ("of_owner", ""),
        ("put_over_another", "what is there already went through"),
        ("never_renamed", "its condition did not hold"),
        ("never_dropped", "its condition did not hold"),
        ("drop", ""),
    ] {
        let why = pattern(&proof, name).why.clone().unwrap_or_default();
        match words {
            "" => assert_eq!(why, "", "{name}"),
            words => assert!(why.contains(words), "{name}: {why:?}"),
        }
    }
}

/// A guard without its item is in the way of all others, though no read shows it.
#[tokio::test(flavor = "multi_thread")]
async fn a_delete_by_hand_leaves_its_guard() {
    let proof = proof_of("left-behind").await;
    let why = pattern(&proof, "drop_by_hand").why.clone();
    let why = why.unwrap_or_default();
    assert!(
        why.contains("the slug of what it deleted is still taken"),
        "{why:?}"
    );
    assert_eq!(pattern(&proof, "drop").why, None);
}
