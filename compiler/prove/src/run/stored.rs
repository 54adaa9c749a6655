//! Items as they are stored: how many bytes, and in which partition.

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::Item;
use tablewright::descriptor::Read;

use super::bench::Bench;
use crate::Record;

impl Bench<'_> {
    /// The bytes an item is stored in; none where it cannot be.
    pub(super) fn stored_bytes(&self, record: &Record) -> Option<u64> {
        let item = self.composed(record)?;
        let bytes = item
            .iter()
            .map(|(name, value)| name.len() + bytes_of(value));
        Some(bytes.sum::<usize>() as u64)
    }

    /// The partition an item is in, where a read looks for it; none where it is in none.
    pub(super) fn partition_of(&self, record: &Record, read: &Read) -> Option<String> {
        let item = self.composed(record)?;
        let partition = item.get(&read.partition.0.name)?;
        partition.as_s().ok().cloned()
    }

    /// An item as it is stored; none where it cannot be.
    fn composed(&self, record: &Record) -> Option<Item> {
        let items = self.items(record.entity());
        let fields = items.fields(&record.fields(self.model)).ok()?;
        items.composed(fields).ok()
    }
}

/// As DynamoDB counts them.
fn bytes_of(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(number) => bytes_of_number(number),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::Ss(texts) => texts.iter().map(String::len).sum(),
        AttributeValue::Ns(numbers) => numbers.iter().map(|one| bytes_of_number(one)).sum(),
        AttributeValue::Bs(all) => all.iter().map(|bytes| bytes.as_ref().len()).sum(),
        AttributeValue::L(values) => 3 + values.iter().map(|one| 1 + bytes_of(one)).sum::<usize>(),
        AttributeValue::M(values) => {
            let values = values.iter();
            3 + values
                .map(|(name, one)| 1 + name.len() + bytes_of(one))
                .sum::<usize>()
        }
        _ => 1,
    }
}

/// Two digits to a byte before the point and behind it, and one more; one more again below zero. Zeros at the end, which are not counted, may be other
/// digits when the item is written, as in the moment of the write.
fn bytes_of_number(number: &str) -> usize {
    let is_below_zero = number.starts_with('-');
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| {
        text.chars()
            .filter(char::is_ascii_digit)
            .count()
            .div_ceil(2)
    };
    digits(whole) + digits(part) + 1 + usize::from(is_below_zero)
}
