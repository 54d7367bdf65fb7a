//! Strings, by their lengths, patterns and formats.

use super::pattern;
use super::random::Random;
use crate::codec::Format;
use crate::table::Text;
use crate::validation::json_schema::Context;
use crate::validation::scalar;

/// The number of tries for a string.
const TRIES: usize = 48;

/// Returns a string that satisfies the constraints.
pub fn text(rules: &Text, random: &mut Random) -> Option<String> {
    let mut tries = (0..TRIES).filter_map(|turn| {
        Some(match (rules.pattern, rules.format) {
            // A string of another format rarely matches, but the pattern may describe the format.
            (Some(pattern), format) if format.is_none() || turn % 2 == 0 => {
                pattern::text(pattern, stretch(rules, turn, random), random)?
            }
            (_, Some(format)) => formatted(format, rules, random),
            (_, None) => words(rules, random),
        })
    });
    tries.find(|text| is_valid(rules, text))
}

fn is_valid(rules: &Text, text: &str) -> bool {
    let mut is_valid = true;
    scalar::text(&Context::new(), rules, text, |_| is_valid = false);
    is_valid
}

/// Returns the number of additional repetitions: few at first, then as many as the lengths need.
fn stretch(rules: &Text, turn: usize, random: &mut Random) -> u32 {
    let least = u32::try_from(rules.min_length.unwrap_or_default()).unwrap_or(u32::MAX).min(4096);
    match turn % 4 {
        0 => 4,
        1 => least.saturating_add(8),
        2 => least.saturating_mul(2).saturating_add(1),
        _ => u32::try_from(random.below(3)).unwrap_or_default(),
    }
}

/// Returns a text of letters, and sometimes of other characters.
fn words(rules: &Text, random: &mut Random) -> String {
    const LETTERS: [char; 20] =
        ['a', 'b', 'c', 'e', 'i', 'k', 'n', 'o', 'r', 's', 't', 'u', 'A', 'Z', '0', '7', '9', '-', '_', ' '];
    const OTHERS: [char; 12] = ['"', '\\', '/', '\n', '\t', '<', '%', 'ä', 'é', '中', '😀', '\u{7f}'];
    let length = length(rules, random);
    (0..length)
        .filter_map(|_| if random.once_in(24) { random.pick(&OTHERS) } else { random.pick(&LETTERS) })
        .collect()
}

/// Returns a length within the bounds: often the least or the greatest.
fn length(rules: &Text, random: &mut Random) -> usize {
    /// Longer strings show nothing more.
    const LONG: u64 = 2000;
    let least = rules.min_length.unwrap_or_default();
    let most = rules.max_length.unwrap_or_else(|| least.saturating_add(12)).max(least);
    let length = match random.below(6) {
        0 => least,
        1 if most <= least.saturating_add(LONG) => most,
        _ => {
            let most = most.min(least.saturating_add(16));
            least + random.next() % (most - least + 1)
        }
    };
    usize::try_from(length).unwrap_or_default()
}

/// Returns a text that has a format. It is longer if the constraints ask for it.
fn formatted(format: Format, rules: &Text, random: &mut Random) -> String {
    let more: String = {
        let least = usize::try_from(rules.min_length.unwrap_or_default()).unwrap_or_default().min(4096);
        "a".repeat(least.saturating_sub(12) + random.below(4))
    };
    let mut digit = |end: usize| random.below(end);
    let (year, month, day) = (1900 + digit(200), 1 + digit(12), 1 + digit(28));
    let (hour, minute, second) = (digit(24), digit(60), digit(60));
    let date = format!("{year:04}-{month:02}-{day:02}");
    let zone = ["Z", "z", "+01:00", "-05:30", "+00:00", "Z"].get(digit(6)).copied().unwrap_or("Z");
    let fraction = ["", "", ".5", ".123456789"].get(digit(4)).copied().unwrap_or_default();
    let time = format!("{hour:02}:{minute:02}:{second:02}{fraction}{zone}");
    match format {
        Format::DateTime => format!("{date}T{time}"),
        Format::Date => date,
        Format::Time => time,
        Format::Duration => choose(&["P1D", "PT36H", "P2W", "P1Y2M3DT4H5M6S"], random),
        Format::Uuid => uuid(random),
        Format::UriTemplate => format!("https://example.com/{more}{{id}}"),
        Format::Email | Format::StrictEmail => format!("a{more}.b+c@example.com"),
        Format::Ipv4 => format!("{}.{}.{}.{}", digit(256), digit(256), digit(256), digit(256)),
        Format::Ipv6 => choose(&["::1", "2001:db8::8a2e:370:7334", "::ffff:192.0.2.1", "fe80::"], random),
        Format::JsonPointer => format!("/{more}~1b/0"),
        Format::RelativeJsonPointer => format!("1/{more}"),
        Format::Base64 => {
            let text = choose(&["", "dGV4dA==", "YQ==", "YWI=", "+/+/"], random);
            let whole = more.len() / 4 * 4;
            format!("{}{text}", more.get(..whole).unwrap_or_default())
        }
        #[cfg(feature = "formats")]
        Format::UriReference | Format::IriReference => format!("/{more}/b?c#d"),
        #[cfg(feature = "formats")]
        Format::Regex => format!("^{more}[a-z]+$"),
        #[cfg(feature = "formats-idn")]
        Format::IdnEmail => format!("ä{more}@example.com"),
        #[cfg(feature = "formats-idn")]
        Format::Hostname | Format::IdnHostname => format!("a{more}.example.com"),
        // Absolute URIs and IRIs.
        _ => {
            let start = choose(&["https://example.com/", "http://a.b:8080/x?y=", "urn:example:"], random);
            format!("{start}{more}a")
        }
    }
}

fn choose(texts: &[&str], random: &mut Random) -> String {
    random.pick(texts).copied().unwrap_or_default().to_owned()
}

fn uuid(random: &mut Random) -> String {
    let text = uuid::Uuid::from_u64_pair(random.next(), random.next()).to_string();
    if random.once_in(4) { text.to_uppercase() } else { text }
}
