//! Tables of texts that have a format, and of texts that don't.

mod addresses;

use proptest::prelude::*;

use super::*;

/// Checks texts that have a format, and texts that don't.
fn assert_format(format: Format, good: &[&str], bad: &[&str]) {
    for text in good {
        assert!(is(format, text), "{text:?} is {format:?}");
    }
    for text in bad {
        assert!(!is(format, text), "{text:?} is not {format:?}");
    }
}

#[test]
fn common_formats() {
    assert_format(
        Format::Uri,
        &[
            "https://example.com",
            "HTTPS://user:pw@example.com:8080/a%20b?c=d#e",
            "http://[::1]:80/",
            "http://127.0.0.1/x",
            "file:///etc",
            "urn:isbn:0451450523",
            "mailto:a@b.c",
            "data:image/png;base64,AAAA",
            "s3://bucket/key",
        ],
        &[
            "",
            "example.com",
            "/path",
            "//example.com/x",
            "1http://a",
            "http:",
            "http://",
            "http:///path",
            "http://:80/",
            "http://a b",
            "http://a/%zz",
            "http://a/%4",
            "http://a/ä",
            "http://a:x/",
            "http://[::1",
            "http://a/[x]",
            "http://a#b#c",
            "http://a\n",
        ],
    );
    assert_format(
        Format::Email,
        &["a@b", "a.b+c@example.com", "ä@exämple.com", "\"a@b\"@c.d"],
        &[
            "", "a", "@b", "a@", "a b@c", "a..b@c", ".a@c", "a@b..c", "a@-b", "a@b.", "a@b c", "a@b@c",
            "a\n@b",
        ],
    );
    assert_format(
        Format::Ipv4,
        &["127.0.0.1", "255.255.255.255"],
        &["", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4 "],
    );
    assert_format(
        Format::Ipv6,
        &["::1", "2001:db8::1", "::ffff:1.2.3.4"],
        &["", "1.2.3.4", "::1::", "[::1]", "::1%eth0"],
    );
    assert_format(
        Format::DateTime,
        &["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+01:00"],
        &["", "2026-01-31", "x"],
    );
    assert_format(Format::Date, &["2026-01-31"], &["", "2026-02-30", "2026-1-1", "2026-01-31T00:00:00Z"]);
    assert_format(
        Format::Uuid,
        &["9b2e5f6c-0c3b-4a53-9f1d-0d0a7b1f2c3d", "9B2E5F6C-0C3B-4A53-9F1D-0D0A7B1F2C3D"],
        &["", "9b2e5f6c0c3b4a539f1d0d0a7b1f2c3d", "9b2e5f6c-0c3b-4a53-9f1d-0d0a7b1f2c3"],
    );
    assert_format(Format::Base64, &["", "AAAA", "AA=="], &["A", "AA-_", "A A A A"]);
}

#[test]
fn times() {
    assert_format(
        Format::Time,
        &[
            "00:00:00Z",
            "23:59:59.999999999999z",
            "16:39:57-08:00",
            "12:00:27.87+00:20",
            "12:00:00-00:00",
            "23:59:60Z",
            "23:59:60.9+00:00",
            "00:59:60+01:00",
            "18:59:60-05:00",
        ],
        &[
            "",
            "12:00:00",
            "12:00Z",
            "1:00:00Z",
            "24:00:00Z",
            "12:60:00Z",
            "12:00:61Z",
            "12:00:60Z",
            "23:59:60+01:00",
            "12:00:00.Z",
            "12:00:00,5Z",
            "12:00:00 Z",
            "12:00:00+01",
            "12:00:00+0100",
            "12:00:00+24:00",
            "12:00:00+01:60",
            "12:00:00+01:00Z",
            "12:00:00ZZ",
            "T12:00:00Z",
            "１2:00:00Z",
        ],
    );
    assert_format(
        Format::Duration,
        &["P1Y2M10DT2H30M5S", "P3W", "PT0S", "P0D", "P2M1D", "P1YT1S", "PT90M", "P1Y", "P007D", "p1dt12h"],
        &[
            "",
            "P",
            "PT",
            "1D",
            "P1",
            "PD",
            "P1DT",
            "P1Y1D",
            "PT1H1S",
            "P1D1M",
            "P1D1D",
            "P1W1D",
            "P1WT1H",
            "P1Y1W",
            "P1H",
            "PT1D",
            "P1.5D",
            "PT0,5S",
            "-P1D",
            "P-1D",
            "P+1D",
            "P1D ",
            "P1DT1HT1M",
            "P１D",
        ],
    );
}

#[test]
fn pointers() {
    assert_format(
        Format::JsonPointer,
        &["", "/", "/foo/0", "//", "/a~1b/m~0n", "/c%d/i\\j/k\"l/ ", "/~01", "/ä"],
        &["foo", "#/foo", "0", "/~", "/a~2", "/a~/b", "/~~0", " /a"],
    );
    assert_format(
        Format::RelativeJsonPointer,
        &["0", "1/0", "2/highly/nested", "0#", "12#", "0/", "0-1/a", "0+10#", "3-2"],
        &[
            "", "/a", "#", "a", "00", "01/a", "0##", "0#/a", "0~1", "0a", "-1", "0+0", "0+01", "0-", "0/~",
            "١",
        ],
    );
}

#[test]
fn templates() {
    assert_format(
        Format::UriTemplate,
        &[
            "",
            "/",
            "http://example.com/~{username}/",
            "/search{?q,lang}",
            "map?{x,y}",
            "{+path:6}/here",
            "{#x,hello,y}",
            "X{.list*}",
            "{/var:1,var}",
            "{;x,y,empty}",
            "{&keys*}",
            "{semi.dot_2%20}",
            "{var:9999}",
            "{|reserved}",
            "100%25",
            "/ä/\u{f0000}",
            "it's",
        ],
        &[
            "{",
            "}",
            "{}",
            "{+}",
            "{a",
            "a}",
            "{{a}}",
            "{a b}",
            "{a,}",
            "{,a}}",
            "{a:}",
            "{a:0}",
            "{a:10000}",
            "{a:1*}",
            "{a*:1}",
            "{a**}",
            "{.a.}",
            "{a..b}",
            "{ä}",
            "{a-b}",
            "{a%2}",
            "%",
            "%4g",
            "a b",
            "<a>",
            "a\\b",
            "a^b",
            "a`b",
            "a|b",
            "\"a\"",
            "\u{7f}",
            "\u{85}",
            "\u{fdd0}",
            "\u{1ffff}",
        ],
    );
}

#[cfg(feature = "formats")]
#[test]
fn expressions() {
    let nested = "(".repeat(30_000) + &")".repeat(30_000);
    let names: String = (0..65).map(|number| format!("(?<n{number}>)")).collect();
    let long = "a".repeat(70_000);
    assert_format(
        Format::Regex,
        &[
            "",
            "^[a-z]+$",
            "(?<year>\\d{4})-\\k<year>",
            "(?=a)(?<!b)",
            "\\p{Letter}",
            "[^]",
            "\\u{1F600}",
            &nested,
        ],
        &["(", ")", "[", "a**", "{1}", "a{2,1}", "[z-a]", "\\a", "(?P<n>a)", "(?i)a", "\\", &names, &long],
    );
}

/// The longest texts that a request can bring are checked in time.
#[test]
fn long_texts() {
    let long = 1 << 18;
    for format in ALL {
        for part in ["a", "a.", "{a}", "/~0", "%41", "(?<a>", "xn--a-", "ä", "[", "\"", "P1Y"] {
            is(*format, &part.repeat(long / part.len()));
        }
    }
}

/// All formats that this build has.
const ALL: &[Format] = &[
    Format::DateTime,
    Format::Date,
    Format::Time,
    Format::Duration,
    Format::Uuid,
    Format::Uri,
    #[cfg(feature = "formats")]
    Format::StrictUri,
    #[cfg(feature = "formats")]
    Format::UriReference,
    #[cfg(feature = "formats")]
    Format::Iri,
    #[cfg(feature = "formats")]
    Format::IriReference,
    Format::UriTemplate,
    Format::Email,
    Format::StrictEmail,
    #[cfg(feature = "formats-idn")]
    Format::IdnEmail,
    #[cfg(feature = "formats-idn")]
    Format::Hostname,
    #[cfg(feature = "formats-idn")]
    Format::IdnHostname,
    Format::Ipv4,
    Format::Ipv6,
    Format::JsonPointer,
    Format::RelativeJsonPointer,
    #[cfg(feature = "formats")]
    Format::Regex,
    Format::Base64,
];

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC*|[a-zA-Z0-9:/?#@%.{}()<>*+|~^$\\[\\]\\\\\u{80}-\u{10ffff}-]{0,60}|(xn--[a-z0-9-]{0,20}\\.?){1,3}") {
        for format in ALL {
            let has = is(*format, &text);
            if let Some(written) = written(*format, &text) {
                prop_assert!(has && is(*format, &written), "{format:?} {text:?} {written:?}");
            } else {
                prop_assert!(!(has && is_typed(*format)));
            }
        }
    }
}
