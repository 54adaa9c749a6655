//! Values nested deep in an item.

use std::collections::HashMap;

use tablewright_model::Severity;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, Layout, Model, Struct};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "deep-nesting",
    code: "O02",
    severity: Note,
    group: Operation,
    summary: "a field nested more than three levels deep; more than 32 are refused",
    why: "A list, a map or a struct is one level, and what it holds is the next. Deep in an item nothing can be found by a key, expressions become
paths that nobody checks, two writers of different corners overwrite each other, and the whole grows towards an item's 400 KB. From
the 33rd level on DynamoDB refuses the item: that is an error.

Up to three levels read well. Make what lies deeper an entity of its own, in the same item collection.",
}

/// Levels that read well.
const FINE: usize = 3;
/// Levels DynamoDB takes.
const TAKEN: usize = 32;

fn check(context: &Context<'_>, found: &mut Found) {
    let depths = Depths::of(context.model);
    for (id, entity) in context.model.entity_ids() {
        let around = usize::from(is_wrapped(entity));
        for field in &entity.fields {
            let own = depths.of_type(field.kind());
            let refused = own.saturating_add(around) > TAKEN;
            if own <= FINE && !refused {
                continue;
            }
            let mut message = format!(
                "`{}` of {} is nested {own} levels deep",
                field.name, entity.name
            );
            if refused {
                message += &format!(", and DynamoDB takes {TAKEN} in an item: it is refused");
            } else {
                message += ": what lies inside cannot be found or changed by itself";
            }
            let mut diagnostic = RULE
                .at(field.written.content(), message)
                .label("lists, maps and structs within each other")
                .help(format!(
                    "make what lies below level {FINE} an entity of its own, in the item collection of {}",
                    entity.name
                ));
            if refused {
                diagnostic.severity = Severity::Error;
            }
            found.report(&[Subject::Entity(id.0)], diagnostic);
        }
    }
}

fn is_wrapped(entity: &Entity) -> bool {
    let versioned = entity.versioned.as_ref();
    versioned.is_some_and(|versioned| versioned.layout == Layout::Wrapped)
}

/// How deep each struct is, as far as it matters: what is deeper than DynamoDB takes is not told apart.
struct Depths<'m>(HashMap<&'m str, usize>);

impl<'m> Depths<'m> {
    /// Each round knows one level more, so that a chain of structs needs no stack.
    fn of(model: &'m Model) -> Self {
        let mut depths = Depths(HashMap::new());
        for _ in 0..=TAKEN {
            let mut deeper = false;
            for structure in &model.structs {
                let own = depths.of_struct(structure);
                let known = depths.0.insert(structure.name.as_str(), own);
                deeper |= known != Some(own);
            }
            if !deeper {
                break;
            }
        }
        depths
    }

    fn of_struct(&self, structure: &Struct) -> usize {
        let fields = structure.fields.iter();
        let deepest = fields.map(|field| self.of_type(field.kind())).max();
        deepest.unwrap_or(0).saturating_add(1)
    }

    fn of_type(&self, kind: &FieldType) -> usize {
        match kind {
            FieldType::List(of, _) | FieldType::Map(of, _) => self.of_type(of).saturating_add(1),
            // What lies in a document of any shape is not known.
            FieldType::Json(_) => 1,
            FieldType::Struct(name) => self.0.get(name.as_str()).copied().unwrap_or(1),
            _ => 0,
        }
    }
}
