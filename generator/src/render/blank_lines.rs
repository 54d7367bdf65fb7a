//! Blank lines between the members of `impl`s and traits, which `prettyplease` omits.

/// Puts a blank line between the functions, constants and types of an item.
///
/// A member ends with a line `    }` or with a `;` at the indentation of members. The next line at that
/// indentation starts the next member.
pub(super) fn between_members(text: &str) -> String {
    let has_members = text.lines().any(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.starts_with("impl ") || line.starts_with("impl<") || line.starts_with("trait ")
    });
    if !has_members {
        return text.to_owned();
    }
    let mut output = String::with_capacity(text.len());
    let mut ended = false;
    for line in text.lines() {
        let is_member = line.starts_with("    ") && !line.starts_with("     ");
        if ended && is_member {
            output.push('\n');
        }
        let is_comment = line.trim_start().starts_with("//");
        ended = line == "    }" || is_member && !is_comment && line.ends_with(';');
        output.push_str(line);
        output.push('\n');
    }
    output.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_are_only_between_members() {
        for (text, expected) in [
            ("struct A {\n    a: B,\n    c: D,\n}", "struct A {\n    a: B,\n    c: D,\n}"),
            ("fn a() {\n    b();\n    c();\n}", "fn a() {\n    b();\n    c();\n}"),
            (
                "pub trait A {\n    type B;\n    /// C;\n    /// D.\n    fn c() {\n        d();\n        e();\n    }\n    fn f();\n}",
                "pub trait A {\n    type B;\n\n    /// C;\n    /// D.\n    fn c() {\n        d();\n        e();\n    }\n\n    fn f();\n}",
            ),
            (
                "impl<A> B {\n    const C: D = E {\n        f,\n    };\n    fn g() {}\n}",
                "impl<A> B {\n    const C: D = E {\n        f,\n    };\n\n    fn g() {}\n}",
            ),
        ] {
            assert_eq!(between_members(text), expected);
        }
    }
}
