//! What a person relies on, one sentence each.

use tablewright_keys::algebra::{
    WhyUnordered, ambiguity, can_be_equal, order, order_upto, prefix_can_match,
};
use tablewright_keys::{CharSet, Precision, Shape, Template, TypedTemplate};

/// A template over the fields of a small model.
fn keys(text: &str) -> TypedTemplate {
    let words = |words: &[&str]| Shape::OneOf(words.iter().map(|&word| word.to_owned()).collect());
    let shape_of = |field: &str| {
        Some(match field.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "id" => Shape::Text {
                chars: CharSet::ascii_id(),
                min: 1,
                max: Some(36),
            },
            "text" => Shape::Text {
                chars: CharSet::any(),
                min: 1,
                max: Some(200),
            },
            "maybe" => Shape::Text {
                chars: CharSet::any(),
                min: 0,
                max: Some(200),
            },
            "count" => Shape::Integer {
                min: 0,
                max: 999_999,
            },
            "digit" => Shape::Integer { min: 0, max: 9 },
            "status" => words(&["todo", "doing", "done"]),
            "level" => words(&["low", "lower", "lowest"]),
            "day" => Shape::Date,
            "at" => Shape::Timestamp(Precision::Millis),
            "when" => Shape::UnevenTimestamp,
            "ulid" => Shape::Ulid,
            "uuid" => Shape::Uuid,
            "price" => Shape::Decimal,
            _ => return None,
        })
    };
    let template = Template::parse(text).expect("well formed");
    template.typed(shape_of).expect("every field has a shape")
}

fn meet(a: &str, b: &str) -> Option<String> {
    can_be_equal(&keys(a), &keys(b))
}

fn why_unordered(text: &str) -> Option<WhyUnordered> {
    order(&keys(text)).err().map(|broken| broken.why)
}

#[test]
fn different_prefixes_never_meet() {
    assert_eq!(meet("USER#{id}", "TEAM#{id}"), None);
    assert_eq!(meet("USER#{text}", "USERS#{text}"), None);
}

#[test]
fn an_entity_without_prefix_meets_every_other() {
    assert_eq!(
        meet("{text:raw}", "TEAM#{digit}").as_deref(),
        Some("TEAM#0")
    );
    assert_eq!(
        meet("{text}", "TEAM#{digit}"),
        None,
        "the escaped text has no delimiter"
    );
}

#[test]
fn a_prefix_user_never_meets_user_ten() {
    let closed = [keys("USER#1#"), keys("USER#10#{id}")];
    assert!(!prefix_can_match(&closed[0], &closed[1]));
    let open = keys("USER#1");
    assert!(
        prefix_can_match(&open, &closed[1]),
        "without the delimiter it does"
    );
}

#[test]
fn a_closed_prefix_finds_its_own_keys() {
    assert!(prefix_can_match(&keys("A#{id}#"), &keys("A#{id}#{status}")));
    assert!(prefix_can_match(&keys("A#"), &keys("A#{maybe}")));
    assert!(prefix_can_match(&keys("A#x"), &keys("A#{id}")));
    assert!(!prefix_can_match(&keys("A#{id}#"), &keys("A#{id}")));
    assert!(!prefix_can_match(&keys("A#lowestest"), &keys("A#{level}")));
}

#[test]
fn two_forms_of_time_meet_only_where_they_look_alike() {
    assert_eq!(meet("{day}", "{at}"), None);
    assert!(meet("{when}", "{at}").is_some());
    assert_eq!(meet("{day}", "{day:desc}"), None, "no month is 87 to 98");
    assert_eq!(meet("{uuid}", "{ulid}"), None);
    assert!(meet("{uuid}", "{id}").is_some());
    assert_eq!(
        meet("{ulid}", "{ulid:desc}"),
        None,
        "the first character is 0 to 7, its opposite is not"
    );
}

#[test]
fn numbers_of_another_width_never_meet() {
    assert_eq!(meet("{count:06}", "{count:07}"), None);
    assert_eq!(
        meet("{count:07}", "9999999"),
        None,
        "only 999999 is the greatest"
    );
    assert_eq!(meet("{count:07}", "0999999").as_deref(), Some("0999999"));
    assert_eq!(meet("{count}", "0999999"), None);
    assert!(meet("{price}", "{count}").is_some());
}

#[test]
fn a_shard_is_a_number_below_its_count() {
    assert_eq!(meet("{id:shard(16)}", "15").as_deref(), Some("15"));
    assert_eq!(meet("{id:shard(16)}", "16"), None);
    assert_eq!(meet("{id:shard(16)}", "7"), None);
}

#[test]
fn lower_case_keys_have_no_upper_case() {
    assert_eq!(meet("{id:lower}", "A"), None);
    assert_eq!(meet("{id:lower}", "a").as_deref(), Some("a"));
}

#[test]
fn an_escape_counts_as_the_one_character_it_stands_for() {
    let two = Shape::Text {
        chars: CharSet::any(),
        min: 1,
        max: Some(2),
    };
    let typed = |text: &str| {
        Template::parse(text)
            .unwrap()
            .typed(|_| Some(two.clone()))
            .unwrap()
    };
    let escaped = |text: &str| TypedTemplate {
        pieces: vec![tablewright_keys::TypedPiece::Literal(text.into())],
    };
    assert!(can_be_equal(&typed("{a}"), &escaped("$20$20")).is_some());
    assert_eq!(can_be_equal(&typed("{a}"), &escaped("$20$20$20")), None);
    assert_eq!(
        can_be_equal(&typed("{a}"), &escaped("$25")),
        None,
        "`%` is not escaped"
    );
}

#[test]
fn a_text_that_starts_later_still_has_room() {
    // Six letters are three and three, or four and two: found only if starting the second text late is
    // not taken for having started it early.
    let typed = |first: &[&str], min| {
        let first = Shape::OneOf(first.iter().map(|&word| word.to_owned()).collect());
        let second = Shape::Text {
            chars: CharSet::from_chars("a"),
            min,
            max: Some(3),
        };
        let shape_of = |field: &str| {
            Some(if field == "x" {
                first.clone()
            } else {
                second.clone()
            })
        };
        Template::parse("{x}{y}#").unwrap().typed(shape_of).unwrap()
    };
    let (left, right) = (typed(&["a", "aaa"], 3), typed(&["", "aaaa"], 1));
    assert_eq!(can_be_equal(&left, &right).as_deref(), Some("aaaaaa#"));
    assert_eq!(can_be_equal(&right, &left).as_deref(), Some("aaaaaa#"));
}

#[test]
fn delimited_and_escaped_is_never_ambiguous() {
    for text in [
        "{text}#{text2}",
        "A#{maybe}#{maybe2}#{count}",
        "{id}#{text}",
        "{count}{status}",
        "{digit}{digit2}",
    ] {
        assert_eq!(ambiguity(&keys(text)), None, "{text}");
    }
}

#[test]
fn without_delimiter_or_escape_a_key_has_two_readings() {
    let found = ambiguity(&keys("{id}{id2}")).unwrap();
    assert_eq!(
        found.to_string(),
        "the key `aaa` is both id = `aa`, id2 = `a` and id = `a`, id2 = `aa`"
    );
    assert!(ambiguity(&keys("{text:raw}#{text2:raw}")).is_some());
    assert_eq!(
        ambiguity(&keys("{id:raw}#{text:raw}")),
        None,
        "an identifier has no delimiter"
    );
    assert!(ambiguity(&keys("{count}{count2}")).is_some());
    assert!(ambiguity(&keys("{level}{status}")).is_none());
}

#[test]
fn delimited_keys_sort_like_their_values() {
    for text in [
        "A#{text}#{text2}",
        "A#{maybe}#{count:06}",
        "{status}#{at}#{id}",
        "{status:rank}#{at:desc}#{id}",
        "{ulid}{uuid}{day:desc}",
        "{digit}#{level}",
        "{text}",
    ] {
        assert_eq!(order(&keys(text)), Ok(()), "{text}");
    }
}

#[test]
fn a_piece_that_does_not_sort_is_named_with_its_reason() {
    assert_eq!(
        why_unordered("A#{count}"),
        Some(WhyUnordered::UnpaddedNumber)
    );
    assert_eq!(
        why_unordered("A#{when}"),
        Some(WhyUnordered::UnevenTimestamp)
    );
    assert_eq!(why_unordered("A#{price}"), Some(WhyUnordered::Decimal));
    assert_eq!(
        why_unordered("{id:shard(4)}#{id}"),
        Some(WhyUnordered::Hash)
    );
    assert_eq!(why_unordered("{id:lower}"), Some(WhyUnordered::Case));
    let broken = order(&keys("A#{id}#{count}")).unwrap_err();
    assert_eq!((broken.piece, broken.field.as_str()), (3, "count"));
}

#[test]
fn a_delimiter_above_the_continuation_breaks_the_order() {
    let Some(WhyUnordered::Continuation { smaller, greater }) = why_unordered("{id}|{id2}") else {
        panic!("`-` sorts below `|`");
    };
    assert!(smaller > greater, "{smaller} and {greater}");
    let broken = order(&keys("{id}|{id2}")).unwrap_err();
    assert!(broken.to_string().contains("`#`"), "{broken}");
    assert!(
        why_unordered("{level}x{id}").is_some(),
        "lowx sorts after lower, which is greater"
    );
    assert_eq!(why_unordered("{level}a{id}"), None);
    assert!(
        why_unordered("{level}e").is_none(),
        "equal characters are compared further"
    );
    assert!(why_unordered("{level}f").is_some());
}

#[test]
fn order_of_the_first_pieces_needs_only_them() {
    let template = keys("{status}#{at}#{count}");
    assert!(order(&template).is_err());
    assert_eq!(order_upto(&template, 4), Ok(()));
    assert_eq!(order_upto(&template, 0), Ok(()));
    assert!(
        order_upto(&keys("{id}|"), 1).is_err(),
        "what follows still counts"
    );
}

#[test]
fn a_template_without_keys_is_beyond_reproach() {
    let nothing = Template::parse("{n}")
        .unwrap()
        .typed(|_| Some(Shape::OneOf(Vec::new())))
        .unwrap();
    assert_eq!(can_be_equal(&nothing, &nothing), None);
    assert!(!prefix_can_match(&nothing, &nothing) && !prefix_can_match(&keys("A"), &nothing));
    assert_eq!(ambiguity(&nothing), None);
    assert_eq!(order(&nothing), Ok(()));
    assert_eq!(nothing.decode(""), None);
}

#[test]
fn a_template_without_pieces_has_the_empty_key() {
    let empty = TypedTemplate { pieces: Vec::new() };
    assert_eq!(can_be_equal(&empty, &empty).as_deref(), Some(""));
    assert!(prefix_can_match(&empty, &keys("A#{id}")));
    assert_eq!((ambiguity(&empty), order(&empty)), (None, Ok(())));
    assert_eq!(empty.decode("").map(|values| values.len()), Some(0));
}
