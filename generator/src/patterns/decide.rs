//! The decision: which engine runs a pattern, and how the pattern is spelled for it.

use regex_syntax::hir::Hir;

use super::print::print;
use super::references::settle;
use super::split::split;
use super::{Compiled, Decision, Engine, Lengths, Refusal, parse};

/// Decides how a pattern is checked.
///
/// With `splits`, a large repetition may become limits of the length, which the caller has to check.
///
/// # Errors
/// Returns what is wrong with the pattern, and where: it is not a regular expression, or no engine can run it.
pub(crate) fn decide(written: &str, splits: bool) -> Result<Decision, Refusal> {
    let mut root = parse::parse(written)?;
    let used = settle(&mut root)?;
    let engine = if root.is_regular() { Engine::Regex } else { Engine::Fancy };
    let split = (splits && engine == Engine::Regex).then(|| split(&root)).flatten();
    let is_whole = split.is_none();
    let (root, lengths) = split.unwrap_or((root, Lengths::default()));
    let printed = print(&root, engine, &used);
    let source = if is_whole && engine == Engine::Regex && is_same(written, &printed) {
        written.to_owned()
    } else {
        printed
    };
    Compiled::new(engine, &source)?;
    Ok(Decision { engine, source, lengths })
}

/// Returns whether `regex` reads both texts as the same expression.
///
/// If so, the document's own text is the better one, because a reader knows it.
fn is_same(written: &str, printed: &str) -> bool {
    let parsed = |text: &str| -> Option<Hir> { regex_syntax::parse(text).ok() };
    written == printed || parsed(written).is_some_and(|one| parsed(printed) == Some(one))
}
