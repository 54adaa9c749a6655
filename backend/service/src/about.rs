//! What a service says of itself.

/// What a service says of itself: in its settings, its log, its API description and its health.
///
/// ```
/// use tablewright_service::About;
///
/// const ABOUT: About = About {
///     name: "notes",
///     title: "Notes",
///     about: "People keep their own notes.",
///     version: "1.0.0",
///     port: 8090,
/// };
/// assert_eq!(ABOUT.name, "notes");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// Its short name: lower case, as in `[service.notes]` and `TABLEWRIGHT_NOTES_PORT`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it is for, in a sentence or two.
    pub about: &'static str,
    /// The version of its API description.
    pub version: &'static str,
    /// The port it listens on, unless told otherwise.
    pub port: u16,
}
