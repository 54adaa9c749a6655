//! What an event carries, member by member.

/// A member of an event's detail. A model writes `Status`, `NewStatus = Status` or `PreviousStatus = before.Status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// What it is called in the detail.
    pub name: String,
    /// The field whose value it has.
    pub field: String,
    /// Whether the value is that before the change.
    pub before: bool,
}

impl Carried {
    /// Reads what a model writes. Whether there is such a field is for others to say.
    ///
    /// ```
    /// use tablewright_descriptor::Carried;
    ///
    /// let carried = Carried::read("PreviousStatus = before.Status");
    /// assert_eq!((carried.name.as_str(), carried.field.as_str(), carried.before), ("PreviousStatus", "Status", true));
    /// assert_eq!(Carried::read("Status").name, "Status");
    /// ```
    pub fn read(written: &str) -> Self {
        let (name, value) = match written.split_once('=') {
            Some((name, value)) => (name.trim(), value.trim()),
            None => (written, written),
        };
        let before = value.strip_prefix("before.");
        Carried {
            name: name.to_owned(),
            field: before.unwrap_or(value).to_owned(),
            before: before.is_some(),
        }
    }
}
