//! What a pattern does: its verb, and the actions of a transaction or a batch.

use super::Resolver;
use crate::diagnostic::Diagnostic;
use crate::model::*;
use crate::source::{AccessSource, ActionSource};
use crate::span::{Span, Text};

impl Resolver<'_> {
    pub(super) fn verb(
        &mut self,
        name: &Text,
        source: &AccessSource,
        model: &Model,
    ) -> Option<Verb> {
        let mut verbs: Vec<(&str, Span)> = Vec::new();
        for (word, entity) in [
            ("get", &source.get),
            ("count", &source.count),
            ("search", &source.search),
            ("create", &source.create),
            ("update", &source.update),
            ("delete", &source.delete),
        ] {
            verbs.extend(entity.as_ref().map(|entity| (word, entity.span)));
        }
        verbs.extend(
            source
                .list
                .as_ref()
                .and_then(|list| Some(("list", list.iter().next()?.span))),
        );
        verbs.extend(source.transact.as_ref().map(|_| ("transact", name.span)));
        verbs.extend(source.batch.as_ref().map(|batch| ("batch", batch.span)));
        match verbs.as_slice() {
            [_] => {}
            [] => {
                self.fault(
                    "missing-key",
                    name.span,
                    format!("the pattern `{name}` does nothing"),
                    "give it a verb: get, list, count, search, create, update, delete, transact or batch",
                );
                return None;
            }
            [(first, at), (second, span), ..] => {
                let diagnostic = Diagnostic::language(
                    "bad-value",
                    *span,
                    format!("the pattern `{name}` has two verbs, `{first}` and `{second}`"),
                )
                .related(*at, "the other verb")
                .help("make two patterns of it, or one `transact` if they belong together");
                // The first is resolved all the same, for the other faults of the pattern.
                self.report(diagnostic);
            }
        }
        if let Some(entity) = &source.get {
            return self.entity_ref(entity).map(Verb::Get);
        }
        if let Some(list) = &source.list {
            let mut entities = Vec::new();
            for entity in list.iter() {
                entities.push(self.entity_ref(entity));
            }
            return entities
                .into_iter()
                .collect::<Option<Vec<_>>>()
                .map(Verb::List);
        }
        if let Some(entity) = &source.count {
            return self.entity_ref(entity).map(Verb::Count);
        }
        if let Some(entity) = &source.search {
            let entity = self.entity_ref(entity)?;
            let matches = self.all_known(model.entity(entity.id), &source.r#match);
            return Some(Verb::Search { entity, matches });
        }
        if let Some(entity) = &source.create {
            return self.entity_ref(entity).map(Verb::Create);
        }
        if let Some(entity) = &source.update {
            let entity = self.entity_ref(entity)?;
            let changes = self.changes(&entity, &source.set, &source.add, model);
            return Some(Verb::Update { entity, changes });
        }
        if let Some(entity) = &source.delete {
            return self.entity_ref(entity).map(Verb::Delete);
        }
        if let Some(actions) = &source.transact {
            if actions.is_empty() {
                self.fault(
                    "bad-value",
                    name.span,
                    format!("the transaction `{name}` is empty"),
                    "list its actions: transact = [{ create = \"Task\" }]",
                );
                return None;
            }
            let mut resolved = Vec::new();
            for action in actions {
                resolved.push(self.action(action, model));
            }
            let resolved: Option<Vec<Action>> = resolved.into_iter().collect();
            self.told_apart(resolved.as_deref().unwrap_or_default());
            return resolved.map(Verb::Transact);
        }
        let action = self.action(source.batch.as_ref()?, model)?;
        if action.kind == ActionKind::Check {
            self.fault(
                "bad-value",
                action.span,
                "a batch has no checks: each item stands for itself",
                "use transact, or put the condition in `where`",
            );
        }
        Some(Verb::Batch(action))
    }

    /// Two actions on one entity are on two items, and each needs a name: DynamoDB refuses one item twice.
    fn told_apart(&mut self, actions: &[Action]) {
        for (position, action) in actions.iter().enumerate() {
            let mut others = actions
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != position)
                .map(|(_, other)| other);
            let name = action.name.as_ref().map(|name| name.as_str());
            let clash = others.any(|other| {
                let other_name = other.name.as_ref().map(|name| name.as_str());
                other.entity.id == action.entity.id && (name.is_none() || name == other_name)
            });
            if clash {
                self.fault(
                    "bad-value",
                    action.entity.written.content(),
                    format!("{} is in this transaction twice, and nothing tells the two apart", action.entity.written),
                    "a transaction takes an item once: give each a name of its own, as in as = \"payer\"",
                );
            }
        }
    }

    fn action(&mut self, source: &ActionSource, model: &Model) -> Option<Action> {
        let verbs = [
            (ActionKind::Create, &source.create),
            (ActionKind::Update, &source.update),
            (ActionKind::Delete, &source.delete),
            (ActionKind::Check, &source.check),
            (ActionKind::Get, &source.get),
        ];
        let mut said = verbs
            .iter()
            .filter_map(|(kind, name)| Some((*kind, name.as_ref()?)));
        let (Some((kind, name)), None) = (said.next(), said.next()) else {
            self.fault(
                "missing-key",
                source.span,
                "an action does exactly one thing",
                "give it one of create, update, delete, check or get",
            );
            return None;
        };
        let entity = self.entity_ref(name)?;
        let changes = self.changes(&entity, &source.set, &source.add, model);
        let condition = source
            .r#where
            .as_ref()
            .and_then(|text| self.condition(model.entity(entity.id), text));
        Some(Action {
            kind,
            entity,
            name: source.r#as.clone(),
            changes,
            condition,
            span: source.span,
        })
    }

    fn changes(
        &mut self,
        entity: &EntityRef,
        set: &[Text],
        add: &[Text],
        model: &Model,
    ) -> FieldChanges {
        let entity = model.entity(entity.id);
        let changes = FieldChanges {
            set: self.all_known(entity, set),
            add: self.all_known(entity, add),
        };
        for known in changes.set.iter().chain(&changes.add) {
            if entity.key.has(known.id) {
                self.fault(
                    "bad-value",
                    known.written.content(),
                    format!("`{}` is part of the key of {}, and a key cannot be changed", known.written, entity.name),
                    format!("delete the item and create another: transact = [{{ delete = \"{0}\", as = \"old\" }}, {{ create = \"{0}\", as = \"new\" }}]", entity.name),
                );
            }
        }
        for known in &changes.add {
            if !entity.field(known.id).kind().is_number() {
                self.fault(
                    "bad-value",
                    known.written.content(),
                    format!("`{}` is no number to add to", known.written),
                    "use `set`",
                );
            }
        }
        changes
    }
}
