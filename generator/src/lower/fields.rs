//! Known fields of objects: the extensions, and what looks like a misspelled name.

/// The extensions that the generator reads. It ignores all others.
pub(in crate::lower) const EXTENSIONS: &[&str] = &[
    "x-body-limit",
    "x-closed-query",
    "x-enum-descriptions",
    "x-enum-varnames",
    "x-family",
    "x-media",
    "x-nullable",
    "x-pagination",
    "x-permanent",
    "x-reason",
    "x-rejections",
    "x-requires",
    "x-rules",
    "x-task",
    "x-unchecked",
];

/// Returns whether one name is likely a misspelling of the other.
///
/// It is if two adjacent letters are swapped, or one letter is wrong, missing or superfluous.
pub(in crate::lower) fn is_near(one: &str, other: &str) -> bool {
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
    fn misspelled_names_are_near() {
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
