//! Regular expressions of ECMA-262.

/// The maximum length of an expression in bytes. The parser takes 56 bytes for each open group.
const MAX_LENGTH: usize = 64 << 10;

/// The maximum number of group names, of references to them and of look-behinds in an expression.
const MAX_NAMES: usize = 64;

/// Returns whether `text` is a regular expression of ECMA-262.
///
/// The grammar is that of the flag `u`, and each punctuation character may be escaped. The parser looks for each
/// name in all open groups and among all other names, so that larger expressions are refused.
pub fn is_regex(text: &str) -> bool {
    let names = || text.matches("(?<").count() + text.matches("\\k<").count();
    text.len() <= MAX_LENGTH && names() <= MAX_NAMES && jsonschema_regex::is_valid_ecma_regex(text)
}
