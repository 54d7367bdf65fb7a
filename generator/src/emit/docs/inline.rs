//! The text of a paragraph: escapes what rustdoc would misread and breaks long lines.

use std::collections::HashMap;

/// The maximum width of documentation in characters, without indentation.
const WIDTH: usize = 96;

/// Escapes brackets and angle brackets in a paragraph and puts URLs in angle brackets.
///
/// Code spans and links to absolute URLs stay unchanged.
pub fn escape(text: &str) -> String {
    let spans = CodeSpans::of(text);
    let mut output = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (taken, piece) = next(rest, first, output.chars().next_back(), &spans);
        output.push_str(&piece);
        rest = rest.get(taken..).unwrap_or_default();
    }
    output
}

/// Returns the length in bytes of the next piece of text, and its escaped form.
fn next(text: &str, first: char, before: Option<char>, spans: &CodeSpans) -> (usize, String) {
    let verbatim = |length: usize| (length, text.get(..length).unwrap_or_default().to_owned());
    match first {
        '`' => spans.at(text).map_or_else(
            || {
                let run = backticks(text);
                (run, "\\`".repeat(run))
            },
            verbatim,
        ),
        '\\' => match text.chars().nth(1) {
            Some(escaped) if escaped.is_ascii_punctuation() => verbatim(2),
            _ => verbatim(1),
        },
        '<' => match line_break(text) {
            Some(length) => (length, " ".to_owned()),
            None => autolink(text).map_or((1, "\\<".to_owned()), verbatim),
        },
        '[' => link(text).unwrap_or((1, "\\[".to_owned())),
        ']' => (1, "\\]".to_owned()),
        'h' if before.is_none_or(|c| !c.is_alphanumeric()) => match url(text) {
            Some(length) => (length, format!("<{}>", text.get(..length).unwrap_or_default())),
            None => verbatim(1),
        },
        other => verbatim(other.len_utf8()),
    }
}

/// The positions at which code spans of a text can end.
struct CodeSpans {
    /// For each length of a run of backticks, the bytes after the last such run.
    last: HashMap<usize, usize>,
}

impl CodeSpans {
    fn of(text: &str) -> Self {
        let mut last = HashMap::new();
        let mut rest = text;
        while let Some(offset) = rest.find('`') {
            rest = rest.get(offset..).unwrap_or_default();
            let run = backticks(rest);
            rest = rest.get(run..).unwrap_or_default();
            last.insert(run, rest.len());
        }
        Self { last }
    }

    /// Returns the length of the code span at the beginning of `text`.
    ///
    /// `text` is the unread end of the whole text.
    ///
    /// Does not search if no run of the same length follows. Otherwise a text full of backticks takes
    /// quadratic time.
    fn at(&self, text: &str) -> Option<usize> {
        let run = backticks(text);
        let mut offset = run;
        if self.last.get(&run).is_none_or(|behind| behind + run >= text.len()) {
            return None;
        }
        loop {
            offset += text.get(offset..)?.find('`')?;
            let length = backticks(text.get(offset..)?);
            offset += length;
            if length == run {
                return Some(offset);
            }
        }
    }
}

/// Returns the number of backticks at the beginning of a text.
fn backticks(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}

/// Returns the length of the `<br>` at the beginning of a text.
fn line_break(text: &str) -> Option<usize> {
    ["<br>", "<br/>", "<br />"].iter().find(|tag| text.starts_with(**tag)).map(|tag| tag.len())
}

/// Returns the length of the `<https://…>` at the beginning of a text.
fn autolink(text: &str) -> Option<usize> {
    let inside = text.get(1..)?;
    let length = url(inside)?;
    inside.get(length..)?.starts_with('>').then_some(length + 2)
}

/// Finds a link to an absolute URL at the beginning of a text.
///
/// Returns its length and the link with an escaped label.
fn link(text: &str) -> Option<(usize, String)> {
    // The searches for label and target stop early. Otherwise a text full of brackets takes quadratic time.
    let label = text.get(1..)?;
    let label = label.get(..label.find(['[', ']'])?)?;
    let target = text.get(1 + label.len()..)?.strip_prefix("](")?;
    let target = target.get(..target.find(|c| c == ')' || ends_url(c))?)?;
    let length = label.len() + target.len() + 4;
    let is_link = url(target) == Some(target.len()) && text.get(..length)?.ends_with(')');
    is_link.then(|| (length, format!("[{}]({target})", unlinked(label))))
}

/// Escapes the label of a link without making its URLs links.
fn unlinked(label: &str) -> String {
    escape(&label.replace("://", ":\u{0}//")).replace('\u{0}', "")
}

/// Returns the length of the URL at the beginning of a text.
///
/// Punctuation of the surrounding sentence is not part of the URL.
fn url(text: &str) -> Option<usize> {
    let scheme = ["https://", "http://"].iter().find(|scheme| text.starts_with(**scheme))?;
    let end = text.find(ends_url).unwrap_or(text.len());
    let mut url = text.get(..end)?;
    let opened = url.matches('(').count();
    let mut closed = url.matches(')').count();
    while let Some(last) = url.chars().next_back() {
        match last {
            ')' if closed > opened => closed -= 1,
            '.' | ',' | ';' | ':' | '!' | '?' => {}
            _ => break,
        }
        url = url.strip_suffix(last)?;
    }
    (url.len() > scheme.len()).then_some(url.len())
}

/// Returns whether a character ends a URL.
fn ends_url(c: char) -> bool {
    c.is_whitespace() || "<>\"'`|\\^{}[]*".contains(c)
}

/// Breaks a paragraph into lines. The caller indents all lines but the first by `indent`.
///
/// Code spans stay whole. No line begins with a word that would start a list, heading or quote.
pub fn wrap(text: &str, indent: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words(text) {
        let Some(line) = lines.last_mut() else { break };
        let fits = indent + line.chars().count() + 1 + word.chars().count() <= WIDTH;
        if line.is_empty() {
            line.push_str(word);
        } else if fits || begins_block(word) {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Returns the words of a text. A code span is one word.
fn words(text: &str) -> Vec<&str> {
    let spans = CodeSpans::of(text);
    let mut words = Vec::new();
    let mut start = 0;
    let mut offset = 0;
    while let Some(c) = text.get(offset..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(offset..).unwrap_or_default();
        match c {
            '`' => offset += spans.at(rest).unwrap_or(1),
            '\\' => offset += 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            ' ' => {
                words.extend(text.get(start..offset).filter(|word| !word.is_empty()));
                offset += 1;
                start = offset;
            }
            other => offset += other.len_utf8(),
        }
    }
    words.extend(text.get(start..).filter(|word| !word.is_empty()));
    words
}

/// Returns whether this word would begin a block at the beginning of a line.
fn begins_block(word: &str) -> bool {
    let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item = number.len() < word.len() && number.starts_with(['.', ')']);
    is_item || word.starts_with(['-', '+', '*', '#', '>', '|', '=', '~', '_']) || word.starts_with("```")
}

/// Returns the text as a code span, even if it contains backticks.
pub fn code(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let touches = text.starts_with('`') || text.ends_with('`') || text.trim().is_empty();
    if text.is_empty() {
        "(empty)".to_owned()
    } else if touches {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_that_rustdoc_misreads_is_escaped() {
        for (text, expected) in [
            ("plain", "plain"),
            ("[foo] and [foo][bar]", r"\[foo\] and \[foo\]\[bar\]"),
            ("[docs](https://a.b/c)", "[docs](https://a.b/c)"),
            ("[docs](/relative)", r"\[docs\](/relative)"),
            ("[https://a.b](https://a.b)", "[https://a.b](https://a.b)"),
            ("see https://a.b/c.", "see <https://a.b/c>."),
            ("(http://a.b/c(d))", "(<http://a.b/c(d)>)"),
            ("<https://a.b>", "<https://a.b>"),
            ("<b>bold</b>", r"\<b>bold\</b>"),
            ("a<br>b", "a b"),
            ("a < b", r"a \< b"),
            ("`[x] <b>`", "`[x] <b>`"),
            ("``a`b`` and `", r"``a`b`` and \`"),
            (r"\[x\] \d", r"\[x\] \d"),
            ("http:// nothing", "http:// nothing"),
            ("é[", r"é\["),
        ] {
            assert_eq!(escape(text), expected, "{text:?}");
        }
    }

    #[test]
    fn unclosed_markup_takes_linear_time() {
        let ticks: String = (1..1500).map(|count| format!("{} ", "`".repeat(count))).collect();
        let texts = [
            "[".repeat(300_000),
            "[a](".repeat(100_000),
            format!("https://a.b/{}", ")".repeat(300_000)),
            ticks,
        ];
        for text in texts {
            assert!(escape(&text).len() >= text.len());
        }
    }

    #[test]
    fn code_spans() {
        for (text, expected) in [
            ("a", "`a`"),
            ("a`b", "``a`b``"),
            ("`", "`` ` ``"),
            ("a\nb", "`a b`"),
            ("", "(empty)"),
            (" ", "`   `"),
        ] {
            assert_eq!(code(text), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_begin_no_blocks() {
        let text = format!("{} - 1. `a b`", "x".repeat(WIDTH));
        assert_eq!(wrap(&text, 0), [format!("{} - 1.", "x".repeat(WIDTH)), "`a b`".to_owned()]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_accepted(text in "([-`<>\\[\\]()a .\\\\é]|https://)*", indent in 0usize..9) {
            let escaped = escape(&text);
            let joined = wrap(&escaped, indent).join(" ");
            let words = |text: &str| text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>();
            proptest::prop_assert_eq!(words(&joined), words(&escaped));
        }
    }
}
