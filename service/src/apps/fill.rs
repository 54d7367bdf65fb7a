//! Fills the inputs of a run into the steps of an app.

use std::collections::BTreeMap;

use asset_api_server::models::apps::{AppInput, AppInputType, AppInputValue};
use serde_json::Value;

use super::{App, StepTemplate};
use crate::engine::family::Family;
use crate::engine::work::Work;
use crate::tasks::submit::InvalidParam;

/// The longest text of an input, in characters.
///
/// No engine takes longer texts. Media may be longer; they have a limit of their own.
const MOST_CHARACTERS: usize = 40_000;

/// The steps of a run.
pub type Filled = Vec<FilledStep>;

/// A step of a run.
#[derive(Debug, Clone)]
pub struct FilledStep {
    /// The family whose engine runs the step.
    pub family: &'static Family,
    /// The work to do.
    pub work: Work,
    /// The input media.
    pub media: Vec<FilledMedia>,
    /// The ids of inputs, by the parameters of the work that they fill.
    pub inputs: BTreeMap<String, String>,
}

impl FilledStep {
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
    /// The number of a file that an earlier step makes, from 0.
    Made(usize),
}

impl App {
    /// Returns the steps with the inputs filled in.
    ///
    /// # Errors
    /// Returns all inputs that are invalid, missing or unknown.
    pub fn fill(&self, given: &BTreeMap<String, Value>) -> Result<Filled, Vec<InvalidParam>> {
        let mut invalid = Vec::new();
        let mut values = BTreeMap::new();
        for input in &self.inputs {
            match value_of(input, given.get(&input.id)) {
                Ok(Some(value)) => drop(values.insert(input.id.as_str(), value)),
                Ok(None) => {}
                Err(expected) => invalid.push(InvalidParam::new(format!("inputs.{}", input.id), expected)),
            }
        }
        let known = |id: &&String| self.inputs.iter().any(|input| input.id == **id);
        for unknown in given.keys().filter(|id| !known(id)) {
            invalid.push(InvalidParam::new(format!("inputs.{unknown}"), "is not an input of this app"));
        }
        if !invalid.is_empty() {
            return Err(invalid);
        }
        self.steps.iter().map(|step| fill_step(step, &values).map_err(|param| vec![param])).collect()
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
        && given.as_str().is_some_and(|given| given.chars().nth(MOST_CHARACTERS).is_some())
    {
        return Err(format!("must have at most {MOST_CHARACTERS} characters"));
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

fn fill_step(step: &StepTemplate, values: &BTreeMap<&str, Value>) -> Result<FilledStep, InvalidParam> {
    let family = Family::named(&step.family)
        .ok_or_else(|| InvalidParam::new("steps", format!("unknown family `{}`", step.family)))?;
    let inputs = step.inputs();
    let mut work = step.work.clone();
    replace(&mut work, values);
    let work = serde_json::from_value(work).map_err(|error| {
        InvalidParam::new("inputs", format!("can't be used for `{}`: {error}", step.family))
    })?;
    let media = step.media.iter().map(|media| fill_media(media, values)).collect::<Result<_, _>>()?;
    Ok(FilledStep { family, work, media, inputs })
}

impl StepTemplate {
    /// Returns the ids of inputs, by the parameters that they fill.
    fn inputs(&self) -> BTreeMap<String, String> {
        let parameters = self.work.get("parameters").and_then(Value::as_object);
        let filled = parameters
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), placeholder(value.as_str()?)?.to_owned())));
        filled.collect()
    }
}

fn fill_media(media: &Value, values: &BTreeMap<&str, Value>) -> Result<FilledMedia, InvalidParam> {
    if let Some(place) = media.as_u64().and_then(|place| usize::try_from(place).ok()) {
        return Ok(FilledMedia::Made(place));
    }
    let id = media.as_str().and_then(placeholder);
    let text = id.and_then(|id| values.get(id)).and_then(Value::as_str);
    match (id, text) {
        (Some(id), Some(text)) => {
            Ok(FilledMedia::Given { name: format!("inputs.{id}"), text: text.to_owned() })
        }
        _ => Err(InvalidParam::new("steps", "each medium must be an input or the number of a file")),
    }
}

/// Replaces placeholders by values; removes fields whose input has no value.
fn replace(value: &mut Value, values: &BTreeMap<&str, Value>) {
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
fn placeholder(text: &str) -> Option<&str> {
    text.strip_prefix('{')?.strip_suffix('}')
}
