//! What handlers take from requests. Everything that is refused is refused with a problem that names the field and the reason.

mod faults;
mod json;
mod objects;
mod params;
mod path;
mod read_body;

pub(crate) use self::faults::{NO_SUCH_FIELD, fault_of, shown};
pub use self::json::Json;
pub(crate) use self::json::{MOST_FAULTS, parse};
pub use self::params::Params;
pub(crate) use self::params::{NO_TEXT, is_text};
pub use self::path::Path;
pub(crate) use self::read_body::{read_body, require_json};
