//! Rejects deeply nested YAML before it is parsed.
//!
//! The YAML parser needs quadratic time for nested brackets, and reads all of them before it checks its own
//! limit.

use saphyr_parser::Parser;

use super::Position;

/// The number of open brackets up to which the text is not checked.
const MANY: usize = 1000;

/// Returns the position at which brackets are nested too deeply, if there is one.
pub(super) fn too_deep(text: &str) -> Option<Position> {
    let mut open = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        if open > MANY {
            if let Some(position) = text.get(..at).and_then(is_nested) {
                return Some(position);
            }
            // The brackets are part of strings.
            open = 0;
        }
    }
    None
}

/// Returns the position at which saphyr's parser exceeds its recursion limit.
///
/// It stops reading there.
fn is_nested(beginning: &str) -> Option<Position> {
    let error = Parser::new_from_str(beginning).find_map(Result::err)?;
    let marker = error.marker();
    (error.info() == "recursion limit exceeded")
        .then(|| Position { line: marker.line(), column: marker.col() + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_deep() {
        let nested = |levels: usize| format!("a: {}1{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(too_deep(&nested(1000)), None, "the parser itself rejects this");
        assert_eq!(too_deep(&nested(100_000)), Some(Position { line: 1, column: 259 }));
    }

    #[test]
    fn brackets_in_strings_are_none() {
        let strings = format!("a: '{}'\nb: |\n{}", "[".repeat(3000), "  {\n".repeat(3000));
        assert_eq!(too_deep(&strings), None);
        assert_eq!(
            too_deep(&format!("{strings}c: {}", "{d: ".repeat(3000))),
            Some(Position { line: 3003, column: 1024 })
        );
    }
}
