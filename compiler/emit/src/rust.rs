//! A model as a Rust module: its types, its keys, its repositories with a method for each access pattern.

mod answers;
pub(crate) mod changes;
mod collections;
pub(crate) mod context;
pub(crate) mod describe;
mod entities;
pub(crate) mod enums;
mod fields;
mod format;
mod imports;
pub(crate) mod names;
mod parameters;
mod patches;
mod reads;
mod refined;
mod repositories;
mod schema;
mod transactions;
mod writes;

use std::collections::HashMap;

use proc_macro2::TokenStream;
use tablewright_check::generated_names::{OF_MODELS, OF_REPOSITORIES, method_name};
use tablewright_model::Model;
use tablewright_model::model::{Access, Verb};
use tablewright_plan::Answer;

use crate::EmitError;
use context::{Context, alias, key_type, repository_type};
use fields::Defaults;
use imports::Imports;
use names::Scope;

/// What is generated for one access pattern.
struct Pattern {
    /// The types it needs.
    around: Vec<TokenStream>,
    method: TokenStream,
}

/// The Rust module of a model; `source` is the path its header names.
///
/// # Errors
/// When two names of the model become one in Rust, or a name cannot be one.
pub fn module(model: &Model, source: &str) -> Result<String, EmitError> {
    let mut module = Module {
        cx: Context::new(model)?,
        types: Scope::with(imports::RESERVED, "a name every module uses"),
        defaults: Defaults::default(),
        items: Vec::new(),
    };
    take_names(&module.cx, &mut module.types)?;
    let enums = enums::find(&mut module.cx, &mut module.types)?;
    let (of_model, of_entities) = module.patterns()?;
    module.stored(&of_entities, &enums)?;
    module.streamed()?;
    module
        .items
        .insert(0, repositories::of_model(&module.cx, &of_model.methods())?);
    module.items.splice(1..1, of_model.around());
    module.items.push(schema::generate(&module.cx));
    module.items.extend(module.private(&of_model));
    module.into_text(source)
}

/// A module that is being put together.
struct Module<'m> {
    cx: Context<'m>,
    /// The names of its types.
    types: Scope,
    defaults: Defaults,
    items: Vec<TokenStream>,
}

/// The names of the methods of each type, as the checker knows them.
struct Methods {
    of_model: Scope,
    of_entities: Vec<Scope>,
}

impl Methods {
    fn of(model: &Model) -> Self {
        let mut of_entities = Vec::new();
        of_entities.resize_with(model.entities.len(), || {
            Scope::with(OF_REPOSITORIES, "a method every repository has")
        });
        Methods {
            of_model: Scope::with(OF_MODELS, "a method every model has"),
            of_entities,
        }
    }

    fn take(&mut self, access: &Access) -> Result<(), EmitError> {
        let scope = match access.verb {
            Verb::Transact(_) => &mut self.of_model,
            _ => &mut self.of_entities[access.verb.entity().id.0],
        };
        let what = format!("the access pattern `{}`", access.name);
        scope.take(&method_name(access.name.as_str()), &what)
    }
}

/// The patterns of one type, in the order of the model.
#[derive(Default)]
struct Patterns(Vec<Pattern>);

impl Patterns {
    fn methods(&self) -> Vec<TokenStream> {
        self.0
            .iter()
            .map(|pattern| pattern.method.clone())
            .collect()
    }

    fn around(&self) -> Vec<TokenStream> {
        self.0
            .iter()
            .flat_map(|pattern| pattern.around.clone())
            .collect()
    }
}

impl Module<'_> {
    /// The patterns of the model as a whole, and those of each entity.
    fn patterns(&mut self) -> Result<(Patterns, Vec<Patterns>), EmitError> {
        let mut of_model = Patterns::default();
        let mut of_entities: Vec<Patterns> = Vec::new();
        of_entities.resize_with(self.cx.model.entities.len(), Patterns::default);
        let (cx, types) = (&self.cx, &mut self.types);
        let mut methods = Methods::of(cx.model);
        for (access, plan) in cx.answered() {
            let entity = &mut of_entities[access.verb.entity().id.0];
            methods.take(access)?;
            match (&plan.answer, &access.verb) {
                (Answer::Read(read), _) => {
                    let read = (access, plan, read);
                    entity
                        .0
                        .push(reads::generate(cx, types, &mut self.defaults, read)?);
                }
                (Answer::Write(_), Verb::Transact(actions)) => {
                    let write = (access, plan, actions.as_slice());
                    of_model.0.push(transactions::generate(cx, types, write)?);
                }
                (Answer::Write(write), _) => {
                    entity
                        .0
                        .push(writes::generate(cx, types, (access, plan, write))?);
                }
                (Answer::ByHand(_) | Answer::Nothing(_), _) => {}
            }
        }
        Ok((of_model, of_entities))
    }

    /// Each entity with its key, its enums, its repository and what its patterns need.
    fn stored(
        &mut self,
        patterns: &[Patterns],
        enums: &[enums::Words<'_>],
    ) -> Result<(), EmitError> {
        let model = self.cx.model;
        let mut by_owner: HashMap<&str, Vec<&enums::Words<'_>>> = HashMap::new();
        for words in enums {
            by_owner.entry(&words.owner).or_default().push(words);
        }
        for ((id, entity), patterns) in model.entity_ids().zip(patterns) {
            self.items
                .push(entities::generate(&self.cx, &mut self.defaults, entity)?);
            for words in by_owner.get(entity.name.as_str()).into_iter().flatten() {
                self.items.push(enums::generate(words)?);
            }
            self.items
                .push(repositories::of_entity(entity, &patterns.methods()));
            self.items
                .extend(refined::generate(&self.cx, &mut self.types, id)?);
            self.items.extend(patterns.around());
        }
        for structure in &model.structs {
            self.items
                .push(entities::nested(&self.cx, &mut self.defaults, structure)?);
            for words in by_owner.get(structure.name.as_str()).into_iter().flatten() {
                self.items.push(enums::generate(words)?);
            }
        }
        Ok(())
    }

    fn streamed(&mut self) -> Result<(), EmitError> {
        self.items
            .extend(changes::changes(&self.cx, &mut self.types)?);
        let events = changes::events(&self.cx, &mut self.types, &mut self.defaults)?;
        self.items.extend(events);
        Ok(())
    }

    /// What nobody outside sees.
    fn private(&self, of_model: &Patterns) -> Vec<TokenStream> {
        let mut items = Vec::new();
        let methods = of_model.0.iter().map(|pattern| pattern.method.to_string());
        if methods.into_iter().any(|method| method.contains("Stopped")) {
            items.push(transactions::stopped());
        }
        items.extend(self.defaults.values().cloned());
        items
    }

    fn into_text(self, source: &str) -> Result<String, EmitError> {
        let mut imports = Imports::default();
        let mut body = String::new();
        for item in self.items {
            body.push('\n');
            body.push_str(&format::items(imports.resolve(item, &self.types))?);
        }
        let header = header(self.cx.model, source);
        Ok(format!("{header}\n{}{body}", imports.to_text()))
    }
}

fn header(model: &Model, source: &str) -> String {
    let mut text = format!(
        "// Generated by `tablewright generate` from {source}. Change the model, not this file.\n\n"
    );
    let title = model.title.as_ref().unwrap_or(&model.name);
    let about = model
        .about
        .as_ref()
        .map(|about| format!("{title}. {about}"));
    for line in format::prose(&about.unwrap_or_else(|| format!("{title}."))) {
        text.push_str(&format!("//! {line}\n"));
    }
    text
}

/// The names of everything that has one of its own in the model.
fn take_names(cx: &Context<'_>, types: &mut Scope) -> Result<(), EmitError> {
    for entity in &cx.model.entities {
        let what = format!("the entity {}", entity.name);
        types.take(entity.name.as_str(), &what)?;
        if let Some(alias) = alias(entity) {
            types.take(alias, &format!("the alias of {what}"))?;
        }
        types.take(&key_type(entity).to_string(), &format!("the key of {what}"))?;
        types.take(
            &repository_type(entity).to_string(),
            &format!("the repository of {what}"),
        )?;
    }
    for structure in &cx.model.structs {
        types.take(
            structure.name.as_str(),
            &format!("the struct {}", structure.name),
        )?;
    }
    types.take(
        &cx.model_type().to_string(),
        &format!("the model {}", cx.model.name),
    )
}
