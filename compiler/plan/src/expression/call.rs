//! The functions of conditions and what they take.

use super::Span;
use super::ast::{Condition, Operand, Path, ValueRef};
use super::cursor::Cursor;
use super::error::{ExpressionError, ExpressionErrorKind};
use super::parse::refuse_same;
use super::suggest::function_meant;

/// A function of conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Contains,
    Size,
}

const NAMES: &[&str] = &[
    "attribute_exists",
    "attribute_not_exists",
    "attribute_type",
    "begins_with",
    "contains",
    "size",
];

impl Function {
    fn named(name: &str) -> Option<Function> {
        Some(match name {
            "attribute_exists" => Function::AttributeExists,
            "attribute_not_exists" => Function::AttributeNotExists,
            "attribute_type" => Function::AttributeType,
            "begins_with" => Function::BeginsWith,
            "contains" => Function::Contains,
            "size" => Function::Size,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Function::AttributeExists => "attribute_exists",
            Function::AttributeNotExists => "attribute_not_exists",
            Function::AttributeType => "attribute_type",
            Function::BeginsWith => "begins_with",
            Function::Contains => "contains",
            Function::Size => "size",
        }
    }

    fn usage(self) -> &'static str {
        match self {
            Function::AttributeExists => "attribute_exists(path)",
            Function::AttributeNotExists => "attribute_not_exists(path)",
            Function::AttributeType => "attribute_type(path, :type)",
            Function::BeginsWith => "begins_with(path, :prefix)",
            Function::Contains => "contains(path, :part)",
            Function::Size => "size(path)",
        }
    }

    fn argument_count(self) -> usize {
        match self {
            Function::AttributeExists | Function::AttributeNotExists | Function::Size => 1,
            Function::AttributeType | Function::BeginsWith | Function::Contains => 2,
        }
    }
}

/// A function with as many arguments as it takes, not yet looked at one by one.
pub(super) struct Call {
    pub(super) function: Function,
    arguments: std::vec::IntoIter<Operand>,
    span: Span,
}

impl Call {
    /// Reads a name, its `(` and, with `operands`, the arguments up to the `)`.
    pub(super) fn read(
        cursor: &mut Cursor<'_>,
        operands: fn(&mut Cursor<'_>, &Span) -> Result<Vec<Operand>, ExpressionError>,
    ) -> Result<Call, ExpressionError> {
        let name = cursor.word();
        let Some(function) = Function::named(name) else {
            return Err(unknown_function(cursor, NAMES));
        };
        let start = cursor.take();
        cursor.count_operator(&start)?;
        let open = cursor.take();
        let arguments = cursor.deeper(|cursor| operands(cursor, &open))?;
        let span = cursor.span_from(start.start);
        let given = arguments.len();
        if given != function.argument_count() {
            let (function, usage) = (function.name(), function.usage());
            return Err(argument_count(span, function, usage, given));
        }
        let arguments = arguments.into_iter();
        Ok(Call {
            function,
            arguments,
            span,
        })
    }

    /// The call as one side of a test: only `size` can be one.
    pub(super) fn into_operand(mut self) -> Result<Operand, ExpressionError> {
        if self.function != Function::Size {
            return Err(self.no_operand());
        }
        let path = self.path()?;
        let span = self.span;
        Ok(Operand::Size { path, span })
    }

    /// The call as a condition: every function but `size` is one.
    pub(super) fn into_condition(mut self) -> Result<Condition, ExpressionError> {
        let span = self.span.clone();
        Ok(match self.function {
            Function::AttributeExists => Condition::AttributeExists {
                path: self.path()?,
                span,
            },
            Function::AttributeNotExists => Condition::AttributeNotExists {
                path: self.path()?,
                span,
            },
            Function::AttributeType => Condition::AttributeType {
                path: self.path()?,
                type_name: self.value()?,
                span,
            },
            Function::BeginsWith => {
                let (operand, prefix) = self.two_operands()?;
                Condition::BeginsWith {
                    operand,
                    prefix,
                    span,
                }
            }
            Function::Contains => {
                let (operand, part) = self.two_operands()?;
                Condition::Contains {
                    operand,
                    part,
                    span,
                }
            }
            Function::Size => {
                let operand = "size(…)".to_owned();
                let kind = ExpressionErrorKind::OperandIsNoCondition { operand };
                return Err(ExpressionError::new(span, kind));
            }
        })
    }

    /// The error for a comparison of the call.
    pub(super) fn no_operand(&self) -> ExpressionError {
        let function = self.function.name();
        let kind = ExpressionErrorKind::FunctionIsNoOperand { function };
        ExpressionError::new(self.span.clone(), kind)
    }

    fn path(&mut self) -> Result<Path, ExpressionError> {
        match self.operand()? {
            Operand::Path(path) => Ok(path),
            other => Err(self.argument("an attribute", &other)),
        }
    }

    fn value(&mut self) -> Result<ValueRef, ExpressionError> {
        match self.operand()? {
            Operand::Value(value) => Ok(value),
            other => Err(self.argument("a :value", &other)),
        }
    }

    fn two_operands(&mut self) -> Result<(Operand, Operand), ExpressionError> {
        let (first, second) = (self.operand()?, self.operand()?);
        refuse_same(&first, &second, &self.span)?;
        Ok((first, second))
    }

    /// The next argument. They have been counted, so that there is one.
    fn operand(&mut self) -> Result<Operand, ExpressionError> {
        let (function, usage) = (self.function.name(), self.function.usage());
        self.arguments
            .next()
            .ok_or_else(|| argument_count(self.span.clone(), function, usage, 0))
    }

    fn argument(&self, takes: &'static str, given: &Operand) -> ExpressionError {
        let kind = ExpressionErrorKind::Argument {
            function: self.function.name(),
            takes,
            given: given.to_string(),
        };
        ExpressionError::new(given.span(), kind)
    }
}

/// The error for a call, here, of something that is not among the `known` functions.
pub(super) fn unknown_function(
    cursor: &Cursor<'_>,
    known: &'static [&'static str],
) -> ExpressionError {
    let name = cursor.word().to_owned();
    let meant = function_meant(&name, known);
    cursor.error(ExpressionErrorKind::UnknownFunction { name, meant, known })
}

/// The error for too few or too many arguments.
pub(super) fn argument_count(
    span: Span,
    function: &'static str,
    usage: &'static str,
    given: usize,
) -> ExpressionError {
    let kind = ExpressionErrorKind::ArgumentCount {
        function,
        usage,
        given,
    };
    ExpressionError::new(span, kind)
}
