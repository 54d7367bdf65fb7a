//! `portable-nullable`: `nullable` in schemas without `type`, in OpenAPI 3.0.

use crate::{diagnostics::Code, document::Version, lints::Linter, tree::NodeRef};

/// Keywords that do not constrain values.
const ANNOTATIONS: &[&str] = &[
    "nullable",
    "title",
    "description",
    "default",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "externalDocs",
    "xml",
];

/// Reports `nullable: true` that has no effect.
pub(super) fn check<'d>(linter: &mut Linter<'d, '_>, schema: NodeRef<'d>) {
    let nullable = schema.get("nullable").filter(|node| node.as_bool() == Some(true));
    let Some(nullable) = nullable.filter(|_| linter.document.version() == Version::V3_0) else { return };
    if schema.get("type").is_some() {
        return;
    }
    let message = "`nullable` has no effect without `type` in the same schema";
    if let Some(warning) = linter.warn(Code::PortableNullable, nullable, message) {
        warning.at_name().help(alternative(schema));
    }
}

/// Returns what to write instead.
fn alternative(schema: NodeRef<'_>) -> &'static str {
    let has = |keyword: &str| schema.get(keyword).is_some();
    if has("$ref") {
        "a reference ignores the fields beside it; put `nullable: true` beside the `type` of its target"
    } else if has("allOf") {
        "null has to match each member of `allOf`; put `nullable: true` beside the `type` of each"
    } else if has("anyOf") || has("oneOf") {
        "put `nullable: true` beside the `type` of one branch"
    } else if schema.entries().all(|(name, _)| ANNOTATIONS.contains(&name) || name.starts_with("x-")) {
        "remove it, because a schema without `type` allows null; or add the `type`"
    } else {
        "add the `type`"
    }
}
