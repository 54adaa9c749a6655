//! Values that are told from plain text and numbers by a name, each declared where it is used.

use super::text::alias;
use super::types::Types;

/// A type every model may need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scalar {
    Id,
    Uuid,
    Ulid,
    Email,
    IsoDate,
    IsoDateTimeSeconds,
    IsoDateTime,
    IsoDateTimeMicros,
    EpochSeconds,
    EpochMillis,
    Decimal,
    JsonValue,
    Versioned,
}

impl Scalar {
    pub(super) const ALL: [Scalar; 13] = [
        Scalar::Id,
        Scalar::Uuid,
        Scalar::Ulid,
        Scalar::Email,
        Scalar::IsoDate,
        Scalar::IsoDateTimeSeconds,
        Scalar::IsoDateTime,
        Scalar::IsoDateTimeMicros,
        Scalar::EpochSeconds,
        Scalar::EpochMillis,
        Scalar::Decimal,
        Scalar::JsonValue,
        Scalar::Versioned,
    ];

    /// Its name, unless the model has something of that name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Scalar::Id => "Id",
            Scalar::Uuid => "Uuid",
            Scalar::Ulid => "Ulid",
            Scalar::Email => "Email",
            Scalar::IsoDate => "IsoDate",
            Scalar::IsoDateTimeSeconds => "IsoDateTimeSeconds",
            Scalar::IsoDateTime => "IsoDateTime",
            Scalar::IsoDateTimeMicros => "IsoDateTimeMicros",
            Scalar::EpochSeconds => "EpochSeconds",
            Scalar::EpochMillis => "EpochMillis",
            Scalar::Decimal => "Decimal",
            Scalar::JsonValue => "JsonValue",
            Scalar::Versioned => "Versioned",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Scalar::Id => "An identifier: 1 to 128 of `A–Z a–z 0–9 - _ . : @ + = / ~ |`.",
            Scalar::Uuid => "A UUID in lower case, as in `6f1c2d3e-4b5a-4c7d-8e9f-0a1b2c3d4e5f`.",
            Scalar::Ulid => {
                "A ULID, as in `01HV5K3M8ZJ2Q4R6T8W0Y2A4C6`: 26 characters that sort by the time they were made."
            }
            Scalar::Email => "An e-mail address of at most 254 characters.",
            Scalar::IsoDate => "A day, as in `2024-01-31`.",
            Scalar::IsoDateTimeSeconds => {
                "A moment in UTC to the second, as in `2024-01-31T10:00:00Z`."
            }
            Scalar::IsoDateTime => {
                "A moment in UTC to the millisecond, as in `2024-01-31T10:00:00.000Z`: always of this width, so text order is time order."
            }
            Scalar::IsoDateTimeMicros => {
                "A moment in UTC to the microsecond, as in `2024-01-31T10:00:00.000000Z`."
            }
            Scalar::EpochSeconds => "A moment in whole seconds since 1970, UTC.",
            Scalar::EpochMillis => "A moment in whole milliseconds since 1970, UTC.",
            Scalar::Decimal => {
                "A number with a fraction, of up to 38 digits that count: as text, since a JavaScript number would lose some."
            }
            Scalar::JsonValue => "Anything JSON can say.",
            Scalar::Versioned => {
                "Data with its version. `last_write` is the lock token: a change is made on condition that it is still the same."
            }
        }
    }

    fn kind(self, types: &Types<'_>) -> String {
        match self {
            Scalar::Id | Scalar::Ulid => "string".to_owned(),
            Scalar::Uuid => "`${string}-${string}-${string}-${string}-${string}`".to_owned(),
            Scalar::Email => "`${string}@${string}.${string}`".to_owned(),
            Scalar::IsoDate => "`${number}-${number}-${number}`".to_owned(),
            Scalar::IsoDateTimeSeconds => moment(types, "${number}"),
            Scalar::IsoDateTime | Scalar::IsoDateTimeMicros => moment(types, "${number}.${number}"),
            Scalar::EpochSeconds | Scalar::EpochMillis => "number".to_owned(),
            Scalar::Decimal => "`${number}`".to_owned(),
            Scalar::JsonValue => {
                let own = types.scalar(self);
                format!("null | boolean | number | string | {own}[] | {{ [name: string]: {own} }}")
            }
            Scalar::Versioned => String::new(),
        }
    }
}

fn moment(types: &Types<'_>, seconds: &str) -> String {
    let date = types.scalar(Scalar::IsoDate);
    format!("`${{{date}}}T${{number}}:${{number}}:{seconds}Z`")
}

/// The declarations of those that were used.
pub(super) fn declarations(types: &Types<'_>) -> Vec<String> {
    // Moments are made of days, and a version of a moment.
    for scalar in types.used() {
        scalar.kind(types);
        if scalar == Scalar::Versioned {
            types.scalar(Scalar::EpochMillis);
        }
    }
    let declaration = |scalar: Scalar| {
        let name = types.scalar(scalar);
        if scalar != Scalar::Versioned {
            return alias(scalar.about(), &name, &scalar.kind(types));
        }
        let about = super::text::comment("", scalar.about());
        let token = types.scalar(Scalar::EpochMillis);
        format!(
            "{about}export interface {name}<Data, Version extends number> {{\n  data: Data;\n  data_version: Version;\n  last_write: {token};\n}}\n"
        )
    };
    types.used().into_iter().map(declaration).collect()
}
