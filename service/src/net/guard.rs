//! The policy on URLs from users (webhooks, media). It prevents server-side request forgery.
//!
//! A URL is checked twice: its text at submission, and the addresses of its host at connection
//! ([`super::resolve`]). A submission does not resolve the host, because its response would reveal names of the inner network.

use std::net::IpAddr;

use ipnet::IpNet;
use reqwest::Url;
use url::Host;

use super::addresses::{self, Reach};

/// The maximum length of a URL, in bytes.
pub const MAX_URL: usize = 8192;

/// The URLs that the operator allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Allows `http`, any port, and addresses of private networks and of this machine.
    ///
    /// Link-local addresses (clouds serve credentials there) and reserved addresses stay refused.
    ///
    /// The spec documents the pattern `^https://` for URLs and marks it with `x-unchecked`, so that no table
    /// checks it. A table could not depend on this setting. It would also reject URLs of the service's own
    /// files, which can be `http`.
    pub allow_private_networks: bool,
    /// Allows `http`, any port, and the addresses 127.0.0.0/8 and ::1 of this machine.
    pub allow_loopback: bool,
    /// Networks that are always allowed.
    pub allow_subnets: Vec<IpNet>,
}

/// A URL whose text has passed the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    url: Url,
}

/// Why a URL is refused, as words that follow a parameter's name.
///
/// The texts reveal nothing about networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlRefused {
    /// It is not a URL.
    #[error("must be a valid URL")]
    Invalid,
    /// It is too long.
    #[error("must be a URL of at most {MAX_URL} bytes")]
    TooLong,
    /// It is not https.
    #[error("must be an https URL")]
    Scheme,
    /// It contains a user name or a password.
    #[error("must be a URL without user name and password")]
    UserInfo,
    /// It has a port other than 443.
    #[error("must be a URL with port 443")]
    Port,
    /// Its host is, or resolves to, a refused address.
    #[error("must be a URL of a public host")]
    Host,
}

impl Target {
    /// Returns the URL in canonical form.
    ///
    /// The service stores and requests this form, so that no parser can read it differently.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }
}

impl Policy {
    /// Checks the text of a URL: scheme, port, user, and a host that is an address in any spelling.
    ///
    /// # Errors
    /// Returns why the URL is refused.
    pub fn check_url(&self, text: &str) -> Result<Target, UrlRefused> {
        if text.len() > MAX_URL {
            return Err(UrlRefused::TooLong);
        }
        // The URL parser repairs such URLs, as browsers do. Other parsers read them differently, which
        // attackers use.
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') || !text.contains("://") {
            return Err(UrlRefused::Invalid);
        }
        let url = Url::parse(text).map_err(|_| UrlRefused::Invalid)?;
        // The documented pattern requires a lower-case scheme.
        if !text.starts_with(url.scheme()) {
            return Err(UrlRefused::Scheme);
        }
        self.check(url)
    }

    /// Checks a parsed URL, such as the target of a redirect.
    ///
    /// # Errors
    /// Returns why the URL is refused.
    pub fn check(&self, mut url: Url) -> Result<Target, UrlRefused> {
        let is_near = self.allow_private_networks || (self.allow_loopback && is_loopback(&url));
        match url.scheme() {
            "https" => {}
            "http" if is_near => {}
            _ => return Err(UrlRefused::Scheme),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlRefused::UserInfo);
        }
        if !is_near && url.port_or_known_default() != Some(443) {
            return Err(UrlRefused::Port);
        }
        // `host.` means `host`. The parser has already handled an address with a final dot.
        if let Some(name) = url.domain().and_then(|name| name.strip_suffix('.')).map(str::to_owned) {
            url.set_host(Some(&name)).map_err(|_| UrlRefused::Invalid)?;
        }
        url.set_fragment(None);
        let allowed = match url.host() {
            None => return Err(UrlRefused::Invalid),
            Some(Host::Domain(name)) if name.is_empty() || name.ends_with('.') => {
                return Err(UrlRefused::Invalid);
            }
            Some(Host::Domain(name)) => is_near || !is_local_name(name),
            Some(Host::Ipv4(address)) => self.allows(address.into()),
            Some(Host::Ipv6(address)) => self.allows(address.into()),
        };
        if allowed { Ok(Target { url }) } else { Err(UrlRefused::Host) }
    }

    /// Returns whether some URLs may be `http`.
    #[must_use]
    pub fn allows_http(&self) -> bool {
        self.allow_private_networks || self.allow_loopback
    }

    /// Returns whether the service may connect to this address.
    #[must_use]
    pub fn allows(&self, address: IpAddr) -> bool {
        if self.allow_subnets.iter().any(|net| net.contains(&address)) {
            // An allowed NAT64 network must not bypass the rules for the IPv4 addresses inside.
            return match address {
                IpAddr::V6(address) => {
                    addresses::embedded(address).is_none_or(|inner| self.allows(inner.into()))
                }
                IpAddr::V4(_) => true,
            };
        }
        match addresses::reach(address) {
            Reach::Public => true,
            Reach::Private => self.allow_private_networks || (self.allow_loopback && address.is_loopback()),
            Reach::Special => false,
        }
    }

    /// Returns whether the service may connect to a host with these addresses.
    ///
    /// One refused address is enough to refuse the host, because the next DNS response may contain only that
    /// one.
    #[must_use]
    pub fn allows_all(&self, addresses: &[IpAddr]) -> bool {
        addresses.iter().all(|address| self.allows(*address))
    }
}

/// Returns whether the host of a URL is this machine, by address or by name.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => is_local_name(name.strip_suffix('.').unwrap_or(name)),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Returns whether a name always means this machine (RFC 6761), independently of the resolver.
fn is_local_name(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    last.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::UrlRefused::{Host, Invalid, Port, Scheme, TooLong, UserInfo};
    use super::*;

    fn check(text: &str) -> Result<String, UrlRefused> {
        Policy::default().check_url(text).map(|target| target.url().to_string())
    }

    fn inner() -> Policy {
        Policy { allow_private_networks: true, ..Policy::default() }
    }

    #[test]
    fn public_urls_are_accepted_in_canonical_form() {
        let cases = [
            ("https://example.com/a?b=c", "https://example.com/a?b=c"),
            ("https://EXAMPLE.com:443/a#b", "https://example.com/a"),
            ("https://example.com./a", "https://example.com/a"),
            ("https://8.8.8.8/", "https://8.8.8.8/"),
            ("https://134744072/", "https://8.8.8.8/"),
            ("https://[2606:4700::1111]/", "https://[2606:4700::1111]/"),
            ("https://b\u{fc}cher.example/", "https://xn--bcher-kva.example/"),
            ("https://example.com/path@with/at", "https://example.com/path@with/at"),
        ];
        for (text, canonical) in cases {
            assert_eq!(check(text).as_deref(), Ok(canonical), "{text}");
        }
    }

    #[test]
    fn refused_urls_are_refused_for_the_right_reason() {
        let cases = [
            ("", Invalid),
            ("example.com/a", Invalid),
            ("https:example.com", Invalid),
            ("https:\\\\example.com", Invalid),
            ("https://example.com\\@127.0.0.1/", Invalid),
            (" https://example.com", Invalid),
            ("ht\ntps://example.com", Invalid),
            ("https://example.com/a b", Invalid),
            ("https://", Invalid),
            ("https://./", Invalid),
            ("https://example.com../", Invalid),
            ("https://exa mple.com/", Invalid),
            ("https://example.com:99999/", Invalid),
            ("https://[::1/", Invalid),
            ("https://[fe80::1%25eth0]/", Invalid),
            ("http://example.com/", Scheme),
            ("ftp://example.com/", Scheme),
            ("file:///etc/passwd", Scheme),
            ("gopher://example.com/", Scheme),
            ("https://user@example.com/", UserInfo),
            ("https://user:secret@example.com/", UserInfo),
            ("https://:secret@example.com/", UserInfo),
            ("https://example.com@127.0.0.1/", UserInfo),
            ("https://example.com:8443/", Port),
            ("https://example.com:80/", Port),
            ("https://127.0.0.1:22/", Port),
        ];
        for (text, reason) in cases {
            assert_eq!(check(text), Err(reason), "{text}");
        }
        let long = format!("https://example.com/{}", "a".repeat(MAX_URL));
        assert_eq!(check(&long), Err(TooLong));
    }

    #[test]
    fn inner_hosts_are_refused_in_every_spelling() {
        let cases = [
            "https://localhost/",
            "https://LOCALHOST./",
            "https://a.localhost/",
            "https://127.0.0.1/",
            "https://127.0.0.1./",
            "https://127.1/",
            "https://127.0.1/",
            "https://2130706433/", // decimal
            "https://0x7f000001/", // hexadecimal
            "https://0x7f.0.0.1/",
            "https://0X7F.1/",
            "https://017700000001/", // octal
            "https://0177.0.0.1/",
            "https://0/",
            "https://0.0.0.0/",
            "https://%31%32%37.0.0.1/",                // percent-encoded
            "https://\u{ff11}\u{ff12}\u{ff17}.0.0.1/", // full-width digits
            "https://127\u{3002}0\u{3002}0\u{3002}1/", // ideographic full stops
            "https://\u{2460}27.0.0.1/",               // circled one
            "https://10.1.2.3/",
            "https://100.64.0.1/",
            "https://169.254.169.254/latest/meta-data/",
            "https://0xa9fea9fe/",
            "https://172.31.255.255/",
            "https://192.168.0.1/",
            "https://255.255.255.255/",
            "https://224.0.0.1/",
            "https://[::]/",
            "https://[::1]/",
            "https://[0:0:0:0:0:0:0:1]/",
            "https://[::127.0.0.1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:7f00:1]/",
            "https://[::ffff:8.8.8.8]/",
            "https://[64:ff9b::7f00:1]/",
            "https://[64:ff9b:1::7f00:1]/",
            "https://[2002:7f00:1::]/",
            "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", // Teredo
            "https://[fc00::1]/",
            "https://[fe80::1]/",
            "https://[fec0::1]/",
            "https://[ff02::1]/",
            "https://[2001:db8::1]/",
        ];
        for text in cases {
            assert_eq!(check(text), Err(Host), "{text}");
        }
    }

    #[test]
    fn an_operator_can_allow_private_networks() {
        for text in [
            "http://localhost:3000/",
            "http://127.0.0.1:8080/",
            "https://10.0.0.1:8443/",
            "http://[fd00::1]/",
        ] {
            assert!(inner().check_url(text).is_ok(), "{text}");
        }
        // Special addresses and wrapped addresses stay refused in private networks too.
        for text in [
            "http://169.254.169.254/",
            "http://[fe80::1]/",
            "http://0.0.0.0/",
            "http://[::ffff:127.0.0.1]/",
            "http://224.0.0.1/",
        ] {
            assert_eq!(inner().check_url(text), Err(Host), "{text}");
        }
        assert_eq!(inner().check_url("file:///etc/passwd"), Err(Scheme));
        assert_eq!(inner().check_url("http://user@localhost/"), Err(UserInfo));
    }

    #[test]
    fn loopback_alone_can_be_allowed() {
        let policy = Policy { allow_loopback: true, ..Policy::default() };
        for text in [
            "http://localhost:3000/",
            "http://127.0.0.1:8080/",
            "https://[::1]:8443/",
            "https://example.com/",
        ] {
            assert!(policy.check_url(text).is_ok(), "{text}");
        }
        for (text, refused) in [
            ("http://example.com/", Scheme),
            ("https://example.com:8443/", Port),
            ("http://10.0.0.1/", Scheme),
            ("https://10.0.0.1/", Host),
            ("http://0.0.0.0/", Scheme),
            ("https://[::ffff:127.0.0.1]/", Host),
        ] {
            assert_eq!(policy.check_url(text), Err(refused), "{text}");
        }
        // A public name that resolves to this machine.
        assert!(
            policy.allows("127.0.0.1".parse().unwrap()) && !policy.allows("192.168.0.1".parse().unwrap())
        );
    }

    #[test]
    fn an_operator_can_allow_subnets() {
        let allow = |nets: &[&str]| Policy {
            allow_subnets: nets.iter().map(|net| net.parse().unwrap()).collect(),
            ..Policy::default()
        };
        let policy = allow(&["10.1.0.0/16", "169.254.7.7/32"]);
        assert!(policy.check_url("https://10.1.2.3/").is_ok());
        assert!(policy.check_url("https://169.254.7.7/").is_ok());
        assert_eq!(policy.check_url("https://10.2.0.1/"), Err(Host));
        assert_eq!(policy.check_url("http://10.1.2.3/"), Err(Scheme));
        assert_eq!(policy.check_url("https://10.1.2.3:8443/"), Err(Port));
        // With NAT64 in a network without IPv4, only public addresses are allowed.
        let policy = allow(&["64:ff9b::/96"]);
        assert!(policy.check_url("https://[64:ff9b::808:808]/").is_ok());
        assert_eq!(policy.check_url("https://[64:ff9b::7f00:1]/"), Err(Host));
    }

    #[test]
    fn one_refused_address_refuses_a_host() {
        let addresses =
            |texts: &[&str]| -> Vec<IpAddr> { texts.iter().map(|text| text.parse().unwrap()).collect() };
        assert!(Policy::default().allows_all(&addresses(&["8.8.8.8", "2606:4700::1111"])));
        assert!(!Policy::default().allows_all(&addresses(&["8.8.8.8", "127.0.0.1"])));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = check(&text);
        }

        #[test]
        fn every_spelling_of_a_refused_address_is_refused(bits: u32, spelling in 0..6usize, dot: bool) {
            let address = std::net::Ipv4Addr::from_bits(bits);
            let [a, b, c, d] = address.octets();
            let host = match spelling {
                0 => address.to_string(),
                1 => bits.to_string(),
                2 => format!("{bits:#x}"),
                3 => format!("0{bits:o}"),
                4 => format!("0{a:o}.{b:#x}.{}", u16::from_be_bytes([c, d])),
                _ => format!("[{}]", address.to_ipv6_mapped()),
            };
            let dot = if dot && spelling < 5 { "." } else { "" };
            let accepted = check(&format!("https://{host}{dot}/"));
            let public = spelling < 5 && addresses::reach(address.into()) == Reach::Public;
            prop_assert_eq!(accepted.is_ok(), public, "{}", host);
        }

        #[test]
        fn an_accepted_url_is_accepted_in_its_stored_form(text in "https?://[a-z0-9.:\\[\\]@%#?/\u{e4}-]{1,30}") {
            for policy in [Policy::default(), inner()] {
                if let Ok(target) = policy.check_url(&text) {
                    prop_assert_eq!(policy.check_url(target.url().as_str()), Ok(target));
                }
            }
        }
    }
}
