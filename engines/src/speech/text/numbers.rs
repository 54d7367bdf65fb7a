//! Numbers as English words.

const SMALL: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
    sixteen seventeen eighteen nineteen";
const TENS: &str = "zero ten twenty thirty forty fifty sixty seventy eighty ninety";

#[rustfmt::skip]
const ORDINALS: [(&str, &str); 8] = [
    ("one", "first"), ("two", "second"), ("three", "third"), ("five", "fifth"), ("eight", "eighth"), ("nine", "ninth"),
    ("twelve", "twelfth"), ("y", "ieth"),
];

/// Writes a number as in "four hundred twelve".
///
/// Numbers without a name and numbers with leading zeros are spelled digit by digit.
pub(super) fn cardinal(digits: &str) -> String {
    match digits.parse::<u64>() {
        Ok(number) if number < 1_000_000_000_000_000_000 && (number == 0) == digits.starts_with('0') => {
            if digits.len() > 1 && number == 0 {
                spelled(digits)
            } else {
                of_number(number)
            }
        }
        _ => spelled(digits),
    }
}

fn of_number(number: u64) -> String {
    let (size, name) = match number {
        0..20 => return nth(SMALL, number).to_owned(),
        20..100 if number.is_multiple_of(10) => return nth(TENS, number / 10).to_owned(),
        20..100 => return format!("{} {}", nth(TENS, number / 10), nth(SMALL, number % 10)),
        100..1_000 => (100, "hundred"),
        1_000..1_000_000 => (1_000, "thousand"),
        1_000_000..1_000_000_000 => (1_000_000, "million"),
        1_000_000_000..1_000_000_000_000 => (1_000_000_000, "billion"),
        1_000_000_000_000..1_000_000_000_000_000 => (1_000_000_000_000, "trillion"),
        _ => (1_000_000_000_000_000, "quadrillion"),
    };
    let words = format!("{} {name}", of_number(number / size));
    if number.is_multiple_of(size) { words } else { format!("{words} {}", of_number(number % size)) }
}

fn nth(words: &'static str, index: u64) -> &'static str {
    words.split(' ').nth(index as usize).unwrap_or_default()
}

/// Spells digits, as in "four one two".
pub(super) fn spelled(digits: &str) -> String {
    let words = digits.chars().filter_map(|digit| digit.to_digit(10)).map(|digit| nth(SMALL, digit.into()));
    words.collect::<Vec<_>>().join(" ")
}

/// Writes an ordinal number, as in "twenty first".
pub(super) fn ordinal(digits: &str) -> String {
    let words = cardinal(digits);
    let irregular =
        ORDINALS.iter().find_map(|(ending, ordinal)| Some((words.strip_suffix(ending)?, ordinal)));
    irregular.map_or_else(|| format!("{words}th"), |(start, ordinal)| format!("{start}{ordinal}"))
}

/// Writes a year, such as "nineteen eighty four", "two thousand five" and "nineteen oh one".
pub(super) fn year(digits: &str) -> String {
    let Ok(number) = digits.parse::<u64>() else { return spelled(digits) };
    let (century, rest) = (of_number(number / 100), number % 100);
    match rest {
        _ if !is_year(number) || (2000..2010).contains(&number) => of_number(number),
        0 => format!("{century} hundred"),
        1..10 => format!("{century} oh {}", of_number(rest)),
        _ => format!("{century} {}", of_number(rest)),
    }
}

/// Returns whether a number of four digits is more likely a year than a count.
pub(super) fn is_year(number: u64) -> bool {
    (1100..2100).contains(&number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_words() {
        for (digits, words) in [
            ("0", "zero"),
            ("17", "seventeen"),
            ("412", "four hundred twelve"),
            ("1000001", "one million one"),
            ("90210", "ninety thousand two hundred ten"),
            ("007", "zero zero seven"),
        ] {
            assert_eq!(cardinal(digits), words);
        }
        assert_eq!(cardinal("99999999999999999999").split(' ').count(), 20);
        let ordinals = ["21", "40", "12", "100"].map(ordinal);
        assert_eq!(ordinals, ["twenty first", "fortieth", "twelfth", "one hundredth"]);
        let years = ["1984", "1901", "2005", "2026", "1900"].map(year);
        let expected = [
            "nineteen eighty four",
            "nineteen oh one",
            "two thousand five",
            "twenty twenty six",
            "nineteen hundred",
        ];
        assert_eq!(years, expected);
    }
}
