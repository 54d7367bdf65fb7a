//! The steps of attached engines: bodies of requests, with the inputs filled in.

use openapi_crates_runtime::table::Schema;
use openapi_crates_runtime::validation::violations_of;
use serde_json::Value;

use super::StepTemplate;
use super::fill::{Values, fill_media, has_value, replace};
use crate::engine::family::Family;
use crate::engine::registry::Registry;
use crate::engine::{Input, MediumRequest, Refusal, media_fields, schema};

/// The placeholder for media and webhooks while a body is validated.
const URL: &str = "https://example.com/";

impl StepTemplate {
    /// Returns the input of the operation, its media, and the constraints of the API that it breaks.
    ///
    /// Without a model, the input has the first one of the family.
    pub(super) fn fill_input(
        &self,
        family: &'static Family,
        input: &Value,
        values: &Values<'_>,
        registry: &Registry,
    ) -> Result<(Input, Vec<MediumRequest>, Vec<Refusal>), Refusal> {
        let create = self.create(family)?;
        let (mut body, mut media) = (input.clone(), Vec::new());
        media_fields::each(&create.operation, &mut body, |path, field, value| {
            let (value, expected) = (std::mem::replace(value, Value::from("")), field.expected.clone());
            let is_given = has_value(&value, values);
            if is_given {
                let content = fill_media(&value, values);
                media.push(content.map(|content| MediumRequest {
                    field: path,
                    expected,
                    url_only: false,
                    content,
                }));
            }
            is_given
        });
        if let Value::Object(fields) = &mut body {
            fields.retain(|_, field| !field.is_null());
        }
        replace(&mut body, values);
        let violations = violations(&create, &body);
        let first = || registry.models(family).first().map(|model| (*model).to_owned());
        let input = Input { operation: create.operation, model: self.model.clone().or_else(first), body };
        Ok((input, media.into_iter().collect::<Result<_, _>>()?, violations))
    }

    /// Returns the operation whose body the input is.
    fn create(&self, family: &'static Family) -> Result<schema::Create, Refusal> {
        let mut creates = schema::creates(family);
        let names: Vec<String> = creates.iter().map(|create| create.operation.clone()).collect();
        creates.retain(|create| self.operation.as_ref().is_none_or(|name| *name == create.operation));
        match (creates.pop(), creates.is_empty()) {
            (Some(create), true) => Ok(create),
            _ => Err(Refusal::new("steps", format!("`operation` must be one of {}", names.join(", ")))),
        }
    }
}

/// Returns the constraints of the API that a body breaks.
pub(crate) fn violations(create: &schema::Create, body: &Value) -> Vec<Refusal> {
    let Some(schema) = body_schema(&create.operation) else { return Vec::new() };
    let mut body = body.clone();
    media_fields::each(&create.operation, &mut body, |_, _, medium| {
        *medium = Value::from(URL);
        true
    });
    if let Value::Object(fields) = &mut body
        && schema::has_field(create.post, "webhook_url")
    {
        fields.insert("webhook_url".to_owned(), Value::from(URL));
    }
    let violations = violations_of(schema, &body);
    violations.iter().map(|broken| Refusal::new(broken.name.clone(), broken.expected())).collect()
}

/// Returns the constraints on the body of an operation.
fn body_schema(operation: &str) -> Option<&'static Schema> {
    Some(schema::operation(operation)?.body.as_ref()?.contents.first()?.schema)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::family;

    #[test]
    fn examples_keep_the_constraints_of_the_api() {
        for family in family::ALL.iter().filter(|family| family.name != family::APP_RUNS.name) {
            let fields = schema::fields(family).into_keys().filter(|name| name != schema::LORAS);
            for create in fields.flat_map(|name| schema::examples_with(family, &[name])) {
                let broken = violations(&create, &create.example);
                assert!(broken.is_empty(), "{create}: {broken:?}");
            }
        }
    }
}
