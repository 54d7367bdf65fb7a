//! Compares with `regress`, which implements ECMA-262 with and without the flag `u`.

use super::super::{Compiled, Engine, decide};

/// Patterns that are valid with the flag `u`.
const UNICODE: &[&str] = &[
    r"^\d$",
    r"^\D$",
    r"^\w$",
    r"^\W$",
    r"^\s$",
    r"^\S$",
    "^.$",
    r"\b",
    r"\B",
    r"\bé",
    r"é\B",
    r"\Bx|^\B$",
    r"é|\B",
    r"^[\d\s]+$",
    r"^[^\w\s]+$",
    r"^[\W\S]$",
    r"^[^\D]$",
    "^[^]$",
    "^[]$",
    "^[^a]$",
    r"^[&&\-~~]+$",
    r"^[\]\[^]$",
    r"^\p{L}+$",
    r"^\P{L}$",
    r"^[\p{Lu}\P{Letter}]$",
    r"^[^\P{Script=Greek}]$",
    r"^\p{Emoji_Presentation}$",
    r"^\p{sc=Latn}+$",
    r"^\p{Cc}$",
    r"^\p{gc=Nd}$",
    r"^\p{ASCII}$",
    r"^\p{Any}$",
    r"^\p{White_Space}$",
    r"^\u{1F600}$",
    r"^\uD83D\uDE00$",
    r"^[\uD83D\uDE00]$",
    r"^[\u{1F600}-\u{1F64F}]$",
    r"^[^\uD800-\uDFFF]$",
    r"^[\uD7FF-\uE000]$",
    r"^\x41\x09$",
    r"^\cJ$",
    r"^\0$",
    r"^[\b]$",
    r"^[\0-\x1f]$",
    r"^\$\^\.\*\+\?\(\)\[\]\{\}\|\/$",
    "^a{2}$",
    "^a{1,}$",
    "^a{1,2}?$",
    "^(?:a|b)*?$",
    "^(a*)*$",
    "^(?:a?)*b$",
    "^(a|ab)(c|bcd)(d*)$",
    "a||b",
    "^(?:)*$",
    "()",
    "a$|^b",
    // Look-around.
    "^(?=a)",
    "^(?!a)",
    "(?<=a)b",
    "(?<!a)b",
    r"^(?=.*\d)(?=.*[a-z]).{3,}$",
    r"^(?!.*--)[a-z-]+(?<!-)$",
    r"(?<=\d+)a",
    r"(?<=^|,)a(?=,|$)",
    r"(?<!\w)é",
    r"(?=\b)a",
    r"^(?:(?!ab).)*$",
    r"(?<=(?:a|bb))c",
    "(?!)",
    "(?=)",
    "^(?=(a+))a*b",
    r"(?<=\bfoo)x",
    r"^(?:(?=a)a|b)+$",
    r"^(?!\s*$).+",
    r"^(?=[^]*$)",
    "(?<=a$)",
    "(?<!^)a",
    // Back-references.
    r"^(a)\1$",
    r"^(['\x22]).*\1$",
    r"^(a)?\1b$",
    r"^(?:(a)|b)\1$",
    r"^(?:(a)|(b))\1\2$",
    r"\1(a)",
    r"^(a\1)$",
    r"^(?:\1(a))*$",
    r"^(?<q>a|b)\k<q>$",
    r"^(a+)\1$",
    r"^(?:(a|b)\1)+$",
    r"^(?:(a|b)c)+\1$",
    r"(?!(a))b\1",
    r"(?=(a))\1",
    r"^(?=(a*))\1b$",
    r"^(.)(.)\2\1$",
    r"^(\d)(?:\1|x)*$",
    r"^(a){0}\1b$",
    r"^((a)b?)+\2$",
    r"^(?:(x)?y)\1z$",
    r"^(a*)\1{2}$",
    r"^(?:a(b)?)\1*$",
    r"^(?=(?<n>\d))\w\k<n>",
    r"^(é)\1$",
    r"(?:a|(b))(?=\1c)c",
];

/// Patterns that only Annex B allows.
const ANNEX_B: &[&str] = &[
    r"^[\w-.]+$",
    r"^[a-\d]+$",
    r"^\-\_\%\ $",
    "^{a}$",
    "^a{$",
    "^a{,2}$",
    "^a{1$",
    "^}]$",
    "^{{2}$",
    r"^\101$",
    r"^[\101]$",
    r"^\8$",
    r"^\07$",
    r"^\400$",
    "^(?=a)*b$",
    "^(?!a){2}b$",
    "^(?=(a))?\\1a$",
    r"^[\w-a-z]+$",
    r"^[--/]$",
    r"^\é$",
    r"^\1$",
    r"^(a)\2$",
    "^]$",
    "x{1-70}",
];

/// Texts to match.
const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "c",
    "ab",
    "aa",
    "ba",
    "bb",
    "abc",
    "abab",
    "aab",
    "aaa",
    "aaaa",
    "abba",
    "abcd",
    "abcc",
    "acbcb",
    "acac",
    "bcb",
    "aaab",
    "x",
    "foox",
    "é",
    "éé",
    "É",
    "xé",
    "éx",
    "α",
    "Ω",
    "ß",
    "ſ",
    "\u{212a}",
    "0",
    "7",
    "\u{663}",
    "12a",
    "a12",
    "ab1",
    "11",
    "1x1",
    "1-1",
    "A",
    "Z",
    "_",
    "-",
    "--",
    "a-b",
    "a--b",
    "-a",
    "a-",
    "~",
    "&",
    "&&",
    "[",
    "]",
    "^",
    ".",
    " ",
    "\t",
    "\n",
    "\r",
    "\u{b}",
    "\u{c}",
    "\u{85}",
    "\u{a0}",
    "\u{feff}",
    "\u{2028}",
    "\u{2029}",
    "\u{200b}",
    "\u{3000}",
    "\u{180e}",
    "\0",
    "\u{1}",
    "\u{7}",
    "\u{8}",
    "\u{1f}",
    "\u{7f}",
    "😀",
    "😀😀",
    "\u{1f64f}",
    "\u{d7ff}",
    "\u{e000}",
    "\u{ffff}",
    "\u{10ffff}",
    "'a'",
    "\"a'",
    "\"\"",
    "a,b",
    ",a",
    "b,a,b",
    "$^.*+?()[]{}|/",
    "A\t",
    "{a}",
    "a{",
    "a{,2}",
    "a{1",
    "}]",
    "{{",
    "{",
    "-_% ",
    "8",
    "\u{20}0",
    "a\u{1}",
    "a\u{2}",
    "a.b",
    "/",
    "x{1-70}",
    "yz",
    "xyxz",
    "p{L}",
    "pL",
    "a\nb",
    "bc",
    "foo bar",
    "ΑΒΓ",
];

fn agrees(written: &str, flags: &str) -> Engine {
    agrees_on(written, flags, TEXTS.iter().copied())
}

fn agrees_on<'t>(written: &str, flags: &str, texts: impl IntoIterator<Item = &'t str>) -> Engine {
    let decision = decide(written, false).unwrap_or_else(|error| panic!("{written}: {error}"));
    let ours = Compiled::new(decision.engine, &decision.source).unwrap();
    let oracle =
        regress::Regex::with_flags(written, flags).unwrap_or_else(|error| panic!("{written}: {error}"));
    for text in texts {
        let expected = oracle.find(text).is_some();
        assert_eq!(ours.is_match(text), expected, "{written} as {} on {text:?}", decision.source);
    }
    decision.engine
}

#[test]
fn patterns_mean_what_the_flag_u_says() {
    let engines: Vec<Engine> = UNICODE.iter().map(|written| agrees(written, "u")).collect();
    assert!(engines.iter().filter(|engine| **engine == Engine::Fancy).count() > 30);
}

/// A look-behind tries every length of what it repeats, not only the longest one.
#[test]
fn a_look_behind_tries_every_length() {
    for (written, text, expected) in [
        (r"(?<=\B(?:\s)*)", "aé0\n", true),
        (r"(?<!\B\s*)x", "a\n\nx", false),
        (r"(?<=\b\w\w?)-", "abc-", false),
        (r"(?<=\B\w\w?)-", "abc-", true),
        (r"(?<=(?!x)\w+)-", "xa-", true),
        (r"(?<=(?!x)\w+)-", "x-", false),
        (r"(?<=(?<!é)[aé]*b)c", "éabc", true),
        (r"(?<=(?:\ba|b\B)+)c", "abc", true),
        (r"(?<=^(?:a|(?=b)b)*\n)c", "ab\nc", true),
        (r"(?<=a(?:\B|\s*)*)c", "a \nc", true),
    ] {
        assert_eq!(agrees_on(written, "u", [text]), Engine::Fancy, "{written}");
        let decision = decide(written, false).unwrap();
        let found = Compiled::new(decision.engine, &decision.source).unwrap().is_match(text);
        assert_eq!(found, expected, "{written} on {text:?}");
        agrees(written, "u");
    }
}

#[test]
fn patterns_of_annex_b_mean_what_it_says() {
    for written in ANNEX_B {
        agrees(written, "");
    }
}

#[test]
fn escapes_that_annex_b_reads_differently_are_refused() {
    for written in [r"\A", r"\z", r"\h", r"\pL", r"\p{L", r"\c", r"\x1", r"\u00", r"\k", r"[\k]"] {
        assert!(regress::Regex::with_flags(written, "u").is_err(), "{written}");
        assert!(decide(written, true).is_err(), "{written}");
    }
}

#[test]
fn lengths_and_the_rest_of_the_pattern_mean_the_same_together() {
    for written in ["^.{2,1001}$", r"^a\d{0,1001}b$", "^[^a]{1001,}$", "^(?:é){1001}$"] {
        let decision = decide(written, true).unwrap();
        let (least, most) =
            (decision.lengths.least.unwrap_or_default(), decision.lengths.most.unwrap_or(u64::MAX));
        let ours = Compiled::new(decision.engine, &decision.source).unwrap();
        let oracle = regress::Regex::with_flags(written, "u").unwrap();
        let counts = [0, 1, 2, 1000, 1001, 1002];
        let long = counts.iter().flat_map(|count| {
            ["é", "7", "\n", "😀"]
                .map(|text| text.repeat(*count))
                .into_iter()
                .chain([format!("a{}b", "7".repeat(*count))])
        });
        for text in long.chain(TEXTS.iter().map(|text| (*text).to_owned())) {
            let count = text.chars().count() as u64;
            let is_match = ours.is_match(&text) && (least..=most).contains(&count);
            assert_eq!(
                is_match,
                oracle.find(&text).is_some(),
                "{written} on {count} of {:?}",
                text.chars().next()
            );
        }
    }
}
