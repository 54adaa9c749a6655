//! Texts as long as keys can be are answered about like short ones. What that takes is measured in `bench/`.

use tablewright_keys::algebra::{ambiguity, can_be_equal, order, prefix_can_match};
use tablewright_keys::{CharSet, Shape, Template, TypedTemplate};

fn typed(text: &str, chars: CharSet, min: u32, max: u32) -> TypedTemplate {
    let shape = Shape::Text {
        chars,
        min,
        max: Some(max),
    };
    let template = Template::parse(text).expect("well formed");
    template.typed(|_| Some(shape.clone())).expect("typed")
}

#[test]
fn delimited_texts_of_a_thousand_characters() {
    let long = |text| typed(text, CharSet::any(), 1, 1000);
    assert_eq!(can_be_equal(&long("{a}#{b}#X"), &long("{a}#{b}#Y")), None);
    assert!(can_be_equal(&long("A#{a}"), &long("{a}#{b}")).is_some());
    assert!(prefix_can_match(&long("{a}#"), &long("{a}#{b}#X")));
    assert_eq!(ambiguity(&long("{a}#{b}#X")), None);
    assert_eq!(order(&long("{a}#{b}#X")), Ok(()));
    assert!(ambiguity(&long("{a:raw}{b:raw}#X")).is_some());
}

#[test]
fn texts_of_one_exact_length() {
    let exact = |text| typed(text, CharSet::ascii_id(), 1000, 1000);
    assert_eq!(can_be_equal(&exact("{a}#{b}#X"), &exact("{a}#{b}#Y")), None);
    assert_eq!(ambiguity(&exact("{a}{b}")), None);
}

/// The worst case: every offset between two counted texts has to be looked at.
#[test]
fn adjacent_texts_with_a_least_length() {
    let adjacent = |text| typed(text, CharSet::ascii_id(), 250, 500);
    assert_eq!(
        can_be_equal(&adjacent("{a}{b}#X"), &adjacent("{a}{b}#Y")),
        None
    );
}
