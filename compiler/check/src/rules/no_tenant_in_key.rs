//! A partition in which several tenants lie together.

use tablewright_model::model::TenantInKey;

use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyRole};

rule! {
    name: "no-tenant-in-key",
    code: "O11",
    severity: Error,
    group: Operation,
    summary: "a partition key that does not tell the tenant, where the model declares one",
    why: "A query reads one partition. Where the tenant is not in its key, the items of all tenants lie together, and what one of them gets to see
depends on every filter of every release: the first that is forgotten shows one customer another's data. The policy of a service
cannot help either: DynamoDB can hold a caller to partition keys (`dynamodb:LeadingKeys`), and to nothing else.

A key tells its tenant when that stands in it as it is: first after fixed text, at the end or before `#`; or last, behind `#`. In lower case two
tenants may be one; in `{tenant_id}-{shop}` one tenant's name may go on where another's ends; between other values no policy finds it.

Put the tenant into the partition of the table and of every index: `TENANT#{tenant_id}#ORDER#{order_id}`. A guard of uniqueness may stay
without, when something is to be unique over all tenants. An index across tenants, for people who run the service, is allowed with that
reason.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let Some(tenant) = &context.model.tenant else {
        return;
    };
    for key in context.written_keys() {
        if matches!(key.place, KeyPlace::Guard(_)) || key.role != KeyRole::Partition {
            continue;
        }
        let model = context.model;
        let stands = model.tenant_in(key.entity, key.attribute, key.template);
        let Some((wrong, label)) = stands.and_then(wrong) else {
            continue;
        };
        let entity = model.entity(key.entity);
        let name = context.name_of(key);
        let mut diagnostic = RULE
            .at(
                key.template.written.content(),
                format!(
                    "the partition of {name} {}",
                    wrong.replace("TENANT", tenant.as_str())
                ),
            )
            .label(label)
            .related(tenant.content(), "the tenant");
        if let Some(field) = model.tenant_of(key.entity) {
            diagnostic = diagnostic.related(entity.field(field).name.span, "whose item it is");
        }
        diagnostic = diagnostic.help(match stands {
            Some(TenantInKey::NotText) => format!(
                "store it as text: `{}` without its type, and partition = \"TENANT#{{{tenant}}}\"",
                key.attribute.name
            ),
            _ => format!(
                "put the tenant first, as it is: partition = \"TENANT#{{{tenant}}}#{}\"",
                key.template
            ),
        });
        found.report(&context.subjects_of(key), diagnostic);
    }
}

/// What is wrong with a partition, with `TENANT` for the field, and its label; nothing where it tells whose items it holds.
fn wrong(stands: TenantInKey) -> Option<(&'static str, &'static str)> {
    match stands {
        TenantInKey::Plain(_) => None,
        TenantInKey::Absent => Some((
            "does not hold `TENANT`: items of several tenants lie together, and one query reads them all",
            "shared by tenants",
        )),
        TenantInKey::Encoded => Some((
            "holds `TENANT` otherwise than it is: tenants that look alike lie together, and no policy tells them apart",
            "not as it is",
        )),
        TenantInKey::Joined => Some((
            "lets `TENANT` run into what follows: where it ends is not plain, and no policy tells tenants apart",
            "where does it end?",
        )),
        TenantInKey::Behind => Some((
            "holds `TENANT` between other values: a policy compares the beginning and the end of a key, and cannot hold a caller to it",
            "neither first nor last",
        )),
        TenantInKey::NotText => Some((
            "is no text: a policy compares keys as text, and cannot hold a caller to its tenant",
            "not text",
        )),
    }
}
