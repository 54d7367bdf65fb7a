//! Prints diagnostics, limited to a few of each code, because a document can have thousands.

use openapi_crates::{Code, Diagnostic, Level, Report};

use super::{count, print_stderr};

/// The number of warnings printed for each code, unless all are requested.
const WARNINGS: usize = 3;

/// The number of errors printed for each code, unless all are requested.
const ERRORS: usize = 10;

/// Prints the diagnostics grouped by level and code, errors first.
///
/// Prints the first few of each group and the number of the others, or all of them if `all` is set.
pub fn print_some(report: &Report, all: bool) {
    for (level, code) in kinds(report) {
        let of_kind = |diagnostic: &&Diagnostic| diagnostic.level == level && diagnostic.code == code;
        let most = match level {
            _ if all => usize::MAX,
            Level::Error => ERRORS,
            Level::Warning => WARNINGS,
        };
        for diagnostic in report.diagnostics.iter().filter(of_kind).take(most) {
            print_stderr(diagnostic);
        }
        let rest = report.diagnostics.iter().filter(of_kind).skip(most).count();
        if rest > 0 {
            let more = count(rest, &format!("more {level}"));
            print_stderr(format_args!(
                "… and {more} with the code {code}: --all-warnings shows them, `openapi-crates explain {code}` \
                 explains the code\n"
            ));
        }
    }
}

/// Returns the levels and codes that occur, errors first.
///
/// Within a level, the order is that of the document.
fn kinds(report: &Report) -> Vec<(Level, Code)> {
    let mut kinds = Vec::new();
    for diagnostic in &report.diagnostics {
        if !kinds.contains(&(diagnostic.level, diagnostic.code)) {
            kinds.push((diagnostic.level, diagnostic.code));
        }
    }
    kinds.sort_by_key(|(level, _)| *level);
    kinds
}
