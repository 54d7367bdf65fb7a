//! Moves references, and lists the keywords that the generator does not read yet.

use openapi_crates_suite::schemas::each;
use serde_json::Value;

/// The dialect of the suite's schemas.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Replaces references to the root by references to `root`.
pub fn rebase(schema: &mut Value, root: &str) {
    each(schema, &mut |schema| {
        if let Some(Value::String(reference)) = schema.get_mut("$ref")
            && let Some(rest) = reference.strip_prefix('#')
        {
            *reference = format!("{root}{rest}");
        }
    });
}

/// A reason to leave out a group. The order is that of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    Anchor,
    Remote,
    Id,
    Dynamic,
    Vocabulary,
}

impl LeftOut {
    /// Returns the keyword, for the report.
    pub fn words(self) -> &'static str {
        match self {
            Self::Anchor => "anchors",
            Self::Remote => "remote references",
            Self::Id => "`$id`",
            Self::Dynamic => "`$dynamicRef`",
            Self::Vocabulary => "a vocabulary",
        }
    }
}

/// Returns why the generator can't read this schema yet, `None` if it can.
pub fn left_out(schema: &Value) -> Option<LeftOut> {
    let mut reason = None;
    each(&mut schema.clone(), &mut |schema| {
        let reference = match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) if !reference.starts_with('#') => Some(LeftOut::Remote),
            Some(reference) if reference.len() > 1 && !reference.starts_with("#/") => Some(LeftOut::Anchor),
            _ => None,
        };
        let has = |keyword: &str, reason| schema.contains_key(keyword).then_some(reason);
        let dialect = schema.get("$schema").is_some_and(|dialect| dialect != DIALECT);
        let found = [
            reference,
            has("$anchor", LeftOut::Anchor),
            has("$id", LeftOut::Id),
            has("$dynamicAnchor", LeftOut::Dynamic),
            has("$dynamicRef", LeftOut::Dynamic),
            dialect.then_some(LeftOut::Vocabulary),
        ];
        reason = found.into_iter().flatten().chain(reason).max();
    });
    reason
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_move_with_their_schema() {
        let mut schema = json!({
            "$ref": "#",
            "properties": {
                "$ref": { "$ref": "#/$defs/a~1b" },
                "list": { "prefixItems": [true, { "$ref": "#/properties/list" }] },
            },
            "enum": [{ "$ref": "#" }],
            "$defs": { "a/b": { "not": { "$ref": "other.json#/x" } } },
        });
        rebase(&mut schema, "#/components/schemas/ref_0");
        let expected = json!({
            "$ref": "#/components/schemas/ref_0",
            "properties": {
                "$ref": { "$ref": "#/components/schemas/ref_0/$defs/a~1b" },
                "list": { "prefixItems": [true, { "$ref": "#/components/schemas/ref_0/properties/list" }] },
            },
            "enum": [{ "$ref": "#" }],
            "$defs": { "a/b": { "not": { "$ref": "other.json#/x" } } },
        });
        assert_eq!(schema, expected);
    }

    #[test]
    fn groups_are_left_out_for_their_keywords_alone() {
        let reason = |schema: Value| left_out(&schema);
        assert_eq!(reason(json!({ "$schema": DIALECT, "$ref": "#/$defs/a", "$defs": { "a": true } })), None);
        assert_eq!(reason(json!({ "properties": { "$id": { "const": { "$anchor": "a" } } } })), None);
        assert_eq!(reason(json!({ "$ref": "#a" })), Some(LeftOut::Anchor));
        assert_eq!(reason(json!({ "$defs": { "a": { "$anchor": "a" } } })), Some(LeftOut::Anchor));
        assert_eq!(reason(json!({ "not": { "$ref": "a.json" } })), Some(LeftOut::Remote));
        assert_eq!(reason(json!({ "$id": "a.json", "$ref": "b.json" })), Some(LeftOut::Id));
        assert_eq!(reason(json!({ "$id": "a", "items": { "$dynamicRef": "#a" } })), Some(LeftOut::Dynamic));
        assert_eq!(reason(json!({ "$schema": "https://example.com" })), Some(LeftOut::Vocabulary));
        assert_eq!(reason(json!(false)), None);
    }
}
