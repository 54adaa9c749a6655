use super::{Encodings, TemplateErrorKind as Kind};

/// Adds one word to the encodings of a field, which were set by the words `earlier`.
pub(super) fn add_encoding(
    encodings: &mut Encodings,
    word: &str,
    earlier: &[&str],
) -> Result<(), Kind> {
    let added = read_encoding(word)?;
    for (index, other) in earlier.iter().enumerate() {
        let known = read_encoding(other)?;
        if same_encoding(&known, &added) {
            return Err(Kind::RepeatedEncoding(word.to_owned()));
        }
        if !go_together(&known, &added) {
            let first = earlier[index].to_owned();
            return Err(Kind::ConflictingEncodings {
                first,
                second: word.to_owned(),
            });
        }
    }
    *encodings = Encodings {
        pad: encodings.pad.or(added.pad),
        rank: encodings.rank || added.rank,
        desc: encodings.desc || added.desc,
        lower: encodings.lower || added.lower,
        shard: encodings.shard.or(added.shard),
        raw: encodings.raw || added.raw,
    };
    Ok(())
}

/// One word as the only encoding it sets.
fn read_encoding(word: &str) -> Result<Encodings, Kind> {
    let none = Encodings::default();
    match word {
        "rank" => Ok(Encodings { rank: true, ..none }),
        "desc" => Ok(Encodings { desc: true, ..none }),
        "lower" => Ok(Encodings {
            lower: true,
            ..none
        }),
        "raw" => Ok(Encodings { raw: true, ..none }),
        _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
            let width = word
                .strip_prefix('0')
                .and_then(|width| number(width, 1..=19));
            let pad = width.and_then(|width| u8::try_from(width).ok());
            pad.map(|pad| Encodings {
                pad: Some(pad),
                ..none
            })
            .ok_or_else(|| Kind::BadPad(word.to_owned()))
        }
        _ if word == "shard" || word.starts_with("shard(") => {
            let count = word
                .strip_prefix("shard(")
                .and_then(|rest| rest.strip_suffix(')'));
            let shard = count.and_then(|count| number(count, 2..=1000));
            shard
                .map(|shard| Encodings {
                    shard: Some(shard),
                    ..none
                })
                .ok_or_else(|| Kind::BadShard(word.to_owned()))
        }
        _ => Err(Kind::UnknownEncoding(word.to_owned())),
    }
}

/// A number without sign or leading zero: each width and each count is written in one way only.
fn number(text: &str, allowed: std::ops::RangeInclusive<u16>) -> Option<u16> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse()
        .ok()
        .filter(|number| plain && allowed.contains(number))
}

fn same_encoding(a: &Encodings, b: &Encodings) -> bool {
    (a.pad.is_some() && b.pad.is_some())
        || (a.shard.is_some() && b.shard.is_some())
        || (a.rank && b.rank)
        || (a.desc && b.desc)
        || (a.lower && b.lower)
        || (a.raw && b.raw)
}

/// Whether some shape takes both: `desc` needs a fixed width, a shard hashes the plain text, `lower` and
/// `raw` are for text.
fn go_together(a: &Encodings, b: &Encodings) -> bool {
    let pair = |x: &Encodings, y: &Encodings| {
        (x.desc && (y.pad.is_some() || y.rank)) || (x.lower && (y.raw || y.shard.is_some()))
    };
    pair(a, b) || pair(b, a)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::Template;

    fn first_problem(text: &str) -> (Range<usize>, Kind) {
        let error = Template::parse(text).unwrap_err().remove(0);
        (error.span, error.kind)
    }

    #[test]
    fn the_canonical_text_has_encodings_in_one_order() {
        for (written, canonical) in [
            ("{n:desc:08}", "{n:08:desc}"),
            ("{p:desc:rank}", "{p:rank:desc}"),
            ("{e:shard(16):lower}", "{e:lower:shard(16)}"),
            ("{e:raw:lower}", "{e:lower:raw}"),
            ("{n:012}", "{n:012}"),
        ] {
            assert_eq!(Template::parse(written).unwrap().to_string(), canonical);
        }
    }

    #[test]
    fn encodings_are_known_and_in_range() {
        assert_eq!(
            first_problem("{a:dsc}"),
            (3..6, Kind::UnknownEncoding("dsc".into()))
        );
        assert_eq!(
            first_problem("{a:}"),
            (2..3, Kind::UnknownEncoding(String::new()))
        );
        for bad in ["8", "0", "00", "020", "008", "0x", "099999999999"] {
            assert_eq!(
                first_problem(&format!("{{a:{bad}}}")).1,
                Kind::BadPad(bad.into())
            );
        }
        for bad in [
            "shard",
            "shard()",
            "shard(1)",
            "shard(1001)",
            "shard(x)",
            "shard(+4)",
            "shard(4",
        ] {
            assert_eq!(
                first_problem(&format!("{{a:{bad}}}")).1,
                Kind::BadShard(bad.into())
            );
        }
        assert!(Template::parse("{a:019}{b:01}{c:shard(2)}{d:shard(1000)}").is_ok());
    }

    #[test]
    fn encodings_must_go_together() {
        assert_eq!(
            first_problem("{a:08:09}"),
            (6..8, Kind::RepeatedEncoding("09".into()))
        );
        for (first, second) in [
            ("08", "rank"),
            ("shard(4)", "desc"),
            ("rank", "shard(4)"),
            ("lower", "08"),
            ("raw", "desc"),
        ] {
            let conflict = Kind::ConflictingEncodings {
                first: first.into(),
                second: second.into(),
            };
            assert_eq!(
                first_problem(&format!("{{a:{first}:{second}}}")).1,
                conflict
            );
        }
    }
}
