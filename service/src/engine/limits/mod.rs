//! The limits of a model, which the operator declares.
//!
//! The API's own rules hold for every request. A model may take less, which the client learns at submission.

pub mod cost;
pub mod loras;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::{InvalidSetting, unknown};
use crate::engine::{Refusal, Request, schema};

/// The limit of a field.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Limit {
    /// The smallest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<f64>,
    /// The largest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<f64>,
    /// The maximum number of characters of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<usize>,
    /// The maximum number of items of an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
    /// All values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_of: Option<Vec<Value>>,
    /// Whether the field has to be given.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Whether the field may be given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supported: Option<bool>,
}

/// Limits by the fields of the request.
pub type Limits = BTreeMap<String, Limit>;

/// Limits that hold for some requests only, because the model ties fields to each other.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Fields that a request has to have, each within its limit, so that the others hold.
    pub when: Limits,
    /// The limits of these requests.
    pub limits: Limits,
}

impl Rule {
    /// Checks that the rule at this key of the settings holds for some requests only, and limits them.
    ///
    /// # Errors
    /// Returns the part that makes the rule useless.
    pub(super) fn check(&self, setting_key: &str) -> Result<(), InvalidSetting> {
        let empty = [("when", &self.when), ("limits", &self.limits)];
        if let Some((name, _)) = empty.into_iter().find(|(_, limits)| limits.is_empty()) {
            let expected = "limits of at least one field";
            return Err(InvalidSetting::must_be(format!("{setting_key}.{name}"), expected));
        }
        match self.when.iter().find(|(_, limit)| limit.supported == Some(false)) {
            None => Ok(()),
            Some((field, _)) => Err(InvalidSetting::must_be(
                format!("{setting_key}.when.{field}.supported"),
                "absent: the rule holds for requests that have the field",
            )),
        }
    }

    /// Returns why the request breaks the rule.
    pub(super) fn refuse(&self, request: Request<'_>) -> Vec<Refusal> {
        let holds = |(name, limit): (&String, &Limit)| {
            request.field(name).is_some() && limit.refuse(name, request).is_none()
        };
        if !self.when.iter().all(holds) {
            return Vec::new();
        }
        let fields = self.when.keys().map(String::as_str).collect::<Vec<_>>().join("`, `");
        let param = |refusal: Refusal| {
            Refusal::new(refusal.parameter, format!("{} with this value of `{fields}`", refusal.reason))
        };
        refuse(&self.limits, request).into_iter().map(param).collect()
    }
}

/// Returns why the request exceeds limits.
pub(super) fn refuse(limits: &Limits, request: Request<'_>) -> Vec<Refusal> {
    limits.iter().filter_map(|(name, limit)| limit.refuse(name, request)).collect()
}

impl Limit {
    /// Returns values that may satisfy the limit, instead of one that exceeds it.
    pub(crate) fn values(&self, given: Option<&Value>) -> Vec<Value> {
        let bounds = [self.minimum, self.maximum].into_iter().flatten();
        let numbers = bounds.flat_map(|bound| {
            let number = if bound.fract() == 0.0 { Value::from(bound as i64) } else { Value::from(bound) };
            // Some fields hold numbers as texts.
            [Value::from(number.to_string()), number]
        });
        let shorter = match given {
            Some(Value::String(text)) => {
                self.max_length.map(|most| Value::from(text.chars().take(most).collect::<String>()))
            }
            Some(Value::Array(items)) => {
                self.max_items.map(|most| items.iter().take(most).cloned().collect())
            }
            _ => None,
        };
        self.one_of.iter().flatten().cloned().chain(numbers).chain(shorter).collect()
    }

    /// Checks that the limit at this key of the settings fits a field with these schemas.
    ///
    /// # Errors
    /// Returns the part that no value of the field can meet, or that has no meaning for its type.
    pub(super) fn check(&self, setting_key: &str, schemas: &[&Value]) -> Result<(), InvalidSetting> {
        for (name, is_given, types, what) in [
            ("minimum", self.minimum.is_some(), NUMBERS, "number"),
            ("maximum", self.maximum.is_some(), NUMBERS, "number"),
            ("max-length", self.max_length.is_some(), &["string"], "text"),
            ("max-items", self.max_items.is_some(), &["array"], "array"),
        ] {
            if is_given && !schemas.is_empty() && !schemas.iter().any(|schema| may_hold(schema, types)) {
                let expected = format!("absent: the field holds no {what}");
                return Err(InvalidSetting::must_be(format!("{setting_key}.{name}"), expected));
            }
        }
        if self.minimum.zip(self.maximum).is_some_and(|(least, most)| least > most) {
            return Err(InvalidSetting::must_be(format!("{setting_key}.maximum"), "at least the minimum"));
        }
        let allowed =
            |value: &Value| schemas.is_empty() || schemas.iter().any(|schema| may_be(schema, value));
        let mut given = self.one_of.iter().flatten().enumerate();
        match given.find(|(_, value)| !allowed(value)) {
            None => Ok(()),
            Some((index, value)) => {
                let known: Vec<String> =
                    schemas.iter().flat_map(|schema| values(schema)).flatten().map(shown).collect();
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let setting_key = format!("{setting_key}.one-of[{index}]");
                if known.is_empty() {
                    let expected = "a value of the field's type, within the bounds of `/openapi.yaml`";
                    return Err(InvalidSetting::must_be(setting_key, expected));
                }
                Err(unknown(&setting_key, "value", &shown(value), &known))
            }
        }
    }

    /// Returns why the request exceeds the limit of this field.
    pub(super) fn refuse(&self, name: &str, request: Request<'_>) -> Option<Refusal> {
        let refusal = |reason: String| Some(Refusal::new(name.to_owned(), reason));
        let Some(value) = request.field(name) else {
            return self.required.then(|| refusal("is required by this model".to_owned())).flatten();
        };
        if self.supported == Some(false) {
            return refusal("is not supported by this model".to_owned());
        }
        if let Some(values) = &self.one_of
            && !values.iter().any(|one| is_same(one, value))
        {
            let values: Vec<_> = values.iter().map(shown).collect();
            return refusal(format!("must be one of {}", values.join(", ")));
        }
        let number = number(value);
        let is_out = |number: f64, order: bool| order || !number.is_finite();
        if let Some((least, _)) = self.minimum.zip(number).filter(|(least, n)| is_out(*n, n < least)) {
            return refusal(format!("must be at least {least}"));
        }
        if let Some((most, _)) = self.maximum.zip(number).filter(|(most, n)| is_out(*n, n > most)) {
            return refusal(format!("must be at most {most}"));
        }
        if let Some(refused) = self
            .max_length
            .zip(value.as_str())
            .and_then(|(most, text)| Refusal::of_text(name.to_owned(), text, most))
        {
            return Some(refused);
        }
        let items = value.as_array().map(Vec::len);
        if let Some((most, _)) = self.max_items.zip(items).filter(|(most, items)| items > most) {
            return refusal(format!("must have at most {most} items"));
        }
        None
    }
}

/// Returns a value as messages show it: texts without quotes.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// Returns a number, also one that is written as a text: `nan` and `inf` too, which are within no bounds.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

/// Returns whether two values are the same, however a number is written: `1`, `1.0`, `"1"`.
fn is_same(one: &Value, other: &Value) -> bool {
    shown(one) == shown(other) || number(one).zip(number(other)).is_some_and(|(one, other)| one == other)
}

/// Returns the lists of values that a schema has in `enum`.
fn values(schema: &Value) -> Vec<&Vec<Value>> {
    schema::parts(schema).into_iter().filter_map(|part| part.get("enum")?.as_array()).collect()
}

/// Returns the types of a schema; `None` if it names none.
fn types(schema: &Value) -> Option<Vec<&str>> {
    let types = schema::parts(schema).into_iter().find_map(|part| part.get("type"))?;
    Some(match types {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    })
}

/// The types of numbers.
const NUMBERS: &[&str] = &["number", "integer"];

/// Returns whether a value of the schema can have one of these types. A number may be written as a text: `"5"`.
fn may_hold(schema: &Value, among: &[&str]) -> bool {
    let is_number = |value: &Value| value.as_str().is_some_and(|text| text.parse::<f64>().is_ok());
    types(schema).is_none_or(|types| types.iter().any(|name| among.contains(name)))
        || (among == NUMBERS && values(schema).into_iter().flatten().any(is_number))
}

/// Returns whether a value of the schema can be this one.
fn may_be(schema: &Value, given: &Value) -> bool {
    let text = shown(given);
    let bound = |name: &str| schema::parts(schema).iter().find_map(|part| part.get(name)?.as_f64());
    let is_within = |number: f64| {
        bound("minimum").is_none_or(|least| number >= least)
            && bound("maximum").is_none_or(|most| number <= most)
    };
    let of_type = |name: &str| match name {
        "integer" => number(given).is_some_and(|number| number.fract() == 0.0 && is_within(number)),
        "number" => number(given).is_some_and(is_within),
        "boolean" => matches!(text.as_str(), "true" | "false"),
        "null" => text == "null",
        _ => true,
    };
    values(schema).iter().all(|values| values.iter().any(|value| is_same(value, given)))
        && types(schema).is_none_or(|types| types.into_iter().any(of_type))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::{Input, family};

    #[test]
    fn a_number_is_the_same_however_it_is_written() {
        assert!(is_same(&json!(1), &json!(1.0)) && is_same(&json!("5"), &json!(5.0)));
        assert!(!is_same(&json!(1), &json!(2)) && !is_same(&json!("a"), &json!(1)));
        let number = json!({"type": "integer", "maximum": 5});
        assert!(may_be(&number, &json!(5.0)) && !may_be(&number, &json!(1.5)) && !may_be(&number, &json!(6)));
    }

    #[test]
    fn a_rule_ties_fields_to_each_other() {
        let rule = "[when]\npictures = {}\nresolution.one-of = ['4k']\n[limits]\nduration.maximum = 8\nratio.required = true";
        let rule: Rule = toml::from_str(rule).unwrap();
        for (body, expected) in [
            (json!({"duration": 9, "pictures": ["a"]}), [].as_slice()),
            (json!({"duration": 9, "pictures": ["a"], "resolution": "2k"}), &[]),
            (json!({"duration": 8, "pictures": ["a"], "resolution": "4k", "ratio": 1}), &[]),
            (json!({"duration": 9, "pictures": ["a"], "resolution": "4k"}), &["duration", "ratio"]),
        ] {
            let input = Input { operation: String::new(), model: None, body };
            let refused =
                rule.refuse(Request { family: &family::VOICEOVER, input: Some(&input), work: None });
            assert_eq!(refused.iter().map(|refusal| &refusal.parameter).collect::<Vec<_>>(), expected);
            let names_both =
                |refusal: &Refusal| refusal.reason.ends_with("with this value of `pictures`, `resolution`");
            assert!(refused.iter().all(names_both), "{refused:?}");
        }
    }

    #[test]
    fn a_rule_without_effect_is_refused() {
        for (rule, setting_key) in [
            ("when = {}\nlimits = { a = { required = true } }", Some("r.when")),
            ("when = { a = {} }\nlimits = {}", Some("r.limits")),
            ("when = { a = { supported = false } }\nlimits = { b = {} }", Some("r.when.a.supported")),
            ("when = { a = {} }\nlimits = { b = { maximum = 1 } }", None),
        ] {
            let rule: Rule = toml::from_str(rule).unwrap();
            assert_eq!(rule.check("r").err().map(|invalid| invalid.setting).as_deref(), setting_key);
        }
    }

    #[test]
    fn a_limit_that_no_value_meets_is_refused() {
        for (limit, setting_key) in [
            ("minimum = 2\nmaximum = 1", Some("n.maximum")),
            ("minimum = 1\nmaximum = 1", None),
            ("minimum = 2", None),
        ] {
            let limit: Limit = toml::from_str(limit).unwrap();
            assert_eq!(limit.check("n", &[]).err().map(|invalid| invalid.setting).as_deref(), setting_key);
        }
    }

    #[test]
    fn a_model_may_take_less_than_the_api() {
        let body = json!({"n": 12, "s": "abcd", "m": "x", "l": [1, 2, 3], "d": "8", "nan": "nan"});
        let input = Input { operation: "createX".to_owned(), model: None, body };
        let request = Request { family: &family::VOICEOVER, input: Some(&input), work: None };
        for (limit, field, expected) in [
            ("maximum = 10", "n", Some("must be at most 10")),
            ("minimum = 12.5", "n", Some("must be at least 12.5")),
            ("minimum = 12\nmaximum = 12", "n", None),
            ("max-length = 3", "s", Some("must have at most 3 characters")),
            ("max-length = 4", "s", None),
            ("one-of = ['a', 5]", "m", Some("must be one of a, 5")),
            ("one-of = ['a', 'x']", "m", None),
            ("max-items = 2", "l", Some("must have at most 2 items")),
            ("maximum = 6", "d", Some("must be at most 6")),
            ("maximum = 8\none-of = [5, 8]", "d", None),
            ("maximum = 8", "nan", Some("must be at most 8")),
            ("minimum = 8", "nan", Some("must be at least 8")),
            ("supported = false", "m", Some("is not supported by this model")),
            ("supported = false", "missing", None),
            ("required = true", "missing", Some("is required by this model")),
        ] {
            let limit: Limit = toml::from_str(limit).unwrap();
            let refused = limit.refuse(field, request).map(|refusal| refusal.reason);
            assert_eq!(refused.as_deref(), expected, "{field}: {limit:?}");
        }
    }
}
