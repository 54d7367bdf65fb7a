//! Converts descriptions of the OpenAPI document to Markdown that rustdoc accepts.
//!
//! Descriptions are written for other renderers. In rustdoc, an indented block becomes a failing test,
//! `[foo]` a broken link, `<b>` an invalid tag and a bare URL a warning. Clippy wants the lines of a list
//! item aligned. This module avoids all of these and keeps the meaning. It accepts any text.

use super::inline::{escape, wrap};
use crate::escape::is_directional;

/// Returns the lines of a description for rustdoc, without blank lines at either end.
pub fn sanitise(text: &str) -> Vec<String> {
    let mut writer = Blocks::default();
    for line in text.lines() {
        writer.line(&clean(line));
    }
    writer.finish()
}

/// Removes tabs, control and directional characters, and trailing spaces.
fn clean(line: &str) -> String {
    let line = line.replace('\t', "    ");
    line.trim_end().chars().filter(|c| !c.is_control() && !is_directional(*c)).collect()
}

/// The column at which the text of a list item begins, in the source and in the output.
struct Level {
    source: usize,
    output: usize,
}

/// An open code block.
struct Fence {
    /// The opening marker. A marker of the same character that is at least as long closes the block.
    marker: String,
    indent: usize,
}

/// The state of the conversion: the lines written so far and the open blocks.
#[derive(Default)]
struct Blocks {
    lines: Vec<String>,
    levels: Vec<Level>,
    fence: Option<Fence>,
    /// Whether an indented code block is open. The output has a fence for it.
    indented: bool,
    /// The open paragraph.
    paragraph: Option<Paragraph>,
}

/// A paragraph with the prefixes of its first line and of its other lines.
struct Paragraph {
    first: String,
    rest: String,
    text: String,
}

impl Blocks {
    fn line(&mut self, line: &str) {
        let indent = line.len() - line.trim_start().len();
        let text = line.trim_start();
        if self.fence.is_some() {
            self.fenced(line, text);
        } else if self.indented {
            self.indented(line, text, indent);
        } else if text.is_empty() {
            self.blank();
        } else if let Some(marker) = fence_marker(text) {
            self.open_fence(marker, text, indent);
        } else if let Some(width) = list_marker(text) {
            self.item(text, width, indent);
        } else {
            self.text(text, indent);
        }
    }

    fn fenced(&mut self, line: &str, text: &str) {
        let Some(fence) = &self.fence else { return };
        let margin = " ".repeat(self.margin());
        if text.starts_with(&fence.marker) && text.trim_start_matches(['`', '~']).is_empty() {
            self.lines.push(format!("{margin}{}", fence.marker));
            self.fence = None;
        } else {
            let cut = (line.len() - text.len()).min(fence.indent);
            let code = line.get(cut..).unwrap_or_default();
            self.lines.push(format!("{margin}{code}").trim_end().to_owned());
        }
    }

    fn open_fence(&mut self, marker: &str, text: &str, indent: usize) {
        self.end_paragraph();
        self.leave_levels(indent);
        let language = language(text.trim_start_matches(['`', '~']));
        self.lines.push(format!("{}{marker}{language}", " ".repeat(self.margin())));
        self.fence = Some(Fence { marker: marker.to_owned(), indent });
    }

    fn indented(&mut self, line: &str, text: &str, indent: usize) {
        if text.is_empty() {
            self.lines.push(String::new());
        } else if indent >= 4 {
            self.lines.push(line.get(4..).unwrap_or_default().to_owned());
        } else {
            self.end_indented();
            self.line(line);
        }
    }

    /// Closes an indented block in front of the blank lines at its end.
    fn end_indented(&mut self) {
        let code = self.lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        self.lines.insert(code, "```".to_owned());
        self.indented = false;
    }

    fn blank(&mut self) {
        self.end_paragraph();
        if self.lines.last().is_some_and(|last| !last.is_empty()) {
            self.lines.push(String::new());
        }
    }

    fn item(&mut self, text: &str, width: usize, indent: usize) {
        self.end_paragraph();
        while self.levels.last().is_some_and(|level| level.source > indent) {
            self.levels.pop();
        }
        let margin = self.margin();
        let (marker, content) = text.split_at_checked(width).unwrap_or((text, ""));
        let marker = marker.trim_end();
        let output = margin + marker.len() + 1;
        self.levels.push(Level { source: indent + width, output });
        self.paragraph = Some(Paragraph {
            first: format!("{}{marker} ", " ".repeat(margin)),
            rest: " ".repeat(output),
            text: content.to_owned(),
        });
    }

    fn text(&mut self, text: &str, indent: usize) {
        if let Some(paragraph) = &mut self.paragraph {
            let is_own_line = is_table(text) || is_heading(text) || is_rule(text) || text.starts_with('>');
            if !is_own_line && !is_table(&paragraph.text) && !is_heading(&paragraph.text) {
                paragraph.text.push(' ');
                paragraph.text.push_str(text);
                return;
            }
        }
        self.end_paragraph();
        self.leave_levels(indent);
        if self.levels.is_empty() && indent >= 4 && self.lines.last().is_none_or(String::is_empty) {
            self.indented = true;
            self.lines.push("```text".to_owned());
            self.lines.push(format!("{}{text}", " ".repeat(indent - 4)));
            return;
        }
        let margin = " ".repeat(self.margin());
        let (quote, text) = match text.strip_prefix('>') {
            Some(quoted) => ("> ", quoted.trim_start()),
            None => ("", text),
        };
        let start = format!("{margin}{quote}");
        self.paragraph = Some(Paragraph { first: start.clone(), rest: start, text: text.to_owned() });
    }

    /// Closes list items after a blank line if a line is indented less than their text.
    fn leave_levels(&mut self, indent: usize) {
        if self.lines.last().is_none_or(String::is_empty) {
            while self.levels.last().is_some_and(|level| level.source > indent) {
                self.levels.pop();
            }
        }
    }

    fn margin(&self) -> usize {
        self.levels.last().map_or(0, |level| level.output)
    }

    fn end_paragraph(&mut self) {
        let Some(Paragraph { first, rest, text }) = self.paragraph.take() else { return };
        let escaped = escape(&text);
        let pieces =
            if is_table(&text) || is_heading(&text) { vec![escaped] } else { wrap(&escaped, rest.len()) };
        for (index, piece) in pieces.iter().enumerate() {
            let start = if index == 0 { &first } else { &rest };
            self.lines.push(format!("{start}{piece}").trim_end().to_owned());
        }
    }

    fn finish(mut self) -> Vec<String> {
        self.end_paragraph();
        if self.indented {
            self.end_indented();
        }
        if let Some(fence) = self.fence.take() {
            self.lines.push(format!("{}{}", " ".repeat(self.margin()), fence.marker));
        }
        while self.lines.last().is_some_and(String::is_empty) {
            self.lines.pop();
        }
        self.lines
    }
}

/// Returns the backticks or tildes that open a code block.
fn fence_marker(text: &str) -> Option<&str> {
    let first = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let marker = text.get(..text.len() - text.trim_start_matches(first).len())?;
    let is_block = marker.len() >= 3 && !text.trim_start_matches(first).contains('`');
    is_block.then_some(marker)
}

/// Returns the language of a code block, or `text` if rustdoc would test it.
fn language(info: &str) -> &str {
    const RUST: &[&str] =
        &["rust", "ignore", "should_panic", "no_run", "compile_fail", "test_harness", "custom"];
    let word = info.trim().split([' ', ',', '{', ':']).next().unwrap_or_default();
    let is_name =
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '_'));
    let is_rust = RUST.contains(&word) || word.starts_with("edition") || word.starts_with("standalone");
    if is_name && !is_rust { word } else { "text" }
}

/// Returns the length of a list item's marker with the spaces after it.
fn list_marker(text: &str) -> Option<usize> {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let bullet = if digits == 0 {
        text.starts_with(['-', '*', '+']).then_some(1)?
    } else {
        (digits <= 9 && text.get(digits..)?.starts_with(['.', ')'])).then_some(digits + 1)?
    };
    let behind = text.get(bullet..)?;
    let spaces = behind.len() - behind.trim_start().len();
    (behind.is_empty() || (spaces > 0 && !is_rule(text)))
        .then_some(bullet + spaces.clamp(1, 4).min(behind.len().max(1)))
}

/// Returns whether the line is a row of a table.
fn is_table(text: &str) -> bool {
    text.starts_with('|')
}

fn is_heading(text: &str) -> bool {
    let level = text.len() - text.trim_start_matches('#').len();
    (1..=6).contains(&level) && text.get(level..).is_some_and(|rest| rest.starts_with(' ') || rest.is_empty())
}

/// Returns whether the line is a thematic break or the underline of a heading.
fn is_rule(text: &str) -> bool {
    ['-', '*', '_', '='].iter().any(|mark| text.len() >= 3 && text.chars().all(|c| c == *mark || c == ' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(sanitise(text), expected, "{text:?}");
    }

    #[test]
    fn blocks() {
        check("", &[]);
        check("\n\n  Hello.\n\n\n\nBye.  \n\n", &["Hello.", "", "Bye."]);
        check("One\nparagraph.", &["One paragraph."]);
        check(
            "Say:\n\n    curl -X POST\n      -d x\n\nThen.",
            &["Say:", "", "```text", "curl -X POST", "  -d x", "```", "", "Then."],
        );
        check("    only code", &["```text", "only code", "```"]);
        check("```\nlet x = [1];\n```", &["```text", "let x = [1];", "```"]);
        check("```rust\nx\n```", &["```text", "x", "```"]);
        check("```json\n{\"a\": 1}\n```", &["```json", "{\"a\": 1}", "```"]);
        check("~~~\nnever closed", &["~~~text", "never closed", "~~~"]);
        check("# Title\nText", &["# Title", "Text"]);
        check("| a | b |\n|---|---|\n| [x] | y |", &["| a | b |", "|---|---|", r"| \[x\] | y |"]);
        check("> quoted\nlazily", &["> quoted lazily"]);
        check("a\u{202e}b\u{7}", &["ab"]);
    }

    #[test]
    fn lists_are_aligned() {
        check("- one\ngoes on\n-   two\n      deep", &["- one goes on", "- two deep"]);
        check("* a\n  * b\n    c\n* d", &["* a", "  * b c", "* d"]);
        check("1. a\n\n   b\n\nc", &["1. a", "", "   b", "", "c"]);
        check("- a\n\n      code", &["- a", "", "  code"]);
        check("---", &["---"]);
        check("- ```\n", &["- \\`\\`\\`"]);
    }

    #[test]
    fn long_lines_are_wrapped() {
        let lines = sanitise(&"word ".repeat(60));
        assert!(lines.len() > 2 && lines.iter().all(|line| line.len() <= 100), "{lines:?}");
        let item = sanitise(&format!("- {}", "word ".repeat(60)));
        assert!(item.iter().skip(1).all(|line| line.starts_with("  word")), "{item:?}");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_accepted(text in "([-*>#|`~ \\[\\]<>a1.\n\t\\\\é]|http://)*") {
            let lines = sanitise(&text);
            proptest::prop_assert!(lines.iter().all(|line| !line.contains('\n')));
            let fences = lines.iter().filter(|line| fence_marker(line.trim_start()).is_some()).count();
            proptest::prop_assert!(lines.is_empty() || fences != 1, "{lines:?}");
        }
    }
}
