//! Pages as full as a plan reckons with.

use aws_sdk_dynamodb::types::AttributeValue;

use super::bench::Bench;
use super::error::ProveError;
use super::verdict::Account;
use super::{Course, reader};
use crate::deeds::Filler;
use crate::{Oracle, Population, Question, Record};

impl Course<'_> {
    /// Somebody new for every list, with as many items of the declared size as a page takes: asked about them, a list costs the most there is, however
    /// few items the rest have. It is asked with all other questions. Where a page is read from several shards, each would need as many.
    pub(super) async fn fill_pages(
        &self,
        oracle: &mut Oracle<'_>,
        population: &Population,
        mut questions: Vec<Vec<Question>>,
        accounts: &mut [Account],
    ) -> Result<Vec<Vec<Question>>, ProveError> {
        let bench = &self.bench;
        let measure = |record: &Record| bench.stored_bytes(record);
        let seed = self.settings.seed;
        let mut filler = Filler::new(bench.model, oracle, population, seed, &measure);
        for (position, access) in bench.model.accesses.iter().enumerate() {
            let plan = bench.plans[position].read();
            let is_sharded = plan.is_some_and(|plan| plan.requests > 1);
            if is_sharded || reader(bench, position).is_none() {
                continue;
            }
            let asked = &mut questions[position];
            let Some(page) = filler.full_page(access, oracle, asked) else {
                continue;
            };
            let unstored = bench.create(&page.made, &|_, _| {}).await?;
            accounts[position].note_unstored(bench.model, access, &unstored, &page.made);
            for record in page.made {
                oracle.insert(record);
            }
            asked.push(page.question);
        }
        Ok(questions)
    }
}

impl Bench<'_> {
    /// The bytes an item is stored in; none where it cannot be.
    fn stored_bytes(&self, record: &Record) -> Option<u64> {
        let items = self.items(record.entity());
        let fields = items.fields(&record.fields(self.model)).ok()?;
        let item = items.composed(fields).ok()?;
        let bytes = item
            .iter()
            .map(|(name, value)| name.len() + bytes_of(value));
        Some(bytes.sum::<usize>() as u64)
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
