//! Fills the inputs of a run into the steps of an app.

use std::collections::BTreeMap;

use asset_api_server::models::apps::{AppInput, AppInputType, AppInputValue};
use serde_json::Value;

use super::{App, StepTemplate};
use crate::engine::family::Family;
use crate::engine::registry::Registry;
use crate::engine::{MediumContent, MediumRequest, Refusal, Request, StepRequest};
use crate::media::format::Kind;
use crate::media::input::Expected;

/// The longest text of an input, in characters.
///
/// No operation takes longer texts. Media may be longer; they have a limit of their own.
const MAX_CHARACTERS: usize = 40_000;

/// The values of inputs, by their ids.
pub(super) type Values<'a> = BTreeMap<&'a str, Value>;

impl App {
    /// Returns the steps with the inputs filled in, each for the engine that runs it in this process.
    ///
    /// # Errors
    /// Returns all inputs that are invalid, missing or unknown.
    /// If there are none, returns the first step that can't be filled.
    pub fn fill(
        &self,
        given: &BTreeMap<String, Value>,
        registry: &Registry,
    ) -> Result<Vec<StepRequest>, Vec<Refusal>> {
        let mut invalid = Vec::new();
        let mut values = BTreeMap::new();
        for input in &self.inputs {
            match value_of(input, given.get(&input.id)) {
                Ok(Some(value)) => drop(values.insert(input.id.as_str(), value)),
                Ok(None) => {}
                Err(expected) => invalid.push(Refusal::new(format!("inputs.{}", input.id), expected)),
            }
        }
        let known = |id: &&String| self.inputs.iter().any(|input| input.id == **id);
        for unknown in given.keys().filter(|id| !known(id)) {
            invalid.push(Refusal::new(format!("inputs.{unknown}"), "is not an input of this app"));
        }
        if !invalid.is_empty() {
            return Err(invalid);
        }
        self.steps.iter().map(|step| step.fill(&values, registry).map_err(|refusal| vec![refusal])).collect()
    }
}

/// Returns the value of an input: the given value or the default.
fn value_of(input: &AppInput, given: Option<&Value>) -> Result<Option<Value>, String> {
    let Some(given) = given else {
        let default = input.default.as_ref().map(|default| match default {
            AppInputValue::String(text) => Value::from(text.as_str()),
            AppInputValue::Number(number) => whole(*number),
            _ => Value::Null,
        });
        return match default {
            None if input.required => Err("is required".to_owned()),
            default => Ok(default),
        };
    };
    if input.r#type != AppInputType::Creation
        && given.as_str().is_some_and(|given| given.chars().nth(MAX_CHARACTERS).is_some())
    {
        return Err(format!("must have at most {MAX_CHARACTERS} characters"));
    }
    let fits = match &input.r#type {
        AppInputType::Number => given.is_number(),
        AppInputType::Select => {
            given.as_str().is_some_and(|given| input.options.iter().flatten().any(|option| option == given))
        }
        _ => given.is_string(),
    };
    if fits {
        return Ok(Some(given.as_f64().map_or_else(|| given.clone(), whole)));
    }
    Err(match (&input.r#type, &input.options) {
        (AppInputType::Number, _) => "must be a number".to_owned(),
        (AppInputType::Select, Some(options)) => format!("must be one of {}", options.join(", ")),
        _ => "must be a string".to_owned(),
    })
}

/// Converts a number; whole numbers become integers, which some parameters require.
fn whole(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}

impl StepTemplate {
    /// Returns the step for the attached engine of its family if that takes the input, or else for the built-in one.
    fn fill(&self, values: &Values<'_>, registry: &Registry) -> Result<StepRequest, Refusal> {
        let family = Family::named(&self.family)
            .ok_or_else(|| Refusal::new("steps", format!("unknown family `{}`", self.family)))?;
        let (inputs, media, violations) = (self.inputs(), Vec::new(), Vec::new());
        let mut step = StepRequest { family, input: None, work: None, media, inputs, violations };
        if let Some(body) = &self.input {
            let (input, media, violations) = self.fill_input(family, body, values, registry)?;
            step.violations = violations;
            if registry.lane_for(family.name, Some(&input)).is_some() {
                (step.input, step.media) = (Some(input), media);
            }
        }
        if let Some(work) = &self.work {
            let mut work = work.clone();
            replace(&mut work, values);
            let work = serde_json::from_value(work).map_err(|error| {
                Refusal::new("inputs", format!("can't be used for `{}`: {error}", self.family))
            })?;
            let contents = self.media.iter().map(|media| fill_media(media, values));
            let contents: Vec<MediumContent> = contents.collect::<Result<_, _>>()?;
            if step.input.is_none() {
                let asked = Request { family, input: None, work: Some(&work) };
                let engine = registry.engine(asked);
                let kinds = engine.and_then(|engine| engine.kinds(asked, contents.len())).unwrap_or_default();
                let kinds = kinds.into_iter().chain(std::iter::repeat(Kind::Image));
                let medium = |(content, kind)| MediumRequest {
                    field: String::new(),
                    expected: Expected { kind, seconds: None },
                    url_only: false,
                    content,
                };
                step.media = contents.into_iter().zip(kinds).map(medium).collect();
                step.work = Some(work);
            }
        }
        Ok(step)
    }

    /// Returns the ids of inputs, by the parameters that they fill.
    fn inputs(&self) -> BTreeMap<String, String> {
        let work = self.work.as_ref().and_then(|work| work.get("parameters"));
        let parameters = [work, self.input.as_ref()].into_iter().flatten().filter_map(Value::as_object);
        let filled = parameters
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), placeholder(value.as_str()?)?.to_owned())));
        filled.collect()
    }
}

pub(super) fn fill_media(media: &Value, values: &Values<'_>) -> Result<MediumContent, Refusal> {
    if let Some(number) = media.as_u64().and_then(|number| usize::try_from(number).ok()) {
        return Ok(MediumContent::Output(number));
    }
    let id = media.as_str().and_then(placeholder);
    let text = id.and_then(|id| values.get(id)).and_then(Value::as_str);
    match (id, text) {
        (Some(id), Some(text)) => {
            Ok(MediumContent::Given { name: format!("inputs.{id}"), text: text.to_owned() })
        }
        _ => Err(Refusal::new("steps", "each medium must be an input or the number of a step")),
    }
}

/// Replaces placeholders by values; removes fields and array items whose input has no value.
pub(super) fn replace(value: &mut Value, values: &Values<'_>) {
    match value {
        Value::String(text) => {
            if let Some(given) = placeholder(text).and_then(|id| values.get(id)) {
                *value = given.clone();
            }
        }
        Value::Array(items) => {
            items.retain(|item| has_value(item, values));
            items.iter_mut().for_each(|item| replace(item, values));
        }
        Value::Object(fields) => {
            fields.retain(|_, field| has_value(field, values));
            fields.values_mut().for_each(|field| replace(field, values));
        }
        _ => {}
    }
}

/// Returns whether this is a placeholder of an input with a value, or not a placeholder.
pub(super) fn has_value(value: &Value, values: &Values<'_>) -> bool {
    value.as_str().and_then(placeholder).is_none_or(|id| values.contains_key(id))
}

/// Returns the id of the input that a placeholder stands for.
fn placeholder(text: &str) -> Option<&str> {
    text.strip_prefix('{')?.strip_suffix('}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_and_items_without_a_value_are_removed() {
        // A value that looks like a placeholder stays as it is.
        let values = BTreeMap::from([("in_1", Value::from("{in_3}")), ("in_4", Value::from(2))]);
        let mut body = json!({
            "prompt": "{in_1}",
            "style": "{in_2}",
            "tags": ["{in_1}", "{in_2}", "new", ["{in_2}"], {"name": "{in_2}", "weight": "{in_4}"}],
        });
        replace(&mut body, &values);
        let expected = json!({"prompt": "{in_3}", "tags": ["{in_3}", "new", [], {"weight": 2}]});
        assert_eq!(body, expected);
    }
}
