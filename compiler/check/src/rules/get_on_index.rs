//! GetItem on an index, or on half of a key.

use tablewright_model::Diagnostic;
use tablewright_model::model::{Access, Request};
use tablewright_plan::expression::KeyTest;
use tablewright_plan::hand::HandPlan;

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "get-on-index",
    code: "R08",
    severity: Error,
    group: Reads,
    summary: "GetItem on an index, or on half of a composite key",
    why: "GetItem takes the whole primary key of a table and nothing else. On an index it does not exist: index keys are not unique, and
only Query and Scan read them. With the partition key alone on a table that has a sort key, DynamoDB answers with a
ValidationException.

Query the index and expect several items, or give both parts of the key. A unique value is read through its guard item.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, access, plan) in context.by_hand() {
        let is_get = matches!(plan.request, Request::GetItem | Request::BatchGetItem);
        if !is_get || !access.verb.is_read() || !plan.faults.is_empty() {
            continue;
        }
        let finding = match plan.place.index {
            Some(_) => Some(on_index(access, plan)),
            None => on_half_a_key(context, access, plan),
        };
        if let Some(diagnostic) = finding {
            found.report(&[Subject::Access(position)], diagnostic);
        }
    }
}

fn on_index(access: &Access, plan: &HandPlan) -> Diagnostic {
    let index = access
        .by_hand
        .as_ref()
        .and_then(|by_hand| by_hand.index.as_ref());
    let (name, span) = index.map_or(("index", access.name.span), |(name, _)| {
        (name.as_str(), name.content())
    });
    let request = plan.request.as_str();
    let diagnostic = RULE
        .at(
            span,
            format!("`{}` asks `{name}` with {request}, which no index has", access.name),
        )
        .label("only Query and Scan read an index")
        .help("write `request = \"Query\"`: the keys of an index are not unique, so expect several items");
    match plan.request_span {
        Some(request) if plan.request == Request::GetItem => diagnostic
            .related(request, "the request")
            .fix("query the index", request, "\"Query\""),
        Some(request) => diagnostic.related(request, "the request"),
        None => diagnostic,
    }
}

fn on_half_a_key(context: &Context<'_>, access: &Access, plan: &HandPlan) -> Option<Diagnostic> {
    let partition = plan.partition.as_ref()?;
    let attribute = &context.sort_attribute(plan.place)?.name;
    let entity = *plan.entities.first()?;
    let stored = plan.key_of(context.model, entity)?;
    let template = stored.sort.as_ref()?;
    let whole = format!("`{attribute} = :sort`, where :sort = \"{template}\"");
    let request = plan.request.as_str();
    match &plan.sort {
        None => Some(
            RULE.at(
                partition.span,
                format!(
                    "`{}` gives {request} only `{}`: the key has two parts, and DynamoDB refuses half of it",
                    access.name, partition.attribute
                ),
            )
            .label(format!("lacks `{attribute}`"))
            .related(template.written.content(), "the other half")
            .help(format!("add {whole}")),
        ),
        Some(test) if !matches!(test.test, KeyTest::Equals(_)) => Some(
            RULE.at(
                test.span,
                format!(
                    "`{}` asks {request} for more than one key: it takes one, compared with `=`",
                    access.name
                ),
            )
            .label("not one key")
            .related(template.written.content(), "what is stored")
            .help(format!("give the whole key: {whole}; or write `request = \"Query\"`")),
        ),
        Some(_) => None,
    }
}
