//! Puts a list that is the only argument of a call on the line of the call. `prettyplease` indents it twice, and rows of
//! tables are nested calls with such lists.

/// The spaces of one level.
const INDENT: &str = "    ";

/// Changes the lines `f(`, `&[`, items, `],`, `)` into `f(&[`, items, `])`.
pub(super) fn join_with_calls(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut lines = text.lines().peekable();
    // The lines that close the lists that were joined.
    let mut closing: Vec<String> = Vec::new();
    while let Some(line) = lines.next() {
        if closing.last().is_some_and(|close| close == line) {
            closing.pop();
            output.push_str(dedented(line, closing.len() + 1).trim_end_matches(','));
            output.push_str(lines.next().unwrap_or_default().trim_start());
        } else {
            output.push_str(dedented(line, closing.len()));
            let next = lines.peek().copied().unwrap_or_default();
            if line.ends_with('(') && next.trim_start() == "&[" {
                let close = next.replace("&[", "],");
                let mut rest = lines.clone();
                let is_only = rest.any(|line| *line == close)
                    && rest.next().is_some_and(|line| line.trim_start().starts_with(')'));
                if is_only {
                    lines.next();
                    output.push_str("&[");
                    closing.push(close);
                }
            }
        }
        output.push('\n');
    }
    output.truncate(output.trim_end().len());
    output
}

fn dedented(line: &str, levels: usize) -> &str {
    line.get(levels * INDENT.len()..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lists_are_joined_with_their_calls() {
        for (text, expected) in [
            ("a(\n    &[\n        b,\n        c,\n    ],\n)", "a(&[\n    b,\n    c,\n])"),
            ("a(\n    &[\n        b,\n    ],\n    c,\n);", "a(\n    &[\n        b,\n    ],\n    c,\n);"),
            ("a(\n    c,\n    &[\n        b,\n    ],\n);", "a(\n    c,\n    &[\n        b,\n    ],\n);"),
            (
                "a(\n        &[\n            b,\n        ],\n    )\n    .c()",
                "a(&[\n        b,\n    ])\n    .c()",
            ),
            (
                "A\n    .b(\n        &[\n            c(\n                &[\n                    d,\n                ],\n            ),\n            e,\n        ],\n    )\n    .f();",
                "A\n    .b(&[\n        c(&[\n            d,\n        ]),\n        e,\n    ])\n    .f();",
            ),
        ] {
            assert_eq!(join_with_calls(text), expected);
        }
    }
}
