//! Fills the inputs of a run into the steps of an app.

use std::collections::BTreeMap;

use asset_api_server::models::apps::{AppInput, AppInputType, AppInputValue};
use serde_json::Value;

use super::{App, FilledInput, StepTemplate};
use crate::engine::Refusal;
use crate::engine::family::Family;
use crate::engine::registry::Registry;
use crate::engine::work::Work;

/// The longest text of an input, in characters.
///
/// No operation takes longer texts. Media may be longer; they have a limit of their own.
const MAX_CHARACTERS: usize = 40_000;

/// The values of inputs, by their ids.
pub(super) type Values<'a> = BTreeMap<&'a str, Value>;

/// The steps of a run.
pub type Filled = Vec<FilledStep>;

/// A step of a run.
#[derive(Debug, Clone)]
pub struct FilledStep {
    /// The family whose engine runs the step.
    pub family: &'static Family,
    /// The work of an attached engine.
    pub input: Option<FilledInput>,
    /// The work of the built-in engine.
    pub work: Option<FilledWork>,
    /// The ids of inputs, by the parameters that they fill.
    pub inputs: BTreeMap<String, String>,
}

/// The work of the built-in engine in a step.
#[derive(Debug, Clone)]
pub struct FilledWork {
    /// The work to do.
    pub work: Work,
    /// The input media.
    pub media: Vec<FilledMedia>,
}

impl FilledStep {
    /// Returns the input, if an attached engine serves it.
    #[must_use]
    pub fn attached(&self, registry: &Registry) -> Option<&FilledInput> {
        let is_attached =
            |filled: &&FilledInput| registry.lane_for(self.family.name, Some(&filled.input)).is_some();
        self.input.as_ref().filter(is_attached)
    }

    /// Returns the name of a parameter of the work as the client knows it.
    #[must_use]
    pub fn name_of(&self, parameter: &str) -> String {
        self.inputs.get(parameter).map_or_else(|| parameter.to_owned(), |id| format!("inputs.{id}"))
    }
}

/// A medium of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilledMedia {
    /// A medium that the client gave.
    Given {
        /// The name of the input as the client knows it, such as `inputs.in_1`.
        name: String,
        /// A URL or base64.
        text: String,
    },
    /// The first file of an earlier step, by the step's number from 0.
    Output(usize),
}

impl App {
    /// Returns the steps with the inputs filled in.
    ///
    /// # Errors
    /// Returns all inputs that are invalid, missing or unknown.
    pub fn fill(&self, given: &BTreeMap<String, Value>) -> Result<Filled, Vec<Refusal>> {
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
        self.steps.iter().map(|step| step.fill(&values).map_err(|param| vec![param])).collect()
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
    fn fill(&self, values: &Values<'_>) -> Result<FilledStep, Refusal> {
        let family = Family::named(&self.family)
            .ok_or_else(|| Refusal::new("steps", format!("unknown family `{}`", self.family)))?;
        let input = self.input.as_ref().map(|input| self.fill_input(family, input, values));
        let work = self.work.as_ref().map(|work| self.fill_work(work, values));
        Ok(FilledStep { family, input: input.transpose()?, work: work.transpose()?, inputs: self.inputs() })
    }

    fn fill_work(&self, work: &Value, values: &Values<'_>) -> Result<FilledWork, Refusal> {
        let mut work = work.clone();
        replace(&mut work, values);
        let work = serde_json::from_value(work).map_err(|error| {
            Refusal::new("inputs", format!("can't be used for `{}`: {error}", self.family))
        })?;
        let media = self.media.iter().map(|media| fill_media(media, values)).collect::<Result<_, _>>()?;
        Ok(FilledWork { work, media })
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

pub(super) fn fill_media(media: &Value, values: &Values<'_>) -> Result<FilledMedia, Refusal> {
    if let Some(number) = media.as_u64().and_then(|number| usize::try_from(number).ok()) {
        return Ok(FilledMedia::Output(number));
    }
    let id = media.as_str().and_then(placeholder);
    let text = id.and_then(|id| values.get(id)).and_then(Value::as_str);
    match (id, text) {
        (Some(id), Some(text)) => {
            Ok(FilledMedia::Given { name: format!("inputs.{id}"), text: text.to_owned() })
        }
        _ => Err(Refusal::new("steps", "each medium must be an input or the number of a step")),
    }
}

/// Replaces placeholders by values; removes fields whose input has no value.
pub(super) fn replace(value: &mut Value, values: &Values<'_>) {
    match value {
        Value::String(text) => {
            if let Some(given) = placeholder(text).and_then(|id| values.get(id)) {
                *value = given.clone();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, values)),
        Value::Object(fields) => {
            fields.retain(|_, field| {
                field.as_str().and_then(placeholder).is_none_or(|id| values.contains_key(id))
            });
            fields.values_mut().for_each(|field| replace(field, values));
        }
        _ => {}
    }
}

/// Returns the id of the input that a placeholder stands for.
pub(super) fn placeholder(text: &str) -> Option<&str> {
    text.strip_prefix('{')?.strip_suffix('}')
}
