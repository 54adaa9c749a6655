//! Links from a document to what stands beside it.

use std::path::{Component, Path, PathBuf};

use crate::artefacts::Job;

use super::code;

/// Links from one document.
#[derive(Debug, Clone)]
pub(crate) struct Links<'j> {
    job: Job<'j>,
    /// The folder the document stands in.
    folder: PathBuf,
}

impl<'j> Links<'j> {
    /// Links from a document in this folder.
    pub(crate) fn new(job: &Job<'j>, folder: &Path) -> Self {
        Links {
            job: *job,
            folder: folder.to_owned(),
        }
    }

    /// Links from the one file of an artefact.
    pub(crate) fn from_file(job: &Job<'j>) -> Self {
        Links::new(job, job.place.parent().unwrap_or(Path::new("")))
    }

    /// Whether something is asked for under a key of `[generate]`.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.job.places.get(key).is_some()
    }

    /// Where to find what stands under a key: the file, or a file of the folder.
    pub(crate) fn to(&self, key: &str, file: &str) -> Option<String> {
        let place = self.job.places.get(key)?;
        let target = if file.is_empty() {
            place.to_owned()
        } else {
            place.join(file)
        };
        relative(&self.folder, &target)
    }

    /// A link that says `shown`; without a target, just that.
    pub(crate) fn link(&self, shown: &str, key: &str, file: &str) -> String {
        match self.to(key, file) {
            Some(target) => format!("[{shown}]({target})"),
            None => shown.to_owned(),
        }
    }

    /// A rule by its name, with its page where the project has the pages.
    pub(crate) fn rule(&self, name: &str) -> String {
        self.link(&code(name), "rules", &format!("{name}.md"))
    }

    /// An access pattern by its name, with its row in the table of patterns where the project has that.
    pub(crate) fn pattern(&self, name: &str) -> String {
        match self.to("patterns", "") {
            Some(target) => format!("[{}]({target}#{name})", code(name)),
            None => code(name),
        }
    }
}

/// The way from a folder to a file; none where only the names of the folders above would tell.
fn relative(folder: &Path, file: &Path) -> Option<String> {
    let (folder, file) = (plain(folder), plain(file));
    let shared = folder.iter().zip(&file).take_while(|(a, b)| a == b).count();
    let up = &folder[shared..];
    if up.iter().any(|part| part == "..") {
        return None;
    }
    let down = file[shared..].iter().map(|part| encoded(part));
    let parts: Vec<String> = up.iter().map(|_| String::from("..")).chain(down).collect();
    Some(parts.join("/"))
}

/// The parts of a path without detours.
fn plain(path: &Path) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if parts.last().is_some_and(|last| last != "..") => {
                parts.pop();
            }
            other => parts.push(other.as_os_str().to_string_lossy().into_owned()),
        }
    }
    parts
}

/// A part of a path in an address.
fn encoded(part: &str) -> String {
    let mut address = String::new();
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_is_the_same_from_wherever_the_command_runs() {
        let way = |folder: &str, file: &str| relative(Path::new(folder), Path::new(file));
        let rules = Some(String::from("../../rules/scan.md"));
        assert_eq!(way("docs/jobs/a", "docs/rules/scan.md"), rules);
        assert_eq!(way("../docs/jobs/a", "../docs/rules/scan.md"), rules);
        assert_eq!(way("docs/./jobs/x/../a", "docs/rules/scan.md"), rules);
        assert_eq!(way("", "a (b).md").as_deref(), Some("a%20%28b%29.md"));
        assert_eq!(way("a", "a/b.md").as_deref(), Some("b.md"));
        assert_eq!(way("../other/a", "models/b.toml"), None);
    }
}
