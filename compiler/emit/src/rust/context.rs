//! The model with its answers, and the names its parts have in Rust.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use tablewright_descriptor::Schema;
use tablewright_descriptor::written::{ReadText, SchemaText};
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, Action, Entity, EntityId, Field};
use tablewright_plan::{Answer, Plan, lower_planned, plan};

use super::names::{known_ident, pascal, plural, snake};
pub(crate) use tablewright_check::generated_names::{alias, plain_name};

use crate::EmitError;

/// What every generator looks things up in.
pub(super) struct Context<'m> {
    pub(super) model: &'m Model,
    pub(super) plans: Vec<Plan>,
    pub(super) schema: SchemaText,
    resolved: Schema,
    /// The type generated for the words of an enum, by where it is declared.
    pub(super) enums: BTreeMap<Declared, Ident>,
}

/// Where a field is declared: the entity or the struct, and its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Declared {
    pub(super) owner: String,
    pub(super) field: String,
}

impl Declared {
    pub(super) fn new(owner: &str, field: &str) -> Self {
        Declared {
            owner: owner.to_owned(),
            field: field.to_owned(),
        }
    }
}

impl<'m> Context<'m> {
    pub(super) fn new(model: &'m Model) -> Result<Self, EmitError> {
        let plans = plan(model);
        let schema = lower_planned(model, &plans);
        let resolved = Schema::resolve(schema.clone()).map_err(|error| EmitError::NotCode {
            why: error.to_string(),
        })?;
        Ok(Context {
            schema,
            resolved,
            model,
            plans,
            enums: BTreeMap::new(),
        })
    }

    /// Whether the run time reads the item of an action before it writes.
    pub(super) fn reads_first(&self, pattern: &str, action: &str) -> bool {
        let write = self
            .resolved
            .writes
            .iter()
            .find(|write| write.name == pattern);
        let mut actions = write.iter().flat_map(|write| &write.actions);
        actions.any(|known| known.name == action && known.reads_first())
    }

    /// The patterns that have an answer, with it.
    pub(super) fn answered(&self) -> impl Iterator<Item = (&'m Access, &Plan)> {
        let accesses = self.model.accesses.iter().zip(&self.plans);
        accesses.filter(|(_, plan)| matches!(plan.answer, Answer::Read(_) | Answer::Write(_)))
    }

    pub(super) fn entity(&self, id: EntityId) -> &'m Entity {
        self.model.entity(id)
    }

    /// The read of a pattern, as the run time knows it.
    pub(super) fn read(&self, name: &str) -> Option<&ReadText> {
        self.schema.reads.iter().find(|read| read.name == name)
    }

    /// The type of the model as a whole: `Todo`.
    pub(super) fn model_type(&self) -> Ident {
        known_ident(&pascal(self.model.name.as_str()))
    }

    /// What a value of this type is, without optionality.
    pub(super) fn type_of(&self, owner: &str, field: &str, kind: &FieldType) -> TokenStream {
        match kind {
            FieldType::String(_)
            | FieldType::Id
            | FieldType::Email
            | FieldType::UnevenTimestamp => quote! { String },
            FieldType::Uuid => quote! { lib_Uuid },
            FieldType::Ulid => quote! { lib_Ulid },
            FieldType::Bool => quote! { bool },
            FieldType::Int { .. } | FieldType::EpochSeconds | FieldType::EpochMillis => {
                quote! { i64 }
            }
            FieldType::Decimal => quote! { lib_Decimal },
            FieldType::Date => quote! { lib_Date },
            FieldType::Timestamp(tablewright_keys::Precision::Seconds) => {
                quote! { lib_TimestampSeconds }
            }
            FieldType::Timestamp(tablewright_keys::Precision::Millis) => quote! { lib_Timestamp },
            FieldType::Timestamp(tablewright_keys::Precision::Micros) => {
                quote! { lib_TimestampMicros }
            }
            FieldType::Enum(_) | FieldType::Ordered(_) => {
                let name = self.enums.get(&Declared::new(owner, field));
                name.map_or_else(|| quote! { String }, |name| quote! { #name })
            }
            FieldType::Binary(_) => quote! { lib_Bytes },
            FieldType::List(of, _) => {
                let of = self.type_of(owner, field, of);
                quote! { Vec<#of> }
            }
            FieldType::Set(of, _) => {
                let of = self.type_of(owner, field, of);
                quote! { lib_BTreeSet<#of> }
            }
            FieldType::Map(of, _) => {
                let of = self.type_of(owner, field, of);
                quote! { lib_BTreeMap<String, #of> }
            }
            FieldType::Json(_) => quote! { serde_json::Value },
            FieldType::Struct(name) => {
                let name = known_ident(name);
                quote! { #name }
            }
        }
    }

    /// The type of a field as it is declared.
    pub(super) fn field_type(&self, owner: &str, field: &Field) -> TokenStream {
        let kind = self.type_of(owner, field.name.as_str(), field.kind());
        if field.is_optional() {
            quote! { Option<#kind> }
        } else {
            kind
        }
    }

    /// What reading an entity gives: `Versioned<Task>`, `Account`, `Assignment`.
    pub(super) fn stored(&self, entity: &Entity) -> TokenStream {
        let name = known_ident(entity.name.as_str());
        match (&entity.versioned, alias(entity)) {
            (Some(_), Some(alias)) => {
                let alias = known_ident(alias);
                quote! { #alias }
            }
            (Some(_), None) => quote! { lib_Versioned<#name> },
            (None, _) => quote! { #name },
        }
    }
}
/// What an action of a transaction is called: as it says, or like its entity.
pub(super) fn plain_action<'m>(action: &'m Action, entity: &'m Entity) -> &'m str {
    action
        .name
        .as_ref()
        .map_or(plain_name(entity), |name| name.as_str())
}

/// `TaskKey`
pub(super) fn key_type(entity: &Entity) -> Ident {
    known_ident(&format!("{}Key", plain_name(entity)))
}

/// `TaskRepo`
pub(super) fn repository_type(entity: &Entity) -> Ident {
    known_ident(&format!("{}Repo", plain_name(entity)))
}

/// `tasks`
pub(super) fn repository_field(entity: &Entity) -> String {
    plural(&snake(plain_name(entity)))
}

/// Whether a value is copied rather than cloned.
pub(super) fn is_copied(kind: &FieldType) -> bool {
    match kind {
        FieldType::Bool
        | FieldType::Int { .. }
        | FieldType::EpochSeconds
        | FieldType::EpochMillis
        | FieldType::Date
        | FieldType::Timestamp(_)
        | FieldType::Ulid
        | FieldType::Uuid
        | FieldType::Enum(_)
        | FieldType::Ordered(_) => true,
        FieldType::String(_)
        | FieldType::Id
        | FieldType::Email
        | FieldType::UnevenTimestamp
        | FieldType::Decimal
        | FieldType::Binary(_)
        | FieldType::List(..)
        | FieldType::Set(..)
        | FieldType::Map(..)
        | FieldType::Json(_)
        | FieldType::Struct(_) => false,
    }
}

/// Whether its type is `String`.
pub(super) fn is_string(kind: &FieldType) -> bool {
    matches!(
        kind,
        FieldType::String(_) | FieldType::Id | FieldType::Email | FieldType::UnevenTimestamp
    )
}
