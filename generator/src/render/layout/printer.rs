//! Breaks lines by Oppen's algorithm, with the widths of `prettyplease`.
//!
//! The input is a list of texts, of breaks (positions where a line may end), and of beginnings and ends of
//! boxes. The width of a box, or of the text after a break, is known at the next break outside the box. So
//! one pass from left to right measures, and a second one prints.

use std::borrow::Cow;

/// The maximum width of a line.
const MARGIN: isize = 89;
/// The minimum width of a line's text, however deeply it is indented.
const LEAST: isize = 60;
/// A width beyond that of any line.
const INFINITE: isize = 0xffff;
/// The indentation of a level.
pub(super) const INDENT: isize = 4;

#[derive(Debug)]
enum Part<'s> {
    Text(Cow<'s, str>),
    Break(Break),
    Begin { indent: isize, breaks: Breaks },
    End,
}

/// The breaks that end a line in a box that does not fit on one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    /// All breaks.
    Consistent,
    /// Only breaks after which the line would be too long.
    Inconsistent,
}

/// A position where a line may end.
#[derive(Debug, Clone, Copy)]
struct Break {
    /// The number of spaces if the line does not end.
    blank: isize,
    /// The indentation of the next line in addition to that of the box.
    indent: isize,
    edge: Edge,
    /// Whether it is left out at the end of its box.
    if_nonempty: bool,
}

/// The text that a break writes in addition to spaces or the end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    Plain,
    /// A line never ends here.
    Never,
    /// A comma before the end of the line.
    Comma,
    /// An opening brace before the end of the line.
    Opening,
    /// A closing brace on the next line or, if the line does not end, a comma if `comma` is set.
    Closing {
        comma: bool,
    },
}

/// A text under construction.
#[derive(Debug, Default)]
pub(super) struct Printer<'s> {
    /// The parts with their widths; a width that is not known yet is negative.
    parts: Vec<(Part<'s>, isize)>,
    /// The indices of the parts whose width is not known yet.
    pending: Vec<usize>,
    /// The width of all parts so far.
    total: isize,
}

impl<'s> Printer<'s> {
    pub(super) fn text(&mut self, text: impl Into<Cow<'s, str>>) {
        let text = text.into();
        let width = text.len().cast_signed();
        self.parts.push((Part::Text(text), width));
        self.total += width;
    }

    pub(super) fn begin(&mut self, indent: isize, breaks: Breaks) {
        self.push(Part::Begin { indent, breaks }, -self.total);
    }

    /// Begins a box in which all breaks end a line, or none.
    pub(super) fn consistent(&mut self, indent: isize) {
        self.begin(indent, Breaks::Consistent);
    }

    /// Begins a box in which a break ends a line only if necessary.
    pub(super) fn inconsistent(&mut self, indent: isize) {
        self.begin(indent, Breaks::Inconsistent);
    }

    pub(super) fn end(&mut self) {
        if let Some((Part::Break(last), _)) = self.parts.last() {
            let Break { blank, if_nonempty, .. } = *last;
            let before = self.parts.len().checked_sub(2).and_then(|place| self.parts.get(place));
            let is_empty = matches!(before, Some((Part::Begin { .. }, _)));
            if is_empty || if_nonempty {
                for _ in 0..=usize::from(is_empty) {
                    self.parts.pop();
                    self.pending.pop();
                }
                self.total -= blank;
            }
            if is_empty {
                return;
            }
        }
        self.push(Part::End, -1);
    }

    /// Ends a box, and breaks it if it is wider than `width`.
    pub(super) fn end_within(&mut self, width: isize) {
        let mut depth = 1;
        for place in self.pending.iter().rev() {
            match self.parts.get(*place) {
                Some((Part::Begin { .. }, size)) => {
                    depth -= 1;
                    if depth == 0 {
                        if *size + self.total > width {
                            self.total += INFINITE;
                        }
                        break;
                    }
                }
                Some((Part::End, _)) => depth += 1,
                _ => {}
            }
        }
        self.end();
    }

    fn stop(&mut self, blank: isize, edge: Edge, if_nonempty: bool) {
        self.measure();
        self.push(Part::Break(Break { blank, indent: 0, edge, if_nonempty }), -self.total);
        self.total += blank;
    }

    /// Adds a break: nothing, or the end of a line.
    pub(super) fn zero(&mut self) {
        self.stop(0, Edge::Plain, false);
    }

    /// Adds a break: a space, or the end of a line.
    pub(super) fn space(&mut self) {
        self.stop(1, Edge::Plain, false);
    }

    /// Does the same as [`space`](Self::space), but adds nothing in an empty box.
    pub(super) fn space_if_nonempty(&mut self) {
        self.stop(1, Edge::Plain, true);
    }

    /// Adds the end of a line.
    pub(super) fn line(&mut self) {
        self.stop(INFINITE, Edge::Plain, false);
    }

    /// Does the same as [`line`](Self::line), but adds nothing in an empty box.
    pub(super) fn line_if_nonempty(&mut self) {
        self.stop(INFINITE, Edge::Plain, true);
    }

    /// Adds a position where no line ends, up to which the text before it is measured.
    pub(super) fn never(&mut self) {
        self.stop(0, Edge::Never, false);
    }

    /// Adds a comma and a break after an item; after the last one, a comma only if the line ends.
    pub(super) fn comma(&mut self, is_last: bool) {
        if is_last {
            self.stop(0, Edge::Comma, false);
        } else {
            self.text(",");
            self.space();
        }
    }

    /// Does the same as [`comma`](Self::comma), but adds a space after the last item if the line does not
    /// end.
    pub(super) fn comma_or_space(&mut self, is_last: bool) {
        if is_last {
            self.stop(1, Edge::Comma, false);
        } else {
            self.text(",");
            self.space();
        }
    }

    /// Adds a break: nothing, or an opening brace and the end of a line.
    pub(super) fn opening_brace(&mut self) {
        self.stop(0, Edge::Opening, false);
    }

    /// Adds a break: nothing, or the end of a line and a closing brace.
    ///
    /// If `comma` is set, it is a comma instead of nothing.
    pub(super) fn closing_brace(&mut self, comma: bool) {
        self.stop(0, Edge::Closing { comma }, false);
        self.dedent();
    }

    /// Reduces the indentation of the last break by one level.
    pub(super) fn dedent(&mut self) {
        if let Some((Part::Break(last), _)) = self.parts.last_mut() {
            last.indent -= INDENT;
        }
    }

    fn push(&mut self, part: Part<'s>, width: isize) {
        self.pending.push(self.parts.len());
        self.parts.push((part, width));
    }

    /// Computes the widths that are known now: of closed boxes, and of the text after the last break.
    fn measure(&mut self) {
        let mut depth = 0_usize;
        while let Some((part, width)) = self.pending.last().and_then(|place| self.parts.get_mut(*place)) {
            match part {
                Part::Begin { .. } if depth == 0 => break,
                Part::Begin { .. } => {
                    *width += self.total;
                    depth -= 1;
                    self.pending.pop();
                }
                Part::End => {
                    *width = 1;
                    depth += 1;
                    self.pending.pop();
                }
                Part::Break(_) => {
                    *width += self.total;
                    self.pending.pop();
                    if depth == 0 {
                        break;
                    }
                }
                Part::Text(_) => break,
            }
        }
    }

    /// Writes the text to `output` and clears the printer.
    pub(super) fn finish(&mut self, output: &mut String) {
        self.measure();
        let mut lines = Lines { output, space: MARGIN, indent: 0, blanks: 0, boxes: Vec::new() };
        for (part, width) in self.parts.drain(..) {
            match part {
                Part::Text(text) => lines.text(&text),
                Part::Break(stop) => lines.stop(stop, width),
                Part::Begin { indent, breaks } => lines.begin(indent, breaks, width),
                Part::End => lines.end(),
            }
        }
        self.clear();
    }

    /// Discards the text.
    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.pending.clear();
        self.total = 0;
    }
}

/// The output lines.
struct Lines<'o> {
    output: &'o mut String,
    /// The width that is left on the line.
    space: isize,
    indent: isize,
    /// The number of spaces to write before the next text, so that no line ends with a space.
    blanks: isize,
    /// The open boxes: the indentation to return to (`None` if the box fits on its line), and the breaks.
    boxes: Vec<(Option<isize>, Breaks)>,
}

impl Lines<'_> {
    fn text(&mut self, text: &str) {
        self.pad();
        self.output.push_str(text);
        self.space -= text.len().cast_signed();
    }

    fn pad(&mut self) {
        const BLANKS: &str = "                                                                ";
        let mut blanks = usize::try_from(self.blanks).unwrap_or(0);
        while blanks > 0 {
            let some = blanks.min(BLANKS.len());
            self.output.push_str(BLANKS.get(..some).unwrap_or(BLANKS));
            blanks -= some;
        }
        self.blanks = 0;
    }

    fn begin(&mut self, indent: isize, breaks: Breaks, width: isize) {
        if width > self.space {
            self.boxes.push((Some(self.indent), breaks));
            self.indent += indent;
        } else {
            self.boxes.push((None, breaks));
        }
    }

    fn end(&mut self) {
        if let Some((Some(indent), _)) = self.boxes.pop() {
            self.indent = indent;
        }
    }

    fn stop(&mut self, stop: Break, width: isize) {
        let stays = stop.edge == Edge::Never
            || match self.boxes.last() {
                Some((None, _)) => true,
                Some((Some(_), Breaks::Consistent)) => false,
                Some((Some(_), Breaks::Inconsistent)) | None => width <= self.space,
            };
        if stays {
            self.blanks += stop.blank;
            self.space -= stop.blank;
            if stop.edge == (Edge::Closing { comma: true }) {
                self.output.push(',');
                self.space -= 1;
            }
            return;
        }
        match stop.edge {
            Edge::Comma => {
                self.pad();
                self.output.push(',');
            }
            Edge::Opening => {
                self.pad();
                self.output.push('{');
            }
            Edge::Plain | Edge::Never | Edge::Closing { .. } => {}
        }
        self.output.push('\n');
        let indent = self.indent + stop.indent;
        self.blanks = indent;
        self.space = (MARGIN - indent).max(LEAST);
        if let Edge::Closing { .. } = stop.edge {
            self.pad();
            self.output.push('}');
            self.space -= 1;
        }
    }
}
