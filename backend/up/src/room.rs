//! Whether something can be written.

use std::fs;
use std::io;
use std::path::Path;

/// As much as the engine writes at once, and a log.
const SOME: usize = 64 * 1024;

/// Why nothing can be written into a folder, if it cannot: a log that says so could not be written either.
pub(crate) fn lack_of(folder: &Path) -> Option<io::Error> {
    let file = folder.join(format!(".tablewright-room-{}", std::process::id()));
    let written = fs::write(&file, [0; SOME]);
    // It may not be there.
    let _ = fs::remove_file(&file);
    written.err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_is_known_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        assert!(lack_of(folder.path()).is_none());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(lack_of(&folder.path().join("absent")).is_some());
    }
}
