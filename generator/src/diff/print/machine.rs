//! The report for programs: JSON, SARIF 2.1.0, commands of GitHub Actions.

#[cfg(feature = "review")]
use std::io;

use serde_json::{Value, json};

use super::{Audience, Bump, Diff, DiffChange, Rule, Verdict, summary};
use crate::{diff::SourceLocation, document::percent_encode, escape::escape_line, options::CrateKind};

impl Diff {
    /// Returns the report as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let changes = self.changes.iter().map(|each| change(self, each)).collect::<Vec<_>>();
        json!({ "changes": changes, "next-version": next_version(self), "not-assessed": not_assessed(self) })
    }

    /// Returns the report as SARIF 2.1.0, which code scanning shows at the lines.
    #[must_use]
    pub fn to_sarif(&self) -> Value {
        let mut rules: Vec<Rule> = self.changes.iter().map(|change| change.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        let rules = rules.into_iter().map(|rule| {
            let explanation = rule.explanation();
            let first = explanation.split_inclusive(". ").next().unwrap_or_default().trim_end();
            let text = json!({ "text": explanation });
            let title = json!({ "text": first });
            json!({ "id": rule.name(), "shortDescription": title, "fullDescription": text, "help": text })
        });
        let results = self.changes.iter().map(|change| {
            let level = match change.verdicts.worst() {
                Verdict::Breaking => "error",
                Verdict::Risky => "warning",
                Verdict::Fine => "note",
            };
            let location = |location| json!({ "physicalLocation": physical(location) });
            let locations: Vec<Value> = change.new.iter().chain(&change.old).take(1).map(location).collect();
            // The line of the old document may be one of another revision of the file.
            let related = change.old.iter().map(
                |old| json!({ "physicalLocation": physical(old), "message": { "text": "in the old document" } }),
            );
            let reason = change.accepted.iter();
            let suppressions = reason.map(|reason| json!({ "kind": "external", "justification": reason }));
            json!({
                "ruleId": change.rule.name(),
                "level": level,
                "message": { "text": format!("{}: {}", change.subject, change.text()) },
                "locations": locations,
                "relatedLocations": related.collect::<Vec<_>>(),
                "partialFingerprints": { "change/v1": change.fingerprint },
                "suppressions": suppressions.collect::<Vec<_>>(),
            })
        });
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "columnKind": "unicodeCodePoints",
                "tool": { "driver": {
                    "name": "openapi-crates",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules.collect::<Vec<_>>(),
                } },
                "results": results.collect::<Vec<_>>(),
            }],
        })
    }

    /// Returns the report as commands for GitHub Actions: an annotation for each change that is not fine, which they show at
    /// the lines of a pull request.
    #[must_use]
    pub fn to_github(&self) -> String {
        let mut text = String::new();
        for change in &self.changes {
            let command = match change.verdicts.worst() {
                Verdict::Breaking => "error",
                Verdict::Risky => "warning",
                Verdict::Fine => continue,
            };
            if change.accepted.is_some() {
                continue;
            }
            let location = match (&change.new, &change.old) {
                (Some(SourceLocation { file, line, column }), _) => {
                    format!("file={},line={line},col={column},", property(file))
                }
                // The line is one of the old document, which may be another revision of the file.
                (None, Some(SourceLocation { file, .. })) => format!("file={},", property(file)),
                (None, None) => String::new(),
            };
            let title = property(&change.rule.name());
            let message = data(&escape_line(&format!("{}: {}", change.subject, change.text())));
            text.push_str(&format!("::{command} {location}title={title}::{message}\n"));
        }
        text.push_str(&format!("::notice title=openapi-crates diff::{}\n", data(&summary(self))));
        text
    }
}

/// Writes the same text as [`Diff::to_json`], one change after another: each can have many operations.
#[cfg(feature = "review")]
pub(in crate::diff) fn write_json(diff: &Diff, out: &mut dyn io::Write) -> io::Result<()> {
    let indented = |value: Value, spaces: &str| format!("{value:#}").replace('\n', &format!("\n{spaces}"));
    out.write_all(b"{\n  \"changes\": [")?;
    for (index, each) in diff.changes.iter().enumerate() {
        write!(out, "{}\n    {}", if index == 0 { "" } else { "," }, indented(change(diff, each), "    "))?;
    }
    let end = if diff.changes.is_empty() { "]" } else { "\n  ]" };
    let [versions, others] = [next_version(diff), not_assessed(diff)].map(|value| indented(value, "  "));
    writeln!(out, "{end},\n  \"next-version\": {versions},\n  \"not-assessed\": {others}\n}}")
}

fn next_version(diff: &Diff) -> Value {
    let crates: serde_json::Map<String, Value> = CrateKind::ALL
        .iter()
        .map(|kind| (kind.folder().to_owned(), diff.crate_bump(*kind).map(Bump::name).into()))
        .collect();
    json!({ "document": diff.document_bump().map(Bump::name), "crates": crates })
}

/// Returns the audiences that the report leaves out, and the number of changes that concern only them.
fn not_assessed(diff: &Diff) -> Value {
    let audiences: Vec<&str> = diff.not_assessed.iter().map(|audience| audience.name()).collect();
    json!({ "audiences": audiences, "changes": diff.left_out })
}

fn change(diff: &Diff, change: &DiffChange) -> Value {
    let DiffChange {
        rule,
        verdicts,
        subject,
        message,
        hint,
        old_value,
        new_value,
        old,
        new,
        operations,
        accepted,
        fingerprint,
    } = change;
    let verdicts: serde_json::Map<String, Value> = Audience::ALL
        .iter()
        .filter(|audience| !diff.not_assessed.contains(audience))
        .map(|audience| (audience.name().to_owned(), verdicts.of(*audience).name().into()))
        .collect();
    let location = |location: &Option<SourceLocation>| {
        location.as_ref().map(
            |SourceLocation { file, line, column }| json!({ "file": file, "line": line, "column": column }),
        )
    };
    json!({
        "rule": rule.name(),
        "verdicts": verdicts,
        "subject": subject,
        "message": message,
        "hint": hint,
        "old-value": old_value,
        "new-value": new_value,
        "old": location(old),
        "new": location(new),
        "operations": operations.iter().collect::<Vec<_>>(),
        "accepted": accepted,
        "fingerprint": fingerprint,
    })
}

fn physical(SourceLocation { file, line, column }: &SourceLocation) -> Value {
    json!({
        "artifactLocation": { "uri": uri(file) },
        "region": { "startLine": line, "startColumn": column },
    })
}

/// Returns a path as a reference of RFC 3986. A name with a colon must not look like one with a scheme.
fn uri(path: &str) -> String {
    let encoded = percent_encode(path);
    match path.as_bytes() {
        [b'/', ..] => format!("file://{encoded}"),
        [drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => format!("file:///{encoded}"),
        _ => encoded,
    }
}

/// Escapes the message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(all(test, feature = "review"))]
mod tests {
    use super::*;
    use crate::{Input, Options};

    #[test]
    fn written_json_is_that_of_the_value() {
        let text = "openapi: 3.1.0\ninfo: {title: a, version: '1'}\npaths: {}\n";
        let options = Options::new("a", "a.yaml");
        for new in [text.to_owned(), text.replace("title: a", "title: b\\n")] {
            let (old, new) = (Input::new("old.yaml", text), Input::new("new.yaml", &new));
            let diff = crate::diff((&old, &options), (&new, &options)).diff.unwrap();
            let mut written = Vec::new();
            write_json(&diff, &mut written).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), format!("{:#}\n", diff.to_json()));
        }
    }
}
