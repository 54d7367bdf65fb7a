//! `GET /v1/resources`, whose query has filters, decoded in four ways.

use std::borrow::Cow;

use asset_api_models::resources::ListResourcesInput;
use asset_api_validation::resources::LIST_RESOURCES;
use garde::Validate;
use jsonschema::Validator;
use openapi_crates_runtime::table::Operation;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use serde_json::{Map, Value};

use crate::decode::{Sample, Subject};

/// The operation.
pub struct Resources;

#[derive(Default, Validate)]
pub struct Query {
    #[garde(skip)]
    #[expect(dead_code, reason = "only decoded")]
    language: Option<String>,
    #[garde(range(min = 1, max = 100))]
    page: Option<i64>,
    #[garde(range(min = 1))]
    limit: Option<i64>,
    #[garde(skip)]
    order: Option<Order>,
    #[garde(skip)]
    term: Option<String>,
    #[garde(dive)]
    filters: Filters,
}

/// The parsed filters. A group exists if one of its fields does.
#[derive(Default, Deserialize, Validate)]
#[serde(default, deny_unknown_fields)]
struct Filters {
    #[garde(skip)]
    orientation: Option<Orientation>,
    #[garde(skip)]
    content_type: Option<ContentType>,
    #[garde(skip)]
    license: Option<License>,
    #[garde(skip)]
    people: Option<People>,
    #[garde(skip)]
    period: Option<Period>,
    #[garde(skip)]
    color: Option<Color>,
    #[garde(skip)]
    author: Option<i64>,
    #[serde(rename = "ai-generated")]
    #[garde(skip)]
    ai_generated: Option<AiGenerated>,
    #[garde(skip)]
    vector: Option<Vector>,
    #[garde(skip)]
    psd: Option<Psd>,
    #[garde(inner(custom(garde_ids)))]
    ids: Option<String>,
}

/// Defines groups of filters, with the wire names of their fields, and the functions that read values.
macro_rules! groups {
    ($($group:ident { $($field:ident $wire:literal: $read:ident -> $type:ty),* })*) => {$(
        #[derive(Default, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        struct $group {
            $(#[serde(rename = $wire)] $field: Option<$type>,)*
        }

        impl $group {
            /// Reads the value of `filters[…][field]`; the field has its bracket.
            fn read(&mut self, field: &str, value: &str) -> Option<()> {
                match field.strip_suffix(']')? {
                    $($wire => once(&mut self.$field, $read(value)?),)*
                    _ => None,
                }
            }
        }
    )*};
}

groups! {
    Orientation {
        landscape "landscape": flag -> Flag, portrait "portrait": flag -> Flag, square "square": flag -> Flag,
        panoramic "panoramic": flag -> Flag
    }
    ContentType { photo "photo": flag -> Flag, psd "psd": flag -> Flag, vector "vector": flag -> Flag }
    License { freemium "freemium": flag -> Flag, premium "premium": flag -> Flag }
    People {
        include "include": flag -> Flag, exclude "exclude": flag -> Flag, number "number": named -> PeopleNumber,
        age "age": named -> Age, gender "gender": named -> Gender
    }
    AiGenerated { excluded "excluded": flag -> Flag, only "only": flag -> Flag }
    Vector { kind "type": named -> VectorType, style "style": named -> VectorStyle }
    Psd { kind "type": named -> PsdType }
}

/// Defines enums with the wire names of their values.
macro_rules! enums {
    ($($name:ident { $($variant:ident = $wire:literal),* })*) => {$(
        #[derive(Deserialize)]
        enum $name {
            $(#[serde(rename = $wire)] $variant,)*
        }
    )*};
}

enums! {
    Order { Relevance = "relevance", Recent = "recent" }
    PeopleNumber { One = "1", Two = "2", Three = "3", More = "more_than_three" }
    Age {
        Infant = "infant", Child = "child", Teen = "teen", YoungAdult = "young-adult", Adult = "adult",
        Senior = "senior", Elder = "elder"
    }
    Gender { Male = "male", Female = "female" }
    Period { Month = "last-month", Quarter = "last-quarter", Semester = "last-semester", Year = "last-year" }
    Color {
        Black = "black", Blue = "blue", Gray = "gray", Green = "green", Orange = "orange", Red = "red",
        White = "white", Yellow = "yellow", Purple = "purple", Cyan = "cyan", Pink = "pink"
    }
    VectorType { Jpg = "jpg", Ai = "ai", Eps = "eps", Svg = "svg" }
    VectorStyle {
        Watercolor = "watercolor", Flat = "flat", Cartoon = "cartoon", Geometric = "geometric",
        Gradient = "gradient", Isometric = "isometric", ThreeD = "3d", HandDrawn = "hand-drawn"
    }
    PsdType { Jpg = "jpg", Psd = "psd" }
}

/// A flag: 1, or 0 like an absent flag.
#[derive(Deserialize)]
#[serde(try_from = "i64")]
#[expect(dead_code, reason = "only decoded")]
struct Flag(bool);

impl TryFrom<i64> for Flag {
    type Error = &'static str;

    fn try_from(value: i64) -> Result<Self, &'static str> {
        match value {
            0 => Ok(Self(false)),
            1 => Ok(Self(true)),
            _ => Err("no flag"),
        }
    }
}

impl Query {
    /// Reads a query, and its filters by a function. It checks only constraints that the types express.
    fn read(sample: &Sample, mut filter: impl FnMut(&mut Filters, &str, &str) -> Option<()>) -> Option<Self> {
        let mut query =
            Self { language: sample.header("accept-language")?.map(str::to_owned), ..Self::default() };
        for (name, value) in form_urlencoded::parse(sample.query.as_bytes()) {
            match &*name {
                "page" => once(&mut query.page, integer(&value)?)?,
                "limit" => once(&mut query.limit, integer(&value)?)?,
                "order" => once(&mut query.order, named(&value)?)?,
                "term" => once(&mut query.term, valid(value)?.into_owned())?,
                name => {
                    if let Some(key) = name.strip_prefix("filters[") {
                        filter(&mut query.filters, key, &value)?;
                    }
                }
            }
        }
        Some(query)
    }

    fn is_valid(&self) -> bool {
        self.page.is_none_or(|page| (1..=100).contains(&page))
            && self.limit.is_none_or(|limit| limit > 0)
            && self.filters.ids.as_deref().is_none_or(are_ids)
    }
}

impl Filters {
    /// Reads the value of `filters[key`.
    fn read(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "period]" => return once(&mut self.period, named(value)?),
            "color]" => return once(&mut self.color, named(value)?),
            "author]" => return once(&mut self.author, integer(value)?),
            "ids]" => return once(&mut self.ids, value.to_owned()),
            _ => {}
        }
        let (group, field) = key.split_once("][")?;
        match group {
            "orientation" => self.orientation.get_or_insert_default().read(field, value),
            "content_type" => self.content_type.get_or_insert_default().read(field, value),
            "license" => self.license.get_or_insert_default().read(field, value),
            "people" => self.people.get_or_insert_default().read(field, value),
            "ai-generated" => self.ai_generated.get_or_insert_default().read(field, value),
            "vector" => self.vector.get_or_insert_default().read(field, value),
            "psd" => self.psd.get_or_insert_default().read(field, value),
            _ => None,
        }
    }
}

/// Stores a value, or returns `None` if there already is one.
fn once<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    slot.replace(value).is_none().then_some(())
}

fn flag(value: &str) -> Option<Flag> {
    integer(value)?.try_into().ok()
}

/// Parses an integer as the generated server does: in the syntax of JSON, without a plus and leading zeros.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_odd = digits.starts_with('+') || digits.len() > 1 && digits.starts_with('0');
    if is_odd { None } else { text.parse().ok() }
}

/// Returns a text, unless it was not UTF-8: only then the decoder has replaced something.
fn valid(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    let is_replaced = matches!(&text, Cow::Owned(text) if text.contains(char::REPLACEMENT_CHARACTER));
    (!is_replaced).then_some(text)
}

/// Parses the value of an enum by its wire name.
fn named<'de, T: Deserialize<'de>>(value: &'de str) -> Option<T> {
    let value: StrDeserializer<'de, Error> = value.into_deserializer();
    T::deserialize(value).ok()
}

/// Returns whether the text is a list of ids separated by commas.
fn are_ids(text: &str) -> bool {
    text.split(',').all(|id| !id.is_empty() && id.bytes().all(|digit| digit.is_ascii_digit()))
}

fn garde_ids(text: &str, _: &()) -> garde::Result {
    if are_ids(text) { Ok(()) } else { Err(garde::Error::new("not a list of ids")) }
}

/// Builds the filters as a JSON tree for the schema, with numbers as numbers.
fn tree(sample: &Sample) -> Option<Value> {
    let mut root = Map::new();
    for (name, value) in form_urlencoded::parse(sample.query.as_bytes()) {
        let Some(key) = name.strip_prefix("filters[").and_then(|key| key.strip_suffix(']')) else { continue };
        let is_text = matches!(key, "ids" | "people][number");
        let value = match value.parse::<i64>() {
            Ok(number) if !is_text => number.into(),
            _ => Value::String(value.into_owned()),
        };
        match key.split_once("][") {
            Some((group, field)) => {
                let group = root.entry(group).or_insert_with(|| Map::new().into());
                group.as_object_mut()?.insert(field.to_owned(), value);
            }
            None => drop(root.insert(key.to_owned(), value)),
        }
    }
    Some(root.into())
}

impl Subject for Resources {
    type Ours = ListResourcesInput;
    const OPERATION: &'static Operation = &LIST_RESOURCES;

    type ByHand = Query;
    fn by_hand(sample: &Sample) -> Option<Query> {
        Query::read(sample, Filters::read).filter(Query::is_valid)
    }

    type Garde = Query;
    fn garde(sample: &Sample) -> Option<Query> {
        Query::read(sample, Filters::read).filter(|query| query.validate().is_ok())
    }

    // The other parameters are read and checked by hand.
    const SCHEMA: &'static str = "ResourceFilters";
    type Parsed = Query;
    fn jsonschema(validator: &Validator, sample: &Sample) -> Option<Query> {
        let filters = tree(sample)?;
        if !validator.is_valid(&filters) {
            return None;
        }
        let mut query = Query::read(sample, |_, _, _| Some(()))?;
        query.filters = serde_json::from_value(filters).ok()?;
        Some(query).filter(Query::is_valid)
    }

    const TARGET: f64 = 1.3;

    fn good() -> Vec<Sample> {
        vec![Sample::query("with filters", &sample("")), Sample::query("page alone", "page=2&limit=20")]
    }

    fn bad() -> Vec<Sample> {
        vec![
            Sample::query("a page that is too low", "page=0"),
            Sample::query("a page that is too high", "page=101"),
            Sample::query("an invalid page", "page=one"),
            Sample::query("a page with a plus", "page=%2B1"),
            Sample::query("a page with a leading zero", "page=01"),
            Sample::query("a term that is not UTF-8", "term=%FF"),
            Sample::query("a repeated header", "page=1").repeated("accept-language"),
            Sample::query("an unknown order", "order=best"),
            Sample::query("an invalid flag", &sample("&filters[orientation][portrait]=2")),
            Sample::query("an unknown filter", &sample("&filters[size]=2")),
            Sample::query("an unknown field of a filter", &sample("&filters[people][height]=1")),
            Sample::query("an unknown colour", "filters[color]=beige"),
            Sample::query("invalid ids", &sample("&filters[ids]=1,,2")),
        ]
    }
}

/// Returns the document's example with additional parameters.
fn sample(more: &str) -> String {
    "page=1&limit=20&order=recent&term=white+house&filters[orientation][landscape]=1&filters[orientation][square]=1\
     &filters[content_type][photo]=1&filters[people][include]=1&filters[people][number]=2\
     &filters[people][age]=adult&filters[color]=white"
        .to_owned()
        + more
}
