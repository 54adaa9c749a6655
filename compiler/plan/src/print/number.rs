//! Numbers as people write them.

/// A number as it is, without zeros behind the point.
pub fn exact(number: f64) -> String {
    format!("{number}")
}

/// A number of units: no zeros behind the point, and no more than two digits there. Units are sums of halves; what a division leaves
/// behind the second place says nothing.
pub fn units(units: f64) -> String {
    exact((units * 100.0).round() / 100.0)
}

/// A whole number with its thousands apart: `1,234,567`.
pub fn thousands(number: u64) -> String {
    with_commas(&number.to_string())
}

/// A number with its thousands apart, and as many digits behind the point as it has.
pub fn grouped(number: &str) -> String {
    match number.split_once('.') {
        Some((whole, fraction)) => format!("{}.{fraction}", with_commas(whole)),
        None => with_commas(number),
    }
}

fn with_commas(digits: &str) -> String {
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_as_people_write_them() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(100), "100");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(units(0.5), "0.5");
        assert_eq!(units(13.0), "13");
        assert_eq!(units(1.0 / 3.0), "0.33");
        assert_eq!(units(0.1 + 0.2), "0.3");
        assert_eq!(exact(0.001), "0.001");
        assert_eq!(grouped("768000.5"), "768,000.5");
        assert_eq!(grouped("1000"), "1,000");
    }
}
