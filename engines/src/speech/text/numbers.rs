//! Numbers as English words.

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] =
    ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const GROUPS: [&str; 6] = ["", "thousand", "million", "billion", "trillion", "quadrillion"];

/// Writes a number as in "four hundred twelve".
///
/// Numbers without a name and numbers with leading zeros are spelled digit by digit.
pub(super) fn cardinal(digits: &str) -> String {
    match digits.trim_start_matches('0').parse::<u64>() {
        Ok(number)
            if number < 1_000_000_000_000_000_000 && !(digits.len() > 1 && digits.starts_with('0')) =>
        {
            of_number(number)
        }
        _ if digits.chars().all(|digit| digit == '0') && digits.len() == 1 => "zero".to_owned(),
        _ => spelled(digits),
    }
}

fn of_number(number: u64) -> String {
    if number == 0 {
        return "zero".to_owned();
    }
    let mut words: Vec<String> = Vec::new();
    for (index, name) in GROUPS.iter().enumerate().rev() {
        let group = number / 1000u64.pow(index as u32) % 1000;
        if group > 0 {
            words.push(below_thousand(group));
            if !name.is_empty() {
                words.push((*name).to_owned());
            }
        }
    }
    words.join(" ")
}

fn below_thousand(number: u64) -> String {
    let (hundreds, rest) = (number / 100, number % 100);
    let mut words = Vec::new();
    if hundreds > 0 {
        words.push(format!("{} hundred", small(hundreds)));
    }
    if rest > 0 {
        words.push(below_hundred(rest));
    }
    words.join(" ")
}

fn below_hundred(number: u64) -> String {
    if number < 20 {
        return small(number).to_owned();
    }
    let tens = TENS.get(number as usize / 10).copied().unwrap_or_default();
    match number % 10 {
        0 => tens.to_owned(),
        ones => format!("{tens} {}", small(ones)),
    }
}

fn small(number: u64) -> &'static str {
    SMALL.get(number as usize).copied().unwrap_or_default()
}

/// Spells digits, as in "four one two".
pub(super) fn spelled(digits: &str) -> String {
    let words: Vec<&str> =
        digits.chars().filter_map(|digit| digit.to_digit(10)).map(|digit| small(u64::from(digit))).collect();
    words.join(" ")
}

/// Writes an ordinal number, as in "twenty first".
pub(super) fn ordinal(digits: &str) -> String {
    let words = cardinal(digits);
    let (start, last) = words.rsplit_once(' ').map_or(("", words.as_str()), |(start, last)| (start, last));
    let last = match last {
        "one" => "first".to_owned(),
        "two" => "second".to_owned(),
        "three" => "third".to_owned(),
        "five" => "fifth".to_owned(),
        "eight" => "eighth".to_owned(),
        "nine" => "ninth".to_owned(),
        "twelve" => "twelfth".to_owned(),
        last => match last.strip_suffix('y') {
            Some(stem) => format!("{stem}ieth"),
            None => format!("{last}th"),
        },
    };
    format!("{start} {last}").trim_start().to_owned()
}

/// Writes a year.
///
/// Examples are "nineteen eighty four", "two thousand five" and "nineteen oh one".
pub(super) fn year(digits: &str) -> String {
    let Ok(number) = digits.parse::<u64>() else { return spelled(digits) };
    let (century, rest) = (number / 100, number % 100);
    if !(1100..2100).contains(&number) || (2000..2010).contains(&number) {
        return of_number(number);
    }
    match rest {
        0 => format!("{} hundred", below_hundred(century)),
        1..10 => format!("{} oh {}", below_hundred(century), small(rest)),
        _ => format!("{} {}", below_hundred(century), below_hundred(rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_words() {
        assert_eq!(cardinal("0"), "zero");
        assert_eq!(cardinal("17"), "seventeen");
        assert_eq!(cardinal("412"), "four hundred twelve");
        assert_eq!(cardinal("1000001"), "one million one");
        assert_eq!(cardinal("90210"), "ninety thousand two hundred ten");
        assert_eq!(cardinal("007"), "zero zero seven");
        assert_eq!(cardinal("99999999999999999999").split(' ').count(), 20);
        assert_eq!(ordinal("21"), "twenty first");
        assert_eq!(ordinal("40"), "fortieth");
        assert_eq!(ordinal("12"), "twelfth");
        assert_eq!(ordinal("100"), "one hundredth");
        assert_eq!(year("1984"), "nineteen eighty four");
        assert_eq!(year("1901"), "nineteen oh one");
        assert_eq!(year("2005"), "two thousand five");
        assert_eq!(year("2026"), "twenty twenty six");
        assert_eq!(year("1900"), "nineteen hundred");
    }
}
