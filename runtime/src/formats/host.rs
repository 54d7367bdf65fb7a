//! Host names.

/// The maximum length of a host name.
const MAX_LENGTH: usize = 253;

/// The maximum length of a label of a host name.
const MAX_LABEL: usize = 63;

/// Returns whether `text` is a host name (RFC 1123). Labels in Punycode must be valid when they are decoded.
#[cfg(feature = "formats-idn")]
pub fn is_hostname(text: &str) -> bool {
    let is_encoded = |label: &str| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
    is_ascii_name(text) && (!text.split('.').any(is_encoded) || super::idn::is_hostname(text))
}

/// Returns whether `text` consists of labels of letters, digits and hyphens in ASCII.
pub fn is_ascii_name(text: &str) -> bool {
    is_name(text, |character| character.is_ascii_alphanumeric())
}

/// Returns whether `text` consists of labels of letters, digits and hyphens.
pub fn is_name(text: &str, is_letter_or_digit: fn(char) -> bool) -> bool {
    let is_label = |label: &str| {
        (1..=MAX_LABEL).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|character| is_letter_or_digit(character) || character == '-')
    };
    text.len() <= MAX_LENGTH && text.split('.').all(is_label)
}
