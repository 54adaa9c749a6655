//! `tablewright lake`: what is in a lake, and what can be done about it.

use tablewright::Store;
use tablewright::descriptor::Schema;
use tablewright_check::report::{self, Findings};
use tablewright_lake::{EntityStatus, Export, Lake, LakeModel, LakeOptions, Place, Status};
use tablewright_local::{Endpoint, Engine, connect};
use tablewright_plan::print::{Align, Columns};

use crate::Outcome;
use crate::arguments::lake::{LakeArguments, LakeCommand, Where};
use crate::error::Failure;
use crate::input;
use crate::output::Output;

pub(crate) fn run(arguments: &LakeArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let at = match &arguments.command {
        LakeCommand::Status(at)
        | LakeCommand::Compact { at, .. }
        | LakeCommand::Rebuild { at, .. } => at,
    };
    let place = Place::named(&at.place).map_err(Failure::Lake)?;
    let Some(models) = models(at, output)? else {
        return Ok(Outcome::Findings);
    };
    let runtime = tokio::runtime::Runtime::new().map_err(Failure::Server)?;
    runtime.block_on(answer(&arguments.command, &place, models, output))
}

/// The models that were named; none when one of them has errors, which are then printed.
fn models(at: &Where, output: &mut Output) -> Result<Option<Vec<LakeModel>>, Failure> {
    let mut models = Vec::new();
    let mut broken = false;
    for input in input::read(&at.models)? {
        match tablewright_model::parse(input.file.text()) {
            Ok(model) => models.push(model_of(&model)?),
            Err(faults) => {
                broken = true;
                let findings = Findings::new(input.file, faults);
                output.print(&report::text::render(&findings, output.style()))?;
            }
        }
    }
    Ok((!broken).then_some(models))
}

/// A model as the lake knows it. One that was parsed without faults is one that can be resolved.
pub(crate) fn model_of(model: &tablewright_model::Model) -> Result<LakeModel, Failure> {
    let schema = Schema::resolve(tablewright_plan::lower(model));
    let schema = schema.map_err(|error| Failure::NoLakeOf {
        why: error.to_string(),
    })?;
    Ok(LakeModel::new(Box::leak(Box::new(schema))))
}

async fn answer(
    command: &LakeCommand,
    place: &Place,
    models: Vec<LakeModel>,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    match command {
        LakeCommand::Status(_) => {
            for model in &models {
                let status = Status::of(place, model).await.map_err(Failure::Lake)?;
                output.print(&told(model.name(), &status))?;
            }
        }
        LakeCommand::Compact { target, .. } => {
            let mut options = LakeOptions::default();
            options.target = *target;
            for model in models {
                let name = model.name();
                if !place.has(name).await.map_err(Failure::Lake)? {
                    output.print(&format!("{name} has no lake there\n"))?;
                    continue;
                }
                let lake = Lake::open(place, model, options).await;
                let lake = lake.map_err(Failure::Lake)?;
                let done = lake.compact(None).await;
                lake.close().await;
                let done = done.map_err(Failure::Lake)?;
                output.print(&match done.files {
                    0 => format!("{name}: nothing to put together\n"),
                    files => format!("{name}: {files} files became {}\n", done.into),
                })?;
            }
        }
        LakeCommand::Rebuild {
            parts,
            endpoint,
            export,
            table_prefix,
            ..
        } => {
            if !export.is_empty() && models.len() != 1 {
                return Err(Failure::ExportOfWhich);
            }
            // What cannot be read is told before anything is opened.
            let mut exports = Vec::new();
            for named in export {
                let place = Place::named(named).map_err(Failure::Lake)?;
                exports.push(Export::open(&place).await.map_err(Failure::Lake)?);
            }
            let endpoint = match endpoint {
                Some(endpoint) => endpoint.clone(),
                None => Endpoint::from_env().map_err(Failure::Endpoint)?,
            };
            // An engine would be made there, with no tables to read.
            if let Endpoint::Embedded(folder) = &endpoint
                && !Engine::is_in(folder)
            {
                let folder = folder.display().to_string();
                return Err(Failure::NoEngine { folder });
            }
            let connection = connect(&endpoint).await.map_err(Failure::Connect)?;
            let store = Store::builder(connection.dynamodb.clone());
            let store = store.table_prefix(table_prefix).build();
            for model in models {
                rebuild(place, model, *parts, (&store, &exports), output).await?;
            }
        }
    }
    Ok(Outcome::Clean)
}

async fn rebuild(
    place: &Place,
    model: LakeModel,
    parts: Option<u16>,
    (store, exports): (&Store, &[Export]),
    output: &mut Output,
) -> Result<(), Failure> {
    let name = model.name();
    if !model.is_followed() {
        let told = format!("{name}: no table has `stream = \"new-and-old-images\"`\n");
        return output.print(&told);
    }
    let mut options = LakeOptions::default();
    let known = Status::of(place, &model).await.map_err(Failure::Lake)?;
    let known = known.entities.iter().map(|entity| entity.parts).max();
    let known = known.filter(|parts| *parts > 0).unwrap_or(options.parts);
    options.parts = parts.map_or(known, usize::from);
    let lake = Lake::open(place, model, options).await;
    let lake = lake.map_err(Failure::Lake)?;
    let rebuilt = match exports {
        [] => lake.rebuild(store).await,
        exports => lake.rebuild_from(store, exports).await,
    };
    lake.close().await;
    let mut rebuilt = rebuilt.map_err(Failure::Lake)?;
    rebuilt.sort_by(|a, b| a.entity.cmp(&b.entity));
    for one in rebuilt {
        let unreadable = match one.unreadable {
            0 => String::new(),
            many => format!(", {many} of them unreadable"),
        };
        let rows = one.rows;
        output.print(&format!("{name}: {rows} of {}{unreadable}\n", one.entity))?;
    }
    Ok(())
}

fn told(model: &str, status: &Status) -> String {
    if status.entities.is_empty() {
        return format!("{model} has no lake there\n");
    }
    let mut columns = Columns::new(&[
        (model, Align::Left),
        ("changes from", Align::Left),
        ("to", Align::Left),
        ("files", Align::Right),
        ("size", Align::Right),
        ("items", Align::Right),
        ("state", Align::Left),
    ]);
    for entity in &status.entities {
        columns.row(row(entity));
    }
    format!("{}\n", columns.lines().join("\n"))
}

fn row(entity: &EntityStatus) -> Vec<String> {
    let (from, to) = entity.days.clone().unwrap_or_default();
    let items = entity.rows.map(|rows| rows.to_string());
    vec![
        entity.entity.clone(),
        from,
        to,
        entity.files.to_string(),
        bytes(entity.bytes),
        items.unwrap_or_else(|| String::from("-")),
        entity.freshness.to_string(),
    ]
}

fn bytes(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} B"),
        10_000..=9_999_999 => format!("{} KB", bytes >> 10),
        _ => format!("{} MB", bytes >> 20),
    }
}
