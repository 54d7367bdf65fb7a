//! JSON pointers.

/// Returns whether `text` is a JSON pointer (RFC 6901) as plain text: empty, or `/pets/0`.
pub fn is_json_pointer(text: &str) -> bool {
    let mut escapes = text.split('~').skip(1);
    (text.is_empty() || text.starts_with('/')) && escapes.all(|rest| rest.starts_with(['0', '1']))
}

/// Returns whether `text` is a relative JSON pointer: `1/name`, `0#`, `2+1/id`.
///
/// The grammar is that of `draft-bhutton-relative-json-pointer-00`, which JSON Schema 2020-12 names.
pub fn is_relative_json_pointer(text: &str) -> bool {
    let Some(text) = after_number(text, true) else { return false };
    let text = match text.strip_prefix(['+', '-']) {
        Some(shift) => after_number(shift, false),
        None => Some(text),
    };
    text.is_some_and(|text| text == "#" || is_json_pointer(text))
}

/// Returns the text after the integer at its start, which has no leading zeros.
fn after_number(text: &str, may_be_zero: bool) -> Option<&str> {
    let rest_of_text = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let number = text.strip_suffix(rest_of_text)?;
    let is_valid = match number {
        "0" => may_be_zero,
        number => !number.is_empty() && !number.starts_with('0'),
    };
    is_valid.then_some(rest_of_text)
}
