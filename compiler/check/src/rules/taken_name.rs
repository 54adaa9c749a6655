//! A pattern whose method would have the name of another.

mod others;

use std::collections::HashMap;

use tablewright_model::Diagnostic;
use tablewright_model::model::{Access, EntityId, Verb};
use tablewright_plan::Answer;

use crate::generated_names::{OF_MODELS, OF_REPOSITORIES, method_name};
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "taken-name",
    code: "O17",
    severity: Error,
    group: Operation,
    summary: "a pattern, an entity, a field or an event whose name in the generated code is taken",
    why: "A pattern becomes a method of its entity's repository, and a transaction one of the type that has all repositories. Some names are
taken there: `new` and `items` of every repository, `new`, `store` and `create_tables` of the whole. `generate` then refuses the model, and
it does so when the design is done and others rely on the name.

Entities, structs and events become types of one module, each entity with its key and its repository, `TaskKey` and `TaskRepo`; the fields of an entity
become members, in which `taskId` and `task_id` are one.

Name a pattern after what it asks or does, with the thing in it: `new_task`, `items_of_order`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    others::check(context, found);
    // By whose method it is: an entity's, or the model's.
    let mut methods: HashMap<(Option<EntityId>, String), &Access> = HashMap::new();
    for (position, access, plan) in context.accesses() {
        if !matches!(plan.answer, Answer::Read(_) | Answer::Write(_)) {
            continue;
        }
        let (owner, taken) = match access.verb {
            Verb::Transact(_) => (None, OF_MODELS),
            _ => (Some(access.verb.entity().id), OF_REPOSITORIES),
        };
        let name = method_name(access.name.as_str());
        let diagnostic = if taken.contains(&name.as_str()) {
            Some(of_every_model(context, access, &name))
        } else {
            let first = methods.insert((owner, name.clone()), access);
            first.map(|first| twice(first, access, &name))
        };
        if let Some(diagnostic) = diagnostic {
            found.report(&[Subject::Access(position)], diagnostic);
        }
    }
}

fn of_every_model(context: &Context<'_>, access: &Access, name: &str) -> Diagnostic {
    let owner = match access.verb {
        Verb::Transact(_) => "the type of every model has".to_owned(),
        _ => "every repository has".to_owned(),
    };
    let entity = context.model.entity(access.verb.entity().id);
    let thing = entity.name.value.to_lowercase();
    let instead = match name {
        "items" => format!("{thing}_items"),
        verb => format!("{verb}_{thing}"),
    };
    let message = format!(
        "`{}` cannot be generated: {owner} a method `{name}` already",
        access.name
    );
    RULE.at(access.name.span, message)
        .label("the name of its method")
        .help(format!("put into the name what it is about: `{instead}`"))
}

fn twice(first: &Access, second: &Access, name: &str) -> Diagnostic {
    let message = format!(
        "`{}` and `{}` would both be the method `{name}`",
        first.name, second.name
    );
    RULE.at(second.name.span, message)
        .label("the same words")
        .related(first.name.span, "the first")
        .help("tell them apart by a word, and not by `_` alone")
}
