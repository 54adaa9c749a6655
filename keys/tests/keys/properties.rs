//! What holds for every text and every value.

use proptest::prelude::*;
use tablewright_keys::bounds::after_prefix;
use tablewright_keys::{
    CharSet, Encodings, KeyValue, Precision, Shape, Template, TypedPiece, TypedTemplate,
    encode_piece, escape, fnv1a_64, shard_of, to_lower, unescape,
};

/// Text with many of the characters that matter.
fn nasty() -> impl Strategy<Value = String> {
    let nasty = prop_oneof![3 => proptest::sample::select("\0 !\"#$%20A~".chars().collect::<Vec<_>>()), 1 => any::<char>()];
    proptest::collection::vec(nasty, 0..6).prop_map(|chars| chars.into_iter().collect())
}

/// Text made of the pieces of templates.
fn template_like() -> impl Strategy<Value = String> {
    let words = [
        "{", "}", "{{", "}}", "a", "{a}", ":", "08", "desc", "shard(", "16", ")", "#", "$", "é",
        "\n", "{b:rank}", ".",
    ];
    proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..8)
        .prop_map(|words| words.concat())
}

fn fixed_shape() -> impl Strategy<Value = (Shape, String)> {
    let date = || {
        (0..=9999_u32, 1..=12_u32, 1..=31_u32).prop_map(|(y, m, d)| format!("{y:04}-{m:02}-{d:02}"))
    };
    let time = || {
        (date(), 0..24_u32, 0..60_u32, 0..60_u32)
            .prop_map(|(date, h, m, s)| format!("{date}T{h:02}:{m:02}:{s:02}"))
    };
    prop_oneof![
        date().prop_map(|text| (Shape::Date, text)),
        time().prop_map(|text| (Shape::Timestamp(Precision::Seconds), text + "Z")),
        (time(), 0..1000_u32).prop_map(|(text, ms)| (
            Shape::Timestamp(Precision::Millis),
            format!("{text}.{ms:03}Z")
        )),
        (time(), 0..1_000_000_u32).prop_map(|(text, us)| (
            Shape::Timestamp(Precision::Micros),
            format!("{text}.{us:06}Z")
        )),
        "[0-7][0-9A-HJKMNP-TV-Z]{25}".prop_map(|text| (Shape::Ulid, text)),
        "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}".prop_map(|text| (Shape::Uuid, text)),
    ]
}

fn uneven_shape() -> impl Strategy<Value = (Shape, String)> {
    prop_oneof![
        "2024-01-31T10:00:00(\\.[0-9]{1,9})?Z".prop_map(|text| (Shape::UnevenTimestamp, text)),
        "-?(0|[1-9][0-9]{0,5})(\\.[0-9]{0,3}[1-9])?".prop_map(|text| (Shape::Decimal, text)),
    ]
}

fn only(shape: Shape, encodings: Encodings) -> TypedTemplate {
    TypedTemplate {
        pieces: vec![TypedPiece::field("f", shape, encodings)],
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn escaping_is_reversed(text in nasty()) {
        let escaped = escape(&text);
        prop_assert!(escaped.chars().all(|c| c >= '$'));
        prop_assert_eq!(unescape(&escaped), Some(text));
    }

    #[test]
    fn only_escaped_text_is_unescaped(text in nasty()) {
        if let Some(value) = unescape(&text) {
            prop_assert_eq!(escape(&value), text);
        }
    }

    #[test]
    fn escaped_values_sort_like_the_values_whatever_follows(a in nasty(), b in nasty(), x in nasty(), y in nasty()) {
        let key = |value: &str, rest: &str| format!("{}#{rest}", escape(value));
        prop_assume!(a != b);
        prop_assert_eq!(key(&a, &x).cmp(&key(&b, &y)), a.cmp(&b));
        prop_assert_eq!(escape(&a).cmp(&escape(&b)), a.cmp(&b));
        prop_assert!(!key(&a, &x).starts_with(&key(&b, "")));
    }

    #[test]
    fn a_parsed_template_reads_back_from_its_text(text in prop_oneof![template_like(), any::<String>()]) {
        match Template::parse(&text) {
            Ok(template) => {
                let canonical = template.to_string();
                let again = Template::parse(&canonical).unwrap();
                prop_assert_eq!(again.to_string(), canonical);
                let names = |template: &Template| template.fields().map(|field| (field.name.clone(), field.encodings)).collect::<Vec<_>>();
                prop_assert_eq!(names(&again), names(&template));
                for field in template.fields() {
                    prop_assert_eq!(&text[field.name_span.clone()], &field.name);
                    let whole = &text[field.span.clone()];
                    let in_braces = whole.starts_with('{') && whole.ends_with('}');
                    prop_assert!(in_braces, "{}", whole);
                }
            }
            Err(errors) => {
                prop_assert!(!errors.is_empty());
                for error in errors {
                    prop_assert!(text.get(error.span.clone()).is_some(), "{:?}", error);
                    prop_assert!(!error.to_string().is_empty());
                }
            }
        }
    }

    #[test]
    fn the_end_of_a_prefix_is_above_all_its_keys(prefix in nasty(), rest in nasty(), other in nasty()) {
        if let Some(above) = after_prefix(&prefix) {
            let key = format!("{prefix}{rest}");
            prop_assert!(key < above);
            let is_in_range = prefix <= other && other < above;
            prop_assert_eq!(is_in_range, other.starts_with(&prefix));
        }
    }

    #[test]
    fn fixed_forms_are_encoded_reversed_and_decoded((shape, text) in fixed_shape(), (_, other) in fixed_shape()) {
        let value = KeyValue::Text(text.clone());
        for desc in [false, true] {
            let encodings = Encodings { desc, ..Encodings::default() };
            let encoded = encode_piece(&shape, &encodings, false, &value).unwrap();
            let decoded = only(shape.clone(), encodings).decode(&encoded).unwrap();
            prop_assert_eq!(&decoded["f"], &value);
            if let Ok(other_encoded) = encode_piece(&shape, &encodings, false, &KeyValue::Text(other.clone())) {
                let expected = if desc { other.cmp(&text) } else { text.cmp(&other) };
                prop_assert_eq!(encoded.cmp(&other_encoded), expected);
            }
        }
    }

    #[test]
    fn the_algebra_and_the_encoder_agree_on_every_form(
        (shape, mut text) in prop_oneof![fixed_shape(), uneven_shape()],
        at in any::<proptest::sample::Index>(),
        by in proptest::sample::select("0123456789-.:TZaAgIz#".chars().collect::<Vec<_>>()),
        edit in 0..3,
    ) {
        let at = at.index(text.len());
        match edit {
            0 => text.replace_range(at..=at, &by.to_string()),
            1 => text.insert(at, by),
            _ => drop(text.remove(at)),
        }
        let encoded = encode_piece(&shape, &Encodings::default(), false, &KeyValue::Text(text.clone()));
        let decodes = only(shape.clone(), Encodings::default()).decode(&text).is_some();
        prop_assert_eq!(encoded == Ok(text.clone()), decodes, "{:?} {}", shape, text);
    }

    #[test]
    fn integers_survive_and_padded_ones_sort(a in any::<i64>(), b in any::<i64>(), desc in any::<bool>()) {
        let plain = only(Shape::Integer { min: a.min(b), max: a.max(b) }, Encodings::default());
        let key = plain.render(|_| Some(a.into())).unwrap();
        prop_assert_eq!(plain.decode(&key).unwrap()["f"].clone(), KeyValue::Integer(a));

        let (a, b) = (a.saturating_abs(), b.saturating_abs());
        let encodings = Encodings { pad: Some(19), desc, ..Encodings::default() };
        let padded = only(Shape::Integer { min: a.min(b), max: a.max(b) }, encodings);
        let [key_a, key_b] = [a, b].map(|n| padded.render(|_| Some(n.into())).unwrap());
        prop_assert_eq!(padded.decode(&key_a).unwrap()["f"].clone(), KeyValue::Integer(a));
        prop_assert_eq!(key_a.cmp(&key_b), if desc { b.cmp(&a) } else { a.cmp(&b) });
    }

    #[test]
    fn exactly_the_integers_of_a_range_are_decoded(min in -1200..1200_i64, more in 0..1300_i64, pad in 0..5_u8, desc in any::<bool>(), probe in -2500..2500_i64) {
        let max = min + more;
        let pad = (pad > 0).then_some(pad);
        let encodings = Encodings { pad, desc: desc && pad.is_some(), ..Encodings::default() };
        let template = only(Shape::Integer { min, max }, encodings);
        let spelt = |n: i64| encode_piece(&Shape::Integer { min: i64::MIN, max: i64::MAX }, &encodings, false, &n.into());
        if let Ok(text) = spelt(probe) {
            prop_assert_eq!(template.decode(&text).is_some(), (min..=max).contains(&probe), "{}", text);
            prop_assert_eq!(template.decode(&format!("0{text}")), None);
        }
    }

    #[test]
    fn keys_of_many_fields_are_decoded(title in nasty(), note in nasty(), n in 0..100_i64, word in 0..3_usize) {
        let words = ["a#", "$", "a"].map(str::to_owned).to_vec();
        let text = Shape::Text { chars: CharSet::any(), min: 0, max: None };
        let template = Template::parse("T#{title}#{n:03:desc}#{word:rank}#{note}").unwrap();
        let typed = template.typed(|field| Some(match field {
            "n" => Shape::Integer { min: 0, max: 99 },
            "word" => Shape::OneOf(words.clone()),
            _ => text.clone(),
        })).unwrap();
        let value_of = |field: &str| Some(match field {
            "title" => title.as_str().into(),
            "n" => n.into(),
            "word" => words[word].as_str().into(),
            _ => note.as_str().into(),
        });
        let key = typed.render(value_of).unwrap();
        let values = typed.decode(&key).unwrap();
        prop_assert_eq!(values.len(), 4);
        for (field, value) in values {
            prop_assert_eq!(Some(value), value_of(&field));
        }
    }

    #[test]
    fn lowering_keeps_the_length_and_shards_stay_below_their_number(text in any::<String>(), shards in 1..=1000_u16) {
        prop_assert_eq!(to_lower(&text).chars().count(), text.chars().count());
        prop_assert!(shard_of(&text, shards) < shards);
        prop_assert_eq!(u64::from(shard_of(&text, shards)), fnv1a_64(&text) % u64::from(shards));
    }
}
