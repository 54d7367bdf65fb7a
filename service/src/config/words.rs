//! What is wrong with a setting that can't be read, in words for operators.

use super::InvalidSetting;

/// What an address to listen on must be.
pub(crate) const ADDRESS: &str = "an IP address with a port, such as 127.0.0.1:8080 or [::1]:8080";

/// Returns the error of a setting for a message of the deserializer.
///
/// The error never shows the value, because a misplaced one may be a key. `common` are the settings that the table has
/// besides those of the message.
pub(crate) fn unreadable(setting: &str, message: &str, common: &[&str]) -> InvalidSetting {
    // A value may hold the words of a message, but what is expected never does.
    let (found, expected) = message.rsplit_once(", expected ").unwrap_or((message, ""));
    if let Some(kind) = found.strip_prefix("invalid type: ") {
        return InvalidSetting::must_be(setting, of_type(kind, expected));
    }
    if found.starts_with("invalid value: ") || found.starts_with("invalid length ") {
        return InvalidSetting::must_be(setting, of_range(expected));
    }
    if found.starts_with("unknown variant ") {
        return InvalidSetting::must_be(setting, expected);
    }
    if let Some(name) = unknown_field(found) {
        let known = expected.split('`').skip(1).step_by(2);
        return unknown(setting, "setting", name, &known.chain(common.iter().copied()).collect::<Vec<_>>());
    }
    if found.contains("invalid socket address syntax") {
        return InvalidSetting::must_be(setting, ADDRESS);
    }
    if let Some(field) = found.strip_prefix("missing field ") {
        return InvalidSetting::because(setting, format_args!("{field} is missing: add it"));
    }
    InvalidSetting::because(setting, message)
}

/// Returns the name of an unknown field for the beginning of a message of the deserializer.
pub(crate) fn unknown_field(message: &str) -> Option<&str> {
    message.strip_prefix("unknown field `")?.split('`').next()
}

/// Returns the error of a setting that has or is an unknown name.
pub(crate) fn unknown(setting: &str, what: &str, name: &str, known: &[&str]) -> InvalidSetting {
    InvalidSetting::because(setting, no_such(what, name, known))
}

/// Says that a name is unknown, which known one is similar, and which ones there are.
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
fn of_type(found: &str, expected: &str) -> String {
    let Some(plain) = plain(expected) else { return expected.to_owned() };
    let found = match found.split([' ', '`']).next().unwrap_or_default() {
        "string" => ", not a text",
        "integer" | "floating" => ", not a number",
        "boolean" => ", not `true` or `false`",
        "sequence" => ", not a list",
        "map" => ", not a table",
        _ => "",
    };
    match (plain, found) {
        ("a whole number", ", not a number") => "a whole number".to_owned(),
        _ => format!("{plain}{found}"),
    }
}

/// Returns what a value outside of its type's range must be.
fn of_range(expected: &str) -> String {
    match expected {
        "u64" | "usize" => "a whole number of at least 0".to_owned(),
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        other => plain(other).unwrap_or(other).to_owned(),
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
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_plain_and_show_no_values() {
        for (message, expected) in [
            (
                "invalid type: string \"sk-1, expected u64\", expected usize",
                "`a.b` must be a whole number, not a text",
            ),
            ("invalid type: floating point `1.5`, expected u64", "`a.b` must be a whole number"),
            ("invalid type: integer `7`, expected a sequence", "`a.b` must be a list, not a number"),
            ("invalid type: map, expected a string", "`a.b` must be a text, not a table"),
            ("invalid type: string \"sk-1\", expected struct Tier", "`a.b` must be a table, not a text"),
            ("invalid type: string \"sk-1\", expected one of two", "`a.b` must be one of two"),
            ("invalid value: integer `-1`, expected usize", "`a.b` must be a whole number of at least 0"),
            ("unknown variant `sk-1`, expected `wav` or `mp3`", "`a.b` must be `wav` or `mp3`"),
            ("missing field `kind`", "`a.b`: `kind` is missing: add it"),
            (
                "unknown field `knd`, expected one of `a`, `kind`",
                "`a.b`: unknown setting `knd`; did you mean `kind`? Known: a, kind, more",
            ),
            ("unknown field `xyz`, expected `a`", "`a.b`: unknown setting `xyz`; known: a, more"),
            ("unknown field `xyz`, there are no fields", "`a.b`: unknown setting `xyz`; known: more"),
            (
                "invalid socket address syntax",
                "`a.b` must be an IP address with a port, such as 127.0.0.1:8080 or [::1]:8080",
            ),
            ("duplicate key", "`a.b`: duplicate key"),
        ] {
            assert_eq!(unreadable("a.b", message, &["more"]).to_string(), expected);
        }
    }
}
