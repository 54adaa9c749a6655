//! The CDK library: compiled, tested, and synthesized without a network; and every template read by cfn-lint.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, bail};

use crate::node;
use crate::python::{self, remove, run};

/// Where the library and the generated templates are.
const FOLDER: &str = "infrastructure";

/// Nobody listens here: whatever asks the network for something fails.
const NOBODY: &str = "http://127.0.0.1:1";

pub(crate) fn verify() -> anyhow::Result<()> {
    let folder = Path::new(FOLDER);
    node::install_in(folder)?;
    let build = folder.join("build");
    remove(&build)?;
    run(program(folder, "typescript/bin/tsc")?.current_dir(folder))?;
    run(Command::new("node")
        .args(["--test", "--test-reporter=dot", "build/test/"])
        .current_dir(folder))?;
    let mut templates = templates_in(&folder.join("models"), ".template.json")?;
    templates.extend(templates_in(&folder.join("models"), ".iam.json")?);
    for environment in ["sandbox", "production"] {
        let output = format!("build/{environment}");
        synthesize(folder, environment, &output)?;
        templates.extend(templates_in(&folder.join(output), ".template.json")?);
    }
    lint(&templates)
}

/// `cdk synth` of the example, as anyone would run it, but for the network.
fn synthesize(folder: &Path, environment: &str, output: &str) -> anyhow::Result<()> {
    let synthesized = program(folder, "aws-cdk/bin/cdk")?
        .args(["synth", "--quiet", "--no-lookups", "--no-notices"])
        .args(["--context", &format!("environment={environment}")])
        .args(["--output", output])
        .current_dir(folder)
        .env("CDK_DISABLE_CLI_TELEMETRY", "1")
        .env("HTTP_PROXY", NOBODY)
        .env("HTTPS_PROXY", NOBODY)
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .output()?;
    // It says much that is of no interest where nothing is wrong.
    if !synthesized.status.success() {
        let said = String::from_utf8_lossy(&synthesized.stderr);
        bail!("cdk synth of the {environment} failed:\n{said}");
    }
    Ok(())
}

/// Errors are faults, and so are warnings.
fn lint(templates: &[PathBuf]) -> anyhow::Result<()> {
    if templates.is_empty() {
        bail!("there is no template in {FOLDER}: run `tablewright generate`");
    }
    let python = python::environment("python", "xtask/requirements.txt")?;
    run(Command::new(python.with_file_name("cfn-lint"))
        // The CDK names dependencies that follow from others.
        .args(["--ignore-checks", "W3005"])
        .arg("--")
        .args(templates))
    .context("cfn-lint found something in a template")?;
    println!("   nothing found in {} templates", templates.len());
    Ok(())
}

/// A program of the installed packages.
fn program(folder: &Path, script: &str) -> anyhow::Result<Command> {
    let script: PathBuf = env::current_dir()?
        .join(folder)
        .join("node_modules")
        .join(script);
    let mut command = Command::new("node");
    command.arg(script);
    Ok(command)
}

fn templates_in(folder: &Path, ending: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name: OsString = entry.file_name();
        if name.to_string_lossy().ends_with(ending) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}
