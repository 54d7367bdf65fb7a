//! Tells findings so that a few are read rather than thousands scrolled by.

use openapi_crates::{
    Report,
    diagnostics::{Code, Finding, Level},
};

use super::{count, tell};

/// How many warnings of one kind are told, unless all are asked for.
const WARNINGS: usize = 3;

/// How many errors of one kind are told.
const ERRORS: usize = 10;

/// Tells the findings kind by kind, the worst first; of each kind some, and how many more there are.
pub fn tell_some(report: &Report, all: bool) {
    for (level, code) in kinds(report) {
        let of_kind = |finding: &&Finding| finding.level == level && finding.code == code;
        let most = match level {
            _ if all => usize::MAX,
            Level::Error => ERRORS,
            Level::Warning => WARNINGS,
        };
        for finding in report.findings.iter().filter(of_kind).take(most) {
            tell(finding);
        }
        let rest = report.findings.iter().filter(of_kind).skip(most).count();
        if rest > 0 {
            let more = count(rest, &format!("more {level}"));
            tell(format_args!(
                "… and {more} of this kind, [{code}]: --all-warnings shows them, `openapi-crates explain {code}` tells what \
                 it means\n"
            ));
        }
    }
}

/// The kinds of findings, errors first, then in the order of the document.
fn kinds(report: &Report) -> Vec<(Level, Code)> {
    let mut kinds = Vec::new();
    for finding in &report.findings {
        if !kinds.contains(&(finding.level, finding.code)) {
            kinds.push((finding.level, finding.code));
        }
    }
    kinds.sort_by_key(|(level, _)| *level);
    kinds
}
