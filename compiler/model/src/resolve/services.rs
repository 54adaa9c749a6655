//! Who uses a model: the services of its patterns, and the tenants of its items.

use super::Resolver;
use crate::model::Entity;
use crate::span::Text;

impl Resolver<'_> {
    /// The services a pattern names: plain names, each once.
    pub(super) fn services(&mut self, pattern: &Text, written: Option<&[Text]>) -> Vec<Text> {
        let Some(written) = written else {
            return Vec::new();
        };
        if written.is_empty() {
            self.fault(
                "bad-value",
                pattern.span,
                format!("`services` of `{pattern}` names nobody"),
                "name the services that use it; leave `services` out for the one with the model's name; leave the pattern out if there is none",
            );
        }
        for (position, name) in written.iter().enumerate() {
            self.plain_name(name, "a service");
            if written[..position]
                .iter()
                .any(|before| before.value == name.value)
            {
                self.fault(
                    "bad-value",
                    name.span,
                    format!("`{name}` is named twice"),
                    "name a service once",
                );
            }
        }
        written.to_vec()
    }

    /// The field of the tenant, which some entity must have.
    pub(super) fn tenant(&mut self, written: Option<&Text>, entities: &[Entity]) -> Option<Text> {
        let tenant = written?;
        let fields = || entities.iter().flat_map(|entity| &entity.fields);
        if fields().all(|field| field.name.value != tenant.value) {
            let mut known: Vec<&str> = fields().map(|field| field.name.as_str()).collect();
            known.sort_unstable();
            known.dedup();
            self.unknown(
                "field of any entity",
                tenant.as_str(),
                tenant.content(),
                known,
            );
            return None;
        }
        Some(tenant.clone())
    }
}
