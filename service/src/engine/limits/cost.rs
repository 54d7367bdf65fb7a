//! The cost of an engine: the price that the operator declares, and the units of a finished call.

use serde::Deserialize;
use toml::value::Datetime;

use crate::config::InvalidSetting;
use crate::domain::Charge;
use crate::engine::family::Family;
use crate::engine::{Output, Request, schema};
use crate::media::format::Kind;

/// The price of a family's work: `cost = { per-task = 0.04, currency = "USD" }`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Cost {
    /// The price of a task.
    per_task: Option<f64>,
    /// The price of an output file, for families whose results are pictures.
    per_picture: Option<f64>,
    /// The price of a second of the requested duration.
    per_second: Option<f64>,
    /// The price of 1000 characters of the request's text or prompt.
    #[serde(rename = "per-1000-characters")]
    per_1000_characters: Option<f64>,
    /// The currency, as three capital letters: `USD`.
    currency: String,
    /// Where the price comes from: a text, or the URL of a price list.
    source: Option<String>,
    /// The date of the source: `2026-11-01`.
    as_of: Option<Datetime>,
}

/// The maximum number of characters of a source.
const MAX_SOURCE_CHARACTERS: usize = 300;

/// The unit that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Task,
    Picture,
    Second,
    Characters,
}

/// The fields that set the seconds of a result.
const SECONDS: [&str; 2] = ["duration", "duration_seconds"];

/// The fields that hold the text of a request.
const TEXTS: [&str; 2] = ["text", "prompt"];

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Picture => "picture",
            Self::Second => "second",
            Self::Characters => "1000 characters",
        }
    }

    /// Returns the number of units of a finished call; `None` if the request does not contain it.
    fn count(self, request: Request<'_>, outputs: &[Output]) -> Option<f64> {
        match self {
            Self::Task => Some(1.0),
            Self::Picture => Some(outputs.len() as f64),
            Self::Second => SECONDS.iter().find_map(|name| {
                let value = request.field(name)?;
                value.as_f64().or_else(|| value.as_str()?.parse().ok())
            }),
            Self::Characters => {
                let text = TEXTS.iter().find_map(|name| request.text(name))?;
                Some(text.chars().count() as f64 / 1000.0)
            }
        }
    }
}

impl Cost {
    /// Returns the declared prices.
    fn prices(&self) -> impl Iterator<Item = (Unit, f64)> {
        let prices = [
            (Unit::Task, self.per_task),
            (Unit::Picture, self.per_picture),
            (Unit::Second, self.per_second),
            (Unit::Characters, self.per_1000_characters),
        ];
        prices.into_iter().filter_map(|(unit, price)| Some((unit, price?)))
    }

    /// Returns the source of the price, with the date; empty if the settings have none.
    fn origin(&self) -> String {
        let origin = self.source.as_ref().zip(self.as_of);
        origin.map(|(source, day)| format!("{source}, {day}")).unwrap_or_default()
    }

    /// Checks the price of a family.
    ///
    /// # Errors
    /// There is not exactly one price, it is negative, its currency or source is invalid, or the family's requests and results
    /// do not contain the units.
    pub fn check(&self, family: &Family) -> Result<(), InvalidSetting> {
        let setting = format!("families.{}.cost", family.name);
        let invalid = |why: &str| Err(InvalidSetting::because(setting.as_str(), why));
        let prices: Vec<_> = self.prices().collect();
        let [(unit, price)] = prices.as_slice() else {
            return invalid("set one of `per-task`, `per-picture`, `per-second` and `per-1000-characters`");
        };
        if !price.is_finite() || *price < 0.0 {
            return invalid("the price must be at least 0");
        }
        if self.currency.len() != 3 || !self.currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
            let expected = "three capital letters, such as `USD`";
            return Err(InvalidSetting::must_be(format!("{setting}.currency"), expected));
        }
        self.check_source(&setting)?;
        let fields = schema::fields(family);
        let has = |names: &[&str]| names.iter().any(|name| fields.contains_key(*name));
        match unit {
            Unit::Picture if family.makes != Some(Kind::Image) => {
                invalid("use another unit: results of this family are not pictures")
            }
            Unit::Second if !has(&SECONDS) => {
                invalid("use another unit: requests of this family have no duration")
            }
            Unit::Characters if !has(&TEXTS) => {
                invalid("use another unit: requests of this family have no text")
            }
            _ => Ok(()),
        }
    }

    fn check_source(&self, setting: &str) -> Result<(), InvalidSetting> {
        let is_text = |source: &str| {
            (1..=MAX_SOURCE_CHARACTERS).contains(&source.chars().count())
                && !source.contains(char::is_control)
        };
        match (&self.source, self.as_of) {
            (None, None) => Ok(()),
            (Some(source), _) if !is_text(source) => {
                let expected = format!("1 to {MAX_SOURCE_CHARACTERS} characters in one line");
                Err(InvalidSetting::must_be(format!("{setting}.source"), expected))
            }
            (Some(_), Some(Datetime { date: Some(_), time: None, .. })) => Ok(()),
            _ => {
                let why =
                    "`source` and `as-of` (a day such as 2026-11-01) belong together: set both or neither";
                Err(InvalidSetting::because(setting, why))
            }
        }
    }
}

/// Returns the charge for a finished call.
///
/// Without a declared price, or if a request does not contain the units, the price is unknown, which is not 0.
/// A program on this machine is counted only if it has a price: `None` otherwise.
pub fn charge(
    cost: Option<&Cost>,
    (engine, kind): (&str, &str),
    request: Request<'_>,
    outputs: &[Output],
) -> Option<Charge> {
    let (engine, family) = (engine.to_owned(), request.family.name.to_owned());
    let priced = cost.and_then(|cost| Some((cost, cost.prices().next()?)));
    if priced.is_none() && kind == "command" {
        return None;
    }
    let counted =
        priced.and_then(|(cost, (unit, price))| Some((cost, unit, price, unit.count(request, outputs)?)));
    let (currency, source) = (String::new(), String::new());
    let unknown = Charge {
        engine,
        family,
        unit: Unit::Task.name().to_owned(),
        units: 1.0,
        price: None,
        currency,
        source,
    };
    Some(match counted {
        Some((cost, unit, price, units)) => {
            let (unit, currency, source) = (unit.name().to_owned(), cost.currency.clone(), cost.origin());
            Charge { unit, units, price: Some(price), currency, source, ..unknown }
        }
        None => unknown,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::{Input, family};

    fn cost(text: &str) -> Cost {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_price_has_one_unit_that_requests_contain() {
        for (text, family, why) in [
            ("per-task = 0.04\ncurrency = 'USD'", &family::LIP_SYNC, None),
            ("per-second = 0.1\ncurrency = 'EUR'", &family::TEXT_TO_VIDEO, None),
            ("per-second = 0.1\ncurrency = 'EUR'", &family::IMAGE_TO_PROMPT, Some("have no duration")),
            ("per-1000-characters = 1\ncurrency = 'EUR'", &family::IMAGE_TO_PROMPT, Some("have no text")),
            ("per-picture = 1\ncurrency = 'USD'", &family::IMAGEGEN, None),
            ("per-picture = 1\ncurrency = 'USD'", &family::VOICEOVER, Some("are not pictures")),
            ("per-picture = 1\ncurrency = 'USD'", &family::IMAGE_TO_PROMPT, Some("are not pictures")),
            ("currency = 'USD'", &family::LIP_SYNC, Some("set one of `per-task`")),
            (
                "per-task = 1\nper-picture = 1\ncurrency = 'USD'",
                &family::IMAGEGEN,
                Some("set one of `per-task`"),
            ),
            ("per-task = -1\ncurrency = 'USD'", &family::LIP_SYNC, Some("at least 0")),
            (
                "per-task = 1\ncurrency = 'dollars'",
                &family::LIP_SYNC,
                Some("cost.currency` must be three capital letters"),
            ),
            ("per-task = 1\ncurrency = 'USD'\nsource = 'list'\nas-of = 2026-11-01", &family::LIP_SYNC, None),
            (
                "per-task = 1\ncurrency = 'USD'\nsource = 'list'",
                &family::LIP_SYNC,
                Some("set both or neither"),
            ),
            (
                "per-task = 1\ncurrency = 'USD'\nas-of = 2026-11-01",
                &family::LIP_SYNC,
                Some("set both or neither"),
            ),
            (
                "per-task = 1\ncurrency = 'USD'\nsource = 'list'\nas-of = 2026-11-01T10:00:00",
                &family::LIP_SYNC,
                Some("set both or neither"),
            ),
            (
                "per-task = 1\ncurrency = 'USD'\nsource = \"a\\nb\"\nas-of = 2026-11-01",
                &family::LIP_SYNC,
                Some("cost.source` must be 1 to 300 characters in one line"),
            ),
        ] {
            let outcome = cost(text).check(family).err().map(|error| error.to_string());
            assert_eq!(outcome.is_some(), why.is_some(), "{text}: {outcome:?}");
            assert!(outcome.is_none_or(|outcome| outcome.contains(why.unwrap_or_default())), "{text}");
        }
    }

    #[test]
    fn calls_are_counted_by_their_unit_and_an_unknown_price_is_not_zero() {
        let body = json!({"text": "Hello, you", "duration": "8"});
        let input = Input { operation: String::new(), model: None, body };
        let request = Request { family: &family::VOICEOVER, input: Some(&input), work: None };
        let outputs = [Output::Text(String::new()), Output::Text(String::new())];
        let outcome = |text: Option<&str>, kind: &str| {
            let cost = text.map(cost);
            let charge = charge(cost.as_ref(), ("local", kind), request, &outputs)?;
            let is_sourced = text.is_some_and(|text| text.contains("source"));
            assert_eq!(charge.source, if is_sourced { "price list, 2026-11-01" } else { "" });
            Some((charge.unit, charge.units, charge.price))
        };
        let declared_by = |text: &str| outcome(Some(text), "openai").unwrap();
        assert_eq!(declared_by("per-task = 2\ncurrency = 'USD'"), ("task".to_owned(), 1.0, Some(2.0)));
        let sourced = "per-task = 2\ncurrency = 'USD'\nsource = 'price list'\nas-of = 2026-11-01";
        assert_eq!(declared_by(sourced), ("task".to_owned(), 1.0, Some(2.0)));
        assert_eq!(declared_by("per-second = 2\ncurrency = 'USD'"), ("second".to_owned(), 8.0, Some(2.0)));
        let characters = ("1000 characters".to_owned(), 0.01, Some(2.0));
        assert_eq!(declared_by("per-1000-characters = 2\ncurrency = 'USD'"), characters);
        assert_eq!(outcome(None, "openai"), Some(("task".to_owned(), 1.0, None)));
        assert_eq!(outcome(None, "command"), None);

        let pictures = Request { family: &family::IMAGEGEN, input: None, work: None };
        let cost = cost("per-picture = 2\ncurrency = 'USD'");
        let charge = charge(Some(&cost), ("local", "openai"), pictures, &outputs).unwrap();
        assert_eq!((charge.unit.as_str(), charge.units, charge.price), ("picture", 2.0, Some(2.0)));
    }
}
