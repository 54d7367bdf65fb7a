//! Prints a Markdown table line by line.

/// The names and minimum widths of the columns.
const COLUMNS: [(&str, usize); 13] = [
    ("", 44),
    ("time", 15),
    ("cpu", 15),
    ("memory", 15),
    ("lines", 9),
    ("lines/s", 9),
    ("ops", 5),
    ("per op", 8),
    ("check", 16),
    ("cpu", 16),
    ("memory", 16),
    ("errors", 6),
    ("warnings", 8),
];

/// Prints the header.
pub fn head() {
    let names = COLUMNS.iter().skip(1).map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>();
    row("", &names);
    let line: Vec<String> =
        COLUMNS.iter().skip(1).map(|(_, width)| format!("{}:", "-".repeat(width - 1))).collect();
    row(&"-".repeat(COLUMNS.first().map_or(3, |(_, width)| *width)), &line);
}

/// Prints a row.
pub fn row(name: &str, cells: &[String]) {
    println!("{}", text(name, cells));
}

/// Prints a row with a message instead of measurements.
pub fn words(name: &str, words: &str) {
    row(name, &[words.replace('|', "/")]);
}

fn text(name: &str, cells: &[String]) -> String {
    let mut text = String::from("|");
    let cells = std::iter::once(name).chain(cells.iter().map(String::as_str));
    for (index, (cell, (_, width))) in cells.zip(COLUMNS).enumerate() {
        // Names are left-aligned, numbers are right-aligned.
        text += &if index == 0 { format!(" {cell:<width$} |") } else { format!(" {cell:>width$} |") };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_aligned() {
        let (short, long) =
            (text("a", &["1.00 s".to_owned()]), text("pets.json", &["12.34 s (1.5×)".to_owned()]));
        assert!(short.starts_with("| a  ") && short.ends_with(" 1.00 s |"), "{short}");
        assert_eq!(short.chars().count(), long.chars().count());
    }
}
