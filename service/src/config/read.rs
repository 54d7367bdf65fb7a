//! Reads settings from TOML. Errors name the setting and never show its value, because a value under the wrong name may be a key.

use std::fmt::Display;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeOwned, Deserializer, Error as _, Expected, IntoDeserializer, Unexpected, Visitor,
};
use serde::{Deserialize, Serializer, forward_to_deserialize_any};
use serde_path_to_error::{Path as Setting, Segment};
use toml::{Table, Value};

use super::messages::{self, ADDRESS};
use super::{ConfigError, InvalidSetting, locate};

/// Reads the text of a settings file.
///
/// # Errors
/// The text is not TOML, or has an unknown setting or a value of a wrong type.
pub fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, ConfigError> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let start = error.span().and_then(|span| locate::line_and_column(text, span.start));
        // The whole error would show the line, which may hold a key.
        ConfigError::at(path, start, &error.message())
    })?;
    deserialize(&table).map_err(|(setting, unreadable)| {
        let position = match unreadable {
            Unreadable::Unknown { .. } => locate::position(text, &setting),
            _ => locate::position_of_value(text, &setting),
        };
        ConfigError::at(path, position, &unreadable.of(&setting, &[]))
    })
}

/// Reads a table of settings. `common` are the settings of the table that other types read.
///
/// # Errors
/// A setting is unknown or has a wrong type.
pub fn read<T: DeserializeOwned>(name: &str, table: &Table, common: &[&str]) -> Result<T, InvalidSetting> {
    deserialize(table).map_err(|(setting, unreadable)| {
        let common = if setting.contains(['.', '[']) { &[] } else { common };
        let setting = if setting.is_empty() { name.to_owned() } else { format!("{name}.{setting}") };
        unreadable.of(&setting, common)
    })
}

/// Reads an address to listen on.
///
/// # Errors
/// The setting is not such an address.
pub fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map(Some).map_err(|_| D::Error::invalid_value(Unexpected::Other("text"), &ADDRESS))
}

/// Reads a number of seconds.
///
/// # Errors
/// The setting is not a whole number.
pub fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_secs)
}

/// Writes a number of seconds.
///
/// # Errors
/// The serializer fails.
pub fn as_seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(duration.as_secs())
}

/// Writes a number of days.
///
/// # Errors
/// The serializer fails.
pub fn as_days<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(duration.as_secs() / (24 * 60 * 60))
}

/// Reads a number of days.
///
/// # Errors
/// The setting is not a whole number.
pub fn days<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(|days| Duration::from_secs(days.saturating_mul(24 * 60 * 60)))
}

/// Returns the settings, or the name of the setting that can't be read.
fn deserialize<T: DeserializeOwned>(table: &Table) -> Result<T, (String, Unreadable)> {
    let table = Value::Table(table.clone());
    serde_path_to_error::deserialize(Node(&table)).map_err(|error| (name(error.path()), error.into_inner()))
}

/// Returns the name of a setting: `families.voiceover.args[2]`.
fn name(path: &Setting) -> String {
    let mut name = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => name.push_str(&format!("[{index}]")),
            Segment::Map { key } if name.is_empty() => name.push_str(key),
            Segment::Map { key } => name.push_str(&format!(".{key}")),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    name
}

/// Why a setting can't be read.
#[derive(Debug)]
enum Unreadable {
    MustBe(String),
    Unknown { name: String, known: &'static [&'static str] },
    Because(String),
}

impl Unreadable {
    /// Returns the error of this setting. `common` are the known settings besides those of the type.
    fn of(&self, setting: &str, common: &[&str]) -> InvalidSetting {
        match self {
            Self::MustBe(expected) => InvalidSetting::must_be(setting, expected),
            Self::Unknown { name, known } => {
                messages::unknown(setting, "setting", name, &[*known, common].concat())
            }
            Self::Because(why) => InvalidSetting::because(setting, why),
        }
    }
}

impl Display for Unreadable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.of("", &[]).fmt(formatter)
    }
}

impl std::error::Error for Unreadable {}

impl serde::de::Error for Unreadable {
    fn custom<T: Display>(message: T) -> Self {
        Self::Because(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::MustBe(messages::of_type(&found, &expected.to_string()))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::MustBe(messages::of_range(&expected.to_string()))
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::MustBe(messages::of_range(&expected.to_string()))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::MustBe(messages::one_of(expected))
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        Self::Unknown { name: name.to_owned(), known }
    }

    fn missing_field(field: &'static str) -> Self {
        Self::Because(format!("`{field}` is missing: add it"))
    }
}

/// A value of a settings file.
#[derive(Clone, Copy)]
struct Node<'a>(&'a Value);

impl<'a> Node<'a> {
    /// Returns the deserializer of a table's settings.
    fn settings<'de>(
        table: &'a Table,
    ) -> MapDeserializer<'de, impl Iterator<Item = (&'a str, Self)>, Unreadable> {
        MapDeserializer::new(table.iter().map(|(name, value)| (name.as_str(), Self(value))))
    }
}

impl IntoDeserializer<'_, Unreadable> for Node<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Node<'_> {
    type Error = Unreadable;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self.0 {
            Value::String(text) => visitor.visit_str(text),
            Value::Integer(number) => visitor.visit_i64(*number),
            Value::Float(number) => visitor.visit_f64(*number),
            Value::Boolean(is) => visitor.visit_bool(*is),
            Value::Array(items) => SeqDeserializer::new(items.iter().map(Node)).deserialize_any(visitor),
            Value::Table(table) => Self::settings(table).deserialize_any(visitor),
            Value::Datetime(time) => visitor.visit_string(time.to_string()),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        match self.0 {
            // Only TOML's own types know its form of times.
            time @ Value::Datetime(_) => time
                .clone()
                .deserialize_struct(name, fields, visitor)
                .map_err(|error| Unreadable::custom(error.message())),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        match self.0 {
            Value::String(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            Value::Table(table) => visitor.visit_enum(MapAccessDeserializer::new(Self::settings(table))),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only errors are read")]
    struct Settings {
        kind: String,
        a: Option<A>,
        z: Option<B>,
    }

    #[test]
    fn dates_are_read_as_dates() {
        #[derive(Debug, Deserialize)]
        struct Priced {
            as_of: toml::value::Datetime,
        }
        let priced: Priced = read("cost", &toml::from_str("as_of = 2026-11-27").unwrap(), &[]).unwrap();
        assert_eq!(priced.as_of.to_string(), "2026-11-27");
        let text =
            read::<BTreeMap<String, bool>>("cost", &toml::from_str("as_of = 2026-11-27").unwrap(), &[]);
        assert!(text.is_err());
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct A {
        u: usize,
        f: f64,
        n: u32,
        list: Vec<u32>,
        text: String,
        form: Option<Form>,
        many: Option<Many>,
        #[serde(deserialize_with = "address")]
        at: Option<SocketAddr>,
        of: BTreeMap<String, B>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only errors are read")]
    struct B {
        x: bool,
    }

    #[derive(Debug, Deserialize)]
    struct Times {
        day: toml::value::Datetime,
        text: String,
    }

    #[test]
    fn times_are_times_or_texts() {
        let times: Times = read("s", &"day = 2026-11-01\ntext = 2026-11-02".parse().unwrap(), &[]).unwrap();
        assert_eq!((times.day.to_string().as_str(), times.text.as_str()), ("2026-11-01", "2026-11-02"));
        let error = read::<Times>("s", &"day = 'sk-1'".parse().unwrap(), &[]).unwrap_err();
        assert!(error.setting == "s.day" && !error.to_string().contains("sk-1"), "{error}");
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Form {
        Wav,
        Mp3,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Many {
        One,
        Two,
        Three,
    }

    #[test]
    fn messages_are_plain_and_show_no_values() {
        for (text, expected) in [
            ("a.u = 'sk-1, expected u64'", "`s.a.u` must be a whole number, not a text"),
            ("a.u = 1.5", "`s.a.u` must be a whole number"),
            ("a.u = -1", "`s.a.u` must be a whole number of at least 0"),
            ("a.n = 5000000000", "`s.a.n` must be a whole number from 0 to 4294967295"),
            ("a.f = 'sk-1'", "`s.a.f` must be a number, not a text"),
            ("a.list = 7", "`s.a.list` must be a list, not a number"),
            ("a.list = [7, 'sk-1']", "`s.a.list[1]` must be a whole number, not a text"),
            ("a.text = {}", "`s.a.text` must be a text, not a table"),
            ("a = 'sk-1'", "`s.a` must be a table, not a text"),
            ("a.form = 'sk-1'", "`s.a.form` must be `wav` or `mp3`"),
            ("a.many = 'sk-1'", "`s.a.many` must be one of `one`, `two`, `three`"),
            (
                "a.at = 'sk-1'",
                "`s.a.at` must be an IP address with a port, such as 127.0.0.1:8080 or [::1]:8080",
            ),
            ("a.of.q.x = 1", "`s.a.of.q.x` must be `true` or `false`, not a number"),
            ("a.of.q = {}", "`s.a.of.q`: `x` is missing: add it"),
            ("a = {}", "`s`: `kind` is missing: add it"),
            ("knd = 'sk-1'", "`s.knd`: unknown setting `knd`; did you mean `kind`? Known: kind, a, z, more"),
            ("xyz = 'sk-1'", "`s.xyz`: unknown setting `xyz`; known: kind, a, z, more"),
            ("z.xyz = 'sk-1'", "`s.z.xyz`: unknown setting `xyz`; known: x"),
        ] {
            let error = read::<Settings>("s", &text.parse().unwrap(), &["more"]).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
