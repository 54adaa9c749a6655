//! Every value is stored, and asked for, in the form of its field: a decimal to the last digit, a set as a set.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::{Change, Decimal, Error};

use crate::corners::{
    ChangePart, ChangePartAt, PartKey, PartRefined, PartStage, StagePart, corners, part, stored,
    text,
};

const LONG: &str = "12345678901234567890.123456789012345678";

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn invalid<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
    match outcome {
        Err(Error::Invalid { field, .. }) => field,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_decimal_of_38_digits_keeps_them_all() {
    let (place, corners) = corners().await;
    let mut long = part("p");
    long.price = decimal(LONG);
    long.weights = Some([decimal(LONG), decimal("-0.5")].into());
    let parts = corners.parts.items();
    assert_eq!(parts.insert(long.clone()).await.unwrap(), long);
    let key = PartKey::new("b", "p");
    let noted = parts
        .update(&key, |part| part.note = Some("x".to_owned()))
        .await
        .unwrap();
    assert_eq!(parts.read_strong(&key).await.unwrap(), Some(noted.clone()));
    assert_eq!((noted.price, noted.weights), (long.price, long.weights));
    let item = stored(&place, &corners, "BOX#b", "PART#p").await.unwrap();
    assert_eq!(item["price"], AttributeValue::N(LONG.to_owned()));
}

#[tokio::test]
async fn decimals_that_are_the_same_number_are_equal() {
    let (_place, corners) = corners().await;
    assert_eq!(decimal("1.50"), decimal("1.5"));
    let mut cheap = part("p");
    cheap.price = decimal("1.50");
    corners.parts.items().insert(cheap.clone()).await.unwrap();
    for same in ["1.5", "1.500", "01.5"] {
        let found = corners.parts.parts_at("b", &decimal(same)).page().await;
        assert_eq!(found.unwrap().items, [cheap.clone()], "{same}");
    }
}

#[tokio::test]
async fn a_condition_finds_decimals_and_sets() {
    let (_place, corners) = corners().await;
    let mut heavy = part("heavy");
    heavy.price = decimal("2.5");
    heavy.tags.insert("big".to_owned());
    heavy.weights = Some([decimal("7.25")].into());
    for one in [heavy.clone(), part("light")] {
        corners.parts.items().insert(one).await.unwrap();
    }
    let parts = &corners.parts;
    let found = parts.parts_with("b", "big", &decimal("7.250")).page().await;
    assert_eq!(found.unwrap().items, [heavy.clone()]);
    let found = parts.parts_with("b", "big", &decimal("7.2")).page().await;
    assert_eq!(found.unwrap().items, []);
    let tags: BTreeSet<String> = ["big".to_owned(), "small".to_owned()].into();
    let found = parts.parts_tagged("b", &tags).page().await;
    assert_eq!(found.unwrap().items, [heavy.clone()]);
    let refinements = [
        PartRefined {
            price: decimal("2.50").into(),
            ..PartRefined::default()
        },
        PartRefined {
            tags: "big".to_owned().into(),
            ..PartRefined::default()
        },
        PartRefined {
            weights: decimal("7.25").into(),
            ..PartRefined::default()
        },
    ];
    for refined in refinements {
        let found = parts.parts("b").refined(&refined).page().await.unwrap();
        assert_eq!(found.items, [heavy.clone()], "{refined:?}");
        assert_eq!(parts.parts("b").refined(&refined).count().await.unwrap(), 1);
    }
}

#[tokio::test]
async fn a_patch_that_reads_nothing_stores_decimals_and_sets() {
    let (place, corners) = corners().await;
    corners.parts.items().insert(part("p")).await.unwrap();
    let key = PartKey::new("b", "p");
    let patch = ChangePart {
        price: Change::Set(decimal(LONG)),
        tags: Change::Set(["red".to_owned()].into()),
        weights: Change::Set(Some([decimal("0.5")].into())),
        ..ChangePart::default()
    };
    let after = corners.parts.change_part(&key, patch).await.unwrap();
    assert_eq!(after.price, decimal(LONG));
    let item = stored(&place, &corners, "BOX#b", "PART#p").await.unwrap();
    assert_eq!(item["price"], AttributeValue::N(LONG.to_owned()));
    assert_eq!(item["tags"], AttributeValue::Ss(vec!["red".to_owned()]));
    assert_eq!(item["weights"], AttributeValue::Ns(vec!["0.5".to_owned()]));
    let blue: BTreeSet<String> = ["blue".to_owned()].into();
    let at = async |price: &str| {
        let tags = Change::Set(blue.clone());
        let patch = ChangePartAt { tags };
        let price = decimal(price);
        corners.parts.change_part_at(&key, &price, patch).await
    };
    assert!(matches!(at("1").await, Err(Error::Refused { .. })));
    assert_eq!(at(LONG).await.unwrap().tags, blue);
}

#[tokio::test]
async fn a_set_patched_to_nothing_is_gone_unless_it_needs_a_member() {
    let (place, corners) = corners().await;
    corners.parts.items().insert(part("p")).await.unwrap();
    let key = PartKey::new("b", "p");
    let empty = ChangePart {
        tags: Change::Set(BTreeSet::new()),
        ..ChangePart::default()
    };
    let after = corners.parts.change_part(&key, empty).await.unwrap();
    assert_eq!(after.tags, BTreeSet::new());
    let item = stored(&place, &corners, "BOX#b", "PART#p").await.unwrap();
    assert!(!item.contains_key("tags"), "{item:?}");
    let empty = ChangePart {
        needs: Change::Set(BTreeSet::new()),
        ..ChangePart::default()
    };
    assert_eq!(
        invalid(corners.parts.change_part(&key, empty).await),
        "needs"
    );
    let after = stored(&place, &corners, "BOX#b", "PART#p").await.unwrap();
    assert_eq!(after, item, "nothing was written");
}

/// Neither the key of the table, which a local index has too, nor an attribute that another index needs is taken away.
#[tokio::test]
async fn a_patch_that_reads_nothing_moves_only_its_own_index_keys() {
    let (place, corners) = corners().await;
    let mut noted = part("p");
    noted.note = Some("n".to_owned());
    corners.parts.items().insert(noted).await.unwrap();
    let key = PartKey::new("b", "p");
    for stage in [Some(PartStage::New), Some(PartStage::Used), None] {
        let patch = StagePart {
            stage: Change::Set(stage),
        };
        let after = corners.parts.stage_part(&key, patch).await.unwrap();
        assert_eq!(after.stage, stage);
        let item = stored(&place, &corners, "BOX#b", "PART#p").await.unwrap();
        let sort = stage.map(|stage| text(&format!("STAGE#{stage}#p")));
        assert_eq!(item.get("GSI1SK"), sort.as_ref());
        assert_eq!(item.get("LSI1SK"), sort.as_ref());
        assert_eq!(item.get("BoxPK"), Some(&text("BOX#b")), "{stage:?}");
        let found = corners.parts.parts_noted("b").page().await.unwrap();
        assert_eq!(found.items, [after]);
    }
}

#[tokio::test]
async fn an_index_key_that_is_too_long_is_refused_before_it_is_sent() {
    let (place, corners) = corners().await;
    let mut long = part("p");
    long.note = Some("x".repeat(1020));
    assert_eq!(invalid(corners.parts.items().insert(long).await), "GSI2SK");
    // A field that is itself a key has the same limits.
    for unfit in ["x".repeat(1025), String::new()] {
        let mut made = part("p");
        made.maker = Some(unfit);
        assert_eq!(invalid(corners.parts.items().insert(made).await), "maker");
    }
    assert_eq!(stored(&place, &corners, "BOX#b", "PART#p").await, None);
    let before = corners.parts.items().insert(part("p")).await.unwrap();
    let key = PartKey::new("b", "p");
    let update = corners
        .parts
        .items()
        .update(&key, |part| part.note = Some("x".repeat(1020)))
        .await;
    assert_eq!(invalid(update), "GSI2SK");
    let after = corners.parts.items().read_strong(&key).await.unwrap();
    assert_eq!(after, Some(before));
    let fits = corners
        .parts
        .items()
        .update(&key, |part| part.note = Some("x".repeat(1019)));
    fits.await.unwrap();
}

#[tokio::test]
async fn a_range_that_ends_before_it_begins_is_empty() {
    let (_place, corners) = corners().await;
    corners.parts.items().insert(part("m")).await.unwrap();
    let between = |from, to| corners.parts.parts_between("b", from, to);
    assert_eq!(between("a", "z").count().await.unwrap(), 1);
    let page = between("z", "a").page().await.unwrap();
    assert_eq!((page.items, page.next), (vec![], None));
    assert_eq!(between("z", "a").count().await.unwrap(), 0);
    assert_eq!(between("z", "a").first().await.unwrap(), None);
    assert_eq!(between("z", "a").all().collect().await.unwrap(), []);
}

#[tokio::test]
async fn counting_takes_no_projection() {
    let (_place, corners) = corners().await;
    for name in ["p", "q"] {
        corners.parts.items().insert(part(name)).await.unwrap();
    }
    let mut other = part("r");
    other.tags = ["large".to_owned()].into();
    corners.parts.items().insert(other).await.unwrap();
    let prices = |tag: Option<&str>| {
        let refined = PartRefined {
            tags: tag.map(str::to_owned).into(),
            ..PartRefined::default()
        };
        corners.parts.part_prices("b").refined(&refined)
    };
    assert_eq!(prices(None).count().await.unwrap(), 3);
    assert_eq!(prices(Some("small")).count().await.unwrap(), 2);
    assert_eq!(prices(Some("small")).page().await.unwrap().items.len(), 2);
}
