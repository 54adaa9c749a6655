//! The tree of an update expression.

use std::fmt::{Display, Formatter, Result};

use super::Span;
use super::ast::{NameRef, Path, ValueRef};
use super::display::write_separated;
use super::walk::MentionsNames;

/// An update expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UpdateExpression {
    /// One to four clauses, each kind at most once, in the order of the text.
    pub clauses: Vec<UpdateClause>,
}

/// One clause of an update.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UpdateClause {
    /// The keyword it begins with.
    pub kind: ClauseKind,
    /// One action or more, each with the [`Change`] that belongs to the kind.
    pub actions: Vec<UpdateAction>,
    /// From the keyword to the last action.
    pub span: Span,
}

/// The keyword a clause begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClauseKind {
    /// `SET`
    Set,
    /// `REMOVE`
    Remove,
    /// `ADD`
    Add,
    /// `DELETE`
    Delete,
}

impl ClauseKind {
    /// Every kind.
    pub const ALL: [ClauseKind; 4] = [
        ClauseKind::Set,
        ClauseKind::Remove,
        ClauseKind::Add,
        ClauseKind::Delete,
    ];

    /// The keyword in capitals.
    pub fn as_str(self) -> &'static str {
        match self {
            ClauseKind::Set => "SET",
            ClauseKind::Remove => "REMOVE",
            ClauseKind::Add => "ADD",
            ClauseKind::Delete => "DELETE",
        }
    }
}

/// What happens to one path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UpdateAction {
    /// The path that is touched.
    pub path: Path,
    /// What happens to it.
    pub change: Change,
    /// Where the action stands.
    pub span: Span,
}

/// What happens to a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Change {
    /// `SET path = value`
    SetTo(SetValue),
    /// `REMOVE path`
    Remove,
    /// `ADD path :value`
    Add(ValueRef),
    /// `DELETE path :value`
    Delete(ValueRef),
}

/// The right side of a `SET`: one operand, or a sum.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SetValue {
    /// The first operand.
    pub first: SetOperand,
    /// What is added and subtracted, from left to right.
    pub rest: Vec<(ArithmeticOperator, SetOperand)>,
}

/// `+` or `-`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArithmeticOperator {
    /// `+`
    Plus,
    /// `-`
    Minus,
}

/// A part of the right side of a `SET`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SetOperand {
    /// What an attribute holds before the update.
    Path(Path),
    /// A value given with the request.
    Value(ValueRef),
    /// `if_not_exists(path, default)`
    IfNotExists {
        /// What is used if it is there.
        path: Path,
        /// What is used otherwise.
        default: Box<SetOperand>,
        /// Where the call stands.
        span: Span,
    },
    /// `list_append(front, back)`
    ListAppend {
        /// The list that comes first.
        front: Box<SetOperand>,
        /// The list that comes last.
        back: Box<SetOperand>,
        /// Where the call stands.
        span: Span,
    },
}

/// A path or a value, where it stands in the text.
enum Leaf<'a> {
    Path(&'a Path),
    Value(&'a ValueRef),
}

impl UpdateExpression {
    /// The paths the update changes, each with its clause, in the order of the text.
    pub fn touched_paths(&self) -> impl Iterator<Item = (ClauseKind, &Path)> {
        self.clauses.iter().flat_map(|clause| {
            let actions = clause.actions.iter();
            actions.map(|action| (clause.kind, &action.path))
        })
    }

    /// Every path in the order of the text: those that are changed and those that are only read.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.leaves().into_iter().filter_map(|leaf| match leaf {
            Leaf::Path(path) => Some(path),
            Leaf::Value(_) => None,
        })
    }

    /// Every `:value` in the order of the text, repetitions included.
    pub fn values(&self) -> impl Iterator<Item = &ValueRef> {
        self.leaves().into_iter().filter_map(|leaf| match leaf {
            Leaf::Path(_) => None,
            Leaf::Value(value) => Some(value),
        })
    }

    fn leaves(&self) -> Vec<Leaf<'_>> {
        let mut leaves = Vec::new();
        for action in self.clauses.iter().flat_map(|clause| &clause.actions) {
            leaves.push(Leaf::Path(&action.path));
            match &action.change {
                Change::Remove => {}
                Change::Add(value) | Change::Delete(value) => leaves.push(Leaf::Value(value)),
                Change::SetTo(value) => {
                    value.first.collect(&mut leaves);
                    for (_, operand) in &value.rest {
                        operand.collect(&mut leaves);
                    }
                }
            }
        }
        leaves
    }
}

impl SetOperand {
    /// Where the operand stands.
    pub fn span(&self) -> Span {
        match self {
            SetOperand::Path(path) => path.span.clone(),
            SetOperand::Value(value) => value.span.clone(),
            SetOperand::IfNotExists { span, .. } | SetOperand::ListAppend { span, .. } => {
                span.clone()
            }
        }
    }

    fn collect<'a>(&'a self, leaves: &mut Vec<Leaf<'a>>) {
        match self {
            SetOperand::Path(path) => leaves.push(Leaf::Path(path)),
            SetOperand::Value(value) => leaves.push(Leaf::Value(value)),
            SetOperand::IfNotExists { path, default, .. } => {
                leaves.push(Leaf::Path(path));
                default.collect(leaves);
            }
            SetOperand::ListAppend { front, back, .. } => {
                front.collect(leaves);
                back.collect(leaves);
            }
        }
    }
}

impl MentionsNames for UpdateExpression {
    fn names(&self) -> Vec<&NameRef> {
        self.paths().flat_map(Path::names).collect()
    }
}

impl Display for UpdateExpression {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_separated(f, &self.clauses, " ")
    }
}

impl Display for UpdateClause {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} ", self.kind)?;
        write_separated(f, &self.actions, ", ")
    }
}

impl Display for ClauseKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(self.as_str())
    }
}

impl Display for UpdateAction {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}", self.path)?;
        match &self.change {
            Change::SetTo(value) => write!(f, " = {value}"),
            Change::Remove => Ok(()),
            Change::Add(value) | Change::Delete(value) => write!(f, " {value}"),
        }
    }
}

impl Display for SetValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}", self.first)?;
        for (operator, operand) in &self.rest {
            let operator = match operator {
                ArithmeticOperator::Plus => '+',
                ArithmeticOperator::Minus => '-',
            };
            write!(f, " {operator} {operand}")?;
        }
        Ok(())
    }
}

impl Display for SetOperand {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            SetOperand::Path(path) => write!(f, "{path}"),
            SetOperand::Value(value) => write!(f, "{value}"),
            SetOperand::IfNotExists { path, default, .. } => {
                write!(f, "if_not_exists({path}, {default})")
            }
            SetOperand::ListAppend { front, back, .. } => {
                write!(f, "list_append({front}, {back})")
            }
        }
    }
}
