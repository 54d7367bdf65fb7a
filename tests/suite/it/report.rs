//! The result: a table per mode, and the wrong verdicts by name.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
};

use crate::{
    files::{Group, Test},
    keywords::LeftOut,
};

/// The first lines of the accepted result.
pub const HEAD: &str = "\
Verdicts of generated servers on the JSON Schema test suite, draft 2020-12.
`cargo xtask suite` compares this file with the current result, and `cargo xtask suite --accept` writes it.
";

/// The result of all modes.
pub struct Report(pub Vec<ModeReport>);

/// The result of a mode.
#[derive(Default)]
pub struct ModeReport {
    name: &'static str,
    compared: Count,
    /// The tests compared, by file.
    files: BTreeMap<String, Count>,
    apart: BTreeMap<Apart, Count>,
    /// The number of tests by reason and file.
    left_out: BTreeMap<LeftOut, BTreeMap<String, usize>>,
    /// The number of tests in groups that the generator refuses.
    refused: usize,
    /// The wrong verdicts on the tests compared, and the refused groups.
    wrong: Vec<String>,
}

/// A reason to count a test apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Apart {
    /// The mode reads a schema without `type` as a type that the instance does not have.
    OtherType,
    /// The test expects `format` and content keywords to be annotations.
    Annotated,
}

/// The result for an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstanceResult {
    /// The verdict is right.
    Right,
    /// The server refuses a valid instance.
    Refused,
    /// The server accepts an invalid instance.
    Accepted,
    /// The fast path and the slow path have different verdicts.
    Disagreement { accepted: bool },
    /// The response is neither 204 nor a refusal.
    Status(u16),
}

/// The numbers of verdicts: right, valid refused, invalid accepted, other.
type Count = [usize; 4];

impl ModeReport {
    pub fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    /// Adds a group that the generator does not read yet.
    pub fn leave_out(&mut self, reason: LeftOut, group: &Group) {
        *self.left_out.entry(reason).or_default().entry(group.file.clone()).or_default() += group.tests.len();
    }

    /// Adds a group that the generator refuses.
    pub fn refuse(&mut self, group: &Group, code: &str) {
        self.refused += group.tests.len();
        let Self { name, .. } = self;
        let Group { file, description, .. } = group;
        self.wrong.push(format!("{name}: {file} / {description}: refused by the generator ({code})"));
    }

    /// Adds a test.
    pub fn add(&mut self, group: &Group, test: &Test, apart: Option<Apart>, result: InstanceResult) {
        let column = match result {
            InstanceResult::Right => 0,
            InstanceResult::Refused => 1,
            InstanceResult::Accepted => 2,
            InstanceResult::Disagreement { .. } | InstanceResult::Status(_) => 3,
        };
        if let Some(reason) = apart {
            self.apart.entry(reason).or_default()[column] += 1;
        } else {
            self.compared[column] += 1;
            self.files.entry(group.file.clone()).or_default()[column] += 1;
        }
        // Where the paths disagree, the verdict is never what a mode means.
        let is_disagreement = matches!(result, InstanceResult::Disagreement { .. });
        if result != InstanceResult::Right && (apart.is_none() || is_disagreement) {
            let words = [group.file.as_str(), &group.description, &test.description].join(" / ");
            self.wrong.push(format!("{}: {words}: {result}", self.name));
        }
    }

    fn rows(&self) -> Vec<String> {
        let mut rows = vec![self.row("compared", &self.compared)];
        rows.extend(self.apart.iter().map(|(reason, count)| self.row(reason.words(), count)));
        let sum = |what: &str, sum: usize| format!("{:<10} {what:<28} {sum:>6}", self.name);
        rows.push(sum("refused by the generator", self.refused));
        for (reason, files) in &self.left_out {
            let listed: Vec<String> = files.iter().map(|(file, count)| format!("{file} {count}")).collect();
            let row = sum(&format!("left out: {}", reason.words()), files.values().sum());
            rows.push(format!("{row}  {}", listed.join(", ")));
        }
        rows
    }

    fn rows_of_files(&self) -> Vec<String> {
        self.files.iter().map(|(file, count)| self.row(file, count)).collect()
    }

    fn row(&self, what: &str, count: &Count) -> String {
        let [right, refused, accepted, other] = count;
        row(self.name, what, [&count.iter().sum::<usize>(), right, refused, accepted, other])
    }
}

fn row(mode: &str, what: &str, [count, right, refused, accepted, other]: [&dyn fmt::Display; 5]) -> String {
    format!("{mode:<10} {what:<28} {count:>6} {right:>6} {refused:>14} {accepted:>17} {other:>6}")
}

impl Apart {
    fn words(self) -> &'static str {
        match self {
            Self::OtherType => "apart: of another type",
            Self::Annotated => "apart: formats not asserted",
        }
    }
}

impl fmt::Display for InstanceResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Right => formatter.write_str("right"),
            Self::Refused => formatter.write_str("valid refused"),
            Self::Accepted => formatter.write_str("invalid accepted"),
            Self::Disagreement { accepted: true } => {
                formatter.write_str("accepted, but the slow path refuses it")
            }
            Self::Disagreement { accepted: false } => {
                formatter.write_str("refused, but the slow path accepts it")
            }
            Self::Status(status) => write!(formatter, "status {status}"),
        }
    }
}

impl Report {
    /// Returns the table of all modes.
    pub fn table(&self) -> String {
        with_head("tests", self.0.iter().flat_map(ModeReport::rows))
    }

    /// Returns the table of the tests compared, with a row for this report and one for another.
    pub fn beside(&self, other: &Self, names: [&str; 2]) -> String {
        let [own_name, other_name] = names;
        let rows = |(own, other): (&ModeReport, &ModeReport)| {
            [own.row(own_name, &own.compared), other.row(other_name, &other.compared)]
        };
        with_head("compared", self.0.iter().zip(&other.0).flat_map(rows))
    }
}

fn with_head(what: &str, rows: impl Iterator<Item = String>) -> String {
    let head = row("mode", what, [&"count", &"right", &"valid refused", &"invalid accepted", &"other"]);
    std::iter::once(head).chain(rows).map(|row| row + "\n").collect()
}

/// The tables and the wrong verdicts.
impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = with_head("compared, by file", self.0.iter().flat_map(ModeReport::rows_of_files));
        writeln!(formatter, "{}\n{files}", self.table())?;
        let mut wrong: Vec<&String> = self.0.iter().flat_map(|mode| &mode.wrong).collect();
        wrong.sort();
        wrong.iter().try_for_each(|line| writeln!(formatter, "{line}"))
    }
}

/// Returns the lines of two results that differ: `- ` before an accepted one, `+ ` before a current one.
pub fn changes(accepted: &str, current: &str) -> Vec<String> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in current.lines() {
        *left.entry(line).or_default() += 1;
    }
    let mut changes = Vec::new();
    for line in accepted.lines() {
        match left.get_mut(line) {
            Some(count) if *count > 0 => *count -= 1,
            _ => changes.push(format!("- {line}")),
        }
    }
    // Of equal lines, the last ones are new.
    let mut added = Vec::new();
    for line in current.lines().rev() {
        if let Some(count) = left.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            added.push(format!("+ {line}"));
        }
    }
    changes.extend(added.into_iter().rev());
    changes
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn group(file: &str) -> Group {
        let test = |valid| Test { description: format!("it is {valid}"), data: Value::Null, valid };
        let (file, description) = (file.to_owned(), "a group".to_owned());
        Group { file, description, tests: vec![test(true), test(false)], ..Group::default() }
    }

    #[test]
    fn a_test_that_changes_is_a_change_in_both_directions() {
        assert_eq!(changes("a\nb\nb\n", "a\nb\nb\n"), [""; 0]);
        assert_eq!(changes("a\nb\nb\n", "b\nc\nd\n"), ["- a", "- b", "+ c", "+ d"]);
        assert_eq!(changes("b\n", "b\nb\n"), ["+ b"]);
        assert_eq!(changes("", "b\n"), ["+ b"]);
    }

    #[test]
    fn counts_and_names() {
        let mut mode = ModeReport::new("some");
        let group = group("items");
        let [valid, invalid] = group.tests.as_slice() else { panic!("it has two tests") };
        mode.add(&group, valid, None, InstanceResult::Right);
        mode.add(&group, valid, None, InstanceResult::Refused);
        mode.add(&group, invalid, None, InstanceResult::Accepted);
        mode.add(&group, invalid, None, InstanceResult::Status(500));
        mode.add(&group, valid, Some(Apart::OtherType), InstanceResult::Refused);
        mode.add(&group, valid, Some(Apart::OtherType), InstanceResult::Disagreement { accepted: true });
        mode.refuse(&group, "a-code");
        mode.leave_out(LeftOut::Id, &group);
        let text = Report(vec![mode]).to_string();
        let lines: Vec<&str> = text.lines().collect();
        let expected = [
            "mode       tests                         count  right  valid refused  invalid accepted  other",
            "some       compared                          4      1              1                 1      1",
            "some       apart: of another type            2      0              1                 0      1",
            "some       refused by the generator          2",
            "some       left out: `$id`                   2  items 2",
            "",
            "mode       compared, by file             count  right  valid refused  invalid accepted  other",
            "some       items                             4      1              1                 1      1",
            "",
            "some: items / a group / it is false: invalid accepted",
            "some: items / a group / it is false: status 500",
            "some: items / a group / it is true: accepted, but the slow path refuses it",
            "some: items / a group / it is true: valid refused",
            "some: items / a group: refused by the generator (a-code)",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn two_reports_have_a_row_each() {
        let report = |result| {
            let mut mode = ModeReport::new("some");
            let group = group("items");
            for test in &group.tests {
                mode.add(&group, test, None, result);
            }
            Report(vec![mode])
        };
        let table = report(InstanceResult::Right).beside(&report(InstanceResult::Status(500)), ["a", "b"]);
        let expected = "\
mode       compared                      count  right  valid refused  invalid accepted  other
some       a                                 2      2              0                 0      0
some       b                                 2      0              0                 0      2
";
        assert_eq!(table, expected);
    }
}
