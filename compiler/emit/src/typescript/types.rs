//! Field types in TypeScript.

use std::cell::RefCell;
use std::collections::BTreeSet;

use tablewright_keys::Precision;
use tablewright_model::Model;
use tablewright_model::field_type::{FieldType, Length};
use tablewright_model::model::{Entity, Field, Struct};

use super::names::{self, Names};
use super::scalars::Scalar;
use crate::rust::context::plain_name;
use crate::rust::enums;

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// In the JSON of a service.
    Json,
    /// In an item, as DynamoDB's document client gives it.
    Item,
}

/// The model and what its types are called.
pub(super) struct Types<'m> {
    pub(super) model: &'m Model,
    names: &'m Names,
    used: RefCell<BTreeSet<Scalar>>,
}

/// Whose field it is: the words of an enum are named after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owner<'m>(&'m str);

impl<'m> Owner<'m> {
    pub(super) fn entity(entity: &'m Entity) -> Self {
        Owner(plain_name(entity))
    }

    pub(super) fn structure(structure: &'m Struct) -> Self {
        Owner(structure.name.as_str())
    }
}

impl<'m> Types<'m> {
    pub(super) fn new(model: &'m Model, names: &'m Names) -> Self {
        Types {
            model,
            names,
            used: RefCell::default(),
        }
    }

    /// The name of a scalar, which is used from now on.
    pub(super) fn scalar(&self, scalar: Scalar) -> String {
        self.used.borrow_mut().insert(scalar);
        self.names.scalar(scalar).to_owned()
    }

    /// The scalars that were used.
    pub(super) fn used(&self) -> Vec<Scalar> {
        self.used.borrow().iter().copied().collect()
    }

    /// The type of a field's values.
    pub(super) fn of(&self, owner: Owner<'_>, field: &Field, form: Form) -> String {
        self.kind(owner, field, field.kind(), form)
    }

    fn kind(&self, owner: Owner<'_>, field: &Field, kind: &FieldType, form: Form) -> String {
        match kind {
            FieldType::String(_) | FieldType::UnevenTimestamp => "string".to_owned(),
            FieldType::Id => self.scalar(Scalar::Id),
            FieldType::Uuid => self.scalar(Scalar::Uuid),
            FieldType::Ulid => self.scalar(Scalar::Ulid),
            FieldType::Email => self.scalar(Scalar::Email),
            FieldType::Bool => "boolean".to_owned(),
            FieldType::Int { .. } => "number".to_owned(),
            FieldType::Decimal if form == Form::Item => "number".to_owned(),
            FieldType::Decimal => self.scalar(Scalar::Decimal),
            FieldType::Date => self.scalar(Scalar::IsoDate),
            FieldType::Timestamp(precision) => self.scalar(moment(*precision)),
            FieldType::EpochSeconds => self.scalar(Scalar::EpochSeconds),
            FieldType::EpochMillis => self.scalar(Scalar::EpochMillis),
            FieldType::Enum(_) | FieldType::Ordered(_) => enums::type_name(owner.0, field),
            FieldType::Binary(_) if form == Form::Item => "Uint8Array".to_owned(),
            // The bytes themselves, as the services write them.
            FieldType::Binary(_) => "number[]".to_owned(),
            FieldType::List(of, length) => several(&self.kind(owner, field, of, form), length),
            FieldType::Set(of, _) if form == Form::Item => {
                format!("Set<{}>", self.kind(owner, field, of, form))
            }
            FieldType::Set(of, length) => several(&self.kind(owner, field, of, form), length),
            FieldType::Map(of, _) => {
                format!(
                    "{{ [name: string]: {} }}",
                    self.kind(owner, field, of, form)
                )
            }
            FieldType::Json(_) => self.scalar(Scalar::JsonValue),
            FieldType::Struct(name) => {
                let structure = self.model.structure(name);
                let differs =
                    structure.is_some_and(|known| differs_in_items(self.model, &known.fields));
                if form == Form::Item && differs {
                    names::stored(name)
                } else {
                    name.clone()
                }
            }
        }
    }
}

/// The scalar of a moment.
pub(super) fn moment(precision: Precision) -> Scalar {
    match precision {
        Precision::Seconds => Scalar::IsoDateTimeSeconds,
        Precision::Millis => Scalar::IsoDateTime,
        Precision::Micros => Scalar::IsoDateTimeMicros,
    }
}

/// A list with as many entries as there must be.
fn several(of: &str, length: &Length) -> String {
    match length.min {
        0 => format!("{of}[]"),
        // What nobody would write out is told in the comment.
        min if min > 3 => format!("{of}[]"),
        min => {
            let first = vec![of; min as usize].join(", ");
            format!("[{first}, ...{of}[]]")
        }
    }
}

/// Whether some of the fields are stored in another form than JSON has.
pub(super) fn differs_in_items(model: &Model, fields: &[Field]) -> bool {
    fields.iter().any(|field| differs_in_item(model, field))
}

/// Whether a field is stored in another form than JSON has, or may be absent only there.
pub(super) fn differs_in_item(model: &Model, field: &Field) -> bool {
    fn inner(model: &Model, kind: &FieldType) -> bool {
        match kind {
            FieldType::Decimal | FieldType::Binary(_) | FieldType::Set(..) => true,
            FieldType::List(of, _) | FieldType::Map(of, _) => inner(model, of),
            // A struct never holds itself: the resolver refuses it.
            FieldType::Struct(name) => model
                .structure(name)
                .is_some_and(|structure| differs_in_items(model, &structure.fields)),
            _ => false,
        }
    }
    inner(model, field.kind())
}

/// Whether a field may be absent: in JSON when it is optional, in an item also when it is a set without members.
pub(super) fn may_be_absent(field: &Field, form: Form) -> bool {
    let vanishes = matches!(field.kind(), FieldType::Set(_, length) if length.min == 0);
    field.is_optional() || (form == Form::Item && vanishes)
}
