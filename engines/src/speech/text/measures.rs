//! Words with digits: counts, ordinals, years, money, times, ranges and measures.

use super::numbers::{cardinal, is_year, ordinal, spelled, year};
use super::tokens::{symbol, word};

const MONTHS: &str = "january february march april may june july august september october november december";

/// Currency signs, with the names of one unit, of several units, and of the hundredth part.
const CURRENCIES: &[(char, [&str; 3])] = &[
    ('$', ["dollar", "dollars", "cents"]),
    ('€', ["euro", "euros", "cents"]),
    ('£', ["pound", "pounds", "pence"]),
    ('¥', ["yen", "yen", "sen"]),
];

/// Units and suffixes after a number, and how they are spoken.
#[rustfmt::skip]
const UNITS: &[(&str, &str)] = &[
    ("km", "kilometers"), ("cm", "centimeters"), ("mm", "millimeters"), ("m", "meters"), ("kg", "kilograms"),
    ("mg", "milligrams"), ("g", "grams"), ("lb", "pounds"), ("oz", "ounces"), ("ft", "feet"), ("l", "liters"),
    ("mph", "miles per hour"), ("km/h", "kilometers per hour"), ("ml", "milliliters"), ("hz", "hertz"),
    ("khz", "kilohertz"), ("mhz", "megahertz"), ("ghz", "gigahertz"), ("kb", "kilobytes"), ("mb", "megabytes"),
    ("gb", "gigabytes"), ("tb", "terabytes"), ("ms", "milliseconds"), ("s", "seconds"), ("min", "minutes"),
    ("h", "hours"), ("kw", "kilowatts"), ("w", "watts"), ("v", "volts"), ("k", "thousand"), ("bn", "billion"),
    ("am", "ay em"), ("pm", "pee em"), ("°c", "degrees celsius"), ("°f", "degrees fahrenheit"), ("x", "times"),
];

/// Converts a word that contains digits to spoken words, run by run.
pub(super) fn with_digits(core: &str, previous: &str, next: &str) -> String {
    let mut words = String::new();
    let mut rest = core;
    while let Some(character) = rest.chars().next() {
        let mut after = rest.get(character.len_utf8()..).unwrap_or_default();
        let has_number_next = after.starts_with(|c: char| c.is_ascii_digit());
        let currency = CURRENCIES.iter().find(|(sign, _)| *sign == character && has_number_next);
        let in_words = if let Some((_, names)) = currency {
            let number = Number::split(&mut after);
            amount(&number, names, &mut after, next)
        } else if character.is_ascii_digit() {
            after = rest;
            let number = Number::split(&mut after);
            counted(&number, &mut after, previous, words.trim().is_empty())
        } else if character.is_alphabetic() {
            after = rest;
            match run(&mut after, char::is_alphabetic) {
                "am" | "AM" if !words.is_empty() => "ay em".to_owned(),
                "pm" | "PM" if !words.is_empty() => "pee em".to_owned(),
                letters => word(letters, false),
            }
        } else {
            match character {
                '-' | '−' if words.is_empty() => "minus".to_owned(),
                '-' | '–' if has_number_next => "to".to_owned(),
                '.' if has_number_next => "point".to_owned(),
                '.' if !after.starts_with(char::is_alphabetic) => String::new(),
                sign => symbol(sign).filter(|_| !words.is_empty()).unwrap_or_default().to_owned(),
            }
        };
        words.push_str(&in_words);
        words.push(' ');
        rest = after;
    }
    words
}

/// A number without a sign.
struct Number {
    /// The digits before the decimal point.
    whole: String,
    /// The digits after the decimal point.
    fraction: String,
    /// Whether it is written in groups, as in `1,000`.
    grouped: bool,
}

impl Number {
    /// Takes the number at the beginning of a text.
    fn split(text: &mut &str) -> Self {
        let mut whole = run(text, |c| c.is_ascii_digit()).to_owned();
        let mut grouped = false;
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
        while let Some(group) = text.strip_prefix(',').filter(|rest| digits(rest) == 3) {
            *text = group;
            whole.push_str(run(text, |c| c.is_ascii_digit()));
            grouped = true;
        }
        let mut fraction = String::new();
        if let Some(rest) = text.strip_prefix('.').filter(|rest| digits(rest) > 0) {
            *text = rest;
            run(text, |c| c.is_ascii_digit()).clone_into(&mut fraction);
        }
        Self { whole, fraction, grouped }
    }

    fn in_words(&self) -> String {
        let whole = cardinal(&self.whole);
        if self.fraction.is_empty() { whole } else { format!("{whole} point {}", spelled(&self.fraction)) }
    }
}

/// Takes the characters at the beginning of a text that fulfil a condition.
fn run<'a>(text: &mut &'a str, is_of_run: impl Fn(char) -> bool) -> &'a str {
    let (run, rest) =
        text.split_at_checked(text.find(|c| !is_of_run(c)).unwrap_or(text.len())).unwrap_or((text, ""));
    *text = rest;
    run
}

/// Reads a number and what follows it directly: the minutes of a time, the ending of an ordinal number, or a unit.
fn counted(number: &Number, after: &mut &str, previous: &str, is_first: bool) -> String {
    let Number { whole, fraction, grouped } = number;
    if let Some(mut rest) = after.strip_prefix(':')
        && let minutes = run(&mut rest, |c| c.is_ascii_digit())
        && minutes.len() == 2
        && fraction.is_empty()
    {
        *after = rest;
        let minutes = match minutes.strip_prefix('0') {
            Some("0") if after.is_empty() => "o'clock".to_owned(),
            Some("0") => String::new(),
            Some(minute) => format!("oh {}", cardinal(minute)),
            None => cardinal(minutes),
        };
        let hour = if whole.len() > 1 { whole.trim_start_matches('0') } else { whole };
        return format!("{} {minutes}", cardinal(if hour.is_empty() { "0" } else { hour }));
    }
    let mut rest = *after;
    let unit = run(&mut rest, |c| c.is_alphabetic() || c == '°' || c == '/').to_lowercase();
    let is_alone = fraction.is_empty() && !grouped && is_first;
    let looks_like_year = is_alone && whole.len() == 4 && whole.parse().is_ok_and(is_year);
    let in_words = match unit.as_str() {
        "st" | "nd" | "rd" | "th" if fraction.is_empty() => ordinal(whole),
        "s" if whole.len() == 4 => format!("{}s", year(whole)),
        "" if looks_like_year => return year(whole),
        "" if is_alone && whole.len() < 3 && MONTHS.split(' ').any(|month| month == previous) => {
            return ordinal(whole);
        }
        unit => match UNITS.iter().find(|(short, _)| *short == unit) {
            Some((_, long)) => format!("{} {long}", number.in_words()),
            // The letters are read on their own.
            None => return number.in_words(),
        },
    };
    *after = rest;
    in_words
}

/// Reads an amount of money.
fn amount(number: &Number, [one, many, hundredth]: &[&str; 3], after: &mut &str, next: &str) -> String {
    let mut rest = *after;
    let scale = match run(&mut rest, char::is_alphabetic).to_lowercase().as_str() {
        "k" => "thousand",
        "m" => "million",
        "bn" | "b" => "billion",
        _ => "",
    };
    let follows = ["thousand", "million", "billion", "trillion"].iter().any(|scale| next.starts_with(scale));
    let Number { whole, fraction, .. } = number;
    if !scale.is_empty() {
        *after = rest;
        format!("{} {scale} {many}", number.in_words())
    } else if follows {
        // The scale follows, so the currency is not spoken.
        number.in_words()
    } else if fraction.len() == 2 {
        let name = if whole == "1" { one } else { many };
        let hundredths = match fraction.trim_start_matches('0') {
            "" => String::new(),
            digits => format!(" and {} {hundredth}", cardinal(digits)),
        };
        format!("{} {name}{hundredths}", cardinal(whole))
    } else {
        format!("{} {}", number.in_words(), if whole == "1" && fraction.is_empty() { one } else { many })
    }
}
