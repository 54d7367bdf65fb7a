//! Known fields of objects: reports unknown ones, with a suggestion for misspelled ones.

use crate::{diagnostics::Code, lower::context::Context, tree::NodeRef};

/// The extensions that the generator reads. It ignores all others.
const EXTENSIONS: &[&str] = &[
    "x-body-limit",
    "x-closed-query",
    "x-enum-descriptions",
    "x-enum-varnames",
    "x-family",
    "x-media",
    "x-nullable",
    "x-permanent",
    "x-reason",
    "x-rejections",
    "x-requires",
    "x-rules",
    "x-unchecked",
];

impl<'d> Context<'d, '_> {
    /// Reports fields that OpenAPI does not define here.
    pub fn check_fields(&mut self, node: NodeRef<'d>, what: &str, known: &[&str]) {
        for (name, value) in node.entries() {
            if !known.contains(&name) {
                self.unknown_field(value, what, name, known);
            }
        }
    }

    /// Reports an unknown field.
    ///
    /// An extension is reported only if its name looks like a misspelling of an extension that the generator
    /// reads.
    pub fn unknown_field(&mut self, node: NodeRef<'d>, what: &str, name: &str, known: &[&str]) {
        let is_extension = name.starts_with("x-");
        let known = if is_extension { EXTENSIONS } else { known };
        let near = known.iter().find(|other| is_near(name, other));
        if is_extension && (near.is_none() || known.contains(&name)) {
            return;
        }
        if let Some(said) = self.warn(Code::UnknownField, node, format!("unknown field `{name}` in {what}")) {
            said.at_name();
            if let Some(near) = near {
                said.help(format!("a field with a similar name exists: `{near}`"));
            }
        }
    }
}

/// Returns whether one name is likely a misspelling of the other.
///
/// It is if two adjacent letters are swapped, or one letter is wrong, missing or superfluous.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let prefix = a.iter().zip(&b).take_while(|(left, right)| left == right).count();
    let (a, b) = (a.get(prefix..).unwrap_or_default(), b.get(prefix..).unwrap_or_default());
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(left, right)| left == right).count();
    let cut = |letters: &[char]| letters.len().saturating_sub(suffix);
    let (a, b) = (a.get(..cut(a)).unwrap_or_default(), b.get(..cut(b)).unwrap_or_default());
    match (a, b) {
        ([w, x], [y, z]) => w == z && x == y,
        _ => a.len() <= 1 && b.len() <= 1,
    }
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn slips() {
        for (one, other, near) in [
            ("operationID", "operationId", true),
            ("requird", "required", true),
            ("paramters", "parameters", true),
            ("tgas", "tags", true),
            ("summary", "description", false),
            ("min", "minimum", false),
        ] {
            assert_eq!(is_near(one, other), near, "{one} {other}");
        }
    }
}
