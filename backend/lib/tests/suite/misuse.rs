//! What generated types do not allow does not compile, and for the reason that is meant.
//!
//! Each file in `tests/misuse` begins with the error it must give. They are compiled against the libraries this test was built with:
//! a cargo project of their own would build the whole AWS SDK once more.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library of a crate that was built last.
fn library(folder: &Path, name: &str) -> PathBuf {
    let prefix = format!("lib{name}-");
    let built = fs::read_dir(folder).unwrap().flatten().filter(|entry| {
        let file = entry.file_name().to_string_lossy().into_owned();
        file.starts_with(&prefix) && file.ends_with(".rlib")
    });
    let newest = built.max_by_key(|entry| entry.metadata().unwrap().modified().unwrap());
    newest
        .unwrap_or_else(|| panic!("{name} is not built"))
        .path()
}

#[test]
fn misuse_does_not_compile() {
    let libraries = std::env::current_exe().unwrap();
    let libraries = libraries.parent().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let mut tried = 0;
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/misuse")).unwrap() {
        let path = entry.unwrap().path();
        let source = fs::read_to_string(&path).unwrap();
        let expected = source
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("// "))
            .filter(|line| line.starts_with("error"));
        let mut compile = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        compile
            .args(["--edition", "2024", "--emit", "metadata", "--out-dir"])
            .arg(scratch.path())
            .arg("-L");
        compile.arg(format!("dependency={}", libraries.display()));
        for name in ["tablewright", "accounts", "todo", "tasks"] {
            compile
                .arg("--extern")
                .arg(format!("{name}={}", library(libraries, name).display()));
        }
        let output = compile.arg(&path).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        match expected {
            Some(expected) => {
                assert!(!output.status.success(), "{} compiles", path.display());
                let first = told
                    .lines()
                    .find(|line| line.starts_with("error"))
                    .unwrap_or_default();
                assert_eq!(first, expected, "{}: {told}", path.display());
            }
            // The same use as it is meant: so that the others fail for what they say, and for nothing else.
            None => assert!(output.status.success(), "{}: {told}", path.display()),
        }
        tried += 1;
    }
    assert!(tried >= 8, "only {tried} files were found");
}
