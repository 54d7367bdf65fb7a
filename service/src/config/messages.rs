//! The error messages of settings that can't be read.

use serde::de::Unexpected;

use super::InvalidSetting;

/// The form of an address to listen on.
pub(crate) const ADDRESS: &str = "an IP address with a port, such as 127.0.0.1:8080 or [::1]:8080";

/// Returns the error of a setting that has or is an unknown name.
pub(crate) fn unknown(setting: &str, what: &str, name: &str, known: &[&str]) -> InvalidSetting {
    InvalidSetting::because(setting, no_such(what, name, known))
}

/// Returns the message for an unknown name, with a similar known name and all known names.
pub(crate) fn no_such(what: &str, name: &str, known: &[&str]) -> String {
    let known_ones = known.join(", ");
    match nearest(name, known) {
        Some(near) => format!("unknown {what} `{name}`; did you mean `{near}`? Known: {known_ones}"),
        None if known.is_empty() => format!("unknown {what} `{name}`"),
        None => format!("unknown {what} `{name}`; known: {known_ones}"),
    }
}

/// Returns the most similar name, if one is similar: up to a third of it may be wrong.
fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    let limit = (name.chars().count() / 3).max(1);
    let distances = known.iter().map(|known| (strsim::osa_distance(name, known), *known));
    let nearest = distances.filter(|(distance, _)| *distance <= limit).min_by_key(|(distance, _)| *distance);
    nearest.map(|(_, known)| known)
}

/// Returns what a value of another type must be.
pub(super) fn of_type(found: &Unexpected<'_>, expected: &str) -> String {
    let Some(plain) = plain(expected) else { return expected.to_owned() };
    let found = match found {
        Unexpected::Str(_) => ", not a text",
        Unexpected::Signed(_) | Unexpected::Unsigned(_) | Unexpected::Float(_) => ", not a number",
        Unexpected::Bool(_) => ", not `true` or `false`",
        Unexpected::Seq => ", not a list",
        Unexpected::Map => ", not a table",
        _ => "",
    };
    match (plain, found) {
        ("a whole number", ", not a number") => "a whole number".to_owned(),
        _ => format!("{plain}{found}"),
    }
}

/// Returns what a value outside of its type's range must be.
pub(super) fn of_range(expected: &str) -> String {
    match expected {
        "u64" | "usize" => "a whole number of at least 0".to_owned(),
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        other => plain(other).unwrap_or(other).to_owned(),
    }
}

/// Returns the values that a setting may have, as a text that follows `must be`.
pub(super) fn one_of(values: &[&str]) -> String {
    match values {
        [one] => format!("`{one}`"),
        [one, other] => format!("`{one}` or `{other}`"),
        all => format!("one of {}", all.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ")),
    }
}

/// Returns the plain name of a type.
fn plain(expected: &str) -> Option<&'static str> {
    Some(match expected {
        "i64" | "u64" | "usize" | "u32" | "u16" => "a whole number",
        "f64" => "a number",
        "a string" | "string" | "a borrowed string" => "a text",
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list",
        "a map" => "a table",
        structure if structure.starts_with("struct ") => "a table",
        choice if choice.starts_with("enum ") => "a text",
        _ => return None,
    })
}
