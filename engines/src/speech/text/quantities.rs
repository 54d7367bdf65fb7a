//! Text with digits: numbers, money, dates, times, ranges and measures.

use super::numbers::{cardinal, ordinal, spelled, year};
use super::tokens::{address, symbol, word};

#[rustfmt::skip]
const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
];

#[rustfmt::skip]
const UNITS: &[(&str, &str)] = &[
    ("km", "kilometers"), ("cm", "centimeters"), ("mm", "millimeters"), ("m", "meters"), ("kg", "kilograms"),
    ("mg", "milligrams"), ("g", "grams"), ("lb", "pounds"), ("lbs", "pounds"), ("oz", "ounces"), ("ft", "feet"),
    ("mph", "miles per hour"), ("km/h", "kilometers per hour"), ("l", "liters"), ("ml", "milliliters"),
    ("hz", "hertz"), ("khz", "kilohertz"), ("mhz", "megahertz"), ("ghz", "gigahertz"), ("kb", "kilobytes"),
    ("mb", "megabytes"), ("gb", "gigabytes"), ("tb", "terabytes"), ("ms", "milliseconds"), ("s", "seconds"),
    ("min", "minutes"), ("h", "hours"), ("kw", "kilowatts"), ("w", "watts"), ("v", "volts"), ("k", "thousand"),
    ("bn", "billion"), ("am", "ay em"), ("pm", "pee em"), ("°", "degrees"), ("°c", "degrees celsius"),
    ("°f", "degrees fahrenheit"), ("x", "times"), ("%", "percent"),
];

/// Converts a word that contains digits to spoken words.
pub(super) fn with_digits(core: &str, lower: &str, previous: &str, next: &str) -> String {
    if core.contains('@') || core.contains("://") {
        return address(core);
    }
    amount(core, next)
        .or_else(|| date(core))
        .or_else(|| clock(lower))
        .or_else(|| ordinal_number(lower))
        .or_else(|| range_or_fraction(core))
        .or_else(|| number_with_unit(lower, previous))
        .unwrap_or_else(|| mixed(core))
}

/// Splits `1,234.5` into the digits before and after the decimal point.
fn decimal(text: &str) -> Option<(String, &str)> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = whole.replace(',', "");
    let groups = !whole.contains(',') || whole.split(',').skip(1).all(|group| group.len() == 3);
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    (!digits.is_empty() && groups && is_number(&digits) && is_number(part)).then_some((digits, part))
}

fn number(digits: &str, part: &str) -> String {
    match part {
        "" => cardinal(digits),
        part => format!("{} point {}", cardinal(digits), spelled(part)),
    }
}

fn amount(core: &str, next: &str) -> Option<String> {
    let currency = core.chars().next()?;
    let (one, many, hundredth) = match currency {
        '$' => ("dollar", "dollars", "cents"),
        '€' => ("euro", "euros", "cents"),
        '£' => ("pound", "pounds", "pence"),
        '¥' => ("yen", "yen", "sen"),
        _ => return None,
    };
    let rest = core.get(currency.len_utf8()..)?;
    let digits = rest.trim_end_matches(|c: char| c.is_alphabetic());
    let (whole, part) = decimal(digits)?;
    let scale = match rest.get(digits.len()..)?.to_lowercase().as_str() {
        "" => match next.trim_end_matches(|c: char| !c.is_alphabetic()) {
            // The scale word follows, so the currency is not spoken.
            "million" | "billion" | "trillion" | "thousand" => return Some(number(&whole, part)),
            _ => "",
        },
        "k" => " thousand",
        "m" => " million",
        "bn" | "b" => " billion",
        _ => return None,
    };
    if !scale.is_empty() {
        return Some(format!("{}{scale} {many}", number(&whole, part)));
    }
    let name = if whole == "1" { one } else { many };
    Some(match part.len() {
        2 if part != "00" => {
            format!("{} {name} and {} {hundredth}", cardinal(&whole), cardinal(part.trim_start_matches('0')))
        }
        0 | 2 => format!("{} {name}", cardinal(&whole)),
        _ => format!("{} {many}", number(&whole, part)),
    })
}

/// Reads a date such as `2026-11-21` or `11/21/2026`.
fn date(core: &str) -> Option<String> {
    let parts: Vec<&str> = core.split(['-', '/']).collect();
    let [first, second, third] = parts.as_slice() else { return None };
    if !parts.iter().all(|part| part.chars().all(|c| c.is_ascii_digit())) {
        return None;
    }
    let (years, month, day) = if first.len() == 4 { (first, second, third) } else { (third, first, second) };
    let month = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    let day = day.trim_start_matches('0');
    (!day.is_empty() && day.len() < 3 && years.len() == 4)
        .then(|| format!("{month} {} {}", ordinal(day), year(years)))
}

/// Reads a time such as `9:05`. `5pm` is a number with a unit.
fn clock(lower: &str) -> Option<String> {
    let time = lower.trim_end_matches(|c: char| c.is_alphabetic() || c == '.');
    let (hour, minute) = time.split_once(':')?;
    let is_number =
        |text: &str| !text.is_empty() && text.len() < 3 && text.chars().all(|c| c.is_ascii_digit());
    if !is_number(hour) || !is_number(minute) {
        return None;
    }
    let half = match lower.get(time.len()..)? {
        "am" | "a.m" => " ay em",
        "pm" | "p.m" => " pee em",
        _ => "",
    };
    let hour = cardinal(if hour == "00" { "0" } else { hour.trim_start_matches('0') });
    Some(match minute {
        "00" if half.is_empty() => format!("{hour} o'clock"),
        "00" => format!("{hour}{half}"),
        minute if minute.starts_with('0') => {
            format!("{hour} oh {}{half}", cardinal(minute.trim_start_matches('0')))
        }
        minute => format!("{hour} {}{half}", cardinal(minute)),
    })
}

fn ordinal_number(lower: &str) -> Option<String> {
    let digits =
        ["st", "nd", "rd", "th"].iter().find_map(|suffix| lower.strip_suffix(suffix))?.replace(',', "");
    (!digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())).then(|| ordinal(&digits))
}

fn range_or_fraction(core: &str) -> Option<String> {
    let (first, second) = core.split_once(['-', '–', '/'])?;
    let ((left, left_part), (right, right_part)) = (decimal(first)?, decimal(second)?);
    if core.contains('/') {
        return match (first, second) {
            ("1", "2") => Some("one half".to_owned()),
            ("1", "4") => Some("one quarter".to_owned()),
            ("3", "4") => Some("three quarters".to_owned()),
            ("1", _) => Some(format!("one {}", ordinal(&right))),
            (_, _) if first.len() < 3 && second.len() < 3 => {
                Some(format!("{} {}s", cardinal(&left), ordinal(&right)))
            }
            _ => Some(format!("{} slash {}", cardinal(&left), cardinal(&right))),
        };
    }
    // Two numbers of four digits are years.
    if first.len() == 4 && second.len() == 4 {
        return Some(format!("{} to {}", year(&left), year(&right)));
    }
    (first.len() < 4 || second.len() < 4)
        .then(|| format!("{} to {}", number(&left, left_part), number(&right, right_part)))
}

fn number_with_unit(lower: &str, previous: &str) -> Option<String> {
    let (minus, text) = match lower.strip_prefix(['-', '−']) {
        Some(rest) => ("minus ", rest),
        None => ("", lower.trim_start_matches(['+', '#'])),
    };
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let (whole, part) = decimal(digits)?;
    let unit = match text.get(digits.len()..)?.trim_start_matches('-') {
        "" => "",
        "s" if whole.len() == 4 => return Some(format!("{}s", year(&whole))),
        unit => UNITS.iter().find(|(short, _)| *short == unit)?.1,
    };
    let after_month = MONTHS.contains(&previous);
    Some(match (whole.len(), unit) {
        (1 | 2, "") if after_month && part.is_empty() => ordinal(&whole),
        (4, "") if part.is_empty() && !text.contains(',') && minus.is_empty() => {
            if (1100..2100).contains(&whole.parse().unwrap_or(0)) { year(&whole) } else { cardinal(&whole) }
        }
        _ => format!("{minus}{} {unit}", number(&whole, part)),
    })
}

/// Reads `MP3`, `H2O`, `1.2.3` and telephone numbers.
///
/// It splits them into runs of letters and runs of digits.
pub(super) fn mixed(core: &str) -> String {
    let mut words = String::new();
    let mut run = String::new();
    let mut digits = false;
    for character in core.chars().chain(['\0']) {
        if !run.is_empty() && (character.is_ascii_digit() != digits || !character.is_alphanumeric()) {
            words.push(' ');
            words.push_str(&match digits {
                true if run.len() > 3 => spelled(&run),
                true => cardinal(&run),
                false => word(&run, false),
            });
            run.clear();
        }
        digits = character.is_ascii_digit();
        match character {
            '.' => words.push_str(" point"),
            '/' => words.push_str(" slash"),
            ':' | '-' | '\0' => {}
            character if character.is_alphanumeric() => run.push(character),
            character => words.push_str(symbol(character).unwrap_or_default()),
        }
    }
    words
}
