//! The words for writes and events.

use super::owned;
use crate::written::{ActionKind, ActionText, EventKind, EventText, WriteText};

impl WriteText {
    /// A write of these actions.
    pub fn new(name: &str) -> Self {
        WriteText {
            name: name.to_owned(),
            actions: Vec::new(),
            claim: None,
        }
    }

    /// With an action.
    #[must_use]
    pub fn action(mut self, action: ActionText) -> Self {
        self.actions.push(action);
        self
    }

    /// Which claims an idempotency key.
    #[must_use]
    pub fn claim(mut self, entity: &str) -> Self {
        self.claim = Some(entity.to_owned());
        self
    }
}

impl ActionText {
    fn new(kind: ActionKind, entity: &str) -> Self {
        ActionText {
            name: entity.to_owned(),
            kind,
            entity: entity.to_owned(),
            set: Vec::new(),
            add: Vec::new(),
            condition: None,
        }
    }

    /// A new item.
    pub fn create(entity: &str) -> Self {
        ActionText::new(ActionKind::Create, entity)
    }

    /// A change of an item.
    pub fn update(entity: &str) -> Self {
        ActionText::new(ActionKind::Update, entity)
    }

    /// The end of an item.
    pub fn delete(entity: &str) -> Self {
        ActionText::new(ActionKind::Delete, entity)
    }

    /// A condition on an item that is not written.
    pub fn check(entity: &str) -> Self {
        ActionText::new(ActionKind::Check, entity)
    }

    /// With a name of its own.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// Which may set these fields.
    #[must_use]
    pub fn set(mut self, fields: &[&str]) -> Self {
        self.set = owned(fields);
        self
    }

    /// Which raises these numbers.
    #[must_use]
    #[allow(
        clippy::should_implement_trait,
        reason = "it is the word of the language, as `set` is"
    )]
    pub fn add(mut self, fields: &[&str]) -> Self {
        self.add = owned(fields);
        self
    }

    /// On this condition.
    #[must_use]
    pub fn only_if(mut self, condition: &str) -> Self {
        self.condition = Some(condition.to_owned());
        self
    }
}

impl EventText {
    fn new(name: &str, on: EventKind, entity: &str) -> Self {
        EventText {
            name: name.to_owned(),
            on,
            entity: entity.to_owned(),
            field: None,
            condition: None,
            detail: Vec::new(),
            version: 1,
        }
    }

    /// When an item comes to be.
    pub fn on_insert(name: &str, entity: &str) -> Self {
        EventText::new(name, EventKind::Insert, entity)
    }

    /// When an item changes.
    pub fn on_change(name: &str, entity: &str) -> Self {
        EventText::new(name, EventKind::Change, entity)
    }

    /// When one field of an item changes.
    pub fn on_change_of(name: &str, entity: &str, field: &str) -> Self {
        EventText {
            field: Some(field.to_owned()),
            ..EventText::on_change(name, entity)
        }
    }

    /// When an item is no more.
    pub fn on_remove(name: &str, entity: &str) -> Self {
        EventText::new(name, EventKind::Remove, entity)
    }

    /// On this condition.
    #[must_use]
    pub fn only_if(mut self, condition: &str) -> Self {
        self.condition = Some(condition.to_owned());
        self
    }

    /// With these members, as a model writes them.
    #[must_use]
    pub fn detail(mut self, members: &[&str]) -> Self {
        self.detail = owned(members);
        self
    }

    /// In this version.
    #[must_use]
    pub fn version(mut self, version: u16) -> Self {
        self.version = version;
        self
    }
}
