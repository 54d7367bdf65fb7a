//! `portable-rules`: unions beside properties that only list required properties.

use crate::{diagnostics::Code, lints::Linter, lower::is_about_presence, tree::NodeRef};

/// Reports a union for which other tools lose the properties beside it.
pub(super) fn check<'d>(linter: &mut Linter<'d, '_>, schema: NodeRef<'d>) {
    let has_properties = schema.get("properties").is_some_and(|properties| properties.entries().len() > 0);
    let has_members = schema.get("allOf").is_some_and(|members| !members.items().is_empty());
    if !has_properties && !has_members {
        return;
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(union) = schema.get(keyword) else { continue };
        let branches = union.items();
        if branches.is_empty() || !branches.iter().all(is_about_presence) {
            continue;
        }
        let message = format!("tools that make a type of this `{keyword}` lose the properties beside it");
        if let Some(warning) = linter.warn(Code::PortableRules, union, message) {
            warning.at_name().help(alternative(keyword));
        }
    }
}

/// Returns what to write instead.
fn alternative(keyword: &str) -> &'static str {
    if keyword == "anyOf" {
        "say the same with `not: {allOf: [{not: {required: [a]}}, …]}`, with a `not` for each branch"
    } else {
        "say the same with `not`, as `openapi-crates explain portable-rules` shows"
    }
}
