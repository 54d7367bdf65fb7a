//! The caption of a picture: its prompt.

use font8x8::UnicodeFonts;

/// The side of a character in dots.
const DOTS: usize = 8;

/// The maximum number of lines of the prompt.
const MAX_LINES: usize = 3;

/// The minimum number of characters in a full line.
const MIN_LINE_CHARACTERS: usize = 12;

/// Text on a dark band along the lower edge of a picture.
pub(super) struct Caption {
    lines: Vec<Vec<[u8; DOTS]>>,
    /// The side of a dot in pixels.
    dot: usize,
    /// The first row of the band.
    top: usize,
}

impl Caption {
    /// Creates the caption of a picture of this size.
    ///
    /// Returns `None` without a prompt, and if the picture is too narrow for [`MIN_LINE_CHARACTERS`] characters
    /// or too low for the lines.
    pub fn of(prompt: &str, (width, height): (usize, usize)) -> Option<Self> {
        let dot = (width.min(height) / 400).max(1);
        let across = width / (DOTS * dot);
        let across = across.checked_sub(2).filter(|across| *across >= MIN_LINE_CHARACTERS)?;
        let lines: Vec<Vec<_>> =
            wrapped(prompt, across).iter().map(|line| line.chars().map(glyph).collect()).collect();
        if lines.is_empty() {
            return None;
        }
        // The band has half a line of space above the text and below it.
        let top = height.checked_sub((lines.len() * 10 + DOTS) * dot)?;
        Some(Self { lines, dot, top })
    }

    /// Draws the part of the caption in this row of the picture.
    pub fn draw(&self, y: usize, row: &mut [[u8; 4]]) {
        let Some(below) = y.checked_sub(self.top) else { return };
        for pixel in &mut *row {
            let [red, green, blue, _] = pixel;
            [red, green, blue].into_iter().for_each(|value| *value /= 3);
        }
        let Some(down) = (below / self.dot).checked_sub(DOTS / 2) else { return };
        let Some(line) = self.lines.get(down / 10) else { return };
        let down = down % 10;
        let bits = line.iter().filter_map(|glyph| glyph.get(down));
        let dots = bits.flat_map(|bits| (0..DOTS).map(move |bit| bits >> bit & 1 == 1));
        let inner = row.get_mut(DOTS * self.dot..).unwrap_or_default();
        for (pixels, _) in inner.chunks_mut(self.dot).zip(dots).filter(|(_, is_set)| *is_set) {
            pixels.fill([u8::MAX; 4]);
        }
    }
}

/// Breaks a text into lines of at most `across` characters. Further lines are replaced by `...`.
fn wrapped(text: &str, across: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut length = across;
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        while !word.is_empty() {
            let rest = word.split_off(word.len().min(across));
            let fits = length + 1 + word.len() <= across;
            let is_full = lines.len() == MAX_LINES;
            match lines.last_mut() {
                Some(line) if fits => {
                    line.push(' ');
                    line.extend(&word);
                    length += 1 + word.len();
                }
                Some(last) if is_full => {
                    *last = last.chars().take(across - 3).chain("...".chars()).collect();
                    return lines;
                }
                _ => {
                    length = word.len();
                    lines.push(word.iter().collect());
                }
            }
            word = rest;
        }
    }
    lines
}

/// Returns the dots of a character. The font has Latin, Greek and Hiragana; other characters are `?`.
fn glyph(character: char) -> [u8; DOTS] {
    font8x8::BASIC_FONTS
        .get(character)
        .or_else(|| font8x8::LATIN_FONTS.get(character))
        .or_else(|| font8x8::GREEK_FONTS.get(character))
        .or_else(|| font8x8::HIRAGANA_FONTS.get(character))
        .or_else(|| font8x8::BASIC_FONTS.get('?'))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws a caption on a grey picture and reads the characters of each line.
    fn read(prompt: &str, width: usize, height: usize) -> Vec<String> {
        let Some(caption) = Caption::of(prompt, (width, height)) else { return Vec::new() };
        let mut rows = vec![vec![[120, 120, 120, u8::MAX]; width]; height];
        rows.iter_mut().enumerate().for_each(|(y, row)| caption.draw(y, row));
        assert!(rows[..caption.top].iter().flatten().all(|pixel| pixel[0] == 120), "only the band changes");
        let seen = |line: usize, column: usize| {
            std::array::from_fn(|down| {
                let row = &rows[caption.top + (DOTS / 2 + line * 10 + down) * caption.dot];
                let is_set = |bit: usize| row[(DOTS * (1 + column) + bit) * caption.dot] == [u8::MAX; 4];
                (0..DOTS).fold(0, |bits, bit| bits | u8::from(is_set(bit)) << bit)
            })
        };
        let character = |glyph: [u8; DOTS]| {
            let known = (' '..='~').chain(['é']).find(|character| super::glyph(*character) == glyph);
            known.unwrap_or('#')
        };
        let line = |line: usize| {
            let length = caption.lines[line].len();
            (0..length).map(|column| character(seen(line, column))).collect::<String>()
        };
        (0..caption.lines.len()).map(line).collect()
    }

    #[test]
    fn the_prompt_can_be_read() {
        let expected = ["a red fox on a bench, café"];
        assert_eq!(read("a red fox on\na bench, café", 480, 300), expected);
        // A larger picture has larger characters.
        assert_eq!(read("a red fox on a bench, café", 2048, 1024), expected);
        assert_eq!(read("the sea at night", 480, 300), ["the sea at night"]);
        assert_eq!(read("海 at night", 480, 300), ["? at night"]);
    }

    #[test]
    fn a_caption_is_short_and_fits() {
        let lines = read(&"night and day ".repeat(100), 480, 300);
        assert_eq!(lines.len(), MAX_LINES);
        assert!(lines[2].ends_with("...") && lines.iter().all(|line| line.len() <= 58), "{lines:?}");
        assert_eq!(read(&"x".repeat(60), 480, 300), ["x".repeat(58), "xx".to_owned()]);
        for (prompt, width, height) in [("", 480, 300), (" \n", 480, 300), ("sea", 64, 64), ("sea", 480, 12)]
        {
            assert!(read(prompt, width, height).is_empty(), "{prompt} {width} {height}");
        }
    }
}
