//! The table row of a pattern, and the engines that run it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// A regular expression, compiled at its first use.
///
/// The generator translates patterns from ECMA-262 to the syntax of an engine. Most run in the crate `regex`, in
/// linear time. Patterns with look-around or back-references run in `fancy-regex` (feature `patterns-fancy`), which
/// backtracks. It gives up on a text after 20,000 steps back, or if the text is longer than 16 KiB. A request has a
/// limited number of texts that take more than 128 steps back.
///
/// ```
/// use openapi_crates_runtime::table::Pattern;
///
/// static DIGITS: Pattern = Pattern::new("^[0-9]+$");
/// assert!(DIGITS.is_match("2024") && !DIGITS.is_match("MMXXIV"));
/// ```
#[derive(Debug)]
pub struct Pattern {
    written: &'static str,
    source: &'static str,
    /// Whether the crate `fancy-regex` runs the pattern.
    is_fancy: bool,
    compiled: OnceLock<Option<Compiled>>,
}

/// The result of matching a text against a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Matched {
    /// A part of the text matches.
    Yes,
    /// No part of the text matches.
    No,
    /// The engine gave up.
    Unknown,
}

#[derive(Debug)]
enum Compiled {
    Regex(regex::Regex),
    #[cfg(feature = "patterns-fancy")]
    Fancy(Box<Fancy>),
}

/// A pattern for the engine that backtracks, with two limits.
#[cfg(feature = "patterns-fancy")]
#[derive(Debug)]
struct Fancy {
    /// Gives up early. It is enough for most texts.
    short: fancy_regex::Regex,
    /// Is compiled at the first text that needs it.
    long: OnceLock<Option<fancy_regex::Regex>>,
}

impl Pattern {
    /// Creates a pattern that means the same in the document and in the syntax of `regex`.
    ///
    /// Does not compile it. The generator checks that a pattern compiles. One that does not compile matches nothing.
    #[must_use]
    pub const fn new(source: &'static str) -> Self {
        Self::translated(source, source)
    }

    /// Creates a pattern from the document's text and its translation to the syntax of `regex`.
    #[must_use]
    pub const fn translated(written: &'static str, source: &'static str) -> Self {
        Self { written, source, is_fancy: false, compiled: OnceLock::new() }
    }

    /// Creates a pattern from the document's text and its translation to the syntax of `fancy-regex`.
    ///
    /// ```
    /// use openapi_crates_runtime::table::Pattern;
    ///
    /// static NOT_BLANK: Pattern = Pattern::fancy("^(?! *$)", "^(?! *$)");
    /// assert!(NOT_BLANK.is_match(" a") && !NOT_BLANK.is_match("  "));
    /// ```
    #[cfg(feature = "patterns-fancy")]
    #[must_use]
    pub const fn fancy(written: &'static str, source: &'static str) -> Self {
        Self { written, source, is_fancy: true, compiled: OnceLock::new() }
    }

    /// Returns the pattern as the document has it.
    #[must_use]
    pub const fn written(&self) -> &'static str {
        self.written
    }

    /// Returns the pattern in the syntax of its engine.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        self.source
    }

    /// Returns whether the pattern matches a part of `text`.
    ///
    /// It does not if the engine gave up.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.matches(text) == Matched::Yes
    }

    /// Matches the pattern against each part of `text`.
    #[must_use]
    pub fn matches(&self, text: &str) -> Matched {
        self.matches_if(text, || true)
    }

    /// Matches the pattern, but asks before a search that takes many steps.
    pub(crate) fn matches_if(&self, text: &str, may_be_long: impl FnOnce() -> bool) -> Matched {
        // Neither crate should panic. If one does, the text counts as not checked, and the caller rejects it.
        let search = || match self.compiled.get_or_init(|| self.compile()) {
            Some(compiled) => compiled.matches(self.source, text, may_be_long),
            None => Matched::No,
        };
        catch_unwind(AssertUnwindSafe(search)).unwrap_or(Matched::Unknown)
    }

    /// Returns whether the engine can give up.
    pub(crate) const fn is_limited(&self) -> bool {
        self.is_fancy
    }

    fn compile(&self) -> Option<Compiled> {
        #[cfg(feature = "patterns-fancy")]
        if self.is_fancy {
            let short = compile_fancy(self.source, limits::SHORT)?;
            return Some(Compiled::Fancy(Box::new(Fancy { short, long: OnceLock::new() })));
        }
        regex::Regex::new(self.source).ok().map(Compiled::Regex)
    }
}

#[cfg(feature = "patterns-fancy")]
fn compile_fancy(source: &str, backtracks: usize) -> Option<fancy_regex::Regex> {
    fancy_regex::RegexBuilder::new(source).backtrack_limit(backtracks).build().ok()
}

impl Compiled {
    #[cfg_attr(not(feature = "patterns-fancy"), expect(unused_variables, reason = "only that engine asks"))]
    fn matches(&self, source: &str, text: &str, may_be_long: impl FnOnce() -> bool) -> Matched {
        match self {
            Self::Regex(regex) => Matched::from(regex.is_match(text)),
            // A step back can read the whole text, so the number of steps alone limits the time too little.
            #[cfg(feature = "patterns-fancy")]
            Self::Fancy(_) if text.len() > limits::BYTES => Matched::Unknown,
            #[cfg(feature = "patterns-fancy")]
            Self::Fancy(fancy) => match fancy.short.is_match(text) {
                Ok(is_match) => is_match.into(),
                Err(_) if may_be_long() => {
                    let long = fancy.long.get_or_init(|| compile_fancy(source, limits::BACKTRACKS));
                    let found = long.as_ref().and_then(|regex| regex.is_match(text).ok());
                    found.map_or(Matched::Unknown, Matched::from)
                }
                Err(_) => Matched::Unknown,
            },
        }
    }
}

impl From<bool> for Matched {
    fn from(is_match: bool) -> Self {
        if is_match { Self::Yes } else { Self::No }
    }
}

/// The limits of the engine that backtracks.
#[cfg(feature = "patterns-fancy")]
mod limits {
    /// The number of steps back. The generator has the same limit.
    pub const BACKTRACKS: usize = 20_000;

    /// The number of steps back that are always allowed.
    pub const SHORT: usize = 128;

    /// The length of a text.
    pub const BYTES: usize = 16 << 10;
}

#[cfg(test)]
mod tests {
    use super::{Matched, Pattern};

    #[test]
    fn a_pattern_keeps_the_text_of_the_document() {
        let pattern = Pattern::translated(r"^\d$", "^[0-9]$");
        assert_eq!((pattern.written(), pattern.source()), (r"^\d$", "^[0-9]$"));
        assert!(pattern.is_match("7") && !pattern.is_match("\u{663}"));
    }

    #[test]
    fn a_pattern_that_does_not_compile_matches_nothing() {
        let pattern = Pattern::new("(");
        assert_eq!(["", "("].map(|text| pattern.matches(text)), [Matched::No; 2]);
    }

    #[cfg(feature = "patterns-fancy")]
    #[test]
    fn look_around_works() {
        let pattern = Pattern::fancy("^(?!a)", "^(?!a)");
        assert_eq!(["b", "ab"].map(|text| pattern.matches(text)), [Matched::Yes, Matched::No]);
        assert!(pattern.is_limited() && !Pattern::new("a").is_limited());
    }

    #[cfg(feature = "patterns-fancy")]
    #[test]
    fn the_engine_gives_up_at_its_limits() {
        let slow = Pattern::fancy("", "^(?=(a+)+$)");
        assert_eq!(slow.matches("aaa"), Matched::Yes);
        let exponential = Pattern::fancy("", r"^(?:(a+)(?=\1|a|!))+$");
        assert_eq!(exponential.matches(&("a".repeat(40) + "?")), Matched::Unknown);
        assert_eq!(slow.matches(&"a".repeat(16 << 10)), Matched::Yes);
        assert_eq!(slow.matches(&"a".repeat((16 << 10) + 1)), Matched::Unknown);
    }

    #[cfg(feature = "patterns-fancy")]
    #[test]
    fn a_long_search_needs_permission() {
        let slow = Pattern::fancy("", r"^(?!(?:(a+)(?=\1|a|!))+$)");
        let matches = |text: &str, may_be_long| {
            let mut has_asked = false;
            let matched = slow.matches_if(text, || {
                has_asked = true;
                may_be_long
            });
            (matched, has_asked)
        };
        assert_eq!(matches("b", false), (Matched::Yes, false));
        let text = "a".repeat(7) + "?";
        assert_eq!(matches(&text, false), (Matched::Unknown, true));
        assert_eq!(matches(&text, true), (Matched::Yes, true));
    }
}
