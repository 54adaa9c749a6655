//! A partition in which several tenants lie together.

use tablewright_model::model::Model;

use crate::rule::rule;
use crate::{Context, Found, KeyPlace, KeyRole, KeyUse};

rule! {
    name: "no-tenant-in-key",
    code: "O11",
    severity: Error,
    group: Operation,
    summary: "a partition key without the tenant, where the model declares one",
    why: "A query reads one partition. Where the tenant is not in its key, the items of all tenants lie together, and what one of them gets to see
depends on every filter of every release: the first that is forgotten shows one customer another's data. The policy of a service
cannot help either: DynamoDB can hold a caller to partition keys (`dynamodb:LeadingKeys`), and to nothing else.

Put the tenant into the partition of the table and of every index: `TENANT#{tenant_id}#ORDER#{order_id}`. A guard of uniqueness may stay
without, when something is to be unique over all tenants. An index across tenants, for people who run the service, is allowed with that
reason.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let Some(tenant) = &context.model.tenant else {
        return;
    };
    for key in context.written_keys() {
        let guard = matches!(key.place, KeyPlace::Guard(_));
        if guard || key.role != KeyRole::Partition || !lacks_tenant(context.model, key) {
            continue;
        }
        let field = context.model.tenant_of(key.entity);
        let entity = context.model.entity(key.entity);
        let mut diagnostic = RULE
            .at(
                key.template.written.content(),
                format!(
                    "the partition of {} does not hold `{tenant}`: items of several tenants lie together, and one query reads them all",
                    context.name_of(key)
                ),
            )
            .label("shared by tenants")
            .related(tenant.content(), "the tenant");
        if let Some(field) = field {
            diagnostic = diagnostic.related(entity.field(field).name.span, "whose item it is");
        }
        diagnostic = diagnostic.help(format!(
            "put the tenant first: partition = \"TENANT#{{{tenant}}}#{}\"",
            key.template
        ));
        found.report(&context.subjects_of(key), diagnostic);
    }
}

/// Whether an entity has a tenant that the partition does not tell. A shard of it does not.
fn lacks_tenant(model: &Model, key: &KeyUse<'_>) -> bool {
    let Some(tenant) = model.tenant_of(key.entity) else {
        return false;
    };
    let mut parts = key.template.field_parts();
    !parts.any(|(_, field, part)| field == tenant && part.encodings.shard.is_none())
}
