//! Write sharding: which of `n` shards a value falls into. Stored keys depend on it, so it never changes.

/// The 64-bit FNV-1a hash of the UTF-8 bytes of `text`.
///
/// This is a contract: offset basis `0xcbf29ce484222325`, prime `0x100000001b3`, each byte first XORed,
/// then multiplied, wrapping. Keys in tables were written with it.
///
/// ```
/// assert_eq!(tablewright_keys::fnv1a_64("foobar"), 0x85944171f73967e8);
/// ```
pub fn fnv1a_64(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The shard, below `shards`, of a value's plain text form: its [`fnv1a_64`] modulo `shards`.
///
/// The plain form is the value before any other encoding: the text itself (lower-cased when the field is
/// also `lower`), an enum's spelling, an integer in decimal. Zero shards count as one.
pub fn shard_of(text: &str, shards: u16) -> u16 {
    let shard = fnv1a_64(text) % u64::from(shards.max(1));
    u16::try_from(shard).expect("a remainder is below its 16-bit divisor")
}

/// The texts of all shards, in order, as they stand in keys: what a reader that scatters has to ask for.
///
/// ```
/// let all: Vec<String> = tablewright_keys::shard_texts(11).collect();
/// assert_eq!((all[0].as_str(), all[10].as_str()), ("00", "10"));
/// ```
pub fn shard_texts(shards: u16) -> impl Iterator<Item = String> {
    let width = width_of(shards);
    (0..shards.max(1)).map(move |shard| format!("{shard:0width$}"))
}

pub(crate) fn width_of(shards: u16) -> usize {
    shards.saturating_sub(1).to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv1a_as_published() {
        let published = [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("b", 0xaf63_df4c_8601_f1a5),
            ("foo", 0xdcb2_7518_fed9_d577),
            ("foobar", 0x8594_4171_f739_67e8),
        ];
        for (text, hash) in published {
            assert_eq!(fnv1a_64(text), hash, "{text}");
        }
    }

    #[test]
    fn shards_of_stored_keys_never_change() {
        let stored = [
            ("", 16, 5),
            ("a", 16, 12),
            ("foobar", 16, 8),
            ("foobar", 1000, 968),
            ("foobar", 2, 0),
        ];
        for (text, shards, shard) in stored {
            assert_eq!(shard_of(text, shards), shard, "{text} of {shards}");
        }
    }

    #[test]
    fn shards_are_as_wide_as_the_highest() {
        assert_eq!(shard_texts(10).last().as_deref(), Some("9"));
        assert_eq!(shard_texts(16).next().as_deref(), Some("00"));
        assert_eq!(shard_texts(1000).last().as_deref(), Some("999"));
        assert_eq!(shard_texts(0).collect::<Vec<_>>(), ["0"]);
    }
}
