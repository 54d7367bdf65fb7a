//! `engines check`: tries the attached engines.

use asset_admin_server::models::common::{Check, CheckOutcome};

use crate::admin::engines;
use crate::cli::{CommandError, output};
use crate::engine::registry::Registry;

/// Tries the attached engines with these names, or all.
///
/// # Errors
/// An engine does not work, or nothing of it could be tried for one of its families.
pub(super) async fn check(registry: &Registry, paid: bool, names: &[String]) -> Result<(), CommandError> {
    let (mut done, mut failed) = (0, 0);
    let report = |check: Check| {
        done += u32::from(check.outcome != CheckOutcome::Skipped);
        failed += u32::from(check.outcome == CheckOutcome::Failed);
        let word = match &check.outcome {
            CheckOutcome::Failed => "FAILED",
            outcome => outcome.as_str(),
        };
        let Check { engine, family, seconds, detail, .. } = &check;
        let line = format!("{engine:<19} {family:<35} {word:<8} {seconds:>7.2} s  {detail}");
        output::result(line, &check)
    };
    let untried = engines::check(registry, paid, names, report).await?;
    for (engine, family) in &untried {
        output::line(format_args!(
            "warning: nothing of `{engine}` could be tried for {family}, so it may not work"
        ))?;
    }
    match (failed, untried.len()) {
        (0, 0) => Ok(()),
        (0, 1) => Err(CommandError::Refused("1 check could not be made".to_owned())),
        (0, untried) => Err(CommandError::Refused(format!("{untried} checks could not be made"))),
        (failed, _) => Err(CommandError::Refused(format!("{failed} of {done} checks failed"))),
    }
}
