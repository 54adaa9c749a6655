//! One process a data directory, and who it is.

use tablewright_local::{Engine, OpenError};

use crate::process::Writer;

#[test]
fn a_directory_is_opened_once_by_a_process() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path()).unwrap();
    let refused = Engine::open(folder.path()).unwrap_err();
    assert!(
        refused.to_string().contains("is in use by this process"),
        "{refused}"
    );

    let clone = engine.clone();
    drop(engine);
    Engine::open(folder.path()).unwrap_err();
    drop(clone);
    Engine::open(folder.path()).unwrap();
}

#[test]
fn a_second_process_is_told_who_holds_the_directory() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::start(folder.path(), "held");
    writer.next().expect("it writes");

    let OpenError::Held { holder, .. } = Engine::open(folder.path()).unwrap_err() else {
        panic!("it is held");
    };
    assert_eq!(holder.pid, Some(writer.pid()));
    assert!(
        holder
            .command
            .as_deref()
            .is_some_and(|name| name.starts_with("local"))
    );
    assert!(
        holder
            .since
            .as_deref()
            .is_some_and(|since| since.ends_with('Z'))
    );

    // The lock goes with the process, whatever the file says.
    writer.kill();
    Engine::open(folder.path()).unwrap();
}

#[test]
fn a_directory_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "no directory").unwrap();
    let refused = Engine::open(&file).unwrap_err();
    assert!(
        matches!(refused, OpenError::Directory { .. }),
        "{refused:?}"
    );
    assert!(
        refused.to_string().contains("file cannot be used"),
        "{refused}"
    );
}

#[test]
fn data_that_is_none_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(Engine::open(folder.path()).unwrap());
    let database = folder.path().join("dynamodb.sqlite");
    let damaged = "this is no database, and was never one".repeat(100);
    std::fs::write(&database, &damaged).unwrap();
    let refused = Engine::open(folder.path()).unwrap_err();
    assert!(matches!(refused, OpenError::Data { .. }), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&database).unwrap(), damaged);
}

/// Who else has an account on the machine reads nobody's tables.
#[cfg(unix)]
#[test]
fn the_data_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let _engine = Engine::open(folder.path()).unwrap();
    let mut found = 0;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        if entry
            .file_name()
            .to_string_lossy()
            .starts_with("dynamodb.sqlite")
        {
            let mode = entry.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{entry:?}");
            found += 1;
        }
    }
    assert!(found > 0);
}
