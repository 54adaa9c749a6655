//! A lake as a database of AWS Glue, in which Athena, Spark and Redshift find its tables.

use arrow_schema::{DataType, Field, Schema};
use serde_json::{Value, json};

use crate::bronze;
use crate::error::LakeError;
use crate::model::{LakeModel, OTHER};
use crate::refining::Refining;

impl LakeModel {
    /// A CloudFormation template with the tables of its lake: bronze, with its partitions, silver, and gold. Columns are those of the files, by the same schemas.
    ///
    /// # Errors
    /// [`LakeError`] when gold cannot be computed of nothing.
    pub async fn glue_template(&self) -> Result<Value, LakeError> {
        let name = self.name;
        let mut resources = vec![(String::from("LakeDatabase"), database())];
        resources.push((String::from("Bronze"), self.bronze_table()));
        for entity in &self.entities {
            if self.table_of(&entity.entity.table.name).is_some() {
                let (entity, schema) = (entity.name(), entity.schema());
                let at = format!("{name}/silver/{entity}");
                let table = table(
                    &format!("silver_{}", snake(entity)),
                    &at,
                    &schema,
                    json!({}),
                );
                resources.push((format!("Silver{entity}"), table));
            }
        }
        if let Some(refine) = self.gold {
            let nothing = Refining::of_nothing();
            refine(nothing.clone()).await?;
            for gold in nothing.tables() {
                let at = format!("{name}/gold/{}", gold.name());
                let table = table(
                    &format!("gold_{}", gold.name()),
                    &at,
                    &gold.schema(),
                    json!({}),
                );
                resources.push((format!("Gold{}", camel(gold.name())), table));
            }
        }
        let resources: serde_json::Map<String, Value> = resources.into_iter().collect();
        let about = format!(
            "The lake of {name}: every change, the items as they are, and what they add up to."
        );
        Ok(json!({
            "AWSTemplateFormatVersion": "2010-09-09",
            "Description": about,
            "Parameters": {
                "Database": {
                    "Type": "String", "Default": format!("{}_lake", snake(name)), "AllowedPattern": "[a-z0-9_]+",
                    "Description": "The name of the database",
                },
                "FirstDay": {
                    "Type": "String", "Default": "2026-01-01", "AllowedPattern": "\\d{4}-\\d{2}-\\d{2}",
                    "Description": "The day before which nothing has changed",
                },
                "Location": {
                    "Type": "String", "AllowedPattern": "s3://.+[^/]",
                    "Description": "Where the lakes are, as TABLEWRIGHT_LAKE says it: s3://bucket/prefix",
                },
            },
            "Resources": resources,
        }))
    }

    /// Its partitions are computed, not listed: nobody has to add them.
    fn bronze_table(&self) -> Value {
        let at = format!("{}/bronze", self.name);
        let entities = self.entities.iter().map(|entity| entity.name());
        let entities: Vec<&str> = entities.chain([OTHER]).collect();
        let pattern = format!("${{Location}}/{at}/entity=${{!entity}}/date=${{!date}}");
        let partitions = json!({
            "projection.enabled": "true",
            "projection.entity.type": "enum",
            "projection.entity.values": entities.join(","),
            "projection.date.type": "date",
            "projection.date.format": "yyyy-MM-dd",
            "projection.date.interval": "1",
            "projection.date.interval.unit": "DAYS",
            "projection.date.range": { "Fn::Join": ["", [{ "Ref": "FirstDay" }, ",NOW+1DAYS"]] },
            "storage.location.template": { "Fn::Sub": pattern },
        });
        let mut bronze = table("bronze", &at, &bronze::schema(), partitions);
        bronze["Properties"]["TableInput"]["PartitionKeys"] = json!([
            { "Name": "entity", "Type": "string" },
            { "Name": "date", "Type": "string" },
        ]);
        bronze
    }
}

fn database() -> Value {
    json!({
        "Type": "AWS::Glue::Database",
        "Properties": {
            "CatalogId": { "Ref": "AWS::AccountId" },
            "DatabaseInput": { "Name": { "Ref": "Database" } },
        },
    })
}

fn table(name: &str, at: &str, schema: &Schema, more: Value) -> Value {
    let columns = schema.fields().iter();
    let columns =
        columns.map(|field| json!({ "Name": small(field), "Type": glue(field.data_type()) }));
    let mut parameters = json!({ "classification": "parquet", "EXTERNAL": "TRUE" });
    if let (Some(parameters), Value::Object(more)) = (parameters.as_object_mut(), more) {
        parameters.extend(more);
    }
    json!({
        "Type": "AWS::Glue::Table",
        "Properties": {
            "CatalogId": { "Ref": "AWS::AccountId" },
            "DatabaseName": { "Ref": "LakeDatabase" },
            "TableInput": {
                "Name": name,
                "TableType": "EXTERNAL_TABLE",
                "Parameters": parameters,
                "StorageDescriptor": {
                    "Columns": columns.collect::<Vec<Value>>(),
                    "Location": { "Fn::Sub": format!("${{Location}}/{at}/") },
                    "InputFormat": "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
                    "OutputFormat": "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
                    "SerdeInfo": { "SerializationLibrary": "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe" },
                },
            },
        },
    })
}

/// The type of a column as Glue and Athena name it.
fn glue(kind: &DataType) -> String {
    match kind {
        DataType::Boolean => String::from("boolean"),
        DataType::Int64 => String::from("bigint"),
        DataType::Float64 => String::from("double"),
        DataType::Date32 => String::from("date"),
        DataType::Timestamp(..) => String::from("timestamp"),
        DataType::Binary => String::from("binary"),
        DataType::List(item) => format!("array<{}>", glue(item.data_type())),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(pair) => {
                let types: Vec<String> = pair.iter().map(|part| glue(part.data_type())).collect();
                format!("map<{}>", types.join(","))
            }
            _ => String::from("string"),
        },
        DataType::Struct(fields) => {
            let fields = fields.iter();
            let fields =
                fields.map(|field| format!("{}:{}", small(field), glue(field.data_type())));
            format!("struct<{}>", fields.collect::<Vec<String>>().join(","))
        }
        // All that is left is text.
        _ => String::from("string"),
    }
}

/// Glue knows small letters only, and finds the columns of files by them.
fn small(field: &Field) -> String {
    field.name().to_lowercase()
}

/// `TaskCounts` as `task_counts`; and what Glue has no letter for as `_`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (at, letter) in name.chars().enumerate() {
        if letter.is_ascii_uppercase() && at > 0 && !snake.ends_with('_') {
            snake.push('_');
        }
        match letter.is_ascii_alphanumeric() {
            true => snake.push(letter.to_ascii_lowercase()),
            false => snake.push('_'),
        }
    }
    snake
}

/// `tasks_per_day` as `TasksPerDay`.
fn camel(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        format!("{}{rest}", first.to_ascii_uppercase())
    });
    words.collect()
}
