//! Breaks lines: boxes with places in them where a line may end (Oppen's algorithm, with `prettyplease`'s measures).
//!
//! What is laid out is a list of texts, breaks, and begins and ends of boxes. The width of a box, and of what follows a
//! break, is known when the next break comes that lies outside; so one pass from left to right measures, and another
//! prints.

use std::borrow::Cow;

/// How wide lines are.
const MARGIN: isize = 89;
/// How wide they are at least, however deeply indented.
const LEAST: isize = 60;
/// What is wider than any line.
const INFINITE: isize = 0xffff;
/// How far a level is indented.
pub(super) const INDENT: isize = 4;

#[derive(Debug)]
enum Part<'s> {
    Text(Cow<'s, str>),
    Break(Break),
    Begin { indent: isize, breaks: Breaks },
    End,
}

/// Which breaks of a box end a line if it doesn't fit on one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    /// All.
    Consistent,
    /// Those behind which the line would be too long.
    Inconsistent,
}

/// Where a line may end.
#[derive(Debug, Clone, Copy)]
struct Break {
    /// Spaces, if it does not end.
    blank: isize,
    /// Indentation of the next line beyond that of the box.
    indent: isize,
    edge: Edge,
    /// Whether it is left out in front of the box's end.
    if_nonempty: bool,
}

/// What a break writes beside spaces or the line's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    Plain,
    /// A line never ends here.
    Never,
    /// A comma in front of the line's end.
    Comma,
    /// An opening brace in front of the line's end.
    Opening,
    /// A closing brace on the next line, or a comma on this.
    Closing {
        comma: bool,
    },
}

/// A text under construction.
#[derive(Debug, Default)]
pub(super) struct Printer<'s> {
    /// Each with its width, as far as it is known: if not, it is less than 0.
    parts: Vec<(Part<'s>, isize)>,
    /// The parts whose width is not known yet.
    pending: Vec<usize>,
    /// The width of everything so far.
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

    /// A box whose lines all end, or none.
    pub(super) fn consistent(&mut self, indent: isize) {
        self.begin(indent, Breaks::Consistent);
    }

    /// A box whose lines end where they must.
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

    /// The end of a box that is wide at most `width`, or broken.
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

    /// Nothing, or the end of a line.
    pub(super) fn zero(&mut self) {
        self.stop(0, Edge::Plain, false);
    }

    /// A space, or the end of a line.
    pub(super) fn space(&mut self) {
        self.stop(1, Edge::Plain, false);
    }

    /// The same, but nothing in an empty box.
    pub(super) fn space_if_nonempty(&mut self) {
        self.stop(1, Edge::Plain, true);
    }

    /// The end of a line.
    pub(super) fn line(&mut self) {
        self.stop(INFINITE, Edge::Plain, false);
    }

    /// The same, but nothing in an empty box.
    pub(super) fn line_if_nonempty(&mut self) {
        self.stop(INFINITE, Edge::Plain, true);
    }

    /// A place that is no break, but up to which what stands before is measured.
    pub(super) fn never(&mut self) {
        self.stop(0, Edge::Never, false);
    }

    /// Behind an item of a list: a comma and a space; behind the last, a comma only if the line ends.
    pub(super) fn comma(&mut self, is_last: bool) {
        if is_last {
            self.stop(0, Edge::Comma, false);
        } else {
            self.text(",");
            self.space();
        }
    }

    /// The same, but a space behind the last if the line does not end.
    pub(super) fn comma_or_space(&mut self, is_last: bool) {
        if is_last {
            self.stop(1, Edge::Comma, false);
        } else {
            self.text(",");
            self.space();
        }
    }

    /// Nothing, or an opening brace and the end of a line.
    pub(super) fn opening_brace(&mut self) {
        self.stop(0, Edge::Opening, false);
    }

    /// Nothing, or the end of a line and a closing brace; a comma instead of a brace, if `comma`.
    pub(super) fn closing_brace(&mut self, comma: bool) {
        self.stop(0, Edge::Closing { comma }, false);
        self.dedent();
    }

    /// The last break goes back a level.
    pub(super) fn dedent(&mut self) {
        if let Some((Part::Break(last), _)) = self.parts.last_mut() {
            last.indent -= INDENT;
        }
    }

    fn push(&mut self, part: Part<'s>, width: isize) {
        self.pending.push(self.parts.len());
        self.parts.push((part, width));
    }

    /// Settles the width of what ends here: the boxes that are closed, and what followed the last break outside them.
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

    /// Writes the text, and begins anew.
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

    /// Forgets the text.
    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.pending.clear();
        self.total = 0;
    }
}

/// The text as it is printed.
struct Lines<'o> {
    output: &'o mut String,
    /// What is left of the line.
    space: isize,
    indent: isize,
    /// Spaces to be written in front of the next text, so that none ends a line.
    blanks: isize,
    /// For each open box: the indentation to go back to, unless it fits on its line; and its breaks.
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
