//! Why nothing can be generated.

use std::fmt;

/// Why nothing can be generated from a model that is good in itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmitError {
    /// Two things of the model would have one name in the generated code.
    SameName {
        /// The name.
        name: String,
        /// What has it.
        first: String,
        /// What would have it too.
        second: String,
    },
    /// A name of the model that cannot be one in the generated code.
    BadName {
        /// As it stands in the model.
        name: String,
        /// What is named so.
        what: String,
    },
    /// The entity that keeps answers to repeated requests has no field that tells one request from another.
    NoRequestHash {
        /// The entity.
        entity: String,
        /// The pattern that claims a key in it.
        pattern: String,
    },
    /// A pattern that the run time has no call for.
    NoCall {
        /// The pattern.
        pattern: String,
        /// What it asks for.
        why: String,
    },
    /// A model without tables, of which there is nothing to deploy.
    NoTables,
    /// A model without patterns and streams, of which nothing is to be allowed.
    NothingAsked,
    /// A template that CloudFormation would refuse for its size.
    TooMany {
        /// What the template is of.
        of: &'static str,
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many it takes.
        most: usize,
    },
    /// A policy that cannot be cut into parts an account takes: one pattern has that many keys.
    TooLong {
        /// Whose policy.
        service: String,
    },
    /// What was generated is no code. This is a fault of the generator.
    NotCode {
        /// What the parser said of it.
        why: String,
    },
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EmitError::SameName {
                name,
                first,
                second,
            } => write!(
                f,
                "{first} and {second} would both be called `{name}` in the generated code; rename one of them"
            ),
            EmitError::BadName { name, what } => write!(
                f,
                "`{name}`, the name of {what}, cannot be a name in the generated code; use letters, digits and `_`"
            ),
            EmitError::NoRequestHash { entity, pattern } => write!(
                f,
                "`{pattern}` claims a key in {entity}, which has no field `request_hash`: nothing would tell one request from another"
            ),
            EmitError::NoCall { pattern, why } => {
                write!(f, "nothing can be generated for `{pattern}`: {why}")
            }
            EmitError::NoTables => f.write_str(
                "the model has no table, so there is nothing to deploy; declare one: [table.NAME]",
            ),
            EmitError::NothingAsked => f.write_str(
                "the model has no access pattern, so nothing is to be allowed; declare one: [access.NAME]",
            ),
            EmitError::TooMany {
                of,
                what,
                found,
                most,
            } => write!(
                f,
                "the template of the {of} would have {found} {what}, and CloudFormation takes {most}; divide the model into several, or deploy with the CDK from the export"
            ),
            EmitError::TooLong { service } => write!(
                f,
                "one pattern of the service `{service}` needs more keys than a policy has room for, which is 6,144 characters; divide the pattern"
            ),
            EmitError::NotCode { why } => write!(f, "what was generated is no code: {why}"),
        }
    }
}

impl std::error::Error for EmitError {}
