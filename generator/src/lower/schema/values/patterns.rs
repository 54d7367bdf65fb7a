//! Patterns: ECMAScript regular expressions, translated to the syntax of the `regex` crate.

use std::{iter::Peekable, str::Chars};

use crate::{
    diagnostics::Code,
    document::NodeRef,
    ir::PatternId,
    lower::{lowering::Lowering, place::Place, schema::notes::PatternDraft},
};

impl<'d> Lowering<'d, '_> {
    /// Returns the pattern of a node, or `None` if it can't be checked.
    pub fn pattern(&mut self, node: NodeRef<'d>, place: &Place<'d>) -> Option<PatternId> {
        self.pattern_of(node.as_str()?, node, place)
    }

    /// Does the same for a pattern that is the name of a node.
    pub fn pattern_of(&mut self, written: &str, node: NodeRef<'d>, place: &Place<'d>) -> Option<PatternId> {
        if let Some(id) = self.known_patterns.get(&(node.address(), place.module()))
            && !place.is_shared()
        {
            return Some(*id);
        }
        let source = translate(written);
        if let Err(error) = regex::Regex::new(&source) {
            let last = error.to_string();
            let reason = last.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            self.warn(Code::InvalidPattern, node, "invalid or unsupported pattern, which is not checked")
                .map(|said| said.note(reason));
            return None;
        }
        self.patterns.push(PatternDraft { place: place.clone(), source });
        let id = PatternId(self.patterns.len() - 1);
        self.known_patterns.insert((node.address(), place.module()), id);
        Some(id)
    }
}

/// Any character except the line terminators of ECMAScript.
const DOT: &str = r"[^\n\r\x{2028}\x{2029}]";

/// Translates an expression to the syntax of the `regex` crate.
///
/// Look-around and back-references stay unchanged and fail to compile there.
pub(in crate::lower) fn translate(pattern: &str) -> String {
    let mut rest = pattern.chars().peekable();
    let mut source = String::with_capacity(pattern.len() + 8);
    while let Some(character) = rest.next() {
        match character {
            '\\' => escape(&mut rest, &mut source, false),
            '[' => class(&mut rest, &mut source),
            '.' => source.push_str(DOT),
            '{' if !is_quantifier(&rest) => source.push_str(r"\{"),
            '{' => {
                source.push('{');
                source.extend(std::iter::from_fn(|| rest.next_if(|next| *next != '}')));
            }
            _ => source.push(character),
        }
    }
    source
}

/// Returns whether `{` begins a quantifier: `{2}`, `{2,}` or `{2,3}`.
fn is_quantifier(rest: &Peekable<Chars<'_>>) -> bool {
    let inner: String = rest.clone().take_while(|next| *next != '}').collect();
    let closed = rest.clone().any(|next| next == '}');
    let digits = |text: &str| text.chars().all(|digit| digit.is_ascii_digit());
    match inner.split_once(',') {
        Some((least, most)) => closed && !least.is_empty() && digits(least) && digits(most),
        None => closed && !inner.is_empty() && digits(&inner),
    }
}

/// Translates the characters after a backslash.
fn escape(rest: &mut Peekable<Chars<'_>>, source: &mut String, in_class: bool) {
    let Some(escaped) = rest.next() else {
        source.push_str(r"\\");
        return;
    };
    match escaped {
        'd' => source.push_str(if in_class { "0-9" } else { "[0-9]" }),
        'D' => source.push_str("[^0-9]"),
        'w' => source.push_str(if in_class { "A-Za-z0-9_" } else { "[A-Za-z0-9_]" }),
        'W' => source.push_str("[^A-Za-z0-9_]"),
        'b' if in_class => source.push_str(r"\x08"),
        'b' => source.push_str(r"(?-u:\b)"),
        'u' => unicode(rest, source),
        'c' => {
            let letter = rest.next().unwrap_or('@');
            source.push_str(&format!(r"\x{{{:x}}}", u32::from(letter) % 32));
        }
        '0' if !rest.peek().is_some_and(char::is_ascii_digit) => source.push_str(r"\x00"),
        '/' | '"' | '\'' | '%' | ',' | ':' | ';' | '=' | '@' | '_' | '`' | '!' | '<' | '>' | ' ' => {
            source.push(escaped)
        }
        _ => {
            source.push('\\');
            source.push(escaped);
        }
    }
}

/// Translates `\u00e9`, `\u{e9}` and surrogate pairs.
fn unicode(rest: &mut Peekable<Chars<'_>>, source: &mut String) {
    if rest.peek() == Some(&'{') {
        source.push_str(r"\x");
        source.extend(std::iter::from_fn(|| rest.next_if(|next| *next != '}')));
        return;
    }
    let Some(high) = four_digits(rest) else {
        source.push('u');
        return;
    };
    let mut ahead = rest.clone();
    let low =
        (ahead.next() == Some('\\') && ahead.next() == Some('u')).then(|| four_digits(&mut ahead)).flatten();
    match low {
        Some(low) if (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low) => {
            *rest = ahead;
            source.push_str(&format!(r"\x{{{:x}}}", 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)));
        }
        _ => source.push_str(&format!(r"\x{{{high:x}}}")),
    }
}

fn four_digits(rest: &mut Peekable<Chars<'_>>) -> Option<u32> {
    let digits: String = rest.clone().take(4).collect();
    let value = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4)?;
    rest.by_ref().take(4).for_each(drop);
    Some(value)
}

/// Translates a character class, in which `[`, `&` and `~` are literal in ECMAScript only.
fn class(rest: &mut Peekable<Chars<'_>>, source: &mut String) {
    let negated = rest.next_if_eq(&'^').is_some();
    if rest.next_if_eq(&']').is_some() {
        source.push_str(if negated { r"[\s\S]" } else { r"[^\s\S]" });
        return;
    }
    source.push_str(if negated { "[^" } else { "[" });
    while let Some(character) = rest.next() {
        match character {
            ']' => {
                source.push(']');
                return;
            }
            '\\' => escape(rest, source, true),
            '[' | '&' | '~' => {
                source.push('\\');
                source.push(character);
            }
            '-' if rest.peek() == Some(&'-') => source.push_str(r"\-"),
            _ => source.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn what_differs_is_translated() {
        for (written, expected) in [
            (r"^#[0-9A-Fa-f]{6}$", r"^#[0-9A-Fa-f]{6}$"),
            (r"^\d+(,\d+)*$", r"^[0-9]+(,[0-9]+)*$"),
            (r"^[\w-]+$", r"^[A-Za-z0-9_-]+$"),
            (r"^[^\d]$", r"^[^0-9]$"),
            (r"[a\D]", r"[a[^0-9]]"),
            (r"^\/v1\/", r"^/v1/"),
            (r"\u00e9\u{1F600}", r"\x{e9}\x{1F600}"),
            (r"\uD83D\uDE00", r"\x{1f600}"),
            (r"a.b", r"a[^\n\r\x{2028}\x{2029}]b"),
            (r"[.]", r"[.]"),
            (r"[[&&]", r"[\[\&\&]"),
            (r"{id}", r"\{id}"),
            (r"a{2,}b{,3}", r"a{2,}b\{,3}"),
            (r"[^]", r"[\s\S]"),
            (r"[]", r"[^\s\S]"),
            (r"\bx", r"(?-u:\b)x"),
            (r"(?<year>\d{4})", r"(?<year>[0-9]{4})"),
        ] {
            assert_eq!(translate(written), expected, "{written}");
            assert!(regex::Regex::new(expected).is_ok(), "{expected} compiles");
        }
    }

    #[test]
    fn anything_is_translated_without_a_panic() {
        for written in [
            "\\", "[", "[\\", "{", "a{", "\\u", "\\u12", "\\uD83D", "\\c", "[^", "(?=a)", "\\1", "[a-",
            "[--]",
        ] {
            let _ = translate(written);
        }
    }
}
