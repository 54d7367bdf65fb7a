//! Prints diagnostics, limited to a few of each code, because a document can have thousands.

use indexmap::IndexMap;
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
    // Within a level, the codes are in the order of the document.
    let mut groups: IndexMap<(Level, Code), Vec<&Diagnostic>> = IndexMap::new();
    for diagnostic in &report.diagnostics {
        groups.entry((diagnostic.level, diagnostic.code)).or_default().push(diagnostic);
    }
    groups.sort_by(|one, _, other, _| one.0.cmp(&other.0));
    for ((level, code), diagnostics) in groups {
        let most = match level {
            _ if all => usize::MAX,
            Level::Error => ERRORS,
            Level::Warning => WARNINGS,
        };
        diagnostics.iter().take(most).for_each(print_stderr);
        let rest = diagnostics.len().saturating_sub(most);
        if rest > 0 {
            let more = count(rest, &format!("more {level}"));
            print_stderr(format_args!(
                "… and {more} with the code {code}: --all-warnings shows them, `openapi-crates explain {code}` \
                 explains the code\n"
            ));
        }
    }
}
