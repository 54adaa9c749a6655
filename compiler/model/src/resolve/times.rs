//! The rule a model has for the forms of its moments.

use super::Resolver;
use crate::field_type::{self, FieldType};
use crate::model::Times;
use crate::source::TimesSource;
use crate::span::Text;

impl Resolver<'_> {
    pub(super) fn times(&mut self, source: Option<&TimesSource>) -> Option<Times> {
        let (people, ranges) = match source? {
            TimesSource::One(form) => (form, form),
            TimesSource::ByUse(forms) => (&forms.people, &forms.ranges),
        };
        let form = self.form_of_time(people);
        // One form for both is looked at once: its fault is one.
        let other = if std::ptr::eq(people, ranges) {
            form.clone()
        } else {
            self.form_of_time(ranges)
        };
        Some(Times {
            people: (people.clone(), form?),
            ranges: (ranges.clone(), other?),
        })
    }

    fn form_of_time(&mut self, written: &Text) -> Option<FieldType> {
        let kind = field_type::parse(written.as_str())
            .ok()
            .filter(|parsed| !parsed.optional && parsed.default.is_none())
            .map(|parsed| parsed.kind)
            .filter(FieldType::is_moment);
        if kind.is_none() {
            self.fault(
                "bad-value",
                written.content(),
                format!("`{written}` is no form of a moment"),
                "it can be `timestamp`, `timestamp(s)`, `timestamp(us)`, `timestamp(any)`, `epoch_seconds` or `epoch_millis`",
            );
        }
        kind
    }
}
