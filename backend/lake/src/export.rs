//! An export of a table to S3, as DynamoDB writes it and as it lies in a folder or a bucket: two manifests, and the items in files of their own.

mod items;

use std::fmt;
use std::sync::Arc;

use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::LakeError;
use crate::place::Place;

/// The manifests of an export, and what is there before it is complete.
const SUMMARY: &str = "manifest-summary.json";
const FILES: &str = "manifest-files.json";
const STARTED: &str = "_started";

/// A full export of a table, all of whose files are there.
#[derive(Debug)]
pub struct Export {
    files: Arc<dyn ObjectStore>,
    /// As people named it.
    named: String,
    /// The address of its table.
    table: String,
    /// Which life of the table it is of.
    table_id: Option<String>,
    /// The moment the items are of, in milliseconds since 1970.
    at: i64,
    parts: Vec<Part>,
}

/// A file with items.
#[derive(Debug, Clone)]
struct Part {
    path: Path,
    bytes: u64,
    /// Its version, so that it is read as one though it is replaced meanwhile.
    version: Option<String>,
    items: u64,
}

/// What `manifest-summary.json` says.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    table_arn: String,
    table_id: Option<String>,
    /// Incremental exports have none.
    export_time: Option<jiff::Timestamp>,
    /// Exports from before there were incremental ones have none.
    export_type: Option<String>,
    output_format: String,
    item_count: u64,
}

/// What a line of `manifest-files.json` says.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    item_count: u64,
    data_file_s3_key: String,
}

impl Export {
    /// Opens an export by the folder its manifests are in, as `AWSDynamoDB/01693685827463-2d8752fd`: on this machine, or as `s3://bucket/prefix/AWSDynamoDB/…`.
    ///
    /// # Errors
    /// [`LakeError::Export`] when it is none, is not complete, or is of another kind than full and in DynamoDB's JSON; [`LakeError::Files`].
    pub async fn open(place: &Place) -> Result<Self, LakeError> {
        let named = place.to_string();
        let no = |why: String| LakeError::export(&named, why);
        let files = place.whole().map_err(|error| no(error.to_string()))?;
        let summary: Summary = match text_of(&*files, SUMMARY).await? {
            Some(text) => read_as(&text, SUMMARY).map_err(no)?,
            None => return Err(no(why_no_summary(&*files).await)),
        };
        let at = summary.readable().map_err(no)?;
        let listed = text_of(&*files, FILES).await?;
        let listed =
            listed.ok_or_else(|| no(format!("{FILES} is missing: copy the whole folder")))?;
        let mut parts = Vec::new();
        for line in listed.lines().filter(|line| !line.trim().is_empty()) {
            let listed: Listed = read_as(line, FILES).map_err(no)?;
            parts.push(found(&*files, &listed).await?.map_err(no)?);
        }
        let items: u64 = parts.iter().map(|part| part.items).sum();
        if items != summary.item_count {
            let said = summary.item_count;
            return Err(no(format!(
                "{SUMMARY} tells of {said} items, and {FILES} of {items}: they are not of one export"
            )));
        }
        Ok(Export {
            files,
            table: summary.table_arn,
            table_id: summary.table_id,
            at,
            parts,
            named,
        })
    }

    /// The moment its items are of, in milliseconds since 1970.
    pub fn at(&self) -> i64 {
        self.at
    }

    /// The name of its table, as it is deployed.
    pub fn table(&self) -> &str {
        let name = self.table.rsplit_once("table/");
        name.map_or(&self.table, |(_, name)| name)
    }

    /// Says why it is not of the table at an address, if so. A table that was made again has another id.
    pub(crate) fn is_of(&self, address: Option<&str>, id: Option<&str>) -> Result<(), LakeError> {
        if let Some(address) = address.filter(|address| *address != self.table) {
            let own = &self.table;
            return Err(self.refused(format!("it is of {own}, and the lake follows {address}")));
        }
        match (self.table_id.as_deref(), id) {
            (Some(own), Some(id)) if own != id => Err(self.refused(format!(
                "{} was deleted and made again since: export the one there is now",
                self.table()
            ))),
            _ => Ok(()),
        }
    }

    pub(crate) fn refused(&self, why: impl fmt::Display) -> LakeError {
        LakeError::export(&self.named, why)
    }
}

impl Summary {
    /// When the export was made; or why it cannot be read.
    fn readable(&self) -> Result<i64, String> {
        let kind = self.export_type.as_deref().unwrap_or("FULL_EXPORT");
        if kind != "FULL_EXPORT" {
            return Err(format!(
                "it is of the type {kind}, which has changes and not the table: make a full export (`--export-type FULL_EXPORT`)"
            ));
        }
        let format = &self.output_format;
        if format != "DYNAMODB_JSON" {
            return Err(format!(
                "its items are in the format {format}: make an export with `--export-format DYNAMODB_JSON`"
            ));
        }
        let at = self.export_time.map(jiff::Timestamp::as_millisecond);
        at.ok_or_else(|| format!("{SUMMARY} has no `exportTime`"))
    }
}

/// A file that a manifest names. Its key begins with the prefix the export was given, which a copy has not: what counts is its name in `data`.
async fn found(
    files: &dyn ObjectStore,
    listed: &Listed,
) -> Result<Result<Part, String>, LakeError> {
    let key = &listed.data_file_s3_key;
    let name = key.rsplit('/').next().unwrap_or_default();
    if !name.ends_with(".json.gz") {
        return Ok(Err(format!("{FILES} names {key}, which is no .json.gz")));
    }
    let path = Path::from_iter(["data", name]);
    match files.head(&path).await {
        Ok(meta) => Ok(Ok(Part {
            path,
            bytes: meta.size,
            version: meta.e_tag,
            items: listed.item_count,
        })),
        Err(Error::NotFound { .. }) => Ok(Err(format!(
            "{path} is missing, which {FILES} names: copy the whole folder"
        ))),
        Err(error) => Err(error.into()),
    }
}

/// Whether the export is not complete, or the folder another.
async fn why_no_summary(files: &dyn ObjectStore) -> String {
    match files.head(&Path::from(STARTED)).await {
        Ok(_) => format!(
            "it has begun and is not complete: there is {STARTED} and no {SUMMARY}. Wait for DynamoDB to complete it, and see whether it has failed"
        ),
        Err(_) => format!(
            "there is no {SUMMARY}: name the folder that has it, as AWSDynamoDB/01693685827463-2d8752fd"
        ),
    }
}

async fn text_of(files: &dyn ObjectStore, name: &str) -> Result<Option<String>, LakeError> {
    match files.get(&Path::from(name)).await {
        Ok(found) => {
            let bytes = found.bytes().await?;
            Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
        }
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn read_as<T: DeserializeOwned>(text: &str, name: &str) -> Result<T, String> {
    serde_json::from_str(text)
        .map_err(|error| format!("{name} is not as DynamoDB writes it: {error}"))
}
