//! The OpenAPI document of the API, as the service reads and serves it.
//!
//! The source keeps requests that many operations share in one place, with anchors and merge keys of YAML. Many tools read
//! neither, so they are written out here. The lines of the source stay as they are, because their comments and their
//! quotation marks are for readers and for parsers of YAML 1.1.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

/// The source.
const SOURCE: &str = include_str!("../../spec/openapi.yaml");

/// The field of the source that holds the shared requests: each is a field with an anchor.
const SHARED: &str = "x-callbacks:";

/// The document as YAML, without anchors and merge keys.
pub(crate) static YAML: LazyLock<String> = LazyLock::new(|| written_out(SOURCE));

/// The document as JSON text, in the order of its fields.
pub(crate) static JSON: LazyLock<String> = LazyLock::new(|| {
    // This type keeps the order. Texts and numbers always serialize.
    let value: serde_yaml::Value = serde_yaml::from_str(&YAML).unwrap_or_default();
    serde_json::to_string(&value).unwrap_or_default()
});

/// The document as a value.
pub(crate) static VALUE: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(&JSON).unwrap_or_default());

/// Replaces each line `<<: *name` by the lines of the shared request `name`, and leaves out the field that holds them.
fn written_out(source: &str) -> String {
    let mut shared: HashMap<&str, Vec<&str>> = HashMap::new();
    let (mut is_shared, mut name) = (false, "");
    let mut lines: Vec<Cow<'_, str>> = Vec::new();
    for line in source.lines() {
        if !line.is_empty() && !line.starts_with(' ') {
            is_shared = line == SHARED;
        }
        match line.split_once("<<: *") {
            Some((indent, merged)) => {
                let merged = shared.get(merged).into_iter().flatten();
                lines.extend(merged.map(|line| Cow::from(format!("{indent}{line}"))));
            }
            None if !is_shared => lines.push(line.into()),
            None => match line.split_once(": &") {
                Some((_, anchor)) => name = anchor,
                None => shared.entry(name).or_default().extend(line.strip_prefix("    ")),
            },
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use serde_yaml::Value;

    use super::SOURCE;
    use super::written_out;

    #[test]
    fn shared_requests_are_written_out() {
        let text = written_out(SOURCE);
        let mut expected: Value = serde_yaml::from_str(SOURCE).unwrap();
        expected.apply_merge().unwrap();
        let shared = expected.as_mapping_mut().unwrap().remove("x-callbacks").unwrap();
        assert!(shared.as_mapping().unwrap().len() > 1, "{shared:?}");
        assert_eq!(serde_yaml::from_str::<Value>(&text).unwrap(), expected);
        for line in text.lines() {
            let has_yaml = line.contains("<<:") || line.contains(": &") || line.contains(": *");
            assert!(!has_yaml, "{line}");
        }
        assert!(text.contains("\n# OpenAPI 3.0 ignores the siblings of a `$ref`."), "comments stay");
    }
}
