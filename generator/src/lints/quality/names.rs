//! `quality-name-case`: names in another case than most names of the document.

use indexmap::IndexMap;

use super::case::{Case, has_case};
use crate::{
    diagnostics::Code,
    document::Role,
    lints::{Linter, walk::objects},
    tree::{Node, NodeRef},
};

/// The minimum number of names that must show the case of a document.
const EVIDENCE: usize = 3;

/// The occurrences of each name.
type Names<'d> = IndexMap<&'d str, Vec<NodeRef<'d>>>;

/// Reports names of properties, and of parameters by their location, that don't have the case of the others.
///
/// Names of headers are not checked, because their case makes no difference.
pub(super) fn check(linter: &mut Linter<'_, '_>) {
    let mut properties = Names::new();
    let mut parameters = [("query", Names::new()), ("path", Names::new())];
    for (node, role) in objects(linter.document) {
        match role {
            Role::Schema => {
                for (name, schema) in node.get("properties").into_iter().flat_map(Node::entries) {
                    properties.entry(name).or_default().push(schema);
                }
            }
            Role::Parameter => {
                let location = node.get("in").and_then(Node::as_str);
                let names =
                    parameters.iter_mut().find(|(of, _)| location == Some(of)).map(|(_, names)| names);
                if let (Some(names), Some(name)) = (names, node.get("name"))
                    && let Some(text) = name.as_str()
                {
                    names.entry(text).or_default().push(name);
                }
            }
            _ => {}
        }
    }
    report(linter, "property", &properties);
    for (location, names) in &parameters {
        report(linter, &format!("{location} parameter"), names);
    }
}

/// Reports the names that don't have the case of most names, if there is one.
fn report(linter: &mut Linter<'_, '_>, what: &str, names: &Names<'_>) {
    let Some((case, evidence)) = usual_case(names) else { return };
    for (name, nodes) in names.iter().filter(|(name, _)| has_case(name) && !case.fits(name)) {
        let code = Code::QualityNameCase;
        let reported: Vec<NodeRef<'_>> =
            nodes.iter().copied().filter(|node| !linter.allows(code, node)).collect();
        let Some((first, others)) = reported.split_first() else { continue };
        let message = format!("{what} `{name}` is not in {}, as {evidence} others are", case.name());
        let Some(warning) = linter.warn(code, first, message) else { continue };
        // The name of a property is that of its field; that of a parameter is a value.
        if first.as_str() != Some(*name) {
            warning.at_name();
        }
        if !others.is_empty() {
            warning.note(format!("other occurrences: {}", others.len()));
        }
        if let Some(converted) = case.convert(name) {
            warning.help(format!("name it `{converted}`"));
        }
    }
}

/// Returns the case that most names have, and how many names show it.
///
/// A name in snake, camel and kebab case at once, such as `name`, does not show a case.
fn usual_case(names: &Names<'_>) -> Option<(Case, usize)> {
    let names: Vec<&str> = names.keys().copied().filter(|name| has_case(name)).collect();
    let is_distinctive =
        |name: &&&str| ![Case::Snake, Case::Camel, Case::Kebab].iter().all(|case| case.fits(name));
    let of = |case: Case| {
        let fitting: Vec<&&str> = names.iter().filter(|name| case.fits(name)).collect();
        let distinctive = fitting.iter().filter(|name| is_distinctive(name)).count();
        (fitting.len(), distinctive)
    };
    let counted = Case::ALL.iter().map(|case| (of(*case), *case));
    let ((fitting, distinctive), case) = counted.max_by_key(|(counts, _)| *counts)?;
    (distinctive >= EVIDENCE && distinctive > names.len() - fitting).then_some((case, distinctive))
}
