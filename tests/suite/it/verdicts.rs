//! Compares the verdicts of a mode's server with the suite's.

use jsonschema::Validator;
use openapi_crates_suite::implied;
use serde_json::Value;

use crate::{
    crates::Generated,
    files::{Group, Test},
    modes::Mode,
    program::Seen,
    report::{Apart, InstanceResult, ModeReport},
};

/// Sends the instances of all groups of a mode to its server.
///
/// `send` takes a line for each instance: a path, a tab and a JSON text.
pub fn report(generated: &Generated<'_>, send: impl FnOnce(&str) -> Vec<Seen>) -> ModeReport {
    let Generated { mode, groups, left_out, refused } = generated;
    let tests = || groups.values().flat_map(|group| group.tests.iter().map(move |test| (*group, test)));
    let lines: String = tests().map(|(group, test)| format!("{}\t{}\n", group.path(), test.data)).collect();
    let seen = send(&lines);
    assert_eq!(seen.len(), tests().count(), "{}: each instance has a verdict", mode.name);

    let mut report = ModeReport::new(mode.name);
    for (reason, group) in left_out {
        report.leave_out(*reason, group);
    }
    for (group, code) in refused {
        report.refuse(group, code);
    }
    let mut doubts = Vec::new();
    let mut seen = seen.into_iter();
    for group in groups.values() {
        let readings = Readings::of(mode, group);
        for (test, seen) in group.tests.iter().zip(&mut seen) {
            if !mode.formats && readings.schema.is_valid(&test.data) != test.valid {
                doubts.push(format!("{} / {} / {}", group.file, group.description, test.description));
            }
            report.add(group, test, readings.apart(mode, group, &test.data), result_of(test, seen));
        }
    }
    // Another implementation passes the suite. If it fails, this harness reads the suite wrongly.
    assert!(doubts.is_empty(), "the crate `jsonschema` contradicts the suite:\n{}", doubts.join("\n"));
    report
}

/// A group's schema, and the reading of the mode, for a second opinion.
struct Readings {
    schema: Validator,
    typed: Option<Validator>,
}

impl Readings {
    fn of(mode: &Mode, group: &Group) -> Self {
        let options = jsonschema::draft202012::options().should_validate_formats(mode.formats);
        let validator = |schema: &Value| {
            let built = options.build(schema);
            built.unwrap_or_else(|error| panic!("{} / {}: {error}", group.file, group.description))
        };
        let typed = mode.implied.then(|| validator(&implied::with_types(&group.schema)));
        Self { schema: validator(&group.schema), typed }
    }

    /// Returns why a test is counted apart.
    fn apart(&self, mode: &Mode, group: &Group, instance: &Value) -> Option<Apart> {
        if mode.annotated.contains(&group.file.as_str()) {
            return Some(Apart::Annotated);
        }
        let typed = self.typed.as_ref()?;
        (typed.is_valid(instance) != self.schema.is_valid(instance)).then_some(Apart::OtherType)
    }
}

/// Returns the result of a test.
fn result_of(test: &Test, seen: Seen) -> InstanceResult {
    let accepted = match seen.status {
        204 => true,
        400 | 422 => false,
        other => return InstanceResult::Status(other),
    };
    match (accepted, test.valid) {
        _ if accepted != seen.walked => InstanceResult::Disagreement { accepted },
        (true, false) => InstanceResult::Accepted,
        (false, true) => InstanceResult::Refused,
        _ => InstanceResult::Right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_verdicts() {
        let result = |valid: bool, status: u16, walked: bool| {
            let test = Test { description: String::new(), data: Value::Null, valid };
            result_of(&test, Seen { status, walked })
        };
        assert_eq!(result(true, 204, true), InstanceResult::Right);
        assert_eq!(result(false, 422, false), InstanceResult::Right);
        assert_eq!(result(true, 400, false), InstanceResult::Refused);
        assert_eq!(result(false, 204, true), InstanceResult::Accepted);
        assert_eq!(result(false, 422, true), InstanceResult::Disagreement { accepted: false });
        assert_eq!(result(true, 204, false), InstanceResult::Disagreement { accepted: true });
        assert_eq!(result(true, 501, true), InstanceResult::Status(501));
    }
}
