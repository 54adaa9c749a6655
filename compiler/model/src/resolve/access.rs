//! Access patterns.

use super::Resolver;
use super::tables::setting;
use crate::model::*;
use crate::source::{AccessSource, Entries};
use crate::span::{Spanned, Text};
use crate::suggest;

/// Items a page when a pattern does not say.
const PAGE: u64 = 20;
/// More items than this no page should look at.
const MOST_LOOKED_AT: u64 = 100_000;
/// More requests a second than any table takes.
const MOST_REQUESTS: f64 = 1e9;

impl Resolver<'_> {
    pub(super) fn accesses(
        &mut self,
        sources: &Entries<AccessSource>,
        model: &Model,
    ) -> Vec<Access> {
        let mut accesses = Vec::with_capacity(sources.0.len());
        for (name, source) in sources.iter() {
            accesses.extend(self.access(name, source, model));
        }
        accesses
    }

    fn access(&mut self, name: &Text, source: &AccessSource, model: &Model) -> Option<Access> {
        let snake = name
            .value
            .starts_with(|first: char| first.is_ascii_lowercase())
            && name
                .value
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !snake {
            self.fault(
                "bad-value",
                name.span,
                format!("`{name}` cannot be the name of an access pattern"),
                "use lower-case letters, digits and `_`, as in `tasks_by_status`",
            );
        }
        let verb = self.verb(name, source, model)?;
        let entity = model.entity(verb.entity().id);
        self.unfit(&verb, source);
        let page = setting(source.page, PAGE);
        let (budget, finding_budget) = self.budgets(&verb, source.budget.as_ref());
        if let Some(said) = page.said
            && !(1..=1000).contains(&page.value)
        {
            self.fault(
                "bad-value",
                said,
                "a page has 1 to 1000 items",
                "write a number from 1 to 1000",
            );
        } else if let (Some(looks_at), Verb::List(_), false) =
            (source.looks_at, &verb, source.is_by_hand())
        {
            self.looked_at(looks_at, page.value, source);
        }
        if let Some(keeps) = source.keeps
            && !(0.0..=1.0).contains(&keeps.value)
        {
            self.fault(
                "bad-value",
                keeps.span,
                "`keeps` is a share",
                "write a number from 0 to 1",
            );
        }
        if let Some(rate) = source.rate
            && !(0.0..=MOST_REQUESTS).contains(&rate.value)
        {
            self.fault(
                "bad-value",
                rate.span,
                "`rate` is requests a second",
                "write a number from 0 to 1,000,000,000",
            );
        }
        let range = source
            .range
            .as_ref()
            .and_then(|range| self.range(entity, range));
        let by = self.all_known(entity, &source.by);
        if let Verb::List(entities) = &verb
            && entities.len() > 1
        {
            self.in_all_entities(&entities[1..], source, model);
        }
        let relies_on = self.access_names(&source.relies_on);
        let sees = self.access_names(&source.sees);
        let for_each = source
            .for_each
            .as_ref()
            .and_then(|name| self.access_name(name));
        Some(Access {
            name: name.clone(),
            ask: source.ask.clone(),
            by,
            range,
            condition: source
                .r#where
                .as_ref()
                .and_then(|text| self.condition(entity, text)),
            refine: self.all_known(entity, &source.refine),
            looks_at: source.looks_at.map(|looks_at| looks_at.value),
            order: source
                .order
                .as_ref()
                .and_then(|order| self.order(entity, order)),
            page,
            fields: self.all_known(entity, &source.fields),
            consistency: setting(source.consistency, Consistency::Eventual),
            idempotent: source
                .idempotent
                .as_ref()
                .and_then(|name| self.entity_ref(name)),
            relies_on,
            retried: source
                .retried
                .filter(|retried| retried.value)
                .map(|retried| retried.span),
            sees,
            for_each,
            by_hand: self.by_hand(entity, source, model),
            services: self.services(name, source.services.as_deref()),
            rate: source.rate.map(|rate| rate.value),
            returns: source.returns.map(|returns| returns.value),
            keeps: source.keeps.map(|keeps| keeps.value),
            budget,
            finding_budget,
            allow: self.allow(&source.allow),
            verb,
        })
    }

    /// A page looks at as many as it has at least, and there is something that filters.
    fn looked_at(&mut self, looks_at: Spanned<u64>, page: u64, source: &AccessSource) {
        let most = MOST_LOOKED_AT;
        if source.refine.is_empty() && source.r#where.is_none() {
            self.fault(
                "unknown-key",
                looks_at.span,
                "`looks_at` bounds what a filter drops, and nothing filters",
                "name the fields callers may filter by: refine = [\"status\"]; or remove it",
            );
        } else if !(page..=most).contains(&looks_at.value) {
            self.fault(
                "bad-value",
                looks_at.span,
                format!("a page looks at {page} items, as many as it has, to {most}"),
                format!("write a number from {page} to {most}"),
            );
        }
    }

    /// What is asked of a collection is asked of every entity in it.
    fn in_all_entities(&mut self, entities: &[EntityRef], source: &AccessSource, model: &Model) {
        for entity in entities.iter().map(|entity| model.entity(entity.id)) {
            for name in &source.by {
                if entity.field_named(name.as_str()).is_none() {
                    self.fault(
                        "unknown-name",
                        name.content(),
                        format!("`{name}` is no field of {}", entity.name),
                        "entities listed together are found by fields they share",
                    );
                }
            }
            if let Some(condition) = &source.r#where {
                self.condition(entity, condition);
            }
        }
        if let Some(range) = &source.range {
            self.fault(
                "bad-value",
                range.content(),
                "entities listed together have no sort key in common to bound",
                "list one entity with a `range`, or take the collection whole",
            );
        }
    }

    /// Keys that mean nothing for the verb are refused: they would be silently ignored.
    fn unfit(&mut self, verb: &Verb, source: &AccessSource) {
        let word = verb.as_str();
        let paged = matches!(verb, Verb::List(_) | Verb::Search { .. });
        let ranged = paged || matches!(verb, Verb::Count(_));
        let first = |texts: &[Text]| texts.first().map(|text| text.span);
        let unfit = [
            ("range", source.range.as_ref().map(|text| text.span), ranged),
            ("order", source.order.as_ref().map(|text| text.span), paged),
            ("page", source.page.map(|page| page.span), paged),
            ("refine", first(&source.refine), paged),
            (
                "looks_at",
                source.looks_at.map(|looks_at| looks_at.span),
                word == "list",
            ),
            (
                "fields",
                first(&source.fields),
                verb.is_read() && word != "count",
            ),
            ("match", first(&source.r#match), word == "search"),
            ("set", first(&source.set), word == "update"),
            ("add", first(&source.add), word == "update"),
            (
                "consistency",
                source.consistency.map(|said| said.span),
                verb.is_read(),
            ),
            (
                "idempotent",
                source.idempotent.as_ref().map(|text| text.span),
                !verb.is_read(),
            ),
            ("relies_on", first(&source.relies_on), !verb.is_read()),
            (
                "retried",
                source.retried.map(|retried| retried.span),
                !verb.is_read(),
            ),
            ("sees", first(&source.sees), verb.is_read()),
            (
                "for_each",
                source.for_each.as_ref().map(|name| name.span),
                verb.is_read(),
            ),
            (
                "filter",
                source.filter.as_ref().map(|text| text.span),
                verb.is_read(),
            ),
            (
                "limit",
                source.limit.map(|limit| limit.span),
                verb.is_read(),
            ),
            (
                "keeps",
                source.keeps.map(|keeps| keeps.span),
                ranged || writes_on_a_condition(verb),
            ),
            (
                "where",
                source.r#where.as_ref().map(|text| text.span),
                !matches!(verb, Verb::Transact(_) | Verb::Batch(_)),
            ),
        ];
        for (key, span, fits) in unfit {
            if let (Some(span), false) = (span, fits) {
                self.fault(
                    "unknown-key",
                    span,
                    format!("`{key}` means nothing for `{word}`"),
                    match key {
                        "where" | "set" | "add"
                            if matches!(verb, Verb::Transact(_) | Verb::Batch(_)) =>
                        {
                            "put it into the action: { update = \"Task\", set = [\"status\"] }"
                        }
                        _ => "remove it",
                    },
                );
            }
        }
        if let Verb::Search { entity, matches } = verb
            && matches.is_empty()
        {
            self.fault(
                "missing-key",
                entity.written.span,
                "a search looks in fields",
                "name them: match = [\"title\"]",
            );
        }
    }

    fn range(&mut self, entity: &Entity, written: &Text) -> Option<RangeOf> {
        let (name, word) = match written.value.split_once(' ') {
            None => (written.as_str(), ""),
            Some((name, word)) => (name, word.trim()),
        };
        let id = self.field_of(entity, name, written.at(0..name.len()))?;
        let ends = match word {
            "" => Ends::Both,
            "from" => Ends::From,
            "after" => Ends::After,
            "until" => Ends::Until,
            "before" => Ends::Before,
            _ => {
                let hint =
                    suggest::hint(word, ["from", "after", "until", "before"]).unwrap_or_default();
                self.fault(
                    "bad-value",
                    written.content(),
                    format!("`{word}` is no end of a range"),
                    hint,
                );
                return None;
            }
        };
        let kind = entity.field(id).kind();
        if matches!(ends, Ends::After | Ends::Before) && kind.is_text() {
            self.fault(
                "bad-value",
                written.content(),
                format!(
                    "`{name}` is text: what comes right before or after a text cannot be named"
                ),
                "use `from` and `until`, which include their end",
            );
            return None;
        }
        Some(RangeOf {
            written: written.clone(),
            id,
            ends,
        })
    }

    fn order(&mut self, entity: &Entity, written: &Text) -> Option<Order> {
        if written.value == "asc" || written.value == "desc" {
            return Some(Order {
                written: written.clone(),
                by: Vec::new(),
                descending: written.value == "desc",
            });
        }
        let mut by = Vec::new();
        let mut at = 0;
        for term in written.value.split(',') {
            let start = at + term.len() - term.trim_start().len();
            at += term.len() + 1;
            let term = term.trim();
            let (name, direction) = term.split_once(' ').unwrap_or((term, "asc"));
            let span = written.at(start..start + term.len());
            let id = self.field_of(entity, name, written.at(start..start + name.len()))?;
            let descending = match direction.trim() {
                "asc" => false,
                "desc" => true,
                other => {
                    self.fault(
                        "bad-value",
                        span,
                        format!("`{other}` is no direction"),
                        "write `asc` or `desc`",
                    );
                    return None;
                }
            };
            by.push(OrderBy {
                id,
                descending,
                span,
            });
        }
        Some(Order {
            written: written.clone(),
            by,
            descending: false,
        })
    }

    /// What a request may cost; of a batch that is written, also what may be read to find its items.
    fn budgets(&mut self, verb: &Verb, written: Option<&Text>) -> (Option<Budget>, Option<Budget>) {
        let Some(written) = written else {
            return (None, None);
        };
        let is_batch = matches!(verb, Verb::Batch(_)) && !verb.is_read();
        let parts: Option<Vec<Budget>> = written
            .value
            .split('+')
            .map(|part| budget_of(written, part))
            .collect();
        let parts = parts.filter(|parts| match parts.as_slice() {
            [_] => true,
            [one, other] => is_batch && one.kind != other.kind,
            _ => false,
        });
        let Some(parts) = parts else {
            let help = match is_batch {
                true => {
                    "write capacity units: \"6 wcu\" for each item, or \"1 rcu + 6 wcu\" with what finds a page of them"
                }
                false => "write capacity units: \"1 rcu\", \"6 wcu\"",
            };
            let told = format!("`{written}` is no budget");
            self.fault("bad-value", written.content(), told, help);
            return (None, None);
        };
        let (finding, own) = parts
            .into_iter()
            .partition::<Vec<_>, _>(|one| is_batch && one.kind == UnitKind::Read);
        (own.into_iter().next(), finding.into_iter().next())
    }
}

/// `1 rcu`, `6 wcu`
fn budget_of(written: &Text, part: &str) -> Option<Budget> {
    let (number, unit) = part.trim().split_once(' ')?;
    let units: f64 = number.parse().ok()?;
    let kind = match unit.trim() {
        "rcu" => UnitKind::Read,
        "wcu" => UnitKind::Write,
        _ => return None,
    };
    (units.is_finite() && units > 0.0).then(|| Budget {
        written: written.clone(),
        units,
        kind,
    })
}

/// Whether a batch is written on a condition: then some of what it finds is left alone.
fn writes_on_a_condition(verb: &Verb) -> bool {
    matches!(verb, Verb::Batch(action) if action.condition.is_some())
}
