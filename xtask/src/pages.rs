//! `cargo xtask pages`: writes the pages of `docs/` that tests of the service derive.

use anyhow::Result;

use crate::{
    Outcome,
    project::{cargo, succeeds},
};

/// The tests that compare a page.
const TESTS: [&str; 3] = [
    "the_page_lists_the_models",
    "every_operation_reaches_an_engine",
    "a_collector_receives_the_trace_of_a_request",
];

/// Runs the tests, which write their pages instead of comparing them.
pub fn run() -> Result<Outcome> {
    let mut command =
        cargo(&["test", "--quiet", "--package", "asset-service", "--lib", "--test", "it", "--"])?;
    if !succeeds(command.args(TESTS).env("ACCEPT_PAGES", "1"))? {
        return Ok(Outcome::Failed);
    }
    println!("the pages are written; to review them: git diff docs");
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::{Arguments, files, project};

    /// The `cargo xtask …` commands in README.md, `docs/` and CONTRIBUTING.md are valid.
    #[test]
    fn commands_of_the_pages_are_understood() {
        let root = project::root().unwrap();
        let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
        pages.extend(files::list(&root.join("docs")).unwrap());
        pages.retain(|page| page.is_file());
        let mut seen = 0;
        for page in pages {
            let text = files::read(&page).unwrap();
            for line in text.lines().filter_map(|line| line.strip_prefix("$ cargo xtask ")) {
                let words = line.split('#').next().unwrap_or_default().split_whitespace();
                if let Err(error) = Arguments::try_parse_from(std::iter::once("xtask").chain(words)) {
                    panic!("{}: {line}\n{error}", page.display());
                }
                seen += 1;
            }
        }
        assert!(seen > 5, "the pages show commands");
    }
}
