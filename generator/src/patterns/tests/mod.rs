//! Tests of the translation: tables of patterns, and comparisons with `regress`, an engine for ECMA-262.

mod oracle;
mod random;

use super::{Engine, Lengths, decide};

/// Asserts the translation of patterns for an engine.
fn translates(engine: Engine, cases: &[(&str, &str)]) {
    for (written, source) in cases {
        let decision = decide(written, false).unwrap_or_else(|error| panic!("{written}: {error}"));
        assert_eq!((decision.engine, decision.source.as_str()), (engine, *source), "{written}");
    }
}

#[test]
fn a_pattern_that_means_the_same_keeps_its_text() {
    for written in [
        "",
        "^#[0-9A-Fa-f]{6}$",
        r"^\/v1\/",
        r"^(?:a|b)+?(c)$",
        "(?<year>[0-9]{4})",
        r"\u00e9\u{1F600}\x41",
        r"^\p{Lu}\P{Script=Greek}[^\p{L}-]$",
        "[.*+?^$|(){}-]",
        r"[a\-z][a-z\-][-a][a-]",
        "é|ü",
        r"\.\-\n\t",
        "a{2}b{2,}c{2,3}d??",
    ] {
        translates(Engine::Regex, &[(written, written)]);
    }
}

#[test]
fn syntax_that_differs_is_translated() {
    translates(
        Engine::Regex,
        &[
            (r"^\d+(,\d+)*$", "^[0-9]+(,[0-9]+)*$"),
            (r"^[\w-]+\D\W$", "^[A-Za-z0-9_-]+[^0-9][^A-Za-z0-9_]$"),
            (r"^[^\d]$", "^[^0-9]$"),
            (r"[a\D]", "[a[^0-9]]"),
            (
                r"\s",
                r"[\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]",
            ),
            (r"\uD83D\uDE00[\uD83D\uDE00-\u{1f64f}]", r"\x{1f600}[\x{1f600}-\x{1f64f}]"),
            ("a.b", r"a[^\n\r\x{2028}\x{2029}]b"),
            ("[[&&]", r"[\[\&\&]"),
            ("[~~!--]", r"[\~\~!-\-]"),
            ("{id}", r"\{id}"),
            ("a{2,}b{,3}", r"a{2,}b\{,3}"),
            ("[^]", r"[\s\S]"),
            ("[]", r"[^\s\S]"),
            (r"\bx", r"(?-u:\b)x"),
            (r"(?<year>\d{4})", "(?<year>[0-9]{4})"),
            (r"(?<$>\d)(?<a>\d)|(?<a>\d)", "([0-9])(?<a>[0-9])|([0-9])"),
            (r"[\b]\cJ\0\x20", r"[\x{8}]\n\x{0} "),
            (r"\101\8", "A8"),
            (r"\_\-\%\ \d", "_-% [0-9]"),
            (r"[\w-.]", r"[A-Za-z0-9_\-.]"),
            (r"[\w-a-z]", r"[A-Za-z0-9_\-a\-z]"),
            ("a]b}", "a]b}"),
            (r"(?:(?:\d))+", "[0-9]+"),
            (r"(?:\d|a)b(?:cd)*(?:e*)*", "(?:[0-9]|a)b(?:cd)*(?:e*)*"),
            (r"(?:){3}\d", "[0-9]"),
            ("(?:^)*.", r"[^\n\r\x{2028}\x{2029}]"),
            (r"[\d\uD800-\uDFFF]", "[0-9]"),
            (r"[\uD7FF-\uE000].", r"[\x{d7ff}\x{e000}][^\n\r\x{2028}\x{2029}]"),
            (r"\uD800|[^\uD800]", r"[^\s\S]|[\s\S]"),
            (r"\p{Cs}|\P{Surrogate}|[^\p{Cs}]", r"[^\s\S]|[\s\S]|[\s\S]"),
            (r"a{0,99999999999}\d", "a*[0-9]"),
        ],
    );
}

#[test]
fn look_around_and_references_run_in_the_other_engine() {
    let no_boundary = "(?:(?<=[A-Za-z0-9_])(?=[A-Za-z0-9_])|(?<![A-Za-z0-9_])(?![A-Za-z0-9_]))";
    let boundary = "(?:(?<=[A-Za-z0-9_])(?![A-Za-z0-9_])|(?<![A-Za-z0-9_])(?=[A-Za-z0-9_]))";
    translates(
        Engine::Fancy,
        &[
            (r"^(?=.*\d)[\w-]$", r"^(?=[^\n\r\x{2028}\x{2029}]*[0-9])[A-Za-z0-9_-]$"),
            (r"(?<!\d)(?!\b)", &format!("(?<![0-9])(?!{boundary})")),
            (r"é|\B", &format!("é|{no_boundary}")),
            // Only groups to which a reference refers capture, and their numbers change.
            (r"(x)(?<q>['\x22])(y)\k<q>", r#"x(['"])y(?(1)\1)"#),
            (r"(a)?\1{2}", r"(a)?(?(1)\1){2}"),
            (r"(?=a){3}", "(?=a)"),
            (r"(?:(?=a)|b)*", "(?:(?=a)|b)*"),
        ],
    );
}

#[test]
fn a_reference_that_never_has_a_match_is_empty() {
    translates(
        Engine::Regex,
        &[
            (r"\1(a)", "(a)"),
            (r"(?:\1(a))*", "(a)*"),
            (r"(a\1)", "(a)"),
            (r"(?:(a)|\1b)*", "(?:(a)|b)*"),
            (r"(?:a|b)(?=(c))*\1*", "a|b"),
        ],
    );
    translates(
        Engine::Fancy,
        &[
            (r"(?!(a))b\1", "(?!a)b"),
            // Found by `cargo xtask fuzz patterns`: no engine repeats an assertion.
            (r"(?:(\1)(?=0))*", ""),
            (r"(?:(\1)(?=0)(?:\2*)())+b", "(?=0)b"),
            (r"(?:(?:((?=-)))+)*", ""),
            (r"(?:(?:((?=-)))+){2}a", "(?=-)a"),
            (r"(?=(c))*(?:\1(?=0))*b", "b"),
        ],
    );
}

#[test]
fn mistakes_are_refused_with_their_position() {
    for (written, at, reason) in [
        ("a(b", 1, "not closed"),
        ("(?<a", 0, "name of a group"),
        ("a)", 1, "`)` without `(`"),
        ("[a", 0, "not closed"),
        ("x[z-a]", 2, "wrong order"),
        ("*a", 0, "nothing to repeat before `*`"),
        ("a**", 2, "nothing to repeat before `*`"),
        ("{2}", 0, "nothing to repeat before `{`"),
        ("a{3,2}", 1, "above its maximum"),
        ("^*", 0, "can't be repeated"),
        (r"\b+", 0, "can't be repeated"),
        ("(?<=a)*", 0, "can't be repeated"),
        ("a\\", 1, "ends with a backslash"),
        (r"é\Aa", 1, r"no escape `\A`"),
        (r"\Z", 0, r"no escape `\Z`"),
        ("(?i)a", 0, "flags such as `(?i)`"),
        ("(?P<n>a)", 0, "kind of group"),
        ("(?>a)", 0, "kind of group"),
        (r"\pL", 0, "braces"),
        (r"\p{Nothing}", 0, "unknown Unicode property"),
        (r"[\p{L]", 1, "unknown Unicode property"),
        (r"\xZ", 0, "two hexadecimal digits"),
        (r"\u{110000}", 0, "code point"),
        (r"\u12", 0, "code point"),
        (r"\c1", 0, "letter"),
        (r"\k<a>", 0, "no group has the name `a`"),
        (r"(?<a>x)|(?<a>y)\k<a>", 15, "several groups"),
        (r"(?<=(a))\1", 8, "look-behind"),
        (r"(?:(a)|b)*\1", 10, "may skip"),
        (r"(?:(a*))*\1", 9, "may skip"),
        (r"(?:(?:(a)|b)\1)*", 12, "may skip"),
    ] {
        let text = decide(written, true).map_err(|error| error.to_string()).unwrap_err();
        let position = format!("character {} of the pattern: ", at + 1);
        assert!(text.starts_with(&position) && text.contains(reason), "{written}: {text}");
    }
    let deep = "(".repeat(5000) + &")".repeat(5000);
    assert!(decide(&deep, true).unwrap_err().to_string().contains("too deeply"));
    let large = decide(r"(?:\w{1000}){1000}", true).unwrap_err().to_string();
    assert!(large.contains("exceeds 10 MiB"), "{large}");
}

#[test]
fn large_repetitions_become_lengths() {
    for (written, source, least, most) in [
        ("^[a-z]{0,262144}$", "^[a-z]*$", None, Some(262_144)),
        (r"^(\S{1,8192})$", r"^\S*$", Some(1), Some(8192)),
        ("^[a-z][a-z0-9]{2}[-a-z]{3,5000}?x$", "^[a-z][a-z0-9]{2}[\\-a-z]*x$", Some(7), Some(5004)),
        ("^(?:[a-z]){2000,}$", "^[a-z]*$", Some(2000), None),
        ("^[a-z]{2000}$", "^[a-z]*$", Some(2000), Some(2000)),
    ] {
        let decision = decide(written, true).unwrap_or_else(|error| panic!("{written}: {error}"));
        assert_eq!(decision.lengths, Lengths { least, most }, "{written}");
        assert_eq!(
            decision.source,
            super::print::print(&super::parse::parse(source).unwrap(), Engine::Regex, &[])
        );
    }
    for written in ["^a{0,1000}$", "a{0,1500}$", "^(?:ab){0,1500}$", "^a{0,1500}b*$", "^a{0,1500}|b$"] {
        assert_eq!(decide(written, true).unwrap().lengths, Lengths::default(), "{written}");
    }
    assert_eq!(decide("^a{0,1500}$", false).unwrap().source, "^a{0,1500}$");
    assert!(decide("^.{0,262144}$", false).is_err(), "names have no limits of the length");
}
