//! What callers may filter everybody's items by, with nothing that bounds what a page looks at.

use tablewright_keys::TypedPiece;
use tablewright_model::Span;
use tablewright_model::condition::Condition;
use tablewright_model::model::{Access, Entity, EntityId, Verb};
use tablewright_plan::{
    KeyPiece, LARGEST_PAGE, Origin as From, ReadPlan, SortTest, bounds_a_page, without_items,
};

use super::{RULE, each_once};
use crate::asked::{Asked, Origin};
use crate::{Context, Diagnostic};

pub(super) fn without_a_bound(
    context: &Context<'_>,
    asked: &Asked<'_>,
    id: EntityId,
) -> Option<Diagnostic> {
    let access = asked.access;
    let Origin::Planned(plan) = asked.origin else {
        return None;
    };
    let is_list = matches!(access.verb, Verb::List(_));
    let is_of_all = is_of_all(plan, context.model.entity(id));
    if !is_list || !is_of_all || is_bounded(context, access) {
        return None;
    }
    let (fields, span) = by_the_caller(access, plan)?;
    let names: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
    let undeclared = without_items(context.model, access);
    let unbounded = match (access.looks_at, undeclared) {
        (Some(all), Some(entity)) => {
            let name = &entity.name;
            format!("`looks_at = {all}` bounds that only beside `items`, how many {name} there are")
        }
        (Some(all), None) => format!("`looks_at = {all}` is as many as there are"),
        (None, _) => "nothing bounds what a page looks at".to_owned(),
    };
    let message = format!(
        "callers of `{}` filter everybody's items by {} as they like, and {unbounded}: where few pass, it reads them all",
        access.name,
        names.join(", ")
    );
    let ten_pages = access.page.value.saturating_mul(10);
    let suggested = match bounds_a_page(context.model, access, ten_pages) {
        true => ten_pages,
        false => LARGEST_PAGE,
    };
    let help = format!(
        "say how many items at most: looks_at = {suggested}; a page may be shorter then, and its cursor goes on"
    );
    let diagnostic = RULE.at(span, message).label("filtered after reading");
    Some(diagnostic.help(help))
}

/// Whether a page looks at fewer than there are, or at no more than a page may have.
fn is_bounded(context: &Context<'_>, access: &Access) -> bool {
    let bounds = |looks_at: u64| bounds_a_page(context.model, access, looks_at);
    access.looks_at.is_some_and(bounds)
}

/// The fields a caller filters by, with a value of their own or by a refinement, and where the first is written.
fn by_the_caller(access: &Access, plan: &ReadPlan) -> Option<(Vec<String>, Span)> {
    let given = plan.filter.iter();
    let given = given.filter(|part| !part.parameters().is_empty());
    let fields: Vec<_> = given.flat_map(Condition::fields).collect();
    let refined = access.refine.iter().map(|known| &known.written);
    let names = fields.iter().map(|field| field.name.as_str());
    let names = each_once(names.chain(refined.clone().map(|text| text.as_str())));
    let condition = access.condition.as_ref();
    let first = condition.zip(fields.first());
    let first = first.map(|(condition, field)| condition.written.at(field.span.clone()));
    let span = first.or_else(|| refined.map(|text| text.content()).next())?;
    Some((names, span))
}

/// Whether it is nobody's items: what the caller says of their keys has only so many values. A range says how far, not whose.
fn is_of_all(plan: &ReadPlan, entity: &Entity) -> bool {
    let whose = match &plan.sort {
        SortTest::Equals(text) | SortTest::BeginsWith(text) => Some(text),
        _ => None,
    };
    let texts = std::iter::once(&plan.partition).chain(whose);
    let mut pieces = texts.flat_map(|text| &text.pieces);
    pieces.all(|piece| match piece {
        KeyPiece::Value {
            typed: TypedPiece::Field { name, .. },
            origin: From::Given(_),
        } => {
            let field = entity.field_named(name);
            field.is_some_and(|field| entity.has_few_values(field))
        }
        _ => true,
    })
}
