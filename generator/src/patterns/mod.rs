//! Patterns: regular expressions of ECMA-262, translated for the engines that run them.
//!
//! ```text
//! text ─parse─► tree ─references─► tree ─split─► tree and lengths ─reduce─► tree ─print─► text for an engine ─► compiled
//! ```
//!
//! `regex` runs in linear time, so it runs each pattern that it can express exactly. `fancy-regex` runs the others,
//! within a limit: those with look-around, back-references or `\B`.

mod decide;
mod escapes;
mod groups;
mod parse;
mod print;
mod reduce;
mod references;
mod split;
#[cfg(test)]
mod tests;
mod tree;

use std::fmt;

use regex_syntax::hir::Look;

pub(crate) use decide::decide;

/// The crate that runs a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// `regex`, in linear time.
    Regex,
    /// `fancy-regex`, which backtracks, up to a limit.
    Fancy,
}

/// How a pattern is checked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Decision {
    pub engine: Engine,
    /// The pattern in the syntax of the engine.
    pub source: String,
    /// The additional check.
    pub lengths: Lengths,
}

/// Limits of a text's length in code points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Lengths {
    pub least: Option<u64>,
    pub most: Option<u64>,
}

/// Says why a pattern can't be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The index of a character of the pattern.
    at: Option<usize>,
    message: String,
}

/// Returns whether a pattern limits the length of the texts that it matches, or may do.
pub(crate) fn limits_length(written: &str) -> bool {
    let Ok(Decision { engine: Engine::Regex, source, lengths }) = decide(written, true) else { return true };
    let is_limited = || {
        let hir = regex_syntax::parse(&source).ok()?;
        let properties = hir.properties();
        let is_anchored = properties.look_set_prefix().contains(Look::Start)
            && properties.look_set_suffix().contains(Look::End);
        Some(is_anchored && properties.maximum_len().is_some())
    };
    lengths.most.is_some() || is_limited().unwrap_or(true)
}

/// Returns whether a pattern matches a text, or may do because it can't be checked.
pub(crate) fn matches(written: &str, text: &str) -> bool {
    let compiled =
        decide(written, false).and_then(|decision| Compiled::new(decision.engine, &decision.source));
    compiled.map_or(true, |compiled| compiled.is_match(text))
}

impl Refusal {
    fn at(at: usize, message: impl Into<String>) -> Self {
        Self { at: Some(at), message: message.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(at) => write!(out, "character {} of the pattern: {}", at + 1, self.message),
            None => out.write_str(&self.message),
        }
    }
}

/// The number of times that `fancy-regex` may go back; the runtime has the same limit.
const MAX_BACKTRACKS: usize = 20_000;

/// A translated pattern that can be matched.
#[derive(Debug)]
pub(crate) enum Compiled {
    Regex(regex::Regex),
    Fancy(Box<fancy_regex::Regex>),
}

impl Compiled {
    /// Compiles the translation of a pattern.
    pub fn new(engine: Engine, source: &str) -> Result<Self, Refusal> {
        match engine {
            Engine::Regex => regex::Regex::new(source).map(Self::Regex).map_err(|error| refused(&error)),
            Engine::Fancy => fancy_regex::RegexBuilder::new(source)
                .backtrack_limit(MAX_BACKTRACKS)
                .build()
                .map(|regex| Self::Fancy(Box::new(regex)))
                .map_err(|error| refused(&error)),
        }
    }

    /// Returns whether a part of the text matches.
    pub fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Regex(regex) => regex.is_match(text),
            Self::Fancy(regex) => regex.is_match(text).unwrap_or_default(),
        }
    }
}

/// Returns an engine's reason: the last line of its error, because the others show its own syntax.
fn refused(error: &dyn fmt::Display) -> Refusal {
    let text = error.to_string();
    let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
    let is_large = reason.contains("size limit");
    let message =
        if is_large { "the compiled pattern exceeds 10 MiB; its repetitions are too large" } else { reason };
    Refusal { at: None, message: message.to_owned() }
}
