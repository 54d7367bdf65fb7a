//! E-mail addresses, URIs and host names.

use super::*;

#[test]
fn addresses() {
    let long = "a".repeat(64) + "@example.com";
    let longer = "a".repeat(65) + "@example.com";
    assert_format(
        Format::StrictEmail,
        &[
            "someone@example.com",
            "a@localhost",
            "a.b+c_d!#$%&'*/=?^`{|}~-@example.com",
            "\"a b..c@d\"@example.com",
            "\"a\\\"b\\\\\"@example.com",
            "a@[192.0.2.1]",
            "a@[IPv6:2001:db8::1]",
            "a@[ipv6:::1]",
            &long,
        ],
        &[
            "",
            "a",
            "@example.com",
            "a@",
            ".a@example.com",
            "a.@example.com",
            "a..b@example.com",
            "a b@example.com",
            "a@b@example.com",
            "\"a\"b@example.com",
            "\"a\\\"@example.com",
            "\"a\nb\"@example.com",
            "a@exa_mple.com",
            "a@-example.com",
            "a@example..com",
            "a@example.com.",
            "a@[192.0.2.256]",
            "a@[2001:db8::1]",
            "a@[x:y]",
            "a@[]",
            "a@192.0.2.1]",
            "A <a@example.com>",
            "ä@example.com",
            "a@exämple.com",
            &longer,
        ],
    );
}

#[cfg(feature = "formats")]
#[test]
fn uris() {
    let uris = [
        "ftp://ftp.is.co.za/rfc/rfc1808.txt",
        "ldap://[2001:db8::7]/c=GB?objectClass?one",
        "mailto:John.Doe@example.com",
        "tel:+1-816-555-1212",
        "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
        "http://",
        "a:",
        "file:///etc/hosts",
        "http://[v1.x]/",
        "http://a%20b/",
        "http://a:/?a/b?c#d/e?f",
    ];
    let references = ["", "//", "//g", "g;x=1/../y", "../../../g", "?y", "#s", "./a:b", "g?y/./x", "/a/b"];
    let neither = [
        "1a:b",
        "http://a b",
        "http://[::1",
        "http://[1.2.3.4]",
        "http://a:b/",
        "%",
        "/%zz",
        "a\\b",
        "{a}",
        "http://a#b#c",
        "/[a]",
        "//a@b@c",
        "a\n",
        "<a>",
    ];
    let international = ["http://ä.example/ö?ü#ß", "http://例え.jp/\u{10000}", "http://a/?\u{e000}"];
    let relative = ["/ä", "ö", "#ü"];
    assert_format(Format::StrictUri, &uris, &[&references[..], &neither, &international, &relative].concat());
    assert_format(
        Format::UriReference,
        &[&uris[..], &references].concat(),
        &[&neither[..], &international, &relative].concat(),
    );
    assert_format(
        Format::Iri,
        &[&uris[..], &international].concat(),
        &[&references[..], &neither, &relative].concat(),
    );
    assert_format(
        Format::IriReference,
        &[&uris[..], &references, &international, &relative].concat(),
        &[&neither[..], &["http://a/\u{e000}", "\u{fdd0}"]].concat(),
    );
}

#[cfg(feature = "formats-idn")]
#[test]
fn host_names() {
    let label = "a".repeat(63);
    let name = [label.as_str(); 4].join(".");
    let (longest, longer) = (&name[2..], &name[1..]);
    let hosts =
        ["localhost", "a.b-c.example", "3com.com", "A1", "a--b", "xn--bcher-kva.example", &label, longest];
    let never = [
        "",
        ".",
        "a.",
        ".a",
        "a..b",
        "-a",
        "a-",
        "a_b",
        "a b",
        "a/b",
        "xn--",
        "xn--a",
        "xn--bcher-kva-",
        "xn--a-ecp.ru\n",
        longer,
        &(label.clone() + "a"),
    ];
    let international = [
        "bücher.example",
        "BÜCHER.example",
        "faß.example",
        "例え。テスト",
        "παράδειγμα.δοκιμή",
        "מאמר.דוגמה",
        "col·lecció.example",
        "א׳ב.example",
        "コーヒー・豆",
        "क्\u{200d}ष",
        "بي\u{200c}بي",
    ];
    let wrong = [
        "☃.example",
        "a·b.example",
        "·.example",
        "α\u{375}.example",
        "׳ב.example",
        "a・b",
        "\u{300}a",
        "क\u{200d}ष",
        "a\u{5d0}",
        "\u{5d0}\u{660}\u{6f0}",
        "\u{302e}실",
        "ـب",
        "äb--c",
        "-ä",
        "ä-",
        "\u{1100}\u{1161}\u{11a8}\u{302f}",
        "example.com/ä",
        "ä ö",
    ];
    assert_format(Format::Hostname, &hosts, &[&never[..], &international, &wrong].concat());
    assert_format(
        Format::IdnHostname,
        &[&hosts[..], &international].concat(),
        &[&never[..], &wrong].concat(),
    );
    assert_format(
        Format::IdnEmail,
        &["someone@example.com", "jürgen@bücher.example", "\"例 え\"@例え.jp", "a@[192.0.2.1]"],
        &["", "ü", "ü@", "@ü", "ü@☃.example", "a b@c", "ü@a_b", "a@[192.0.2.256]", "ü\u{ff20}example.com"],
    );
}
