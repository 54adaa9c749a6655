//! What is there already, where something is generated: looked at before it is opened, since a pipe would be waited for and for ever.

use std::path::Path;
use std::{fs, io};

/// What a file holds; nothing when there is none.
///
/// # Errors
/// When it cannot be read, or is something else than a file.
pub fn bytes(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(why),
    };
    if !found.is_file() {
        let what = if found.is_dir() {
            "a folder"
        } else {
            "no file"
        };
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("what is there is {what}"),
        ));
    }
    fs::read(path).map(Some)
}

/// The text of a file; nothing when there is none.
///
/// # Errors
/// When it cannot be read, is something else than a file, or is not UTF-8.
pub fn text(path: &Path) -> io::Result<Option<String>> {
    let Some(bytes) = bytes(path)? else {
        return Ok(None);
    };
    String::from_utf8(bytes).map(Some).map_err(|why| {
        let valid = why.utf8_error().valid_up_to();
        let before = why.as_bytes().get(..valid).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("it is not UTF-8 text: see line {line}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("review.md");
        assert_eq!(text(&path).unwrap(), None);
        fs::write(&path, "one\ntwo").unwrap();
        assert_eq!(text(&path).unwrap().as_deref(), Some("one\ntwo"));
        fs::write(&path, b"one\n\xff").unwrap();
        let why = text(&path).unwrap_err().to_string();
        assert_eq!(why, "it is not UTF-8 text: see line 2");
        let why = bytes(folder.path()).unwrap_err().to_string();
        assert_eq!(why, "what is there is a folder");
    }
}
