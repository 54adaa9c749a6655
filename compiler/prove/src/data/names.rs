//! Identifiers and addresses.

use super::chance::Chance;
use super::text;

pub(super) fn id(wild: bool, chance: &mut Chance) -> String {
    if !wild {
        return format!("{:012x}", chance.next() >> 16);
    }
    let base = format!("{:08x}", chance.next() >> 32);
    match chance.below(5) {
        0 => text::fitted(&base, 128, 128),
        1 => format!("{base}:{}", text::word(chance)),
        2 => format!("~{base}|/+=@"),
        3 => base.to_uppercase(),
        _ => base.chars().take(5).collect(),
    }
}

pub(super) fn uuid(chance: &mut Chance) -> String {
    let (a, b) = (chance.next(), chance.next());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        a >> 32,
        (a >> 16) & 0xffff,
        a & 0xfff,
        0x8000 | (b >> 50),
        b & 0xffff_ffff_ffff
    )
}

pub(super) fn ulid(millis: i64, chance: &mut Chance) -> String {
    const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let time = u128::from(millis.unsigned_abs() & 0xffff_ffff_ffff) << 80;
    let rest = (u128::from(chance.next()) << 16) | u128::from(chance.next() & 0xffff);
    let bits = time | rest;
    let digits = (0..26)
        .rev()
        .map(|place| CROCKFORD[((bits >> (place * 5)) & 31) as usize]);
    digits.map(char::from).collect()
}

pub(super) fn email(wild: bool, chance: &mut Chance) -> String {
    let number = chance.next() >> 44;
    let name = text::word(chance);
    if !wild {
        return format!("{name}.{number:x}@example.org");
    }
    match chance.below(5) {
        0 => format!("{}+{number:X}@Example.ORG", name.to_uppercase()),
        1 => format!("{name}#{number:x}@example.org"),
        2 => format!("{name}.\u{e9}{number:x}@ex\u{e4}mple.org"),
        3 => {
            let long = text::fitted(&format!("{number:x}"), 242, 242);
            format!("{long}@example.org")
        }
        _ => format!("$'{number:x}'@a.b"),
    }
}
