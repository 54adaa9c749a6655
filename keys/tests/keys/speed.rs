//! Length bounds must not multiply: the checker compares every entity with every other.

use std::time::{Duration, Instant};

use tablewright_keys::algebra::{ambiguity, can_be_equal, order, prefix_can_match};
use tablewright_keys::{CharSet, Shape, Template, TypedTemplate};

fn long_text(text: &str) -> TypedTemplate {
    let shape = Shape::Text {
        chars: CharSet::any(),
        min: 1,
        max: Some(1000),
    };
    let template = Template::parse(text).expect("well formed");
    template.typed(|_| Some(shape.clone())).expect("typed")
}

#[test]
fn long_texts_are_compared_quickly() {
    let templates = [
        "{a}#{b}#X",
        "{a}#{b}#Y",
        "A#{a}",
        "{a:raw}{b:raw}#X",
        "{a:raw}{b:raw}#Y",
        "{a:raw}#{b:raw}#{c:raw}#{d:raw}",
    ]
    .map(long_text);
    let start = Instant::now();
    for a in &templates {
        for b in &templates {
            can_be_equal(a, b);
            prefix_can_match(a, b);
        }
        let _ = (ambiguity(a), order(a));
    }
    // 84 questions; each takes about a millisecond in a debug build.
    let took = start.elapsed();
    assert!(took < Duration::from_secs(4), "{took:?}");
}

#[test]
fn text_of_one_exact_length_is_compared_quickly() {
    let shape = Shape::Text {
        chars: CharSet::ascii_id(),
        min: 1000,
        max: Some(1000),
    };
    let typed = |text: &str| {
        Template::parse(text)
            .unwrap()
            .typed(|_| Some(shape.clone()))
            .unwrap()
    };
    let start = Instant::now();
    assert_eq!(can_be_equal(&typed("{a}#{b}#X"), &typed("{a}#{b}#Y")), None);
    assert_eq!(ambiguity(&typed("{a}{b}")), None);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
}

/// The worst case: every offset between two counted texts has to be looked at.
#[test]
fn adjacent_texts_with_a_least_length_are_compared_in_bounded_time() {
    let shape = Shape::Text {
        chars: CharSet::ascii_id(),
        min: 250,
        max: Some(500),
    };
    let typed = |text: &str| {
        Template::parse(text)
            .unwrap()
            .typed(|_| Some(shape.clone()))
            .unwrap()
    };
    let start = Instant::now();
    assert_eq!(can_be_equal(&typed("{a}{b}#X"), &typed("{a}{b}#Y")), None);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(4), "{took:?}");
}
